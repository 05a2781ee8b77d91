"""Ids to text: ids in every usual form, and the stream."""

import json

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib import tokens
from demo_lib.catalog import MODELS
from demo_lib.problems import Problem
from demo_lib.tokens import check_ids, parse_ids, stream
from demo_lib.vocab import open_vocab

from . import texts


def test_decode():
    part = open_vocab("llama-3.1").encode("钉").ids[0]
    done = tokens.decode([107099, part, 128009], "llama-3.1")
    assert (done.text, done.ids, done.label) == ("假\ufffd<|eot_id|>", (107099, part, 128009), "Llama 3.1")
    assert done.pieces == ("假".encode(), b"\xe9\x92", b"<|eot_id|>")
    assert (done.whole, done.special) == ([True, False, True], (False, False, True))
    with pytest.raises(Problem, match=r"Llama 3\.1 has no token with the id 999999: its vocabulary has 128,256 tokens"):
        tokens.decode([5, 999_999], "llama-3.1")


IDS = [8107, 107099, 104237]


@pytest.mark.parametrize(
    "text",
    [
        "8107 107099 104237",
        "8107,107099,104237",
        " 8107;\t107099 ;\r\n104237\n",
        "8107，107099、104237",
        "[8107, 107099, 104237]",
        "[[8107, 107099, 104237]]",
        "(8107, 107099, 104237)",
        "[8107\n 107099\n 104237]",
        "{8107, 107099, 104237,}",
        "+8107 0107099 104237",
        "torch.tensor([8107, 107099, 104237])",
        "tensor([[  8107, 107099],\n        [104237]], device='cuda:0', dtype=torch.int32)",
        "array([  8107, 107099, 104237], dtype=int64)",
        json.dumps(IDS, indent=2),
        repr(IDS),
        repr(tuple(IDS)),
        repr(numpy.array(IDS)),
        str(numpy.array(IDS)),
        repr(numpy.array(IDS, dtype="uint32")),
        repr(list(numpy.array(IDS))),
    ],
)
def test_ids_in_any_usual_form(text):
    assert parse_ids(text) == IDS


def test_ids_of_torch():
    import torch

    for ids in (torch.tensor(IDS), torch.tensor([IDS]), torch.tensor(IDS, dtype=torch.int32)):
        assert parse_ids(repr(ids)) == IDS
        assert parse_ids(repr(list(ids.flatten()))) == IDS


@given(st.lists(st.integers(-(10**18), 10**18)), st.sampled_from([" ", ",", ", ", "\n", "，", ";"]))
def test_ids_there_and_back(ids, between):
    assert parse_ids(between.join(map(str, ids))) == parse_ids(repr(ids)) == parse_ids(json.dumps(ids)) == ids


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1 2.5", "2.5"),
        ("1e3", "1e3"),
        ("[1., 2.]", "1."),
        ("nan", "nan"),
        ("0x10", "0x10"),
        ("1 - 2", "-"),
        ("--1", "--1"),
        ("年假", "年假"),
        ("٣", "٣"),
        ("True", "True"),
        ("null", "null"),
        ("1_000", "1_000"),
        (str(10**30), "10000000000000000000…"),
        ("x" * 10**6, "x" * 20 + "…"),
    ],
)
def test_what_is_no_id_is_named(text, shown):
    with pytest.raises(Problem) as caught:
        parse_ids(text)
    assert str(caught.value).startswith(f"“{shown}” is no token id")
    assert caught.value.zh.startswith(f"“{shown}”不是 token id")


def test_no_ids_and_too_many():
    assert parse_ids("") == parse_ids(" [ ] \n") == parse_ids("tensor([], dtype=torch.int64)") == []
    assert tokens.decode([], "qwen2.5").text == ""
    assert len(parse_ids("5 " * 100_000)) == len(check_ids([5] * 100_000)) == 100_000
    for call in (lambda: parse_ids("5 " * 100_001), lambda: check_ids([5] * 100_001)):
        with pytest.raises(Problem, match="100,001 ids and the limit is 100,000"):
            call()


def test_ids_of_programs():
    assert check_ids([5, -1, 10**30]) == [5, -1, 10**30]
    assert check_ids("[5, 6]") == [5, 6]
    for ids in (None, 5, [True], ["5"], [5.0], [None], [[5]], {"ids": [5]}, (5,)):
        with pytest.raises(Problem, match="list of whole numbers"):
            check_ids(ids)


# The stream


@settings(max_examples=150)
@given(data=st.data())
@pytest.mark.parametrize("key", MODELS)
def test_stream(key, data):
    """Ids of texts, whole or broken off or torn out of their order."""
    vocab = open_vocab(key)
    ids = vocab.encode(data.draw(texts.texts)).ids
    ids = data.draw(st.just(ids) | st.permutations(ids) | st.lists(st.integers(0, vocab.size() - 1))) if ids else ids
    steps = stream(ids, key)
    assert [step.id for step in steps] == ids
    held = b""
    for i, step in enumerate(steps):
        assert step.data == vocab.token_bytes(step.id)
        assert step.naive == step.data.decode(errors="replace")
        so_far = "".join(step.shown for step in steps[: i + 1]) + step.held.decode(errors="replace")
        assert so_far == vocab.decode(ids[: i + 1])
        held += step.data
        assert step.held in (held, b"")
        held = step.held
        # what is shown ends in a whole character
        assert not step.shown.endswith("\ufffd") or step.data.endswith("\ufffd".encode())


@settings(max_examples=100)
@given(texts.texts.filter(lambda text: "\ufffd" not in text))
@pytest.mark.parametrize("key", MODELS)
def test_stream_of_a_text_never_shows_a_broken_character(key, text):
    encoding = open_vocab(key).encode(text)
    steps, sent = stream(encoding.ids, key), b""
    for step in steps:
        sent += step.data
        assert "\ufffd" not in step.shown
        try:
            sent.decode()
        except UnicodeDecodeError:
            assert step.held
        else:
            assert step.held == b""
    assert "".join(step.shown for step in steps) == encoding.normalized


def test_the_lessons_stream():
    steps = stream(open_vocab("llama-3.1").encode("钉钉").ids, "llama-3.1")
    assert [(step.naive, step.shown, step.held.hex()) for step in steps] == [
        ("\ufffd", "", "e992"),
        ("\ufffd", "钉", ""),
        ("\ufffd", "", "e992"),
        ("\ufffd", "钉", ""),
    ]
    assert [step.naive for step in stream([64, 128009], "llama-3.1")] == ["a", "<|eot_id|>"]
    with pytest.raises(Problem, match="no token with the id -1"):
        stream([64, -1], "llama-3.1")
