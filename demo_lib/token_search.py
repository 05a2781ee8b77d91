"""Finding tokens in a vocabulary of 250,000 while somebody types: by text, bytes, id or regular expression."""

import re
from functools import lru_cache

from .encoding import check_text
from .entries import Entries
from .problems import Problem
from .regex_child import SECONDS, Searcher
from .table import Array

HOW = ("text", "id", "regex", "bytes")
LONGEST = 200  # characters of what is searched for


def find(entries: Entries, query: str, how: str = "text", *, seconds: float = SECONDS) -> Array:
    """int64: where the tokens stand that fit, in the order of ids. An empty query fits all.

    "text": its UTF-8 bytes occur in the token, case as typed. "bytes": the same for hex, as E9 92. "id": the ids
    named, and ranges of them (100-120). "regex": a regular expression of the `regex` package fits somewhere in the
    token's text (broken bytes read as U+FFFD). Raises Problem for what cannot be searched for.
    """
    import numpy as np

    if how not in HOW:
        raise Problem(f"Search by one of {', '.join(HOW)}.", f"请按以下方式之一查找：{', '.join(HOW)}。")
    check_text(query)
    if len(query) > LONGEST:
        raise Problem(
            f"What is searched for has {len(query):,} characters, and {LONGEST} is the most: shorten it.",
            f"要查找的内容有 {len(query):,} 个字符，最多 {LONGEST} 个：请缩短它。",
        )
    if not (query if how in ("text", "regex") else query.strip()):
        return np.arange(len(entries))
    match how:
        case "text":
            return _holding(entries, query.encode())
        case "bytes":
            return _holding(entries, _hex(query))
        case "id":
            return _named(entries, query)
    return _searcher(entries).find(query, seconds)


@lru_cache(maxsize=3)
def _searcher(entries: Entries) -> Searcher:
    return Searcher(entries.texts)


def _hex(query: str) -> bytes:
    digits = re.sub(r"[\s,<>]|0x|\\x", "", query)
    try:
        return bytes.fromhex(digits)
    except ValueError:
        raise Problem(
            "These are no bytes: write pairs of hexadecimal digits, such as E9 92.",
            "这不是字节：请写成对的十六进制数字，如 E9 92。",
        ) from None


def _holding(entries: Entries, data: bytes) -> Array:
    """Tokens in which these bytes occur: one comparison of arrays for each byte, no loop over tokens."""
    import numpy as np

    joined, starts = entries.joined
    at = np.flatnonzero(joined[: max(0, len(joined) - len(data) + 1)] == data[0])
    for i in range(1, len(data)):
        at = at[joined[at + i] == data[i]]
    owner = np.searchsorted(starts, at, side="right") - 1
    return np.unique(owner[at + len(data) <= starts[owner + 1]])


def _named(entries: Entries, query: str) -> Array:
    import numpy as np

    fits = np.zeros(len(entries), bool)
    for word in filter(None, re.split(r"[\s,，、;；#\[\]()]+", query)):
        found = re.fullmatch(r"([0-9]{1,9})(?:[-–~]([0-9]{1,9})?)?", word)
        if not found:
            shown = word if len(word) <= 20 else word[:20] + "…"
            raise Problem(
                f"“{shown}” is no id: write whole numbers, or a range such as 100-120.",
                f"“{shown}”不是 id：请写整数，或像 100-120 这样的范围。",
            )
        first = int(found[1])
        last = first if found[0] == found[1] else int(found[2] or first)
        fits |= (entries.ids >= first) & (entries.ids <= last)
    return np.flatnonzero(fits)


# The orders in which tokens can be listed
ORDERS = ("id", "text", "bytes", "characters", "hex", "kind", "other")


def sort(
    entries: Entries, places: Array, order: str = "id", *, down: bool = False, other: Array | None = None
) -> Array:
    """`places` by id, by their bytes ("text", "hex"), by length in bytes or characters, by kind (as in KINDS), or by
    their ids in another vocabulary, `other` (Overlap.other; those that it has not come last). What is equal by id."""
    import numpy as np

    if order not in ORDERS:
        raise Problem(f"Sort by one of {', '.join(ORDERS)}.", f"请按以下方式之一排序：{', '.join(ORDERS)}。")
    keys = {"id": entries.ids, "bytes": entries.size, "characters": entries.characters, "kind": entries.kind}
    keys["other"] = entries.ids if other is None else other
    key = (entries.order if order in ("text", "hex") else keys[order])[places].astype(np.int64)
    if order == "other":
        key = np.where(key >= 0, key, -1 if down else np.iinfo(np.int64).max)
    return places[np.argsort(-key if down else key, kind="stable")]
