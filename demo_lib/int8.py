"""An int8 copy of a table's unit rows, which answers all cosines with one query in one reading, with error bounds.

    row / |row| = step * whole + rest,   `whole` being 8-bit integers and |rest| what bounds the error

torch's quantized matrix product multiplies 8-bit by 7-bit integers exactly (8 by 8 would overflow int16 on AVX2), so
a query is written in two 7-bit numbers a coordinate: high + low / 126.

That product keeps a matrix in pieces 512 columns wide, so that 640 columns would take the time of 1,024. Where few
columns would not fill a piece, the rows are first turned so that these, the tail, hold little of them: turning changes
no cosine. What the tail can add is bounded by lengths, |row's tail| |query's tail|, and only the few rows where that
leaves a doubt have their tails read.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

from .table import Array

BLOCK = 512  # rows at a time: their floats stay in a core's cache
PIECE = 512  # columns
SHARD = 1 << 28  # bytes of one packed matrix: packing needs as much again; each more costs a start of all threads
SAMPLE = 8192  # rows that say how to turn a table; any turn is right, and this many find a good one
ZERO = 64  # what torch adds to a query's numbers, from -63 to 63, before it multiplies


@dataclass(frozen=True)
class Rough:
    """Cosines of all rows with a query, float32 (rows,), each off by at most its error, (rows,) or one for all.

    `closer(ids)`: cosines and errors of some rows, better ones; None where there are none. The rounding of float32 is
    in no error; see nearest.rounding.
    """

    cosines: Array
    errors: Array
    closer: Callable[[Array], tuple[Array, Array]] | None = None


class Int8:
    """Takes rows * dim bytes. Raises RuntimeError (or AttributeError) where torch cannot do this."""

    def __init__(self, table) -> None:
        import numpy as np
        import torch

        if torch.backends.quantized.engine not in ("x86", "fbgemm"):
            raise NotImplementedError
        rows, dim = table.info.rows, table.info.dim
        left = dim % PIECE
        self._turned = dim > PIECE and 0 < left <= PIECE // 2
        self._head = dim - left if self._turned else dim
        self._turn = _turn(table, self._head) if self._turned else None
        # the most that float32 can move a unit row by turning it: dim sums of dim products, each off by dim / 2^24
        self._turning = (dim + 16) * dim**0.5 * 2.0**-24 if self._turned else 0
        self._step, self._rest, self._far = (np.empty(rows, np.float32) for _ in range(3))
        self._tails, self._tail_step = np.empty((rows, dim - self._head), np.int8), np.empty(rows, np.float32)
        self._shards = self._pack(table)
        self._prove(table)

    def _pack(self, table) -> list:
        """The packed matrices of the heads; notes the tails, and each row's steps and lengths."""
        import numpy as np

        rows, shards = table.info.rows, []
        most = max(1, SHARD // self._head)
        for first in range(0, rows, most):
            shard = np.empty((min(most, rows - first), self._head), np.int8)
            for start in range(first, first + len(shard), BLOCK):
                stop = min(start + BLOCK, first + len(shard))
                shard[start - first : stop - first] = self._round(table, start, stop)
            shards.append(_prepack(shard))
            del shard
        return shards

    def _round(self, table, start: int, stop: int) -> Array:
        """`whole` of some rows' heads; notes all else about them."""
        import numpy as np

        part = slice(start, stop)
        rows = table.units(part)
        if self._turned:
            rows = rows @ self._turn
        head, tail = rows[:, : self._head], rows[:, self._head :]
        self._far[part] = np.sqrt(np.einsum("ij,ij->i", tail, tail))
        whole, self._step[part] = _whole(head)
        rest = np.einsum("ij,ij->i", head, head)
        if self._turned:
            self._tails[part], self._tail_step[part] = _whole(tail)
            rest += np.einsum("ij,ij->i", tail, tail)
        self._rest[part] = np.sqrt(rest) + self._turning
        return whole

    def __call__(self, units: Array) -> list[Rough]:
        """The cosines of all rows with each of some unit vectors, (n, dim).

        With q in 7-bit numbers being q', |row . q - step * whole . q'| <= |rest| |q| + |step * whole| |q - q'|, and of
        a head alone |row's tail| |q's tail| more.
        """
        import numpy as np

        units = units @ self._turn.astype(np.float64) if self._turned else units
        heads, tails = units[:, : self._head], units[:, self._head :].astype(np.float32)
        scale = np.maximum(np.abs(heads).max(axis=1, keepdims=True), 1e-30) / 63
        high = np.rint(heads / scale)
        low = np.rint((heads / scale - high) * 126)
        sums = self._sums(np.stack([high, low], 1).reshape(2 * len(units), -1).astype(np.float32))
        cosines, fine = sums[0::2], sums[1::2]  # in place: new arrays of this size cost as much as the sums
        fine /= 126
        cosines += fine
        cosines *= self._step
        cosines *= scale.astype(np.float32)
        lost = np.linalg.norm(heads - (high + low / 126) * scale, axis=1).astype(np.float32)
        return [self._rough(*each) for each in zip(cosines, lost, tails, strict=True)]

    def _rough(self, cosines: Array, lost: float, tail: Array) -> Rough:
        import numpy as np

        errors = self._rest * (1 + lost)
        errors += lost
        if not self._turned:
            return Rough(cosines, errors)

        def closer(ids: Array) -> tuple[Array, Array]:
            rest = (self._tails[ids] @ tail) * self._tail_step[ids]  # int8 by float32 is float32
            return cosines[ids] + rest, self._rest[ids] * (1 + lost) + lost

        errors += self._far * np.linalg.norm(tail)
        return Rough(cosines, errors, closer)

    def _sums(self, query: Array) -> Array:
        """Integers (n, head), from -63 to 63, times `whole` of all rows: float32 (n, rows)."""
        import numpy as np
        import torch

        query = torch.from_numpy(query)
        multiply = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32
        parts = [multiply(query, 1.0, ZERO, shard).numpy() for shard in self._shards]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def _prove(self, table) -> None:
        """That this build of torch multiplies as assumed: a few rows with each other."""
        import numpy as np

        ids = np.linspace(0, table.info.rows - 1, 8).astype(np.int64)
        rows = table.rows(ids).astype(np.float64)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units = rows / np.where(lengths > 0, lengths, 1)
        for rough, true in zip(self(units), units @ units.T, strict=True):
            wrong = np.abs(rough.cosines[ids] - true) - rough.errors[ids]
            if wrong.max() > (rows.shape[1] + 16) * 2.0**-23:
                raise NotImplementedError


def _turn(table, head: int) -> Array:
    """Columns to turn rows with, float32 (dim, dim): the last hold the least of them (PCA), the others share the rest.

    Were the others left as PCA has them, the first would be long and the rest short, and one step fits no row well.
    """
    import numpy as np

    ids = np.linspace(0, table.info.rows - 1, min(SAMPLE, table.info.rows)).astype(np.int64)
    rows = table.units(ids).astype(np.float64)
    turn = np.linalg.eigh(rows.T @ rows)[1][:, ::-1]
    mixed = np.linalg.qr(np.random.default_rng(0).standard_normal((head, head)))[0]
    return np.concatenate([turn[:, :head] @ mixed, turn[:, head:]], axis=1).astype(np.float32)


def _whole(rows: Array) -> tuple[Array, Array]:
    """Rows in whole numbers, from -127 to 127, and their steps; of `rows` the rest is left."""
    import numpy as np

    step = np.maximum(np.maximum(rows.max(1), -rows.min(1)), 1e-9) / 127
    whole = np.rint(rows / step[:, None])
    rows -= whole * step[:, None]
    return whole, step


def _prepack(matrix: Array):
    import torch

    # torch means to drop these types one day; then the table itself is read instead
    warnings.filterwarnings("ignore", message="torch.quantize_per_tensor")
    quantized = torch._make_per_tensor_quantized_tensor(torch.from_numpy(matrix), 1.0, 0)
    return torch.ops.quantized.linear_prepack(quantized, None)
