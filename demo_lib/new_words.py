"""Words that shall become one token each: which of them a tokenizer has as one already."""

from dataclasses import dataclass

from .encoding import check_text
from .problems import Problem
from .vocab import Vocab

MOST, LONGEST = 1000, 200  # words, and characters of one


@dataclass(frozen=True)
class Listed:
    """Words as typed. `single`: (word, id) of those that are one token already, by themselves or after a space;
    `repeated`: typed before; `new`: all others, which need a row. The three add up to `typed`."""

    typed: int
    repeated: tuple[str, ...]
    single: tuple[tuple[str, int], ...]
    new: tuple[str, ...]


def look(text: str, vocab: Vocab) -> Listed:
    """The words of a text, one a line."""
    typed = read(text)
    distinct = list(dict.fromkeys(typed))
    repeated = [word for i, word in enumerate(typed) if word in typed[:i]]
    found = {}
    for word in distinct:
        for form in (word, f" {word}"):
            ids = vocab.encode(form, parse_special=False).ids
            if len(ids) == 1:
                found.setdefault(word, ids[0])
    new = tuple(word for word in distinct if word not in found)
    return Listed(len(typed), tuple(repeated), tuple(found.items()), new)


def read(text: str) -> list[str]:
    """The words, without the spaces around them. Too many, or one that is too long, raise Problem.

    >>> read(" 钉钉 \\n\\nDingTalk")
    ['钉钉', 'DingTalk']
    """
    check_text(text, MOST * (LONGEST + 2))
    words = [line.strip() for line in text.splitlines() if line.strip()]
    if len(words) > MOST:
        raise Problem(
            f"There are {len(words):,} words, and {MOST:,} is the most: shorten the list, or give their number.",
            f"共有 {len(words):,} 个词，最多 {MOST:,} 个：请缩短列表，或只填个数。",
        )
    if long := next((word for word in words if len(word) > LONGEST), None):
        raise Problem(
            f"“{long[:12]}…” has {len(long):,} characters, and {LONGEST} is the most of a word: write one word a line.",
            f"“{long[:12]}……”有 {len(long):,} 个字符，一个词最多 {LONGEST} 个：请每行写一个词。",
        )
    return words
