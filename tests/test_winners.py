"""The winner of each row against all products, in float64, a row at a time."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib import winners as room
from demo_lib.problems import Problem
from tests.small_tables import table


def brute(opened) -> list[int]:
    rows = opened.rows(slice(None)).astype(np.float64)
    return [int(np.argmax((rows * row).sum(1))) for row in rows]


def check(opened) -> None:
    expected = np.array(brute(opened))
    assert room.winners(opened).tolist() == expected.tolist()
    beaten = room.winners(opened, only_repeats=True)
    own = np.arange(len(expected))
    assert ((beaten == own) == (expected == own)).all()
    rows = opened.rows(slice(None)).astype(np.float64)
    for i in np.flatnonzero(beaten != own):
        assert ((rows[i] * rows[beaten[i]]).sum(), -beaten[i]) > ((rows[i] * rows[i]).sum(), -i)


def rows_of(kind: str, count: int, dim: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    rows = random.standard_normal((count, dim))
    if kind == "narrow":  # nearly equal lengths, as Gemma's; with a crowd of near copies, as its unused rows
        rows[: count // 4] = rows[0] + 0.02 * random.standard_normal((count // 4, dim))
        rows *= (1 + 0.01 * random.standard_normal((count, 1))) / np.linalg.norm(rows, axis=1, keepdims=True)
    if kind == "wide":  # a common direction and some long rows, as SmolLM2's
        rows = rows + 2 * random.standard_normal(dim)
        rows[random.integers(count, size=5)] *= 4
    if kind == "equal":
        rows[:] = rows[0]
    if kind == "copies":
        rows = rows[random.integers(count // 3, size=count)]
    if kind == "zeros":
        rows[random.random(count) < 0.3] = 0
    return rows


KINDS = ["plain", "narrow", "wide", "equal", "copies", "zeros"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["BF16", "Q8_0"])
def test_equals_all_products(kind, dtype):
    check(table(rows_of(kind, 700, 32), dtype=dtype))


@pytest.mark.parametrize("kind", KINDS)
def test_equals_them_in_many_small_bands_blocks_and_slabs(kind, monkeypatch):
    for name, value in {"BLOCK": 16, "FIRST": 8, "BAND": 64, "SLAB": 8, "SAMPLE": 50, "COORDINATES": 3}.items():
        monkeypatch.setattr(room, name, value)
    check(table(rows_of(kind, 300, 24, 1)))


def test_equals_them_where_the_pairs_are_settled_on_the_way(monkeypatch):
    monkeypatch.setattr(room, "MANY", 40)
    for kind in ("wide", "equal", "copies"):
        check(table(rows_of(kind, 300, 16, 2)))


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 4))
def test_any_small_table_with_many_ties(seed, rows, dim):
    random = np.random.default_rng(seed)
    check(table(random.integers(-2, 3, (rows, dim)), [f"w{i}" for i in range(rows)]))


def test_most_products_are_not_done(monkeypatch):
    """Or it would be right and slow: counted are the float32 products of whole rows."""
    done = []
    true = room._Search._found_by
    monkeypatch.setattr(
        room._Search, "_found_by", lambda self, i, j, scores: (done.append(scores.size), true(self, i, j, scores))
    )
    room.winners(table(rows_of("narrow", 3000, 64)))
    assert 0 < sum(done) < 0.12 * 3000**2  # the crowd with itself is 1/16


def test_progress_reaches_the_end_and_never_goes_back():
    seen = []
    room.winners(table(rows_of("plain", 2000, 16)), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2000, 2000)
    assert seen == sorted(seen)
    assert len({done for done, _ in seen}) > 5


def test_it_stops_when_told():
    stop = threading.Event()
    seen = []

    def progress(done, total):
        seen.append(done)
        if len(seen) == 3:
            stop.set()

    with pytest.raises(Problem, match="stopped"):
        room.winners(table(rows_of("plain", 2000, 16)), progress=progress, cancel=stop)
    assert len(seen) == 3
