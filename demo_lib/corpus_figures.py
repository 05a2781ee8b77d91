"""The plots of a report, as plotly wants them: plain dictionaries without a colour, which the page that draws them has.

Each series says in `meta` which of the page's colours it takes.
"""

from typing import Any

from . import catalog
from .corpus_lines import Ratio, Report
from .corpus_say import word

SHOWN = 12  # bars of a kind


def figures(report: Report, lang: str) -> dict[str, dict[str, Any]]:
    """The plots by the names of their tables: models, documents, scripts, groups, words; those that have something."""
    found = {
        "models": _ratios(report, lang),
        "documents": _documents(report, lang),
        "scripts": _scripts(report, lang),
        "groups": _groups(report, lang),
        "words": _words(report, lang),
    }
    return {name: figure for name, figure in found.items() if figure["data"]}


def _series(name: str, number: int, **fields: Any) -> dict[str, Any]:
    return {"type": "bar", "name": name, "meta": number, **fields}


def _layout(title: str, height: int, **fields: Any) -> dict[str, Any]:
    """Bars that lie, the first on top, below their legend; `title` says what is measured."""
    base = {
        "height": height,
        "barmode": "group",
        "bargap": 0.25,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    }
    axes = {
        "xaxis": {"title": {"text": title}},
        "yaxis": {"autorange": "reversed", "automargin": True, "type": "category"},
    }
    return base | axes | fields


def _spread(ratios: list[Ratio]) -> dict[str, Any]:
    """The intervals as error bars."""
    if any(ratio.low is None for ratio in ratios):
        return {}
    above = [ratio.high - ratio.value for ratio in ratios]
    below = [ratio.value - ratio.low for ratio in ratios]
    return {"error_x": {"type": "data", "symmetric": False, "array": above, "arrayminus": below}}


def _ratios(report: Report, lang: str) -> dict[str, Any]:
    data, names = [], [word("c_per_character", lang), word("c_per_han", lang)]
    for i, one in enumerate(report.models):
        ratios = [one.per_character, *([one.per_han] if one.per_han else [])]
        values = [round(ratio.value, 4) for ratio in ratios]
        data.append(_series(one.label, i, x=values, y=names[: len(ratios)], orientation="h", **_spread(ratios)))
    rows = len(data) * len(data[0]["y"])
    return {"data": data, "layout": _layout(word("c_tokens", lang), 130 + 26 * rows)}


def _documents(report: Report, lang: str) -> dict[str, Any]:
    """How many documents have how many tokens, by powers of two."""
    data = []
    for i, one in enumerate(report.models):
        data.append(_series(one.label, i, x=[f"≤ {most:,}" for most in one.bins], y=[*one.bins.values()]))
    axes = {
        "xaxis": {"title": {"text": word("c_tokens", lang)}, "type": "category"},
        "yaxis": {"title": {"text": word("c_documents", lang)}},
    }
    return {"data": data, "layout": _layout("", 300, **axes)}


def _scripts(report: Report, lang: str) -> dict[str, Any]:
    data = []
    for i, one in enumerate(report.models):
        names = [word(f"k_{line.kind}", lang) for line in one.scripts]
        data.append(_series(one.label, i, x=[line.tokens for line in one.scripts], y=names, orientation="h"))
    rows = len({name for one in data for name in one["y"]}) * len(data)
    return {"data": data, "layout": _layout(word("c_tokens", lang), 130 + 18 * rows)}


def _groups(report: Report, lang: str) -> dict[str, Any]:
    data, lines = [], report.groups[:SHOWN]
    names = [word("others", lang) if one.value is None else one.value[:30] or word("none", lang) for one in lines]
    for i, one in enumerate(report.models if lines else ()):
        values = [round(line.tokens[i] / line.characters, 4) for line in lines]
        data.append(_series(one.label, i, x=values, y=names, orientation="h"))
    return {"data": data, "layout": _layout(word("c_per_character", lang), 130 + 22 * len(lines) * len(report.models))}


def _words(report: Report, lang: str) -> dict[str, Any]:
    """The words that cost most more, of the first pair: to the right where the first model needs more."""
    data = []
    for pair in report.pairs[:1]:
        one, other = catalog.label(pair.one), catalog.label(pair.other)
        sides = ((one, other, pair.dearer_in_one, 1), (other, one, pair.dearer_in_other, -1))
        for number, (dear, cheap, lines, sign) in enumerate(sides):
            if lines := lines[:SHOWN]:
                name = word("dearer", lang, one=dear, other=cheap)
                texts, extra = [line.text[:24] for line in lines], [sign * line.extra for line in lines]
                data.append(_series(name, number, x=extra, y=texts, orientation="h"))
    rows = sum(len(one["x"]) for one in data)
    return {"data": data, "layout": _layout(word("c_extra", lang), 130 + 20 * rows, barmode="relative")}
