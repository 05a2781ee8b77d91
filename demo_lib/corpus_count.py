"""The ids of many texts, fast, and the same as the tokenizers library gives for each text by itself.

Three ways: quicktok where it is installed, tiktoken, and the library itself, the only way for models that are not in
the catalog. The fastest is taken that agrees with the library on texts of the very corpus; see corpus_check.

Why tiktoken can agree to the last id: merging by the rank of the result and merging by a list of merges differ only
where one token can come of two different pairs, and the bytes of a token, merged by themselves, pass one pair at most.
What it does otherwise is mended (see `_Mended`), and that all take the same characters for letters, digits and spaces
is tested for every code point.
"""

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from . import catalog
from .corpus_facts import ODD, UNKNOWN, characters, codes_of, ranked
from .table import Array
from .vocab import open_vocab

SEPARATOR = "\ufdd0 one text ends here \ufdd1"  # two code points that are no characters
WAYS = ("quicktok", "tiktoken", "tokenizers")
_QUICKTOK = {"llama-3.1": "llama3", "qwen2.5": "qwen3"}  # its names of the same vocabularies
CHUNK = 1 << 17  # characters that the tokenizers library gets at once


@dataclass(frozen=True, eq=False)
class Ids:
    """The ids of all texts, one after another: those of text i are ids[ends[i - 1] : ends[i]]."""

    ids: Array  # uint32
    ends: Array  # int64 (texts,)


Encode = Callable[[Sequence[str]], Ids]


def normal(texts: list[str], model: str) -> list[str]:
    """The texts as the model's tokenizer reads them: in NFC where it wants that.

    By the library's own normaliser, which knows another Unicode than Python does; texts without an odd character,
    which are nearly all, are in NFC already.
    """
    known = catalog.MODELS.get(model)
    if known is None or known.tokenizer.normalizer != "NFC" or all(map(str.isascii, texts)):
        return texts
    from tokenizers.normalizers import NFC

    texts, nfc = list(texts), NFC()
    for i in odd_texts(texts):
        texts[i] = nfc.normalize_str(texts[i])
    return texts


def odd_texts(texts: Sequence[str], bit: int = ODD) -> list[int]:
    """Which of the texts have a character with this bit; see corpus_facts.characters."""
    import numpy as np

    if all(map(str.isascii, texts)):
        return []
    odd = np.flatnonzero(characters()[codes_of(texts)] & bit)
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    return np.unique(np.searchsorted(ends, odd, "right")).tolist()


@lru_cache(maxsize=2 * len(catalog.MODELS))
def encoder(model: str, way: str) -> Encode | None:
    """A function from texts in normal form to their ids; None where this way does not lead to this model."""
    if not leads(model, way):
        return None
    make = {"quicktok": _by_quicktok, "tiktoken": _by_tiktoken, "tokenizers": _by_tokenizers}
    return make[way](model)


def leads(model: str, way: str) -> bool:
    """Whether this way leads to this model, here."""
    if way == "quicktok":
        return model in _QUICKTOK and importlib.util.find_spec("quicktok") is not None
    return way == "tokenizers" or model in catalog.MODELS


def _by_tokenizers(model: str) -> Encode:
    """The authority. Special tokens written in a text are plain text, and none is added."""
    import numpy as np

    vocab = open_vocab(model)

    def encode(texts: Sequence[str]) -> Ids:
        rows = [row for part in _chunks(texts) for row in vocab.encode_all(part)]
        ends = np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)))
        return Ids(np.fromiter((id for row in rows for id in row), np.uint32, int(ends[-1]) if rows else 0), ends)

    return encode


def _chunks(texts: Sequence[str]) -> list[list[str]]:
    parts, room = [[]], CHUNK
    for text in texts:
        if parts[-1] and (len(text) > room or len(parts[-1]) == 1000):
            parts.append([])
            room = CHUNK
        parts[-1].append(text)
        room -= len(text)
    return parts if parts[0] else []


def _by_tiktoken(model: str) -> Encode:
    """All texts in one call, with a special token between them: it cuts before anything else is looked at."""
    import numpy as np
    import tiktoken

    spec, entries = catalog.MODELS[model].tokenizer, ranked(model)
    between = len(entries)
    encoding = tiktoken.Encoding(
        model,
        pat_str="|".join(alternative.regex for alternative in spec.pattern),
        mergeable_ranks={token: rank for rank, token in enumerate(entries)},
        special_tokens={SEPARATOR: between},
    )

    def ids_of(text: str, allowed: set[str]):
        # an empty text has no buffer that numpy could take
        return encoding.encode_to_numpy(text, allowed_special=allowed, disallowed_special=()) if text else empty

    empty = np.zeros(0, np.uint32)
    mend = None if spec.ignore_merges else _Mended(encoding, entries)

    def encode(texts: Sequence[str]) -> Ids:
        joined = SEPARATOR.join(texts)
        if joined.count(SEPARATOR) != len(texts) - 1:  # somebody's text has it
            rows = [ids_of(text, set()) for text in texts]
            found = Ids(np.concatenate([empty, *rows]), np.cumsum([len(row) for row in rows], dtype=np.int64))
            return mend(found) if mend else found
        ids = ids_of(joined, {SEPARATOR})
        cuts = np.flatnonzero(ids == between)
        ends = np.append(cuts - np.arange(len(cuts)), len(ids) - len(cuts)) if len(texts) else empty.astype(np.int64)
        found = Ids(ids[ids != between] if len(cuts) else ids, ends)
        return mend(found) if mend else found

    return encode


class _Mended:
    """tiktoken takes a pre-token that is an entry as it is; a model without `ignore_merges` merges it like any other.

    The entries that merging cannot make (Qwen3.5 has 201) come into tiktoken's answer in this way only, so that each of
    them stands for what merging makes of its bytes.
    """

    def __init__(self, encoding, entries: Sequence[bytes]) -> None:
        import numpy as np

        never = b"\xff"  # no text has this byte, and no entry but its own: it merges with nothing
        assert not any(never in entry and len(entry) > 1 for entry in entries)
        self._instead = {}
        for id, entry in enumerate(entries):
            if len(entry) > 1 and (parts := encoding._encode_single_piece(entry + never)[:-1]) != [id]:
                self._instead[id] = parts
        self._whole = np.zeros(len(entries) + 1, bool)
        self._whole[list(self._instead)] = True

    def __call__(self, found: Ids) -> Ids:
        import numpy as np

        at = np.flatnonzero(self._whole[found.ids])
        if not len(at):
            return found
        parts = [self._instead[id] for id in found.ids[at].tolist()]
        more = np.fromiter(map(len, parts), np.int64, len(parts)) - 1
        ids = np.insert(found.ids.astype(np.uint32), np.repeat(at + 1, more), [id for part in parts for id in part[1:]])
        ids[at + np.cumsum(more) - more] = [part[0] for part in parts]
        before = np.concatenate([[0], np.cumsum(more)])
        return Ids(ids, found.ends + before[np.searchsorted(at, found.ends)])


def _by_quicktok(model: str) -> Encode:
    """It knows another Unicode and normalises for itself: texts where that could matter are left to tiktoken."""
    import numpy as np
    import quicktok

    encoding = quicktok.get_encoding(_QUICKTOK[model])
    strange = ODD if catalog.MODELS[model].tokenizer.normalizer else UNKNOWN

    def encode(texts: Sequence[str]) -> Ids:
        odd = odd_texts(texts, strange)
        if odd:
            texts = list(texts)
            late, mark = [texts[i] for i in odd], set(odd)
            found = encoder(model, "tiktoken")(late)
            rows = dict(zip(odd, np.split(found.ids, found.ends[:-1]), strict=True))
            rest = encode([text for i, text in enumerate(texts) if i not in mark])
            others = iter(np.split(rest.ids, rest.ends[:-1]))
            parts = [rows[i] if i in mark else next(others) for i in range(len(texts))]
            return Ids(np.concatenate(parts), np.cumsum([len(part) for part in parts], dtype=np.int64))
        ids, offsets = encoding.encode_batch(list(texts), 1, False)
        return Ids(ids, offsets[1:])

    return encode


@dataclass(frozen=True)
class Counter:
    """One way to count with one model."""

    model: str
    way: str

    def encode(self, texts: list[str]) -> Ids:
        encode = encoder(self.model, self.way) or encoder(self.model, WAYS[1])  # a worker may not have them all
        return encode(normal(texts, self.model))


def counters(model: str, allowed: Sequence[str] = WAYS) -> list[Counter]:
    """The ways that there are for a model, the fastest first; the last is the library itself."""
    return [Counter(model, way) for way in WAYS if way == WAYS[-1] or (way in allowed and leads(model, way))]
