"""Training the names model step by step: what goes into a batch, the gradient by hand, and what is done with it.

Some 184,000 windows have only some 5,400 different contexts. So a batch is made of different contexts, each with how
often what follows it, instead of windows of which many are the same: one context stands for all its windows at once.
"""

import math
from dataclasses import dataclass
from typing import Protocol

from .names_counts import Counts, count
from .names_data import PARTS, NameList
from .names_mlp import ROWS, Model, Settings, times
from .table import Array

MOMENTUM, SQUARES, LEAST = 0.8, 0.99, 0.02  # Adam's two, and where the cosine ends, as a share of the rate


@dataclass(frozen=True, eq=False)
class Batch:
    """Contexts and what follows them, in stacks of ROWS examples; the last ones may be empty.

    `x` int64 (stacks, ROWS, block). The targets are shares of each example's row of k: `share` float32 (c,) at `at`
    int64 (c,), a place in (stacks * ROWS * k). `weight` float32 (stacks, ROWS, 1): how much an example counts.
    """

    x: Array
    at: Array
    share: Array
    weight: Array


class Batches(Protocol):
    def draw(self) -> Batch: ...


def stacked(x: Array, weight: Array, at: Array, share: Array) -> Batch:
    """A batch of x (n, block) and weight (n,), filled up with examples that count nothing."""
    import numpy as np

    stacks = -(-len(x) // ROWS)
    full, weights = np.zeros((stacks * ROWS, x.shape[1]), np.intp), np.zeros(stacks * ROWS, np.float32)
    full[: len(x)], weights[: len(x)] = x, weight
    return Batch(full.reshape(stacks, ROWS, -1), at, share, weights.reshape(stacks, ROWS, 1))


class Rows:
    """The contexts of one part of a list with what follows them: `weight` (m,) adds up to 1."""

    def __init__(self, counts: Counts, part: int) -> None:
        import numpy as np

        cells = np.flatnonzero(counts.by_part[part])
        seen, of = np.unique(counts.context[cells], return_inverse=True)
        times = counts.by_part[part][cells]
        totals = np.bincount(of, times)
        self.x, self.k = counts.digits[seen], counts.names.size
        self.weight = totals / totals.sum()
        self._next, self._share = counts.next[cells], (times / totals[of]).astype(np.float32)
        self._cells = np.bincount(of)
        self._first = np.cumsum(self._cells) - self._cells

    def batch(self, ids: Array, weight: Array) -> Batch:
        """Contexts number `ids`, each counted `weight` times."""
        import numpy as np

        cells = self._cells[ids]
        ends = np.cumsum(cells)
        which = np.arange(ends[-1]) + np.repeat(self._first[ids] - (ends - cells), cells)
        at = np.repeat(np.arange(len(ids)) * self.k, cells) + self._next[which]
        return stacked(self.x[ids], weight, at, self._share[which])


class ByFrequency:
    """Batches of different contexts, drawn so that the mean gradient is that of the whole part.

    A context is in a batch with a probability in proportion to its frequency, at most 1, and counts the more the less
    likely it was. The frequent ones, "..." above all, are so in every batch, once; the others are met in turn, by steps
    of equal length along their probabilities in random order. Where there are no more than `size`, all are in it.
    """

    def __init__(self, rows: Rows, size: int, random) -> None:
        import numpy as np

        self._rows, self._size, self._random = rows, size, random
        likely = inclusion(rows.weight, size)
        self._weight = (rows.weight / likely).astype(np.float32)
        self._always, self._others, self._likely = np.flatnonzero(likely >= 1), np.flatnonzero(likely < 1), likely
        self._left = 0
        self._whole = None if len(self._others) else rows.batch(self._always, self._weight)

    def draw(self) -> Batch:
        if self._whole:
            return self._whole
        ids = self.ids()
        return self._rows.batch(ids, self._weight[ids])

    def ids(self) -> Array:
        """The contexts of the next batch."""
        import numpy as np

        if not self._left:
            self._order = self._random.permutation(self._others)
            self._until = np.cumsum(self._likely[self._order])
            self._left = max(1, len(self._others) // self._size)
        self._left -= 1
        stops = np.arange(self._random.random(), self._until[-1], 1.0)
        return np.concatenate([self._always, self._order[np.searchsorted(self._until, stops, side="right")]])


def inclusion(weight: Array, size: int) -> Array:
    """How likely each is to be among `size`: in proportion to its weight, but at most 1; they add up to size."""
    import numpy as np

    if size >= len(weight):
        return np.ones(len(weight))
    likely = size * weight
    while (likely > 1).any():
        free = likely < 1
        likely = np.where(free, weight * (size - np.count_nonzero(~free)) / weight[free].sum(), 1)
    return likely


class AtRandom:
    """The plain way: windows, each as likely as any other; one may come twice."""

    def __init__(self, names: NameList, block: int, size: int, random) -> None:
        import numpy as np

        self._x, self._y = names.windows(block, "train")
        self._random = random
        self._ones = np.ones(size, np.float32)
        self._rows = np.arange(size) * names.size

    def draw(self) -> Batch:
        ids = self._random.integers(0, len(self._x), len(self._ones))
        return stacked(self._x[ids], self._ones / len(ids), self._rows + self._y[ids], self._ones)


def gradient(model: Model, batch: Batch) -> Array:
    """How the weighted loss of a batch changes with each trained parameter: float32, in the order of Model.flat."""
    import numpy as np

    e, h, z = model.forward(batch.x)
    z -= z.max(-1, keepdims=True)  # softmax
    np.exp(z, out=z)
    z /= z.sum(-1, keepdims=True)
    z.reshape(-1)[batch.at] -= batch.share  # of cross-entropy: what the model said, less what was so
    z *= batch.weight
    back = times(z, model.W2.T)
    back *= 1 - h * h  # of tanh
    out = Model.of(model.settings, model.alphabet, np.empty_like(model.flat))
    out.W2[:] = times(h.transpose(0, 2, 1), z).sum(0)
    out.b2[:] = z.sum((0, 1))
    out.W1[:] = times(e.transpose(0, 2, 1), back).sum(0)
    out.b1[:] = back.sum((0, 1))
    if not model.settings.one_hot:
        dim = model.settings.dim
        places = batch.x.reshape(-1, 1) * dim + np.arange(dim)  # of C, of each number of e
        out.C[:] = np.bincount(places.ravel(), times(back, model.W1.T).ravel(), out.C.size).reshape(out.C.shape)
    return out.flat


class Trainer:
    """A model on its way: `step` takes it one step further. Same list, same settings: same model, to the last bit."""

    def __init__(self, names: NameList, settings: Settings) -> None:
        import numpy as np

        settings.check(names)
        self.names, self.settings, self.done = names, settings, 0
        self.model = Model.start(settings, names.alphabet)
        random = np.random.default_rng([settings.seed, 1])
        self._mean, self._squares = np.zeros_like(self.model.flat), np.zeros_like(self.model.flat)
        self._batches: Batches
        if settings.plain:
            self._batches = AtRandom(names, settings.block, settings.batch, random)
        else:
            rows = Rows(count(names, settings.block), PARTS.index("train"))
            self._batches = ByFrequency(rows, settings.batch, random)

    def step(self) -> None:
        slope = gradient(self.model, self._batches.draw())
        if self.settings.plain:
            slope *= self.rate()
            self.model.flat[:] -= slope
        else:
            self._adam(slope)
        self.done += 1

    def rate(self) -> float:
        """The learning rate of the next step."""
        far = self.done / self.settings.steps
        if self.settings.plain:
            return self.settings.rate * (1 if far < 0.75 else 0.2)
        return self.settings.rate * (LEAST + (1 - LEAST) * (1 + math.cos(math.pi * far)) / 2)

    def _adam(self, slope: Array) -> None:
        """Kingma and Ba (2014): each parameter by its mean slope over the root of its mean square."""
        import numpy as np

        self._mean += (slope - self._mean) * (1 - MOMENTUM)
        self._squares += (slope * slope - self._squares) * (1 - SQUARES)
        unbiased = self._squares / (1 - SQUARES ** (self.done + 1))
        move = self._mean / (np.sqrt(unbiased) + 1e-8)
        move *= self.rate() / (1 - MOMENTUM ** (self.done + 1))
        self.model.flat[:] -= move
