"""Two vocabularies: which byte strings are tokens in both, and how much of a text's tokens the other one has whole."""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from .entries import Entries
from .scripts import KINDS
from .table import Array
from .vocab import open_vocab


@dataclass(frozen=True, eq=False)
class Overlap:
    """Special tokens are left out: they are names, not text.

    `other` is int64 (tokens of a,): the id that b has for the same bytes, or -1. `both`, `only_a` and `only_b` count
    byte strings; `kinds` has (kind, in both, only in a, only in b) for each of scripts.KINDS but "special".
    """

    other: Array
    both: int
    only_a: int
    only_b: int
    kinds: tuple[tuple[str, int, int, int], ...]


@lru_cache(maxsize=8)
def overlap(a: Entries, b: Entries) -> Overlap:
    """Byte strings of a and b. A byte string that is two tokens of one vocabulary counts once."""
    import numpy as np

    there = b.place
    other = np.fromiter((there.get(data, -1) for data in a.data), np.int64, len(a))
    other[a.special] = -1
    found = other >= 0
    other[found] = b.ids[other[found]]
    mine, yours = np.fromiter(a.place.values(), np.int64), np.fromiter(b.place.values(), np.int64)
    shared = mine[found[mine]]
    names = range(len(KINDS) - 1)
    count_a, count_b, both = (
        np.bincount(kind, minlength=len(KINDS)) for kind in (a.kind[mine], b.kind[yours], a.kind[shared])
    )
    kinds = tuple((KINDS[k], int(both[k]), int(count_a[k] - both[k]), int(count_b[k] - both[k])) for k in names)
    return Overlap(other, len(shared), len(mine) - len(shared), len(yours) - len(shared), kinds)


@dataclass(frozen=True)
class Held:
    """How much of a text's tokens in one vocabulary another has whole.

    `tokens` in the text, `held` of them, and `pieces`: (id, bytes, id in the other or None) of each in order.
    `lacking`: (id, bytes, times) of those that the other has not, the most frequent first.
    """

    tokens: int
    held: int
    pieces: tuple[tuple[int, bytes, int | None], ...]
    lacking: tuple[tuple[int, bytes, int], ...]


def held(text: str, a: Entries, b: Entries) -> Held:
    """The tokens of a text in a, and whether b has each as one token; special tokens in the text are plain text."""
    tokens = open_vocab(a.model).encode(text, parse_special=False).tokens
    there = {token.data: b.place.get(token.data) for token in tokens}
    pieces = tuple((t.id, t.data, None if (at := there[t.data]) is None else int(b.ids[at])) for t in tokens)
    lacking = Counter((id, data) for id, data, other in pieces if other is None)
    return Held(
        len(pieces),
        sum(other is not None for _, _, other in pieces),
        pieces,
        tuple((id, data, times) for (id, data), times in lacking.most_common()),
    )
