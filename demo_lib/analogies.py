"""Relations as directions: king - man + woman is near queen."""

from dataclasses import dataclass
from functools import lru_cache

from .nearest import BLOCK, Hits, best, dots, nearest, rounding
from .neighbours import Listing, Neighbour, check_k
from .problems import Problem
from .table import Array
from .words import Word, hidden, look_up


@dataclass(frozen=True)
class Analogy:
    """a - b + c, and the rows nearest to it by cosine. `to_start`: its cosine with `a`, where it began."""

    words: tuple[Word, ...]
    centred: bool
    to_start: float
    rows: tuple[Neighbour, ...]


def analogy(
    a: str | int,
    b: str | int,
    c: str | int,
    table,
    keep_inputs: bool = False,
    centred: bool = False,
    k: int = 10,
    *,
    mean: bool = False,
) -> Analogy:
    """The rows nearest by cosine to a - b + c, of those that have a token that is not special.

    Without `keep_inputs` the three words are left out, in all their spellings; with it one sees how often the answer
    is `a` itself. `centred` takes the mean of all rows away first, from the words and from the rows.
    """
    import numpy as np

    check_k(k)
    for place, word in zip(("a", "− b", "+ c"), (a, b, c), strict=True):
        if word == "":
            raise Problem(
                f"Write a word for {place}: a − b + c takes three.", f"请填写 {place}：a − b + c 需要三个词。"
            )
    words = tuple(look_up(word, table, mean=mean) for word in (a, b, c))
    start, exclude = words[0].vector, hidden(table)
    vector = start - words[1].vector + words[2].vector
    if centred:
        centre = mean_row(table)
        vector, start = vector - centre, start - centre
    if not vector.any():
        raise Problem(
            "These words cancel out, and nothing is left to be near to: choose others.",
            "这几个词互相抵消了，没有剩下方向：请换几个词。",
        )

    def search(n: int) -> Hits:
        if centred:
            return _nearest_centred(table, vector, centre, n, exclude)
        return nearest(table, vector, n, exclude=exclude)[0]

    listing = Listing(table, () if keep_inputs else words, not keep_inputs)
    lengths = np.linalg.norm(vector) * np.linalg.norm(start)
    to_start = float((vector * start).sum() / lengths) if lengths else 0.0
    return Analogy(words, centred, to_start, listing.first(k, search))


@lru_cache(maxsize=4)
def mean_row(table) -> Array:
    """The mean of the rows that have a token, float64 (dim,)."""
    import numpy as np

    total = np.zeros(table.info.dim)
    for start in range(0, table.info.rows, BLOCK):
        part = slice(start, min(start + BLOCK, table.info.rows))
        total += table.rows(part)[table.used[part]].sum(0, dtype=np.float64)
    return total / max(1, np.count_nonzero(table.used))


class _Moved:
    """A table with `centre` taken from each row."""

    def __init__(self, table, centre: Array) -> None:
        self._table, self._centre, self.info = table, centre, table.info

    def rows(self, ids: Array) -> Array:
        return self._table.rows(ids).astype("f8") - self._centre


def _nearest_centred(table, vector: Array, centre: Array, k: int, exclude: Array) -> Hits:
    """As nearest() by cosine, of the rows less `centre`: a pass in float32 with its bound, then float64.

    (E - c) . v = E . v - c . v,  and  |E - c|^2 = |E|^2 - 2 E . c + |c|^2
    """
    import numpy as np

    unit, far = vector / np.linalg.norm(vector), np.linalg.norm(centre)
    along, middle = dots(table, np.stack([unit, centre])).astype(np.float64)
    norms = table.norms.astype(np.float64)
    squares = np.maximum(np.square(norms) - 2 * middle + far**2, 1e-30)
    scores = (along - (centre * unit).sum()) / np.sqrt(squares)
    width = 4 * rounding(table.info.dim) * np.square(norms + far) / squares
    low, high = scores - width, scores + width
    low[exclude] = -np.inf
    k = min(k, int(np.count_nonzero(~exclude)))
    least = np.partition(low, len(low) - k)[len(low) - k]
    return best(_Moved(table, centre), vector, np.flatnonzero((high >= least) & ~exclude), k, "cosine")
