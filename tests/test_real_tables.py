"""The figures of the real tables in the wheels."""

import numpy as np
import pytest

from demo_lib import parrot, probes

from .real_tables import real_table

pytestmark = pytest.mark.tables


@pytest.fixture
def gemma():
    return real_table("gemma-3-270m")


def test_words_of_the_lesson(gemma):
    assert probes.pair("今天", "明天", gemma).cosine == pytest.approx(0.524, abs=5e-4)
    assert probes.pair("今天", "公园", gemma).cosine == pytest.approx(0.283, abs=5e-4)
    rows = probes.neighbours("北京", gemma)[0].rows
    assert [(row.piece, round(row.score, 2)) for row in rows[:3]] == [("上海", 0.8), ("南京", 0.74), ("深圳", 0.74)]


@pytest.mark.parametrize("metric", probes.METRICS)
def test_neighbours_are_those_of_all_rows_in_float64(gemma, metric):
    probes.warm(gemma)
    ids = np.random.default_rng(0).integers(0, gemma.info.rows, 6).tolist()
    found = probes.neighbours(ids, gemma, metric, hide_special=False)
    vectors = gemma.rows(ids).astype(np.float64)
    scores = np.empty((len(ids), gemma.info.rows))
    for start in range(0, gemma.info.rows, 4096):
        rows = gemma.rows(slice(start, start + 4096)).astype(np.float64)
        for i, vector in enumerate(vectors):
            if metric == "euclidean":
                score = -np.sqrt(np.square(rows - vector).sum(1))
            else:
                score = (rows * vector).sum(1)
                if metric == "cosine":
                    score /= np.sqrt(np.square(rows).sum(1) * np.square(vector).sum())
            scores[i, start : start + 4096] = score
    scores[range(len(ids)), ids] = -np.inf
    for one, score in zip(found, scores, strict=True):
        assert [row.id for row in one.rows] == np.argsort(-score, kind="stable")[:10].tolist()


@pytest.mark.parametrize("space", ["", " "])
def test_king_less_man_plus_woman(gemma, space):
    for centred in (False, True):
        found = probes.analogy(f"{space}king", f"{space}man", f"{space}woman", gemma, centred=centred)
        assert found.rows[0].piece == f"{space}queen"


def test_the_parrot(gemma):
    said = parrot.parrot("今天天气不错，我们去公园", gemma)
    assert said.said == "公园" * 5
    assert all(step.rank == 1 for step in said.steps)


@pytest.mark.parametrize(
    ("key", "rate", "exceptions", "attractors"),
    [
        ("smollm2-135m", 0.10246, 44_116, {" strugg": 37_497, "<filename>": 4317}),
        ("gemma-3-270m", 0.97928, 5431, {"<unused5331>": 2326, "<unused4232>": 1992, "<unused6017>": 1029}),
    ],
)
def test_the_parrot_rate(key, rate, exceptions, attractors):
    table = real_table(key)
    found = parrot.parrot_rate(table)
    assert (round(found.rate, 5), found.exceptions, found.tokens) == (rate, exceptions, table.info.rows)
    assert {one.piece: one.count for one in found.attractors[: len(attractors)]} == attractors
    assert sum(one.count for one in found.attractors) == exceptions
    assert found.cycles == ()
    # a slice against all products
    ids = np.random.default_rng(1).integers(0, table.info.rows, 64)
    best, won = np.full(len(ids), -np.inf), np.zeros(len(ids), int)
    vectors = table.rows(ids).astype(np.float64)
    for start in range(0, table.info.rows, 8192):
        scores = vectors @ table.rows(slice(start, start + 8192)).astype(np.float64).T
        better = scores.max(1) > best + 1e-12
        best[better], won[better] = scores.max(1)[better], start + scores.argmax(1)[better]
    assert found.winners[ids].tolist() == won.tolist()
