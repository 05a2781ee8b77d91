"""The model with no layers against the plain computation: x E^T, softmax, argmax."""

import math
import threading

import numpy as np
import pytest

from demo_lib import parrot as room
from demo_lib import parrot_rate
from demo_lib.problems import Problem
from tests.small_tables import table

TOKENS = ["the", " park", "公园", "去", "long"]
ROWS = np.array([[1, 0, 0.1], [0, 1, 0.2], [0.5, 0.5, 1], [0.3, 0.1, 0.2], [3, 3, 0]])
OTHER = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 2, 0], [0, 0, 0.5]])


def opened(**how):
    return table(ROWS, TOKENS, **how)


def softmax(logits):
    weights = np.exp(np.array(logits, np.float64) - np.max(logits))
    return weights / weights.sum()


def rows(opened) -> np.ndarray:
    return opened.rows(slice(None)).astype(np.float64)


def test_a_step_is_the_last_row_times_all_rows():
    small = opened()
    said = room.parrot("the公园", small, steps=1)
    assert (said.ids, said.pieces, said.shape, said.logits_shape) == ((0, 2), ("the", "公园"), (2, 3), (2, 5))
    logits = rows(small) @ rows(small)[2]
    order = np.argsort(-logits, kind="stable")
    (step,) = said.steps
    assert [one.id for one in step.top] == order.tolist()
    np.testing.assert_allclose([one.logit for one in step.top], logits[order], rtol=1e-12)
    np.testing.assert_allclose([one.probability for one in step.top], softmax(logits)[order], rtol=1e-5)
    assert (step.input.id, step.rank) == (2, order.tolist().index(2) + 1)
    assert step.chosen == step.top[0]
    assert step.chosen.piece == "long"


def test_only_the_last_token_counts_and_it_repeats_if_it_is_its_own_winner():
    small = table(np.eye(5), TOKENS)
    assert room.parrot("the park公园", small).said == "公园" * 5
    assert room.parrot("去公园", small).steps == room.parrot("公园", small).steps
    assert room.parrot("公园 park", small, steps=3).new_ids == (1, 1, 1)


def test_a_longer_row_wins_until_rows_are_divided_by_their_lengths():
    small = opened()
    assert room.parrot("公园", small, steps=2).said == "longlong"
    said = room.parrot("公园", small, steps=2, cosine=True)
    assert said.said == "公园公园"
    matrix = rows(small)
    units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    logits = units @ units[2]
    order = np.argsort(-logits, kind="stable")
    assert [one.id for one in said.steps[0].top] == order.tolist()
    np.testing.assert_allclose([one.logit for one in said.steps[0].top], logits[order], rtol=1e-6)
    np.testing.assert_allclose([one.probability for one in said.steps[0].top], softmax(logits)[order], rtol=1e-5)
    assert said.steps[0].rank == 1
    assert said.steps[0].input.logit == pytest.approx(1, abs=1e-15)
    normed = room.parrot("公园", small, steps=1, cosine=True, rms_norm=True).steps[0]
    np.testing.assert_allclose([one.logit for one in normed.top], logits[order], rtol=1e-12)


def test_rms_norm_keeps_the_order_and_changes_the_probabilities():
    small = opened()
    plain, normed = (room.parrot("公园", small, steps=1, rms_norm=how).steps[0] for how in (False, True))
    assert [one.id for one in plain.top] == [one.id for one in normed.top]
    x = rows(small)[2]
    logits = rows(small) @ (x / np.sqrt(np.mean(x**2) + 1e-6))
    np.testing.assert_allclose([one.logit for one in normed.top], np.sort(logits)[::-1], rtol=1e-6)
    np.testing.assert_allclose([one.probability for one in normed.top], np.sort(softmax(logits))[::-1], rtol=1e-5)


def test_the_separate_output_table_is_used_where_there_is_one():
    untied = table(ROWS, TOKENS, output=OTHER)
    said = room.parrot("公园", untied, steps=1, output=True)
    logits = OTHER @ ROWS[2].astype(np.float32)
    assert [one.id for one in said.steps[0].top] == np.argsort(-logits, kind="stable").tolist()
    assert said.steps[0].rank == np.argsort(-logits, kind="stable").tolist().index(2) + 1
    assert room.parrot("公园", untied, steps=1).steps == room.parrot("公园", opened(), steps=1).steps
    with pytest.raises(Problem, match="is tied"):
        room.parrot("公园", opened(), output=True)


def test_ties_go_to_the_lowest_id():
    small = table(np.ones((5, 3)), TOKENS)
    step = room.parrot("公园", small, steps=1).steps[0]
    assert [one.id for one in step.top] == [0, 1, 2, 3, 4]
    assert (step.chosen.id, step.rank) == (0, 3)


@pytest.mark.parametrize(("temperature", "top_k"), [(1, None), (0.5, None), (2, 2), (1, 4)])
def test_samples_follow_the_probabilities(temperature, top_k):
    small = opened()
    logits = rows(small) @ rows(small)[2]
    expected = softmax(logits / temperature)
    if top_k:
        expected[np.argsort(-logits, kind="stable")[top_k:]] = 0
        expected /= expected.sum()
    (step,) = room.parrot("公园", small, 1, temperature, top_k).steps
    shown = {one.id: one.probability for one in step.top}
    np.testing.assert_allclose([shown[id] for id in range(5)], expected, rtol=1e-12, atol=0)
    assert (step.input.probability, step.chosen.probability) == (shown[2], shown[step.chosen.id])
    drawn = [room.parrot("公园", small, 1, temperature, top_k, seed).new_ids[0] for seed in range(500)]
    share = np.bincount(drawn, minlength=5) / 500
    assert (share[expected == 0] == 0).all()
    np.testing.assert_allclose(share, expected, atol=4 * 0.5 / 500**0.5)


def test_the_smallest_temperature_is_nearly_greedy():
    for temperature in (1e-9, 5e-324):
        (step,) = room.parrot("公园", opened(), 1, temperature).steps
        assert [one.probability for one in step.top] == [1, 0, 0, 0, 0]


def test_a_seed_says_the_same_again():
    small = opened()
    assert room.parrot("去", small, 20, 1, seed=5).new_ids == room.parrot("去", small, 20, 1, seed=5).new_ids
    assert len({room.parrot("去", small, 20, 1, seed=seed).new_ids for seed in range(5)}) > 1


def test_rows_without_a_token_take_part_and_say_nothing():
    small = table(np.concatenate([ROWS, [[9, 9, 9]]]), TOKENS)
    said = room.parrot("公园", small, steps=2)
    assert said.new_ids == (5, 5)
    assert said.said == ""
    assert said.steps[0].chosen.piece == "[5]"


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"text": ""}, "Write a text"),
        ({"text": "去" * 2001}, "2,001 characters"),
        ({"steps": 0}, "1 to 50"),
        ({"steps": True}, "1 to 50"),
        ({"temperature": -1}, "temperature"),
        ({"temperature": math.nan}, "temperature"),
        ({"temperature": 1, "top_k": 0}, "top-k"),
    ],
)
def test_what_cannot_be_said_is_said(how, words):
    with pytest.raises(Problem, match=words):
        room.parrot(**({"text": "去", "table": opened()} | how))


def test_the_answer_for_a_program():
    row = room.parrot_row("公园", opened(), steps=2)
    assert set(row) == {"ids", "text", "steps"}
    assert row["ids"] == [4, 4]
    assert set(row["steps"][0]["top"][0]) == {"id", "piece", "logit", "probability"}


# The rate


def test_the_rate_counts_tokens_and_names_attractors():
    small = table(np.concatenate([ROWS, [[0.1, 0.1, 0]]]), TOKENS)
    rate = room.parrot_rate(small)
    matrix = rows(small)
    won = (matrix @ matrix.T).argmax(1)
    failing = [id for id in range(5) if won[id] != id]
    assert rate.winners.tolist() == won.tolist()
    assert (rate.tokens, rate.exceptions, rate.rate) == (5, len(failing), 1 - len(failing) / 5)
    assert sum(one.count for one in rate.attractors) == len(failing)
    assert rate.attractors[0] == room.Attractor(4, "long", 4, pytest.approx(math.sqrt(18)))
    assert rate.cycles == ()
    beaten = room.beaten(rate, small)
    assert [one.id for one in beaten] == failing
    for one in beaten:
        assert one.winner_logit == pytest.approx((matrix[one.id] * matrix[one.winner]).sum())
        assert one.winner_logit > one.logit == pytest.approx((matrix[one.id] ** 2).sum())
    assert room.beaten(rate, small, attractor=0) == []
    row = room.rate_row(rate)
    assert (row["exceptions"], row["attractors"][0]["piece"]) == (4, "long")


def test_the_count_alone_is_the_same(monkeypatch):
    small = table(np.random.default_rng(3).standard_normal((200, 8)) * 3)
    alone = room.parrot_rate(small, attractors=False)
    whole = room.parrot_rate(small)
    assert (alone.rate, alone.exceptions) == (whole.rate, whole.exceptions)
    assert 0 < whole.rate < 1
    assert alone.attractors == ()


def test_it_is_counted_once_for_the_same_numbers(monkeypatch):
    values = np.random.default_rng(4).standard_normal((150, 8))
    first = room.parrot_rate(table(values))
    calls = []
    true = parrot_rate.winners
    monkeypatch.setattr(parrot_rate, "winners", lambda *a, **how: (calls.append(1), true(*a, **how))[1])
    assert room.parrot_rate(table(values)).winners.tolist() == first.winners.tolist()
    assert room.parrot_rate(table(values), attractors=False).exceptions == first.exceptions
    assert not calls
    room.parrot_rate(table(values + 1))
    assert calls


def test_it_stops_when_told_and_can_be_asked_again(monkeypatch):
    values = np.random.default_rng(5).standard_normal((150, 8))
    stop, begun = threading.Event(), threading.Event()
    true = parrot_rate.winners

    def slow(*args, cancel, **how):
        begun.set()
        assert cancel.wait(20)
        return true(*args, cancel=cancel, **how)

    monkeypatch.setattr(parrot_rate, "winners", slow)
    threading.Thread(target=lambda: (begun.wait(20), stop.set())).start()
    with pytest.raises(Problem, match="count was stopped"):
        room.parrot_rate(table(values), cancel=stop)
    monkeypatch.setattr(parrot_rate, "winners", true)
    seen = []
    assert room.parrot_rate(table(values), progress=lambda *far: seen.append(far)).tokens == 150
    assert seen[-1] == (150, 150)


def test_cycles_are_found():
    """Not in a tied table, where they cannot be; the function must still see one."""
    assert parrot_rate.cycles(np.array([1, 2, 1, 3, 3, 6, 7, 5])) == ((1, 2), (5, 6, 7))
    assert parrot_rate.cycles(np.array([0])) == ()
    for seed in range(20):
        won = np.random.default_rng(seed).integers(0, 30, 30)
        rings = set()
        for start in range(30):
            at = start
            for _ in range(30):
                at = won[at]
            ring, step = [at], won[at]
            while step != at:
                ring.append(step)
                step = won[step]
            if len(ring) > 1:
                rings.add(frozenset(ring))
        assert {frozenset(ring) for ring in parrot_rate.cycles(won)} == rings
