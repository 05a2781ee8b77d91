"""The parts of each architecture, against the models that transformers builds without memory (the meta device)."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib.architectures import ARCHITECTURES, parts, read_shape

MODELS = json.loads((Path(__file__).parents[1] / "examples" / "models.json").read_text("utf-8"))
IDS = [model["id"] for model in MODELS]


def shape_of(config: dict):
    return read_shape(config, config["vocab_size"], config["hidden_size"], config["tie_word_embeddings"])


def part_of(name: str) -> str:
    if re.search(r"norm|\.ln_", name):
        return "norms"
    if re.search(r"wte|embed_tokens", name):
        return "input_table"
    if "wpe" in name:
        return "positions"
    if "lm_head" in name:
        return "output_table"
    return "feed_forward" if ".mlp." in name else "attention"


def built(config: dict) -> dict[str, int]:
    """The parts of the model that transformers builds from this config.json, by the names of its parameters."""
    from transformers import AutoConfig, AutoModelForCausalLM

    fields = {name: value for name, value in config.items() if name != "model_type"} | {"pad_token_id": 0}
    if config["model_type"] == "gpt2":
        fields["n_inner"] = fields.pop("intermediate_size")
    if "sliding_window_pattern" in fields:
        fields.pop("sliding_window_pattern")  # which layers it is about changes no count
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(config["model_type"], **fields))
    found = dict.fromkeys(("input_table", "positions", "attention", "feed_forward", "norms", "output_table"), 0)
    for name, parameter in model.named_parameters():
        found[part_of(name)] += parameter.numel()
    return found


def counted(config: dict) -> dict[str, int]:
    made = vars(parts(shape_of(config)))
    assert made.pop("other") == 0
    del made["asleep"]
    return made


def test_there_are_38_models_of_all_architectures():
    assert len(IDS) == len(set(IDS)) == 38
    assert {model["config"]["model_type"] for model in MODELS} == set(ARCHITECTURES)


@pytest.mark.parametrize("model", MODELS, ids=IDS)
def test_the_parts_sum_to_the_total_that_is_known(model):
    made = parts(shape_of(model["config"]))
    assert made.total == sum(counted(model["config"]).values()) == model["total_parameters"]
    if model["stored"]:
        assert model["stored"] == made.total + sum(model["not_text"].values())


@pytest.mark.parametrize("model", MODELS, ids=IDS)
def test_each_part_is_what_transformers_builds(model):
    """In its real sizes, with eight layers (all kinds of them) instead of up to 80."""
    config = model["config"] | {"num_hidden_layers": min(8, model["config"]["num_hidden_layers"])}
    assert counted(config) == built(config)


@pytest.mark.parametrize("kind", ARCHITECTURES)
@settings(max_examples=6)
@given(data=st.data())
def test_small_models_of_any_sizes(kind, data):
    number = lambda low, high: data.draw(st.integers(low, high))  # noqa: E731
    config = next(model["config"] for model in MODELS if model["config"]["model_type"] == kind)
    shared = number(1, 3)
    heads = shared * number(1, 3)
    size = 2 * number(2, 6)
    config = config | {
        "vocab_size": number(3, 50),
        "num_hidden_layers": number(1, 9),
        "num_attention_heads": heads,
        "num_key_value_heads": heads if kind in ("gpt2", "deepseek_v3") else shared,
        "head_dim": size,
        "hidden_size": heads * size,
        "intermediate_size": number(3, 40),
        "tie_word_embeddings": data.draw(st.booleans()),
    }
    small = {"n_positions": 5, "n_routed_experts": 16, "moe_intermediate_size": 3, "linear_num_value_heads": 32}
    config |= {name: value for name, value in small.items() if name in config}
    assert counted(config) == built(config)


def test_all_80_layers_of_one_model():
    config = next(model["config"] for model in MODELS if model["id"] == "meta-llama/Llama-3.1-70B")
    assert sum(built(config).values()) == 70_553_706_496


def test_experts_that_sleep():
    """37 billion parameters of DeepSeek-V3 take part in a token, as its model card says."""
    made = parts(shape_of(next(m["config"] for m in MODELS if m["config"]["model_type"] == "deepseek_v3")))
    assert round((made.total - made.asleep) / 1e9, 1) == 37.6
    assert made.asleep == 58 * 248 * 3 * 7168 * 2048


@pytest.mark.parametrize(
    ("model", "full", "window"),
    [
        ("Qwen/Qwen3.5-0.8B", 6, 0),
        ("google/gemma-3-270m", 3, 15),
        ("google/gemma-2-2b", 13, 13),
        ("microsoft/Phi-3-mini-4k-instruct", 0, 32),
        ("meta-llama/Llama-3.1-8B", 32, 0),
    ],
)
def test_which_layers_keep_what(model, full, window):
    shape = shape_of(next(one["config"] for one in MODELS if one["id"] == model))
    assert (shape.full_layers, shape.window_layers) == (full, window)


def test_gemma_3_says_the_same_with_a_list_of_layer_types():
    from transformers import AutoConfig

    config = AutoConfig.for_model("gemma3_text", num_hidden_layers=26).to_dict()
    del config["_sliding_window_pattern"]
    shape = shape_of(config)
    kinds = config["layer_types"]
    assert (shape.full_layers, shape.window_layers) == tuple(
        kinds.count(kind) for kind in ("full_attention", "sliding_attention")
    )


WINDOWS = {"qwen2": {"use_sliding_window": True, "sliding_window": 64, "max_window_layers": 5}}
WINDOWS["qwen3"] = WINDOWS["qwen2"]
WINDOWS |= {"gemma2": {"sliding_window": 64}, "cohere2": {"sliding_window": 64}, "gemma3_text": {"sliding_window": 64}}
WINDOWS["lfm2"] = {"full_attn_idxs": [2, 5, 8, 10, 12]}
WINDOWS["mistral"] = {"sliding_window": 64}


@pytest.mark.parametrize("listed", [True, False], ids=["with layer_types", "without"])
@pytest.mark.parametrize("kind", WINDOWS)
def test_what_each_layer_keeps_as_transformers_has_it(kind, listed):
    from transformers import AutoConfig

    config = AutoConfig.for_model(kind, num_hidden_layers=14, **WINDOWS[kind]).to_dict()
    kinds = config.get("layer_types") or ["sliding_attention"] * 14
    if not listed:
        if kind == "lfm2":
            pytest.skip("a list is all that it has")
        for name in ("layer_types", "_sliding_window_pattern", "sliding_window_pattern"):
            config.pop(name, None)
    shape = shape_of(config)
    wanted = [kinds.count(name) for name in ("full_attention", "sliding_attention")]
    assert [shape.full_layers, shape.window_layers] == wanted
    assert 0 < sum(wanted) <= 14
    if listed and config.get("layer_types"):
        assert [one == "full" for one in shape.layer_types] == [one == "full_attention" for one in kinds]


def test_layer_types_are_read_one_by_one():
    uneven = ["full_attention", "sliding_attention", "full_attention", "full_attention", "conv", "linear_attention", 7]
    config = {"num_hidden_layers": 7, "sliding_window": 10, "layer_types": uneven}
    shape = read_shape(config, 10, 8, True)
    assert (shape.full_layers, shape.window_layers) == (3, 1)
    assert read_shape(config | {"sliding_window": None}, 10, 8, True).full_layers == 4
    assert read_shape(config | {"num_hidden_layers": 2}, 10, 8, True).layer_types == ("full", "window")
    assert read_shape(config | {"num_hidden_layers": 9}, 10, 8, True).layer_types == ()
    chunks = {
        "num_hidden_layers": 2,
        "layer_types": ["chunked_attention", "full_attention"],
        "attention_chunk_size": 64,
    }
    found = read_shape(chunks, 10, 8, True)
    assert (found.full_layers, found.window_layers, found.sliding_window) == (1, 1, 64)


def test_qwen2_slides_only_where_it_is_asked_to():
    config = {"model_type": "qwen2", "num_hidden_layers": 6, "sliding_window": 10, "max_window_layers": 4}
    assert read_shape(config, 10, 8, True).full_layers == 6
    on = read_shape(config | {"use_sliding_window": True}, 10, 8, True)
    assert (on.full_layers, on.window_layers) == (4, 2)


def test_fields_that_cannot_be_are_left_out():
    wrong = {
        "model_type": [7],
        "layer_types": 3,
        "num_hidden_layers": -1,
        "head_dim": True,
        "num_attention_heads": 10**30,
    }
    shape = read_shape(wrong | {"intermediate_size": "x", "text_config": []}, 10, 8, True)
    assert shape == replace(
        shape, model_type="", num_hidden_layers=0, head_dim=0, num_attention_heads=0, intermediate_size=0
    )
    assert (shape.vocab_size, shape.hidden_size, shape.full_layers) == (10, 8, 0)
