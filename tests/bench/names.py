"""How long does the names training take? `python -m tests.bench.names [rounds]`

The peer is the training as courses write it, 20,000 steps of 256 windows with torch's autograd and a rate of 0.1, at
last 0.02, from the same start. Each round runs it, our plain way (the same with the gradient by hand) and, watched
live, our default training; all begin with the list read and end with the exact losses. Then, in turn and more often,
trainings that are watched and recorded, and the same about which nothing is written down. On a shared machine
processor seconds say more than the clock's; both are printed. No test: it depends on the machine.
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import torch

from demo_lib.names_counts import Losses
from demo_lib.names_data import NameList, example
from demo_lib.names_mlp import PLAIN, Model, Settings
from demo_lib.names_record import losses
from demo_lib.names_steps import Trainer
from demo_lib.names_train import Training

WANTED, WANTED_LIVE = 15, 0.15


def as_in_courses(names: NameList) -> Losses:
    x, y = (torch.from_numpy(array.astype(np.int64)) for array in names.windows(3, "train"))
    start = Model.start(PLAIN, names.alphabet)
    parts = [torch.from_numpy(part.copy()) for part in (start.C, start.W1, start.b1, start.W2, start.b2)]
    table, w1, b1, w2, b2 = [part.requires_grad_() for part in parts]
    torch.manual_seed(0)
    for step in range(PLAIN.steps):
        ids = torch.randint(0, len(x), (PLAIN.batch,))
        h = torch.tanh(table[x[ids]].view(-1, 6) @ w1 + b1)
        loss = torch.nn.functional.cross_entropy(h @ w2 + b2, y[ids])
        for part in parts:
            part.grad = None
        loss.backward()
        rate = 0.1 if step < PLAIN.steps * 0.75 else 0.02
        for part in parts:
            part.data -= rate * part.grad
    flat = torch.cat([part.detach().flatten() for part in parts]).numpy()
    return losses(Model.of(PLAIN, names.alphabet, flat), names)


def bare(names: NameList, settings: Settings) -> Losses:
    """Without a curve and a history."""
    trainer = Trainer(names, settings)
    while trainer.done < settings.steps:
        trainer.step()
    return losses(trainer.model, names)


def live(names: NameList, settings: Settings) -> Losses:
    return list(Training(names, settings).events())[-1].result.losses


def clocks() -> np.ndarray:
    return np.array([time.perf_counter(), time.process_time()])


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    torch.set_num_threads(1)  # its best, and fair: ours uses one too
    names = example()
    live(names, Settings(steps=50))  # warm
    taken = compete(
        {
            "course": lambda: as_in_courses(names),
            "plain": lambda: bare(names, PLAIN),
            "default": lambda: live(names, Settings()),
        },
        rounds,
    )
    for peer in ("course", "plain"):
        clock, processor = ratio(taken[peer], taken["default"])
        print(f"default, watched live: {clock:.0f} times as fast as {peer} by the clock, {processor:.0f} by processor")
    print(f"wanted: {WANTED} times as fast as the course's way, with losses no worse")
    for settings in (Settings(), Settings(steps=4000)):
        ways = {
            "live": lambda settings=settings: live(names, settings),
            "bare": lambda settings=settings: bare(names, settings),
        }
        taken = compete(ways, 5 * rounds)
        clock, processor = (value - 1 for value in ratio(taken["live"], taken["bare"]))
        print(f"{settings.steps} steps, live beside bare: {clock:+.1%} by the clock, {processor:+.1%} by processor")
    print(f"wanted: watching and recording cost at most {WANTED_LIVE:.0%}")


def compete(ways: dict[str, Callable[[], Losses]], rounds: int) -> dict[str, list[np.ndarray]]:
    """Run all ways in turn, the first one first in every other round; clocks of each."""
    taken: dict[str, list[np.ndarray]] = {way: [] for way in ways}
    for turn in range(rounds):
        for way in list(ways)[:: -1 if turn % 2 else 1]:
            begin = clocks()
            end = ways[way]()
            taken[way].append(clocks() - begin)
            wall, processor = taken[way][-1]
            print(f"  {way:8} {wall:6.2f} s ({processor:6.2f} of processors)  train {end.train:.4f}  dev {end.dev:.4f}")
    return taken


def ratio(above: list[np.ndarray], below: list[np.ndarray]) -> tuple[float, float]:
    """The median over the rounds of one time through the other, by the clock and by processor."""
    pairs = [first / second for first, second in zip(above, below, strict=True)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


if __name__ == "__main__":
    main()
