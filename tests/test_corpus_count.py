"""Each fast way against the tokenizers library, text by text; and for every code point that there is."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib import catalog, corpus_check, corpus_count
from demo_lib.corpus_check import sample_of, trusted
from demo_lib.corpus_count import SEPARATOR, Counter, Ids, counters, normal
from demo_lib.corpus_facts import HAN, ODD, characters, facts_for, facts_of
from demo_lib.corpus_files import look
from demo_lib.entries import open_entries
from demo_lib.vocab import open_vocab

from . import authorities
from .hostile import trained
from .texts import texts

MIXED = [
    "",
    "年假怎么申请？我想请5天年假。",
    "How do I apply for annual leave? It's 2026, isn't it?",
    "def f(x):\n\treturn  x + 1  # naïve\n\n\nclass A: ...",
    "👨\u200d👩\u200d👧 🏽 🇨🇳 ❤️‍🔥 𠮷野家",
    "<|im_end|> <|begin_of_text|>",
    "e\u0301\u0327 \u212b か\u3099 \u1112\u1161\u11ab",
    "   \n \t  x   ",
    "a" * 3000,
    "\u0a3c\u0ade\u08d3a\u0323\u0307" * 5,
]
PAIRS = [one for model in catalog.MODELS for one in counters(model)]


def alone(model: str, many: list[str]) -> list[list[int]]:
    """Each text by itself, by the library."""
    tokenizer = open_vocab(model)._tokenizer
    tokenizer.encode_special_tokens = True
    return [tokenizer.encode(text, add_special_tokens=False).ids for text in many]


def rows(found: Ids) -> list[list[int]]:
    return [part.tolist() for part in np.split(found.ids, found.ends[:-1])] if len(found.ends) else []


def test_all_ways_are_tried_here():
    assert {(one.model, one.way) for one in PAIRS} == {
        *((model, way) for model in catalog.MODELS for way in ("tiktoken", "tokenizers")),
        *(("llama-3.1", "quicktok"), ("qwen2.5", "quicktok")),
    }
    assert [one.way for one in counters("qwen2.5")] == ["quicktok", "tiktoken", "tokenizers"]
    assert [one.way for one in counters("qwen2.5", ["tiktoken"])] == ["tiktoken", "tokenizers"]


@pytest.mark.parametrize("one", PAIRS, ids=str)
def test_each_text_is_encoded_as_if_by_itself(one):
    assert rows(one.encode(MIXED)) == alone(one.model, MIXED)
    assert rows(one.encode([])) == []
    assert rows(one.encode(["", ""])) == [[], []]
    odd = [f"a{SEPARATOR}b", "c"]  # the mark itself
    assert rows(one.encode(odd)) == alone(one.model, odd)


@pytest.mark.parametrize("one", PAIRS, ids=str)
@settings(max_examples=30)
@given(many=st.lists(texts, max_size=6))
def test_any_texts(one, many):
    assert rows(one.encode(many)) == alone(one.model, many)


@pytest.mark.parametrize("model", catalog.MODELS)
def test_every_code_point_in_every_place(model):
    """Alone, as a letter, after an apostrophe, beside digits, after spaces: libraries may know different Unicodes."""
    assigned = [*range(0xD800), *range(0xE000, 0x20000), *range(0x2A600, 0x2A800), *range(0x31300, 0x31400)]
    assigned += range(0xE0000, 0xE0200)
    many = []
    for i in range(0, len(assigned), 200):
        letters = list(map(chr, assigned[i : i + 200]))
        many += ["".join(letters), "".join(f"a{c}b {c}1{c} '{c}\n{c} " for c in letters)]
    wanted = Counter(model, "tokenizers").encode(many)
    for one in counters(model)[:-1]:
        found = one.encode(many)
        assert np.array_equal(found.ids, wanted.ids), one
        assert np.array_equal(found.ends, wanted.ends), one


@pytest.mark.parametrize("model", catalog.MODELS)
def test_every_entry_of_the_vocabulary_as_a_text(model):
    every = 1 if model == "qwen3.5" else 3  # the one that has entries which merging cannot make
    many = [text for text in open_entries(model).texts[::every] if "\ufffd" not in text]
    wanted = Counter(model, "tokenizers").encode(many)
    for one in counters(model)[:-1]:
        assert np.array_equal(one.encode(many).ids, wanted.ids), one


def test_a_token_comes_of_one_pair_only():
    """What the module says of merging, for a vocabulary that is made to be awkward: every string of a and b."""
    import tiktoken
    from tokenizers import Tokenizer, models

    chance = np.random.default_rng(0)
    strings = [f"{i:b}"[1:].replace("0", "a").replace("1", "b") for i in range(4, 128)]
    for _ in range(20):
        vocabulary = ["a", "b", *chance.permutation(strings)[:60].tolist()]
        rank = {piece: i for i, piece in enumerate(vocabulary)}
        pairs = [(p[:k], p[k:]) for p in vocabulary for k in range(1, len(p)) if p[:k] in rank and p[k:] in rank]
        pairs.sort(key=lambda pair: (rank["".join(pair)], rank[pair[0]], rank[pair[1]]))
        listed = Tokenizer(models.BPE(vocab=rank, merges=pairs))
        entries = {piece.encode(): i for piece, i in rank.items()}
        entries |= {bytes([b]): 1000 + b for b in range(256) if bytes([b]) not in entries}
        ranked = tiktoken.Encoding("x", pat_str=r"(?s).+", mergeable_ranks=entries, special_tokens={})
        for _ in range(200):
            text = "".join(chance.choice(["a", "b"], chance.integers(2, 40)))
            if text not in rank:  # tiktoken takes these whole
                assert ranked.encode_ordinary(text) == listed.encode(text).ids


def test_normal_form_is_the_library_s():
    from tokenizers.normalizers import NFC

    nfc, table = NFC(), characters()
    safe = "".join(chr(code) for code in np.flatnonzero(table & ODD == 0) if not 0xD800 <= code < 0xE000)
    shuffled = "".join(np.random.default_rng(1).permutation(list(safe)))
    assert nfc.normalize_str(safe) == safe
    assert nfc.normalize_str(shuffled) == shuffled
    assert len(safe) > 140_000
    assert normal(["e\u0301", "é", "年"], "qwen2.5") == ["é", "é", "年"]
    assert normal(["e\u0301"], "llama-3.1") == ["e\u0301"]


@given(texts)
def test_without_an_odd_character_nothing_changes(text):
    if not any(characters()[ord(letter)] & ODD for letter in text):
        assert unicodedata.normalize("NFC", text) == text


def test_han_is_the_script():
    table = characters()
    assert [bool(table[ord(letter)] & HAN) for letter in "年〇々𠮷あa한，"] == [True, True, True, True, *[False] * 4]


def test_the_tables_say_what_the_tokens_say():
    for model in catalog.MODELS:
        entries = open_entries(model)
        facts = facts_of(entries)
        for id, data in zip(entries.ids[:3000:7].tolist(), entries.data[:3000:7], strict=True):
            text = data.decode(errors="replace")
            whole = text.encode() == data
            assert facts.data[id] == data
            assert (facts.size[id], facts.broken[id]) == (len(data), not whole)
            assert facts.inner[id] == (0x80 <= data[0] < 0xC0)
            assert facts.letters[id] == (len(text) if whole else 0)
            assert facts.han[id] == (whole and any(characters()[ord(letter)] & HAN for letter in text))


def test_a_way_is_trusted_when_it_agrees(monkeypatch):
    many = [*MIXED, "好", "坏"]
    assert trusted("qwen2.5", many) == "quicktok"
    assert trusted("qwen3.5", many, ["tiktoken"]) == "tiktoken"
    real = corpus_count.encoder

    def encoder(model, way):
        good = real(model, way)
        return good if way != "quicktok" else lambda texts: Ids(good(texts).ids + ("坏" in texts), good(texts).ends)

    monkeypatch.setattr(corpus_count, "encoder", encoder)
    assert trusted("qwen2.5", many[:-1]) == "quicktok"
    assert trusted("qwen2.5", many) == "tiktoken"
    assert trusted("qwen2.5", many, ["quicktok"]) == "tokenizers"
    monkeypatch.setattr(corpus_check, "is_open", lambda model: False)
    assert trusted("qwen2.5", many) == "tiktoken"  # by a child
    monkeypatch.setattr(corpus_check, "SECONDS", 0.01)
    assert trusted("qwen2.5", many) == "tokenizers"


def test_the_sample_comes_from_everywhere(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_check, "PIECE", 100)
    monkeypatch.setattr(corpus_check, "SAMPLE", 400)
    for name, text in (("a.txt", "a"), ("b.txt", "b"), ("c.md", "c")):
        (tmp_path / name).write_text("".join(f"{text} {i}\n" for i in range(300)), "utf-8")
    looks = [look(name, str(tmp_path / name)) for name in ("a.txt", "b.txt", "c.md")]
    sample = sample_of(looks)
    assert {text[0] for text in sample} == set("abc")
    assert any(int(text[2:]) > 200 for text in sample if text[0] == "a")
    assert sum(map(len, sample)) <= 400 + 3
    assert len(sample_of(looks * 9)) >= 16


def test_tables_without_a_tokenizer_are_those_with_it():
    for model in catalog.MODELS:
        ours, theirs = facts_for(model), facts_of(open_entries(model))
        assert ours.data == theirs.data
        for name in ("size", "inner", "broken", "han", "kind", "letters"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name))


def test_a_model_from_outside_has_the_one_way():
    from demo_lib.vocab import open_upload

    key = open_upload(trained("BPE"))
    (only,) = counters(key)
    many = [*MIXED[1:4], "the quick brown fox " * 9000]
    assert rows(only.encode(many)) == open_vocab(key).encode_all(many)


def test_the_authority_here_is_the_one_of_the_tests():
    for model in catalog.MODELS:
        assert rows(Counter(model, "tiktoken").encode(MIXED)) == [authorities.ids(model, text) for text in MIXED]


def test_entries_that_merging_cannot_make_are_mended_in_the_middle_of_texts():
    many = ["俱乐部，毛泽东。\n俱乐部", "好", " факторов фактор", "加拿大", "", "新加坡的加拿大 各种各样！各种各样"]
    assert rows(Counter("qwen3.5", "tiktoken").encode(many)) == alone("qwen3.5", many)
    plain = [authorities.tiktoken_of("qwen3.5").encode_ordinary(text) for text in many]
    assert plain != alone("qwen3.5", many)
