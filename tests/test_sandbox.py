"""What comes from outside and is hostile: the app gets a sentence, in time, and goes on."""

import inspect
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
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

ROOT = Path(__file__).parent.parent
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def refusal(function: Callable, *args, within: float = 20, **kwargs) -> str:
    """The English of the Problem that the call raises, within so many seconds."""
    begun = time.monotonic()
    with pytest.raises(Problem) as caught:
        function(*args, **kwargs)
    assert time.monotonic() - begun < within
    assert any("一" <= character <= "鿿" for character in caught.value.zh)
    assert "/" not in str(caught.value).replace("org/name", "")  # no path of the server
    return str(caught.value)


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

LETTERS = {letter: id for id, letter in enumerate("abcdefghij")}


def bpe(**changes) -> dict:
    """The fields of a tokenizer.json's BPE model."""
    plain = {"type": "BPE", "unk_token": None, "byte_fallback": False, "ignore_merges": False}
    return plain | {"vocab": LETTERS, "merges": []} | changes


def tokenizer_json(**changes) -> bytes:
    """A tokenizer.json of ten letters, with what a test puts into it."""
    empty = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    return json.dumps({"version": "1.0", "added_tokens": [], **dict.fromkeys(empty), "model": bpe()} | changes).encode()


def split(pattern: str) -> dict:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def trained(kind: str) -> bytes:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    text = ["the quick brown fox jumps over the lazy dog", "请问年假怎么申请？我想请5天年假", "hug pug hugs bun"] * 9
    special = ["[UNK]", "<s>"]
    match kind:
        case "BPE":
            tokenizer = Tokenizer(models.BPE())
            tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
            tokenizer.decoder = decoders.ByteLevel()
            alphabet = pre_tokenizers.ByteLevel.alphabet()
            trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
        case "Unigram":
            tokenizer = Tokenizer(models.Unigram())
            tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
            trainer = trainers.UnigramTrainer(vocab_size=120, special_tokens=special, unk_token="[UNK]")
        case "WordPiece":
            tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
            tokenizer.normalizer = normalizers.Lowercase()
            tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
            trainer = trainers.WordPieceTrainer(vocab_size=200, special_tokens=special)
        case "WordLevel":
            tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
            tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
            trainer = trainers.WordLevelTrainer(special_tokens=special)
    tokenizer.train_from_iterator(text, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer.to_str().encode()


@pytest.mark.parametrize("kind", ["BPE", "Unigram", "WordPiece", "WordLevel"])
def test_answers_as_in_this_process(kind):
    data = trained(kind)
    outside, here = OutsideVocab(data, "key", "Label"), Vocab.from_json(data, "key", "Label")
    assert (outside.key, outside.label) == ("key", "Label")
    assert outside.size() == here.size()
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


REFUSED = {
    "not JSON": b"hello",
    "empty": b"",
    "truncated": tokenizer_json()[:-20],
    "not UTF-8": tokenizer_json().replace(b'"a"', b'"\xff"'),
    "an array": b"[]",
    "no model": b'{"version": "1.0"}',
    "model null": b'{"model": null}',
    "deep": b'{"model": ' + b"[" * 10**6,
    "merge of what is not there": tokenizer_json(model=bpe(merges=[["a", "b"]])),
    "merge of three": tokenizer_json(model=bpe(merges=["a b c"])),
    "merge that is too short": tokenizer_json(
        model=bpe(vocab={"a": 0, "##b": 1, "a##b": 2}, merges=[["a", "##b"]], continuing_subword_prefix="##")
    ),
    "id below 0": tokenizer_json(model=bpe(vocab={"a": -1})),
    "id over 2**32": tokenizer_json(model=bpe(vocab={"a": 2**32 + 1})),
    "nested pattern": tokenizer_json(pre_tokenizer=split("(" * 5000 + "a" + ")" * 5000)),
    "broken pattern": tokenizer_json(pre_tokenizer=split("(")),
    "unigram without pieces": tokenizer_json(model={"type": "Unigram", "unk_id": 5, "vocab": []}),
    "precompiled rules that panic": tokenizer_json(
        normalizer={"type": "Precompiled", "precompiled_charsmap": "CAAAAP////////////////8="}
    ),
    "precompiled rules that abort": tokenizer_json(
        normalizer={"type": "Precompiled", "precompiled_charsmap": "/////w=="}
    ),
}


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


FAILS = {  # a text that is well, where there is one, and a text that is not
    "catastrophic pattern": (tokenizer_json(pre_tokenizer=split("(a+)+$")), "aaa", "a" * 40 + "b"),
    "missing unknown token": (tokenizer_json(model=bpe(unk_token="<unk>")), "abc", "z"),
    "post-processing that panics": (
        tokenizer_json(
            post_processor={
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "X", "type_id": 0}}],
                "pair": [],
                "special_tokens": {},
            }
        ),
        None,
        "a",
    ),
    "pieces of length 0": (tokenizer_json(pre_tokenizer={"type": "FixedLength", "length": 0}), "", "abc"),
    "a letter that becomes a million": (
        tokenizer_json(normalizer={"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 10**6}),
        "b",
        "a" * 5000,
    ),
    "a letter that doubles 40 times": (
        tokenizer_json(
            normalizer={
                "type": "Sequence",
                "normalizers": [{"type": "Replace", "pattern": {"Regex": "a"}, "content": "aa"}] * 40,
            }
        ),
        "b",
        "a",
    ),
}


@pytest.mark.parametrize("case", FAILS)
def test_fails_on_a_text(case):
    data, good, bad = FAILS[case]
    vocab = OutsideVocab(data, "key", "Label", seconds=3, memory=1 << 30)
    for _ in range(2):
        assert refusal(vocab.encode, bad, add_special_tokens=True, within=8).startswith("Label: the tokenizer ")
        if good is not None:
            assert "".join(token.data.decode() for token in vocab.encode(good).tokens) == good


ODD = {  # strange, but the library has an answer
    "one id for two tokens": (tokenizer_json(model=bpe(vocab={"a": 0, "b": 0, "c": 1})), "abc", 3),
    "added token on a taken id": (
        tokenizer_json(
            added_tokens=[
                {
                    "id": 0,
                    "content": "<s>",
                    "single_word": False,
                    "lstrip": False,
                    "rstrip": False,
                    "normalized": False,
                    "special": True,
                }
            ]
        ),
        "a<s>",
        2,
    ),
    "empty pattern": (tokenizer_json(pre_tokenizer=split("")), "aaa", 3),
    "ten entries": (tokenizer_json(), "abcdefghij", 10),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_but_read(case):
    data, text, count = ODD[case]
    encoding = OutsideVocab(data, "key", "Label").encode(text)
    assert len(encoding.tokens) == count
    assert encoding == Vocab.from_json(data, "key", "Label").encode(text)


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


def process_id(vocab: OutsideVocab) -> int:
    return vocab._child._process.pid


def is_gone(pid: int, within: float = 5) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (OSError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


@linux
def test_closed_and_collected():
    vocab = OutsideVocab(tokenizer_json(), "key", "Label")
    first = process_id(vocab)
    vocab.close()
    assert is_gone(first)
    assert vocab.encode("ab").ids == [0, 1]  # loaded again
    second = process_id(vocab)
    os.kill(second, signal.SIGKILL)
    assert is_gone(second)
    assert vocab.encode("ab").ids == [0, 1]
    third = process_id(vocab)
    del vocab
    assert is_gone(third)


@linux
@pytest.mark.parametrize("end", ["exit", "kill", "kill while working"])
def test_child_ends_with_its_parent(end):
    code = f"""
import os, signal, sys, threading, time
from tests.test_sandbox import FAILS, process_id
from demo_lib.sandbox import OutsideVocab
vocab = OutsideVocab(FAILS["a letter that doubles 40 times"][0], "key", "Label", seconds=1, memory=100 << 30)
print(process_id(vocab), flush=True)
if {end!r} == "kill while working":
    threading.Thread(target=vocab.encode, args=("a",)).start()
    time.sleep(0.3)
if {end!r} != "exit":
    os.kill(os.getpid(), signal.SIGKILL)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())
    parent.wait()
    assert is_gone(pid, within=1 + child.GRACE + 3)


@linux
def test_what_the_child_is_given(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("https_proxy", "http://user:secret@proxy")
    vocab = OutsideVocab(tokenizer_json(), "key", "Label", memory=1 << 30)
    process = Path(f"/proc/{process_id(vocab)}")
    environment = (process / "environ").read_text()
    assert "secret" not in environment
    assert "HF_" not in environment
    rows = (process / "limits").read_text().splitlines()
    limits = {row[:26].strip(): row[26:].split()[:2] for row in rows}
    assert limits["Max address space"] == [str(1 << 30)] * 2
    assert limits["Max file size"] == ["0", "0"]
    assert limits["Max core file size"] == ["0", "0"]
    assert limits["Max open files"] == ["16", "16"]
    assert os.getsid(process_id(vocab)) == process_id(vocab)  # Ctrl-C does not reach it
    assert os.readlink(process / "fd" / "2") == "/dev/null"


# The pipe


def test_only_what_is_offered_is_called():
    started = child.Child(sandbox.MODULE, str(1 << 30))
    with pytest.raises(child.ChildError, match="crash"):
        started.call("__import__", "os", seconds=10)
    assert not started.alive


def test_a_stray_print_is_no_answer(tmp_path):
    (tmp_path / "noisy.py").write_text(
        "import os\nfrom demo_lib import child\n"
        "def noise(data):\n    os.write(1, b'{}\\n')\n    print('{}', flush=True)\n    return [data, {'a': None}]\n"
        "child.serve({'noise': noise})\n"
    )
    sys.path.insert(0, str(tmp_path))
    try:
        assert child.ask_once("noisy", "noise", "\ud83d\udc4d\n", seconds=10) == ["\ud83d\udc4d\n", {"a": None}]
        with pytest.raises(child.ChildError, match="crash"):
            child.ask_once("noisy", "noise", "x" * 100, seconds=10, answer_limit=100)
        with pytest.raises(TypeError, match="cannot cross"):
            child.ask_once("noisy", "noise", object(), seconds=10)
    finally:
        sys.path.remove(str(tmp_path))
