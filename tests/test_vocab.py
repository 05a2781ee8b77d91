"""Tokenizers: the golden ids, there and back for any text, other kinds of tokenizer.json."""

import json
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib.catalog import MODELS
from demo_lib.problems import Problem, Waiting
from demo_lib.vocab import Vocab, is_open, open_vocab

from . import authorities, texts

GOLDEN = json.loads((Path(__file__).parent / "data" / "encode.json").read_text("utf-8"))


@pytest.mark.parametrize("key", MODELS)
def test_golden(key):
    vocab = open_vocab(key)
    assert {case["text"]: vocab.encode(case["text"]).ids for case in GOLDEN} == {
        case["text"]: case["ids"][key] for case in GOLDEN
    }
    assert len(GOLDEN) == 48


@pytest.mark.parametrize(
    ("text", "llama", "qwen"),
    [
        ("年假怎么申请？", [8107, 107099, 104237, 112838, 11571], [7948, 99436, 99494, 101915, 11319]),
        ("申请", [112838], [101915]),
        ("请问年假怎么申请？", 7, 6),
        ("我想请5天年假", 7, 6),
        ("钉钉审批", 6, 3),
        ("𠮷", 4, 1),
        ("How do I apply for annual leave?", 8, 8),
        ("2026", ["202", "6"], ["2", "0", "2", "6"]),
        ("钉", ["E992", "89"], ["E99289"]),
    ],
)
def test_the_lessons_figures(text, llama, qwen):
    for key, expected in (("llama-3.1", llama), ("qwen2.5", qwen)):
        tokens = open_vocab(key).encode(text).tokens
        if isinstance(expected, int):
            assert len(tokens) == expected
        elif isinstance(expected[0], int):
            assert [token.id for token in tokens] == expected
        elif text.isdecimal():
            assert [token.data.decode() for token in tokens] == expected
        else:
            assert [token.data.hex().upper() for token in tokens] == expected


@settings(max_examples=150)
@given(texts.texts)
@pytest.mark.parametrize("key", MODELS)
def test_text_to_ids_to_text(key, text):
    vocab = open_vocab(key)
    plain, special = vocab.encode(text, parse_special=False), vocab.encode(text)
    assert vocab.decode(plain.ids) == authorities.normalize(key, text)
    assert vocab.decode(special.ids) == special.normalized
    assert b"".join(vocab.token_bytes(id) for id in special.ids).decode() == special.normalized
    assert vocab.encode(special.normalized).normalized == special.normalized


@settings(max_examples=100)
@given(texts.texts)
@pytest.mark.parametrize("key", MODELS)
def test_ids_to_bytes_to_ids(key, text):
    vocab = open_vocab(key)
    ids = vocab.encode(text, parse_special=False).ids
    assert vocab.encode(b"".join(map(vocab.token_bytes, ids)).decode(), parse_special=False).ids == ids


@pytest.mark.parametrize("key", MODELS)
def test_every_token_has_its_bytes(key):
    vocab = open_vocab(key)
    expected = authorities.entries(key) + [token.encode() for token in MODELS[key].tokenizer.special_tokens]
    assert [vocab.token_bytes(id) for id in vocab.ids()] == expected


@settings(max_examples=150)
@given(data=st.data())
@pytest.mark.parametrize("key", MODELS)
def test_any_ids_decode_to_their_bytes(key, data):
    """Also ids that no text gives: what is no UTF-8 becomes U+FFFD, as in Python."""
    vocab = open_vocab(key)
    ids = data.draw(st.lists(st.integers(0, vocab.size() - 1) | st.sampled_from(vocab.encode("钉𠮷🏽").ids)))
    assert vocab.decode(ids) == b"".join(map(vocab.token_bytes, ids)).decode(errors="replace")
    assert vocab.decode(tuple(ids)) == vocab.decode(ids)
    assert vocab.alone(ids) == [(vocab.token_bytes(id), vocab.decode([id])) for id in ids]


def test_decoding_keeps_spaces_before_punctuation():
    text = "Hello , world ! Is n't it ?  We 're , I 'm . do not"
    for key in MODELS:
        assert open_vocab(key).decode(open_vocab(key).encode(text).ids) == text


@pytest.mark.parametrize("key", MODELS)
@pytest.mark.parametrize("id", [-1, 10**6, 2**32, 10**30, "5", 1.5, None])
def test_an_id_that_is_not_there(key, id):
    vocab = open_vocab(key)
    for ask in (vocab.token_bytes, lambda id: vocab.decode([5, id]), lambda id: vocab.stream([id])):
        with pytest.raises(Problem, match=rf"{vocab.label} has no token with the id {id}: .* {vocab.size():,} tokens"):
            ask(id)
    with pytest.raises(Problem):
        vocab.token_bytes(vocab.size())
    assert vocab.token_bytes(vocab.size() - 1)


def test_special_tokens_as_special_or_as_text():
    for key, marker in (("llama-3.1", "<|eot_id|>"), ("qwen2.5", "<|im_end|>"), ("qwen3.5", "</think>")):
        vocab = open_vocab(key)
        special = vocab.encode(f"a{marker}b")
        assert special.ids == [*vocab.encode("a").ids, vocab.special_tokens()[marker], *vocab.encode("b").ids]
        assert [pre.text for pre in special.pre_tokens] == ["a", "b"]
        plain = vocab.encode(f"a{marker}b", parse_special=False)
        assert set(plain.ids).isdisjoint(vocab.special_tokens().values())
        assert vocab.decode(plain.ids) == f"a{marker}b"
        assert vocab.encode(f"a{marker}b") == special  # the switch does not stay


class Slow:
    """A tokenizer that hesitates between being told what to do and doing it."""

    def __init__(self, inner) -> None:
        vars(self)["inner"] = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def __setattr__(self, name, value) -> None:
        setattr(self.inner, name, value)
        time.sleep(0.001)


def test_threads_do_not_share_the_switch():
    vocab, wrong = Vocab(Slow(open_vocab("qwen2.5")._tokenizer), "slow", "Slow"), []

    def run(special: bool) -> None:
        for _ in range(50):
            if (len(vocab.encode("<|im_end|>", parse_special=special).ids) == 1) != special:
                wrong.append(special)

    threads = [threading.Thread(target=run, args=(special,)) for special in (True, False, True, False)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert wrong == []


def test_text_that_is_none():
    with pytest.raises(Problem, match="half of a surrogate pair"):
        open_vocab("qwen2.5").encode("a\ud800")
    encoding = open_vocab("llama-3.1").encode("")
    assert (encoding.ids, encoding.pre_tokens, encoding.normalized) == ([], (), "")
    assert open_vocab("llama-3.1").decode([]) == ""


# Any other tokenizer.json


def small(model, **parts) -> Vocab:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer(model)
    for name, part in parts.items():
        setattr(tokenizer, name, part)
    return Vocab.from_json(tokenizer.to_str(), "small", "Small")


def test_sentencepiece_with_bytes():
    """As Llama 2 has it: ▁ for a space, <0xE9> for a byte."""
    from tokenizers import decoders, models, normalizers

    vocab = {"<unk>": 0, "▁": 1, "a": 2, "▁a": 3} | {f"<0x{byte:02X}>": 4 + byte for byte in range(256)}
    parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    llama2 = small(
        models.BPE(vocab, [("▁", "a")], unk_token="<unk>", byte_fallback=True, fuse_unk=True),
        normalizer=normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
        decoder=decoders.Sequence(parts),
    )
    encoding = llama2.encode("a 钉a")
    assert [token.data for token in encoding.tokens] == [b" a", b" ", b"\xe9", b"\x92", b"\x89", b"a"]
    assert llama2.decode(encoding.ids) == "a 钉a"
    assert [llama2.token_bytes(id) for id in (4 + 0xE9, 3, 1, 0)] == [b"\xe9", b" a", b" ", b"<unk>"]
    assert [(t.start, t.end) for t in encoding.tokens] == [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (3, 4)]


def test_wordpiece():
    from tokenizers import decoders, models, normalizers, pre_tokenizers

    bert = small(
        models.WordPiece({"[UNK]": 0, "hug": 1, "##s": 2, "é": 3}, unk_token="[UNK]"),
        normalizer=normalizers.Lowercase(),
        pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
        decoder=decoders.WordPiece(),
    )
    encoding = bert.encode(" HUGS é 年")
    assert [(t.id, t.data, t.start, t.end, t.pre_token) for t in encoding.tokens] == [
        (1, b"hug", 1, 4, 0),
        (2, b"s", 4, 5, 0),
        (3, "é".encode(), 6, 7, 1),
        (0, b"[UNK]", 8, 9, 2),
    ]


def test_a_leading_space_belongs_to_its_token():
    """RoBERTa's tokenizer.json, among others, says trim_offsets, which would leave the space to nobody."""
    from tokenizers import decoders, models, pre_tokenizers, processors

    letters = {letter: id for id, letter in enumerate(pre_tokenizers.ByteLevel.alphabet())}
    vocab = small(
        models.BPE(letters | {"Ġa": 256}, [("Ġ", "a")]),
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True),
        decoder=decoders.ByteLevel(),
        post_processor=processors.ByteLevel(trim_offsets=True),
    )
    assert [(t.start, t.end, t.byte_start, t.byte_end) for t in vocab.encode("a a").tokens] == [
        (0, 1, 0, 1),
        (1, 3, 1, 3),
    ]


@pytest.mark.parametrize("data", [b"", b"{}", b"[1", "年".encode("gbk"), b'{"model": {"type": "BPE"}}', b"\0" * 100])
def test_what_is_no_tokenizer_json(data):
    with pytest.raises(Problem, match="Mine: this is not a tokenizer"):
        Vocab.from_json(data, "mine", "Mine")


# By name


def test_open_vocab():
    assert all(open_vocab(key) is open_vocab(key) and is_open(key) for key in MODELS)
    assert (open_vocab("qwen2.5").key, open_vocab("qwen2.5").label) == ("qwen2.5", "Qwen2.5")
    for model in ("", "  ", None, 5, ["qwen2.5"]):
        with pytest.raises(Problem, match="Choose a model"):
            open_vocab(model)
    assert open_vocab(" llama 3.1\n") is open_vocab("llama-3.1")
    for model in ("../etc/passwd", "/etc/passwd", "a/../b", "org/name/more"):
        with pytest.raises(Problem, match="written org/name"):
            open_vocab(model)
    for model in ("llama", "C:\\x", ".."):
        with pytest.raises(Problem, match=r"no model of this name here: choose llama-3\.1, qwen2\.5, qwen3\.5, or"):
            open_vocab(model)
    with pytest.raises(Problem, match="no longer kept"):
        open_vocab("upload:" + "0" * 64)
    assert not is_open("org/name")
    with pytest.raises(Waiting):
        open_vocab("org/never-asked-for", wait=False)
    assert open_vocab("qwen2.5", wait=False) is open_vocab("qwen2.5")
