"""What a text costs each model, against the tokenizers' own counts."""

import pytest

from demo_lib import ledger_tokenizers, text_costs
from demo_lib.ledger import figures
from demo_lib.ledger_models import custom, open_model
from demo_lib.problems import Problem
from demo_lib.shelf import Shelf
from demo_lib.text_costs import LIMIT, check, cost, ends, read_prices
from demo_lib.vocab import Vocab

from . import authorities
from .refusals import refusal

MODELS = ["meta-llama/Llama-3.1-8B", "Qwen/Qwen2.5-7B", "Qwen/Qwen3-8B", "Qwen/Qwen3.5-9B"]


def of(text: str, name: str, context=8192, price=None):
    model = open_model(name)
    return cost(text, model, model.label, context, price)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("text", ["年假怎么申请？", "钉钉审批", "How do I apply for annual leave?", "𠮷 <|eot_id|>"])
def test_tokens_times_what_a_token_costs(text, name):
    found, model = of(text, name), open_model(name)
    key = model.tokenizer
    if "<|" not in text:  # written special tokens are plain text here
        assert found.tokens == len(authorities.ids(key, text))
    assert found.flops == found.tokens * figures(model).forward_flops
    assert found.kv_bytes == found.tokens * figures(model).kv_bytes
    assert found.fits == 8192 * len(text) // found.tokens
    assert found.price is None


def test_the_lesson():
    """Six tokens against three: the larger vocabulary is dearer for each, and cheaper for the text."""
    llama, qwen = of("钉钉审批", MODELS[0], price=1), of("钉钉审批", MODELS[1], price=1)
    assert (llama.tokens, qwen.tokens) == (6, 3)
    assert llama.flops == 6 * 15_009_849_344
    assert qwen.price == 3 / 10**6
    assert ends([llama, qwen], "flops") == (qwen, llama)
    assert ends([llama], "flops") is None
    assert of("钉钉审批", MODELS[0], context=600).fits == 400


def test_special_tokens_written_in_the_text_are_plain():
    assert of("<|im_end|>", MODELS[1]).tokens > 1


def test_a_tokenizer_that_strips_everything(monkeypatch):
    """No token at all is no cost, and no length of text that fits."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    stripping = Tokenizer(models.WordLevel({"a": 0, "?": 1}, unk_token="?"))
    stripping.pre_tokenizer = pre_tokenizers.Whitespace()
    vocab = Vocab.from_json(stripping.to_str(), "made", "made")
    monkeypatch.setattr(text_costs, "open_tokenizer", lambda *_, **__: vocab)
    assert of("a a", MODELS[0]).tokens == 2
    assert "makes no token" in refusal(of, "  \n", MODELS[0])


def test_a_model_whose_tokenizer_is_not_here(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(ledger_tokenizers, "_OPEN", Shelf(4))
    with pytest.raises(Problem, match="tokenizer of DeepSeek-V3 is not here"):
        cost("x", open_model("deepseek-ai/DeepSeek-V3"), "this one", 10, None)
    with pytest.raises(Problem, match="Choose a tokenizer"):
        cost("x", custom(1000, 8, 1, 1, 1, 8, 8, True), "this one", 10, None)


@pytest.mark.parametrize("context", [0, -5, 1.5, None, True, float("nan"), 10**30, "8192"])
def test_contexts_that_cannot_be(context):
    with pytest.raises(Problem, match="The context must be a whole number"):
        of("x", MODELS[0], context=context)


def test_texts_that_cannot_be():
    assert check("x" * LIMIT)
    for text, words in (
        ("", "Write a text"),
        ("x" * (LIMIT + 1), "20,001 characters"),
        ("\ud800", "surrogate"),
        (7, "string"),
    ):
        with pytest.raises(Problem, match=words):
            check(text)


@pytest.mark.parametrize(
    ("text", "models", "prices"),
    [
        ("", 3, [None] * 3),
        (" 0.5 ", 2, [0.5, 0.5]),
        ("0.5，2", 2, [0.5, 2.0]),
        ("1; 2、3,", 3, [1.0, 2.0, 3.0]),
        ("0", 1, [0.0]),
    ],
)
def test_prices(text, models, prices):
    assert read_prices(text, models) == prices


@pytest.mark.parametrize("text", ["free", "-1", "nan", "inf", "1e30", "0.5 €", "1 2"])
def test_prices_that_are_none(text):
    with pytest.raises(Problem, match="price of a million tokens"):
        read_prices(text, 1)


def test_as_many_prices_as_models():
    with pytest.raises(Problem, match="2 prices for 3 models"):
        read_prices("1, 2", 3)
