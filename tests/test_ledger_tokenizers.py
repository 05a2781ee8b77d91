"""Which tokenizer counts the text of a model of the ledger."""

import json

import pytest

from demo_lib import ledger_tokenizers as room
from demo_lib import tables
from demo_lib.entries import open_entries
from demo_lib.ledger_models import custom, open_model
from demo_lib.problems import Problem, Waiting
from demo_lib.shelf import Shelf
from demo_lib.vocab import Vocab, open_vocab

from .hub_stand_in import Repo, StandIn


def tiny() -> str:
    """A tokenizer.json whose tokens are single letters."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    made = Tokenizer(models.BPE({letter: i for i, letter in enumerate("abc")}, [], unk_token="a"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made.to_str()


@pytest.fixture
def hub(monkeypatch, tmp_path):
    monkeypatch.setattr(room, "_OPEN", Shelf(4, rest=600))
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path))
    with StandIn({"openai-community/gpt2": Repo({"tokenizer.json": tiny().encode()})}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


def test_a_model_with_a_tokenizer_of_the_catalog():
    assert room.open_tokenizer(open_model("Qwen/Qwen3-8B")) is open_vocab("qwen2.5")


def test_from_the_hub_when_it_answers(hub):
    model = open_model("openai-community/gpt2")
    with pytest.raises(Waiting):
        room.open_tokenizer(model, wait=False)
    assert len(room.open_tokenizer(model).encode("abcab").ids) == 5


def test_a_hub_that_does_not_answer_is_asked_once(hub):
    model = open_model("microsoft/phi-4")
    for wait in (True, False, True):
        with pytest.raises(Problem, match="tokenizer of phi-4 is not here, and the Hugging Face Hub") as caught:
            room.open_tokenizer(model, wait=wait)
        assert not isinstance(caught.value, Waiting)
    assert sum("phi-4" in path for _, path, *_ in hub.log) <= 2


def test_with_a_table_that_is_here(hub, monkeypatch):
    class Here:
        vocab = Vocab.from_json(json.dumps(json.loads(tiny())), "made", "made")

    opened = []
    monkeypatch.setattr(tables, "is_cached", lambda key: True)
    monkeypatch.setattr(tables, "open_table", lambda key, fetch: opened.append((key, fetch)) or Here)
    for name, key in (("google/gemma-3-4b-it", "gemma-3-270m"), ("HuggingFaceTB/SmolLM2-1.7B", "smollm2-135m")):
        assert room.open_tokenizer(open_model(name)) is Here.vocab
        assert opened.pop() == (key, False)
    assert hub.log == []


def test_a_model_of_ones_own_without_a_tokenizer():
    with pytest.raises(Problem, match="Choose a tokenizer for your own model"):
        room.open_tokenizer(custom(1000, 8, 1, 1, 1, 8, 8, True))


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Qwen/Qwen2.5-0.5B", "qwen2.5"),
        ("qwen/qwen2.5-0.5b-instruct", "qwen2.5"),
        ("https://huggingface.co/meta-llama/Llama-3.2-1B", "llama-3.1"),
        ("Qwen/Qwen3.5-0.8B", "qwen3.5"),
        ("Qwen/Qwen3-8B", "Qwen/Qwen3-8B"),  # four special tokens more than Qwen2.5
        ("Llama 3.1", "llama-3.1"),
        ("org/name", "org/name"),
        ("upload:abc", "upload:abc"),
    ],
)
def test_hub_ids_that_mean_a_tokenizer_that_is_here(name, key):
    assert room.catalog_key(name) == key


def test_the_vocabulary_of_such_an_id_needs_no_hub(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert open_entries("Qwen/Qwen2.5-0.5B") is open_entries("qwen2.5")
