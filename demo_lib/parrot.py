"""The parrot room: a model with an entrance and an exit and no layers between, and how often it repeats its input."""

import math
from dataclasses import asdict, dataclass

from .encoding import check_text
from .nearest import dots, rank, top
from .parrot_rate import Attractor, Beaten, Rate, beaten, parrot_rate, rate_row
from .problems import Problem
from .table import Array
from .tables import default_table, is_cached, open_table
from .words import name

# what the tab meets of the foundation, it meets here
__all__ = [
    "Attractor",
    "Beaten",
    "Rate",
    "beaten",
    "default_table",
    "is_cached",
    "name",
    "open_table",
    "parrot_rate",
    "rate_row",
]

LIMIT = 2000  # characters
MAX_STEPS, MAX_TOP_K, SHOWN = 50, 1000, 10


@dataclass(frozen=True)
class Candidate:
    """A token that could come next. `probability`: with which it is drawn; with temperature 0, where nothing is, as by
    temperature 1 of all logits."""

    id: int
    piece: str
    logit: float
    probability: float


@dataclass(frozen=True)
class Step:
    """One token said: the last token `input`, as a candidate itself, and its rank (1: it has the largest logit).

    `top` are the ten largest logits, ties by the lowest id; `chosen` is what was said.
    """

    input: Candidate
    rank: int
    top: tuple[Candidate, ...]
    chosen: Candidate


@dataclass(frozen=True)
class Parrot:
    """`ids` and `pieces` of the text, of which x = E[ids] has `shape`; then what was said, `new_ids` and `said`."""

    text: str
    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    shape: tuple[int, int]
    logits_shape: tuple[int, int]
    steps: tuple[Step, ...]
    new_ids: tuple[int, ...]
    said: str


def parrot(
    text: str,
    table,
    steps: int = 5,
    temperature: float = 0,
    top_k: int | None = None,
    seed: int = 0,
    *,
    cosine: bool = False,
    rms_norm: bool = False,
    output: bool = False,
) -> Parrot:
    """What a model without layers says: x = E[ids]; logits = x E^T, of the last token; the next token; and so on.

    `temperature` 0 takes the largest logit; above 0 one is drawn, of the `top_k` largest if given, with `seed`.
    `cosine` divides x and each row of E^T by their lengths: a logit is then a cosine. `rms_norm` divides x by its root
    mean square first, as models do (their learned weights left out): all logits grow alike, so the order stays and the
    probabilities sharpen; a cosine is as it was. `output` takes the separate output table of a model that has one. Rows
    without a token take part.
    """
    import numpy as np

    check_text(text)
    _check(text, steps, temperature, top_k)
    if output and table.output is None:
        raise Problem(
            f"{table.info.label} is tied: its output table is its input table, so there is no other to use.",
            f"{table.info.label} 是绑定的：输出表就是输入表，没有另一张表可用。",
        )
    ids = tuple(table.vocab.encode(text).ids)
    if not ids:
        raise Problem("Write a text to begin with.", "请先写一段文本。")
    shape, exit = table.rows(ids).shape, table.output if output else table
    random, choice = np.random.default_rng(seed), _Choice(temperature, top_k)
    known: dict[int, _Scores] = {}
    done, last = [], ids[-1]
    for _ in range(steps):
        if last not in known:
            known = {last: _Scores(table, exit, last, cosine, rms_norm)}
        done.append(known[last].step(choice, random))
        last = done[-1].chosen.id
    new = tuple(step.chosen.id for step in done)
    said = table.vocab.decode([id for id in new if table.used[id]])
    pieces = tuple(name(table, id) for id in ids)
    return Parrot(text, ids, pieces, shape, (shape[0], exit.info.rows), tuple(done), new, said)


def _check(text: str, steps: int, temperature: float, top_k: int | None) -> None:
    if len(text) > LIMIT:
        raise Problem(
            f"The text has {len(text):,} characters and this tab takes {LIMIT:,}: only its last token counts anyway.",
            f"文本有 {len(text):,} 个字符，本页最多 {LIMIT:,} 个：反正只有最后一个 token 起作用。",
        )
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= MAX_STEPS:
        raise Problem(f"Choose 1 to {MAX_STEPS} steps.", f"请选择 1 到 {MAX_STEPS} 步。")
    if isinstance(temperature, bool) or not isinstance(temperature, int | float) or not 0 <= temperature <= 100:
        raise Problem("Choose a temperature from 0 to 100.", "温度请选择 0 到 100。")
    if top_k is not None and (not isinstance(top_k, int) or not 1 <= top_k <= MAX_TOP_K):
        raise Problem(f"Choose a top-k from 1 to {MAX_TOP_K:,}, or none.", f"top-k 请选择 1 到 {MAX_TOP_K:,}，或不设。")


@dataclass(frozen=True)
class _Choice:
    """How the next token is chosen: the largest logit (`temperature` 0), or drawn, of the `top_k` largest if given."""

    temperature: float
    top_k: int | None

    @property
    def among(self) -> int | None:
        return self.top_k if self.temperature else None

    def weights(self, logits: Array, largest: float) -> Array:
        """What the probabilities are in proportion to: softmax(logits / temperature)."""
        import numpy as np

        with np.errstate(over="ignore"):
            return np.exp(np.minimum(logits - largest, 0) / (self.temperature or 1))


class _Scores:
    """All logits of one last token."""

    def __init__(self, table, exit, id: int, cosine: bool, rms_norm: bool) -> None:
        import numpy as np

        self._table, self._exit, self._id = table, exit, id
        self._x = table.rows([id])[0].astype(np.float64)
        length = float(np.linalg.norm(self._x))
        if rms_norm:
            self._x = self._x / math.sqrt(length**2 / len(self._x) + 1e-6)
            length = float(np.linalg.norm(self._x))
        self._metric = "cosine" if cosine else "dot"
        self._scores = dots(exit, self._x)[0]
        if cosine:
            self._scores = self._scores / np.where(exit.norms > 0, exit.norms * np.float32(length or 1), 1)
        self._logits = self._scores.astype(np.float64)

    def step(self, choice: _Choice, random) -> Step:
        import numpy as np

        hits = top(self._exit, self._x, self._scores, max(SHOWN, choice.among or 1), self._metric)
        self._logits[hits.ids] = hits.scores  # exact where it shows
        ids = hits.ids[: choice.among] if choice.among else np.arange(len(self._logits))
        weights = choice.weights(self._logits[ids], hits.scores[0])
        shares = np.zeros(len(self._logits))
        shares[ids] = weights / weights.sum()

        def candidate(id: int) -> Candidate:
            return Candidate(id, name(self._table, id), float(self._logits[id]), float(shares[id]))

        shown = tuple(candidate(id) for id in hits.ids[:SHOWN].tolist())
        chosen = candidate(int(ids[_draw(weights, random)])) if choice.temperature else shown[0]
        before = rank(self._exit, self._x, self._id, self._scores, self._metric)
        return Step(candidate(self._id), before + 1, shown, chosen)


def _draw(weights: Array, random) -> int:
    """An index, with probabilities in proportion to `weights`."""
    import numpy as np

    sums = np.cumsum(weights)
    return int(min(np.searchsorted(sums, random.random() * sums[-1], side="right"), len(sums) - 1))


def parrot_row(text: str, table, steps: int = 5, temperature: float = 0, **how) -> dict:
    """The parrot for a program: {ids, text, steps: [{top: [{id, piece, logit, probability}], ...}]}."""
    said = parrot(text, table, steps, temperature, **how)
    return {"ids": list(said.new_ids), "text": said.said, "steps": [asdict(step) for step in said.steps]}
