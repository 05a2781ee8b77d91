"""Headers of safetensors files that lie, held against the safetensors library; configs and names of tables."""

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import SafetensorError, deserialize
from safetensors.torch import save

from demo_lib import weights
from demo_lib.weights import Doubt

from .made_models import made, tensor


def split(data: bytes) -> tuple[int, bytes]:
    length = weights.header_length(data[:8], len(data))
    return len(data), data[8 : 8 + length]


def file(header: object, data: int = 0, length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + bytes(data)


def read(data: bytes) -> dict[str, weights.Entry]:
    size, header = split(data)
    return weights.read_header(header, size)


@pytest.mark.parametrize("dtype", ["BF16", "F16", "F32"])
def test_what_the_library_wrote(dtype):
    tensors = {"a": tensor(3, 5, dtype), "b.c": tensor(2, 4, dtype, 1), "empty": tensor(0, 4, dtype)}
    data = save(tensors, metadata={"format": "pt"})
    found = read(data)
    assert found.keys() == tensors.keys()
    for name, view in deserialize(data):
        entry = found[name]
        assert (entry.name, entry.dtype, list(entry.shape)) == (name, view["dtype"], view["shape"])
        assert data[entry.start : entry.end] == view["data"]


ONE = {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x02\0\0\0\0\0\0",
        file({}, length=2**63),
        file({}, length=2**64 - 1),
        file({}, length=3),
        file({}, length=1),
        file({}, length=0),
        file({}, length=weights.HEADER_LIMIT + 1),
        file([]),
        file(b"{}x"),
        file(b"\xff\xfe"),
        file(b"[" * 10**6),
        file(b'{"a":' * 10**5),
        file({"a": ONE}, 7),
        file({"a": ONE}, 9),
        file({"a": ONE | {"data_offsets": [0, 9]}}, 9),
        file({"a": ONE | {"data_offsets": [1, 9]}}, 9),
        file({"a": ONE | {"data_offsets": [8, 0]}}, 8),
        file({"a": ONE | {"data_offsets": [-8, 0]}}, 8),
        file({"a": ONE | {"data_offsets": [0, 8, 8]}}, 8),
        file({"a": ONE | {"data_offsets": [0.0, 8.0]}}, 8),
        file({"a": ONE | {"data_offsets": [0, True]}}, 1),
        file({"a": ONE | {"data_offsets": "ab"}}, 8),
        file({"a": ONE | {"shape": [4, 2]}}, 8),
        file({"a": ONE | {"shape": [-2, -2]}}, 8),
        file({"a": ONE | {"shape": [2**40, 2**40]}}, 8),
        file({"a": ONE | {"shape": [1] * 1000 + [4]}}, 8),
        file({"a": ONE | {"shape": 4}}, 8),
        file({"a": ONE | {"shape": None}}, 8),
        file({"a": ONE | {"dtype": 5}}, 8),
        file({"a": ONE | {"dtype": ["BF16"]}}, 8),
        file({"a": {"dtype": "BF16"}}, 8),
        file({"a": [1, 2]}, 8),
        file({"a": None}, 8),
        file({"a": ONE, "b": ONE}, 8),
        file({"a": ONE, "b": ONE | {"data_offsets": [4, 12]}}, 12),
        file({"a": ONE, "b": ONE | {"data_offsets": [16, 24]}}, 24),
        file(b'{"a": %s, "a": %s}' % ((json.dumps(ONE).encode(),) * 2), 8),
    ],
    ids=range(38),
)
def test_headers_that_lie(data):
    with pytest.raises(Doubt, match="damaged"):
        read(data)


numbers = st.integers(-1, 20) | st.sampled_from([2**31, 2**63 - 1, 2**64])
entries = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["BF16", "F16", "F32", "I64", "U8"]),
        "shape": st.lists(st.integers(0, 4), max_size=3) | st.lists(numbers, max_size=2),
        "data_offsets": st.lists(numbers, min_size=2, max_size=2),
    }
)


@given(st.dictionaries(st.sampled_from("abcd"), entries, max_size=3), st.integers(0, 40), st.booleans())
def test_nothing_is_believed_that_the_library_refuses(header, size, fit):
    if fit:  # offsets that often fit, or nearly nothing would be accepted
        at = 0
        for entry in header.values():
            length = weights.BYTES[entry["dtype"]]
            for number in entry["shape"]:
                length *= number
            entry["data_offsets"] = [at, at := at + length]
        size = at if 0 <= at < 10**5 else size
    data = file(header, size)
    try:
        found = read(data)
    except Doubt:
        return
    theirs = dict(deserialize(data))
    assert {name: list(entry.shape) for name, entry in found.items()} == {n: v["shape"] for n, v in theirs.items()}
    assert all(data[entry.start : entry.end] == bytes(theirs[name]["data"]) for name, entry in found.items())


@given(st.binary(max_size=60))
def test_rubbish(data):
    try:
        read(data)
    except Doubt:
        return
    try:
        deserialize(data)
    except SafetensorError:
        pytest.fail("believed what the library refuses")


def test_index():
    assert weights.read_index(b'{"metadata": {}, "weight_map": {"a": "b-1.safetensors"}}') == {"a": "b-1.safetensors"}


@pytest.mark.parametrize(
    "name",
    [
        *("", "a", "../a.safetensors", "/a.safetensors", "a/b.safetensors", "..safetensors", "a\\b.safetensors"),
        *("C:a.safetensors", "a?.safetensors", "a%2fb.safetensors", "é.safetensors", "a.safetensors\n"),
        *("x" * 300 + ".safetensors", 5, None),
    ],
)
def test_names_of_files_that_are_refused(name):
    with pytest.raises(Doubt, match="damaged"):
        weights.read_index(json.dumps({"weight_map": {"a": name}}).encode())


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"vocab_size": 5, "hidden_size": 3, "tie_word_embeddings": True}, (5, {3}, True)),
        ({"vocab_size": 5, "n_embd": 3}, (5, {3}, None)),
        ({"hidden_size": 3, "word_embed_proj_dim": 2}, (None, {2, 3}, None)),
        ({"vocab_size": 9, "text_config": {"vocab_size": 5, "hidden_size": 3}}, (5, {3}, None)),
        ({"tie_word_embeddings": False, "text_config": {"tie_word_embeddings": True}}, (None, set(), True)),
        ({"tie_word_embeddings": False, "text_config": {"hidden_size": 3}}, (None, {3}, False)),
        (
            {"vocab_size": True, "hidden_size": "3", "tie_word_embeddings": "yes", "text_config": []},
            (None, set(), None),
        ),
        ({"vocab_size": -5, "hidden_size": 0, "d_model": 3.0}, (None, set(), None)),
        ({}, (None, set(), None)),
    ],
)
def test_config(config, expected):
    found = weights.read_config(json.dumps(config).encode())
    assert (found.rows, found.dims, found.tied) == expected


@pytest.mark.parametrize("data", [b"", b"[]", b"5", b"{", b'{"a": 1, "a": 2}', b"\xff", b"[" * 10**5])
def test_what_is_no_config(data):
    with pytest.raises(Doubt, match="damaged"):
        weights.read_config(data)


def test_names_in_their_order():
    names = {"transformer.wte.weight", "model.embed_tokens.weight", "shared.weight"}
    assert weights.name_of(weights.INPUT, names) == "model.embed_tokens.weight"
    assert weights.name_of(weights.INPUT, {"shared.weight", "transformer.wte.weight"}) == "transformer.wte.weight"
    assert weights.name_of(weights.OUTPUT, names) is None


def test_names_as_transformers_has_them():
    """The table of a model of each family, made tiny: its name in the state dict is one that is looked for."""
    import transformers

    tiny = {"vocab_size": 9, "hidden_size": 4, "intermediate_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1}
    families = {
        "Llama": tiny | {"num_key_value_heads": 1},
        "Qwen2": tiny | {"num_key_value_heads": 1},
        "GPT2": {"vocab_size": 9, "n_embd": 4, "n_layer": 1, "n_head": 1},
        "GPTNeoX": tiny,
        "OPT": {"vocab_size": 9, "hidden_size": 4, "word_embed_proj_dim": 4, "num_hidden_layers": 1}
        | {"num_attention_heads": 1, "ffn_dim": 4, "max_position_embeddings": 8},
        "Bloom": {"vocab_size": 9, "hidden_size": 4, "n_layer": 1, "n_head": 1},
        "Mamba": {"vocab_size": 9, "hidden_size": 4, "num_hidden_layers": 1, "state_size": 2},
    }
    for family, options in families.items():
        model = getattr(transformers, f"{family}Config")(**options)
        made_model = transformers.AutoModelForCausalLM.from_config(model)
        state = made_model.state_dict()
        config = weights.read_config(model.to_json_string().encode())
        name = weights.name_of(weights.INPUT, state)
        assert name is not None, family
        assert state[name].data_ptr() == made_model.get_input_embeddings().weight.data_ptr(), family
        weights.check(weights.Entry(name, "F32", tuple(state[name].shape), 0, 1), config)
        if weights.name_of(weights.OUTPUT, state) is None:
            assert not made_model.get_output_embeddings(), family
        else:
            output = state[weights.name_of(weights.OUTPUT, state)]
            assert output.data_ptr() == made_model.get_output_embeddings().weight.data_ptr(), family


@pytest.mark.parametrize(
    ("dtype", "shape", "kind"),
    [
        ("I8", (5, 3), "table_type"),
        ("F8_E4M3", (5, 3), "table_type"),
        ("BF16", (3, 5), "table_shape"),
        ("BF16", (5,), "table_shape"),
        ("BF16", (5, 3, 1), "table_shape"),
        ("BF16", (6, 3), "table_shape"),
        ("BF16", (5, 4), "table_shape"),
    ],
)
def test_tables_that_are_refused(dtype, shape, kind):
    config = weights.Config(5, frozenset({3}), None)
    with pytest.raises(Doubt, match=kind):
        weights.check(weights.Entry("a", dtype, shape, 0, 1), config)
    assert weights.check(weights.Entry("a", "F16", (5, 3), 0, 1), config).shape == (5, 3)


def test_the_made_models_are_what_they_say():
    model = made(output=True, tied=False)
    entries = read(model.files["model.safetensors"])
    assert entries["lm_head.weight"].shape == entries["model.embed_tokens.weight"].shape == (300, 8)
