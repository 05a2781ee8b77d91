"""Llama 3.1 Instruct's chat template, in plain Python.

Equal, byte for byte, to the official one: tokenizer_config.json of meta-llama/Llama-3.1-8B-Instruct.
"""

from collections.abc import Iterator
from functools import partial

from .problems import Problem
from .segments import Chat, Segment, arguments_of, named_arguments, to_json

LLAMA_DATE = "26 Jul 2024"  # what the official template writes when it is given no date
_LLAMA_FORMAT = (
    'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.'
    "Do not use variables.\n\n"
)
_LLAMA_TOOLS_IN_USER = (
    "Given the following functions, please respond with a JSON for a function call with its proper arguments that "
    f"best answers the given prompt.\n\n{_LLAMA_FORMAT}"
)
_LLAMA_TOOLS_IN_SYSTEM = (
    "You have access to the following functions. To call a function, please respond with JSON for a function call."
    + _LLAMA_FORMAT
)
_EOT = "<|eot_id|>"


def _header(role: str) -> str:
    return f"<|start_header_id|>{role}<|end_header_id|>\n\n"


def _llama_text(message: dict) -> str:
    """The template trims whatever it is given, so that a list of parts comes out as Python writes a list."""
    return str(message.get("content", "")).strip()


def llama_3_1(chat: Chat) -> Iterator[Segment]:
    """Llama 3.1 Instruct: always a system message with two date lines; tools go into the first user message."""
    rest = list(enumerate(chat.messages))
    system = rest.pop(0)[1] if rest[0][1]["role"] == "system" else None
    frame = partial(Segment, kind="system") if system is None else partial(Segment, kind="marker", message=0)
    definitions = "".join(to_json(tool, indent=4) + "\n\n" for tool in chat.tools or ())

    yield Segment("<|begin_of_text|>", "begin")
    yield frame(_header("system"))
    if chat.builtin_tools is not None or chat.tools is not None:
        yield Segment("Environment: ipython\n", "tools")
    if chat.builtin_tools is not None:
        names = ", ".join(name for name in chat.builtin_tools if name != "code_interpreter")
        yield Segment(f"Tools: {names}\n\n", "tools")
    date = LLAMA_DATE if chat.date is None else chat.date
    yield Segment(f"Cutting Knowledge Date: December 2023\nToday Date: {date}\n\n", "date")
    if chat.tools is not None and not chat.tools_in_user_message:
        yield Segment(_LLAMA_TOOLS_IN_SYSTEM + definitions, "tools")
    if system is not None:
        yield Segment(_llama_text(system), "content", 0)
    yield frame(_EOT)

    if chat.tools is not None and chat.tools_in_user_message:
        if not rest:
            raise Problem(
                "Llama 3.1's template writes the tools into the first user message, and there is none: add one.",
                "Llama 3.1 的模板把工具写进第一条用户消息，而这里没有用户消息：请加一条。",
            )
        i, message = rest.pop(0)  # whatever its role is, it becomes a user message
        yield Segment(_header("user"), "marker", i)
        yield Segment(_LLAMA_TOOLS_IN_USER + definitions, "tools")
        yield Segment(_llama_text(message), "content", i)
        yield Segment(_EOT, "marker", i)
    for i, message in rest:
        yield from _llama_message(message, i, chat.builtin_tools)
    yield Segment(_header("assistant"), "generation")


def _llama_message(message: dict, i: int, builtin_tools: tuple[str, ...] | None) -> Iterator[Segment]:
    marker, content = partial(Segment, kind="marker", message=i), partial(Segment, kind="content", message=i)
    if "tool_calls" in message:  # the words beside a tool call are dropped
        yield marker(_header("assistant"))
        yield from _llama_call(message["tool_calls"], i, builtin_tools)
        yield marker(_EOT if builtin_tools is None else "<|eom_id|>")
    elif message["role"] in ("tool", "ipython"):
        if "content" not in message:
            raise Problem(
                f"Message {i + 1}: a tool's answer needs content.", f"第 {i + 1} 条消息：工具的回答需要 content。"
            )
        answer = message["content"]
        yield marker(_header("ipython"))
        yield content(to_json(answer) if isinstance(answer, str | list | dict) else str(answer))
        yield marker(_EOT)
    else:
        yield marker(_header(message["role"]))
        yield content(_llama_text(message))
        yield marker(_EOT)


def _llama_call(calls: list[dict], i: int, builtin_tools: tuple[str, ...] | None) -> Iterator[Segment]:
    marker, content = partial(Segment, kind="marker", message=i), partial(Segment, kind="content", message=i)
    if len(calls) != 1:
        raise Problem(
            f"Message {i + 1} has {len(calls)} tool calls, and Llama 3.1's template takes exactly one a message.",
            f"第 {i + 1} 条消息有 {len(calls)} 个工具调用，而 Llama 3.1 的模板每条消息恰好接受一个。",
        )
    if "function" not in calls[0]:
        raise Problem(
            f'Message {i + 1}: Llama 3.1\'s template wants the name and arguments of a tool call inside "function".',
            f'第 {i + 1} 条消息：Llama 3.1 的模板要求把工具调用的名字和参数写在 "function" 里面。',
        )
    call = calls[0]["function"]
    if builtin_tools is None or call["name"] not in builtin_tools:
        yield marker('{"name": "')
        yield content(call["name"])
        yield marker('", "parameters": ')
        yield content(to_json(arguments_of(call, "Llama 3.1", i + 1)))
        yield marker("}")
        return
    arguments = named_arguments(call.get("arguments", {}), "Llama 3.1", i + 1)
    if not all(isinstance(value, str) for value in arguments.values()):
        raise Problem(
            f"Message {i + 1}: Llama 3.1's built-in tools take arguments that are texts.",
            f"第 {i + 1} 条消息：Llama 3.1 的内置工具只接受文本参数。",
        )
    yield marker("<|python_tag|>")
    yield content(call["name"])
    yield marker(".call(")
    yield content(", ".join(f'{name}="{value}"' for name, value in arguments.items()))
    yield marker(")")
