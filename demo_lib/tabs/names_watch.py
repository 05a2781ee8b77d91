"""Work of the names lab that a visitor watches, pauses and stops: one training, or several one after another."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo_lib import names as room
from demo_lib.problems import Problem
from demo_lib.tabs import table_bar
from demo_lib.tabs.widgets import QUICK, SLOW, Widget, refused

# Those who train do not wait for Gradio: the room has a line of its own, and tells each its place
MANY = SLOW | {"concurrency_limit": room.SEATS + room.MAX_WAITING, "trigger_mode": "multiple"}


@dataclass(frozen=True, kw_only=True)
class Watched(table_bar.Errand):
    """The work that a visitor waits for."""

    work: room.Training | room.SizeExperiment

    def leave(self) -> None:
        """Stop it, and show nothing more of it."""
        self.stop.set()
        self.work.stop()
        self.over.wait(5)


def follow(
    before: Watched | None, begin: Callable[[], tuple[Any, Callable[[Any], tuple]]], outputs: int
) -> Iterator[tuple]:
    """Work as it goes on: what its switches switch, and what `show(event)` gives for the other outputs.

    `begin()` makes the work and `show`; where it raises Problem, its sentence is shown. What was watched `before` is
    left.
    """
    table_bar.leave(before)
    rest = (gr.skip(),) * (outputs - 2)
    try:
        work, show = begin()
    except Problem as problem:
        yield None, refused(problem), *rest
        return
    watched = Watched(work=work)
    try:
        yield watched, gr.skip(), *rest
        with closing(work.events()) as events:
            for event in events:
                if watched.stop.is_set():
                    break
                yield watched, *show(event)
    except Problem as problem:
        yield watched, refused(problem), *rest
    finally:
        watched.over.set()
    yield table_bar.nothing(outputs)


def switch(name: str) -> Callable:
    """Pause, resume or stop the work: what is shown then comes from `follow`."""

    def press(watched: Watched | None):
        if watched:
            getattr(watched.work, name)()
        return gr.skip()

    return press


def wire(shown: Widget, watched: gr.State) -> None:
    """The switches of a widget."""
    for event, name in ((shown.pause, "pause"), (shown.play, "resume"), (shown.stop, "stop")):
        event(switch(name), watched, shown, **QUICK)
