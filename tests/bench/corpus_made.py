"""A corpus to measure with: Chinese, English, code and emoji in documents of all lengths. Any number of megabytes.

English and code are what Python's own library has. Chinese is made of words of a vocabulary, the earlier ones more
often, since no package that is here has much of it; its counts mean nothing, its speed is that of real text.
"""

import random
import re
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from demo_lib.corpus_facts import ODD, characters
from demo_lib.entries import open_entries
from demo_lib.scripts import KINDS

EMOJI = "😀😂🥰👍🏽🎉🔥🚀👩\u200d👧🇨🇳❤️"


@cache
def _words() -> list[str]:
    entries, table = open_entries("qwen2.5"), characters()
    words = [text for text, kind in zip(entries.texts, entries.kind, strict=True) if kind == KINDS.index("han")]
    return [word for word in words[200:40_000] if not any(table[ord(letter)] & ODD for letter in word)]


def _chinese(chance: random.Random) -> str:
    words, out = _words(), []
    for _ in range(chance.randrange(5, 200)):
        picked = [words[int(len(words) ** chance.random()) - 1] for _ in range(chance.randrange(3, 14))]  # Zipf's law
        out.append("".join(picked).strip() + chance.choice("，，，。。？！；"))
        if chance.random() < 0.05:
            out.append(chance.choice([" GPT-4 ", "2026年", "iPhone 17", "100%", "\n", chance.choice(EMOJI)]))
    return "".join(out)


@cache
def _library() -> tuple[list[str], list[str]]:
    """(prose, code)"""
    code = [path.read_text("utf-8", "replace") for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))]
    code += [
        path.read_text("utf-8", "replace") for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*/*.py"))[:600]
    ]
    prose = [text for one in code for text in re.findall(r'"""(.{80,}?)"""', one, re.DOTALL)]
    return prose, [piece for one in code for piece in re.split(r"\n(?=def |class )", one)]


def documents(megabytes: float, seed: int = 0) -> Iterator[tuple[str, str]]:
    """(kind, text), until there are so many bytes."""
    chance, left = random.Random(seed), megabytes * 10**6
    prose, code = _library()
    while left > 0:
        kind = chance.choices(["zh", "en", "code", "chat"], [45, 30, 20, 5])[0]
        if kind == "zh":
            text = _chinese(chance)
        elif kind == "chat":
            text = "".join(chance.choices(EMOJI, k=3)) + _chinese(chance)[:40] + " ok?"
        else:
            text = chance.choice(prose if kind == "en" else code)
            start = chance.randrange(len(text) // 2 + 1)
            text = text[start : start + chance.randrange(200, 20_000)].strip() or "empty"
        left -= len(text.encode())
        yield kind, text
