"""What the ledger tab draws, as the JSON of its widgets: sentences, numbers, and what belongs to which model."""

import json
from dataclasses import replace

import pytest

from demo_lib import params
from demo_lib.problems import Problem
from demo_lib.tabs import params as tab
from demo_lib.tabs import params_draw, params_what
from demo_lib.tabs.params_numbers import money, signed
from demo_lib.tabs.text.params import EN, ZH

LLAMA, QWEN = "meta-llama/Llama-3.1-8B", "Qwen/Qwen2.5-0.5B"
FIELDS = [*(tab.FIELDS[name] for name in tab.ORDER), False, "llama-3.1"]


def drawn(value: str, key: str | None = None):
    """A widget's value, or the cells of one of its rows."""
    data = json.loads(value)
    rows = {row["key"]: row["cells"] for group in data.get("groups", ()) for row in group["rows"]}
    return rows[key] if key else data


def bare(output: int) -> params.Model:
    """Llama 3.1 8B with so many numbers in its output table."""
    model = params.known()[LLAMA]
    return replace(model, parts=replace(model.parts, output_table=output))


def test_a_model_without_an_output_table_says_so():
    one = params_draw.Column(LLAMA, "bare", bare(0))
    value = params_draw.ledger([one])
    assert drawn(value, "output")[0]["en"] == drawn(value, "logits")[0]["en"] == EN["no_output"]
    assert "logits_share" not in value
    assert drawn(params_draw.logits([one], 1, 1), "numbers")[0]["zh"] == ZH["no_output"]
    assert drawn(params_what.words(one, 3, "", "both"), "words_output")[0]["en"] == EN["no_output"]


def test_an_output_table_of_another_shape_and_what_config_json_says():
    model = bare(100 * 4096)
    model = replace(model, shape=replace(model.shape, output_rows=100), stated_rows=128_000)
    value = params_draw.ledger([params_draw.Column(LLAMA, "odd", model)])
    assert drawn(value, "output") == [{"t": "409,600", "s": "100 × 4,096"}]
    assert drawn(value, "rows")[0]["s"]["en"] == EN["config_says"].format(n="128,000")
    assert drawn(value, "logits")[0]["s"] == f"{2 * 409_600:,}"


def test_a_fault_in_one_column_leaves_the_others(monkeypatch, capsys):
    sound = params.figures

    def figures(model):
        return 1 // 0 if model.id == QWEN else sound(model)

    monkeypatch.setattr(params, "figures", figures)
    value = params_draw.ledger(params_draw.columns([LLAMA, QWEN]))
    assert "our fault" in drawn(value)["columns"][1]["error"]["en"]
    assert drawn(value, "input") == ["525,336,576", None]
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize("place", range(7))
def test_a_wrong_field_is_called_by_its_label(place):
    fields = [-1 if i == place else value for i, value in enumerate(FIELDS)]
    problem = params_draw.column(params.CUSTOM, *fields).problem
    label = EN[tab.ORDER[place]].partition(" (")[0]
    assert str(problem).startswith(f"“{label}” must be a whole number from 1 to ")
    assert problem.zh.startswith(f"“{ZH[tab.ORDER[place]].partition('（')[0]}”必须是 1 到 ")


def test_other_wrong_numbers_by_their_labels():
    one = params_draw.column(LLAMA)
    for value, key in (
        (params_draw.logits([one], 0, 1), "batch"),
        (params_draw.logits([one], 1, -1), "length"),
        (params_what.costs([one], "x", 0, ""), "context"),
        (params_what.words(one, -1, "", "both"), "words_count"),
        (params_what.what_if(one, "as_is", 0, 4096), "vocab_size"),
    ):
        said = drawn(value)["refused"]
        assert said["en"].startswith(f"“{EN[key].partition(' (')[0]}” must be")
        assert said["zh"].startswith(f"“{ZH[key]}”必须是")


def test_what_was_drawn_about_another_model_is_told_apart():
    llama, qwen = params_draw.column(LLAMA), params_draw.column(QWEN)
    right = [drawn(params_what.what_if(one, "as_is", 100, one.model.shape.hidden_size)) for one in (llama, qwen)]
    wrong = drawn(params_what.what_if(qwen, "as_is", 100, -1))
    assert "groups" in right[0]
    assert wrong["about"] == right[1]["about"] != right[0]["about"]
    priced, failed = (drawn(params_what.costs([llama, qwen], "x", 10, price)) for price in ("1", "dear"))
    assert priced["about"] == failed["about"]


@pytest.mark.parametrize("price", [7.5e-06, 1e-09, 0.0123456, 0.999, 1, 20, 1234567.891, 10**9, 0])
def test_prices_are_plain_decimals(price):
    written = money(price)
    assert "e" not in written
    assert float(written.replace(",", "")) == pytest.approx(price, rel=0.005)


def test_signs():
    assert (money(7.5e-06), money(1234567.891), money(0.25), money(3)) == ("0.0000075", "1,234,567.89", "0.25", "3")
    assert (signed(-1000), signed(1000)) == ("−1,000", "+1,000")
    one = params_draw.column(LLAMA)
    line = drawn(params_what.what_if(one, "tied", 128_256, 4096))["line"]["en"]
    assert "−525,336,576" in line
    assert "-525" not in line


def test_one_character_is_not_characters():
    params.ready(QWEN, None)
    cells = drawn(params_what.costs([params_draw.column(QWEN)], "年", 1, ""), "fits")
    assert cells[0]["en"] == "1 character"


# What if


def test_what_if_begins_anew_for_another_model_only():
    tied, rows, hidden, begun = tab.start_what(QWEN, LLAMA, *FIELDS)
    assert (tied, hidden, begun) == ("as_is", 896, QWEN)
    assert (rows.value, rows.minimum, rows.maximum) == (151_936, 1, 500_000)
    kept = tab.start_what(QWEN, QWEN, *FIELDS)
    typed = tab.start_own(QWEN, *FIELDS)
    assert kept == typed
    assert kept[0] == {"__type__": "update"}
    own = tab.start_own(params.CUSTOM, *FIELDS)
    assert (own[1].value, own[2], own[3]) == (32_000, 896, params.CUSTOM)


@pytest.mark.parametrize(
    ("typed", "counted"), [(1, 1), (100, 100), (10**7, 10**7), (10**9, 10**7), (0, 1), (None, 1), (600_000, 600_000)]
)
def test_any_count_of_rows_can_be_typed(typed, counted):
    assert tab.Rows(1, 500_000, 5).preprocess(typed) == counted
    wider = tab.widen(counted, LLAMA, *FIELDS)
    assert wider.maximum == counted if counted > 500_000 else wider == {"__type__": "update"}


def test_words_that_are_typed():
    params.ready(QWEN, None)
    value = params_what.words(params_draw.column(QWEN), 10_000, "申请\n钉钉审批\n申请", "both")
    assert drawn(value, "words_typed") == ["3"]
    assert drawn(value, "words_single") == [{"t": "1", "s": "申请 (101915)"}]
    assert drawn(value, "words_repeated") == [{"t": "1", "s": "申请"}]
    assert drawn(value, "words_new") == [{"t": "1", "s": "钉钉审批"}]
    assert drawn(value, "words_trained") == ["896"]
    many = drawn(params_what.words(params_draw.column(QWEN), 0, "x\n" * 1001, "both"))
    assert "1,001 words" in many["refused"]["en"]
    with pytest.raises(Problem):
        params.look("\ud800", None)
