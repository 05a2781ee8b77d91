"""How long does the exact parrot rate take? `python -m tests.bench.parrot [table] [rounds] [rate]`

The table (gemma-3-270m if none is named) must be in the cache: `python app.py --fetch`. With `rate`, only whether each
row repeats itself is asked. The peer is the plain way, torch's float32 product of blocks of 1,024 rows with all rows
and argmax; it would take half an hour, so each round measures two blocks of it and multiplies, beside a whole run of
ours without any cache. On a shared machine processor seconds say more than the clock's; both are printed. No test.
"""

import statistics
import sys
import time

import numpy as np
import torch

from demo_lib.tables import open_table
from demo_lib.winners import winners

BLOCK = 1024


def plain(matrix: torch.Tensor, starts: list[int]) -> np.ndarray:
    return torch.cat([(matrix[start : start + BLOCK] @ matrix.T).argmax(1) for start in starts]).numpy()


def clocks() -> np.ndarray:
    return np.array([time.perf_counter(), time.process_time()])


def main() -> None:
    table = open_table(sys.argv[1] if len(sys.argv) > 1 else "gemma-3-270m", fetch=False)
    rounds, only = int(sys.argv[2]) if len(sys.argv) > 2 else 3, "rate" in sys.argv
    torch.set_num_threads(2)
    rows, own = table.info.rows, np.arange(table.info.rows)
    matrix = torch.from_numpy(np.concatenate([table.rows(slice(a, a + 8192)) for a in range(0, rows, 8192)]))
    plain(matrix, [0])
    ratios = []
    for turn in range(rounds):
        starts = [(turn * 79_191 + 5000 + step) % (rows - BLOCK) for step in (0, BLOCK)]
        begin = clocks()
        sliced = plain(matrix, starts)
        naive = (clocks() - begin) * rows / len(sliced)
        begin = clocks()
        won = winners(table, only_repeats=only)
        taken = clocks() - begin
        ids = np.concatenate([np.arange(start, start + BLOCK) for start in starts])
        # float32 argmax and ours may differ where two rows are equal to its rounding
        agree = ((sliced == ids) == (won[ids] == ids)).mean()
        same = (sliced == won[ids]).mean()
        ratios.append(naive / taken)
        print(
            f"plain {naive[0]:.0f} s ({naive[1]:.0f} of processors), ours {taken[0]:.1f} s ({taken[1]:.1f}): "
            f"{ratios[-1][0]:.0f} x ({ratios[-1][1]:.0f} x); same verdict {agree:.5f}, same winner {same:.5f}"
        )
    by_clock, by_processor = (statistics.median(ratio[i] for ratio in ratios) for i in (0, 1))
    repeats = float((won == own).mean())
    print(f"{table.info.label}: {by_clock:.0f} times as fast by the clock, {by_processor:.0f} by processor seconds")
    print(f"parrot rate {repeats:.5%}, {int((won != own).sum()):,} of {rows:,} fail")


if __name__ == "__main__":
    main()
