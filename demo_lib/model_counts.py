"""How many parameters a model's files hold, and how many of them are its text model, by the names of the tensors.

The number that a model's page shows counts what is stored. That can be more than the text model: a tied head stored
a second time, buffers, the scales of quantised weights, what sees images, layers that predict further tokens; and it
can be less, where several small numbers are packed into one. What is told apart here is told apart by name and type:
the names are those of the libraries that write such files.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from . import weights
from .architectures import Parts, Shape, read_shape

REASONS = ("tied_head", "buffers", "scales", "packed", "vision", "prediction")

_BUFFER = re.compile(
    r"rotary\w*\.(inv_freq|cos_cached|sin_cached)$|masked_bias$|position_ids$|e_score_correction_bias$"
)
_MASK = re.compile(r"att\w*\.bias$")  # GPT-2's causal masks are (1, 1, n, n); a bias has one dimension
_SCALE = re.compile(
    r"(weight|input|output|activation|[kv])_scale(_inv|_2)?$|\.w[123]_scale$|[._]scales$|zero_point$|qzeros$|\.g_idx$"
    r"|absmax$|quant_map$|quant_state\.\w+$|\.SCB$|weight_format$|weight_shape$|(?<=\.)biases$"
)
_PACKED = re.compile(r"qweight$|weight_packed$|_blocks$|\.weight$")
_SEES = re.compile(
    r"(^|\.)(visual|vision\w*|image_\w+|multi_modal_projector|mm_projector|multimodal_projector|patch_\w+|vit"
    r"|embed_vision|embed_audio|audio\w*|speech\w*|connector|modality_projection|vpm|resampler)\."
)
_PREDICTS = re.compile(r"(^|\.)mtp[._]")
_LAYER = re.compile(r"(?:^|\.)(?:layers|h|blocks)\.(\d+)\.")

_POSITIONS = re.compile(r"(wpe|embed_positions|position_embeddings?)\.weight$")
_NORM = re.compile(r"norm|(^|\.)ln_")
_EXPERT = re.compile(r"(?<!shared_)experts?\.")
_FEED_FORWARD = re.compile(r"mlp|feed_forward|ffn|\.fc[12]\.|moe|experts?\b")
_ATTENTION = re.compile(r"att|mixer|[qkvo]_proj|qkv|\.mamba|\.ssm|delta")


@dataclass(frozen=True)
class Counts:
    """`stored` = `text` + the sum of `reasons`, each (one of REASONS, how many); "packed" is negative."""

    stored: int
    text: int
    reasons: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Counted:
    """A model's counts, the parts of its text model, and the shape that its config.json states.

    `stated_rows` and `stated_hidden`: of the table by config.json, where the weights have another; otherwise 0.
    """

    counts: Counts
    parts: Parts
    shape: Shape
    stated_rows: int = 0
    stated_hidden: int = 0


def count(entries: Mapping[str, weights.Entry], data: bytes) -> Counted:
    """Count the tensors of a model, whose config.json is `data`. Raises weights.Doubt where they cannot be so."""
    believed(entries)
    stated, config = weights.read_config(data), json.loads(data)
    table = weights.name_of(weights.INPUT, entries)
    if table is None:
        raise weights.Doubt("no_table")
    tied, head = weights.is_tied(stated, entries), weights.name_of(weights.OUTPUT, entries)
    bits = _bits(config)
    numbers = {name: _numbers(entry, bits) for name, entry in entries.items()}
    rows, hidden = _size(entries[table], numbers[table])
    shape = read_shape(config, rows, hidden, tied)
    if head and not tied:
        others, _ = _size(entries[head], numbers[head])
        shape = replace(shape, output_rows=0 if others == rows else others)
    why = {name: _reason(entry, shape, tied and name == head) for name, entry in entries.items()}
    reasons = dict.fromkeys(REASONS, 0)
    for name, reason in why.items():
        if reason:
            reasons[reason] += math.prod(entries[name].shape)
        else:
            reasons["packed"] += math.prod(entries[name].shape) - numbers[name]
    kept = {name: number for name, number in numbers.items() if not why[name]}
    parts = _parts(kept, shape, table, None if tied else head)
    stored = sum(math.prod(entry.shape) for entry in entries.values())
    counts = Counts(stored, parts.total, tuple((k, n) for k, n in reasons.items() if n))
    other_rows = stated.rows if stated.rows not in (None, rows) else 0
    return Counted(counts, parts, shape, other_rows, 0 if hidden in stated.dims else max(stated.dims, default=0))


def _size(entry: weights.Entry, numbers: int) -> tuple[int, int]:
    """Rows of a table, and the numbers in a row: more than the tensor has where several are packed in one."""
    if len(entry.shape) != 2:
        raise weights.Doubt("table_flat")
    rows = entry.shape[0]
    width = numbers // rows if rows else 0
    if not 0 < rows < 10**9 or not 0 < width < 10**7 or rows * width != numbers:
        raise weights.Doubt("table_shape")
    return rows, width


def believed(entries: Mapping[str, weights.Entry]) -> Mapping[str, weights.Entry]:
    """The entries, if all types are known and none has more numbers than its bytes can hold: weights.read_header has
    checked types of whole bytes, and of the others no number is smaller than 4 bits. Raises weights.Doubt."""
    for entry in entries.values():
        if entry.dtype not in weights.BYTES and entry.dtype not in weights.OTHERS:
            raise weights.Doubt("unknown_type")
        if entry.dtype not in weights.BYTES and math.prod(entry.shape) > 2 * (entry.end - entry.start):
            raise weights.Doubt("damaged")
    return entries


def _bits(config: Mapping[str, Any]) -> int:
    """How many bits a packed number has, by config.json; 0: none is packed."""
    for name in ("quantization_config", "quantization"):
        stated = config.get(name)
        if isinstance(stated, dict):
            groups = stated.get("config_groups")
            first = next(iter(groups.values()), None) if isinstance(groups, dict) else None
            inner = first.get("weights") if isinstance(first, dict) else None
            found = stated.get("bits"), inner.get("num_bits") if isinstance(inner, dict) else None
            return next((bits for bits in found if type(bits) is int and bits in (2, 3, 4, 8)), 4)
    return 0


def _numbers(entry: weights.Entry, bits: int) -> int:
    """The parameters in a tensor: more than its elements where each holds several."""
    elements = math.prod(entry.shape)
    size = {"I32": 32, "U32": 32, "U8": 8}.get(entry.dtype, 0)
    if bits and size > bits and _PACKED.search(entry.name):
        return elements * size // bits
    return elements


def _reason(entry: weights.Entry, shape: Shape, second: bool) -> str | None:
    """Why a tensor is not of the text model; None if it is."""
    name = entry.name
    layer = _LAYER.search(name)
    rules: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("tied_head", lambda: second),
        ("vision", lambda: _SEES.search(name)),
        ("prediction", lambda: _PREDICTS.search(name)),
        ("prediction", lambda: layer and shape.num_hidden_layers and int(layer[1]) >= shape.num_hidden_layers),
        ("buffers", lambda: _BUFFER.search(name) or (_MASK.search(name) and len(entry.shape) == 4)),
        ("scales", lambda: _SCALE.search(name)),
    )
    return next((reason for reason, holds in rules if holds()), None)


def _parts(numbers: Mapping[str, int], shape: Shape, table: str, head: str | None) -> Parts:
    sums = dict.fromkeys(("positions", "norms", "feed_forward", "attention", "other"), 0)
    routed = 0
    kinds = (("positions", _POSITIONS), ("norms", _NORM), ("feed_forward", _FEED_FORWARD), ("attention", _ATTENTION))
    for name, number in numbers.items():
        if name not in (table, head):
            sums[next((kind for kind, pattern in kinds if pattern.search(name)), "other")] += number
            routed += number if _EXPERT.search(name) else 0
    asleep = routed * max(shape.experts - shape.chosen, 0) // shape.experts if shape.experts and shape.chosen else 0
    return Parts(numbers[table], output_table=numbers[head] if head else 0, asleep=asleep, **sums)
