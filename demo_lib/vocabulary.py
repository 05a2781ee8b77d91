"""The vocabularies room: what is in a vocabulary, finding tokens, two of them compared, tokens that no text gives."""

from dataclasses import dataclass

from .catalog import choices, key_of, label
from .encoding import check_text
from .entries import Entries, open_entries
from .merging import Trace
from .overlap import Held, Overlap, held, overlap
from .problems import Problem
from .reach import REASONS, Reach, open_reach
from .render import hex_bytes, piece
from .scripts import KINDS
from .table import Array
from .token_search import HOW, ORDERS, find, sort
from .vocab import open_upload, open_vocab

# what the tab meets of the foundation, it meets here
__all__ = [
    "HOW",
    "KINDS",
    "ORDERS",
    "REASONS",
    "Entries",
    "Held",
    "Overlap",
    "Reach",
    "choices",
    "find",
    "key_of",
    "label",
    "open_entries",
    "open_reach",
    "open_upload",
    "open_vocab",
    "overlap",
    "piece",
    "sort",
]

LIMIT = 20_000  # characters of a text
MOST_ROWS = 10_000  # rows of an answer to a program
LONGEST = 12  # tokens listed as the longest


@dataclass(frozen=True)
class Contents:
    """What is in a vocabulary. `kinds`, `bytes` and `characters` each add up to `tokens`.

    `kinds`: tokens of each of scripts.KINDS. `bytes`: tokens by length in bytes. `characters`: by length in
    characters; -1 counts the tokens that are no text by themselves, and special tokens are counted like others.
    `spaced`: tokens that begin with a space. `longest`: ids by length in bytes, without special tokens. `special`:
    (name, id).
    """

    model: str
    label: str
    tokens: int
    kinds: dict[str, int]
    bytes: dict[int, int]
    characters: dict[int, int]
    spaced: int
    longest: tuple[int, ...]
    special: tuple[tuple[str, int], ...]


def contents(entries: Entries) -> Contents:
    """Count a vocabulary."""
    import numpy as np

    def lengths(values: Array) -> dict[int, int]:
        found, counts = np.unique(values, return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))

    kinds = np.bincount(entries.kind, minlength=len(KINDS)).tolist()
    plain = np.flatnonzero(~entries.special)
    longest = plain[np.argsort(-entries.size[plain].astype(np.int64), kind="stable")[:LONGEST]]
    special = [(entries.texts[i], int(entries.ids[i])) for i in np.flatnonzero(entries.special)]
    return Contents(
        entries.model,
        entries.label,
        len(entries),
        dict(zip(KINDS, kinds, strict=True)),
        lengths(entries.size),
        lengths(entries.characters),
        int(entries.spaced.sum()),
        tuple(entries.ids[longest].tolist()),
        tuple(special),
    )


def search(
    entries: Entries, query: str, how: str = "text", *, order: str = "id", down: bool = False, script: str = "",
    other: Entries | None = None, where: str = "all",
) -> Array:  # fmt: skip
    """int64: the places of the tokens that fit; see token_search.find and sort.

    `script`: of this kind only. With another vocabulary, `where` "both" or "only": that it has too, or has not.
    """
    places = find(entries, query, how)
    if script:
        if script not in KINDS:
            raise Problem(f"Choose one of {', '.join(KINDS)}.", f"请从 {', '.join(KINDS)} 中选择。")
        places = places[entries.kind[places] == KINDS.index(script)]
    if other is not None and where in ("both", "only"):
        there = overlap(entries, other).other[places] >= 0
        places = places[(there if where == "both" else ~there) & ~entries.special[places]]
    ids = overlap(entries, other).other if other is not None and order == "other" else None
    return sort(entries, places, order, down=down, other=ids)


@dataclass(frozen=True)
class Known:
    """All about one token. `trace` is how merges build it from its bytes (Trace.merges is None where they do not)."""

    id: int
    data: bytes
    kind: str
    trace: Trace | None


def known(entries: Entries, id: int) -> Known:
    """One token by its id. An id that is not there raises Problem."""
    vocab = open_vocab(entries.model)
    data = vocab.token_bytes(id)
    kind = KINDS[entries.kind[entries.place_of(id)]]
    trace = None if kind == "special" else vocab.merged([data])[0]
    return Known(id, data, kind, trace)


def text_overlap(text: str, a: Entries, b: Entries) -> tuple[Held, Held]:
    """How much of a text's tokens in a are tokens of b, and the other way round."""
    check_text(text, LIMIT)
    return held(text, a, b), held(text, b, a)


# For programs


def counts_row(model: str) -> dict:
    """The counts of a vocabulary for a program, and of its tokens that no text gives."""
    found, unreached = contents(open_entries(model)), open_reach(model)
    row = {
        "model": found.model, "label": found.label, "tokens": found.tokens, "by_kind": found.kinds,
        "by_bytes": {str(n): count for n, count in found.bytes.items()},
        "by_characters": {str(n): count for n, count in found.characters.items() if n >= 0},
        "not_text": found.characters.get(-1, 0), "leading_space": found.spaced,
        "special_tokens": dict(found.special),
    }  # fmt: skip
    return row | {
        "never_produced": {"proved": unreached.proved, "tokens": len(unreached.reasons), **unreached.count()},
    }


def token_row(entries: Entries, place: int) -> dict:
    data, characters = entries.data[place], int(entries.characters[place])
    return {
        "id": int(entries.ids[place]), "piece": piece(data), "bytes": hex_bytes(data), "length": len(data),
        "characters": None if characters < 0 else characters, "kind": KINDS[entries.kind[place]],
    }  # fmt: skip


def search_rows(model: str, pattern: str, limit: int = 100, how: str = "regex") -> dict:
    """The tokens that fit, for a program: {found, rows}; at most `limit` rows, by id."""
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST_ROWS:
        raise Problem(
            f"The limit must be a whole number from 1 to {MOST_ROWS:,}.", f"limit 必须是 1 到 {MOST_ROWS:,} 的整数。"
        )
    entries = open_entries(model)
    places = search(entries, pattern, how)
    return {"found": len(places), "rows": [token_row(entries, place) for place in places[:limit].tolist()]}


def overlap_row(a: str, b: str) -> dict:
    """What two vocabularies share, for a program."""
    first, second = open_entries(a), open_entries(b)
    shared = overlap(first, second)
    names = ("both", "only_a", "only_b")
    kinds = {kind: dict(zip(names, counts, strict=True)) for kind, *counts in shared.kinds}
    return {"a": first.model, "b": second.model, **{name: getattr(shared, name) for name in names}, "by_kind": kinds}
