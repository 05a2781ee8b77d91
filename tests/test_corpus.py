"""The room's door: reports from Python, in both languages, as HTML, CSV and JSON, and on the command line."""

import csv
import io
import json
import os
import re
import signal
import string
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from demo_lib import corpus
from demo_lib.corpus_bad import KINDS as BAD
from demo_lib.corpus_text import TEXT
from demo_lib.corpus_write import check_out
from demo_lib.scripts import KINDS
from demo_lib.vocab import open_vocab

from .refusals import refusal

ROOT = Path(__file__).parents[1]
MODELS = ["llama-3.1", "qwen2.5"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    lines = [
        {"text": f"年假怎么申请？钉钉 2026 {i} </script><b>" * (i % 5 + 1), "lang": "zh" if i % 2 else "en"}
        for i in range(300)
    ]
    (folder / "a.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\n{broken\n", "utf-8")
    (folder / "b.csv").write_bytes("text,lang\n请问年假怎么申请？今天天气不错。,zh\n=1+1,en\n".encode("gb18030"))
    return [str(folder / name) for name in ("a.jsonl", "b.csv")]


@pytest.fixture(scope="module")
def made(files):
    for model in MODELS:
        open_vocab(model)  # else each report would open it in a child
    return corpus.report(files, MODELS, by="lang", prices="0.5,2")


def test_looks(files):
    jsonl, table = corpus.look(files, ["mine.jsonl", "yours.csv"])
    assert (jsonl.name, jsonl.kind, jsonl.encoding, jsonl.column) == ("mine.jsonl", "jsonl", "utf-8", "text")
    assert (table.encoding, table.columns, table.split) == ("gb18030", ("text", "lang"), "row")
    assert table.sample[0].startswith("请问")


def test_the_summary_in_plain_words(made):
    english, chinese = corpus.summary(made, "en"), corpus.summary(made, "zh-CN")
    assert len(english) == len(chinese)
    assert english[0].startswith("302 documents with ")
    assert "from 2 files" in english[0]
    said = "\n".join(english)
    for model in made.models:
        assert f"{model.label} makes {model.tokens:,} tokens" in said
        assert f"At {model.price:g} for a million tokens, {model.label} costs" in said
    cheap, dear = sorted(made.models, key=lambda model: model.tokens)
    fewer = f"{cheap.label} needs {100 * (1 - cheap.tokens / dear.tokens):.1f}% fewer tokens than {dear.label}"
    assert fewer in said
    assert "b.csv was read as gb18030, which is a guess" in said
    assert "not counted: 1" in said
    assert "多花 token 最多的是" in "\n".join(chinese)
    assert not re.search(r"[{}]", said + "\n".join(chinese))


def test_few_documents_and_equal_ones(made):
    report = corpus.report_of_text("hello\n\nhello", MODELS)
    assert report.documents == 2
    said = "\n".join(corpus.summary(report, "en"))
    assert "Llama 3.1 and Qwen2.5 need the same number of tokens." in said
    assert "too few documents" in "\n".join(corpus.summary(corpus.report_of_text("钉钉审批", MODELS), "en"))
    assert corpus.report_of_text("one\ntwo\n\nthree", MODELS[:1]).documents == 2
    assert corpus.report_of_text("one\ntwo\n\nthree", MODELS[:1], split="line").documents == 3
    assert corpus.report_of_text("one\ntwo\n\nthree", MODELS[:1], split="file").documents == 1
    assert "Paste a text" in refusal(corpus.report_of_text, " \n", MODELS)


def test_tables_in_both_languages(made):
    english, chinese = corpus.tables(made, "en"), corpus.tables(made, "zh")
    assert [*english] == ["models", "documents", "scripts", "groups", "words", "characters", "tokens", "files", "bad"]
    assert [*english] == [*chinese]
    for name, (columns, rows) in english.items():
        assert all(len(row) == len(columns) for row in rows), name
        assert len(chinese[name][0]) == len(columns)
        frame = corpus.frames(made, "en")[name]
        assert frame.shape == (len(rows), len(columns))
        assert frame.columns.is_unique
    words = {row[0]: row for row in english["words"][1]}
    assert words["2026"][2:6] == ["Qwen2.5", 4.0, "Llama 3.1", 2.0]
    assert [row[:2] for row in english["groups"][1]] == [["en", 151], ["zh", 151]]
    assert "a.jsonl, line 301: not JSON" in english["bad"][1][0][2]


def test_every_word_is_in_both_languages():
    def fields(sentence):
        return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}

    assert TEXT["en"].keys() == TEXT["zh-CN"].keys()
    for key, english in TEXT["en"].items():
        assert fields(english) == fields(TEXT["zh-CN"][key]), key
    assert {f"k_{kind}" for kind in KINDS} | {f"b_{kind}" for kind in BAD} <= TEXT["en"].keys()


def test_figures_are_what_plotly_takes(made):
    from plotly.graph_objects import Figure

    for lang in ("en", "zh-CN"):
        figures = corpus.figures(made, lang)
        assert [*figures] == ["models", "documents", "scripts", "groups", "words"]
        for figure in figures.values():
            assert Figure(figure).data
    data = corpus.figures(made, "en")["documents"]["data"]
    assert [sum(one["y"]) for one in data] == [made.documents] * 2
    ratios = corpus.figures(made, "en")["models"]["data"][0]
    assert ratios["x"][0] == round(made.models[0].per_character.value, 4)


def test_csv_and_json_have_the_numbers(made):
    found = json.loads(corpus.to_json(made))
    assert found["documents"] == made.documents
    assert [model["tokens"] for model in found["models"]] == [model.tokens for model in made.models]
    rows = list(csv.reader(io.StringIO(corpus.to_csv(made), newline="")))
    assert rows[0] == ["table", "row", "column", "value"]
    assert ["models", "1", "tokens", str(made.models[0].tokens)] in rows
    assert not [row for row in rows if row[3][:1] in ("=", "+", "@")]


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links, self.scripts, self.text = [], [], [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href")]

    def handle_data(self, data):
        self.text += data if self.tags[-1:] not in (["script"], ["style"]) else ""


def test_the_page_is_whole_and_escapes_what_the_corpus_has(made):
    page = corpus.to_html(made, "zh")
    reader = Reader()
    reader.feed(page)
    assert reader.links == []
    assert reader.tags.count("script") == 3
    assert "b" in reader.tags  # our own, in the foot
    assert reader.tags.count("b") == 1
    assert '<html lang="zh-CN" data-lang="zh-CN">' in page
    assert "</script><b>" in reader.text  # shown as it is
    for lang in ("en", "zh-CN"):
        for said in corpus.summary(made, lang):
            assert said in reader.text
    assert len(page) < 6_000_000


def command(*arguments, **options):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-m", "demo_lib.corpus", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, env=environment, timeout=300, **options)


def test_the_command_line_says_the_same(made, files, tmp_path):
    names = ",".join(f"out.{kind}" for kind in ("json", "html", "csv"))
    done = command(*files, "--by", "lang", "--prices", "0.5,2", "--out", names, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "b.csv: csv, gb18030, text" in done.stderr
    assert corpus.summary(made, "en")[3] in done.stderr
    assert "\n  a.jsonl, line 301: not JSON" in done.stderr
    assert (tmp_path / "out.json").read_text("utf-8") == corpus.to_json(made)
    assert (tmp_path / "out.html").read_text("utf-8") == corpus.to_html(made)
    assert (tmp_path / "out.csv").read_text("utf-8-sig") == corpus.to_csv(made)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.html", "out.json"]


def test_the_command_line_goes_on_where_it_was_stopped(tmp_path, made):
    path = tmp_path / "big.jsonl"
    row = "".join(json.dumps({"text": f"How do I apply? 年假怎么申请 {i} " * 40}) + "\n" for i in range(20))
    path.write_text(row * 180, "utf-8")
    arguments = [path, "--models", "qwen2.5", "--counter", "tokenizers", "--workers", "1", "--out", "out.json"]
    line = [sys.executable, "-m", "demo_lib.corpus", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    stopped = subprocess.Popen(line, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    for said in stopped.stderr:
        if " of " in said:  # it counts
            break
    time.sleep(2)
    stopped.send_signal(signal.SIGINT)
    assert "goes on from here" in stopped.communicate(timeout=60)[1]
    assert stopped.returncode == 130
    assert sorted(one.name for one in tmp_path.iterdir()) == ["big.jsonl", "out.json.part"]
    again = command(*arguments, cwd=tmp_path)
    assert again.returncode == 0
    assert "going on from there" in again.stderr
    assert not (tmp_path / "out.json.part").exists()
    found = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert found == json.loads(corpus.to_json(corpus.report([path], ["qwen2.5"])))


def test_problems_on_the_command_line(tmp_path, files):
    done = command(files[0], "--column", "body", "--lang", "zh", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "a.jsonl 没有名为 body 的列；它的列有：text, lang。\n")
    assert command("gone.txt", cwd=tmp_path).stderr == "gone.txt is not there.\n"
    assert command(files[0], "--models", "gpt", cwd=tmp_path).stderr.startswith("There is no model of this name here")
    assert command(files[0], "--engine", "dask", cwd=tmp_path).stderr.endswith("--scheduler tcp://host:8786\n")


def test_where_a_report_may_go(tmp_path):
    assert check_out(str(tmp_path / "a.html")) == tmp_path / "a.html"
    assert "must end in" in refusal(check_out, "a.pdf")
    assert "its folder is not there" in refusal(check_out, str(tmp_path / "no" / "a.html"))


def test_importing_the_room_is_cheap():
    slow = "pandas plotly pyarrow tiktoken quicktok dask distributed numpy tokenizers fsspec torch"
    code = f"import sys, demo_lib.corpus; print([name for name in {slow.split()} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stderr
