"""Where in a model's safetensors files its embedding tables are, and whether that can be true.

A safetensors file is 8 bytes that say how long its header is (little-endian), the header, and the tensors' bytes. The
header is JSON: {"name": {"dtype": "BF16", "shape": [4, 2], "data_offsets": [0, 16]}, ...}, with offsets that count
from its end. Everything in it comes from outside and is believed only where it fits the file.
"""

import json
import math
import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any

# Names of the input and the output table, in the order in which they are looked for
INPUT = (
    "model.embed_tokens.weight",
    "model.language_model.embed_tokens.weight",
    "language_model.model.embed_tokens.weight",
    "model.text_model.embed_tokens.weight",
    "embed_tokens.weight",
    "transformer.wte.weight",
    "wte.weight",
    "gpt_neox.embed_in.weight",
    "model.decoder.embed_tokens.weight",
    "transformer.word_embeddings.weight",
    "word_embeddings.weight",
    "model.tok_embeddings.weight",
    "tok_embeddings.weight",
    "backbone.embeddings.weight",
    "transformer.embedding.word_embeddings.weight",
    "bert.embeddings.word_embeddings.weight",
    "roberta.embeddings.word_embeddings.weight",
    "embeddings.word_embeddings.weight",
    "shared.weight",
)
OUTPUT = (
    "lm_head.weight",
    "model.lm_head.weight",
    "language_model.lm_head.weight",
    "model.language_model.lm_head.weight",
    "output.weight",
    "embed_out.weight",
    "transformer.output_layer.weight",
)
TYPES = {"BF16": 2, "F16": 2, "F32": 4}
# All types whose numbers are whole bytes; a type that is not listed is not checked
BYTES = TYPES | {"F64": 8, "I64": 8, "U64": 8, "I32": 4, "U32": 4, "I16": 2, "U16": 2}
BYTES |= dict.fromkeys(("I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2"), 1)
# The others that the safetensors library knows, whose numbers may be parts of a byte
OTHERS = ("F4", "F6_E2M3", "F6_E3M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "C64")
# Bytes: the header of a file with tens of thousands of tensors has 10 MB, the index of the largest models as well
HEADER_LIMIT, INDEX_LIMIT, CONFIG_LIMIT = 25 * 10**6, 50 * 10**6, 10**6


class Doubt(ValueError):
    """What is stated cannot be so, or cannot be read here. `kind` is one of hub_problems.SENTENCES."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True)
class Entry:
    """A tensor; its bytes are [start, end) of the file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Config:
    """What config.json states: `rows` of the table, what may be a row's length, and whether the ends are tied."""

    rows: int | None
    dims: frozenset[int]
    tied: bool | None


def header_length(first: bytes, size: int) -> int:
    """How long the header is, by the first 8 bytes of a file of `size` bytes. Raises Doubt."""
    length = int.from_bytes(first[:8], "little")
    if len(first) < 8 or not 2 <= length <= min(HEADER_LIMIT, size - 8):
        raise Doubt("damaged")
    return length


def read_header(header: bytes, size: int) -> dict[str, Entry]:
    """The tensors of a file of `size` bytes. As in the safetensors library, they must fill the file, without gaps,
    overlaps or a name twice. Raises Doubt."""
    stated = _object(header)
    stated.pop("__metadata__", None)
    base = 8 + len(header)
    entries = sorted((_entry(name, value, base) for name, value in stated.items()), key=lambda e: (e.start, e.end))
    at = base
    for entry in entries:
        if entry.start != at:
            raise Doubt("damaged")
        at = entry.end
    if at != size:
        raise Doubt("damaged")
    return {entry.name: entry for entry in entries}


def _entry(name: str, value: Any, base: int) -> Entry:
    try:
        dtype, shape, (start, end) = value["dtype"], value["shape"], value["data_offsets"]
        numbers = [*shape, start, end]
    except (TypeError, KeyError, ValueError):
        raise Doubt("damaged") from None
    whole = isinstance(dtype, str) and all(type(number) is int and 0 <= number < 2**63 for number in numbers)
    if not whole or len(numbers) > 16 or start > end:
        raise Doubt("damaged")
    if dtype in BYTES and math.prod(shape) * BYTES[dtype] != end - start:
        raise Doubt("damaged")
    return Entry(name, dtype, tuple(shape), base + start, base + end)


def read_index(data: bytes) -> dict[str, str]:
    """Which file has which tensor, from model.safetensors.index.json. Raises Doubt."""
    files = _object(data).get("weight_map")
    if not isinstance(files, dict) or not all(isinstance(file, str) and _is_file(file) for file in files.values()):
        raise Doubt("damaged")
    return files


def _is_file(name: str) -> bool:
    """A name inside the model's folder, as sharded models have it."""
    return bool(re.fullmatch(r"[\w-][\w.-]{0,199}\.safetensors", name, re.ASCII))


def read_config(data: bytes) -> Config:
    """What config.json states of the tables; a model of text and images states it in its text_config. Raises Doubt."""
    outer = _object(data)
    inner = next((outer[name] for name in ("text_config", "llm_config") if isinstance(outer.get(name), dict)), {})
    both = outer | inner

    def number(name: str) -> Iterable[int]:
        return [both[name]] if type(both.get(name)) is int and both[name] > 0 else []

    # the first is what most models have; the others give rows a length of their own
    names = ("hidden_size", "n_embd", "d_model", "embedding_size", "word_embed_proj_dim", "dim")
    tied = both.get("tie_word_embeddings")
    return Config(
        rows=next(iter(number("vocab_size")), None),
        dims=frozenset(value for name in names for value in number(name)),
        tied=tied if isinstance(tied, bool) else None,
    )


def _object(data: bytes) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a name twice")
        return found

    try:
        value = json.loads(data.decode(), object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise Doubt("damaged") from None
    if not isinstance(value, dict):
        raise Doubt("damaged")
    return value


def name_of(candidates: tuple[str, ...], names: Container[str]) -> str | None:
    """The first of the candidates that there is."""
    return next((name for name in candidates if name in names), None)


def is_tied(config: Config, names: Container[str]) -> bool:
    """Whether the output table is the input table: as the config says; where it says nothing, if none is stored."""
    return name_of(OUTPUT, names) is None if config.tied is None else config.tied


def check(entry: Entry, config: Config) -> Entry:
    """The entry of a table, if it can be one and is what the config states. Raises Doubt."""
    if entry.dtype not in TYPES:
        raise Doubt("table_type")
    whole = len(entry.shape) == 2 and min(entry.shape) > 0
    if not whole or config.rows not in (None, entry.shape[0]) or (config.dims and entry.shape[1] not in config.dims):
        raise Doubt("table_shape")
    return entry
