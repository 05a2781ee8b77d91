"""A lesson: a few pages in order, each a state of the page with words for the class and questions, all in one link.

As data, in `examples/lessons/` and in a link:

    {"title": {"en": "Six lines", "zh-CN": "六行"},
     "pages": [{"tab": "tokens", "values": {"text": "钉钉审批", "probes.words": "北京"},
                "tabs": ["tokens"], "hide": ["upload"], "lock": ["models"], "text": "Look at the first character.",
                "ask": [{"of": "board", "text": "How many pieces will it be?"}]}]}

`tabs`: those that can be seen; without it, all. `hide`, `lock` and `of` name parts of the page's tab, or of another one
after its name and a point. Words are a text, or one in each language. What `of` names stays covered until the student
has written a guess. A lesson from a link is read with the care of `link`.

A file of `examples/lessons/` says two things more, which no link holds: `about`, for the list of lessons, and the
`claims` of each page: every figure in its words, with the call that computes it. tests/test_lessons.py checks them.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from .link import VERSION, Rooms, Text, Unreadable, pack, read_values
from .problems import Problem

MOST_PAGES, MOST_QUESTIONS = 30, 6
TITLE, WORDS, QUESTION = Text(120), Text(3_000), Text(500)
LANGUAGES = ("en", "zh-CN")
FOLDER = Path(__file__).parents[1] / "examples" / "lessons"

Said = str | dict[str, str]


@dataclass(frozen=True)
class Question:
    """What is asked, and the result (tab, part) that is covered until a guess is written."""

    of: tuple[str, str]
    text: Said


@dataclass(frozen=True)
class Page:
    """One step. `tabs`: those that can be seen, all if there are none; `hide` and `lock`: (tab, part) each."""

    tab: str
    values: dict[str, dict[str, Any]]
    tabs: tuple[str, ...] = ()
    hide: tuple[tuple[str, str], ...] = ()
    lock: tuple[tuple[str, str], ...] = ()
    text: Said = ""
    ask: tuple[Question, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """At least one page."""

    title: Said
    pages: tuple[Page, ...]


def read(raw: object, rooms: Rooms) -> tuple[Lesson, bool]:
    """A lesson from JSON, and whether all of it could be used. Raises link.Unreadable where it has no page."""
    if not isinstance(raw, dict) or not isinstance(raw.get("pages"), list):
        raise Unreadable
    reader = _Reader(rooms)
    pages = tuple(page for one in raw["pages"][:MOST_PAGES] if (page := reader.page(one)) is not None)
    if not pages:
        raise Unreadable
    lesson = Lesson(reader.said(raw.get("title", ""), TITLE), pages)
    return lesson, reader.whole and len(pages) == len(raw["pages"]) and set(raw) <= {"title", "pages"}


class _Reader:
    """Reads the parts of a lesson; `whole` becomes False when something had to be left out."""

    def __init__(self, rooms: Rooms) -> None:
        self.rooms, self.whole = rooms, True

    def page(self, raw: object) -> Page | None:
        if not isinstance(raw, dict) or not isinstance(raw.get("tab"), str) or raw["tab"] not in self.rooms:
            self.whole = False
            return None
        self.whole &= set(raw) <= set(Page.__dataclass_fields__)
        tab, named = raw["tab"], raw.get("values", {})
        values, whole = read_values(named, tab, self.rooms) if isinstance(named, dict) else ({}, False)
        self.whole &= whole
        tabs = [one for one in self.strings(raw.get("tabs", [])) if self.known(one in self.rooms)]
        return Page(
            tab,
            values,
            tuple(dict.fromkeys([tab, *tabs])) if tabs else (),
            self.parts(raw.get("hide", []), tab, lambda room: room.parts | set(room.inputs)),
            self.parts(raw.get("lock", []), tab, lambda room: set(room.inputs)),
            self.said(raw.get("text", ""), WORDS),
            self.questions(raw.get("ask", []), tab),
        )

    def known(self, good: bool) -> bool:
        self.whole &= good
        return good

    def strings(self, raw: object) -> list[str]:
        good = [one for one in raw if isinstance(one, str)] if isinstance(raw, list) else []
        self.whole &= good == raw
        return good

    def parts(self, raw: object, tab: str, of) -> tuple[tuple[str, str], ...]:
        named = [_place(one, tab) for one in self.strings(raw)]
        good = [(room, name) for room, name in named if self.known(room in self.rooms and name in of(self.rooms[room]))]
        return tuple(dict.fromkeys(good))

    def questions(self, raw: object, tab: str) -> tuple[Question, ...]:
        asked = raw if isinstance(raw, list) else []
        self.whole &= isinstance(raw, list) and len(asked) <= MOST_QUESTIONS
        found: dict[tuple[str, str], Question] = {}
        for one in asked[:MOST_QUESTIONS]:
            of = self.parts([one.get("of")] if isinstance(one, dict) else 0, tab, lambda room: room.results)
            if of:
                found.setdefault(of[0], Question(of[0], self.said(one.get("text", ""), QUESTION)))
        return tuple(found.values())

    def said(self, raw: object, kind: Text) -> Said:
        """A text, or one in each language."""
        try:
            if isinstance(raw, dict):
                told = {lang: kind.read(raw[lang]) for lang in LANGUAGES if lang in raw}
                self.whole &= len(told) == len(raw) and all(whole for _, whole in told.values())
                return {lang: text for lang, (text, _) in told.items()} or ""
            text, whole = kind.read(raw)
        except Unreadable:
            text, whole = "", False
        self.whole &= whole
        return text


def _place(name: str, tab: str) -> tuple[str, str]:
    room, point, part = name.rpartition(".")
    return room if point else tab, part


def _names(places: Iterable[tuple[str, str]], tab: str) -> list[str]:
    return [part if room == tab else f"{room}.{part}" for room, part in places]


def data(lesson: Lesson) -> dict[str, Any]:
    """The lesson as JSON that `read` reads, without what is empty."""
    pages = [
        {
            "tab": page.tab,
            "values": {
                _names([(room, name)], page.tab)[0]: v for room, own in page.values.items() for name, v in own.items()
            },
            "tabs": list(page.tabs),
            "hide": _names(page.hide, page.tab),
            "lock": _names(page.lock, page.tab),
            "text": page.text,
            "ask": [{"of": _names([one.of], page.tab)[0], "text": one.text} for one in page.ask],
        }
        for page in lesson.pages
    ]
    return {"title": lesson.title, "pages": [{key: value for key, value in page.items() if value} for page in pages]}


def links(lesson: Lesson) -> list[str]:
    """The query of each step of a lesson, with the whole lesson in it."""
    z = pack({"v": VERSION, "lesson": data(lesson)})
    return [urlencode({"z": z, "step": step}) for step in range(1, len(lesson.pages) + 1)]


@cache
def ready() -> Mapping[str, Path]:
    """The files of the lessons that come with the project, by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.json"))}


def load(name: str) -> dict[str, Any]:
    """The file of a lesson that comes with the project. Raises Problem where there is none of that name."""
    if name not in ready():
        raise Problem("There is no lesson of that name here.", "这里没有这个名字的课程。")
    return json.loads(ready()[name].read_text("utf-8"))


def alone(file: Mapping[str, Any]) -> dict[str, Any]:
    """What `read` reads of such a file: the lesson without `about` and `claims`."""
    pages = [{key: value for key, value in page.items() if key != "claims"} for page in file["pages"]]
    return {"title": file["title"], "pages": pages}


def open_ready(name: str, rooms: Rooms) -> Lesson:
    """A lesson that comes with the project. Raises Problem where there is none of that name."""
    return read(alone(load(name)), rooms)[0]
