"""What has been counted: sums that can be added in any order, from any number of machines, to the same report."""

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from .corpus_read import Bad
from .corpus_words import Words, merged
from .table import Array

BUCKETS = 1024  # documents are dealt into these by a hash of their text, for the bootstrap
DOCUMENTS, CHARACTERS, BYTES, HAN = range(4)  # places in a row of sums; then tokens and Han tokens of each model
MOST_GROUPS = 1000
EXAMPLES = 5  # bad lines of one kind that are named


def tokens_at(model: int) -> int:
    return 4 + 2 * model


def han_tokens_at(model: int) -> int:
    return 5 + 2 * model


@dataclass(frozen=True, eq=False)
class ModelTally:
    """`frequency`: how often each token id came. `lengths`: tokens: documents of so many.

    `parts`: (text, tokens): times, of characters that no token holds whole, each with the tokens that it takes.
    """

    frequency: Array  # int64
    lengths: dict[int, int]
    parts: dict[tuple[str, int], int]


@dataclass(frozen=True, eq=False)
class Tally:
    """A row of sums counts documents, characters, UTF-8 bytes and Han characters, then each model's tokens and those
    tokens that hold bytes of a Han character.

    `sums` has a row for each bucket; `groups` one for each value of a column, at most MOST_GROUPS of them, the least
    by a hash (`crowded`: there were more); `files` one for each file. `words` compares the first model with each
    other. `lines` counts the lines of each block of each file, so that a bad line's number is known at the end.
    """

    sums: Array  # int64 (BUCKETS, 4 + 2 * models)
    models: tuple[ModelTally, ...]
    words: tuple[Words, ...]
    groups: dict[str, Array] = field(default_factory=dict)
    crowded: bool = False
    files: dict[int, Array] = field(default_factory=dict)
    empty: dict[int, int] = field(default_factory=dict)
    bad: dict[tuple[int, str], int] = field(default_factory=dict)
    examples: tuple[Bad, ...] = ()
    lines: dict[tuple[int, int], int] = field(default_factory=dict)
    size: int = 0  # bytes of the files


def nothing(models: int) -> Tally:
    """The sums of no document."""
    import numpy as np

    width = 4 + 2 * models
    each = tuple(ModelTally(np.zeros(0, np.int64), {}, {}) for _ in range(models))
    return Tally(np.zeros((BUCKETS, width), np.int64), each, tuple(Words() for _ in range(models - 1)))


def merge(tallies: Sequence[Tally]) -> Tally:
    """All of them together, in any order."""
    groups = _added(tally.groups for tally in tallies)
    kept = sorted(groups, key=lambda value: (zlib.crc32(value.encode()), value))[:MOST_GROUPS]
    return Tally(
        sum(tally.sums for tally in tallies),
        tuple(_merge_models(each) for each in zip(*(tally.models for tally in tallies), strict=True)),
        tuple(merged(each) for each in zip(*(tally.words for tally in tallies), strict=True)),
        {value: groups[value] for value in kept},
        len(groups) > MOST_GROUPS or any(tally.crowded for tally in tallies),
        _added(tally.files for tally in tallies),
        _added(tally.empty for tally in tallies),
        _added(tally.bad for tally in tallies),
        first_bad(bad for tally in tallies for bad in tally.examples),
        _added(tally.lines for tally in tallies),
        sum(tally.size for tally in tallies),
    )


def first_bad(every: Iterable[Bad]) -> tuple[Bad, ...]:
    """Of each kind the first few, in the order of files."""
    kept: dict[str, list[Bad]] = {}
    for bad in sorted(every):
        kept.setdefault(bad.kind, []).append(bad)
    return tuple(sorted(bad for kind in kept.values() for bad in kind[:EXAMPLES]))


def _merge_models(each: Sequence[ModelTally]) -> ModelTally:
    import numpy as np

    frequency = np.zeros(max(len(one.frequency) for one in each), np.int64)
    for one in each:
        frequency[: len(one.frequency)] += one.frequency
    return ModelTally(frequency, _added(one.lengths for one in each), _added(one.parts for one in each))


def _added(many: Iterable[dict]) -> dict:
    total: dict = {}
    for one in many:
        if not total:
            total = dict(one)
            continue
        for key, more in one.items():
            total[key] = total.get(key, 0) + more
    return total


def dump(tally: Tally) -> bytes:
    """As bytes: the same for the same sums, whatever order they came in.

    A line of JSON for the sums, then those of the words one by one: all in one string would take 100 MB.
    """
    packer = zlib.compressobj(1)
    parts = [packer.compress(_line(row)) for row in _lines(tally)]
    return b"".join([*parts, packer.flush()])


def _line(value) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def _lines(tally: Tally) -> Iterator:
    yield {
        "sums": _packed(tally.sums),
        "models": [
            [_packed(one.frequency), sorted(one.lengths.items()), sorted([*k, n] for k, n in one.parts.items())]
            for one in tally.models
        ],
        "groups": [[value, tally.groups[value].tolist()] for value in sorted(tally.groups)],
        "crowded": tally.crowded,
        "files": [[file, tally.files[file].tolist()] for file in sorted(tally.files)],
        "empty": sorted(tally.empty.items()),
        "bad": sorted([*k, n] for k, n in tally.bad.items()),
        "examples": [[bad.file, bad.block, bad.line, bad.kind, bad.detail] for bad in tally.examples],
        "lines": sorted([*k, n] for k, n in tally.lines.items()),
        "size": tally.size,
    }
    for words in tally.words:
        yield [words.level, len(words.counts), len(words.examples)]
        for key in sorted(words.counts):
            yield [*key, *words.counts[key]]
        for word in sorted(words.examples):
            yield [word, *words.examples[word]]


def load(data: bytes) -> Tally:
    """What `dump` wrote."""
    import numpy as np

    lines = map(json.loads, zlib.decompress(data).split(b"\n")[:-1])
    found = next(lines)

    def rows(name: str) -> dict:
        return {key: np.array(row, np.int64) for key, row in found[name]}

    models = tuple(
        ModelTally(_unpacked(frequency), dict(map(tuple, lengths)), {(text, size): n for text, size, n in parts})
        for frequency, lengths, parts in found["models"]
    )
    words = []
    for level, counts, examples in lines:
        spelled = {(at, word): tuple(sums) for at, word, *sums in islice(lines, counts)}
        words.append(Words(level, spelled, {word: tuple(example) for word, *example in islice(lines, examples)}))
    return Tally(
        _unpacked(found["sums"]).reshape(BUCKETS, -1),
        models,
        tuple(words),
        rows("groups"),
        found["crowded"],
        rows("files"),
        dict(map(tuple, found["empty"])),
        {(file, kind): n for file, kind, n in found["bad"]},
        tuple(Bad(file, block, line, kind, tuple(detail)) for file, block, line, kind, detail in found["examples"]),
        {(file, block): n for file, block, n in found["lines"]},
        found["size"],
    )


def _packed(array) -> str:
    return base64.b64encode(array.astype("<i8").tobytes()).decode()


def _unpacked(text: str):
    import numpy as np

    return np.frombuffer(base64.b64decode(text), "<i8").astype(np.int64)
