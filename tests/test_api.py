"""The app for programs: its endpoints, through gradio_client, against the real app."""

import json
from pathlib import Path

import httpx
import pytest
from gradio_client.exceptions import AppError

from demo_lib import catalog, names
from demo_lib.vocab import open_vocab

from . import authorities

DATA = Path(__file__).parent / "data"
ENCODE = json.loads((DATA / "encode.json").read_text("utf-8"))
CHAT = json.loads((DATA / "chat.json").read_text("utf-8"))

ENDPOINTS = {"tokenize", "compare", "decode", "render_chat"} | {
    "neighbours",
    "similarity",
    "analogy",
    "parrot",
    "parrot_rate",
    "ledger",
    "ledger_custom",
    "vocabulary",
    "vocabulary_search",
    "vocabulary_overlap",
    "names_windows",
    "bigram",
    "names_train",
    "corpus_report",
}


# What is offered


def test_the_endpoints_with_their_docstrings(client):
    listed = client.view_api(return_format="dict")
    assert listed["unnamed_endpoints"] == {}
    assert set(listed["named_endpoints"]) == {f"/{name}" for name in ENDPOINTS}
    arguments = {
        name: {p["parameter_name"]: p["parameter_default"] for p in endpoint["parameters"]}
        for name, endpoint in listed["named_endpoints"].items()
    }
    assert arguments == {
        "/tokenize": {"text": None, "model": None, "add_special_tokens": False, "parse_special": False},
        "/compare": {"text": None, "models": None},
        "/decode": {"ids": None, "model": None},
        "/render_chat": {"messages": None, "model": None, "add_generation_prompt": True}
        | dict.fromkeys(("tools", "date", "enable_thinking")),
        "/neighbours": {"word": None, "table": None, "metric": "cosine", "k": 10},
        "/similarity": {"words": None, "table": None},
        "/analogy": {"a": None, "b": None, "c": None, "table": None},
        "/parrot": {"text": None, "table": None, "steps": 5, "temperature": 0},
        "/parrot_rate": {"table": None},
        "/ledger": {"model": None},
        "/vocabulary": {"model": None},
        "/vocabulary_search": {"model": None, "pattern": None, "limit": 100, "how": "regex"},
        "/vocabulary_overlap": {"a": None, "b": None},
        "/names_windows": {"name": None, "block": 3},
        "/bigram": {"smoothing": 0},
        "/corpus_report": {"files": None, "models": None, "column": None},
        "/names_train": vars(names.Settings()),
        "/ledger_custom": dict.fromkeys(
            ("vocab_size", "hidden_size", "layers", "heads", "kv_heads", "head_size", "feed_forward_size", "tied")
        ),
    }
    for endpoint in listed["named_endpoints"].values():
        assert len(endpoint["description"]) > 20
        (result,) = endpoint["returns"]
        assert all(len(row["python_type"]["description"]) > 10 for row in [result, *endpoint["parameters"]])
        assert all(row["label"] == row["parameter_name"] for row in endpoint["parameters"])
    text, model, *_ = listed["named_endpoints"]["/tokenize"]["parameters"]
    assert "20,000 characters" in text["python_type"]["description"]
    assert all(key in model["python_type"]["description"] for key in catalog.MODELS)


def test_nothing_else_is_public(address, client):
    config = httpx.get(f"{address}/config").json()
    public = {one["api_name"] for one in config["dependencies"] if one["api_visibility"] != "private"}
    assert public == ENDPOINTS
    hidden = {one["api_name"] for one in config["dependencies"]} - public
    assert len(hidden) > 10
    for name in sorted(hidden, key=str):
        with pytest.raises(ValueError, match="Cannot find a function"):
            client.predict("x", api_name=f"/{name}")


# What they answer


@pytest.mark.parametrize("key", catalog.MODELS)
def test_tokenize(client, key):
    for case in ENCODE[::6]:
        answer = client.predict(case["text"], key, parse_special=True, api_name="/tokenize")
        assert (answer["model"], answer["ids"]) == (key, case["ids"][key])
        assert [bytes.fromhex(data) for data in answer["bytes"]] == [
            open_vocab(key).token_bytes(i) for i in answer["ids"]
        ]
        assert set(answer) == {"model", "ids", "pieces", "bytes", "spans"}
        assert len(answer["ids"]) == len(answer["pieces"]) == len(answer["spans"])


def test_tokenize_by_name_and_by_default(client):
    answer = client.predict(text="钉<|eot_id|>", model="llama-3.1", api_name="/tokenize")
    assert answer["ids"] == authorities.ids("llama-3.1", "钉<|eot_id|>")
    assert answer["pieces"][:2] == ["<E9 92>", "<89>"]
    assert answer["bytes"][:2] == ["E9 92", "89"]
    assert answer["spans"][:3] == [[0, 1], [0, 1], [1, 2]]
    answer = client.predict("钉<|eot_id|>", "llama-3.1", True, True, api_name="/tokenize")
    assert [answer["ids"][0], answer["ids"][-1]] == [128000, 128009]


def test_compare(client):
    rows = client.predict("钉钉审批", ["llama-3.1", "qwen2.5", "qwen3.5"], api_name="/compare")
    assert [(row["model"], row["tokens"]) for row in rows][:2] == [("llama-3.1", 6), ("qwen2.5", 3)]
    for row in rows:
        assert row["ids"] == authorities.ids(row["model"], "钉钉审批")
        assert (row["characters"], row["bytes"], row["han"], row["exact"]) == (4, 12, 4, True)
        assert row["tokens_per_character"] == row["tokens"] / 4


def test_decode(client):
    for key in catalog.MODELS:
        for case in ENCODE[::8]:
            text = authorities.normalize(key, case["text"])
            assert client.predict(case["ids"][key], key, api_name="/decode") == text
    assert client.predict(ids="8107, 107099", model="llama-3.1", api_name="/decode") == "年假"
    assert client.predict([128000, 128009], "llama-3.1", api_name="/decode") == "<|begin_of_text|><|eot_id|>"
    assert client.predict([], "qwen2.5", api_name="/decode") == ""


@pytest.mark.parametrize("case", CHAT, ids=lambda case: case["name"])
def test_render_chat(client, case):
    options = {"tools": case.get("tools"), "date": case.get("date_string")}
    options |= {"add_generation_prompt": case["add_generation_prompt"], "enable_thinking": case.get("enable_thinking")}
    for key, expected in case["expected"].items():
        answer = client.predict(case["messages"], key, api_name="/render_chat", **options)
        assert (answer["text"], answer["count"]) == (expected["text"], expected["n"])
        assert answer["count"] == len(answer["ids"])
        assert set(answer) == {"text", "ids", "count", "messages", "added", "warnings"}


def test_the_lessons_prompt(client):
    question = [{"role": "user", "content": "年假怎么申请？"}]
    for key, count in (("llama-3.1", 40), ("qwen2.5", 34)):
        assert client.predict(question, key, api_name="/render_chat")["count"] == count


def test_the_vocabularies(client):
    row = client.predict("qwen2.5", api_name="/vocabulary")
    assert sum(row["by_kind"].values()) == row["tokens"] == 151_665
    found = client.predict("qwen2.5", "^申请$", api_name="/vocabulary_search")
    assert [one["id"] for one in found["rows"]] == [101915]
    shared = client.predict("llama-3.1", "qwen2.5", api_name="/vocabulary_overlap")
    assert shared["both"] == len(authorities.ranks("llama-3.1").keys() & authorities.ranks("qwen2.5").keys())
    for wrong in (("qwen2.5", "(a+"), ("gpt-7", "a"), ("qwen2.5", "a", 0), ("qwen2.5", "(?R)*")):
        with pytest.raises(AppError):
            client.predict(*wrong, api_name="/vocabulary_search")


def test_a_model_that_does_not_come_keeps_nobody_waiting(client):
    slow = client.submit("x", "org/stuck", api_name="/tokenize")
    assert client.predict("x", "qwen2.5", api_name="/tokenize")["ids"] == [87]
    assert not slow.done()
    with pytest.raises(AppError, match="Hub"):
        slow.result(timeout=60)


def test_at_the_same_time(client):
    """The order of arrival changes nothing."""
    texts = [case["text"] for case in ENCODE[:12]]
    jobs = [
        (text, key, client.submit(text, key, parse_special=True, api_name="/tokenize"))
        for text in texts
        for key in ("llama-3.1", "qwen2.5")
    ]
    for text, key, job in jobs:
        expected = next(case["ids"][key] for case in ENCODE if case["text"] == text)
        assert job.result(timeout=60)["ids"] == expected
