"""What the embedding probes tab draws: each function turns an answer of the room into the JSON of a widget."""

import re

from demo_lib import probes
from demo_lib.problems import Problem
from demo_lib.tabs import page
from demo_lib.tabs.text.probes import TEXT
from demo_lib.tabs.widgets import refused, to_json

w = page.Words("probes", TEXT)


def drawing(make):
    """A handler that draws with an open table: the sentence of a Problem takes the drawing's place."""

    def draw(key: str | None, *values) -> str:
        if key is None:
            return "{}"
        try:
            return to_json(make(probes.open_table(key, fetch=False), *values))
        except Problem as problem:
            return refused(problem)

    return draw


def _note(word: probes.Word) -> dict | None:
    if word.whole:
        return None
    return w.both("note_mean" if word.row is None else "note_first", n=len(word.ids))


def _rows(rows) -> list[list]:
    return [[row.id, row.piece, row.score, row.norm] for row in rows]


def _word(word: probes.Word, norm: float, lists: list) -> dict:
    used = list(range(len(word.ids))) if word.row is None else [0]
    pieces = [list(pair) for pair in zip(word.ids, word.pieces, strict=True)]
    return {"word": word.word, "pieces": pieces, "used": used, "norm": norm, "note": _note(word), "lists": lists}


@drawing
def neighbours(table, text: str, k: int, left: str, right: str, mean, variants, special, script: str) -> dict:
    how = {"mean": mean, "hide_variants": variants, "hide_special": special, "script": script or None}
    words = probes.read_words(text)
    sides = [probes.neighbours(words, table, metric, int(k), **how) for metric in dict.fromkeys((left, right))]
    return {
        "words": [
            _word(found[0].word, found[0].norm, [{"metric": f.metric, "rows": _rows(f.rows)} for f in found])
            for found in zip(*sides, strict=True)
        ]
    }


@drawing
def similarity(table, text: str, mean: bool) -> dict:
    words = probes.read_words(text)
    frame = probes.similarity(words, table, mean=mean)
    drawn = {"words": [str(name) for name in frame.columns], "matrix": frame.to_numpy().round(6).tolist()}
    if len(words) >= 2:
        pair = probes.pair(words[0], words[1], table, mean=mean)
        line = f"cos({pair.first.word}, {pair.second.word}) = {pair.cosine:.3f}"
        drawn["pair"] = {"en": line, "zh": line}
    found = [probes.look_up(word, table, mean=mean) for word in words]
    drawn["notes"] = [
        {lang: f"{word.word}: {said}" for lang, said in note.items()} for word in found if (note := _note(word))
    ]
    return drawn


@drawing
def analogy(table, a: str, b: str, c: str, keep: bool, centred: bool) -> dict:
    found = probes.analogy(
        *(probes.read_words(word)[0] if word.strip() else "" for word in (a, b, c)), table, keep, centred
    )
    title = f"{found.words[0].word} − {found.words[1].word} + {found.words[2].word}"
    pieces = [[id, piece] for word in found.words for id, piece in zip(word.ids, word.pieces, strict=True)]
    line = w.both("analogy_line", cosine=f"{found.to_start:.3f}", word=found.words[0].word)
    rows = [{"metric": "cosine", "rows": _rows(found.rows)}]
    return {"words": [{"word": title, "pieces": pieces, "used": [], "note": line, "lists": rows}]}


@drawing
def plane(table, text: str, near: int, right: str, up: str) -> dict:
    axes = [probes.read_axis(right), probes.read_axis(up)] if right.strip() or up.strip() else None
    drawn = probes.points(probes.read_words(text), table, int(near), axes)
    share = [f"{100 * x:.0f}%" for x in drawn.explained]
    if axes:
        line = w.both("map_named", cosine=f"{drawn.between:.2f}")
        names = [{"en": name, "zh": name} for name in drawn.axes]
    else:
        line = w.both("map_pca", x=share[0], y=share[1])
        names = [w.both("component", n=n, share=part) for n, part in enumerate(share, 1)]
    rows = drawn.points.itertuples(index=False)
    points = [{"x": r.x, "y": r.y, "word": r.label, "id": r.id, "norm": r.norm, "near": bool(r.of)} for r in rows]
    return {"points": points, "x": names[0], "y": names[1], "line": line}


@drawing
def lookup(table, ids: str) -> dict:
    numbers = [int(word) for word in re.findall(r"\d{1,9}", ids)]
    done = probes.one_hot(numbers, table)
    shapes = f"{list(done.one_hot_shape)} × {list(done.table_shape)} = {list(done.shape)}"
    facts = [
        _fact("hot_shapes", shapes),
        _fact("hot_products", f"{done.multiplications:,}"),
        _fact("hot_zero", f"{100 * done.zero_share:.5f}%"),
        _fact("hot_product_time", f"{1000 * done.product_seconds:,.1f} ms"),
        _fact("hot_lookup_time", f"{1000 * done.lookup_seconds:,.3f} ms"),
        _fact("hot_same", w.both("same" if done.equal else "different")),
    ]
    return {"rows": facts}


def _fact(key: str, value: str | dict, **fields) -> dict:
    return w.both(key, **fields) | {"value": value}


def shape(expression: str, x: str) -> str:
    """The shape of C[...] for C of 27 x 2."""
    try:
        shape = list(probes.index_shape(expression, (27, 2), x))
    except Problem as problem:
        return refused(problem)
    return to_json({"rows": [_fact("shape_of", str(shape), expression=expression.strip())]})


def equal(dimensions: float) -> str:
    """How many points can be equally far apart in d dimensions, and what 27 points come to in the plane."""
    try:
        d = int(dimensions)
        points, hot, best = probes.simplex(d), probes.one_hots(27), probes.packing()
    except Problem as problem:
        return refused(problem)
    facts = [
        _fact("equal_most", f"{len(points)}", d=d),
        _fact("equal_hot", f"{hot.distance:.4f} · {hot.dot:.0f}"),
        _fact("equal_need", f"{hot.dimensions}"),
        _fact("equal_plane", f"{best.nearest:.3f}"),
    ]
    return to_json({"rows": facts})


@drawing
def facts(table) -> dict:
    found = probes.facts(table)
    rows = [
        _fact("facts_rows", f"{found.rows:,}"),
        _fact("facts_dim", f"{found.dim:,}"),
        _fact("facts_unused", f"{found.unused:,}"),
        _fact("facts_cosine", f"{found.mean_cosine:.4f} ± {found.standard_error:.4f}", n=f"{found.pairs:,}"),
    ]
    frame = found.histogram
    edges = [*frame["low"].tolist(), float(frame["high"].iloc[-1])]
    counts = (frame["tokens"] + frame["unused"]).tolist()
    line = w.both("facts_lengths", low=f"{edges[0]:.3f}", high=f"{edges[-1]:.3f}")
    ends = {"longest": found.longest, "shortest": found.shortest}
    named = {name: [[row.id, row.piece, row.norm] for row in end] for name, end in ends.items()}
    return {"rows": rows, "histogram": {"edges": edges, "counts": counts}, "line": line} | named
