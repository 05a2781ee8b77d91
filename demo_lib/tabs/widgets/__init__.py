"""Widgets: gr.HTML components that draw a JSON string with textContent, so that nothing typed is ever HTML."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import gradio as gr

from demo_lib.catalog import Named, check_models
from demo_lib.problems import Problem
from demo_lib.render import BROKEN, NAMES, SPECIAL, say, to_json, token_rows
from demo_lib.vocab import is_open, open_vocab

__all__ = [
    "BROKEN",
    "QUICK",
    "SLOW",
    "SPECIAL",
    "Widget",
    "as_they_open",
    "on_load",
    "refused",
    "rows_of",
    "say",
    "to_json",
    "token_rows",
    "with_loading",
]

# How events run: cheap ones beside the queue, as typing needs it; those that may wait or report progress through it
QUICK = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
SLOW = {"show_progress": "hidden", "api_visibility": "private", "concurrency_limit": 8}

_HERE = Path(__file__).parent


# What a widget's script needs besides common.js
_NEEDS = {"board": ("chips", "figures"), "prompt": ("chips",), "misread": ("chips",)}


@cache
def _script(name: str) -> str:
    parts = ("common", *_NEEDS.get(name, ()), name)
    return "\n".join((_HERE / f"{part}.js").read_text("utf-8") for part in parts)


def refused(problem: Problem) -> str:
    """A widget's value that shows a problem's sentence, in the language of the page."""
    return to_json({"refused": say(problem)})


def rows_of(columns: Sequence, make: Callable[..., dict]) -> list[dict]:
    """{model, label, **make(column)} of each column, or {model, label, error} where making it raises Problem."""
    rows = []
    for column in columns:
        row = {"model": column.model, "label": column.label}
        try:
            row |= make(column)
        except Problem as problem:
            row["error"] = say(problem)
        rows.append(row)
    return rows


def as_they_open(models: list[str]) -> Iterator[tuple[list[str], list[Named]]]:
    """(open, still loading) while some of the chosen models are not open; each step opens one more.

    One that fails to open says why to whoever draws with it next.
    """
    try:
        named = check_models(models)
    except Problem:
        return
    waiting = [name for name in named if not is_open(name.model)]
    while waiting:
        yield [name.model for name in named if name not in waiting], waiting
        with suppress(Problem):
            open_vocab(waiting.pop(0).model)


def with_loading(value: str, waiting: Sequence[Named]) -> str:
    """A widget's value with columns that say which models are still loading."""
    data = json.loads(value)
    rows = [{"model": name.model, "label": name.label, "loading": True} for name in waiting]
    return to_json(data | {"columns": data.get("columns", []) + rows})


def on_load():
    """The event of the page under construction being opened, for gr.on."""
    return gr.context.Context.root_block.load


class Widget(gr.HTML):
    """One widget of `name`.js. `room` says whose words it uses; its value is a JSON string, both ways.

    Events: `select` carries what was chosen, `change` follows an edit.
    """

    def __init__(self, name: str, room: str, value: str = "{}", *, label: str = "", **kw) -> None:
        super().__init__(
            value,
            html_template=f'<div class="be-{name}"></div>',
            css_template="",
            js_on_load=_script(name),
            apply_default_css=False,
            room=room,
            names=NAMES,
            **kw,
        )

    def get_block_name(self) -> str:
        return "html"  # for Gradio's page this is a gr.HTML

    def preprocess(self, payload: str | None) -> str | None:
        return payload

    def postprocess(self, value: str | None) -> str | None:
        return value

    def api_info(self) -> dict:
        return {"type": "string"}
