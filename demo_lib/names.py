"""The names room: windows over names, counting, and a small network that learns what counting cannot know."""

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace
from typing import Any

from .names_after import (
    Between,
    Comparison,
    Next,
    Plane,
    Samples,
    between,
    compare,
    cosines,
    kind,
    nearest_characters,
    never_seen,
    next_character,
    plane,
    planes,
    sample,
)
from .names_counts import MAX_SMOOTHING, Bigram, CountLosses, Counts, Losses, bigram, count
from .names_data import (
    MAX_BLOCK,
    MAX_BYTES,
    MAX_LENGTH,
    MAX_LINES,
    PARTS,
    Dropped,
    NameList,
    Shapes,
    Windows,
    example,
    name_windows,
    read_names,
    shapes,
)
from .names_mlp import LIMITS, PLAIN, Model, Part, Settings, limits, parameter_parts, parameters
from .names_record import History, Point, Result, losses, train
from .names_sizes import SIZES, SizeEvent, SizeExperiment, SizeRow
from .names_train import MAX_WAITING, SEATS, Event, Training

# what the tab meets of the parts, it meets here
__all__ = [
    "LIMITS", "MAX_BLOCK", "MAX_BYTES", "MAX_LENGTH", "MAX_LINES", "MAX_SMOOTHING", "MAX_WAITING", "PARTS", "PLAIN",
    "SEATS", "SIZES", "Between", "Bigram", "Comparison", "CountLosses", "Counts", "Dropped", "Event", "History",
    "Losses", "Model", "NameList", "Next", "Part", "Plane", "Point", "Result", "Samples", "Settings", "Shapes",
    "SizeEvent", "SizeExperiment", "SizeRow", "Training", "Windows", "between", "bigram", "compare", "cosines", "count",
    "example", "kind", "limits", "losses", "name_windows", "nearest_characters", "never_seen", "next_character",
    "number", "parameter_parts", "parameters", "plane", "planes", "read_names", "sample", "shapes", "train",
]  # fmt: skip

SAMPLES = 20


def windows_row(name: str, block: int = 3) -> dict:
    """The windows of a name for a program: {name, block, contexts, targets, x, y, shapes}.

    `shapes` are those of x, y, and one_hot for this name.
    """
    names = example()
    found = name_windows(name, block, names)
    n = len(found.y)
    made = {"x": [n, block], "y": [n], "one_hot": [n, block, names.size]}
    return asdict(found) | {"shapes": made}


def bigram_row(smoothing: float = 0.0) -> dict:
    """Counting with one character of context, for a program: {positions, an, loss, train, dev, test}.

    `loss` is of the whole list by the counts of the whole list; `dev` and `test` are by the counts of train, and None
    where something happened that those counts say never does.
    """
    found = bigram(example(), smoothing)
    by_train = {part: number(getattr(found.losses, part)) for part in PARTS}
    return {"positions": found.positions, "an": found.of("an"), "loss": found.losses.all} | by_train


def number(loss: float) -> float | None:
    """A loss for JSON, which knows neither infinity nor what is no number."""
    return loss if math.isfinite(loss) else None


def train_rows(**settings: Any) -> Iterator[dict]:
    """A training for a program: {state, place, step, steps, train, dev} as it goes on, and at last what came of it.

    The last one has besides {parameters, losses, embedding, samples}: losses of train, dev and test; the row of each
    character; 20 names that are not in the list.
    """
    names = example()
    wanted = replace(Settings(), **settings)
    with closing(Training(names, wanted).events()) as events:
        for event in events:
            row = {"state": event.state, "place": event.place, "step": event.step, "steps": event.steps}
            if event.curve:
                row |= {"train": event.train, "dev": event.dev}
            yield row | (_came_of(event, names) if event.result else {})


def _came_of(event: Event, names: NameList) -> dict:
    settings, model = event.result.settings, event.result.model
    return {
        "parameters": parameters(settings, names.size),
        "losses": asdict(event.result.losses),
        "embedding": dict(zip(names.alphabet, event.embedding.tolist(), strict=True)),
        "samples": list(sample(model, names, SAMPLES, settings.seed).names),
    }
