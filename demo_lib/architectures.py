"""What a language model is made of, counted by formula from the fields of its config.json.

    Llama 3.1 8B: 32 layers of attention and feed-forward, two tables of 128,256 x 4,096

Each architecture is an entry of ARCHITECTURES: where it departs from Llama. The counts are those of the published
models: `tests/test_architectures.py` compares them, part by part, with the models that transformers builds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Shape:
    """The fields of config.json that the counts need, by their usual names; 0 where a model has no such thing.

    `full_attention_interval`: every so-many-th layer attends to the whole context; the others to `sliding_window`
    tokens, or, with `linear_num_value_heads`, keep one state of fixed size (gated delta net). `layer_types`: what each
    layer keeps, one of "full", "window" and "none"; empty where the interval tells. `experts`, `chosen`: routed
    experts of a layer, and how many of them take part in a token. `output_rows`: of an output table that has another
    number of rows than the input table.
    """

    model_type: str
    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    intermediate_size: int
    tie_word_embeddings: bool
    positions: int = 0
    full_attention_interval: int = 0
    sliding_window: int = 0
    linear_num_key_heads: int = 0
    linear_num_value_heads: int = 0
    linear_key_head_dim: int = 0
    linear_value_head_dim: int = 0
    linear_conv_kernel_dim: int = 0
    q_lora_rank: int = 0
    kv_lora_rank: int = 0
    qk_nope_head_dim: int = 0
    qk_rope_head_dim: int = 0
    v_head_dim: int = 0
    experts: int = 0
    chosen: int = 0
    n_shared_experts: int = 0
    moe_intermediate_size: int = 0
    first_k_dense_replace: int = 0
    layer_types: tuple[str, ...] = ()
    output_rows: int = 0

    @property
    def full_layers(self) -> int:
        """Layers whose attention keeps keys and values of the whole context."""
        if self.layer_types:
            return self.layer_types.count("full")
        if self.full_attention_interval:
            return self.num_hidden_layers // self.full_attention_interval
        return 0 if self.sliding_window else self.num_hidden_layers

    @property
    def window_layers(self) -> int:
        """Layers whose attention keeps them of the last `sliding_window` tokens only."""
        if self.layer_types:
            return self.layer_types.count("window")
        return self.num_hidden_layers - self.full_layers if self.sliding_window else 0


@dataclass(frozen=True)
class Parts:
    """Parameters, each counted once: they sum to the total. `output_table` is 0 where the model is tied.

    `asleep`: of the feed-forward parts, the experts that take no part in a token.
    """

    input_table: int
    positions: int
    attention: int
    feed_forward: int
    norms: int
    output_table: int
    other: int = 0
    asleep: int = 0

    @property
    def total(self) -> int:
        tables = self.input_table + self.output_table + self.positions
        return tables + self.attention + self.feed_forward + self.norms + self.other


@dataclass(frozen=True)
class Architecture:
    """Where an architecture departs from Llama's.

    `norms` of a layer, each as long as a row; `head_norms`: of queries and keys, as long as one "head" or as "all";
    `gated_heads`: queries twice as wide, the second half a gate; `up`: matrices into the feed-forward's inside.
    """

    norms: int = 2
    head_norms: str = ""
    qkv_bias: bool = False
    biases: bool = False
    up: int = 2
    gated_heads: bool = False


ARCHITECTURES = {
    "llama": Architecture(),
    "mistral": Architecture(),
    "phi3": Architecture(),
    "qwen2": Architecture(qkv_bias=True),
    "qwen3": Architecture(head_norms="head"),
    "qwen3_5_text": Architecture(head_norms="head", gated_heads=True),
    "gemma2": Architecture(norms=4),
    "gemma3_text": Architecture(norms=4, head_norms="head"),
    "olmo2": Architecture(head_norms="all"),
    "gpt2": Architecture(qkv_bias=True, biases=True, up=1),
    "deepseek_v3": Architecture(),
}


def parts(shape: Shape) -> Parts:
    """The parameters of a model of one of the ARCHITECTURES.

    >>> parts(Shape("llama", 128_256, 4096, 32, 32, 8, 128, 14_336, False)).total
    8030261248
    """
    kind = ARCHITECTURES[shape.model_type]
    hidden, layers = shape.hidden_size, shape.num_hidden_layers
    attention, norms = _latent(shape) if shape.kv_lora_rank else _grouped(shape, kind)
    # of all layers, or of those that are not of the other kind
    full = shape.full_layers if shape.linear_num_value_heads else layers
    linear, gates = _delta_net(shape) if full < layers else (0, 0)
    attention, norms = attention * full + linear * (layers - full), norms * full + gates * (layers - full)
    norms += (kind.norms * layers + 1) * hidden * (2 if kind.biases else 1)
    feed_forward, asleep = _feed_forward(shape, kind)
    table = shape.vocab_size * hidden
    return Parts(
        input_table=table,
        positions=shape.positions * hidden,
        attention=attention,
        feed_forward=feed_forward,
        norms=norms,
        output_table=0 if shape.tie_word_embeddings else table,
        asleep=asleep,
    )


def _grouped(shape: Shape, kind: Architecture) -> tuple[int, int]:
    """Attention and norms of a layer in which several heads share keys and values; as many of them: the plain kind."""
    inner, shared = shape.num_attention_heads * shape.head_dim, shape.num_key_value_heads * shape.head_dim
    into = (2 if kind.gated_heads else 1) * inner + 2 * shared
    count = shape.hidden_size * (into + inner)
    count += into * kind.qkv_bias + shape.hidden_size * kind.biases
    return count, {"": 0, "head": 2 * shape.head_dim, "all": inner + shared}[kind.head_norms]


def _latent(shape: Shape) -> tuple[int, int]:
    """Attention and norms of a layer whose queries, keys and values go through a narrow vector (DeepSeek)."""
    hidden, heads = shape.hidden_size, shape.num_attention_heads
    query = heads * (shape.qk_nope_head_dim + shape.qk_rope_head_dim)
    count = hidden * shape.q_lora_rank + shape.q_lora_rank * query if shape.q_lora_rank else hidden * query
    count += hidden * (shape.kv_lora_rank + shape.qk_rope_head_dim)
    count += shape.kv_lora_rank * heads * (shape.qk_nope_head_dim + shape.v_head_dim)
    count += heads * shape.v_head_dim * hidden
    return count, shape.q_lora_rank + shape.kv_lora_rank


def _delta_net(shape: Shape) -> tuple[int, int]:
    """Attention and norms of a layer with a gated delta net (Qwen3.5)."""
    keys = shape.linear_num_key_heads * shape.linear_key_head_dim
    values = shape.linear_num_value_heads * shape.linear_value_head_dim
    count = shape.hidden_size * (2 * keys + 3 * values)  # queries, keys, values, the gate, and out again
    count += 2 * shape.linear_num_value_heads * (shape.hidden_size + 1)  # how much to forget and to learn, with biases
    count += (2 * keys + values) * shape.linear_conv_kernel_dim
    return count, shape.linear_value_head_dim


def _feed_forward(shape: Shape, kind: Architecture) -> tuple[int, int]:
    """All feed-forward parts, and the experts among them that take no part in a token."""
    hidden, inner = shape.hidden_size, shape.intermediate_size
    dense = (kind.up + 1) * hidden * inner + (inner + hidden) * kind.biases
    if not shape.experts:
        return dense * shape.num_hidden_layers, 0
    expert = (kind.up + 1) * hidden * shape.moe_intermediate_size
    router = hidden * shape.experts
    first = min(shape.first_k_dense_replace, shape.num_hidden_layers)
    layers = shape.num_hidden_layers - first
    sparse = expert * (shape.experts + shape.n_shared_experts) + router
    asleep = expert * (shape.experts - shape.chosen) * layers
    return dense * first + sparse * layers, asleep


# Other names of the same fields
_NAMES = {
    "hidden_size": ("hidden_size", "n_embd", "d_model", "dim"),
    "num_hidden_layers": ("num_hidden_layers", "n_layer", "num_layers", "n_layers"),
    "num_attention_heads": ("num_attention_heads", "n_head", "n_heads", "num_heads"),
    "intermediate_size": ("intermediate_size", "n_inner", "ffn_dim", "d_ff"),
    "experts": ("n_routed_experts", "num_experts", "num_local_experts"),
    "chosen": ("num_experts_per_tok", "num_experts_per_token", "moe_topk"),
    "full_attention_interval": ("full_attention_interval", "sliding_window_pattern", "_sliding_window_pattern"),
}


def read_shape(config: Mapping[str, Any], rows: int, hidden: int, tied: bool) -> Shape:
    """The shape that a config.json states, of a model whose table has rows x hidden; what it leaves out is 0.

    A number that is none, or none that can be, is taken as left out. A model of text and images states its text part
    in text_config.
    """
    inner = next((config[name] for name in ("text_config", "llm_config") if isinstance(config.get(name), dict)), {})
    both = {**config, **inner}

    def number(name: str) -> int:
        found = (both.get(other) for other in _NAMES.get(name, (name,)))
        return next((value for value in found if type(value) is int and 0 < value < 10**7), 0)

    kind = both.get("model_type")
    heads = number("num_attention_heads")
    other = ("model_type", "positions", "layer_types", "output_rows")
    fields = {name: number(name) for name in Shape.__dataclass_fields__ if name not in other}
    fields |= {"vocab_size": rows, "hidden_size": hidden, "tie_word_embeddings": tied}
    fields["num_key_value_heads"] = number("num_key_value_heads") or heads
    fields["head_dim"] = number("head_dim") or (hidden // heads if heads else 0)
    if kind == "gpt2":
        fields |= {"intermediate_size": number("intermediate_size") or 4 * hidden}
    return Shape(
        model_type=kind if isinstance(kind, str) else "",
        positions=number("n_positions") if kind == "gpt2" else 0,
        **_layers(both, fields),
    )


# Where config.json has no list of layer types: every so-many-th layer of these keeps the whole context
_INTERVALS = {"gemma2": 2, "gemma3_text": 6, "gemma3n_text": 5, "cohere2": 4}
# Models that have a sliding window only where config.json asks for it
_ON_DEMAND = ("qwen2", "qwen2_moe", "qwen3", "qwen3_moe")


def _layers(config: Mapping[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """The fields, with what each layer keeps of the context: as the list of layer types says, layer by layer, or else
    by the rule of the family."""
    kind, layers = str(config.get("model_type")), fields["num_hidden_layers"]
    if not config.get("use_sliding_window", kind not in _ON_DEMAND):
        fields["sliding_window"] = 0
    types = config.get("layer_types")
    if isinstance(types, list) and 0 < layers <= len(types):
        if "chunked_attention" in types:  # each token sees those before it in its own chunk
            chunk = config.get("attention_chunk_size")
            fields["sliding_window"] = chunk if type(chunk) is int and 0 < chunk < 10**9 else 0
        kept = (_kept(one, fields["sliding_window"]) for one in types[:layers])
        return fields | {"layer_types": tuple(kept)}
    first = config.get("max_window_layers")
    if kind in _ON_DEMAND and fields["sliding_window"] and type(first) is int and layers < 10**4:
        return fields | {"layer_types": tuple("full" if i < first else "window" for i in range(layers))}
    if fields["sliding_window"]:
        fields["full_attention_interval"] = fields["full_attention_interval"] or _INTERVALS.get(kind, 0)
    elif not fields["linear_num_value_heads"]:
        fields["full_attention_interval"] = 0
    return fields


def _kept(layer_type: Any, window: int) -> str:
    """What a layer keeps of the context, by its name in layer_types."""
    name = layer_type if isinstance(layer_type, str) else ""
    if name in ("sliding_attention", "chunked_attention"):
        return "window" if window else "full"
    return "full" if (name.endswith("attention") and not name.startswith("linear")) or name == "hybrid" else "none"
