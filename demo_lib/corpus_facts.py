"""What counting needs to know of characters and of the tokens of a vocabulary, as tables."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from . import catalog
from .entries import BYTES, Entries, entries_of
from .table import Array
from .vocab import open_vocab

HAN, ODD, UNKNOWN = 1, 2, 4  # bits of the table of characters
_HANGUL_VOWELS, _HANGUL_ENDS = range(0x1161, 0x1176), range(0x11A8, 0x11C3)
_ASSIGNED = (*range(0x30000), *range(0x30000, 0x33480), *range(0xE0000, 0xE01F0))  # nothing beyond is a character


@lru_cache(maxsize=1)
def characters():
    """uint8 (0x110000,): for each code point, whether its script is Han, whether it is odd, and whether it is unknown.

    Unknown is what the Unicode of this Python does not have; odd is that, and what normalisation to NFC may change,
    join or move: where none of a text's characters is odd, the text is in NFC, and any library says so.
    """
    import numpy as np
    import regex

    table = np.full(0x110000, ODD | UNKNOWN, np.uint8)
    seconds = {*_HANGUL_VOWELS, *_HANGUL_ENDS}
    for code in _ASSIGNED:
        letter = chr(code)
        if unicodedata.category(letter) not in ("Cn", "Cs"):
            parts = unicodedata.decomposition(letter)
            if parts and parts[0] != "<":
                seconds.update(int(part, 16) for part in parts.split()[1:])
            changes = unicodedata.combining(letter) or not unicodedata.is_normalized("NFC", letter)
            table[code] = ODD if changes else 0
    table[list(seconds)] |= ODD
    every = "".join(map(chr, (code for code in _ASSIGNED if not 0xD800 <= code < 0xE000)))
    table[[ord(letter) for letter in regex.findall(r"\p{Script=Han}", every)]] |= HAN
    return table


def codes_of(texts: list[str]):
    """uint32: the code points of all texts, one after another."""
    import numpy as np

    return np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32)


@dataclass(frozen=True, eq=False)
class Facts:
    """The tokens of a vocabulary by id; an id that there is not has zeros.

    `inner`: the first byte goes on with a character, so that the token before it holds the beginning. `broken`: the
    bytes alone are no text. `han`: it is text, with a Han character.
    """

    data: tuple[bytes, ...]
    size: Array  # int32, bytes
    inner: Array  # bool
    broken: Array  # bool
    han: Array  # bool
    kind: Array  # uint8, index in scripts.KINDS
    letters: Array  # int32, characters; 0 where broken

    def __len__(self) -> int:
        return len(self.data)


@dataclass(frozen=True)
class _Ranked:
    """The tokens of a catalog model from its ranked byte strings alone: a tokenizer would take 160 MB for that."""

    key: str

    def ids(self) -> list[int]:
        return [*range(len(self.all_bytes()))]

    def all_bytes(self) -> list[bytes]:
        return [*ranked(self.key), *(token.encode() for token in catalog.MODELS[self.key].tokenizer.special_tokens)]

    def special_tokens(self) -> dict[str, int]:
        names = catalog.MODELS[self.key].tokenizer.special_tokens
        return dict(zip(names, range(len(ranked(self.key)), len(self.all_bytes())), strict=True))

    @property
    def label(self) -> str:
        return catalog.label(self.key)


@lru_cache(maxsize=len(catalog.MODELS))
def ranked(model: str) -> tuple[bytes, ...]:
    """The ranked byte strings of a catalog model."""
    from . import ranks, sources

    spec = catalog.MODELS[model].tokenizer
    return tuple(ranks.read_ranks(sources.package_file(spec.package, spec.path, spec.sha256)))


@lru_cache(maxsize=8)
def facts_for(model: str) -> "Facts":
    """The tables of a catalog key, a Hub id or an upload."""
    return facts_of(entries_of(_Ranked(model) if model in catalog.MODELS else open_vocab(model)))


def facts_of(entries: Entries) -> Facts:
    """The tables of a vocabulary, each with a place for every id up to the largest."""
    import numpy as np

    places, count = entries.ids, int(entries.ids[-1]) + 1 if len(entries) else 0
    data = [b""] * count
    for id, one in zip(places.tolist(), entries.data, strict=True):
        data[id] = one
    flags = characters()

    def spread(values, kind):
        table = np.zeros(count, kind)
        table[places] = values
        return table

    firsts = np.fromiter((one[0] if one else 0 for one in entries.data), np.uint8, len(entries))
    whole = entries.characters >= 0
    texts = [text if good else "" for text, good in zip(entries.texts, whole, strict=True)]
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    before = np.concatenate([[0], np.cumsum(flags[codes_of(texts)] & HAN, dtype=np.int64)])
    ends = np.cumsum(lengths)
    return Facts(
        tuple(data),
        spread(entries.size, np.int32),
        spread(firsts & 0xC0 == 0x80, bool),
        spread(~whole, bool),
        spread(before[ends] > before[ends - lengths], bool),
        spread(np.where(whole, entries.kind, BYTES), np.uint8),
        spread(np.maximum(entries.characters, 0), np.int32),
    )
