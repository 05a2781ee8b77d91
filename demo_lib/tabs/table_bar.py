"""Which embedding table answers: the choice, its facts, and fetching it with progress and cancel."""

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo_lib import catalog, tables
from demo_lib.problems import Problem
from demo_lib.tabs import page
from demo_lib.tabs.widgets import SLOW, Widget, say, to_json

# What the line says of a table that is ready
FACTS = ("label", "rows", "dim", "dtype", "nbytes", "source", "where", "license")


@dataclass(frozen=True)
class TableBar:
    """`choice` holds what was chosen, `opened` the key of the table that answers, or None while there is none."""

    choice: gr.Dropdown
    opened: gr.State


def label(key: str) -> str:
    return catalog.TABLES[key].label if key in catalog.TABLES else str(key)[:80]


def _row(key: str) -> dict:
    """What is said of a table in any state: its name, and why it is the one to begin with if it is."""
    default, en, zh = tables.default_table()
    return {"label": label(key)} | ({"why": {"en": en, "zh": zh}} if key == default else {})


def state(key: str) -> tuple[str, str | None]:
    """The line about a table (ready, not here yet, or why it cannot be had), and its key if it is ready."""
    return _state(key, _row(key))


def _state(key: str, row: dict) -> tuple[str, str | None]:
    try:
        info = tables.open_table(key, fetch=False).info
    except Problem as problem:
        kind = "missing" if isinstance(problem, tables.NotHere) else "failed"
        return to_json(row | {"state": kind, "problem": say(problem)}), None
    facts = {name: getattr(info, name) for name in FACTS}
    return to_json(row | {"state": "ready"} | facts), key


def begin() -> tuple[str, str, str | None]:
    """The table to begin with, the line about it, and its key if it is ready."""
    key = tables.default_table()[0]
    return key, *state(key)


def choose(key: str) -> Iterator[tuple]:
    """Another table: the line about it, and before, as a model of the Hub may take a while, that it is looked for."""
    here = False
    with suppress(Problem):
        here = tables.is_cached(key)
    if not here:
        yield to_json({"state": "looking", "label": label(key)}), None
    yield state(key)


def again(key: str, opened: str | None) -> tuple:
    """The line anew where the table has come meanwhile, as through another tab; otherwise as it is."""
    with suppress(Problem):
        if opened is None and tables.is_cached(key):
            return state(key)
    return gr.skip(), gr.skip()


def follow(work: Callable[[tables.Progress, threading.Event], Any]) -> Iterator[Any]:
    """(done, total) of `work(progress, stop)` as it goes on, and last what it returned, or its Problem.

    Closing the iterator sets `stop`. It can be closed only between two items, so one comes each second at least, even
    where nothing goes on.
    """
    news: queue.SimpleQueue = queue.SimpleQueue()
    stop = threading.Event()

    def run() -> None:
        try:
            news.put((work(lambda done, total: news.put((done, total)), stop),))
        except Problem as problem:
            news.put((problem,))
        except BaseException as fault:  # ours: whoever waits must hear of it
            news.put((fault,))

    threading.Thread(target=run, daemon=True).start()
    far: tuple = (0, 0)
    try:
        while len(far) == 2:
            with suppress(queue.Empty):
                far = news.get(timeout=1)
            if len(far) == 2 and news.empty():  # only the latest is worth showing
                yield far
        if isinstance(far[0], BaseException) and not isinstance(far[0], Problem):
            raise far[0]
        yield far[0]
    finally:
        stop.set()


def fetch(key: str) -> Iterator[tuple]:
    """Fetch a table, telling how far it is. Closing the iterator stops the fetch; what was fetched is kept."""
    row = _row(key)  # as it is now: that the Hub was away is still worth knowing when the table is here
    loading = row | {"state": "loading"}

    def work(progress: tables.Progress, stop: threading.Event) -> tables.Table:
        table = tables.open_table(key, progress=progress, cancel=stop)
        _ = table.used  # the first answer needs the tokenizer, and making one takes seconds
        return table

    yield to_json(loading), gr.skip()
    for far in follow(work):
        if isinstance(far, tuple):
            yield to_json(loading | {"done": far[0], "total": far[1]}), gr.skip()
        elif isinstance(far, Problem):
            yield to_json(row | {"state": "failed", "problem": say(far)}), None
        else:
            yield _state(key, row)


def stopped(key: str) -> tuple[str, None]:
    """The line after a visitor has stopped a fetch."""
    return to_json(_row(key) | {"state": "stopped"}), None


def build(room: str, w: page.Words) -> TableBar:
    """Draw the choice and the line; wire fetching and cancelling."""
    sources = [(source.label, key) for key, source in catalog.TABLES.items()]
    if tables.is_cached(tables.FOLDER):
        sources.insert(0, (w("table_folder"), tables.FOLDER))
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
    both = [line, opened]
    # All through the queue: the change of a State is not seen in what goes beside it
    line.expand(begin, None, [choice, *both], **SLOW)  # looking for a table may mean asking the Hub
    running = line.select(fetch, choice, both, **SLOW)
    choice.input(choose, choice, both, cancels=[running], trigger_mode="always_last", **SLOW)
    line.edit(stopped, choice, both, cancels=[running], **SLOW)
    line.focus(again, [choice, opened], both, **SLOW)
    return TableBar(choice, opened)
