"""Bytes of a file cut into records (lines, paragraphs, rows of a CSV), and a file cut into blocks of whole records.

A block is what is counted at once, kept by a checkpoint, or sent to a worker. Where its records begin depends on
nothing but the file, so that any engine that counts all blocks counts each record once.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import BinaryIO

LIMIT = 16_000_000  # bytes of a record; a longer one is reported and left out
PIECE = 1 << 20  # bytes that are read at once


@dataclass(frozen=True, order=True)
class Block:
    """Block `number` of file `file`: its bytes [start, end), or of a Parquet file its row groups."""

    file: int
    number: int
    start: int
    end: int


@dataclass(frozen=True)
class Record:
    """`size` bytes with `lines` line breaks; `bad`: None, "long" (over LIMIT) or "quote" (a mark that never closes).

    `data` is empty where it is too long to be kept.
    """

    data: bytes
    size: int
    lines: int
    bad: str | None = None


@lru_cache
def pattern(split: str, delimiter: str = ",") -> re.Pattern[bytes]:
    """What one record is, its line break included: split is "line", "paragraph" or "row".

    A field of a row is quoted where it begins with a quotation mark: two of them stand for one, line breaks belong to
    it, and what follows the closing one up to the delimiter does too, as Python's csv module has it.

    >>> pattern("row").findall(b'a,"b ""c"" \\n d"\\n1,2" x\\n')
    [b'a,"b ""c"" \\n d"\\n', b'1,2" x\\n']
    """
    if split == "row":
        mark = re.escape(delimiter.encode())
        field = rb'(?:"[^"]*+(?:""[^"]*+)*+"[^%b\n]*+|(?!")[^%b\n]*+)' % (mark, mark)
        return re.compile(rb"%b(?:%b%b)*+\n" % (field, mark, field))
    if split == "paragraph":
        return re.compile(rb"(?:[ \t\r]*+[^ \t\r\n][^\n]*+\n)*+(?:[ \t\r]*+\n)++")
    return re.compile(rb"[^\n]*+\n")


@lru_cache
def _field(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    return re.compile(rf'(?:"([^"]*+(?:""[^"]*+)*+)"([^{mark}\n]*+)|((?!")[^{mark}\n]*+))(?:{mark}|\Z)')


def fields(row: str, delimiter: str) -> list[str]:
    """The fields of one row of CSV, without its line break.

    >>> fields('a,"b ""c"", d",', ",")
    ['a', 'b "c", d', '']
    """
    if '"' not in row:
        return row.split(delimiter)
    parts, at = [], 0
    for match in _field(delimiter).finditer(row):
        if match.start() != at:
            break
        quoted, rest, plain = match.groups()
        parts.append(plain if quoted is None else quoted.replace('""', '"') + rest)
        at = match.end()
        if at == len(row) and not match.group().endswith(delimiter):
            break
    return parts


def blocks(file: BinaryIO, index: int, size: int, block: int, split: str, delimiter: str) -> Iterator[Block]:
    """A file of `size` bytes as blocks of about `block` bytes.

    Lines need no look: a line belongs to the block in which it begins. Rows and paragraphs can only be told apart from
    the beginning on, so that a long file of them is read once more for this.
    """
    if split == "line" or size <= block:
        starts = [*range(0, size, block)] if split == "line" else [0]
        for number, start in enumerate(starts):
            yield Block(index, number, start, min(start + block, size) if split == "line" else size)
        return
    number = start = place = 0
    for length in _lengths(file, split, delimiter):
        if place - start >= block:
            yield Block(index, number, start, place)
            number, start = number + 1, place
        place += length
    yield Block(index, number, start, size)


def _lengths(file: BinaryIO, split: str, delimiter: str) -> Iterator[int]:
    """Lengths of stretches of whole records, from the beginning of the file."""
    file.seek(0)
    for stretch in _stretches(iter(lambda: file.read(PIECE), b""), split, delimiter):
        yield len(stretch) if isinstance(stretch, bytes) else stretch.size


def records(chunks: Iterator[bytes], split: str, delimiter: str = ",") -> Iterator[bytes | Record]:
    """The records in the pieces of a file. Lines come in stretches of whole ones: they are cheap to cut as text.

    How the pieces are cut makes no difference.
    """
    rule = pattern(split, delimiter)
    for stretch in _stretches(chunks, split, delimiter):
        if isinstance(stretch, Record) or split == "line":
            yield stretch
        else:
            for data in rule.findall(stretch):
                yield Record(data, len(data), data.count(b"\n"), "long" if len(data) > LIMIT else None)


def _stretches(chunks: Iterator[bytes], split: str, delimiter: str) -> Iterator[bytes | Record]:
    """Stretches of whole records as long as can be; a record that is bad comes alone."""
    rule, chunks, rest, more = pattern(split, delimiter), _with_last_break(chunks), b"", True
    while rest or more:
        if end := _whole(rule, rest, split):
            yield rest[:end]
            rest = rest[end:]
        if len(rest) > LIMIT or (rest and not more):
            bad, rest = _alone(rest, split, chunks)
            yield bad
        else:
            chunk = next(chunks, None)
            rest, more = rest + (chunk or b""), chunk is not None


def _with_last_break(chunks: Iterator[bytes]) -> Iterator[bytes]:
    last = b"\n"
    for chunk in chunks:
        last = chunk or last
        yield chunk
    if not last.endswith(b"\n"):
        yield b"\n"


def _whole(rule: re.Pattern[bytes], data: bytes, split: str) -> int:
    """Where the last record ends that is whole, and before it none that is too long but lines."""
    if split == "line" or (split == "row" and b'"' not in data):
        return data.rfind(b"\n") + 1
    end = 0
    while (match := rule.match(data, end)) and match.end() - end <= LIMIT:
        end = match.end()
    return end


def _alone(rest: bytes, split: str, chunks: Iterator[bytes]) -> tuple[Record, bytes]:
    """The record that begins here and cannot be told from what follows; and what does follow."""
    if split == "paragraph" and len(rest) <= LIMIT:  # the last of the file, with no empty line after it
        return Record(rest, len(rest), rest.count(b"\n")), b""
    size = lines = 0
    least = LIMIT if split == "paragraph" else 0
    while not (at := rest.find(b"\n", max(0, least - size)) + 1):
        size, lines, rest = size + len(rest), lines + rest.count(b"\n"), next(chunks, b"\n")
    lines += rest.count(b"\n", 0, at)
    if split == "row" and size + at <= LIMIT:
        return Record(rest[:at], at, 1, "quote"), rest[at:]
    return Record(b"", size + at, lines, "long"), rest[at:]
