"""The report: its numbers against numpy and against counts of each document by itself."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib.corpus_html import to_html
from demo_lib.corpus_report import CONTEXTS, make_report, quantile
from demo_lib.corpus_run import prepare, run
from demo_lib.corpus_say import summary
from demo_lib.vocab import open_vocab

from .refusals import refusal

MODELS = ["llama-3.1", "qwen2.5"]
SENTENCES = [
    "年假怎么申请？钉钉审批。",
    "How do I apply for annual leave?",
    "def f(x): return x",
    "饕餮 🏽 2026",
    "我想请5天年假，谢谢！",
    "𠮷野家在公园",
]


def report(tmp_path, texts, groups=None, models=MODELS, prices="", **options):
    path = tmp_path / "a.jsonl"
    rows = [{"text": text, "lang": group} for text, group in zip(texts, groups or [""] * len(texts), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    job = prepare([str(path)], models, by="lang" if groups else None, **options)
    return make_report(job, run(job), prices)


@pytest.fixture(scope="module")
def texts():
    chance = np.random.default_rng(0)
    return [" ".join(chance.choice(SENTENCES, chance.integers(1, 9))) for _ in range(300)]


@pytest.fixture(scope="module")
def made(tmp_path_factory, texts):
    groups = ["zh" if i % 3 else "en" for i in range(len(texts))]
    return report(tmp_path_factory.mktemp("corpus"), texts, groups, prices="1, 2")


def counts(model: str, texts) -> list[int]:
    return [len(open_vocab(model).encode(text, parse_special=False).ids) for text in texts]


def test_totals_and_ratios(made, texts):
    assert (made.documents, made.characters) == (300, sum(map(len, texts)))
    assert made.bytes == sum(len(text.encode()) for text in texts)
    for line, key, price in zip(made.models, MODELS, (1, 2), strict=True):
        tokens = counts(key, texts)
        assert line.tokens == sum(tokens)
        assert line.per_character.value == sum(tokens) / made.characters
        assert line.bytes_per_token.value == made.bytes / sum(tokens)
        assert line.cost == pytest.approx(price * sum(tokens) / 10**6)
        wanted = [int(np.percentile(tokens, q, method="inverted_cdf")) for q in (50, 90, 99, 100)]
        assert [*vars(line.lengths).values()] == wanted
        assert line.over == dict.fromkeys(CONTEXTS, 0)
        encoded = [open_vocab(key).encode(text, parse_special=False) for text in texts]
        assert line.broken == sum(not token.whole for one in encoded for token in one.tokens)
        often = Counter(id for one in encoded for id in one.ids)
        assert [(token.id, token.times) for token in line.top][:5] == sorted(
            often.items(), key=lambda kv: (-kv[1], kv[0])
        )[:5]
        assert line.used == len(often)
        assert line.size == open_vocab(key).size()
        assert sum(script.tokens for script in line.scripts) == line.tokens
        assert sum(script.characters for script in line.scripts) == made.characters


def test_rare_characters_and_words(made):
    llama, pair = made.models[0], made.pairs[0]
    rare = {line.text: line.tokens for line in llama.characters}
    assert rare["钉"] == 2
    dear, cheap = ({line.text: line for line in lines} for lines in (pair.dearer_in_one, pair.dearer_in_other))
    assert (dear["审批"].one, dear["审批"].other, dear["审批"].place) == (2, 1, "a.jsonl")
    assert cheap["2026"].extra == 2 * cheap["2026"].times
    assert "2026" in cheap["2026"].example
    extra = sum(line.extra for line in pair.dearer_in_one) - sum(line.extra for line in pair.dearer_in_other)
    assert extra == llama.tokens - made.models[1].tokens  # every word is listed here
    assert pair.ratio.value == llama.tokens / made.models[1].tokens


def test_groups_add_up(made, texts):
    assert [(line.value, line.documents) for line in made.groups] == [("zh", 200), ("en", 100)]
    chosen = [text for i, text in enumerate(texts) if i % 3]
    assert made.groups[0].tokens == tuple(sum(counts(key, chosen)) for key in MODELS)


def test_the_interval_is_that_of_resampled_documents(made, texts):
    """Against the plain bootstrap, which draws documents and not buckets of them."""
    tokens, characters = np.array(counts("qwen2.5", texts)), np.array([*map(len, texts)])
    chance = np.random.default_rng(7)
    drawn = chance.integers(0, len(texts), (4000, len(texts)))
    wanted = np.percentile(tokens[drawn].sum(1) / characters[drawn].sum(1), [2.5, 97.5])
    found = made.models[1].per_character
    assert found.low < found.value < found.high
    assert found.high - found.low == pytest.approx(wanted[1] - wanted[0], rel=0.2)
    assert [found.low, found.high] == pytest.approx(wanted, abs=0.1 * (wanted[1] - wanted[0]))


def test_few_documents_have_no_interval_and_long_ones_pass_contexts(tmp_path):
    made = report(tmp_path, ["年假 " * 9000, "hello"], models=["qwen2.5"])
    (line,) = made.models
    assert line.per_character.low is None
    assert [line.over[most] for most in CONTEXTS] == [1, 0, 0]
    assert made.pairs == ()
    assert line.price is None
    assert line.per_han.value == pytest.approx(27_000 / 18_000, abs=0.01)  # with the space before it 年 is two tokens
    assert report(tmp_path, ["hello"]).models[0].per_han is None


def test_many_groups_are_listed_and_the_rest_is_one_line(tmp_path):
    made = report(tmp_path, ["hello"] * 200, [str(min(i, 120)) for i in range(200)], models=["qwen2.5"])
    assert made.groups[0].value == "120"
    assert made.groups[-1].value is None
    assert len(made.groups) == 51
    assert sum(line.documents for line in made.groups) == 200
    assert sum(line.tokens[0] for line in made.groups) == 200


def test_white_space_of_a_broken_character_is_seen(tmp_path):
    said = " ".join(summary(report(tmp_path, ["after 年假"], models=["qwen2.5"]), "en"))
    assert "most often of ␣年." in said


def test_what_has_no_shape_has_a_name(tmp_path):
    made = report(tmp_path, ["a\u200db a b"] * 2)
    assert [line.text for line in made.pairs[0].dearer_in_other] == ["\u200d"]
    assert "[ZWJ], 2 times" in " ".join(summary(made, "en"))
    page = to_html(made)
    assert '<td class="s">[ZWJ]</td>' in page  # in the table, and on its bar
    assert '"y": ["[ZWJ]"]' in page
    assert "part of a character" in page


def test_nothing_to_count(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(" \n\n", "utf-8")
    job = prepare([str(path)], ["qwen2.5"])
    assert "a.txt has nothing but white space" in refusal(make_report, job, run(job))
    job = prepare([str(path)] * 2, ["qwen2.5"])
    assert "All 2 files have nothing" in refusal(make_report, job, run(job))
    (tmp_path / "a.csv").write_text("text,lang\n", "utf-8")
    job = prepare([str(tmp_path / "a.csv")], ["qwen2.5"])
    assert "a.csv has no row with a text in its column text" in refusal(make_report, job, run(job))
    path.write_bytes(b"\xe5\xb9\n")
    job = prepare([str(path)], ["qwen2.5"], encoding="utf-8")
    assert "No document could be read. a.txt, line 1: byte 1 is not utf-8" in refusal(make_report, job, run(job))


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.sampled_from([0.5, 0.9, 0.99]))
def test_quantiles_are_numpy_s(lengths, share):
    wanted = np.percentile(lengths, 100 * share, method="inverted_cdf")
    assert quantile(Counter(lengths), share) == wanted
