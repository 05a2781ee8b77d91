"""The probes against small tables in which every answer can be worked out by hand or by an obvious loop."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib import probes, words
from demo_lib.problems import Problem
from tests.small_tables import ROYAL, TOKENS, cosine, royal, table


def by_hand(opened, vector, out, k=100):
    """(id, cosine) of all rows but `out`, best first."""
    rows = opened.rows(slice(None))
    scores = [(id, cosine(vector, row)) for id, row in enumerate(rows) if id not in out]
    return sorted(scores, key=lambda one: (-one[1], one[0]))[:k]


# A word


def test_a_word_is_looked_up_as_it_was_typed():
    opened = royal()
    word = probes.look_up("king", opened)
    assert (word.word, word.ids, word.pieces, word.row, word.whole) == ("king", (0,), ("king",), 0, True)
    assert word.vector.tolist() == opened.rows([0])[0].tolist()
    assert probes.look_up(" king", opened).row == TOKENS.index(" king")


def test_of_several_tokens_the_first_is_looked_up_or_the_mean():
    opened = royal()
    word = probes.look_up("kingapple", opened)
    assert (word.pieces, word.row, word.whole) == (("king", "apple"), 0, False)
    mean = probes.look_up("kingapple", opened, mean=True)
    assert mean.row is None
    np.testing.assert_allclose(mean.vector, opened.rows([0, TOKENS.index("apple")]).astype(np.float64).mean(0))
    assert probes.look_up("king", opened, mean=True).row == 0


def test_a_row_can_be_named_by_its_id_even_without_a_token():
    opened = royal()
    assert probes.look_up(7, opened).pieces == ("apple",)
    assert probes.look_up(17, opened).pieces == ("[17]",)
    for id in (19, -1):
        with pytest.raises(Problem, match="0 to 18"):
            probes.look_up(id, opened)


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("", "Write a word"),
        ("k" * 201, "201 characters"),
        ("\ud800", "surrogate"),
        (None, "must be a string"),
        (True, "string"),
    ],
)
def test_what_is_no_word_is_said(word, words):
    with pytest.raises(Problem, match=words):
        probes.look_up(word, royal())


def test_a_line_of_words_is_split():
    assert probes.split_words('北京， king;queen、 " today"\nman,,') == ["北京", "king", "queen", " today", "man"]
    assert probes.split_words(" , ") == []


# Neighbours


def test_neighbours_are_those_of_an_obvious_loop():
    opened = royal()
    (found,) = probes.neighbours("king", opened, k=5)
    hand = by_hand(opened, opened.rows([0])[0], {0, 16, 17, 18}, 5)
    assert [row.id for row in found.rows] == [id for id, _ in hand]
    np.testing.assert_allclose([row.score for row in found.rows], [score for _, score in hand], rtol=1e-12)
    for row in found.rows:
        assert row.piece == TOKENS[row.id]
        assert row.norm == pytest.approx(np.linalg.norm(opened.rows([row.id])))
    assert found.norm == pytest.approx(np.linalg.norm(opened.rows([0])))


def test_special_and_unused_rows_can_be_shown():
    (found,) = probes.neighbours("king", royal(), k=3, hide_special=False)
    assert {"<eos>", "[17]"} <= {
        row.piece for row in probes.neighbours("king", royal(), k=9, hide_special=False)[0].rows
    }
    assert found.rows[0].score > 0.99


def test_spellings_can_be_hidden():
    opened = royal()
    plain = {row.piece for row in probes.neighbours("king", opened, k=100)[0].rows}
    assert plain == set(TOKENS) - {"king"}
    hidden = {row.piece for row in probes.neighbours("king", opened, k=100, hide_variants=True)[0].rows}
    assert hidden == set(TOKENS) - {"king", " king", "KING", "ｋｉｎｇ"}


def test_of_a_neighbours_spellings_the_nearest_is_shown():
    rows = [row.piece for row in probes.neighbours("王", royal(), k=100, hide_variants=True)[0].rows]
    spellings = [row for row in rows if words.spelling(row.encode()) == "king"]
    assert len(spellings) == 1
    nearest = [row.piece for row in probes.neighbours("王", royal(), k=100)[0].rows]
    assert spellings[0] == next(row for row in nearest if words.spelling(row.encode()) == "king")


@pytest.mark.parametrize(
    ("script", "pieces"),
    [
        ("Han", {"国", "王"}),
        ("Kana", {"ばら", "バラ"}),
        ("Cyrillic", {"кот"}),
        ("Hangul", {"꽃"}),
        ("Latin", {"queen", "man", "woman", " king", "KING", "ｋｉｎｇ", "apple", "k"}),
        ("Thai", set()),
    ],
)
def test_a_script_can_be_asked_for(script, pieces):
    assert {row.piece for row in probes.neighbours("king", royal(), k=100, script=script)[0].rows} == pieces


def test_several_words_and_metrics_side_by_side():
    opened = royal()
    found = probes.neighbours(["king", "man"], opened, "dot", k=2)
    assert [one.word.word for one in found] == ["king", "man"]
    rows = opened.rows(slice(0, 16)).astype(np.float64)
    for one in found:
        scores = rows @ one.word.vector
        scores[one.word.row] = -np.inf
        assert [row.id for row in one.rows] == np.argsort(-scores, kind="stable")[:2].tolist()
    (far,) = probes.neighbours("king", opened, "euclidean", k=3)
    assert [row.score for row in far.rows] == sorted(row.score for row in far.rows)


def test_dot_favours_long_rows():
    opened = table([(1, 0), (1.01, 0.01), (9, 9)], ["a", "b", "c"])
    assert probes.neighbours("a", opened, "cosine", k=1)[0].rows[0].piece == "b"
    assert probes.neighbours("a", opened, "dot", k=1)[0].rows[0].piece == "c"


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"k": 0}, "1 to 100"), ({"k": 101}, "1 to 100"), ({"metric": "l1"}, "no metric"),
        ({"script": "Runes"}, "no script"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_said(how, words):
    with pytest.raises(Problem, match=words):
        probes.neighbours("king", royal(), **how)


@pytest.mark.parametrize("asked", [["w"] * 1 + [f"w{i}" for i in range(30)], [1.5], {"king"}])
def test_too_many_words_or_none_are_refused(asked):
    with pytest.raises(Problem, match="words"):
        probes.neighbours(asked, royal())
    with pytest.raises(Problem, match="Write a word to look up"):
        probes.neighbours([], royal())


def test_rows_for_a_program():
    opened = royal()
    (row,) = probes.neighbour_rows("king", opened, k=1)
    assert set(row) == {"id", "piece", "score", "norm"}
    assert row["id"] == probes.neighbours("king", opened, k=1)[0].rows[0].id
    table = probes.similarity_row(["king", "queen"], opened)
    assert table["words"] == ["king", "queen"]
    assert table["cosines"] == probes.similarity(["king", "queen"], opened).to_numpy().tolist()
    for wrong in (5, ["king"], None):
        with pytest.raises(Problem):
            probes.neighbour_rows(wrong, opened)


# Similarity


def test_similarity_is_the_cosine_of_each_pair():
    opened = royal()
    frame = probes.similarity(["king", "queen", "apple"], opened)
    assert list(frame.index) == list(frame.columns) == ["king", "queen", "apple"]
    for a in frame.index:
        for b in frame.columns:
            assert frame.loc[a, b] == pytest.approx(
                cosine(ROYAL[a] + (0.01 * TOKENS.index(a),), ROYAL[b] + (0.01 * TOKENS.index(b),)), abs=1e-6
            )
    assert (np.diag(frame) == 1).all()
    pd.testing.assert_frame_equal(frame, frame.T)


def test_a_row_of_zeros_is_like_nothing():
    opened = table([(0, 0), (1, 0)], ["a", "b"])
    assert probes.similarity(["a", "b"], opened).to_numpy().tolist() == [[0, 0], [0, 1]]
    assert probes.pair("a", "b", opened).cosine == 0


def test_a_pair_in_words():
    opened = table([(3, 0), (0, 4), (1, 1)], ["a", "b", "c"])
    found = probes.pair("a", "b", opened)
    assert (found.dot, found.norms, found.cosine, found.distance) == (0, (3, 4), 0, 5)
    assert found.angle == pytest.approx(90)
    assert probes.pair("a", "c", opened).angle == pytest.approx(45)


@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=2, max_size=6))
def test_dot_is_length_times_length_times_cosine(rows):
    opened = table(rows)
    found = probes.pair("w0", "w1", opened)
    assert found.dot == pytest.approx(found.norms[0] * found.norms[1] * found.cosine, abs=1e-9)
    squares = found.norms[0] ** 2 + found.norms[1] ** 2 - 2 * found.dot
    assert found.distance**2 == pytest.approx(squares, abs=1e-9)


# Analogies


def test_king_less_man_plus_woman_is_queen():
    opened = royal()
    found = probes.analogy("king", "man", "woman", opened, k=3)
    assert found.rows[0].piece == "queen"
    vector = opened.rows([0])[0].astype(np.float64) - opened.rows([2])[0] + opened.rows([3])[0]
    out = {TOKENS.index(token) for token in ("king", "man", "woman", " king", "KING", "ｋｉｎｇ")} | {16, 17, 18}
    hand = by_hand(opened, vector, out, 3)
    assert [row.id for row in found.rows] == [id for id, _ in hand]
    np.testing.assert_allclose([row.score for row in found.rows], [score for _, score in hand], rtol=1e-9)
    assert found.to_start == pytest.approx(cosine(vector, opened.rows([0])[0]))


def test_inputs_can_be_kept():
    opened = royal()
    kept = [row.piece for row in probes.analogy("king", "man", "woman", opened, True, k=15).rows]
    assert {"king", "man", "woman", " king"} <= set(kept)
    assert probes.analogy_rows("king", "man", "woman", opened, k=1)[0]["piece"] == "queen"


@pytest.mark.parametrize("seed", range(4))
def test_centred_takes_the_mean_away_from_rows_and_words(seed):
    random = np.random.default_rng(seed)
    rows = random.standard_normal((400, 16)) + 5 * random.standard_normal(16)
    opened = table(np.concatenate([rows, np.full((3, 16), 99)]), [f"w{i}" for i in range(400)])
    rows = opened.rows(slice(0, 400)).astype(np.float64)
    moved = rows - rows.mean(0)
    vector = moved[3] - moved[5] + moved[8]
    scores = [-2 if id in (3, 5, 8) else cosine(row, vector) for id, row in enumerate(moved)]
    order = np.argsort(-np.array(scores), kind="stable")[:6]
    found = probes.analogy("w3", "w5", "w8", opened, centred=True, k=6)
    assert [row.id for row in found.rows] == order.tolist()
    np.testing.assert_allclose([row.score for row in found.rows], np.array(scores)[order], atol=1e-9)


def test_words_that_cancel_out_are_said():
    opened = table([(1, 0), (2, 0), (1, 0), (0, 1)], ["a", "b", "c", "d"])
    with pytest.raises(Problem, match="cancel out"):
        probes.analogy("a", "b", "c", opened)
