"""One block counted: the same function for one process and for the workers of a cluster."""

import zlib
from collections import Counter as Tallied
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .corpus_count import Counter, Ids
from .corpus_facts import HAN, Facts, characters, codes_of, facts_for
from .corpus_files import Look, open_file
from .corpus_read import Bad, Batch, read
from .corpus_records import Block
from .corpus_tally import BUCKETS, DOCUMENTS, ModelTally, Tally, first_bad, han_tokens_at, merge, nothing, tokens_at
from .corpus_words import Cut, Words, level_of, words_of
from .problems import Problem
from .table import Array

TOGETHER = 2_000_000  # bytes of documents that are counted in one go


@dataclass(frozen=True)
class Job:
    """What is counted and how: `ways` has one for each model; `level` is that of corpus_words, from which documents'
    words are compared.
    """

    looks: Sequence[Look] | Mapping[int, Look]
    models: tuple[str, ...]
    ways: tuple[str, ...]
    level: int = 0


def count_block(job: Job, block: Block) -> Tally:
    """The tally of the documents of one block. A file that can be read no longer, or is damaged, raises Problem."""
    try:
        return _count(job, block)
    except OSError:
        name = job.looks[block.file].name
        raise Problem(
            f"{name} could not be read to its end: it is damaged, or no longer there.",
            f"{name} 没能读到末尾：文件已损坏，或已不存在。",
        ) from None


def _count(job: Job, block: Block) -> Tally:
    counters = [Counter(model, way) for model, way in zip(job.models, job.ways, strict=True)]
    total, lines, one = nothing(len(counters)), 0, job.looks[block.file]
    with open_file(one.address) as file:
        for batch in _larger(read(file, one.form, block)):
            counted = count_texts(batch.texts, batch.groups, counters, block.file, job.level)
            bad = tuple(Bad(block.file, block.number, lines + line, kind, detail) for line, kind, detail in batch.bad)
            about = {
                "empty": {block.file: batch.empty} if batch.empty else {},
                "bad": dict(Tallied((block.file, kind) for _, kind, _ in batch.bad)),
                "examples": first_bad(bad),
                "lines": {(block.file, block.number): batch.lines},
                "size": batch.size,
            }
            total = merge([total, replace(counted, **about)])
            lines += batch.lines
    return total


def _larger(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Several batches as one, up to about TOGETHER bytes: fewer sums to be added."""
    whole = Batch()
    for batch in batches:
        if whole.size and whole.size + batch.size > TOGETHER:
            yield whole
            whole = Batch()
        whole.bad += [(whole.lines + line, kind, detail) for line, kind, detail in batch.bad]
        whole.texts += batch.texts
        whole.groups += batch.groups
        whole.lines, whole.empty, whole.size = (
            whole.lines + batch.lines,
            whole.empty + batch.empty,
            whole.size + batch.size,
        )
    yield whole


def count_texts(
    texts: list[str], groups: list[str], counters: Sequence[Counter], file: int = 0, level: int = 0
) -> Tally:
    """The tally of some documents."""
    import numpy as np

    if not texts:
        return nothing(len(counters))
    data = [text.encode() for text in texts]
    hashes = [zlib.crc32(one) for one in data]
    found = [counter.encode(texts) for counter in counters]
    facts = [facts_for(counter.model) for counter in counters]
    rows = np.empty((len(texts), 4 + 2 * len(counters)), np.int64)
    rows[:, DOCUMENTS] = 1
    rows[:, 1], rows[:, 2] = [*map(len, texts)], [*map(len, data)]
    rows[:, 3] = _han(texts, rows[:, 1])
    models = []
    for i, (ids, one) in enumerate(zip(found, facts, strict=True)):
        tally, rows[:, tokens_at(i)], rows[:, han_tokens_at(i)] = _model(ids, one)
        models.append(tally)
    words = _words(data, hashes, found, facts, file, level)
    by_bucket = _grouped(np.array(hashes) % BUCKETS, rows, BUCKETS)
    return Tally(by_bucket, tuple(models), words, _by_value(groups, rows), files={file: rows.sum(0)})


def _han(texts: list[str], lengths: Array):
    """How many Han characters each text has."""
    import numpy as np

    if all(map(str.isascii, texts)):
        return 0
    return _between(characters()[codes_of(texts)] & HAN, np.cumsum(lengths))


def _between(values: Array, ends: Array):
    """The sums of the stretches of `values` (each 0 or 1) that end at `ends`."""
    import numpy as np

    before = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=before[1:])
    return np.diff(before[ends], prepend=0)


def _grouped(places: Array, rows: Array, count: int):
    """int64 (count, columns): the rows added up by place; exact, as floats are below 2**53."""
    import numpy as np

    columns = [np.bincount(places, weights=column, minlength=count) for column in rows.T]
    return np.stack(columns, axis=1).astype(np.int64)


def _by_value(groups: list[str], rows: Array) -> dict[str, Array]:
    import numpy as np

    if not groups:
        return {}
    places = {value: i for i, value in enumerate(dict.fromkeys(groups))}
    sums = _grouped(np.fromiter(map(places.__getitem__, groups), np.int64, len(groups)), rows, len(places))
    return dict(zip(places, sums, strict=True))


def _model(found: Ids, facts: Facts) -> tuple[ModelTally, Array, Array]:
    """What one model makes of some texts; how many tokens each has, and how many hold bytes of a Han character."""
    import numpy as np

    ids, ends = found.ids, found.ends
    tokens = np.diff(ends, prepend=0)
    han = _between(facts.han[ids], ends)
    parts: Tallied[tuple[str, int]] = Tallied()
    for texts, places, size, holding in _parts(ids, ends, facts):
        parts.update((text, size) for text in texts)
        han += np.bincount(np.searchsorted(ends, places, "right"), weights=holding, minlength=len(ends)).astype(
            np.int64
        )
    sizes, times = np.unique(tokens, return_counts=True)
    lengths = dict(zip(sizes.tolist(), times.tolist(), strict=True))
    return ModelTally(np.bincount(ids, minlength=len(facts)), lengths, dict(parts)), tokens, han


def _parts(ids: Array, ends: Array, facts: Facts):
    """Tokens that hold characters only together, those of one length at a time: (texts, places of the first tokens,
    tokens in each, how many of them hold bytes of a Han character).

    A token whose first byte goes on with a character belongs to the one before it.
    """
    import numpy as np

    flags = facts.inner[ids]
    flags[np.concatenate([[0], ends[:-1]])[np.diff(ends, prepend=0) > 0]] = False  # no text begins within a character
    inner = np.flatnonzero(flags)
    if not len(inner):
        return
    first = np.flatnonzero(np.diff(inner, prepend=-2) > 1)
    places, sizes = inner[first] - 1, np.diff(np.append(first, len(inner))) + 1
    for size in np.unique(sizes).tolist():
        at = places[sizes == size]
        kinds, which = _kinds(ids[at[:, None] + np.arange(size)])
        spelled = [_spell(tuple([facts.data[id] for id in kind])) for kind in kinds.tolist()]
        holding = np.array([han for _, han in spelled], np.int64)[which]
        yield [spelled[i][0] for i in which.tolist()], at, size, holding


def _kinds(rows: Array) -> tuple[Array, Array]:
    """The different rows, and which of them each row is."""
    import numpy as np

    if rows.shape[1] <= 3 and rows.max() < 1 << 21:  # as one number each: ten times as fast
        keys = np.zeros(len(rows), np.int64)
        for column in rows.T:
            keys = keys << 21 | column
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return rows[first], which.reshape(-1)
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    return kinds, which.reshape(-1)


@lru_cache(maxsize=1 << 16)
def _spell(pieces: tuple[bytes, ...]) -> tuple[str, int]:
    """The text of some tokens together, and how many of them hold bytes of a Han character."""
    text = b"".join(pieces).decode(errors="replace")
    holders, at = [], 0
    for letter in text:
        holders += [bool(characters()[ord(letter)] & HAN)] * len(letter.encode())
    count = 0
    for piece in pieces:
        count += any(holders[at : at + len(piece)])
        at += len(piece)
    return text, count


def _words(
    data: list[bytes], hashes: list[int], found: list[Ids], facts: list[Facts], file: int, level: int
) -> tuple[Words, ...]:
    """The first model against each other one, on the documents from `level` on whose bytes both give back."""
    import numpy as np

    if len(found) < 2:
        return ()
    sizes = np.fromiter(map(len, data), np.int64, len(data))
    wanted = np.array([level_of(crc) >= level for crc in hashes])
    pieces = [one.size[ids.ids] for ids, one in zip(found, facts, strict=True)]
    good = [_tiles(size, ids.ends, sizes) & wanted for size, ids in zip(pieces, found, strict=True)]
    compared = []
    for other in range(1, len(found)):
        both = np.flatnonzero(good[0] & good[other])
        if not len(both):
            compared.append(Words(level))
            continue
        cuts = []
        for i in (0, other):
            kept = np.repeat(good[0] & good[other], np.diff(found[i].ends, prepend=0))
            size = pieces[i][kept]
            cuts.append(Cut(np.cumsum(size, dtype=np.int64) - size, ~facts[i].inner[found[i].ids[kept]]))
        starts = np.cumsum(sizes[both]) - sizes[both]
        joined, chosen = b"".join(data[i] for i in both.tolist()), [hashes[i] for i in both.tolist()]
        words = words_of(joined, starts, chosen, file, *cuts)
        compared.append(Words(level, words.counts, words.examples))
    return tuple(compared)


def _tiles(sizes: Array, ends: Array, wanted: Array):
    """bool: of which texts the tokens' bytes are the bytes, as far as their number tells."""
    import numpy as np

    total = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    empty = np.concatenate([[0], np.cumsum(sizes == 0)])
    return (np.diff(total[ends], prepend=0) == wanted) & (np.diff(empty[ends], prepend=0) == 0)
