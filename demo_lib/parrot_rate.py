"""The parrot rate: for how many tokens of a table is the largest logit their own, in a model with no layers?"""

import hashlib
import math
import threading
from dataclasses import asdict, dataclass

from .cache import cached, entry
from .jobs import Jobs, Progress
from .problems import Problem
from .table import Array
from .winners import stopped, winners
from .words import name

VERSION = 1  # of what is cached
_JOBS = Jobs()


@dataclass(frozen=True)
class Attractor:
    """A row that other tokens are followed by: `count` of them, itself not counted."""

    id: int
    piece: str
    count: int
    norm: float


@dataclass(frozen=True, eq=False)
class Rate:
    """How many of the `tokens` repeat themselves: `rate` of them; `exceptions` do not.

    `attractors`: what the exceptions are followed by, the most frequent first. `winners`: int64 (rows,), what each row
    is followed by. `cycles`: ids that are followed by each other in a ring of two or more. In a tied table there can
    be none: to win, a row must be longer than the one that it follows (E_i . E_j > |E_i|^2 needs |E_j| > |E_i|).
    Without attractors, `winners` are just some rows that beat.
    """

    rate: float
    tokens: int
    exceptions: int
    attractors: tuple[Attractor, ...]
    cycles: tuple[tuple[int, ...], ...]
    winners: Array


@dataclass(frozen=True)
class Beaten:
    """A token that does not repeat itself: its own logit, and the winner with its logit."""

    id: int
    piece: str
    logit: float
    winner: int
    winner_piece: str
    winner_logit: float


def parrot_rate(
    table,
    *,
    attractors: bool = True,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Rate:
    """For how many tokens is the largest logit their own, in the model with no layers? Exact, of the whole table.

    Ties go to the lowest id; rows without a token can win. Some seconds to a minute the first time, then from the
    cache. Without `attractors` the count alone, which can be much faster. `progress` is told rows done of all rows;
    when `cancel` is set, raises Problem.
    """
    import numpy as np

    digest = hashlib.sha256(memoryview(np.ascontiguousarray(table.raw())).cast("B")).hexdigest()[:32]
    name = f"parrot/{digest}-{VERSION}"

    def count(report: Progress, stop: threading.Event) -> Array:
        def make(only_repeats: bool = False) -> bytes:
            won = winners(table, only_repeats=only_repeats, progress=report, cancel=stop)
            return won.astype("<i4").tobytes()

        whole = entry(f"{name}.winners")
        if whole is None:
            whole = cached(f"{name}.winners", make) if attractors else cached(f"{name}.beaten", lambda: make(True))
        return np.frombuffer(whole, "<i4").astype(np.int64)

    try:
        won = _JOBS.run(f"{name}-{attractors}", count, progress, cancel)
    except Problem:
        if cancel and cancel.is_set():
            raise stopped() from None
        raise
    return _rate(table, won, attractors)


def _rate(table, won: Array, attractors: bool) -> Rate:
    import numpy as np

    ids = np.flatnonzero(table.used)
    exceptions = ids[won[ids] != ids]
    found: list[Attractor] = []
    if attractors:
        rows, counts = np.unique(won[exceptions], return_counts=True)
        order = np.lexsort((rows, -counts))
        norms = table.norms[rows]
        found = [Attractor(int(rows[i]), name(table, int(rows[i])), int(counts[i]), float(norms[i])) for i in order]
    rate = 1 - len(exceptions) / len(ids) if len(ids) else math.nan
    return Rate(rate, len(ids), len(exceptions), tuple(found), cycles(won) if attractors else (), won)


def cycles(winners: Array) -> tuple[tuple[int, ...], ...]:
    """The rings of two or more that one ends in by going from each row to its winner; each from its lowest id on.

    >>> import numpy
    >>> cycles(numpy.array([1, 2, 1, 3]))
    ((1, 2),)
    """
    import numpy as np

    # after as many steps as there are rows, all are on a ring
    on, jump = np.arange(len(winners)), np.asarray(winners)
    for _ in range(max(1, len(winners)).bit_length()):
        on, jump = jump[on], jump[jump]
    left = set(on[winners[on] != on].tolist())
    rings = []
    for first in sorted(left):
        if first in left:
            ring = [first]
            while (following := int(winners[ring[-1]])) != first:
                ring.append(following)
            left -= set(ring)
            rings.append(tuple(ring))
    return tuple(rings)


def beaten(rate: Rate, table, *, most: int = 50, attractor: int | None = None) -> list[Beaten]:
    """Tokens that do not repeat themselves, by id: all, or those that one attractor takes; with both logits."""
    import numpy as np

    ids = np.flatnonzero(table.used & (rate.winners != np.arange(len(rate.winners))))
    if attractor is not None:
        ids = ids[rate.winners[ids] == attractor]
    rows = []
    for id in ids[:most].tolist():
        winner = int(rate.winners[id])
        own, other = table.rows([id, winner]).astype(np.float64)
        logits = float((own * own).sum()), float((own * other).sum())
        rows.append(Beaten(id, name(table, id), logits[0], winner, name(table, winner), logits[1]))
    return rows


def rate_row(rate: Rate, most: int = 100) -> dict:
    """The rate for a program: {rate, tokens, exceptions, attractors: [{id, piece, count, norm}], cycles}."""
    return {
        "rate": rate.rate,
        "tokens": rate.tokens,
        "exceptions": rate.exceptions,
        "attractors": [asdict(one) for one in rate.attractors[:most]],
        "cycles": [list(ring) for ring in rate.cycles],
    }
