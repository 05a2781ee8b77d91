"""What a conversation must look like, and that hostile ones end in a sentence, fast."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib.conversations import MAX_CHARACTERS, MAX_MESSAGES, check_messages, check_tools
from demo_lib.problems import Problem

USER = {"role": "user", "content": "Hi"}


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def circular():
    value = {}
    value["again"] = [value, value, value]
    return value


def call(**function):
    return [{"role": "assistant", "tool_calls": [{"function": function}]}]


REFUSED = {
    "not a list": {"role": "user", "content": "Hi"},
    "none": None,
    "a number": 5,
    "no messages": [],
    "bad json": "[{",
    "json of something else": '"Hi"',
    "json without end": "[" * 100_000,
    "a number of a million digits": '[{"role": "user", "content": "Hi", "n": ' + "9" * 150_000 + "}]",
    "too much json": " " * 300_000,
    "message not an object": [USER, "Hi"],
    "role missing": [{"content": "Hi"}],
    "role no text": [{"role": 5, "content": "Hi"}],
    "role empty": [{"role": "", "content": "Hi"}],
    "role long": [{"role": "r" * 65, "content": "Hi"}],
    "role half a pair": [{"role": "\ud800", "content": "Hi"}],
    "content a number": [{"role": "user", "content": 5}],
    "content an object": [{"role": "user", "content": {"text": "Hi"}}],
    "part not an object": [{"role": "user", "content": ["Hi"]}],
    "part whose text is none": [{"role": "tool", "content": [{"type": "text", "text": None}]}],
    "half a pair": [{"role": "user", "content": "a\ud83d"}],
    "half a pair in json": '[{"role": "user", "content": "\\ud83d"}]',
    "half a pair in a key": call(name="f", arguments={"\udc00": 1}),
    "too many messages": [USER] * (MAX_MESSAGES + 1),
    "too long": [{"role": "user", "content": "a" * MAX_CHARACTERS}, USER],
    "long key": [USER | {"k" * (MAX_CHARACTERS + 1): 1}],
    "calls not a list": [{"role": "assistant", "tool_calls": {}}],
    "call not an object": [{"role": "assistant", "tool_calls": ["f"]}],
    "call without name": call(arguments={}),
    "call whose function is none": [{"role": "assistant", "tool_calls": [{"function": None}]}],
    "deep": call(name="f", arguments=nested(5000)),
    "circular": call(name="f", arguments=circular()),
    "many values": call(name="f", arguments=[0] * 10**6),
    "huge number": call(name="f", arguments=10**50_000),
    "not json": call(name="f", arguments={1, 2}),
    "key no text": call(name="f", arguments={1: 2}),
}
REFUSED_TOOLS = {
    "an object": {"name": "f"},
    "a number": 5,
    "texts": ["f"],
    "bad json": "[{]",
    "json of an object": '{"name": "f"}',
    "deep": [{"f": nested(1000)}],
    "deep json": '[{"f": ' + "[" * 90_000 + "]" * 90_000 + "}]",
    "too long": [{"name": "f", "description": "d" * MAX_CHARACTERS}],
    "half a pair": [{"name": "\ud800"}],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_conversation_is_refused_in_two_languages(name):
    start = time.perf_counter()
    with pytest.raises(Problem) as caught:
        check_messages(REFUSED[name])
    assert time.perf_counter() - start < 2
    assert caught.value.zh != str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", REFUSED_TOOLS)
def test_what_is_no_list_of_tools_is_refused(name):
    with pytest.raises(Problem) as caught:
        check_tools(REFUSED_TOOLS[name])
    assert caught.value.zh != str(caught.value)


def test_a_sentence_says_which_message_it_is_about():
    with pytest.raises(Problem, match=r"^Message 2 needs a role") as caught:
        check_messages([USER, {"content": "Hi"}])
    assert caught.value.zh.startswith("第 2 条消息")
    with pytest.raises(Problem, match="line 2"):
        check_messages('[{"role": "user",\n content: "Hi"}]')


def test_the_limits_themselves_are_allowed():
    assert check_messages([{"role": "user", "content": "年" * MAX_CHARACTERS}])
    assert len(check_messages([USER] * MAX_MESSAGES)) == MAX_MESSAGES
    assert check_tools([{"description": "d" * (MAX_CHARACTERS - len("description"))}])


def test_json_text_means_what_it_says_and_copies_are_copies():
    messages = [USER, {"role": "assistant", "tool_calls": [{"name": "f", "arguments": {"a": [1.5, None, True]}}]}]
    assert check_messages(json.dumps(messages)) == check_messages(messages) == messages
    copy = check_messages(messages)
    copy[1]["tool_calls"][0]["arguments"]["a"].append(2)
    assert messages[1]["tool_calls"][0]["arguments"]["a"] == [1.5, None, True]
    assert check_tools(None) is check_tools(" \n") is None
    assert check_tools("[]") == []
    assert check_tools('[{"name": "f"}]') == [{"name": "f"}]


def test_keys_without_a_value_are_left_out_and_thoughts_have_one_name():
    assert check_messages([USER | {"tool_calls": None, "name": None}]) == [USER]
    (message,) = check_messages([{"role": "assistant", "content": "b", "reasoning": "a"}])
    assert message["reasoning_content"] == message["reasoning"] == "a"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
)
KEYS = st.sampled_from(["role", "content", "tool_calls", "reasoning_content", "other"])


@given(JSON | st.lists(st.dictionaries(KEYS, JSON | st.sampled_from(["user", "tool"]), max_size=5), max_size=4))
def test_any_json_is_a_conversation_or_a_problem(value):
    try:
        messages = check_messages(value)
    except Problem:
        return
    assert all(isinstance(message["role"], str) for message in messages)
