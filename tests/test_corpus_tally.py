"""The tally of a corpus against a slow and obvious count of each document, and merged in any order."""

import json
import random
from collections import Counter

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib import corpus_count, corpus_tally, corpus_words
from demo_lib.corpus_block import Job, count_block, count_texts
from demo_lib.corpus_count import WAYS, counters
from demo_lib.corpus_count import Counter as Way
from demo_lib.corpus_facts import facts_for
from demo_lib.corpus_files import look, plan
from demo_lib.corpus_read import Bad
from demo_lib.corpus_tally import HAN, dump, first_bad, load, merge, nothing, tokens_at
from demo_lib.corpus_words import Words, level_of, merged
from demo_lib.vocab import open_vocab

from .texts import texts

MODELS = ("llama-3.1", "qwen2.5")
TEXTS = [
    "请问年假怎么申请？钉钉审批，𠮷野家。",
    "How do I apply for annual leave in 2026?",
    "def f(x):\n    return x  # naïve 钉",
    "👨\u200d👩\u200d👧🏽 ok",
    "钉钉钉 ⻢ 饕餮",
    "e\u0301te\u0301 か\u3099",
    "สวัสดีครับ नमस्ते",
    "<|im_end|>",
]


def tally(many, groups=(), level=0):
    return count_texts(list(many), list(groups), [counters(model)[0] for model in MODELS], 0, level)


def slowly(model: str, text: str) -> tuple[int, int, int, Counter]:
    """Tokens, tokens with bytes of a Han character, broken ones, and the characters that no token holds whole."""
    tokens = open_vocab(model).encode(text, parse_special=False).tokens
    normal = open_vocab(model).encode(text, parse_special=False).normalized
    owner = [char for char in normal for _ in char.encode()]
    at, han, parts, group = 0, 0, Counter(), []
    for token in tokens:
        han += any(regex.match(r"\p{Script=Han}", char) for char in owner[at : at + len(token.data)])
        at += len(token.data)
        group.append(token)
        text_so_far = b"".join(one.data for one in group)
        try:
            whole = text_so_far.decode()
        except UnicodeDecodeError:
            continue
        if len(group) > 1:
            parts[whole, len(group)] += 1
        group = []
    return len(tokens), han, sum(not token.whole for token in tokens), parts


def check_against_slow(many):
    counted = tally(many)
    total = counted.sums.sum(0)
    assert total[:3].tolist() == [len(many), sum(map(len, many)), sum(len(text.encode()) for text in many)]
    assert total[HAN] == sum(len(regex.findall(r"\p{Script=Han}", text)) for text in many)
    for i, model in enumerate(MODELS):
        rows = [slowly(model, text) for text in many]
        assert total[tokens_at(i)] == sum(row[0] for row in rows)
        assert total[tokens_at(i) + 1] == sum(row[1] for row in rows)
        assert counted.models[i].lengths == Counter(row[0] for row in rows)
        assert counted.models[i].parts == sum((row[3] for row in rows), Counter())
        frequency = Counter(id for text in many for id in open_vocab(model).encode(text, parse_special=False).ids)
        assert {
            int(id): int(counted.models[i].frequency[id]) for id in np.flatnonzero(counted.models[i].frequency)
        } == frequency
        assert counted.models[i].frequency[facts_for(model).broken].sum() == sum(row[2] for row in rows)


def test_all_sums_are_those_of_each_document_by_itself():
    check_against_slow(TEXTS)


@settings(max_examples=40)
@given(st.lists(texts.filter(bool), min_size=1, max_size=5))
def test_sums_of_any_documents(many):
    check_against_slow(many)


@settings(max_examples=40)
@given(st.lists(texts.filter(bool), min_size=1, max_size=6))
def test_over_the_words_the_costs_differ_by_what_the_texts_differ(many):
    counted = tally(many)
    same = [text for text in many if open_vocab("qwen2.5").encode(text, parse_special=False).normalized == text]
    left = [sum(slowly(model, text)[0] for text in same) for model in MODELS]
    if len(same) == len(many):
        totals = counted.words[0].totals().values()
        assert sum(one - other for _, one, other in totals) == left[0] - left[1]


def test_words_are_whole_and_have_a_line():
    many = ["钉钉审批", "The Qualtricsware app in 2026.", "Привет, факторов. " * 3, "And Qualtricsware too"]
    words = tally(many).words[0]
    totals = words.totals()
    assert totals["钉"] == (2, 4, 2)
    assert totals["审批"] == (1, 2, 1)
    assert totals["2026"] == (1, 2, 4)
    assert "␣факторов" not in totals or totals["␣факторов"][0] == 3
    for word, (rank, crc, file, line) in words.examples.items():
        assert word.strip("␣↵") in line
        assert file == 0
        assert rank == corpus_words.TOP_LEVEL - level_of(crc)
    assert set(totals) == set(words.examples)
    assert not any(word.startswith(("altrics", "ware")) for word in totals)
    many = ["x" * 3 + "qzxj" * 40 + " 年" * 100]
    assert all(len(word) <= corpus_words.LONGEST for word in tally(many).words[0].totals())


def test_groups_and_buckets_add_up():
    counted = tally(TEXTS, ["a", "b", "a", "", "b", "a", "c", "a"])
    assert set(counted.groups) == {"a", "b", "c", ""}
    assert sum(counted.groups.values()).tolist() == counted.sums.sum(0).tolist() == counted.files[0].tolist()
    assert counted.groups["a"].tolist() == tally([TEXTS[i] for i in (0, 2, 5, 7)]).sums.sum(0).tolist()
    assert tally([]).sums.sum() == nothing(2).sums.sum() == 0


def test_merging_in_any_order_and_any_grouping_is_one_pass(monkeypatch):
    monkeypatch.setattr(corpus_words, "MOST", 60)  # so that levels rise
    monkeypatch.setattr(corpus_tally, "MOST_GROUPS", 5)
    chance = random.Random(0)
    words = ["年假", "申请", "钉钉", "审批", "2026", "apply", "Qualtrics", "俱乐部", "naïve", "饕餮", "⻢", "вода"]
    many = [" ".join(chance.choices(words, k=9)) + f" {chance.randrange(10**6)}" for _ in range(120)]
    groups = [str(chance.randrange(12)) for _ in many]
    whole = tally(many, groups)
    for size in (1, 7, 40):
        pieces = [tally(many[i : i + size], groups[i : i + size]) for i in range(0, 120, size)]
        one = merge([merge([piece]) for piece in pieces])
        chance.shuffle(pieces)
        other = merge([merge(pieces[::2]), merge(pieces[1::2])])
        assert dump(one) == dump(other)
        assert one.words[0].counts == merged([whole.words[0]]).counts
        assert one.words[0].level > 0
        assert one.crowded
        assert len(one.groups) == 5
        assert dump(merge([whole, nothing(2)])) == dump(merge([nothing(2), *pieces]))
    assert sum(one.words[0].totals().values(), ())  # something is left
    kept = [
        text for text, level in zip(many, map(level_of, map(crc, many)), strict=True) if level >= one.words[0].level
    ]
    assert one.words[0].totals() == tally(kept).words[0].totals()


def crc(text: str) -> int:
    import zlib

    return zlib.crc32(text.encode())


def test_only_documents_of_a_level_are_compared():
    many = [f"钉钉 {i}" for i in range(64)]
    kept = [text for text in many if level_of(crc(text)) >= 2]
    assert 4 < len(kept) < 32
    assert tally(many, level=2).words[0].totals() == tally(kept).words[0].totals()
    assert tally(many, level=2).words[0].level == 2
    assert [level_of(1 << 10), level_of(1 << 12), level_of(0)] == [0, 2, corpus_words.TOP_LEVEL]


def test_what_is_dumped_comes_back():
    counted = merge([tally(TEXTS, list("abcdabcd")), nothing(2)])
    assert dump(load(dump(counted))) == dump(counted)
    bad = (Bad(0, 1, 2, "ragged", (3, 4)), Bad(1, 0, 9, "encoding", ("utf-8", 1)))
    from dataclasses import replace

    full = replace(
        counted, bad={(0, "ragged"): 1}, examples=bad, lines={(0, 1): 4}, empty={0: 3}, size=99, crowded=True
    )
    back = load(dump(full))
    assert (back.bad, back.examples, back.lines, back.empty, back.size, back.crowded) == (
        *(full.bad, full.examples, full.lines, full.empty, full.size, full.crowded),
    )


def test_the_first_bad_lines_of_each_kind_are_named():
    every = [Bad(0, block, line, kind) for block in (1, 0) for line in (9, 3, 5) for kind in ("json", "long")]
    assert [(bad.block, bad.line) for bad in first_bad(every) if bad.kind == "json"] == [
        (0, 3),
        (0, 5),
        (0, 9),
        (1, 3),
        (1, 5),
    ]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [{"text": text * 3, "lang": "zh" if i % 2 else "en"} for i, text in enumerate(TEXTS)]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows] + ["{broken", ""]
    path.write_text("\n".join(lines * 5), "utf-8")
    return path


def test_blocks_of_a_file_are_the_file(corpus):
    one = look("a.jsonl", str(corpus), by="lang")
    job = Job((one,), MODELS, ("tiktoken", "quicktok"))
    whole = merge([count_block(job, block) for block in plan([one], 1 << 24)])
    pieces = [count_block(job, block) for block in plan([one], 300)]
    assert len(pieces) > 5
    assert whole.sums.tolist() == merge(pieces).sums.tolist()
    assert whole.sums.sum(0).tolist() == (5 * tally([text * 3 for text in TEXTS]).sums.sum(0)).tolist()
    assert whole.bad == merge(pieces).bad == {(0, "json"): 5}
    assert whole.empty == merge(pieces).empty == {0: 4}
    assert sum(merge(pieces).lines.values()) == whole.lines[0, 0] == 49
    assert whole.size == merge(pieces).size == corpus.stat().st_size
    assert merge(pieces).groups.keys() == {"zh", "en"}


def test_no_way_to_count_changes_the_tally():
    dumped = {dump(count_texts(TEXTS, [], [Way(model, way) for model in MODELS])) for way in WAYS}
    assert len(dumped) == 1


def test_a_worker_without_the_accelerator_counts_all_the_same(corpus, monkeypatch):
    one = look("a.jsonl", str(corpus))
    (block,) = plan([one], 1 << 24)
    wanted = dump(count_block(Job((one,), MODELS, ("quicktok",) * 2), block))
    real = corpus_count.encoder
    monkeypatch.setattr(corpus_count, "encoder", lambda model, way: None if way == "quicktok" else real(model, way))
    assert dump(count_block(Job((one,), MODELS, ("quicktok",) * 2), block)) == wanted


def test_a_model_from_outside_is_counted_too():
    from demo_lib.vocab import open_upload

    from .hostile import trained

    for kind in ("BPE", "Unigram", "WordPiece"):
        key = open_upload(trained(kind))
        many = ["the quick brown fox", "请问年假 hug"]
        counted = count_texts(many, [], [counters("qwen2.5")[0], counters(key)[0]])
        ids = open_vocab(key).encode_all(many)
        assert counted.sums.sum(0)[tokens_at(1)] == sum(map(len, ids))
        assert counted.models[1].lengths == Counter(map(len, ids))
        assert isinstance(counted.words[0], Words)
