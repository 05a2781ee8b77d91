"""What the embedding probes tab draws: each function turns an answer of the room into the JSON of a widget."""

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from demo_lib import probes
from demo_lib.problems import Problem
from demo_lib.tabs import page, widgets
from demo_lib.tabs.text.probes import TEXT
from demo_lib.tabs.widgets import refused, say, to_json

w = page.Words("probes", TEXT)
PATIENCE = 0.7  # seconds after which a drawing says that it is being made
SOME = 16  # near-copies that are named
EXAMPLES = ("C[5]", "C[5:6]", "C[X]")


def patient(make: Callable[[], dict]) -> Iterator[str]:
    """The JSON of what `make()` returns, or of its Problem; before it {busy: true}, if that takes long."""
    with ThreadPoolExecutor(1) as worker:
        made = worker.submit(widgets.drawing(make))
        try:
            yield made.result(PATIENCE)
        except TimeoutError:
            yield to_json({"busy": True})
            yield made.result()


def drawing(make: Callable[..., dict]) -> Callable[..., Iterator[str]]:
    """A handler that draws with an open table, once the drawing can be seen: what nobody looks at costs nothing."""

    def draw(seen: bool, key: str | None, *values) -> Iterator[str]:
        if key is None or not seen:
            yield "{}"
        else:
            yield from patient(lambda: make(probes.open_table(key, fetch=False), *values))

    return draw


def _note(word: probes.Word) -> dict | None:
    """Which row answers for a word of several tokens."""
    if word.whole:
        return None
    return w.both("note_mean" if word.row is None else "note_first", n=len(word.ids), first=word.pieces[0])


def _notes(words: list[probes.Word]) -> list[dict]:
    noted = [(word.word, _note(word)) for word in words if not word.whole]
    return [{lang: f"{word}: {said}" for lang, said in note.items()} for word, note in noted]


def _pieces(word: probes.Word) -> list[list]:
    return [list(pair) for pair in zip(word.ids, word.pieces, strict=True)]


def _used(word: probes.Word) -> list[bool]:
    return [word.row is None or not i for i in range(len(word.ids))]


def _drawn(words: list[probes.Word], title: str, norm: float | None, lists: list, **more) -> dict:
    used = [use for word in words for use in _used(word)]
    pieces = [piece for word in words for piece in _pieces(word)]
    return {
        "word": title,
        "pieces": pieces,
        "used": [i for i, use in enumerate(used) if use],
        "norm": norm,
        "lists": lists,
        **more,
    }


def _list(metric: str, rows) -> dict:
    return {"metric": metric, "rows": [[row.id, row.piece, row.score, row.norm] for row in rows]}


@drawing
def neighbours(table, text: str, k: int, left: str, right: str, mean, variants, special, script: str) -> dict:
    how = {"mean": mean, "hide_variants": variants, "hide_special": special, "script": script or None}
    words = probes.read_words(text)
    sides = [probes.neighbours(words, table, metric, int(k), **how) for metric in dict.fromkeys((left, right))]
    return {
        "words": [
            _drawn(
                [found[0].word],
                found[0].word.word,
                found[0].norm,
                [_list(side.metric, side.rows) for side in found],
                note=_note(found[0].word),
            )
            for found in zip(*sides, strict=True)
        ],
        "lengths": _lengths(table) if "dot" in (left, right) else None,
    }


def _lengths(table) -> dict:
    """How much the dot product can differ from the cosine in this table."""
    low, high = probes.lengths(table)
    return w.both("lengths_alike" if high < 1.1 * low else "lengths_differ", low=f"{low:.3f}", high=f"{high:.3f}")


@drawing
def similarity(table, text: str, mean: bool) -> dict:
    words = probes.read_words(text)
    frame = probes.similarity(words, table, mean=mean)
    found = [probes.look_up(word, table, mean=mean) for word in dict.fromkeys(words)]
    return {
        "words": [str(name) for name in frame.columns],
        "matrix": frame.to_numpy().round(6).tolist(),
        "about": [{"pieces": _pieces(word), "norm": _norm(word), "use": _use(word)} for word in found],
        "notes": _notes(found),
    }


def _use(word: probes.Word) -> str:
    """Which of a word's rows stand for it."""
    return "all" if word.whole else "mean" if word.row is None else "first"


def _norm(word: probes.Word) -> float:
    return float((word.vector**2).sum() ** 0.5)


def _only(text: str) -> str | int:
    """The one word of a field; what is none of it, and more than one, are not taken apart."""
    words = probes.read_words(text)
    return words[0] if len(words) == 1 else text.strip()


def check_vectors(value: str) -> None:
    """Raises Problem unless this is the JSON of two vectors of the plane, as the ruler has it."""
    try:
        vectors = json.loads(value)["vectors"]
        good = len(vectors) == 2 and all(len(v) == 2 and all(abs(float(x)) <= 1e6 for x in v) for v in vectors)
    except (ValueError, KeyError, TypeError, RecursionError):
        good = False
    if not good:
        raise Problem("These are not two vectors of the plane.", "这不是平面上的两个向量。")


def pick_names(terms: list[tuple[str, str, str]]) -> list[dict]:
    """The names of ready analogies, for a widget of picks."""
    names = [f"{a} − {b} + {c}".replace('"', "") for a, b, c in terms]
    return [{"en": name, "zh-CN": name} for name in names]


@drawing
def analogy(table, a: str, b: str, c: str, mean: bool, keep: bool, centred: bool) -> dict:
    found = probes.analogy(*map(_only, (a, b, c)), table, keep, centred, mean=mean)
    title = f"{found.words[0].word} − {found.words[1].word} + {found.words[2].word}"
    line = w.both("analogy_line", cosine=f"{found.to_start:.3f}", word=found.words[0].word)
    notes = _notes(found.words)
    note = {lang: " ".join(note[lang] for note in notes) for lang in ("en", "zh")} if notes else None
    return {"words": [_drawn(found.words, title, None, [_list("cosine", found.rows)], note=note, line=line)]}


@drawing
def plane(table, text: str, near: int, right: str, up: str, mean: bool) -> dict:
    words = probes.read_words(text)
    axes = [probes.read_axis(right), probes.read_axis(up)] if right.strip() or up.strip() else None
    drawn = probes.points(words, table, int(near), axes, mean=mean)
    share = [f"{100 * x:.0f}%" for x in drawn.explained]
    if axes:
        line = w.both("map_named", cosine=f"{drawn.between:.2f}", share=f"{100 * drawn.explained[0]:.1f}%")
        names = [{"en": name, "zh": name} for name in drawn.axes]
    else:
        line = w.both("map_pca", x=share[0], y=share[1])
        names = [w.both("component", n=n, share=part) for n, part in enumerate(share, 1)]
    rows = drawn.points.itertuples(index=False)
    points = [{"x": r.x, "y": r.y, "word": r.label, "id": r.id, "norm": r.norm, "of": r.of} for r in rows]
    spoken = [*dict.fromkeys(words), *(word for axis in axes or () for word in axis)]
    notes = _notes([probes.look_up(word, table, mean=mean) for word in dict.fromkeys(spoken)])
    ends = axes and [[probes.look_up(word, table).word for word in axis] for axis in axes]
    return {"points": points, "x": names[0], "y": names[1], "line": line, "notes": notes, "ends": ends}


def _ids(text: str) -> list[int]:
    """Token ids with spaces or commas between them."""
    parts = [part for part in re.split(r"[\s,，、;；#]+", text) if part]
    if not parts or not all(re.fullmatch(r"\d{1,9}", part) for part in parts):
        raise Problem(
            "Token ids are whole numbers with commas between them, such as 5, 128, 2024.",
            "token id 是用逗号隔开的整数，例如 5, 128, 2024。",
        )
    return [int(part) for part in parts]


def hint() -> str:
    return to_json({"rows": [], "hint": w.both("hot_hint")})


def lookup(key: str | None, ids: str) -> Iterator[str]:
    """Both ways to get the rows of some ids, when the button is pressed."""
    yield from drawing(_both_ways)(True, key, ids)


def _both_ways(table, ids: str) -> dict:
    done = probes.one_hot(_ids(ids), table)
    shapes = f"{list(done.one_hot_shape)} × {list(done.table_shape)} = {list(done.shape)}"
    facts = [
        _fact("hot_ids", ", ".join(map(str, done.ids))),
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


def shape(expression: str, c: str, x: str) -> str:
    """The shape of an index into C, and below it those of the three examples."""
    try:
        first = str(list(probes.index_shape(expression, c, x)))
    except Problem as problem:
        return refused(problem)
    own = expression.strip()
    rows = [_fact("shape_of", first, expression=own)]
    for example in EXAMPLES:
        if example != own:
            rows.append(_fact("shape_of", _shape_or_problem(example, c, x), expression=example))
    return to_json({"rows": rows})


def _shape_or_problem(example: str, c: str, x: str) -> str | dict:
    try:
        return str(list(probes.index_shape(example, c, x)))
    except Problem as problem:
        return say(problem)


def equal(dimensions: float) -> str:
    """How many points can be equally far apart in d dimensions, counted on such points."""
    try:
        d = int(dimensions)
        return to_json({"rows": [_fact("equal_most", f"{len(probes.simplex(d))}", d=d)]})
    except Problem as problem:
        return refused(problem)


def crowd() -> Iterator[str]:
    """27 points: as one-hot rows, and in the plane."""
    yield from patient(_crowd)


def _crowd() -> dict:
    hot, best = probes.one_hots(27), probes.packing()
    facts = [
        _fact("equal_hot", f"{hot.distance:.4f} · {hot.dot:.0f}"),
        _fact("equal_need", f"{hot.dimensions}"),
        _fact("equal_plane", f"{best.nearest:.3f}"),
    ]
    caption = w.both("equal_caption", ratio=f"{1 / best.nearest:.1f}")
    return {"rows": facts, "points": best.points.round(5).tolist(), "caption": caption}


@drawing
def copies(table) -> dict:
    found = probes.copies(table)
    rows = [_fact("copies_rows", f"{len(found.ids):,}"), _fact("copies_group", f"{len(found.group):,}")]
    some = found.group[:: max(1, -(-len(found.group) // SOME))]
    return {"rows": rows + ([_fact("copies_some", ", ".join(probes.spell(id, table) for id in some))] if some else [])}


@drawing
def facts(table) -> dict:
    found = probes.facts(table)
    none = found.mean_cosine != found.mean_cosine
    mean = w.both("no_pairs") if none else f"{found.mean_cosine:.4f} ± {found.standard_error:.4f}"
    rows = [
        _fact("facts_rows", f"{found.rows:,}"),
        _fact("facts_dim", f"{found.dim:,}"),
        _fact("facts_unused", f"{found.unused:,}"),
        _fact("facts_cosine", mean, n=f"{found.pairs:,}"),
    ]
    frame = found.histogram
    edges = [*frame["low"].tolist(), float(frame["high"].iloc[-1])]
    counts = {name: frame[name].tolist() for name in ("tokens", "unused")}
    low, high = (f"{edge:.{4 if edges[-1] - edges[0] < 0.1 else 3}f}" for edge in (edges[0], edges[-1]))
    line = w.both("facts_lengths", low=low, high=high)
    ends = {"longest": found.longest, "shortest": found.shortest}
    named = {name: [[row.id, row.piece, row.norm] for row in end] for name, end in ends.items()}
    return {"rows": rows, "histogram": {"edges": edges} | counts, "line": line} | named
