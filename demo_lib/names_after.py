"""After the training: what lies near what, what it is worth beside counting, new names, and what never was."""

import math
import unicodedata
from dataclasses import dataclass

from .maps import principal
from .names_counts import CountLosses, Losses, check_smoothing, count
from .names_data import MAX_LENGTH, PARTS, NameList, encode
from .names_mlp import Model
from .names_record import History, Result
from .problems import Problem
from .table import Array

MAX_SAMPLES = 200
TRIES = 50  # names drawn for each that is wanted: where nearly all are in the list, fewer are found
VOWELS = set("aeiouæœøıəɛɔ" + "αεηιουω" + "аеиоуыэюяіє")


def cosines(embedding: Array) -> Array:
    """The cosine of each character with each other: float64 (k, k). A row of zeros has 0 with everything."""
    import numpy as np

    rows = embedding.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(lengths > 0, lengths, 1)
    return np.clip(rows @ rows.T, -1, 1)


def nearest_characters(embedding: Array, index: int, count: int = 5) -> list[tuple[int, float]]:
    """The characters with the largest cosine to number `index`, itself not counted, ties by number."""
    row = cosines(embedding)[index]
    order = sorted((other for other in range(len(row)) if other != index), key=lambda other: (-row[other], other))
    return [(other, float(row[other])) for other in order[:count]]


@dataclass(frozen=True)
class Between:
    """Two characters compared: cosine = dot / (norm_a norm_b), or 0 where a norm is 0."""

    dot: float
    norm_a: float
    norm_b: float
    cosine: float
    distance: float


def between(embedding: Array, a: int, b: int) -> Between:
    """Two rows of the embedding, compared in the ways that there are."""
    import numpy as np

    first, second = embedding[[a, b]].astype(np.float64)
    dot, lengths = float((first * second).sum()), [float(np.linalg.norm(row)) for row in (first, second)]
    product = math.prod(lengths)
    cosine = max(-1.0, min(1.0, dot / product)) if product else 0.0
    return Between(dot, *lengths, cosine, float(np.linalg.norm(first - second)))


@dataclass(frozen=True, eq=False)
class Plane:
    """The characters in two dimensions: `points` float64 (k, 2), or (n, k, 2) for n moments.

    `how`: "line" for embeddings of one number, drawn at height 0; "as it is" for two; "pca" for more: the two
    directions along which the characters differ most. `explained`: the share of the variance along each axis.
    """

    points: Array
    explained: tuple[float, float]
    how: str


def plane(embedding: Array, before: Array | None = None) -> Plane:
    """The characters of an embedding (k, dim) in the plane.

    `before`: where they were a moment ago, (k, 2): principal components may turn round or swap, and then the map is
    turned so that it follows.
    """
    import numpy as np

    points = embedding.astype(np.float64)
    if points.shape[1] <= 2:
        flat = np.concatenate([points, np.zeros((len(points), 2 - points.shape[1]))], 1)
        shares = flat.var(0) / max(flat.var(0).sum(), 1e-300)
        return Plane(flat, (float(shares[0]), float(shares[1])), "line" if points.shape[1] == 1 else "as it is")
    places, explained = principal(points)
    if before is not None:
        alike = places.T @ (before - before.mean(0))
        if abs(alike[0, 0] * alike[1, 1]) < abs(alike[0, 1] * alike[1, 0]):
            places, explained, alike = places[:, ::-1], explained[::-1], alike[::-1]
        places = places * np.where(np.diag(alike) < 0, -1, 1)
    return Plane(places, explained, "pca")


def planes(history: History) -> Plane:
    """All moments of a training on the axes of the last one: (n, k, 2)."""
    import numpy as np

    last = history.embeddings[-1].astype(np.float64)
    found = plane(last)
    if found.how != "pca":
        return Plane(np.stack([plane(one).points for one in history.embeddings]), found.explained, found.how)
    centre = last.mean(0)
    axes = np.linalg.pinv(last - centre) @ found.points
    return Plane((history.embeddings.astype(np.float64) - centre) @ axes, found.explained, "pca")


def kind(character: str, mark: str) -> str:
    """ "mark", "vowel", "consonant" or "other". Of Latin, Greek and Cyrillic letters, accents aside; y is a consonant.

    >>> [kind(one, ".") for one in ".aÉyж字"]
    ['mark', 'vowel', 'vowel', 'consonant', 'consonant', 'other']
    """
    if character == mark:
        return "mark"
    base = unicodedata.normalize("NFD", character)[0].lower()
    if base in VOWELS and character.lower() not in "йў":
        return "vowel"
    script = unicodedata.name(base, "").split(" ")[0]
    return "consonant" if base.isalpha() and script in ("LATIN", "GREEK", "CYRILLIC") else "other"


@dataclass(frozen=True)
class Comparison:
    """Losses in nats a position: the model's; of counting with one character of context, and with as many as the model.

    `uniform`: of somebody who knows nothing, log k. The smoothing of each kind of counting is what does best on dev,
    unless it was given.
    """

    model: Losses
    bigram: CountLosses
    counting: CountLosses
    uniform: float


def compare(result: Result, names: NameList, smoothing: float | None = None) -> Comparison:
    """The trained model beside counting. All losses of dev and test are by what train alone has taught."""
    if smoothing is not None:
        check_smoothing(smoothing)
    tables = [count(names, block) for block in (1, result.settings.block)]
    counted = [table.losses(table.best_smoothing if smoothing is None else smoothing) for table in tables]
    return Comparison(result.losses, *counted, math.log(names.size))


@dataclass(frozen=True)
class Samples:
    """New names. `tried` were drawn; `rejected` of them were in the list, or there already, or empty or too long."""

    names: tuple[str, ...]
    rejected: int
    tried: int


def sample(model: Model, names: NameList, count: int = 20, seed: int = 0, new_only: bool = True) -> Samples:
    """Names that the model makes up, a character at a time, each with its probability, until the mark comes.

    `new_only`: none from the list, and none twice; there may be fewer than `count` where the model knows little else.
    """
    import numpy as np

    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_SAMPLES:
        raise Problem(f"Ask for 1 to {MAX_SAMPLES} names.", f"请要 1 到 {MAX_SAMPLES} 个名字。")
    random, known = np.random.default_rng([seed, 2]), set(names.names) if new_only else set()
    found: list[str] = []
    tried = 0
    while len(found) < count and tried < TRIES * count:
        for name in _draw(model, random, count):
            if len(found) < count:
                tried += 1
                if name and name not in known:
                    found.append(name)
                    known.update([name] if new_only else [])
    return Samples(tuple(found), tried - len(found), tried)


def _draw(model: Model, random, count: int) -> list[str]:
    """So many names, side by side; "" for one that is empty or has no end."""
    import numpy as np

    x, lines, open_ = np.zeros((count, model.settings.block), np.intp), [""] * count, np.arange(count)
    for _ in range(MAX_LENGTH + 1):
        until = np.cumsum(np.exp(model.log_probabilities(x[open_])), 1)
        drawn = (until < random.random((len(open_), 1)) * until[:, -1:]).sum(1)
        x[open_] = np.concatenate([x[open_, 1:], drawn[:, None]], 1)
        for line, character in zip(open_.tolist(), drawn.tolist(), strict=True):
            lines[line] += model.alphabet[character] if character else ""
        open_ = open_[drawn > 0]
        if not len(open_):
            break
    for line in open_:
        lines[line] = ""
    return lines


@dataclass(frozen=True, eq=False)
class Next:
    """What comes after a prefix: what counting says, from train, and what the model says, float64 (k,).

    `context`: the last characters that both see, with the mark before the start of a name. `seen`: how often it is in
    train; where it never is, `counts` and `counted` are None, for counting has nothing to say.
    """

    prefix: str
    context: str
    seen: int
    counts: Array | None
    counted: Array | None
    predicted: Array


def next_character(prefix: str, model: Model, names: NameList) -> Next:
    """The next character after the beginning of a name, by counting and by the model. A mark in front is no matter."""
    import numpy as np

    prefix = unicodedata.normalize("NFC", prefix.strip()).lstrip(names.mark)
    if len(prefix) > MAX_LENGTH:
        raise Problem(
            f"The beginning of a name has at most {MAX_LENGTH} characters here.",
            f"名字的开头最多 {MAX_LENGTH} 个字符。",
        )
    block = model.settings.block
    ids = ((0,) * block + encode(prefix, names))[-block:]
    context = "".join(names.alphabet[i] for i in ids)
    counts = count(names, block).row(context, "train")
    seen = int(counts.sum())
    predicted = np.exp(model.log_probabilities(np.array([ids]))[0])
    known = (counts, counts / seen) if seen else (None, None)
    return Next(prefix, context, seen, *known, predicted)


def never_seen(names: NameList, block: int, most: int = 10) -> tuple[str, ...]:
    """Contexts that dev has and train has not, the most frequent first: counting knows nothing about them."""
    import numpy as np

    counts = count(names, block)
    train, dev = (counts.totals(PARTS.index(part)) for part in ("train", "dev"))
    new = np.flatnonzero((train == 0) & (dev > 0))
    return tuple(counts.text(i) for i in new[np.argsort(-dev[new], kind="stable")][:most])
