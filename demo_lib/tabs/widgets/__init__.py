"""Widgets: gr.HTML components that draw a JSON string with textContent, so that nothing typed is ever HTML."""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

import gradio as gr

from demo_lib.catalog import check_models, label
from demo_lib.problems import Problem, Waiting
from demo_lib.render import BROKEN, NAMES, SPECIAL, say, to_json, token_rows

__all__ = [
    "BROKEN",
    "QUICK",
    "SLOW",
    "SPECIAL",
    "Slider",
    "Widget",
    "chosen",
    "drawing",
    "on_load",
    "open_each",
    "refused",
    "rows_of",
    "say",
    "to_json",
    "token_rows",
    "upload_choice",
]

# How events run: cheap ones beside the queue, as typing needs it; those that may wait or report progress through it
QUICK = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
SLOW = {"show_progress": "hidden", "api_visibility": "private", "concurrency_limit": 8}

_HERE = Path(__file__).parent


# What a widget's script needs besides common.js
_NEEDS = {
    "board": ("chips", "figures"),
    "prompt": ("chips",),
    "misread": ("chips",),
    "held": ("chips",),
    "parrot": ("pieces",),
    "rate": ("pieces",),
    "lab": ("switches", "plane", "curves"),
    "sizes": ("switches", "curves"),
    "heat": ("heattable",),
    "pairs": ("heattable",),
    "report": ("bars",),
}


@cache
def _script(name: str) -> str:
    parts = ("common", *_NEEDS.get(name, ()), name)
    return "\n".join((_HERE / f"{part}.js").read_text("utf-8") for part in parts)


@cache
def _events(script: str) -> frozenset[str]:
    """What may be the name of an event in a widget's script."""
    return frozenset(re.findall(r"""['"`](\w+)['"`]""", script))


def refused(problem: Problem, about: str | None = None) -> str:
    """A widget's value that shows a problem's sentence, in the language of the page.

    What was drawn before stays, dimmed; but where the widget's values say what they are `about`, only if that is the
    same: an answer about another model would look like the answer.
    """
    return to_json({"refused": say(problem)} | ({} if about is None else {"about": about}))


def drawing(make: Callable[..., dict], about: int = 0) -> Callable[..., str]:
    """A handler that draws what `make` returns, as JSON; the sentence of a Problem takes the drawing's place.

    `about`: so many of the first values say what the drawing is about; see `refused`.
    """

    def draw(*values) -> str:
        subject = to_json(values[:about]) if about else None
        try:
            return to_json(make(*values) | ({"about": subject} if about else {}))
        except Problem as problem:
            return refused(problem, subject)

    return draw


def upload_choice(path: str, key: str) -> tuple[str, str]:
    """An uploaded tokenizer.json in a list of models: its name in headings with that of the file, and its key."""
    return f"{label(key)} ({Path(path).name[:40]})", key


def rows_of(columns: Sequence, make: Callable[..., dict]) -> list[dict]:
    """{model, label, **make(column)} of each column; {model, label, error} where that raises Problem, {model, label,
    loading} where it raises Waiting."""
    rows = []
    for column in columns:
        row = {"model": column.model, "label": column.label}
        try:
            row |= make(column)
        except Waiting:
            row["loading"] = True
        except Problem as problem:
            row["error"] = say(problem)
        rows.append(row)
    return rows


def chosen(picks: str) -> int:
    """The number of the example that was chosen last, from the value of a Widget of picks."""
    return int(json.loads(picks)["chosen"])


def open_each(models: list[str], open: Callable[..., object]) -> Iterator[float]:
    """Open those of the models that are not open yet, with a new number after each: what draws them follows it.

    Typing never waits for a model: what is drawn meanwhile shows those that are there. One that fails to open says
    why to whoever draws with it next.
    """
    with suppress(Problem):
        models = [named.model for named in check_models(models)]
        for model in filter(partial(_waits, open), models):
            with suppress(Problem):
                open(model)
            yield time.monotonic()


def _waits(open: Callable[..., object], model: str) -> bool:
    try:
        open(model, wait=False)
    except Waiting:
        return True
    except Problem:
        pass
    return False


def on_load():
    """The event of the page under construction being opened, for gr.on."""
    return gr.context.Context.root_block.load


class Slider(gr.Slider):
    """A slider whose number may be typed: what is beyond its ends counts as the end, and an emptied field as the least.

    Gradio's own answers either with an error, in English, while the number is still being typed.
    """

    def get_block_name(self) -> str:
        return "slider"

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most that can be typed."""
        return self.minimum, self.maximum

    def preprocess(self, payload: float | None) -> float:
        least, most = self.ends
        number = least if payload is None or payload != payload else min(max(payload, least), most)
        return gr.Number.round_to_precision(number, self.precision)


class Widget(gr.HTML):
    """One widget of `name`.js. `room` says whose words it uses; its value is a JSON string, both ways.

    Events: `select` carries what was chosen, `change` follows an edit, `expand` comes once, when it can first be seen.
    """

    def __init__(self, name: str, room: str, value: str = "{}", *, label: str = "", **kw) -> None:
        self.script = name
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

    def __getattr__(self, name: str):
        # gr.HTML searches the whole script for each attribute that it has not, some hundred times a page
        if name not in _events(self.__dict__.get("js_on_load") or ""):
            raise AttributeError(name)
        return super().__getattr__(name)

    def get_block_name(self) -> str:
        return "html"  # for Gradio's page this is a gr.HTML

    def preprocess(self, payload: str | None) -> str | None:
        return payload

    def postprocess(self, value: str | None) -> str | None:
        return value

    def api_info(self) -> dict:
        return {"type": "string"}
