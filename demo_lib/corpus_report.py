"""From a tally to a report: ratios with intervals, lengths, scripts, groups, and the words to look at."""

from collections.abc import Sequence
from heapq import nsmallest

from . import catalog
from .corpus_bad import sentence
from .corpus_block import Job
from .corpus_facts import Facts, facts_for
from .corpus_lines import (
    BadKind,
    CharacterLine,
    FileLine,
    GroupLine,
    Lengths,
    ModelLine,
    Pair,
    Ratio,
    Report,
    ScriptLine,
    TokenLine,
    WordLine,
)
from .corpus_tally import BYTES, CHARACTERS, DOCUMENTS, HAN, ModelTally, Tally, han_tokens_at, tokens_at
from .corpus_words import Words
from .problems import Problem
from .scripts import KINDS, kinds_of
from .table import Array
from .text_costs import read_prices

CONTEXTS = (8_192, 32_768, 131_072)
RESAMPLES, SEED = 2000, 20_260_101
FEWEST = 20  # buckets with documents in them, for an interval
LISTED = 50  # rows of a table
BROKEN = KINDS.index("bytes")


def make_report(job: Job, tally: Tally, prices: str = "") -> Report:
    """The report of a tally. `prices`: per million tokens, as typed. A corpus without a document raises Problem."""
    paid = read_prices(prices, len(job.models))
    total = tally.sums.sum(0).tolist()
    bad = _bad(job, tally)
    if not total[DOCUMENTS]:
        why, zh = bad[0].examples[0] if bad else _nothing(job)
        raise Problem(f"No document could be read. {why}", f"没有读到任何文档。{zh}")
    samples = _resampled(tally.sums)
    models = tuple(_model(i, model, tally, total, samples, paid[i]) for i, model in enumerate(job.models))
    pairs = tuple(
        _pair(job, words, other, total, samples)
        for other, words in enumerate(tally.words, 1)
        if total[tokens_at(other)]
    )
    by = next((one.form.by for one in job.looks), None)
    files = tuple(_file(job, tally, i) for i in range(len(job.looks)))
    counted = (total[DOCUMENTS], total[CHARACTERS], total[BYTES], total[HAN], sum(tally.empty.values()))
    return Report(*counted, files, models, pairs, by, _groups(tally, total), tally.crowded, bad)


def _resampled(sums: Array):
    """float64 (RESAMPLES, columns), or None: the sums of corpora drawn from this one, bucket by bucket."""
    import numpy as np

    full = sums[sums[:, DOCUMENTS] > 0]
    if len(full) < FEWEST:
        return None
    chance, even, sums = np.random.default_rng(SEED), np.full(len(full), 1 / len(full)), full.astype(float)
    # a hundred at a time: all 2,000 draws would be 16 MB
    return np.concatenate([chance.multinomial(len(full), even, 100) @ sums for _ in range(RESAMPLES // 100)])


def ratio(above: int, below: int, total: Sequence[int], samples) -> Ratio:
    """One column of sums over another."""
    import numpy as np

    value = total[above] / total[below]
    if samples is None or not samples[:, below].all():
        return Ratio(value, None, None)
    low, high = np.percentile(samples[:, above] / samples[:, below], [2.5, 97.5]).tolist()
    return Ratio(value, low, high)


def quantile(lengths: dict[int, int], share: float) -> int:
    """The least length that at least this share of the documents have at most.

    >>> quantile({3: 1, 5: 1, 9: 2}, 0.5)
    5
    """
    left = share * sum(lengths.values())
    for length in sorted(lengths):
        left -= lengths[length]
        if left <= 1e-9:
            return length
    return max(lengths)


def _model(i: int, model: str, tally: Tally, total: list[int], samples, price: float | None) -> ModelLine:
    counted, facts, at = tally.models[i], facts_for(model), tokens_at(i)
    tokens, lengths, times = total[at], counted.lengths, counted.frequency
    order = sorted((-int(times[id]), id) for id in times.nonzero()[0].tolist())
    return ModelLine(
        model,
        catalog.label(model),
        tokens,
        ratio(at, CHARACTERS, total, samples),
        ratio(han_tokens_at(i), HAN, total, samples) if total[HAN] else None,
        ratio(BYTES, at, total, samples) if tokens else Ratio(0.0, None, None),
        Lengths(*(quantile(lengths, share) for share in (0.5, 0.9, 0.99)), max(lengths)),
        _bins(lengths),
        {most: sum(n for length, n in lengths.items() if length > most) for most in CONTEXTS},
        int(times[facts.broken[: len(times)]].sum()),
        len(order),
        sum(map(bool, facts.data)),
        _scripts(counted, facts),
        tuple(_token(id, -less, facts) for less, id in order[:LISTED]),
        _dear_characters(counted),
        price,
        None if price is None else tokens * price / 10**6,
    )


def _bins(lengths: dict[int, int]) -> dict[int, int]:
    bins = {1 << k: 0 for k in range((max(lengths) - 1).bit_length() + 1)}
    for length, documents in lengths.items():
        bins[1 << max(length - 1, 0).bit_length()] += documents
    return bins


def _token(id: int, times: int, facts: Facts) -> TokenLine:
    data = facts.data[id]
    return TokenLine(id, None if facts.broken[id] else data.decode(), data.hex(" "), times)


def _scripts(counted: ModelTally, facts: Facts) -> tuple[ScriptLine, ...]:
    """Tokens by the script of their characters; those that hold parts of characters by the script of these."""
    import numpy as np

    times, count = counted.frequency, len(KINDS)
    whole = np.where(facts.broken, 0, times)
    tokens = np.bincount(facts.kind, weights=whole, minlength=count)
    letters = np.bincount(facts.kind, weights=whole * facts.letters, minlength=count)
    tokens[BROKEN] += times[facts.broken].sum()
    kinds = kinds_of([text for text, _ in counted.parts])
    for (text, size), often, kind in zip(counted.parts, counted.parts.values(), kinds.tolist(), strict=True):
        tokens[BROKEN] -= size * often
        tokens[kind] += size * often
        letters[kind] += len(text) * often
    lines = [
        ScriptLine(*row) for row in zip(KINDS, tokens.astype(int).tolist(), letters.astype(int).tolist(), strict=True)
    ]
    return tuple(sorted((line for line in lines if line.tokens), key=lambda line: -line.tokens))


def _dear_characters(counted: ModelTally) -> tuple[CharacterLine, ...]:
    found = sorted((-times * size, text, size, times) for (text, size), times in counted.parts.items())
    return tuple(CharacterLine(text, times, size) for _, text, size, times in found[:LISTED])


def _pair(job: Job, words: Words, other: int, total: list[int], samples) -> Pair:
    totals = words.totals()
    cheap = nsmallest(LISTED, ((one - other, word) for word, (_, one, other) in totals.items() if one < other))
    dear = nsmallest(LISTED, ((other - one, word) for word, (_, one, other) in totals.items() if one > other))

    def line(more: int, word: str) -> WordLine:
        times, one, other = totals[word]
        _, _, file, text = words.examples[word]
        return WordLine(word, times, one / times, other / times, -more, text, job.looks[file].name)

    compared = ratio(tokens_at(0), tokens_at(other), total, samples)
    lines = (tuple(line(*row) for row in rows) for rows in (dear, cheap))
    return Pair(job.models[0], job.models[other], compared, *lines, 2**words.level)


def _groups(tally: Tally, total: list[int]) -> tuple[GroupLine, ...]:
    """The values with the most documents; what is left as one line."""
    if not tally.groups:
        return ()
    rows = sorted((-int(row[DOCUMENTS]), value, row.tolist()) for value, row in tally.groups.items())[:LISTED]
    lines = [_group(value, row) for _, value, row in rows]
    rest = [whole - sum(row[i] for _, _, row in rows) for i, whole in enumerate(total)]
    return (*lines, *([_group(None, rest)] if rest[DOCUMENTS] else []))


def _group(value: str | None, row: list[int]) -> GroupLine:
    return GroupLine(value, *row[:4], tuple(row[4::2]))


def _file(job: Job, tally: Tally, i: int) -> FileLine:
    one, row = job.looks[i], tally.files.get(i)
    counts = row.tolist()[:3] if row is not None else (0, 0, 0)
    bad = sum(lines for (file, _), lines in tally.bad.items() if file == i)
    form = one.form
    return FileLine(
        one.name, form.kind, form.encoding, form.split, form.column, one.size, *counts, tally.empty.get(i, 0), bad
    )


def _nothing(job: Job) -> tuple[str, str]:
    """Why files without a bad line have no document."""
    first = job.looks[0]
    name, column = first.name, (first.column or "")[:40]
    if len(job.looks) > 1:
        n = len(job.looks)
        return f"All {n:,} files have nothing but white space.", f"全部 {n:,} 个文件都只有空白。"
    if column:
        return f"{name} has no row with a text in its column {column}.", f"{name} 的列 {column} 没有任何文本。"
    return f"{name} has nothing but white space.", f"{name} 只有空白。"


def _bad(job: Job, tally: Tally) -> tuple[BadKind, ...]:
    found = []
    for kind in sorted({kind for _, kind in tally.bad}):
        named = []
        for bad in (bad for bad in tally.examples if bad.kind == kind):
            before = sum(n for (file, block), n in tally.lines.items() if file == bad.file and block < bad.block)
            problem = sentence(bad, job.looks[bad.file].name, before + bad.line)
            named.append((str(problem), problem.zh))
        found.append(BadKind(kind, sum(n for (_, one), n in tally.bad.items() if one == kind), tuple(named)))
    return tuple(sorted(found, key=lambda one: -one.lines))
