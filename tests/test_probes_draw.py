"""What the probes tab draws of tables that are unlike most."""

import json

import numpy as np
import pytest

from demo_lib import probes
from demo_lib.tabs import probes_draw
from tests.small_tables import table


def drawn(monkeypatch, opened, make, *values) -> dict:
    monkeypatch.setattr(probes, "open_table", lambda key, fetch: opened)
    return json.loads([*make(True, "key", *values)][-1], parse_constant=pytest.fail)


def test_the_facts_of_a_table_of_zeros(monkeypatch):
    found = drawn(monkeypatch, table(np.zeros((4, 3))), probes_draw.facts)
    assert found["rows"][3]["value"]["en"] == "none: fewer than two rows have a length"
    assert found["line"]["en"] == "Lengths from 0.0000 to 0.0000."
    assert found["histogram"] == {"edges": [0, 0], "tokens": [4], "unused": [0]}


def test_near_copies_are_counted_and_named(monkeypatch):
    opened = table(np.concatenate([np.eye(50), np.full((40, 50), 0.1)]))
    values = [fact["value"] for fact in drawn(monkeypatch, opened, probes_draw.copies)["rows"]]
    assert values == ["40", "40", ", ".join(f"w{id}" for id in range(50, 90, 3))]


@pytest.mark.parametrize(
    ("lengths", "said"), [((1.03, 1.04), "nearly as long, 1.030 to 1.040"), ((1, 3), "are 1.000 to 3.000 long")]
)
def test_it_is_said_whether_dot_can_differ_from_cosine(monkeypatch, lengths, said):
    opened = table(np.diag([*lengths, lengths[0]]))
    how = (False, False, True, "")
    assert said in drawn(monkeypatch, opened, probes_draw.neighbours, "w0", 2, "cosine", "dot", *how)["lengths"]["en"]
    assert drawn(monkeypatch, opened, probes_draw.neighbours, "w0", 2, "cosine", "euclidean", *how)["lengths"] is None
