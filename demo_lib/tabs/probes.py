"""The embedding probes tab: neighbours, similarities, analogies, a map, the lookup, the ruler, a table's facts."""

import gradio as gr

from demo_lib import probes
from demo_lib.tabs import links, page, probes_draw, table_bar
from demo_lib.tabs.text.probes import TEXT
from demo_lib.tabs.widgets import QUICK, SLOW, Slider, Widget, chosen, to_json

w = page.Words("probes", TEXT)
METRICS = ["cosine", "dot", "euclidean"]
ANALOGIES = [
    ("king", "man", "woman"),
    ("国王", "男人", "女人"),
    ("哥哥", "男", "女"),
    ('" Tokyo"', '" Japan"', '" France"'),
    ("巴黎", "法国", "中国"),
]


def walk(key: str, event: gr.EventData) -> str:
    """The neighbour that was clicked, as the next word."""
    return probes.spell(int(event._data["id"]), probes.open_table(key, fetch=False))


def walk_away(key: str, event: gr.EventData) -> tuple[str, gr.Tabs]:
    """The answer that was clicked, as the next word of the tab of neighbours, and that tab."""
    return walk(key, event), gr.Tabs(selected="near")


def neighbours(word: str, table: str, metric: str = "cosine", k: int = 10) -> list[dict]:
    """Find the rows of an embedding table that lie nearest to a word's row.

    Args:
        word: as typed, so "today" and " today" may be two rows, and "#5" is that text, not row 5; of several tokens
            the first is looked up.
        table: gemma-3-270m, smollm2-135m, qwen2.5-0.5b, qwen3.5-0.8b, llama-3.2-1b, or the id of a model on the Hub.
        metric: cosine, dot or euclidean (a distance: the smallest comes first).
        k: how many, 1 to 100.

    Returns:
        Rows {id, piece, score, norm}, the nearest first: without the word itself, special tokens and unused rows.
    """
    return probes.neighbour_rows(word, probes.open_table(table), metric, k)


def similarity(words: list[str], table: str) -> dict:
    """Compare words with each other: the cosines of their rows in an embedding table.

    Args:
        words: 1 to 30 words, as typed ("#5" is that text, not row 5); of several tokens the first is looked up.
        table: gemma-3-270m, smollm2-135m, qwen2.5-0.5b, qwen3.5-0.8b, llama-3.2-1b, or the id of a model on the Hub.

    Returns:
        {words, cosines}: cosines[i][j] is the cosine of words[i] and words[j].
    """
    return probes.similarity_row(words, probes.open_table(table))


def analogy(a: str, b: str, c: str, table: str) -> list[dict]:
    """Find the rows of an embedding table that lie nearest to a - b + c by cosine.

    Args:
        a: a word such as king.
        b: the word that is taken away, such as man.
        c: the word that is added, such as woman.
        table: gemma-3-270m, smollm2-135m, qwen2.5-0.5b, qwen3.5-0.8b, llama-3.2-1b, or the id of a model on the Hub.

    Returns:
        Ten rows {id, piece, score, norm}, the nearest first: without the three words in any of their spellings.
    """
    return probes.analogy_rows(a, b, c, probes.open_table(table))


def _near(bar: table_bar.TableBar) -> dict:
    with gr.Tab(w("near_tab"), id="near"):
        gr.Markdown(w("near_intro"), elem_classes="be-intro")
        words = gr.Textbox("北京", label=w("words"), info=w("words_info"), elem_id="probes-words")
        with gr.Row(elem_classes="be-choices be-fields"):
            k = Slider(1, 50, 10, step=1, label=w("k"), elem_id="probes-k")
            metrics = [(w(f"metric_{name}"), name) for name in METRICS]
            left = gr.Dropdown(metrics, value="cosine", label=w("left"), elem_id="probes-left")
            right = gr.Dropdown(metrics, value="dot", label=w("right"), elem_id="probes-right")
            scripts = [(w("script_any"), ""), *((w(f"script_{name}"), name) for name in probes.SCRIPTS)]
            script = gr.Dropdown(scripts, value="", label=w("script"), elem_id="probes-script")
        mean, variants, special = _checks(near_mean=False, hide_variants=False, hide_special=True)
        found = Widget("neighbours", "probes", elem_id="probes-near")
        inputs = [words, k, left, right, mean, variants, special, script]
        _follow(bar, inputs, probes_draw.neighbours, found, seen=True)
    found.select(walk, bar.opened, words, **SLOW)  # a State, which only the queue sees change
    names = ("words", "k", "left", "right", "near_mean", "hide_variants", "hide_special", "script")
    return dict(zip(names, inputs, strict=True))


def _checks(**names: bool) -> list[gr.Checkbox]:
    """A row of switches; `near_mean` and the like share the words of `mean`."""
    with gr.Row(elem_classes="be-switches be-checks"):
        return [
            gr.Checkbox(on, label=w("mean" if name.endswith("_mean") else name), container=False, elem_id=_id(name))
            for name, on in names.items()
        ]


def _id(name: str) -> str:
    return f"probes-{name.replace('_', '-')}"


def _follow(bar: table_bar.TableBar, inputs: list, draw, drawing: Widget, *, seen: bool = False) -> None:
    """Draw when the drawing is first seen, and again whenever an input changes or another table answers.

    `seen`: the visitor begins with it. To be called inside the tab: a State between two tabs puts Gradio's titles in
    disorder.
    """
    looked = gr.State(seen)
    drawing.expand(lambda: True, None, looked, **SLOW)  # beside the queue, Gradio tells nobody that a State changed
    changes = [looked.change, bar.opened.change, *(component.change for component in inputs)]
    gr.on(changes, draw, [looked, bar.opened, *inputs], drawing, trigger_mode="always_last", **SLOW)


def _similar(bar: table_bar.TableBar) -> dict:
    with gr.Tab(w("sim_tab"), id="similar"):
        gr.Markdown(w("sim_intro"), elem_classes="be-intro")
        words = gr.Textbox(
            "今天, 明天, 公园, 北京, 上海, today, tomorrow, park, king, queen",
            label=w("words"),
            info=w("words_info"),
            elem_id="probes-sim-words",
        )
        mean = _checks(sim_mean=False)
        heat = Widget("heat", "probes", elem_id="probes-heat")
        _follow(bar, [words, *mean], probes_draw.similarity, heat)
    return {"sim_words": words, "sim_mean": mean[0]}


def _analogies(bar: table_bar.TableBar, tabs: gr.Tabs, next_words: gr.Textbox) -> dict:
    with gr.Tab(w("ana_tab"), id="analogies"):
        gr.Markdown(w("ana_intro"), elem_classes="be-intro")
        picks = Widget("picks", "probes", to_json(probes_draw.pick_names(ANALOGIES)), elem_id="probes-picks")
        with gr.Row(elem_classes="be-choices"):
            terms = [
                gr.Textbox(word, label=w(f"ana_{name}"), elem_id=f"probes-{name}")
                for name, word in zip("abc", ANALOGIES[0], strict=True)
            ]
        switches = _checks(ana_mean=False, keep=False, centred=False)
        found = Widget("neighbours", "probes", elem_id="probes-analogy")
        picks.select(lambda value: ANALOGIES[chosen(value)], picks, terms, trigger_mode="always_last", **QUICK)
        _follow(bar, [*terms, *switches], probes_draw.analogy, found)
    found.select(walk_away, bar.opened, [next_words, tabs], **SLOW)
    return dict(zip(("a", "b", "c", "ana_mean", "keep", "centred"), [*terms, *switches], strict=True))


def _map(bar: table_bar.TableBar) -> dict:
    with gr.Tab(w("map_tab"), id="map"):
        gr.Markdown(w("map_intro"), elem_classes="be-intro")
        words = gr.Textbox(
            "北京, 上海, 今天, 明天, 公园, 学校, 苹果, 香蕉, 国王, 女王",
            label=w("map_words"),
            info=w("words_info"),
            elem_id="probes-map-words",
        )
        with gr.Row(elem_classes="be-choices be-fields"):
            near = Slider(0, 10, 0, step=1, label=w("map_near"), elem_id="probes-map-near")
            right = gr.Textbox("", label=w("map_x"), info=w("map_x_info"), elem_id="probes-map-x")
            up = gr.Textbox("", label=w("map_y"), info=w("map_y_info"), elem_id="probes-map-y")
        mean = _checks(map_mean=False)
        plane = Widget("scatter", "probes", elem_id="probes-map")
        _follow(bar, [words, near, right, up, *mean], probes_draw.plane, plane)
    return {"map_words": words, "map_near": near, "map_x": right, "map_y": up, "map_mean": mean[0]}


def _lookup(bar: table_bar.TableBar) -> dict:
    with gr.Tab(w("look_tab"), id="lookup"):
        gr.Markdown(w("look_intro"), elem_classes="be-intro")
        ids = gr.Textbox("5, 128, 2024", label=w("look_ids"), info=w("look_ids_info"), elem_id="probes-ids")
        start = gr.Button(w("hot_start"), elem_id="probes-hot", elem_classes="be-start", variant="primary")
        hot = Widget("factlist", "probes", probes_draw.hint(), elem_id="probes-hot-facts")
        gr.Markdown(w("shape_title"), elem_classes="be-heading")
        gr.Markdown(w("shape_rule"), elem_classes="be-intro")
        with gr.Row(elem_classes="be-choices be-fields"):
            index = gr.Textbox("C[X]", label=w("look_shape"), elem_id="probes-index")
            c = gr.Textbox("[27, 2]", label=w("shape_c"), elem_id="probes-c-shape")
            x = gr.Textbox("[1, 6]", label=w("shape_x"), elem_id="probes-x")
        shape = Widget("factlist", "probes", elem_id="probes-shape")
    running = gr.on([start.click, ids.submit], probes_draw.lookup, [bar.opened, ids], hot, **SLOW)
    bar.opened.change(probes_draw.hint, None, hot, cancels=[running], **QUICK)  # of another table, it is not true
    shapes = [index.change, c.change, x.change, shape.expand]
    gr.on(shapes, probes_draw.shape, [index, c, x], shape, trigger_mode="always_last", **QUICK)
    return {"ids": ids, "index": index, "c_shape": c, "x": x}


def _ruler() -> dict:
    with gr.Tab(w("ruler_tab"), id="ruler"):
        gr.Markdown(w("ruler_intro"), elem_classes="be-intro")
        ruler = Widget("ruler", "probes", to_json({"vectors": [[3, 1], [1, 3]]}), elem_id="probes-ruler")
        gr.Markdown(w("equal_title"), elem_classes="be-heading")
        gr.Markdown(w("equal_intro"), elem_classes="be-intro")
        d = Slider(1, 64, 2, step=1, label=w("equal_d"), elem_id="probes-d")
        equal = Widget("factlist", "probes", elem_id="probes-equal")
        crowd = Widget("factlist", "probes", elem_id="probes-crowd")
    gr.on([d.change, equal.expand], probes_draw.equal, d, equal, trigger_mode="always_last", **QUICK)
    crowd.expand(probes_draw.crowd, None, crowd, **SLOW)
    return {"ruler": (ruler, links.Checked(probes_draw.check_vectors, 1_000)), "d": d}


def _facts(bar: table_bar.TableBar) -> None:
    with gr.Tab(w("facts_tab"), id="facts"):
        gr.Markdown(w("facts_intro"), elem_classes="be-intro")
        facts = Widget("factlist", "probes", elem_id="probes-facts")
        _follow(bar, [], probes_draw.facts, facts)
        gr.Markdown(w("copies_title"), elem_classes="be-heading")
        gr.Markdown(w("copies_intro"), elem_classes="be-intro")
        copies = Widget("factlist", "probes", elem_id="probes-copies")
        _follow(bar, [], probes_draw.copies, copies)


def build(lang) -> dict[str, gr.components.Component]:
    """Draw the tab; the inputs that a link can hold, by name."""
    gr.Markdown(w("intro"), elem_classes="be-intro")
    bar = table_bar.build("probes", w)
    with gr.Tabs(elem_classes="be-inner") as view:
        inputs = {"table": bar.choice} | _near(bar) | _similar(bar)
        inputs |= _analogies(bar, view, inputs["words"]) | _map(bar) | _lookup(bar) | _ruler()
        _facts(bar)
    for endpoint in (neighbours, similarity, analogy):
        page.offer(endpoint)
    return inputs | {"view": view}


if __name__ == "__main__":
    import demo_lib.tabs.probes

    page.run_alone(demo_lib.tabs.probes)
