"""The steps of the training: the gradient against torch's, the optimisers against torch's, the batches by counting."""

import math

import numpy as np
import pytest
import torch

from demo_lib.names_counts import count
from demo_lib.names_data import PARTS, example
from demo_lib.names_mlp import PLAIN, Model, Settings
from demo_lib.names_steps import (
    LEAST,
    MOMENTUM,
    SQUARES,
    AtRandom,
    ByFrequency,
    Rows,
    Trainer,
    gradient,
    inclusion,
    stacked,
)

from .names_lists import slow_windows, small

pytestmark = pytest.mark.usefixtures("one_thread")

NAMES = ("C", "W1", "b1", "W2", "b2")


def tensors(model: Model, dtype=torch.float64) -> list[torch.Tensor]:
    parts = [torch.from_numpy(getattr(model, name).copy()).to(dtype) for name in NAMES]
    return [
        part.requires_grad_(name != "C" or not model.settings.one_hot) for name, part in zip(NAMES, parts, strict=True)
    ]


def torch_losses(parts: list[torch.Tensor], x: np.ndarray, y: np.ndarray) -> torch.Tensor:
    """Of each example, in nats."""
    table, w1, b1, w2, b2 = parts
    e = table[torch.from_numpy(x.astype(np.int64))].view(len(x), -1)
    logits = torch.tanh(e @ w1 + b1) @ w2 + b2
    return torch.nn.functional.cross_entropy(logits, torch.from_numpy(y.astype(np.int64)), reduction="none")


def torch_slope(parts: list[torch.Tensor], loss: torch.Tensor) -> np.ndarray:
    trained = [part for part in parts if part.requires_grad]
    return torch.cat([slope.flatten() for slope in torch.autograd.grad(loss, trained)]).numpy()


SETTINGS = [
    Settings(),
    Settings(block=1, dim=1, hidden=1),
    Settings(block=4, dim=5, hidden=13),
    Settings(one_hot=True, hidden=7),
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("rows", [1, 5, 300])
def test_the_gradient_by_hand_is_torch_s(settings, rows):
    names = example()
    model = Model.start(settings, names.alphabet)
    model.flat[:] = np.random.default_rng(3).standard_normal(model.flat.size) * 0.3
    x, y = (part[1000 : 1000 + rows] for part in names.windows(settings.block))
    weight = np.random.default_rng(4).random(rows)
    batch = stacked(x, weight, np.arange(rows) * 27 + y, np.ones(rows, np.float32))
    parts = tensors(model)
    expected = torch_slope(parts, (torch_losses(parts, x, y) * torch.from_numpy(weight)).sum())
    np.testing.assert_allclose(gradient(model, batch), expected, atol=1e-4 * np.abs(expected).max())


def test_the_gradient_of_all_contexts_is_that_of_all_windows():
    """Soft targets by frequency are the windows, counted together."""
    names = example()
    settings = Settings(batch=4096)
    model = Model.start(settings, names.alphabet)
    rows = Rows(count(names, 3), 0)
    whole = rows.batch(np.arange(len(rows.weight)), rows.weight)
    x, y = names.windows(3, "train")
    parts = tensors(model)
    expected = torch_slope(parts, torch_losses(parts, x, y).mean())
    np.testing.assert_allclose(gradient(model, whole), expected, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("part", range(3))
def test_rows_are_the_windows_counted(part):
    names = small()
    rows = Rows(count(names, 3), part)
    batch = rows.batch(np.arange(len(rows.weight)), rows.weight)
    windows = slow_windows(names, 3, part)
    assert rows.weight.sum() == pytest.approx(1)
    found = {}
    flat_x, flat_weight = batch.x.reshape(-1, 3), batch.weight.ravel()
    for at, share in zip(batch.at.tolist(), batch.share.tolist(), strict=True):
        row, following = divmod(at, names.size)
        context = "".join(names.alphabet[i] for i in flat_x[row])
        found[context, names.alphabet[following]] = share * flat_weight[row]
    assert found == pytest.approx({pair: windows.count(pair) / len(windows) for pair in set(windows)})
    assert not flat_weight[len(rows.weight) :].any()


def test_inclusion_adds_up_and_keeps_proportions():
    weight = np.array([0.6, 0.2, 0.1, 0.05, 0.03, 0.02])
    assert (inclusion(weight, 6) == 1).all()
    assert (inclusion(weight, 9) == 1).all()
    for size in range(1, 6):
        likely = inclusion(weight, size)
        assert likely.sum() == pytest.approx(size)
        assert likely.max() <= 1
        free = likely < 1
        np.testing.assert_allclose(likely[free] / weight[free], likely[free][-1] / weight[-1])
    assert inclusion(weight, 2)[0] == 1


def test_batches_stand_for_the_whole_on_average():
    names = example()
    rows = Rows(count(names, 3), 0)
    size, draws = 256, 3000
    batches = ByFrequency(rows, size, np.random.default_rng(0))
    times, sums = np.zeros(len(rows.weight)), []
    likely = inclusion(rows.weight, size)
    for _ in range(draws):
        ids = batches.ids()
        assert len(set(ids.tolist())) == len(ids)
        assert abs(len(ids) - size) <= 1
        times[ids] += 1
        sums.append((rows.weight / likely)[ids].sum())
    assert (times[likely >= 1] == draws).all()
    error = np.sqrt(likely * (1 - likely) / draws)
    assert (np.abs(times / draws - likely)[likely < 1] < 6 * error[likely < 1] + 1e-9).all()
    assert np.mean(sums) == pytest.approx(1, abs=0.01)


def test_few_contexts_are_all_in_every_batch():
    names = example()
    batches = ByFrequency(Rows(count(names, 1), 0), 256, np.random.default_rng(0))
    batch = batches.draw()
    assert batch is batches.draw()
    np.testing.assert_allclose(batch.weight.sum(), 1, rtol=1e-6)
    assert np.count_nonzero(batch.weight) == 27


def test_windows_at_random_are_windows_of_train():
    names = small()
    batch = AtRandom(names, 3, 500, np.random.default_rng(0)).draw()
    rows, following = np.divmod(batch.at, names.size)
    contexts = ["".join(names.alphabet[i] for i in row) for row in batch.x.reshape(-1, 3)[rows]]
    drawn = set(zip(contexts, (names.alphabet[i] for i in following), strict=True))
    assert drawn == set(slow_windows(names, 3, PARTS.index("train")))  # 500 of some 60: all of them come
    np.testing.assert_allclose(batch.weight.ravel()[rows], 1 / 500)


def test_the_plain_way_is_torch_s_descent():
    """The same windows, loss.backward() and p -= rate * p.grad, as the tab explains it."""
    names, steps = example(), 40
    settings = Settings(steps=steps, batch=32, rate=0.1, plain=True)
    trainer = Trainer(names, settings)
    parts = tensors(trainer.model)
    random = np.random.default_rng([0, 1])
    x, y = names.windows(3, "train")
    for step in range(steps):
        ids = random.integers(0, len(x), 32)
        loss = torch_losses(parts, x[ids], y[ids]).mean()
        for part, slope in zip(parts, torch.autograd.grad(loss, parts), strict=True):
            part.data -= (0.1 if step < 30 else 0.02) * slope
        trainer.step()
    expected = torch.cat([part.detach().flatten() for part in parts]).numpy()
    np.testing.assert_allclose(trainer.model.flat, expected, atol=2e-5)


def test_the_fast_way_is_torch_s_adam():
    names, steps = small(), 30
    settings = Settings(steps=steps, hidden=8, rate=0.03)  # a list so small that each batch is the whole
    trainer = Trainer(names, settings)
    parts = tensors(trainer.model)
    x, y = names.windows(3, "train")
    adam = torch.optim.Adam(parts, betas=(MOMENTUM, SQUARES), eps=1e-8)
    for step in range(steps):
        rate = 0.03 * (LEAST + (1 - LEAST) * 0.5 * (1 + math.cos(math.pi * step / steps)))
        assert trainer.rate() == pytest.approx(rate)
        adam.param_groups[0]["lr"] = rate
        adam.zero_grad()
        torch_losses(parts, x, y).mean().backward()
        adam.step()
        trainer.step()
    expected = torch.cat([part.detach().flatten() for part in parts]).numpy()
    np.testing.assert_allclose(trainer.model.flat, expected, atol=2e-3)


@pytest.mark.parametrize(
    "settings", [Settings(steps=50), Settings(steps=50, plain=True), Settings(steps=9, one_hot=True)]
)
def test_same_settings_same_model_to_the_last_bit(settings):
    models = []
    for _ in range(2):
        trainer = Trainer(example(), settings)
        for _ in range(settings.steps):
            trainer.step()
        models.append(trainer.model.flat.tobytes())
    assert models[0] == models[1]


def test_a_one_hot_table_stays():
    trainer = Trainer(example(), Settings(one_hot=True, steps=5))
    for _ in range(5):
        trainer.step()
    assert np.array_equal(trainer.model.C, np.eye(27))


def test_the_plain_figures_are_those_of_the_course():
    assert (PLAIN.steps, PLAIN.batch, PLAIN.rate, PLAIN.plain) == (20_000, 256, 0.1, True)
