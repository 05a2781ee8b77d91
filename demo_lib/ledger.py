"""The ledger of a model: what its vocabulary costs in parameters, memory and computation.

Conventions. A parameter that two parts share is counted once. A forward pass of one token costs 2 FLOPs for each
parameter that takes part in it: tables that are only looked up and experts that were not chosen take none, and what
attention computes over the context is left out, for it grows with the text and not with the model. A GB is 10^9 bytes.
"""

from dataclasses import dataclass, replace
from typing import Any

from .architectures import ARCHITECTURES, Shape, parts
from .ledger_models import Model, check_field, check_whole
from .problems import Problem

BITS = {"fp32": 32, "bf16": 16, "int8": 8, "4bit": 4}
PADDING = 256  # the largest multiple of rows that is usual
KV_BYTES = 2  # of a number in the cache, as bf16


@dataclass(frozen=True)
class Figures:
    """What follows from a model's parts.

    `tables`: both tables, or the one of a tied model; `share`: of the total. `free_rows` have no token, and
    `without_row` tokens have no row; None where the tokenizer is not known. `multiple`: the largest power of two
    that divides the rows, up to PADDING. `output_rows`: scores that a token gets, 0 of a model without an output table.
    `kv_bytes` of each token of the context, and `window_bytes` of each of the last `window`.
    """

    total: int
    rows: int
    table: int
    tables: int
    share: float
    free_rows: int | None
    without_row: int | None
    multiple: int
    output_rows: int
    forward_flops: int
    logits_flops: int
    logits_share: float
    kv_bytes: int
    window_bytes: int
    window: int

    def table_bytes(self, kind: str) -> int:
        """Memory of one table; scales of int8 and 4bit not counted."""
        return -(-self.table * BITS[kind] // 8)

    def tables_bytes(self, kind: str) -> int:
        return -(-self.tables * BITS[kind] // 8)

    def kv_cache(self, tokens: int) -> int:
        """Bytes of the keys and values of a text."""
        return self.kv_bytes * tokens + self.window_bytes * min(tokens, self.window)


def figures(model: Model) -> Figures:
    """
    >>> from demo_lib.ledger_models import open_model
    >>> f = figures(open_model("meta-llama/Llama-3.1-8B"))
    >>> f.table, f.logits_flops, round(f.logits_share, 3)
    (525336576, 1050673152, 0.07)
    """
    made, shape = model.parts, model.shape
    looked_up = made.positions + (0 if shape.tie_word_embeddings else made.input_table)
    forward = 2 * (made.total - looked_up - made.asleep)
    output_rows, width = model.output_size
    logits = 2 * output_rows * width
    tables = made.input_table + made.output_table
    kv = KV_BYTES * (
        shape.kv_lora_rank + shape.qk_rope_head_dim
        if shape.kv_lora_rank
        else 2 * shape.num_key_value_heads * shape.head_dim
    )
    return Figures(
        total=made.total,
        rows=shape.vocab_size,
        table=made.input_table,
        tables=tables,
        share=tables / made.total,
        free_rows=None if model.tokens is None else max(shape.vocab_size - model.tokens, 0),
        without_row=None if model.tokens is None else max(model.tokens - shape.vocab_size, 0),
        multiple=min(shape.vocab_size & -shape.vocab_size, PADDING),
        output_rows=output_rows,
        forward_flops=forward,
        logits_flops=logits,
        logits_share=logits / forward if forward else 0.0,
        kv_bytes=kv * shape.full_layers,
        window_bytes=kv * shape.window_layers,
        window=shape.sliding_window,
    )


def logits_bytes(rows: int, batch: Any, length: Any) -> tuple[int, int]:
    """Memory of the logits of `batch` texts of `length` tokens: in fp32 and in bf16."""
    numbers = check_whole("batch", batch, 1, 10**6, "批大小") * check_whole("length", length, 1, 10**8, "长度") * rows
    return 4 * numbers, 2 * numbers


# What if


def changed(model: Model, *, rows: Any = None, hidden: Any = None, tied: bool | None = None) -> Model:
    """The model with another number of rows, another hidden size, tied or untied, and all else as it is.

    >>> from demo_lib.ledger_models import open_model
    >>> changed(open_model("Qwen/Qwen2.5-0.5B"), tied=False).parts.total
    630167424
    """
    shape = model.shape
    rows = shape.vocab_size if rows is None else check_field("vocab_size", rows)
    hidden = shape.hidden_size if hidden is None else check_field("hidden_size", hidden)
    kept = tied is None and (rows == shape.vocab_size or not model.output_size[0])
    tied = shape.tie_word_embeddings if tied is None else tied
    new = replace(shape, vocab_size=rows, hidden_size=hidden, tie_word_embeddings=tied)
    new = replace(new, output_rows=shape.output_rows if kept else 0, head_dim=_head_dim(shape, hidden))
    if hidden == shape.hidden_size:
        output = model.parts.output_table if kept else 0 if tied else rows * hidden
        made = replace(model.parts, input_table=rows * hidden, output_table=output)
    elif model.by_formula:
        made = parts(new)
    else:
        raise Problem(
            f"The formula of {model.label} is not known here: its hidden size stays {shape.hidden_size:,}.",
            f"这里没有 {model.label} 的公式：它的隐藏维度保持 {shape.hidden_size:,} 不变。",
        )
    return replace(model, shape=new, parts=made, counts=None)


def _head_dim(shape: Shape, hidden: int) -> int:
    """The size of a head in a model of another hidden size: its heads share that evenly where they do so now. Models
    with norms for their heads state the size of a head by itself, and so it stays."""
    kind, heads = ARCHITECTURES.get(shape.model_type), shape.num_attention_heads
    if not kind or kind.head_norms == "head" or shape.kv_lora_rank or heads * shape.head_dim != shape.hidden_size:
        return shape.head_dim
    if hidden % heads:
        raise Problem(
            f"A hidden size of {hidden:,} cannot be divided among the {heads:,} heads of this model: "
            f"choose a multiple of {heads:,}.",
            f"隐藏维度 {hidden:,} 不能被这个模型的 {heads:,} 个头整除：请填 {heads:,} 的倍数。",
        )
    return hidden // heads


@dataclass(frozen=True)
class Words:
    """Words of one's own in a vocabulary: they take `free` rows that have no token first, then `rows` new ones.

    `padded`: new rows, if the rows shall stay a multiple of what they are. New parameters of each end, and how many
    are `trained` from nothing: also those of rows that were there.
    """

    words: int
    free: int
    rows: int
    padded: int
    input_parameters: int
    output_parameters: int
    trained: int


def add_words(model: Model, words: Any, end: str) -> Words:
    """`end`: "input" (the model reads them), "output" (it says them) or "both"; a tied model has both in one row.

    >>> from demo_lib.ledger_models import open_model
    >>> add_words(open_model("llama-3.1"), 10_000, "both").input_parameters
    40960000
    """
    words = check_whole("The number of words", words, 0, 10**6, "新词的个数")
    found, shape = figures(model), model.shape
    free = min(words, found.free_rows or 0)
    new, many = words - free, found.multiple
    ends = [end in ("input", "both"), end in ("output", "both")]
    widths = [shape.hidden_size * ends[0], model.output_size[1] * ends[1]]
    if shape.tie_word_embeddings:
        widths = [shape.hidden_size, 0]
    return Words(words, free, new, -(-new // many) * many, new * widths[0], new * widths[1], words * sum(widths))


# For programs


def row(model: Model) -> dict[str, Any]:
    """The ledger as JSON, units in the names."""
    found, made, shape = figures(model), model.parts, model.shape
    counts = model.counts
    answer = {
        "model": model.id,
        "total_parameters": made.total,
        "total_confirmed": model.confirmed,
        "rows": found.rows,
        "rows_multiple_of": found.multiple,
        "output_rows": found.output_rows,
        "tokens": model.tokens,
        "rows_without_token": found.free_rows,
        "tokens_without_row": found.without_row,
        "hidden_size": shape.hidden_size,
        "tied": shape.tie_word_embeddings,
        "input_table_parameters": made.input_table,
        "output_table_parameters": made.output_table,
        "tables_parameters": found.tables,
        "tables_share": found.share,
        "position_parameters": made.positions,
        "attention_parameters": made.attention,
        "feed_forward_parameters": made.feed_forward,
        "norm_parameters": made.norms,
        "other_parameters": made.other,
        "resting_expert_parameters": made.asleep,
        "forward_flops_per_token": found.forward_flops,
        "logits_flops_per_token": found.logits_flops,
        "logits_share_of_forward": found.logits_share,
        "kv_cache_bytes_per_token": found.kv_bytes,
        "kv_window_bytes_per_token": found.window_bytes,
        "kv_window_tokens": found.window,
    }
    answer |= {f"table_bytes_{kind}": found.table_bytes(kind) for kind in BITS}
    answer |= {f"tables_bytes_{kind}": found.tables_bytes(kind) for kind in BITS}
    stored = {"stored_parameters": counts.stored, "stored_not_text": dict(counts.reasons)} if counts else {}
    others = {"config_vocab_size": model.stated_rows, "config_hidden_size": model.stated_hidden, "source": model.source}
    return answer | stored | {name: value for name, value in others.items() if value}
