"""Files of Hub models: huggingface_hub itself, against a stand-in on loopback."""

import errno
import json
import socket
import time

import pytest

from demo_lib import hub_problems, sources

from .hub_stand_in import OWNER, STRANGER, Repo, StandIn
from .refusals import refusal

TOKENIZER = json.dumps({"version": "1.0", "model": {"type": "BPE"}}).encode()
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
    monkeypatch.setattr(sources, "_TEMPLATES", sources.Shelf(2))


@pytest.fixture
def hub(monkeypatch):
    with StandIn({"org/model": Repo({"tokenizer.json": TOKENIZER})}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


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
        (Repo({}), None, "org/it has no tokenizer.json on the Hub: choose another model, or open a tokenizer.json"),
        (Repo({}, status=429), None, "wait a few minutes, or set HF_TOKEN"),
        (Repo({}, status=503), None, "has a fault of its own: try again later"),
        (Repo({}, status=403), None, "does not allow reading org/it"),
        (Repo({}, status=404, hub=False), None, "cannot be reached"),
        (Repo({}, status=403, hub=False), None, "cannot be reached"),
        (Repo({"tokenizer.json": b""}, hub=False), None, "cannot be reached: the models of the list work without it"),
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
    assert "cannot be reached: the models of the list work without it, and" in refusal(
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


def test_chat_template(hub):
    config = {"bos_token": "<s>", "chat_template": "config"}
    hub.repos["org/chat"] = Repo({"chat_template.jinja": b"file", "tokenizer_config.json": json.dumps(config).encode()})
    assert sources.chat_template("org/chat") == ("file", {"bos_token": "<s>"})
    hub.log.clear()
    assert sources.chat_template("org/chat").source == "file"
    assert hub.log == []  # kept while the app runs
    assert "org/model has no chat template" in refusal(sources.chat_template, "org/model")
    assert "has no model org/nothing" in refusal(sources.chat_template, "org/nothing")


def test_discard_port_is_closed():
    """What the tests of a Hub that is down rely on."""
    with socket.socket() as connection, pytest.raises(ConnectionRefusedError):
        connection.connect(("127.0.0.1", 9))
