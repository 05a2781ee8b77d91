"""What counting says: how often each character follows each context of 1 to 8 characters, and how far that goes."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .names_data import PARTS, NameList, check_block, encode
from .problems import Problem
from .table import Array

MAX_SMOOTHING = 1000


@dataclass(frozen=True)
class Losses:
    """Mean loss in nats a position, on each part of the list."""

    train: float
    dev: float
    test: float


@dataclass(frozen=True)
class CountLosses(Losses):
    """Losses of counting, with `smoothing` added to each count.

    `all`: of the whole list, by the counts of the whole list. The others are by the counts of train alone, so that dev
    and test are new to it. A loss is infinite where something happened that the counts say never does: that is so at
    `impossible` of the `dev_positions`.
    """

    smoothing: float
    all: float
    impossible: int
    dev_positions: int


@dataclass(frozen=True, eq=False)
class Counts:
    """The cells (context, next character) that are not 0, of a table with k^block rows of k cells.

    `contexts`: int64 (m,), sorted; the context's characters as digits of a number in base k. The cells, sorted by
    context and next: `context` int32 (c,), an index into `contexts`; `next` uint8 (c,); `by_part` int32 (3, c), how
    often in train, dev and test. A cell of the whole list may be empty in one part.
    """

    names: NameList
    block: int
    contexts: Array
    context: Array
    next: Array
    by_part: Array

    @property
    def positions(self) -> int:
        return self.names.positions

    @property
    def rows(self) -> int:
        """Contexts that there could be."""
        return self.names.size**self.block

    @property
    def cells(self) -> int:
        return self.names.size ** (self.block + 1)

    @property
    def contexts_seen(self) -> int:
        return len(self.contexts)

    @property
    def cells_seen(self) -> int:
        return len(self.next)

    @property
    def empty(self) -> float:
        """The share of the cells that are 0."""
        return 1 - self.cells_seen / self.cells

    @cached_property
    def digits(self) -> Array:
        """The contexts as places in the alphabet, uint8 (m, block)."""
        import numpy as np

        digits, rest = np.empty((len(self.contexts), self.block), np.uint8), self.contexts
        for column in digits.T[::-1]:
            rest, column[:] = np.divmod(rest, self.names.size)
        return digits

    def text(self, i: int) -> str:
        """The characters of context number i, the mark included."""
        return "".join(self.names.alphabet[digit] for digit in self.digits[i])

    def totals(self, part: int) -> Array:
        """How often each context is in a part: int64 (m,)."""
        import numpy as np

        return np.bincount(self.context, self.by_part[part], len(self.contexts)).astype(np.int64)

    def row(self, context: str, part: str = "all") -> Array:
        """How often each character follows a context, int64 (k,); all 0 where the context is never seen.

        The context has `block` characters; the mark stands for what is before a name: "..e".
        """
        import numpy as np

        number = 0
        for character in context:
            number = number * self.names.size + (character != self.names.mark and encode(character, self.names)[0])
        at = int(np.searchsorted(self.contexts, number))
        counts = np.zeros(self.names.size, np.int64)
        if len(context) == self.block and at < len(self.contexts) and self.contexts[at] == number:
            cells = slice(*np.searchsorted(self.context, [at, at + 1]))
            of = self.by_part[:, cells]
            counts[self.next[cells]] = of.sum(0) if part == "all" else of[PARTS.index(part)]
        return counts

    def losses(self, smoothing: float = 0.0) -> CountLosses:
        """What counting loses when (count + smoothing) / (all counts of the row + k smoothing) is its probability."""
        check_smoothing(smoothing)
        whole = self.by_part.sum(0)
        of_train = [self._loss(self.by_part[0], part, smoothing) for part in self.by_part]
        dev = self.by_part[1]
        impossible = int(dev[self.by_part[0] == 0].sum()) if smoothing == 0 else 0
        return CountLosses(*of_train, float(smoothing), self._loss(whole, whole, smoothing), impossible, int(dev.sum()))

    @cached_property
    def best_smoothing(self) -> float:
        """Of what could be added to each count, from 0.0001 to 100 in 61 steps, what loses least on dev.

        The loss falls and then rises, so each comparison of two neighbours leaves out half of what is left.
        """
        least, most = 0, 60
        while least < most:
            middle = (least + most) // 2
            here, next_one = (self._loss(*self.by_part[:2], 10 ** (step / 10 - 4)) for step in (middle, middle + 1))
            least, most = (least, middle) if here <= next_one else (middle + 1, most)
        return 10 ** (least / 10 - 4)

    def _loss(self, counted: Array, measured: Array, smoothing: float) -> float:
        import numpy as np

        totals = np.bincount(self.context, counted, len(self.contexts)) + self.names.size * smoothing
        happened = measured > 0
        above, below = counted[happened] + smoothing, totals[self.context[happened]]
        if not above.all():
            return math.inf
        return float(-(measured[happened] * np.log(above / below)).sum() / measured.sum())


def check_smoothing(smoothing: Any) -> None:
    number = isinstance(smoothing, int | float) and not isinstance(smoothing, bool)
    if not number or not 0 <= smoothing <= MAX_SMOOTHING:
        raise Problem(f"Add 0 to {MAX_SMOOTHING:,} to each count.", f"每个计数可以加上 0 到 {MAX_SMOOTHING:,}。")


def count(names: NameList, block: int) -> Counts:
    """Count the cells of a list at a block size; kept with the list."""
    check_block(block)
    return names.keep(("counts", block), lambda: _count(names, block))


def _count(names: NameList, block: int) -> Counts:
    import numpy as np

    x, y = names.windows(block)
    numbers = np.zeros(len(y), np.int64)  # 201^8 < 2^63
    for column in x.T:
        numbers *= names.size
        numbers += column
    contexts, at = np.unique(numbers, return_inverse=True)
    cells, at = np.unique(at * names.size + y, return_inverse=True)
    by_part = np.empty((len(PARTS), len(cells)), np.int32)
    for part, times in enumerate(by_part):
        times[:] = np.bincount(at[names.position_part == part], minlength=len(cells))
    context, following = np.divmod(cells, names.size)
    return Counts(names, block, contexts, context.astype(np.int32), following.astype(np.uint8), by_part)


@dataclass(frozen=True, eq=False)
class Bigram:
    """The table of pairs: int64 (k, k), first character by next one, and the probability of the next, float64 (k, k).

    Each row of `probabilities` adds up to 1.
    """

    names: NameList
    counts: Array
    probabilities: Array
    losses: CountLosses

    @property
    def positions(self) -> int:
        return self.names.positions

    def of(self, pair: str) -> int:
        """How often the pair is in the list; the mark stands for the start or the end of a name.

        >>> from demo_lib.names_data import example
        >>> bigram(example()).of("an")
        5471
        """
        first, second = (0 if one == self.names.mark else encode(one, self.names)[0] for one in pair)
        return int(self.counts[first, second])


def bigram(names: NameList, smoothing: float = 0.0) -> Bigram:
    """Counting with one character of context, as a square."""
    import numpy as np

    check_smoothing(smoothing)
    pairs = count(names, 1)
    k = names.size
    table = np.zeros((k, k), np.int64)
    table[pairs.digits[pairs.context, 0], pairs.next] = pairs.by_part.sum(0)
    raised = table + float(smoothing)
    return Bigram(names, table, raised / raised.sum(1, keepdims=True), pairs.losses(smoothing))
