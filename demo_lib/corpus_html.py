"""The report as one HTML file that opens by itself: both languages, light and dark, plots, and no network."""

import json
from html import escape
from pathlib import Path
from typing import Any

from .corpus_figures import figures
from .corpus_lines import Ratio, Report
from .corpus_say import PIECES, headings, number, seen, summary, tables, word

LANGS = ("en", "zh-CN")
SHORT = 24  # characters that are kept on one line


def to_html(report: Report, lang: str = "en") -> str:
    """A whole page; `lang` is the language that is shown first. About 5 MB, most of it plotly."""
    lang = LANGS[lang.lower().startswith("zh")]
    plots = {each: _seen(figures(report, each)) for each in LANGS}
    found = {each: tables(report, each) for each in LANGS}
    parts = [_summary(report)]
    parts += [_section(name, report, plots, found) for name in headings(report, lang) if name in found["en"]]
    folder = Path(__file__).parent
    style, script = ((folder / f"corpus_page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return f"""<!DOCTYPE html>
<html lang="{lang}" data-lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(word("title", lang))}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{_both("title")}</h1>
<div><button id="language" type="button"><span lang="en">中文</span><span lang="zh-CN">English</span></button>
<button id="theme" type="button" aria-label="light / dark">◐</button></div>
</header>
<main>
{"".join(parts)}
</main>
<footer><b>{_both("how")}</b> {_both("how_text")}</footer>
<script type="application/json" id="figures">{_json(plots)}</script>
<script>{_plotly()}</script>
<script>
{script}</script>
</body>
</html>
"""


def _plotly() -> str:
    """plotly.js, as its package has it."""
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


def _seen(plots: dict) -> dict:
    """The plots; where bars stand for pieces of text, these are seen."""
    for name in PIECES.keys() & plots.keys():
        for series in plots[name]["data"]:
            series["y"] = [seen(text) for text in series["y"]]
    return plots


def _json(value: Any) -> str:
    """JSON that cannot end the script around it."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def _both(key: str, **fields: Any) -> str:
    return "".join(f'<span lang="{lang}">{escape(word(key, lang, **fields))}</span>' for lang in LANGS)


def _summary(report: Report) -> str:
    lists = ""
    for lang in LANGS:
        lists += f'<ul lang="{lang}">' + "".join(f"<li>{escape(said)}</li>" for said in summary(report, lang)) + "</ul>"
    return f'<section class="summary"><h2>{_both("summary")}</h2>{lists}</section>\n'


def _section(name: str, report: Report, plots: dict, found: dict) -> str:
    heads = {lang: headings(report, lang)[name] for lang in LANGS}
    title, note = ("".join(f'<span lang="{lang}">{escape(heads[lang][i])}</span>' for lang in LANGS) for i in (0, 1))
    plot = f'<div class="plot" data-plot="{name}"></div>' if name in plots["en"] else ""
    both = "".join(_table(name, report, *found[lang][name], lang) for lang in LANGS)
    return f'<section id="{name}"><h2>{title}</h2><p class="note">{note}</p>{plot}{both}</section>\n'


def _table(name: str, report: Report, columns: list[str], rows: list[list], lang: str) -> str:
    numeric = [any(isinstance(row[i], int | float) for row in rows) for i in range(len(columns))]
    used = [i for i in range(len(columns)) if any(row[i] is not None for row in rows)]
    heads = "".join(f'<th scope="col"{_n(numeric[i])}>{escape(columns[i])}</th>' for i in used)
    body = ""
    for at, row in enumerate(rows):
        if (i := PIECES.get(name)) is not None and row[i] != word("part", lang):
            row = [*row[:i], seen(row[i]), *row[i + 1 :]]
        cells = [_cell(row[i], numeric[i]) for i in used]
        if name == "models":  # the ratios have intervals
            model = report.models[at]
            ranges = {2: model.per_character, 3: model.per_han, 4: model.bytes_per_token}
            cells = [_with_range(cell, ranges.get(i)) for i, cell in zip(used, cells, strict=True)]
        body += "<tr>" + "".join(cells) + "</tr>"
    label = escape(headings(report, lang)[name][0])
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="table" lang="{lang}" tabindex="0" role="region" aria-label="{label}">{table}</div>'


def _n(numeric: bool) -> str:
    return ' class="n"' if numeric else ""


def _cell(value: Any, numeric: bool) -> str:
    if numeric:
        shown = "" if value is None else f"{value:,}" if isinstance(value, int) else number(value)
        return f'<td class="n">{shown}</td>'
    text = "" if value is None else str(value)
    return f'<td class="{"t" if len(text) > SHORT else "s"}">{escape(text)}</td>'


def _with_range(cell: str, ratio: Ratio | None) -> str:
    if ratio is None or ratio.low is None:
        return cell
    return cell.replace("</td>", f'<span class="range">{number(ratio.low)}–{number(ratio.high)}</span></td>')
