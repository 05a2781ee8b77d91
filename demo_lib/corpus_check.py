"""Which way to count may be trusted: the fastest that agrees with the tokenizers library on texts of the very corpus.

Where the tokenizer is not open anyway, the library counts them in a child process, `python -m demo_lib.corpus_check`,
and ends with it: a tokenizer takes 160 MB, and the fast ways a quarter of that.
"""

import hashlib
import os
import random
from collections.abc import Sequence

from . import catalog
from .child import ChildError, ask_once, serve
from .corpus_count import WAYS, Counter, Ids, counters
from .corpus_files import Look, open_file
from .corpus_read import read
from .corpus_records import PIECE, Block
from .vocab import is_open, open_vocab

FILES = 16  # that are looked into
SAMPLE = 300_000  # characters that have to agree
SECONDS = 120.0  # for opening the tokenizer, which is slow the first time on a machine, and counting


def sample_of(looks: Sequence[Look]) -> list[str]:
    """Documents from all over a corpus, each cut to a tenth of the sample."""
    chosen = [looks[len(looks) * i // FILES] for i in range(FILES)] if len(looks) > FILES else looks
    found = []
    for one in chosen:
        share, texts = SAMPLE // len(chosen), [*_some(one)]
        random.Random(0).shuffle(texts)
        for text in texts:
            if share <= 0:
                break
            found.append(text[: min(share, SAMPLE // 10)])
            share -= len(found[-1])
    return found


def _some(one: Look) -> list[str]:
    """Documents of the beginning, the middle and the end of a file; where only its beginning can be found, of that."""
    starts = [one.size * part // 3 for part in range(3)] if one.split == "line" and one.size > 3 * PIECE else [0]
    texts = []
    with open_file(one.address) as file:
        for start in starts:
            end = min(one.size, start + PIECE) if one.split == "line" else 1 if one.kind == "parquet" else one.size
            batch = next((batch for batch in read(file, one.form, Block(0, 0, start, end)) if batch.texts), None)
            texts += batch.texts if batch else []
    return texts


def trusted(model: str, texts: list[str], allowed: Sequence[str] = WAYS) -> str:
    """The fastest of the allowed ways that gives the library's ids for these texts."""
    if model not in catalog.MODELS:
        open_vocab(model)  # for its Problem, now and not in the middle
        return WAYS[-1]
    fast = counters(model, allowed)[:-1]
    if not fast:
        return WAYS[-1]
    try:
        if is_open(model):
            wanted = _by_library(model, texts)
        else:
            wanted = ask_once(__name__, "digest", model, texts, seconds=SECONDS, environment=dict(os.environ))
    except ChildError:  # there was no answer to compare with
        return WAYS[-1]
    return next((one.way for one in fast if digest(one.encode(texts)) == wanted), WAYS[-1])


def digest(found: Ids) -> str:
    """The same for the same ids of the same texts."""
    return hashlib.sha256(found.ids.astype("<u4").tobytes() + found.ends.astype("<i8").tobytes()).hexdigest()


def _by_library(model: str, texts: list[str]) -> str:
    return digest(Counter(model, WAYS[-1]).encode(texts))


if __name__ == "__main__":
    serve({"digest": _by_library})
