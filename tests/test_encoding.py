"""Tokens know their bytes and their place: checked character by character against the text."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib.catalog import MODELS
from demo_lib.encoding import byte_letters, check_text, is_whole
from demo_lib.problems import Problem
from demo_lib.vocab import open_vocab

from . import authorities, texts


@given(st.binary(max_size=6) | st.text().map(str.encode))
def test_is_whole(data):
    assert is_whole(data) == (data.decode(errors="ignore").encode() == data)


def test_byte_letters_are_gpt2s():
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    assert byte_letters() == {letter: byte for byte, letter in bytes_to_unicode().items()}


def test_check_text():
    assert check_text("") == ""
    assert check_text("a𠮷\0\ufffe") == "a𠮷\0\ufffe"
    with pytest.raises(Problem, match=r"Character 1,235 of the text is U\+DC00, half of a surrogate pair") as caught:
        check_text("年" * 1234 + "\udc00\ud800")
    assert "第 1,235 个字符是 U+DC00" in caught.value.zh
    for other in (None, 5, b"a", ["a"]):
        with pytest.raises(Problem, match="must be a string"):
            check_text(other)


def places(text: str, data: list[bytes]) -> list[tuple[int, int, int, int]]:
    """(start, end, byte_start, byte_end) of tokens that together are the text: each byte knows its character."""
    character = [i for i, char in enumerate(text) for _ in char.encode()]
    rows, at = [], 0
    for piece in data:
        rows.append((character[at], character[at + len(piece) - 1] + 1, at, at + len(piece)))
        at += len(piece)
    return rows


def place(token) -> tuple[int, int, int, int]:
    return token.start, token.end, token.byte_start, token.byte_end


@settings(max_examples=100)
@given(texts.texts, st.booleans())
@pytest.mark.parametrize("key", MODELS)
def test_places_in_a_text_that_is_read_as_it_is(key, text, special):
    text = authorities.normalize(key, text)
    encoding = open_vocab(key).encode(text, parse_special=special)
    data = [token.data for token in encoding.tokens]
    if encoding.normalized == text:  # a special token can part what NFC would compose
        assert b"".join(data) == text.encode()
        assert [place(token) for token in encoding.tokens] == places(text, data)
    assert encoding.text == text


@settings(max_examples=100)
@given(texts.texts, st.booleans())
@pytest.mark.parametrize("key", ["qwen2.5", "qwen3.5"])
def test_places_in_a_text_that_nfc_changes(key, text, special):
    tokens = open_vocab(key).encode(text, parse_special=special).tokens
    size = [len(char.encode()) for char in text]
    covered = set()
    for token in tokens:
        assert token.start < token.end
        covered.update(range(token.start, token.end))
        typed = text[token.start : token.end]
        assert sum(size[: token.start]) <= token.byte_start < token.byte_end <= sum(size[: token.end])
        if text.encode()[token.byte_start : token.byte_end] != token.data:
            assert unicodedata.normalize("NFC", typed) != typed
            assert (token.byte_start, token.byte_end) == (sum(size[: token.start]), sum(size[: token.end]))
    assert covered == set(range(len(text)))
    assert all(a.start <= b.start and a.end <= b.end and a.byte_start <= b.byte_start for a, b in pairwise(tokens))


@settings(max_examples=100)
@given(texts.texts, st.booleans())
@pytest.mark.parametrize("key", MODELS)
def test_what_a_token_knows_of_itself(key, text, special):
    vocab = open_vocab(key)
    encoding = vocab.encode(text, parse_special=special)
    marks = set(vocab.special_tokens().values())
    for token in encoding.tokens:
        assert token.special == (token.id in marks) == (token.pre_token == -1)
        assert token.special or token.data == authorities.entries(key)[token.id]
        assert token.whole == (token.data.decode(errors="ignore").encode() == token.data)
    assert encoding.ids == [token.id for token in encoding.tokens]
    assert special or not any(token.special for token in encoding.tokens)


@settings(max_examples=100)
@given(texts.texts)
@pytest.mark.parametrize("key", MODELS)
def test_normalized(key, text):
    vocab = open_vocab(key)
    assert vocab.encode(text, parse_special=False).normalized == authorities.normalize(key, text)
    special = vocab.special_tokens()
    parts = authorities.parts(key, text, special)
    expected = "".join(part if part in special else authorities.normalize(key, part) for part in parts)
    assert vocab.encode(text).normalized == expected


@settings(max_examples=100)
@given(texts.texts)
@pytest.mark.parametrize("key", MODELS)
def test_pre_tokens_are_the_librarys(key, text):
    from tokenizers import Tokenizer

    vocab = open_vocab(key)
    library: Tokenizer = vocab._tokenizer
    encoding = vocab.encode(text, parse_special=False)
    pieces = library.pre_tokenizer.pre_tokenize_str(authorities.normalize(key, text))
    expected = [(bytes(byte_letters()[letter] for letter in piece).decode(), *span) for piece, span in pieces]
    assert [(pre.text, pre.start, pre.end) for pre in encoding.pre_tokens] == expected
    for i, pre in enumerate(encoding.pre_tokens):
        assert b"".join(token.data for token in encoding.tokens if token.pre_token == i) == pre.text.encode()
    for pre in (special := vocab.encode(text)).pre_tokens:
        assert special.normalized[pre.start : pre.end] == pre.text


def test_the_lessons_places():
    tokens = open_vocab("llama-3.1").encode("a钉<|eot_id|>").tokens
    assert [(t.data.hex(), *place(t), t.pre_token, t.special, t.whole) for t in tokens] == [
        ("61", 0, 1, 0, 1, 0, False, True),
        ("e992", 1, 2, 1, 3, 0, False, False),
        ("89", 1, 2, 3, 4, 0, False, False),
        (b"<|eot_id|>".hex(), 2, 12, 4, 14, -1, True, True),
    ]
    (token,) = open_vocab("qwen2.5").encode("e\u0301").tokens
    assert (token.data.decode(), *place(token)) == ("é", 0, 2, 0, 3)


def test_begin_of_text_has_no_place():
    encoding = open_vocab("llama-3.1").encode("Hi", add_special_tokens=True)
    assert encoding.ids == [128000, 13347]
    assert place(encoding.tokens[0]) == (0, 0, 0, 0)
    assert encoding.tokens[0].special
    assert (encoding.normalized, encoding.pre_tokens[0].text, encoding.tokens[1].pre_token) == ("Hi", "Hi", 0)
    assert open_vocab("qwen2.5").encode("Hi", add_special_tokens=True).ids == [13048]
