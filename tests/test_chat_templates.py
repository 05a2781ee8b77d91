"""The three chat templates: the golden renderings, and small ones written out by hand (each of them was compared
with what transformers renders from the official Jinja template)."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib.chat import TEMPLATES, render
from demo_lib.problems import Problem
from demo_lib.segments import ADDED_KINDS, MESSAGE_KINDS

GOLDEN = json.loads((Path(__file__).parent / "data" / "chat.json").read_text(encoding="utf-8"))

DATES = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
LLAMA = f"<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n{DATES}<|eot_id|>"
QWEN = "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n"
USER = {"role": "user", "content": "Hi"}
LLAMA_HI = f"{LLAMA}<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
QWEN_HI = "<|im_start|>user\nHi<|im_end|>\n"
ASSISTANT, IPYTHON = (f"<|start_header_id|>{role}<|end_header_id|>\n\n" for role in ("assistant", "ipython"))


def calls(*arguments, name="f", **message):
    functions = [{"type": "function", "function": {"name": name, "arguments": value}} for value in arguments]
    return {"role": "assistant", "tool_calls": functions, **message}


def tool(content, **message):
    return {"role": "tool", "content": content, **message}


VALUES = {"a": "x", "b": 2, "c": True, "d": None, "e": [1], "g": {"h": "é"}}

# model, messages, options, the prompt without its generation prompt
CASES = {
    "llama trims": ("llama-3.1", [USER | {"content": " \n Hi\t"}], {}, LLAMA_HI),
    "llama date": ("llama-3.1", [USER], {"date": "1 Jan 2030"}, LLAMA_HI.replace("26 Jul 2024", "1 Jan 2030")),
    "llama writes any role as it is": (
        "llama-3.1",
        [{"role": "critic", "content": "no"}, {"role": "system", "content": "late"}],
        {},
        LLAMA + "<|start_header_id|>critic<|end_header_id|>\n\nno<|eot_id|>"
        "<|start_header_id|>system<|end_header_id|>\n\nlate<|eot_id|>",
    ),
    "llama writes parts as Python would": (
        "llama-3.1",
        [USER | {"content": [{"type": "text", "text": "Hi"}]}],
        {},
        LLAMA + "<|start_header_id|>user<|end_header_id|>\n\n[{'type': 'text', 'text': 'Hi'}]<|eot_id|>",
    ),
    "llama without content": (
        "llama-3.1",
        [USER | {"content": None}],
        {},
        LLAMA + "<|start_header_id|>user<|end_header_id|>\n\n<|eot_id|>",
    ),
    "llama drops the words beside a call": (
        "llama-3.1",
        [USER, calls({"城": "北京"}, content="Let me see"), tool('晴 "12"')],
        {},
        LLAMA_HI
        + ASSISTANT
        + '{"name": "f", "parameters": {"城": "北京"}}<|eot_id|>'
        + IPYTHON
        + '"晴 \\"12\\""<|eot_id|>',
    ),
    "llama quotes arguments that are a text": (
        "llama-3.1",
        [USER, calls('{"a": 1}')],
        {},
        LLAMA_HI + ASSISTANT + '{"name": "f", "parameters": "{\\"a\\": 1}"}<|eot_id|>',
    ),
    "llama ipython, answers that are no text": (
        "llama-3.1",
        [USER, {"role": "ipython", "content": {"ok": True}}, tool(5)],
        {},
        LLAMA_HI + IPYTHON + '{"ok": true}<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\n5<|eot_id|>',
    ),
    "llama tools in the system message": (
        "llama-3.1",
        [{"role": "system", "content": "Be brief."}, USER],
        {"tools": [{"name": "f"}, {"name": "g"}], "tools_in_user_message": False},
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nEnvironment: ipython\n"
        + DATES
        + "You have access to the following functions. To call a function, please "
        "respond with JSON for a function call.Respond in the "
        'format {"name": function name, "parameters": dictionary of argument name and its value}.Do not use variables.'
        '\n\n{\n    "name": "f"\n}\n\n{\n    "name": "g"\n}\n\nBe brief.<|eot_id|>'
        "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>",
    ),
    "llama built-in tools": (
        "llama-3.1",
        [USER, calls({"query": "x", "n": "1"}, name="brave_search"), calls({}, name="other")],
        {"builtin_tools": ["brave_search", "code_interpreter"]},
        LLAMA_HI.replace("Cutting", "Environment: ipython\nTools: brave_search\n\nCutting", 1)
        + ASSISTANT
        + '<|python_tag|>brave_search.call(query="x", n="1")<|eom_id|>'
        + ASSISTANT
        + '{"name": "other", "parameters": {}}<|eom_id|>',
    ),
    "llama with an empty list of tools": (
        "llama-3.1",
        [USER],
        {"tools": []},
        LLAMA.replace("Cutting", "Environment: ipython\nCutting")
        + "<|start_header_id|>user<|end_header_id|>\n\nGiven the following functions, please respond with a JSON for a "
        "function call with its proper arguments that best answers the given prompt.\n\nRespond in the format "
        '{"name": function name, "parameters": dictionary of argument name and its value}.Do not use variables.\n\n'
        "Hi<|eot_id|>",
    ),
    "qwen2.5 trims nothing": (
        "qwen2.5",
        [USER | {"content": " \n Hi\t"}],
        {},
        QWEN + "<|im_start|>user\n \n Hi\t<|im_end|>\n",
    ),
    "qwen2.5 leaves out roles that it does not know": (
        "qwen2.5",
        [USER, {"role": "critic", "content": "no"}],
        {},
        QWEN + QWEN_HI,
    ),
    "qwen2.5 takes a late system message": (
        "qwen2.5",
        [USER, {"role": "system", "content": "late"}],
        {},
        QWEN + QWEN_HI + "<|im_start|>system\nlate<|im_end|>\n",
    ),
    "qwen2.5 an empty system message is one": (
        "qwen2.5",
        [{"role": "system", "content": ""}, USER],
        {},
        "<|im_start|>system\n<|im_end|>\n" + QWEN_HI,
    ),
    "qwen2.5 words, two calls, two answers": (
        "qwen2.5",
        [USER, calls({"a": [1, None]}, '{"a": 1}', content="Let me see"), tool("1"), tool("2"), USER],
        {},
        QWEN + QWEN_HI + "<|im_start|>assistant\nLet me see"
        '\n<tool_call>\n{"name": "f", "arguments": {"a": [1, null]}}\n'
        '</tool_call>\n<tool_call>\n{"name": "f", "arguments": "{\\"a\\": 1}"}\n</tool_call><|im_end|>\n'
        "<|im_start|>user\n<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response><|im_end|>\n"
        + QWEN_HI,
    ),
    "qwen2.5 a call without words, name and arguments bare": (
        "qwen2.5",
        [USER, {"role": "assistant", "content": None, "tool_calls": [{"name": "f", "arguments": {}}]}],
        {},
        QWEN + QWEN_HI + '<|im_start|>assistant\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>\n',
    ),
    "qwen3.5 trims": ("qwen3.5", [USER | {"content": " \n Hi\t"}], {}, QWEN_HI),
    "qwen3.5 parts and a picture": (
        "qwen3.5",
        [USER | {"content": [{"type": "image"}, {"type": "text", "text": "Hi "}, {"type": "text", "text": "you"}]}],
        {},
        "<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>Hi you<|im_end|>\n",
    ),
    "qwen3.5 old thoughts go, new ones stay": (
        "qwen3.5",
        [
            USER,
            {"role": "assistant", "content": "<think>\nold\n</think>\n\none"},
            USER,
            calls(VALUES, reasoning_content=" new\n", content="two"),
            tool(" 1 "),
            tool("2"),
            {"role": "assistant", "content": "<think>\nmore\n</think>\n\nthree"},
        ],
        {},
        QWEN_HI
        + "<|im_start|>assistant\none<|im_end|>\n"
        + QWEN_HI
        + "<|im_start|>assistant\n<think>\nnew\n</think>\n\ntwo\n\n"
        "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n<parameter=b>\n2\n</parameter>\n<parameter=c>\nTrue\n"
        "</parameter>\n<parameter=d>\nNone\n</parameter>\n<parameter=e>\n[1]\n</parameter>\n<parameter=g>\n"
        '{"h": "é"}\n</parameter>\n</function>\n</tool_call><|im_end|>\n'
        "<|im_start|>user\n<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\n<think>\nmore\n</think>\n\nthree<|im_end|>\n",
    ),
    "qwen3.5 a user message that is a tool's answer asks nothing": (
        "qwen3.5",
        [USER, {"role": "assistant", "content": "1"}, USER | {"content": "<tool_response>\n2\n</tool_response>"}],
        {},
        QWEN_HI + "<|im_start|>assistant\n<think>\n\n</think>\n\n1<|im_end|>\n"
        "<|im_start|>user\n<tool_response>\n2\n</tool_response><|im_end|>\n",
    ),
    "qwen3.5 two calls in an old answer": (
        "qwen3.5",
        [USER, calls({}, {}), tool("1"), USER],
        {},
        QWEN_HI + "<|im_start|>assistant\n<tool_call>\n<function=f>\n</function>\n</tool_call>"
        "\n<tool_call>\n<function=f>\n</function>\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n1\n</tool_response><|im_end|>\n"
        + QWEN_HI,
    ),
}

REFUSED = [
    ("llama-3.1", [USER, calls({}, {})], {}, "Message 2 has 2 tool calls"),
    ("llama-3.1", [USER, calls()], {}, "Message 2 has 0 tool calls"),
    (
        "llama-3.1",
        [USER, {"role": "assistant", "tool_calls": [{"name": "f", "arguments": {}}]}],
        {},
        'inside "function"',
    ),
    ("llama-3.1", [USER, {"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}], {}, "needs arguments"),
    ("llama-3.1", [{"role": "system", "content": "x"}], {"tools": [{"name": "f"}]}, "first user message"),
    ("llama-3.1", [USER, tool(None)], {}, "needs content"),
    ("qwen2.5", [USER | {"content": [{"type": "text", "text": "Hi"}]}], {}, "plain text"),
    ("qwen2.5", [USER | {"content": None}], {}, "plain text"),
    ("qwen3.5", [{"role": "system", "content": "x"}], {}, "a user message that asks"),
    ("qwen3.5", [USER, {"role": "system", "content": "x"}], {}, "only at the beginning"),
    ("qwen3.5", [USER, {"role": "ipython", "content": "x"}], {}, "knows the roles"),
    ("qwen3.5", [USER, calls('{"a": 1}')], {}, "must be an object"),
    ("qwen3.5", [{"role": "system", "content": [{"type": "image"}]}, USER], {}, "no pictures"),
    ("qwen3.5", [USER | {"content": [{"type": "audio"}]}], {}, "text, image or video"),
    ("qwen3.5", [USER, tool({"a": 1})], {}, "a text or a list of parts"),
]
GENERATION = {
    "llama-3.1": "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "qwen2.5": "<|im_start|>assistant\n",
    "qwen3.5": "<|im_start|>assistant\n<think>\n\n</think>\n\n",
}


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])
@pytest.mark.parametrize("model", TEMPLATES)
def test_golden_renderings_are_equal_byte_for_byte(case, model):
    options = {"tools": case.get("tools"), "date": case.get("date_string")}
    options |= {"enable_thinking": case.get("enable_thinking"), "add_generation_prompt": case["add_generation_prompt"]}
    assert render(case["messages"], model, **options).text == case["expected"][model]["text"]


@pytest.mark.parametrize("name", CASES)
def test_renderings_written_out_by_hand(name):
    model, messages, options, expected = CASES[name]
    assert render(messages, model, add_generation_prompt=False, **options).text == expected
    assert render(messages, model, **options).text == expected + GENERATION[model]


@pytest.mark.parametrize(("model", "messages", "options", "sentence"), REFUSED)
def test_what_the_official_template_refuses_is_a_problem_in_two_languages(model, messages, options, sentence):
    with pytest.raises(Problem, match=sentence) as caught:
        render(messages, model, **options)
    assert caught.value.zh != str(caught.value)


def test_thinking_is_off_unless_it_is_asked_for():
    closed, opened = "<think>\n\n</think>\n\n", "<think>\n"
    for asked, end in ((None, closed), (False, closed), (True, opened)):
        assert render([USER], "qwen3.5", enable_thinking=asked).text == f"{QWEN_HI}<|im_start|>assistant\n{end}"


def test_the_older_names_of_thoughts_mean_the_same():
    answers = [
        {"role": "assistant", "content": "b", name: "a"} for name in ("reasoning_content", "reasoning", "thinking")
    ]
    texts = {render([USER, answer], "qwen3.5").text for answer in answers}
    assert len(texts) == 1
    assert "<think>\na\n</think>\n\nb" in texts.pop()


@given(
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=6),
    model=st.sampled_from(list(TEMPLATES)),
    system=st.booleans(),
    asked=st.booleans(),
)
def test_segments_are_the_prompt_and_hold_each_content_as_the_model_gets_it(texts, model, system, asked):
    roles = (["system"] if system and len(texts) > 1 else []) + ["user", "assistant"] * len(texts)
    messages = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
    messages = [m for m in messages if "</think>" not in m["content"] and "<tool_response>" not in m["content"]]
    if not any(m["role"] == "user" for m in messages):
        return
    rendered = render(messages, model, add_generation_prompt=asked)
    assert "".join(segment.text for segment in rendered.segments) == rendered.text
    for segment in rendered.segments:
        assert segment.text
        assert segment.kind in (MESSAGE_KINDS if segment.message is not None else ADDED_KINDS)
    for i, message in enumerate(messages):
        written = "".join(s.text for s in rendered.segments if (s.kind, s.message) == ("content", i))
        assert written == (message["content"] if model == "qwen2.5" else message["content"].strip())
    assert rendered.text.endswith(GENERATION[model]) or not asked
