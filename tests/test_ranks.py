"""Ranked byte strings: read as tiktoken reads them, merged as transformers' converter has it, with tiktoken's ids."""

import base64
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib import ranks, sources
from demo_lib.catalog import MODELS, Alternative, Model, RankedTokenizer
from demo_lib.encoding import byte_letters
from demo_lib.problems import Problem
from demo_lib.vocab import Vocab, open_vocab

from . import authorities, texts

BYTES = [bytes([byte]) for byte in range(256)]
# any byte strings over few letters, so that many are made of others, some in several ways and some in none
rank_sets = st.lists(st.text("abé", min_size=2, max_size=5).map(str.encode), unique=True, max_size=30)


def tiktoken_file(ranked: list[bytes]) -> bytes:
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(ranked))


@pytest.mark.parametrize("key", MODELS)
def test_reads_the_packages_files(key):
    data = authorities.path(key, MODELS[key].tokenizer.path).read_bytes()
    assert ranks.read_ranks(data) == authorities.entries(key)


@given(st.lists(st.binary(min_size=1), unique=True), st.randoms())
def test_reads_in_order_of_rank(ranked, order):
    lines = tiktoken_file(ranked).splitlines(keepends=True)
    order.shuffle(lines)
    assert ranks.read_ranks(b"\n".join(lines)) == ranked


DAMAGED = [
    b"IQ==",
    b"IQ== x",
    b"IQ== 1",
    b"IQ== 0\nIg== 2",
    b"IQ== 0\nIg== 0",
    b"I 0",
    b"I!Q== 0",
    b"IQ== 0 0",
    b"\xff 0",
]


@pytest.mark.parametrize("data", DAMAGED, ids=ascii)
def test_damaged_file(data):
    with pytest.raises(Problem, match="damaged: install"):
        ranks.read_ranks(data)


@settings(max_examples=50)
@given(rank_sets)
def test_merges_as_transformers_converts_them(some):
    from transformers.convert_slow_tokenizer import TikTokenConverter

    with pytest.MonkeyPatch.context() as patch:
        rank = {token: i for i, token in enumerate(BYTES + some)}
        patch.setattr(TikTokenConverter, "load_tiktoken_bpe", staticmethod(lambda _: rank))
        _, expected = TikTokenConverter().extract_vocab_merges_from_model("small")
    letter = {byte: letter for letter, byte in byte_letters().items()}
    ours = [tuple("".join(letter[byte] for byte in part) for part in pair) for pair in ranks.merges(BYTES + some)]
    assert ours == expected


def test_llama_has_as_many_merges_as_the_official_file():
    assert len(ranks.merges(list(authorities.ranks("llama-3.1")))) == 280_147


@settings(max_examples=100)
@given(rank_sets, st.data())
def test_small_vocabularies_give_tiktokens_ids(some, data):
    """tiktoken, too, takes a pre-token that is an entry as it is, whether or not merging leads there."""
    import tiktoken

    words = st.sampled_from([*"abé1", " ", " ", *(token.decode() for token in some)])
    text = data.draw(st.lists(words, max_size=20).map("".join))
    ranked = BYTES + some
    spec = RankedTokenizer("none", "none", "", (Alternative("letters", r"\w+"), Alternative("rest", r"\W+")), ("<s>",))
    spec = RankedTokenizer(**vars(spec) | {"ignore_merges": True})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "package_file", lambda *_: tiktoken_file(ranked))
        vocab = Vocab.from_json(ranks.build(Model("small", "Small", "a/b", "none", 300, spec)), "small", "Small")
    rank = {token: i for i, token in enumerate(ranked)}
    official = tiktoken.Encoding("small", pat_str=r"\w+|\W+", mergeable_ranks=rank, special_tokens={})
    assert vocab.encode(text).ids == official.encode_ordinary(text)
    assert vocab.special_tokens() == {"<s>": len(ranked)}


@settings(max_examples=100)
@given(texts.texts)
@pytest.mark.parametrize("key", MODELS)
def test_ids_are_tiktokens(key, text):
    vocab = open_vocab(key)
    assert vocab.encode(text).ids == authorities.ids(key, text, vocab.special_tokens())
    assert vocab.encode(text, parse_special=False).ids == authorities.ids(key, text)


@pytest.mark.parametrize("key", MODELS)
def test_ids_are_tiktokens_for_every_script(key):
    """One character of each 256 of Unicode, among letters, digits and spaces; another one in each run."""
    vocab = open_vocab(key)
    codes = (code + random.randrange(256) for code in range(0, 0x110000, 256))
    chars = [chr(code) for code in codes if not 0xD800 <= code < 0xE000]
    for i in range(0, len(chars), 200):
        text = "".join(f"a{char}b {char}1{char}\n" for char in chars[i : i + 200])
        assert vocab.encode(text, parse_special=False).ids == authorities.ids(key, text)
