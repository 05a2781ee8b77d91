"""The app for programs: its four endpoints, through gradio_client and by plain HTTP, against the real app."""

import json
import os
import re
import socket
import tempfile
from pathlib import Path

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

import app
from demo_lib import catalog
from demo_lib.tabs import serve
from demo_lib.vocab import open_vocab

from . import authorities
from .hub_stand_in import Repo, StandIn

DATA = Path(__file__).parent / "data"
ENCODE = json.loads((DATA / "encode.json").read_text("utf-8"))
CHAT = json.loads((DATA / "chat.json").read_text("utf-8"))
HI = [{"role": "user", "content": "Hi"}]
PRIVATE = "sesame-3141"  # stands in texts that must not be logged


@pytest.fixture(scope="module")
def address():
    """The app in this process, beside a Hub whose only model never comes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    stuck = Repo({"tokenizer.json": b"{}"}, stuck="HEAD")
    with StandIn({"org/stuck": stuck}) as hub, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_ENDPOINT", hub.url)
        blocks = serve.launch(app.TABS, port=port)
        yield blocks.local_url.rstrip("/")
        blocks.close(verbose=False)


@pytest.fixture(scope="module")
def client(address):
    return Client(address, verbose=False)


def refusal(call, *args, **kwargs) -> str:
    """The sentence that the call is refused with; it says nothing of the server."""
    with pytest.raises(AppError) as caught:
        call(*args, **kwargs)
    return clean(str(caught.value))


def clean(answer: str) -> str:
    secrets = (os.getcwd(), tempfile.gettempdir(), "site-packages", "Traceback", ".py", "demo_lib", "127.0.0.1")
    assert not any(secret in answer for secret in secrets)
    return answer


@pytest.fixture
def post(address):
    """Plain HTTP, which sends what gradio_client would not: the error's text, or the result."""

    def ask(endpoint: str, body: str | bytes):
        url = f"{address}/gradio_api/call/{endpoint}"
        begun = httpx.post(url, content=body, headers={"Content-Type": "application/json"}, timeout=60)
        if begun.status_code != 200:
            return begun.status_code, clean(begun.text)
        answer = httpx.get(f"{url}/{begun.json()['event_id']}", timeout=60).text
        event, data = re.search(r"event: (\w+)\ndata: (.*)\n", answer).groups()
        assert event in ("complete", "error")
        return 200, json.loads(data)[0] if event == "complete" else clean(json.loads(data)["error"])

    return ask


# What is offered


def test_four_endpoints_with_their_docstrings(client):
    listed = client.view_api(return_format="dict")
    assert listed["unnamed_endpoints"] == {}
    assert set(listed["named_endpoints"]) == {"/tokenize", "/compare", "/decode", "/render_chat"}
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
    assert public == {"tokenize", "compare", "decode", "render_chat"}
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


# What they refuse


@pytest.mark.parametrize(
    ("endpoint", "arguments", "said"),
    [
        ("/tokenize", ("年" * 20_001, "qwen2.5"), "has 20,001 characters and this tab takes 20,000"),
        ("/compare", ("年" * 20_001, ["qwen2.5"]), "has 20,001 characters"),
        ("/tokenize", ("x", "gpt-7"), "A model of the Hub is written org/name"),
        ("/tokenize", ("x", "../../etc/passwd"), "A model of the Hub is written org/name"),
        ("/tokenize", ("x", "upload:../../etc/passwd"), "no longer kept"),
        ("/tokenize", ("x", "org/none"), "org/none"),
        ("/compare", ("x", ["qwen2.5", "org/none"]), "org/none"),
        ("/decode", ([5], "org/none"), "org/none"),
        ("/render_chat", (HI, "org/none"), "org/none"),
        ("/render_chat", (HI, "gpt-7"), "no chat template for this model"),
        ("/tokenize", (5, "qwen2.5"), "The text must be a string"),
        ("/tokenize", (None, "qwen2.5"), "The text must be a string"),
        ("/tokenize", ({"a": 1}, "qwen2.5"), "The text must be a string"),
        ("/tokenize", ("x", None), "Choose a model"),
        ("/tokenize", ("x", ["qwen2.5"]), "Choose a model"),
        ("/tokenize", ("x", "qwen2.5", "yes"), "must be true or false"),
        ("/tokenize", ("x", "qwen2.5", False, None), "must be true or false"),
        ("/compare", ("x", "qwen2.5"), "list of names"),
        ("/compare", ("x", [["qwen2.5"]]), "list of names"),
        ("/compare", ("x", []), "0 are chosen"),
        ("/compare", ("x", ["a/b", "c/d", "e/f", "g/h", "i/j"]), "5 are chosen"),
        (
            "/decode",
            ([5, 999_999], "qwen2.5"),
            "Qwen2.5 has no token with the id 999999: its vocabulary has 151,665 tokens",
        ),
        ("/decode", ([-1], "llama-3.1"), "no token with the id -1"),
        ("/decode", ([10**30], "llama-3.1"), "no token with the id 1000000000000000000000000000000"),
        ("/decode", ([5.0], "llama-3.1"), "list of whole numbers"),
        ("/decode", ([True], "llama-3.1"), "list of whole numbers"),
        ("/decode", ([[5]], "llama-3.1"), "list of whole numbers"),
        ("/decode", ("5 five", "llama-3.1"), "“five” is no token id"),
        ("/decode", ([5] * 100_001, "llama-3.1"), "100,001 ids and the limit is 100,000"),
        ("/render_chat", ("Hi", "qwen2.5"), "messages"),
        ("/render_chat", ([{"role": "user", "content": 5}], "qwen2.5"), "Message 1"),
        ("/render_chat", ([5], "qwen2.5"), "Message 1"),
        ("/render_chat", (HI, "qwen2.5", True, "{"), "tools"),
        ("/render_chat", (HI, "qwen2.5", True, None, 5), "must be a string"),
        ("/render_chat", (HI, "qwen2.5", True, None, None, "on"), "enable_thinking"),
    ],
)
def test_refused_in_a_sentence(client, endpoint, arguments, said):
    answer = refusal(client.predict, *arguments, api_name=endpoint)
    assert said in answer
    assert "our fault" not in answer


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize(
    ("endpoint", "data", "said"),
    [
        ("tokenize", r'["a\ud800", "qwen2.5", false, false]', "Character 2 of the text is U+D800"),
        ("compare", r'["\udc00\ud800", ["qwen2.5"]]', "Character 1 of the text is U+DC00"),
        ("tokenize", r'["x", "\ud800", false, false]', "org/name"),
        (
            "render_chat",
            r'[[{"role": "user", "content": "\ud800"}], "qwen2.5", true, null, null, null]',
            "surrogate pair",
        ),
        ("tokenize", '[NaN, "qwen2.5", false, false]', "must be a string"),
        ("tokenize", '["x", NaN, false, false]', "Choose a model"),
        ("tokenize", '["x", "qwen2.5", NaN, false]', "must be true or false"),
        ("decode", '[[NaN], "qwen2.5"]', "list of whole numbers"),
        ("decode", '[[1e400], "qwen2.5"]', "list of whole numbers"),
        ("decode", f'[{nested(500)}, "qwen2.5"]', "list of whole numbers"),
        ("tokenize", f'[{nested(500)}, "qwen2.5", false, false]', "must be a string"),
        ("compare", f'["x", {nested(500)}]', "list of names"),
        ("render_chat", f'[{nested(500)}, "qwen2.5", true, null, null, null]', "Message 1"),
        (
            "render_chat",
            f'[[{{"role": "user", "content": "x", "a": {nested(500)}}}], "qwen2.5", true, null, null, null]',
            "deep",
        ),
        ("render_chat", f'[{json.dumps(HI)}, "qwen2.5", true, {nested(500)}, null, null]', "deep"),
    ],
)
def test_refused_whatever_the_json(post, endpoint, data, said):
    status, answer = post(endpoint, f'{{"data": {data}}}')
    assert status == 200
    assert said in answer
    assert "our fault" not in answer


def test_nan_in_a_conversation_comes_back_as_json(post):
    message = '{"role": "user", "content": "x", "n": NaN}'
    tool = '{"type": "function", "function": {"name": "f", "parameters": {"n": NaN}}}'
    status, answer = post("render_chat", f'{{"data": [[{message}], "qwen2.5", true, [{tool}], null, null]}}')
    assert status == 200
    assert "our fault" not in answer
    json.dumps(answer, allow_nan=False)


@pytest.mark.parametrize(
    "body", ["", "{", "[]", '{"data": 5}', '{"data": ' + nested(10**5) + "}", b"\xff\xfe"], ids=range(6)
)
def test_what_is_no_call_is_refused_at_the_door(post, body):
    status, _ = post("tokenize", body)
    assert 400 <= status < 500


def test_too_few_arguments_or_a_name_that_is_not_there(post):
    takes = "/tokenize takes 4 values, in this order: text, model, add_special_tokens, parse_special. 1 came."
    assert post("tokenize", '{"data": ["x"]}') == (200, takes)
    status, _ = post("nobody", '{"data": []}')
    assert status >= 400


def test_what_was_sent_is_not_logged(client, post, capfd):
    client.predict(PRIVATE, "qwen2.5", api_name="/tokenize")
    refusal(client.predict, PRIVATE, PRIVATE, api_name="/tokenize")
    refusal(client.predict, PRIVATE * 2000, "qwen2.5", api_name="/tokenize")
    refusal(client.predict, PRIVATE, "qwen2.5", api_name="/decode")
    refusal(client.predict, [{"role": PRIVATE, "content": {PRIVATE: 1}}], "qwen2.5", api_name="/render_chat")
    for endpoint in ("tokenize", "draw"):
        post(endpoint, json.dumps({"data": [PRIVATE]}))
    written = capfd.readouterr()
    assert PRIVATE not in written.out + written.err


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
