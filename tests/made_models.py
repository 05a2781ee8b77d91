"""Small models made of random numbers, as files: what the tests of tables fetch and open."""

import json
from dataclasses import dataclass, field

import torch
from safetensors.torch import save
from tokenizers import Tokenizer, models

INPUT, OUTPUT = "model.embed_tokens.weight", "lm_head.weight"
TYPES = {"BF16": torch.bfloat16, "F16": torch.float16, "F32": torch.float32}


def tokenizer_json(tokens: int) -> bytes:
    """A tokenizer that has the ids 0 to tokens - 1."""
    return Tokenizer(models.WordLevel({f"w{i}": i for i in range(tokens)}, unk_token="w0")).to_str().encode()


def tensor(rows: int, dim: int, dtype: str = "BF16", seed: int = 0) -> torch.Tensor:
    return torch.randn(rows, dim, generator=torch.Generator().manual_seed(seed)).to(TYPES[dtype])


@dataclass
class Made:
    """`files` of a model whose tables are `input` and `output` (None: none is stored)."""

    input: torch.Tensor
    output: torch.Tensor | None
    files: dict[str, bytes] = field(default_factory=dict)

    @property
    def table_bytes(self) -> int:
        return self.input.numel() * self.input.element_size()


def made(
    rows: int = 300,
    dim: int = 8,
    dtype: str = "BF16",
    *,
    output: bool = False,
    tied: bool | None = True,
    shards: bool = False,
    seed: int = 0,
    names: tuple[str, str] = (INPUT, OUTPUT),
    config: dict | None = None,
) -> Made:
    """A model with other weights before and after its tables, in one file or in three."""
    first, second = tensor(rows, dim, dtype, seed), tensor(rows, dim, dtype, seed + 1) if output else None
    tables = {names[0]: first} | ({names[1]: second} if output else {})
    layers = {f"model.layers.{i}.weight": tensor(60, dim, "F32", seed + 9) for i in range(2)} | {"a.bias": tensor(3, 1)}
    stated = {"vocab_size": rows, "hidden_size": dim} | ({} if tied is None else {"tie_word_embeddings": tied})
    files = {"config.json": json.dumps(stated | (config or {})).encode(), "tokenizer.json": tokenizer_json(rows - 7)}
    if shards:
        parts = [dict(list(layers.items())[:1]) | {names[0]: first}, dict(list(layers.items())[1:])]
        parts.append({names[1]: second} if output else {"b.bias": tensor(3, 1)})
        weights = {f"model-0000{i}-of-00003.safetensors": save(part) for i, part in enumerate(parts, 1)}
        where = {name: file for file, part in zip(weights, parts, strict=True) for name in part}
        files |= weights | {"model.safetensors.index.json": json.dumps({"weight_map": where}).encode()}
    else:
        files["model.safetensors"] = save(layers | tables)
    return Made(first, second, files)
