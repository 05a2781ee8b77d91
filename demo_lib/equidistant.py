"""Vectors one can measure by hand, and how many points can all be equally far apart."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from .problems import Problem
from .table import Array

MAX_VECTORS, MAX_DIMENSIONS = 12, 64


@dataclass(frozen=True, eq=False)
class Ruler:
    """Vectors (n, d) measured against each other; the rest are float64 (n, n), `norms` (n,).

    `cosines` is NaN where a vector is all zeros, which has no direction. dots = |a| |b| cosines.
    """

    vectors: Array
    norms: Array
    dots: Array
    cosines: Array
    distances: Array


def ruler(vectors: Sequence[Sequence[float]]) -> Ruler:
    """Dot products, lengths, cosines and distances of a few vectors with the same number of coordinates.

    >>> measured = ruler([(1, 1), (2, 2), (10, 10)])
    >>> measured.dots[0].tolist(), measured.cosines[0].round(9).tolist()
    ([2.0, 4.0, 20.0], [1.0, 1.0, 1.0])
    """
    import numpy as np

    try:
        points = np.array(vectors, np.float64)
    except (ValueError, TypeError):
        points = np.empty(0)
    if points.ndim != 2 or not 1 <= len(points) <= MAX_VECTORS or not points.shape[1]:
        raise Problem(
            f"Give 1 to {MAX_VECTORS} vectors with as many numbers each, such as (1, 1) and (2, 2).",
            f"请给出 1 到 {MAX_VECTORS} 个向量，每个的数字个数相同，例如 (1, 1) 和 (2, 2)。",
        )
    if not (np.abs(points) <= 1e100).all():
        raise Problem(
            "A coordinate is no number, or too large: use numbers up to 10 to the power 100.",
            "有坐标不是数，或者太大：请使用不超过 10 的 100 次方的数。",
        )
    norms = np.sqrt(np.square(points).sum(1))
    dots = points @ points.T
    units = points / np.where(norms > 0, norms, np.nan)[:, None]
    distances = np.sqrt(np.square(points[:, None] - points).sum(-1))
    return Ruler(points, norms, dots, np.clip(units @ units.T, -1, 1), distances)


@dataclass(frozen=True)
class OneHots:
    """Of n one-hot rows: the distance and the dot product of any two, and the dimensions that they need."""

    rows: int
    distance: float
    dot: float
    dimensions: int


def one_hots(rows: int) -> OneHots:
    """Measured on the rows themselves. `dimensions` is the rank of their differences: those of the space they span.

    >>> one_hots(27)
    OneHots(rows=27, distance=1.4142135623730951, dot=0.0, dimensions=26)
    """
    import numpy as np

    _check(rows, 2, 4 * MAX_DIMENSIONS, "rows", "行")
    points = np.eye(rows)
    off = ~np.eye(rows, dtype=bool)
    squares = np.square(points[:, None] - points).sum(-1)[off]
    dots = (points @ points.T)[off]
    return OneHots(
        rows, math.sqrt(squares.max()), float(dots.max()), int(np.linalg.matrix_rank(points[1:] - points[0]))
    )


def simplex(dimensions: int) -> Array:
    """The most points that can all be equally far apart in d dimensions: d + 1 of them, 1 apart, (d + 1, d) float64.

    Built one dimension at a time: the next point stands above the centre of those before it.
    """
    import numpy as np

    _check(dimensions, 1, MAX_DIMENSIONS, "dimensions", "维")
    points = np.zeros((dimensions + 1, dimensions))
    for axis in range(dimensions):
        centre = points[: axis + 1].mean(0)
        points[axis + 1] = centre
        points[axis + 1, axis] = math.sqrt(1 - np.square(centre - points[0]).sum())
    return points - points.mean(0)


@dataclass(frozen=True, eq=False)
class Packing:
    """Points (n, 2) in the plane whose distances lie between `nearest` and 1, `nearest` being as large as was found.

    Equally far apart would be 1. That no arrangement does better is not proved.
    """

    points: Array
    nearest: float


@lru_cache(maxsize=8)
def packing(count: int = 27, seed: int = 0) -> Packing:
    """The most alike that the distances of `count` points in the plane were made: the smallest over the largest.

    Found, not proved, by descent from round pieces of a triangular grid, which is dense, and from random points.
    """
    import numpy as np

    _check(count, 2, 40, "points", "个点")
    found = _descend(_starts(count, np.random.default_rng(seed)))
    best = found[_ratios(found).argmax()]
    best = (best - best.mean(0)) / _distances(best).max()
    return Packing(best, float(_ratios(best)))


def _starts(count: int, random) -> Array:
    """(10, count, 2): the grid's points nearest to a centre, for 8 centres, a little shaken; and random points."""
    import numpy as np

    i, j = np.meshgrid(np.arange(-8, 9), np.arange(-8, 9))
    grid = np.stack([i + j / 2, j * math.sqrt(3) / 2], -1).reshape(-1, 2)
    starts = random.standard_normal((10, count, 2)) * count**0.5 / 3
    for start in starts[:8]:
        far = np.linalg.norm(grid - random.random(2), axis=1)
        start[:] = grid[np.argsort(far, kind="stable")[:count]] + 0.05 * random.standard_normal((count, 2))
    return starts


def _distances(points: Array) -> Array:
    """(..., n, 2) to (..., n, n)."""
    import numpy as np

    return np.sqrt(np.square(points[..., :, None, :] - points[..., None, :, :]).sum(-1))


def _ratios(points: Array) -> Array:
    """The smallest distance of two different points over the largest, (...)."""
    import numpy as np

    distances = _distances(points)
    return (distances + np.where(np.eye(points.shape[-2]), np.inf, 0)).min((-1, -2)) / distances.max((-1, -2))


def _descend(points: Array) -> Array:
    """Lower log(largest distance) - log(smallest), each smoothed as a p-norm of ever higher p. (..., n, 2)."""
    import numpy as np

    best, diagonal = points, np.eye(points.shape[-2], dtype=bool)
    for power in (8, 16, 32, 64, 128, 256, 512, 1024):
        mean, square = np.zeros_like(points), np.zeros_like(points)
        for step in range(1, 121):
            apart = points[..., :, None, :] - points[..., None, :, :]
            squares = np.where(diagonal, 1, np.square(apart).sum(-1) + 1e-300)
            pull = _softmax(power * np.log(squares) / 2, diagonal) - _softmax(-power * np.log(squares) / 2, diagonal)
            gradient = ((pull / squares)[..., None] * apart).sum(-2)
            # Adam
            mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
            move = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-12)
            points = points - 0.4 / power * move
        best = np.where((_ratios(points) > _ratios(best))[..., None, None], points, best)
    return best


def _softmax(logs: Array, diagonal: Array) -> Array:
    import numpy as np

    logs = np.where(diagonal, -np.inf, logs)
    powers = np.exp(logs - logs.max((-1, -2), keepdims=True))
    return powers / powers.sum((-1, -2), keepdims=True)


def _check(value: int, least: int, most: int, what: str, what_zh: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Problem(f"Choose {least} to {most} {what}.", f"请选择 {least} 到 {most} {what_zh}。")
