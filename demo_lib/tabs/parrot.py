"""The tab of the model with no layers: what it says, step by step, and how many tokens repeat themselves."""

from collections.abc import Iterator

import gradio as gr

from demo_lib import parrot
from demo_lib.problems import Problem
from demo_lib.tabs import page, table_bar
from demo_lib.tabs.text.parrot import TEXT
from demo_lib.tabs.widgets import SLOW, Widget, refused, to_json

w = page.Words("parrot", TEXT)
SHOWN = 12  # attractors and cycles listed


def _candidate(one: parrot.Candidate) -> list:
    return [one.id, one.piece, one.logit, one.probability]


def _step(step: parrot.Step) -> dict:
    return {
        "id": step.input.id,
        "piece": step.input.piece,
        "own": {"rank": step.rank, "probability": step.input.probability},
        "top": [_candidate(one) for one in step.top],
        "chosen": [step.chosen.id, step.chosen.piece],
    }


def draw(key, text: str, steps: int, temperature: float, top_k: int, seed: int, *switches: bool) -> str:
    """What the model without layers says."""
    if key is None:
        return "{}"
    how = dict(zip(("cosine", "rms_norm", "output"), switches, strict=True))
    try:
        table = parrot.open_table(key, fetch=False)
        said = parrot.parrot(text, table, int(steps), temperature, int(top_k) or None, int(seed or 0), **how)
    except Problem as problem:
        return refused(problem)
    repeats = set(said.new_ids) == {said.ids[-1]}
    line = w.both("says_again" if repeats else "says", piece=said.pieces[-1], n=len(said.new_ids), text=said.said)
    return to_json(
        {
            "prompt": [list(pair) for pair in zip(said.ids, said.pieces, strict=True)],
            "shapes": [f"x = E[ids]: {list(said.shape)}", f"x Eᵀ: {list(said.logits_shape)}"],
            "steps": [_step(step) for step in said.steps],
            "line": line,
        }
    )


def count(key: str | None) -> Iterator[str]:
    """The parrot rate, with how far it is; closing the iterator stops it."""
    if key is None:
        return
    try:
        table = parrot.open_table(key, fetch=False)
    except Problem as problem:
        yield refused(problem)
        return
    yield to_json({"state": "working", "done": 0})
    rate = None
    for rate in table_bar.follow(lambda far, stop: parrot.parrot_rate(table, progress=far, cancel=stop)):
        if isinstance(rate, tuple):
            yield to_json({"state": "working", "done": rate[0] / max(1, rate[1])})
    yield refused(rate) if isinstance(rate, Problem) else _rate(table, rate)


def _rate(table, rate: parrot.Rate) -> str:
    line = w.both(
        "rate_line",
        label=table.info.label,
        percent=f"{100 * rate.rate:.3f}",
        fail=f"{rate.exceptions:,}",
        tokens=f"{rate.tokens:,}",
    )
    pieces = [[[id, parrot.name(table, id)] for id in cycle] for cycle in rate.cycles[:SHOWN]]
    attractors = [[one.id, one.piece, one.count, one.norm] for one in rate.attractors[:SHOWN] if one.count > 1]
    return to_json({"state": "done", "line": line, "attractors": attractors, "cycles": pieces})


def says(text: str, table: str, steps: int = 5, temperature: float = 0) -> dict:
    """Let a model without layers go on with a text: x = E[last id], logits = x E^T, the next token, and again.

    Args:
        text: only its last token counts.
        table: gemma-3-270m, smollm2-135m, qwen2.5-0.5b, qwen3.5-0.8b, llama-3.2-1b, or the id of a model on the Hub.
        steps: tokens to write, 1 to 50.
        temperature: 0 takes the largest logit; above 0 one is drawn, the same at each call.

    Returns:
        {ids, text, steps}: what it wrote; for each step the ten largest logits (top), what was chosen, and the rank of
        the input token itself.
    """
    return parrot.parrot_row(text, parrot.open_table(table), steps, temperature)


def parrot_rate(table: str) -> dict:
    """Count for how many tokens of a model without layers the largest logit is their own, exactly.

    Args:
        table: gemma-3-270m, smollm2-135m, qwen2.5-0.5b, qwen3.5-0.8b, llama-3.2-1b, or the id of a model on the Hub.

    Returns:
        {rate, tokens, exceptions, attractors, cycles}: exceptions do not repeat themselves; attractors are what they
        are followed by, the most frequent first.
    """
    return parrot.rate_row(parrot.parrot_rate(parrot.open_table(table)))


def _switches() -> list:
    with gr.Row(elem_classes="be-choices"):
        steps = gr.Slider(1, 20, 5, step=1, label=w("steps"), elem_id="parrot-steps")
        temperature = gr.Slider(0, 2, 0, step=0.1, label=w("temperature"), elem_id="parrot-temperature")
        top_k = gr.Slider(0, 100, 0, step=1, label=w("top_k"))
        seed = gr.Number(0, precision=0, label=w("seed"))
    with gr.Row(elem_classes="be-switches"):
        marks = [gr.Checkbox(False, label=w(name), container=False) for name in ("cosine", "rms_norm", "output")]
    return [steps, temperature, top_k, seed, *marks]


def build(lang) -> dict[str, gr.components.Component]:
    """Draw the tab; the inputs that a link can hold, by name."""
    gr.Markdown(w("intro"), elem_classes="be-intro")
    bar = table_bar.build("parrot", w)
    text = gr.Textbox("今天天气不错，我们去公园", label=w("text"), elem_id="parrot-text")
    switches = _switches()
    said = Widget("parrot", "parrot", elem_id="parrot-said")
    gr.Markdown(w("rate_title"), elem_classes="be-heading")
    gr.Markdown(w("rate_intro"), elem_classes="be-intro")
    rate = Widget("rate", "parrot", to_json({"state": "idle"}), elem_id="parrot-rate")
    gr.Markdown(w("context_title"), elem_classes="be-heading")
    gr.Markdown(w("context"), elem_classes="be-intro")
    inputs = [text, *switches]
    changes = [bar.opened.change, *(component.change for component in inputs)]
    gr.on(changes, draw, [bar.opened, *inputs], said, trigger_mode="always_last", **SLOW)
    running = rate.select(count, bar.opened, rate, **SLOW)
    idle = to_json({"state": "idle"})
    gr.on([rate.edit, bar.opened.change], lambda: idle, None, rate, cancels=[running], **SLOW)
    page.offer(says, "parrot")
    page.offer(parrot_rate)
    return {"table": bar.choice, "text": text}


if __name__ == "__main__":
    import demo_lib.tabs.parrot

    page.run_alone(demo_lib.tabs.parrot)
