"""Lookup as a product, and shapes against numpy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib import indexing as room
from demo_lib.problems import Problem
from tests.small_tables import table


@pytest.mark.parametrize("dtype", ["BF16", "Q8_0"])
def test_a_one_hot_product_is_a_lookup(monkeypatch, dtype):
    monkeypatch.setattr(room, "BLOCK", 64)
    opened = table(np.random.default_rng(0).standard_normal((500, 32)), dtype=dtype)
    found = room.one_hot([5, 499, 5, 0], opened)
    assert found.equal
    assert (found.one_hot_shape, found.table_shape, found.shape) == ((4, 500), (500, 32), (4, 32))
    assert found.multiplications == 4 * 500 * 32
    assert found.zero_share == 1 - 1 / 500
    ones = np.zeros((4, 500))
    ones[range(4), [5, 499, 5, 0]] = 1
    assert (ones == 0).mean() == pytest.approx(found.zero_share)
    assert min(found.product_seconds, found.lookup_seconds) > 0


def test_a_product_that_differs_would_be_seen(monkeypatch):
    import torch

    monkeypatch.setattr(torch, "from_numpy", lambda array: torch.tensor(array) * 1.5)
    assert not room.one_hot([1], table(np.ones((9, 4)))).equal


@pytest.mark.parametrize("ids", [[], [0] * 65, [9], [-1]])
def test_ids_that_there_are_not_are_refused(ids):
    with pytest.raises(Problem):
        room.one_hot(ids, table(np.ones((9, 4))))


@pytest.mark.parametrize(
    ("expression", "shape", "x", "answer"),
    [
        ("C[5]", (128_256, 4096), "", (4096,)),
        ("C[5:6]", (128_256, 4096), "", (1, 4096)),
        ("C[X]", (128_256, 4096), "[5]", (5, 4096)),
        ("E[X]", (248_320, 1024), "[1, 6]", (1, 6, 1024)),
        (" C [ X ] ", (27, 2), "228146 x 3", (228_146, 3, 2)),
        ("C[X]", (27, 2), "()", (2,)),
        ("C[:, 0]", (27, 2), "", (27,)),
        ("C[-1]", (27, 2), "", (2,)),
        ("C[..., 1]", (4, 5, 6), "", (4, 5)),
        ("C[None]", (27, 2), "", (1, 27, 2)),
        ("C[::2]", (27, 2), "", (14, 2)),
        ("C[5, 1]", (27, 2), "", ()),
        ("C[:, X, ..., 1]", (1, 2, 3), "[6]", (6, 1)),  # the ellipsis stands for nothing, and between
        ("C［5：6］", "［27， 2］", "", (1, 2)),
        ("C［…，－1］", "27×2", "", (27,)),
        ("C[X]", (0, 2), "[0]", (0, 2)),
    ],
)
def test_shapes_of_the_lesson(expression, shape, x, answer):
    assert room.index_shape(expression, shape, x) == answer


bound = st.none() | st.integers(-7, 7)
part = st.one_of(
    st.integers(-7, 7).map(str),
    st.tuples(bound, bound).map(lambda b: ":".join("" if v is None else str(v) for v in b)),
    st.tuples(bound, bound, bound).map(lambda b: ":".join("" if v is None else str(v) for v in b)),
    st.sampled_from(["X", "...", "None", ":", "X"]),
)


@given(
    st.lists(part, min_size=1, max_size=4),
    st.lists(st.integers(0, 5), max_size=3),
    st.lists(st.integers(1, 3), max_size=2),
)
def test_any_index_is_numpys(parts, shape, x):
    index = tuple(eval(f"numpy.s_[{one}]", {"numpy": np, "X": np.zeros(x, int)}) for one in parts)
    try:
        answer = np.empty(shape)[index].shape
    except (IndexError, ValueError) as error:
        answer = error
    try:
        ours = room.index_shape(f"C[{', '.join(parts)}]", shape, x)
    except Problem:
        assert isinstance(answer, Exception)
    else:
        assert ours == answer


def test_an_axis_without_entries_is_called_that():
    for expression in ("C[5]", "C[0]", "C[X]"):
        with pytest.raises(Problem, match="axis 0 of C has no entries"):
            room.index_shape(expression, (0, 2), "[3]")


@pytest.mark.parametrize(
    "expression",
    ["C[5", "5", "C[]", "C[a]", "C[__import__('os')]", "C[1.5]", "C[1][2]", "C[1:2:0]", "C[27]", "C[-28]", "C[1,2,3]",
     "C[...,...]", "C[X.x]", "C[" + "1" * 90 + "]", "", None, "C[1 2]", "C[1;2]", "C[99999999999999999999]"],
)  # fmt: skip
def test_what_is_no_index_is_said(expression):
    with pytest.raises(Problem):
        room.index_shape(expression, (27, 2), "[3]")


@pytest.mark.parametrize("shape", ["a", "[-1]", "[1.5]", [1] * 9, "[99999999999999]", [10**6, 10**7], "[1, , 2]"])
def test_what_is_no_shape_is_said(shape):
    with pytest.raises(Problem):
        room.read_shape(shape)


@pytest.mark.parametrize(
    ("typed", "shape"),
    [
        ("[1, 6]", (1, 6)),
        ("(5,)", (5,)),
        ("5", (5,)),
        ("torch.Size([1, 6])", (1, 6)),
        ("1 6", (1, 6)),
        ([2, 3], (2, 3)),
        ("", ()),
    ],
)
def test_shapes_as_people_type_them(typed, shape):
    assert room.read_shape(typed) == shape
