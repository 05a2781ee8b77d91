"""Bytes that are part of UTF-8 text: what is whole in them, and the characters that the rest can belong to."""

import random
from collections.abc import Iterator
from itertools import product

from .encoding import is_whole

_ON = range(0x80, 0xC0)  # bytes that continue a character
_LEADS = {2: range(0xC2, 0xE0), 3: range(0xE0, 0xF0), 4: range(0xF0, 0xF5)}


def _length(lead: int) -> int:
    """How many bytes a character has that begins with this one; 0 for none."""
    return next((n for n, leads in _LEADS.items() if lead in leads), 0)


def begins(head: bytes) -> bool:
    """Whether the bytes are the beginning of a character, and not all of it."""
    missing = _length(head[0]) - len(head) if head else 0
    return missing > 0 and any(is_whole(head + bytes(rest)) for rest in product((0x80, 0x90, 0xA0), repeat=missing))


def split(data: bytes) -> tuple[bytes, bytes, bytes] | None:
    """(end of a character, whole characters, beginning of a character), or None where no text has these bytes in a row.

    Bytes inside one character count as an end.

    >>> split(b"\\x89 a\\xe9\\x92"), split(b"\\xe9 "), split(b"\\xff")
    ((b'\\x89', b' a', b'\\xe9\\x92'), None, None)
    """
    start = next((i for i, byte in enumerate(data) if byte not in _ON), len(data))
    tail, rest = data[:start], data[start:]
    for size in range(4):
        middle, head = rest[: len(rest) - size], rest[len(rest) - size :]
        if len(tail) <= 3 and size <= len(rest) and is_whole(middle) and (not head or begins(head)):
            return tail, middle, head
    return None


def ending(head: bytes) -> Iterator[str]:
    """All characters that begin with these bytes; the empty text for none."""
    if not head:
        yield ""
        return
    for rest in product(_ON, repeat=_length(head[0]) - len(head)):
        if is_whole(data := head + bytes(rest)):
            yield data.decode()


def beginning(tail: bytes) -> Iterator[str]:
    """All characters that end with these bytes; the empty text for none."""
    if not tail:
        yield ""
        return
    for n, leads in _LEADS.items():
        if n > len(tail):
            for lead, *rest in product(leads, *[_ON] * (n - len(tail) - 1)):
                if is_whole(data := bytes([lead, *rest]) + tail):
                    yield data.decode()


def texts_around(data: bytes, count: int, seed: int = 0) -> list[str]:
    """Up to `count` texts that have these bytes, with as little beside them as makes them whole; by chance."""
    if not (parts := split(data)):
        return []
    tail, middle, head = parts
    chance = random.Random(seed)
    left, right = [*beginning(tail)], _some_ending(head, count, chance)
    return [chance.choice(left) + middle.decode() + char for char in right]


def _some_ending(head: bytes, count: int, chance: random.Random) -> list[str]:
    missing = _length(head[0]) - len(head) if head else 0
    if missing <= 1:
        every = [*ending(head)]
        return chance.sample(every, len(every))[:count] if head else every * count
    found = (head + bytes(chance.choices(_ON, k=missing)) for _ in range(2 * count))
    return [data.decode() for data in found if is_whole(data)][:count]
