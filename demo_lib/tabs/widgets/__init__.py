"""Widgets: gr.HTML components that draw a JSON string with textContent, so that nothing typed is ever HTML."""

from functools import cache
from pathlib import Path

import gradio as gr

from demo_lib.problems import Problem
from demo_lib.render import BROKEN, NAMES, SPECIAL, say, to_json, token_rows

__all__ = ["BROKEN", "SPECIAL", "Widget", "on_load", "refused", "say", "to_json", "token_rows"]

_HERE = Path(__file__).parent


@cache
def _script(name: str) -> str:
    return (_HERE / "common.js").read_text("utf-8") + (_HERE / f"{name}.js").read_text("utf-8")


def refused(problem: Problem) -> str:
    """A widget's value that shows a problem's sentence, in the language of the page."""
    return to_json({"refused": say(problem)})


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
