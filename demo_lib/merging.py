"""Byte-pair merging, step by step, on a real vocabulary."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Merge:
    """One merge: the piece at byte `at` of the pre-token and its right neighbour become one.

    `rank` is the merge's place in the order of merging: for a vocabulary of ranked byte strings the rank (and
    id) of the result, otherwise the merge's line in the list of merges, from 0.
    """

    at: int
    left: bytes
    right: bytes
    rank: int


@dataclass(frozen=True)
class Trace:
    """How one pre-token became tokens.

    `start` holds the pieces before the first merge: bytes or, in some tokenizers, characters. `whole` says
    that the pre-token is an entry of the vocabulary and was taken without merging. `merges` is None where no
    merging leads to the ids, as in a Unigram or WordPiece model; `kind` names the model.
    """

    text: str
    kind: str
    start: tuple[bytes, ...]
    whole: bool
    merges: tuple[Merge, ...] | None
    ids: tuple[int, ...]


def merge_order(pieces: list[str], priority: Callable[[str, str], tuple | None]) -> tuple[list[str], list[tuple]]:
    """Merge `pieces` until nothing fits: the best priority first (lowest), then the leftmost.

    `priority(left, right)` is None for two pieces that do not merge. Returns the pieces at the end, and for
    each merge (place of the left piece's first symbol, left, right, priority). O(n log n).

    >>> ranks = {"ab": (0,)}
    >>> merge_order(list("abab"), lambda left, right: ranks.get(left + right))
    (['ab', 'ab'], [(0, 'a', 'b', (0,)), (2, 'a', 'b', (0,))])
    """
    text: list[str | None] = list(pieces)
    after = [*range(1, len(text)), -1] if text else []
    before = list(range(-1, len(text) - 1))
    heap: list[tuple] = []

    def offer(i: int) -> None:
        if i >= 0 and after[i] >= 0 and (rank := priority(text[i], text[after[i]])) is not None:
            heapq.heappush(heap, (rank, i, text[i], text[after[i]]))

    for i in range(len(text)):
        offer(i)
    done = []
    while heap:
        rank, i, left, right = heapq.heappop(heap)
        j = after[i] if text[i] is not None else -1
        if j < 0 or text[i] != left or text[j] != right:
            continue  # one of the two has gone into another merge since
        done.append((i, left, right, rank))
        text[i], text[j], after[i] = left + right, None, after[j]
        if after[j] >= 0:
            before[after[j]] = i
        offer(before[i])
        offer(i)
    return [piece for piece in text if piece is not None], done
