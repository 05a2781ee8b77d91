"""The embedding probes tab: neighbours, similarities, analogies, a map, the lookup, the ruler, a table's facts."""

import re

import gradio as gr

from demo_lib import probes
from demo_lib.problems import Problem
from demo_lib.tabs import page, table_bar
from demo_lib.tabs.text.probes import TEXT
from demo_lib.tabs.widgets import QUICK, SLOW, Widget, on_load, refused, to_json

w = page.Words("probes", TEXT)
METRICS = ["cosine", "dot", "euclidean"]


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
def draw_neighbours(table, text: str, k: int, left: str, right: str, mean, variants, special, script: str) -> dict:
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
def draw_similarity(table, text: str, mean: bool) -> dict:
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
def draw_analogy(table, a: str, b: str, c: str, keep: bool, centred: bool) -> dict:
    found = probes.analogy(
        *(probes.read_words(word)[0] if word.strip() else "" for word in (a, b, c)), table, keep, centred
    )
    title = f"{found.words[0].word} − {found.words[1].word} + {found.words[2].word}"
    pieces = [[id, piece] for word in found.words for id, piece in zip(word.ids, word.pieces, strict=True)]
    line = w.both("analogy_line", cosine=f"{found.to_start:.3f}", word=found.words[0].word)
    rows = [{"metric": "cosine", "rows": _rows(found.rows)}]
    return {"words": [{"word": title, "pieces": pieces, "used": [], "note": line, "lists": rows}]}


@drawing
def draw_map(table, text: str, near: int, right: str, up: str) -> dict:
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
def draw_lookup(table, ids: str) -> dict:
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


def draw_shape(expression: str, x: str) -> str:
    """The shape of C[...] for C of 27 x 2."""
    try:
        shape = list(probes.index_shape(expression, (27, 2), x))
    except Problem as problem:
        return refused(problem)
    return to_json({"rows": [_fact("shape_of", str(shape), expression=expression.strip())]})


def draw_equal(dimensions: float) -> str:
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
def draw_facts(table) -> dict:
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


def walk(event: gr.EventData) -> str:
    """The neighbour that was clicked, as the next word."""
    return probes.spell(str(event._data["piece"]), int(event._data["id"]))


def _near(bar: table_bar.TableBar) -> gr.Textbox:
    with gr.Tab(w("near_tab"), id="near"):
        gr.Markdown(w("near_intro"), elem_classes="be-intro")
        words = gr.Textbox("北京", label=w("words"), info=w("words_info"), elem_id="probes-words")
        with gr.Row(elem_classes="be-choices"):
            k = gr.Slider(1, 50, 10, step=1, label=w("k"), elem_id="probes-k")
            metrics = [(w(f"metric_{name}"), name) for name in METRICS]
            left = gr.Dropdown(metrics, value="cosine", label=w("left"), elem_id="probes-left")
            right = gr.Dropdown(metrics, value="dot", label=w("right"), elem_id="probes-right")
            scripts = [(w("script_any"), ""), *((name, name) for name in probes.SCRIPTS)]
            script = gr.Dropdown(scripts, value="", label=w("script"), elem_id="probes-script")
        with gr.Row(elem_classes="be-choices"):
            mean = gr.Checkbox(False, label=w("mean"), container=False)
            variants = gr.Checkbox(False, label=w("hide_variants"), container=False)
            special = gr.Checkbox(True, label=w("hide_special"), container=False)
        found = Widget("neighbours", "probes", elem_id="probes-near")
    inputs = [words, k, left, right, mean, variants, special, script]
    _follow(bar, inputs, draw_neighbours, found)
    found.select(walk, None, words, **QUICK)
    return words


def _follow(bar: table_bar.TableBar, inputs: list, draw, drawing: Widget) -> None:
    """Draw again whenever an input changes or another table answers."""
    changes = [bar.opened.change, *(component.change for component in inputs)]
    gr.on(changes, draw, [bar.opened, *inputs], drawing, trigger_mode="always_last", **SLOW)


def _similar(bar: table_bar.TableBar) -> None:
    with gr.Tab(w("sim_tab"), id="similar"):
        gr.Markdown(w("sim_intro"), elem_classes="be-intro")
        words = gr.Textbox(
            "今天, 明天, 公园, 北京, 上海, today, tomorrow, park, king, queen",
            label=w("words"),
            info=w("words_info"),
            elem_id="probes-sim-words",
        )
        mean = gr.Checkbox(False, label=w("mean"), container=False)
        heat = Widget("heat", "probes", elem_id="probes-heat")
    _follow(bar, [words, mean], draw_similarity, heat)


def _analogies(bar: table_bar.TableBar) -> None:
    with gr.Tab(w("ana_tab"), id="analogies"):
        gr.Markdown(w("ana_intro"), elem_classes="be-intro")
        with gr.Row(elem_classes="be-choices"):
            a, b, c = (
                gr.Textbox(word, label=w(f"ana_{name}"), elem_id=f"probes-{name}")
                for name, word in (("a", "king"), ("b", "man"), ("c", "woman"))
            )
        with gr.Row(elem_classes="be-choices"):
            keep = gr.Checkbox(False, label=w("keep"), container=False)
            centred = gr.Checkbox(False, label=w("centred"), container=False)
        found = Widget("neighbours", "probes", elem_id="probes-analogy")
    _follow(bar, [a, b, c, keep, centred], draw_analogy, found)


def _map(bar: table_bar.TableBar) -> None:
    with gr.Tab(w("map_tab"), id="map"):
        gr.Markdown(w("map_intro"), elem_classes="be-intro")
        words = gr.Textbox(
            "北京, 上海, 今天, 明天, 公园, 学校, 苹果, 香蕉, 国王, 女王",
            label=w("map_words"),
            info=w("words_info"),
            elem_id="probes-map-words",
        )
        with gr.Row(elem_classes="be-choices"):
            near = gr.Slider(0, 10, 0, step=1, label=w("map_near"))
            right = gr.Textbox("", label=w("map_x"), info=w("map_axes_info"), elem_id="probes-map-x")
            up = gr.Textbox("", label=w("map_y"), elem_id="probes-map-y")
        plane = Widget("scatter", "probes", elem_id="probes-map")
    _follow(bar, [words, near, right, up], draw_map, plane)


def _lookup(bar: table_bar.TableBar) -> None:
    with gr.Tab(w("look_tab"), id="lookup"):
        gr.Markdown(w("look_intro"), elem_classes="be-intro")
        with gr.Row(elem_classes="be-choices"):
            ids = gr.Textbox("5, 128, 2024", label=w("look_ids"), elem_id="probes-ids", scale=3)
            start = gr.Button(w("hot_start"), elem_id="probes-hot", scale=1)
        hot = Widget("factlist", "probes", elem_id="probes-hot-facts")
        gr.Markdown(w("shape_title"), elem_classes="be-heading")
        with gr.Row(elem_classes="be-choices"):
            index = gr.Textbox("C[X]", label=w("look_shape"), info=w("look_shape_info"), elem_id="probes-index")
            x = gr.Textbox("[1, 6]", label=w("shape_x"), elem_id="probes-x")
        shape = Widget("factlist", "probes", elem_id="probes-shape")
    start.click(draw_lookup, [bar.opened, ids], hot, **SLOW | {"show_progress": "minimal"})
    gr.on([index.change, x.change, on_load()], draw_shape, [index, x], shape, **QUICK)


def _ruler() -> None:
    with gr.Tab(w("ruler_tab"), id="ruler"):
        gr.Markdown(w("ruler_intro"), elem_classes="be-intro")
        Widget("ruler", "probes", to_json({"vectors": [[3, 1], [1, 3]]}), elem_id="probes-ruler")
        gr.Markdown(w("equal_title"), elem_classes="be-heading")
        d = gr.Slider(1, 64, 2, step=1, label=w("equal_d"), elem_id="probes-d")
        equal = Widget("factlist", "probes", elem_id="probes-equal")
    gr.on([d.change, on_load()], draw_equal, d, equal, trigger_mode="always_last", **SLOW)


def _facts(bar: table_bar.TableBar) -> None:
    with gr.Tab(w("facts_tab"), id="facts"):
        gr.Markdown(w("facts_intro"), elem_classes="be-intro")
        facts = Widget("factlist", "probes", elem_id="probes-facts")
    _follow(bar, [], draw_facts, facts)


def build(lang) -> dict[str, gr.components.Component]:
    """Draw the tab; the inputs that a link can hold, by name."""
    gr.Markdown(w("intro"), elem_classes="be-intro")
    bar = table_bar.build("probes", w)
    with gr.Tabs(elem_classes="be-inner"):
        words = _near(bar)
        _similar(bar)
        _analogies(bar)
        _map(bar)
        _lookup(bar)
        _ruler()
        _facts(bar)
    return {"table": bar.choice, "words": words}


if __name__ == "__main__":
    import demo_lib.tabs.probes

    page.run_alone(demo_lib.tabs.probes)
