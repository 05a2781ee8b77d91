"""The vocabularies tab: what is in a vocabulary, a search, two vocabularies, tokens that no text can produce."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import gradio as gr

from demo_lib import vocabulary as room
from demo_lib.problems import Problem
from demo_lib.tabs import page, table_bar
from demo_lib.tabs import vocabulary_draw as draw
from demo_lib.tabs.text.vocabulary import TEXT
from demo_lib.tabs.widgets import QUICK, SLOW, Widget, refused, to_json, upload_choice

w = page.Words("vocabulary", TEXT)
START = "年假怎么申请？ 钉钉审批 How do I apply for annual leave in 2026?"
FIRST, SECOND = "llama-3.1", "qwen2.5"


def open_both(first: str, second: str | None) -> float:
    """Open the vocabularies that are chosen; a new number, which what draws them follows."""
    for model in (first, second):
        if model and model != draw.NONE:
            with suppress(Problem):  # said by whoever draws with it
                room.open_entries(model)
    return time.monotonic()


def start(first: str, second: str | None) -> Iterator[tuple]:
    """As open_both, with the words that tell of it meanwhile."""
    yield to_json({"busy": True}), gr.skip()
    yield gr.skip(), open_both(first, second)


def sorted_by(sort: tuple, event: gr.EventData) -> tuple:
    """The order after the head of a column was pressed: upwards, and downwards at the second time."""
    order = str(event._data.get("order"))
    return (order, order == sort[0] and not sort[1]) if order in room.ORDERS else sort


def choose(first: str, second: str | None, event: gr.EventData) -> str:
    """All about the token that was chosen in the table."""
    return draw.card(first, second, int(event._data["id"]))


def check(model: str) -> Iterator[str]:
    """Ask about every token, telling how far it is."""
    try:
        one = room.open_entries(model)
    except Problem as problem:
        yield refused(problem)
        return
    yield to_json({"state": "working", "label": one.label, "done": 0})
    answer = None
    for answer in table_bar.follow(lambda far, _: room.open_reach(model, progress=far), table_bar.Errand()):
        if isinstance(answer, tuple):
            yield to_json({"state": "working", "label": one.label, "done": answer[0] / max(1, answer[1])})
    yield refused(answer) if isinstance(answer, Problem) else draw.reached(answer, one)


def idle(model: str) -> str:
    return to_json({"state": "idle", "label": room.label(room.key_of(model or ""))})


def add_upload(path: str, uploads: list, lang: str):
    """A tokenizer.json from the visitor becomes the first vocabulary."""
    key = room.open_upload(Path(path).read_bytes())
    uploads = [*uploads, upload_choice(path, key)]
    return gr.Dropdown(choices=room.choices() + uploads, value=key), uploads


def vocabulary(model: str) -> dict:
    """Count what is in a vocabulary, and which of its tokens no text can produce.

    Args:
        model: llama-3.1, qwen2.5, qwen3.5, or the id of a model on the Hugging Face Hub (org/name).

    Returns:
        {tokens, by_kind, by_bytes, by_characters, not_text, leading_space, special_tokens, never_produced}; by_kind and
        by_bytes add up to tokens, by_characters and not_text too. never_produced counts tokens by the reason why no
        text gives them; where proved is false, no text that was tried did. The first call takes some ten seconds.
    """
    return room.counts_row(model)


def vocabulary_search(model: str, pattern: str, limit: int = 100, how: str = "regex") -> dict:
    """Find tokens in a vocabulary.

    Args:
        model: llama-3.1, qwen2.5, qwen3.5, or the id of a model on the Hugging Face Hub (org/name).
        pattern: what to look for, up to 200 characters; a regular expression of Python's regex package, which has to
            fit somewhere in the token.
        limit: rows of the answer, 1 to 10,000.
        how: regex, text (as written), bytes (in hex) or id (5, or 100-120).

    Returns:
        {found, rows}: how many tokens fit, and by id {id, piece, bytes, length, characters, kind}; length in bytes,
        characters null where the bytes are no text by themselves.
    """
    return room.search_rows(model, pattern, limit, how)


def vocabulary_overlap(a: str, b: str) -> dict:
    """Count the byte strings that are tokens in two vocabularies, or in one of them only; special tokens left out.

    Args:
        a: llama-3.1, qwen2.5, qwen3.5, or the id of a model on the Hugging Face Hub (org/name).
        b: another one.

    Returns:
        {both, only_a, only_b, by_kind}: by_kind has the same three for each script.
    """
    return room.overlap_row(a, b)


def _models() -> tuple:
    with gr.Row(elem_classes="be-choices"):
        first = gr.Dropdown(
            room.choices(),
            value=FIRST,
            allow_custom_value=True,
            label=w("first"),
            info=w("models_info"),
            elem_id="vocabulary-first",
        )
        second = gr.Dropdown(
            [*room.choices(), (w("none"), draw.NONE)],
            value=SECOND,
            allow_custom_value=True,
            label=w("second"),
            info=w("models_info"),
            elem_id="vocabulary-second",
        )
        upload = gr.UploadButton(w("upload"), elem_id="vocabulary-upload", file_types=[".json"])
    return first, second, upload


def _search(models: list, opened) -> dict:
    with gr.Tab(w("search_tab"), id="search"):
        gr.Markdown(w("search_intro"), elem_classes="be-intro")
        query = gr.Textbox("请", label=w("query"), placeholder=w("query_hint"), elem_id="vocabulary-query")
        with gr.Row(elem_classes="be-choices"):
            how, kind, where = (
                gr.Dropdown(
                    [(w(f"{name}_{one or 'any'}"), one) for one in values],
                    value=values[0],
                    label=w(name),
                    elem_id=f"vocabulary-{name}",
                )
                for name, values in (
                    ("how", list(room.HOW)),
                    ("kind", ["", *room.KINDS]),
                    ("where", ["all", "both", "only"]),
                )
            )
        sort = gr.State(("id", False))
        table = Widget("entries", "vocabulary", elem_id="vocabulary-table")
        save = Widget("save", "vocabulary", elem_id="vocabulary-save")
        card = Widget("card", "vocabulary", to_json({"hint": True}), elem_id="vocabulary-card")
    inputs = [*models, query, how, kind, where, sort]
    changes = [opened.change, *(one.change for one in inputs[2:])]
    gr.on(changes, draw.table, inputs, table, trigger_mode="always_last", **QUICK)
    table.edit(sorted_by, sort, sort, **SLOW)  # beside the queue, a State that changes tells nobody
    table.select(choose, models, card, trigger_mode="always_last", **QUICK)
    # a card of an earlier search is closed
    gr.on([opened.change, *(one.change for one in inputs[2:-1])], lambda: to_json({"hint": True}), None, card, **QUICK)
    save.select(draw.csv, inputs, save, **SLOW)
    return {"query": query, "how": how, "kind": kind, "where": where}


def _two(models: list, opened) -> gr.Textbox:
    with gr.Tab(w("two_tab"), id="two"):
        gr.Markdown(w("two_intro"), elem_classes="be-intro")
        shared = Widget("shared", "vocabulary", elem_id="vocabulary-shared")
        gr.Markdown(w("held_title"), elem_classes="be-heading")
        gr.Markdown(w("held_intro"), elem_classes="be-intro")
        text = gr.Textbox(START, label=w("text"), lines=2, max_lines=10, elem_id="vocabulary-text")
        held = Widget("held", "vocabulary", elem_id="vocabulary-held")
    opened.change(draw.two, models, shared, trigger_mode="always_last", **QUICK)
    gr.on([opened.change, text.change], draw.text, [*models, text], held, trigger_mode="always_last", **QUICK)
    return text


def _reach(first) -> None:
    with gr.Tab(w("reach_tab"), id="reach"):
        gr.Markdown(w("reach_intro"), elem_classes="be-intro")
        found = Widget("reach", "vocabulary", idle(FIRST), elem_id="vocabulary-reach")
    running = gr.on([found.select], check, first, found, **SLOW)
    first.change(idle, first, found, cancels=[running], **QUICK)


def build(lang) -> dict[str, gr.components.Component]:
    """Draw the tab; the inputs that a link can hold, by name."""
    gr.Markdown(w("intro"), elem_classes="be-intro")
    first, second, upload = _models()
    models, opened, uploads = [first, second], gr.State(0.0), gr.State([])
    with gr.Tabs(elem_classes="be-inner") as view:
        with gr.Tab(w("contents_tab"), id="contents"):
            gr.Markdown(w("contents_intro"), elem_classes="be-intro")
            contents = Widget("contents", "vocabulary", elem_id="vocabulary-contents")
        search = _search(models, opened)
        text = _two(models, opened)
        _reach(first)
    gr.on(
        [contents.expand, first.change, second.change],
        start,
        models,
        [contents, opened],
        trigger_mode="multiple",
        **SLOW,
    )
    opened.change(draw.contents, models, contents, trigger_mode="always_last", **QUICK)
    upload.upload(page.shown(add_upload), [upload, uploads, lang], [first, uploads], api_visibility="private")
    for function in (vocabulary, vocabulary_search, vocabulary_overlap):
        page.offer(function)
    return {"first": first, "second": second, **search, "text": text, "view": view}


if __name__ == "__main__":
    import demo_lib.tabs.vocabulary

    page.run_alone(demo_lib.tabs.vocabulary)
