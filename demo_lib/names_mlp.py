"""The multilayer perceptron of Bengio and others (2003), small: its settings, its parameters, and what it predicts.

    x (n, block)  ->  e = C[x] (n, block * dim)  ->  h = tanh(e W1 + b1) (n, hidden)  ->  h W2 + b2 (n, k)

The last are the logits of the k characters that can come next.
"""

import math
from dataclasses import dataclass, fields
from typing import Any

from .names_data import MAX_BLOCK, NameList
from .problems import Problem
from .table import Array

MAX_DIM = 64
LIMITS = {
    "block": (1, MAX_BLOCK), "dim": (1, MAX_DIM), "hidden": (1, 500), "steps": (1, 20_000), "batch": (1, 4096),
    "rate": (0.0001, 1), "seed": (0, 2**32 - 1),
}  # fmt: skip
CALLED = {
    "block": "block size", "dim": "embedding size", "hidden": "hidden size", "steps": "number of steps",
    "batch": "batch", "rate": "learning rate", "seed": "seed",
}  # fmt: skip
CALLED_ZH = {
    "block": "block size", "dim": "embedding 维数", "hidden": "隐藏层大小", "steps": "步数", "batch": "batch 大小",
    "rate": "学习率", "seed": "随机种子",
}  # fmt: skip
MOST_WORK = 10**12  # multiplications of one training: some minutes of one processor
AT_ONCE = 2**19 - 1  # multiplications of one product, up to which OpenBLAS (0.3.31) does not wake other threads
ROWS = 64  # examples in one product; more of them go side by side, in a stack
CHUNK = 8192  # rows whose hidden layer is in memory at once


@dataclass(frozen=True)
class Settings:
    """How a model is made and trained.

    Usually a batch has `batch` distinct contexts, each with how often what follows it, and Adam takes `steps` steps
    with a rate that falls from `rate` on along a cosine. `plain` is how it is first explained: a batch of windows drawn
    at random, and the gradient times `rate`, in the last quarter a fifth of it, is subtracted; PLAIN has the figures
    for that. `one_hot`: C is the identity and stays so; `dim` is then of no account.
    """

    block: int = 3
    dim: int = 2
    hidden: int = 100
    steps: int = 800
    batch: int = 256
    rate: float = 0.05
    seed: int = 0
    one_hot: bool = False
    plain: bool = False

    def check(self, names: NameList) -> None:
        """Raise Problem where a training with these settings and this list cannot be, or would take too long."""
        for field in fields(self)[: len(LIMITS)]:
            _check(field.name, getattr(self, field.name), *limits(names)[field.name])
        check_work(self.work(names.size))

    def width(self, k: int) -> int:
        """Numbers of a row of C."""
        return k if self.one_hot else self.dim

    def work(self, k: int) -> int:
        """Multiplications of the training, roughly: three for each weight, example and step."""
        return 3 * self.steps * self.batch * self.hidden * (self.block * self.width(k) + k)


PLAIN = Settings(steps=20_000, batch=256, rate=0.1, plain=True)


def limits(names: NameList) -> dict[str, tuple[float, float]]:
    """The least and the most of each setting for a list: an embedding has no more numbers than there are characters."""
    return LIMITS | {"dim": (1, min(MAX_DIM, names.size))}


def check_work(multiplications: int) -> None:
    if multiplications > MOST_WORK:
        raise Problem(
            "This training would keep a processor busy for many minutes: choose fewer steps, or a smaller batch, "
            "hidden layer, block or embedding.",
            "这次训练会占用处理器很多分钟：请减少步数，或减小 batch、隐藏层、block 或 embedding。",
        )


def _check(name: str, value: Any, least: float, most: float) -> None:
    kind = int | float if name == "rate" else int
    if isinstance(value, bool) or not isinstance(value, kind) or not least <= value <= most:
        raise Problem(
            f"The {CALLED[name]} must be {'' if name == 'rate' else 'a whole number '}from {least:,} to {most:,}.",
            f"{CALLED_ZH[name]}必须是 {least:,} 到 {most:,} 之间的{'数' if name == 'rate' else '整数'}。",
        )


@dataclass(frozen=True)
class Part:
    """One array of parameters; `trained` is False for a C that stays one-hot."""

    name: str
    shape: tuple[int, ...]
    trained: bool = True

    @property
    def count(self) -> int:
        return math.prod(self.shape)


def parameter_parts(settings: Settings, k: int) -> tuple[Part, ...]:
    """C, W1, b1, W2 and b2 for k characters.

    >>> [(part.name, part.count) for part in parameter_parts(Settings(), 27)]
    [('C', 54), ('W1', 600), ('b1', 100), ('W2', 2700), ('b2', 27)]
    """
    dim, hidden = settings.width(k), settings.hidden
    return (
        Part("C", (k, dim), not settings.one_hot),
        Part("W1", (settings.block * dim, hidden)),
        Part("b1", (hidden,)),
        Part("W2", (hidden, k)),
        Part("b2", (k,)),
    )


def parameters(settings: Settings, k: int) -> int:
    """How many numbers are trained.

    >>> parameters(Settings(), 27)
    3481
    """
    return sum(part.count for part in parameter_parts(settings, k) if part.trained)


def times(a: Array, b: Array) -> Array:
    """a (..., m, n) @ b (..., n, w), by so few columns of b at a time that one thread does it.

    Larger products are shared by all processors, whose threads wait for each other: on a machine with other work to do
    that takes ten times as long, and it takes from other visitors.
    """
    import numpy as np

    width = max(8, AT_ONCE // (a.shape[-2] * a.shape[-1]))
    if width >= b.shape[-1]:
        return a @ b
    out = np.empty((*a.shape[:-1], b.shape[-1]), a.dtype)
    for start in range(0, b.shape[-1], width):
        columns = slice(start, start + width)
        np.matmul(a, b[..., columns], out=out[..., columns])
    return out


@dataclass(frozen=True, eq=False)
class Model:
    """The parameters, float32: C (k, dim), W1 (block * dim, hidden), b1 (hidden,), W2 (hidden, k), b2 (k,).

    Those that are trained are views of `flat`, one after another in this order.
    """

    settings: Settings
    alphabet: tuple[str, ...]
    flat: Array
    C: Array
    W1: Array
    b1: Array
    W2: Array
    b2: Array

    @classmethod
    def of(cls, settings: Settings, alphabet: tuple[str, ...], flat: Array) -> "Model":
        """The parts as views of one array, float32 (parameters,)."""
        import numpy as np

        views, start = [], 0
        for part in parameter_parts(settings, len(alphabet)):
            if part.trained:
                views.append(flat[start : start + part.count].reshape(part.shape))
                start += part.count
            else:
                views.append(np.eye(*part.shape, dtype=np.float32))
        return cls(settings, alphabet, flat, *views)

    @classmethod
    def start(cls, settings: Settings, alphabet: tuple[str, ...]) -> "Model":
        """Before training: C normal; W1 so that tanh is used well; W2 small: all characters are about as likely."""
        import numpy as np

        random, k = np.random.default_rng(settings.seed), len(alphabet)
        inputs = settings.block if settings.one_hot else settings.block * settings.dim  # of a one-hot row one counts
        scales = {"C": 1, "W1": 5 / 3 / math.sqrt(inputs), "W2": 0.02}
        parts = [part for part in parameter_parts(settings, k) if part.trained]
        drawn = [random.standard_normal(part.shape, np.float32) * scales.get(part.name, 0) for part in parts]
        return cls.of(settings, alphabet, np.concatenate([one.ravel() for one in drawn], dtype=np.float32))

    def copy(self) -> "Model":
        return Model.of(self.settings, self.alphabet, self.flat.copy())

    @property
    def k(self) -> int:
        return len(self.alphabet)

    def forward(self, x: Array) -> tuple[Array, Array, Array]:
        """e, h and the logits for x (..., block)."""
        import numpy as np

        e = self.C[x].reshape(*x.shape[:-1], -1)
        h = times(e, self.W1)
        h += self.b1
        np.tanh(h, out=h)
        logits = times(h, self.W2)
        logits += self.b2
        return e, h, logits

    def logits(self, x: Array) -> Array:
        """The logits for x (n, block), float32 (n, k)."""
        import numpy as np

        out = np.empty((len(x), self.k), np.float32)
        for start in range(0, len(x), CHUNK):
            part = x[start : start + CHUNK]
            stacked = np.zeros((-(-len(part) // ROWS), ROWS, part.shape[1]), np.intp)
            stacked.reshape(-1, part.shape[1])[: len(part)] = part
            out[start : start + CHUNK] = self.forward(stacked)[2].reshape(-1, self.k)[: len(part)]
        return out

    def log_probabilities(self, x: Array) -> Array:
        """The logarithms of what the model gives each character after x (n, block): float64 (n, k)."""
        import numpy as np

        logits = self.logits(x).astype(np.float64)
        logits -= logits.max(1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(1, keepdims=True))
