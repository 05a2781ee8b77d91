"""The params room: which models there are, fields typed by hand, and the answers for programs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib import hub_counts, params
from demo_lib.ledger_models import LIMITS
from demo_lib.problems import Problem, Waiting

FIELDS = ("vocab_size", "hidden_size", "layers", "heads", "kv_heads", "head_size", "feed_forward_size")
LLAMA = (128_256, 4096, 32, 32, 8, 128, 14_336, False)


def with_field(name: str, value) -> list:
    return [value if field == name else given for field, given in zip((*FIELDS, "tied"), LLAMA, strict=True)]


# Which model is meant


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("llama-3.1", "meta-llama/Llama-3.1-8B"),
        ("qwen2.5", "Qwen/Qwen2.5-0.5B"),
        ("qwen3.5", "Qwen/Qwen3.5-0.8B"),
        (" Llama-3.2-1B ", "meta-llama/Llama-3.2-1B"),
        ("qwen/qwen2.5-7b", "Qwen/Qwen2.5-7B"),
        ("https://huggingface.co/openai-community/gpt2", "openai-community/gpt2"),
        ("https://huggingface.co/google/gemma-2-2b/tree/main", "google/gemma-2-2b"),
    ],
)
def test_a_model_of_the_list_by_any_of_its_names(name, id, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nothing is asked of the Hub
    assert params.open_model(name).id == id


def test_every_key_of_the_catalog_means_a_model_with_that_tokenizer():
    for _, key in params.tokenizers():
        assert params.open_model(key).tokenizer == key


@pytest.mark.parametrize("name", ["", "no such model", "a/b/c", "../x", None, 7, ["llama-3.1"]])
def test_what_is_no_model(name):
    with pytest.raises(Problem):
        params.open_model(name)


def test_a_model_that_is_not_on_the_list_is_counted_on_the_hub(monkeypatch):
    asked = []
    like = params.open_model("llama-3.1")
    found = hub_counts.Counted(like.counts, like.parts, like.shape)

    def counts(id, *, wait):
        asked.append((id, wait))
        if not wait:
            raise Waiting()
        return found

    monkeypatch.setattr("demo_lib.ledger_models.open_counts", counts)
    model = params.open_model("org/Name-1B")
    assert (model.id, model.label, model.parts, model.tokens) == ("org/Name-1B", "Name-1B", like.parts, None)
    with pytest.raises(Waiting):
        params.ready("org/Name-1B", None, wait=False)
    assert asked == [("org/Name-1B", True), ("org/Name-1B", False)]


def test_one_to_four_models():
    assert params.check_chosen([" a", "a", "b", 7, ""]) == ["a", "b"]
    with pytest.raises(Problem, match="at least one"):
        params.check_chosen([])
    with pytest.raises(Problem, match="at most 4"):
        params.check_chosen(list("abcde"))


def test_whether_the_total_was_confirmed_and_the_tokens_too():
    models = params.known().values()
    assert sum(not model.confirmed for model in models) == 2
    assert params.known()["deepseek-ai/DeepSeek-V3"].confirmed is False
    assert all(model.source for model in models)
    assert not params.known()["microsoft/phi-4"].tokens_confirmed
    assert params.known()["meta-llama/Llama-3.1-8B"].tokens_confirmed


def test_the_list_agrees_with_the_tokenizers_that_are_here():
    from demo_lib.vocab import open_vocab

    for model in params.known().values():
        if model.tokenizer and not model.id.startswith("Qwen/Qwen3-"):  # which has four special tokens more
            assert open_vocab(model.tokenizer).size() == model.tokens


# Fields typed by hand


def test_the_fields_of_llama_make_llama():
    found, listed = params.custom_row(*LLAMA), params.ledger_row("llama-3.1")
    assert found["total_parameters"] == 8_030_261_248
    same = [name for name in found if name not in ("model", "total_confirmed", "tokens", "rows_without_token")]
    assert {name: found[name] for name in same if name != "tokens_without_row"} == {
        name: listed[name] for name in same if name != "tokens_without_row"
    }


def test_what_is_left_empty_is_the_usual():
    whole = params.custom_row(*with_field("head_size", None))
    assert whole["total_parameters"] == 8_030_261_248
    own = params.custom_row(*with_field("kv_heads", None))
    assert own["kv_cache_bytes_per_token"] == 4 * whole["kv_cache_bytes_per_token"]


@given(
    heads=st.integers(1, 12), shared=st.integers(1, 12), hidden=st.integers(1, 300), size=st.none() | st.integers(1, 64)
)
def test_heads_that_do_not_divide_are_a_sentence(heads, shared, hidden, size):
    fields = (1000, hidden, 2, heads, shared, size, 64, True)
    if heads % shared:
        with pytest.raises(Problem, match="must be a multiple of the number of key-value heads"):
            params.custom(*fields)
    elif size is None and hidden % heads:
        with pytest.raises(Problem, match="cannot be divided among"):
            params.custom(*fields)
    else:
        made = params.custom(*fields).parts
        inner = heads * (size or hidden // heads)
        assert made.attention == 2 * hidden * (2 * inner + 2 * inner * shared // heads)


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("value", [0, -1, 1.5, float("nan"), float("inf"), 10**30, 1e30, True, "7", [7], {}])
def test_a_field_that_cannot_be_is_a_sentence_with_its_name(name, value):
    with pytest.raises(Problem) as caught:
        params.custom(*with_field(name, value))
    most = f"{LIMITS[name]:,}"
    assert str(caught.value) == f"{name} must be a whole number from 1 to {most}."
    assert caught.value.zh == f"{name} 必须是 1 到 {most} 的整数。"


@pytest.mark.parametrize("name", ["vocab_size", "hidden_size", "layers", "heads", "feed_forward_size"])
def test_a_field_that_is_missing(name):
    with pytest.raises(Problem, match=f"^{name} must be"):
        params.custom(*with_field(name, None))


@pytest.mark.parametrize("tied", [None, 1, 0, "true", 1.0])
def test_tied_is_true_or_false(tied):
    with pytest.raises(Problem, match="tied must be true or false"):
        params.custom(*with_field("tied", tied))


def test_the_largest_fields_are_counted_exactly():
    most = {name: LIMITS[name] for name in FIELDS}
    made = params.custom(*most.values(), False).parts
    assert made.total < 2**53
    h, inner = most["hidden_size"], most["heads"] * most["head_size"]
    layer = 4 * h * inner + 3 * h * most["feed_forward_size"] + 2 * h
    assert made.total == most["layers"] * layer + h + 2 * most["vocab_size"] * h
