"""The ledger: the figures of well-known models, what would change them, and words of one's own."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib.architectures import Parts, Shape, parts
from demo_lib.ledger import BITS, add_words, changed, figures, logits_bytes, row
from demo_lib.ledger_models import Model, custom, known, open_model
from demo_lib.problems import Problem

LLAMA, SMALL, QWEN = "meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.2-1B", "Qwen/Qwen2.5-0.5B"


# Figures that are known


def test_llama_3_1_8b():
    found = figures(open_model(LLAMA))
    assert (found.table, found.tables) == (525_336_576, 2 * 525_336_576)
    assert (found.total, round(found.share, 3)) == (8_030_261_248, 0.131)
    assert found.logits_flops == 2 * 4096 * 128_256 == 1_050_673_152
    assert round(found.logits_share, 3) == 0.07
    assert found.forward_flops == 2 * (8_030_261_248 - 525_336_576)
    assert found.kv_bytes == 2 * 32 * 8 * 128 * 2 == 131_072
    assert (found.free_rows, found.without_row) == (0, 0)


@pytest.mark.parametrize(
    ("model", "table", "total", "share"),
    [
        (SMALL, 262_668_288, 1_235_814_400, 0.213),
        (QWEN, 136_134_656, 494_032_768, 0.276),
        ("Qwen/Qwen3.5-0.8B", 254_279_680, 752_393_024, 0.338),
    ],
)
def test_tied_models(model, table, total, share):
    found = figures(open_model(model))
    assert (found.table, found.tables, found.total, round(found.share, 3)) == (table, table, total, share)
    assert found.forward_flops == 2 * total  # its one table is looked up, and multiplied with


def test_rows_tokens_and_padding():
    found = figures(open_model(QWEN))
    assert (found.rows, found.free_rows, found.multiple, found.rows // found.multiple) == (151_936, 271, 128, 1187)
    gemma = figures(open_model("google/gemma-3-270m"))
    assert (gemma.free_rows, gemma.without_row, gemma.multiple) == (0, 1, 256)
    assert figures(open_model("deepseek-ai/DeepSeek-V3")).free_rows is None
    assert figures(open_model("openai-community/gpt2")).multiple == 1


def test_memory():
    found = figures(open_model(LLAMA))
    assert [found.table_bytes(kind) for kind in BITS] == [525_336_576 * size // 2 for size in (8, 4, 2, 1)]
    assert found.tables_bytes("bf16") == 4 * 525_336_576
    odd = figures(custom(3, 1, 1, 1, 1, 1, 1, True))
    assert odd.table_bytes("4bit") == 2


def test_what_a_token_leaves_in_the_cache():
    cache = {id: (f.kv_bytes, f.window_bytes, f.window) for id, f in ((m.id, figures(m)) for m in known().values())}
    assert cache["Qwen/Qwen3.5-0.8B"] == (2 * 6 * 2 * 256 * 2, 0, 0)  # 18 of 24 layers keep a state that does not grow
    assert cache["deepseek-ai/DeepSeek-V3"] == (61 * (512 + 64) * 2, 0, 0)
    assert cache["google/gemma-3-270m"] == (2 * 3 * 256 * 2, 2 * 15 * 256 * 2, 512)
    assert cache["microsoft/Phi-3-mini-4k-instruct"] == (0, 2 * 32 * 32 * 96 * 2, 2047)
    gemma = figures(open_model("google/gemma-3-270m"))
    for tokens in (1, 511, 512, 513, 4000):
        each = sum(2 * 1 * 256 * 2 * (tokens if (i + 1) % 6 == 0 else min(tokens, 512)) for i in range(18))
        assert gemma.kv_cache(tokens) == each


def test_experts_that_rest_cost_nothing():
    found = figures(open_model("deepseek-ai/DeepSeek-V3"))
    made = open_model("deepseek-ai/DeepSeek-V3").parts
    assert found.forward_flops == 2 * (made.total - made.input_table - made.asleep)
    assert 72e9 < found.forward_flops < 75e9


def test_positions_are_looked_up():
    gpt2 = open_model("openai-community/gpt2")
    assert figures(gpt2).forward_flops == 2 * (124_439_808 - 1024 * 768)


@pytest.mark.parametrize("model", known().values(), ids=known())
def test_the_row_for_programs_sums_for_every_model(model):
    answer = json.loads(json.dumps(row(model)))
    names = ("input_table", "output_table", "attention", "feed_forward")
    summed = sum(answer[f"{name}_parameters"] for name in names)
    summed += sum(answer[f"{name}_parameters"] for name in ("position", "norm", "other"))
    assert summed == answer["total_parameters"]
    assert answer["tables_parameters"] == answer["input_table_parameters"] + answer["output_table_parameters"]
    assert answer["tables_share"] == answer["tables_parameters"] / answer["total_parameters"]
    assert answer["logits_flops_per_token"] == 2 * answer["rows"] * answer["hidden_size"]
    assert (answer["output_table_parameters"] == 0) == answer["tied"]
    if "stored_parameters" in answer:
        extra = sum(answer["stored_not_text"].values())
        assert answer["stored_parameters"] == answer["total_parameters"] + extra


def test_the_logits_of_a_batch():
    assert logits_bytes(128_256, 8, 2048) == (8 * 2048 * 128_256 * 4, 8 * 2048 * 128_256 * 2)
    for batch, length in (
        (0, 1),
        (1, 0),
        (-1, 5),
        (1.5, 2),
        (True, 1),
        (None, 1),
        ("8", 1),
        (float("nan"), 1),
        (1, 1e30),
    ):
        with pytest.raises(Problem, match="must be a whole number"):
            logits_bytes(10, batch, length)


# What if


def test_untied():
    found = figures(changed(open_model(QWEN), tied=False))
    assert (found.tables, found.total, round(found.share, 3)) == (272_269_312, 630_167_424, 0.432)
    assert figures(changed(open_model(LLAMA), tied=True)).total == 8_030_261_248 - 525_336_576


def test_another_vocabulary():
    found = figures(changed(open_model(LLAMA), rows=32_000))
    assert found.total == 8_030_261_248 - 2 * (128_256 - 32_000) * 4096
    assert found.logits_flops == 2 * 32_000 * 4096


def test_another_hidden_size_is_counted_anew():
    model = open_model(QWEN)
    found = changed(model, hidden=14 * 70)
    assert found.parts == parts(replace(model.shape, hidden_size=14 * 70, head_dim=70))
    assert found.parts.attention != model.parts.attention
    stated = open_model("Qwen/Qwen3-8B")  # which states the size of its heads by itself
    assert changed(stated, hidden=1001).parts == parts(replace(stated.shape, hidden_size=1001))


def test_a_hidden_size_that_the_heads_cannot_share():
    with pytest.raises(Problem, match="hidden size of 1,024 cannot be divided among the 14 heads") as caught:
        changed(open_model(QWEN), hidden=1024)
    assert "14 个头整除" in caught.value.zh


@given(
    rows=st.integers(1, 10**6), hidden=st.integers(1, 10**4), tied=st.booleans(), name=st.sampled_from(sorted(known()))
)
def test_a_change_is_the_model_built_that_way(rows, hidden, tied, name):
    model = known()[name]
    heads, size = model.shape.num_attention_heads, model.shape.head_dim
    if model.shape.model_type in ("llama", "mistral", "phi3", "qwen2", "gpt2", "olmo2"):  # heads share the hidden size
        size = hidden // heads
        if hidden % heads:
            with pytest.raises(Problem, match="cannot be divided"):
                changed(model, rows=rows, hidden=hidden, tied=tied)
            return
    made = changed(model, rows=rows, hidden=hidden, tied=tied)
    new = replace(model.shape, vocab_size=rows, hidden_size=hidden, head_dim=size, tie_word_embeddings=tied)
    assert made.parts == parts(new)
    back = changed(
        made, rows=model.shape.vocab_size, hidden=model.shape.hidden_size, tied=model.shape.tie_word_embeddings
    )
    assert back.parts == model.parts


def test_a_model_without_a_formula_keeps_its_hidden_size():
    shape = Shape("new", 100, 8, 2, 2, 2, 4, 16, False)
    model = Model("org/new", "new", shape, replace(parts(replace(shape, model_type="llama")), other=5))
    assert not model.by_formula
    assert changed(model, rows=50).parts.input_table == 400
    with pytest.raises(Problem, match="formula of new is not known"):
        changed(model, hidden=16)


@pytest.mark.parametrize("value", [0, -1, 2.5, float("nan"), float("inf"), 10**30, True, "128", [1]])
def test_changes_that_cannot_be(value):
    for change in ({"rows": value}, {"hidden": value}):
        with pytest.raises(Problem, match="must be a whole number from 1"):
            changed(open_model(LLAMA), **change)


# Tables that are not alike at both ends


def unlike(output: int, output_rows: int = 0) -> Model:
    """A model of 100 x 8 that is untied, with so many numbers in its output table."""
    shape = Shape("new", 100, 8, 2, 2, 2, 4, 16, False, output_rows=output_rows)
    made = replace(parts(replace(shape, model_type="llama")), output_table=output)
    return Model("org/new", "new", shape, made)


def test_no_output_table():
    model = unlike(0)
    found = figures(model)
    assert (found.output_rows, found.logits_flops, found.logits_share, found.tables) == (0, 0, 0, 800)
    assert found.forward_flops == 2 * (found.total - 800)
    assert (row(model)["output_rows"], row(model)["tied"]) == (0, False)
    assert changed(model, rows=50).parts.output_table == 0
    assert changed(model, tied=False).parts.output_table == 800
    assert add_words(model, 10, "both").trained == 80


def test_nothing_but_a_table():
    shape = Shape("", 100, 8, 0, 0, 0, 0, 0, False)
    model = Model("org/bare", "bare", shape, Parts(800, 0, 0, 0, 0, 0))
    found = figures(model)
    assert (found.total, found.share, found.forward_flops, found.logits_share) == (800, 1, 0, 0)


def test_an_output_table_of_another_shape():
    model = unlike(60 * 12, 60)
    found = figures(model)
    assert model.output_size == (60, 12)
    assert (found.output_rows, found.logits_flops, found.tables) == (60, 2 * 60 * 12, 800 + 720)
    assert found.logits_share == 2 * 720 / found.forward_flops
    assert found.tables_bytes("bf16") == 2 * 1520
    assert changed(model).parts == model.parts
    assert changed(model, rows=50).parts.output_table == 400
    assert add_words(model, 10, "both").output_parameters == 120


# Words of one's own


def test_10_000_words_in_llama():
    made = add_words(open_model(LLAMA), 10_000, "both")
    assert (made.free, made.rows) == (0, 10_000)
    assert made.input_parameters == made.output_parameters == 40_960_000
    assert made.trained == 81_920_000
    assert (128_256 + made.padded) % 256 == 0 <= made.padded - 10_000 < 256
    one = add_words(open_model(LLAMA), 10_000, "input")
    assert (one.input_parameters, one.output_parameters, one.trained) == (40_960_000, 0, 40_960_000)
    other = add_words(open_model(LLAMA), 10_000, "output")
    assert (other.input_parameters, other.output_parameters) == (0, 40_960_000)


def test_words_take_the_rows_that_are_there_first():
    qwen = open_model(QWEN)
    few = add_words(qwen, 200, "both")
    assert (few.free, few.rows, few.padded, few.input_parameters) == (200, 0, 0, 0)
    assert few.trained == 200 * 896  # those rows were never trained
    many = add_words(qwen, 10_000, "output")  # tied: a row serves both ends
    assert (many.free, many.rows, many.padded) == (271, 9729, 77 * 128)
    assert (many.input_parameters, many.output_parameters, many.trained) == (9729 * 896, 0, 10_000 * 896)


@pytest.mark.parametrize("count", [-1, 10**30, 1.5, None, True, float("nan")])
def test_so_many_words_cannot_be(count):
    with pytest.raises(Problem, match="The number of words must be a whole number"):
        add_words(open_model(LLAMA), count, "both")
