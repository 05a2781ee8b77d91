"""What of the page a link can speak of, found in the tabs once they are built; a link as the page's first state."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import gradio as gr
from gradio.i18n import I18nData

from demo_lib import catalog, lesson, link
from demo_lib.link import Checked, Number
from demo_lib.problems import Problem
from demo_lib.tabs.widgets import Widget

__all__ = ["Checked", "Links", "Number", "find", "follow"]

# Widgets that are no results: they choose something, or save it
_NO_RESULTS = ("picks", "tablebar", "save", "namelist", "lessons")
# What each tab's `build` returned, by room: components by name, each with its kind where it does not say it itself
Inputs = Mapping[str, Mapping[str, gr.components.Component | gr.Tabs | tuple[gr.components.Component, link.Kind]]]


@dataclass(frozen=True)
class Place:
    """Where a part stands in Gradio's description of the page. `label`: a key of the words, or a text."""

    id: int
    elem: str
    label: str
    prop: str = ""  # what a link sets: "value" or "selected"; "" for what is no input
    result: bool = False
    fades: bool = False  # whether Gradio itself can make it read-only
    seen: bool = True
    folds: tuple[int, ...] = ()  # the accordions around it


@dataclass(frozen=True)
class Links:
    """The rooms as `link` knows them, and their places. `tabs`: the id of the tabs, `titles`: those of each tab."""

    rooms: dict[str, link.Room]
    places: dict[str, dict[str, Place]]
    tabs: int
    titles: dict[str, int]

    def schema(self) -> dict:
        """What the page's script needs to follow the inputs, and to offer parts for hiding and covering."""
        return {
            room: [[name, one.id, one.elem, one.label, one.prop, one.result, one.seen] for name, one in places.items()]
            for room, places in self.places.items()
        }

    def opened(self, query: str) -> dict:
        """The query of an address as what its page begins with: props by component, and what else its script does.

        {set: {id: props}, hide: [selector], inert: [selector], note: key of words or None, lesson, step, ask: [...]}
        """
        asked = link.read(query, self.rooms)
        course, note, whole = None, None, asked.whole
        try:
            if asked.lesson is not None:
                course = lesson.open_ready(asked.lesson, self.rooms)
            elif "lesson" in asked.packed:
                course, all_read = lesson.read(asked.packed["lesson"], self.rooms)
                whole &= all_read
        except Problem:
            note = "lesson.no_lesson"
        except link.Unreadable:
            whole = False
        step = min(asked.step, len(course.pages)) if course else 1
        whole &= step == asked.step
        page = course.pages[step - 1] if course else lesson.Page(asked.tab or next(iter(self.rooms)), asked.values)
        state = self._first(page) | {"note": note or (None if whole else "lesson.partly")}
        return state | ({"lesson": lesson.data(course), "step": step, "name": asked.lesson} if course else {})

    def _first(self, page: lesson.Page) -> dict:
        first: dict[int, dict] = {self.tabs: {"selected": page.tab}}
        for room, values in page.values.items():
            for name, value in values.items():
                place = self.places[room][name]
                first.setdefault(place.id, {})[place.prop] = value
                first |= {fold: {"open": True} for fold in place.folds}  # or nobody would see what the link has set
        for room in self.rooms if page.tabs else ():
            if room not in page.tabs:
                first[self.titles[room]] = {"visible": False}
        locked = [self.places[room][name] for room, name in page.lock]
        for place in locked:
            if place.fades:
                first.setdefault(place.id, {})["interactive"] = False
        ask = [{"at": self.places[room][name].elem, "text": text} for (room, name), text in _asked(page)]
        return {
            "set": first,
            "hide": [self._selector(*part) for part in page.hide],
            "lock": [self._selector(room, name) for room, name in page.lock],
            "inert": [self._selector(room, name) for room, name in page.lock if not self.places[room][name].fades],
            "ask": ask,
        }

    def _selector(self, room: str, name: str) -> str:
        if name == "intro":
            return f"#tab-{room} .be-intro"
        place = self.places[room][name]
        return f"#{place.elem} > .tab-wrapper" if place.prop == "selected" else f"#{place.elem}"


def _asked(page: lesson.Page) -> list[tuple]:
    return [(one.of, one.text) for one in page.ask]


def find(tabs: gr.Tabs, inputs: Inputs, texts: Mapping[str, Mapping[str, str]]) -> Links:
    """All that a link can speak of. `texts`: each tab's words; 'part_board' is what its part `board` is called, where
    that is not what stands above it."""
    rooms, places, titles = {}, {}, {}
    for tab in tabs.children:
        named = {name: one if isinstance(one, tuple) else (one, kind_of(one)) for name, one in inputs[tab.id].items()}
        own = _places(tab, {name: one for name, (one, _) in named.items()}, texts[tab.id])
        places[tab.id], titles[tab.id] = own, tab._id
        rooms[tab.id] = link.Room(
            {name: kind for name, (_, kind) in named.items()},
            frozenset({"intro"} | {name for name, place in places[tab.id].items() if place.seen}),
            frozenset(name for name, place in places[tab.id].items() if place.result),
        )
    return Links(rooms, places, tabs._id, titles)


def kind_of(component) -> link.Kind:
    """What an input may hold, as its component says it."""
    values = tuple(str(value) for _, value in getattr(component, "choices", None) or ())
    match component:
        case gr.Tabs():
            return link.Choice(tuple(tab.id for tab in component.children))
        case gr.Textbox():
            return link.Text(component.max_length or link.Text.most)
        case gr.Dropdown(multiselect=True):
            return link.Several(values, component.max_choices or catalog.MAX_MODELS, component.allow_custom_value)
        case gr.Dropdown():
            return link.Choice(values, component.allow_custom_value)
        case gr.Radio():
            return link.Choice(values)
        case gr.Checkbox():
            return link.Switch()
        case gr.Slider():
            least, most = getattr(component, "ends", (component.minimum, component.maximum))
            return link.Number(least, most, whole=float(component.step or 0.1).is_integer())
        case gr.Number():
            ends = (component.minimum, component.maximum)
            least, most = (default if end is None else end for end, default in zip(ends, (-1e15, 1e15), strict=True))
            return link.Number(least, most, whole=component.precision == 0)
    raise TypeError(f"a link cannot hold a {type(component).__name__} by itself: say which kind")


def follow(tabs: gr.Tabs, inputs: Inputs) -> None:
    """Tell the page's script what changes; all of it happens in the browser."""
    private = {"api_visibility": "private", "queue": False, "show_progress": "hidden"}
    for tab in tabs.children:
        own = {name: one[0] if isinstance(one, tuple) else one for name, one in inputs[tab.id].items()}
        own = {name: one for name, one in own.items() if not isinstance(one, gr.Tabs)}
        tell = f"(...values) => {{ bothEnds.follow('{tab.id}', {json.dumps([*own])}, values); return []; }}"
        if own:
            gr.on([one.change for one in own.values()], None, [*own.values()], None, **private | {"js": tell})
        for block, _ in _walk(tab, None):
            if isinstance(block, gr.UploadButton | gr.File):
                tell = f"() => {{ bothEnds.uploaded('{tab.id}'); return []; }}"
                block.upload(None, None, None, **private | {"js": tell})
    titles = [block for block, _ in _walk(tabs, None) if isinstance(block, gr.Tab)]
    tell = "() => { bothEnds.follow(); return []; }"
    gr.on([one.select for one in titles], None, None, None, **private | {"js": tell})


def _places(tab: gr.Tab, inputs: dict, text: Mapping[str, str]) -> dict[str, Place]:
    room, found = tab.id, {}
    names = {component._id: name for name, component in inputs.items()}
    for block, heading in _walk(tab, tab.label):
        name = names.get(block._id)
        if isinstance(block, gr.Tab):
            block.elem_id = block.elem_id or f"{room}-view-{block.id}"  # by which the script sees what is shown
        if name is not None:
            block.elem_id = block.elem_id or f"{room}-{name}"
            found[name] = _place(block, heading, "selected" if isinstance(block, gr.Tabs) else "value")
        elif isinstance(block, Widget | gr.Button | gr.UploadButton | gr.File | gr.Accordion) and block.elem_id:
            name = block.elem_id.removeprefix(f"{room}-")
            found.setdefault(name, _place(block, heading))
        if name in found and f"part_{name}" in text:
            found[name] = replace(found[name], label=f"{room}.part_{name}")
    return found


def _place(block, heading: object, prop: str = "") -> Place:
    if isinstance(block, gr.Tabs):
        label: object = "lesson.view"
    else:
        label = getattr(block, "label", None) or (block.value if isinstance(block, gr.Button) else heading)
    result = isinstance(block, Widget) and not prop and block.script not in _NO_RESULTS
    fades = bool(prop) and not isinstance(block, Widget | gr.Tabs)
    return Place(block._id, block.elem_id, _key(label), prop, result, fades, block.visible is True, _folds(block))


def _folds(block) -> tuple[int, ...]:
    above = block.parent
    return () if above is None else (*_folds(above), *([above._id] if isinstance(above, gr.Accordion) else []))


def _walk(block, heading: object) -> Iterator[tuple]:
    """All within a tab, in order, each with the title that it stands under."""
    for child in block.children:
        if isinstance(child, gr.Markdown) and "be-heading" in child.elem_classes:
            heading = child.value
        yield child, heading
        if hasattr(child, "children"):
            yield from _walk(child, getattr(child, "label", None) or heading)


def _key(label: object) -> str:
    """The key of words that the browser translates; what is no such marker as it is."""
    if isinstance(label, I18nData):
        return label.key
    text = str(label)
    return json.loads(text.removeprefix("__i18n__"))["key"] if text.startswith("__i18n__") else text
