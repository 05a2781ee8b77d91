"""The head of a GGUF file: what it says of itself, and where each tensor lies.

Read strictly, and only of files whose sha256 is known: a header that lies can keep a reader busy for hours. The
layout is that of the format's specification, version 3:

    magic, version, number of tensors, number of facts
    facts: name, type, value
    tensors: name, number of dimensions, dimensions (the row length first), type, offset
    padding, then the tensors' data, from which the offsets count
"""

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Types of facts by their number, as struct spells them
PLAIN = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
ALIGNMENT = 32
# Types of tensors by their number: name, numbers in a block, bytes of a block. Others are passed over.
TENSORS = {0: ("F32", 1, 4), 1: ("F16", 1, 2), 8: ("Q8_0", 32, 34), 30: ("BF16", 1, 2)}
MOST = 100_000  # facts, or tensors


@dataclass(frozen=True)
class Tensor:
    """`shape` has the number of rows first; `dtype` is None if the type is not read here; `start` is in the file."""

    name: str
    shape: tuple[int, ...]
    dtype: str | None
    start: int


class Reader:
    """Takes one thing after the other from bytes; what runs off their end raises ValueError."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data, self.at = data, 0

    def take(self, size: int) -> bytes:
        end = self.at + size
        if end > len(self._data):
            raise ValueError("runs off the end of the file")
        taken, self.at = self._data[self.at : end], end
        return taken

    def numbers(self, kind: str, count: int = 1) -> tuple:
        return struct.unpack(f"<{count}{kind}", self.take(count * struct.calcsize(f"<{kind}")))

    def number(self, kind: str) -> Any:
        return self.numbers(kind)[0]

    def string(self) -> str:
        return self.take(self.number("Q")).decode()

    def value(self) -> Any:
        kind = self.number("I")
        if kind != ARRAY:
            return self._one(kind)
        kind, count = self.number("I"), self.number("Q")
        if kind in PLAIN:
            return self.numbers(PLAIN[kind], count)
        return tuple(self._one(kind) for _ in range(count))

    def _one(self, kind: int) -> Any:
        if kind == STRING:
            return self.string()
        if kind not in PLAIN:  # also a list of lists, which no file here has
            raise ValueError(f"unknown type {kind}")
        return self.number(PLAIN[kind])


def read(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The facts and the tensors of a GGUF file, by name. What is not one raises ValueError."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        reader = Reader(data)
        if reader.take(4) != b"GGUF" or reader.number("I") != 3:
            raise ValueError("not GGUF version 3")
        tensors, facts = reader.numbers("Q", 2)
        if max(tensors, facts) > MOST:
            raise ValueError("too many facts or tensors")
        known = _unique((reader.string(), reader.value()) for _ in range(facts))
        listed = [_tensor(reader) for _ in range(tensors)]
        base = -reader.at % ALIGNMENT + reader.at
        if known.get("general.alignment", ALIGNMENT) != ALIGNMENT:
            raise ValueError("unusual alignment")
        return known, _unique((name, _place(name, *rest, base, len(data))) for name, *rest in listed)


def _tensor(reader: Reader) -> tuple[str, tuple[int, ...], int, int]:
    name, dimensions = reader.string(), reader.number("I")
    if not 1 <= dimensions <= 4:
        raise ValueError("a tensor of no shape")
    shape = reader.numbers("Q", dimensions)[::-1]
    return name, shape, reader.number("I"), reader.number("Q")


def _place(name: str, shape: tuple[int, ...], kind: int, offset: int, base: int, end: int) -> Tensor:
    dtype, block, width = TENSORS.get(kind, (None, 1, 0))
    if offset % ALIGNMENT or shape[-1] % block or base + offset + math.prod(shape) // block * width > end:
        raise ValueError("a tensor that does not fit the file")
    return Tensor(name, shape, dtype, base + offset)


def _unique(pairs) -> dict:
    found = {}
    for name, value in pairs:
        if name in found:
            raise ValueError("a name twice")
        found[name] = value
    return found
