"""Long work that several visitors want at once: done once, and each of them sees how far it is."""

import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from .problems import Problem


class Progress(Protocol):
    """What is told how far a fetch is: bytes so far, never fewer than before, and bytes in all."""

    def __call__(self, done: int, total: int, /) -> None: ...


def stopped() -> Problem:
    """What somebody is told who stopped a fetch."""
    return Problem("The fetch was stopped; what was fetched is kept.", "获取已停止；已获取的部分会保留。")


class Job:
    """One piece of work in a thread of its own. It is stopped when nobody waits for it any more."""

    def __init__(self, work: Callable[[Progress, threading.Event], Any]) -> None:
        self.waiting = 0
        self.stop, self.over = threading.Event(), threading.Event()
        self._work, self._far = work, (0, 0)
        self._result, self._problem = None, None
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._result = self._work(self._report, self.stop)
        except BaseException as problem:  # it belongs to those who wait
            self._problem = problem
        finally:
            self.over.set()

    def _report(self, done: int, total: int) -> None:
        self._far = max(self._far[0], done), total

    def wait(self, progress: Progress | None, cancel: threading.Event | None) -> Any:
        """The result. What went wrong is raised; so is Problem if `cancel` was set first."""
        shown = None
        while not self.over.wait(0.1):
            if cancel and cancel.is_set():
                raise stopped()
            if progress and self._far[1] and self._far != shown:
                shown = self._far
                progress(*shown)
        if progress and self._far[1] and self._far != shown:
            progress(*self._far)
        if isinstance(self._problem, Problem):
            raise Problem(str(self._problem), self._problem.zh)  # each gets one with a traceback of its own
        if self._problem:
            raise self._problem
        return self._result


class Jobs:
    """The work under way, by name. Safe to share between threads."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def run(
        self,
        name: str,
        work: Callable[[Progress, threading.Event], Any],
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> Any:
        """What `work(report, stop)` returns; if it is under way under this name, what that returns.

        `work` should end soon after `stop` is set. Raises Problem where `cancel` is set before it is done.
        """
        while (job := self._join(name, work)) is None:  # one that nobody wanted is about to end
            time.sleep(0.1)
            if cancel and cancel.is_set():
                raise stopped()
        try:
            return job.wait(progress, cancel)
        finally:
            self._leave(job)

    def _join(self, name: str, work: Callable[[Progress, threading.Event], Any]) -> Job | None:
        with self._lock:
            job = self._jobs.get(name)
            if job is None or job.over.is_set():
                self._jobs = {key: other for key, other in self._jobs.items() if not other.over.is_set()}
                job = self._jobs[name] = Job(work)
            elif job.stop.is_set():
                return None
            job.waiting += 1
            return job

    def _leave(self, job: Job) -> None:
        with self._lock:
            job.waiting -= 1
            if not job.waiting:
                job.stop.set()
