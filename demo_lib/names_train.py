"""A training that somebody watches: it goes on in a thread of its own, is paused and stopped, and waits its turn."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from .names_data import NameList
from .names_mlp import Model, Settings
from .names_record import Point, Recorder, Result, train
from .names_steps import Trainer
from .problems import Problem
from .table import Array

SEATS, MAX_WAITING = 5, 100  # trainings at once; and how many more may wait
TICK = 0.1  # seconds from one look to the next
QUIET = 0.5  # seconds after which even what did not change is told: a generator can be closed only between two items
ABANDONED = 60  # seconds after which a training stops that nobody looks at


class Seats:
    """Who may train now, and the line of those who wait. Safe to share between threads."""

    def __init__(self, seats: int, waiting: int) -> None:
        self._seats, self._most = seats, waiting
        self._taken: set[object] = set()
        self._line: list[object] = []
        self._lock = threading.Lock()

    def enter(self, who: object, *, again: bool = False) -> None:
        """Join the end of the line. Raises Problem where it is too long; not for who comes `again`, after a rest."""
        with self._lock:
            if len(self._line) >= self._most and not again:
                raise Problem(
                    "Too many trainings wait already: try again in a minute.", "排队的训练已经太多：请过一分钟再试。"
                )
            self._line.append(who)
            self._seat()

    def leave(self, who: object) -> None:
        """Give up the seat, or the place in the line."""
        with self._lock:
            self._taken.discard(who)
            if who in self._line:
                self._line.remove(who)
            self._seat()

    def place(self, who: object) -> int:
        """0 for who has a seat, 1 for who is next, and so on."""
        with self._lock:
            return self._line.index(who) + 1 if who in self._line else 0

    def _seat(self) -> None:
        while self._line and len(self._taken) < self._seats:
            self._taken.add(self._line.pop(0))


_SEATS = Seats(SEATS, MAX_WAITING)


@dataclass(frozen=True, eq=False)
class _Far:
    """How far a training is, at one moment."""

    step: int
    seconds: float
    embedding: Array
    curve: tuple[Point, ...]


@dataclass(frozen=True, eq=False)
class Event:
    """How far a training is. `state`: waiting, running, paused, done or stopped; `place` in the line, 1 is the next.

    `embedding` is C, float32 (k, dim), at `step`; `train` and `dev` are the last point of `curve`. `result` comes with
    done, and with stopped where there was a step.
    """

    state: str
    place: int
    step: int
    steps: int
    seconds: float
    embedding: Array
    curve: tuple[Point, ...]
    result: Result | None = None

    @property
    def train(self) -> float:
        return self.curve[-1].train if self.curve else float("nan")

    @property
    def dev(self) -> float:
        return self.curve[-1].dev if self.curve else float("nan")


class Training:
    """One training, and its switches, which any thread may use. A paused one gives its seat to who waits."""

    def __init__(self, names: NameList, settings: Settings, seats: Seats = _SEATS) -> None:
        """What cannot be trained raises Problem; nothing begins before `events`."""
        settings.check(names)
        self.names, self.settings = names, settings
        self._seats = seats
        self._go, self._stop, self._over = threading.Event(), threading.Event(), threading.Event()
        self._go.set()
        self._far = _Far(0, 0.0, Model.start(settings, names.alphabet).C, ())
        self._result: Result | None = None
        self._fault: BaseException | None = None
        self._seen = self._next = 0.0

    def pause(self) -> None:
        self._go.clear()

    def resume(self) -> None:
        self._go.set()

    def stop(self) -> None:
        """End it as it is; what was learned so far is the result."""
        self._stop.set()

    def events(self) -> Iterator[Event]:
        """Train, and tell some ten times a second how far it is; the last event is that it is done or stopped.

        Can be asked for once. Closing the generator stops the training, and so does looking away for a minute.
        """
        self._seats.enter(self)
        self._seen = time.monotonic()
        threading.Thread(target=self._run, daemon=True).start()
        told, when = None, 0.0
        try:
            while not self._over.wait(TICK):
                event = self._event(over=False)
                news = (event.state, event.place, event.step)
                self._seen = time.monotonic()
                if news != told or self._seen - when >= QUIET:
                    told, when = news, self._seen
                    yield event
            if self._fault:
                raise self._fault
            yield self._event(over=True)
        finally:
            self._stop.set()

    def _event(self, over: bool) -> Event:
        """`over` is the caller's: asked for here it could turn between two events, and the last would come twice."""
        far, result, place = self._far, self._result, self._seats.place(self)
        if result:
            far = _Far(result.steps, result.seconds, result.model.C, result.curve)
        if over:
            state = "done" if far.step == self.settings.steps else "stopped"
        elif place:
            state = "waiting"
        else:
            state = "running" if self._go.is_set() else "paused"
        return Event(state, place, far.step, self.settings.steps, far.seconds, far.embedding, far.curve, result)

    def _run(self) -> None:
        try:
            if self._seated():
                self._result = train(self.names, self.settings, self._each)
        except BaseException as fault:  # belongs to who looks on
            self._fault = fault
        finally:
            self._seats.leave(self)
            self._over.set()

    def _each(self, trainer: Trainer, recorder: Recorder, seconds: float) -> bool:
        """After each step: tell, rest where it is paused, and end where it is stopped."""
        now, going = time.monotonic(), self._go.is_set()
        if now >= self._next or not going:
            self._next = now + TICK
            self._far = _Far(trainer.done, seconds, trainer.model.C.copy(), recorder.curve)
        if not going:
            self._seats.leave(self)
            while not self._go.wait(TICK) and not self._ended():
                pass
            self._seats.enter(self, again=True)
            return not self._seated()
        return self._ended()

    def _seated(self) -> bool:
        """Wait for the seat: False where it was stopped first."""
        while not self._ended() and self._seats.place(self):
            self._stop.wait(TICK / 2)
        return not self._stop.is_set()

    def _ended(self) -> bool:
        if time.monotonic() - self._seen > ABANDONED:
            self._stop.set()
        return self._stop.is_set()
