"""How many numbers does a character need? One training after another, as they go on."""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass

import gradio as gr

from demo_lib import names as room
from demo_lib.problems import Problem
from demo_lib.tabs import names_draw as draw
from demo_lib.tabs import table_bar
from demo_lib.tabs.names_draw import w
from demo_lib.tabs.widgets import QUICK, SLOW, Widget, refused, to_json


@dataclass(frozen=True, kw_only=True)
class Tries(table_bar.Errand):
    """An experiment that a visitor watches."""

    experiment: room.SizeExperiment

    def leave(self) -> None:
        self.stop.set()
        self.experiment.stop()
        self.over.wait(5)


def run(names: room.NameList | None, before: Tries | None, *fields) -> Iterator[tuple]:
    """The experiment as it goes on: its switches and the picture."""
    table_bar.leave(before)
    names = names or room.example()
    try:
        tries = Tries(experiment=room.SizeExperiment(names, draw.settings(*fields)))
    except Problem as problem:
        yield None, refused(problem)
        return
    frame = {"run": time.monotonic(), "tries": [_try(one, names.size) for one in tries.experiment.tries]}
    try:
        yield tries, gr.skip()
        with closing(tries.experiment.events()) as events:
            for event in events:
                if tries.stop.is_set():
                    break
                yield tries, to_json(frame | _event(event, names.size))
    except Problem as problem:
        yield tries, refused(problem)
    finally:
        tries.over.set()
    yield gr.skip(), gr.skip()


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


def begin(names: room.NameList | None, before: Tries | None) -> str:
    """Nothing tried yet; what was under way with another list is left."""
    table_bar.leave(before)
    return to_json({"state": "idle", "done": [], "tries": []})


def switch(name: str):
    """Pause, resume or stop the experiment: what it shows then comes from `run`."""

    def press(tries: Tries | None):
        if tries:
            getattr(tries.experiment, name)()
        return gr.skip()

    return press


def build(names: gr.State, changed: gr.State, fields: list, many: dict) -> None:
    """Draw the section. The other settings are those of the training."""
    with gr.Tab(w("sizes_tab"), id="sizes"):
        gr.Markdown(w("sizes_intro"), elem_classes="be-intro")
        shown = Widget("sizes", "names", elem_id="names-sizes")
        gr.Markdown(w("sizes_outro"), elem_classes="be-intro")
        tries = gr.State(None)
    gr.on([shown.expand, changed.change], begin, [names, tries], shown, trigger_mode="always_last", **SLOW)
    shown.select(run, [names, tries, *fields], [tries, shown], **many)
    for event, name in ((shown.pause, "pause"), (shown.play, "resume"), (shown.stop, "stop")):
        event(switch(name), tries, shown, **QUICK)
