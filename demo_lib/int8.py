"""An int8 copy of a table's unit rows, which answers all cosines with one query in one reading, with error bounds.

    row / |row| = step * whole + rest,   `whole` being 8-bit integers and |rest| what bounds the error

torch's quantized matrix product multiplies 8-bit by 7-bit integers exactly (8 by 8 would overflow int16 on AVX2), so
a query is written in two 7-bit numbers a coordinate: high + low / 126.
"""

import warnings

from .table import Array

BLOCK = 512  # rows at a time: their floats stay in a core's cache
SHARD = 1 << 28  # bytes of one packed matrix: packing needs as much again; each more costs a start of all threads


class Int8:
    """Takes rows * dim bytes. Raises RuntimeError (or AttributeError) where torch cannot do this."""

    def __init__(self, table) -> None:
        import numpy as np
        import torch

        if torch.backends.quantized.engine not in ("x86", "fbgemm"):
            raise NotImplementedError
        rows, self._dim = table.info.rows, table.info.dim
        self._step, self._rest = np.empty(rows, np.float32), np.empty(rows, np.float32)
        most = max(1, SHARD // (self._dim + 2))
        self._shards = [self._pack(table, start, min(start + most, rows)) for start in range(0, rows, most)]
        self._prove(table)

    def _pack(self, table, start: int, end: int):
        import numpy as np
        import torch

        # Two more columns, 0 here and -63 and 64 in the query: torch takes the scale of a query from its extremes,
        # and these keep it at 1.
        packed = np.zeros((end - start, self._dim + 2), np.int8)
        for a in range(start, end, BLOCK):
            b = min(a + BLOCK, end)
            rows = table.rows(slice(a, b))
            lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            rows /= np.where(lengths > 0, lengths, 1)[:, None]
            step = np.maximum(np.maximum(rows.max(1), -rows.min(1)), 1e-9) / 127
            whole = np.rint(rows / step[:, None])
            packed[a - start : b - start, :-2] = whole
            rows -= whole * step[:, None]
            self._step[a:b], self._rest[a:b] = step, np.sqrt(np.einsum("ij,ij->i", rows, rows))
        # torch means to drop these types one day; then the table itself is read instead
        warnings.filterwarnings("ignore", message="torch.quantize_per_tensor")
        quantized = torch._make_per_tensor_quantized_tensor(torch.from_numpy(packed), 1.0, 0)
        del packed
        return torch.ops.quantized.linear_prepack(quantized, None)

    def __call__(self, units: Array) -> tuple[Array, list[Array]]:
        """Of unit vectors (n, dim): cosines with every row, float32 (n, rows), and for each query the errors (rows,).

        |row . q - step * whole . q'| <= |rest| |q| + |step * whole| |q - q'|, q' being the query in 7-bit numbers;
        the rounding of float32 is not in it.
        """
        import numpy as np
        import torch

        scale = np.maximum(np.abs(units).max(axis=1, keepdims=True), 1e-30) / 63
        high = np.rint(units / scale)
        low = np.rint((units / scale - high) * 126)
        query = np.zeros((2 * len(units), self._dim + 2), np.float32)
        query[0::2, :-2], query[1::2, :-2], query[0, -2:] = high, low, (-63, 64)
        query = torch.from_numpy(query)
        parts = [torch.ops.quantized.linear_dynamic(query, shard, True) for shard in self._shards]
        sums = (parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)).numpy()
        cosines, fine = sums[0::2], sums[1::2]  # in place: new arrays of this size cost as much as the sums
        fine /= 126
        cosines += fine
        cosines *= self._step
        cosines *= scale.astype(np.float32)
        lost = np.linalg.norm(units - (high + low / 126) * scale, axis=1).astype(np.float32)
        return cosines, [self._rest * (1 + loss) + loss for loss in lost]

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
