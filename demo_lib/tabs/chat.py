"""The chat template tab: the conversation, the prompt of each model, what it costs, and the wrong template."""

import json

import gradio as gr

from demo_lib import chat
from demo_lib.problems import Problem, Waiting
from demo_lib.tabs import links, page
from demo_lib.tabs.text.chat import TEXT
from demo_lib.tabs.widgets import (
    QUICK,
    SLOW,
    Widget,
    chosen,
    on_load,
    open_each,
    refused,
    rows_of,
    say,
    to_json,
    token_rows,
)

DEFAULT_MODELS = ["llama-3.1", "qwen2.5"]
THINKING = {"default": None, "off": False, "on": True}

w = page.Words("chat", TEXT)


def _warning(warning: chat.Warning) -> dict:
    return {"en": warning.en, "zh": warning.zh, "ids": list(warning.ids), "positions": list(warning.positions)}


def _options(generation: bool, tools: str, date: str, thinking: str) -> dict:
    return {
        "add_generation_prompt": generation,
        "tools": tools.strip() or None,
        "date": date.strip() or None,
        "enable_thinking": THINKING.get(thinking),
    }


def _prompt_row(messages: str, model: str, options: dict) -> dict:
    try:
        prompt = chat.prompt(messages, model, wait=False, **options)
    except Waiting:
        raise
    except Problem as problem:
        return {"error": say(problem), "warnings": [_warning(one) for one in chat.refusals(messages, model)]}
    costs = prompt.costs
    return {
        "segments": [[s.text, s.kind, s.message] for s in prompt.rendered.segments],
        "tokens": token_rows(prompt.encoding),
        "total": costs.total,
        "content": sum(message.content_tokens for message in costs.messages),
        "messages": [[m.role, m.content_tokens, m.template_tokens] for m in costs.messages],
        "added": [[added.kind, added.tokens] for added in costs.added],
        "warnings": [_warning(warning) for warning in prompt.warnings],
    }


def draw(messages: str, models: list[str], generation: bool, tools: str, date: str, thinking: str) -> str:
    """The prompt of each model."""
    options = _options(generation, tools, date, thinking)
    try:
        named = chat.check_models(models)
        chat.check_messages(messages)
        chat.check_tools(options["tools"])
    except Problem as problem:
        return refused(problem)
    return to_json({"columns": rows_of(named, lambda one: _prompt_row(messages, one.model, options))})


def open_models(models: list[str]):
    """Open the models of the columns."""
    yield from open_each(models, chat.prepare)


def draw_misread(messages: str, own: str, other: str, generation: bool, tools: str, date: str, thinking: str) -> str:
    """The prompt of one model read with the tokenizer of another."""
    try:
        own, other = (chat.check_models([model])[0].model for model in (own, other))
        wrong = chat.wrong_template(messages, own, other, **_options(generation, tools, date, thinking))
    except Problem as problem:
        return refused(problem)
    counts = wrong.misread
    markers = [
        {"text": m.text, "times": m.times, "pieces": [[p.id, p.data.hex()] for p in m.pieces]} for m in counts.markers
    ]
    return to_json(
        {
            "own": chat.label(own),
            "other": chat.label(other),
            "own_tokens": counts.own_tokens,
            "tokens": counts.tokens,
            "extra": counts.extra,
            "marker_tokens": counts.marker_tokens,
            "markers": markers,
            "text": wrong.encoding.text,
            "rows": token_rows(wrong.encoding),
        }
    )


def pick_preset(picks: str, models: list[str]) -> tuple:
    """The ready conversation that was chosen: messages, tools, thinking, models, and the fold with the tools.

    Where it is about one model, that one joins those that are there; where there is no room, in place of the last.
    """
    preset = chat.presets()[chosen(picks)]
    # models are set only where they must be: somebody may be choosing others right now
    here = preset.model in (None, *map(chat.key_of, models))
    thinking = next(name for name, value in THINKING.items() if value == preset.thinking)
    return (
        to_json(preset.messages),
        json.dumps(preset.tools, ensure_ascii=False, indent=1) if preset.tools else "",
        thinking,
        gr.skip() if here else [*models[: chat.MAX_MODELS - 1], preset.model],
        gr.Accordion(open=bool(preset.tools)),
    )


def render_chat(
    messages: list[dict],
    model: str,
    add_generation_prompt: bool = True,
    tools: list[dict] | None = None,
    date: str | None = None,
    enable_thinking: bool | None = None,
) -> dict:
    """Write a conversation as the prompt that a chat model reads, and count its tokens.

    Args:
        messages: a list of {"role": "system" | "user" | "assistant" | "tool", "content": text, "tool_calls": [...]}.
        model: llama-3.1, qwen2.5, qwen3.5, or the id of a chat model on the Hugging Face Hub (org/name).
        add_generation_prompt: end with the marker that opens the model's answer.
        tools: functions that the model may call, as JSON schemas; none if left out.
        date: the date that Llama 3.1 writes into its prompt, such as "26 Jul 2024".
        enable_thinking: for models that can think first; left out, as the model ships.

    Returns:
        {text, ids, count, messages, added, warnings}: the tokens of each message (content_tokens, template_tokens)
        and of what the template added by itself sum to count; each warning has a code, ids and a sentence.
    """
    return chat.render_chat(messages, model, add_generation_prompt, tools, date, enable_thinking)


def _options_row():
    """The switches; the components in the order of `draw`."""
    with gr.Row(elem_classes="be-choices"):
        models = gr.Dropdown(
            chat.choices(),
            value=DEFAULT_MODELS,
            multiselect=True,
            allow_custom_value=True,
            label=w("models"),
            info=w("models_info"),
            elem_id="chat-models",
            scale=3,
        )
        with gr.Column(scale=2, min_width=280):
            generation = gr.Checkbox(True, label=w("generation"), elem_id="chat-generation", container=False)
            thinking = gr.Radio(
                [(w(f"thinking_{name}"), name) for name in THINKING],
                value="default",
                label=w("thinking"),
                elem_id="chat-thinking",
            )
    with gr.Accordion(w("tools_title"), open=False) as more:
        date = gr.Textbox("", label=w("date"), info=w("date_info"), placeholder="26 Jul 2024", elem_id="chat-date")
        tools = gr.Textbox(
            "",
            label=w("tools"),
            info=w("tools_info"),
            lines=4,
            max_lines=16,
            elem_id="chat-tools",
            elem_classes="be-code",
        )
    return models, generation, tools, date, thinking, more


def build(lang) -> dict[str, gr.components.Component]:
    """Draw the tab; the inputs that a link can hold, by name."""
    presets = chat.presets()
    gr.Markdown(w("intro"), elem_classes="be-intro")
    picks = Widget("picks", "chat", to_json([preset.title for preset in presets]), elem_id="chat-presets")
    messages = Widget("chat", "chat", to_json(presets[0].messages), elem_id="chat-messages")
    models, generation, tools, date, thinking, more = _options_row()
    prompts = Widget("prompt", "chat", elem_id="chat-prompts")
    gr.Markdown(w("wrong_title"), elem_classes="be-heading")
    gr.Markdown(w("wrong_intro"), elem_classes="be-intro")
    with gr.Row(elem_classes="be-choices"):
        own = gr.Dropdown(
            chat.choices(), value="llama-3.1", label=w("prompt_from"), allow_custom_value=True, elem_id="chat-own"
        )
        other = gr.Dropdown(
            chat.choices(), value="qwen2.5", label=w("read_by"), allow_custom_value=True, elem_id="chat-other"
        )
    wrong = Widget("misread", "chat", elem_id="chat-misread")

    how = [generation, tools, date, thinking]
    edits = [messages.change, *(component.change for component in how)]
    opened = gr.State(0.0)
    again = [models.change, on_load(), opened.change]
    gr.on([*edits, *again], draw, [messages, models, *how], prompts, trigger_mode="always_last", **QUICK)
    gr.on(again[:2], open_models, models, opened, trigger_mode="multiple", **SLOW)
    wrongs = [*edits, own.change, other.change, on_load()]
    gr.on(wrongs, draw_misread, [messages, own, other, *how], wrong, trigger_mode="always_last", **SLOW)
    filled = [messages, tools, thinking, models, more]
    picks.select(pick_preset, [picks, models], filled, trigger_mode="always_last", **QUICK)

    page.offer(render_chat)
    return {
        "messages": (messages, links.Checked(chat.check_messages)),
        "models": models,
        "generation": generation,
        "thinking": thinking,
        "tools": tools,
        "date": date,
        "own": own,
        "other": other,
    }


if __name__ == "__main__":
    import demo_lib.tabs.chat

    page.run_alone(demo_lib.tabs.chat)
