"""What came of a training: its worth beside counting, likeness, new names, and what never was."""

import gradio as gr

from demo_lib import names as room
from demo_lib.tabs import names_draw as draw
from demo_lib.tabs.names_draw import w
from demo_lib.tabs.widgets import QUICK, SLOW, Slider, Widget, chosen, drawing, to_json

NEAR, LIKELY, UNSEEN = 5, 8, 8  # nearest characters, likely ones, and contexts to try
Came = tuple[room.NameList, room.Result]


def versus(came: Came | None) -> dict:
    """The losses of the network beside those of counting."""
    names, result = came
    block, found = result.settings.block, room.compare(result, names)
    cells = [int((room.count(names, one).by_part[0] > 0).sum()) for one in (1, block)]
    own = room.parameters(result.settings, names.size)
    counted = [("pairs", found.bigram, cells[0]), ("counting", found.counting, cells[1])][: 1 + (block > 1)]
    better = found.model.dev < found.counting.dev
    fields = {"model": f"{found.model.dev:.3f}", "counting": f"{found.counting.dev:.3f}"}
    fields |= {"block": block, "parameters": f"{own:,}", "cells": f"{cells[1]:,}"}
    return {
        "verdict": w.both("verdict_better" if better else "verdict_worse", **fields),
        "block": block,
        "uniform": found.uniform,
        "rows": [_row(*one) for one in [*counted, ("model", found.model, own)]],
    }


def _row(key: str, losses: room.Losses, numbers: int) -> dict:
    row = {part: room.number(getattr(losses, part)) for part in room.PARTS}
    return row | {"key": key, "numbers": numbers, "smoothing": getattr(losses, "smoothing", None)}


def likeness(came: Came | None) -> dict:
    """The cosines of the characters, as a heat map."""
    names, result = came
    shown, C = draw.frequent(names), result.model.C
    matrix = room.cosines(C)[shown][:, shown]
    norms = [room.between(C, i, i).norm_a for i in shown]
    return {
        "words": [names.alphabet[i] for i in shown],
        "about": [{"pieces": [], "norm": norm, "use": "norm"} for norm in norms],
        "matrix": matrix.round(4).tolist(),
        "notes": [w.both("like_some", n=len(shown), of=names.size)] if len(shown) < names.size else [],
    }


def kin(came: Came | None) -> dict:
    """The nearest characters of each."""
    names, result = came
    about = [[one, room.kind(one, names.mark)] for one in names.alphabet]
    near = {i: room.nearest_characters(result.model.C, i, NEAR) for i in draw.frequent(names)}
    return {"rows": [[*about[i], [[*about[j], cosine] for j, cosine in found]] for i, found in near.items()]}


def made(came: Came | None, seed: float | None, new_only: bool) -> dict:
    names, result = came
    found = room.sample(result.model, names, 24, abs(int(seed or 0)), bool(new_only))
    return {"names": list(found.names), "rejected": found.rejected, "tried": found.tried, "only": bool(new_only)}


def unseen(came: Came | None) -> tuple:
    """Contexts that are new to counting, as examples to choose from, and one of them to begin with."""
    names, result = came
    contexts = room.never_seen(names, result.settings.block, UNSEEN)
    within = [one for one in contexts if names.mark not in one] or contexts
    return to_json({"picks": [{"en": one, "zh-CN": one} for one in contexts]}), within[0] if within else gr.skip()


def choose(came: Came | None, picks: str) -> str:
    names, result = came
    return room.never_seen(names, result.settings.block, UNSEEN)[chosen(picks)]


def guess(came: Came | None, prefix: str) -> dict:
    """What counting and the network say comes next."""
    names, result = came
    found = room.next_character(prefix or "", result.model, names)
    chances = found.predicted
    first = sorted(range(names.size), key=lambda i: -chances[i])[:LIKELY]
    if found.counted is not None:
        first += [i for i in sorted(range(names.size), key=lambda i: -found.counted[i])[:3] if i not in first]
    return {
        "context": found.context,
        "seen": found.seen,
        "mark": names.mark,
        "rows": [
            [names.alphabet[i], float(chances[i]), *_counted(found, i)]
            for i in sorted(first, key=lambda i: -chances[i])
        ],
    }


def _counted(found: room.Next, i: int) -> tuple[float | None, int | None]:
    return (None, None) if found.counted is None else (float(found.counted[i]), int(found.counts[i]))


def build(came: gr.State) -> dict:
    """Draw the section; it fills when something was trained. The inputs that a link can hold, by name."""
    with gr.Tab(w("after_tab"), id="after"):
        hint = gr.Markdown(w("after_hint"), elem_classes="be-intro", elem_id="names-after-hint")
        with gr.Column(visible=False, elem_id="names-after") as section:
            gr.Markdown(w("versus_title"), elem_classes="be-heading")
            worth = Widget("versus", "names", elem_id="names-versus")
            gr.Markdown(w("never_title"), elem_classes="be-heading")
            gr.Markdown(w("never_intro"), elem_classes="be-intro")
            picks = Widget("picks", "names", elem_id="names-unseen")
            prefix = gr.Textbox("", label=w("prefix"), elem_id="names-prefix")
            said = Widget("guess", "names", elem_id="names-guess")
            gr.Markdown(w("made_title"), elem_classes="be-heading")
            gr.Markdown(w("made_intro"), elem_classes="be-intro")
            with gr.Row(elem_classes="be-choices"):
                seed = Slider(0, 100, 0, step=1, label=w("made_seed"), elem_id="names-made-seed")
                only = gr.Checkbox(True, label=w("made_only"), info=w("made_only_info"), elem_id="names-made-only")
            new = Widget("made", "names", elem_id="names-made")
            gr.Markdown(w("like_title"), elem_classes="be-heading")
            gr.Markdown(w("like_intro"), elem_classes="be-intro")
            near = Widget("kin", "names", elem_id="names-kin")
            like = Widget("heat", "names", elem_id="names-like")
    came.change(lambda: (gr.Markdown(visible=False), gr.Column(visible=True)), None, [hint, section], **QUICK)
    for make, shown, inputs in (
        (drawing(versus), worth, []),
        (drawing(likeness), like, []),
        (drawing(kin), near, []),
        (drawing(made), new, [seed, only]),
        (drawing(guess), said, [prefix]),
    ):
        events = [came.change, *(one.change for one in inputs)]
        gr.on(events, _after(make), [came, *inputs], shown, trigger_mode="always_last", **SLOW)
    came.change(lambda came: unseen(came) if came else (gr.skip(), gr.skip()), came, [picks, prefix], **SLOW)
    picks.select(choose, [came, picks], prefix, **QUICK)
    return {"made_seed": seed, "made_only": only}


def _after(make):
    """Draws nothing as long as nothing was trained."""

    def drawn(came: Came | None, *inputs) -> str:
        return make(came, *inputs) if came else "{}"

    return drawn
