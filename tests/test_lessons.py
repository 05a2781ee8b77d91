"""The ready lessons: every figure in their words is what the rooms compute, in both languages."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import app
from demo_lib import chat, lesson, lessons, names, params, parrot, probes, tokens
from demo_lib.catalog import TABLES
from demo_lib.tabs import page as house
from tests.real_tables import real_table

ROOMS = {module.__name__.rpartition(".")[2]: module for module in (chat, names, params, parrot, probes, tokens)}
STEPS = [
    pytest.param(
        name,
        step,
        id=f"{name}-{step}",
        marks=[pytest.mark.tables] if "open_table" in json.dumps(page.get("claims", [])) else [],
    )
    for name in lesson.ready()
    for step, page in enumerate(lesson.load(name)["pages"], 1)
]
# Figures in the names of models are none of a lesson's own
MODELS = re.compile(r"Llama 3(\.\d)?( \d+B)?|Qwen\d\.\d(-[\d.]+B)?|Gemma 3 270M|SmolLM2")
FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?%?")
FORMATS = {"list": lambda value: str([*value]), "point": lambda value: f"({', '.join(f'{one:g}' for one in value)})"}


def compute(claim: Any) -> Any:
    """{"of": [function, argument, ...], "with": {name: argument}, "at": path into the result}; all else is itself.

    The function is that of a room, by name, or itself computed; so are the arguments.
    """
    if not (isinstance(claim, dict) and "of" in claim):
        return claim
    function, *arguments = claim["of"]
    if function == "probes.open_table":
        found = real_table(*arguments)
    else:
        if isinstance(function, str):
            room, _, name = function.partition(".")
            function = getattr(ROOMS[room], name)
        else:
            function = compute(function)
        found = function(*map(compute, arguments), **{k: compute(v) for k, v in claim.get("with", {}).items()})
    for part in claim.get("at", "").split(".") if claim.get("at") else ():
        if part == "len":
            found = len(found)
        elif part.isdigit():
            found = found[int(part)]
        else:
            found = found[part] if isinstance(found, dict) else getattr(found, part)
    return found


def written(claim: dict, values: dict) -> str:
    """The figure as the page gives it: `value` is that of an input, all else is computed."""
    if "value" in claim:
        value = values[claim["value"]]
        value = f"{value:,}" if isinstance(value, int) else value
        return claim["says"] if claim["says"] in {value, *FIGURE.findall(value)} else value
    found, how = compute(claim), claim.get("as", "")
    return FORMATS[how](found) if how in FORMATS else format(found, how)


def labels(lang: str) -> set[str]:
    return {text for tab in app.TABS for text in tab.TEXT[lang].values()}


def words(page: dict, lang: str) -> str:
    """All that a step says in one language, without the names of models and without words that the page itself has."""
    said = "\n".join([page["text"][lang], *(one["text"][lang] for one in page.get("ask", []))])
    known = labels(lang)
    said = re.sub("“([^”]*)”", lambda quoted: "" if quoted[1] in known else quoted[1], said)
    return MODELS.sub("", said)


def without(said: str, claims: list[str]) -> tuple[str, list[str]]:
    """The words without what is claimed, the longest first, and those claims that are not in them."""
    missing = []
    for one in sorted(set(claims), key=len, reverse=True):
        number = r"(?<![\d.,])%s(?![\d%%]|[.,]\d)" if one[0].isdigit() else "%s"
        said, times = re.subn(number % re.escape(one), "", said)
        missing += [] if times else [one]
    return said, missing


def faults(page: dict) -> list[str]:
    """What is wrong with the figures of a step, of claims that are right."""
    found = []
    for lang in lesson.LANGUAGES:
        rest, missing = without(words(page, lang), [claim["says"] for claim in page.get("claims", [])])
        found += [f"{lang}: claimed and not said: {one}" for one in missing]
        found += [f"{lang}: said and not claimed: {one}" for one in FIGURE.findall(rest)]
    return found


@pytest.mark.parametrize(("name", "step"), STEPS)
def test_every_figure_is_what_the_page_computes(name, step):
    page = lesson.load(name)["pages"][step - 1]
    assert faults(page) == []
    for claim in page.get("claims", []):
        assert written(claim, page["values"]) == claim["says"], claim


def test_a_figure_without_a_claim_and_a_claim_without_a_figure_are_found():
    """Or the test above would pass for the wrong reason."""

    def said(en: str, zh: str, *claims: str) -> list[str]:
        return faults({"text": {"en": en, "zh-CN": zh}, "claims": [{"says": one} for one in claims]})

    assert said("Llama 3.1 8B needs 1,024 tokens.", "Llama 3.1 8B 需要 1,024 个 token。", "1,024") == []
    assert said("5 of 10", "10 个里有 5 个", "5") == ["en: said and not claimed: 10", "zh-CN: said and not claimed: 10"]
    assert said("5 tokens", "六个 token", "5") == ["zh-CN: claimed and not said: 5"]
    assert said("0.80", "0.80", "0.8")
    assert said("13.1%", "13.1", "13.1%")
    assert said("15 tokens", "15 个", "5")
    assert said("1,024", "1,024", "1")
    assert said("Open “4 What it learned”.", "打开“4 学到了什么”。") == []
    assert said("Open “4 What nobody knows”.", "打开“4 谁也不知道”。")


def test_claims_are_computed():
    table = {"of": ["tokens.split", "钉", "llama-3.1"], "at": "1.bytes"}
    assert compute(table) == len("钉".encode())
    assert (
        written(
            {"says": "3", "of": [{"of": ["names.bigram", {"of": ["names.example"]}], "at": "of"}, "an"], "as": ","}, {}
        )
        == "5,471"
    )
    assert written({"says": "7", "value": "k"}, {"k": 8}) == "8"


def test_calls_are_what_rooms_offer():
    """Nothing but a room's functions and figures can be claimed by."""

    def calls(claim: Any) -> Iterator[str]:
        if isinstance(claim, dict):
            for one in [*claim.get("of", []), *claim.get("with", {}).values()]:
                yield from calls(one)
            if isinstance(claim.get("of", [0])[0], str):
                yield claim["of"][0]

    named = {
        one
        for name in lesson.ready()
        for page in lesson.load(name)["pages"]
        for claim in page.get("claims", [])
        for one in calls(claim)
    }
    assert named
    assert all(callable(getattr(ROOMS[room], name)) for room, name in (one.split(".") for one in named))


def test_quoted_buttons_and_tabs_are_on_the_page():
    """What a lesson tells to press has the very words that are on the button."""
    press = {"en": r"(?:[Pp]ress|open) “([^”]+)”", "zh-CN": r"(?:按(?:一次)?|打开)“([^”]+)”"}
    found = {lang: [] for lang in lesson.LANGUAGES}
    for name in lesson.ready():
        for page in lesson.load(name)["pages"]:
            for lang in lesson.LANGUAGES:
                found[lang] += re.findall(press[lang], page["text"][lang])
    for lang in lesson.LANGUAGES:
        assert len(found[lang]) >= 4
        assert set(found[lang]) <= labels(lang)
    assert len(found["en"]) == len(found["zh-CN"])


@pytest.mark.parametrize("name", lesson.ready())
def test_a_lesson_is_of_a_length_that_a_class_can_take(name):
    file = lesson.load(name)
    assert set(file) == {"title", "about", "pages"}
    assert set(file["about"]) == {"place", "minutes", "learn"}
    card = lessons.card(name, file)
    assert card.minutes in (5, 10, 15, 20)
    assert card.steps in (range(2, 4) if card.minutes == 5 else range(5, 10))
    for page in file["pages"]:
        assert page["tabs"] == [page["tab"]]
        assert 2 <= len(re.findall(r"[.?!](?:\s|$)|[。？！]", page["text"]["zh-CN"] + "\n")) <= 10
        assert len(page["text"]["en"]) <= 640
    assert sum("ask" in page for page in file["pages"]) >= card.steps / 2


def test_cards_are_in_the_order_of_a_course():
    found = lessons.cards()
    assert {one.name for one in found} == set(lesson.ready())
    places = [lesson.load(one.name)["about"]["place"] for one in found]
    assert places == sorted(set(places))
    rooms = {house.room(tab) for tab in app.TABS}
    for one in found:
        assert set(one.tabs) <= rooms
        assert list(one.title) == list(one.learn) == list(lesson.LANGUAGES)


def test_the_lesson_of_vectors_has_a_table_that_needs_no_hub():
    pages = lesson.load("vectors")["pages"]
    assert {page["values"]["table"] for page in pages} == {"gemma-3-270m"}
    assert TABLES["gemma-3-270m"].wheels
    assert all("Gemma 3 270M" in pages[0]["text"][lang] for lang in lesson.LANGUAGES)
