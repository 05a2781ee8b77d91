"""Counting models on the Hub, against a Hub on loopback: what is counted, and how little is fetched."""

import json
import os

import pytest
from safetensors.torch import save

from demo_lib import hub_counts, params
from demo_lib.hub_counts import open_counts
from demo_lib.problems import Problem, Waiting
from demo_lib.shelf import Shelf

from .hub_stand_in import Repo, StandIn
from .made_headers import Tensors, file, header
from .made_models import tensor

HIDDEN, ROWS, LAYERS = 16, 300, 3
CONFIG = {"model_type": "llama", "vocab_size": ROWS, "hidden_size": HIDDEN, "num_hidden_layers": LAYERS}
CONFIG |= {"num_attention_heads": 2, "intermediate_size": 20, "tie_word_embeddings": True}
LAYER = {"self_attn.q_proj": (16, 16), "mlp.up_proj": (20, 16), "input_layernorm": (16,)}
INPUT, OUTPUT = "model.embed_tokens.weight", "lm_head.weight"


def model(tensors: Tensors | None = None, config: dict | None = None) -> dict[str, bytes]:
    """A small model in one file, with more tensors and another config if given."""
    made = {f"model.layers.{i}.{name}.weight": ("BF16", shape) for i in range(LAYERS) for name, shape in LAYER.items()}
    made |= {INPUT: ("BF16", (ROWS, HIDDEN))} | (tensors or {})
    return {"config.json": json.dumps(CONFIG | (config or {})).encode(), "model.safetensors": file(made)}


TEXT = ROWS * HIDDEN + LAYERS * (256 + 320 + 16)


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A Hub with one model, org/model, and a cache that has nothing."""
    monkeypatch.setattr(hub_counts, "_OPEN", Shelf(8, rest=0))
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path))
    for name in [name for name in os.environ if name.startswith("HF_")]:
        monkeypatch.delenv(name)
    with StandIn({"org/model": Repo(model())}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


def counts(hub, files: dict[str, bytes], **how):
    hub.repos["org/model"] = Repo(files, **how)
    return open_counts("org/model")


def refusal(hub, files: dict[str, bytes], **how) -> str:
    with pytest.raises(Problem) as caught:
        counts(hub, files, **how)
    assert caught.value.zh != str(caught.value)
    assert str(caught.value).count(".  ") == 0
    return str(caught.value)


def test_one_file(hub):
    found = counts(hub, model())
    assert (found.counts.stored, found.counts.text, found.counts.reasons) == (TEXT, TEXT, ())
    assert (found.parts.input_table, found.parts.attention, found.parts.norms) == (4800, 768, 48)
    assert found.shape.tie_word_embeddings
    assert found.shape.head_dim == 8


def test_a_tied_head_buffers_and_eyes(hub):
    more = {
        OUTPUT: ("BF16", (ROWS, HIDDEN)),
        "model.layers.0.self_attn.rotary_emb.inv_freq": ("F32", (4,)),
        "model.vision_tower.layers.9.mlp.weight": ("BF16", (7, 5)),
        "model.layers.3.mlp.up_proj.weight": ("BF16", (20, 16)),
    }
    found = counts(hub, model(more)).counts
    assert found.text == TEXT
    assert dict(found.reasons) == {"tied_head": 4800, "buffers": 4, "vision": 35, "prediction": 320}
    assert found.stored == TEXT + 4800 + 4 + 35 + 320


def test_an_untied_head_is_of_the_model(hub):
    found = counts(hub, model({OUTPUT: ("BF16", (ROWS, HIDDEN))}, {"tie_word_embeddings": False}))
    assert (found.counts.stored, found.counts.text) == (TEXT + 4800, TEXT + 4800)
    assert found.parts.output_table == 4800


def test_a_head_of_another_shape_and_none(hub):
    found = counts(hub, model({OUTPUT: ("BF16", (200, 20))}, {"tie_word_embeddings": False}))
    assert (found.parts.output_table, found.shape.output_rows) == (4000, 200)


def test_untied_and_without_a_head(hub):
    found = counts(hub, model(config={"tie_word_embeddings": False}))
    assert (found.parts.output_table, found.counts.text) == (0, TEXT)
    assert params.ledger_row("org/model")["logits_flops_per_token"] == 0


def test_what_config_json_says_and_the_weights_have_not(hub):
    found = counts(hub, model(config={"vocab_size": 301, "hidden_size": 24}))
    assert (found.shape.vocab_size, found.shape.hidden_size) == (ROWS, HIDDEN)
    assert (found.stated_rows, found.stated_hidden) == (301, 24)
    row = params.ledger_row("org/model")
    assert (row["rows"], row["config_vocab_size"], row["config_hidden_size"]) == (ROWS, 301, 24)


def test_the_same_from_the_cache(hub, monkeypatch):
    config = {"layer_types": ["full_attention", "conv", "full_attention"], "vocab_size": 301}
    first = counts(hub, model(config=config))
    monkeypatch.setattr(hub_counts, "_OPEN", Shelf(8))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert open_counts("org/model") == first
    assert first.shape.full_layers == 2


def sharded(shards: int = 5) -> dict[str, bytes]:
    """A model whose files hold a megabyte each."""
    names = [f"model-{i:05}-of-{shards:05}.safetensors" for i in range(1, shards + 1)]
    parts = [{f"model.layers.{i}.mlp.up_proj.weight": ("F32", (64, 4096))} for i in range(shards)]
    parts[-1][INPUT] = ("BF16", (ROWS, HIDDEN))
    index = {name: file for file, part in zip(names, parts, strict=True) for name in part}
    files = {name: file(part) for name, part in zip(names, parts, strict=True)}
    config = json.dumps(CONFIG | {"num_hidden_layers": shards}).encode()
    return files | {"config.json": config, "model.safetensors.index.json": json.dumps({"weight_map": index}).encode()}


def test_several_files_and_how_little_of_them_is_fetched(hub):
    files = sharded()
    found = counts(hub, files)
    assert found.counts.stored == found.counts.text == 5 * 64 * 4096 + 4800
    assert found.parts.feed_forward == 5 * 64 * 4096
    assert hub.sent < 5 * 1500  # of five files of 1 MB
    asked = [(method, path.rpartition("/")[2]) for method, path, *_ in hub.log]
    assert sum(method == "GET" for method, name in asked if name.endswith(".safetensors")) == 5


def test_of_one_large_file_the_header_alone_is_fetched(hub):
    big = {f"model.layers.0.mlp.experts.{i}.up_proj.weight": ("F32", (64, 64)) for i in range(900)}
    files = model(big)
    head = header(big)[0]
    assert len(head) > 80_000
    found = counts(hub, files).counts
    assert found.text == TEXT + 900 * 64 * 64
    assert len(files["model.safetensors"]) > 14_000_000
    assert hub.sent <= len(head) + 100_000


def test_as_the_safetensors_library_writes_it(hub):
    tensors = {INPUT: tensor(ROWS, HIDDEN), "model.layers.0.mlp.up_proj.weight": tensor(20, HIDDEN, "F32")}
    found = counts(hub, {"config.json": json.dumps(CONFIG).encode(), "model.safetensors": save(tensors)}).counts
    assert found.stored == found.text == sum(one.numel() for one in tensors.values())


def test_it_is_counted_once_and_remembered_without_the_hub(hub, monkeypatch):
    counts(hub, model())
    asked = len(hub.log)
    assert open_counts("https://huggingface.co/org/model").counts.text == TEXT
    assert len(hub.log) == asked
    monkeypatch.setattr(hub_counts, "_OPEN", Shelf(8))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert open_counts("org/model").counts.text == TEXT
    monkeypatch.setattr(hub_counts, "FRESH", 0)
    monkeypatch.setattr(hub_counts, "_OPEN", Shelf(8))
    assert open_counts("org/model").counts.text == TEXT


def test_who_does_not_want_to_wait(hub):
    with pytest.raises(Waiting):
        open_counts("org/model", wait=False)
    assert open_counts("org/model").counts.text == TEXT
    assert open_counts("org/model", wait=False).counts.text == TEXT


# What comes from outside and cannot be so


def raw(head: bytes, rest: int = 0, length: int | None = None) -> dict[str, bytes]:
    count = len(head) if length is None else length
    return model() | {"model.safetensors": count.to_bytes(8, "little") + head + bytes(rest)}


def stating(shape, offsets, rest: int = 64, dtype: str = "BF16", name: str = INPUT) -> dict[str, bytes]:
    return raw(json.dumps({name: {"dtype": dtype, "shape": shape, "data_offsets": offsets}}).encode(), rest)


HOSTILE = {
    "length 2**63": raw(b"{}", length=2**63),
    "length 2**64 - 1": raw(b"{}", length=2**64 - 1),
    "longer than the file": raw(b"{}", length=3),
    "offsets outside the file": stating([4, 8], [64, 128]),
    "offsets backwards": stating([4, 8], [64, 0]),
    "offsets below zero": stating([4, 8], [-64, 0]),
    "a shape that lies": stating([4, 9], [0, 64]),
    "a shape that lies in a type of unknown width": stating([2**40, 2**20], [0, 64], dtype="F4"),
    "a shape of 10**30": stating([10**30], [0, 64]),
    "a shape that is none": stating("x", [0, 64]),
    "an entry that is none": raw(b'{"' + INPUT.encode() + b'": 7}', 64),
    "not an object": raw(b"[1, 2]"),
    "not JSON": raw(b"\xff\xfe{}"),
    "nested deep": raw(b"[" * 200_000),
    "a name twice": raw(b'{"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}, "a": 7}', 1),
    "nothing": model() | {"model.safetensors": b"1234567"},
}


@pytest.mark.parametrize("files", HOSTILE.values(), ids=HOSTILE)
def test_a_header_that_cannot_be_is_a_sentence(hub, files):
    said = refusal(hub, files)
    assert said == ("model.safetensors of org/model is damaged, or is not what its name says: choose another model.")


def test_tables_that_cannot_be_counted(hub):
    bare = {"config.json": model(config={"tie_word_embeddings": False})["config.json"]}
    said = refusal(hub, bare | {"model.safetensors": file({INPUT: ("BF16", (800,))})})
    assert said.startswith("The embedding table of org/model has not two dimensions")
    assert refusal(hub, stating([4, 8], [0, 64], dtype="Q9")) == (
        "A tensor in model.safetensors of org/model has a type that is not known here: choose another model."
    )
    assert counts(hub, bare | {"model.safetensors": file({INPUT: ("BF16", (50, 16))})}).parts.total == 800
    assert params.ledger_row("org/model")["logits_share_of_forward"] == 0


def test_a_file_that_is_empty_or_not_there(hub):
    damaged = "{} of org/model is damaged, or is not what its name says: choose another model."
    assert refusal(hub, model() | {"model.safetensors": b""}) == damaged.format("model.safetensors")
    for shard in (1, 3):
        files, name = sharded(), f"model-{shard:05}-of-00005.safetensors"
        assert refusal(hub, files | {name: b""}) == damaged.format(name)
        del files[name]
        said = f"{name} of org/model, which its index names, is not on the Hub: choose another model."
        assert refusal(hub, files) == said


def test_a_config_or_an_index_that_cannot_be(hub):
    assert refusal(hub, model() | {"config.json": b"[]"}).startswith("config.json of org/model is damaged")
    files = sharded()
    for index in ([], {"weight_map": 7}, {"weight_map": {}}, {"weight_map": {INPUT: "../../etc/passwd"}}):
        said = refusal(hub, files | {"model.safetensors.index.json": json.dumps(index).encode()})
        assert said.startswith("model.safetensors.index.json of org/model is damaged")
    names = json.loads(files["model.safetensors.index.json"])["weight_map"]
    wrong = {"weight_map": names | {"not.there": "model-00001-of-00005.safetensors"}}
    said = refusal(hub, files | {"model.safetensors.index.json": json.dumps(wrong).encode()})
    assert said.startswith("model-00001-of-00005.safetensors of org/model is damaged")


def test_what_is_not_there_or_may_not_be_read(hub):
    files = model()
    assert "no config.json" in refusal(hub, {"model.safetensors": files["model.safetensors"]})
    assert "safetensors" in refusal(hub, {"config.json": files["config.json"]})
    assert "gated" in refusal(hub, files, gated=True)
    assert "parts of a file" in refusal(hub, files, ranges=False)
    assert "The list" not in refusal(hub, files, status=500)
    assert "the models of the list" in refusal(hub, files, status=500)
    with pytest.raises(Problem, match="org/name"):
        open_counts("no such id")
    with pytest.raises(Problem, match="no model"):
        open_counts("org/other")
