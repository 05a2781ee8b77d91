"""Which embedding table answers: the choice, its facts, and fetching it with progress and cancel."""

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
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


def begin(asked: str | None) -> tuple[str, str, str, str | None]:
    """The table to begin with, `asked` for by a link or not, twice; the line about it, and its key if it is ready."""
    key = asked or tables.default_table()[0]
    return key, key, *state(key)


@dataclass(frozen=True)
class Errand:
    """Work that a visitor waits for, and may leave. Gradio's own `cancels` leave its last messages under way."""

    stop: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def leave(self) -> None:
        """Stop the work. What it shows comes before this returns, if it goes on showing anything."""
        self.stop.set()
        self.over.wait(5)


def leave(errand: Errand | None) -> None:
    """Stop what the visitor waits for, if there is anything."""
    if errand:
        errand.leave()


def follow(work: Callable[[tables.Progress, threading.Event], Any], errand: Errand) -> Iterator[Any]:
    """(done, total) of `work(progress, stop)` as it goes on, and last what it returned, or its Problem.

    It ends early when the errand is left, and closing it leaves the errand, as when the page is closed. It can be
    closed only between two items, so some come even where nothing goes on.
    """
    news: queue.SimpleQueue = queue.SimpleQueue()

    def run() -> None:
        try:
            news.put((work(lambda done, total: news.put((done, total)), errand.stop),))
        except Exception as fault:  # belongs to those who follow
            news.put((fault,))

    threading.Thread(target=run, daemon=True).start()
    far: tuple = (0, 0)
    try:
        while not errand.stop.is_set():
            with suppress(queue.Empty):
                far = news.get(timeout=0.5)
            if len(far) == 2 and news.empty():  # only the latest is worth showing
                yield far
            elif len(far) == 1 and isinstance(far[0], Exception) and not isinstance(far[0], Problem):
                raise far[0]
            elif len(far) == 1:
                if not errand.stop.is_set():
                    yield far[0]
                return
    finally:
        errand.stop.set()
        errand.over.set()


def choose(key: str, asked: str | None, before: Errand | None) -> Iterator[tuple]:
    """Another table than the one `asked` for before: which, the errand of looking for it, the line and its key.

    A model of the Hub may take a while. What was under way for the other table is left.
    """
    if key == asked:
        yield nothing(4)
        return
    leave(before)
    errand = Errand()
    with suppress(Problem):
        if tables.is_cached(key):
            yield key, None, *state(key)
            return
    for found in follow(lambda _, __: [state(key)], errand):
        if isinstance(found, list):
            yield key, errand, *found[0]
            return
        yield key, errand, to_json({"state": "looking", "label": label(key)}), None
    yield nothing(4)


def nothing(outputs: int) -> tuple:
    """The last of what a generator yields that has nothing to show in the end: it was left, or nothing was to be done.

    Gradio repeats the last values when a generator ends, after what others have shown meanwhile; and if there were
    none, it empties the outputs.
    """
    return (gr.skip(),) * outputs


def again(key: str, opened: str | None) -> tuple:
    """The line anew where the table has come meanwhile, as through another tab; otherwise as it is."""
    with suppress(Problem):
        if opened is None and tables.is_cached(key):
            return state(key)
    return gr.skip(), gr.skip()


def fetch(key: str, before: Errand | None) -> Iterator[tuple]:
    """Fetch a table, telling how far it is: the errand, the line, its key. What was fetched is kept in any case."""
    leave(before)
    row = _row(key)  # as it is now: that the Hub was away is still worth knowing when the table is here
    loading = row | {"state": "loading"}
    errand = Errand()

    def work(progress: tables.Progress, stop: threading.Event) -> tables.Table:
        table = tables.open_table(key, progress=progress, cancel=stop)
        _ = table.used  # the first answer needs the tokenizer, and making one takes seconds
        return table

    yield errand, to_json(loading), gr.skip()
    for far in follow(work, errand):
        if isinstance(far, tuple):
            yield errand, to_json(loading | {"done": far[0], "total": far[1]}), gr.skip()
        elif isinstance(far, Problem):
            yield errand, to_json(row | {"state": "failed", "problem": say(far)}), None
            return
        else:
            yield errand, *_state(key, row)
            return
    yield nothing(3)


def cancel(key: str, errand: Errand | None) -> tuple[str, str | None]:
    """The line after a visitor has stopped looking or fetching; it may just have come to its end."""
    leave(errand)
    with suppress(Problem):
        if tables.is_cached(key):
            return state(key)
    return to_json(_row(key) | {"state": "stopped"}), None


def build(room: str, w: page.Words) -> TableBar:
    """Draw the choice and the line; wire fetching and cancelling."""
    sources = [(source.label, key) for key, source in catalog.TABLES.items()]
    if tables.is_cached(tables.FOLDER):
        sources.insert(0, (w("table_folder"), tables.FOLDER))
    choice = gr.Dropdown(
        sources,
        value=None,  # until the page has asked which table to begin with; or a link's
        allow_custom_value=True,
        label=w("table"),
        info=w("table_info"),
        elem_id=f"{room}-table",
    )
    line = Widget("tablebar", room, elem_id=f"{room}-table-line")
    opened = gr.State(None)
    asked, errand = gr.State(None), gr.State(None)
    both = [line, opened]
    # All through the queue: the change of a State is not seen in what goes beside it
    line.expand(begin, choice, [choice, asked, *both], **SLOW)  # looking for a table may mean asking the Hub
    choice.change(choose, [choice, asked, errand], [asked, errand, *both], trigger_mode="multiple", **SLOW)
    line.select(fetch, [choice, errand], [errand, *both], **SLOW)
    line.edit(cancel, [choice, errand], both, **SLOW)
    line.focus(again, [choice, opened], both, **SLOW)
    return TableBar(choice, opened)
