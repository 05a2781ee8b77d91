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
    """A token that could come next. `probability`: of the softmax of all logits, temperature and top-k aside."""

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
    `cosine` divides each row of E^T by its length. `rms_norm` divides x by its root mean square first, as models do
    (their learned weights left out): all logits grow alike, so the order stays and the probabilities sharpen. `output`
    takes the separate output table of a model that has one. Rows without a token take part.
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
    random = np.random.default_rng(seed)
    known: dict[int, _Scores] = {}
    done, last = [], ids[-1]
    for _ in range(steps):
        if last not in known:
            known = {last: _Scores(table, exit, last, cosine, rms_norm)}
        done.append(known[last].step(temperature, top_k, random))
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
        self._metric, self._scale = ("cosine", length) if cosine else ("dot", 1.0)
        self._scores = dots(exit, self._x)[0]
        if cosine:
            self._scores = self._scores / np.where(exit.norms > 0, exit.norms * np.float32(length or 1), 1)
        self._logits = self._scores.astype(np.float64) * self._scale
        self._sum = self._logits.max() + math.log(np.exp(self._logits - self._logits.max()).sum())

    def _candidate(self, id: int, logit: float) -> Candidate:
        return Candidate(id, name(self._table, id), logit, math.exp(logit - self._sum))

    def _best(self, k: int) -> tuple[Candidate, ...]:
        hits = top(self._exit, self._x, self._scores, k, self._metric)
        scores = (hits.scores * self._scale).tolist()
        return tuple(self._candidate(id, score) for id, score in zip(hits.ids.tolist(), scores, strict=True))

    def step(self, temperature: float, top_k: int | None, random) -> Step:
        import numpy as np

        best = self._best(max(SHOWN, top_k or 1) if temperature else SHOWN)
        chosen = best[0]
        if temperature and top_k:
            chosen = best[_draw(np.array([one.logit for one in best[:top_k]]), temperature, random)]
        elif temperature:
            id = _draw(self._logits, temperature, random)
            chosen = self._candidate(id, float(self._logits[id]))
        before = rank(self._exit, self._x, self._id, self._scores, self._metric)
        own = self._candidate(self._id, float(self._logits[self._id]))
        own = next((one for one in best if one.id == self._id), own)
        return Step(own, before + 1, best[:SHOWN], chosen)


def _draw(logits: Array, temperature: float, random) -> int:
    """An index, with the probabilities of softmax(logits / temperature)."""
    import numpy as np

    weights = np.cumsum(np.exp((logits - logits.max()) / temperature))
    return int(min(np.searchsorted(weights, random.random() * weights[-1], side="right"), len(weights) - 1))


def parrot_row(text: str, table, steps: int = 5, temperature: float = 0, **how) -> dict:
    """The parrot for a program: {ids, text, steps: [{top: [{id, piece, logit, probability}], ...}]}."""
    said = parrot(text, table, steps, temperature, **how)
    return {"ids": list(said.new_ids), "text": said.said, "steps": [asdict(step) for step in said.steps]}
