"""The corpus tab: what somebody's own text costs with each tokenizer, pasted or in files."""

import time
from collections.abc import Iterator
from contextlib import suppress

import gradio as gr

from demo_lib import corpus as room
from demo_lib.problems import Problem
from demo_lib.tabs import corpus_api, corpus_draw, page, table_bar
from demo_lib.tabs.corpus_count import MODELS, START, Count, of_files, of_text, stopped
from demo_lib.tabs.corpus_held import LIMIT, MANY, Held, forget, hold, looks, options
from demo_lib.tabs.text.corpus import TEXT
from demo_lib.tabs.widgets import SLOW, Widget, refused, say, to_json

w = page.Words("corpus", TEXT)
# Those who wait for a seat do not wait in Gradio's line, which cannot be left
WAITING = SLOW | {"concurrency_limit": 40, "concurrency_id": "corpus", "trigger_mode": "multiple"}
ENCODINGS = ("utf-8", "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "utf-16", "cp1252")
KINDS = {"html": "text/html", "csv": "text/csv", "json": "application/json"}


# The files


def take(held: Held | None, split: str, column: str, by: str, encoding: str, event: gr.EventData) -> tuple:
    """What was chosen or taken away: the files that are held, what each is, and the fields that they need."""
    wanted, problem = _data(event), None
    try:
        held = hold(held, _read(wanted))
    except Problem as refusal:
        problem = refusal
    rows = looks(held, **options(split, "", "", encoding))
    columns = list(dict.fromkeys(name for row in rows for name in row.get("columns", ())))
    column, by = (name if name in columns else "" for name in (column, by))  # may be of files that were there before
    if column or by:
        rows = looks(held, **options(split, column, by, encoding))
    texts = any(row.get("encoding") or row.get("problem") for row in rows)
    listed = [(name, name) for name in columns]
    return (
        held,
        to_json({"files": rows, "seq": wanted.get("seq")} | ({"refused": say(problem)} if problem else {})),
        gr.Dropdown([(w("column_auto"), ""), *listed], value=column, visible=bool(columns)),
        gr.Dropdown([(w("by_none"), ""), *listed], value=by, visible=bool(columns)),
        gr.Dropdown(visible=texts),
    )


def _data(event: gr.EventData) -> dict:
    return event._data if isinstance(event._data, dict) else {}


def _read(wanted: dict) -> list[dict]:
    """What the page says of its files; whatever else comes is no file of the page."""
    with suppress(TypeError, KeyError, ValueError, AttributeError):
        rows = [{"key": int(row["key"]), "name": row["name"], "path": row.get("path")} for row in wanted["files"]]
        if len({row["key"] for row in rows}) == len(rows):
            return rows
    raise Problem("The files cannot be told apart: reload the page.", "无法识别文件：请刷新页面。")


def look_again(held: Held | None, split: str, column: str, by: str, encoding: str) -> str:
    """The same files with other choices. Those that have been counted are gone: they are looked at with the next."""
    if held is None or held.lent.is_set():
        return gr.skip()
    return to_json({"files": looks(held, **options(split, column, by, encoding))})


# Counting


def count(held: Held | None, before: Count | None, text: str, models: list, prices: str, *fields) -> Iterator[tuple]:
    """The count that goes on, how far it is, the report, and its drawing. The files are gone at the end of it."""
    table_bar.leave(before)
    errand, chosen = Count(), options(*fields)
    if held:
        held.lent.set()

    def make(progress, cancel) -> room.Report:
        if held:
            return of_files(held, models or [], cancel, prices=prices, progress=progress, **chosen)
        return of_text(text, models or [], cancel, prices=prices, progress=progress, split=chosen["split"])

    def work(progress, _) -> room.Report:
        try:
            return errand.run(lambda cancel: make(progress, cancel))
        finally:
            if held:
                held.close()

    yield errand, to_json({"state": "waiting"}), gr.skip(), to_json({"busy": True})
    begun = None
    for found in table_bar.follow(work, errand):
        if isinstance(found, Problem):
            yield errand, to_json({"state": "over"}), None, refused(found)
            return
        if isinstance(found, room.Report):
            yield errand, to_json({"state": "over"}), found, corpus_draw.report(found, time.time())
            return
        begun = begun or (time.monotonic() if found[1] else None)
        yield errand, line(errand, *found, begun), gr.skip(), gr.skip()
    yield table_bar.nothing(4)


def line(errand: Count, done: int, total: int, begun: float | None) -> str:
    """How far a count is."""
    if not errand.begun.is_set():
        return to_json({"state": "waiting"})
    if not total:
        return to_json({"state": "opening"})
    took = time.monotonic() - begun
    return to_json({"state": "running", "done": done, "total": total, "speed": done / took if took > 0.5 else None})


def cancel(errand: Count | None) -> tuple[str, str]:
    table_bar.leave(errand)
    return to_json({"state": "over"}), refused(stopped())


def hand_out(report: room.Report | None, lang: str, event: gr.EventData) -> str:
    """The report as a file for the browser to save: none is written here."""
    kind = _data(event).get("kind")
    try:
        if report is None or kind not in KINDS:
            raise Problem("The report is no longer here: count once more.", "报告已不在这里：请重新统计。")
        made = (
            room.to_json(report) if kind == "json" else {"html": room.to_html, "csv": room.to_csv}[kind](report, lang)
        )
    except Problem as problem:
        return refused(problem)
    return to_json({"name": f"corpus-report.{kind}", "type": KINDS[kind], "text": made, "n": time.time()})


# The page


def _source() -> tuple[gr.Textbox, Widget]:
    with gr.Row(elem_classes="be-choices be-sources"):
        text = gr.Textbox(
            START, label=w("text"), info=w("text_info"), lines=9, max_lines=9, elem_id="corpus-text", min_width=300
        )
        files = Widget(
            "files", "corpus", elem_id="corpus-files", limit=LIMIT, most=MANY, kinds=list(room.KINDS), min_width=300
        )
    return text, files


def _fields() -> tuple[gr.Dropdown, ...]:
    with gr.Row(elem_classes="be-choices"):
        models = gr.Dropdown(
            room.choices(),
            value=list(MODELS),
            multiselect=True,
            max_choices=room.MAX_MODELS,
            allow_custom_value=True,
            label=w("models"),
            info=w("models_info"),
            elem_id="corpus-models",
        )
        splits = [(w("split_auto"), ""), *((w(f"split_{split}"), split) for split in room.SPLITS)]
        split = gr.Dropdown(splits, value="", label=w("split"), info=w("split_info"), elem_id="corpus-split")
        prices = gr.Textbox("", label=w("prices"), info=w("prices_info"), elem_id="corpus-prices")
    with gr.Row(elem_classes="be-choices be-table-fields"):
        more = {"allow_custom_value": True, "visible": False}
        column = gr.Dropdown(
            [(w("column_auto"), "")],
            value="",
            label=w("column"),
            info=w("column_info"),
            elem_id="corpus-column",
            **more,
        )
        by = gr.Dropdown([(w("by_none"), "")], value="", label=w("by"), info=w("by_info"), elem_id="corpus-by", **more)
        encodings = [(w("encoding_auto"), ""), *((name, name) for name in ENCODINGS)]
        encoding = gr.Dropdown(
            encodings, value="", label=w("encoding"), info=w("encoding_info"), elem_id="corpus-encoding", **more
        )
    return models, prices, split, column, by, encoding


def _forget_when_closed(components: list) -> None:
    root = gr.context.Context.root_block

    def closed(request: gr.Request) -> None:
        forget(root, components, request.session_hash)

    root.unload(closed)


def build(lang) -> dict[str, gr.components.Component]:
    """Draw the tab; the inputs that a link can hold, by name."""
    gr.Markdown(w("intro"), elem_classes="be-intro")
    text, files = _source()
    models, prices, split, *rest = _fields()
    fields = [split, *rest]
    held, errand, kept = gr.State(None), gr.State(None), gr.State(None)
    bar = Widget("count", "corpus", elem_id="corpus-count")
    report = Widget("report", "corpus", elem_id="corpus-report")
    file = Widget("handout", "corpus", elem_id="corpus-file")
    last = {"trigger_mode": "multiple"} | SLOW
    files.select(take, [held, *fields], [held, files, *rest], **last)
    gr.on([field.input for field in fields], look_again, [held, *fields], files, **SLOW)
    asked = [held, errand, text, models, prices, *fields]
    gr.on([bar.select, report.expand], count, asked, [errand, bar, kept, report], **WAITING)
    bar.edit(cancel, errand, [bar, report], **SLOW)
    report.select(hand_out, [kept, lang], file, **SLOW)
    _forget_when_closed([held, errand, kept, text, files, bar, report, file])
    corpus_api.build()
    return {"models": models, "split": split}


if __name__ == "__main__":
    import demo_lib.tabs.corpus

    page.run_alone(demo_lib.tabs.corpus)
