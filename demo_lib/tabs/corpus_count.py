"""Counting for several visitors: a few at once, each with an end, and no longer than somebody waits for it."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from demo_lib import corpus as room
from demo_lib.problems import Problem
from demo_lib.tabs import table_bar
from demo_lib.tabs.corpus_held import LIMIT, Held

SEATS = 3  # counts at once
SECONDS = 600.0  # that a count may take, once it has begun
MODELS = ("llama-3.1", "qwen2.5")
TYPED = 2_000_000  # characters of a pasted text
START = Path(__file__, "../../../examples/corpus.txt").resolve().read_text("utf-8").strip()
_SEATS = threading.BoundedSemaphore(SEATS)

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Until:
    """As an Event that is set when nobody waits any more, and when the time is over."""

    stop: threading.Event
    end: float

    @property
    def late(self) -> bool:
        return time.monotonic() > self.end

    def is_set(self) -> bool:
        return self.late or self.stop.is_set()


@dataclass(frozen=True, kw_only=True)
class Count(table_bar.Errand):
    """One count. `begun`: it has a seat."""

    begun: threading.Event = field(default_factory=threading.Event)
    seconds: float = SECONDS

    def run(self, make: Callable[[Until], room.Report]) -> room.Report:
        """What `make(cancel)` returns, when it is this one's turn."""
        while not _SEATS.acquire(timeout=0.2):
            if self.stop.is_set():
                raise stopped()
        until = Until(self.stop, time.monotonic() + self.seconds)
        try:
            if self.stop.is_set():
                raise stopped()
            self.begun.set()
            return make(until)
        except Problem:
            if until.late and not self.stop.is_set():
                raise Problem(
                    f"The count took more than {self.seconds / 60:g} minutes: use python -m demo_lib.corpus.",
                    f"统计超过了 {self.seconds / 60:g} 分钟：请使用 python -m demo_lib.corpus。",
                ) from None
            raise
        finally:
            _SEATS.release()


def stopped() -> Problem:
    return Problem("The count was stopped.", "统计已停止。")


def of_files(held: Held, models: Sequence[str], cancel: Until, **options) -> room.Report:
    """`options`: as of corpus.report."""
    if not held.there:
        raise Problem("A file is no longer here: choose it once more.", "有文件已不在这里：请重新选择。")
    paths, names = [str(one.path) for one in held.files], [one.name for one in held.files]
    return room.report(paths, models, names=names, limit=LIMIT, cancel=cancel, **options)


def of_text(text: str, models: Sequence[str], cancel: Until, *, split: str | None, prices: str, progress: Progress):
    """The report on a pasted text. The one that the page begins with is counted once for all."""
    if not isinstance(text, str) or len(text) > TYPED:
        raise Problem(
            f"The text has more than {TYPED:,} characters: choose it as a file.",
            f"文本超过 {TYPED:,} 个字符：请改为选择文件。",
        )
    split = split or "paragraph"
    if (text, tuple(models), split, (prices or "").strip()) == (START, MODELS, "paragraph", ""):
        return _example()
    return room.report_of_text(text, models, split=split, prices=prices, progress=progress, cancel=cancel, limit=LIMIT)


@cache
def _example() -> room.Report:
    return room.report_of_text(START, MODELS)
