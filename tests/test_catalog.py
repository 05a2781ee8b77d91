"""The models as data: the figures that are published, and what the packages and transformers say themselves."""

import importlib
import re

import pytest

from demo_lib import catalog
from demo_lib.catalog import MODELS, Named, check_models, label
from demo_lib.problems import Problem
from demo_lib.vocab import open_vocab

from . import authorities

# tokens, rows of the embedding table, rows without a token: config.json and tokenizer.json of each model
SIZES = {
    "llama-3.1": (128_256, 128_256, 0),
    "qwen2.5": (151_665, 151_936, 271),
    "qwen3.5": (248_077, 248_320, 243),
}
IDS = {
    "llama-3.1": {"<|begin_of_text|>": 128000, "<|end_of_text|>": 128001, "<|start_header_id|>": 128006}
    | {"<|eot_id|>": 128009, "<|python_tag|>": 128010, "<|reserved_special_token_247|>": 128255},
    "qwen2.5": {"<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645, "<|file_sep|>": 151664},
    "qwen3.5": {"<|endoftext|>": 248044, "<|im_start|>": 248045, "<|im_end|>": 248046, "<think>": 248068},
}


@pytest.mark.parametrize("key", MODELS)
def test_sizes(key):
    model, (tokens, rows, spare) = MODELS[key], SIZES[key]
    spec = model.tokenizer
    assert len(authorities.ranks(key)) + len(spec.special_tokens) == open_vocab(key).size() == tokens
    assert (model.rows, model.rows - tokens) == (rows, spare)
    assert model.rows % 128 == 0


@pytest.mark.parametrize("key", MODELS)
def test_special_ids(key):
    special = open_vocab(key).special_tokens()
    assert special | IDS[key] == special
    first = len(authorities.ranks(key))
    assert list(special.values()) == list(range(first, SIZES[key][0]))
    assert len(set(special)) == {"llama-3.1": 256, "qwen2.5": 22, "qwen3.5": 33}[key]


def test_special_tokens_as_the_packages_have_them():
    qwen = re.search(r"QWEN3_5_SPECIAL_TOKENS = (.*?)start=", authorities.source("qwen3.5"), re.DOTALL)[1]
    listed = re.findall(r'"(<.+?>)"', qwen)
    special = MODELS["qwen3.5"].tokenizer.special_tokens
    assert special[3:] == tuple(listed)  # the first three stand there by name
    assert MODELS["qwen2.5"].tokenizer.special_tokens == special[:22]
    meta = re.search(r"special_tokens = \[(.*?)\]", authorities.source("llama-3.1"), re.DOTALL)[1]
    # Meta renamed reserved tokens between releases, never the others
    named = {128000 + i: token for i, token in enumerate(re.findall(r'"(<.+?>)"', meta)) if "reserved" not in token}
    ours = {id: token for token, id in open_vocab("llama-3.1").special_tokens().items()}
    agreed = {token for id, token in named.items() if ours[id] == token}
    assert set(named.values()) - agreed == {"<|step_id|>", "<|image|>"}


@pytest.mark.parametrize("key", MODELS)
def test_patterns(key):
    pattern = "|".join(part.regex for part in MODELS[key].tokenizer.pattern)
    assert pattern == authorities.pattern(key)
    if key != "llama-3.1":
        name = {"qwen2.5": "qwen2", "qwen3.5": "qwen3_5"}[key]
        theirs = importlib.import_module(f"transformers.models.{name}.tokenization_{name}")
        assert pattern == theirs.PRETOKENIZE_REGEX


def test_labels_and_choices():
    assert catalog.choices() == [("Llama 3.1", "llama-3.1"), ("Qwen2.5", "qwen2.5"), ("Qwen3.5", "qwen3.5")]
    assert label("qwen2.5") == "Qwen2.5"
    assert label("org/name") == "org/name"
    assert len(label("x" * 10**6)) == 80
    assert all(key == model.key and "/" in model.hub_id and model.license for key, model in MODELS.items())


def test_check_models():
    assert check_models(["qwen2.5", "org/name"]) == [Named("qwen2.5", "Qwen2.5"), Named("org/name", "org/name")]
    assert [named.model for named in check_models(("b", "a", "b", " a\n"))] == ["b", "a"]
    assert [named.model for named in check_models(["LLAMA 3.1", "llama-3.1", "Qwen3.5"])] == ["llama-3.1", "qwen3.5"]
    assert len(check_models(["a", "b", "c", "d", "a"])) == 4


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ([], "at least one model"),
        (["a", "b", "c", "d", "e"], "5 are chosen"),
        ("qwen2.5", "list of names"),
        (None, "list of names"),
        ([None], "list of names"),
        ([["qwen2.5"]], "list of names"),
        ({"qwen2.5": 1}, "list of names"),
    ],
)
def test_check_models_refuses(models, said):
    with pytest.raises(Problem, match=said):
        check_models(models)
