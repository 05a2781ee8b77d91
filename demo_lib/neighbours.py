"""The rows nearest to a word, listed as a reader wants them: without the word itself, and without its spellings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .nearest import Hits, nearest
from .problems import Problem
from .table import Array
from .words import Word, check_words, hidden, look_up, name, outside, spelling

MAX_WORDS, MAX_NEIGHBOURS = 30, 100


@dataclass(frozen=True)
class Neighbour:
    """A row near to something: `score` is a cosine, a dot product or a distance; `norm` the row's length."""

    id: int
    piece: str
    score: float
    norm: float


@dataclass(frozen=True)
class Neighbours:
    """The rows nearest to a word, the nearest first. `norm` is the length of the word's own vector."""

    word: Word
    metric: str
    norm: float
    rows: tuple[Neighbour, ...]


def neighbours(
    words: str | int | Sequence[str | int],
    table,
    metric: str = "cosine",
    k: int = 10,
    *,
    mean: bool = False,
    hide_variants: bool = False,
    hide_special: bool = True,
    script: str | None = None,
) -> list[Neighbours]:
    """The k rows nearest to each word (or row id), without the word's own.

    `hide_variants`: of several spellings of a word (case, space around it, width) only the nearest is listed, and none
    of the word itself. `hide_special`: no special tokens, no rows without a token. `script`: a key of words.SCRIPTS.
    """
    check_k(k)
    exclude = excluded(table, hide_special, script)
    found = []
    for word in [look_up(word, table, mean=mean) for word in check_words(words, MAX_WORDS)]:
        listing = Listing(table, [word], hide_variants, hide_variants)
        hits = listing.first(k, lambda n, v=word.vector: nearest(table, v, n, metric, exclude=exclude)[0])
        found.append(Neighbours(word, metric, float((word.vector**2).sum() ** 0.5), hits))
    return found


def check_k(k: int) -> None:
    """Whether `k` is a number of neighbours to ask for."""
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_NEIGHBOURS:
        raise Problem(
            f"Ask for 1 to {MAX_NEIGHBOURS} neighbours.",
            f"请求的近邻个数应为 1 到 {MAX_NEIGHBOURS}。",
        )


def excluded(table, hide_special: bool, script: str | None) -> Array | None:
    """bool (rows,): the rows that are not to be found; None for none."""
    masks = ([hidden(table)] if hide_special else []) + ([outside(table, script)] if script else [])
    return masks[0] | masks[-1] if masks else None


class Listing:
    """What a list of neighbours of some words leaves out: their rows, and, if asked, their spellings.

    `spellings`: the words stay out in all their spellings. `once`: so do repeated spellings of what is listed.
    """

    def __init__(self, table, words: Sequence[Word], spellings: bool = False, once: bool = False) -> None:
        self._table, self._once = table, once
        self._ids = {word.row for word in words} | {id for word in words if word.row is None for id in word.ids}
        self._barred = {spelling(word.data) for word in words} if spellings else set()
        self._reads = spellings or once

    def _data(self, id: int) -> bytes:
        return self._table.vocab.token_bytes(id) if self._table.used[id] else b""

    def first(self, k: int, search: Callable[[int], Hits]) -> tuple[Neighbour, ...]:
        """The first k that stay: more and more are searched for, until there are enough or no more."""
        n = k + len(self._ids)
        while True:
            hits = search(n)
            kept = self._kept(hits)
            if len(kept) >= k or len(hits.ids) < n:
                break
            n *= 4
        norms = self._table.norms
        return tuple(Neighbour(id, name(self._table, id), score, float(norms[id])) for id, score in kept[:k])

    def _kept(self, hits: Hits) -> list[tuple[int, float]]:
        kept, barred = [], set(self._barred)
        for id, score in zip(hits.ids.tolist(), hits.scores.tolist(), strict=True):
            if id in self._ids:
                continue
            if self._reads:
                own = spelling(self._data(id))
                if own in barred:
                    continue
                if self._once:
                    barred.add(own)
            kept.append((id, score))
        return kept
