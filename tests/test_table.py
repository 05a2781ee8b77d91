"""One table: exact numbers in each type, ids that are no rows, norms, and many readers at once."""

import math
import struct
import threading

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save

from demo_lib import table as tables
from demo_lib.table import Stored, Table, TableInfo

from .made_gguf import q8_0
from .made_models import TYPES, tensor
from .refusals import refusal

ROWS, DIM = 50, 64


def opened(path, dtype: str, data: bytes, rows: int = ROWS, dim: int = DIM, content: str = "x", vocab=None) -> Table:
    path.write_bytes(b"before!" + data + b"after")  # at an odd place, as a header may put it
    info = TableInfo("key", "Label", "folder", "where", "", dtype, rows, dim, len(data), True)
    return Table(info, Stored(path, 7, dtype, rows, dim, content), vocab)


def bits(matrix: torch.Tensor) -> bytes:
    data = save({"x": matrix})
    return data[-matrix.numel() * matrix.element_size() :]


def every_number(dtype: str) -> torch.Tensor:
    """All 65,536 numbers of a 16-bit type that are numbers; many of float32."""
    if dtype == "F32":
        return torch.randn(2**16, generator=torch.Generator().manual_seed(0)) * 10.0 ** torch.arange(-32, 32).repeat(
            1024
        )
    values = torch.arange(2**16, dtype=torch.int32).to(torch.uint16).view(TYPES[dtype])
    return torch.where(values.isfinite(), values, 1)


@pytest.mark.parametrize("dtype", ["BF16", "F16", "F32"])
def test_every_number_is_exact(tmp_path, dtype):
    expected = every_number(dtype).reshape(-1, DIM)
    table = opened(tmp_path / "t", dtype, bits(expected), len(expected))
    rows = table.rows(slice(None))
    assert rows.dtype == np.float32
    assert rows.shape == (len(expected), DIM)
    assert np.array_equal(rows.view(np.uint32), expected.float().numpy().view(np.uint32))  # -0.0 too
    raw = table.raw()
    assert (raw.dtype, raw.shape) == ({"BF16": "<u2", "F16": "<f2", "F32": "<f4"}[dtype], expected.shape)
    assert not raw.flags.writeable
    assert isinstance(raw, np.memmap)


def test_q8_0(tmp_path):
    generator = np.random.default_rng(1)
    scales = generator.standard_normal(ROWS * 2).astype(np.float16)
    scales[:3] = 0, 6e-8, 65504  # nothing, the smallest and the largest
    numbers = generator.integers(-128, 128, (ROWS * 2, 32))
    data = q8_0(list(zip(scales.tolist(), numbers.tolist(), strict=True)))
    table = opened(tmp_path / "t", "Q8_0", data)
    expected = [[float(scale) * int(number) for number in block] for scale, block in zip(scales, numbers, strict=True)]
    assert np.array_equal(table.rows(range(ROWS)), np.array(expected, np.float32).reshape(ROWS, DIM))
    assert (table.raw().shape, table.raw().dtype) == ((ROWS, DIM // 32 * 34), np.uint8)
    assert tables.size("Q8_0", ROWS, DIM) == len(data)
    lengths = [math.sqrt(sum(number**2 for number in row)) for row in np.array(expected).reshape(ROWS, DIM)]
    assert np.allclose(table.norms, lengths, rtol=1e-6, atol=0)


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Table:
    return opened(tmp_path_factory.mktemp("table") / "t", "BF16", bits(tensor(ROWS, DIM)), content="of-module")


ALL = tensor(ROWS, DIM).float().numpy()


@given(st.lists(st.integers(0, ROWS - 1), max_size=9))
def test_rows_by_ids(table, ids):
    rows = table.rows(ids)
    assert rows.shape == (len(ids), DIM)
    assert all(np.array_equal(row, ALL[id]) for row, id in zip(rows, ids, strict=True))
    assert np.array_equal(table.rows(np.array(ids, np.int32)), rows)
    assert np.array_equal(table.rows(tuple(ids)), rows)


@given(st.slices(ROWS))
def test_rows_by_slice(table, part):
    assert np.array_equal(table.rows(part), ALL[part])


@pytest.mark.parametrize(
    "ids",
    [
        *([-1], [ROWS], [0, 2**31], [2**63], [2**100], [-(2**70)], [0.0], [1.5], ["1"], [None], [True, False]),
        *([[1, 2]], [[1], [2, 3]], 5, "12", None, {1: 2}, [float("nan")], np.ones((2, 2), int), np.array(3)),
    ],
    ids=range(20),
)
def test_what_is_no_row(table, ids):
    assert refusal(table.rows, ids) == f"Label has the rows 0 to {ROWS - 1}: use ids from that range."


def test_rows_are_the_callers_own(table):
    rows = table.rows([3])
    rows[:] = 0
    assert np.array_equal(table.rows([3])[0], ALL[3])


@pytest.mark.parametrize("step", [1, 7, 8192])
def test_norms(table, monkeypatch, step):
    monkeypatch.setattr(tables, "STEP", step)
    expected = [math.sqrt(math.fsum(float(number) ** 2 for number in row)) for row in ALL]
    norms = tables.norms(table.raw(), "BF16")
    assert norms.dtype == np.float32
    assert np.allclose(norms, expected, rtol=1e-7, atol=0)
    assert np.array_equal(table.norms, norms)


def test_norms_are_made_once(tmp_path, monkeypatch):
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path / "cache"))
    first = opened(tmp_path / "t", "F32", bits(tensor(ROWS, DIM, "F32")), content="same").norms
    made = []
    monkeypatch.setattr(tables, "norms", lambda *_: made.append(1))
    assert np.array_equal(opened(tmp_path / "t", "F32", bits(tensor(ROWS, DIM, "F32")), content="same").norms, first)
    assert not made


def test_norms_of_very_large_and_very_small_numbers(tmp_path):
    rows = torch.tensor([[1e30] * DIM, [1e-30] * DIM, [0.0] * DIM])
    found = opened(tmp_path / "t", "F32", bits(rows), 3, content="extreme").norms
    assert np.allclose(found, [8e30, 8e-30, 0], rtol=1e-6, atol=0)


def test_used(tmp_path):
    class Vocab:
        def ids(self):
            return [0, 3, 49, 50, 10**9]

    table = opened(tmp_path / "t", "BF16", bits(tensor(ROWS, DIM)), vocab=Vocab)
    assert np.flatnonzero(table.used).tolist() == [0, 3, 49]  # ids beyond the table have no row to mark


def test_a_file_too_short(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(bytes(10))
    with pytest.raises(ValueError, match="mmap length"):
        Stored(path, 7, "F32", 9, 9, "x").map()
    with pytest.raises(OSError, match="No such file"):
        Stored(tmp_path / "none", 7, "F32", 9, 9, "x").map()


def test_many_readers(table):
    wrong = []

    def read(seed: int) -> None:
        generator = np.random.default_rng(seed)
        for _ in range(200):
            ids = generator.integers(0, ROWS, 5)
            if not np.array_equal(table.rows(ids), ALL[ids]):
                wrong.append(ids)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_sizes():
    assert tables.size("BF16", 151_936, 896) == 272_269_312 == 151_936 * 896 * 2
    assert tables.size("Q8_0", 262_144, 640) == 178_257_920
    assert tables.size("F32", 3, 5) == len(struct.pack("15f", *range(15)))
