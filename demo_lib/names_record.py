"""What is written down while the names model trains: losses, and where the embedding was."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from .names_counts import Counts, Losses, count
from .names_data import PARTS, NameList
from .names_mlp import CHUNK, Model, Settings
from .names_steps import Batch, Rows, Trainer, inclusion
from .problems import Problem
from .table import Array

POINTS = 30  # of the curve
MOMENTS = 200  # of the history, besides the first
SHARE = 0.07  # of the training's time, for the points of the curve; a step costs three times what a measurement does
FEW = 256  # contexts that a point is measured on, at the least


@dataclass(frozen=True)
class Point:
    """Losses at one step of a training, in nats a position: on some of train and dev, the same ones each time.

    In short trainings the most frequent contexts, and every so many of the others, stand for all; the last point is
    exact.
    """

    step: int
    train: float
    dev: float


@dataclass(frozen=True, eq=False)
class History:
    """How the embedding moved: `steps` int64 (n,), from 0 to the last, and `embeddings` float32 (n, k, dim)."""

    steps: Array
    embeddings: Array


@dataclass(frozen=True, eq=False)
class Result:
    """A trained model; its exact losses on all of train, dev and test; and how it came to them.

    `steps` are fewer than `settings.steps` where the training was stopped. `seconds`: of training, pauses aside.
    """

    model: Model
    settings: Settings
    losses: Losses
    curve: tuple[Point, ...]
    history: History
    steps: int
    seconds: float


class Measure:
    """The loss of a model on one part of a list: exact, or on `most` of its contexts, which stand for the others."""

    def __init__(self, counts: Counts, part: int, most: int | None = None) -> None:
        import numpy as np

        self._rows = Rows(counts, part)
        likely = inclusion(self._rows.weight, most or len(self._rows.weight))
        self._ids = np.flatnonzero(likely >= 1)
        others = np.flatnonzero(likely < 1)
        if len(others):
            others = others[np.lexsort(self._rows.x[others].T)]  # by the last character, which tells most
            until = np.cumsum(likely[others])
            picked = others[np.searchsorted(until, np.arange(0.5, until[-1], 1.0), side="right")]
            self._ids = np.concatenate([self._ids, picked])
        self._weight = (self._rows.weight / likely)[self._ids]
        self._weight /= self._weight.sum()
        self._kept = [self._batch(0)] if len(self._ids) <= CHUNK else None

    def _batch(self, start: int) -> Batch:
        part = slice(start, start + CHUNK)
        return self._rows.batch(self._ids[part], self._weight[part])

    def loss(self, model: Model) -> float:
        """Mean loss in nats a position."""
        return sum(
            _loss(model, batch)
            for batch in self._kept or (self._batch(start) for start in range(0, len(self._ids), CHUNK))
        )


def _loss(model: Model, batch: Batch) -> float:
    import numpy as np

    z = model.forward(batch.x)[2].reshape(-1, model.k)
    z -= z.max(1, keepdims=True)
    row = batch.at // model.k
    log = z.ravel()[batch.at] - np.log(np.exp(z).sum(1))[row]
    return float(-(log * batch.share * batch.weight.ravel()[row]).sum(dtype=np.float64))


def losses(model: Model, names: NameList) -> Losses:
    """The exact mean losses of a model on train, dev and test."""
    counts = count(names, model.settings.block)
    return Losses(*(Measure(counts, part).loss(model) for part in range(len(PARTS))))


class Recorder:
    """Follows a trainer: at steps that the settings alone fix, it measures the losses and keeps the embedding."""

    def __init__(self, trainer: Trainer) -> None:
        settings, counts = trainer.settings, count(trainer.names, trainer.settings.block)
        self._trainer = trainer
        points = min(POINTS, settings.steps)
        # the loss falls fast at first: more points there
        self._points = {round(settings.steps * (i / points) ** 1.5) for i in range(points)}
        moments = min(MOMENTS, settings.steps)
        self._moments = {round(settings.steps * i / moments) for i in range(moments + 1)}
        most = max(FEW, int(SHARE * 3 * settings.steps * settings.batch / points / 2))
        self._measures = [Measure(counts, PARTS.index(part), most) for part in ("train", "dev")]
        self.curve: tuple[Point, ...] = ()
        self._history: list[tuple[int, Array]] = []
        self.note()

    def note(self) -> None:
        """Write down what there is to write down at this step."""
        step, model = self._trainer.done, self._trainer.model
        if step in self._points:
            train, dev = (measure.loss(model) for measure in self._measures)
            check_finite(train)
            self.curve = (*self.curve, Point(step, train, dev))
        if step in self._moments:
            self._history.append((step, model.C.copy()))

    def result(self, seconds: float) -> Result:
        """What the training came to, here and now."""
        import numpy as np

        trainer = self._trainer
        step, model = trainer.done, trainer.model.copy()
        exact = losses(model, trainer.names)
        check_finite(exact.train)
        curve = (*(point for point in self.curve if point.step < step), Point(step, exact.train, exact.dev))
        if self._history[-1][0] < step:
            self._history.append((step, model.C.copy()))
        steps, embeddings = zip(*self._history, strict=True)
        history = History(np.array(steps), np.stack(embeddings))
        return Result(model, trainer.settings, exact, curve, history, step, seconds)


def check_finite(loss: float) -> None:
    if not abs(loss) < 1e6:
        raise Problem(
            "The loss went out of bounds: choose a smaller learning rate.", "loss 已经失控：请选择更小的学习率。"
        )


def train(
    names: NameList, settings: Settings, each: Callable[[Trainer, Recorder, float], bool] | None = None
) -> Result:
    """Train a model to the end, or until `each(trainer, recorder, seconds)`, asked after every step, says True.

    `seconds` are those of training: the time that `each` takes is not counted.
    """
    import numpy as np

    begin = time.perf_counter()
    with np.errstate(over="ignore", invalid="ignore"):  # check_finite sees what comes of it
        trainer = Trainer(names, settings)
        recorder = Recorder(trainer)
        while trainer.done < settings.steps:
            trainer.step()
            recorder.note()
            if each:
                asked = time.perf_counter()
                if each(trainer, recorder, asked - begin):
                    break
                begin += time.perf_counter() - asked
        return recorder.result(time.perf_counter() - begin)
