"""The entries of a vocabulary as arrays: built once, lazily, and shared by all visitors."""

from dataclasses import dataclass
from functools import cached_property

from .encoding import is_whole
from .scripts import KINDS, kinds_of
from .shelf import Shelf
from .table import Array
from .vocab import open_vocab

BYTES, SPECIAL = KINDS.index("bytes"), KINDS.index("special")


@dataclass(frozen=True, eq=False)
class Entries:
    """Every token of a vocabulary, in the order of ids; each array has a place for each token.

    `data` holds the exact bytes. `characters` is -1 where the bytes are no text by themselves. `kind` indexes KINDS;
    `spaced`: the first byte is a space.
    """

    model: str
    label: str
    ids: Array  # int64 (n,)
    data: tuple[bytes, ...]
    kind: Array  # uint8 (n,)
    size: Array  # int32 (n,), bytes
    characters: Array  # int32 (n,)
    spaced: Array  # bool (n,)

    def __len__(self) -> int:
        return len(self.data)

    @cached_property
    def special(self):
        """bool (n,)"""
        return self.kind == SPECIAL

    @cached_property
    def place(self) -> dict[bytes, int]:
        """Where the bytes of a token that is not special stand. Two tokens of the same bytes: the lower id."""
        pairs = zip(reversed(self.data), range(len(self) - 1, -1, -1), strict=True)
        return {data: i for data, i in pairs if self.kind[i] != SPECIAL}

    @cached_property
    def texts(self) -> list[str]:
        """Each token as text; where the bytes are none, with U+FFFD for what is broken."""
        return [data.decode(errors="replace") for data in self.data]

    @cached_property
    def order(self):
        """int64 (n,): the place of each token in the order of their bytes."""
        import numpy as np

        order = np.empty(len(self), np.int64)
        order[sorted(range(len(self)), key=self.data.__getitem__)] = np.arange(len(self))
        return order

    @cached_property
    def joined(self):
        """(uint8 array, int64 starts): all bytes one after another, and where each token begins."""
        import numpy as np

        starts = np.concatenate([[0], np.cumsum(self.size, dtype=np.int64)])
        return np.frombuffer(b"".join(self.data), np.uint8), starts

    def place_of(self, id: int) -> int | None:
        """Where a token stands, by its id."""
        import numpy as np

        i = int(np.searchsorted(self.ids, id))
        return i if i < len(self) and self.ids[i] == id else None


def entries_of(vocab) -> Entries:
    """The arrays of a vocabulary (vocab.Vocab, or one with its methods): about a second for 250,000 tokens."""
    import numpy as np

    ids, data = np.array(vocab.ids(), np.int64), vocab.all_bytes()
    whole = [is_whole(piece) for piece in data]
    texts = [piece.decode() if good else "" for piece, good in zip(data, whole, strict=True)]
    kind, whole = kinds_of(texts), np.array(whole, bool)
    kind[~whole] = BYTES
    kind[np.isin(ids, list(vocab.special_tokens().values()))] = SPECIAL
    size = np.fromiter(map(len, data), np.int32, len(data))
    characters = np.where(whole, np.fromiter(map(len, texts), np.int32, len(texts)), -1)
    spaced = np.array([piece.startswith(b" ") for piece in data], bool)
    return Entries(vocab.key, vocab.label, ids, tuple(data), kind, size, characters, spaced)


# A cache, not state. 250,000 tokens are some 50 MB with everything that is made of them.
_SHELF = Shelf(6)


def open_entries(model: str, *, wait: bool = True) -> Entries:
    """The entries of a catalog key, a Hub id or an upload; `wait` as for open_vocab. A Hub model that has a tokenizer
    of the catalog needs nothing from the Hub."""
    from .ledger_tokenizers import catalog_key

    name = catalog_key(model) if isinstance(model, str) else ""
    if not wait:
        open_vocab(name, wait=False)  # for its Problem where the name is none
    return _SHELF.get(name, lambda: entries_of(open_vocab(name)), wait=wait)
