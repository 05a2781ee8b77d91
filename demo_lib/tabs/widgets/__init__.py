"""Widgets: gr.HTML components that draw a JSON string with textContent, so that nothing typed is ever HTML."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import gradio as gr

from demo_lib.catalog import check_models
from demo_lib.problems import Problem
from demo_lib.render import BROKEN, NAMES, SPECIAL, say, to_json, token_rows
from demo_lib.vocab import is_open

__all__ = [
    "BROKEN",
    "QUICK",
    "SLOW",
    "SPECIAL",
    "Widget",
    "loading_rows",
    "on_load",
    "refused",
    "rows_of",
    "say",
    "to_json",
    "token_rows",
]

# How events run: cheap ones beside the queue, as typing needs it; those that may wait or report progress through it
QUICK = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
SLOW = {"show_progress": "hidden", "api_visibility": "private", "concurrency_limit": 8}

_HERE = Path(__file__).parent


@cache
def _script(name: str) -> str:
    return (_HERE / "common.js").read_text("utf-8") + (_HERE / f"{name}.js").read_text("utf-8")


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


def loading_rows(models: list[str]) -> str | None:
    """A widget's value that says which of the models are still loading; None if none is, or they cannot be had."""
    try:
        named = check_models(models)
    except Problem:
        return None
    if all(is_open(one.model) for one in named):
        return None
    rows = rows_of(named, lambda one: {"loading": not is_open(one.model)})
    return to_json({"text": "", "columns": rows, "busy": True})


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
