"""The documents in a block of a file: a line of text, a paragraph, a row of CSV or Parquet, a line of JSON.

A line that cannot be read is never dropped: it comes as Bad, with the number that an editor shows for it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from . import corpus_records
from .corpus_encoding import as_utf8, is_wide
from .corpus_records import PIECE, Block, Record, fields, records

GROUP_LENGTH = 80  # characters of a value of the column that groups documents


@dataclass(frozen=True)
class Format:
    """How a file is read. `kind`: txt, md, csv, tsv, jsonl or parquet; `split`: line, paragraph, file or row."""

    kind: str
    split: str
    encoding: str | None = None
    delimiter: str = ","
    columns: tuple[str, ...] = ()
    column: str | None = None
    by: str | None = None


@dataclass(frozen=True, order=True)
class Bad:
    """A line, from 1 on and counted from the beginning of its block, that is no document; see corpus_bad.sentence."""

    file: int
    block: int
    line: int
    kind: str
    detail: tuple = ()


@dataclass
class Batch:
    """About a megabyte of documents. `groups` has the value of the column `by` for each, or is empty without one.

    `lines`: line breaks (rows, in Parquet) that were read; `empty`: documents of nothing but white space, left out.
    """

    texts: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    bad: list[tuple[int, str, tuple]] = field(default_factory=list)  # line in this batch, kind, detail
    lines: int = 0
    empty: int = 0
    size: int = 0

    def add(self, text: str, group: Any = None, *, grouped: bool = False) -> None:
        if text and not text.isspace():
            self.texts.append(text)
            if grouped:
                self.groups.append(_group(group))
        else:
            self.empty += 1


def _group(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    plain = isinstance(value, bool | int | float | list | dict)  # what JSON has; a date, say, is written as it is said
    return (json.dumps(value, ensure_ascii=False, default=str) if plain else str(value))[:GROUP_LENGTH]


def read(file: BinaryIO, form: Format, block: Block) -> Iterator[Batch]:
    """The documents of a block, batch by batch."""
    if form.kind == "parquet":
        yield from _parquet(file, form, block)
    elif form.split == "file":
        yield _whole(file, form)
    elif form.kind == "jsonl":
        yield from _lines(file, form, block, _json)
    elif form.split == "line":
        yield from _lines(file, form, block, _text)
    else:
        yield from _records(file, form, block)


def _pieces(file: BinaryIO, form: Format, block: Block) -> Iterator[bytes]:
    """The bytes of a block in the encoding `_codec`; a block of lines begins and ends between two of them."""
    if is_wide(form.encoding):
        file.seek(0)
        yield from as_utf8(file.read, form.encoding)
    elif form.split == "line":
        yield from _whole_lines(file, block)
    else:
        file.seek(block.start)
        left = block.end - block.start
        while left > 0 and (piece := file.read(min(PIECE, left))):
            left -= len(piece)
            yield piece


def _whole_lines(file: BinaryIO, block: Block) -> Iterator[bytes]:
    """All lines that begin inside the block."""
    at = max(block.start - 1, 0)
    file.seek(at)
    inside = block.start == 0
    while piece := file.read(PIECE):
        if not inside:
            begin = piece.find(b"\n") + 1
            at, piece, inside = (at + begin, piece[begin:], True) if begin else (at + len(piece), b"", False)
            if at >= block.end:
                return
        if inside and at + len(piece) >= block.end and (end := piece.find(b"\n", max(0, block.end - 1 - at)) + 1):
            yield piece[:end]
            return
        at += len(piece)
        yield piece


def _codec(form: Format) -> str:
    return "utf-8" if is_wide(form.encoding) or form.encoding == "utf-8-sig" else form.encoding


def _lines(file: BinaryIO, form: Format, block: Block, take) -> Iterator[Batch]:
    first = block.start == 0
    for stretch in records(_pieces(file, form, block), "line"):
        if isinstance(stretch, Record):
            yield Batch(bad=[(1, "long", (corpus_records.LIMIT // 10**6,))], lines=stretch.lines, size=stretch.size)
            continue
        batch = Batch(size=len(stretch))
        for line in _decoded(stretch, form, batch):
            batch.lines += 1
            if line is not None:
                take(line.removeprefix("\ufeff") if first else line, form, batch)
            first = False
        yield batch


def _decoded(stretch: bytes, form: Format, batch: Batch) -> Iterator[str | None]:
    """The lines of a stretch as text; None for one that is bad, which the batch is told."""
    codec = _codec(form)
    if len(stretch) <= corpus_records.LIMIT:
        try:
            yield from stretch.decode(codec).split("\n")[:-1]
            return
        except UnicodeDecodeError:
            pass
    for line in stretch.split(b"\n")[:-1]:
        yield _decode(line, codec, batch)


def _decode(data: bytes, codec: str, batch: Batch) -> str | None:
    """The text of a record, or None, of which the batch is told; batch.lines is what was before it."""
    if len(data) > corpus_records.LIMIT:
        batch.bad.append((batch.lines + 1, "long", (corpus_records.LIMIT // 10**6,)))
        return None
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        batch.bad.append((batch.lines + 1, "encoding", (codec, error.start + 1)))
        return None


def _text(line: str, form: Format, batch: Batch) -> None:
    batch.add(line.removesuffix("\r"))


def _json(line: str, form: Format, batch: Batch) -> None:
    if not line or line.isspace():
        batch.empty += 1
        return
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        batch.bad.append((batch.lines, "json", (error.colno,)))
        return
    except (ValueError, RecursionError):  # a number of thousands of digits, or thousands of brackets
        batch.bad.append((batch.lines, "json", (1,)))
        return
    group = None
    if isinstance(value, dict):
        if form.column not in value:
            batch.bad.append((batch.lines, "missing", (form.column,)))
            return
        value, group = value[form.column], value.get(form.by)
    if value is not None and not isinstance(value, str):
        batch.bad.append((batch.lines, "type", (type(value).__name__,)))
    elif value and "\\u" in line and not _is_text(value):
        batch.bad.append((batch.lines, "surrogate", ()))
    else:
        if isinstance(group, str) and not _is_text(group):
            group = group.encode(errors="replace").decode()
        batch.add(value or "", group, grouped=form.by is not None)


def _is_text(value: str) -> bool:
    """Whether it can be written: "\\ud800" in JSON is half of a character."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _records(file: BinaryIO, form: Format, block: Block) -> Iterator[Batch]:
    """Rows of a CSV, or paragraphs."""
    codec, batch, first = _codec(form), Batch(), block.start == 0
    for record in records(_pieces(file, form, block), form.split, form.delimiter):
        if record.bad:
            detail = (corpus_records.LIMIT // 10**6,) if record.bad == "long" else ()
            batch.bad.append((batch.lines + 1, record.bad, detail))
        elif (text := _decode(record.data, codec, batch)) is not None:
            text = text.removeprefix("\ufeff") if first else text
            if form.split == "paragraph":
                batch.add(text.rstrip().lstrip("\r\n"))
            elif not first:  # the first row has the names of the columns
                _row(text.removesuffix("\n").removesuffix("\r"), form, batch)
        batch.lines, batch.size, first = batch.lines + record.lines, batch.size + record.size, False
        if batch.size >= PIECE:
            yield batch
            batch = Batch()
    yield batch


def _row(text: str, form: Format, batch: Batch) -> None:
    if not text:
        batch.empty += 1
        return
    parts = fields(text, form.delimiter)
    if len(parts) != len(form.columns):
        batch.bad.append((batch.lines + 1, "ragged", (len(parts), len(form.columns))))
        return
    group = parts[form.columns.index(form.by)] if form.by is not None else None
    batch.add(parts[form.columns.index(form.column)], group, grouped=form.by is not None)


def _whole(file: BinaryIO, form: Format) -> Batch:
    """A file that is one document."""
    file.seek(0)
    data = file.read(4 * corpus_records.LIMIT + 1)  # UTF-32 has four bytes for each letter
    if is_wide(form.encoding):
        file.seek(0)
        data = b"".join(as_utf8(file.read, form.encoding))[: corpus_records.LIMIT + 1]
    batch = Batch(size=len(data))
    if (text := _decode(data, _codec(form), batch)) is not None:
        batch.add(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    batch.lines = data.count(b"\n")
    return batch


def _parquet(file: BinaryIO, form: Format, block: Block) -> Iterator[Batch]:
    from pyarrow import ArrowException

    try:
        yield from _row_groups(file, form, range(block.start, block.end))
    except (ArrowException, UnicodeDecodeError) as error:
        raise OSError(str(error)) from None


def _row_groups(file: BinaryIO, form: Format, groups: range) -> Iterator[Batch]:
    from pyarrow.parquet import ParquetFile

    grouped = form.by is not None
    names = [form.column, *([form.by] if grouped and form.by != form.column else [])]
    for rows in ParquetFile(file).iter_batches(1024, row_groups=groups, columns=names, use_threads=False):
        batch, texts = Batch(), rows.column(form.column).to_pylist()
        values = rows.column(form.by).to_pylist() if grouped else [None] * len(texts)
        for text, value in zip(texts, values, strict=True):
            batch.lines += 1
            size = len((text or "").encode())
            if size > corpus_records.LIMIT:
                batch.bad.append((batch.lines, "long", (corpus_records.LIMIT // 10**6,)))
            else:
                batch.add(text or "", value, grouped=grouped)
            batch.size += size
        yield batch
