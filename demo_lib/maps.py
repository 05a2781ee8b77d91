"""Words of a table in two dimensions: by principal components, or along axes that are named by pairs of words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import neighbours as listing
from .problems import Problem
from .table import Array
from .words import Word, check_words, look_up, name

MAX_NEARBY = 10


@dataclass(frozen=True, eq=False)
class Map:
    """Words in the plane.

    `points`: DataFrame {label, id, x, y, norm, of}; `id` is a row, -1 for the mean of several; `of` is the word that a
    row is a neighbour of, "" for the words themselves. `explained`: the share of the variance of these points that lies
    along x and along y; for named axes, which need not be at right angles, the share in their plane, and 0.
    `axes`: ("", "") or "night → day" for each. `between`: the cosine of the two axes.
    """

    points: Any
    explained: tuple[float, float]
    axes: tuple[str, str]
    between: float


def points(
    words: Sequence[str | int],
    table,
    neighbours: int = 0,
    axes: Sequence[Sequence[str | int]] | None = None,
    *,
    mean: bool = False,
) -> Map:
    """Words, and the nearest `neighbours` rows of each, on a map.

    Without `axes`, by principal component analysis of these points (centred, not scaled), each axis turned so that
    its largest coefficient is positive. With axes [("night", "day"), ("king", "queen")], a point's place on an axis is
    where it falls on the line between the two words: 0 at the first, 1 at the second.
    """
    import numpy as np
    import pandas as pd

    # a map takes two points, and one word with its neighbours has them
    found = [look_up(word, table, mean=mean) for word in check_words(words, listing.MAX_WORDS, 1 if neighbours else 2)]
    rows, vectors = _rows(found, table, neighbours)
    if axes is None:
        places, explained = principal(vectors)
        labels, between = ("", ""), 0.0
    else:
        lines = [_line(pair, table, mean) for pair in _two(axes)]
        places, explained, between = along(vectors, lines)
        labels = tuple(f"{first.word} → {second.word}" for first, second in lines)
    frame = pd.DataFrame(rows, columns=["label", "id", "of"])
    frame["x"], frame["y"], frame["norm"] = places[:, 0], places[:, 1], np.linalg.norm(vectors, axis=1)
    return Map(frame[["label", "id", "x", "y", "norm", "of"]], explained, labels, between)


def _rows(found: list[Word], table, count: int) -> tuple[list[tuple], Array]:
    import numpy as np

    if not isinstance(count, int) or not 0 <= count <= MAX_NEARBY:
        raise Problem(f"Choose 0 to {MAX_NEARBY} neighbours.", f"请选择 0 到 {MAX_NEARBY} 个近邻。")
    rows = [(word.word, -1 if word.row is None else word.row, "") for word in found]
    vectors, seen = [word.vector for word in found], {word.row for word in found}
    for word in found if count else []:
        near = listing.neighbours(word.row if word.row is not None else word.word, table, k=count, mean=True)[0]
        new = [row.id for row in near.rows if row.id not in seen]
        seen |= set(new)
        rows += [(name(table, id), id, word.word) for id in new]
        vectors += list(table.rows(new).astype(np.float64))
    return rows, np.stack(vectors)


def principal(vectors: Array) -> tuple[Array, tuple[float, float]]:
    """Rows (n, dim) to (n, 2) along their first two principal components, and the share of variance along each."""
    import numpy as np

    centred = vectors - vectors.mean(0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    # of a component only the line is given, not which way it points
    largest = right[np.arange(len(right)), np.abs(right).argmax(1)]
    places = left * sizes * np.where(largest < 0, -1, 1)
    shares = np.square(sizes) / max(np.square(sizes).sum(), 1e-300)
    places, shares = (np.concatenate([part, np.zeros_like(part)], -1) for part in (places, shares))
    return places[:, :2], (float(shares[0]), float(shares[1]))


def _two(axes) -> list[list[str | int]]:
    pairs = [list(pair) for pair in axes] if isinstance(axes, list | tuple) else []
    if len(pairs) != 2 or any(len(pair) != 2 for pair in pairs):
        raise Problem("Name each of the two axes by two words.", "请用两个词为两条轴各命名。")
    return pairs


def _line(pair: list[str | int], table, mean: bool) -> tuple[Word, Word]:
    first, second = (look_up(word, table, mean=mean) for word in pair)
    if (first.vector == second.vector).all():
        same = first.row is not None and first.row == second.row
        en, zh = ("are the same row", "是同一行") if same else ("have the same numbers", "的数完全相同")
        raise Problem(
            f"“{first.word}” and “{second.word}” {en} and make no axis: choose two different words.",
            f"“{first.word}”和“{second.word}”{zh}，构不成轴：请换两个不同的词。",
        )
    return first, second


def along(vectors: Array, lines: Sequence[tuple[Word, Word]]) -> tuple[Array, tuple[float, float], float]:
    """Places (n, 2) on two lines, the share of the points' variance in their plane, and the cosine between them."""
    import numpy as np

    directions = np.stack([second.vector - first.vector for first, second in lines])
    starts = np.stack([first.vector for first, _ in lines])
    lengths = np.linalg.norm(directions, axis=1)
    places = ((vectors[:, None] - starts) * directions).sum(-1) / np.square(lengths)
    between = float(np.clip((directions[0] * directions[1]).sum() / lengths.prod(), -1, 1))
    plane = np.linalg.svd(directions, full_matrices=False)
    basis = plane[2][plane[1] > 1e-9 * plane[1][0]]
    centred = vectors - vectors.mean(0)
    share = np.square(centred @ basis.T).sum() / max(np.square(centred).sum(), 1e-300)
    return places, (float(share), 0.0), between
