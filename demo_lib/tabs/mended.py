"""What is mended in Gradio's page: three places of one script, as it is served.

Seen on gradio 6.31.0, the pin in requirements.txt. Where a place is not found, as in another version, the script goes
out as it is, and tests/test_mended.py fails.
"""

import functools
import gzip
import hashlib
import re
from pathlib import Path

import gradio

_FOLDER = Path(gradio.__file__).parent / "templates" / "frontend" / "assets"
_SCRIPT = re.compile(r"/assets/(Blocks-[\w-]+\.js)")

MENDS = (
    # An event that comes while its handler is busy is kept and sent again afterwards, but to all its handlers. Two that
    # are busy at once so send it to each other for ever: after a few quick choices the page asks without end.
    (
        "this.queue.has(r.id)&&(this.queue.delete(r.id),this.dispatch(e))",
        'this.queue.has(r.id)&&(this.queue.delete(r.id),this.dispatch({...e,type:"fn",fn_index:r.id}))',
    ),
    # At each step of any event every component that ever took part in one is told how far its own event is, even where
    # that is hidden. For that its value is copied and put back, and what was typed meanwhile is lost.
    (
        "Object.entries(this.loading_stati.current).map(",
        'Object.entries(this.loading_stati.current).filter(([,e])=>e.show_progress!=="hidden").map(',
    ),
    # Likewise all inputs of an event at its first answer, only to take back the refusal of a validator. We have none.
    ("o===0&&r.inputs.forEach(", "!1&&r.inputs.forEach("),
)


def mend(script: str) -> str:
    """Gradio's script with the mended places, as far as they are there.

    >>> mend("o===0&&r.inputs.forEach(f)")
    '!1&&r.inputs.forEach(f)'
    """
    for before, after in MENDS:
        script = script.replace(before, after)
    return script


@functools.cache
def _served(name: str) -> tuple[bytes, bytes] | None:
    """The mended script, compressed, and a tag that changes with it; None where there is no such file."""
    try:
        script = mend((_FOLDER / name).read_text("utf-8")).encode()
    except OSError:
        return None
    return gzip.compress(script, 9), hashlib.sha256(script).hexdigest()[:16].encode()


class Mended:
    """ASGI middleware that answers for Gradio where the page asks for that script."""

    def __init__(self, app) -> None:
        self.app = app

    async def __call__(self, scope, receive, send) -> None:
        asked = _SCRIPT.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        served = _served(asked[1]) if asked else None
        sent = dict(scope["headers"]) if served else {}
        if not served or b"gzip" not in sent.get(b"accept-encoding", b""):
            await self.app(scope, receive, send)
            return
        body, tag = served
        known = sent.get(b"if-none-match") == tag
        headers = [
            (b"content-type", b"text/javascript; charset=utf-8"),
            (b"etag", tag),
            (b"cache-control", b"no-cache"),
        ]
        headers += [(b"vary", b"accept-encoding")]
        headers += [] if known else [(b"content-encoding", b"gzip"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 304 if known else 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if known else body})
