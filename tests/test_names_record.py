"""What is written down of a training: losses against torch over all windows, the history, and that it learns."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from demo_lib import names_record
from demo_lib.names_counts import count
from demo_lib.names_data import PARTS, example
from demo_lib.names_mlp import Model, Settings
from demo_lib.names_record import Measure, losses, train

from .names_lists import names_of_2019, small
from .refusals import refusal


def torch_loss(model: Model, names, part: str) -> float:
    """The mean over all windows of a part, one by one."""
    x, y = (torch.from_numpy(array.astype(np.int64)) for array in names.windows(model.settings.block, part))
    with torch.no_grad():
        table, w1, b1, w2, b2 = (torch.from_numpy(one) for one in (model.C, model.W1, model.b1, model.W2, model.b2))
        logits = torch.tanh(table[x].view(len(x), -1) @ w1 + b1) @ w2 + b2
        return float(torch.nn.functional.cross_entropy(logits.double(), y))


def test_the_default_training_learns():
    """3 x 2 -> 100 -> 27: as good as the lesson promises, and as torch measures it."""
    result = train(example(), Settings())
    assert result.model.flat.size == 3481
    assert result.losses.dev <= 2.35
    assert result.losses.train <= 2.30
    for part in PARTS:
        assert getattr(result.losses, part) == pytest.approx(torch_loss(result.model, example(), part), abs=1e-5)


def test_the_default_training_on_the_list_that_courses_use():
    result = train(names_of_2019(), Settings())
    assert result.losses.dev <= 2.35
    assert result.losses.train <= 2.30


@pytest.mark.parametrize("settings", [Settings(block=5, hidden=9, steps=20), Settings(one_hot=True, steps=20)])
def test_losses_are_those_of_all_windows(settings, monkeypatch):
    monkeypatch.setattr(names_record, "CHUNK", 1000)
    model = train(example(), settings).model
    exact = losses(model, example())
    for part in PARTS:
        assert getattr(exact, part) == pytest.approx(torch_loss(model, example(), part), abs=1e-5)


def test_a_part_of_the_contexts_stands_for_all():
    names = example()
    model = train(names, Settings(steps=300)).model
    exact = losses(model, names)
    for number, part in enumerate(("train", "dev")):
        measured = Measure(count(names, 3), number, 1000).loss(model)
        assert measured == pytest.approx(getattr(exact, part), abs=0.03)


def test_same_settings_same_losses_to_the_last_digit():
    settings = Settings(steps=60, seed=4)
    first, second = (train(example(), settings) for _ in range(2))
    assert first.losses == second.losses
    assert first.curve == second.curve
    assert (first.history.embeddings == second.history.embeddings).all()
    other = train(example(), replace(settings, seed=5))
    assert other.losses != first.losses


@pytest.mark.parametrize("steps", [1, 7, 500])
def test_the_history_and_the_curve(steps):
    settings = Settings(steps=steps, hidden=5)
    result = train(small(), settings)
    moments = result.history.steps.tolist()
    assert (moments[0], moments[-1], len(moments)) == (0, steps, min(201, steps + 1))
    assert max(after - before for before, after in pairwise(moments)) <= steps / 200 + 1
    assert result.history.embeddings.shape == (len(moments), small().size, 2)
    assert (result.history.embeddings[0] == Model.start(settings, small().alphabet).C).all()
    assert (result.history.embeddings[-1] == result.model.C).all()
    assert [point.step for point in result.curve] == sorted({point.step for point in result.curve})
    assert (result.curve[0].step, result.curve[-1].step) == (0, steps)
    assert (result.curve[-1].train, result.curve[-1].dev) == (result.losses.train, result.losses.dev)
    assert len(result.curve) <= 31


def test_what_each_step_asks_is_told_and_may_end_it():
    told = []

    def each(trainer, recorder, seconds):
        told.append((trainer.done, seconds))
        return trainer.done == 5

    result = train(example(), Settings(steps=1000), each)
    assert [step for step, _ in told] == [1, 2, 3, 4, 5]
    assert [seconds for _, seconds in told] == sorted(seconds for _, seconds in told)
    assert (result.steps, result.history.steps.tolist()) == (5, [0, 5])
    assert result.seconds >= told[-1][1]
    assert result.losses.dev == pytest.approx(torch_loss(result.model, example(), "dev"), abs=1e-5)


def test_a_loss_out_of_bounds_is_said(monkeypatch):
    def start(settings, alphabet):
        model = real(settings, alphabet)
        model.W2[:] = np.float32(3e38)
        return model

    real = Model.start
    monkeypatch.setattr(Model, "start", start)
    assert "smaller learning rate" in refusal(train, small(), Settings(steps=10))


@pytest.mark.parametrize("plain", [False, True])
def test_the_largest_rate_ends_somewhere(plain):
    result = train(example(), Settings(steps=100, rate=1, plain=plain))
    assert np.isfinite(result.model.flat).all()
