"""How the page is served: quickly, to this machine only unless told otherwise, and saying little."""

import contextlib
import gzip
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from urllib.parse import quote

import gradio as gr
from starlette.middleware import Middleware

from demo_lib import passing, startup, tables
from demo_lib.cache import cache_dir
from demo_lib.hub_problems import disk_problem
from demo_lib.tabs import page
from demo_lib.tabs.links import Links
from demo_lib.tabs.mended import Mended
from demo_lib.tabs.text import lesson
from demo_lib.tabs.theme import theme

_HERE = Path(__file__).parent
LONG = 8_000  # characters of a query that no part of Gradio's own needs
_SCRIPTS = ("page.js", "link.js", "lesson.js", "share.js", "prepare.js")


class Head:
    """ASGI middleware that puts our style, script and icon first in <head> of the page, and a call last.

    Gradio's own `css`, `js` and `head` arrive only once its script is running: too late for the language, and the
    page would jump. The page also goes out compressed, to a fifth: Gradio compresses only what has a file ending.
    `lang`: the language to open in, whatever the browser's; None leaves it to the browser. `links`: what the query of
    the address may set; what it does set goes into the call. Gradio gets no query.
    """

    def __init__(self, app, lang: str | None = None, links: Links | None = None) -> None:
        names = (
            "page.css",
            "widgets/widgets.css",
            "widgets/ledger.css",
            "widgets/vocabulary.css",
            "widgets/names.css",
            "widgets/corpus.css",
            "widgets/lessons.css",
            "lesson.css",
            "icon.svg",
        )
        *styles, icon = ((_HERE / name).read_text("utf-8") for name in names)
        script = "\n".join((_HERE / name).read_text("utf-8") for name in _SCRIPTS)
        self.app, self.links = app, links
        self.first = (
            f'<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,{quote(icon)}">'
            f'<style>{"".join(styles)}</style><script data-lang="{lang or ""}">{script}</script>'
        ).encode()

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] != "http" or scope["path"] != "/" or scope["method"] != "GET":
            await self.app(scope if len(scope.get("query_string", b"")) < LONG else _without(scope), receive, send)
            return
        start, body, last = {}, b"", self._last(scope.get("query_string", b""))

        async def send_whole(message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            body = body.replace(b"<head>", b"<head>" + self.first, 1).replace(b"</head>", last + b"</head>", 1)
            headers = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
            headers.append((b"vary", b"accept-encoding"))
            if b"gzip" in dict(scope["headers"]).get(b"accept-encoding", b""):
                body = gzip.compress(body, 6)
                headers.append((b"content-encoding", b"gzip"))
            await send({**start, "headers": [*headers, (b"content-length", str(len(body)).encode())]})
            await send({"type": "http.response.body", "body": body})

        await self.app(_without(scope), receive, send_whole)

    def _last(self, query: bytes) -> bytes:
        """The call that prepares Gradio's description of the page, with nothing in it that could end the script."""
        if self.links is None:
            return b""
        opened = json.dumps(self.links.opened(query.decode("utf-8", "replace")))
        for sign in "<>&":
            opened = opened.replace(sign, f"\\u{ord(sign):04x}")
        return f"<script>bothEnds.prepare(window.gradio_config, {opened})</script>".encode()


def _without(scope: dict) -> dict:
    """A request without its query: at one of 64 kB Gradio fails."""
    return {**scope, "query_string": b""}


def check_cache() -> None:
    """Raises Problem where nothing can be kept in the folder that was asked for, which would be slow ever after."""
    try:
        cache_dir().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache_dir()):
            pass
    except OSError as error:
        raise disk_problem(error) from None


def launch(
    tabs: Sequence[ModuleType],
    *,
    host: str = "127.0.0.1",
    port: int = 7860,
    share: bool = False,
    lang: str | None = None,
) -> gr.Blocks:
    """Build the page and serve it from a thread. Raises Problem where the address cannot be had."""
    startup.check_address(host, port)
    startup.reach_ourselves_directly()
    with startup.without_collector(), startup.signatures_once(), startup.long_addresses():
        blocks = page.build(tabs)
        # Gradio tells of a failed share link in five lines about files to download: we say it in one
        with contextlib.redirect_stdout(io.StringIO()) if share else contextlib.nullcontext():
            blocks.launch(
                server_name=host,
                server_port=port,
                share=share,
                quiet=True,
                prevent_thread_lock=True,
                _frontend=False,  # it would fetch the page once itself, before a visitor can
                show_error=False,  # an exception's own words could hold what somebody typed: page.shown says ours
                max_file_size="128mb",
                enable_monitoring=False,
                run_history=False,  # no copy of what somebody typed stays in a browser of the computer room
                ssr_mode=False,
                footer_links=["api"],
                i18n=page.merged([*tabs, lesson]),
                theme=theme(),
                app_kwargs={"middleware": [Middleware(Mended), Middleware(Head, lang=lang, links=blocks.links)]},
            )
    return blocks


def serve(tabs: Sequence[ModuleType], *, folder: str | None = None, **options) -> None:
    """`launch`, say where, warm the tokenizers up, and stay until Ctrl-C. On a Space, public already, no `share`.

    `folder`: where the embedding table is that the page begins with.
    """
    if folder is not None:
        tables.use_folder(folder)
    passing.sweep()
    share = options["share"] = options.get("share", False) and "SPACE_ID" not in os.environ
    with contextlib.suppress(KeyboardInterrupt):
        if share:
            print("Asking for a public link: this can take half a minute.", flush=True)
        blocks = launch(tabs, **options)
        print(f"{page.NAME}: {blocks.local_url}  (Ctrl-C ends it)", flush=True)
        if share and blocks.share_url:
            print(f"Public link, for a week at most: {blocks.share_url}", flush=True)
        elif share:
            print("No public link: the service that makes it cannot be reached from here.", file=sys.stderr, flush=True)
        startup.warm_up()
        while True:
            time.sleep(3600)
