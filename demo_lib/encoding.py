"""What a tokenizer makes of a text: tokens that know their bytes and their place."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from .problems import Problem


@dataclass(frozen=True)
class Token:
    """One token of a text.

    `data` is its exact bytes. `[start, end)` counts characters of the text as typed and `[byte_start,
    byte_end)` its UTF-8 bytes; a token that holds only some bytes of a character covers that character's
    `[start, end)`. `pre_token` indexes Encoding.pre_tokens (-1: a special token). `whole` says whether
    the bytes are valid UTF-8 by themselves.
    """

    id: int
    data: bytes
    start: int
    end: int
    byte_start: int
    byte_end: int
    pre_token: int
    special: bool
    whole: bool


@dataclass(frozen=True)
class PreToken:
    """A piece that merging never leaves; `[start, end)` counts characters of Encoding.normalized."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Encoding:
    """A text and its tokens. `normalized` is what the tokenizer read instead of `text` (NFC for Qwen)."""

    text: str
    normalized: str
    tokens: tuple[Token, ...]
    pre_tokens: tuple[PreToken, ...]

    @property
    def ids(self) -> list[int]:
        return [token.id for token in self.tokens]


def is_whole(data: bytes) -> bool:
    """Whether `data` is valid UTF-8 by itself.

    >>> is_whole("钉".encode()), is_whole(bytes.fromhex("E9 92"))
    (True, False)
    """
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def check_text(text: str, most: int | None = None) -> str:
    """`text` if it can be written as UTF-8; half a surrogate pair cannot, in any tokenizer. `most`: characters."""
    if not isinstance(text, str):
        raise Problem("The text must be a string.", "文本必须是字符串。")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code, place = f"U+{ord(text[error.start]):04X}", error.start + 1
        raise Problem(
            f"Character {place:,} of the text is {code}, half of a surrogate pair, which is no character: delete it.",
            f"文本的第 {place:,} 个字符是 {code}，它只是半个代理对，不是字符：请删掉它。",
        ) from None
    if most is not None and len(text) > most:
        raise Problem(
            f"The text has {len(text):,} characters and this tab takes {most:,}: shorten it.",
            f"文本有 {len(text):,} 个字符，本页最多 {most:,} 个：请缩短它。",
        )
    return text


@lru_cache(maxsize=1)
def byte_letters() -> dict[str, int]:
    """The letter that byte-level BPE writes for each byte (GPT-2's table), turned round.

    >>> byte_letters()["Ġ"]
    32
    """
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    rest = [byte for byte in range(256) if byte not in set(plain)]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(rest)}


def places(text: str, data: list[bytes], offsets: list[tuple[int, int]], *, gapless: bool) -> list[tuple[int, ...]]:
    """(start, end, byte_start, byte_end) of each token in the text as typed.

    The library gives characters. Tokens that share a character form a run; where the bytes of a run are the
    bytes of its characters, each token gets its own of them. Where they are not (NFC made é of two characters),
    each covers the whole run. `gapless`: the tokenizer drops nothing, so a run reaches to the next one.
    """
    at = [0]
    for char in text:
        at.append(at[-1] + len(char.encode()))

    def differs(run: list[int], end: int) -> bool:
        return b"".join(data[i] for i in run) != text[offsets[run[0]][0] : end].encode()

    runs: list[list[int]] = []
    moved, before = False, 0
    for i, (start, end) in enumerate(offsets):
        shares = start < end and start < before
        if not shares:
            # NFC also puts marks in another order, of which the library's offsets know nothing
            mark = 0 < before <= start < end and unicodedata.combining(text[start]) > 0
            moved = mark and (moved or differs(runs[-1], start))
        if shares or moved:
            runs[-1].append(i)
        else:
            runs.append([i])
        before = end
    places: list[tuple[int, ...]] = [()] * len(data)
    next_start = len(text)
    for run in reversed(runs):
        start, end = offsets[run[0]][0], max(offsets[i][1] for i in run)
        if end > start:
            end, next_start = (max(end, next_start) if gapless else end), start
        if differs(run, end):
            for i in run:
                places[i] = (start, end, at[start], at[end])
        else:
            byte = at[start]
            for i in run:
                places[i] = (*offsets[i], byte, byte := byte + len(data[i]))
    return places


def group(data: list[bytes], words: list, special: list[bool]) -> tuple[tuple[PreToken, ...], list[int], str]:
    """Tokens with the same word number make a pre-token; special tokens stand alone, outside them."""
    pre_tokens, index, normalized = [], [], ""
    i = 0
    while i < len(data):
        j = i + 1
        while j < len(data) and words[j] == words[i] and not special[i]:
            j += 1
        piece = b"".join(data[i:j]).decode(errors="replace")
        index += [-1 if special[i] else len(pre_tokens)] * (j - i)
        if not special[i]:
            pre_tokens.append(PreToken(piece, len(normalized), len(normalized) + len(piece)))
        if words[i] is not None:
            normalized += piece
        i = j
    return tuple(pre_tokens), index, normalized
