"""Tokenizers from the vocabularies in GGUF files: small ones here, the real ones in test_wheel_tables.py."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models
from transformers.tokenization_utils_base import generate_merges

from demo_lib import gguf, gguf_tokenizer
from demo_lib.vocab import Vocab

from . import made_gguf, texts


@pytest.fixture(scope="module")
def vocab(tmp_path_factory) -> Vocab:
    path = tmp_path_factory.mktemp("gguf") / "x.gguf"
    path.write_bytes(made_gguf.gguf(made_gguf.sentencepiece_facts(), []))
    return Vocab.from_json(gguf_tokenizer.build(gguf.read(path)[0]), "made", "Made")


def id_of(name: str) -> int:
    return made_gguf.TOKENS.index(name)


def test_pieces_bytes_and_special_tokens(vocab):
    assert vocab.size() == len(made_gguf.TOKENS)
    assert vocab.special_tokens() == {"<unk>": 0, "<bos>": 1, "<pad>": 2}
    assert vocab.encode("今天").ids == [id_of("今天")]
    assert vocab.encode(" ab").ids == [id_of("▁ab")]
    assert vocab.encode("钉").ids == [id_of(f"<0x{byte:02X}>") for byte in "钉".encode()]
    assert vocab.encode("a<bos>b").ids == [id_of("a"), 1, id_of("b")]
    assert vocab.encode("a\n\nb").ids == [id_of("a"), id_of("\n\n"), id_of("b")]
    assert vocab.encode("a", add_special_tokens=True).ids == [1, id_of("a")]
    assert vocab.token_bytes(id_of("▁ab")) == b" ab"
    assert vocab.token_bytes(id_of("<0xE9>")) == b"\xe9"
    assert vocab.token_bytes(id_of("  ")) == b"  "
    assert vocab.encode("<0x41>").ids[0] == id_of("<0x3C>")  # a byte's name, typed, is text


def spelled(text: str, known: set[str]) -> list[str]:
    """SentencePiece's BPE, slow and obvious: of all neighbours, merge those that make the piece with the lowest id."""
    rank = {name: id for id, name in enumerate(made_gguf.TOKENS)}
    pieces = list(text.replace(" ", "▁"))
    while True:
        pairs = [(rank[a + b], i) for i, (a, b) in enumerate(pairwise(pieces)) if a + b in known]
        if not pairs:
            return pieces
        _, i = min(pairs)
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]


@given(st.text("ab 今天", max_size=30).filter(lambda text: "  " not in text))
def test_merging_is_that_of_sentencepiece(vocab, text):
    known = set(made_gguf.TOKENS)
    assert vocab.encode(text).ids == [id_of(piece) for piece in spelled(text, known)]


@given(texts.texts)
def test_round_trip(vocab, text):
    encoding = vocab.encode(text)
    assert vocab.decode(encoding.ids) == text.replace("▁", " ")  # which the official tokenizer cannot tell apart either
    assert b"".join(token.data for token in encoding.tokens) == text.replace("▁", " ").encode()


@given(st.lists(st.text("ab▁", min_size=2, max_size=6), unique=True, max_size=40), st.text("ab▁", max_size=60))
def test_merges_give_the_ids_that_all_merges_of_transformers_give(longer, text):
    names = [*longer, "a", "b", "▁"]
    every = generate_merges({name: id for id, name in enumerate(names)})
    ours = [tuple(merge.split(" ")) for merge in gguf_tokenizer.merges(names)]
    assert ours == [merge for merge in every if merge in set(ours)]  # in their order, none that they have not
    vocab = {name: id for id, name in enumerate(names)}
    expected, found = (Tokenizer(models.BPE(vocab, pairs)).encode(text).ids for pairs in (every, ours))
    assert found == expected


def test_byte_level():
    letters = [chr(c) for c in range(33, 127)] + ["Ġ"]
    facts = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": ("<|end|>", *letters, "he", "Ġhe", "12"),
        "tokenizer.ggml.token_type": (3, *[1] * (len(letters) + 3)),
        "tokenizer.ggml.merges": ("h e", "Ġ he", "1 2"),
        "tokenizer.ggml.bos_token_id": 0,
    }
    vocab = Vocab.from_json(gguf_tokenizer.build(facts), "made", "Made")
    pieces = [vocab.token_bytes(id) for id in vocab.encode("he he 12<|end|>", add_special_tokens=True).ids]
    assert pieces == [b"he", b" he", b" ", b"1", b"2", b"<|end|>"]  # digits stand alone, whatever the merges say
