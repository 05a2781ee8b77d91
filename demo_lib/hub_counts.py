"""How many parameters a model on the Hub has: counted once in a child process, remembered in the cache."""

import json
import time
from contextlib import suppress
from typing import Any

from . import child, hub_problems, sources, weights
from .architectures import Parts, Shape
from .cache import DAY, cache_dir, entry, keep
from .model_counts import Counted, Counts
from .problems import Problem
from .shelf import Shelf

MODULE = "demo_lib.header_range"
# Seconds for all headers of a model; what was counted is believed so long without asking the Hub
SECONDS, FRESH = 90, 7 * DAY
OTHERWISE = ("the models of the list need nothing from it.", "列表里的模型不需要它。")

_OPEN: Shelf[Counted] = Shelf(64)


def open_counts(model: str, *, wait: bool = True) -> Counted:
    """The counts of a Hub model. Whatever goes wrong raises Problem; without `wait`, what is not there yet Waiting."""
    model = sources.check_model_id(model)
    return _OPEN.get(model, lambda: _find(model), wait=wait)


def _memo(model: str) -> str:
    return f"counts-2/{model.replace('/', '--')}.json"


def _find(model: str) -> Counted:
    before = _remembered(model)
    if before and time.time() < (cache_dir() / _memo(model)).stat().st_mtime + FRESH:
        return before
    try:
        answer = _ask(model)
    except Problem:
        if before:
            return before
        raise
    with suppress(OSError):
        keep(_memo(model), json.dumps(answer).encode())
    return _read(answer)


def _remembered(model: str) -> Counted | None:
    data = entry(_memo(model))
    with suppress(ValueError, TypeError, KeyError):  # written by another version of this program
        return _read(json.loads(data)) if data else None
    return None


def _read(answer: dict[str, Any]) -> Counted:
    counts = answer["counts"]
    reasons = tuple((kind, number) for kind, number in counts["reasons"])
    shape = Shape(**answer["shape"] | {"layer_types": tuple(answer["shape"]["layer_types"])})
    found = Counts(counts["stored"], counts["text"], reasons)
    return Counted(found, Parts(**answer["parts"]), shape, answer["stated_rows"], answer["stated_hidden"])


def _ask(model: str) -> dict[str, Any]:
    folder = str(cache_dir().absolute() / "hub")
    try:
        answer = child.ask_once(MODULE, "count", model, folder, seconds=SECONDS, environment=sources.hub_environment())
    except child.ChildError as error:
        raise _problem(error.reason, model, "", 0) from None
    if "kind" in answer:
        limit = weights.CONFIG_LIMIT if answer["filename"] == "config.json" else weights.INDEX_LIMIT
        raise _problem(answer["kind"], model, answer["filename"], limit)
    return answer


def _problem(kind: str, model: str, filename: str, limit: int) -> Problem:
    return hub_problems.hub_problem(kind, model, filename, limit, OTHERWISE)
