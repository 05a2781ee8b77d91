"""The map of words, and the table as a whole, against the definitions."""

import numpy as np
import pytest

from demo_lib import probes
from demo_lib.problems import Problem
from tests.small_tables import cosine, royal, table


def test_the_map_is_a_principal_component_analysis():
    random = np.random.default_rng(5)
    rows = random.standard_normal((12, 6)) * [5, 3, 1, 1, 0.5, 0.1]
    opened = table(rows)
    found = probes.points([f"w{i}" for i in range(12)], opened)
    rows = opened.rows(slice(None)).astype(np.float64)
    centred = rows - rows.mean(0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    expected = centred @ vectors[:, ::-1][:, :2]
    places = found.points[["x", "y"]].to_numpy()
    np.testing.assert_allclose(np.abs(places), np.abs(expected), atol=1e-9)
    np.testing.assert_allclose(found.explained, values[::-1][:2] / values.sum())
    # the sign is not chance: turning all rows round turns the map round
    turned = probes.points([f"w{i}" for i in range(12)], table(rows[:, ::-1]))
    np.testing.assert_allclose(turned.points[["x", "y"]], places, atol=1e-6)
    assert found.points["id"].tolist() == list(range(12))
    np.testing.assert_allclose(found.points["norm"], np.linalg.norm(rows, axis=1))


def test_the_map_shows_neighbours_once_and_says_whose():
    frame = probes.points(["king", "apple"], royal(), 3).points
    assert frame["id"].is_unique
    near = [row.id for row in probes.neighbours("king", royal(), k=3)[0].rows]
    assert frame[frame["of"] == "king"]["id"].tolist() == near
    assert frame[frame["of"] == ""]["label"].tolist() == ["king", "apple"]


def test_axes_that_are_named_put_their_words_at_0_and_1():
    opened = royal()
    found = probes.points(["king", "queen", "man", "woman"], opened, axes=[("man", "woman"), ("man", "king")])
    places = {row.label: (row.x, row.y) for row in found.points.itertuples()}
    assert places["man"] == pytest.approx((0, 0), abs=1e-9)
    assert places["woman"][0] == pytest.approx(1)
    assert places["king"][1] == pytest.approx(1)
    assert places["queen"] == pytest.approx((1, 1), abs=0.02)
    assert found.axes == ("man → woman", "man → king")
    assert found.between == pytest.approx(
        cosine(opened.rows([3])[0] - opened.rows([2])[0], opened.rows([0])[0] - opened.rows([2])[0]), abs=1e-6
    )
    assert found.explained[0] == pytest.approx(1, abs=1e-3)  # the rows lie almost in that plane


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"axes": [("man", "man"), ("man", "king")]}, "same row"), ({"axes": [("man", "king")]}, "two axes"),
        ({"axes": [("man", 2), ("man", "king")]}, "same row"),
        ({"axes": "day"}, "two axes"), ({"neighbours": 11}, "0 to 10"),
    ],
)  # fmt: skip
def test_a_map_that_cannot_be_drawn_is_said(how, words):
    with pytest.raises(Problem, match=words):
        probes.points(["king", "queen"], royal(), **how)


def test_two_rows_with_the_same_numbers_are_not_called_one_row():
    opened = table([(1, 0), (1, 0), (0, 1)])
    with pytest.raises(Problem, match="“w0” and “w1” have the same numbers"):
        probes.points(["w0", "w2"], opened, axes=[("w0", "w1"), ("w0", "w2")])


def test_a_map_of_one_word_takes_neighbours_and_one_of_two_is_a_line():
    with pytest.raises(Problem, match="2 to 30 words; here is 1"):
        probes.points(["king"], royal())
    near = [row.id for row in probes.neighbours("king", royal(), k=4)[0].rows]
    assert probes.points(["king"], royal(), 4).points["id"].tolist()[1:] == near
    found = probes.points(["king", "queen"], royal())
    assert found.explained == pytest.approx((1, 0), abs=1e-12)


# The table as a whole


def test_facts_are_counted_and_the_ends_named():
    opened = royal()
    found = probes.facts(opened, most=3)
    norms = np.linalg.norm(opened.rows(slice(None)), axis=1)
    assert (found.rows, found.dim, found.unused) == (19, 3, 2)
    assert [row.id for row in found.longest] == np.argsort(-norms, kind="stable")[:3].tolist()
    assert [row.piece for row in found.shortest] == ["man", "woman", "apple"]
    frame = found.histogram
    assert (frame["tokens"].sum(), frame["unused"].sum()) == (17, 2)
    for row in frame.itertuples():
        inside = (norms[:17] >= row.low) & (norms[:17] < row.high)
        assert row.tokens in (inside.sum(), inside.sum() + (row.high >= norms.max()))


def test_the_mean_cosine_is_that_of_all_pairs_within_its_error():
    random = np.random.default_rng(6)
    rows = random.standard_normal((300, 8)) + 0.5
    opened = table(np.concatenate([rows, np.zeros((2, 8))]), [f"w{i}" for i in range(302)])
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = (units @ units.T)[~np.eye(300, dtype=bool)]
    found = probes.facts(opened, pairs=5000, seed=1)
    assert abs(found.mean_cosine - cosines.mean()) < 4 * found.standard_error
    assert found.standard_error == pytest.approx(cosines.std() / 5000**0.5, rel=0.1)
    assert probes.facts(opened, pairs=5000, seed=1).mean_cosine == found.mean_cosine


def test_rows_of_one_length_or_none_are_one_bar():
    for rows, length in ((np.zeros((5, 2)), 0), (np.eye(5), 1)):
        found = probes.facts(table(rows))
        assert found.histogram.to_dict("records") == [{"low": length, "high": length, "tokens": 5, "unused": 0}]
        assert np.isnan(found.mean_cosine) == (length == 0)
    near = probes.facts(table(np.diag([1, 1, 1 + 2e-7])))  # bins narrower than float32 can tell apart
    assert near.histogram["tokens"].sum() == 3


def test_lengths_are_those_of_rows_with_a_token():
    assert probes.lengths(table([(3, 4), (0, 1), (9, 9)], ["a", "b"])) == (1, 5)
