"""Which embedding table answers: the choice, its facts, and fetching it with progress and cancel."""

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo_lib import catalog, tables
from demo_lib.problems import Problem
from demo_lib.tabs import page
from demo_lib.tabs.widgets import QUICK, SLOW, Widget, say, to_json


@dataclass(frozen=True)
class TableBar:
    """`choice` holds what was chosen, `opened` the key of the table that answers, or None while there is none."""

    choice: gr.Dropdown
    opened: gr.State


def label(key: str) -> str:
    return catalog.TABLES[key].label if key in catalog.TABLES else str(key)[:80]


def state(key: str) -> tuple[str, str | None]:
    """The line about a table (ready, not here yet, or why it cannot be had), and its key if it is ready."""
    default, en, zh = tables.default_table()
    row = {"label": label(key)} | ({"why": {"en": en, "zh": zh}} if key == default else {})
    here = True
    try:
        here = tables.is_cached(key)
        info = tables.open_table(key, fetch=False).info
    except Problem as problem:
        return to_json(row | {"state": "failed" if here else "missing", "problem": say(problem)}), None
    facts = {name: getattr(info, name) for name in ("label", "rows", "dim", "dtype", "nbytes", "where", "license")}
    return to_json(row | {"state": "ready"} | facts), key


def begin() -> tuple[str, str, str | None]:
    """The table to begin with, the line about it, and its key if it is ready."""
    key = tables.default_table()[0]
    return key, *state(key)


def follow(work: Callable[[tables.Progress, threading.Event], Any]) -> Iterator[Any]:
    """(done, total) of `work(progress, stop)` as it goes on, and last what it returned, or its Problem.

    Closing the iterator sets `stop`.
    """
    news: queue.SimpleQueue = queue.SimpleQueue()
    stop = threading.Event()

    def run() -> None:
        try:
            news.put((work(lambda done, total: news.put((done, total)), stop),))
        except Problem as problem:
            news.put((problem,))

    threading.Thread(target=run, daemon=True).start()
    try:
        while len(far := news.get()) == 2:
            if news.empty():  # only the latest is worth showing
                yield far
        yield far[0]
    finally:
        stop.set()


def fetch(key: str) -> Iterator[tuple]:
    """Fetch a table, telling how far it is. Closing the iterator stops the fetch; what was fetched is kept."""
    row = {"state": "loading", "label": label(key)}
    yield to_json(row), gr.skip()
    for far in follow(lambda progress, stop: tables.open_table(key, progress=progress, cancel=stop)):
        if isinstance(far, tuple):
            yield to_json(row | {"done": far[0], "total": far[1]}), gr.skip()
        elif isinstance(far, Problem):
            yield to_json(row | {"state": "failed", "problem": say(far)}), None
        else:
            yield state(key)


def build(room: str, w: page.Words) -> TableBar:
    """Draw the choice and the line; wire fetching and cancelling."""
    sources = [(source.label, key) for key, source in catalog.TABLES.items()]
    choice = gr.Dropdown(
        sources,
        value=tables.FALLBACK,
        allow_custom_value=True,
        label=w("table"),
        info=w("table_info"),
        elem_id=f"{room}-table",
    )
    line = Widget("tablebar", room, elem_id=f"{room}-table-line")
    opened = gr.State(None)
    line.expand(begin, None, [choice, line, opened], **SLOW)  # looking for a table may mean asking the Hub
    choice.change(state, choice, [line, opened], **QUICK)
    running = line.select(fetch, choice, [line, opened], **SLOW)
    line.edit(state, choice, [line, opened], cancels=[running], **QUICK)
    return TableBar(choice, opened)
