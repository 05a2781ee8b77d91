"""What a report of a corpus holds, line by line: plain numbers and texts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """A ratio, and where 95% of those of resampled corpora lie; None where there are too few documents to say."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Lengths:
    """Tokens of a document: that so many of all documents have at most."""

    median: int
    p90: int
    p99: int
    max: int


@dataclass(frozen=True)
class ScriptLine:
    """Tokens whose characters are of one kind (see scripts.kinds_of), and the characters that they cover."""

    kind: str
    tokens: int
    characters: int


@dataclass(frozen=True)
class TokenLine:
    """`text` is None where the bytes alone are no text; `data` is in hexadecimal."""

    id: int
    text: str | None
    data: str
    times: int


@dataclass(frozen=True)
class CharacterLine:
    """A character, or a few, of which no token holds all: each time it takes so many tokens."""

    text: str
    times: int
    tokens: int


@dataclass(frozen=True)
class ModelLine:
    """What one tokenizer makes of the corpus. `broken`: tokens that hold only a part of a character.

    `bins`: documents with at most so many tokens, a power of two, and more than half of it. `over`: documents with more
    tokens than each context. `used`: different tokens that came, of `size` that there are.
    """

    key: str
    label: str
    tokens: int
    per_character: Ratio
    per_han: Ratio | None
    bytes_per_token: Ratio
    lengths: Lengths
    bins: dict[int, int]
    over: dict[int, int]
    broken: int
    used: int
    size: int
    scripts: tuple[ScriptLine, ...]
    top: tuple[TokenLine, ...]
    characters: tuple[CharacterLine, ...]
    price: float | None
    cost: float | None


@dataclass(frozen=True)
class WordLine:
    """`one` and `other`: tokens each time, on average. `extra`: tokens more, in all. `place`: the example's file."""

    text: str
    times: int
    one: float
    other: float
    extra: int
    example: str
    place: str


@dataclass(frozen=True)
class Pair:
    """Two models. `ratio`: tokens of the one for each of the other. The words come from 1 in `sampled` documents."""

    one: str
    other: str
    ratio: Ratio
    dearer_in_one: tuple[WordLine, ...]
    dearer_in_other: tuple[WordLine, ...]
    sampled: int


@dataclass(frozen=True)
class GroupLine:
    """Documents with one value of a column; None for all others. `tokens` has a number for each model."""

    value: str | None
    documents: int
    characters: int
    bytes: int
    han: int
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class FileLine:
    """`bytes`: of its documents as UTF-8; `size`: of the file. `empty`: documents of white space, not counted."""

    name: str
    kind: str
    encoding: str | None
    split: str
    column: str | None
    size: int
    documents: int
    characters: int
    bytes: int
    empty: int
    bad: int


@dataclass(frozen=True)
class BadKind:
    """Lines that are no document, of one kind, and the first of them as sentences (English, Chinese)."""

    kind: str
    lines: int
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Report:
    """All that is said of a corpus. `crowded`: the column has so many values that only some are kept apart."""

    documents: int
    characters: int
    bytes: int
    han: int
    empty: int
    files: tuple[FileLine, ...]
    models: tuple[ModelLine, ...]
    pairs: tuple[Pair, ...]
    by: str | None
    groups: tuple[GroupLine, ...]
    crowded: bool
    bad: tuple[BadKind, ...]

    @property
    def bad_lines(self) -> int:
        return sum(one.lines for one in self.bad)
