"""Conversations: what a list of chat messages and a list of tools must look like, and the examples of the page."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .problems import Problem

MAX_CHARACTERS = 20_000  # in all messages together, and again in all tools
MAX_MESSAGES = 100
MAX_ROLE = 64
_MAX_JSON = 10 * MAX_CHARACTERS  # of JSON text: escapes such as \u5e74 are longer than what they mean
_MAX_VALUES = 5_000
_MAX_DEPTH = 20
_MAX_BITS = 1_000  # of a whole number; printing a very long one takes the square of its length
_REASONING = ("reasoning_content", "thinking", "reasoning")  # names in use for the thoughts of an answer
# these names, and roles, are no part of what is said, and do not count
_KEYS = frozenset(("content", "tool_calls", "tool_call_id", "name", *_REASONING))
_EXAMPLES = Path(__file__).parent.parent / "examples" / "conversations.json"


@dataclass(frozen=True)
class Preset:
    """A ready conversation; `title` by language ("en", "zh-CN"), `thinking` for enable_thinking.

    `model` is the one that shows best what it is about.
    """

    title: dict[str, str]
    messages: list[dict]
    tools: list[dict] | None = None
    thinking: bool | None = None
    model: str | None = None


@lru_cache(maxsize=1)
def _presets() -> str:
    return _EXAMPLES.read_text(encoding="utf-8")


def presets() -> list[Preset]:
    """The examples of examples/conversations.json, fresh copies."""
    return [Preset(**preset) for preset in json.loads(_presets())]


class _Reader:
    """Copies plain JSON values while it counts them, so that nothing huge, deep or circular gets any further."""

    def __init__(self, en: str, zh: str) -> None:
        self.en, self.zh = en, zh  # what is being read, for the sentences
        self.characters = self.values = 0

    def copy(self, value: Any, depth: int = 0) -> Any:
        self.values += 1
        if depth > _MAX_DEPTH or self.values > _MAX_VALUES:
            raise Problem(
                f"{self.en} are nested deeper than {_MAX_DEPTH} levels or hold more than {_MAX_VALUES:,} values.",
                f"{self.zh}的嵌套超过 {_MAX_DEPTH} 层，或者包含超过 {_MAX_VALUES:,} 个值。",
            )
        if isinstance(value, dict):
            return {self.text(key): self.copy(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.copy(item, depth + 1) for item in value]
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, bool | float):
            return value
        if isinstance(value, int) and value.bit_length() <= _MAX_BITS:
            return value
        raise Problem(
            f"{self.en} may hold texts, lists, objects, true, false, null and numbers of ordinary length only.",
            f"{self.zh}里只能有文本、列表、对象、true、false、null 和普通长度的数字。",
        )

    def text(self, text: Any) -> str:
        if not isinstance(text, str):
            raise Problem(
                f"The keys of objects in {self.en.lower()} must be texts.", f"{self.zh}里对象的键必须是文本。"
            )
        self.characters += len(text)
        if self.characters > MAX_CHARACTERS:
            raise Problem(
                f"{self.en} are longer than {MAX_CHARACTERS:,} characters together: shorten them.",
                f"{self.zh}合计超过 {MAX_CHARACTERS:,} 个字符：请缩短。",
            )
        return self.whole(text)

    def whole(self, text: str) -> str:
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise Problem(
                f"{self.en} contain half of a surrogate pair, which is no character: delete it.",
                f"{self.zh}里有半个代理对，它不是字符：请删掉它。",
            )
        return text


def _parsed(value: Any, en: str, zh: str) -> Any:
    """`value`, read as JSON if it is a text."""
    if not isinstance(value, str):
        return value
    try:
        if len(value) > _MAX_JSON:
            raise ValueError
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        line = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        where = f"（第 {error.lineno} 行）" if isinstance(error, json.JSONDecodeError) else ""
        raise Problem(f"{en} are not valid JSON{line}.", f"{zh}不是有效的 JSON{where}。") from None


def check_messages(value: Any) -> list[dict]:
    """A conversation, from a list of messages or the JSON text of one: [{"role": "user", "content": "Hi"}, ...].

    Returns plain copies in the form that transformers hands to a chat template: a key whose value is None is
    left out, and thoughts have the name reasoning_content. Errors are Problems.
    """
    messages = _parsed(value, "The messages", "消息")
    if messages in ([], ()):
        raise Problem("The conversation is empty: add a message.", "对话是空的：请添加一条消息。")
    if not isinstance(messages, list | tuple):
        raise Problem(
            'The conversation must be a list of at least one message, such as [{"role": "user", "content": "Hi"}].',
            '对话必须是至少有一条消息的列表，例如 [{"role": "user", "content": "你好"}]。',
        )
    if len(messages) > MAX_MESSAGES:
        raise Problem(
            f"The conversation has {len(messages):,} messages; the most is {MAX_MESSAGES}.",
            f"对话有 {len(messages):,} 条消息；最多 {MAX_MESSAGES} 条。",
        )
    reader = _Reader("The messages", "消息")
    return [_message(message, number, reader) for number, message in enumerate(messages, 1)]


def _message(value: Any, number: int, reader: _Reader) -> dict:
    if not isinstance(value, dict):
        raise Problem(
            f"Message {number} must be an object with a role and a content.",
            f"第 {number} 条消息必须是带有 role 和 content 的对象。",
        )
    role = value.get("role")
    if not isinstance(role, str) or not 0 < len(role) <= MAX_ROLE:
        raise Problem(
            f"Message {number} needs a role such as system, user, assistant or tool.",
            f"第 {number} 条消息需要 role，例如 system、user、assistant 或 tool。",
        )
    rest = ((key, item) for key, item in value.items() if key != "role")
    items = ((key if key in _KEYS else reader.text(key), reader.copy(item)) for key, item in rest)
    message = {"role": reader.whole(role)} | {key: item for key, item in items if item is not None}
    _check_content(message, number)
    _check_calls(message.get("tool_calls", []), number)
    thoughts = [message[name] for name in _REASONING if name in message]
    return {"thinking": thoughts[0], **message, "reasoning_content": thoughts[0]} if thoughts else message


def _check_content(message: dict, number: int) -> None:
    """A text, or a list of parts; the answer of a tool may be any value."""
    content = message.get("content", "")
    if isinstance(content, str) or (message["role"] in ("tool", "ipython") and not isinstance(content, list)):
        return
    parts = content if isinstance(content, list) else [None]
    if not all(isinstance(part, dict) and isinstance(part.get("text", ""), str) for part in parts):
        raise Problem(
            f'Message {number}: the content must be a text, or a list of parts like {{"type": "text", "text": "Hi"}}.',
            f'第 {number} 条消息：content 必须是文本，或由 {{"type": "text", "text": "你好"}} 这样的分段组成的列表。',
        )


def _check_calls(calls: Any, number: int) -> None:
    listed = calls if isinstance(calls, list) else [None]
    functions = [call.get("function", call) if isinstance(call, dict) else None for call in listed]
    ok = (isinstance(function, dict) and isinstance(function.get("name"), str) for function in functions)
    if not all(ok):
        raise Problem(
            f'Message {number}: tool_calls must be a list such as [{{"type": "function", "function": '
            '{"name": "weather", "arguments": {"city": "Paris"}}}].',
            f'第 {number} 条消息：tool_calls 必须是列表，例如 [{{"type": "function", "function": '
            '{"name": "weather", "arguments": {"city": "北京"}}}]。',
        )


def check_tools(value: Any) -> list[dict] | None:
    """Tools, from a list of objects (JSON schemas of functions) or the JSON text of one; None or "" is no tools."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    tools = _Reader("The tools", "工具").copy(_parsed(value, "The tools", "工具"))
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise Problem(
            'The tools must be a list of objects, such as [{"type": "function", "function": {"name": "weather"}}].',
            '工具必须是对象的列表，例如 [{"type": "function", "function": {"name": "weather"}}]。',
        )
    return tools
