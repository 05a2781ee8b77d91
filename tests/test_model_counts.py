"""Stored, and the text model: counts by the names in safetensors headers, against published totals."""

import json
import math

import pytest

from demo_lib.architectures import ARCHITECTURES, parts
from demo_lib.model_counts import count
from demo_lib.weights import Doubt, Entry

from .made_headers import Tensors, entries, joined, linear, of_transformers
from .test_architectures import MODELS, shape_of

SMALL = {"vocab_size": 40, "num_hidden_layers": 5, "hidden_size": 24, "intermediate_size": 30}
SMALL |= {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6}
FEW_EXPERTS = {"n_routed_experts": 16, "moe_intermediate_size": 3}


def model(id: str) -> dict:
    return next(one for one in MODELS if one["id"] == id)


def counted(tensors: Tensors, config: dict):
    return count(entries(tensors), json.dumps(config).encode())


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_names_tell_the_same_parts_as_the_formula(kind):
    config = next(m["config"] for m in MODELS if m["config"]["model_type"] == kind)
    config = config | SMALL | {name: value for name, value in FEW_EXPERTS.items() if name in config}
    config |= {"num_key_value_heads": 4} if kind in ("gpt2", "deepseek_v3") else {}
    found = counted(of_transformers(config), config)
    assert found.shape == shape_of(config)
    assert found.parts == parts(shape_of(config))
    assert found.counts.reasons == ()
    assert found.counts.stored == found.counts.text == found.parts.total


def test_a_tied_head_that_is_stored():
    one = model("Qwen/Qwen3-0.6B")
    tensors = of_transformers(one["config"]) | {"lm_head.weight": ("BF16", (151_936, 1024))}
    counts = counted(tensors, one["config"]).counts
    assert (counts.stored, counts.text) == (751_632_384, 596_049_920) == (one["stored"], one["total_parameters"])
    assert counts.reasons == (("tied_head", 155_582_464),) == tuple(one["not_text"].items())


def test_the_masks_of_gpt2():
    one = model("openai-community/gpt2")
    tensors = of_transformers(one["config"], prefix="transformer.")
    tensors |= {f"h.{i}.attn.bias": ("F32", (1, 1, 1024, 1024)) for i in range(12)}
    config = {
        "model_type": "gpt2",
        "n_embd": 768,
        "n_head": 12,
        "n_layer": 12,
        "n_positions": 1024,
        "vocab_size": 50257,
    }
    found = counted(tensors, config)
    assert (found.counts.stored, found.counts.text) == (137_022_720, 124_439_808)
    assert found.counts.reasons == (("buffers", 12_582_912),)
    assert found.parts == parts(found.shape)


def test_the_frequencies_of_llama_2():
    one = model("meta-llama/Llama-2-7b-hf")
    tensors = of_transformers(one["config"])
    tensors |= {f"model.layers.{i}.self_attn.rotary_emb.inv_freq": ("F32", (64,)) for i in range(32)}
    counts = counted(tensors, one["config"]).counts
    assert (counts.stored, counts.text) == (6_738_417_664, 6_738_415_616)
    assert counts.reasons == (("buffers", 2048),)


def eyes(hidden: int, depth: int, inner: int, out: int, positions: int) -> Tensors:
    """The vision tower of Qwen3.5, by the names in its files."""
    block = {"attn.qkv": (3 * hidden, hidden), "attn.proj": (hidden, hidden)}
    block |= {
        "mlp.linear_fc1": (inner, hidden),
        "mlp.linear_fc2": (hidden, inner),
        "norm1": (hidden,),
        "norm2": (hidden,),
    }
    named = {f"blocks.{i}.{name}": shape for i in range(depth) for name, shape in block.items()}
    named |= {"patch_embed.proj": (hidden, 3, 2, 16, 16), "merger.norm": (hidden,)}
    named |= {"merger.linear_fc1": (4 * hidden, 4 * hidden), "merger.linear_fc2": (out, 4 * hidden)}
    made = {f"model.visual.{name}.weight": ("BF16", shape) for name, shape in named.items()}
    made |= {f"model.visual.{name}.bias": ("BF16", shape[:1]) for name, shape in named.items()}
    return made | {"model.visual.pos_embed.weight": ("BF16", (positions, hidden))}


def test_the_eyes_and_the_extra_layer_of_qwen3_5():
    one = model("Qwen/Qwen3.5-0.8B")
    text = of_transformers(one["config"])
    layer = {name.partition("layers.3.")[2]: value for name, value in text.items() if ".layers.3." in name}
    mtp = {f"mtp.layers.0.{name}": value for name, value in layer.items()} | {"mtp.fc.weight": ("BF16", (1024, 2048))}
    mtp |= {f"mtp.{name}.weight": ("BF16", (1024,)) for name in ("norm", "pre_fc_norm_hidden", "pre_fc_norm_embedding")}
    named = {name.replace("model.", "model.language_model.", 1): value for name, value in text.items()}
    config = {"model_type": "qwen3_5", "tie_word_embeddings": True}
    config["text_config"] = one["config"] | {"tie_word_embeddings": True}
    found = counted(named | mtp | eyes(768, 12, 3072, 1024, 2304), config)
    assert (found.counts.stored, found.counts.text) == (873_438_784, 752_393_024)
    assert dict(found.counts.reasons) == {"vision": 100_592_896, "prediction": 20_452_864} == one["not_text"]
    assert found.parts == parts(shape_of(one["config"]))


def deepseek(layer: int) -> Tensors:
    """One layer of DeepSeek-V3, by the names in its files."""
    at, hidden = f"model.layers.{layer}", 7168
    made = [
        linear(f"{at}.self_attn.q_a_proj", 1536, hidden),
        linear(f"{at}.self_attn.q_b_proj", 128 * 192, 1536),
        linear(f"{at}.self_attn.kv_a_proj_with_mqa", 576, hidden),
        linear(f"{at}.self_attn.kv_b_proj", 128 * 256, 512),
        linear(f"{at}.self_attn.o_proj", hidden, 128 * 128),
        {f"{at}.self_attn.q_a_layernorm.weight": ("BF16", (1536,))},
        {f"{at}.self_attn.kv_a_layernorm.weight": ("BF16", (512,))},
        {f"{at}.{name}_layernorm.weight": ("BF16", (hidden,)) for name in ("input", "post_attention")},
    ]
    inners = {"mlp": 18_432} if layer < 3 else {f"mlp.experts.{i}": 2048 for i in range(256)}
    if layer >= 3:
        inners["mlp.shared_experts"] = 2048
        made.append({f"{at}.mlp.gate.weight": ("BF16", (256, hidden))})
        made.append({f"{at}.mlp.gate.e_score_correction_bias": ("F32", (256,))})
    for name, inner in inners.items():
        made += [linear(f"{at}.{name}.{way}_proj", inner, hidden) for way in ("gate", "up")]
        made.append(linear(f"{at}.{name}.down_proj", hidden, inner))
    return joined(made)


def test_the_684_billion_of_deepseek_v3():
    """Exactly what its page shows; the text model in it has 671 billion."""
    one, table = model("deepseek-ai/DeepSeek-V3"), ("BF16", (129_280, 7168))
    tensors = joined(deepseek(layer) for layer in range(62))
    tensors |= {"model.embed_tokens.weight": table, "lm_head.weight": table, "model.norm.weight": ("BF16", (7168,))}
    extra = {"embed_tokens.weight": table, "shared_head.head.weight": table, "eh_proj.weight": ("BF16", (7168, 14_336))}
    extra |= {f"{name}.weight": ("BF16", (7168,)) for name in ("enorm", "hnorm", "shared_head.norm")}
    tensors |= {f"model.layers.61.{name}": value for name, value in extra.items()}
    config = one["config"] | {"quantization_config": {"quant_method": "fp8"}}
    found = counted(tensors, config)
    assert (found.counts.stored, found.counts.text) == (684_531_386_000, 671_026_404_352)
    assert dict(found.counts.reasons) == one["not_text"]
    assert found.parts == parts(shape_of(one["config"]))


def packed(kind: str) -> tuple[Tensors, dict]:
    """A matrix of 64 x 32 in 4 bits as different libraries pack it, and what config.json says of it."""
    name = "model.layers.0.mlp.up_proj"
    small = ("F16", (1, 64))
    return {
        "gptq": (
            {f"{name}.qweight": ("I32", (4, 64)), f"{name}.scales": small, f"{name}.g_idx": ("I32", (32,))},
            {"quantization_config": {"quant_method": "gptq", "bits": 4}},
        ),
        "bnb": (
            {f"{name}.weight": ("U8", (1024, 1)), f"{name}.weight.absmax": ("U8", (32,))},
            {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}},
        ),
        "mlx": (
            {f"{name}.weight": ("U32", (64, 4)), f"{name}.scales": small, f"{name}.biases": small},
            {"quantization": {"bits": 4, "group_size": 32}},
        ),
        "compressed": (
            {
                f"{name}.weight_packed": ("I32", (64, 4)),
                f"{name}.weight_shape": ("I64", (2,)),
                f"{name}.weight_scale": small,
            },
            {"quantization_config": {"config_groups": {"group_0": {"weights": {"num_bits": 4}}}}},
        ),
        "int8": (
            {f"{name}.weight": ("I8", (64, 32)), f"{name}.SCB": ("F32", (64,))},
            {"quantization_config": {"load_in_8bit": True}},
        ),
    }[kind]


@pytest.mark.parametrize("kind", ["gptq", "bnb", "mlx", "compressed", "int8"])
def test_packed_numbers_are_counted_as_what_they_stand_for(kind):
    tensors, stated = packed(kind)
    config = {"vocab_size": 10, "hidden_size": 32, "num_hidden_layers": 1, "tie_word_embeddings": True} | stated
    found = counted({"model.embed_tokens.weight": ("BF16", (10, 32))} | tensors, config)
    assert (found.parts.feed_forward, found.parts.input_table) == (64 * 32, 320)
    assert found.counts.text == 64 * 32 + 320
    assert found.counts.stored == 320 + sum(math.prod(shape) for _, shape in tensors.values())
    reasons = dict(found.counts.reasons)
    assert found.counts.stored == found.counts.text + sum(reasons.values())
    assert reasons.get("packed", 0) == (0 if kind == "int8" else 64 * 32 // {"bnb": 2}.get(kind, 8) - 64 * 32)
    assert reasons["scales"] > 0


def test_experts_of_a_model_without_a_formula():
    config = {"model_type": "new_moe", "num_hidden_layers": 1, "num_experts": 8, "num_experts_per_tok": 2}
    config |= {"vocab_size": 10, "hidden_size": 4, "tie_word_embeddings": False}
    tensors = {f"model.layers.0.mlp.experts.{i}.up_proj.weight": ("BF16", (3, 4)) for i in range(8)}
    tensors |= {"model.layers.0.mlp.shared_expert.up_proj.weight": ("BF16", (5, 4)), "model.strange": ("BF16", (7,))}
    tensors |= dict.fromkeys(("model.embed_tokens.weight", "lm_head.weight"), ("BF16", (10, 4)))
    found = counted(tensors, config).parts
    assert (found.feed_forward, found.asleep, found.other) == (8 * 12 + 20, 6 * 12, 7)
    assert (found.input_table, found.output_table) == (40, 40)


# What cannot be


@pytest.mark.parametrize(
    ("tensors", "kind"),
    [
        ({}, "no_table"),
        ({"strange.weight": ("BF16", (4, 4))}, "no_table"),
        ({"model.embed_tokens.weight": ("BF16", (0, 4))}, "table_shape"),
        ({"model.embed_tokens.weight": ("BF16", ())}, "table_flat"),
        ({"model.embed_tokens.weight": ("BF16", (800,))}, "table_flat"),
        ({"model.embed_tokens.weight": ("BF16", (2, 10**8))}, "table_shape"),
    ],
)
def test_no_table_that_can_be(tensors, kind):
    with pytest.raises(Doubt) as caught:
        counted(tensors, {})
    assert caught.value.kind == kind


def test_a_type_of_unknown_width_does_not_lie_by_much():
    fair, lie = (Entry("a", "F4", (n,), 0, 8) for n in (16, 17))
    table = Entry("model.embed_tokens.weight", "BF16", (2, 2), 8, 16)
    assert count({"a": fair, table.name: table}, b"{}").counts.stored == 20
    with pytest.raises(Doubt, match="damaged"):
        count({"a": lie, table.name: table}, b"{}")


@pytest.mark.parametrize("data", [b"[]", b"", b'{"a":', b"[" * 100_000])
def test_a_config_that_is_no_object(data):
    with pytest.raises(Doubt, match="damaged"):
        count(entries({"model.embed_tokens.weight": ("BF16", (2, 2))}), data)
