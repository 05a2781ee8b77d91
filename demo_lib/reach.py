"""Tokens that no text can produce: for each token a text that gives it, or the reason why there is none.

A token is produced if the tokenizer, given some text in which special tokens are not read as special, answers with its
id. Two facts about byte-pair merging make the question answerable. If merging leaves a token somewhere, then no merge
has crossed its borders, so merging its bytes alone leaves it too. And if it leaves two tokens side by side, then
merging the bytes of the two alone leaves these two.

Of the patterns of the catalog: which characters a match takes depends only on what follows. Cut from its neighbours, a
run of characters stays together wherever it could stay together, with one exception: white space with a line break
inside, which stays together before another line break.
"""

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

from . import catalog
from .cutting import named_pattern
from .entries import BYTES, Entries, open_entries
from .shelf import Shelf
from .utf8_parts import beginning, ending, split, texts_around
from .vocab import open_vocab

# Why no text gives a token, in the order in which they are asked. "bytes": no UTF-8 has them in a row. "merges":
# merging its own bytes ends in other tokens. "normal": normalisation changes its characters. "pattern": the pattern
# cuts between its characters. "beside": whatever can stand beside its bytes, merging goes on or the pattern cuts.
# "open": none of these, and no text that was tried gives it.
REASONS = ("bytes", "merges", "normal", "pattern", "beside", "open")
_CHUNK = 2000  # texts at a time: other visitors' texts wait meanwhile
_AFTER_SPACE = ("\n", "\r\n", "\x0b\n", "\x0c\n", "\x85\n", "\u1680\n", "\u2028\n", "\u3000\n")
_MOST = 300_000  # characters that are tried for the sake of a proof

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Reach:
    """`witness`: a text for each token that its own text does not give. `reasons`: why, for each that no text gives.

    `proved`: the reasons are proofs, as they are for the models of the catalog; for others they are all "open". `asked`
    counts the tokens that were asked about: all but the special ones.
    """

    model: str
    label: str
    asked: int
    proved: bool
    witness: dict[int, str]
    reasons: dict[int, str]

    def count(self) -> dict[str, int]:
        found = [*self.reasons.values()]
        return {reason: found.count(reason) for reason in REASONS}


def reach(entries: Entries, vocab, progress: Progress = lambda done, total: None) -> Reach:
    """Ask about every token of a vocabulary: 5 to 10 s for those of the catalog."""
    asked = [i for i in range(len(entries)) if not entries.special[i]]
    texts = {i: entries.texts[i] for i in asked if entries.kind[i] != BYTES}
    left = _without(vocab, entries, ((i, [text]) for i, text in texts.items()), {}, len(texts), progress)
    witness: dict[int, str] = {}
    left = [*left, *(i for i in asked if entries.kind[i] == BYTES)]
    for count in (16, 400):
        tries = ((i, _tries(entries.data[i], count)) for i in left)
        left = _without(vocab, entries, tries, witness, 0, progress)
    how = catalog.MODELS.get(entries.model)
    prove = _Proof(entries, vocab, how).reason if how else lambda i, witness: "open"
    reasons = {int(entries.ids[i]): reason for i in left if (reason := prove(i, witness))}
    return Reach(entries.model, entries.label, len(asked), how is not None, witness, reasons)


def _tries(data: bytes, count: int) -> list[str]:
    """Texts in which the token may come up: its own between neighbours, or whole characters around its bytes."""
    parts = split(data)
    if not parts or parts[0] or parts[2]:
        return texts_around(data, count)
    text = data.decode()
    return [f"a{text}", f" {text}", f"{text}a", f"a {text}", text.lstrip(), *(text + end for end in _AFTER_SPACE)]


def _without(vocab, entries, tries: Iterable, witness: dict[int, str], total: int, progress: Progress) -> list[int]:
    """Those of (place, texts) that none of their texts gives; for the others the text goes into `witness`."""
    left, places, texts = [], [], []

    def flush() -> None:
        found = set()
        for i, text, ids in zip(places, texts, vocab.encode_all(texts), strict=True):
            if (id := int(entries.ids[i])) in ids and i not in found:
                found.add(i)
                witness.setdefault(id, text)
        left.extend(i for i in dict.fromkeys(places) if i not in found)
        places.clear()
        texts.clear()

    for done, (i, own) in enumerate(tries, 1):
        places += [i] * len(own)
        texts += own
        if not own:
            left.append(i)
        if len(texts) >= _CHUNK:
            flush()
            if total:
                progress(done, total)
    if texts:
        flush()
    return left


class _Proof:
    """Why no text gives a token of a catalog model."""

    def __init__(self, entries: Entries, vocab, model: catalog.Model) -> None:
        self.entries, self.vocab, self.model = entries, vocab, model
        self.pattern = named_pattern(model.key)
        broken = [entries.data[i] for i in range(len(entries)) if entries.kind[i] == BYTES]
        self.after = [data for data in broken if 0x80 <= data[0] < 0xC0]
        self.before = [data for data in broken if (parts := split(data)) and (parts[2] or not parts[1])]

    def reason(self, i: int, witness: dict[int, str]) -> str | None:
        """The reason; None if a text turns up after all, which then goes into `witness`."""
        data, id = self.entries.data[i], int(self.entries.ids[i])
        if not (parts := split(data)):
            return "bytes"
        if self.vocab.merged([data])[0].ids != (id,):
            return "merges"
        tail, middle, head = parts
        makeup = [(a, b) for a, b in self._whole(tail, head, middle.decode())]
        if not makeup:
            return "open"
        stable = [(a, b) for a, b in makeup if self._stays(a + middle.decode() + b)]
        if not stable:
            return "normal"
        kept = [(a, b) for a, b in stable if self._together(a + middle.decode() + b)]
        if not kept:
            return "pattern"
        if not (tail or head):
            return "open"
        return self._beside(data, tail, head, kept, witness, id)

    def _whole(self, tail: bytes, head: bytes, middle: str) -> list[tuple[str, str]]:
        left, right = [*beginning(tail)], [*ending(head)]
        return [*product(left, right)] if len(left) * len(right) <= _MOST else []

    def _stays(self, text: str) -> bool:
        return self.model.tokenizer.normalizer is None or unicodedata.is_normalized("NFC", text)

    def _together(self, text: str) -> bool:
        return any(
            (match := self.pattern.match(whole)) and match.end() == len(whole)
            for whole in ([text, text + "\n"] if text.isspace() else [text])
        )

    def _beside(self, data: bytes, tail: bytes, head: bytes, kept: list, witness: dict[int, str], id: int):
        """ "beside", if no token that can stand before or after these bytes stays apart from them."""
        lefts = {a.encode()[: len(a.encode()) - len(tail)] for a, _ in kept}
        rights = {b.encode()[len(head) :] for _, b in kept}
        before = [p for p in self.before if not tail or any(p.endswith(a) or a.endswith(p) for a in lefts)]
        after = [q for q in self.after if not head or any(q.startswith(b) or b.startswith(q) for b in rights)]
        before = self._apart(before, lambda p: (p, data)) if tail else [b""]
        after = self._apart(after, lambda q: (data, q)) if head else [b""]
        if not before or not after:
            return "beside"
        texts = [text for p, q in product(before[:20], after[:20]) for text in texts_around(p + data + q, 64)]
        for start in range(0, len(texts), _CHUNK):
            some = texts[start : start + _CHUNK]
            for text, ids in zip(some, self.vocab.encode_all(some), strict=True):
                if id in ids:
                    witness[id] = text
                    return None
        return "open"

    def _apart(self, others: list[bytes], pair: Callable[[bytes], tuple[bytes, bytes]]) -> list[bytes]:
        """Those of the neighbours that the pattern leaves with the token, and merging apart from it."""
        place = self.entries.place
        joined = [(other, split(b"".join(pair(other)))) for other in others]
        together = [other for other, parts in joined if parts and (not parts[1] or self._together(parts[1].decode()))]
        pairs = [(other, pair(other)) for other in together]
        traces = self.vocab.merged([left + right for _, (left, right) in pairs])
        ids = self.entries.ids
        return [
            other
            for (other, (left, right)), trace in zip(pairs, traces, strict=True)
            if trace.ids == (ids[place[left]], ids[place[right]])
        ]


# A cache, not state
_SHELF = Shelf(6)


def open_reach(model: str, *, progress: Progress = lambda done, total: None) -> Reach:
    """What `reach` says of a catalog key, a Hub id or an upload; found out once."""
    entries = open_entries(model)
    return _SHELF.get(entries.model, lambda: reach(entries, open_vocab(entries.model), progress))
