"""Rows that are nearly copies of other rows: typical of tokens that training hardly met, which it moved all alike."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .nearest import BLOCK
from .table import Array

LEAST = 0.999  # the cosine from which two rows count as near-copies
# Two rows at that cosine are on the same side of 32 random planes with probability 0.63: one such pair of 400 is missed
SIDES, TIMES, SEED = 32, 6, 0
FEW = 256  # rows of a crowd that each row of it is compared with


@dataclass(frozen=True)
class Copies:
    """`ids` of the rows that have a near-copy, and of those in the largest `group`: all near-copies of one row."""

    ids: tuple[int, ...]
    group: tuple[int, ...]


@lru_cache(maxsize=4)
def copies(table) -> Copies:
    """The near-copies of a table: nearly all, and none that is not one. Takes seconds for a quarter million rows.

    Rows on the same side of many random planes are few besides near-copies, and only those are compared (Charikar,
    Similarity Estimation Techniques from Rounding Algorithms, 2002).
    """
    import numpy as np

    found = np.zeros(table.info.rows, bool)
    for crowd in _crowds(table):
        rest = crowd[~found[crowd]]
        few = crowd[np.linspace(0, len(crowd) - 1, min(len(crowd), FEW)).astype(int)]
        for start in range(0, len(rest), BLOCK):
            part = rest[start : start + BLOCK]
            alike = (table.units(part) @ table.units(few).T > LEAST) & (part[:, None] != few)
            found[part[alike.any(1)]] = True
            found[few[alike.any(0)]] = True
    ids = np.flatnonzero(found)
    return Copies(tuple(ids.tolist()), _largest(table, ids))


def _crowds(table) -> Iterator[Array]:
    """Ids of rows that are on the same side of SIDES planes through the middle of the table, two or more."""
    import numpy as np

    random, rows = np.random.default_rng(SEED), table.info.rows
    planes = random.standard_normal((table.info.dim, TIMES * SIDES)).astype(np.float32)
    middle = table.units(np.sort(random.integers(rows, size=min(rows, BLOCK)))).mean(0) @ planes
    keys = np.empty((TIMES, rows), np.uint32)
    for start in range(0, rows, BLOCK):
        ids = np.arange(start, min(start + BLOCK, rows))
        sides = (table.units(ids) @ planes > middle).reshape(len(ids), TIMES, SIDES)
        keys[:, ids] = np.packbits(sides, axis=2).view(np.uint32)[:, :, 0].T
    for key in keys:
        order = np.argsort(key, kind="stable")
        edges = np.concatenate([[0], np.flatnonzero(np.diff(key[order])) + 1, [rows]])
        many = np.diff(edges) > 1
        for start, end in zip(edges[:-1][many], edges[1:][many], strict=True):
            yield order[start:end]


def _largest(table, ids: Array) -> tuple[int, ...]:
    """The most of `ids` that are near-copies of one of them; some hundreds are tried."""
    import numpy as np

    if not len(ids):
        return ()
    tried = ids[np.linspace(0, len(ids) - 1, min(len(ids), FEW)).astype(int)]
    blocks = [ids[start : start + BLOCK] for start in range(0, len(ids), BLOCK)]
    alike = np.concatenate([table.units(block) @ table.units(tried).T > LEAST for block in blocks])
    return tuple(ids[alike[:, alike.sum(0).argmax()]].tolist())
