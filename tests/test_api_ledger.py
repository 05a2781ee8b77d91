"""The ledger for programs: its figures, and what it refuses, through the real app."""

import json
import re

import httpx
import pytest
from gradio_client.exceptions import AppError

from demo_lib import params

LLAMA = (128_256, 4096, 32, 32, 8, 128, 14_336, False)


def test_the_figures(client):
    answer = client.predict("meta-llama/Llama-3.1-8B", api_name="/ledger")
    assert answer["input_table_parameters"] == answer["output_table_parameters"] == 525_336_576
    assert (answer["total_parameters"], answer["total_confirmed"]) == (8_030_261_248, True)
    assert answer["logits_flops_per_token"] == 1_050_673_152
    assert round(answer["tables_share"], 3) == 0.131
    assert round(answer["logits_share_of_forward"], 3) == 0.07
    assert answer["table_bytes_bf16"] == 1_050_673_152
    assert answer["kv_cache_bytes_per_token"] == 131_072
    for model, table, total, share in (
        ("qwen2.5", 136_134_656, 494_032_768, 0.276),
        ("qwen3.5", 254_279_680, 752_393_024, 0.338),
        ("meta-llama/Llama-3.2-1B", 262_668_288, 1_235_814_400, 0.213),
    ):
        answer = client.predict(model=model, api_name="/ledger")
        assert (answer["tables_parameters"], answer["total_parameters"]) == (table, total)
        assert (round(answer["tables_share"], 3), answer["tied"], answer["output_table_parameters"]) == (share, True, 0)
    assert client.predict("qwen2.5", api_name="/ledger")["rows_without_token"] == 271


def test_every_model_of_the_list(client):
    for id, model in params.known().items():
        answer = client.predict(id, api_name="/ledger")
        assert (answer["model"], answer["total_parameters"]) == (id, model.parts.total)


def test_fields(client):
    answer = client.predict(*LLAMA, api_name="/ledger_custom")
    assert answer["total_parameters"] == 8_030_261_248
    assert answer == client.predict(*LLAMA[:5], None, *LLAMA[6:], api_name="/ledger_custom")
    named = {"vocab_size": 10, "hidden_size": 4, "layers": 1, "heads": 2, "feed_forward_size": 3, "tied": True}
    answer = client.predict(**named, kv_heads=None, head_size=None, api_name="/ledger_custom")
    assert answer["total_parameters"] == 40 + 4 * 16 + 3 * 12 + 3 * 4


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (0, 0, "vocab_size must be a whole number from 1 to 10,000,000"),
        (0, -5, "vocab_size must be"),
        (0, 10**30, "vocab_size must be"),
        (0, 1.5, "vocab_size must be"),
        (0, True, "vocab_size must be"),
        (0, "128256", "vocab_size must be"),
        (0, None, "vocab_size must be"),
        (1, [4096], "hidden_size must be"),
        (1, {"a": 1}, "hidden_size must be"),
        (2, 0, "layers must be"),
        (3, 30, "number of heads must be a multiple of the number of key-value heads"),
        (4, 0, "kv_heads must be"),
        (5, -1, "head_size must be"),
        (6, "many", "feed_forward_size must be"),
        (7, "yes", "tied must be true or false"),
        (7, None, "tied must be true or false"),
    ],
)
def test_fields_that_cannot_be(client, place, value, said):
    fields = [value if i == place else field for i, field in enumerate(LLAMA)]
    with pytest.raises(AppError, match=said) as caught:
        client.predict(*fields, api_name="/ledger_custom")
    assert str(caught.value).count("\n") == 0


def test_heads_that_do_not_divide(client):
    with pytest.raises(AppError, match="cannot be divided among 31 heads"):
        client.predict(1000, 4096, 2, 31, None, None, 64, False, api_name="/ledger_custom")


def test_not_a_number(address):
    """NaN is no JSON, and Python writes and reads it all the same."""
    body = json.dumps({"data": [float("nan"), *LLAMA[1:]]})
    url, kind = f"{address}/gradio_api/call/ledger_custom", {"Content-Type": "application/json"}
    begun = httpx.post(url, content=body, headers=kind, timeout=60)
    if begun.status_code == 200:
        answer = httpx.get(f"{url}/{begun.json()['event_id']}", timeout=60).text
        assert "vocab_size must be a whole number" in re.findall(r"data: (.*)\n", answer)[-1]
    else:
        assert begun.status_code in (400, 422)


@pytest.mark.parametrize("model", ["", "gpt-7", "../../etc/passwd", None, 5, ["qwen2.5"], "org/none"])
def test_models_that_are_not_there(client, model):
    with pytest.raises(AppError) as caught:
        client.predict(model, api_name="/ledger")
    assert len(str(caught.value)) > 20
    assert "fault" not in str(caught.value)
