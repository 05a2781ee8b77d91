"""Near-copies against the cosines of all pairs."""

import numpy as np
import pytest

from demo_lib.copies import LEAST, copies
from tests.small_tables import table


def planted(seed: int, dim: int = 48) -> np.ndarray:
    """1,500 rows around a common middle; 400 of them are one row with some noise, 30 are pairs."""
    random = np.random.default_rng(seed)
    rows = random.standard_normal((1500, dim)) + random.standard_normal(dim)
    rows[300:700] = rows[300] + 0.02 * random.standard_normal((400, dim))
    rows[1000:1030] = rows[1030:1060] + 0.03 * random.standard_normal((30, dim))
    return rows * random.uniform(0.2, 5, (1500, 1))


@pytest.mark.parametrize("seed", range(3))
def test_near_copies_are_those_of_all_pairs(seed):
    opened = table(planted(seed))
    rows = opened.rows(slice(None)).astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    alike = rows @ rows.T > LEAST
    np.fill_diagonal(alike, False)
    every = set(np.flatnonzero(alike.any(1)).tolist())
    assert len(every) >= 450
    found = copies(opened)
    assert set(found.ids) <= every
    assert len(found.ids) >= 0.99 * len(every)
    assert list(found.ids) == sorted(found.ids)
    assert set(range(300, 700)) >= set(found.group)
    assert len(found.group) >= 390


def test_a_table_without_copies_and_one_of_nothing_else():
    assert copies(table(np.eye(40))).ids == copies(table(np.zeros((9, 3)))).group == ()
    same = copies(table(np.ones((20_000, 4))))
    assert same.ids == same.group == tuple(range(20_000))


def test_it_is_found_once():
    opened = table(np.ones((3, 4)))
    assert copies(opened) is copies(opened)
