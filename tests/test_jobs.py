"""Work that several wait for."""

import threading
import time

import pytest

from demo_lib.jobs import Jobs
from demo_lib.problems import Problem

from .refusals import refusal


def start(function, *args, **kwargs) -> tuple[threading.Thread, list]:
    got = []

    def run() -> None:
        try:
            got.append(function(*args, **kwargs))
        except Problem as problem:
            got.append(problem)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, got


def test_result_and_progress():
    def work(report, stop):
        for done in (1, 5, 3, 9):  # a report that goes back is not shown
            report(done, 9)
            time.sleep(0.15)
        return "result"

    shown = []
    assert Jobs().run("a", work, lambda done, total: shown.append((done, total))) == "result"
    assert shown == sorted(shown)
    assert shown[-1] == (9, 9)


def test_many_wait_for_one():
    begun, go = [], threading.Event()

    def work(report, stop):
        begun.append(1)
        go.wait()
        return object()

    jobs = Jobs()
    waiting = [start(jobs.run, "a", work) for _ in range(20)]
    other = start(jobs.run, "b", work)
    time.sleep(0.3)
    go.set()
    for thread, _ in [*waiting, other]:
        thread.join()
    results = {id(got[0]) for _, got in waiting}
    assert len(results) == 1
    assert id(other[1][0]) not in results
    assert len(begun) == 2
    jobs.run("a", work)
    assert len(begun) == 3  # what is over is begun again


def test_problems_reach_all_who_wait():
    go = threading.Event()

    def work(report, stop):
        go.wait()
        raise Problem("no", "不")

    jobs = Jobs()
    waiting = [start(jobs.run, "a", work) for _ in range(2)]
    time.sleep(0.2)
    go.set()
    for thread, _ in waiting:
        thread.join()
    first, second = (got[0] for _, got in waiting)
    assert (str(first), first.zh, str(second), second.zh) == ("no", "不", "no", "不")
    assert first is not second


def test_other_errors_are_not_hidden():
    def work(report, stop):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Jobs().run("a", work)


def test_stopped_only_when_nobody_waits():
    stopped = threading.Event()

    def work(report, stop):
        if stop.wait(5):
            stopped.set()
        return "late"

    jobs, cancels = Jobs(), [threading.Event(), threading.Event()]
    waiting = [start(jobs.run, "a", work, None, cancel) for cancel in cancels]
    time.sleep(0.2)
    cancels[0].set()
    waiting[0][0].join()
    assert "stopped" in str(waiting[0][1][0])
    assert not stopped.is_set()
    cancels[1].set()
    waiting[1][0].join()
    assert stopped.wait(1)


def test_who_comes_while_it_is_stopping_gets_a_new_one():
    runs = []

    def work(report, stop):
        runs.append(1)
        if len(runs) == 1:
            stop.wait()
            time.sleep(0.5)
            raise Problem("stopped", "停")
        return "second"

    jobs, cancel = Jobs(), threading.Event()
    cancel.set()
    assert "stopped" in refusal(jobs.run, "a", work, None, cancel)
    assert jobs.run("a", work) == "second"
    assert len(runs) == 2


def test_cancel_while_the_last_one_is_stopping():
    def work(report, stop):
        stop.wait()
        time.sleep(1)

    jobs, cancel = Jobs(), threading.Event()
    cancel.set()
    refusal(jobs.run, "a", work, None, cancel)
    begun = time.monotonic()
    refusal(jobs.run, "a", work, None, cancel)
    assert time.monotonic() - begun < 0.8
