"""A report written to a file: HTML, CSV or JSON, whole or not at all."""

import csv
import io
import json
import os
from dataclasses import asdict
from pathlib import Path

from .cache import replace
from .corpus_lines import Report
from .corpus_say import tables
from .problems import Problem

ENDINGS = (".html", ".csv", ".json")


def to_json(report: Report) -> str:
    """The report with all its fields; the same for the same counts, wherever they were made."""
    return json.dumps(asdict(report), ensure_ascii=False, indent=1) + "\n"


def to_csv(report: Report, lang: str = "en") -> str:
    """All tables in one: table, row, column, value, so that any of them can be picked out and pivoted.

    A value that a spreadsheet would take for a formula has an apostrophe in front.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["table", "row", "column", "value"])
    for name, (columns, rows) in tables(report, lang).items():
        for i, row in enumerate(rows, 1):
            for column, value in zip(columns, row, strict=True):
                writer.writerow([name, i, column, _safe(value)])
    return file.getvalue()


def _safe(value):
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value


def check_out(path: str) -> Path:
    """Where a report goes, by the ending of its name; a place that cannot be written to raises Problem."""
    out = Path(path)
    if out.suffix.lower() not in ENDINGS:
        raise Problem(
            "The name of the report must end in .html, .csv or .json.", "报告文件名必须以 .html、.csv 或 .json 结尾。"
        )
    if not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
        raise Problem(
            f"{out.name} cannot be written: its folder is not there, or not yours.",
            f"无法写入 {out.name}：所在文件夹不存在，或没有权限。",
        )
    return out


def write(report: Report, out: Path, lang: str = "en") -> None:
    """Write the report in the format that the name asks for. CSV begins with a mark by which Excel knows UTF-8."""
    from .corpus_html import to_html

    match out.suffix.lower():
        case ".json":
            data = to_json(report).encode()
        case ".csv":
            data = to_csv(report, lang).encode("utf-8-sig")
        case _:
            data = to_html(report, lang).encode()
    try:
        replace(out, data, 0o644)
    except OSError:
        raise Problem(f"{out.name} could not be written.", f"无法写入 {out.name}。") from None
