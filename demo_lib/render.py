"""Tokens as something that can be seen: pure strings and the JSON that the page's widgets draw."""

import json
import re
from functools import lru_cache

from .encoding import Encoding, Token, is_whole
from .problems import Problem

SPECIAL, CUT, BROKEN = 1, 2, 4  # flags of a token in the board's JSON; board.js has the same

# What has no shape of its own, by the short name that Unicode's charts or custom give it.
NAMES = {
    "\r": "CR",
    "\0": "NUL",
    "\x1b": "ESC",
    "\x7f": "DEL",
    "\x85": "NEL",
    "\u00a0": "NBSP",
    "\u00ad": "SHY",
    "\u034f": "CGJ",
    "\u061c": "ALM",
    "\u115f": "HCF",
    "\u1160": "HJF",
    "\u180e": "MVS",
    "\u200b": "ZWSP",
    "\u200c": "ZWNJ",
    "\u200d": "ZWJ",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u2028": "LS",
    "\u2029": "PS",
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u202f": "NNBSP",
    "\u2060": "WJ",
    "\u3000": "IDSP",
    "\u3164": "HF",
    "\ufeff": "BOM",
    **{chr(0xFE00 + i): f"VS{i + 1}" for i in range(16)},
}
_SIGNS = {" ": "·", "\n": "⏎", "\t": "⇥"}


@lru_cache(maxsize=1)
def _shapeless():
    import regex

    return regex.compile(r"[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}]")


def visible(char: str) -> str:
    """A character that can be seen: itself, a sign for white space, or a name in brackets.

    >>> [visible(char) for char in " a\\u200d\\u0007"]
    ['·', 'a', '[ZWJ]', '[U+0007]']
    """
    if char in _SIGNS:
        return _SIGNS[char]
    if char in NAMES:
        return f"[{NAMES[char]}]"
    if _shapeless().match(char):
        return f"[U+{ord(char):04X}]"
    return char


def hex_bytes(data: bytes) -> str:
    """Bytes as people write them: `E9 92 89`."""
    return data.hex(" ").upper()


def piece(data: bytes) -> str:
    """A token as text where its bytes are text; bytes that are no character stand as `<E9 92>`.

    >>> piece("申请".encode()), piece(b" \\xe9\\x92")
    ('申请', ' <E9 92>')
    """
    out, i = "", 0
    while i < len(data):
        size = next((n for n in (1, 2, 3, 4) if is_whole(data[i : i + n])), 0)
        if size and i + size <= len(data):
            out, i = out + data[i : i + size].decode(), i + size
            continue
        stop = i + 1
        while stop < len(data) and not any(is_whole(data[stop : stop + n]) for n in (1, 2, 3, 4)):
            stop += 1
        out, i = f"{out}<{hex_bytes(data[i:stop])}>", stop
    return out


def say(problem: Problem) -> dict[str, str]:
    """A problem's sentence in both languages, for a widget to choose from."""
    return {"en": str(problem), "zh": problem.zh}


def token_row(token: Token, text: bytes, *, cut: bool = False) -> list:
    """One token of the board's JSON: [id, byte_start, byte_end, flags, hex?]."""
    flags = SPECIAL * token.special + CUT * cut + BROKEN * (not token.whole)
    row = [token.id, token.byte_start, token.byte_end, flags]
    # the page knows the text; only bytes that are not the text's own travel
    return row if text[token.byte_start : token.byte_end] == token.data else [*row, token.data.hex()]


def token_rows(encoding: Encoding, cuts: frozenset[int] = frozenset()) -> list[list]:
    """All tokens of an encoding as rows; `cuts` are the indexes of those to mark."""
    text = encoding.text.encode()
    return [token_row(token, text, cut=i in cuts) for i, token in enumerate(encoding.tokens)]


def to_json(value) -> str:
    r"""JSON for a widget: as compact as it gets, Chinese as itself; half a surrogate pair, which no UTF-8 has, escaped.

    >>> print(to_json(["年", "\ud83d"]))
    ["年","\ud83d"]
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
