"""Which words cost more tokens in one model than in another: two cuts of the same bytes, laid over each other.

Wherever both models begin a token, and no word is under way, the text is cut; what lies between two cuts is a word, or
a few Chinese characters, with two costs. Over a text the differences add up to the difference of its tokens.

There are as many words as texts have, so only so many are kept: beyond them the words of every second document, of
every fourth, ... By what is in a document, not by when it came: any order of merging gives the same.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from .table import Array

MOST = 40_000  # different words (and levels of documents) that are kept for a pair of models
LONGEST = 48  # characters of a word
AROUND = 60  # bytes of the example line on each side
TOP_LEVEL = 22
_SPACES = {ord(" "): "␣", ord("\n"): "↵", ord("\r"): "←", ord("\t"): "⇥"}


def level_of(crc: int) -> int:
    """How far a document is kept: half of all are of level 0, a quarter of level 1, ..."""
    high = crc >> 10 | 1 << TOP_LEVEL
    return (high & -high).bit_length() - 1


@dataclass(frozen=True)
class Words:
    """Words of documents of level `level` or above, that is, of 1 in 2**level documents.

    `counts`: (level, word): (times, tokens in the one, tokens in the other), of words for which these differ.
    `examples`: word: (TOP_LEVEL less the document's level, its hash, file, the line around it). The least of these is
    kept, so that it comes from a document that stays as long as the word does.
    """

    level: int = 0
    counts: dict[tuple[int, str], tuple[int, int, int]] = field(default_factory=dict)
    examples: dict[str, tuple[int, int, int, str]] = field(default_factory=dict)

    def totals(self) -> dict[str, tuple[int, int, int]]:
        """word: (times, tokens in the one, tokens in the other) in the documents that are kept."""
        found: dict[str, tuple[int, int, int]] = {}
        for (_, word), more in self.counts.items():
            found[word] = add(found.get(word), more)
        return found


def add(one: tuple[int, int, int] | None, more: tuple[int, int, int]) -> tuple[int, int, int]:
    return (one[0] + more[0], one[1] + more[1], one[2] + more[2]) if one else more


def merged(many: Iterable[Words]) -> Words:
    """All words together; the level rises until they are few enough."""
    level, counts, examples = 0, {}, {}
    for words in many:
        level = max(level, words.level)
        for key, more in words.counts.items():
            counts[key] = add(counts.get(key), more)
        for word, example in words.examples.items():
            if word not in examples or example < examples[word]:
                examples[word] = example
    kept = {key: value for key, value in counts.items() if key[0] >= level} if level else counts
    while len(kept) > MOST:
        level += 1
        kept = {key: value for key, value in kept.items() if key[0] >= level}
    if len(kept) < len(counts):
        left = {word for _, word in kept}
        examples = {word: one for word, one in examples.items() if word in left}
    return Words(level, kept, examples)


def _byte_kinds():
    """For each byte, whether a letter or digit ends or begins there; of two-byte characters, whether one begins."""
    import numpy as np

    plain, lead = np.zeros(256, bool), np.zeros(256, bool)
    plain[[*range(0x30, 0x3A), *range(0x41, 0x5B), *range(0x61, 0x7B)]] = True
    lead[range(0xC3, 0xE0)] = True
    return plain, lead


def in_words(data: Array, places: Array):
    """bool: whether the byte before each place and the one at it are of one word of an alphabet, Latin or Cyrillic say.

    Scripts of three bytes a character (Chinese, Thai) have no spaces to tell words by: there a word ends where both
    models begin a token.
    """
    import numpy as np

    plain, lead = _byte_kinds()
    at = np.minimum(places, len(data) - 1)
    before = data[np.maximum(places - 1, 0)]
    left = plain[before] | ((before & 0xC0 == 0x80) & lead[data[np.maximum(places - 2, 0)]])
    return (places > 0) & (places < len(data)) & left & (plain[data[at]] | lead[data[at]])


@dataclass(frozen=True, eq=False)
class Cut:
    """How one model cuts some bytes: where each token begins, and whether a character begins there."""

    starts: Array  # int64
    whole: Array  # bool


def differing(data: Array, documents: Array, one: Cut, other: Cut):
    """(begin, end, tokens in one, tokens in the other) of each stretch for which the two differ, as arrays.

    `documents`: where each document begins.
    """
    import numpy as np

    open_ = np.zeros(len(data) + 1, bool)
    both = np.zeros(len(data) + 1, bool)
    open_[one.starts[one.whole]] = True
    candidates = other.starts[other.whole]
    candidates = candidates[open_[candidates]]
    both[candidates[~in_words(data, candidates)]] = True
    both[documents] = True
    first, second = (np.flatnonzero(both[cut.starts] & cut.whole) for cut in (one, other))
    begins = one.starts[first]
    costs = [np.diff(at, append=len(cut.starts)) for at, cut in ((first, one), (second, other))]
    uneven = np.flatnonzero(costs[0] != costs[1])
    ends = np.append(begins[1:], len(data))
    return begins[uneven], ends[uneven], costs[0][uneven], costs[1][uneven]


def words_of(data: bytes, documents: Array, hashes: list[int], file: int, one: Cut, other: Cut) -> Words:
    """The words of some documents, whose bytes follow one another; `hashes` has a CRC-32 for each."""
    import numpy as np

    begins, ends, *costs = differing(np.frombuffer(data, np.uint8), documents, one, other)
    place = np.searchsorted(documents, begins, "right") - 1
    levels = np.array([level_of(crc) for crc in hashes], np.int64)[place] if len(begins) else place
    begins, ends, place = begins.tolist(), ends.tolist(), place.tolist()
    pieces = [data[begin:end] for begin, end in zip(begins, ends, strict=True)]
    found = Counter(zip(pieces, costs[0].tolist(), costs[1].tolist(), levels.tolist(), strict=True))
    names = {piece: _word(piece) for piece in set(pieces)}
    counts: dict[tuple[int, str], tuple[int, int, int]] = {}
    for (piece, cost, others, level), times in found.items():
        key = level, names[piece]
        counts[key] = add(counts.get(key), (times, times * cost, times * others))
    ranks = [(TOP_LEVEL - level_of(crc), crc) for crc in hashes]
    best: dict[str, tuple[tuple[int, int], int]] = {}
    for i, piece in enumerate(pieces):
        word, rank = names[piece], ranks[place[i]]
        if word not in best or rank < best[word][0]:
            best[word] = rank, i
    bounds = [*documents.tolist(), len(data)]
    examples = {
        word: (*rank, file, _line(data, bounds[place[i]], begins[i], ends[i], bounds[place[i] + 1]))
        for word, (rank, i) in best.items()
    }
    return Words(0, counts, examples)


def with_spaces(text: str) -> str:
    """The text with its white space to be seen."""
    return text.translate(_SPACES)


def _word(piece: bytes) -> str:
    """The word as it is shown; a space in front of it can be what makes it dear, so it is seen.

    >>> _word(b" 2026"), _word(b"if\\n")
    ('␣2026', 'if↵')
    """
    text = with_spaces(piece.decode(errors="replace"))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _line(data: bytes, first: int, begin: int, end: int, last: int) -> str:
    """What stands around a word in its document, on one line."""
    start, stop = max(first, begin - AROUND), min(last, min(end, begin + 4 * LONGEST) + AROUND)
    text = " ".join(data[start:stop].decode(errors="ignore").split())
    return ("…" if start > first else "") + text + ("…" if stop < last else "")
