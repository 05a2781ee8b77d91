"""The lessons room: what there is to say of each ready lesson before one opens it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .lesson import load, ready


@dataclass(frozen=True)
class Card:
    """One ready lesson. `title` and `learn` (what one learns) in each language; `minutes` that it takes with a class;
    the rooms of its `tabs`, each once, in the order in which it opens them."""

    name: str
    title: Mapping[str, str]
    learn: Mapping[str, str]
    minutes: int
    steps: int
    tabs: tuple[str, ...]


def card(name: str, file: Mapping[str, Any]) -> Card:
    """
    >>> about = {"minutes": 5, "learn": {"en": "Ids."}, "place": 1}
    >>> card("ids", {"title": {"en": "Ids"}, "about": about, "pages": [{"tab": "tokens"}, {"tab": "tokens"}]}).tabs
    ('tokens',)
    """
    about, tabs = file["about"], dict.fromkeys(page["tab"] for page in file["pages"])
    return Card(name, file["title"], about["learn"], about["minutes"], len(file["pages"]), tuple(tabs))


def cards() -> tuple[Card, ...]:
    """All ready lessons, in the order in which a course would take them."""
    files = {name: load(name) for name in ready()}
    return tuple(card(name, files[name]) for name in sorted(files, key=lambda name: files[name]["about"]["place"]))
