"""How many numbers does a character need? The same training with one embedding size after another."""

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from .names_data import NameList
from .names_mlp import MAX_DIM, Settings, check_work, parameters
from .names_train import Event, Training

SIZES = (1, 2, 3, 5, 10, 27)


@dataclass(frozen=True)
class SizeRow:
    """One size, with the parameters that are trained and the exact losses; `one_hot` is the frozen identity."""

    dim: int
    one_hot: bool
    parameters: int
    train: float
    dev: float
    test: float
    seconds: float


@dataclass(frozen=True, eq=False)
class SizeEvent:
    """How far the experiment is: `done`, and of `total` trainings the one that runs: its settings, its last event.

    `state`: waiting, running, paused, done or stopped; `place` in the line of those who wait.
    """

    state: str
    place: int
    settings: Settings
    event: Event
    done: tuple[SizeRow, ...]
    total: int


def sizes(settings: Settings, names: NameList, dims: tuple[int, ...] = SIZES) -> tuple[Settings, ...]:
    """The same settings with other embedding sizes, none larger than the alphabet, and at last with one-hot rows."""
    most = min(names.size, MAX_DIM)
    return (
        *(replace(settings, dim=dim, one_hot=False) for dim in dims if dim <= most),
        replace(settings, one_hot=True),
    )


class SizeExperiment:
    """Trainings one after another, with one set of switches."""

    def __init__(self, names: NameList, settings: Settings, dims: tuple[int, ...] = SIZES) -> None:
        """What cannot be trained, or would all in all take too long, raises Problem."""
        self.names, self.tries = names, sizes(settings, names, dims)
        for one in self.tries:
            one.check(names)
        check_work(sum(one.work(names.size) for one in self.tries))
        self._lock = threading.Lock()
        self._paused = self._stopped = False
        self._training: Training | None = None

    def pause(self) -> None:
        self._switch(paused=True)

    def resume(self) -> None:
        self._switch(paused=False)

    def stop(self) -> None:
        self._switch(stopped=True)

    def events(self) -> Iterator[SizeEvent]:
        """Train them all, and tell how far it is as a Training does."""
        done: tuple[SizeRow, ...] = ()
        for settings in self.tries:
            self._training = Training(self.names, settings)
            self._switch()
            with closing(self._training.events()) as events:
                for event in events:
                    if event.state == "done":
                        done = (*done, _row(event, self.names))
                    between = event.state == "done" and len(done) < len(self.tries)
                    state = "running" if between else event.state
                    yield SizeEvent(state, event.place, settings, event, done, len(self.tries))
            if event.state == "stopped":
                return

    def _switch(self, paused: bool | None = None, stopped: bool = False) -> None:
        """Remember what was asked for, and ask it of the training that runs."""
        with self._lock:
            self._paused = self._paused if paused is None else paused
            self._stopped = self._stopped or stopped
            if training := self._training:
                (training.pause if self._paused else training.resume)()
                if self._stopped:
                    training.stop()


def _row(event: Event, names: NameList) -> SizeRow:
    result = event.result
    settings, losses = result.settings, result.losses
    return SizeRow(
        settings.width(names.size),
        settings.one_hot,
        parameters(settings, names.size),
        losses.train,
        losses.dev,
        losses.test,
        result.seconds,
    )
