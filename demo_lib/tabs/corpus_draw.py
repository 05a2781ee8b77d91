"""What the corpus tab draws: a report as the JSON of its widgets, in both languages at once."""

from typing import Any

from demo_lib import corpus as room
from demo_lib.tabs.widgets import to_json

LANGS = ("en", "zh-CN")
# columns of long texts
LONG = {"words": 7, "bad": 2}


def report(made: room.Report, run: float) -> str:
    """The sentences and the tables; `run` tells this report from others.

    The sentence that compares, or else that of the first model, is the one to remember.
    """
    lines = [both(*pair) for pair in zip(*(room.summary(made, lang) for lang in LANGS), strict=True)]
    first = 1 + len(made.models) if made.pairs else 1
    lines.insert(0, lines.pop(first))
    return to_json({"run": run, "lines": lines, "sections": _sections(made)})


def _sections(made: room.Report) -> list[dict]:
    """Every table with its heading and its plot."""
    parts = (room.tables, room.headings, room.figures)
    tables, heads, plots = ([part(made, lang) for lang in LANGS] for part in parts)
    found = []
    for name in heads[0]:
        if name in tables[0]:
            title, note = (both(*(head[name][i] for head in heads)) for i in (0, 1))
            section = {"name": name, "title": title, "note": note} | _table(name, made, *(one[name] for one in tables))
            if name in plots[0]:
                section["plot"] = _plot(*(one[name] for one in plots)) | {"pieces": name in room.PIECES}
            found.append(section)
    return found


def both(en: Any, zh: Any) -> Any:
    """One value where the languages say the same."""
    return en if en == zh else {"en": en, "zh": zh}


def _table(name: str, made: room.Report, english: tuple, chinese: tuple) -> dict:
    (names, rows), (others, rows_zh) = english, chinese
    used = [i for i in range(len(names)) if any(row[i] is not None for row in rows)]
    columns = [{"name": both(names[i], others[i]), "kind": _kind(name, i, rows)} for i in used]
    pairs = zip(rows, rows_zh, strict=True)
    cells = [[both(row[i], row_zh[i]) for i in used] for row, row_zh in pairs]
    if name == "models":  # the ratios have intervals
        for row, model in zip(cells, made.models, strict=True):
            ranges = {2: model.per_character, 3: model.per_han, 4: model.bytes_per_token}
            for at, i in enumerate(used):
                if (ratio := ranges.get(i)) and ratio.low is not None:
                    row[at] = {"v": ratio.value, "low": ratio.low, "high": ratio.high}
    return {"columns": columns, "rows": cells}


def _kind(name: str, i: int, rows: list[list]) -> str:
    if any(isinstance(row[i], int | float) for row in rows):
        return "n"
    return "piece" if room.PIECES.get(name) == i else "long" if LONG.get(name) == i else "text"


def _plot(english: dict, chinese: dict) -> dict:
    """The bars of a plotly figure, all lying: {labels, series: [{name, colour, values, low, high}], measure}."""
    series, names = [], {}
    lying = english["data"][0].get("orientation") == "h"
    along, across = ("y", "x") if lying else ("x", "y")
    for one, other in zip(english["data"], chinese["data"], strict=True):
        names |= {label: both(label, zh) for label, zh in zip(one[along], other[along], strict=True)}
        columns = {"values": one[across]}
        if spread := one.get("error_x"):
            columns["low"] = [value - far for value, far in zip(one[across], spread["arrayminus"], strict=True)]
            columns["high"] = [value + far for value, far in zip(one[across], spread["array"], strict=True)]
        found = {key: dict(zip(one[along], column, strict=True)) for key, column in columns.items()}
        series.append({"name": both(one["name"], other["name"]), "colour": one["meta"]} | found)
    labels = [*names]
    while not lying and labels and not any(row["values"].get(labels[0]) for row in series):
        labels.pop(0)  # lengths that no document is as short as
    for row in series:
        row |= {key: [row[key].get(label) for label in labels] for key in ("values", "low", "high") if key in row}
    measure = [figure["layout"][f"{across}axis"]["title"]["text"] for figure in (english, chinese)]
    return {"labels": [names[label] for label in labels], "series": series, "measure": both(*measure)}
