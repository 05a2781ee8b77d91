"""A prompt as segments: what the chat templates written in Python take and give, and whose each token is.

A model sees one string. Its official chat template, in Jinja, writes a conversation as that string. The templates of
llama_template.py and qwen_templates.py write the same string byte for byte, but as segments that know where they
come from: a message's own words, the markers around them, or what the template added by itself. They write the
generation prompt always, as the last segment. Where the official template raises, they raise Problem.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any

from .encoding import Encoding
from .problems import Problem
from .vocab import Vocab

MESSAGE_KINDS = ("marker", "content")
ADDED_KINDS = ("begin", "system", "date", "tools", "generation", "template")


@dataclass(frozen=True)
class Segment:
    """A piece of a rendered prompt. The texts of all segments, joined, are the prompt.

    `kind` is "marker" (what the template puts around a message) or "content" (the message's own words), and then
    `message` is the index of the message. Otherwise `message` is None and the template added the piece by itself:
    "begin" (begin-of-text), "system" (a system message that nobody wrote), "date" (cutoff and date lines), "tools"
    (tool definitions and how to call them), "generation" (the generation prompt), "template" (not known which).
    """

    text: str
    kind: str
    message: int | None = None


@dataclass(frozen=True)
class Chat:
    """What a template gets. `messages` as check_messages returns them; `tools` None is not the same as no tools in
    a list (Llama writes its tool preamble for an empty list). `date` goes to Llama only, `thinking` to Qwen3.5 only.
    """

    messages: list[dict]
    tools: list[dict] | None = None
    date: str | None = None
    thinking: bool | None = None
    tools_in_user_message: bool = True
    builtin_tools: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Rendered:
    """A prompt. The segments' texts, joined, are `text`. `messages` are those of check_messages.

    `generation` is the model's generation prompt, also where it was not asked for; "" where it is not known.
    """

    text: str
    segments: tuple[Segment, ...]
    model: str
    messages: tuple[dict, ...]
    generation: str
    add_generation_prompt: bool


Template = Callable[[Chat], Iterator[Segment]]
to_json = partial(json.dumps, ensure_ascii=False)  # as transformers' `tojson` filter does it


def function_of(call: dict) -> dict:
    """Name and arguments of a tool call: inside "function", as APIs write it, or bare."""
    return call.get("function", call)


def arguments_of(call: dict, label: str, number: int) -> Any:
    """The arguments of a tool call, where a template writes them as JSON and so cannot do without."""
    if "arguments" not in call:
        raise Problem(
            f"Message {number}: {label}'s template needs arguments in a tool call: write {{}} when there are none.",
            f"第 {number} 条消息：{label} 的模板要求工具调用带有 arguments；没有参数时请写 {{}}。",
        )
    return call["arguments"]


def named_arguments(arguments: Any, label: str, number: int) -> dict:
    """The arguments of a tool call, where a template writes them one by one. A JSON text has no names: a Problem."""
    if not isinstance(arguments, dict):
        raise Problem(
            f"Message {number}: {label}'s template writes each argument of a tool call by its name, so the arguments "
            'must be an object such as {"city": "Paris"}, not a text.',
            f"第 {number} 条消息：{label} 的模板按名字逐个写出工具调用的参数，所以 arguments 必须是对象，"
            '例如 {"city": "北京"}，不能是文本。',
        )
    return arguments


def read(rendered: Rendered, vocab: Vocab) -> Encoding:
    """The prompt as tokens, its special tokens read as special, and none put in front of it."""
    return vocab.encode(rendered.text, parse_special=True)


def owners(segments: Sequence[Segment], encoding: Encoding) -> list[int]:
    """For each token, the index of the segment that holds its first byte."""
    starts = list(accumulate((len(segment.text.encode()) for segment in segments[:-1]), initial=0))
    return [bisect_right(starts, token.byte_start) - 1 for token in encoding.tokens]
