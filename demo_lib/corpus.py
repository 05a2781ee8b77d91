"""The corpus room: what somebody's own text costs with each tokenizer. In a page, and on the command line:

    python -m demo_lib.corpus FILES... --models llama-3.1,qwen2.5 --column text --by lang --out report.html

Any size, in constant memory. Stopped and started again it goes on where it was.
"""

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from .catalog import MAX_MODELS, MODELS, choices, label
from .corpus_figures import figures
from .corpus_files import KINDS, SPLITS, Look, find
from .corpus_files import look as look_at
from .corpus_html import to_html
from .corpus_lines import Report
from .corpus_say import PIECES, frames, headings, summary, tables
from .corpus_write import ENDINGS, check_out, to_csv, to_json, write
from .passing import Passing
from .problems import Problem
from .text_costs import read_prices

# what the tab meets of the foundation, it meets here; what counts is imported when it is wanted, for the page to open
# before
__all__ = [
    "ENDINGS",
    "KINDS",
    "MAX_MODELS",
    "PIECES",
    "SPLITS",
    "Look",
    "Passing",
    "Report",
    "choices",
    "figures",
    "frames",
    "headings",
    "label",
    "look",
    "report",
    "report_of_text",
    "summary",
    "tables",
    "to_csv",
    "to_html",
    "to_json",
]

TELL = 0.2  # seconds between two lines of progress


def look(paths: Sequence[str], names: Sequence[str] | None = None, **options: str | None) -> tuple[Look, ...]:
    """Each file before it is counted: its kind, encoding, columns, a sample. `options`: as for `report`.

    `names`: what the files are called, in the order of the paths; their own names by default.
    """
    return tuple(look_at(name, path, **options) for name, path in find(list(paths), names))


def report(
    paths: Sequence[str],
    models: Sequence[str],
    *,
    prices: str = "",
    progress: Callable[[int, int], None] | None = None,
    cancel: threading.Event | None = None,
    **options: Any,
) -> Report:
    """The report on some files. `options` (names, column, by, split, encoding, limit): see corpus_run.prepare.

    Nothing of the files is kept. `progress(bytes done, bytes in all)`; setting `cancel` ends it with a Problem.
    """
    from .corpus_report import make_report
    from .corpus_run import prepare, run

    job = prepare(paths, models, **options)
    read_prices(prices, len(job.models))
    return make_report(job, run(job, progress=progress, cancel=cancel), prices)


def report_of_text(text: str, models: Sequence[str], *, split: str = "paragraph", **options: Any) -> Report:
    """The report on a text that somebody typed; a document is a paragraph of it, or a line, or all of it (`file`)."""
    data = text.encode(errors="replace") if isinstance(text, str) else b""
    if not data.strip():
        raise Problem("Paste a text to count, or choose a file.", "请粘贴一段文本，或选择文件。")
    with Passing() as folder:
        path = Path(folder, "text.txt")
        path.write_bytes(data)
        return report([str(path)], models, split=split, encoding="utf-8", **options)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    from .corpus_count import WAYS

    parser = argparse.ArgumentParser(
        prog="python -m demo_lib.corpus",
        description="What a corpus costs with each tokenizer. Files: .txt .md .csv .tsv .jsonl .parquet, or folders of "
        "them, or addresses that fsspec knows (s3://bucket/*.jsonl).",
    )
    parser.add_argument("files", nargs="+", metavar="FILES")
    parser.add_argument(
        "--models",
        default="llama-3.1,qwen2.5",
        help=f"up to {MAX_MODELS}, with commas between: {', '.join(MODELS)}, or org/name of the Hub",
    )
    parser.add_argument("--column", help="the column with the text (default: text, content, ... or the longest)")
    parser.add_argument("--by", help="a column by whose values documents are grouped")
    parser.add_argument("--split", choices=SPLITS, help="what a document is in .txt (default: line) and .md (file)")
    parser.add_argument("--encoding", help="of the files (default: detected, and said)")
    parser.add_argument("--prices", default="", help="per million tokens: one for all models, or one for each: 0.5,2")
    parser.add_argument("--out", default="report.html", help="report.html, .csv or .json; several with commas between")
    parser.add_argument("--lang", choices=["en", "zh"], default="en")
    parser.add_argument("--workers", type=int, help="threads (default: one for each processor)")
    parser.add_argument("--engine", choices=["threads", "dask"], default="threads")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, such as tcp://10.0.0.1:8786")
    parser.add_argument("--counter", choices=WAYS, help="count in this way only (default: the fastest that agrees)")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None, err: TextIO | None = None) -> int:
    """The command line; what it returns is the exit status: 0 done, 1 a problem, 130 stopped."""
    args, err = _arguments(argv), err or sys.stderr
    try:
        _count(args, err)
    except Problem as problem:
        print(f"\n{problem.say(args.lang)}" if err.isatty() else problem.say(args.lang), file=err)
        return 1
    except KeyboardInterrupt:
        zh = args.lang == "zh"
        print("\n已停止；同一命令会从这里继续。" if zh else "\nStopped: the same command goes on from here.", file=err)
        return 130
    return 0


def _count(args: argparse.Namespace, err: TextIO) -> None:
    from .corpus_count import WAYS
    from .corpus_report import make_report
    from .corpus_run import prepare, run

    outs, engine = [check_out(name.strip()) for name in args.out.split(",")], _engine(args)
    options = {name: getattr(args, name) for name in ("column", "by", "split", "encoding")}
    ways = [args.counter] if args.counter else WAYS
    _few_heaps(args.workers or os.cpu_count() or 1)
    job = prepare(args.files, args.models.split(","), remote=True, ways=ways, **options)
    read_prices(args.prices, len(job.models))  # before hours of counting, not after
    for one in job.looks[:20]:
        parts = (one.kind, one.encoding, one.column, f"{one.size / 1e6:,.1f} MB")
        print(f"{one.name}: {', '.join(filter(None, parts))}", file=err)
    print("; ".join(f"{label(model)}: {way}" for model, way in zip(job.models, job.ways, strict=True)), file=err)
    kept = Path(f"{outs[0]}.part")
    if kept.exists():
        print(f"{kept.name}: going on from there, if it is of the same job", file=err)
    tally = run(job, engine=engine, progress=_teller(err), checkpoint=kept)
    made = make_report(job, tally, args.prices)
    for out in outs:
        write(made, out, args.lang)
    kept.unlink(missing_ok=True)
    for said in summary(made, args.lang):
        print(said, file=err)
    for kind in made.bad:
        for example in kind.examples:
            print(f"  {example[args.lang == 'zh']}", file=err)
    print(", ".join(map(str, outs)), file=err)


def _few_heaps(threads: int) -> None:
    """glibc gives each thread a heap of its own and keeps what each once needed: with one for two, 35 MB less."""
    with suppress(OSError, AttributeError, TypeError):  # other C libraries have no such switch
        import ctypes

        ctypes.CDLL(None).mallopt(-8, max(1, threads // 2))  # M_ARENA_MAX


def _engine(args: argparse.Namespace) -> Callable:
    if args.engine == "threads":
        from .corpus_run import threads

        return partial(threads, workers=args.workers)
    from .corpus_dask import engine

    return engine(args.scheduler)


def _teller(err: TextIO) -> Callable[[int, int], None]:
    """Progress as one line that is written over; where nobody watches, a line every ten seconds."""
    watched, begun, told = err.isatty(), time.monotonic(), 0.0
    first: int | None = None

    def tell(done: int, total: int) -> None:
        nonlocal told, first
        now = time.monotonic()
        first = done if first is None else first
        if done < total and now < told + (TELL if watched else 10):
            return
        told, speed = now, (done - first) / max(now - begun, 1e-9)
        left = f", {(total - done) / speed:,.0f} s left" if speed and done < total else ""
        line = f"{done / 1e6:,.1f} of {total / 1e6:,.1f} MB ({100 * done / total:.0f}%), {speed / 1e6:.1f} MB/s{left}"
        print(
            f"\r\x1b[K{line}" if watched else line, end="" if watched and done < total else "\n", file=err, flush=True
        )

    return tell


if __name__ == "__main__":
    sys.exit(main())
