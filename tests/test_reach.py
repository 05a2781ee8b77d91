"""Tokens that no text can produce: all short texts of a made tokenizer, and the library's word for the real ones."""

import base64
import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib import catalog, ranks
from demo_lib.entries import entries_of, open_entries
from demo_lib.reach import REASONS, open_reach, reach
from demo_lib.shelf import Shelf
from demo_lib.utf8_parts import beginning, begins, ending, split, texts_around
from demo_lib.vocab import Vocab, open_vocab

from . import authorities, hostile, texts

# Parts of characters


@given(st.text(max_size=4), st.data())
def test_bytes_cut_out_of_a_text_are_a_part_of_one(text, data):
    whole = text.encode()
    start = data.draw(st.integers(0, len(whole)))
    cut = whole[start : data.draw(st.integers(start, len(whole)))]
    tail, middle, head = split(cut)
    assert tail + middle + head == cut
    assert middle.decode().encode() == middle
    assert not head or begins(head)
    for found in texts_around(cut, 5):
        assert cut in found.encode()


@given(st.binary(max_size=6))
def test_bytes_that_no_text_has(data):
    """Where it says so, none of many endings and beginnings makes a text of them."""
    if split(data) is not None:
        return
    befores = [bytes.fromhex(data) for data in ("", "c3", "e1", "e180", "f1", "f180", "f18080", "e0a0", "f090", "f480")]
    afters = [bytes(rest) for n in range(4) for rest in product((0x80, 0x90, 0xA0), repeat=n)]
    for before, after in product(befores, afters):
        with pytest.raises(UnicodeDecodeError):
            (before + data + after).decode()


def test_the_characters_that_bytes_can_belong_to():
    every = [chr(code) for code in range(0x80, 0x110000) if not 0xD800 <= code < 0xE000]
    for head in (b"\xc3", b"\xe9\x92", b"\xed", b"\xf0\x9f", b"\xf4\x8f\xbf", b"\xe0"):
        assert list(ending(head)) == [char for char in every if char.encode().startswith(head)]
    for tail in (b"\x89", b"\x92\x89", b"\x9f\x98\x80"):
        longer = [char for char in every if char.encode().endswith(tail)]
        assert sorted(beginning(tail)) == sorted(longer)
    assert [begins(head) for head in (b"\xc0", b"\xed\xa0", b"\xf5", b"\xe9\x92\x89", b"a", b"")] == [False] * 6


# A made tokenizer, small enough to try all short texts

MERGED = [
    *(b"ab", b" a", b" ab", b"12", b"\n ", b" \n", b"\n\n", b"  ", b"'s", b"'sb", b"a'", b"!\n", b"b!", b"1a", b"!!"),
    *(b"--", b"\xc3\xa9", b"\xcc\x81", b"e\xcc", b"e\xcc\x81", b"\xc3\xa9a", b"\xe9\x92", b"\xe9\x92\x89"),
    *(b"\x89\xe9", b"xyz", b" \xe9", b"\xc4\x80a", b"a\xc4", b"\xcc\x81\xcc"),
]  # fmt: skip
LETTERS = ["a", "b", "e", "x", "y", "z", "1", "2", " ", "\n", "'", "s", "!", "-", "é", "\u0301", "钉", "Ā"]


@pytest.fixture(scope="module", params=["plain", "NFC", "whole"])
def made(request):
    """A tokenizer of the catalog's kind, as the catalog's are built: plain, with NFC, with ignore_merges."""
    ranked = [bytes([byte]) for byte in range(256)] + MERGED
    lines = b"".join(base64.b64encode(data) + f" {rank}\n".encode() for rank, data in enumerate(ranked))
    like = catalog.MODELS["qwen2.5"]
    how = {"special_tokens": ("<|end|>",), "normalizer": "NFC" if request.param == "NFC" else None}
    tokenizer = catalog.RankedTokenizer(
        "made", "made", "made", like.tokenizer.pattern, ignore_merges=request.param == "whole", **how
    )
    key = f"made-{request.param}"
    model = catalog.Model(key, "Made", "made/made", "none", 300, tokenizer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks.sources, "package_file", lambda *_: lines)
        patch.setitem(catalog.MODELS, key, model)
        vocab = Vocab.from_json(ranks.build(model), key, "Made", ranked=True)
        return vocab, reach(entries_of(vocab), vocab)


def test_all_texts_of_up_to_four_letters(made):
    """What any of them gives is not called unreachable; what is called reachable has a text that gives it."""
    vocab, found = made
    assert found.proved
    produced = set()
    for n in (1, 2, 3, 4):
        every = ["".join(text) for text in product(LETTERS, repeat=n)]
        for start in range(0, len(every), 5000):
            produced.update(*vocab.encode_all(every[start : start + 5000]))
    assert len(produced) > 30
    assert not produced & set(found.reasons)
    for id in range(found.asked):
        if id not in found.reasons:
            text = found.witness.get(id) or vocab.token_bytes(id).decode()
            assert id in vocab.encode(text, parse_special=False).ids


def test_the_reasons(made):
    vocab, found = made
    why = {vocab.token_bytes(id): reason for id, reason in found.reasons.items()}
    assert why[b"\xff"] == "bytes"
    assert why[b"12"] == why[b"1a"] == why[b"a'"] == why[b"'sb"] == why[b"b!"] == "pattern"
    assert (why.get(b"xyz") == "merges") == (not vocab.key.endswith("whole"))
    assert why[b"e\xcc\x81"] == ("normal" if vocab.key.endswith("NFC") else "pattern")
    assert b"\n " not in why  # together in white space that ends in a line break
    assert not {b"ab", b" a", b"'s", b"\n\n", b"!\n", b"--", b"\xe9\x92", b"\x89", b"\xc3"} & set(why)
    assert sum(found.count().values()) == len(why)
    assert set(found.count()) == set(REASONS)


def test_a_first_byte_that_is_always_merged_on():
    """With every byte that can follow, merging goes on."""
    ranked = [bytes([byte]) for byte in range(256)] + [bytes([0xC5, byte]) for byte in range(0x80, 0xC0)]
    lines = b"".join(base64.b64encode(data) + f" {rank}\n".encode() for rank, data in enumerate(ranked))
    like = catalog.MODELS["llama-3.1"].tokenizer
    tokenizer = catalog.RankedTokenizer("made", "made", "made", like.pattern, ("<|end|>",))
    model = catalog.Model("made-lead", "Made", "made/made", "none", 400, tokenizer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks.sources, "package_file", lambda *_: lines)
        patch.setitem(catalog.MODELS, "made-lead", model)
        vocab = Vocab.from_json(ranks.build(model), "made-lead", "Made", ranked=True)
        found = reach(entries_of(vocab), vocab)
    assert found.reasons[0xC5] == "beside"
    assert 0xC6 not in found.reasons


# The real ones


@pytest.fixture(scope="module", autouse=True)
def nothing_found_out_yet():
    """What another file of tests found out in this process would come without progress."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("demo_lib.reach._SHELF", Shelf(6))
        yield


@pytest.mark.parametrize(
    ("key", "counts"),
    [
        ("llama-3.1", {"bytes": 13, "merges": 0, "normal": 0, "pattern": 0, "beside": 1, "open": 0}),
        ("qwen2.5", {"bytes": 13, "merges": 0, "normal": 252, "pattern": 1667, "beside": 0, "open": 0}),
        ("qwen3.5", {"bytes": 13, "merges": 201, "normal": 0, "pattern": 2, "beside": 0, "open": 0}),
    ],
)
def test_the_catalog(key, counts):
    """Every token has a text or a proof; tiktoken agrees on the texts, and gives the others for none that is tried."""
    one, seen = open_entries(key), []
    found = open_reach(key, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] > 0.95 * seen[-1][1]
    assert found.count() == counts
    assert found.asked == len(authorities.ranks(key))
    assert not set(found.witness) & set(found.reasons)
    for id, text in found.witness.items():
        assert id in authorities.ids(key, text)
    chance = random.Random(0)
    for id in chance.sample(range(found.asked), 3000):
        if id not in found.reasons and id not in found.witness:
            assert authorities.ids(key, one.data[id].decode()) == [id]
    for id, reason in found.reasons.items():
        if reason == "merges":  # tiktoken takes a pre-token that is an entry as it is, where the library merges
            assert id not in open_vocab(key).encode(one.data[id].decode()).ids
            continue
        for text in texts_around(one.data[id], 20, seed=id) if split(one.data[id]) else []:
            assert id not in authorities.ids(key, text)


@settings(max_examples=80)
@given(data=st.data())
@pytest.mark.parametrize("key", catalog.MODELS)
def test_no_neighbours_bring_up_what_is_called_unreachable(key, data):
    one, found, vocab = open_entries(key), open_reach(key), open_vocab(key)
    id = data.draw(st.sampled_from(sorted(found.reasons)))
    around = texts_around(one.data[id], 8, seed=data.draw(st.integers(0, 999)))
    before, after = data.draw(texts.texts), data.draw(texts.texts)
    given = [before + text + after for text in [*around, one.texts[id]]]
    assert not any(id in ids for ids in vocab.encode_all(given))
    assert not any(id in vocab.encode(text, parse_special=False).ids for text in given[:1])


def test_from_outside_the_catalog_nothing_is_proved():
    vocab = Vocab.from_json(hostile.trained("BPE"), "made", "Made")
    found = reach(entries_of(vocab), vocab)
    assert not found.proved
    assert set(found.reasons.values()) <= {"open"}
    for id, text in found.witness.items():
        assert id in vocab.encode(text, parse_special=False).ids
