"""The names lab for programs, through gradio_client, against the real app."""

import math

import numpy as np
import pytest
from gradio_client.exceptions import AppError

from demo_lib import names


def test_windows(client):
    answer = client.predict("emma", api_name="/names_windows")
    assert answer["contexts"] == ["...", "..e", ".em", "emm", "mma"]
    assert answer["y"] == [5, 13, 13, 1, 0]
    assert client.predict("emma", 2, api_name="/names_windows")["shapes"]["x"] == [5, 2]


def test_bigram(client):
    answer = client.predict(api_name="/bigram")
    assert (answer["positions"], answer["an"], round(answer["loss"], 4)) == (229_804, 5_471, 2.4544)
    assert answer["dev"] is None
    assert client.predict(1, api_name="/bigram")["dev"] == pytest.approx(2.4575, abs=1e-3)


def test_a_training_streams_and_ends_with_what_it_came_to(client):
    rows = list(client.submit(steps=40, hidden=10, seed=5, api_name="/names_train"))
    last = rows[-1]
    assert (last["state"], last["step"], last["parameters"]) == ("done", 40, 54 + 70 + 11 * 27)
    alone = names.train(names.example(), names.Settings(steps=40, hidden=10, seed=5))
    assert last["losses"] == vars(alone.losses)
    assert np.array_equal(np.float32(list(last["embedding"].values())), alone.model.C)
    assert len(last["samples"]) == 20
    assert not set(last["samples"]) & set(names.example().names)
    assert all("losses" not in row for row in rows[:-1])
    assert math.log(27) > last["train"]


@pytest.mark.parametrize(
    ("endpoint", "arguments", "said"),
    [
        ("/names_windows", (5,), "must be a string of the letters"),
        ("/names_windows", ("zoë",), "must be a string of the letters"),
        ("/names_windows", ("Emma",), "No name of the list has the character “E”"),
        ("/names_windows", ("a" * 41,), "at most 40 characters"),
        ("/names_windows", ("emma", 0), "1 to 8"),
        ("/names_windows", ("emma", "3"), "1 to 8"),
        ("/bigram", (-1,), "Add 0 to 1,000"),
        ("/bigram", ("1",), "Add 0 to 1,000"),
        ("/names_train", (9,), "The block size must be a whole number from 1 to 8"),
        ("/names_train", (3, 28), "The embedding size must be a whole number from 1 to 27"),
        ("/names_train", (3, 2, 100, 0), "The number of steps"),
        ("/names_train", (3, 2, 100, 10, 256, 2), "The learning rate must be from"),
        ("/names_train", (3, 2, 100, 10, 256, 0.1, -1), "The seed"),
        ("/names_train", (3, 2, 100, 10, 256, 0.1, 0, "yes"), "must be true or false"),
        ("/names_train", (8, 27, 500, 20_000, 4096), "many minutes"),
    ],
)
def test_refused_in_a_sentence(client, endpoint, arguments, said):
    with pytest.raises(AppError) as caught:
        client.predict(*arguments, api_name=endpoint)
    assert said in str(caught.value)
    assert "our fault" not in str(caught.value)
