"""Every sentence that a widget asks for is among the words of each tab that draws it."""

import importlib
import re
from pathlib import Path

import pytest

TABS = Path(__file__).parents[1] / "demo_lib" / "tabs"
USES = sorted(
    {use for path in TABS.glob("*.py") for use in re.findall(r'Widget\(\s*"(\w+)",\s*"(\w+)"', path.read_text())}
)


@pytest.mark.parametrize(("widget", "room"), USES)
def test_the_words_of_a_widget_are_there(widget, room):
    text = importlib.import_module(f"demo_lib.tabs.text.{room}").TEXT
    script = (TABS / "widgets" / f"{widget}.js").read_text("utf-8")
    asked = set(re.findall(r"\b(?:say|phrase|listOf)\((?:'\w+', '[\w -]*', )?'(\w+)'(?! \+)", script))
    for language, words in text.items():
        assert asked <= set(words), language


def test_widgets_were_found():
    assert {("factlist", "probes"), ("parrot", "parrot"), ("board", "tokens")} <= set(USES)
