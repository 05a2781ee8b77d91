"""After the training: geometry against numpy's SVD and plain formulas, losses and samples against loops."""

import math
from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
import torch

from demo_lib.names_after import (
    between,
    compare,
    cosines,
    kind,
    nearest_characters,
    never_seen,
    next_character,
    plane,
    planes,
    sample,
)
from demo_lib.names_counts import count
from demo_lib.names_data import example
from demo_lib.names_mlp import Model, Settings
from demo_lib.names_record import History, Result, train

from .names_lists import slow_windows, small
from .refusals import refusal


@lru_cache
def trained() -> Result:
    return train(example(), Settings(steps=500))


def points(dim: int, rows: int = 27) -> np.ndarray:
    return np.random.default_rng(dim).standard_normal((rows, dim)).astype(np.float32)


@pytest.mark.parametrize("dim", [1, 2, 9])
def test_cosines_are_torch_s(dim):
    rows = points(dim)
    rows[4] = 0
    found = cosines(rows)
    expected = torch.nn.functional.cosine_similarity(
        torch.from_numpy(rows)[:, None].double(), torch.from_numpy(rows)[None].double(), dim=2
    )
    np.testing.assert_allclose(found, expected, atol=1e-7)
    assert not found[4].any()
    assert np.abs(found).max() <= 1
    order = np.argsort(-found[7], kind="stable")
    assert [index for index, _ in nearest_characters(rows, 7, 26)] == [i for i in order if i != 7]
    assert nearest_characters(rows, 7, 3) == nearest_characters(rows, 7)[:3]


def test_two_characters_compared():
    """(1, 1) with (1, 1), (2, 2) and (10, 10): the dot grows with length, the cosine does not."""
    rows = np.array([[1, 1], [2, 2], [10, 10], [0, 0], [1, -1]], np.float32)
    assert [round(between(rows, 0, other).dot) for other in range(3)] == [2, 4, 20]
    assert [between(rows, 0, other).cosine for other in range(3)] == pytest.approx([1, 1, 1])
    far = between(rows, 0, 2)
    assert (far.norm_a, far.norm_b, far.distance) == pytest.approx((math.sqrt(2), math.sqrt(200), math.sqrt(162)))
    assert (between(rows, 0, 3).cosine, between(rows, 0, 4).cosine) == (0, 0)


def test_one_and_two_numbers_are_drawn_as_they_are():
    line, flat = plane(points(1)), plane(points(2))
    assert (line.how, flat.how) == ("line", "as it is")
    assert (line.points[:, 0] == points(1)[:, 0]).all()
    assert not line.points[:, 1].any()
    assert (flat.points == points(2)).all()
    assert line.explained == (1, 0)
    assert sum(flat.explained) == pytest.approx(1)


@pytest.mark.parametrize("dim", [3, 10, 27])
def test_more_are_drawn_by_principal_components(dim):
    rows = points(dim)
    found = plane(rows)
    centred = rows.astype(np.float64) - rows.astype(np.float64).mean(0)
    left, values, _ = np.linalg.svd(centred)
    np.testing.assert_allclose(np.abs(found.points), np.abs(left[:, :2] * values[:2]), atol=1e-9)
    np.testing.assert_allclose(found.explained, (values**2 / (values**2).sum())[:2])
    assert found.how == "pca"


def test_the_map_follows_what_was_before():
    rows = points(5)
    before = plane(rows).points
    np.testing.assert_allclose(plane(rows, before * -1).points, before * -1)
    np.testing.assert_allclose(plane(rows, before[:, ::-1]).points, before[:, ::-1])
    np.testing.assert_allclose(plane(rows, before[:, ::-1] * [1, -1]).points, before[:, ::-1] * [1, -1])
    assert plane(rows, before[:, ::-1]).explained == plane(rows).explained[::-1]
    a_little_later = rows + points(5)[::-1] * 0.01
    assert np.abs(plane(a_little_later, before).points - before).max() < 0.2


@pytest.mark.parametrize("dim", [1, 2, 6])
def test_all_moments_are_on_the_axes_of_the_last(dim):
    moments = np.stack([points(dim) * scale + shift for scale, shift in [(0.5, 0), (0.7, 1), (1, 0)]])
    found = planes(History(np.arange(3), moments))
    last = plane(moments[-1])
    assert found.points.shape == (3, 27, 2)
    np.testing.assert_allclose(found.points[-1], last.points, atol=1e-9)
    # what is half as large in space is half as large on the map
    spread = found.points[0] - found.points[0].mean(0)
    np.testing.assert_allclose(spread, (last.points - last.points.mean(0)) / 2, atol=1e-6)
    assert (found.how, found.explained) == (last.how, last.explained)


def test_kinds_of_characters():
    kinds = {one: kind(one, ".") for one in example().alphabet}
    assert [one for one, is_ in kinds.items() if is_ == "vowel"] == list("aeiou")
    assert Counter(kinds.values()) == {"consonant": 21, "vowel": 5, "mark": 1}
    others = {"É": "vowel", "ñ": "consonant", "ω": "vowel", "Ж": "consonant", "ы": "vowel", "й": "consonant"}
    others |= {"字": "other", "7": "other", "-": "other", " ": "other", "אּ": "other", "·": "other"}
    assert {one: kind(one, ".") for one in others} == others


def test_vowels_come_to_lie_together():
    """What the lesson is about: nobody told the model which characters are vowels."""
    names = example()
    rows = trained().model.C
    vowels = [names.index[one] for one in "aeiou"]
    among = [between(rows, a, b).distance for a in vowels for b in vowels if a < b]
    consonants = [names.index[one] for one in "bcdfgklmprstvz"]
    across = [between(rows, a, b).distance for a in vowels for b in consonants]
    assert np.mean(among) < np.mean(across)


def test_losses_side_by_side():
    result, names = trained(), example()
    found = compare(result, names)
    assert found.uniform == math.log(27)
    assert found.model == result.losses
    assert found.model.dev < found.bigram.dev < found.uniform
    assert found.bigram == count(names, 1).losses(found.bigram.smoothing)
    assert found.counting == count(names, 3).losses(found.counting.smoothing)
    given = compare(result, names, 1)
    assert (given.bigram.smoothing, given.counting.smoothing) == (1, 1)
    assert given.counting.dev > found.counting.dev
    assert "0 to 1,000" in refusal(compare, result, names, -1)


def test_samples_are_seeded_and_new():
    model, names = trained().model, example()
    found = sample(model, names, 50, seed=3)
    assert found == sample(model, names, 50, seed=3)
    assert found.names != sample(model, names, 50, seed=4).names
    assert len(set(found.names)) == len(found.names) == 50
    assert not set(found.names) & set(names.names)
    assert found.tried == found.rejected + 50
    assert set("".join(found.names)) <= set(names.alphabet[1:])
    old = sample(model, names, 200, seed=3, new_only=False)
    assert set(old.names) & set(names.names)
    assert len(old.names) == 200


def test_samples_have_the_model_s_probabilities():
    names = small()
    settings = Settings(block=2, hidden=4)
    model = Model.start(settings, names.alphabet)
    model.b2[:] = np.linspace(0, 2, names.size)[::-1]
    drawn = [name for seed in range(15) for name in sample(model, names, 200, seed, new_only=False).names]
    first = np.exp(model.log_probabilities(np.zeros((1, 2), np.intp))[0])
    first = first[1:] / first[1:].sum()  # a name that ends at once is none
    share = Counter(name[0] for name in drawn)
    for character, expected in zip(names.alphabet[1:], first, strict=True):
        error = math.sqrt(expected * (1 - expected) / len(drawn))
        assert abs(share[character] / len(drawn) - expected) < 5 * error


def test_a_model_that_knows_only_the_list_makes_up_fewer():
    names = small()
    model = Model.start(Settings(), names.alphabet)
    model.b2[:] = -50
    model.b2[names.index["a"]] = 50  # never ends
    found = sample(model, names, 5)
    assert (found.names, found.tried, found.rejected) == ((), 250, 250)


@pytest.mark.parametrize("wrong", [0, 201, True, 2.0])
def test_too_many_samples_are_refused(wrong):
    assert "1 to 200" in refusal(sample, trained().model, example(), wrong)


def test_the_next_character_by_counting_and_by_the_model():
    names, model = example(), trained().model
    found = next_character("emm", model, names)
    after = Counter(following for context, following in slow_windows(names, 3, 0) if context == "emm")
    assert found.context == "emm"
    assert found.seen == after.total()
    assert found.counts.tolist() == [after[one] for one in names.alphabet]
    np.testing.assert_allclose(found.counted, found.counts / found.seen)
    assert found.predicted.sum() == pytest.approx(1)
    logits = torch.from_numpy(model.logits(np.array([[names.index[one] for one in "emm"]])))
    np.testing.assert_allclose(found.predicted, torch.softmax(logits.double(), 1)[0], atol=1e-6)


@pytest.mark.parametrize(("prefix", "context"), [("", "..."), ("e", "..e"), ("..e", "..e"), ("qwxzj", "xzj")])
def test_the_context_of_a_prefix(prefix, context):
    assert next_character(prefix, trained().model, example()).context == context


def test_what_never_was():
    """Counting has nothing to say about it; the model has."""
    names, model = example(), trained().model
    train_contexts = {context for context, _ in slow_windows(names, 3, 0)}
    dev = Counter(context for context, _ in slow_windows(names, 3, 1))
    new = {context: times for context, times in dev.items() if context not in train_contexts}
    found = never_seen(names, 3, 1000)
    assert set(found) == set(new)
    assert [new[context] for context in found] == sorted(new.values(), reverse=True)
    assert never_seen(names, 3, 2) == found[:2]
    says = next_character(found[0], model, names)
    assert (says.seen, says.counts, says.counted) == (0, None, None)
    assert says.predicted.sum() == pytest.approx(1)
    assert says.predicted.max() > 2 / 27


@pytest.mark.parametrize(("prefix", "words"), [("Q", "“Q”"), ("a.b", "“.”"), ("a" * 41, "40 characters")])
def test_a_prefix_of_other_characters_is_refused(prefix, words):
    assert words in refusal(next_character, prefix, trained().model, example())
