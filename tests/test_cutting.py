"""How a text was cut: which alternative of the pattern made each pre-token, and the one that was clicked."""

import re
import unicodedata

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib.catalog import MODELS
from demo_lib.cutting import LONGEST, alternatives, cut
from demo_lib.vocab import open_vocab

from . import texts


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        ("I'LL go", {"I": "letters", "'LL": "contraction", " go": "letters"}),
        ("年假怎么申请？", {"年假怎么申请": "letters", "？": "punctuation"}),
        ("(2026)\n", {"(": "punctuation", "202": "digits", "6": "digits", ")\n": "punctuation"}),
        (
            "a  b \r\n\n c",
            {"a": "letters", " ": "spaces_before", " b": "letters", " \r\n\n": "newlines", " c": "letters"},
        ),
        ("1 2", {"1": "digits", " ": "spaces", "2": "digits"}),
        ("x\t", {"x": "letters", "\t": "spaces_before"}),
        ("a\t<|eot_id|>b", {"a": "letters", "\t": "spaces_before", "b": "letters"}),
    ],
)
def test_named_by_hand(text, cuts):
    encoding = open_vocab("llama-3.1").encode(text)
    assert [pre.text for pre in encoding.pre_tokens] == list(cuts)
    assert alternatives(encoding, "llama-3.1") == list(cuts.values())


def test_where_the_models_differ():
    def pieces(key, text):
        encoding = open_vocab(key).encode(text)
        return [*zip((pre.text for pre in encoding.pre_tokens), alternatives(encoding, key), strict=True)]

    assert pieces("llama-3.1", "2026") == [("202", "digits"), ("6", "digits")]
    assert pieces("qwen2.5", "2026") == [(digit, "digit") for digit in "2026"]
    # Thai writes its vowels as marks, which only Qwen3.5's pattern counts among the letters
    assert pieces("qwen3.5", "นี่") == [("นี่", "letters")]
    assert pieces("qwen2.5", "นี่") == [("น", "letters"), ("ี่", "punctuation")]


def first_that_matches(pattern, part: str) -> list[tuple[str, str]]:
    """(piece, alternative) of a text without special tokens: at each place the first alternative that matches."""
    rows, at = [], 0
    while at < len(part):
        found = ((one.name, regex.compile(one.regex).match(part, at)) for one in pattern)
        name, match = next((name, match) for name, match in found if match)
        rows.append((match[0], name))
        at = match.end()
    return rows


@settings(max_examples=100)
@given(texts.texts.filter(lambda text: all(unicodedata.category(char) != "Cn" for char in text)))
@pytest.mark.parametrize("key", MODELS)
def test_named_as_the_pattern_is_read(key, text):
    """Of characters newer than Python's tables, the regex package and the tokenizers library may think differently."""
    vocab, pattern = open_vocab(key), MODELS[key].tokenizer.pattern
    encoding = vocab.encode(text)
    parts = re.split("|".join(map(re.escape, vocab.special_tokens())), encoding.normalized)
    expected = [row for part in parts for row in first_that_matches(pattern, part)]
    assert [*zip((pre.text for pre in encoding.pre_tokens), alternatives(encoding, key), strict=True)] == expected


@settings(max_examples=100)
@given(texts.texts.filter(bool), st.data())
@pytest.mark.parametrize("key", ["llama-3.1", "qwen2.5"])
def test_the_pre_token_at_a_byte(key, text, data):
    encoding = open_vocab(key).encode(text)
    byte = data.draw(st.integers(0, len(text.encode()) + 5))
    done = cut(encoding, key, byte)
    if not encoding.pre_tokens:
        assert done is None
        return
    assert done.pre_tokens == tuple(pre.text for pre in encoding.pre_tokens)
    of = {i: [token for token in encoding.tokens if token.pre_token == i] for i in range(len(done.pre_tokens))}
    assert done.starts == tuple(tokens[0].byte_start for tokens in of.values())
    ends = [tokens[-1].byte_end for tokens in of.values()]
    assert done.index == min([i for i, end in enumerate(ends) if end > byte], default=len(ends) - 1)
    assert done.alternative == alternatives(encoding, key)[done.index]
    assert done.trace.text == done.pre_tokens[done.index]
    assert done.trace.ids == tuple(token.id for token in of[done.index])
    assert (done.model, done.label, done.pattern) == (key, MODELS[key].label, MODELS[key].tokenizer.pattern)


def test_nothing_to_cut():
    assert cut(open_vocab("qwen2.5").encode(""), "qwen2.5") is None
    assert cut(open_vocab("qwen2.5").encode("<|im_end|>"), "qwen2.5") is None


def test_long_pre_tokens_are_not_traced():
    vocab = open_vocab("qwen2.5")
    assert cut(vocab.encode("年" * (LONGEST // 3)), "qwen2.5").trace.ids == tuple(
        vocab.encode("年" * (LONGEST // 3)).ids
    )
    assert cut(vocab.encode("年" * (LONGEST // 3) + "a"), "qwen2.5").trace is None
    assert cut(vocab.encode("ab"), "qwen2.5", longest=1).trace is None


def test_a_model_whose_pattern_is_not_known():
    encoding = open_vocab("qwen2.5").encode("a 1")
    assert alternatives(encoding, "org/name") == [None] * 3
