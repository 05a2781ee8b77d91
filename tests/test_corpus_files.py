"""Files of every kind, read back: against the csv module, json, pyarrow and what was written."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib import corpus_bad, corpus_read, corpus_records
from demo_lib.corpus_encoding import detect
from demo_lib.corpus_files import find, look, open_file, plan
from demo_lib.corpus_read import Bad, read
from demo_lib.corpus_records import Block, fields

from .refusals import refusal

MIXED = ["年假怎么申请？", "How do I apply?", "𠮷野家 🏽", 'a "quoted", text', "two\nlines", "naïve", "x" * 300]


def documents(path, block: int = 1 << 24, name: str | None = None, **options):
    """(texts, groups, sentences of bad lines) of a file, block by block."""
    one = look(name or path.name, str(path), **options)
    texts, groups, bad = [], [], []
    for part in plan([one], block):
        with open_file(one.address) as file:
            before = lines_before(path, part.start, one)
            for batch in read(file, one.form, part):
                bad += [(before + line, kind, detail) for line, kind, detail in batch.bad]
                before += batch.lines
                texts += batch.texts
                groups += batch.groups
    sentences = [str(corpus_bad.sentence(Bad(0, 0, 0, kind, detail), one.name, line)) for line, kind, detail in bad]
    return texts, groups, sentences


def lines_before(path, start: int, one) -> int:
    """Of a block of lines, those that begin before it."""
    if one.kind == "parquet" or not start:
        return 0
    data = path.read_bytes()
    return data.count(b"\n", 0, start) + (one.split == "line" and data[start - 1 : start] != b"\n")


@pytest.fixture
def write(tmp_path):
    def write(name: str, data: str | bytes, encoding: str = "utf-8"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode(encoding))
        return path

    return write


def as_csv(rows, delimiter=",") -> str:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return file.getvalue()


LINES = [text.replace("\n", " ") for text in MIXED]
JSON = "\n".join(json.dumps({"id": i, "text": text, "lang": "zh"}, ensure_ascii=i % 2) for i, text in enumerate(MIXED))


@pytest.mark.parametrize("block", [7, 50, 1 << 24])
def test_each_kind_gives_its_documents_however_it_is_cut_into_blocks(write, block):
    assert documents(write("a.txt", "\n".join(LINES)), block)[0] == LINES
    assert documents(write("a.txt", "\r\n".join(LINES) + "\r\n\r\n"), block)[0] == LINES
    assert documents(write("b.txt", "\n\n\n".join(MIXED)), block, split="paragraph")[0] == MIXED
    assert documents(write("c.md", "\n\n".join(MIXED)), block)[0] == ["\n\n".join(MIXED)]
    assert documents(write("d.jsonl", JSON), block, by="lang") == (MIXED, ["zh"] * 7, [])
    assert documents(write("d.jsonl", "\n".join(map(json.dumps, MIXED))), block)[0] == MIXED
    for name, mark in (("e.csv", ","), ("e.csv", ";"), ("e.tsv", "\t")):
        rows = [["lang", "text", "n"], *(["zh", text, i] for i, text in enumerate(MIXED))]
        assert documents(write(name, as_csv(rows, mark)), block, by="lang") == (MIXED, ["zh"] * 7, [])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-32"])
def test_the_encoding_is_found_and_makes_no_difference(write, encoding):
    texts = ["请问年假怎么申请？", "我想请5天年假, thanks", "今天天气不错，\n我们去公园"] * 20
    path = write("a.csv", as_csv([["text", "lang"], *([text, "zh"] for text in texts)]), encoding)
    found = look("a.csv", str(path))
    assert found.encoding == encoding
    assert found.columns == ("text", "lang")
    assert documents(path, 100, by="lang") == (texts, ["zh"] * 60, [])
    lines = [text.replace("\n", "") for text in texts]
    assert documents(write("a.txt", "\n".join(lines), encoding), 100)[0] == lines


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("請問年假怎麼申請？我想請五天年假，謝謝。", "big5"),
        ("年次休暇はどうやって申請しますか？公園へ行きましょう。", "shift_jis"),
        ("年次休暇はどうやって申請しますか？公園へ行きましょう。", "euc_jp"),
        ("연차 휴가는 어떻게 신청하나요? 오늘은 날씨가 좋네요.", "euc_kr"),
        ("Сегодня хорошая погода, пойдём в парк.", "cp1251"),
        ("L'été dernier, ça coûte cher à Zürich.", "cp1252"),
        ("plain ASCII", "utf-8"),
    ],
)
def test_encodings_of_other_places(text, encoding):
    assert detect("a.txt", [(text * 9).encode(encoding)]) == encoding


def test_parquet_row_groups_are_blocks(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    table = {"n": [*range(70)], "text": MIXED * 10, "lang": pa.array(["zh", None] * 35).dictionary_encode()}
    table |= {"tags": [["x"]] * 70, "day": pa.array([0] * 70, pa.date32())}
    parquet.write_table(pa.table(table), path, row_group_size=9)
    assert documents(path, by="lang") == (MIXED * 10, ["zh", ""] * 35, [])
    assert documents(path, by="n")[1][:3] == ["0", "1", "2"]
    assert documents(path, by="day")[1][:1] == ["1970-01-01"]
    assert look("a.parquet", str(path)).columns == ("text", "lang", "n", "tags", "day")
    assert "not of text" in refusal(look, "a.parquet", str(path), column="n")
    assert "not of text" in refusal(look, "a.parquet", str(path), column="tags")
    parquet.write_table(pa.table({"n": [1, 2], "title": ["a", "b"], "text": [["x"], ["y"]]}), path)
    assert (look("a.parquet", str(path)).column, documents(path)[0]) == ("title", ["a", "b"])  # no list of texts
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"]), pa.array(["c"])], names=["text", "text", "body"])
    parquet.write_table(twice, path)
    assert look("a.parquet", str(path)).columns == ("body",)
    parquet.write_table(pa.table({"n": [1]}), path)
    assert "no column of text" in refusal(look, "a.parquet", str(path))


def test_the_column_that_is_taken(write):
    assert look("a.csv", str(write("a.csv", "id,body\n1,x\n"))).column == "body"
    assert look("a.csv", str(write("a.csv", "id,who,said\n1,me,a long text\n"))).column == "said"
    assert look("a.csv", str(write("a.csv", "text,said\n1,me\n")), column="said").sample == ("me",)
    assert look("a.jsonl", str(write("a.jsonl", JSON))).column == "text"
    assert look("a.txt", str(write("a.txt", JSON)), column="text").column is None


@given(st.lists(st.text('ab",\n é', max_size=20), min_size=1, max_size=5))
def test_fields_are_those_of_the_csv_module(row):
    text = as_csv([row])[:-1]
    assert fields(text, ",") == next(csv.reader(io.StringIO(text, newline=""), strict=True), [""])


@given(st.text('ab", ', max_size=30))
def test_odd_rows_are_those_of_the_csv_module(text):
    if corpus_records.pattern("row").fullmatch(text.encode() + b"\n"):
        assert fields(text, ",") == (next(csv.reader([text])) or [""])


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.txt", b"", "a.txt is empty"),
        ("a.docx", b"x", "a.docx: only .txt"),
        ("a.csv", b"PK\x03\x04" + bytes(40), "spreadsheet"),
        ("a.txt", b"%PDF-1.7 ...", "a PDF"),
        ("a.jsonl", b"\x1f\x8b\x08\0\0\0", "gzip"),
        ("a.txt", bytes(range(256)) * 9, "zero bytes"),
        ("a.txt", bytes(range(1, 9)) * 99 + b"\xff", "control characters"),
        ("a.csv", b"\n\n\n", "names of the columns"),
        ("a.jsonl", b'[\n{"text": "x"},\n', "none of its first lines is JSON"),
        ("a.parquet", b"PAR1 but not really", "not a Parquet file"),
    ],
)
def test_files_that_are_not_what_they_should_be(write, name, data, words):
    assert words in refusal(look, name, str(write(name, data)))


def test_a_file_or_a_column_that_is_not_there(write):
    path = write("a.csv", "id,body\n1,x\n")
    assert "has no column text; its columns: id, body" in refusal(look, "a.csv", str(path), column="text")
    assert "has no column lang" in refusal(look, "a.csv", str(path), by="lang")
    assert "its columns: none" in refusal(look, "a.txt", str(write("a.txt", "x")), by="lang")
    assert "gone.txt is not there" in refusal(look, "gone.txt", str(path) + "gone.txt")
    assert "no encoding klingon" in refusal(look, "a.csv", str(path), encoding="klingon")
    assert "a paragraph or a file" in refusal(look, "a.txt", str(write("a.txt", "x")), split="word")


@pytest.mark.parametrize("block", [11, 1 << 24])
def test_every_bad_line_is_named(write, block, monkeypatch):
    monkeypatch.setattr(corpus_records, "LIMIT", 200)
    monkeypatch.setattr(corpus_read, "PIECE", 64)
    lines = [
        *('{"text": "one"}', '{"text": "tw', '{"body": 1}', '{"text": 5}', '{"text": ["a"]}'),
        *(
            '{"text": "\\ud800"}',
            "",
            '{"text": "' + "x" * 300 + '"}',
            '{"text": null}',
            "3",
            '{"text": "\\ud83d\\ude00"}',
        ),
    ]
    texts, _, bad = documents(write("a.jsonl", "\n".join(lines)), block)
    assert texts == ["one", "😀"]
    assert [sentence.split(":")[0] for sentence in bad] == [f"a.jsonl, line {n}" for n in (2, 3, 4, 5, 6, 8, 10)]
    assert [
        next(word for word in ("JSON", "field", "number", "list", "surrogate", "longer") if word in s) for s in bad
    ] == [*("JSON", "field", "number", "list", "surrogate", "longer", "number")]
    rows = b'text,lang\nok,zh\n1,2,3\nalone\n\xff\xfe,zh\n"two\nlines",zh\n' + b"y" * 300 + b',zh\n"open,zh\nlast,zh\n'
    texts, _, bad = documents(write("a.csv", rows), block, by="lang", encoding="utf-8")
    assert texts == ["ok", "two\nlines", "last"]
    assert [sentence.split(":")[0] for sentence in bad] == [f"a.csv, line {n}" for n in (3, 4, 5, 8, 9)]
    texts, _, bad = documents(write("a.txt", "年假\n怎么\n".encode() + b"\xe5\xb9\n\xff\nend"), block, encoding="utf-8")
    assert texts == ["年假", "怎么", "end"]
    assert bad == ["a.txt, line 3: byte 1 is not utf-8.", "a.txt, line 4: byte 1 is not utf-8."]
    assert documents(write("a.md", "x" * 201), block)[2] == [
        "a.md, line 1: longer than 0 MB, the most for one document."
    ]


def test_every_kind_of_bad_line_has_a_sentence_in_both_languages():
    details = {
        "json": (3,),
        "missing": ("text",),
        "type": ("int",),
        "ragged": (2, 3),
        "encoding": ("utf-8", 1),
        "long": (16,),
    }
    for kind in corpus_bad.KINDS:
        problem = corpus_bad.sentence(Bad(0, 0, 0, kind, details.get(kind, ())), "a.csv", 1234)
        assert str(problem).startswith("a.csv, line 1,234: ")
        assert problem.zh.startswith("a.csv 第 1,234 行：")


def test_a_line_of_50_mb_takes_no_50_mb(write):
    import tracemalloc

    path = write("a.txt", b"first\n" + b"x" * 50_000_000 + b"\nlast\n")
    tracemalloc.start()
    texts, _, bad = documents_streamed(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert texts == ["first", "last"]
    assert bad == [(2, "long", (16,))]
    assert peak < 45_000_000


def documents_streamed(path):
    one = look(path.name, str(path))
    texts, bad, lines = [], [], 0
    for part in plan([one], 1 << 24):
        with open_file(one.address) as file:
            for batch in read(file, one.form, part):
                texts += batch.texts
                bad += [(lines + line, kind, detail) for line, kind, detail in batch.bad]
                lines += batch.lines
    return texts, None, bad


def test_folders_and_addresses(tmp_path, write):
    (tmp_path / "in").mkdir()
    for name in ("in/b.txt", "in/a.jsonl", "in/x.png"):
        write(name, "x")
    assert [name for name, _ in find([str(tmp_path / "in")])] == ["a.jsonl", "b.txt"]
    assert find(["/secret/1.txt"], ["mine.txt"]) == [("mine.txt", "/secret/1.txt")]
    assert "at least one file" in refusal(find, [])
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/corpus/a.txt", "年假\n怎么\n".encode())
    ((name, address),) = find(["memory://corpus/*.txt"])
    assert look(name, address).sample == ("年假", "怎么")
    assert "/secret" not in repr(look("a.txt", str(write("a.txt", "x")))) + str(tmp_path)


def test_an_address_that_nothing_answers(tmp_path):
    assert "gone.txt is not there" in refusal(look, "gone.txt", "memory://corpus/gone.txt")
    assert "a.txt cannot be read" in refusal(look, "a.txt", "nosuch://corpus/a.txt")


def test_a_parquet_file_that_is_damaged_inside(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    from demo_lib.corpus_block import Job, count_block

    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"text": [f"年假 {i}" for i in range(5000)]}), path, row_group_size=1000)
    whole = path.read_bytes()
    data = bytearray(whole)
    data[100:4000] = bytes(3900)
    path.write_bytes(data)
    assert "a.parquet cannot be read: it is damaged" in refusal(look, "a.parquet", str(path))
    path.write_bytes(whole)
    one = look("a.parquet", str(path))
    path.write_bytes(data)
    job = Job((one,), ("qwen2.5",), ("tiktoken",))
    assert "a.parquet could not be read to its end" in refusal(count_block, job, Block(0, 0, 0, 1))
