"""The model of names: its settings, its parameters, and what it predicts, against torch."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from demo_lib import names_mlp
from demo_lib.names_data import example
from demo_lib.names_mlp import LIMITS, PLAIN, Model, Settings, limits, parameter_parts, parameters, times

from .names_lists import small
from .refusals import refusal

pytestmark = pytest.mark.usefixtures("one_thread")


def torch_logits(model: Model, x: np.ndarray) -> torch.Tensor:
    """As a course writes it."""
    tables = [torch.from_numpy(part).double() for part in (model.C, model.W1, model.b1, model.W2, model.b2)]
    table, w1, b1, w2, b2 = tables
    e = table[torch.from_numpy(x.astype(np.int64))].view(len(x), -1)
    return torch.tanh(e @ w1 + b1) @ w2 + b2


def test_the_parameters_of_the_default():
    settings = Settings()
    assert (settings.block, settings.dim, settings.hidden) == (3, 2, 100)
    assert parameters(settings, 27) == 54 + 700 + 2727 == 3481
    counts = {part.name: part.count for part in parameter_parts(settings, 27)}
    assert (counts["C"], counts["W1"] + counts["b1"], counts["W2"] + counts["b2"]) == (54, 700, 2727)


@pytest.mark.parametrize("settings", [Settings(), Settings(block=5, dim=7, hidden=3), Settings(one_hot=True, dim=9)])
def test_the_parts_are_views_of_one_array(settings):
    model = Model.start(settings, example().alphabet)
    for part in parameter_parts(settings, 27):
        assert getattr(model, part.name).shape == part.shape
        assert getattr(model, part.name).dtype == np.float32
        assert np.shares_memory(getattr(model, part.name), model.flat) == part.trained
    assert model.flat.size == parameters(settings, 27)
    copy = model.copy()
    copy.flat[:] = 0
    assert not copy.W1.any()
    assert model.W1.any()


def test_a_one_hot_table_is_the_identity_and_is_not_counted():
    settings = Settings(one_hot=True)
    model = Model.start(settings, example().alphabet)
    assert np.array_equal(model.C, np.eye(27))
    assert parameters(settings, 27) == 81 * 100 + 100 + 2727


def test_the_start_is_seeded_and_about_even():
    start = Model.start(Settings(), example().alphabet)
    assert (start.flat == Model.start(Settings(), example().alphabet).flat).all()
    assert (start.flat != Model.start(Settings(seed=1), example().alphabet).flat).any()
    x, y = example().windows(3)
    loss = -start.log_probabilities(x[:5000])[np.arange(5000), y[:5000]].mean()
    assert loss == pytest.approx(math.log(27), abs=0.1)


@pytest.mark.parametrize(
    "settings",
    [Settings(), Settings(block=1, dim=1, hidden=1), Settings(block=8, dim=27, hidden=500), Settings(one_hot=True)],
)
@pytest.mark.parametrize("rows", [1, 97, 9000])
def test_what_it_predicts_is_what_torch_says(settings, rows):
    model = Model.start(settings, example().alphabet)
    model.W2[:] *= 30
    x = example().windows(settings.block)[0][:rows]
    expected = torch_logits(model, x)
    np.testing.assert_allclose(model.logits(x), expected, atol=2e-4)
    np.testing.assert_allclose(model.log_probabilities(x), torch.log_softmax(expected, 1), atol=2e-4)


@pytest.mark.parametrize("at_once", [1, 1000, 2**40])
@pytest.mark.parametrize("shapes", [((64, 6), (6, 100)), ((3, 64, 100), (100, 27)), ((3, 50, 64), (3, 64, 33))])
def test_products_by_columns_are_products(at_once, shapes, monkeypatch):
    monkeypatch.setattr(names_mlp, "AT_ONCE", at_once)
    a, b = (np.random.default_rng(0).standard_normal(shape).astype(np.float32) for shape in shapes)
    found = times(a, b)
    np.testing.assert_allclose(found, a.astype(np.float64) @ b, atol=1e-4)
    assert found.dtype == np.float32
    turned = np.ascontiguousarray(np.swapaxes(b, -1, -2))
    np.testing.assert_allclose(times(a, np.swapaxes(turned, -1, -2)), found, atol=1e-4)


@pytest.mark.parametrize("name", LIMITS)
def test_settings_out_of_bounds_are_refused(name):
    least, most = limits(example())[name]
    step = 1e-5 if name == "rate" else 1
    work = {"hidden": 1, "steps": 1, "batch": 1}
    for value in (least, most):
        replace(Settings(**work), **{name: value}).check(example())
    for value in (least - step, most + step, None, "3", True, math.nan):
        said = refusal(replace(Settings(**work), **{name: value}).check, example())
        assert f"{most:,}" in said
    if name != "rate":
        refusal(replace(Settings(), **{name: float(least)}).check, example())


def test_an_embedding_is_no_larger_than_the_alphabet():
    assert limits(small())["dim"] == (1, small().size)
    assert f"to {small().size}" in refusal(Settings(dim=27).check, small())
    Settings(dim=27, one_hot=False).check(example())


def test_a_training_that_would_take_long_is_refused():
    assert "many minutes" in refusal(Settings(hidden=500, steps=20_000, batch=4096).check, example())
    PLAIN.check(example())
    Settings(hidden=500, dim=27, block=8).check(example())
