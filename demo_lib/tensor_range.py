"""The child process that reads one tensor of a model on the Hub by HTTP Range, without the rest of the weights.

    locate: where the tables are, from config.json, the index and the headers of the safetensors files
    fetch:  the bytes of one table, several parts at once, into a file that a later fetch goes on with

Tokens, proxies, addresses and offline mode are huggingface_hub's own; `hub_tables.py` is the parent's end.
"""

import errno
import mmap
import os
import queue
import signal
import struct
import threading
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import child, sources, weights
from .byte_range import Fault, ask, bytes_of

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
# The first request for a header: most of them are shorter, and then it is the only one
FIRST = 100_000
# A table is fetched in chunks of so many bytes, so many at once; every MARK bytes are put down as safe
CHUNK, WORKERS, MARK = 8 << 20, 4, 1 << 20
MEMORY = 1 << 30


@dataclass(frozen=True)
class Tensor:
    """A table on the Hub: bytes [start, end) of a file of `size` bytes, at one commit of the model."""

    model: str
    commit: str
    filename: str
    etag: str
    size: int
    name: str
    dtype: str
    rows: int
    dim: int
    start: int
    end: int


# Where the tables are


def locate(model: str, folder: str) -> dict[str, Any]:
    """{commit, tied, input, output}, the last two as Tensor or None; or {kind, filename} of what is wrong."""
    try:
        with reading("config.json", absent="no_config"):
            config = weights.read_config(sources._fetch_one(model, "config.json", weights.CONFIG_LIMIT, folder))
        return _tables(model, config, *listed(model, folder))
    except Fault as fault:
        return {"kind": fault.kind, "filename": fault.filename}


@contextmanager
def reading(filename: str, absent: str = "no_weights") -> Iterator[None]:
    """What goes wrong inside becomes a Fault about this file."""
    try:
        yield
    except Fault as fault:
        raise Fault(fault.kind, fault.filename or filename) from None
    except weights.Doubt as doubt:
        raise Fault(doubt.kind, filename) from None
    except MemoryError:  # JSON that takes much more room than its bytes
        raise Fault("damaged", filename) from None
    except Exception as error:
        kind = sources._kind(error)
        raise Fault(absent if kind == "no_file" else kind, filename) from None


def listed(model: str, folder: str) -> tuple[dict[str, str] | None, Any]:
    """Which file has which tensor (None: all are in the single one), and what the Hub says of the single one."""
    with reading(SINGLE):
        try:
            return None, ask(model, SINGLE, "main")
        except Exception as error:
            if sources._kind(error) != "no_file":
                raise
    with reading(INDEX):
        return weights.read_index(sources._fetch_one(model, INDEX, weights.INDEX_LIMIT, folder)), None


def _tables(model: str, config: weights.Config, files: dict[str, str] | None, single: Any) -> dict[str, Any]:
    headers: dict[str, tuple[Any, dict[str, weights.Entry]]] = {}

    def header(filename: str) -> tuple[Any, dict[str, weights.Entry]]:
        if filename not in headers:
            with reading(filename, absent="no_shard"):
                revision = next((found.commit_hash for found, _ in headers.values()), "main")
                found = single or ask(model, filename, revision)
                headers[filename] = found, entries(model, filename, found)
        return headers[filename]

    names = header(SINGLE)[1] if files is None else files

    def table(candidates: tuple[str, ...]) -> Tensor:
        filename = SINGLE if files is None else files[weights.name_of(candidates, names)]
        found, there = header(filename)
        with reading(filename):
            if (name := weights.name_of(candidates, there)) is None:
                raise Fault("damaged")
            entry = weights.check(there[name], config)
        place = (model, found.commit_hash, filename, found.etag, found.size)
        return Tensor(*place, name, entry.dtype, *entry.shape, entry.start, entry.end)

    if weights.name_of(weights.INPUT, names) is None:
        raise Fault("no_table")
    tied = weights.is_tied(config, names)
    separate = not tied and weights.name_of(weights.OUTPUT, names) is not None
    first, second = table(weights.INPUT), table(weights.OUTPUT) if separate else None
    return {
        "commit": first.commit,
        "tied": tied,
        "input": asdict(first),
        "output": second and asdict(second),
    }


def entries(model: str, filename: str, found: Any, first: int = FIRST) -> dict[str, weights.Entry]:
    """The tensors of a safetensors file, of which `found` is what the Hub says; the first request has `first` bytes."""

    def read(start: int, end: int) -> bytes:
        return b"".join(bytes_of(model, found.commit_hash, filename, start, end, found.size))

    head = read(0, min(first, found.size))
    end = 8 + weights.header_length(head, found.size)
    if end > len(head):
        head += read(len(head), end)
    return weights.read_header(head[8:end], found.size)


# Fetching a table


def fetch(tensor: dict[str, Any], part: str) -> dict[str, str] | None:
    """Fetch the bytes of a table into the file `part`; None, or {kind, filename} of what is wrong.

    `part`.marks has for each chunk how many of its bytes are in the file, as a uint32: they tell how far the fetch
    is, and a later one where to go on, however this one ends.
    """
    wanted = Tensor(**tensor)
    try:
        with reading(wanted.filename):
            try:
                _fetch(wanted, Path(part))
            except OSError as error:
                if error.errno == errno.EFBIG:  # here it is the disk's or the user's limit, not ours
                    raise Fault("disk") from None
                raise
    except Fault as fault:
        return {"kind": fault.kind, "filename": fault.filename}
    return None


def _fetch(wanted: Tensor, part: Path) -> None:
    size = wanted.end - wanted.start
    chunks = -(-size // CHUNK)
    marks_file = part.with_name(f"{part.name}.marks")
    if not (_has(part, size) and _has(marks_file, 4 * chunks)):
        for path, length in ((marks_file, 4 * chunks), (part, size)):
            with path.open("wb") as file:
                file.truncate(length)
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for chunk in range(chunks):
        todo.put(chunk)
    failed = threading.Event()
    with marks_file.open("r+b") as file, mmap.mmap(file.fileno(), 0) as marks, ThreadPoolExecutor(WORKERS) as pool:
        workers = [pool.submit(_work, wanted, part, marks, todo, failed) for _ in range(min(WORKERS, chunks))]
        wait(workers, return_when=FIRST_EXCEPTION)
        failed.set()  # if one failed, the others need not end what they began
        for worker in workers:
            worker.result()


def _work(wanted: Tensor, part: Path, marks: mmap.mmap, todo: queue.SimpleQueue, failed: threading.Event) -> None:
    size = wanted.end - wanted.start
    with part.open("r+b") as file:
        while not failed.is_set():
            try:
                chunk = todo.get_nowait()
            except queue.Empty:
                return
            _chunk(wanted, file, marks, chunk, min(CHUNK, size - chunk * CHUNK), failed)


def _chunk(wanted: Tensor, file: Any, marks: mmap.mmap, chunk: int, length: int, failed: threading.Event) -> None:
    (have,) = struct.unpack_from("<I", marks, 4 * chunk)
    done = have = min(have, length)
    start = wanted.start + chunk * CHUNK
    file.seek(chunk * CHUNK + have)

    def mark() -> None:
        file.flush()
        os.fsync(file.fileno())  # a mark must never be there before its bytes are
        struct.pack_into("<I", marks, 4 * chunk, done)

    place = wanted.model, wanted.commit, wanted.filename
    try:
        for piece in bytes_of(*place, start + have, start + length, wanted.size):
            file.write(piece)
            done += len(piece)
            if done - have >= MARK:
                mark()
                have = done
            if failed.is_set():
                break
    finally:
        mark()


def _has(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def answers() -> bool:
    """Whether the Hub answers, within the time that HF_HUB_ETAG_TIMEOUT gives it."""
    try:
        return bool(ask("Qwen/Qwen2.5-0.5B", "config.json", "main"))
    except Exception:
        return False


def _end_with(parent: int) -> None:
    """A table takes minutes: when the app is gone, nobody waits for it."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


if __name__ == "__main__":
    child.limit(AS=MEMORY, CORE=0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # end at once; the marks tell how far
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    child.serve({"locate": locate, "fetch": fetch, "answers": answers})
