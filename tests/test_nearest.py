"""Nearest neighbours against the obvious: a float64 comparison with every row."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib import int8
from demo_lib import nearest as room
from demo_lib.problems import Problem
from tests.small_tables import table

METRICS = ["cosine", "dot", "euclidean"]
TYPES = ["BF16", "F16", "F32", "Q8_0"]


def values(rows: int, dim: int, seed: int = 0) -> np.ndarray:
    """Rows with near neighbours, equal rows, opposite rows, multiples and a row of zeros, of lengths 0 to 100."""
    random = np.random.default_rng(seed)
    rows_of = random.standard_normal((rows, dim)) * random.choice([0.01, 1, 1, 10], (rows, 1))
    rows_of[rows // 2 :] = rows_of[: rows - rows // 2] + 1e-3 * random.standard_normal((rows - rows // 2, dim))
    rows_of[5], rows_of[9], rows_of[11], rows_of[13] = rows_of[2], rows_of[2], -rows_of[2], 2 * rows_of[2]
    rows_of[7] = 0
    return rows_of


def brute(opened, vector, k, metric, exclude=None):
    """Every row, in float64, a row at a time."""
    vector = np.asarray(vector, np.float64)
    scores = []
    for row in opened.rows(slice(None)).astype(np.float64):
        if metric == "euclidean":
            scores.append(-np.sqrt(np.square(row - vector).sum()))
        else:
            lengths = np.sqrt(np.square(row).sum() * np.square(vector).sum()) or 1
            scores.append((row * vector).sum() / (lengths if metric == "cosine" else 1))
    order = [id for id in np.argsort(-np.array(scores), kind="stable") if exclude is None or not exclude[id]][:k]
    return order, [abs(scores[id]) if metric == "euclidean" else scores[id] for id in order]


@pytest.fixture(params=["plain", "int8", "turned"])
def prepared(request, monkeypatch):
    """Opens a table, and has it answered by one of the screens for certain; `turned` is int8 with short tails."""
    monkeypatch.setattr(room._Searcher, "start", lambda self: None)
    if request.param == "turned":
        monkeypatch.setattr(int8, "PIECE", 30)

    def prepare(opened):
        if request.param != "plain":
            assert room.warm(opened)
        screen = room._searcher(opened).screen
        assert isinstance(screen, room._Plain if request.param == "plain" else int8.Int8)
        assert request.param != "turned" or screen(np.eye(1, opened.info.dim))[0].closer
        return opened

    return prepare


def same(opened, vector, k, metric, exclude=None):
    (hits,) = room.nearest(opened, vector, k, metric, exclude=exclude)
    ids, scores = brute(opened, vector, k, metric, exclude)
    assert hits.ids.tolist() == ids
    np.testing.assert_allclose(hits.scores, scores, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("metric", METRICS)
def test_equals_a_comparison_with_every_row(prepared, metric, dtype):
    opened = prepared(table(values(2000, 96), dtype=dtype))
    for id in (0, 2, 5, 11, 13, 1003, 1999):
        same(opened, opened.rows([id])[0], 10, metric)
    same(opened, np.random.default_rng(1).standard_normal(96), 10, metric)


@pytest.mark.parametrize("metric", METRICS)
def test_equals_it_where_rows_are_excluded_and_for_any_k(prepared, metric):
    opened = prepared(table(values(700, 32)))
    exclude = np.random.default_rng(2).random(700) < 0.5
    for k in (1, 2, 63, 300, 700, 10_000):
        same(opened, opened.rows([3])[0], k, metric, exclude)
        same(opened, opened.rows([3])[0], k, metric)


def test_all_but_a_few_rows_are_excluded(prepared):
    opened = prepared(table(values(3000, 32)))
    exclude = np.ones(3000, bool)
    exclude[[3, 67, 131]] = False
    for k in (1, 3, 5):
        same(opened, opened.rows([3])[0], k, "cosine", exclude)


def test_more_rows_than_one_packed_matrix_and_more_candidates_than_are_scored_at_once(prepared, monkeypatch):
    monkeypatch.setattr(int8, "SHARD", 100_000)
    monkeypatch.setattr(int8, "BLOCK", 100)
    random = np.random.default_rng(3)
    crowd = random.standard_normal(64) + 1e-4 * random.standard_normal((5000, 64))
    opened = prepared(table(crowd, dtype="F32"))
    for metric in METRICS:
        same(opened, opened.rows([17])[0], 20, metric)


@given(st.integers(0, 2**32), st.integers(1, 12), st.sampled_from(METRICS), st.integers(1, 8))
def test_any_small_table(seed, rows, metric, k):
    """Few values, so that ties are common; they go to the lowest id."""
    random = np.random.default_rng(seed)
    opened = table(random.integers(-2, 3, (rows, 3)))
    vector = random.integers(1, 3, 3)
    same(opened, vector, k, metric)
    room.warm(opened)
    same(opened, vector, k, metric)


def test_ties_go_to_the_lowest_id(prepared):
    opened = prepared(table(np.ones((300, 32))))
    for metric in METRICS:
        (hits,) = room.nearest(opened, np.ones(32), 5, metric)
        assert hits.ids.tolist() == [0, 1, 2, 3, 4]


def test_several_queries_are_answered_apart(prepared):
    opened = prepared(table(values(500, 32)))
    vectors = opened.rows([1, 40, 9])
    together = room.nearest(opened, vectors, 6, "dot")
    for hits, vector in zip(together, vectors, strict=True):
        (alone,) = room.nearest(opened, vector, 6, "dot")
        assert hits.ids.tolist() == alone.ids.tolist()
        assert hits.scores.tolist() == alone.scores.tolist()


def test_a_query_of_zeros_has_distances_but_no_cosines(prepared):
    opened = prepared(table(values(300, 32)))
    same(opened, np.zeros(32), 3, "euclidean")
    same(opened, np.zeros(32), 3, "dot")
    with pytest.raises(Problem, match="no direction"):
        room.nearest(opened, np.zeros(32))


def test_nothing_is_left_to_find(prepared):
    opened = prepared(table(values(100, 32)))
    (hits,) = room.nearest(opened, np.ones(32), exclude=np.ones(100, bool))
    assert hits.ids.size == hits.scores.size == 0


@pytest.mark.parametrize(
    ("vector", "metric", "words"),
    [(np.ones(31), "cosine", "has 31 numbers"), (np.ones(32), "manhattan", "is no metric")],
)
def test_what_cannot_be_answered_is_said(vector, metric, words):
    with pytest.raises(Problem, match=words):
        room.nearest(table(values(100, 32)), vector, metric=metric)


@pytest.mark.parametrize("dim", [2, 32, 96, 511, 512, 513, 576, 640, 768, 769, 1024])
@pytest.mark.parametrize("rows", [14, 3031])
def test_the_bounds_of_the_int8_copy_hold_for_each_row(dim, rows, monkeypatch):
    monkeypatch.setattr(int8, "SHARD", 400 * 512)
    monkeypatch.setattr(int8, "BLOCK", 100)
    random = np.random.default_rng(dim)
    opened = table(random.standard_normal((rows, dim)) * random.uniform(0, 1, dim) + 0.3)
    units = opened.rows(slice(0, rows, max(1, rows // 3))).astype(np.float64)[:3]
    units[2] = random.standard_normal(dim)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    whole = opened.rows(slice(None)).astype(np.float64)
    whole /= np.linalg.norm(whole, axis=1, keepdims=True)
    for rough, true in zip(int8.Int8(opened)(units), units @ whole.T, strict=True):
        ids = random.permutation(rows)[: rows // 2]
        assert (rough.closer is not None) == (dim in (513, 576, 640, 768))
        closer, errors = rough.closer(ids) if rough.closer else (rough.cosines[ids], rough.errors[ids])
        assert errors.max() < 0.05
        assert (errors <= rough.errors[ids]).all()
        for cosines, bounds, right in ((rough.cosines, rough.errors, true), (closer, errors, true[ids])):
            off = np.abs(cosines - right)
            assert (off <= bounds + room.rounding(dim)).all()
            assert np.median(off / bounds) > 0.005  # and is not so wide that it says nothing


def test_without_the_quantized_product_the_table_itself_is_read(monkeypatch):
    import torch

    name = "linear_with_input_q_dq_qweight_dq_output_fp32"
    monkeypatch.setattr(torch.ops.quantized, name, lambda *_: (_ for _ in ()).throw(RuntimeError("gone")))
    opened = table(values(300, 32))
    assert not room.warm(opened)
    same(opened, opened.rows([4])[0], 5, "cosine")


def test_a_product_that_saturates_is_found_out(monkeypatch):
    import torch

    name = "linear_with_input_q_dq_qweight_dq_output_fp32"
    true = getattr(torch.ops.quantized, name)
    monkeypatch.setattr(torch.ops.quantized, name, lambda *args: true(*args).clamp(-30_000, 30_000))
    assert not room.warm(table(values(300, 256)))


def test_the_first_search_has_the_copy_made(monkeypatch):
    begun = threading.Event()
    monkeypatch.setattr(room, "PAUSE", 0.01)
    monkeypatch.setattr(room._Searcher, "make", lambda self: begun.set())
    room.nearest(table(values(100, 32)), np.ones(32))
    assert begun.wait(10)


@pytest.mark.parametrize("dtype", TYPES)
def test_dots_and_ranks(dtype):
    opened = table(values(1500, 64), dtype=dtype)
    rows = opened.rows(slice(None)).astype(np.float64)
    scores = room.dots(opened, opened.rows([2, 1400]))
    np.testing.assert_allclose(scores, rows[[2, 1400]] @ rows.T, atol=1e-4 * np.abs(scores).max())
    for row, vector in zip(scores, rows[[2, 1400]], strict=True):
        order, _ = brute(opened, vector, 1500, "dot")
        for id in (2, 5, 9, 11, 13, 700, 1400):
            assert room.rank(opened, vector, id, row) == order.index(id)
