"""The chat template room: messages -> rendered prompt -> tokens, and what each message costs.

A prompt is tokenized once, as a whole, with special tokens read as special. Each token belongs to the segment that
holds its first byte, so that the parts add up to the total exactly.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .catalog import MAX_MODELS, UPLOAD, check_models, choices, key_of, label
from .chat_warnings import Warning, too_many_calls, warnings
from .conversations import check_messages, check_tools, presets
from .encoding import Encoding, Token, check_text
from .foreign_template import foreign_segments
from .llama_template import llama_3_1
from .problems import Problem
from .qwen_templates import qwen2_5, qwen3_5
from .segments import ADDED_KINDS, Chat, Rendered, Template, owners, read
from .vocab import Vocab, open_vocab

# what the tab meets of the foundation, it meets here
__all__ = ["MAX_MODELS", "check_messages", "check_models", "check_tools", "choices", "key_of", "label", "presets"]

TEMPLATES: dict[str, Template] = {"llama-3.1": llama_3_1, "qwen2.5": qwen2_5, "qwen3.5": qwen3_5}
_MAX_DATE = 100


@dataclass(frozen=True)
class MessageCost:
    """Tokens of one message: its own words, and what the template puts around them."""

    role: str
    content_tokens: int
    template_tokens: int


@dataclass(frozen=True)
class AddedCost:
    """Tokens that the template added by itself; `kind` as in Segment."""

    kind: str
    tokens: int


@dataclass(frozen=True)
class Costs:
    """`total` is the sum of all tokens in `messages` and `added`."""

    total: int
    messages: tuple[MessageCost, ...]
    added: tuple[AddedCost, ...]


@dataclass(frozen=True)
class FallenMarker:
    """A special token of one model that another model reads as ordinary text.

    It stands `times` times in the prompt; `pieces` are the other model's tokens that hold bytes of the first one.
    """

    text: str
    times: int
    pieces: tuple[Token, ...]


@dataclass(frozen=True)
class Misread:
    """One model's prompt read with another's tokenizer.

    `own_tokens` and `tokens` count the whole prompt with the right and the wrong tokenizer, `extra` is the
    difference. `marker_tokens` counts the wrong tokenizer's tokens for all markers that fell apart.
    """

    own_tokens: int
    tokens: int
    markers: tuple[FallenMarker, ...]
    marker_tokens: int

    @property
    def extra(self) -> int:
        return self.tokens - self.own_tokens


def render(
    messages: Any,
    model: str,
    *,
    add_generation_prompt: bool = True,
    tools: Any = None,
    date: str | None = None,
    enable_thinking: bool | None = None,
    tools_in_user_message: bool = True,
    builtin_tools: Sequence[str] | None = None,
    wait: bool = True,
) -> Rendered:
    """A conversation written as the prompt of `model`, a catalog key or a Hub id `org/name`.

    `messages` and `tools` are lists, or the JSON text of them. `date` is the template's date_string (Llama 3.1
    writes 26 Jul 2024 where it is None). `tools_in_user_message` and `builtin_tools` are Llama 3.1's own switches.
    What the official template refuses raises Problem. Without `wait`, a Hub model whose template has not been fetched
    yet raises Waiting.

    >>> render([{"role": "user", "content": "Hi"}], "qwen3.5", add_generation_prompt=False).text
    '<|im_start|>user\\nHi<|im_end|>\\n'
    """
    from . import sources

    conversation, functions = check_messages(messages), check_tools(tools)
    _check_options(model, date, enable_thinking)
    if model in TEMPLATES:
        builtin = None if builtin_tools is None else tuple(builtin_tools)
        chat = Chat(conversation, functions, date, enable_thinking, tools_in_user_message, builtin)
        segments = list(TEMPLATES[model](chat))
        generation = segments[-1].text
        segments = segments if add_generation_prompt else segments[:-1]
    else:
        options = {"date_string": date, "enable_thinking": enable_thinking}
        template = sources.chat_template(model, wait=wait)
        segments, generation = _hub_segments(template, conversation, functions, options, bool(add_generation_prompt))
    segments = tuple(segment for segment in segments if segment.text)
    text = "".join(segment.text for segment in segments)
    return Rendered(text, segments, model, tuple(conversation), generation, bool(add_generation_prompt))


def _check_options(model: Any, date: Any, enable_thinking: Any) -> None:
    if not isinstance(model, str) or model.startswith(UPLOAD) or (model not in TEMPLATES and "/" not in model):
        known = ", ".join(TEMPLATES)
        raise Problem(
            f"There is no chat template for this model: choose {known}, or a Hub id such as org/name.",
            f"没有这个模型的对话模板：请选择 {known}，或 org/name 形式的 Hub id。",
        )
    if date is not None and not isinstance(date, str):
        raise Problem("The date must be a text such as 26 Jul 2024.", "日期必须是文本，例如 26 Jul 2024。")
    if date is not None and len(check_text(date)) > _MAX_DATE:
        raise Problem(f"The date is longer than {_MAX_DATE} characters.", f"日期超过 {_MAX_DATE} 个字符。")
    if not (enable_thinking is None or isinstance(enable_thinking, bool)):
        raise Problem(
            "enable_thinking must be true, false or left out.", "enable_thinking 必须是 true、false，或者不填。"
        )


def _hub_segments(template: tuple, messages: list[dict], tools: list[dict] | None, options: dict, asked: bool):
    from . import sandbox

    source, tokens = template
    options = {name: value for name, value in options.items() if value is not None}
    now = _moment(options.get("date_string"))  # a template may write it, and is rendered more than once

    def write(messages: list[dict], add_generation_prompt: bool) -> str:
        variables = {"messages": messages, "tools": tools, "documents": None, **tokens, **options}
        variables["add_generation_prompt"] = add_generation_prompt
        return sandbox.render_template(source, variables, now=now)

    return foreign_segments(write, messages, asked, tokens.get("bos_token") or "")


def _moment(date: str | None) -> datetime:
    """The time that a template's strftime_now gets: the date asked for, where it is written as a date."""
    for form in ("%d %b %Y", "%d %B %Y", "%Y-%m-%d", "%B %d, %Y"):
        with suppress(ValueError):
            return datetime.strptime(date or "", form)
    return datetime.now()


def cost(rendered: Rendered, vocab: Vocab, encoding: Encoding | None = None) -> Costs:
    """The tokens of each message and of what the template added; they sum to the tokens of the whole prompt.

    `encoding` is that of `read`, where it is at hand.
    """
    encoding = encoding or read(rendered, vocab)
    owned = Counter(rendered.segments[i] for i in owners(rendered.segments, encoding))
    count = Counter()
    for segment, tokens in owned.items():
        count[segment.kind, segment.message] += tokens
    messages = tuple(
        MessageCost(message["role"], count["content", i], count["marker", i])
        for i, message in enumerate(rendered.messages)
    )
    present = {segment.kind for segment in rendered.segments}
    added = tuple(AddedCost(kind, count[kind, None]) for kind in ADDED_KINDS if kind in present)
    return Costs(len(encoding.tokens), messages, added)


def misread(rendered: Rendered, other: Vocab) -> Misread:
    """The prompt read with `other`, the tokenizer of another model: the wrong template's effect."""
    own, theirs = read(rendered, open_vocab(rendered.model)), read(rendered, other)
    starts = [token.byte_start for token in theirs.tokens]
    ends = [token.byte_end for token in theirs.tokens]
    fallen: dict[str, list[tuple[Token, ...]]] = {}
    lost: set[int] = set()
    for token in own.tokens:
        if not token.special:
            continue
        places = range(bisect_right(ends, token.byte_start), bisect_left(starts, token.byte_end))
        pieces = tuple(theirs.tokens[i] for i in places)
        if len(pieces) == 1 and pieces[0].special and pieces[0].data == token.data:
            continue
        fallen.setdefault(token.data.decode(), []).append(pieces)
        lost.update(places)
    markers = tuple(FallenMarker(text, len(found), found[0]) for text, found in fallen.items())
    return Misread(len(own.tokens), len(theirs.tokens), markers, len(lost))


@dataclass(frozen=True)
class Prompt:
    """A rendered conversation with all that the page says of it."""

    rendered: Rendered
    encoding: Encoding
    costs: Costs
    warnings: tuple[Warning, ...]


@dataclass(frozen=True)
class WrongTemplate:
    """One model's prompt in another's tokens."""

    encoding: Encoding
    misread: Misread


def prompt(messages: Any, model: str, *, wait: bool = True, **options: Any) -> Prompt:
    """`render` (which see for the options), read with the model's own tokenizer, counted and checked."""
    rendered = render(messages, model, wait=wait, **options)
    vocab = open_vocab(model, wait=wait)
    encoding = read(rendered, vocab)
    return Prompt(rendered, encoding, cost(rendered, vocab, encoding), tuple(warnings(rendered, vocab, encoding)))


def wrong_template(messages: Any, own: str, other: str, **options: Any) -> WrongTemplate:
    """The prompt of `own`, read with the tokenizer of `other`."""
    rendered, vocab = render(messages, own, **options), open_vocab(other)
    return WrongTemplate(read(rendered, vocab), misread(rendered, vocab))


def refusals(messages: Any, model: str) -> list[Warning]:
    """The tokens behind a refusal of `render`: tool calls beyond the one that the model takes in a message."""
    try:
        return too_many_calls(check_messages(messages), model, open_vocab(model, wait=False))
    except Problem:
        return []


def prepare(model: str, *, wait: bool = True) -> None:
    """Fetch and open what `prompt` needs of a model, so that it need not wait."""
    from . import sources

    if model not in TEMPLATES:
        sources.chat_template(model, wait=wait)
    open_vocab(model, wait=wait)


def render_chat(
    messages: Any,
    model: str,
    add_generation_prompt: bool = True,
    tools: Any = None,
    date: str | None = None,
    enable_thinking: bool | None = None,
) -> dict:
    """For programs: the prompt of a conversation, its token ids, what they cost and what to look out for.

    Returns plain JSON: {text, ids, count, messages: [{role, content_tokens, template_tokens}], added: [{kind,
    tokens}], warnings: [{code, ids, en, zh}]}. The tokens of `messages` and `added` sum to `count`.
    """
    options = {"tools": tools, "date": date, "enable_thinking": enable_thinking}
    done = prompt(messages, model, add_generation_prompt=add_generation_prompt, **options)
    return {
        "text": done.rendered.text,
        "ids": done.encoding.ids,
        "count": done.costs.total,
        "messages": [vars(message) for message in done.costs.messages],
        "added": [vars(added) for added in done.costs.added],
        "warnings": [{"code": w.code, "ids": list(w.ids), "en": w.en, "zh": w.zh} for w in done.warnings],
    }
