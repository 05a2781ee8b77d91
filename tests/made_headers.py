"""Tensors of models as safetensors headers name them, without their numbers: for counting."""

import json
import math
from collections.abc import Iterable

from demo_lib.weights import Entry

SIZES = {"BF16": 2, "F16": 2, "F32": 4, "I32": 4, "U32": 4, "U8": 1, "I8": 1, "F8_E4M3": 1, "I64": 8}
Tensors = dict[str, tuple[str, tuple[int, ...]]]  # name: (dtype, shape)


def entries(tensors: Tensors) -> dict[str, Entry]:
    """One after the other, as in a file."""
    made, at = {}, 0
    for name, (dtype, shape) in tensors.items():
        end = at + math.prod(shape) * SIZES[dtype]
        made[name] = Entry(name, dtype, shape, at, end)
        at = end
    return made


def header(tensors: Tensors) -> tuple[bytes, int]:
    """The head of a safetensors file, and how many bytes follow it."""
    made = entries(tensors)
    stated = {
        e.name: {"dtype": e.dtype, "shape": list(e.shape), "data_offsets": [e.start, e.end]} for e in made.values()
    }
    text = json.dumps({"__metadata__": {"format": "pt"}} | stated).encode()
    return len(text).to_bytes(8, "little") + text, max((e.end for e in made.values()), default=0)


def file(tensors: Tensors) -> bytes:
    head, rest = header(tensors)
    return head + bytes(rest)


def of_transformers(config: dict, dtype: str = "BF16", prefix: str | None = None) -> Tensors:
    """The parameters of the model that transformers builds from a config.json, tied ones once."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    fields = {name: value for name, value in config.items() if name not in ("model_type", "sliding_window_pattern")}
    if config["model_type"] == "gpt2":
        fields["n_inner"] = fields.pop("intermediate_size")
    with torch.device("meta"):
        made = AutoModelForCausalLM.from_config(
            AutoConfig.for_model(config["model_type"], **fields | {"pad_token_id": 0})
        )
    named = {name: (dtype, tuple(parameter.shape)) for name, parameter in made.named_parameters()}
    return {name.removeprefix(prefix): value for name, value in named.items()} if prefix else named


def linear(name: str, out: int, into: int, block: int = 128) -> Tensors:
    """A matrix in 8-bit floats, with a scale for each block, as DeepSeek-V3 has them."""
    scales = (math.ceil(out / block), math.ceil(into / block))
    return {f"{name}.weight": ("F8_E4M3", (out, into)), f"{name}.weight_scale_inv": ("F32", scales)}


def joined(parts: Iterable[Tensors]) -> Tensors:
    return {name: value for part in parts for name, value in part.items()}
