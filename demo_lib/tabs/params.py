"""The vocabulary ledger tab: what the two tables of a model cost, what would change that, and what a text costs."""

import gradio as gr

from demo_lib import params
from demo_lib.problems import Problem
from demo_lib.tabs import links, page, params_draw, params_what
from demo_lib.tabs.text.params import TEXT
from demo_lib.tabs.widgets import QUICK, SLOW, Slider, Widget, open_each, refused

w = page.Words("params", TEXT)
DEFAULT = ["meta-llama/Llama-3.1-8B", "Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-0.5B"]
# What the fields begin with: a small model like Qwen2.5-0.5B, with a table at each end
FIELDS = {
    "vocab_size": 32_000,
    "hidden_size": 896,
    "layers": 24,
    "heads": 14,
    "feed_forward_size": 4864,
    "kv_heads": 2,
    "head_size": 0,
}
ORDER = ("vocab_size", "hidden_size", "layers", "heads", "kv_heads", "head_size", "feed_forward_size")
MOST_ROWS = 500_000
START = "钉钉审批：我想请5天年假，请问怎么申请？"


def draw(models: list[str], *fields) -> tuple[str, str]:
    """The ledger of the chosen models, and the plot of all."""
    try:
        made = params_draw.columns(models, *fields)
    except Problem as problem:
        return refused(problem), params_draw.plot([])
    return params_draw.ledger(made), params_draw.plot(made)


def draw_logits(batch, length, models: list[str], *fields) -> str:
    try:
        return params_draw.logits(params_draw.columns(models, *fields), batch, length)
    except Problem as problem:
        return refused(problem)


def draw_costs(text: str, context, prices: str, models: list[str], *fields) -> str:
    try:
        return params_what.costs(params_draw.columns(models, *fields), text, context, prices)
    except Problem as problem:
        return refused(problem)


def draw_what(name: str | None, tied: str, rows, hidden, *fields) -> str:
    return params_what.what_if(params_draw.column(name or DEFAULT[0], *fields), tied, rows, hidden)


def draw_words(name: str | None, count, typed: str, end: str, *fields) -> str:
    return params_what.words(params_draw.column(name or DEFAULT[0], *fields), count, typed, end)


def offer_what(models: list[str], name: str | None):
    """The models that can be changed are the chosen ones."""
    models = [model for model in models or [] if isinstance(model, str)][: params.MAX_MODELS] or DEFAULT[:1]
    choices = [(w("custom") if model == params.CUSTOM else params.label(model), model) for model in models]
    # a value is set only where it must be: somebody may be choosing another one right now
    return gr.Dropdown(choices) if name in models else gr.Dropdown(choices, value=models[0])


def start_what(name: str | None, begun: str, *fields):
    """What is changed begins as it is; `begun`: the model that it began with, whose changes stay."""
    name = name or DEFAULT[0]
    one = params_draw.column(name, *fields)
    if one.problem or name == begun:
        return gr.skip(), gr.skip(), gr.skip(), gr.skip()
    shape = one.model.shape
    return "as_is", gr.Slider(value=shape.vocab_size, minimum=1, maximum=_end(one)), shape.hidden_size, name


def _end(one: params_draw.Column) -> int:
    """Where the slider of rows ends."""
    return min(max(MOST_ROWS, 2 * one.model.shape.vocab_size), params.LIMITS["vocab_size"]) if one.model else MOST_ROWS


def start_own(name: str | None, *fields):
    """As start_what, when fields are typed: that is about the visitor's own model only."""
    return start_what(name, "" if name == params.CUSTOM else name, *fields)


def widen(rows: int, name: str | None, *fields):
    """The slider's end follows a number that is typed beyond it."""
    end = _end(params_draw.column(name or DEFAULT[0], *fields))
    return gr.Slider(maximum=rows) if rows > end else gr.skip()


class Rows(Slider):
    """A slider in whose number box any count of rows can be typed that a vocabulary may have."""

    ends = (1, params.LIMITS["vocab_size"])

    def preprocess(self, payload: float | None) -> int:
        return int(super().preprocess(payload))


def open_models(models: list[str], *fields):
    """Count the models of the Hub that are chosen, and open the tokenizers."""

    def ready(name: str, *, wait: bool = True) -> None:
        params.ready(name, fields[-1], wait=wait)

    yield from open_each(models, ready)


def add_custom(models: list[str]) -> list[str]:
    models = [model for model in models or [] if model != params.CUSTOM]
    return [*models[: params.MAX_MODELS - 1], params.CUSTOM]


def ledger(model: str) -> dict:
    """Count what the vocabulary of a model costs: parameters, memory, computation.

    Args:
        model: one of 38 published models such as meta-llama/Llama-3.1-8B, a key (llama-3.1, qwen2.5, qwen3.5), or the
            id of a model on the Hugging Face Hub, of which config.json and the heads of the weight files are read.

    Returns:
        Counts with their units in the names. Tied tables are counted once: output_table_parameters is then 0, and
        tables_ is both tables together. output_rows: scores that a token gets, 0 of a model without an output table.
        FLOPs: 2 for each parameter that takes part in a token, lookups and resting experts left out, attention over the
        context left out. stored_parameters: all that the files hold. config_vocab_size and config_hidden_size: what
        config.json says, where its weights have a table of another shape.
    """
    return params.ledger_row(model)


def ledger_custom(
    vocab_size: int,
    hidden_size: int,
    layers: int,
    heads: int,
    kv_heads: int | None,
    head_size: int | None,
    feed_forward_size: int,
    tied: bool,
) -> dict:
    """Count what the vocabulary of a model like Llama costs, from the fields of its config.json.

    Args:
        vocab_size: rows of the table, 1 to 10,000,000.
        hidden_size: numbers in a row, 1 to 200,000.
        layers: 1 to 2,000.
        heads: query heads, 1 to 2,000.
        kv_heads: key-value heads, of which heads must be a multiple; null: as many as heads.
        head_size: numbers of a head; null: hidden_size / heads, which must divide.
        feed_forward_size: the inside of the feed-forward part, 1 to 2,000,000.
        tied: whether both ends share one table.

    Returns:
        As of /ledger: counts with their units in the names.
    """
    return params.custom_row(vocab_size, hidden_size, layers, heads, kv_heads, head_size, feed_forward_size, tied)


def _custom() -> tuple[list, gr.Button]:
    with gr.Accordion(w("custom_title"), open=False, elem_id="params-fields"):
        gr.Markdown(w("custom_intro"), elem_classes="be-intro")
        with gr.Row(elem_classes="be-choices be-fields"):
            made = {
                name: gr.Number(value, label=w(name), elem_id=f"params-{name.replace('_', '-')}", min_width=120)
                for name, value in FIELDS.items()
            }
        with gr.Row(elem_classes="be-choices"):
            tied = gr.Checkbox(False, label=w("tied"), elem_id="params-tied", container=False)
            keys = [(w("none"), ""), *params.tokenizers()]
            tokenizer = gr.Dropdown(keys, value="llama-3.1", label=w("tokenizer"), elem_id="params-tokenizer")
            add = gr.Button(w("custom_add"), elem_id="params-add")
    return [*(made[name] for name in ORDER), tied, tokenizer], add


def _what(models, fields: list, opened) -> dict:
    with gr.Tab(w("what_tab"), id="what"):
        gr.Markdown(w("what_intro"), elem_classes="be-intro")
        with gr.Row(elem_classes="be-choices"):
            choices = [(params.label(model), model) for model in DEFAULT]
            model = gr.Dropdown(
                choices, value=DEFAULT[0], label=w("what_model"), elem_id="params-what-model", allow_custom_value=True
            )
            ways = [(w(f"tied_{way}"), way) for way in ("as_is", "tied", "untied")]
            tied = gr.Dropdown(ways, value="as_is", label=w("what_tied"), elem_id="params-what-tied")
            hidden = gr.Number(4096, label=w("what_hidden"), elem_id="params-what-hidden")
        rows = Rows(1, MOST_ROWS, 128_256, step=1, label=w("what_rows"), elem_id="params-what-rows")
        what = Widget("ledger", "params", elem_id="params-what")
        gr.Markdown(w("words_title"), elem_classes="be-heading")
        gr.Markdown(w("words_intro"), elem_classes="be-intro")
        with gr.Row(elem_classes="be-choices"):
            count = gr.Number(10_000, label=w("words_count"), elem_id="params-words-count")
            ends = [(w(f"end_{end}"), end) for end in ("both", "input", "output")]
            end = gr.Dropdown(ends, value="both", label=w("words_end"), elem_id="params-words-end")
        own = gr.Textbox(
            "", label=w("words_list"), info=w("words_list_info"), lines=2, max_lines=8, elem_id="params-words-list"
        )
        new = Widget("ledger", "params", elem_id="params-words")
        begun = gr.Textbox(DEFAULT[0], visible="hidden", elem_id="params-what-begun")
    typed = [field.change for field in fields]
    models.change(offer_what, [models, model], model, trigger_mode="always_last", **QUICK)
    begins, last = [tied, rows, hidden, begun], {"trigger_mode": "always_last", **QUICK}
    gr.on([model.change, opened.change, what.expand], start_what, [model, begun, *fields], begins, **last)
    gr.on(typed, start_own, [model, *fields], begins, **last)
    rows.change(widen, [rows, model, *fields], rows, **last)
    inputs = [model, tied, rows, hidden, *fields]
    events = [model.change, tied.change, rows.change, hidden.change, opened.change, *typed, what.expand]
    gr.on(events, draw_what, inputs, what, **last)
    events = [model.change, count.change, own.change, end.change, opened.change, *typed, new.expand]
    gr.on(events, draw_words, [model, count, own, end, *fields], new, **last)
    what = {"what_model": model, "what_tied": tied, "what_rows": rows, "what_hidden": hidden, "what_begun": begun}
    return what | {"words_count": count, "words_end": end, "words_list": own}


def _text() -> tuple[list, Widget]:
    with gr.Tab(w("text_tab"), id="text"):
        gr.Markdown(w("text_intro"), elem_classes="be-intro")
        text = gr.Textbox(START, label=w("text"), lines=3, max_lines=10, elem_id="params-text")
        with gr.Row(elem_classes="be-choices"):
            context = gr.Number(8192, label=w("context"), elem_id="params-context")
            prices = gr.Textbox("", label=w("prices"), info=w("prices_info"), elem_id="params-prices")
        costs = Widget("ledger", "params", elem_id="params-costs")
    return [text, context, prices], costs


def _logits() -> tuple[list, Widget]:
    with gr.Tab(w("logits_tab"), id="logits"):
        gr.Markdown(w("logits_intro"), elem_classes="be-intro")
        with gr.Row(elem_classes="be-choices"):
            batch = gr.Number(8, label=w("batch"), elem_id="params-batch")
            length = gr.Number(2048, label=w("length"), elem_id="params-length")
        logits = Widget("ledger", "params", elem_id="params-logits")
    return [batch, length], logits


def build(lang) -> dict[str, gr.components.Component]:
    """Draw the tab; the inputs that a link can hold, by name."""
    gr.Markdown(w("intro"), elem_classes="be-intro")
    choices = [*((model.label, id) for id, model in params.known().items()), (w("custom"), params.CUSTOM)]
    models = gr.Dropdown(
        choices,
        value=DEFAULT,
        multiselect=True,
        max_choices=params.MAX_MODELS,
        allow_custom_value=True,
        label=w("models"),
        info=w("models_info"),
        elem_id="params-models",
    )
    fields, add = _custom()
    opened = gr.State(0.0)
    table = Widget("ledger", "params", elem_id="params-ledger")
    with gr.Tabs(elem_classes="be-inner") as view:
        with gr.Tab(w("plot_tab"), id="plot"):
            gr.Markdown(w("plot_intro"), elem_classes="be-intro")
            plot = Widget("shares", "params", elem_id="params-plot")
        typed, costs = _text()
        what = _what(models, fields, opened)
        sizes, logits = _logits()
    chosen = [models, *fields]
    again = [models.change, opened.change, *(field.change for field in fields)]
    gr.on([*again, table.expand], draw, chosen, [table, plot], trigger_mode="always_last", **QUICK)
    for inputs, make, drawing in ((typed, draw_costs, costs), (sizes, draw_logits, logits)):
        events = [*again, *(component.change for component in inputs), drawing.expand]
        gr.on(events, make, [*inputs, *chosen], drawing, trigger_mode="always_last", **QUICK)
    gr.on(
        [models.change, fields[-1].change, costs.expand], open_models, chosen, opened, trigger_mode="multiple", **SLOW
    )
    add.click(add_custom, models, models, **QUICK)
    page.offer(ledger)
    page.offer(ledger_custom)
    whole = {name: links.Number(0, most, whole=True) for name, most in params.LIMITS.items()}
    own = {name: (one, whole[name]) for name, one in zip(ORDER, fields, strict=False)}
    more = dict(zip(("text", "context", "prices", "batch", "length"), [*typed, *sizes], strict=True))
    return {"models": models, **own, "tied": fields[-2], "tokenizer": fields[-1], **more, **what, "view": view}


if __name__ == "__main__":
    import demo_lib.tabs.params

    page.run_alone(demo_lib.tabs.params)
