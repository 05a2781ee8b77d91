"""What the endpoints refuse, and how: in a sentence of ours, which gives nothing of the server away."""

import json
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from gradio_client.exceptions import AppError

HI = [{"role": "user", "content": "Hi"}]
PRIVATE = "sesame-3141"  # stands in what is sent, and must not be logged


def refusal(call, *args, **kwargs) -> str:
    """The sentence that the call is refused with; it says nothing of the server."""
    with pytest.raises(AppError) as caught:
        call(*args, **kwargs)
    return clean(str(caught.value))


def clean(answer: str) -> str:
    secrets = (os.getcwd(), tempfile.gettempdir(), "site-packages", "Traceback", ".py", "demo_lib", "127.0.0.1")
    assert not any(secret in answer for secret in secrets)
    return answer


@pytest.fixture(scope="module")
def post(address):
    """Plain HTTP, which sends what gradio_client would not: the error's text, or the result."""
    http = httpx.Client(timeout=60)

    def ask(endpoint: str, body: str | bytes):
        url = f"{address}/gradio_api/call/{endpoint}"
        begun = http.post(url, content=body, headers={"Content-Type": "application/json"})
        if begun.status_code != 200:
            return begun.status_code, clean(begun.text)
        answer = http.get(f"{url}/{begun.json()['event_id']}").text
        event, data = re.findall(r"event: (\w+)\ndata: (.*)\n", answer)[-1]
        assert event in ("complete", "error")
        return 200, (json.loads(data) or [None])[0] if event == "complete" else clean(json.loads(data)["error"])

    with http:
        yield ask


@pytest.mark.parametrize(
    ("endpoint", "arguments", "said"),
    [
        ("/tokenize", ("年" * 20_001, "qwen2.5"), "has 20,001 characters and the most is 20,000"),
        ("/compare", ("年" * 20_001, ["qwen2.5"]), "has 20,001 characters"),
        ("/tokenize", ("x", "gpt-7"), "no model of this name here: choose llama-3.1, "),
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
        ("/compare", ("x", []), "at least one model"),
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
        ("/render_chat", (HI, "qwen2.5", True, None, 5), "The date must be a text"),
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
    written = capfd.readouterr()
    assert PRIVATE not in written.out + written.err


def test_nothing_sent_to_the_pages_own_events_is_logged(address, post, capfd):
    """Whatever it is, and however much of it."""
    events = httpx.get(f"{address}/config").json()["dependencies"]
    sent = [(one["api_name"], len(one["inputs"])) for one in events if one["backend_fn"]]
    assert len(sent) > 10
    calls = [
        (name, json.dumps({"data": data}))
        for name, count in sent
        for data in ([PRIVATE] * count, [PRIVATE] * (count - 1), [{PRIVATE: [PRIVATE]}] * count)
    ]
    with ThreadPoolExecutor(8) as pool:
        assert {status for status, _ in pool.map(lambda call: post(*call), calls)} == {200}
    written = capfd.readouterr()
    assert PRIVATE not in written.out + written.err
    assert "Traceback" not in written.out + written.err
