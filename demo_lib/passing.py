"""Folders for what is here for a while only: gone with whoever holds them, or at the next start if that was killed."""

import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

PREFIX = "both-ends-passing-"


class Passing(tempfile.TemporaryDirectory):
    """A temporary folder with a lock on it, which the system takes back when the process ends, however that happens."""

    def __init__(self) -> None:
        super().__init__(prefix=PREFIX)
        lock = _lock(self.name)
        self._unlock = weakref.finalize(self, os.close, lock) if lock is not None else None

    def cleanup(self) -> None:
        super().cleanup()
        if self._unlock:
            self._unlock()


def _lock(folder: str | Path) -> int | None:
    """The descriptor that holds the lock; None where another process has it, or the system has no such lock."""
    with suppress(ImportError, OSError):
        import fcntl

        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(place)
            return None
        return place
    return None


def sweep() -> None:
    """Remove the folders of processes that were killed."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        lock = _lock(left)
        if lock is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
