"""The folder that keeps what was made or fetched, so that it is made or fetched once."""

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DAY = 86_400


def cache_dir() -> Path:
    """The folder of the cache: BOTH_ENDS_CACHE, else both-ends in $XDG_CACHE_HOME or ~/.cache."""
    if own := os.environ.get("BOTH_ENDS_CACHE"):
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "both-ends"


def cached(name: str, make: Callable[[], bytes]) -> bytes:
    """The entry `name` of the cache; where it is missing or damaged, what `make()` returns, kept for next time.

    An entry is the sha256 of its bytes as a line of hex, then the bytes. It appears whole or not at all, so
    two processes may make it at once. A cache that cannot be written to only costs the time of `make()`.
    """
    data = entry(name)
    if data is None:
        data = make()
        with suppress(OSError):
            keep(name, data)
    return data


def entry(name: str) -> bytes | None:
    """The entry `name` of the cache; None where it is missing or damaged."""
    with suppress(OSError):
        digest, _, data = (cache_dir() / name).read_bytes().partition(b"\n")
        if digest == _sha256(data):
            return data
    return None


def keep(name: str, data: bytes) -> None:
    """Write the entry `name` of the cache, or replace it; raises OSError where that cannot be done."""
    path = cache_dir() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, _sha256(data) + b"\n" + data)
    for left in path.parent.glob(f".{path.name}.*"):  # by a process that was killed while writing
        if left.stat().st_mtime < time.time() - DAY:
            left.unlink()


def replace(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file, or replace it: whole or not at all. Raises OSError where that cannot be done."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            os.chmod(file.name, mode)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


@contextmanager
def only_one(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """One process at a time inside this block; the others call `waiting()`, which may raise, five times a second.

    A lock on `path`, which the system takes back when the process ends, however that happens. Where the system has
    no such lock (Windows), the block runs at once.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waiting()
                time.sleep(0.2)
        yield
