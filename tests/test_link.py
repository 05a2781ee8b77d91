"""Links: what is written is read again, and what somebody else wrote is read with care."""

import base64
import json
import random
import string
import time
import tracemalloc
import zlib
from urllib.parse import parse_qs, quote, urlencode

import gradio as gr
import pytest
from hypothesis import given
from hypothesis import strategies as st

import app
from demo_lib import lesson, link
from demo_lib.link import Checked, Choice, Number, Room, Several, Switch, Text, Unreadable
from demo_lib.problems import Problem
from demo_lib.tabs import links, page, serve


def even(text: str) -> None:
    if len(text) % 2:
        raise Problem("Odd.", "奇数。")


ROOMS = {
    "one": Room(
        {
            "text": Text(300),
            "models": Several(("a", "b"), 3, free=True),
            "k": Number(1, 50, whole=True),
            "rate": Number(0, 1),
            "on": Switch(),
            "even": Checked(even),
            "view": Choice(("first", "second")),
        },
        frozenset({"text", "board", "intro"}),
        frozenset({"board"}),
    ),
    "two": Room({"words": Text(), "table": Choice(("", "small"), free=True)}, frozenset({"map"}), frozenset({"map"})),
}
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=300)
VALUES = {
    "one": st.fixed_dictionaries(
        {},
        optional={
            "text": WORDS,
            "models": st.lists(st.sampled_from(["a", "b", "org/name"]), max_size=3, unique=True),
            "k": st.integers(1, 50),
            "rate": st.floats(0, 1),
            "on": st.booleans(),
            "even": WORDS.map(lambda text: text * 2),
            "view": st.sampled_from(["first", "second"]),
        },
    ),
    "two": st.fixed_dictionaries({}, optional={"words": WORDS, "table": st.sampled_from(["", "small", "org/x"])}),
}


@given(st.sampled_from(["one", "two"]), st.fixed_dictionaries(VALUES))
def test_what_is_written_is_read_again(tab, values):
    query = link.write(tab, values)
    assert query.isascii()
    found = link.read(query, ROOMS)
    assert found.whole
    assert found.tab == tab
    assert found.values == {room: own for room, own in values.items() if own}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
NAMES = st.sampled_from(
    ["tab", "v", "lesson", *ROOMS["one"].inputs, "two.words", "two.table", "two.x", "nope", "__proto__"]
)


def fits(found: link.Link) -> None:
    """All that was read is what its input may hold."""
    for room, own in found.values.items():
        for name, value in own.items():
            again, whole = ROOMS[room].inputs[name].read(value)
            assert whole
            assert again == value
    assert found.tab in (None, *ROOMS)
    assert 1 <= found.step <= 99


@given(st.dictionaries(NAMES, JSON))
def test_any_packed_value_is_read_or_left(state):
    fits(link.read(f"z={link.pack(state)}", ROOMS))


@given(st.lists(st.tuples(NAMES | st.text(max_size=5), st.text(max_size=40)), max_size=12) | st.text())
def test_any_query_is_read_or_left(fields):
    fits(link.read(fields if isinstance(fields, str) else urlencode(fields, errors="replace"), ROOMS))


@given(st.binary(max_size=200), st.integers(0, 400))
def test_a_cut_or_damaged_pack_is_refused_or_read(noise, cut):
    text = "年假怎么申请？" * 8
    z = link.pack({"one.text": text})
    for damaged in (z[:cut], z[:cut] + noise.decode("latin-1"), base64.urlsafe_b64encode(noise).decode()):
        found = link.read("tab=two&" + urlencode({"z": damaged}), ROOMS)
        fits(found)
        assert found.tab == "two"
        assert found.whole or damaged != z
        assert found.values == ({"one": {"text": text}} if found.whole else {})


def packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(data, 9)).rstrip(b"=").decode()


BOMBS = {
    "large": packed(b'{"text":"' + b"x" * 20_000_000 + b'"}'),
    "deep": packed(b'{"text":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "deeper": packed(b'{"a":' * 30 + b"1" + b"}" * 30),
    "many": packed(json.dumps({f"k{i}": 0 for i in range(4_500)}).encode()),
    "wide": packed(json.dumps({"models": [0] * 60_000}).encode()),
    "digits": packed(b'{"k":' + b"9" * 50_000 + b"}"),
    "a list": packed(b"[1, 2]"),
    "not text": packed(b"\xff\xfe"),
    "nothing": "",
    "no zlib": "AAAA",
}


@pytest.mark.parametrize("z", BOMBS.values(), ids=BOMBS)
def test_what_would_take_memory_or_time_is_refused(z):
    assert len(z) <= link.MOST_PACKED
    tracemalloc.start()
    begun = time.perf_counter()
    with pytest.raises(Unreadable):
        link.unpack(z)
    assert time.perf_counter() - begun < 1
    assert tracemalloc.get_traced_memory()[1] < 8_000_000
    tracemalloc.stop()
    found = link.read(f"k=7&z={z}", ROOMS)
    assert not found.whole
    assert found.values == {"one": {"k": 7}}


def test_a_query_of_any_length_is_looked_at_for_a_moment_only():
    noise = "".join(random.Random(0).choices(string.ascii_letters + "&=%", k=1_000_000))
    begun = time.perf_counter()
    found = link.read(f"k=7&z={'A' * 40_000}&{noise}", ROOMS)
    assert time.perf_counter() - begun < 0.5
    assert found.values["one"]["k"] == 7
    assert not found.whole


@pytest.mark.parametrize(
    ("kind", "raw", "value", "whole"),
    [
        (Text(3), "abcd", "abc", False),
        (Text(), "a\0b\ud800", "ab", False),
        (Text(), 5, None, None),
        (Number(1, 50, whole=True), "-1e30", 1, False),
        (Number(1, 50, whole=True), "7.6", 8, False),
        (Number(1, 50, whole=True), 10**400, 50, False),
        (Number(0, 1), "0.25", 0.25, True),
        (Number(), "nan", None, None),
        (Number(), float("nan"), None, None),
        (Number(), "1_000", None, None),
        (Number(), True, None, None),
        (Number(), None, None, None),
        (Switch(), "1", True, True),
        (Switch(), "yes", None, None),
        (Switch(), 1, None, None),
        (Choice(("a", "")), "", "", True),
        (Choice(("a",)), "b", None, None),
        (Choice(("a",), free=True), "org/name", "org/name", True),
        (Choice(("a",), free=True), "../etc", None, None),
        (Choice(("a",), free=True), "/etc/passwd", None, None),
        (Choice(("a",), free=True), "org/..", None, None),
        (Choice(("a",), free=True), "https://x.example/y", None, None),
        (Choice(("a",), free=True), "upload:" + "0" * 64, None, None),
        (Several(("a", "b"), 2), "a,b,a", ["a", "b"], False),
        (Several(("a", "b"), 2), ["b"], ["b"], True),
        (Several(("a", "b"), 2), "", [], True),
        (Several(("a", "b"), 2), {"a": 1}, None, None),
        (Several(("a", "b"), 2), ["c"], None, None),
        (Several(("a", "b"), 4), ["a", ["b"], 1], ["a"], False),
        (Checked(even), "odd", None, None),
    ],
)
def test_values_are_held_against_what_their_input_may_hold(kind, raw, value, whole):
    if value is None:
        with pytest.raises(Unreadable):
            kind.read(raw)
    else:
        assert kind.read(raw) == (value, whole)


@pytest.mark.parametrize(
    ("query", "tab", "values", "whole"),
    [
        ("", None, {}, True),
        ("text=钉钉审批&models=a,org/name", None, {"one": {"text": "钉钉审批", "models": ["a", "org/name"]}}, True),
        ("tab=two&words=x&one.k=3", "two", {"two": {"words": "x"}, "one": {"k": 3}}, True),
        ("tab=three&k=3", None, {"one": {"k": 3}}, False),
        ("k=3&k=4", None, {"one": {"k": 3}}, True),
        ("v=1&k=3", None, {"one": {"k": 3}}, True),
        ("v=2&k=3", None, {"one": {"k": 3}}, False),
        ("k=3&nope=1", None, {"one": {"k": 3}}, False),
        ("k=3&.k=4&one.=5&one.one.k=6", None, {"one": {"k": 3}}, False),
        ("k=x&on=1", None, {"one": {"on": True}}, False),
        ("lang=zh&__theme=dark&__sign=x&utm_source=y&from=timeline&isappinstalled=0", None, {}, True),
        ("step=0", None, {}, False),
        ("step=1e9", None, {}, False),
        ("&&=&==&%%%&%ff", None, {}, False),
    ],
)
def test_links_made_by_hand(query, tab, values, whole):
    found = link.read(query, ROOMS)
    assert (found.tab, found.values, found.whole) == (tab, values, whole)


def test_short_values_are_readable_and_long_ones_packed():
    query = link.write("one", {"one": {"text": "钉钉审批", "models": ["a", "b"], "even": "ab" * 200}})
    fields = parse_qs(query)
    assert fields["text"] == ["钉钉审批"]
    assert "models=a,b&" in query
    assert "even" not in fields
    assert link.unpack(fields["z"][0]) == {"even": "ab" * 200}
    assert fields["v"] == ["1"]
    assert link.write("one", {}) == "tab=one"


# Lessons

LESSON = {
    "title": "Six lines",
    "pages": [
        {
            "tab": "one",
            "values": {"text": "x", "two.words": "y"},
            "tabs": ["one", "two"],
            "hide": ["board", "two.map"],
            "lock": ["text", "two.words"],
            "text": {"en": "Look.", "zh-CN": "看。"},
            "ask": [{"of": "two.map", "text": "How many?"}],
        },
        {"tab": "two"},
    ],
}


def test_a_lesson_is_read_and_written_again():
    read, whole = lesson.read(LESSON, ROOMS)
    assert whole
    assert lesson.data(read) == LESSON
    queries = lesson.links(read)
    assert len(queries) == 2
    for step, query in enumerate(queries, 1):
        found = link.read(query, ROOMS)
        assert (found.step, found.whole) == (step, True)
        assert lesson.read(found.packed["lesson"], ROOMS) == (read, True)


@pytest.mark.parametrize(
    ("place", "hostile"),
    [
        ("tab", "three"),
        ("values", {"text": "x" * 400}),
        ("values", [1]),
        ("tabs", ["one", "three"]),
        ("tabs", "one"),
        ("hide", ["nope"]),
        ("hide", [["board"]]),
        ("lock", ["board"]),
        ("lock", {"text": 1}),
        ("text", 5),
        ("text", {"fr": "x"}),
        ("text", "x" * 4_000),
        ("ask", [{"of": "text", "text": "no result"}]),
        ("ask", [{"text": "of what?"}, 5]),
        ("ask", "x"),
        ("more", 1),
    ],
)
def test_of_a_lesson_what_fits_is_kept(place, hostile):
    raw = {**LESSON, "pages": [{**LESSON["pages"][0], place: hostile}, LESSON["pages"][1]]}
    read, whole = lesson.read(raw, ROOMS)
    assert not whole
    again, whole = lesson.read(lesson.data(read), ROOMS)
    assert (again, whole) == (read, True)
    assert read.pages[-1].tab == "two"


@given(JSON | st.fixed_dictionaries({"title": JSON, "pages": st.lists(JSON, max_size=3) | JSON}))
def test_any_lesson_is_read_or_refused(raw):
    try:
        read, _ = lesson.read(raw, ROOMS)
    except Unreadable:
        return
    assert lesson.read(lesson.data(read), ROOMS)[0] == read


def test_there_are_bounds_for_pages_and_questions():
    raw = {"title": "x" * 500, "pages": [{"tab": "one", "ask": [{"of": "board"}] * 50}] * 500}
    read, whole = lesson.read(raw, ROOMS)
    assert not whole
    assert len(read.pages) == lesson.MOST_PAGES
    assert len(read.title) == 120
    assert len(read.pages[0].ask) == 1


# The real page


WITH_INPUTS = [page.room(tab) for tab in app.TABS if tab is not app.lessons]


@pytest.fixture(scope="module")
def real():
    return page.build(app.TABS)


def component(real, place: links.Place):
    return real.blocks[place.id]


def other(kind: link.Kind, now: object):
    """A value that the kind may hold, and that is not the present one."""
    match kind:
        case Text(most):
            return "年假 <b>&\"'` ${x}"[:most]
        case Choice(values):
            return next((value for value in values if value != now), now)
        case Several(values, most):
            return list(reversed(values))[:most]
        case Number(least, most, _):
            return next(x for x in (7, least + 1, least) if least <= x <= most and x != now)
        case Switch():
            return not now
        case Checked(check):
            for text in ('[{"role":"user","content":"<b>"}]', '{"vectors":[[1,2],[3,4]]}'):
                try:
                    check(text)
                except Problem:
                    continue
                return text
    raise AssertionError(kind)


@pytest.mark.parametrize("room", WITH_INPUTS)
def test_every_input_of_a_tab_can_be_linked(real, room):
    found = real.links
    inputs, places = found.rooms[room].inputs, found.places[room]
    assert len(inputs) >= 2
    assert not set(inputs) & link.RESERVED - {"view"}
    for name, kind in inputs.items():
        value = other(kind, getattr(component(real, places[name]), "value", None))
        for query in (link.write(room, {room: {name: value}}), f"tab={room}&z={link.pack({name: value})}"):
            opened = found.opened(query)
            assert opened["note"] is None, (name, value)
            assert opened["set"][places[name].id][places[name].prop] == value
            assert opened["set"][found.tabs] == {"selected": room}


@pytest.mark.parametrize("room", [page.room(tab) for tab in app.TABS])
def test_no_input_of_a_tab_is_forgotten(real, room):
    """What can be typed or chosen is an input of a link, files and buttons apart."""
    kinds = (gr.Textbox, gr.Number, gr.Slider, gr.Dropdown, gr.Checkbox, gr.Radio)
    tab = next(block for block in real.blocks.values() if isinstance(block, gr.Tab) and block.id == room)
    named = {place.id for place in real.links.places[room].values() if place.prop}
    # a prefix is chosen once there is something trained; a corpus' own columns are known once there is a file
    left = {"names-prefix"} | {"corpus-text", "corpus-column", "corpus-by", "corpus-encoding", "corpus-prices"}
    inside = [block for block, _ in links._walk(tab, None)]
    assert [b.elem_id for b in inside if isinstance(b, kinds) and b._id not in named and b.elem_id not in left] == []


def test_parts_have_their_own_names_and_places(real):
    elements = [place.elem for own in real.links.places.values() for place in own.values()]
    assert len(elements) == len(set(elements))
    ids = [block.elem_id for block in real.blocks.values() if getattr(block, "elem_id", None)]
    assert {element for element in elements if ids.count(element) != 1} == set()
    keys = {key for tab in app.TABS for key in (f"{page.room(tab)}.{one}" for one in tab.TEXT["en"])} | {"lesson.view"}
    labels = {place.label for own in real.links.places.values() for place in own.values() if place.seen}
    assert labels - keys == set()
    assert all(real.links.rooms[room].results for room in WITH_INPUTS)


HOSTILE = "</script><script>alert(1)</script>\u2028{{value}}${alert(1)}"


@pytest.mark.parametrize("room", [page.room(tab) for tab in app.TABS])
def test_a_script_in_every_field_stays_text(real, room):
    names = real.links.rooms[room].inputs
    query = f"tab={room}&" + "&".join(f"{name}={quote(HOSTILE)}" for name in names)
    told = serve.Head(None, links=real.links)._last(query.encode()).decode("ascii")
    assert told.count("<script>") == told.count("</script>") == 1
    assert told.endswith(")</script>")
    opened = json.loads(told[told.index("gradio_config, ") + 15 : -len(")</script>")])
    texts = [name for name, kind in names.items() if isinstance(kind, Text)]
    place = real.links.places[room]
    assert all(opened["set"][str(place[name].id)]["value"] == HOSTILE for name in texts)


def test_a_lesson_s_page_is_what_gradio_begins_with(real):
    found, places = real.links, real.links.places["tokens"]
    raw = {
        "title": "T",
        "pages": [
            {"tab": "chat"},
            {
                "tab": "tokens",
                "values": {"text": "钉", "view": "stream"},
                "tabs": ["tokens"],
                "hide": ["upload", "view", "intro"],
                "lock": ["text", "view"],
                "ask": [{"of": "board", "text": "?"}],
            },
        ],
    }
    opened = found.opened(urlencode({"z": link.pack({"v": 1, "lesson": raw}), "step": 2}))
    assert opened["note"] is None
    assert opened["step"] == 2
    assert opened["set"][places["text"].id] == {"value": "钉", "interactive": False}
    assert opened["set"][places["view"].id] == {"selected": "stream"}
    hidden = [room for room, id in found.titles.items() if opened["set"].get(id) == {"visible": False}]
    assert hidden == [page.room(tab) for tab in app.TABS if page.room(tab) != "tokens"]
    assert opened["hide"] == ["#tokens-upload", "#tokens-view > .tab-wrapper", "#tab-tokens .be-intro"]
    assert opened["inert"] == ["#tokens-view > .tab-wrapper"]
    assert opened["ask"] == [{"at": "tokens-board", "text": "?"}]
    assert found.opened(urlencode({"z": link.pack({"lesson": raw}), "step": 3}))["note"] == "lesson.partly"


@pytest.mark.parametrize("name", lesson.ready())
def test_ready_lessons_are_read_whole_and_say_the_same_in_both_languages(real, name):
    raw = lesson.alone(lesson.load(name))
    read, whole = lesson.read(raw, real.links.rooms)
    assert whole
    assert lesson.data(read) == raw
    said = [read.title, *(p.text for p in read.pages), *(q.text for p in read.pages for q in p.ask)]
    assert all(set(text) == {"en", "zh-CN"} and all(text.values()) for text in said if text)
    for step, query in enumerate(lesson.links(read), 1):
        by_name, by_itself = (real.links.opened(one) for one in (f"lesson={name}&step={step}", query))
        assert by_name["note"] is by_itself["note"] is None
        assert by_name.pop("name") == name
        assert by_itself.pop("name") is None
        assert by_name == by_itself


@pytest.mark.parametrize("name", ["nope", "../texts", "", "/etc/passwd", "who-pays.json"])
def test_a_lesson_that_is_not_there_opens_the_page(real, name):
    assert real.links.opened(urlencode({"lesson": name}))["note"] == "lesson.no_lesson"


def test_defaults_are_themselves_what_a_link_may_hold(real):
    for room, own in real.links.rooms.items():
        for name, kind in own.inputs.items():
            value = getattr(component(real, real.links.places[room][name]), "value", None)
            if value is not None:
                assert kind.read(value) == (value, True), (room, name)
