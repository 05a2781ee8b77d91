"""A report in plain words and as tables, in either language."""

import re
from typing import Any

from . import catalog
from .corpus_lines import Pair, Ratio, Report
from .corpus_text import TEXT
from .corpus_words import with_spaces
from .render import visible

# "1 tokens" is said "1 token"
_ONE = re.compile(r"(?<![\d.,])1 (document|character|byte|token|time)s\b")

Rows = tuple[list[str], list[list[Any]]]  # names of columns, and rows
# the tables in the order in which they are read, and the words for those that are not called like their table
SECTIONS = ("models", "words", "documents", "scripts", "groups", "characters", "tokens", "bad", "files")
# columns of words, characters, tokens: pieces of text, in which what has no shape is to be seen
PIECES = {"words": 0, "characters": 1, "tokens": 2}
_TITLES = {"files": "files_title", "bad": "bad_title"}


def word(key: str, lang: str, **fields: Any) -> str:
    """A word or sentence of the report; numbers are written with thousands apart."""
    table = TEXT["zh-CN" if lang.lower().startswith("zh") else "en"]
    numbers = {name: f"{value:,}" if isinstance(value, int) else value for name, value in fields.items()}
    return _ONE.sub(r"1 \1", table[key].format(**numbers))


def number(value: float) -> str:
    """Three digits that say something."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def seen(text: str) -> str:
    """A piece of text with signs for white space, and names for what has no shape.

    >>> seen(" a\\u200d")
    '␣a[ZWJ]'
    """
    return "".join(map(visible, with_spaces(text)))


def summary(report: Report, lang: str) -> list[str]:
    """What the report says, in a dozen sentences at most, the most important first."""
    said = [_corpus(report, lang), *(_model(model, lang) for model in report.models)]
    said += [_pair(report, pair, lang) for pair in report.pairs]
    said += _lengths(report, lang) + _dear(report, lang)
    for model in report.models:
        if model.cost is not None:
            said.append(word("cost", lang, price=f"{model.price:g}", label=model.label, cost=f"{model.cost:,.4g}"))
    if report.bad_lines:
        said.append(word("bad", lang, n=report.bad_lines))
    for file in report.files[:3]:
        if file.encoding and not file.encoding.startswith("utf"):
            said.append(word("guess", lang, file=file.name, encoding=file.encoding))
    sampled = max((pair.sampled for pair in report.pairs), default=1)
    if sampled > 1:
        said.append(word("sampled", lang, n=sampled))
    if report.crowded:
        said.append(word("crowded", lang, by=report.by))
    return said


def _corpus(report: Report, lang: str) -> str:
    files = word("files" if len(report.files) > 1 else "file", lang, n=len(report.files))
    counts = {name: getattr(report, name) for name in ("documents", "characters", "bytes", "han")}
    return word("corpus", lang, files=files, **counts)


def _model(model, lang: str) -> str:
    ratios = {"per_character": number(model.per_character.value), "bytes": number(model.bytes_per_token.value)}
    if model.per_han:
        ratios["per_han"] = number(model.per_han.value)
    return word("model_han" if model.per_han else "model", lang, label=model.label, tokens=model.tokens, **ratios)


def _pair(report: Report, pair: Pair, lang: str) -> str:
    """Who needs fewer tokens, and whether that may be chance."""
    one, other, ratio = catalog.label(pair.one), catalog.label(pair.other), pair.ratio
    if ratio.value == 1:
        return word("equal", lang, one=one, other=other)
    if ratio.value > 1:  # say it of the one that needs fewer
        one, other = other, one
        ratio = Ratio(1 / ratio.value, ratio.high and 1 / ratio.high, ratio.low and 1 / ratio.low)
    percent = f"{100 * (1 - ratio.value):.1f}"
    if ratio.low is None:
        return word("fewer_few", lang, one=one, other=other, percent=percent)
    low, high = f"{100 * (1 - ratio.high):.1f}", f"{100 * (1 - ratio.low):.1f}"
    if ratio.high >= 1:
        return word("same", lang, one=one, other=other, low=low, high=high)
    return word("fewer", lang, one=one, other=other, percent=percent, low=low, high=high)


def _lengths(report: Report, lang: str) -> list[str]:
    most = max(report.models, key=lambda model: model.tokens)
    lengths = {"median": most.lengths.median, "p99": most.lengths.p99, "max": most.lengths.max}
    said = [word("lengths", lang, label=most.label, **lengths)]
    first = min(most.over)
    if not any(model.over[first] for model in report.models):
        return [*said, word("over_none", lang, most=first)]
    context = max(most_ for most_, n in most.over.items() if n or most_ == first)
    n = most.over[context]
    percent = f"{100 * n / report.documents:.2g}"
    return [*said, word("over", lang, label=most.label, n=n, percent=percent, most=context)]


def _dear(report: Report, lang: str) -> list[str]:
    """Broken characters of the model that has most of them, and the word that costs most over the other model."""
    said = []
    model = max(report.models, key=lambda one: one.broken)
    if model.characters:
        percent = f"{100 * model.broken / model.tokens:.2g}"
        character = seen(model.characters[0].text)
        said.append(word("broken", lang, percent=percent, label=model.label, character=character))
    for pair in report.pairs:
        one, other = catalog.label(pair.one), catalog.label(pair.other)
        for lines, names, turned in ((pair.dearer_in_one, (one, other), 0), (pair.dearer_in_other, (other, one), 1)):
            if lines:
                costs = [number(lines[0].one), number(lines[0].other)]
                a, b = reversed(costs) if turned else costs
                more = {"word": seen(lines[0].text), "times": lines[0].times, "a": a, "b": b}
                said.append(word("word", lang, one=names[0], other=names[1], **more))
    return said


def tables(report: Report, lang: str) -> dict[str, Rows]:
    """Every table of the report: models, documents, scripts, groups, words, characters, tokens, files, bad.

    Numbers are numbers, a ratio is its value. `words`, `characters` and `tokens` have a first column that says of which
    model the row is. Those that would be empty are left out.
    """

    makers = {
        "models": _models,
        "documents": _documents,
        "scripts": _scripts,
        "groups": _groups,
        "words": _words,
        "characters": _characters,
        "tokens": _tokens,
        "files": _files,
        "bad": _bad,
    }
    found = {name: make(report, lang) for name, make in makers.items()}
    return {name: (columns, rows) for name, (columns, rows) in found.items() if rows}


def headings(report: Report, lang: str) -> dict[str, tuple[str, str]]:
    """What stands above each table: its title, and a note; in the order in which the tables are read."""
    found = {}
    for name in SECTIONS:
        notes = [word(f"{name}_note", lang, by=report.by)] if name != "tokens" else []
        if name == "tokens":
            sizes = ({"used": one.used, "size": one.size, "label": one.label} for one in report.models)
            notes = [word("tokens_note", lang, **fields) for fields in sizes]
        found[name] = word(_TITLES.get(name, name), lang, by=report.by), " ".join(notes)
    return found


def _names(lang: str, *keys: str) -> list[str]:
    return [word(f"c_{key}", lang) for key in keys]


def _models(report: Report, lang: str) -> Rows:
    rows = []
    for one in report.models:
        ratios = (one.per_character, one.per_han, one.bytes_per_token)
        rows.append(
            [one.label, one.tokens, *(ratio and ratio.value for ratio in ratios), one.broken, one.price, one.cost]
        )
    keys = ("model", "tokens", "per_character", "per_han", "bytes_per_token", "broken", "price", "cost")
    return _names(lang, *keys), rows


def _documents(report: Report, lang: str) -> Rows:
    over = [word("c_over", lang, most=most) for most in report.models[0].over]
    rows = [[one.label, *vars(one.lengths).values(), *one.over.values()] for one in report.models]
    return [*_names(lang, "model", "median", "p90", "p99", "max"), *over], rows


def _words(report: Report, lang: str) -> Rows:
    rows = []
    for pair in report.pairs:
        one, other = catalog.label(pair.one), catalog.label(pair.other)
        for line in pair.dearer_in_one:
            rows.append([line.text, line.times, one, line.one, other, line.other, line.extra, line.example, line.place])
        for line in pair.dearer_in_other:
            rows.append([line.text, line.times, other, line.other, one, line.one, line.extra, line.example, line.place])
    keys = ("word", "times", "dear", "tokens", "cheap", "tokens", "extra", "example", "file")
    return _names(lang, *keys), rows


def _characters(report: Report, lang: str) -> Rows:
    rows = []
    for model in report.models:
        rows += [[model.label, *vars(one).values(), one.times * one.tokens] for one in model.characters]
    return _names(lang, "model", "text", "times", "each", "tokens"), rows


def _tokens(report: Report, lang: str) -> Rows:
    part, rows = word("part", lang), []
    for model in report.models:
        rows += [[model.label, one.id, one.text or part, one.data, one.times] for one in model.top]
    return _names(lang, "model", "id", "text", "hex", "times"), rows


def _bad(report: Report, lang: str) -> Rows:
    rows, chinese = [], lang.lower().startswith("zh")
    for one in report.bad:
        rows += [[word(f"b_{one.kind}", lang), one.lines, example[chinese]] for example in one.examples]
    return _names(lang, "kind", "lines", "example"), rows


def _scripts(report: Report, lang: str) -> Rows:
    """A row for each script: of each model its tokens and tokens per character."""
    lines = [{line.kind: line for line in model.scripts} for model in report.models]
    order = {kind: -line.tokens for one in reversed(lines) for kind, line in one.items()}
    columns = [word("c_script", lang)]
    for model in report.models:
        columns += [f"{model.label}: {word(f'c_{key}', lang)}" for key in ("tokens", "characters", "per_character")]
    rows = []
    for kind in sorted(order, key=order.get):
        row = [word(f"k_{kind}", lang)]
        for one in lines:
            line = one.get(kind)
            row += (
                [line.tokens, line.characters, line.tokens / line.characters if line.characters else None]
                if line
                else [0, 0, None]
            )
        rows.append(row)
    return columns, rows


def _groups(report: Report, lang: str) -> Rows:
    columns = [word(f"c_{key}", lang) for key in ("value", "documents", "characters", "bytes", "han")]
    for model in report.models:
        columns += [f"{model.label}: {word(f'c_{key}', lang)}" for key in ("tokens", "per_character")]
    rows = []
    for line in report.groups:
        value = word("others", lang) if line.value is None else line.value or word("none", lang)
        costs = [cost for tokens in line.tokens for cost in (tokens, tokens / line.characters)]
        rows.append([value, line.documents, line.characters, line.bytes, line.han, *costs])
    return columns, rows


def _files(report: Report, lang: str) -> Rows:
    keys = ("file", "kind", "encoding", "split", "column", "size", "documents", "characters", "bytes", "empty", "bad")
    rows = []
    for one in report.files:
        row = dict(vars(one)) | {"split": word(f"split_{one.split}", lang)}
        rows.append([*row.values()])
    return [word(f"c_{key}", lang) for key in keys], rows


def frames(report: Report, lang: str) -> dict[str, Any]:
    """The tables as pandas DataFrames; two columns of one name get a number."""
    import pandas

    found = {}
    for name, (columns, rows) in tables(report, lang).items():
        unique = [
            f"{column} {columns[:i].count(column) + 1}" if columns.count(column) > 1 else column
            for i, column in enumerate(columns)
        ]
        found[name] = pandas.DataFrame(rows, columns=unique)
    return found
