"""Trainings that are watched: told about, paused, stopped, left, and several at once."""

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from demo_lib import names_train
from demo_lib.names_data import example
from demo_lib.names_mlp import Settings
from demo_lib.names_record import train
from demo_lib.names_sizes import SIZES, SizeExperiment, sizes
from demo_lib.names_train import Event, Seats, Training

from .names_lists import small
from .refusals import refusal

LONG = Settings(steps=20_000, hidden=10, batch=64)


def own_seats() -> Seats:
    return Seats(5, 100)


def until(events, state: str, within: float = 20) -> Event:
    """The next event in this state."""
    begun = time.monotonic()
    for event in events:
        assert time.monotonic() - begun < within
        if event.state == state:
            return event
    raise AssertionError(f"it never was {state}")


def eventually(condition, within: float = 10) -> None:
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < within
        time.sleep(0.01)


def test_it_is_the_same_training_as_unwatched():
    settings = Settings(steps=400)
    events = list(Training(example(), settings, own_seats()).events())
    alone = train(example(), settings)
    last = events[-1]
    assert (last.state, last.step, last.steps) == ("done", 400, 400)
    assert last.result.losses == alone.losses
    assert last.result.curve == alone.curve == last.curve
    assert last.result.model.flat.tobytes() == alone.model.flat.tobytes()
    assert (last.train, last.dev) == (alone.losses.train, alone.losses.dev)
    assert (last.embedding == alone.model.C).all()


def test_what_is_told_as_it_goes():
    training = Training(small(), LONG, own_seats())
    begun = time.monotonic()
    seen = [event for event, _ in zip(training.events(), range(12), strict=False)]
    taken = time.monotonic() - begun
    assert taken >= 10 * names_train.TICK
    assert {event.state for event in seen} == {"running"}
    steps = [event.step for event in seen]
    assert steps == sorted(steps)
    assert len(set(steps)) > 5
    assert all(len(event.curve) <= len(after.curve) for event, after in itertools.pairwise(seen))
    assert seen[-1].dev == seen[-1].curve[-1].dev
    assert seen[-1].embedding.shape == (small().size, 2)
    assert (seen[0].embedding != seen[-1].embedding).any()
    assert 0 < seen[-1].seconds <= taken
    assert seen[-1].result is None


def test_before_the_first_point_there_is_no_loss():
    event = Event("waiting", 1, 0, 10, 0.0, np.zeros((3, 2)), ())
    assert np.isnan([event.train, event.dev]).all()


def test_pause_and_resume_change_nothing_but_the_time():
    settings = Settings(steps=600)
    training = Training(example(), settings, own_seats())
    events = training.events()
    until(events, "running")
    training.pause()
    paused = until(events, "paused")
    time.sleep(0.3)
    again = next(event for event in events if event.state == "paused")
    still = next(events)
    assert (again.step, again.seconds) == (still.step, still.seconds)
    assert again.step >= paused.step
    training.resume()
    done = until(events, "done")
    assert done.result.losses == train(example(), settings).losses
    assert list(events) == []


def test_stop_keeps_what_was_learned():
    training = Training(small(), LONG, own_seats())
    events = training.events()
    until(events, "running")
    eventually(lambda: training._far.step > 0)
    training.stop()
    stopped = until(events, "stopped")
    assert 0 < stopped.step < LONG.steps
    assert stopped.result.steps == stopped.step
    assert stopped.curve[-1].step == stopped.step
    assert (stopped.embedding == stopped.result.model.C).all()
    assert list(events) == []


def test_stop_while_paused():
    training = Training(small(), LONG, own_seats())
    events = training.events()
    training.pause()
    until(events, "paused")
    training.stop()
    assert until(events, "stopped").result.steps >= 1


def test_leaving_stops_it():
    training = Training(small(), LONG, own_seats())
    events = training.events()
    next(events)
    events.close()
    eventually(training._over.is_set, 2)
    assert training._far.step < LONG.steps


def test_one_that_nobody_looks_at_stops(monkeypatch):
    monkeypatch.setattr(names_train, "ABANDONED", 0.5)
    running, paused = (Training(small(), LONG, own_seats()) for _ in range(2))
    looks = [running.events(), paused.events()]
    next(looks[0])
    paused.pause()
    until(looks[1], "paused")
    for training in (running, paused):
        eventually(training._over.is_set, 5)
    assert until(looks[0], "stopped").step < LONG.steps


def test_five_at_once_are_each_their_own():
    settings = [Settings(steps=300, seed=seed) for seed in range(5)]
    with ThreadPoolExecutor(5) as pool:
        together = list(pool.map(lambda one: list(Training(example(), one).events())[-1].result, settings))
    for one, result in zip(settings, together, strict=True):
        assert result.model.flat.tobytes() == train(example(), one).model.flat.tobytes()


def test_others_wait_their_turn_and_see_their_place():
    seats = Seats(1, 2)
    first, second, third = (Training(small(), LONG, seats) for _ in range(3))
    events = [training.events() for training in (first, second, third)]
    assert next(events[0]).state == "running"
    assert (next(events[1]).state, next(events[2]).place) == ("waiting", 2)
    assert next(events[1]).place == 1
    assert "Too many" in refusal(next, Training(small(), LONG, seats).events())
    third.stop()
    stopped = until(events[2], "stopped")
    assert (stopped.step, stopped.result) == (0, None)
    first.pause()  # a paused one gives its seat away, and gets it back when it goes on
    until(events[0], "paused")
    until(events[1], "running")
    first.resume()
    assert until(events[0], "waiting").place == 1
    events[1].close()
    until(events[0], "running")
    events[0].close()
    eventually(lambda: first._over.is_set() and second._over.is_set(), 3)
    assert not seats._taken
    assert not seats._line


def test_seats_in_order():
    seats = Seats(2, 3)
    for who in "abcde":
        seats.enter(who)
    assert [seats.place(who) for who in "abcde"] == [0, 0, 1, 2, 3]
    refusal(seats.enter, "f")
    seats.enter("f", again=True)
    seats.leave("d")
    seats.leave("a")
    assert [seats.place(who) for who in "bcef"] == [0, 0, 1, 2]
    seats.leave("nobody")
    assert seats.place("e") == 1


def test_a_fault_reaches_who_looks_on_and_frees_the_seat(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    seats = own_seats()
    monkeypatch.setattr(names_train, "train", broken)
    with pytest.raises(ZeroDivisionError):
        list(Training(small(), Settings(), seats).events())
    assert not seats._taken


def test_wrong_settings_are_refused_before_anything_begins():
    threads = threading.active_count()
    assert "block size" in refusal(Training, small(), Settings(block=0))
    assert threading.active_count() == threads


def test_it_is_done_once_however_it_falls(monkeypatch):
    """The training may end at any moment between two looks at it."""
    training, look = Training(small(), Settings(steps=5, block=1, dim=2, hidden=2)), Training._event

    def slow(self, over):
        self._over.wait(10)  # it ends right here
        return look(self, over)

    monkeypatch.setattr(Training, "_event", slow)
    states = [event.state for event in training.events()]
    assert states.count("done") == 1
    assert states[-1] == "done"


# Embedding sizes, one after another


def test_the_sizes_that_are_tried():
    tried = sizes(Settings(), example())
    assert [(one.dim, one.one_hot) for one in tried[:-1]] == [(dim, False) for dim in SIZES]
    assert tried[-1].one_hot
    assert [one.dim for one in sizes(Settings(), small())[:-1]] == [1, 2, 3, 5, 10]


def test_the_experiment_is_the_trainings_one_after_another():
    settings = Settings(steps=60, hidden=20)
    events = list(SizeExperiment(example(), settings).events())
    last = events[-1]
    assert (last.state, last.total, len(last.done)) == ("done", 7, 7)
    assert [event.state for event in events].count("done") == 1
    assert [len(event.done) for event in events] == sorted(len(event.done) for event in events)
    for row, one in zip(last.done, sizes(settings, example()), strict=True):
        alone = train(example(), one)
        assert (row.train, row.dev, row.test) == (alone.losses.train, alone.losses.dev, alone.losses.test)
        assert row.parameters == alone.model.flat.size
        assert (row.dim, row.one_hot) == (27 if one.one_hot else one.dim, one.one_hot)
    two = last.done[1]
    assert two.parameters == 54 + 120 + 20 + 540 + 27


def test_more_room_helps_at_first():
    rows = list(SizeExperiment(example(), Settings(steps=500), (1, 2, 10)).events())[-1].done
    assert rows[0].dev > rows[1].dev > rows[2].dev


def test_the_experiment_is_paused_stopped_and_left():
    experiment = SizeExperiment(small(), LONG, (1, 2))
    experiment.pause()  # before it begins
    events = experiment.events()
    paused = until(events, "paused")
    assert (paused.settings.dim, paused.done) == (1, ())
    experiment.resume()
    until(events, "running")
    experiment.stop()
    assert until(events, "stopped").event.result.steps < LONG.steps
    assert list(events) == []
    left = SizeExperiment(small(), LONG, (1, 2))
    events = left.events()
    next(events)
    events.close()
    eventually(left._training._over.is_set, 2)


def test_an_experiment_that_would_take_long_is_refused():
    most = Settings(hidden=500, dim=1, block=8, steps=15_000, batch=256)
    most.check(example())
    assert "many minutes" in refusal(SizeExperiment, example(), most)
    refusal(SizeExperiment, small(), Settings(rate=2))
