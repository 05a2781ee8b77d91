"""The tokenizers tab: one text in up to four tokenizers, how it was cut, how it streams, ids back to text."""

from pathlib import Path

import gradio as gr

from demo_lib import tokens
from demo_lib.problems import Problem
from demo_lib.tabs import links, page
from demo_lib.tabs.text.tokens import TEXT
from demo_lib.tabs.widgets import (
    BROKEN,
    QUICK,
    SLOW,
    SPECIAL,
    Widget,
    chosen,
    on_load,
    open_each,
    refused,
    rows_of,
    to_json,
    token_rows,
    upload_choice,
)

DEFAULT_MODELS = ["llama-3.1", "qwen2.5"]
WINDOW = 40  # pre-tokens shown on either side of the chosen one
MOST_STEPS = 400  # ids shown of a stream

EXAMPLES = page.examples("texts.json")
w = page.Words("tokens", TEXT)


def _good(column: tokens.Column | tokens.Failed) -> tokens.Column:
    if isinstance(column, tokens.Failed):
        raise column.problem
    return column


def _board_row(column: tokens.Column | tokens.Failed) -> dict:
    column = _good(column)
    return {"tokens": token_rows(column.encoding, column.unshared), "count": vars(column.count)}


def _trace_row(trace: tokens.Trace | None) -> dict:
    if trace is None:
        return {"too_long": tokens.LONGEST}
    merges = None if trace.merges is None else [[m.at, m.left.hex(), m.right.hex(), m.rank] for m in trace.merges]
    start = [piece.hex() for piece in trace.start]
    return {"kind": trace.kind, "whole": trace.whole, "start": start, "merges": merges, "ids": list(trace.ids)}


def _cut_row(column: tokens.Column | tokens.Failed, byte: int) -> dict:
    column = _good(column)
    cut = tokens.cut(column.encoding, column.model, byte)
    if cut is None:
        return {"empty": True}
    first = max(0, cut.index - WINDOW)
    near = slice(first, cut.index + WINDOW + 1)
    return _trace_row(cut.trace) | {
        "index": cut.index,
        "of": len(cut.pre_tokens),
        "first": first,
        "pre_tokens": list(zip(cut.pre_tokens[near], cut.starts[near], strict=True)),
        "alternative": cut.alternative,
        "pattern": [[part.name, part.regex] for part in cut.pattern],
    }


def _stream_row(column: tokens.Column | tokens.Failed) -> dict:
    ids = _good(column).encoding.ids
    steps = tokens.stream(ids[:MOST_STEPS], column.model)
    return {"of": len(ids), "steps": [[s.id, s.data.hex(), s.naive, s.shown, s.held.hex()] for s in steps]}


def _cuts(columns: list, byte: int) -> str:
    return to_json({"columns": rows_of(columns, lambda column: _cut_row(column, byte))})


def draw(text: str, models: list[str], bos: bool, special: bool, byte: int | None) -> tuple[str, str, str]:
    """All that follows from the text: the board, how the chosen piece was cut, the stream."""
    try:
        columns = tokens.columns(text, models, add_special_tokens=bos, parse_special=special, wait=False)
    except Problem as problem:
        return (refused(problem),) * 3
    board = to_json({"text": text, "bos": bos, "columns": rows_of(columns, _board_row)})
    return board, _cuts(columns, byte or 0), to_json({"columns": rows_of(columns, _stream_row)})


def open_models(models: list[str]):
    """Open the models of the columns."""
    yield from open_each(models, tokens.open_vocab)


def draw_cut(text: str, models: list[str], bos: bool, special: bool, event: gr.EventData) -> tuple[str, int]:
    """How the piece that was clicked was cut."""
    byte = int(event._data.get("byte", 0))
    try:
        columns = tokens.columns(text, models, add_special_tokens=bos, parse_special=special, wait=False)
    except Problem as problem:
        return refused(problem), byte
    return _cuts(columns, byte), byte


def pick_example(picks: str) -> str:
    """The text of the example that was chosen."""
    return EXAMPLES[chosen(picks)]["text"]


def edit_columns(models: list[str], event: gr.EventData) -> list[str]:
    """Move or remove the column whose button was pressed."""
    models = [named.model for named in tokens.check_models(models)]
    k, action = int(event._data["column"]), event._data["action"]
    if not 0 <= k < len(models):
        return models
    model = models.pop(k)
    if action != "remove":
        models.insert(max(0, k + (1 if action == "right" else -1)), model)
    return models


def _decoded_row(ids: list[int], model: str) -> dict:
    done = tokens.decode(ids, model, wait=False)
    rows = [
        [id, 0, 0, SPECIAL * special + BROKEN * (not whole), piece.hex()]
        for id, piece, special, whole in zip(done.ids, done.pieces, done.special, done.whole, strict=True)
    ]
    return {"text": done.text, "tokens": rows, "count": {"tokens": len(rows), "not_text": done.whole.count(False)}}


def draw_ids(ids: str, models: list[str]) -> str:
    """Ids typed by hand, decoded by each column's tokenizer."""
    try:
        numbers, models = tokens.parse_ids(ids), tokens.check_models(models)
    except Problem as problem:
        return refused(problem)
    rows = rows_of(models, lambda column: _decoded_row(numbers, column.model))
    return to_json({"text": "", "decoded": True, "columns": rows})


def add_upload(path: str, models: list[str], uploads: list, lang: str):
    """A tokenizer.json from the visitor becomes a column."""
    key = tokens.open_upload(Path(path).read_bytes())
    models = [*(model for model in models if model != key), key]
    tokens.check_models(models)
    uploads = [*uploads, upload_choice(path, key)]
    return gr.Dropdown(choices=tokens.choices() + uploads, value=models), uploads


def tokenize(text: str, model: str, add_special_tokens: bool = False, parse_special: bool = False) -> dict:
    """Cut a text into the tokens of one model.

    Args:
        text: up to 20,000 characters.
        model: llama-3.1, qwen2.5, qwen3.5, or the id of a model on the Hugging Face Hub (org/name).
        add_special_tokens: put what the tokenizer adds by itself around the text, such as beginning-of-text.
        parse_special: read special tokens written in the text, such as <|im_end|>, as special; otherwise as plain text.

    Returns:
        {model, ids, pieces, bytes, spans}: for each token its id, its text (bytes that are no character as
        <E9 92>), its bytes in hex, and its [start, end) in characters of the text.
    """
    return tokens.tokenize(text, model, add_special_tokens=add_special_tokens, parse_special=parse_special)


def compare(text: str, models: list[str]) -> list[dict]:
    """Count the tokens of a text in one to four models.

    Args:
        text: up to 20,000 characters; special tokens written in it are read as plain text.
        models: catalog keys (llama-3.1, qwen2.5, qwen3.5) or ids of models on the Hugging Face Hub.

    Returns:
        One row a model: {model, label, tokens, characters, bytes, han, tokens_per_character, tokens_per_han,
        bytes_per_token, not_text, exact, ids}.
    """
    return tokens.compare_rows(text, models)


def decode(ids: list[int], model: str) -> str:
    """Turn token ids into text; special tokens are kept and nothing is cleaned up.

    Args:
        ids: token ids, up to 100,000.
        model: a catalog key (llama-3.1, qwen2.5, qwen3.5) or the id of a model on the Hugging Face Hub.

    Returns:
        The text. An id that the model does not have is an error that names it.
    """
    return tokens.decode(tokens.check_ids(ids), model).text


def _inputs(lang):
    """The text, the models, the switches; the components by name."""
    text = gr.Textbox(
        value=EXAMPLES[0]["text"],
        label=w("text"),
        placeholder=w("text_hint"),
        lines=3,
        max_lines=12,
        elem_id="tokens-text",
    )
    picks = Widget(
        "picks", "tokens", to_json([{lang: e[lang] for lang in TEXT} for e in EXAMPLES]), elem_id="tokens-picks"
    )
    picks.select(pick_example, picks, text, trigger_mode="always_last", **QUICK)
    models = gr.Dropdown(
        tokens.choices(),
        value=DEFAULT_MODELS,
        multiselect=True,
        allow_custom_value=True,
        label=w("models"),
        info=w("models_info"),
        elem_id="tokens-models",
    )
    with gr.Row(elem_classes="be-switches"):
        special = gr.Checkbox(True, label=w("special"), elem_id="tokens-special", container=False)
        bos = gr.Checkbox(False, label=w("bos"), elem_id="tokens-bos", container=False)
        upload = gr.UploadButton(w("upload"), elem_id="tokens-upload")
    return text, models, bos, special, upload


def build(lang) -> dict[str, gr.components.Component]:
    """Draw the tab; the inputs that a link can hold, by name."""
    gr.Markdown(w("intro"), elem_classes="be-intro")
    text, models, bos, special, upload = _inputs(lang)
    board = Widget("board", "tokens", elem_id="tokens-board")
    uploads = gr.State([])
    byte = gr.Number(0, precision=0, visible="hidden", elem_id="tokens-byte")  # where the chosen piece begins
    with gr.Tabs(elem_classes="be-inner") as view:
        with gr.Tab(w("cut_tab"), id="cut"):
            gr.Markdown(w("cut_intro"), elem_classes="be-intro")
            cuts = Widget("cut", "tokens", elem_id="tokens-cut")
        with gr.Tab(w("stream_tab"), id="stream"):
            gr.Markdown(w("stream_intro"), elem_classes="be-intro")
            stream = Widget("stream", "tokens", elem_id="tokens-stream")
        with gr.Tab(w("ids_tab"), id="ids"):
            gr.Markdown(w("ids_intro"), elem_classes="be-intro")
            ids = gr.Textbox(
                "8107 107099 104237 112838 11571", label=w("ids"), placeholder=w("ids_hint"), elem_id="tokens-ids"
            )
            decoded = Widget("board", "tokens", elem_id="tokens-decoded")

    state, drawn = [text, models, bos, special, byte], [board, cuts, stream]
    opened = gr.State(0.0)
    again = [models.change, on_load(), opened.change]
    typing = [text.change, bos.change, special.change, *again]
    gr.on(typing, draw, state, drawn, trigger_mode="always_last", **QUICK)
    gr.on(again[:2], open_models, models, opened, trigger_mode="multiple", **SLOW)
    gr.on([board.select, cuts.select], draw_cut, state[:4], [cuts, byte], trigger_mode="multiple", **QUICK)
    board.edit(edit_columns, models, models, **QUICK)
    gr.on([ids.change, *again], draw_ids, [ids, models], decoded, trigger_mode="always_last", **QUICK)
    upload.upload(page.shown(add_upload), [upload, models, uploads, lang], [models, uploads], api_visibility="private")

    for function in (tokenize, compare, decode):
        page.offer(function)
    piece = (byte, links.Number(0, 4 * tokens.LIMIT, whole=True))
    return {"text": text, "models": models, "bos": bos, "special": special, "ids": ids, "piece": piece, "view": view}


if __name__ == "__main__":
    import demo_lib.tabs.tokens

    page.run_alone(demo_lib.tabs.tokens)
