"""The room of names as a program meets it."""

import json
import time

import numpy as np
import pytest

from demo_lib import names, names_train
from demo_lib.names_record import train

from .refusals import refusal


def test_all_that_the_tab_needs_is_here():
    assert all(hasattr(names, name) for name in names.__all__)


def test_the_windows_of_a_name():
    row = json.loads(json.dumps(names.windows_row("emma", 3)))
    assert row["contexts"] == ["...", "..e", ".em", "emm", "mma"]
    assert row["targets"] == ["e", "m", "m", "a", "."]
    assert row["shapes"] == {
        "x": list(np.shape(row["x"])), "y": list(np.shape(row["y"])), "one_hot": list(np.eye(27)[row["x"]].shape)
    }  # fmt: skip
    assert "1 to 8" in refusal(names.windows_row, "emma", 0)


def test_the_bigram():
    row = names.bigram_row(0)
    assert (row["positions"], row["an"], round(row["loss"], 4)) == (229_804, 5_471, 2.4544)
    assert row["dev"] is None  # a pair that train never had
    smooth = json.loads(json.dumps(names.bigram_row(1)))
    assert smooth["loss"] > row["loss"]
    assert 2.45 < smooth["dev"] < 2.46


def test_a_training():
    rows = list(names.train_rows(steps=150, hidden=20, seed=7))
    last = json.loads(json.dumps(rows[-1]))
    settings = names.Settings(steps=150, hidden=20, seed=7)
    alone = train(names.example(), settings)
    assert (last["state"], last["step"], last["parameters"]) == ("done", 150, alone.model.flat.size)
    assert last["losses"] == vars(alone.losses)
    assert list(last["embedding"]) == list(names.example().alphabet)
    assert np.allclose(list(last["embedding"].values()), alone.model.C)
    assert last["samples"] == list(names.sample(alone.model, names.example(), 20, 7).names)
    assert all(row["steps"] == 150 and "losses" not in row for row in rows[:-1])


def test_a_training_is_left_with_its_rows(monkeypatch):
    seats = names_train.Seats(1, 1)
    monkeypatch.setattr(names, "Training", lambda *args: names_train.Training(*args, seats))
    rows = names.train_rows(steps=20_000, hidden=500, batch=64)
    next(rows)
    assert seats._taken
    rows.close()
    begun = time.monotonic()
    while seats._taken:
        assert time.monotonic() - begun < 5
        time.sleep(0.01)


@pytest.mark.parametrize("wrong", [{"block": 9}, {"rate": 0}, {"seed": -1}, {"steps": "many"}])
def test_a_training_with_wrong_settings_is_refused(wrong):
    assert "must be" in refusal(next, names.train_rows(**wrong))
