"""Files of a corpus: found, looked at before they are counted, and cut into blocks."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from .corpus_encoding import as_utf8, check_encoding, detect, is_wide, pieces
from .corpus_read import Format, read
from .corpus_records import PIECE, Block, blocks, fields, pattern
from .problems import Problem

KINDS = {".txt": "txt", ".text": "txt", ".md": "md", ".markdown": "md", ".csv": "csv", ".tsv": "tsv"}
KINDS |= {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
SPLITS = ("line", "paragraph", "file")
# What a document is where nobody says: a line of a .txt is what most readers of corpora take, a .md is one text
_SPLIT = {"txt": "line", "md": "file", "jsonl": "line"}
# The column that is taken where none is named: one of these, else the one with the longest texts
_USUAL = ("text", "content", "body", "document", "article", "sentence", "question", "prompt", "instruction", "output")


@dataclass(frozen=True)
class Look:
    """A file as it is before counting. `column`: the one that is taken; `sample`: up to three documents, cut short.

    `stamp` changes when the file does. `address` is where it is: for the machine, not to be shown.
    """

    name: str
    size: int
    form: Format
    sample: tuple[str, ...]
    stamp: str
    address: str = field(repr=False)

    @property
    def kind(self) -> str:
        return self.form.kind

    @property
    def encoding(self) -> str | None:
        return self.form.encoding

    @property
    def columns(self) -> tuple[str, ...]:
        return self.form.columns

    @property
    def column(self) -> str | None:
        return self.form.column

    @property
    def split(self) -> str:
        return self.form.split


def is_remote(address: str) -> bool:
    return "://" in address


def open_file(address: str) -> BinaryIO:
    """A file of this machine, or of any address that fsspec knows."""
    if not is_remote(address):
        return open(address, "rb")
    import fsspec

    try:
        return fsspec.open(address, "rb").open()
    except (OSError, ImportError):
        raise
    except Exception as error:  # each kind of address has errors of its own
        raise OSError(str(error)) from None


def find(addresses: Sequence[str], names: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """(name, address) of each file; a folder stands for the files of known kinds in it, a remote `*` for what fits."""
    found = []
    for i, address in enumerate(map(os.fspath, addresses)):
        if names is not None:
            found.append((names[i], address))
        elif is_remote(address):
            found += [(one, one) for one in (_matching(address) if "*" in address else [address])]
        elif os.path.isdir(address):
            inside = sorted(path for path in Path(address).rglob("*") if path.suffix.lower() in KINDS)
            found += [(path.relative_to(address).as_posix(), str(path)) for path in inside]
        else:
            found.append((os.path.basename(address), address))
    if not found:
        raise Problem(
            "Choose at least one file: .txt, .md, .csv, .tsv, .jsonl or .parquet.",
            "请至少选择一个文件：.txt、.md、.csv、.tsv、.jsonl 或 .parquet。",
        )
    return found


def _matching(address: str) -> list[str]:
    import fsspec

    files, _ = fsspec.core.url_to_fs(address)
    return [files.unstrip_protocol(path) for path in sorted(files.glob(address))]


def look(
    name: str,
    address: str,
    *,
    column: str | None = None,
    by: str | None = None,
    split: str | None = None,
    encoding: str | None = None,
) -> Look:
    """What the file is, by at most a megabyte of it. What cannot be counted raises Problem, which names the file."""
    kind = KINDS.get(os.path.splitext(name)[1].lower())
    if kind is None:
        raise Problem(
            f"{name}: only .txt, .md, .csv, .tsv, .jsonl and .parquet are read here.",
            f"{name}：这里只读 .txt、.md、.csv、.tsv、.jsonl 和 .parquet。",
        )
    try:
        with open_file(address) as file:
            size = file.seek(0, os.SEEK_END)
            if not size:
                raise Problem(f"{name} is empty.", f"{name} 是空文件。")
            form = _parquet_form(file, name) if kind == "parquet" else _form(file, name, kind, size, split, encoding)
            form = _choose(file, name, size, form, column, by)
            return Look(name, size, form, _sample(file, form, size), _stamp(file, address, size), address)
    except FileNotFoundError:
        raise Problem(f"{name} is not there.", f"找不到 {name}。") from None
    except ImportError as error:
        package = error.name or "it asks for"
        raise Problem(
            f"{name}: install the package {package} to read it.", f"{name}：读取它需要安装 {package}。"
        ) from None
    except OSError:
        raise Problem(
            f"{name} cannot be read: it is damaged, or not yours to read.", f"无法读取 {name}：文件已损坏，或没有权限。"
        ) from None


def _form(file: BinaryIO, name: str, kind: str, size: int, split: str | None, encoding: str | None) -> Format:
    sample = pieces(file, size)
    encoding = check_encoding(encoding) if encoding else detect(name, sample)
    if kind in ("txt", "md"):
        if split not in (None, *SPLITS):
            raise Problem("A document is a line, a paragraph or a file.", "文档可以是一行、一段或一个文件。")
        return Format(kind, split or _SPLIT[kind], encoding)
    form = Format(kind, "line" if kind == "jsonl" else "row", encoding)
    head = _head(file, form)
    if kind == "jsonl":
        return replace(form, columns=_keys(name, head))
    mark = "\t" if kind == "tsv" else max(",;\t|", key=head.split("\n", 1)[0].count)
    return replace(form, delimiter=mark, columns=_header(name, head, mark))


def _head(file: BinaryIO, form: Format) -> str:
    """The beginning of a file as text."""
    file.seek(0)
    if is_wide(form.encoding):
        return next(as_utf8(file.read, form.encoding), b"").decode(errors="replace").removeprefix("\ufeff")
    return file.read(PIECE).decode(form.encoding, "replace").removeprefix("\ufeff")


def _header(name: str, head: str, delimiter: str) -> tuple[str, ...]:
    """The names of the columns of a CSV, from its first row."""
    row = pattern("row", delimiter).match(head.encode() + b"\n")
    names = tuple(fields(row.group().decode().rstrip("\r\n"), delimiter)) if row else ()
    if not any(names):
        raise Problem(
            f"{name}, line 1: the first row must have the names of the columns.",
            f"{name} 第 1 行：首行必须是各列的名称。",
        )
    return names


def _keys(name: str, head: str) -> tuple[str, ...]:
    """The keys of the objects on the first lines of JSON, in the order in which they come."""
    keys, sound = {}, False
    for line in head.split("\n")[:1000]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        sound |= isinstance(value, dict | str)
        keys |= dict.fromkeys(value) if isinstance(value, dict) else {}
    if not sound:
        raise Problem(
            f"{name}: none of its first lines is JSON; JSON lines have one object on each line.",
            f"{name}：开头没有一行是 JSON；JSON Lines 文件每行是一个对象。",
        )
    return tuple(keys)


def _parquet_form(file: BinaryIO, name: str) -> Format:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

        schema = ParquetFile(file).schema_arrow
    except (ArrowException, OSError):
        raise Problem(
            f"{name} is not a Parquet file, or is cut short.", f"{name} 不是 Parquet 文件，或者不完整。"
        ) from None
    texts = _text_columns(schema)
    if not texts:
        raise Problem(
            f"{name} has no column of text, or two columns of one name.", f"{name} 没有文本列，或者有两列同名。"
        )
    # columns of text first: another can only say how documents are grouped
    others = (one for one in schema.names if one not in texts and schema.names.count(one) == 1)
    return Format("parquet", "row", None, columns=(*texts, *others))


def _text_columns(schema) -> list[str]:
    """The columns of text of a Parquet file; of two that have one name, neither can be asked for."""
    from pyarrow import types

    text = (types.is_string, types.is_large_string, types.is_string_view)
    kinds = [one.type.value_type if types.is_dictionary(one.type) else one.type for one in schema]
    strings = [one for one, kind in zip(schema.names, kinds, strict=True) if any(is_it(kind) for is_it in text)]
    return [one for one in strings if schema.names.count(one) == 1]


def _choose(file: BinaryIO, name: str, size: int, form: Format, column: str | None, by: str | None) -> Format:
    """The format with its columns chosen. One that is not there raises Problem."""
    has = form.kind not in ("txt", "md") and bool(form.columns)
    for wanted in (column if form.kind not in ("txt", "md") else None, by):
        if wanted is not None and wanted not in form.columns:
            listed = ", ".join(one[:40] for one in form.columns[:12]) or "none"
            raise Problem(
                f"{name} has no column {wanted[:40]}; its columns: {listed}.",
                f"{name} 没有名为 {wanted[:40]} 的列；它的列有：{listed}。",
            )
    if not has:
        return replace(form, by=by)
    texts = _readable(file, name, form, column)
    if column is None:
        column = next((one for usual in _USUAL for one in texts if one.lower() == usual), None)
    if column is None:
        tried = {one: _sample(file, replace(form, column=one), size) for one in texts[:50]}
        column = max(tried, key=lambda one: sum(map(len, tried[one])))
    return replace(form, column=column, by=by)


def _readable(file: BinaryIO, name: str, form: Format, column: str | None) -> Sequence[str]:
    """The columns that can hold the documents. One that is named and cannot raises Problem."""
    if form.kind != "parquet":
        return form.columns
    from pyarrow.parquet import ParquetFile

    schema = ParquetFile(file).schema_arrow
    texts = _text_columns(schema)
    if column is not None and column not in texts:
        kind = str(schema.field(column).type)
        raise Problem(
            f"{name}: the column {column[:40]} is of {kind[:40]}, not of text.",
            f"{name}：列 {column[:40]} 的类型是 {kind[:40]}，不是文本。",
        )
    return texts


def _sample(file: BinaryIO, form: Format, size: int) -> tuple[str, ...]:
    end = min(size, 1 << 16) if form.split == "line" else 1 if form.kind == "parquet" else size
    batch = next(read(file, form, Block(0, 0, 0, end)), None)
    return tuple(text[:200] for text in batch.texts[:3]) if batch else ()


def _stamp(file: BinaryIO, address: str, size: int) -> str:
    """What changes with the file: its size, its time where it has one, its first and last bytes."""
    digest = hashlib.sha256(f"{size}".encode())
    if not is_remote(address):
        digest.update(str(os.stat(address).st_mtime_ns).encode())
    for start in {0, max(0, size - PIECE // 16)}:
        file.seek(start)
        digest.update(file.read(PIECE // 16))
    return digest.hexdigest()


def plan(looks: Sequence[Look], block: int) -> Iterator[Block]:
    """All blocks of all files, in order; `block`: bytes of one, about."""
    for index, one in enumerate(looks):
        with open_file(one.address) as file:
            if one.kind == "parquet":
                from pyarrow.parquet import ParquetFile

                groups = ParquetFile(file).num_row_groups
                yield from (Block(index, group, group, group + 1) for group in range(groups))
            elif one.split == "file" or is_wide(one.encoding):
                yield Block(index, 0, 0, one.size)
            else:
                yield from blocks(file, index, one.size, block, one.split, one.form.delimiter)
