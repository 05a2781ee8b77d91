"""Regular expressions that visitors type, over 250,000 tokens, in a child process.

The regex package stops by the clock, but an expression can take gigabytes before it does: the process has a limit on
memory too, and while it works the app's threads are free.
"""

import base64
import re
import sys
import threading
import time
from collections.abc import Iterable

from . import child
from .child import Child, ChildError
from .problems import Problem
from .table import Array

SECONDS = 2.5  # that an expression may take
MEMORY = 1 << 30  # bytes that the child may have
_LOAD = 30  # seconds to start a child and give it the tokens
_CHUNK = 512  # tokens between two looks at the clock


class Searcher:
    """The texts of a vocabulary's tokens, ready to be searched. Safe to share between threads; calls wait in turn."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._lock, self._child = threading.Lock(), None

    def find(self, query: str, seconds: float = SECONDS) -> Array:
        """int64: the numbers of the texts in which the expression fits somewhere. Raises Problem where it cannot be
        searched for, or takes longer than `seconds`, or too much memory."""
        import numpy as np

        if not self._lock.acquire(timeout=10):
            raise Problem(
                "Others are searching this vocabulary: try again in a few seconds.",
                "其他人正在查找这个词表：请过几秒再试。",
            )
        try:
            if self._child is None or not self._child.alive:
                self._child = Child("demo_lib.regex_child", str(MEMORY))
                self._child.call("load", self._texts, seconds=_LOAD)
            fits = self._child.call("find", query, seconds, seconds=seconds + 1)
        except ChildError:
            raise _too_slow(seconds, len(self._texts)) from None
        finally:
            self._lock.release()
        return np.flatnonzero(np.unpackbits(np.frombuffer(base64.b64decode(fits), np.uint8), count=len(self._texts)))


def _too_slow(seconds: float, tokens: int) -> Problem:
    return Problem(
        f"This expression takes more than {seconds:g} seconds, or too much memory, on {tokens:,} tokens: "
        "make it simpler.",
        f"这个表达式在 {tokens:,} 个 token 上要用超过 {seconds:g} 秒，或太多内存：请写得简单些。",
    )


def _no_pattern(fault: Exception) -> Problem:
    place = getattr(fault, "pos", None)
    if place is None:
        return Problem("This is no regular expression: check its brackets.", "这不是正则表达式：请检查括号。")
    return Problem(
        f"This is no regular expression: look before its character {place + 1}, or search by text.",
        f"这不是正则表达式：请看第 {place + 1} 个字符之前，或改为按文本查找。",
    )


# What an expression may consist of for the tokens to be searched all at once, as lines of one text. Nothing else in it
# can look beyond a line; the parts that could match a line feed are told not to.
_PLAIN = re.compile(
    r"(?P<any>\\[sDWn]|\\P\{\w[\w=]*\}|\[\^?\]?(?:\\[pPsSdDwWtrnfv\\\]^.-]|[^\\\[\]\n])*\](?!\]))"
    r"|\\p\{\w[\w=]*\}(?!\})|\\[SdwbBtrfv1-9.^$*+?()\[\]{}|/\\-]|\((?![?*])|\(\?(?:[:=!>]|<[=!]|P<\w+>|i\))|\{\d*,?\d*\}"
    r"|[^\\(\[{\n\]]"
)


def as_lines(query: str) -> str | None:
    r"""The expression for many tokens as lines of one text; None where it has parts that this is not sure of.

    >>> as_lines("[^a]+b$"), as_lines("(?s)a.b")
    ('(?:(?:(?!\\n)[^a])+b$)[^\\n]*', None)
    """
    at, out = 0, ""
    while at < len(query):
        part = _PLAIN.match(query, at)
        if not part:
            return None
        out += rf"(?:(?!\n){part[0]})" if part["any"] else part[0]
        at = part.end()
    return rf"(?:{out})[^\n]*"  # the rest of a line that fits is passed over


# The child's end


class Lines:
    """Texts without a line feed as lines of one text: their numbers, where each begins; and the other texts."""

    def __init__(self, texts: list[str]) -> None:
        import numpy as np

        self.texts = texts
        self.numbers = np.array([i for i, text in enumerate(texts) if "\n" not in text], np.int64)
        self.rest = [i for i, text in enumerate(texts) if "\n" in text]
        lengths = np.fromiter((len(texts[i]) + 1 for i in self.numbers), np.int64, len(self.numbers))
        self.joined = "\n".join(texts[i] for i in self.numbers)
        self.starts = np.cumsum(lengths) - lengths

    def find(self, query: str, seconds: float = SECONDS) -> Array:
        """bool (len(texts),): where the expression fits."""
        import numpy as np
        import regex

        deadline, lines = time.monotonic() + seconds, as_lines(query)
        fits = np.zeros(len(self.texts), bool)
        try:
            pattern = regex.compile(query)
            lines = lines and regex.compile(lines, regex.MULTILINE)
        except (regex.error, RecursionError, OverflowError, ValueError) as fault:
            raise _no_pattern(fault) from None
        try:
            rest = self.rest if lines else range(len(self.texts))
            if lines and len(self.numbers):
                matches = lines.finditer(self.joined, timeout=seconds)
                at = np.fromiter((match.start() for match in matches), np.int64)
                fits[self.numbers[np.unique(np.searchsorted(self.starts, at, side="right") - 1)]] = True
            fits[self._one_by_one(pattern, rest, deadline)] = True
        except TimeoutError:
            raise _too_slow(seconds, len(self.texts)) from None
        return fits

    def _one_by_one(self, pattern, numbers: Iterable[int], deadline: float) -> list[int]:
        found, left = [], 0.0
        for k, i in enumerate(numbers):
            if k % _CHUNK == 0 and (left := deadline - time.monotonic()) <= 0:
                raise TimeoutError
            if pattern.search(self.texts[i], timeout=left):
                found.append(i)
        return found


def main() -> None:
    """Serve one parent, with the memory limit (bytes) that it gave."""
    import numpy as np

    child.limit(AS=int(sys.argv[1]), CORE=0, FSIZE=0, NOFILE=16)
    loaded: list[Lines] = []

    def load(texts: list[str]) -> None:
        loaded[:] = [Lines(texts)]

    child.serve({"load": load, "find": lambda query, seconds: np.packbits(loaded[0].find(query, seconds)).tobytes()})


if __name__ == "__main__":
    main()
