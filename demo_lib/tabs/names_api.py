"""The names lab for programs."""

from collections.abc import Iterator

from demo_lib import names as room
from demo_lib.problems import Problem
from demo_lib.tabs import page

DEFAULT = room.Settings()


def names_windows(name: str, block: int = 3) -> dict:
    """Cut a name into the examples that a character model learns from.

    Args:
        name: up to 40 characters of the list's alphabet, a to z.
        block: characters of context, 1 to 8.

    Returns:
        {name, block, contexts, targets, x, y, shapes}: the mark "." stands before a name and at its end; x and y are
        places in the alphabet, of which 0 is the mark.
    """
    if not isinstance(name, str) or not name.isascii():
        raise Problem("The name must be a string of the letters a to z.", "名字必须是由字母 a 到 z 组成的字符串。")
    return room.windows_row(name, block)


def bigram(smoothing: float = 0) -> dict:
    """Count the pairs of characters in the list of US names of 2018, and measure what counting loses.

    Args:
        smoothing: what is added to each count, 0 to 1,000.

    Returns:
        {positions, an, loss, train, dev, test}: an: how often n follows a. Losses in nats a position: loss is of the
        whole list by its own counts; the others are by the counts of train alone, null where that is infinite.
    """
    return room.bigram_row(smoothing)


def names_train(
    block: int = DEFAULT.block,
    dim: int = DEFAULT.dim,
    hidden: int = DEFAULT.hidden,
    steps: int = DEFAULT.steps,
    batch: int = DEFAULT.batch,
    rate: float = DEFAULT.rate,
    seed: int = DEFAULT.seed,
    one_hot: bool = False,
    plain: bool = False,
) -> Iterator[dict]:
    """Train a small network on the list of US names of 2018: C[x] of `block` characters, a tanh layer, 27 scores.

    Args:
        block: characters of context, 1 to 8.
        dim: numbers in the embedding of a character, 1 to 27.
        hidden: numbers in the hidden layer, 1 to 500.
        steps: 1 to 20,000; all settings together must fit into some minutes of one processor.
        batch: examples of a step, 1 to 4,096.
        rate: learning rate, 0.0001 to 1.
        seed: the same settings and the same seed give the same model, on one machine.
        one_hot: the embedding is the identity and is not trained.
        plain: windows drawn at random and plain gradient descent; takes some 20,000 steps at a rate of 0.1.

    Returns:
        A stream of {state, place, step, steps, train, dev}, some ten a second; place is that in the line of those who
        wait. The last has besides {parameters, losses, embedding, samples}.
    """
    if not (isinstance(one_hot, bool) and isinstance(plain, bool)):
        raise Problem("one_hot and plain must be true or false.", "one_hot 和 plain 必须是 true 或 false。")
    yield from room.train_rows(
        block=block,
        dim=dim,
        hidden=hidden,
        steps=steps,
        batch=batch,
        rate=rate,
        seed=seed,
        one_hot=one_hot,
        plain=plain,
    )


def build() -> None:
    for function in (names_windows, bigram, names_train):
        page.offer(function)
