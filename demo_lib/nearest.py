"""Exact nearest neighbours in an embedding table, by cosine, dot product or Euclidean distance.

A search has two halves. A screen gives every row's cosine with the query, roughly, and with it a bound on the error:
from int8 copies of the rows (a quarter of the bytes, and reading is what costs), or from the table itself until that
copy is made. Rows that by their bound could still be among the best are then scored in float64. So the answer is that
of a float64 comparison with every row; what the screen changes is the time.

    |screen - cosine| <= error  for each row,  so a row is out when  screen + error < the k-th best  screen - error

The three metrics are one: each orders the rows as slope * cosine + offset does, which depend on the row's length only.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from .int8 import Int8, Rough
from .problems import Problem
from .table import Array

METRICS = ("cosine", "dot", "euclidean")
BLOCK = 512  # rows at a time: their floats stay in a core's cache
WORKERS = 2
PAUSE = 1.0  # seconds from the first search of a table to the making of its int8 copy, which takes all processors
MANY = 1024  # candidates: more of them are looked at in float32 before they are scored in float64


@dataclass(frozen=True)
class Hits:
    """The best rows of a table: `ids` int64 (k,), `scores` float64 (k,), best first, ties by the lowest id.

    Scores are cosines, dot products or distances, as the metric says; only distances are best when small.
    """

    ids: Array
    scores: Array


def nearest(table, vectors: Any, k: int = 10, metric: str = "cosine", *, exclude: Array | None = None) -> list[Hits]:
    """The k best rows of `table` for each of `vectors`, (n, dim) or (dim,).

    `exclude`: bool (rows,), the rows that are not to be found. Where fewer than k are left, all of them are given. A
    row of zeros has cosine 0 with everything; a query of zeros has no cosine, which raises Problem. The first search
    of a table reads the table, and starts the making of the int8 copy (see `warm`), which later ones use.
    """
    import numpy as np

    vectors = _check(table, vectors, metric)
    left = table.info.rows - (0 if exclude is None else int(np.count_nonzero(exclude)))
    k = max(0, min(k, left))
    if not k:
        return [Hits(np.empty(0, np.int64), np.empty(0)) for _ in vectors]
    searcher = _searcher(table)
    searcher.start()
    lengths = np.linalg.norm(vectors, axis=1)
    units = vectors / np.where(lengths > 0, lengths, 1)[:, None]
    hits = []
    for vector, unit, length, rough in zip(vectors, units, lengths, searcher.screen(units), strict=True):
        scale = _Scale(table, metric, length)
        ids = _candidates(rough, scale, k, exclude)
        if len(ids) > MANY:
            ids = ids[_among(*scale(_cosines(table, unit, ids), 0, ids), k)]
        hits.append(best(table, vector, ids, k, metric))
    return hits


def warm(table) -> bool:
    """Make the int8 copy of a table now (rows * dim bytes, seconds); whether this machine can use one."""
    return _searcher(table).make()


def top(table, vector: Array, scores: Array, k: int, metric: str = "dot") -> Hits:
    """The k best rows where `scores` of all are known already, roughly: by dot product or cosine, float32 (rows,)."""
    import numpy as np

    k = min(k, len(scores))
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    ids = np.flatnonzero(scores >= least - 2 * _slack(table, vector, metric))
    return best(table, vector, ids, k, metric)


def rank(table, vector: Array, id: int, scores: Array, metric: str = "dot") -> int:
    """How many rows come before row `id`, ties by the lowest id, as float64 has it; 0: it is the best.

    `scores`: as `top` takes them.
    """
    import numpy as np

    own = exact(table, vector, np.array([id]), metric)[0]
    slack = _slack(table, vector, metric)
    close = np.flatnonzero(np.abs(scores - own) <= slack)
    sure = exact(table, vector, close, metric)
    before = (sure > own) | ((sure == own) & (close < id))
    return int(np.count_nonzero(scores > own + slack) + np.count_nonzero(before))


def _slack(table, vector: Array, metric: str) -> float:
    """The most by which float32 can be wrong in any row's score."""
    import numpy as np

    longest = 1 if metric == "cosine" else float(table.norms.max()) * float(np.linalg.norm(vector))
    return rounding(table.info.dim) * longest


def dots(table, vectors: Any) -> Array:
    """Dot products of `vectors` (n, dim) with every row: float32 (n, rows), from one pass over the table."""
    import numpy as np

    vectors = np.atleast_2d(np.asarray(vectors, np.float32))
    rows = table.info.rows
    out = np.empty((len(vectors), rows), np.float32)

    def fill(start: int) -> None:
        part = slice(start, min(start + BLOCK, rows))
        block = table.rows(part)
        for scores, vector in zip(out, vectors, strict=True):
            np.einsum("ij,j->i", block, vector, out=scores[part])  # not @: its threads would wait for these

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(fill, range(0, rows, BLOCK)))
    return out


def exact(table, vector: Any, ids: Array, metric: str) -> Array:
    """Scores of some rows in float64 (n,). Every row is summed in the same order, so equal rows score alike."""
    import numpy as np

    vector = np.asarray(vector, np.float64)
    scores = np.empty(len(ids))
    for start in range(0, len(ids), BLOCK):
        part = slice(start, start + BLOCK)
        rows = table.rows(ids[part]).astype(np.float64)
        if metric == "euclidean":
            scores[part] = np.sqrt(np.square(rows - vector).sum(1))
            continue
        scores[part] = (rows * vector).sum(1)
        if metric == "cosine":
            lengths = np.sqrt(np.square(rows).sum(1) * np.square(vector).sum())
            scores[part] /= np.where(lengths > 0, lengths, 1)
    return scores


def best(table, vector: Any, ids: Array, k: int, metric: str) -> Hits:
    """The k best of some rows, by their exact scores. `ids` ascend."""
    import numpy as np

    scores = exact(table, vector, ids, metric)
    order = np.argsort(scores if metric == "euclidean" else -scores, kind="stable")[:k]
    return Hits(ids[order].astype(np.int64), scores[order])


def rounding(dim: int) -> float:
    """The most by which a float32 sum of `dim` products of two unit vectors can be wrong, in any order of adding."""
    return (dim + 16) * 2.0**-23


def _check(table, vectors: Any, metric: str) -> Array:
    import numpy as np

    if metric not in METRICS:
        raise Problem(
            f"“{str(metric)[:20]}” is no metric: choose cosine, dot or euclidean.",
            f"没有“{str(metric)[:20]}”这种度量：请选择 cosine、dot 或 euclidean。",
        )
    vectors = np.atleast_2d(np.asarray(vectors, np.float64))
    if vectors.shape[1] != table.info.dim:
        raise Problem(
            f"The vector has {vectors.shape[1]:,} numbers and a row of this table has {table.info.dim:,}.",
            f"向量有 {vectors.shape[1]:,} 个数，而这张表的一行有 {table.info.dim:,} 个。",
        )
    if metric == "cosine" and not vectors.any(axis=1).all():
        raise Problem(
            "This vector is all zeros and has no direction, so nothing has a cosine with it: use the Euclidean metric.",
            "这个向量全是零，没有方向，无法计算余弦：请改用欧氏距离。",
        )
    return vectors


@dataclass(frozen=True)
class _Scale:
    """From cosines and their errors to what a metric orders rows by, and how far that may be off."""

    table: Any
    metric: str
    length: float  # of the query

    def __call__(self, cosines: Array, errors: Array, ids: Array | None = None) -> tuple[Array, Array]:
        """float32 (n,), twice. `ids`: the rows that the cosines are of, if not all."""
        import numpy as np

        width = errors + np.float32(rounding(self.table.info.dim))
        if self.metric == "cosine":
            return cosines, width
        # dot / |q| = |row| cosine,  and  |q|^2 - |row - q|^2 = 2 |q| |row| cosine - |row|^2
        norms = self.table.norms if ids is None else self.table.norms[ids]
        slope = norms if self.metric == "dot" else np.float32(2 * self.length) * norms
        value, width = cosines * slope, width * slope
        if self.metric == "euclidean":
            offset = np.square(norms)
            value, width = value - offset, width + np.float32(1e-6) * offset
        return value, width


def _candidates(rough: Rough, scale: _Scale, k: int, exclude: Array | None) -> Array:
    """The rows that could be among the k best, by the closer cosines where there are some."""
    import numpy as np

    value, width = scale(rough.cosines, rough.errors)
    if exclude is not None:
        value = np.where(exclude, -np.inf, value)
    if rough.closer is None:
        found = _among(value, width, k)
        return found if exclude is None else found[~exclude[found]]
    # What the k best surely reach: those that look best, looked at closely
    first = np.flatnonzero(value >= _least(value, min(max(4 * k, 64), len(value))))
    if exclude is not None:
        first = first[~exclude[first]]
    low = np.subtract(*scale(*rough.closer(first), first))
    width += value
    found = np.flatnonzero(width >= np.partition(low, len(low) - k)[len(low) - k])
    return found[_among(*scale(*rough.closer(found), found), k)]


def _among(value: Array, width: Array, k: int) -> Array:
    """Where, by what values may be off, one of the k largest could be."""
    import numpy as np

    return np.flatnonzero(value + width >= _least(value - width, k))


def _least(low: Array, k: int) -> float:
    """A value that k rows reach: the k-th largest of the maxima of disjoint groups of rows, which is fast to find."""
    import numpy as np

    columns = len(low) // 64
    if columns >= 8 * k:
        low = low[: columns * 64].reshape(64, columns).max(axis=0)
    return np.partition(low, len(low) - k)[len(low) - k]


def _cosines(table, unit: Array, ids: Array) -> Array:
    """Cosines of some rows with a unit vector, float32 (n,)."""
    import numpy as np

    unit, starts = unit.astype(np.float32), range(0, len(ids), BLOCK)
    dots = [np.einsum("ij,j->i", table.rows(ids[start : start + BLOCK]), unit) for start in starts]
    norms = table.norms[ids]
    return np.concatenate(dots) / np.where(norms > 0, norms, 1)


class _Plain:
    """The screen that needs no preparation: the table's own rows, in float32. There is no error beyond rounding."""

    def __init__(self, table) -> None:
        self._table = table

    def __call__(self, units: Array) -> list[Rough]:
        import numpy as np

        norms = self._table.norms
        return [Rough(cosines, np.float32(0)) for cosines in dots(self._table, units) / np.where(norms > 0, norms, 1)]


class _Searcher:
    """The screen of one table: plain at once, int8 when it is made."""

    def __init__(self, table) -> None:
        self._table, self._lock = table, threading.Lock()
        self.screen = _Plain(table)

    @cached_property
    def _timer(self) -> threading.Timer:
        timer = threading.Timer(PAUSE, self.make)
        timer.daemon = True
        timer.start()
        return timer

    def start(self) -> None:
        """Have the int8 copy made, once, aside, and a moment later: the first answer comes first."""
        _ = self._timer

    def make(self) -> bool:
        with self._lock:
            if isinstance(self.screen, _Plain):
                try:
                    self.screen = Int8(self._table)
                except (AttributeError, ImportError, MemoryError, RuntimeError):
                    return False
        return True


_one_each = lru_cache(maxsize=4)(_Searcher)
_door = threading.Lock()


def _searcher(table) -> _Searcher:
    with _door:  # or two visitors who come at once would each have one made
        return _one_each(table)
