"""A whole vocabulary at once: all bytes, many texts, merging alone; the same from a child process."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib.catalog import MODELS
from demo_lib.problems import Problem
from demo_lib.sandbox import OutsideVocab
from demo_lib.vocab import Vocab, open_vocab

from . import authorities, hostile, texts
from .test_vocab import small


@pytest.mark.parametrize("key", MODELS)
def test_all_bytes(key):
    special = [token.encode() for token in MODELS[key].tokenizer.special_tokens]
    assert open_vocab(key).all_bytes() == authorities.entries(key) + special


@pytest.mark.parametrize("kind", ["BPE", "Unigram", "WordPiece", "WordLevel"])
def test_all_bytes_of_other_kinds_here_and_in_a_child(kind):
    data = hostile.trained(kind)
    one_by_one, at_once, child = Vocab.from_json(data, "a", "A"), Vocab.from_json(data, "b", "B"), None
    wanted = [one_by_one.token_bytes(id) for id in one_by_one.ids()]
    assert at_once.all_bytes() == wanted
    child = OutsideVocab(data, "c", "C")
    assert child.all_bytes() == wanted
    words = ["the quick", "请5天年假", "", "hugs bun"]
    assert child.encode_all(words) == at_once.encode_all(words) == [at_once.encode(word).ids for word in words]
    assert child.merged([b"the", b"\xe9\x92"]) == at_once.merged([b"the", b"\xe9\x92"])
    child.close()


def test_a_name_that_spells_no_bytes():
    """An entry with a letter that stands for no byte is taken as it is written."""
    from tokenizers import decoders, models, pre_tokenizers

    names = {letter: id for id, letter in enumerate(pre_tokenizers.ByteLevel.alphabet())} | {" x": 256, "年": 257}
    vocab = small(models.BPE(names, []), pre_tokenizer=pre_tokenizers.ByteLevel(), decoder=decoders.ByteLevel())
    assert vocab.all_bytes()[256:] == [b" x", "年".encode()]


@settings(max_examples=60)
@given(st.lists(texts.texts, max_size=5))
@pytest.mark.parametrize("key", MODELS)
def test_many_texts_at_once(key, many):
    assert open_vocab(key).encode_all(many) == [authorities.ids(key, text) for text in many]


def test_half_a_surrogate_pair_among_many():
    with pytest.raises(Problem, match="half of a surrogate pair"):
        open_vocab("qwen2.5").encode_all(["a", "\udc80"])


@settings(max_examples=150)
@given(st.binary(max_size=12) | st.text(max_size=6).map(str.encode))
@pytest.mark.parametrize("key", MODELS)
def test_merging_alone(key, data):
    """tiktoken does the same for a single piece."""
    (trace,) = open_vocab(key).merged([data])
    if data and data not in authorities.ranks(key):  # tiktoken takes an entry as it is, and panics where nothing is
        assert list(trace.ids) == authorities.tiktoken_of(key)._encode_single_piece(data)
    pieces = list(trace.start)
    for merge in trace.merges or ():
        at = [sum(map(len, pieces[:i])) for i in range(len(pieces))].index(merge.at)
        assert (pieces[at], pieces[at + 1]) == (merge.left, merge.right)
        pieces[at : at + 2] = [merge.left + merge.right]
    assert b"".join(pieces) == data
    assert [authorities.ranks(key)[piece] for piece in pieces] == list(trace.ids)
