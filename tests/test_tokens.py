"""The tokenizers room: figures counted again, columns, and what programs get (ids to text: test_ids_to_text.py)."""

import json
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib import tokens
from demo_lib.catalog import MODELS
from demo_lib.problems import Problem
from demo_lib.tokens import Failed, columns, compare, compare_rows, split, tokenize
from demo_lib.vocab import open_vocab

from . import authorities, texts

GOLDEN = json.loads((Path(__file__).parent / "data" / "encode.json").read_text("utf-8"))
HAN = regex.compile(r"\p{Script=Han}")


# Figures


def test_figures_by_hand():
    """我想请5天年假: six Han characters of 3 bytes and a digit, each a token in Llama 3.1."""
    _, llama = split("我想请5天年假", "llama-3.1")
    assert vars(llama) == {
        "tokens": 7,
        "characters": 7,
        "bytes": 19,
        "han": 6,
        "tokens_per_character": 1.0,
        "tokens_per_han": 1.0,
        "bytes_per_token": 19 / 7,
        "not_text": 0,
        "difference": None,
    }
    _, llama = split("钉钉a", "llama-3.1")
    assert (llama.tokens, llama.han, llama.tokens_per_han, llama.not_text) == (5, 2, 2.0, 4)
    _, llama = split("，请", "llama-3.1")
    assert (llama.tokens, llama.han, llama.tokens_per_han) == (1, 1, 1.0)
    _, qwen = split("cafe\u0301", "qwen2.5")
    assert (qwen.characters, qwen.bytes, qwen.difference) == (5, 6, (3, "e\u0301", "é"))
    _, empty = split("", "llama-3.1")
    assert set(vars(empty).values()) == {0, None}
    assert split("年假怎么申请？", "qwen2.5")[1].bytes == 21


@settings(max_examples=100)
@given(texts.texts, st.booleans(), st.booleans())
@pytest.mark.parametrize("key", MODELS)
def test_figures(key, text, bos, special):
    encoding, count = split(text, key, add_special_tokens=bos, parse_special=special)
    vocab = open_vocab(key)
    ids = authorities.ids(key, text, vocab.special_tokens() if special else None)
    ids = [*([128000] if bos and key == "llama-3.1" else []), *ids]
    assert (encoding.ids, count.tokens) == (ids, len(ids))
    assert (count.characters, count.bytes) == (len(text), len(text.encode()))
    assert count.han == len(HAN.findall(text))
    assert count.not_text == sum(vocab.decode([id]).encode() != vocab.token_bytes(id) for id in ids)
    assert (count.tokens_per_character is None) == (text == "")
    assert (count.tokens_per_han is None) == (count.han == 0)
    assert (count.bytes_per_token is None) == (ids == [])
    back = encoding.normalized
    if text == back:
        assert count.difference is None
    else:
        at, wanted, got = count.difference
        assert text[:at] == back[:at]
        assert text[at : at + 1] != back[at : at + 1]
        assert (wanted, got) == (text[at : at + 8], back[at : at + 8])


@settings(max_examples=100)
@given(texts.texts)
def test_tokens_per_han(text):
    """In a text that is read as it is, each byte of a token belongs to one character."""
    encoding, count = split(text, "llama-3.1")
    han = [bool(HAN.match(char)) for char in text for _ in char.encode()]
    at = touching = 0
    for token in encoding.tokens:
        touching += any(han[at : at + len(token.data)])
        at += len(token.data)
    assert count.tokens_per_han == (touching / count.han if count.han else None)
    assert count.bytes_per_token == (len(han) / len(encoding.ids) if encoding.ids else None)
    assert count.tokens_per_character == (len(encoding.ids) / len(text) if text else None)


def test_limit():
    assert split("a " * 10_000, "llama-3.1")[1].characters == 20_000
    for call in (lambda text: split(text, "qwen2.5"), lambda text: columns(text, ["qwen2.5"])):
        with pytest.raises(Problem, match=r"has 20,001 characters and the most is 20,000: .*corpus report") as caught:
            call("𠮷" * 20_001)
        assert "20,001 个字符" in caught.value.zh
        with pytest.raises(Problem, match="half of a surrogate pair"):
            call("a\ud800")


def test_begin_of_text_is_counted_and_is_no_difference():
    with_bos, count = split("年假", "llama-3.1", add_special_tokens=True)
    assert with_bos.ids == [128000, *split("年假", "llama-3.1")[0].ids]
    assert (count.tokens, count.difference) == (3, None)
    assert split("年假", "qwen2.5", add_special_tokens=True)[0].ids == split("年假", "qwen2.5")[0].ids


# Columns


def cuts(key: str, text: str) -> set[int]:
    """Bytes at which a token begins, for a text that is read as it is."""
    starts, at = set(), 0
    for id in authorities.ids(key, text, open_vocab(key).special_tokens()):
        starts.add(at)
        at += len(open_vocab(key).token_bytes(id))
    return starts


@settings(max_examples=100)
@given(texts.texts, st.lists(st.sampled_from([*MODELS]), min_size=1, max_size=3, unique=True))
def test_boundaries_that_are_not_shared(text, models):
    if any(open_vocab(key).encode(text).normalized != text for key in models):
        return
    done = columns(text, models)
    assert [column.model for column in done] == models
    for column in done:
        others = [cuts(key, text) for key in models if key != column.model]
        alone = {start for start in cuts(column.model, text) if not all(start in other for other in others)}
        assert {column.encoding.tokens[i].byte_start for i in column.unshared} == alone - {0}
        assert (column.label, column.count) == (MODELS[column.model].label, split(text, column.model)[1])


def test_the_lessons_boundary():
    """2026 is 202 6 in Llama 3.1 and 2 0 2 6 in Qwen2.5: two cuts are Qwen's alone."""
    llama, qwen = columns("2026", ["llama-3.1", "qwen2.5"])
    assert (llama.unshared, qwen.unshared) == (frozenset(), frozenset({1, 2}))
    assert columns("2026", ["qwen2.5"])[0].unshared == frozenset()


def test_a_column_that_fails_leaves_the_others():
    gone = "upload:" + "0" * 64
    llama, failed, bad, qwen = columns("2026", ["llama-3.1", gone, "no model", "qwen2.5"])
    assert isinstance(failed, Failed)
    assert (failed.model, failed.label) == (gone, "tokenizer.json 000000")
    assert "no longer kept" in str(failed.problem)
    assert "org/name" in str(bad.problem)
    assert [llama, qwen] == columns("2026", ["llama-3.1", "qwen2.5"])
    with pytest.raises(Problem, match="no longer kept"):
        compare("2026", ["llama-3.1", gone, "no model"])
    assert compare("2026", ["qwen2.5"]) == columns("2026", ["qwen2.5"])


def test_an_upload_is_a_column():
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = Tokenizer(models.WordLevel({"[CLS]": 0, "[SEP]": 1, "[UNK]": 2, "hello": 3, "年假": 4}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.add_special_tokens(["[CLS]", "[SEP]", "[UNK]"])
    words.post_processor = processors.BertProcessing(("[SEP]", 1), ("[CLS]", 0))
    key = tokens.open_upload(words.to_str().encode())
    assert tokens.open_upload(words.to_str().encode()) == key
    (column,) = columns("hello 年假", [key], add_special_tokens=True)
    assert column.encoding.ids == [0, 3, 4, 1]
    assert [(t.start, t.end) for t in column.encoding.tokens] == [(0, 0), (0, 5), (6, 8), (0, 0)]
    assert column.count.difference is None
    assert tokens.decode([3, 4, 2], key).special == (False, False, True)
    with pytest.raises(Problem, match="not a tokenizer"):
        tokens.open_upload(b"{}")


# For programs


@pytest.mark.parametrize("key", MODELS)
def test_tokenize(key):
    for case in GOLDEN:
        answer = json.loads(json.dumps(tokenize(case["text"], key, parse_special=True)))
        assert (answer["model"], answer["ids"]) == (key, case["ids"][key])
        data = [bytes.fromhex(piece) for piece in answer["bytes"]]
        assert data == [open_vocab(key).token_bytes(id) for id in answer["ids"]]
        for piece, own, (start, end) in zip(answer["pieces"], data, answer["spans"], strict=True):
            assert piece == own.decode() if "\ufffd" not in own.decode(errors="replace") else "<" in piece
            assert case["text"][start:end]


def test_tokenize_reads_special_tokens_as_text_unless_told():
    plain, special = (tokenize("<|im_end|>", "qwen2.5", parse_special=special) for special in (False, True))
    assert special == {
        "model": "qwen2.5",
        "ids": [151645],
        "pieces": ["<|im_end|>"],
        "bytes": [b"<|im_end|>".hex(" ").upper()],
        "spans": [[0, 10]],
    }
    assert len(plain["ids"]) > 1
    assert "".join(plain["pieces"]) == "<|im_end|>"
    assert tokenize("a", "llama-3.1", add_special_tokens=True)["ids"] == [128000, 64]


def test_compare_rows():
    llama, qwen = compare_rows("钉钉审批e\u0301<|im_end|>", ["llama-3.1", "qwen2.5"])
    assert llama["exact"] is True
    assert qwen["exact"] is False
    assert 151645 not in qwen["ids"]
    for row in (llama, qwen):
        assert row["tokens"] == len(row["ids"]) == len(tokenize("钉钉审批e\u0301<|im_end|>", row["model"])["ids"])
        assert json.loads(json.dumps(row, allow_nan=False)) == row
    assert [row["tokens"] for row in compare_rows("钉钉审批", ["llama-3.1", "qwen2.5"])] == [6, 3]
