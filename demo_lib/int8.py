"""An int8 copy of a table's unit rows, which answers all cosines with one query in one reading, with error bounds.

    row / |row| = step * whole + rest,   `whole` being 8-bit integers and |rest| what bounds the error

torch's quantized matrix product multiplies 8-bit by 7-bit integers exactly (8 by 8 would overflow int16 on AVX2), so
a query is written in two 7-bit numbers a coordinate: high + low / 126.

That product keeps a matrix in pieces 512 columns wide, so that 640 columns would take the room of 1,024. Columns that
do not fill a piece are therefore folded: the last 128 of four rows lie side by side, and a query meets them four
times, each time with three quarters of it zero.
"""

import warnings

from .table import Array

BLOCK = 512  # rows at a time: their floats stay in a core's cache
PIECE = 512  # columns
SHARD = 1 << 28  # bytes of one packed matrix: packing needs as much again; each more costs a start of all threads


class Int8:
    """Takes rows * dim bytes. Raises RuntimeError (or AttributeError) where torch cannot do this."""

    def __init__(self, table) -> None:
        import numpy as np
        import torch

        if torch.backends.quantized.engine not in ("x86", "fbgemm"):
            raise NotImplementedError
        rows, self._dim = table.info.rows, table.info.dim
        self._straight = self._dim // PIECE * PIECE
        self._left = self._dim - self._straight
        self._folds = PIECE // self._left if self._left else 0
        self._step, self._rest = np.empty(rows, np.float32), np.empty(rows, np.float32)
        self._shards, self._folded = self._pack(table)
        self._prove(table)

    def _pack(self, table) -> tuple[list, object]:
        """The packed matrices of the columns that fill pieces, and that of the others, folded (None if there are none).

        In the folded one, row r of the table is in row r % height, at fold r // height.
        """
        import numpy as np

        rows, straight, left = table.info.rows, self._straight, self._left
        most = max(1, SHARD // max(1, straight))
        height = -(-rows // self._folds) if left else 0
        folded, shards = np.zeros((height, self._folds * left), np.int8), []
        for first in range(0, rows, most):
            shard = np.empty((min(most, rows - first), straight), np.int8)
            for start in range(first, first + len(shard), BLOCK):
                stop = min(start + BLOCK, first + len(shard))
                whole = self._round(table, start, stop)
                shard[start - first : stop - first] = whole[:, :straight]
                for fold in range(start // height, (stop - 1) // height + 1) if left else ():
                    a, b = max(start, fold * height), min(stop, (fold + 1) * height)
                    place = slice(fold * left, (fold + 1) * left)
                    folded[a - fold * height : b - fold * height, place] = whole[a - start : b - start, straight:]
            if straight:
                shards.append(_prepack(shard))
            del shard
        return shards, _prepack(folded) if left else None

    def _round(self, table, start: int, stop: int) -> Array:
        """`whole` of some rows; notes their `step` and |rest|."""
        import numpy as np

        rows = table.rows(slice(start, stop))
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        rows /= np.where(lengths > 0, lengths, 1)[:, None]
        step = np.maximum(np.maximum(rows.max(1), -rows.min(1)), 1e-9) / 127
        whole = np.rint(rows / step[:, None])
        rows -= whole * step[:, None]
        self._step[start:stop], self._rest[start:stop] = step, np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return whole

    def __call__(self, units: Array) -> tuple[Array, list[Array]]:
        """Of unit vectors (n, dim): cosines with every row, float32 (n, rows), and for each query the errors (rows,).

        |row . q - step * whole . q'| <= |rest| |q| + |step * whole| |q - q'|, q' being the query in 7-bit numbers;
        the rounding of float32 is not in it.
        """
        import numpy as np

        scale = np.maximum(np.abs(units).max(axis=1, keepdims=True), 1e-30) / 63
        high = np.rint(units / scale)
        low = np.rint((units / scale - high) * 126)
        sums = self._sums(np.stack([high, low], 1).reshape(2 * len(units), -1).astype(np.float32))
        cosines, fine = sums[0::2], sums[1::2]  # in place: new arrays of this size cost as much as the sums
        fine /= 126
        cosines += fine
        cosines *= self._step
        cosines *= scale.astype(np.float32)
        lost = np.linalg.norm(units - (high + low / 126) * scale, axis=1).astype(np.float32)
        return cosines, [self._rest * (1 + loss) + loss for loss in lost]

    def _sums(self, query: Array) -> Array:
        """Integers (n, dim), from -63 to 63, times `whole` of all rows: float32 (n, rows)."""
        import numpy as np

        straight, rows = self._straight, len(self._step)
        parts = [_multiply(query[:, :straight], shard) for shard in self._shards]
        sums = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1) if parts else None
        if self._folded is None:
            return sums
        folds = np.zeros((len(query), self._folds, self._folds, self._left), np.float32)
        for fold in range(self._folds):
            folds[:, fold, fold] = query[:, straight:]
        left = _multiply(folds.reshape(len(query) * self._folds, -1), self._folded)
        left = left.reshape(len(query), -1)[:, :rows]
        return left if sums is None else np.add(sums, left, out=sums)

    def _prove(self, table) -> None:
        """That this build of torch multiplies as assumed: a few rows with each other."""
        import numpy as np

        ids = np.linspace(0, table.info.rows - 1, 8).astype(np.int64)
        rows = table.rows(ids).astype(np.float64)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units = rows / np.where(lengths > 0, lengths, 1)
        cosines, errors = self(units)
        wrong = np.abs(cosines[:, ids] - units @ units.T) - np.stack(errors)[:, ids]
        if wrong.max() > (self._dim + 16) * 2.0**-23:
            raise NotImplementedError


def _prepack(matrix: Array):
    import torch

    # torch means to drop these types one day; then the table itself is read instead
    warnings.filterwarnings("ignore", message="torch.quantize_per_tensor")
    quantized = torch._make_per_tensor_quantized_tensor(torch.from_numpy(matrix), 1.0, 0)
    return torch.ops.quantized.linear_prepack(quantized, None)


def _multiply(query: Array, packed) -> Array:
    """(n, k) integers from -63 to 63 times a packed matrix, exactly: float32 (n, rows)."""
    import numpy as np
    import torch

    # torch takes its scale from the extremes of the query: -63 and 64 make it 1
    last = np.zeros((1, query.shape[1]), np.float32)
    last[0, 0], last[0, -1] = -63, 64
    query = torch.from_numpy(np.concatenate([query, last]))
    return torch.ops.quantized.linear_dynamic(query, packed, True).numpy()[:-1]
