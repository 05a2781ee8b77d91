"""The names lab: windows, counting, and a small network that trains while one looks on."""

import time
from collections.abc import Iterator
from pathlib import Path

import gradio as gr

from demo_lib import names as room
from demo_lib.problems import Problem
from demo_lib.tabs import links, names_after, names_api, names_sizes, names_watch, page, table_bar
from demo_lib.tabs import names_draw as draw
from demo_lib.tabs.names_draw import of
from demo_lib.tabs.text.names import TEXT
from demo_lib.tabs.widgets import QUICK, SLOW, Slider, Widget, drawing, to_json

w = page.Words("names", TEXT)
TRAINING = ("block", "dim", "hidden", "steps", "batch", "rate", "seed")


# The list


def line(names: room.NameList | None) -> str:
    return to_json(draw.listed(of(names)))


def _take(names: room.NameList, name: str) -> tuple:
    """A new list: what is drawn follows the number. A name that it cannot write gives way to one of its own."""
    try:
        room.name_windows(name, 1, names)
        name = gr.skip()
    except Problem:
        name = names.names[0]
    return names, time.monotonic(), name


def upload(path: str, name: str, lang: str) -> tuple:
    return _take(room.read_names(Path(path).read_bytes(), Path(path).name[:40]), name)


def paste(text: str, name: str, lang: str) -> tuple:
    return _take(room.read_names(text or "", w.say("list_pasted", lang)), name)


def begin_list(text: str, name: str, lang: str) -> tuple:
    """The names that came with a link are the list to begin with."""
    return paste(text, name, lang) if text.strip() else (gr.skip(),) * 3


def back(name: str) -> tuple:
    return _take(room.example(), name)


def dims(names: room.NameList | None) -> tuple:
    """An embedding has no more numbers than there are characters."""
    slider = gr.Slider(maximum=int(room.limits(of(names))["dim"][1]))
    return slider, slider


# Counting


def blocks(names: room.NameList | None, smoothing: float) -> Iterator[str]:
    """One row after another: long contexts of a long list take a while."""
    rows: list[dict] = []
    for block in draw.blocks(of(names)):
        rows.append(draw.block_row(of(names), block, float(smoothing)))
        yield to_json({"rows": rows, "smoothing": smoothing})


# Training


def train(names: room.NameList | None, before: names_watch.Watched | None, *fields) -> Iterator[tuple]:
    """A training as it goes on: its switches, the picture, and at last what came of it."""
    names = of(names)

    def begin() -> tuple:
        chosen = draw.settings(*fields)
        training, picture = room.Training(names, chosen), draw.Picture(names, chosen, time.monotonic())

        def show(event: room.Event) -> tuple:
            return to_json(picture.draw(event)), (names, event.result) if event.result else gr.skip()

        return training, show

    yield from names_watch.follow(before, begin, 3)


def begin(names: room.NameList | None, run: names_watch.Watched | None, *fields) -> str:
    """The picture before a training; one of another list is left."""
    table_bar.leave(run)
    return to_json(draw.before(of(names), *fields))


def plain(on: bool) -> tuple:
    """How many steps, and at which rate: the two ways of training need different ones."""
    chosen = room.PLAIN if on else room.Settings()
    return chosen.steps, chosen.batch, chosen.rate


# The page


def _list(lang, name) -> tuple:
    names, changed = gr.State(None), gr.State(0.0)
    shown = Widget("namelist", "names", elem_id="names-list")
    with gr.Accordion(w("list_other"), open=False, elem_id="names-other"):
        gr.Markdown(w("list_info"), elem_classes="be-intro")
        text = gr.Textbox("", label=w("list_text"), lines=4, max_lines=8, elem_id="names-text")
        with gr.Row(elem_classes="be-choices"):
            use = gr.Button(w("list_use"), elem_id="names-use")
            file = gr.UploadButton(w("list_upload"), elem_id="names-upload")
            again = gr.Button(w("list_back"), elem_id="names-back")
    outputs = [names, changed, name]
    file.upload(page.shown(upload), [file, name, lang], outputs, **SLOW)
    use.click(page.shown(paste), [text, name, lang], outputs, **SLOW)
    again.click(back, name, outputs, **SLOW)
    gr.on([shown.expand, changed.change], line, names, shown, **SLOW)
    shown.expand(page.shown(begin_list), [text, name, lang], outputs, **SLOW)
    return names, changed, text


def _windows(name, block, dim):
    with gr.Tab(w("windows_tab"), id="windows"):
        gr.Markdown(w("windows_intro"), elem_classes="be-intro")
        with gr.Row(elem_classes="be-choices"):
            for component in (name, block, dim):
                component.render()
        return Widget("windows", "names", elem_id="names-windows")


def _counting(names, changed) -> Slider:
    with gr.Tab(w("counting_tab"), id="counting"):
        gr.Markdown(w("counting_intro"), elem_classes="be-intro")
        smoothing = Slider(0, 10, 0, step=0.01, label=w("smoothing"), info=w("smoothing_info"), elem_id="names-add")
        pairs = Widget("pairs", "names", elem_id="names-pairs")
        gr.Markdown(w("blocks_title"), elem_classes="be-heading")
        gr.Markdown(w("blocks_intro"), elem_classes="be-intro")
        table = Widget("blocks", "names", elem_id="names-blocks")
        gr.Markdown(w("blocks_outro"), elem_classes="be-intro")
    make = drawing(lambda names, smoothing: draw.pairs(of(names), smoothing))
    for widget, function in ((pairs, make), (table, blocks)):
        events = [widget.expand, changed.change, smoothing.change]
        gr.on(events, function, [names, smoothing], widget, trigger_mode="always_last", **SLOW)
    return smoothing


def _settings() -> list:
    def field(name: str) -> dict:
        return {"value": getattr(room.Settings(), name), "label": w(name), "elem_id": f"names-{name}"}

    with gr.Row(elem_classes="be-choices"):
        sliders = [
            Slider(*span, step=1, info=w(f"{name}_info"), **field(name))
            for name, span in (("block", room.LIMITS["block"]), ("dim", (1, 27)), ("hidden", room.LIMITS["hidden"]))
        ]
    with gr.Accordion(w("more"), open=False, elem_id="names-more"), gr.Row(elem_classes="be-choices be-fields"):
        numbers = [
            gr.Number(min_width=120, precision=precision, **field(name))
            for name, precision in ((name, None if name == "rate" else 0) for name in TRAINING[3:])
        ]
    with gr.Row(elem_classes="be-switches"):
        marks = [
            gr.Checkbox(False, label=w(name), info=w(f"{name}_info"), container=False, elem_id=f"names-{name}")
            for name in ("one_hot", "plain")
        ]
    return [*sliders, *numbers, *marks]


def _training(names, changed) -> tuple[list, gr.State]:
    with gr.Tab(w("training_tab"), id="training"):
        gr.Markdown(w("training_intro"), elem_classes="be-intro")
        fields = _settings()
        parts = Widget("parts", "names", elem_id="names-parts")
        lab = Widget("lab", "names", elem_id="names-lab")
        run, came = gr.State(None), gr.State(None)  # within the Tab: Gradio counts what stands between tabs as one
    make = drawing(lambda names, *fields: draw.parts(of(names), *fields))
    events = [parts.expand, changed.change, *(field.change for field in fields)]
    gr.on(events, make, [names, *fields], parts, trigger_mode="always_last", **QUICK)
    gr.on([lab.expand, changed.change], begin, [names, run, *fields], lab, trigger_mode="always_last", **SLOW)
    lab.select(train, [names, run, *fields], [run, lab, came], **names_watch.MANY)
    names_watch.wire(lab, run)
    fields[-1].change(plain, fields[-1], fields[3:6], **QUICK)
    return fields, came


def build(lang) -> dict[str, gr.components.Component]:
    """Draw the tab; the inputs that a link can hold, by name."""
    gr.Markdown(w("intro"), elem_classes="be-intro")
    name = gr.Textbox("emma", label=w("name"), elem_id="names-name", render=False)
    sizes = [
        Slider(*span, value, step=1, label=w(key), info=w(f"{key}_info"), elem_id=f"names-windows-{key}", render=False)
        for key, span, value in (("block", room.LIMITS["block"], 3), ("dim", (1, 27), 2))
    ]
    names, changed, pasted = _list(lang, name)
    with gr.Tabs(elem_classes="be-inner") as view:
        shown = _windows(name, *sizes)
        smoothing = _counting(names, changed)
        fields, came = _training(names, changed)
        after = names_after.build(came)
        names_sizes.build(names, changed, fields)
    changed.change(dims, names, [sizes[1], fields[1]], **QUICK)
    make = drawing(lambda names, *inputs: draw.windows(of(names), *inputs))
    events = [shown.expand, changed.change, *(one.change for one in (name, *sizes))]
    gr.on(events, make, [names, name, *sizes], shown, trigger_mode="always_last", **QUICK)
    names_api.build()
    training = {"one_hot": fields[-2], "plain": fields[-1]}
    for key, one in zip(TRAINING, fields, strict=False):
        training[key] = one, links.Number(*room.LIMITS[key], whole=key != "rate")
    windows = {"pasted": pasted, "name": name, "window_block": sizes[0], "window_dim": sizes[1], "smoothing": smoothing}
    return windows | training | after | {"view": view}


if __name__ == "__main__":
    import demo_lib.tabs.names

    page.run_alone(demo_lib.tabs.names)
