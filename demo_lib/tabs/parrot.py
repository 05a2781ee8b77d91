"""The tab of the model with no layers: what it says, step by step, and how many tokens repeat themselves."""

from collections.abc import Iterator

import gradio as gr

from demo_lib import parrot
from demo_lib.problems import Problem
from demo_lib.tabs import links, page, table_bar
from demo_lib.tabs.text.parrot import TEXT
from demo_lib.tabs.widgets import SLOW, Slider, Widget, refused, to_json

w = page.Words("parrot", TEXT)
IDLE = to_json({"state": "idle"})
SHOWN = 12  # attractors and cycles listed, and tokens that an attractor takes


def _candidate(one: parrot.Candidate) -> list:
    return [one.id, one.piece, one.logit, one.probability]


def _step(step: parrot.Step, table, tied: bool) -> dict:
    # In a tied table whoever wins is longer, and that is why; by cosine or in an output table it would be no reason
    best = step.top[0]
    won, lost = table.norms[[best.id, step.input.id]].tolist() if tied else (0, 0)
    return {
        "input": _candidate(step.input),
        "rank": step.rank,
        "top": [_candidate(one) for one in step.top],
        "chosen": [step.chosen.id, step.chosen.piece],
        "longer": [best.piece, won, lost] if won > lost else None,
    }


def _odds(temperature: float, k: int | None) -> dict:
    """Which probabilities are shown."""
    if not temperature:
        return w.both("odds_greedy")
    return (
        w.both("odds_best", temperature=f"{temperature:g}", k=k)
        if k
        else w.both("odds", temperature=f"{temperature:g}")
    )


def draw(key, text: str, steps: int, temperature: float, top_k: int, seed: int, *switches: bool) -> str:
    """What the model without layers says. A field that was emptied counts as its least value."""
    if key is None:
        return "{}"
    cosine, rms_norm, output = switches
    how = {"cosine": cosine, "rms_norm": rms_norm, "output": output}
    try:
        table = parrot.open_table(key, fetch=False)
        k, seed = int(top_k or 0) or None, abs(int(seed or 0))
        said = parrot.parrot(text, table, int(steps or 1), temperature or 0, k, seed, **how)
    except Problem as problem:
        return refused(problem)
    return to_json(
        {
            "prompt": [list(pair) for pair in zip(said.ids, said.pieces, strict=True)],
            "shapes": [list(said.shape), list(said.logits_shape)],
            "steps": [_step(step, table, not (cosine or output)) for step in said.steps],
            "odds": _odds(temperature or 0, k),
        }
    )


def count(key: str | None) -> Iterator[tuple]:
    """The parrot rate, with how far it is, and the errand of counting."""
    if key is None:
        yield None, IDLE
        return
    errand = table_bar.Errand()
    try:
        table = parrot.open_table(key, fetch=False)
    except Problem as problem:
        yield errand, refused(problem)
        return
    yield errand, to_json({"state": "working", "done": 0})
    for rate in table_bar.follow(lambda far, stop: parrot.parrot_rate(table, progress=far, cancel=stop), errand):
        if isinstance(rate, tuple):
            yield errand, to_json({"state": "working", "done": rate[0] / max(1, rate[1])})
        else:
            yield errand, refused(rate) if isinstance(rate, Problem) else _rate(table, rate)
            return
    yield errand, IDLE  # left: Gradio may repeat the last value at the end, after what `stop` has shown


def stop(errand: table_bar.Errand | None) -> str:
    """The count is stopped: it can be started again."""
    table_bar.leave(errand)
    return IDLE


def _rate(table, rate: parrot.Rate) -> str:
    import numpy as np

    norms = table.norms[table.used]
    middle, longest = float(np.median(norms)), float(norms.max())
    row = {"label": table.info.label, "rate": rate.rate, "tokens": rate.tokens, "exceptions": rate.exceptions}
    row |= {"norms": [float(norms.min()), middle, longest], "cosine": middle / longest if longest else 1}
    return to_json(
        row
        | {
            "state": "done",
            "attracting": len(rate.attractors),
            "attractors": [_attractor(table, rate, one) for one in rate.attractors[:SHOWN]],
            "cycles": [[[id, parrot.name(table, id)] for id in cycle] for cycle in rate.cycles[:SHOWN]],
        }
    )


def _attractor(table, rate: parrot.Rate, one: parrot.Attractor) -> dict:
    taken = parrot.beaten(rate, table, most=SHOWN, attractor=one.id)
    return {
        "id": one.id,
        "piece": one.piece,
        "count": one.count,
        "norm": one.norm,
        "taken": [[it.id, it.piece, it.logit, it.winner_logit] for it in taken],
    }


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
        steps = Slider(1, 20, 5, step=1, label=w("steps"), info=w("steps_info"), elem_id="parrot-steps")
        temperature = Slider(
            0, 2, 0, step=0.1, label=w("temperature"), info=w("temperature_info"), elem_id="parrot-temperature"
        )
        top_k = Slider(0, 100, 0, step=1, label=w("top_k"), info=w("top_k_info"), elem_id="parrot-top-k")
        seed = gr.Number(0, precision=0, label=w("seed"), info=w("seed_info"), elem_id="parrot-seed")
    with gr.Row(elem_classes="be-switches"):
        marks = [
            gr.Checkbox(False, label=w(name), info=w(f"{name}_info"), container=False, elem_id=f"parrot-{name}")
            for name in ("cosine", "rms_norm", "output")
        ]
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
    rate = Widget("rate", "parrot", IDLE, elem_id="parrot-rate")
    counting = gr.State(None)
    gr.Markdown(w("context_title"), elem_classes="be-heading")
    gr.Markdown(w("context"), elem_classes="be-intro")
    inputs = [text, *switches]
    changes = [bar.opened.change, *(component.change for component in inputs)]
    gr.on(changes, draw, [bar.opened, *inputs], said, trigger_mode="always_last", **SLOW)
    rate.select(count, bar.opened, [counting, rate], **SLOW)
    gr.on([rate.edit, bar.opened.change], stop, counting, rate, **SLOW)
    page.offer(says, "parrot")
    page.offer(parrot_rate)
    names = ("steps", "temperature", "top_k", "seed", "cosine", "rms_norm", "output")
    numbers = dict(zip(names, switches, strict=True))
    return {"table": bar.choice, "text": text, **numbers, "seed": (numbers["seed"], links.Number(0, 1e9, whole=True))}


if __name__ == "__main__":
    import demo_lib.tabs.parrot

    page.run_alone(demo_lib.tabs.parrot)
