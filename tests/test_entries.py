"""A vocabulary as arrays: against the packages' own files, one token at a time."""

import pytest

from demo_lib.catalog import MODELS
from demo_lib.entries import entries_of, open_entries
from demo_lib.problems import Problem, Waiting
from demo_lib.scripts import KINDS
from demo_lib.vocab import Vocab, open_vocab

from . import authorities, hostile
from .test_scripts import slow


@pytest.mark.parametrize("key", MODELS)
def test_each_token(key):
    one, plain = open_entries(key), authorities.entries(key)
    special = [token.encode() for token in MODELS[key].tokenizer.special_tokens]
    assert list(one.data) == plain + special
    assert one.ids.tolist() == list(range(len(plain) + len(special)))
    assert one.special.tolist() == [False] * len(plain) + [True] * len(special)
    for i, data in enumerate(plain):
        try:
            characters = len(data.decode())
        except UnicodeDecodeError:
            characters = -1
        assert (one.size[i], one.characters[i], one.spaced[i]) == (len(data), characters, data[:1] == b" ")
        assert (KINDS[one.kind[i]] == "bytes") == (characters < 0)
    assert one.place == {data: i for i, data in enumerate(plain)}
    assert one.place_of(len(plain)) == len(plain)
    assert one.place_of(10**6) is None
    assert sorted(range(len(one)), key=lambda i: one.order[i]) == sorted(range(len(one)), key=lambda i: one.data[i])


@pytest.mark.parametrize("key", MODELS)
def test_the_script_of_tokens_by_the_names_of_their_characters(key):
    """Every 17th token; symbols with a script (㍍, ㉰) say it otherwise."""
    one, wrong = open_entries(key), []
    for i in range(0, len(one), 17):
        text, kind = one.texts[i], KINDS[one.kind[i]]
        if kind not in ("bytes", "special") and kind != slow(text):
            wrong.append(text)
    assert len(wrong) < len(one) / 17 / 500, wrong


@pytest.mark.parametrize("kind", ["BPE", "Unigram", "WordPiece", "WordLevel"])
def test_other_kinds(kind):
    vocab = Vocab.from_json(hostile.trained(kind), "made", "Made")
    one = entries_of(vocab)
    assert list(one.data) == [vocab.token_bytes(id) for id in vocab.ids()]
    assert set(one.ids[one.special].tolist()) == set(vocab.special_tokens().values())


def test_ids_with_holes_and_entries_with_the_same_bytes():
    vocab = hostile.bpe(vocab={"a": 3, "b": 7, "▁": 9, " ": 12})
    decoder = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": False}
    data = hostile.tokenizer_json(model=vocab, decoder=decoder)
    one = entries_of(Vocab.from_json(data, "made", "Made"))
    assert one.ids.tolist() == [3, 7, 9, 12]
    assert one.data == (b"a", b"b", b" ", b" ")
    assert one.place == {b"a": 0, b"b": 1, b" ": 2}
    assert (one.place_of(9), one.place_of(8)) == (2, None)


def test_opened_once_and_shared():
    assert open_entries("qwen2.5") is open_entries(" Qwen2.5 ")
    with pytest.raises(Waiting):
        open_entries("org/never-asked-for", wait=False)
    for model in ("", None, 5, "gpt-7"):
        with pytest.raises(Problem):
            open_entries(model)
    assert open_vocab("qwen2.5").label == open_entries("qwen2.5").label
