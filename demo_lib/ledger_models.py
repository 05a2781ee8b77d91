"""The models of the ledger: 38 published ones as data, any model of the Hub, and one whose fields are typed by hand."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .architectures import ARCHITECTURES, Parts, Shape, parts, read_shape
from .hub_counts import open_counts
from .model_counts import Counts
from .problems import Problem
from .sources import check_model_id

_FILE = Path(__file__).parent.parent / "examples" / "models.json"
# The model that is meant by the key of a tokenizer
OBVIOUS = {"llama-3.1": "meta-llama/Llama-3.1-8B", "qwen2.5": "Qwen/Qwen2.5-0.5B", "qwen3.5": "Qwen/Qwen3.5-0.8B"}
CUSTOM = "custom"
# The largest of each field: with all of them together, every count still is exact where JSON is read as floats
LIMITS = {
    "vocab_size": 10_000_000,
    "hidden_size": 200_000,
    "layers": 2000,
    "heads": 2000,
    "kv_heads": 2000,
    "head_size": 2000,
    "feed_forward_size": 2_000_000,
}


class FieldProblem(Problem):
    """A number that a field cannot have: `field` is its name, `least` and `most` are its ends."""

    def __init__(self, en: str, zh: str, field: str = "", least: int = 0, most: int = 0) -> None:
        super().__init__(en, zh)
        self.field, self.least, self.most = field, least, most


@dataclass(frozen=True)
class Model:
    """A model and what it is made of.

    `tokens`: how many its tokenizer has (None: not known), `tokenizer`: the key of the catalog's one that cuts plain
    text alike. `confirmed`: whether the total of a model of the list was found published as well; None for others.
    `counts`: what its files hold. `source`: where the fields come from. `stated_rows`, `stated_hidden`: of the table by
    config.json, where the weights have another; otherwise 0.
    """

    id: str
    label: str
    shape: Shape
    parts: Parts
    tokens: int | None = None
    tokens_confirmed: bool = False
    tokenizer: str | None = None
    confirmed: bool | None = None
    counts: Counts | None = None
    source: str = ""
    stated_rows: int = 0
    stated_hidden: int = 0

    @property
    def output_size(self) -> tuple[int, int]:
        """Rows of the output table and the numbers in one; (0, 0) where a model has none. Of a tied model, the one
        table's."""
        shape = self.shape
        if shape.tie_word_embeddings:
            return shape.vocab_size, shape.hidden_size
        rows = (shape.output_rows or shape.vocab_size) if self.parts.output_table else 0
        return rows, self.parts.output_table // rows if rows else 0

    @property
    def by_formula(self) -> bool:
        """Whether the parts follow from the shape, so that they can be told for another one."""
        return self.shape.model_type in ARCHITECTURES and parts(self.shape) == self.parts


@cache
def known() -> dict[str, Model]:
    """The models of the list, by their ids."""
    return {row["id"]: _known(row) for row in json.loads(_FILE.read_text("utf-8"))}


def _known(row: dict[str, Any]) -> Model:
    config = row["config"]
    shape = read_shape(config, config["vocab_size"], config["hidden_size"], config["tie_word_embeddings"])
    made = parts(shape)
    counts = Counts(row["stored"], made.total, tuple(row["not_text"].items())) if row["stored"] else None
    names = ("tokens", "tokens_confirmed", "tokenizer", "source")
    rest = {name: row[name] for name in names} | {"confirmed": row["total_confirmed"], "counts": counts}
    return Model(row["id"], label(row["id"]), shape, made, **rest)


def label(id: str) -> str:
    """A model's name for a heading.

    >>> label("Qwen/Qwen2.5-0.5B")
    'Qwen2.5-0.5B'
    """
    return str(id).rpartition("/")[2][:60]


@cache
def _names() -> dict[str, str]:
    """What a model of the list may be called, in lower case, and its id."""
    short = {label(id).lower(): id for id in known()}
    return short | {id.lower(): id for id in known()} | OBVIOUS


def open_model(name: str, *, wait: bool = True) -> Model:
    """A model by its id, its name, or the key of a tokenizer; what is not on the list is counted on the Hub.

    Without `wait`, one that has not been counted yet raises Waiting.
    """
    if not isinstance(name, str):
        raise Problem("Give the model as a name.", "请以名称的形式给出模型。")
    id = _names().get(name.strip().lower())
    if id is None:
        typed = check_model_id(name)
        id = _names().get(typed.lower(), typed)
    if id in known():
        return known()[id]
    found = open_counts(id, wait=wait)
    stated = {"stated_rows": found.stated_rows, "stated_hidden": found.stated_hidden}
    return Model(id, label(id), found.shape, found.parts, counts=found.counts, **stated)


def custom(
    vocab_size: int,
    hidden_size: int,
    layers: int,
    heads: int,
    kv_heads: int | None,
    head_size: int | None,
    feed_forward_size: int,
    tied: bool,
    tokenizer: str | None = None,
) -> Model:
    """A model like Llama with these fields. Without `kv_heads` each head has its own; without `head_size` the heads
    share the hidden size evenly."""
    given = {"vocab_size": vocab_size, "hidden_size": hidden_size, "layers": layers, "heads": heads}
    vocab_size, hidden_size, layers, heads = (check_field(name, value) for name, value in given.items())
    kv_heads = heads if kv_heads is None else check_field("kv_heads", kv_heads)
    feed_forward_size = check_field("feed_forward_size", feed_forward_size)
    if not isinstance(tied, bool):
        raise Problem("tied must be true or false.", "tied 必须是 true 或 false。")
    if heads % kv_heads:
        raise Problem(
            f"{heads:,} heads cannot share {kv_heads:,} key-value heads evenly: "
            "the number of heads must be a multiple of the number of key-value heads.",
            f"{heads:,} 个头不能平分 {kv_heads:,} 个键值头：头数必须是键值头数的倍数。",
        )
    if head_size is None and hidden_size % heads:
        raise Problem(
            f"A hidden size of {hidden_size:,} cannot be divided among {heads:,} heads: change one of them, or give a "
            "head size.",
            f"隐藏维度 {hidden_size:,} 不能被 {heads:,} 个头整除：请改其中一个，或填写头的维度。",
        )
    head_size = hidden_size // heads if head_size is None else check_field("head_size", head_size)
    sizes = (vocab_size, hidden_size, layers, heads, kv_heads, head_size, feed_forward_size)
    shape = Shape("llama", *sizes, tie_word_embeddings=tied)
    return Model(CUSTOM, CUSTOM, shape, parts(shape), tokenizer=tokenizer)


def check_field(name: str, value: Any) -> int:
    """`value` if it is a whole number that this field can have.

    >>> check_field("layers", 32.0)
    32
    """
    return check_whole(name, value, 1, LIMITS[name])


def check_whole(name: str, value: Any, least: int, most: int, zh: str | None = None) -> int:
    """`value` as an int, if it is a whole number from `least` to `most`; the sentence calls it `name`."""
    whole = isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most
    if not whole or value != int(value):
        raise FieldProblem(
            f"{name} must be a whole number from {least:,} to {most:,}.",
            f"{zh or name} 必须是 {least:,} 到 {most:,} 的整数。",
            name,
            least,
            most,
        )
    return int(value)
