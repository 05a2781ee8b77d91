"""What the names tab draws: the list, its windows, counting, and a training as it goes on."""

import math
from typing import Any

from demo_lib import names as room
from demo_lib.problems import Problem
from demo_lib.tabs import page
from demo_lib.tabs.text.names import TEXT

w = page.Words("names", TEXT)
SHOWN = 40  # characters of a matrix; a longer alphabet shows its most frequent ones
NUMBERS = 24_000  # of the points that the page keeps, for stepping back
MANY = 10**6  # positions from which on counting is shown for fewer blocks: it would take long
SETTINGS = ("block", "dim", "hidden", "steps", "batch", "rate", "seed", "one_hot", "plain")


def of(names: room.NameList | None) -> room.NameList:
    """The list of a visitor, who begins with that of the project."""
    return names or room.example()


def settings(*fields: Any) -> room.Settings:
    """The fields of the page; what is left empty or no whole number is told when it is checked."""
    whole = (int(one) if isinstance(one, float) and one.is_integer() else one for one in fields)
    return room.Settings(**dict(zip(SETTINGS, whole, strict=True)))


def listed(names: room.NameList) -> dict:
    """What the list is, and what was left out of it."""
    dropped = {kind: n for kind, n in vars(names.dropped).items() if n}
    return {
        "label": w.both("list_us") if names is room.example() else {"en": names.label, "zh": names.label},
        "names": len(names.names),
        "duplicates": names.duplicates,
        "size": names.size,
        "mark": names.mark,
        "alphabet": "".join(names.alphabet[1:]),
        "positions": names.positions,
        "parts": [names.names_in(part) for part in room.PARTS],
        "dropped": dropped,
    }


def windows(names: room.NameList, name: str, block: int, dim: int) -> dict:
    found, shapes = room.name_windows(name or "", int(block), names), room.shapes(names, int(block), int(dim))
    return {
        "rows": [
            [context, target, list(x), y]
            for context, target, x, y in zip(found.contexts, found.targets, found.x, found.y, strict=True)
        ],
        "name": found.name,
        "mark": names.mark,
        "shapes": {key: list(one) if isinstance(one, tuple) else one for key, one in vars(shapes).items()},
    }


def frequent(names: room.NameList) -> list[int]:
    """The mark and the most frequent characters, in the order of the alphabet."""
    counts = room.bigram(names).counts.sum(0)
    order = sorted(range(1, names.size), key=lambda i: -counts[i])[: SHOWN - 1]
    return [0, *sorted(order)]


def pairs(names: room.NameList, smoothing: float) -> dict:
    """The table of pairs; the page works the probabilities out."""
    found, shown = room.bigram(names, smoothing), frequent(names)
    losses = {key: room.number(value) for key, value in vars(found.losses).items()}
    return {
        "letters": [names.alphabet[i] for i in shown],
        "counts": found.counts[shown][:, shown].tolist(),
        "totals": found.counts.sum(1)[shown].tolist(),
        "size": names.size,
        "positions": found.positions,
        "losses": losses,
    }


def blocks(names: room.NameList) -> range:
    return range(1, room.MAX_BLOCK + 1 if names.positions < MANY else 4)


def block_row(names: room.NameList, block: int, smoothing: float) -> dict:
    """Counting with so many characters of context: how much of the table is empty, and what it loses."""
    counts = room.count(names, block)
    losses, best = counts.losses(smoothing), counts.best_smoothing
    return {
        "block": block,
        "rows": counts.rows,
        "contexts": counts.contexts_seen,
        "cells": counts.cells,
        "seen": counts.cells_seen,
        "empty": counts.empty,
        "dev": room.number(losses.dev),
        "impossible": losses.impossible,
        "positions": losses.dev_positions,
        "best": counts.losses(best).dev,
        "smoothing": best,
    }


def parts(names: room.NameList, *fields: Any) -> dict:
    """The parameters of the network that the settings make."""
    chosen = settings(*fields)
    chosen.check(names)
    made = room.parameter_parts(chosen, names.size)
    return {
        "parts": [[part.name, list(part.shape), part.count, part.trained] for part in made],
        "total": room.parameters(chosen, names.size),
        "block": chosen.block,
        "dim": chosen.width(names.size),
        "hidden": chosen.hidden,
        "size": names.size,
    }


def _rounded(array) -> list:
    return array.round(4).tolist()


def _frame(names: room.NameList, chosen: room.Settings) -> dict:
    """What stays the same as long as a training goes on."""
    pairs = room.count(names, 1)
    return {
        "letters": [[one, room.kind(one, names.mark)] for one in names.alphabet],
        "dim": chosen.width(names.size),
        "block": chosen.block,
        "steps": chosen.steps,
        "uniform": math.log(names.size),
        "pairs": pairs.losses(pairs.best_smoothing).dev,
    }


def before(names: room.NameList, *fields: Any) -> dict:
    """The map and the curves before a training: the numbers are drawn at random."""
    try:
        chosen = settings(*fields)
        chosen.check(names)
    except Problem:
        chosen = room.Settings(dim=min(2, names.size))
    embedding = room.Model.start(chosen, names.alphabet).C
    found = room.plane(embedding)
    return _frame(names, chosen) | {
        "state": "idle",
        "step": 0,
        "curve": [],
        "points": _rounded(found.points),
        "rows": _rounded(embedding),
        "how": found.how,
        "explained": found.explained,
    }


class Picture:
    """A training drawn one event after another: the map of a moment is turned so that it follows the one before."""

    def __init__(self, names: room.NameList, chosen: room.Settings, run: float) -> None:
        self._names, self._frame, self._run = names, _frame(names, chosen), run
        self._points = None

    def draw(self, event: room.Event) -> dict:
        found = room.plane(event.embedding, self._points)
        moments = None
        if event.result:
            steps, path, found = _moments(event.result.history, self._names.size)
            moments = {"steps": steps, "points": path}
        self._points = found.points
        return self._frame | {
            "run": self._run,
            "state": event.state,
            "place": event.place,
            "step": event.step,
            "seconds": event.seconds,
            "curve": [[point.step, round(point.train, 5), round(point.dev, 5)] for point in event.curve],
            "points": _rounded(found.points),
            "rows": _rounded(event.embedding),
            "how": found.how,
            "explained": found.explained,
            "moments": moments,
        }


def _moments(history: room.History, k: int) -> tuple[list[int], list, room.Plane]:
    """Steps and points of so many moments as the page keeps, and the plane of the last."""
    found, n = room.planes(history), len(history.steps)
    most = max(2, min(n, NUMBERS // (2 * k)))
    kept = sorted({round(i * (n - 1) / max(1, most - 1)) for i in range(most)})
    last = room.Plane(found.points[-1], found.explained, found.how)
    return history.steps[kept].tolist(), _rounded(found.points[kept]), last
