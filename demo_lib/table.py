"""An embedding table as it lies in a file: mapped into memory, never loaded; rows become float32 when asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .cache import cached
from .problems import Problem
from .vocab import Vocab

# What numpy reads each type as, and its bytes; a BF16 is the upper half of a float32
NUMBERS = {"BF16": ("<u2", 2), "F16": ("<f2", 2), "F32": ("<f4", 4)}
# Q8_0 of GGUF: a float16 scale, then 32 signed bytes to be multiplied by it
BLOCK, BLOCK_BYTES = 32, 34
# Rows that are turned to floats at once when all are: 20 MB at 640 a row
STEP = 8192

Array = Any  # numpy.ndarray; numpy is imported where it is used


@dataclass(frozen=True)
class Stored:
    """A table of `rows` x `dim` numbers at `offset` of a file. `content` names what is in it, wherever it lies."""

    path: Path
    offset: int
    dtype: str
    rows: int
    dim: int
    content: str

    @property
    def nbytes(self) -> int:
        return size(self.dtype, self.rows, self.dim)

    def map(self) -> Array:
        """The table read-only: uint16 (BF16), float16 or float32 of (rows, dim); uint8 (rows, dim // 32 * 34) of Q8_0.

        The pages that are read come from the file and are shared by all who read it. Raises OSError where the file
        cannot be read, ValueError where it is too short.
        """
        import numpy as np

        kind, width = NUMBERS.get(self.dtype, ("u1", 1))
        shape = (self.rows, size(self.dtype, 1, self.dim) // width)
        return np.memmap(self.path, dtype=kind, mode="r", offset=self.offset, shape=shape)


def size(dtype: str, rows: int, dim: int) -> int:
    """Bytes of a table.

    >>> size("BF16", 151_936, 896), size("Q8_0", 262_144, 640)
    (272269312, 178257920)
    """
    return rows * (dim // BLOCK * BLOCK_BYTES if dtype == "Q8_0" else dim * NUMBERS[dtype][1])


def floats(raw: Array, dtype: str) -> Array:
    """Rows as they are stored, (n, width), to float32 (n, dim): exactly the numbers that the stored ones stand for."""
    import numpy as np

    if dtype == "BF16":
        return (raw.astype(np.uint32) << 16).view(np.float32)
    if dtype != "Q8_0":
        return np.array(raw, np.float32)
    blocks = np.ascontiguousarray(raw).reshape(len(raw), -1, BLOCK_BYTES)
    scales = blocks[..., :2].copy().view("<f2").astype(np.float32)
    return (blocks[..., 2:].view(np.int8) * scales).reshape(len(raw), -1)


def norms(raw: Array, dtype: str) -> Array:
    """The length of each row, float32 (rows,), summed in float64; NaN or inf where a row has a NaN or an inf."""
    import numpy as np

    squares = np.empty(len(raw))
    for start in range(0, len(raw), STEP):
        rows = floats(raw[start : start + STEP], dtype).astype(np.float64)
        np.einsum("ij,ij->i", rows, rows, out=squares[start : start + STEP])
    return np.sqrt(squares).astype(np.float32)


def index(ids: Sequence[int] | slice, rows: int) -> Array | slice | None:
    """What numpy may safely be asked for: a slice, or int64 ids of rows that there are. None for anything else."""
    import numpy as np

    if isinstance(ids, slice):
        return ids
    try:
        ids = np.asarray(ids)
    except (ValueError, TypeError):  # lists of different lengths
        return None
    if ids.size == 0 and ids.ndim == 1:
        return ids.astype(np.int64)
    whole = ids.ndim == 1 and ids.dtype.kind in "iu"
    return ids.astype(np.int64) if whole and ids.min() >= 0 and ids.max() < rows else None


@dataclass(frozen=True)
class TableInfo:
    """What the page says of a table.

    `source` is 'hub', 'wheels' or 'folder'; `where` is a model's id and commit, names of wheels, or a folder's name.
    `license` is empty where only the model's page states it. `dtype` is 'BF16', 'F16', 'F32' or 'Q8_0', `nbytes` the
    size of the table as it is stored, `tied` whether the output table is the input table.
    """

    key: str
    label: str
    source: str
    where: str
    license: str
    dtype: str
    rows: int
    dim: int
    nbytes: int
    tied: bool


class Table:
    """One table, read-only. Safe to share between threads.

    `output` is the separate output table of a model that is not tied, where it has one.
    """

    def __init__(
        self, info: TableInfo, place: Stored, vocab: Callable[[], Vocab], output: "Table | None" = None
    ) -> None:
        self.info, self.output = info, output
        self._place, self._vocab = place, vocab
        self._map = place.map()

    @property
    def vocab(self) -> Vocab:
        """The model's tokenizer. Opening it takes a second the first time."""
        return self._vocab()

    def raw(self) -> Array:
        """The table as it is stored; see Stored.map."""
        return self._map

    def rows(self, ids: Sequence[int] | slice) -> Array:
        """Rows as float32 (n, dim), exactly the stored numbers. An id without a row raises Problem."""
        wanted = index(ids, self.info.rows)
        if wanted is None:
            raise Problem(
                f"{self.info.label} has the rows 0 to {self.info.rows - 1:,}: use ids from that range.",
                f"{self.info.label} 的行号是 0 到 {self.info.rows - 1:,}：请使用这个范围内的 id。",
            )
        return floats(self._map[wanted], self.info.dtype)

    @cached_property
    def norms(self) -> Array:
        """The length of each row, float32 (rows,)."""
        import numpy as np

        def make() -> bytes:
            return norms(self._map, self.info.dtype).astype("<f4").tobytes()

        return np.frombuffer(cached(f"tables/{self._place.content}.norms", make), "<f4")

    def units(self, ids: Any) -> Array:
        """Rows as `rows` has them, divided by their lengths; a row of zeros stays one."""
        import numpy as np

        rows, lengths = self.rows(ids), self.norms[ids]
        rows /= np.where(lengths > 0, lengths, 1)[:, None]
        return rows

    @cached_property
    def used(self) -> Array:
        """bool (rows,): the rows that a token of the tokenizer has."""
        import numpy as np

        ids = np.array(self.vocab.ids(), np.int64)
        used = np.zeros(self.info.rows, bool)
        used[ids[ids < self.info.rows]] = True
        return used

    def fault(self, *, tokens: bool = True) -> str | None:
        """Why the table cannot be used, by its name in hub_problems.SENTENCES; None if it can.

        Each number must be one: where it is not, the row has no length. With `tokens`, each token must have its row,
        but for added ones: real models have a few more than rows, and who types one is told.
        """
        import numpy as np

        if not all(np.isfinite(table.norms).all() for table in filter(None, (self, self.output))):
            return "table_numbers"
        return "table_short" if tokens and self.vocab.last_id() >= self.info.rows else None
