"""The lessons tab: the ready lessons, each to be opened here or sent as a link."""

from dataclasses import asdict

import gradio as gr

from demo_lib import lessons
from demo_lib.tabs import page
from demo_lib.tabs.text.lessons import TEXT
from demo_lib.tabs.widgets import Widget, to_json

w = page.Words("lessons", TEXT)


def build(lang) -> dict[str, gr.components.Component]:
    """Draw the tab. It has nothing that a link could set.

    The files are read here, in a few milliseconds: asking for them once the tab is seen would take longer.
    """
    gr.Markdown(w("intro"), elem_classes="be-intro")
    Widget("lessons", "lessons", to_json([asdict(card) for card in lessons.cards()]), elem_id="lessons-cards")
    return {}


if __name__ == "__main__":
    import demo_lib.tabs.lessons

    page.run_alone(demo_lib.tabs.lessons)
