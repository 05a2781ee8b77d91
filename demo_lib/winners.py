"""Which row has the largest dot product with each row of a table: exactly, and much faster than all products.

The winner of row i is the row j with the largest E_i . E_j; of equal ones the lowest id. All products of 262,144 rows
of 640 numbers are 44 * 10^12 multiplications; most of them need not be done:

- Rows j are taken from the longest to the shortest, in bands. What is known to be reached for i, `best`, begins with
  its own |E_i|^2; a band whose rows are at most m long can only matter to i if |E_i| m > best (Cauchy-Schwarz).
- E_i . E_j > best means |E_i - E_j|^2 < |E_i|^2 + m^2 - 2 best. With rows of nearly equal length this is a very small
  ball. Rows are sorted by two of their principal coordinates, so that a block of i meets only the j near to it.
- Of those, Z_i . Z_j + t_i t_j is an upper bound of E_i . E_j that costs 17 products, not 640: Z are the first 16
  principal coordinates and t the length of what is left.
- What could still win is multiplied in float32, and what is within rounding of the best in float64.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .jobs import Progress
from .nearest import rounding
from .problems import Problem
from .table import Array

COORDINATES = 16
BLOCK = 512  # rows i at a time
FIRST, BAND = 128, 32_768  # rows of the first band and of the largest
SLAB = 2048  # rows of a slab of a large band
SAMPLE = 4096  # rows that the principal directions are taken from
MANY = 2_000_000  # pairs that may wait for their float64


def winners(
    table,
    *,
    only_repeats: bool = False,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Array:
    """The winner of each row of the table, int64 (rows,); a row that is its own winner repeats itself.

    With `only_repeats`, which is faster, the winner of a row that does not repeat itself is just some row that beats
    it. `progress` is told rows done and rows in all; where `cancel` is set, raises Problem. Needs some 300 bytes a row
    beside the table.
    """
    import numpy as np

    rows = _prepare(table, cancel)
    search = _Search(table, rows, only_repeats)
    total = table.info.rows
    order = np.argsort(-rows.squares, kind="stable")
    blocks = _grid(rows.z, np.flatnonzero(rows.squares), max(1, round((total / BLOCK) ** 0.5)))
    for start, end in _bands(total):
        search.enter(order[start:end])
        for done, block in enumerate(blocks):
            if cancel and cancel.is_set():
                raise stopped()
            if progress:
                progress(start + (end - start) * done // len(blocks), total)
            search.meet(block)
    if progress:
        progress(total, total)
    return search.settle()


def stopped() -> Problem:
    """What somebody is told who stopped the count."""
    return Problem("The count was stopped before its end.", "统计在完成之前被停止了。")


def _bands(total: int) -> Iterator[tuple[int, int]]:
    """[start, end) of rows in order of length; few at first, as the longest win most and raise what must be beaten."""
    start = 0
    while start < total:
        end = min(start + max(FIRST, min(start, BAND)), total)
        yield start, end
        start = end


@dataclass(frozen=True)
class _Rows:
    """Of each row the squared length and the length, float64, and Z, t and a spare column, float32."""

    squares: Array
    lengths: Array
    z: Array


def _prepare(table, cancel: threading.Event | None) -> _Rows:
    import numpy as np
    import torch  # for all products: numpy's threads and torch's would wait for each other

    total = table.info.rows
    count = min(COORDINATES, table.info.dim)
    sample = torch.from_numpy(table.rows(np.sort(np.random.default_rng(0).permutation(total)[:SAMPLE])))
    sample -= sample.mean(0)
    directions = torch.linalg.eigh((sample.T @ sample).double())[1].flip(1)[:, :count].contiguous()
    squares, z = np.empty(total), np.zeros((total, count + 2), np.float32)
    for start in range(0, total, BLOCK):
        if cancel and cancel.is_set():
            raise stopped()
        part = slice(start, start + BLOCK)
        rows = table.rows(part).astype(np.float64)
        squares[part] = (rows * rows).sum(1)
        first = (torch.from_numpy(rows) @ directions).numpy()
        z[part, :count] = first
        z[part, count] = np.sqrt(np.maximum(squares[part] - np.square(first).sum(1), 0))
    return _Rows(squares, np.sqrt(squares), z)


def _second(z: Array) -> Array:
    return z[:, min(1, z.shape[1] - 3)]


def _grid(z: Array, ids: Array, slabs: int) -> list[Array]:
    """`ids` in slabs by their first coordinate, each sorted by the second."""
    import numpy as np

    parts = np.array_split(ids[np.argsort(z[ids, 0], kind="stable")], slabs)
    return [part[np.argsort(_second(z)[part], kind="stable")] for part in parts if len(part)]


class _Floats:
    """Rows of a table in float32, each made when it is first wanted: most are never, some a hundred times."""

    def __init__(self, table, ids: Array) -> None:
        import numpy as np

        self._table, self._ids = table, ids
        self._rows = np.empty((len(ids), table.info.dim), np.float32)  # takes memory only where it is written
        self._made = np.zeros(len(ids), bool)

    def __call__(self, places: Array) -> Any:
        """The rows of ids[places], a torch tensor."""
        import torch

        new = places[~self._made[places]]
        if len(new):
            self._rows[new] = self._table.rows(self._ids[new])
            self._made[new] = True
        return torch.from_numpy(self._rows[places])


@dataclass(frozen=True)
class _Slab:
    """Rows of a band: the first coordinate of all lies in [low, high], and they are sorted by the second.

    `z` is a torch tensor of their Z and t, with -1 in the last column; `start` is their place in the band.
    """

    ids: Array
    floats: _Floats
    low: float
    high: float
    second: Array
    z: Any
    start: int


class _Search:
    """What is known so far: `best`, float64 (rows,), which each row's winner is known to reach."""

    def __init__(self, table, rows: _Rows, only_repeats: bool) -> None:
        import numpy as np

        self._table, self._rows, self._only_repeats = table, rows, only_repeats
        self.best = rows.squares.copy()
        self._found: list[tuple[Array, Array, Array]] = []  # i, j, and the score that i has with j at the most
        self._waiting = 0  # pairs in it
        self._place = np.full(len(self.best), -1)  # in the band
        self._most = float(rows.squares.max(initial=0))
        self._slack = (rows.z.shape[1] + 16) * 2.0**-23 * self._most  # float32 rounding of the upper bound

    def enter(self, ids: Array) -> None:
        """The rows j that are to be met: a band, the longest first."""
        import numpy as np
        import torch

        z = self._rows.z
        self._longest = self._rows.lengths[ids[0]]
        self._slabs, start = [], 0
        self._place[:] = -1
        for part in _grid(z, ids, max(1, len(ids) // SLAB)):
            own = z[part]
            own[:, -1] = -1
            low, high = float(own[:, 0].min()), float(own[:, 0].max())
            floats = _Floats(self._table, part)
            self._slabs.append(_Slab(part, floats, low, high, _second(own), torch.from_numpy(own), start))
            self._place[part] = np.arange(start, start + len(part))
            start += len(part)

    def meet(self, ids: Array) -> None:
        """Rows i, near to each other, with the rows j of the band."""
        import numpy as np
        import torch

        best, longest, squares = self.best, self._longest, self._rows.squares
        beatable = self._rows.lengths[ids] * longest * (1 + 1e-12) >= best[ids]
        ball = squares[ids] + longest**2 - 2 * best[ids] + 1e-6 * self._most
        beatable &= ball >= 0
        if self._only_repeats:
            beatable &= best[ids] <= squares[ids]
        ids, radii = ids[beatable], np.sqrt(ball[beatable])
        for start in range(0, len(ids), BLOCK):
            block, radius = ids[start : start + BLOCK], radii[start : start + BLOCK]
            z = self._rows.z[block]
            near = [((z[:, 0] - radius).min(), (z[:, 0] + radius).max())]
            near += [((_second(z) - radius).min(), (_second(z) + radius).max())]
            z[:, -1] = self._reached(block)
            z, floats = torch.from_numpy(z), _Floats(self._table, block)
            for slab in self._slabs:
                if slab.high >= near[0][0] and slab.low <= near[0][1]:
                    first = np.searchsorted(slab.second, near[1][0])
                    last = np.searchsorted(slab.second, near[1][1], side="right")
                    if first < last:
                        self._screen(block, floats, z, slab, first, last)

    def _screen(self, block: Array, floats: _Floats, z, slab: _Slab, first: int, last: int) -> None:
        import numpy as np
        import torch

        above = z @ slab.z[first:last].T  # the upper bound of each score, less what must be reached
        i = above.amax(1).numpy() > 0
        if not i.any():
            return
        place = self._place[block] - slab.start - first
        own = np.flatnonzero((place >= 0) & (place < last - first))
        if len(own):
            above[own, place[own]] = -1
            i = above.amax(1).numpy() > 0
        if i.any():
            i, j = np.flatnonzero(i), first + np.flatnonzero(above.amax(0).numpy() > 0)
            self._found_by(block[i], slab.ids[j], (floats(i) @ slab.floats(j).T).numpy())
            z[i, -1] = torch.from_numpy(self._reached(block[i]))

    def _reached(self, ids: Array) -> Array:
        """What the upper bound of a score must pass to be worth a look, float32."""
        import numpy as np

        reached = self.best[ids] - self._slack
        if self._only_repeats:
            reached[self.best[ids] > self._rows.squares[ids]] = np.inf
        return reached.astype(np.float32)

    def _found_by(self, i: Array, j: Array, scores: Array) -> None:
        """Note who could be whose winner, by the products of rows i with rows j in float32."""
        import numpy as np

        wrong = rounding(self._table.info.dim) * self._rows.lengths[i] * self._longest
        top = scores.max(1)  # perhaps its score with itself, which it is known to reach anyway
        self.best[i] = np.maximum(self.best[i], top - wrong)
        least = self.best[i] - wrong
        near = np.flatnonzero(top >= least)
        a, b = np.nonzero(scores[near] >= least[near, None])
        a = near[a]
        others = i[a] != j[b]
        a, b = a[others], b[others]
        self._found.append((i[a], j[b], scores[a, b] + wrong[a]))
        self._waiting += len(a)
        if self._waiting > MANY:
            self._condense()

    def _condense(self) -> None:
        """Leave of all pairs each row's winner among them, by float64."""
        import numpy as np

        i, j, most = (np.concatenate(part) for part in zip(*self._found, strict=True))
        i, j = (ids[most >= self.best[i]] for ids in (i, j))
        scores = np.empty(len(i))
        for start in range(0, len(i), BLOCK):
            part = slice(start, start + BLOCK)
            # as squares are summed, so that equal rows score alike
            scores[part] = (self._table.rows(i[part]).astype(np.float64) * self._table.rows(j[part])).sum(1)
        order = np.lexsort((j, -scores, i))
        order = order[np.diff(i[order], prepend=-1) > 0]
        i, j, scores = i[order], j[order], scores[order]
        self.best[i] = np.maximum(self.best[i], scores)
        self._found, self._waiting = [(i, j, scores)], 0

    def settle(self) -> Array:
        """The winners."""
        import numpy as np

        won = np.arange(len(self.best))
        won[self._rows.squares == 0] = 0  # with a row of zeros all are equal
        if self._found:
            self._condense()
            i, j, scores = self._found[0]
            own = self._rows.squares[i]
            wins = (scores > own) | ((scores == own) & (j < i))
            won[i[wins]] = j[wins]
        return won
