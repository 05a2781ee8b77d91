"""Bytes of a file on the Hub by HTTP Range, strictly: the bytes that were asked for, or a Fault.

Runs in a child process (see `tensor_range.py`) with huggingface_hub's own session, so that its tokens, proxies,
addresses and offline mode hold here too.
"""

import re
import time
from collections.abc import Iterator
from typing import Any

PIECE = 1 << 16
# How often a request that brought nothing is made again, and the longest wait before it in seconds
RETRIES, LONGEST_WAIT = 4, 10
BUSY = {408, 429, 500, 502, 503, 504}


class Fault(Exception):
    """`kind` is one of hub_problems.SENTENCES, `filename` the file that it is about."""

    def __init__(self, kind: str, filename: str = "") -> None:
        super().__init__(kind)
        self.kind, self.filename = kind, filename


class Busy(Exception):
    """The server wants to be asked later, in so many seconds if it says so. The library's own error is the cause."""

    def __init__(self, seconds: float | None) -> None:
        super().__init__("busy")
        self.seconds = seconds


def ask(model: str, filename: str, revision: str) -> Any:
    """What the Hub says of a file: commit_hash, size, etag. Raises what huggingface_hub raises, or Fault."""
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url

    url = hf_hub_url(model, filename, revision=revision)
    found = get_hf_file_metadata(url, timeout=constants.HF_HUB_ETAG_TIMEOUT)
    commit, etag = found.commit_hash or "", found.etag or ""
    # a login page of the network, or another server; the etag goes into a file's name
    hub = re.fullmatch(r"[0-9a-f]{40}", commit) and re.fullmatch(r"[\w-]{16,100}", etag, re.ASCII)
    if not hub or found.size is None:
        raise Fault("network", filename)
    if not found.size:
        raise Fault("damaged", filename)
    return found


def bytes_of(model: str, commit: str, filename: str, start: int, end: int, size: int) -> Iterator[bytes]:
    """Bytes [start, end) of a file of `size` bytes, in pieces; what breaks off is asked for again from there."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import httpx

    url, tries = hf_hub_url(model, filename, revision=commit), 0
    while start < end:
        before, error = start, None
        try:
            for piece in _once(url, start, end, size):
                start += len(piece)
                yield piece
        except (Busy, httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError) as caught:
            error = caught
        tries = 0 if start > before else tries + 1
        if tries > RETRIES:
            raise (error.__cause__ if isinstance(error, Busy) else error) or Fault("network")
        if start < end:
            time.sleep(min(getattr(error, "seconds", None) or 2**tries / 4, LONGEST_WAIT))


def _once(url: str, start: int, end: int, size: int) -> Iterator[bytes]:
    from huggingface_hub import constants
    from huggingface_hub.utils import build_hf_headers, get_session

    headers = build_hf_headers() | {"Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity"}
    with get_session().stream("GET", url, headers=headers, timeout=constants.HF_HUB_DOWNLOAD_TIMEOUT) as response:
        _check(response, start, end, size)
        for piece in response.iter_raw(PIECE):
            piece = piece[: end - start]
            start += len(piece)
            yield piece
            if start == end:
                return


def _check(response: Any, start: int, end: int, size: int) -> None:
    """Nothing, if the answer is the bytes that were asked for. Of any other answer the body is not read."""
    from huggingface_hub.utils import hf_raise_for_status

    try:
        hf_raise_for_status(response)
    except Exception as error:
        if response.status_code not in BUSY:
            raise
        seconds = response.headers.get("Retry-After", "")
        raise Busy(float(seconds) if seconds.isdigit() else None) from error
    stated, length = response.headers.get("Content-Range"), response.headers.get("Content-Length")
    # some copies of the Hub send no Content-Range (huggingface/hf-hub#132): then the length must be the one asked for
    same = length == str(end - start) if stated is None else stated == f"bytes {start}-{end - 1}/{size}"
    plain = response.headers.get("Content-Encoding", "identity") == "identity"
    if response.status_code != 206 or not same or not plain:
        raise Fault("no_range")
