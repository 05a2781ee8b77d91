"""The chat templates of Qwen2.5 Instruct and of Qwen3.5's small models, in plain Python.

Equal, byte for byte, to the official ones: tokenizer_config.json of Qwen/Qwen2.5-0.5B-Instruct and
chat_template.jinja of Qwen/Qwen3.5-0.8B (larger Qwen3.5 models think unless told not to).
"""

from collections.abc import Iterator
from functools import partial

from .problems import Problem
from .segments import Chat, Segment, arguments_of, function_of, named_arguments, to_json

_START, _END = "<|im_start|>", "<|im_end|>\n"

# ---- Qwen2.5

QWEN_SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
_QWEN25_BEFORE_TOOLS = (
    "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
)
_QWEN25_AFTER_TOOLS = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
)


def _qwen_text(message: dict, i: int) -> str:
    content = message.get("content")
    if not isinstance(content, str):
        raise Problem(
            f"Message {i + 1}: Qwen2.5's template takes plain text as content, not parts and not nothing.",
            f"第 {i + 1} 条消息：Qwen2.5 的模板要求 content 是纯文本，不能分段，也不能没有。",
        )
    return content


def qwen2_5(chat: Chat) -> Iterator[Segment]:
    """Qwen2.5 Instruct: a default system prompt unless the conversation has its own; nothing is trimmed."""
    system = chat.messages[0] if chat.messages[0]["role"] == "system" else None
    frame = partial(Segment, kind="system") if system is None else partial(Segment, kind="marker", message=0)
    yield frame(f"{_START}system\n")
    if system is None:
        yield Segment(QWEN_SYSTEM, "system")
    else:
        yield Segment(str(system.get("content", "")) if chat.tools else _qwen_text(system, 0), "content", 0)
    if chat.tools:
        definitions = "".join("\n" + to_json(tool) for tool in chat.tools)
        yield Segment(_QWEN25_BEFORE_TOOLS + definitions + _QWEN25_AFTER_TOOLS, "tools")
    yield frame(_END)
    roles = [message["role"] for message in chat.messages]
    for i, message in enumerate(chat.messages):
        if i > 0 or system is None:
            yield from _qwen25_message(message, i, roles)
    yield Segment(f"{_START}assistant\n", "generation")


def _qwen25_message(message: dict, i: int, roles: list[str]) -> Iterator[Segment]:
    marker, content = partial(Segment, kind="marker", message=i), partial(Segment, kind="content", message=i)
    calls = message.get("tool_calls") if message["role"] == "assistant" else None
    if calls:
        yield marker(f"{_START}assistant")
        if message.get("content"):
            yield marker("\n")
            yield content(_qwen_text(message, i))
        for call in map(function_of, calls):
            yield marker('\n<tool_call>\n{"name": "')
            yield content(call["name"])
            yield marker('", "arguments": ')
            yield content(to_json(arguments_of(call, "Qwen2.5", i + 1)))
            yield marker("}\n</tool_call>")
        yield marker(_END)
    elif message["role"] in ("user", "system", "assistant"):
        yield marker(f"{_START}{message['role']}\n")
        yield content(_qwen_text(message, i))
        yield marker(_END)
    elif message["role"] == "tool":
        yield from _tool_answer(str(message.get("content", "")), i, roles, opens=i == 0 or roles[i - 1] != "tool")
    # any other role is left out, without a word


def _tool_answer(text: str, i: int, roles: list[str], *, opens: bool) -> Iterator[Segment]:
    """Qwen hands the answers of tools back as a user message, one message for all that follow each other."""
    yield Segment(f"{_START}user" if opens else "", "marker", i)
    yield Segment("\n<tool_response>\n", "marker", i)
    yield Segment(text, "content", i)
    yield Segment("\n</tool_response>", "marker", i)
    yield Segment(_END if roles[i + 1 : i + 2] != ["tool"] else "", "marker", i)


# ---- Qwen3.5

_QWEN35_BEFORE_TOOLS = "# Tools\n\nYou have access to the following functions:\n\n<tools>"
_QWEN35_AFTER_TOOLS = """
</tools>

If you choose to call a function ONLY reply in the following format with NO suffix:

<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
</tool_call>

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within \
<tool_call></tool_call> XML tags
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after
- If there is no function call available, answer the question like normal with your current knowledge and do not tell \
the user about function calls
</IMPORTANT>"""


def _qwen35_text(message: dict, i: int, *, system: bool = False) -> str:
    """The content as one trimmed text; a picture or a video among its parts becomes three special tokens."""
    content = message.get("content", "")
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        raise Problem(
            f"Message {i + 1}: Qwen3.5's template takes a text or a list of parts as content.",
            f"第 {i + 1} 条消息：Qwen3.5 的模板要求 content 是文本或分段的列表。",
        )
    return "".join(_qwen35_part(part, i, system=system) for part in content).strip()


def _qwen35_part(part: dict, i: int, *, system: bool) -> str:
    picture = "image" in part or "image_url" in part or part.get("type") == "image"
    if picture or "video" in part or part.get("type") == "video":
        if system:
            raise Problem(
                "Qwen3.5's template takes no pictures or videos in the system message: leave them out.",
                "Qwen3.5 的模板不接受系统消息里的图片或视频：请去掉它们。",
            )
        return f"<|vision_start|><|{'image' if picture else 'video'}_pad|><|vision_end|>"
    if "text" not in part:
        raise Problem(
            f"Message {i + 1}: Qwen3.5's template takes parts that are text, image or video.",
            f"第 {i + 1} 条消息：Qwen3.5 的模板只接受文本、图片或视频的分段。",
        )
    return str(part["text"])


def _last_query(messages: list[dict]) -> int:
    """Where the user last asked something; a user message that only holds a tool's answer asks nothing."""
    for i, message in reversed(list(enumerate(messages))):
        if message["role"] == "user":
            text = _qwen35_text(message, i)
            if not (text.startswith("<tool_response>") and text.endswith("</tool_response>")):
                return i
    raise Problem(
        "Qwen3.5's template needs a user message that asks something: add one.",
        "Qwen3.5 的模板要求至少有一条提问的用户消息：请加一条。",
    )


def qwen3_5(chat: Chat) -> Iterator[Segment]:
    """Qwen3.5's small models: thinking is off, shown by an empty block, unless `chat.thinking` is True.

    The thoughts of an answer are kept only after the last question of the user; older ones are dropped.
    """
    messages = chat.messages
    system = _qwen35_text(messages[0], 0, system=True) if messages[0]["role"] == "system" else None
    if chat.tools:
        frame = partial(Segment, kind="tools") if system is None else partial(Segment, kind="marker", message=0)
        definitions = "".join("\n" + to_json(tool) for tool in chat.tools)
        yield frame(f"{_START}system\n")
        yield Segment(_QWEN35_BEFORE_TOOLS + definitions + _QWEN35_AFTER_TOOLS, "tools")
        if system:
            yield frame("\n\n")
            yield Segment(system, "content", 0)
        yield frame(_END)
    elif system is not None:
        yield Segment(f"{_START}system\n", "marker", 0)
        yield Segment(system, "content", 0)
        yield Segment(_END, "marker", 0)
    last_query = _last_query(messages)
    roles = [message["role"] for message in messages]
    for i, message in enumerate(messages):
        if i > 0 or system is None:
            yield from _qwen35_message(message, i, roles, thoughts=i > last_query)
    thinking = "<think>\n" if chat.thinking is True else "<think>\n\n</think>\n\n"
    yield Segment(f"{_START}assistant\n{thinking}", "generation")


def _qwen35_message(message: dict, i: int, roles: list[str], *, thoughts: bool) -> Iterator[Segment]:
    role, text = message["role"], _qwen35_text(message, i)
    if role == "user":
        yield Segment(f"{_START}user\n", "marker", i)
        yield Segment(text, "content", i)
        yield Segment(_END, "marker", i)
    elif role == "assistant":
        yield from _qwen35_answer(message, text, i, thoughts=thoughts)
    elif role == "tool":
        # as the first message it opens nothing: the official template looks for a message before it
        yield from _tool_answer(text, i, roles, opens=i > 0 and roles[i - 1] != "tool")
    elif role == "system":
        raise Problem(
            f"Message {i + 1}: Qwen3.5's template takes a system message only at the beginning.",
            f"第 {i + 1} 条消息：Qwen3.5 的模板只接受放在最前面的系统消息。",
        )
    else:
        raise Problem(
            f"Message {i + 1}: Qwen3.5's template knows the roles system, user, assistant and tool only.",
            f"第 {i + 1} 条消息：Qwen3.5 的模板只认识 system、user、assistant 和 tool 这四种角色。",
        )


def _qwen35_answer(message: dict, text: str, i: int, *, thoughts: bool) -> Iterator[Segment]:
    marker, content = partial(Segment, kind="marker", message=i), partial(Segment, kind="content", message=i)
    reasoning = message.get("reasoning_content")
    if not isinstance(reasoning, str):
        reasoning = ""
        if "</think>" in text:
            reasoning = text.split("</think>")[0].split("<think>")[-1]
            text = text.split("</think>")[-1].lstrip("\n")
    yield marker(f"{_START}assistant\n")
    if thoughts:
        yield marker("<think>\n")
        yield content(reasoning.strip())
        yield marker("\n</think>\n\n")
    yield content(text)
    for n, call in enumerate(map(function_of, message.get("tool_calls", []))):
        before = "\n" if n else "\n\n" if text.strip() else ""
        yield marker(f"{before}<tool_call>\n<function=")
        yield content(call["name"])
        yield marker(">\n")
        for name, value in named_arguments(call.get("arguments", {}), "Qwen3.5", i + 1).items():
            yield marker("<parameter=")
            yield content(name)
            yield marker(">\n")
            yield content(to_json(value) if isinstance(value, dict | list) else str(value))
            yield marker("\n</parameter>\n")
        yield marker("</function>\n</tool_call>")
    yield marker(_END)
