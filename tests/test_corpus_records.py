"""Files cut into records and blocks, against Python's csv module and str.split."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib import corpus_records
from demo_lib.corpus_records import Record, blocks, records

PLAIN = st.text('ab",\n é年', max_size=40)
LETTERS = st.text('ab",\n\r é年', max_size=60)


def pieces(data: bytes, step: int):
    return (data[i : i + step] for i in range(0, len(data), step))


def cut(data: bytes, split: str, step: int = 7, delimiter: str = ",") -> list[Record]:
    found = []
    for record in records(pieces(data, step), split, delimiter):
        if isinstance(record, bytes):
            found += [Record(line, len(line), 1) for line in re.findall(rb"[^\n]*\n", record)]
        else:
            found.append(record)
    return found


@given(st.lists(st.lists(PLAIN, min_size=2, max_size=4), min_size=1, max_size=6), st.integers(1, 40))
def test_rows_end_where_the_csv_module_ends_them(rows, step):
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(rows)
    found = cut(file.getvalue().encode(), "row", step)
    assert [next(csv.reader([r.data.decode()])) for r in found if r.data.strip()] == [
        row for row in csv.reader(io.StringIO(file.getvalue(), newline="")) if row
    ]
    assert not [record for record in found if record.bad]


@given(PLAIN, st.integers(1, 40))
def test_any_bytes_make_the_rows_that_the_csv_module_reads_but_for_a_mark_that_never_closes(text, step):
    found = cut(text.encode(), "row", step)
    assert b"".join(record.data for record in found).decode().removesuffix("\n") == text.removesuffix("\n")
    if not any(record.bad for record in found):
        ours = [next(csv.reader(io.StringIO(r.data.decode(), newline="")), []) for r in found]
        assert [row for row in ours if row] == [row for row in csv.reader(io.StringIO(text, newline="")) if row]


def test_a_mark_that_never_closes_costs_its_own_line():
    found = cut(b'a,b\n1,"never\n2,x\n3,"y\nz"\n', "row")
    assert [(r.data, r.bad) for r in found] == [
        (b"a,b\n", None),
        (b'1,"never\n2,x\n3,"y\n', None),  # the next mark closes it, as in every reader of CSV
        (b'z"\n', None),
    ]
    found = cut(b'a,b\n1,"never\n2,x\n3,y\n', "row")
    assert [r.bad for r in found] == [None, "quote", None, None]


@given(st.text("ab \n\t\r年", max_size=80), st.integers(1, 30))
def test_paragraphs_are_what_empty_lines_part(text, step):
    ours = [record.data.decode().strip() for record in cut(text.encode(), "paragraph", step)]
    wanted = [part.strip() for part in re.split(r"\n(?:[ \t\r]*\n)+", "\n" + text + "\n")]
    assert [part for part in ours if part] == [part for part in wanted if part]


@pytest.mark.parametrize("split", ["line", "row", "paragraph"])
@given(text=st.text('ab,"\n', max_size=120), block=st.integers(1, 50), step=st.integers(1, 30))
def test_blocks_have_each_record_once(split, text, block, step):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus_records, "LIMIT", 40)  # so that some are too long
        data = text.encode()
        parts = list(blocks(io.BytesIO(data), 3, len(data), block, split, ","))
        assert [part.number for part in parts] == [*range(len(parts))]
        assert all(part.file == 3 for part in parts)
        assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]
        whole = [record for record in cut(data, split, step) if record.size]
        if split != "line":
            found = [record for part in parts for record in cut(data[part.start : part.end], split, step)]
            assert [(r.data.rstrip(b"\n"), r.bad) for r in found] == [(r.data.rstrip(b"\n"), r.bad) for r in whole]


@pytest.mark.parametrize("split", ["line", "row", "paragraph"])
@pytest.mark.parametrize("step", [1000, 4096])
def test_what_is_too_long_is_left_out_and_said(split, step, monkeypatch):
    monkeypatch.setattr(corpus_records, "LIMIT", 10_000)
    data = b"one\n\n" + b"x" * 50_000 + b"\n\ntwo\n"
    found = cut(data, split, step)
    assert [record.bad for record in found if record.data.strip() or record.bad] == [None, "long", None]
    assert sum(record.size for record in found) == len(data)
    assert sum(record.lines for record in found) == data.count(b"\n")
