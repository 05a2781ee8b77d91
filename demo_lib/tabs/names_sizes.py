"""How many numbers does a character need? One training after another, as they go on."""

import time
from collections.abc import Iterator
from dataclasses import asdict

import gradio as gr

from demo_lib import names as room
from demo_lib.tabs import names_draw as draw
from demo_lib.tabs import names_watch, table_bar
from demo_lib.tabs.names_draw import w
from demo_lib.tabs.widgets import SLOW, Widget, to_json


def run(names: room.NameList | None, before: names_watch.Watched | None, *fields) -> Iterator[tuple]:
    """The experiment as it goes on: its switches and the picture."""
    names = draw.of(names)

    def begin() -> tuple:
        experiment = room.SizeExperiment(names, draw.settings(*fields))
        frame = {"run": time.monotonic(), "tries": [_try(one, names.size) for one in experiment.tries]}
        return experiment, lambda event: (to_json(frame | _event(event, names.size)),)

    yield from names_watch.follow(before, begin, 2)


def _try(settings: room.Settings, k: int) -> list:
    return [settings.width(k), settings.one_hot, room.parameters(settings, k)]


def _event(event: room.SizeEvent, k: int) -> dict:
    return {
        "state": event.state,
        "place": event.place,
        "now": _try(event.settings, k)[:2],
        "step": event.event.step,
        "steps": event.event.steps,
        "done": [asdict(row) for row in event.done],
    }


def begin(names: room.NameList | None, before: names_watch.Watched | None) -> str:
    """Nothing tried yet; what was under way with another list is left."""
    table_bar.leave(before)
    return to_json({"state": "idle", "done": [], "tries": []})


def build(names: gr.State, changed: gr.State, fields: list) -> None:
    """Draw the section. The other settings are those of the training."""
    with gr.Tab(w("sizes_tab"), id="sizes"):
        gr.Markdown(w("sizes_intro"), elem_classes="be-intro")
        shown = Widget("sizes", "names", elem_id="names-sizes")
        gr.Markdown(w("sizes_outro"), elem_classes="be-intro")
        tries = gr.State(None)
    gr.on([shown.expand, changed.change], begin, [names, tries], shown, trigger_mode="always_last", **SLOW)
    shown.select(run, [names, tries, *fields], [tries, shown], **names_watch.MANY)
    names_watch.wire(shown, tries)
