"""A list of names: read, split by name into three parts, and cut into windows."""

import unicodedata
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from .problems import Problem
from .table import Array

MAX_BYTES, MAX_LINES = 20_000_000, 200_000
MAX_LENGTH = 40  # characters of a name
MAX_POSITIONS = 4_000_000  # characters and ends of all names: what counting them may take of memory
MAX_ALPHABET = 200  # characters besides the mark: with it they fit into a byte
MIN_NAMES = 10  # different ones: fewer cannot be split
MAX_BLOCK = 8
MARKS = ".·|¶†"  # the first that is in no name stands for the end of a name, and for what is before it
PARTS = ("train", "dev", "test")
EXAMPLE = Path(__file__).parents[1] / "examples" / "names_us_2018.txt"
KEPT = 8_000_000  # positions: of how many windows a list keeps what was counted


@dataclass(frozen=True)
class Dropped:
    """Lines that are no names: empty; too long; with control characters; with characters that are too rare; too many.

    `rare` have a character that is not among the MAX_ALPHABET most frequent ones, `beyond` come after MAX_LINES lines
    or MAX_POSITIONS positions.
    """

    empty: int = 0
    long: int = 0
    odd: int = 0
    rare: int = 0
    beyond: int = 0

    @property
    def total(self) -> int:
        return self.empty + self.long + self.odd + self.rare + self.beyond


@dataclass(frozen=True, eq=False)
class NameList:
    """Names in the order of the list, copies included, as in the courses that use such a list.

    `alphabet`: the mark, then the characters by code point; k of them in all. `part`: uint8 (names,), 0 train, 1 dev,
    2 test; copies of a name are in one part, so that what is held out is new. `codes`: uint8 (positions,), the places
    in the alphabet of all characters, each name followed by 0; `place`: how many characters of the name come before.
    """

    label: str
    names: tuple[str, ...]
    alphabet: tuple[str, ...]
    distinct: int
    dropped: Dropped
    part: Array
    codes: Array
    place: Array
    _kept: OrderedDict = field(default_factory=OrderedDict, repr=False)

    @property
    def mark(self) -> str:
        return self.alphabet[0]

    @property
    def size(self) -> int:
        return len(self.alphabet)

    @property
    def duplicates(self) -> int:
        return len(self.names) - self.distinct

    @property
    def positions(self) -> int:
        return len(self.codes)

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each character is in the alphabet."""
        return {character: i for i, character in enumerate(self.alphabet)}

    @cached_property
    def position_part(self) -> Array:
        """The part of each position, uint8 (positions,)."""
        import numpy as np

        ends = np.flatnonzero(self.codes == 0)
        return np.repeat(self.part, np.diff(ends, prepend=-1))

    def names_in(self, part: str) -> int:
        """How many names, copies included, are in "train", "dev", "test" or "all"."""
        import numpy as np

        return len(self.names) if part == "all" else int(np.count_nonzero(self.part == PARTS.index(part)))

    def windows(self, block: int, part: str = "all") -> tuple[Array, Array]:
        """X uint8 (n, block), the characters before each position, and Y uint8 (n,), the one that is there."""
        import numpy as np

        check_block(block)
        x = np.zeros((self.positions, block), np.uint8)
        for back in range(1, block + 1):
            x[back:, block - back] = np.where(self.place[back:] >= back, self.codes[:-back], 0)
        if part == "all":
            return x, self.codes
        chosen = self.position_part == PARTS.index(part)
        return x[chosen], self.codes[chosen]

    def keep(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` returns, made once; the longest unused is given up where the list is long."""
        kept = self._kept.pop(key, None)
        if kept is None:
            kept = make()
        self._kept[key] = kept
        while len(self._kept) > max(1, min(MAX_BLOCK, KEPT // self.positions)):
            self._kept.popitem(last=False)
        return kept


def check_block(block: int) -> None:
    if isinstance(block, bool) or not isinstance(block, int) or not 1 <= block <= MAX_BLOCK:
        raise Problem(f"Choose a block size from 1 to {MAX_BLOCK}.", f"block size 请选择 1 到 {MAX_BLOCK}。")


@lru_cache(maxsize=1)
def example() -> NameList:
    """The names given to babies in the United States in 2018."""
    return read_names(EXAMPLE.read_bytes(), "US 2018")


def read_names(data: bytes | str, label: str = "", split_seed: int = 0) -> NameList:
    """The names of a file or a text, one a line; what is too large, unreadable or too little raises Problem.

    Spaces at both ends go, and an accent that is a character of its own joins its letter (NFC); nothing else changes:
    A and a are two characters. Of the different names, a tenth goes to dev and a tenth to test, drawn with the seed.
    """
    if len(data) > MAX_BYTES:
        raise Problem(
            f"The list is larger than {MAX_BYTES // 10**6} MB, the most that is read here: give a part of it.",
            f"名单超过了 {MAX_BYTES // 10**6} MB 的读取上限：请只给出一部分。",
        )
    lines = _text(data).splitlines()
    names, dropped = [], Counter(beyond=max(0, len(lines) - MAX_LINES))
    for line in lines[:MAX_LINES]:
        name = unicodedata.normalize("NFC", line.strip(" \t\u3000"))
        fault = _fault(name)
        if fault:
            dropped[fault] += 1
        else:
            names.append(name)
    frequent = {character for character, _ in Counter("".join(names)).most_common(MAX_ALPHABET)}
    kept = [name for name in names if frequent.issuperset(name)]
    dropped["rare"] = len(names) - len(kept)
    fit = bisect_right(list(accumulate(len(name) + 1 for name in kept)), MAX_POSITIONS)
    dropped["beyond"] += len(kept) - fit
    return _list(label, kept[:fit], Dropped(**dropped), split_seed)


def _text(data: bytes | str) -> str:
    if isinstance(data, str):
        return data
    try:
        utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")  # what some editors call Unicode
        return data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise Problem(
            "The file is not text in UTF-8: save it as UTF-8, one name a line.",
            "文件不是 UTF-8 文本：请另存为 UTF-8，每行一个名字。",
        ) from None


def _fault(name: str) -> str | None:
    if not name:
        return "empty"
    if len(name) > MAX_LENGTH:
        return "long"
    return "odd" if any(unicodedata.category(character) in ("Cc", "Cs") for character in name) else None


def _list(label: str, names: list[str], dropped: Dropped, seed: int) -> NameList:
    import numpy as np

    different = list(dict.fromkeys(names))
    if len(different) < MIN_NAMES:
        raise Problem(
            f"The list has {len(different)} different names and needs {MIN_NAMES} or more, one a line.",
            f"名单里有 {len(different)} 个不同的名字，至少需要 {MIN_NAMES} 个，每行一个。",
        )
    characters = sorted(set().union(*different))
    mark = next(mark for mark in [*MARKS, *_spare()] if mark not in characters)
    index = {character: i for i, character in enumerate([mark, *characters])}
    held = max(1, round(len(different) / 10))
    parts = np.zeros(len(different), np.uint8)
    order = np.random.default_rng(seed).permutation(len(different))
    parts[order[:held]], parts[order[held : 2 * held]] = 1, 2
    part_of = dict(zip(different, parts.tolist(), strict=True))
    lengths = np.array([len(name) + 1 for name in names])
    starts = np.cumsum(lengths) - lengths
    codes = np.zeros(lengths.sum(), np.uint8)
    codes[np.delete(np.arange(len(codes)), starts + lengths - 1)] = [index[one] for name in names for one in name]
    place = (np.arange(len(codes)) - np.repeat(starts, lengths)).astype(np.uint8)
    part = np.array([part_of[name] for name in names], np.uint8)
    return NameList(label, tuple(names), tuple(index), len(different), dropped, part, codes, place)


def _spare() -> Iterable[str]:
    return map(chr, range(0x2460, 0x2460 + MAX_ALPHABET))


@dataclass(frozen=True)
class Windows:
    """One name as examples: `contexts` of `block` characters, and the `targets` after them; `x`, `y` in numbers."""

    name: str
    block: int
    contexts: tuple[str, ...]
    targets: tuple[str, ...]
    x: tuple[tuple[int, ...], ...]
    y: tuple[int, ...]


def name_windows(name: str, block: int, names: NameList) -> Windows:
    """The windows of a name that is made of the characters of the list; as many as it has characters, and one.

    >>> name_windows("emma", 3, example()).contexts
    ('...', '..e', '.em', 'emm', 'mma')
    """
    check_block(block)
    name = unicodedata.normalize("NFC", name.strip())
    if len(name) > MAX_LENGTH:
        raise Problem(
            f"A name has at most {MAX_LENGTH} characters here: write a shorter one.",
            f"这里的名字最多 {MAX_LENGTH} 个字符：请写短一些。",
        )
    ids = (0,) * block + encode(name, names) + (0,)
    padded = names.mark * block + name + names.mark
    contexts = tuple(padded[i : i + block] for i in range(len(name) + 1))
    x = tuple(ids[i : i + block] for i in range(len(name) + 1))
    return Windows(name, block, contexts, tuple(padded[block:]), x, ids[block:])


def encode(text: str, names: NameList) -> tuple[int, ...]:
    """Where the characters of a text are in the alphabet. One that is in no name of the list raises Problem."""
    unknown = next((character for character in text if not names.index.get(character)), None)
    if unknown is not None:
        raise Problem(
            f"No name of the list has the character “{unknown}”: use only its characters.",
            f"名单里没有名字含“{unknown}”这个字符：请只用名单里的字符。",
        )
    return tuple(names.index[character] for character in text)


@dataclass(frozen=True)
class Shapes:
    """What the windows of a list are in numbers: `x` (n, block), `y` (n,), the table C (k, dim), and `cx` of C[X].

    `one_hot` (n, block, k) is what X would be with a one-hot row for each number: `one_hot_numbers`, of which
    `zero_share` are 0. Bytes: a number of X or y takes one, a float four; `lookup_bytes` are those of X and C.
    """

    x: tuple[int, int]
    y: tuple[int]
    table: tuple[int, int]
    cx: tuple[int, int, int]
    one_hot: tuple[int, int, int]
    one_hot_numbers: int
    zero_share: float
    one_hot_bytes: int
    index_bytes: int
    lookup_bytes: int
    embedded_bytes: int


def shapes(names: NameList, block: int = 3, dim: int = 2) -> Shapes:
    """The shapes of X, y, C and C[X] for a list: the shape of C[X] is that of X, and what is left of C's."""
    check_block(block)
    n, k = names.positions, names.size
    x, table = (n, block), (k, dim)
    hot, index = n * block * k, n * block
    return Shapes(
        x, (n,), table, (*x, dim), (*x, k), hot, 1 - 1 / k, 4 * hot, index, index + 4 * k * dim, 4 * index * dim
    )
