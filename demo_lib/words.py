"""Words as rows of an embedding table: which row answers for a word, and which rows a list of neighbours leaves out."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from .encoding import check_text
from .problems import Problem
from .render import piece
from .table import Array

LONGEST = 200  # characters of a word
# A script by its name: what all letters of a token must be, and what at least one must be
SCRIPTS = {
    "Han": (r"\p{Han}", r"\p{Han}"),
    "Kana": (r"\p{Hiragana}\p{Katakana}\p{Han}ー", r"\p{Hiragana}\p{Katakana}"),
    "Hangul": (r"\p{Hangul}", r"\p{Hangul}"),
    "Latin": (r"\p{Latin}", r"\p{Latin}"),
    "Cyrillic": (r"\p{Cyrillic}", r"\p{Cyrillic}"),
    "Greek": (r"\p{Greek}", r"\p{Greek}"),
    "Arabic": (r"\p{Arabic}", r"\p{Arabic}"),
    "Hebrew": (r"\p{Hebrew}", r"\p{Hebrew}"),
    "Devanagari": (r"\p{Devanagari}", r"\p{Devanagari}"),
    "Thai": (r"\p{Thai}", r"\p{Thai}"),
}


@dataclass(frozen=True, eq=False)
class Word:
    """A word as a table knows it.

    `data` is its bytes; `ids` and `pieces` are its tokens. `row` is the row that is looked up, the first token's; None
    where `vector` is the mean of all its tokens' rows. `vector` is float64 (dim,).
    """

    word: str
    data: bytes
    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    row: int | None
    vector: Array

    @property
    def whole(self) -> bool:
        """Whether the word is one token. If not, `row` stands for its beginning only."""
        return len(self.ids) == 1


def look_up(word: str | int, table, *, mean: bool = False) -> Word:
    """The row of a word as typed: no space is put before it, so " today" and "today" may be two rows.

    An int is the id of a row, with or without a token. With `mean`, a word of several tokens is the mean of their
    rows. Raises Problem for what has no token.
    """
    import numpy as np

    if isinstance(word, int) and not isinstance(word, bool):
        vector = table.rows([word])[0].astype(np.float64)
        data = table.vocab.token_bytes(word) if table.used[word] else b""
        return Word(name(table, word), data, (word,), (name(table, word),), word, vector)
    check_text(word)
    if len(word) > LONGEST:
        raise Problem(
            f"“{word[:20]}…” has {len(word):,} characters, and a word here has {LONGEST} at the most: shorten it.",
            f"“{word[:20]}…”有 {len(word):,} 个字符，这里的词最多 {LONGEST} 个：请缩短它。",
        )
    ids = tuple(table.vocab.encode(word).ids)
    if not ids:
        raise Problem("Write a word to look up.", "请写一个要查的词。")
    rows = table.rows(ids).astype(np.float64)
    several = mean and len(ids) > 1
    pieces = tuple(name(table, id) for id in ids)
    return Word(word, word.encode(), ids, pieces, None if several else ids[0], rows.mean(0) if several else rows[0])


def name(table, id: int) -> str:
    """What a row is called: its token's piece (see render.piece), or its number in brackets if it has no token."""
    return piece(table.vocab.token_bytes(id)) if table.used[id] else f"[{id}]"


def split_words(text: str) -> list[str]:
    """Words of a line of input, between commas, semicolons or line ends; quotes keep a leading space.

    >>> split_words('北京，king; " today"')
    ['北京', 'king', ' today']
    """
    found = re.findall(r'\s*"([^"\n]*)"\s*(?:[,，、;；\n]|$)|([^,，、;；\n]+)', text)
    return [quoted or bare.strip() for quoted, bare in found if quoted or bare.strip()]


def read_words(text: str) -> list[str | int]:
    """The words of a line of input, as split_words; `#123` is the row 123.

    >>> read_words("北京, #123")
    ['北京', 123]
    """
    return [int(word[1:]) if re.fullmatch(r"#\d{1,9}", word) else word for word in split_words(text)]


def spell(id: int, table) -> str:
    """A row as one would type it to look it up again: its token in plain text, quoted where white space or commas need
    it, or `#id` where that text would be read as anything but this one token: bytes, line ends, a token that the
    tokenizer never makes of its own text.
    """
    data = table.vocab.token_bytes(id) if table.used[id] else b""
    text = data.decode(errors="replace")
    if text.isprintable() and 0 < len(text) <= LONGEST:
        typed = f'"{text}"' if text != text.strip() or re.search(r"[,，、;；]", text) else text
        if read_words(typed) == [text] and tuple(table.vocab.encode(text).ids) == (id,):
            return typed
    return f"#{id}"


def read_axis(text: str) -> tuple[str | int, ...]:
    """A pair of words for an axis, with a dash or an arrow between them; quotes and #id as in read_words.

    Of several dashes, the one with spaces around it separates: a word may have its own. Where that leaves a choice,
    Problem says so. Fewer than two words are returned as they are.

    >>> read_axis("night－day"), read_axis("well-known - #5"), read_axis('" day"→"night"')
    (('night', 'day'), ('well-known', 5), (' day', 'night'))
    """
    quoted = re.sub(r'"[^"]*"', lambda match: "_" * len(match[0]), text)  # nothing separates inside
    dash = "[-－‐-―−~～]"
    for separator in ("->|→", rf"(?<=\s){dash}+(?=\s)", f"{dash}+"):
        if cuts := [match.span() for match in re.finditer(separator, quoted)]:
            break
    else:
        return tuple(filter(None, [_axis_word(text)]))
    if len(cuts) > 1:
        raise Problem(
            f"“{text.strip()[:40]}” has more than one dash: put spaces around the one between the two words, as in "
            "well-known - new.",
            f"“{text.strip()[:40]}”里的短横线不止一个：请在两个词之间的那个两边加空格，例如 well-known - new。",
        )
    start, end = cuts[0]
    return tuple(word for word in (_axis_word(text[:start]), _axis_word(text[end:])) if word != "")


def _axis_word(text: str) -> str | int:
    """One word of an axis: what is quoted as it is, `#5` as the row 5."""
    text = text.strip()
    if match := re.fullmatch(r'"([^"]+)"', text):
        return match[1]
    return int(text[1:]) if re.fullmatch(r"#\d{1,9}", text) else text


def check_words(words: str | int | Sequence[str | int], most: int, least: int = 1) -> list[str | int]:
    """One word or a list of them, each once, in the order given."""
    words = [words] if isinstance(words, str | int) else words
    if not isinstance(words, list | tuple) or not all(isinstance(word, str | int) for word in words):
        raise Problem("Give the words as a list of strings.", "请以字符串列表的形式给出词。")
    words = list(dict.fromkeys(words))
    if not words:
        raise Problem("Write a word to look up.", "请写一个要查的词。")
    if not least <= len(words) <= most:
        raise Problem(
            f"Give {least} to {most} words; here {'is' if len(words) == 1 else 'are'} {len(words)}.",
            f"请给出 {least} 到 {most} 个词；现在有 {len(words)} 个。",
        )
    return words


def spelling(data: bytes) -> str | bytes:
    """What the spellings of a word share: without case, width and white space around it.

    >>> spelling(" Today".encode()) == spelling("ｔｏｄａｙ".encode())
    True
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    return unicodedata.normalize("NFKC", text).strip().casefold() or text


@lru_cache(maxsize=8)
def hidden(table) -> Array:
    """bool (rows,): rows without a token, and special tokens, which stand for no text."""
    import numpy as np

    hide = np.array(~table.used)
    ids = np.array(list(table.vocab.special_tokens().values()), np.int64)
    hide[ids[ids < len(hide)]] = True
    return hide


@lru_cache(maxsize=16)
def outside(table, script: str) -> Array:
    """bool (rows,): rows whose token is not written in a script (a key of SCRIPTS). Takes about a second."""
    import numpy as np
    import regex

    if script not in SCRIPTS:
        raise Problem(
            f"“{str(script)[:20]}” is no script of the list: choose one of {', '.join(SCRIPTS)}.",
            f"列表中没有文字系统“{str(script)[:20]}”：请从 {', '.join(SCRIPTS)} 中选择。",
        )
    every, some = SCRIPTS[script]
    pattern = regex.compile(rf"[^\p{{L}}]*(?:[{every}][^\p{{L}}]*)+")
    one = regex.compile(rf"[{some}]")
    out = np.ones(table.info.rows, bool)
    for id in np.flatnonzero(table.used).tolist():
        text = table.vocab.token_bytes(id).decode(errors="replace")
        out[id] = not (one.search(text) and pattern.fullmatch(text))
    return out
