"""What is open stays so: the least recently used goes, threads wait for one another, what failed rests."""

import gc
import pickle
import threading
import time

import pytest

from demo_lib.problems import Problem, Waiting
from demo_lib.shelf import Shelf


def test_the_least_recently_used_goes():
    shelf, made = Shelf(2), []
    for name in "abacab":
        assert shelf.get(name, lambda name=name: made.append(name) or name.upper()) == name.upper()
    assert made == ["a", "b", "c", "b"]
    assert [name in shelf for name in "abc"] == [True, True, False]


def test_two_threads_open_once():
    shelf, made, got = Shelf(2), [], []
    begun, go = threading.Event(), threading.Event()

    def make():
        made.append(1)
        begun.set()
        go.wait(10)
        return "vocab"

    threads = [threading.Thread(target=lambda: got.append(shelf.get("a", make))) for _ in range(8)]
    [thread.start() for thread in threads]
    assert begun.wait(10)
    assert shelf.get("b", lambda: "another") == "another"  # who wants another one need not wait
    go.set()
    [thread.join() for thread in threads]
    assert (got, made) == (["vocab"] * 8, [1])


def test_what_failed_rests():
    shelf, tries = Shelf(2, rest=0.2), []

    def fail():
        tries.append(1)
        raise Problem("No way out.", "出不去。")

    for _ in range(3):
        with pytest.raises(Problem, match="No way out") as caught:
            shelf.get("a", fail)
        assert caught.value.zh == "出不去。"
    assert len(tries) == 1
    assert shelf.get("b", lambda: "another") == "another"
    time.sleep(0.3)
    assert shelf.get("a", lambda: "now") == "now"
    del caught  # its traceback stands at the door
    gc.collect()
    assert len(shelf._doors) == 0


def test_who_does_not_want_to_wait():
    shelf, begun, go = Shelf(2, rest=0.2), threading.Event(), threading.Event()

    def fail():
        raise Problem("No way out.", "出不去。")

    def make():
        begun.set()
        return go.wait(10) and "thing"

    for _ in range(3):
        with pytest.raises(Waiting):
            shelf.get("a", make, wait=False)
        assert begun.wait(10)  # in the background
    go.set()
    assert shelf.get("a", fail) == "thing"
    assert shelf.get("a", fail, wait=False) == "thing"
    with pytest.raises(Problem, match="No way out"):
        shelf.get("b", fail)
    with pytest.raises(Problem, match="No way out"):
        shelf.get("b", fail, wait=False)
    time.sleep(0.3)
    begun.clear()
    with pytest.raises(Waiting):
        shelf.get("b", make, wait=False)
    assert begun.wait(10)
    assert shelf.get("b", fail) == "thing"
    assert shelf.get("b", fail, wait=False) == "thing"


def test_waiting_is_a_problem_that_passes_between_processes():
    waiting = pickle.loads(pickle.dumps(Waiting()))
    assert (type(waiting), waiting.zh) == (Waiting, "还在加载：请稍后再试。")
    assert isinstance(waiting, Problem)
