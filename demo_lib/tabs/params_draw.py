"""What the ledger tab draws: each function turns answers of the room into the JSON of a widget.

A cell of a table is a string, a sentence in both languages, or {"t": what is read first, "s": a line below it}.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from demo_lib import params
from demo_lib.problems import Problem, Waiting
from demo_lib.tabs import page
from demo_lib.tabs.params_numbers import exact, flops, percent, signed, size
from demo_lib.tabs.text.params import TEXT
from demo_lib.tabs.widgets import refused, say, to_json

w = page.Words("params", TEXT)
Cell = str | dict | None
_MAY_BE_EMPTY = (4, 5)  # of the fields typed by hand: key-value heads, size of a head


@dataclass(frozen=True)
class Column:
    """A chosen model, or why it cannot be shown: a Problem, which may be Waiting."""

    name: str
    label: str | dict
    model: params.Model | None = None
    problem: Problem | None = None

    @cached_property
    def figures(self) -> params.Figures:
        return params.figures(self.model)


def named(problem: Problem) -> Problem:
    """The problem, with the field called as its label on the page calls it."""
    if not isinstance(problem, params.FieldProblem):
        return problem
    key = {"The context": "context", "The number of words": "words_count"}.get(problem.field, problem.field)
    label = {lang: re.sub(r"\s*[（(]0.*", "", word) for lang, word in w.both(key).items()}
    said = line("must_be", label=label, least=f"{problem.least:,}", most=f"{problem.most:,}")
    return Problem(said["en"], said["zh"])


def refusal(problem: Problem, about: object) -> str:
    """A widget's value for a problem; what was drawn before stays, dimmed, if it is `about` the same."""
    return refused(named(problem), str(about))


def column(name: str, *fields) -> Column:
    # a field that was emptied arrives as 0
    fields = [value or None if i in _MAY_BE_EMPTY else value for i, value in enumerate(fields)]
    label = w.both("custom") if name == params.CUSTOM else params.label(name)
    try:
        model = params.custom(*fields) if name == params.CUSTOM else params.open_model(name, wait=False)
        one = Column(name, label if name == params.CUSTOM else model.label, model)
        _ = one.figures
    except Problem as problem:
        return Column(name, label, problem=named(problem))
    except Exception as fault:  # the other columns still say what they have to
        return Column(name, label, problem=page.fault(fault))
    return one


def columns(chosen: Sequence[str], *fields) -> list[Column]:
    """The chosen models; a name that means one that is there already is left out. Raises Problem."""
    made = [column(name, *fields) for name in params.check_chosen(chosen)]
    ids = [one.model.id if one.model else one.name for one in made]
    return [one for i, one in enumerate(made) if ids[i] not in ids[:i]]


def _in(label: str | dict, lang: str) -> str:
    return label if isinstance(label, str) else label[lang]


def line(key: str, **fields) -> dict[str, str]:
    """A sentence in both languages, whose fields may be in both too."""
    each = {lang: {name: _in(value, lang) for name, value in fields.items()} for lang in ("en", "zh")}
    return {"en": w.say(key, "en", **each["en"]), "zh": w.say(key, "zh-CN", **each["zh"])}


# Tables


def table(made: Sequence[Column], groups: dict[str, dict[str, Callable[[Column], Cell]]], **more) -> str:
    """A table with a column for each model. A row that no model has anything for is left out."""
    heads = []
    for one in made:
        head = {"label": one.label}
        if isinstance(one.problem, Waiting):
            head["loading"] = True
        elif one.problem:
            head["error"] = say(one.problem)
        heads.append(head)
    drawn = []
    for title, rows in groups.items():
        cells = {key: [None if one.problem else cell(one) for one in made] for key, cell in rows.items()}
        lines = [{"key": key, "name": w.both(f"row_{key}"), "cells": row} for key, row in cells.items() if any(row)]
        if lines:
            drawn.append({"title": w.both(f"group_{title}"), "rows": lines})
    return to_json({"columns": heads, "groups": drawn} | more)


def _rows(one: Column) -> Cell:
    return _stated(one.model.shape.vocab_size, one.model.stated_rows)


def _hidden(one: Column) -> Cell:
    return _stated(one.model.shape.hidden_size, one.model.stated_hidden)


def _stated(count: int, other: int) -> Cell:
    """What the weights have, and what config.json says where that is another number."""
    return {"t": f"{count:,}", "s": w.both("config_says", n=f"{other:,}")} if other else f"{count:,}"


def _tokens(one: Column) -> Cell:
    model = one.model
    if model.tokens is None:
        return w.both("not_known")
    return f"{model.tokens:,}" if model.tokens_confirmed else {"t": f"{model.tokens:,}", "s": w.both("unconfirmed")}


def _free(one: Column) -> Cell:
    found = one.figures
    if found.free_rows is None:
        return w.both("not_known")
    return w.both("without_row", n=found.without_row) if found.without_row else f"{found.free_rows:,}"


def _output(one: Column) -> Cell:
    if one.model.shape.tie_word_embeddings:
        return w.both("the_same")
    rows, width = one.model.output_size
    if not rows:
        return w.both("no_output")
    count, shape = f"{one.model.parts.output_table:,}", one.model.shape
    alike = (rows, width) == (shape.vocab_size, shape.hidden_size)
    return count if alike else {"t": count, "s": f"{rows:,} × {width:,}"}


def _logits(one: Column) -> Cell:
    return exact(one.figures.logits_flops, flops) if one.figures.output_rows else w.both("no_output")


def _total(one: Column) -> Cell:
    confirmed = one.model.confirmed
    key = {True: "confirmed", False: "by_formula", None: ""}[confirmed]
    return {"t": f"{one.model.parts.total:,}", "s": w.both(key)} if key else f"{one.model.parts.total:,}"


def _stored(one: Column) -> Cell:
    counts = one.model.counts
    if counts is None:
        return None
    why = [w.both(f"reason_{kind}", n=signed(number)) for kind, number in counts.reasons]
    return {"t": f"{counts.stored:,}", "s": {lang: "\n".join(one[lang] for one in why) for lang in ("en", "zh")}}


def _feed_forward(one: Column) -> Cell:
    made = one.model.parts
    count = f"{made.feed_forward:,}"
    return {"t": count, "s": w.both("asleep", n=f"{made.asleep:,}")} if made.asleep else count


def _kv(one: Column) -> Cell:
    found = one.figures
    if not found.window_bytes:
        return size(found.kv_bytes) if found.kv_bytes else w.both("not_known")
    return {"t": size(found.kv_bytes), "s": w.both("window", n=f"{found.window:,}", size=size(found.window_bytes))}


def _part(name: str) -> Callable[[Column], Cell]:
    return lambda one: f"{getattr(one.model.parts, name):,}" if getattr(one.model.parts, name) else None


LEDGER: dict[str, dict[str, Callable[[Column], Cell]]] = {
    "vocabulary": {
        "rows": _rows,
        "tokens": _tokens,
        "free": _free,
        "multiple": lambda one: f"{one.figures.multiple:,} × {one.figures.rows // one.figures.multiple:,}",
        "hidden": _hidden,
    },
    "parameters": {
        "input": _part("input_table"),
        "output": _output,
        "both": lambda one: f"{one.figures.tables:,}",
        "share": lambda one: percent(one.figures.share),
        "positions": _part("positions"),
        "attention": _part("attention"),
        "feed_forward": _feed_forward,
        "norms": _part("norms"),
        "other": _part("other"),
        "total": _total,
        "stored": _stored,
    },
    "memory": {kind: lambda one, kind=kind: size(one.figures.tables_bytes(kind)) for kind in params.BITS},
    "computation": {
        "forward": lambda one: exact(one.figures.forward_flops, flops),
        "logits": _logits,
        "logits_share": lambda one: percent(one.figures.logits_share) if one.figures.output_rows else None,
        "kv": _kv,
    },
}


def ledger(made: Sequence[Column]) -> str:
    """The ledger of the chosen models side by side."""
    good = [one for one in made if one.model]
    bars = [{"label": one.label, "parts": _bar(one.model.parts)} for one in good]
    shares = [line("share_of", label=one.label, percent=percent(one.figures.share)) for one in good]
    joined = {"en": "; ".join(one["en"] for one in shares), "zh": "；".join(one["zh"] for one in shares)}
    head = w.both("shares_line", shares="{}")
    sentence = {lang: head[lang].format(joined[lang]) for lang in joined} if good else None
    foot = [w.both("note_ledger"), w.both("note_flops"), w.both("note_kv")]
    return table(made, LEDGER, line=sentence, bars=bars, foot=foot)


def _bar(made) -> list:
    names = ("input_table", "output_table", "attention", "feed_forward")
    counts = {name: getattr(made, name) for name in names} | {"rest": made.positions + made.norms + made.other}
    return [[name, w.both(f"part_{name}"), count / made.total] for name, count in counts.items() if count]


def plot(made: Sequence[Column]) -> str:
    """All models of the list and the chosen ones: the share of the vocabulary against the size."""
    chosen = {one.model.id: one for one in made if one.model}
    others = [Column(id, model.label, model) for id, model in params.known().items() if id not in chosen]
    points = [
        {
            "label": one.label,
            "total": one.model.parts.total,
            "share": one.figures.share,
            "tied": one.model.shape.tie_word_embeddings,
            "chosen": one.model.id in chosen,
        }
        for one in [*others, *chosen.values()]
    ]
    return to_json({"points": points})


def logits(made: Sequence[Column], batch, length) -> str:
    """The memory of the logits of a batch."""
    try:
        params.logits_bytes(1, batch, length)
    except Problem as problem:
        return refusal(problem, "")

    def bytes_of(one: Column) -> tuple[int, int]:
        return params.logits_bytes(one.figures.output_rows, batch, length)

    rows = {
        "numbers": lambda one: f"{bytes_of(one)[1] // 2:,}" if one.figures.output_rows else w.both("no_output"),
        "logits_fp32": lambda one: size(bytes_of(one)[0]) if one.figures.output_rows else None,
        "logits_bf16": lambda one: size(bytes_of(one)[1]) if one.figures.output_rows else None,
        "weights_bf16": lambda one: size(2 * one.figures.total),
    }
    return table(made, {"logits": rows}, foot=[w.both("note_logits")])
