"""What there is to say of an embedding table as a whole."""

from dataclasses import dataclass
from typing import Any

from .neighbours import Neighbour
from .words import name

PAIRS, SEED = 20_000, 0
BINS = 60


@dataclass(frozen=True)
class Facts:
    """A table in figures.

    `unused` rows have no token. `histogram`: DataFrame {low, high, tokens, unused}, lengths from `low` to `high`, how
    many rows with and without a token. `longest` and `shortest`: rows in order of length; their score is the length.
    `mean_cosine` is that of `pairs` random pairs of different rows with tokens, and `standard_error` its own; it is
    near 0 where the rows point everywhere alike, and NaN where fewer than two rows have a length.
    """

    rows: int
    dim: int
    unused: int
    histogram: Any
    longest: tuple[Neighbour, ...]
    shortest: tuple[Neighbour, ...]
    mean_cosine: float
    standard_error: float
    pairs: int


def facts(table, *, most: int = 12, pairs: int = PAIRS, seed: int = SEED) -> Facts:
    """The figures of a table; `most` rows are named at each end of the lengths."""
    import numpy as np

    norms, used = table.norms, table.used
    order = np.argsort(norms, kind="stable")
    shortest, longest = order[:most], np.argsort(-norms, kind="stable")[:most]
    mean, error = _anisotropy(table, pairs, seed)
    return Facts(
        rows=table.info.rows,
        dim=table.info.dim,
        unused=int(np.count_nonzero(~used)),
        histogram=_histogram(norms, used),
        longest=tuple(_named(table, id) for id in longest.tolist()),
        shortest=tuple(_named(table, id) for id in shortest.tolist()),
        mean_cosine=mean,
        standard_error=error,
        pairs=pairs,
    )


def _named(table, id: int) -> Neighbour:
    norm = float(table.norms[id])
    return Neighbour(id, name(table, id), norm, norm)


def lengths(table) -> tuple[float, float]:
    """The least and the largest length of a row that has a token; 0 and 0 where none has."""
    norms = table.norms[table.used]
    return (float(norms.min()), float(norms.max())) if len(norms) else (0.0, 0.0)


def _histogram(norms, used) -> Any:
    import numpy as np
    import pandas as pd

    norms = norms.astype(np.float64)  # of nearly equal float32, numpy can make no bins
    low, high = norms.min(), norms.max()
    edges = np.linspace(low, high, BINS + 1) if low < high else np.array([low, high])
    tokens, unused = (np.histogram(norms[rows], edges)[0] for rows in (used, ~used))
    return pd.DataFrame({"low": edges[:-1], "high": edges[1:], "tokens": tokens, "unused": unused})


def _anisotropy(table, pairs: int, seed: int) -> tuple[float, float]:
    """The mean cosine of random pairs of different rows that have a token and a length, and its standard error."""
    import numpy as np

    ids = np.flatnonzero(table.used & (table.norms > 0))
    if len(ids) < 2 or pairs < 2:
        return float("nan"), float("nan")
    random = np.random.default_rng(seed)
    first = random.integers(len(ids), size=pairs)
    second = (first + random.integers(1, len(ids), size=pairs)) % len(ids)
    cosines = np.empty(pairs)
    for start in range(0, pairs, 512):
        part = slice(start, start + 512)
        a, b = (table.rows(ids[side[part]]).astype(np.float64) for side in (first, second))
        cosines[part] = (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))
    return float(cosines.mean()), float(cosines.std(ddof=1) / pairs**0.5)
