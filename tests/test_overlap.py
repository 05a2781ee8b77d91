"""Two vocabularies: against sets of Python, and tiktoken's tokens of a text."""

import itertools

import pytest
from hypothesis import given, settings

from demo_lib.catalog import MODELS
from demo_lib.entries import entries_of, open_entries
from demo_lib.overlap import held, overlap
from demo_lib.scripts import KINDS
from demo_lib.vocab import Vocab

from . import authorities, hostile, texts

PAIRS = list(itertools.permutations(MODELS, 2))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_counts(a, b):
    first, second = open_entries(a), open_entries(b)
    found = overlap(first, second)
    mine, yours = authorities.ranks(a), authorities.ranks(b)
    assert found.both == len(mine.keys() & yours.keys())
    assert found.only_a == len(mine.keys() - yours.keys())
    assert found.only_b == len(yours.keys() - mine.keys())
    wanted = [yours.get(data, -1) for data in authorities.entries(a)]
    assert found.other.tolist() == wanted + [-1] * len(MODELS[a].tokenizer.special_tokens)
    assert [sum(column) for column in list(zip(*found.kinds, strict=True))[1:]] == [
        found.both,
        found.only_a,
        found.only_b,
    ]
    for kind, both, only_a, _ in found.kinds:
        here = [data for data, k in zip(first.data, first.kind, strict=True) if KINDS[k] == kind]
        assert (both, both + only_a) == (sum(data in yours for data in here), len(here))


def test_a_vocabulary_and_itself():
    one = open_entries("qwen2.5")
    found = overlap(one, one)
    assert (found.both, found.only_a, found.only_b) == (151_643, 0, 0)


def test_a_byte_string_twice_counts_once():
    decoder = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": False}
    one, two = (
        entries_of(
            Vocab.from_json(hostile.tokenizer_json(model=hostile.bpe(vocab=vocab), decoder=decoder), "made", "Made")
        )
        for vocab in ({"a": 0, "▁": 1, " ": 2}, {" ": 5, "b": 6})
    )
    found = overlap(one, two)
    assert (found.both, found.only_a, found.only_b) == (1, 1, 1)
    assert found.other.tolist() == [-1, 5, 5]


@settings(max_examples=60)
@given(texts.texts)
@pytest.mark.parametrize(("a", "b"), PAIRS[:3])
def test_a_text_in_both(a, b, text):
    found = held(text, open_entries(a), open_entries(b))
    ids = authorities.ids(a, text)
    data = [authorities.entries(a)[id] for id in ids]
    assert [(id, piece) for id, piece, _ in found.pieces] == list(zip(ids, data, strict=True))
    assert [other for *_, other in found.pieces] == [authorities.ranks(b).get(piece) for piece in data]
    assert found.tokens == len(ids)
    assert found.held == sum(piece in authorities.ranks(b) for piece in data)
    lacking = {id: times for id, _, times in found.lacking}
    assert lacking == {
        id: ids.count(id) for id, piece in zip(ids, data, strict=True) if piece not in authorities.ranks(b)
    }
    assert list(lacking.values()) == sorted(lacking.values(), reverse=True)


def test_by_hand():
    """Llama 3.1 cuts 2026 into 202 and 6, and Qwen2.5, which has no number of three digits, has the 6 only."""
    found = held("2026", open_entries("llama-3.1"), open_entries("qwen2.5"))
    assert (found.tokens, found.held) == (2, 1)
    assert found.lacking == ((2366, b"202", 1),)
    back = held("2026", open_entries("qwen2.5"), open_entries("llama-3.1"))
    assert (back.tokens, back.held, back.lacking) == (4, 4, ())
