"""Embedding tables of models on the Hub: found, fetched, and found again in the cache without the Hub.

A table is kept under the hash of the file that it comes from and its place there, so that a new commit with the same
weights costs nothing. What was found is remembered for each model. The network is in `tensor_range.py`, a child
process; here is what the app does meanwhile.
"""

import json
import os
import shutil
import threading
import time
from array import array
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import child, hub_problems, sources, weights
from .cache import DAY, cache_dir, entry, keep, only_one
from .jobs import Progress, stopped
from .problems import Problem
from .table import Stored
from .tensor_range import INDEX, Tensor

MODULE = "demo_lib.tensor_range"
# Bytes of one model's tables, and of all that are kept: the least recently used go first
LIMIT, ALL = 3 * 10**9, 20 * 10**9
# Seconds to find a table, to fetch it, and without MARK new bytes after which the fetch is given up
FIND, FETCH, STALL = 60, DAY, 60
# Fetches at once, each with tensor_range.WORKERS connections
_SLOTS = threading.BoundedSemaphore(3)
# What was found is believed so long without asking the Hub, and the Hub has so many seconds to say whether it changed
FRESH, SECONDS_TO_SAY = 7 * DAY, 2


@dataclass(frozen=True)
class Found:
    """The tables of a model at one commit; `output` is None where the model is tied or has none."""

    model: str
    commit: str
    tied: bool
    input: Tensor
    output: Tensor | None

    @property
    def tensors(self) -> list[Tensor]:
        return [tensor for tensor in (self.input, self.output) if tensor]

    @property
    def nbytes(self) -> int:
        return sum(tensor.end - tensor.start for tensor in self.tensors)


def _folder() -> Path:
    return cache_dir().absolute() / "tables"


def _file(tensor: Tensor) -> Path:
    return _folder() / f"{tensor.etag}-{tensor.start}-{tensor.end}.table"


def stored(tensor: Tensor) -> Stored:
    """Where a fetched table lies; also puts down that it was used now."""
    path = _file(tensor)
    with suppress(OSError):
        os.utime(path)
    return Stored(path, 0, tensor.dtype, tensor.rows, tensor.dim, path.stem)


def is_fetched(found: Found) -> bool:
    """Whether all its tables are in the cache, whole."""
    return all(_size(_file(tensor)) == tensor.end - tensor.start for tensor in found.tensors)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


# Finding


def _memo(model: str) -> str:
    return f"tables/{model.replace('/', '--')}.json"


def remembered(model: str) -> Found | None:
    """What was found of this model before."""
    data = entry(_memo(model))
    if data is None:
        return None
    with suppress(ValueError, TypeError, KeyError):  # written by another version of this program
        return _read(model, json.loads(data))
    return None


def _read(model: str, answer: dict[str, Any]) -> Found:
    tensors = (answer[name] and Tensor(**answer[name]) for name in ("input", "output"))
    return Found(model, answer["commit"], answer["tied"], *tensors)


def find(model: str) -> Found:
    """Where the tables of a model are. If the Hub is away, where they were. Whatever goes wrong raises Problem."""
    before = remembered(model)
    had = before is not None and is_fetched(before)
    if had and time.time() < (cache_dir() / _memo(model)).stat().st_mtime + FRESH:
        return before
    try:
        found = _read(model, _ask("locate", model, str(cache_dir().absolute() / "hub"), quick=had))
    except Problem:
        if not had:
            raise
        with suppress(OSError):
            os.utime(cache_dir() / _memo(model))  # and it is not asked again for a while
        return before
    with suppress(OSError):
        keep(_memo(model), json.dumps({name: _plain(value) for name, value in vars(found).items()}).encode())
    return found


def _plain(value: Any) -> Any:
    return vars(value) if isinstance(value, Tensor) else value


def _ask(method: str, model: str, *args: Any, quick: bool) -> dict[str, Any]:
    environment = sources.hub_environment(SECONDS_TO_SAY if quick else None)
    try:
        answer = child.ask_once(MODULE, method, model, *args, seconds=FIND, environment=environment)
    except child.ChildError as error:
        raise problem(error.reason, model) from None
    if "kind" in answer:
        limits = {"config.json": weights.CONFIG_LIMIT, INDEX: weights.INDEX_LIMIT}
        raise problem(answer["kind"], model, answer["filename"], limits.get(answer["filename"], LIMIT))
    return answer


def problem(kind: str, model: str, filename: str = "", limit: int = LIMIT) -> Problem:
    """The sentence for what is wrong with a table on the Hub."""
    return hub_problems.hub_problem(kind, model, filename, limit, hub_problems.TABLE)


def hub_answers() -> bool:
    """Whether the Hub answers within 3 s (not counting the start of the process that asks)."""
    try:
        return child.ask_once(MODULE, "answers", seconds=8, environment=sources.hub_environment(3))
    except child.ChildError:
        return False


# Fetching


def fetch(found: Found, report: Progress, stop: threading.Event) -> None:
    """Fetch what is not in the cache yet, going on where an earlier fetch ended.

    Whatever goes wrong raises Problem, and so does `stop`; what was fetched so far is kept.
    """
    if found.nbytes > LIMIT:
        largest = max(found.tensors, key=lambda tensor: tensor.end - tensor.start)
        raise problem("large", found.model, largest.name)
    before = 0
    try:
        for tensor in found.tensors:
            _fetch_one(tensor, lambda have, before=before: report(before + have, found.nbytes), stop)
            before += tensor.end - tensor.start
    except OSError as error:
        raise hub_problems.disk_problem(error) from None


def _fetch_one(tensor: Tensor, report: Callable[[int], None], stop: threading.Event) -> None:
    final, size = _file(tensor), tensor.end - tensor.start
    part = final.with_suffix(".part")

    def waiting() -> None:
        report(_fetched(part))
        if stop.is_set():
            raise stopped()

    final.parent.mkdir(parents=True, exist_ok=True)
    with only_one(final.with_suffix(".lock"), waiting):
        if _size(final) != size:
            _make_room(size, keeping=part)
            if shutil.disk_usage(final.parent).free < size - _fetched(part):
                raise problem("disk", tensor.model)
            if not _SLOTS.acquire(timeout=5):
                raise problem("busy", tensor.model)
            try:
                _run(tensor, part, report, stop)
            finally:
                _SLOTS.release()
            os.replace(part, final)
            _marks(part).unlink()
        report(size)


def _marks(part: Path) -> Path:
    return part.with_name(f"{part.name}.marks")


def _fetched(part: Path) -> int:
    """Bytes that are safe in the file of a fetch under way; see tensor_range.fetch."""
    try:
        return sum(array("I", _marks(part).read_bytes()))
    except (OSError, ValueError):  # not begun, or just beginning
        return 0


def _run(tensor: Tensor, part: Path, report: Callable[[int], None], stop: threading.Event) -> None:
    """Run the child that fetches, and watch it; returns when the file is whole."""
    running = child.Child(MODULE, environment=sources.hub_environment())
    said: dict[str, Any] = {}

    def run() -> None:
        try:
            answer = running.call("fetch", vars(tensor), str(part), seconds=FETCH)
            said.update(answer or {"kind": None})
        except child.ChildError as error:
            said.update(kind=error.reason, filename=tensor.filename)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    far, moved = _fetched(part), time.monotonic()
    try:
        while thread.is_alive():
            thread.join(0.2)
            if stop.is_set():
                raise stopped()
            if (now := _fetched(part)) > far:
                far, moved = now, time.monotonic()
            elif time.monotonic() > moved + STALL:
                raise problem("time", tensor.model)
            report(far)
    finally:
        running.close()
        thread.join()
    if said["kind"]:
        raise problem(said["kind"], tensor.model, said["filename"])
    if _fetched(part) != tensor.end - tensor.start or _size(part) != tensor.end - tensor.start:
        raise problem("network", tensor.model)


def _make_room(size: int, keeping: Path) -> None:
    """Delete the least recently used tables until one of `size` bytes more is within ALL.

    One that is open stays readable to those who have it: the system deletes a file when the last reader is gone.
    """
    files = [path for kind in ("*.table", "*.part") for path in _folder().glob(kind) if path != keeping]
    files.sort(key=lambda path: path.stat().st_mtime)
    total = sum(map(_size, files)) + size
    for path in files:
        if total <= ALL:
            return
        total -= _size(path)
        for left in (path, _marks(path)):
            with suppress(OSError):
                left.unlink(missing_ok=True)
