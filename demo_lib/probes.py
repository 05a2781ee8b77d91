"""The probes room: what lies near what in a real model's embedding table, before its first layer."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .analogies import Analogy, analogy
from .copies import Copies, copies
from .encoding import check_text
from .equidistant import OneHots, Packing, Ruler, one_hots, packing, ruler, simplex
from .indexing import OneHot, index_shape, one_hot
from .maps import Map, points
from .nearest import METRICS, warm
from .neighbours import MAX_NEIGHBOURS, MAX_WORDS, Neighbour, Neighbours, neighbours
from .problems import Problem
from .table_facts import Facts, facts, lengths
from .tables import default_table, is_cached, open_table
from .words import SCRIPTS, Word, check_words, look_up, read_axis, read_words, spell, split_words

# what the tab meets of the foundation, it meets here
__all__ = [
    "MAX_NEIGHBOURS",
    "MAX_WORDS",
    "METRICS",
    "SCRIPTS",
    "Analogy",
    "Copies",
    "Facts",
    "Map",
    "Neighbour",
    "Neighbours",
    "OneHot",
    "OneHots",
    "Packing",
    "Ruler",
    "Word",
    "analogy",
    "copies",
    "default_table",
    "facts",
    "index_shape",
    "is_cached",
    "lengths",
    "look_up",
    "neighbours",
    "one_hot",
    "one_hots",
    "open_table",
    "packing",
    "points",
    "read_axis",
    "read_words",
    "ruler",
    "simplex",
    "spell",
    "split_words",
    "warm",
]


@dataclass(frozen=True)
class Pair:
    """Two words: dot = |first| |second| cosine. The angle between them is in degrees."""

    first: Word
    second: Word
    dot: float
    norms: tuple[float, float]
    cosine: float
    angle: float
    distance: float


def similarity(words: Sequence[str | int], table, *, mean: bool = False) -> Any:
    """Cosines of up to 30 words with each other: a DataFrame (n, n), whose index and columns are the words.

    A row of zeros has cosine 0 with everything.
    """
    import numpy as np
    import pandas as pd

    found = [look_up(word, table, mean=mean) for word in check_words(words, MAX_WORDS)]
    vectors = np.stack([word.vector for word in found])
    norms = np.linalg.norm(vectors, axis=1)
    units = vectors / np.where(norms > 0, norms, 1)[:, None]
    cosines = units @ units.T
    cosines[np.diag_indices(len(found))] = norms > 0
    names = [word.word for word in found]
    return pd.DataFrame(np.clip(cosines, -1, 1), index=names, columns=names)


def pair(first: str | int, second: str | int, table, *, mean: bool = False) -> Pair:
    """Two words compared, for a sentence: cos(今天, 明天) = 0.52."""
    import numpy as np

    a, b = look_up(first, table, mean=mean), look_up(second, table, mean=mean)
    norms = float(np.linalg.norm(a.vector)), float(np.linalg.norm(b.vector))
    dot = float((a.vector * b.vector).sum())
    cosine = float(np.clip(dot / (norms[0] * norms[1]), -1, 1)) if all(norms) else 0.0
    distance = float(np.linalg.norm(a.vector - b.vector))
    return Pair(a, b, dot, norms, cosine, float(np.degrees(np.arccos(cosine))), distance)


def neighbour_rows(word: str, table, metric: str = "cosine", k: int = 10, **how) -> list[dict]:
    """The neighbours of one word for a program, rows {id, piece, score, norm}."""
    check_text(word)
    return [asdict(row) for row in neighbours(word, table, metric, k, **how)[0].rows]


def similarity_row(words: Sequence[str], table, **how) -> dict:
    """The similarities for a program: {words, cosines (n x n)}, where a word that comes twice has two rows."""
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise Problem("Give the words as a list of strings.", "请以字符串列表的形式给出词。")
    frame = similarity(words, table, **how)
    check_words([*range(len(words))], MAX_WORDS)  # the table of answers grows with repeated words too
    places = frame.index.get_indexer(words)
    return {"words": list(words), "cosines": frame.to_numpy()[places][:, places].tolist()}


def analogy_rows(a: str, b: str, c: str, table, k: int = 10, **how) -> list[dict]:
    """The answers to an analogy for a program, rows {id, piece, score, norm}."""
    for word in (a, b, c):
        check_text(word)
    return [asdict(row) for row in analogy(a, b, c, table, k=k, **how).rows]
