"""Tables of Hub models against a stand-in: the right numbers, no byte too many, and a sentence for each fault."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from demo_lib import hub_tables, sources, tables, tensor_range, weights
from demo_lib.problems import Problem

from .hub_stand_in import OWNER, STRANGER, Repo, StandIn
from .made_models import Made, made
from .refusals import refusal

ROOT = Path(__file__).parent.parent
CLOSED = "http://127.0.0.1:9"  # the discard port: nobody listens
BIG = {"rows": 20_000, "dim": 512}  # three chunks of a fetch


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Each test has its own cache and none of the environment's Hub settings."""
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "HF_HUB_DOWNLOAD_TIMEOUT", "HF_HUB_ETAG_TIMEOUT", "BOTH_ENDS_TABLE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("HF_ENDPOINT", CLOSED)
    fresh(monkeypatch)


@pytest.fixture
def hub(monkeypatch):
    with StandIn({}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


def fresh(monkeypatch) -> None:
    """As in an app that has just started."""
    monkeypatch.setattr(tables, "_OPENED", tables._Opened(8))
    monkeypatch.setattr(tables, "_JOBS", tables.Jobs())
    monkeypatch.setattr(tables, "_VOCABS", tables.Shelf(6))


def serve(hub: StandIn, name: str = "org/model", repo: dict | None = None, **options) -> Made:
    model = made(**options)
    hub.repos[name] = Repo(model.files, **(repo or {}))
    return model


def same(table: tables.Table, expected: torch.Tensor) -> bool:
    return np.array_equal(table.rows(slice(None)), expected.float().numpy())


def headers(model: Made) -> int:
    """Bytes that finding the tables of a small single file takes: the file's beginning, once."""
    return min(tensor_range.FIRST, len(model.files["model.safetensors"]))


def gets(hub: StandIn) -> list[str]:
    return [path for method, path, *_ in hub.log if method == "GET"]


# The right table


@pytest.mark.parametrize("dtype", ["BF16", "F16", "F32"])
def test_tied_single_file(hub, dtype):
    model = serve(hub, dtype=dtype)
    table = tables.open_table("org/model")
    info = table.info
    assert same(table, model.input)
    assert (info.dtype, info.rows, info.dim, info.nbytes) == (dtype, 300, 8, model.table_bytes)
    assert (info.tied, table.output, info.source) == (True, None, "hub")
    assert info.where == f"org/model@{hub.repos['org/model'].commit[:7]}"
    assert hub.sent == headers(model) + model.table_bytes
    assert np.array_equal(table.used, np.arange(300) < 293)
    assert table.vocab.encode("w5").ids == [5]


@pytest.mark.parametrize("shards", [False, True])
def test_untied(hub, shards):
    model = serve(hub, output=True, tied=False, shards=shards)
    table = tables.open_table("org/model")
    assert same(table, model.input)
    assert same(table.output, model.output)
    assert not table.info.tied
    assert not torch.equal(model.input, model.output)


def test_sharded_tied_reads_only_the_file_with_the_table(hub):
    model = serve(hub, shards=True, output=True, tied=True)
    assert same(tables.open_table("org/model"), model.input)
    files = {path.rpartition("/")[2] for path in gets(hub) if path.endswith(".safetensors")}
    assert files == {"model-00001-of-00003.safetensors"}
    assert hub.sent == len(model.files["model-00001-of-00003.safetensors"]) + model.table_bytes


@pytest.mark.parametrize(
    ("stated", "stored", "tied", "separate"),
    [(True, True, True, False), (None, True, False, True), (None, False, True, False), (False, False, False, False)],
)
def test_tied_or_not(hub, stated, stored, tied, separate):
    model = serve(hub, output=stored, tied=stated)
    table = tables.open_table("org/model")
    assert (table.info.tied, table.output is not None) == (tied, separate)
    assert same(table, model.input)


def test_a_model_of_text_and_images(hub):
    config = {"text_config": {"vocab_size": 300, "hidden_size": 8, "tie_word_embeddings": True}, "vocab_size": 5}
    names = "model.language_model.embed_tokens.weight", "lm_head.weight"
    model = serve(hub, names=names, config=config, tied=False)
    table = tables.open_table("org/model")
    assert same(table, model.input)
    assert table.info.tied


def test_only_the_table_and_the_header_move(hub):
    model = serve(hub, **BIG)
    shown = []
    table = tables.open_table("org/model", progress=lambda done, total: shown.append((done, total)))
    assert same(table, model.input)
    assert hub.sent == tensor_range.FIRST + model.table_bytes
    assert shown == sorted(shown)
    assert shown[-1] == (model.table_bytes, model.table_bytes)


def test_token_stays_on_the_hub(hub, monkeypatch):
    model = serve(hub, repo={"cdn": True, "gated": True})
    monkeypatch.setenv("HF_TOKEN", OWNER)
    assert same(tables.open_table("org/model"), model.input)
    tokens = {(host.partition(":")[0], token) for _, _, token, host in hub.log}
    assert tokens == {("127.0.0.1", OWNER), ("localhost", "")}


def test_a_header_longer_than_the_first_request(hub, monkeypatch):
    """One name of 150,000 letters."""
    model = serve(hub, names=("model.embed_tokens.weight", "x" * 150_000), output=True)
    assert same(tables.open_table("org/model"), model.input)


# Faults on the way


def test_answers_that_break_off(hub):
    model = serve(hub, repo={"short": (3 * 10**6, 4)}, **BIG)
    assert same(tables.open_table("org/model"), model.input)
    assert hub.repos["org/model"].short[1] == 0


@pytest.mark.parametrize("status", [429, 503])
def test_busy_for_a_while(hub, status):
    model = serve(hub, repo={"fails": (status, 2)})
    assert same(tables.open_table("org/model"), model.input)


@pytest.mark.parametrize(
    ("repo", "token", "words"),
    [
        ({"gated": True}, None, "accept its licence on the model's page and set HF_TOKEN"),
        ({"gated": True}, STRANGER, "accept its licence on the model's page and set HF_TOKEN"),
        ({"private": True}, STRANGER, "The Hub has no model org/model, or it is private"),
        ({}, "hf_wrong", "does not accept the access token"),
        ({"status": 429}, None, "too many requests"),
        ({"status": 503}, None, "has a fault of its own"),
        ({"fails": (429, 99)}, None, "too many requests"),
        ({"fails": (503, 99)}, None, "has a fault of its own"),
        ({"fails": (403, 99)}, None, "cannot be reached: the tables of Gemma 3 270M and SmolLM2 come without it"),
        ({"hub": False}, None, "cannot be reached: the tables of Gemma 3 270M and SmolLM2 come without it"),
        ({"stuck": "HEAD"}, None, "cannot be reached"),
        ({"content_range": "bytes 0-9/10"}, None, "does not send parts of a file"),
    ],
)
def test_sentences(hub, monkeypatch, repo, token, words):
    serve(hub, repo=repo)
    if token:
        monkeypatch.setenv("HF_TOKEN", token)
    said = refusal(tables.open_table, "org/model", within=30)
    assert words in said
    assert "upload" not in said
    assert not list(sources.cache_dir().glob("tables/*.table"))


def test_no_such_model(hub):
    assert "The Hub has no model org/none" in refusal(tables.open_table, "org/none")
    assert "The Hugging Face Hub cannot be reached" not in refusal(tables.open_table, "org/none")


def test_hub_down():
    assert "cannot be reached: the tables of" in refusal(tables.open_table, "org/model")


def test_a_server_that_ignores_range_is_not_read(hub):
    model = serve(hub, repo={"ranges": False}, **BIG)
    assert "the whole of model.safetensors is not fetched" in refusal(tables.open_table, "org/model")
    assert hub.sent < model.table_bytes / 2  # what was in the pipe when we hung up


def test_a_server_without_content_range_that_keeps_to_it(hub):
    model = serve(hub, repo={"content_range": None})
    assert same(tables.open_table("org/model"), model.input)


def test_a_server_that_stands_still(hub, monkeypatch):
    serve(hub, repo={"pace": 1.0}, **BIG)
    monkeypatch.setattr(hub_tables, "STALL", 2)
    assert "answers too slowly" in refusal(tables.open_table, "org/model")


def test_slow_is_no_fault(hub):
    model = serve(hub, repo={"pace": 0.01}, **BIG)
    shown = []
    assert same(tables.open_table("org/model", progress=lambda done, total: shown.append(done)), model.input)
    assert shown == sorted(shown)
    assert len(set(shown)) > 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model.safetensors": None}, "org/model has no safetensors weights"),
        ({"config.json": None}, "org/model has no config.json"),
        ({"config.json": b"[]"}, "config.json of org/model is damaged"),
        ({"tokenizer.json": None}, "org/model has no tokenizer.json"),
        ({"config.json": b'{"vocab_size": 301, "hidden_size": 8}'}, "has not the shape that its config.json states"),
        ({"config.json": b'{"vocab_size": 300, "hidden_size": 9}'}, "has not the shape that its config.json states"),
        ({"model.safetensors": b"\xff" * 100}, "model.safetensors of org/model is damaged"),
        ({"model.safetensors": b"small"}, "model.safetensors of org/model is damaged"),
        (
            {"model.safetensors": None, "model.safetensors.index.json": b'{"weight_map": 5}'},
            "index.json of org/model is",
        ),
        (
            {"model.safetensors": None, "model.safetensors.index.json": b'{"weight_map": {"a": "../b.safetensors"}}'},
            "index.json of org/model is damaged",
        ),
        (
            {"model.safetensors": None, "model.safetensors.index.json": b'{"weight_map": {}}'},
            "no embedding table under a",
        ),
    ],
)
def test_models_that_are_not_whole(hub, change, words):
    serve(hub)
    files = hub.repos["org/model"].files
    for name, data in change.items():
        if data is None:
            del files[name]
        else:
            files[name] = data
    assert words in refusal(tables.open_table, "org/model")


def test_an_index_that_names_a_file_without_the_table(hub):
    serve(hub, shards=True)
    files = hub.repos["org/model"].files
    where = {"model.embed_tokens.weight": "model-00002-of-00003.safetensors"}
    files["model.safetensors.index.json"] = json.dumps({"weight_map": where}).encode()
    assert "model-00002-of-00003.safetensors of org/model is damaged" in refusal(tables.open_table, "org/model")
    where = {"model.embed_tokens.weight": "model-00009-of-00003.safetensors"}
    files["model.safetensors.index.json"] = json.dumps({"weight_map": where}).encode()
    assert "model-00009-of-00003.safetensors of org/model, which its index names" in refusal(
        tables.open_table, "org/model"
    )


def test_an_index_that_eats_memory(hub):
    """49 MB of JSON that would take more than 1 GB as lists."""
    serve(hub, shards=True)
    hub.repos["org/model"].files["model.safetensors.index.json"] = b'{"weight_map": [%s[]]}' % (b"[]," * 16_300_000)
    assert "index.json of org/model is damaged" in refusal(tables.open_table, "org/model", within=60)


def test_an_index_too_large(hub):
    serve(hub, shards=True)
    hub.repos["org/model"].files["model.safetensors.index.json"] = bytes(weights.INDEX_LIMIT + 1)
    assert "larger than 50 MB" in refusal(tables.open_table, "org/model")


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("which", ["input", "output"])
def test_numbers_that_are_none(hub, bad, which):
    from safetensors.torch import save

    model = serve(hub, output=True, tied=False)
    getattr(model, which)[123, 4] = bad
    hub.repos["org/model"].files["model.safetensors"] = save(
        {"model.embed_tokens.weight": model.input, "lm_head.weight": model.output}
    )
    assert "rows with what is not a number" in refusal(tables.open_table, "org/model")


def test_quantised(hub):
    from safetensors.torch import save

    serve(hub)
    table = {"model.embed_tokens.weight": torch.zeros(300, 8, dtype=torch.int8)}
    hub.repos["org/model"].files["model.safetensors"] = save(table)
    assert "not stored as BF16, F16 or F32" in refusal(tables.open_table, "org/model")


# Stopped, killed, gone on with


def stop_after(bytes: int) -> tuple[threading.Event, object]:
    cancel = threading.Event()
    return cancel, lambda done, total: cancel.set() if done >= bytes else None


def test_cancel_keeps_the_parts(hub, monkeypatch):
    model = serve(hub, repo={"pace": 0.02}, **BIG)
    cancel, progress = stop_after(6 * 10**6)
    assert "The fetch was stopped" in refusal(tables.open_table, "org/model", progress=progress, cancel=cancel)
    assert not tables.is_cached("org/model")
    hub.repos["org/model"].pace = 0
    first = []
    time.sleep(1.5)  # the child is gone
    hub.sent = 0
    table = tables.open_table("org/model", progress=lambda done, total: first.append(done))
    assert same(table, model.input)
    assert first[0] >= 6 * 10**6
    assert hub.sent <= tensor_range.FIRST + model.table_bytes - 6 * 10**6


def test_one_visitor_stops_and_the_other_gets_the_table(hub):
    model = serve(hub, repo={"pace": 0.01}, **BIG)
    cancel, progress = stop_after(10**6)
    got = []
    other = threading.Thread(target=lambda: got.append(tables.open_table("org/model")))
    other.start()
    assert "stopped" in refusal(tables.open_table, "org/model", progress=progress, cancel=cancel)
    other.join()
    assert same(got[0], model.input)
    assert hub.sent == tensor_range.FIRST + model.table_bytes  # once for both


def children(pid: int) -> list[int]:
    """Child processes; the system lists them by the thread that started them."""
    return [int(child) for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]


@pytest.mark.skipif(not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists(), reason="needs Linux's /proc")
def test_killed_in_the_middle(hub, tmp_path):
    """The app goes without a word; its child ends soon after, and the next app goes on where they were."""
    model = serve(hub, repo={"pace": 0.02}, **BIG)
    code = """
from demo_lib import tables
tables.open_table("org/model", progress=lambda done, total: done > 6 * 10**6 and print("now", flush=True))
"""
    app = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert app.stdout.readline() == "now\n"
    mine = children(app.pid)
    assert mine
    app.send_signal(signal.SIGKILL)
    app.wait()
    ends = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in mine) and time.monotonic() < ends:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{pid}").exists() for pid in mine)
    hub.repos["org/model"].pace, hub.sent = 0, 0
    assert same(tables.open_table("org/model"), model.input)
    assert hub.sent <= tensor_range.FIRST + model.table_bytes - 6 * 10**6
    assert not list(sources.cache_dir().glob("tables/*.part*"))


@pytest.mark.skipif(not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists(), reason="needs Linux's /proc")
def test_the_child_alone_is_killed(hub):
    model = serve(hub, repo={"pace": 0.02}, **BIG)

    def kill(done: int, total: int) -> None:
        if 5 * 10**6 < done < total:
            for child in children(os.getpid()):
                if "demo_lib.tensor_range" in Path(f"/proc/{child}/cmdline").read_text():
                    os.kill(child, signal.SIGKILL)

    assert "cannot be reached" in refusal(tables.open_table, "org/model", progress=kill)
    hub.repos["org/model"].pace, hub.sent = 0, 0
    assert same(tables.open_table("org/model"), model.input)
    assert hub.sent <= tensor_range.FIRST + model.table_bytes - 5 * 10**6


def test_two_apps_fetch_once(hub):
    model = serve(hub, repo={"pace": 0.01}, **BIG)
    code = "from demo_lib import tables; print(tables.open_table('org/model').rows([7])[0, :4].tolist())"
    apps = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    assert [app.communicate()[0].strip() for app in apps] == [str(model.input[7, :4].float().tolist())] * 2
    assert hub.sent <= 2 * tensor_range.FIRST + model.table_bytes


def test_parts_of_another_size_are_begun_again(hub):
    model = serve(hub)
    found = hub_tables.find("org/model")
    part = hub_tables._file(found.input).with_suffix(".part")
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_bytes(b"short")
    hub_tables._marks(part).write_bytes(b"\xff" * 4)
    assert same(tables.open_table("org/model"), model.input)


# The cache


def age(name: str = "org/model") -> None:
    """As if it was found weeks ago."""
    os.utime(sources.cache_dir() / hub_tables._memo(name), (0, 0))


def test_cached_opens_without_a_request(hub, monkeypatch):
    model = serve(hub)
    assert not tables.is_cached("org/model")
    table = tables.open_table("org/model")
    assert tables.open_table("https://huggingface.co/org/model") is table
    assert tables.is_cached("org/model")
    hub.log.clear()
    fresh(monkeypatch)
    assert same(tables.open_table("org/model"), model.input)
    assert same(tables.open_table("org/model", fetch=False), model.input)
    assert hub.log == []


@pytest.mark.parametrize("away", ["closed port", "offline", "server error", "gone"])
def test_cached_opens_when_the_hub_is_away(hub, monkeypatch, away):
    model = serve(hub)
    tables.open_table("org/model")
    age()
    fresh(monkeypatch)
    match away:
        case "closed port":
            monkeypatch.setenv("HF_ENDPOINT", CLOSED)
        case "offline":
            monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        case "server error":
            hub.repos["org/model"].status = 500
        case "gone":
            del hub.repos["org/model"]
    table = tables.open_table("org/model")
    assert same(table, model.input)
    assert table.vocab.size() == 293
    fresh(monkeypatch)
    monkeypatch.setattr(hub_tables, "_ask", lambda *args, **options: pytest.fail("the Hub is asked again at once"))
    tables.open_table("org/model")


def test_offline_and_not_cached(hub, monkeypatch):
    serve(hub)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE is set and org/model is not in the cache" in refusal(tables.open_table, "org/model")
    assert hub.log == []


def test_a_new_commit_with_the_same_weights_moves_nothing(hub, monkeypatch):
    model = serve(hub)
    before = tables.open_table("org/model").info.where
    hub.repos["org/model"].files["README.md"] = b"new"
    age()
    hub.sent = 0
    fresh(monkeypatch)
    table = tables.open_table("org/model")
    assert same(table, model.input)
    assert table.info.where != before
    assert hub.sent == headers(model)


def test_a_copy_of_the_model_moves_nothing(hub):
    model = serve(hub)
    tables.open_table("org/model")
    hub.repos["org/copy"] = hub.repos["org/model"]
    hub.sent = 0
    assert same(tables.open_table("org/copy"), model.input)
    assert hub.sent == headers(model)


def test_new_weights_are_fetched(hub, monkeypatch):
    serve(hub)
    tables.open_table("org/model")
    new = serve(hub, seed=5)
    age()
    fresh(monkeypatch)
    assert same(tables.open_table("org/model", fetch=False), made().input)
    fresh(monkeypatch)
    assert same(tables.open_table("org/model"), new.input)


def test_a_cached_file_cut_short_is_fetched_again(hub, monkeypatch):
    model = serve(hub)
    tables.open_table("org/model")
    file = next(sources.cache_dir().glob("tables/*.table"))
    file.write_bytes(file.read_bytes()[:-2])
    fresh(monkeypatch)
    assert not tables.is_cached("org/model")
    assert same(tables.open_table("org/model"), model.input)


def test_fetch_false_says_what_it_would_fetch(hub):
    serve(hub, **BIG)
    assert "fetch it first, 20 MB from the Hugging Face Hub" in refusal(tables.open_table, "org/model", fetch=False)
    assert hub.sent == tensor_range.FIRST
    said = refusal(tables.open_table, "qwen2.5-0.5b", fetch=False)
    assert said == "The table of Qwen2.5 0.5B is not here yet: fetch it first, 272 MB from the Hugging Face Hub."
    assert refusal(tables.open_table, "Qwen/Qwen2.5-0.5B", fetch=False) == said


def test_too_large(hub, monkeypatch):
    serve(hub, output=True, tied=False)
    monkeypatch.setattr(hub_tables, "LIMIT", 9000)
    hub.sent = 0
    assert "is larger than" in refusal(tables.open_table, "org/model")
    assert hub.sent < 9000 + 9600


def test_no_room_on_the_disk(hub, monkeypatch):
    from collections import namedtuple

    serve(hub)
    monkeypatch.setattr(hub_tables.shutil, "disk_usage", lambda _: namedtuple("Usage", "free")(100))
    assert "disk of the cache is full" in refusal(tables.open_table, "org/model")


def test_a_disk_that_fills_up_meanwhile(hub):
    """The child may write no file longer than 5 MB: what the system says then is EFBIG, not ENOSPC."""
    serve(hub, **BIG)
    code = """
import resource, signal, sys
from demo_lib import tables
from demo_lib.problems import Problem
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5 * 10**6, 5 * 10**6))
try:
    tables.open_table("org/model")
except Problem as problem:
    print(problem)
"""
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "disk of the cache is full" in said


def test_a_cache_that_cannot_be_written(hub, tmp_path, monkeypatch):
    serve(hub)
    (tmp_path / "file").touch()
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path / "file" / "cache"))
    assert "cannot be written to: choose another one with --cache" in refusal(tables.open_table, "org/model")


def test_the_least_recently_used_go_first(hub, monkeypatch):
    for seed, name in enumerate(("org/a", "org/b", "org/c")):
        serve(hub, name, seed=10 * seed)
    opened = [tables.open_table(name) for name in ("org/a", "org/b")]
    for seconds, table in enumerate(opened):
        os.utime(table._place.path, (seconds, seconds))
    fresh(monkeypatch)
    tables.open_table("org/a")  # used again
    monkeypatch.setattr(hub_tables, "ALL", 2 * opened[0].info.nbytes)
    third = tables.open_table("org/c")
    assert [tables.is_cached(name) for name in ("org/a", "org/b", "org/c")] == [True, False, True]
    assert same(opened[1], made(seed=10).input)  # still readable to who has it open
    assert same(third, made(seed=20).input)


def test_default_table(hub, monkeypatch):
    tables._hub_answers.cache_clear()
    model = made()
    hub.repos["Qwen/Qwen2.5-0.5B"] = Repo(model.files)
    key, en, zh = tables.default_table()
    assert (key, "Hub can be reached" in en, "可以连接" in zh) == ("qwen2.5-0.5b", True, True)
    tables._hub_answers.cache_clear()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    key, en, zh = tables.default_table()
    assert (key, "cannot be reached" in en, "连不上" in zh) == ("gemma-3-270m", True, True)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", CLOSED)
    begun = time.monotonic()
    assert tables.default_table()[0] == "gemma-3-270m"
    assert time.monotonic() - begun < 4


def test_default_is_what_is_cached(hub, monkeypatch):
    tables._hub_answers.cache_clear()
    hub.repos["Qwen/Qwen3.5-0.8B"] = Repo(made(config={"vocab_size": 300}).files)
    monkeypatch.setattr(tables, "open_vocab", lambda key: key)  # building the real one takes long
    assert tables.open_table("qwen3.5-0.8b").vocab == "qwen3.5"
    hub.log.clear()
    assert tables.default_table() == (
        "qwen3.5-0.8b",
        "Qwen3.5 0.8B: its table is here already.",
        "Qwen3.5 0.8B：它的表已在本地。",
    )
    assert hub.log == []


@pytest.mark.parametrize("key", ["", " ", None, 5, "gemma", "../x", "org/a/b"])
def test_what_is_no_key(key):
    with pytest.raises(Problem):
        tables.open_table(key)
