"""The vocabularies room: sums that add up, the rows that programs get, one token, refusals."""

import json

import pytest
import regex

from demo_lib import vocabulary as room
from demo_lib.catalog import MODELS
from demo_lib.entries import open_entries
from demo_lib.scripts import KINDS

from . import authorities
from .refusals import refusal


@pytest.mark.parametrize("key", MODELS)
def test_contents(key):
    found = room.contents(open_entries(key))
    ranks, special = authorities.ranks(key), MODELS[key].tokenizer.special_tokens
    assert found.tokens == len(ranks) + len(special)
    assert sum(found.kinds.values()) == sum(found.bytes.values()) == sum(found.characters.values()) == found.tokens
    assert list(found.kinds) == list(KINDS)
    assert found.kinds["special"] == len(special)
    broken = [data for data in ranks if not whole(data)]
    assert found.kinds["bytes"] == found.characters[-1] == len(broken)
    assert found.spaced == sum(data.startswith(b" ") for data in ranks)
    lengths = [*map(len, ranks), *(len(name.encode()) for name in special)]
    assert found.bytes == {n: lengths.count(n) for n in set(lengths)}
    longest = sorted(ranks, key=lambda data: (-len(data), ranks[data]))[: room.LONGEST]
    assert list(found.longest) == [ranks[data] for data in longest]
    assert dict(found.special) == {name: len(ranks) + i for i, name in enumerate(special)}


def whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("key", MODELS)
def test_han_by_the_pattern_of_its_letters(key):
    """A slow loop with another tool: no letters but Han ones."""
    han = regex.compile(r"(?=.*\p{Han})[\p{Han}\p{Script=Inherited}[^\p{L}\p{M}]]*", regex.V1 | regex.DOTALL)
    wanted = sum(
        bool(han.fullmatch(data.decode())) and bool(regex.search(r"(?=\p{Han})\P{N}", data.decode()))
        for data in authorities.ranks(key)
        if whole(data)
    )
    assert room.contents(open_entries(key)).kinds["han"] == wanted


def test_search_by_script_and_other_vocabulary():
    one, other = open_entries("llama-3.1"), open_entries("qwen2.5")
    theirs = authorities.ranks("qwen2.5")
    every = room.search(one, "年")
    assert [one.data[i] for i in every] == [data for data in authorities.entries("llama-3.1") if "年".encode() in data]
    both, only = (room.search(one, "年", other=other, where=where).tolist() for where in ("both", "only"))
    assert sorted(both + only) == every.tolist()
    assert all(one.data[i] in theirs for i in both)
    assert not any(one.data[i] in theirs for i in only)
    assert both
    assert only
    assert len(room.search(one, "", script="han")) == room.contents(one).kinds["han"]
    special = room.search(one, "<|eot_id|>", other=other, where="only")
    assert special.tolist() == []  # special tokens are names: they are compared with nothing
    down = room.search(one, "年", order="bytes", down=True)
    assert one.size[down].tolist() == sorted(one.size[every].tolist(), reverse=True)


def test_one_token():
    known = room.known(open_entries("qwen2.5"), 101915)
    assert (known.id, known.data, known.kind, known.trace.ids) == (101915, "申请".encode(), "han", (101915,))
    assert known.trace.merges[-1].left + known.trace.merges[-1].right == "申请".encode()
    assert room.known(open_entries("qwen2.5"), 151645).trace is None
    broken = room.known(open_entries("llama-3.1"), 38572)
    assert (broken.data, broken.kind, broken.trace.ids) == (b"\xe9\x92", "bytes", (38572,))
    unbuilt = room.known(open_entries("qwen3.5"), 104328)
    assert unbuilt.data == "俱乐部".encode()
    assert unbuilt.trace.ids != (104328,)


def test_rows_for_programs():
    row = room.counts_row("qwen2.5")
    assert sum(row["by_kind"].values()) == sum(row["by_bytes"].values()) == row["tokens"] == 151_665
    assert sum(row["by_characters"].values()) + row["not_text"] == row["tokens"]
    assert row["special_tokens"]["<|im_end|>"] == 151_645
    never = row["never_produced"]
    assert never["proved"]
    assert never["tokens"] == sum(n for reason, n in never.items() if reason in room.REASONS) == 1932
    found = room.search_rows("qwen2.5", "^申请", 1)
    assert found["found"] == 2
    assert found["rows"] == [
        {"id": 101915, "piece": "申请", "bytes": "E7 94 B3 E8 AF B7", "length": 6, "characters": 2, "kind": "han"}
    ]
    (broken,) = room.search_rows("llama-3.1", "38572", how="id")["rows"]
    assert (broken["piece"], broken["characters"], broken["kind"]) == ("<E9 92>", None, "bytes")
    shared = room.overlap_row("llama-3.1", "Qwen2.5")
    assert (shared["a"], shared["b"], shared["both"]) == ("llama-3.1", "qwen2.5", 109_566)
    for name in ("both", "only_a", "only_b"):
        assert sum(kind[name] for kind in shared["by_kind"].values()) == shared[name]
    json.dumps([row, found, shared])


def test_refusals():
    one, other = open_entries("llama-3.1"), open_entries("qwen2.5")
    for limit in (0, -1, 10_001, "5", None, True, 2.5):
        assert "limit must be" in refusal(room.search_rows, "qwen2.5", "a", limit)
    assert "Search by one of" in refusal(room.search_rows, "qwen2.5", "a", 5, "sql")
    assert "no regular expression" in refusal(room.search_rows, "qwen2.5", "(")
    assert "must be a string" in refusal(room.search_rows, "qwen2.5", 5)
    assert "half of a surrogate pair" in refusal(room.search_rows, "qwen2.5", "\ud83d", 5)
    assert "no model of this name" in refusal(room.counts_row, "gpt-7")
    assert "Choose a model" in refusal(room.overlap_row, "qwen2.5", None)
    assert "no token with the id 151665" in refusal(room.known, other, 151_665)
    assert "no token with the id x" in refusal(room.known, other, "x")
    assert "20,001 characters" in refusal(room.text_overlap, "年" * 20_001, one, other)
    assert "half of a surrogate pair" in refusal(room.text_overlap, "\ud83d", one, other)
    assert "Choose one of" in refusal(room.search, one, "a", script="klingon")
    assert room.text_overlap("", one, other)[0].tokens == 0
