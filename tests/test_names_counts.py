"""Counts against loops over the windows; losses against torch."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib.names_counts import bigram, count
from demo_lib.names_data import PARTS, example, read_names

from .names_lists import names_of_2019, slow_windows, small
from .refusals import refusal


def slow_loss(names, block: int, smoothing: float, counted: int | None, measured: int | None) -> float:
    table: dict[str, Counter] = defaultdict(Counter)
    for context, following in slow_windows(names, block, counted):
        table[context][following] += 1
    losses = []
    for context, following in slow_windows(names, block, measured):
        above = table[context][following] + smoothing
        losses.append(-math.log(above / (table[context].total() + smoothing * names.size)) if above else math.inf)
    return sum(losses) / len(losses)


def test_figures_of_the_list():
    found = bigram(example())
    assert (found.of("an"), found.positions) == (5_471, 229_804)
    assert round(found.losses.all, 4) == 2.4544
    three = count(example(), 3)
    assert (three.cells, three.rows, three.contexts_seen) == (531_441, 19_683, 5_702)


def test_figures_of_the_list_that_courses_use():
    names = names_of_2019()
    assert bigram(names).of("an") == 5_438
    assert round(bigram(names).losses.all, 4) == 2.4540
    assert count(names, 3).contexts_seen == 5_686


@pytest.mark.parametrize("block", range(1, 9))
def test_the_cells_are_those_of_a_loop(block):
    names = small()
    found = count(names, block)
    for part in range(3):
        slow = Counter(slow_windows(names, block, part))
        cells = zip(found.context, found.next, found.by_part[part], strict=True)
        ours = {(found.text(context), names.alphabet[following]): n for context, following, n in cells if n}
        assert ours == slow
        whole = Counter(context for context, _ in slow_windows(names, block, part))
        assert {found.text(i): n for i, n in enumerate(found.totals(part)) if n} == whole
    assert found.contexts_seen == len({context for context, _ in slow_windows(names, block)})
    assert found.cells_seen == len(set(slow_windows(names, block)))
    assert found.empty == 1 - found.cells_seen / names.size ** (block + 1)
    assert found.by_part.sum() == found.positions == names.positions


@pytest.mark.parametrize("smoothing", [0, 0.01, 1, 1000])
@pytest.mark.parametrize("block", [1, 2, 3, 8])
def test_losses_are_those_of_a_loop(block, smoothing):
    names = small()
    found = count(names, block).losses(smoothing)
    assert found.all == pytest.approx(slow_loss(names, block, smoothing, None, None))
    for part, name in enumerate(PARTS):
        assert getattr(found, name) == pytest.approx(slow_loss(names, block, smoothing, 0, part))
    seen = set(slow_windows(names, block, 0))
    held_out = slow_windows(names, block, 1)
    assert found.dev_positions == len(held_out)
    assert found.impossible == (sum(pair not in seen for pair in held_out) if smoothing == 0 else 0)
    assert math.isinf(found.dev) == (found.impossible > 0)


def test_the_loss_is_torch_s_cross_entropy():
    names = example()
    found = bigram(names, 1)
    x, y = names.windows(1)
    logits = torch.from_numpy(np.log(found.probabilities))[torch.from_numpy(x[:, 0].astype(np.int64))]
    expected = torch.nn.functional.cross_entropy(logits, torch.from_numpy(y.astype(np.int64)))
    assert found.losses.all == pytest.approx(float(expected), abs=1e-12)


def test_the_square_of_pairs():
    names = small()
    found = bigram(names, 0.5)
    slow = Counter(slow_windows(names, 1))
    for i, first in enumerate(names.alphabet):
        for j, second in enumerate(names.alphabet):
            assert found.counts[i, j] == found.of(first + second) == slow[first, second]
    np.testing.assert_allclose(found.probabilities.sum(1), 1)
    row = found.counts[3] + 0.5
    np.testing.assert_allclose(found.probabilities[3], row / row.sum())
    assert found.counts.sum() == names.positions
    assert found.counts[0].sum() == found.counts[:, 0].sum() == len(names.names)


def test_a_row_of_the_table():
    names = small()
    found = count(names, 3)
    slow = Counter(slow_windows(names, 3))
    train = Counter(slow_windows(names, 3, 0))
    for context in ["...", ".em", "emm", "mma"]:
        assert found.row(context).tolist() == [slow[context, character] for character in names.alphabet]
        assert found.row(context, "train").tolist() == [train[context, character] for character in names.alphabet]
    assert found.row("...").sum() == len(names.names)
    for never in ["xxx", "uuu", "..", "....", ""]:
        assert found.row(never).sum() == 0
    assert "“Q”" in refusal(found.row, "..Q")


def test_counting_breaks_down():
    """More context always helps with what was counted; with what is new, up to a point: the table gets empty."""
    tables = [count(example(), block) for block in range(1, 6)]
    losses = [table.losses(0.1) for table in tables]
    assert [loss.train for loss in losses] == sorted((loss.train for loss in losses), reverse=True)
    assert [table.empty for table in tables] == sorted(table.empty for table in tables)
    assert losses[4].dev > losses[3].dev > losses[2].dev < losses[1].dev
    assert tables[2].empty > 0.95


@pytest.mark.parametrize("block", [1, 2, 3, 5])
def test_the_best_smoothing_is_the_best_of_all(block):
    table = count(example(), block)
    tried = [10 ** (step / 10 - 4) for step in range(61)]
    assert table.best_smoothing == min(tried, key=lambda smoothing: table.losses(smoothing).dev)


def test_counts_are_kept_with_the_list():
    assert count(small(), 3) is count(small(), 3)


@pytest.mark.parametrize("smoothing", [-1, 1001, True, "1", math.nan, None])
def test_smoothing_that_is_none_is_refused(smoothing):
    assert "0 to 1,000" in refusal(bigram, small(), smoothing)


def test_a_block_that_is_none_is_refused():
    assert "1 to 8" in refusal(count, small(), 9)


@settings(max_examples=40)
@given(
    st.lists(st.text("abcñ字🎈é. ", min_size=1, max_size=9).filter(str.strip), min_size=12, max_size=30),
    st.integers(1, 8),
)
def test_any_list(lines, block):
    if len({line.strip() for line in lines}) < 10:
        return
    names = read_names("\n".join(lines))
    found = count(names, block)
    assert found.cells_seen == len(set(slow_windows(names, block)))
    assert found.losses(0.3).dev == pytest.approx(slow_loss(names, block, 0.3, 0, 1))


def test_two_hundred_characters_and_eight_of_context_fit():
    usual = ["".join(chr(0x4E00 + (i * 7 + j * j) % 200) for j in range(9)) for i in range(200)]
    names = read_names("\n".join(usual))
    found = count(names, 8)
    assert names.size == 201
    assert found.rows == 201**8
    assert Counter({found.text(i): n for i, n in enumerate(found.totals(0)) if n}) == Counter(
        context for context, _ in slow_windows(names, 8, 0)
    )
