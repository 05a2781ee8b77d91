"""Everything that the page can ask for, fetched ahead of a class: `python app.py --fetch`."""

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TextIO

from demo_lib import catalog, tables, vocab
from demo_lib.problems import Problem
from demo_lib.tabs.page import Words

TEXT = {
    "en": {
        "tokenizer": "{label}: the tokenizer is here.",
        "table": "{label}: the table is here, {mb} MB.",
        "failed": "{label}: {why}",
        "far": "{label}: {done} of {total} MB",
        "ready": "Ready: the page works without a network now, with what is here.",
        "stopped": "Stopped. What was fetched is kept: the same command goes on from there.",
        "short": "Not all that the page needs is here: try again.",
    },
    "zh-CN": {
        "tokenizer": "{label}：分词器已就绪。",
        "table": "{label}：嵌入表已就绪，{mb} MB。",
        "failed": "{label}：{why}",
        "far": "{label}：{done} / {total} MB",
        "ready": "准备好了：已有的内容现在无需网络即可使用。",
        "stopped": "已停止。已获取的部分会保留：再次运行同一命令即可继续。",
        "short": "页面需要的内容还没有全部就绪：请再试一次。",
    },
}
w = Words("ahead", TEXT)


def fetch_all(lang: str = "en", out: TextIO | None = None) -> bool:
    """Fetch all tokenizers and tables of the catalog, a line each; whether all is here that needs no Hub.

    What is here already is not fetched again, and what was cut short goes on. A table that cannot be had, as where the
    Hub is blocked or a model is gated, says why and stops nothing.
    """
    out = out or sys.stdout
    try:
        return _fetch_all(lang, out)
    except KeyboardInterrupt:
        _line(w.say("stopped", lang), out)
        return False


def _fetch_all(lang: str, out: TextIO) -> bool:
    here = [_try(partial(_tokenizer, key, lang), model.label, lang, out) for key, model in catalog.MODELS.items()]
    for key, source in catalog.TABLES.items():
        done = _try(partial(_table, key, lang, out), source.label, lang, out)
        here.append(done or source.wheels is None)
    _line(w.say("ready" if all(here) else "short", lang), out)
    return all(here)


def _try(work: Callable[[], str], label: str, lang: str, out: TextIO) -> bool:
    try:
        _line(work(), out)
    except Problem as problem:
        _line(w.say("failed", lang, label=label, why=problem.say(lang)), out)
        return False
    return True


def _tokenizer(key: str, lang: str) -> str:
    return w.say("tokenizer", lang, label=vocab.open_vocab(key).label)


def _table(key: str, lang: str, out: TextIO) -> str:
    label, told = catalog.TABLES[key].label, 0.0

    def tell(done: int, total: int) -> None:
        nonlocal told
        if out.isatty() and total and time.monotonic() > told + 0.2:
            told = time.monotonic()
            far = {"done": f"{done / 1e6:,.0f}", "total": f"{total / 1e6:,.0f}"}
            print(f"\r\x1b[K{w.say('far', lang, label=label, **far)}", end="", file=out, flush=True)

    table = tables.open_table(key, progress=tell)
    _ = table.vocab  # Gemma's tokenizer is built from its table's file
    return w.say("table", lang, label=label, mb=f"{table.info.nbytes / 1e6:,.0f}")


def _line(sentence: str, out: TextIO) -> None:
    print(f"\r\x1b[K{sentence}" if out.isatty() else sentence, file=out, flush=True)
