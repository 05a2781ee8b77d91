"""The endpoints that ask an embedding table, against small models on the Hub and plain numpy; what they refuse."""

import socket

import numpy as np
import pytest

from .hub_stand_in import Repo, StandIn
from .made_models import made
from .test_api_refusals import post, refusal  # noqa: F401 - a fixture

MODEL, ROWS = made(300, 16), 300
TOKENS = ROWS - 7  # the other rows have no token
TABLE = "small/model"
E = MODEL.input.double().numpy()


@pytest.fixture(scope="module")
def address():
    """The real app beside a Hub that has one small model and one that nobody may read."""
    import app
    from demo_lib.tabs import serve

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    repos = {TABLE: Repo(MODEL.files), "small/gated": Repo(MODEL.files, gated=True)}
    with StandIn(repos) as hub, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_ENDPOINT", hub.url)
        blocks = serve.launch(app.TABS, port=port)
        yield blocks.local_url.rstrip("/")
        blocks.close(verbose=False)


def cosines(vector: np.ndarray) -> np.ndarray:
    return E @ vector / np.linalg.norm(E, axis=1) / np.linalg.norm(vector)


def best(scores: np.ndarray, without: set[int], k: int) -> list[int]:
    return [id for id in np.argsort(-scores, kind="stable").tolist() if id < TOKENS and id not in without][:k]


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_neighbours(client, metric):
    scores = {"cosine": cosines(E[5]), "dot": E @ E[5], "euclidean": -np.linalg.norm(E - E[5], axis=1)}[metric]
    answer = client.predict("w5", TABLE, metric, 7, api_name="/neighbours")
    assert [row["id"] for row in answer] == best(scores, {5}, 7)
    for row in answer:
        assert set(row) == {"id", "piece", "score", "norm"}
        assert row["piece"] == f"w{row['id']}"
        assert row["score"] == pytest.approx(abs(scores[row["id"]]) if metric == "euclidean" else scores[row["id"]])
        assert row["norm"] == pytest.approx(np.linalg.norm(E[row["id"]]))
    assert len(client.predict("w5", TABLE, api_name="/neighbours")) == 10


def test_similarity(client):
    answer = client.predict(["w1", "w2", "w9"], TABLE, api_name="/similarity")
    assert answer["words"] == ["w1", "w2", "w9"]
    assert np.allclose(answer["cosines"], [cosines(E[i])[[1, 2, 9]] for i in (1, 2, 9)])
    twice = client.predict(["w2", "w1", "w2"], TABLE, api_name="/similarity")
    assert twice["words"] == ["w2", "w1", "w2"]
    assert np.allclose(twice["cosines"], [cosines(E[i])[[2, 1, 2]] for i in (2, 1, 2)])


def test_analogy(client):
    units = E / np.linalg.norm(E, axis=1, keepdims=True)
    wanted = [best(cosines(rows[1] - rows[2] + rows[3]), {1, 2, 3}, 10) for rows in (E, units)]
    answer = client.predict("w1", "w2", "w3", TABLE, api_name="/analogy")
    assert [row["id"] for row in answer] in wanted


def test_parrot(client):
    answer = client.predict("w7", TABLE, 3, api_name="/parrot")
    last = 7
    for id, step in zip(answer["ids"], answer["steps"], strict=True):
        logits = E @ E[last]
        assert [one["id"] for one in step["top"]] == np.argsort(-logits, kind="stable")[:10].tolist()
        assert [one["logit"] for one in step["top"]] == pytest.approx(np.sort(logits)[::-1][:10])
        share = np.exp(logits - logits.max())
        assert step["top"][0]["probability"] == pytest.approx(1 / share.sum(), rel=1e-5)  # logits in float32
        assert step["rank"] == 1 + (logits > logits[last]).sum()
        assert (step["input"]["id"], step["chosen"]["id"], id) == (last, logits.argmax(), logits.argmax())
        last = id
    drawn = [client.predict("w7", TABLE, 20, 50, api_name="/parrot")["ids"] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) > 5


def test_parrot_rate(client):
    winners = (E @ E.T).argmax(1)
    fail = [id for id in range(TOKENS) if winners[id] != id]
    ids, counts = np.unique(winners[fail], return_counts=True)
    answer = client.predict(TABLE, api_name="/parrot_rate")
    assert (answer["tokens"], answer["exceptions"], answer["cycles"]) == (TOKENS, len(fail), [])
    assert answer["rate"] == pytest.approx(1 - len(fail) / TOKENS)
    assert {one["id"]: one["count"] for one in answer["attractors"]} == dict(
        zip(ids.tolist(), counts.tolist(), strict=True)
    )


@pytest.mark.parametrize(
    ("endpoint", "arguments", "said"),
    [
        ("/neighbours", ("w5", "gpt-7"), "A model of the Hub is written org/name"),
        ("/neighbours", ("w5", "small/none"), "The Hub has no model small/none"),
        ("/neighbours", ("w5", "small/gated"), "small/gated is gated"),
        ("/neighbours", ("w5", "../../etc/passwd"), "org/name"),
        ("/neighbours", ("w5", "folder"), "No folder was named"),
        ("/neighbours", ("w5", None), "Choose a table"),
        ("/neighbours", ("w5", ["x"]), "Choose a table"),
        ("/neighbours", ("w5", TABLE, "manhattan"), "cosine"),
        ("/neighbours", ("w5", TABLE, None), "cosine"),
        ("/neighbours", ("w5", TABLE, ["cosine"]), "cosine"),
        ("/neighbours", ("w5", TABLE, "cosine", 0), "Ask for 1 to 100"),
        ("/neighbours", ("w5", TABLE, "cosine", 101), "Ask for 1 to 100"),
        ("/neighbours", ("w5", TABLE, "cosine", 2.5), "Ask for 1 to 100"),
        ("/neighbours", ("w5", TABLE, "cosine", "ten"), "Ask for 1 to 100"),
        ("/neighbours", ("w5", TABLE, "cosine", True), "Ask for 1 to 100"),
        ("/neighbours", ("", TABLE), "Write a word"),
        ("/neighbours", (5, TABLE), "must be a string"),
        ("/neighbours", (["w5"], TABLE), "must be a string"),
        ("/neighbours", ("w" * 201, TABLE), "has 201 characters"),
        ("/similarity", ([f"w{i}" for i in range(31)], TABLE), "Give 1 to 30 words; here are 31."),
        ("/similarity", (["w1"] * 31, TABLE), "Give 1 to 30 words; here are 31."),
        ("/similarity", ([], TABLE), "Write a word"),
        ("/similarity", ([1, 2], TABLE), "list of strings"),
        ("/similarity", ('["w1", "w2"]', TABLE), "list of strings"),
        ("/similarity", ([None], TABLE), "list of strings"),
        ("/similarity", ({"a": 1}, TABLE), "list of strings"),
        ("/similarity", (["w1", ""], TABLE), "Write a word"),
        ("/analogy", ("w1", "", "w3", TABLE), "Write a word for − b"),
        ("/analogy", (5, "w2", "w3", TABLE), "must be a string"),
        ("/analogy", ("w1", None, "w3", TABLE), "must be a string"),
        ("/parrot", ("", TABLE), "Write a text"),
        ("/parrot", (5, TABLE), "must be a string"),
        ("/parrot", ("w" * 2001, TABLE), "has 2,001 characters"),
        ("/parrot", ("w5", TABLE, 0), "Choose 1 to 50 steps"),
        ("/parrot", ("w5", TABLE, 51), "Choose 1 to 50 steps"),
        ("/parrot", ("w5", TABLE, "5"), "Choose 1 to 50 steps"),
        ("/parrot", ("w5", TABLE, 5, -1), "Choose a temperature"),
        ("/parrot", ("w5", TABLE, 5, "hot"), "Choose a temperature"),
        ("/parrot", ("w5", TABLE, 5, None), "Choose a temperature"),
        ("/parrot", ("w5", TABLE, 5, True), "Choose a temperature"),
        ("/parrot_rate", ("small/none",), "The Hub has no model small/none"),
        ("/parrot_rate", (5,), "Choose a table"),
    ],
)
def test_refused_in_a_sentence(client, endpoint, arguments, said):
    answer = refusal(client.predict, *arguments, api_name=endpoint)
    assert said in answer
    assert "our fault" not in answer


@pytest.mark.parametrize("temperature", ["NaN", "Infinity", "1e400"])
def test_a_temperature_that_is_no_number(post, temperature):  # noqa: F811
    status, answer = post("parrot", f'{{"data": ["w5", "{TABLE}", 5, {temperature}]}}')
    assert (status, answer) == (200, "Choose a temperature from 0 to 100.")


def test_half_a_character(post):  # noqa: F811
    for endpoint, data in (
        ("neighbours", rf'["\ud800", "{TABLE}", "cosine", 5]'),
        ("parrot", rf'["\ud800", "{TABLE}", 5, 0]'),
    ):
        status, answer = post(endpoint, f'{{"data": {data}}}')
        assert status == 200
        assert "U+D800" in answer
