"""What comes from outside and is hostile: the app gets a sentence, in time, and goes on."""

import inspect
import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib import child, sandbox
from demo_lib.problems import Problem
from demo_lib.sandbox import OutsideVocab, render_template
from demo_lib.vocab import Vocab

from .hostile import FAILS, ODD, REFUSED, tokenizer_json, trained
from .refusals import refusal

ROOT = Path(__file__).parent.parent


# Templates (how they render: test_jinja_chat.py)


@settings(max_examples=10, deadline=None)
@given(st.text(st.characters(exclude_categories=())))
@pytest.mark.parametrize("extra", ["", "\0 \ud800 \ud83d\udc4d \n\r\u2028"])
def test_any_text_survives_the_trip(extra, text):
    text += extra
    assert render_template("{{ a.b[0] }}", {"a": {"b": [text]}}) == text


def test_template_sees_the_chosen_date():
    now = datetime(2024, 7, 26)
    assert render_template("{{ strftime_now('%d %b %Y') }}", {}, now=now) == now.strftime("%d %b %Y")
    today = datetime.now()
    assert render_template("{{ strftime_now('%Y') }}", {}) in {str(today.year), str(datetime.now().year)}


BOMBS = {
    "{% for i in range(10**5) %}{% for i in range(10**5) %}{% endfor %}{% endfor %}": "did not end within 2 seconds",
    "{{ 'A' * 10**9 }}": "wants more memory",
    "{{ 'A' * 10**10 }}": "wants more memory",
    "{{ '%0999999999999d' % 1 }}": "wants more memory",
    "{{ range(10**9) }}": "counts too far",
    "{% for i in range(99999) %}{{ 'A' * 10**6 }}{% endfor %}": "more than 1,000,000 characters",
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}": "RecursionError",
    "{{ raise_exception('Only users.') }}": "refuses this conversation: Only users.",
}


@pytest.mark.parametrize("source", BOMBS, ids=lambda source: source[:40])
def test_template_bombs(source):
    # under load, filling memory may take longer than it is given: both are the right end
    answer = refusal(render_template, source, {}, seconds=2, memory=400 << 20, within=6)
    assert BOMBS[source] in answer or ("memory" in BOMBS[source] and "did not end" in answer)
    assert render_template("{{ 1 + 1 }}", {}) == "2"


def test_a_class_of_templates_at_once():
    answers = []
    threads = [
        threading.Thread(target=lambda i=i: answers.append(int(render_template(f"{{{{ {i} }}}}", {}, seconds=30))))
        for i in range(12)
    ]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(answers) == list(range(12))


def test_no_free_slot(monkeypatch):
    monkeypatch.setattr(child, "SLOTS", 1)
    child._slots.cache_clear()
    loop = "{% for i in range(10**5) %}{% for i in range(10**5) %}{% endfor %}{% endfor %}"
    slow = threading.Thread(target=lambda: refusal(render_template, loop, {}, seconds=3))
    slow.start()
    time.sleep(0.5)
    assert "Too many visitors" in refusal(render_template, "x", {}, seconds=0.5, within=2)
    slow.join()
    child._slots.cache_clear()
    assert render_template("x", {}) == "x"


def test_child_is_lean():
    code = """
import sys
from demo_lib import sandbox
sandbox.jinja_chat.render("{{ strftime_now('%Y') }}{{ [1] | tojson }}", {}, None, 9)
print({"gradio", "transformers", "torch", "numpy", "tokenizers", "huggingface_hub"} & {*sys.modules})
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


# Tokenizers


@pytest.mark.parametrize("kind", ["BPE", "Unigram", "WordPiece", "WordLevel"])
def test_answers_as_in_this_process(kind):
    data = trained(kind)
    outside, here = OutsideVocab(data, "key", "Label"), Vocab.from_json(data, "key", "Label")
    assert (outside.key, outside.label) == ("key", "Label")
    assert (outside.size(), outside.last_id()) == (here.size(), here.last_id())
    assert outside.special_tokens() == here.special_tokens()
    for text in ("", "the quick 年假 fox", "hugs <s> pug", "a\0b\n\u2028c", "钉𠮷 e\u0301 zzz"):
        for options in ({}, {"add_special_tokens": True}, {"parse_special": False}):
            ours, theirs = outside.encode(text, **options), here.encode(text, **options)
            assert ours == theirs
            assert {type(token.data) for token in ours.tokens} <= {bytes}
        assert outside.decode(ours.ids) == here.decode(ours.ids)
        assert outside.alone(tuple(ours.ids)) == here.alone(ours.ids)
        assert outside.stream(tuple(ours.ids)) == here.stream(ours.ids)
        for piece in ours.pre_tokens:
            assert outside.trace(piece.text) == here.trace(piece.text)
    assert [outside.token_bytes(id) for id in range(here.size())] == [here.token_bytes(id) for id in range(here.size())]
    assert "no token with the id 99999" in refusal(outside.token_bytes, 99999)
    assert "half of a surrogate pair" in refusal(outside.encode, "a\ud800")
    assert outside.encode("the").ids == here.encode("the").ids  # a Problem leaves the child as it was


def test_has_the_interface_of_vocab():
    def methods(kind: type) -> dict[str, list[str]]:
        public = {name: value for name, value in vars(kind).items() if not name.startswith("_")}
        functions = {name: value for name, value in public.items() if inspect.isfunction(value)}
        return {name: list(inspect.signature(value).parameters) for name, value in functions.items()}

    outside = methods(OutsideVocab)
    assert outside.pop("close") == ["self"]
    assert outside == methods(Vocab)


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_refused_when_loaded(data):
    answer = refusal(OutsideVocab, data, "org/name", "org/name")
    assert answer.startswith("org/name: ")


def test_64_mb_of_brackets_and_of_zeros():
    for data in (b"[" * 64 * 10**6, b"0" * 64 * 10**6):
        assert refusal(OutsideVocab, data, "key", "Label", within=40).startswith("Label: ")


def test_load_time_limit():
    deep = tokenizer_json(normalizer={"type": "Prepend", "prepend": "x" * 5 * 10**7})
    assert "not loaded within 0.05 seconds" in refusal(OutsideVocab, deep, "key", "Label", load_seconds=0.05, within=3)


@pytest.mark.parametrize("case", FAILS)
def test_fails_on_a_text(case):
    data, good, bad = FAILS[case]
    vocab = OutsideVocab(data, "key", "Label", seconds=3, memory=1 << 30)
    for _ in range(2):
        assert refusal(vocab.encode, bad, add_special_tokens=True, within=8).startswith("Label: the tokenizer ")
        if good is not None:
            assert "".join(token.data.decode() for token in vocab.encode(good).tokens) == good


@pytest.mark.parametrize("case", ODD)
def test_odd_but_read(case):
    data, text, count = ODD[case]
    ids = OutsideVocab(data, "key", "Label").encode(text).ids
    assert len(ids) == count
    assert ids == Vocab.from_json(data, "key", "Label").encode(text).ids  # which of two names an id has is chance


@pytest.mark.parametrize(
    "work",
    [
        lambda: OutsideVocab(FAILS["a letter that doubles 40 times"][0], "key", "Label", seconds=3).encode("a"),
        lambda: OutsideVocab(b"[" * 64 * 10**6, "key", "Label"),
        lambda: sandbox.check_tokenizer_json(b'{"model": {"a": [' + b"[]," * 10**7 + b"1]}}"),
        lambda: render_template("{% for i in range(99999) %}{% for i in range(99999) %}{% endfor %}{% endfor %}", {}),
    ],
    ids=["tokenizer", "load", "check", "template"],
)
def test_other_threads_go_on(work):
    quick = OutsideVocab(tokenizer_json(), "key", "Quick")

    def attempt() -> None:
        with suppress(Problem):
            work()

    slow = threading.Thread(target=attempt)
    slow.start()
    gaps, before = [], time.monotonic()
    while slow.is_alive():
        assert quick.encode("abc").ids == [0, 1, 2]
        gaps.append(time.monotonic() - before)
        before = time.monotonic()
    slow.join()
    assert len(gaps) > 20
    assert max(gaps) < 1.5  # one core of two is taken by the slow one


def test_many_visitors_of_one_tokenizer():
    vocab = OutsideVocab(tokenizer_json(), "key", "Label")
    wrong = []

    def visit(text: str) -> None:
        for _ in range(30):
            if vocab.encode(text).text != text:
                wrong.append(text)

    threads = [threading.Thread(target=visit, args=(letter * 50,)) for letter in "abcdef"]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert wrong == []


def test_visitors_do_not_wait_for_ever():
    vocab = OutsideVocab(FAILS["a letter that doubles 40 times"][0], "key", "Label", seconds=2, load_seconds=1)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(refusal(vocab.encode, "a"))) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert {answer.partition(":")[0] for answer in answers} <= {"Label", "Label is busy with other texts"}
    assert any("did not end within 2 seconds" in answer for answer in answers)
