"""The corpus tab without a browser: files that are held, counts that take turns, what is drawn and handed out."""

import json
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from demo_lib import corpus as room
from demo_lib.problems import Problem
from demo_lib.tabs import corpus, corpus_count, corpus_draw, corpus_held, table_bar
from demo_lib.tabs.corpus_count import MODELS, SEATS, START, Count
from demo_lib.tabs.corpus_held import Held, forget, hold, options
from demo_lib.tabs.uploaded import check, uploaded
from demo_lib.vocab import open_vocab

from .refusals import refusal

NO = ("", "", "", "")  # split, column, by, encoding, as usual
META = {"_type": "gradio.FileData"}


@pytest.fixture(scope="module", autouse=True)
def tokenizers():
    for model in MODELS:
        open_vocab(model)  # else each count would open it in a child


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where Gradio puts uploads; what is held is beside it."""
    (tmp_path / "gradio").mkdir()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def send(folder):
    """send(key, name, data): a file as the page tells of it when it has been uploaded."""

    def upload(key: int, name: str, data: str | bytes) -> dict:
        path = folder / "gradio" / f"sha-{key}" / "random"
        path.parent.mkdir()
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return {"key": key, "name": name, "path": str(path)}

    return upload


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def event(**data) -> SimpleNamespace:
    return SimpleNamespace(_data=data)


# The files


def test_files_leave_gradios_folder_and_go_when_they_are_taken_away(folder, send):
    held = hold(None, [send(1, "a.txt", "one"), send(2, "../b.csv", "text\ntwo")])
    assert [one.name for one in held.files] == ["a.txt", "b.csv"]
    assert list((folder / "gradio").iterdir()) == []
    assert files(folder) == ["1", "2"]
    held = hold(held, [{"key": 2, "name": "b.csv"}, send(3, "c.md", "three")])
    assert [one.key for one in held.files] == [2, 3]
    assert files(folder) == ["2", "3"]
    assert hold(held, []) is None
    assert files(folder) == []


def test_files_that_are_being_counted_are_left_alone(folder, send):
    first = hold(None, [send(1, "a.txt", "one")])
    first.lent.set()
    second = hold(first, [send(2, "a.txt", "one")])
    assert second.folder.name != first.folder.name
    assert first.there
    assert second.there
    assert "no longer here" in refusal(hold, first, [{"key": 1, "name": "a.txt"}])
    first.close()
    second.close()
    assert files(folder) == []


def test_more_than_the_page_takes_is_refused_and_deleted(folder, send):
    many = [send(key, "a.txt", "x") for key in range(corpus_held.MANY + 1)]
    assert "51 files are chosen and the most is 50" in refusal(hold, None, many)
    big = send(99, "big.txt", "x")
    with open(big["path"], "r+b") as file:
        file.truncate(corpus_held.LIMIT + 100_000)
    assert "100.1 MB together and this page takes 100" in refusal(hold, None, [big])
    assert files(folder) == []


@pytest.mark.parametrize("path", [None, "", 5, "/etc/passwd", "no\0name", "https://example.org/a.txt", "..", ["x"]])
def test_only_an_upload_is_a_file(folder, path):
    (folder / "gradio" / "link").symlink_to("/etc/passwd")
    (folder / "secret.txt").write_text("x")
    for wrong in (path, str(folder / "gradio" / "link"), str(folder / "gradio" / ".." / "secret.txt"), str(folder)):
        assert "did not arrive" in refusal(uploaded, wrong)
        if isinstance(wrong, str):
            assert "did not arrive" in refusal(check, ["x", {"deep": [{"path": wrong, "meta": META}]}])
    assert check(["x", None, {"path": 5}, {"path": "/etc/passwd"}]) is None


def test_what_a_file_is(send):
    rows = "\n".join("年假怎么申请？请问报销发票的抬头写哪一个" for _ in range(9))
    held = hold(
        None,
        [
            send(1, "a.txt", rows.encode("gb18030")),
            send(2, "b.csv", "id,body\n1,two words\n"),
            send(3, "c.pdf", "%PDF-"),
        ],
    )
    text, table, pdf = corpus_held.looks(held, **options(*NO))
    assert (text["encoding"], text["guess"], text["split"]) == ("gb18030", True, "line")
    assert (table["columns"], table["column"], table["guess"]) == (("id", "body"), "body", False)
    assert table["sample"] == ("two words",)
    assert "c.pdf: only .txt" in pdf["problem"]["en"]
    text, table, _ = corpus_held.looks(held, **options("paragraph", "id", "", "big5"))
    assert (text["split"], text["encoding"], text["guess"]) == ("paragraph", "big5", False)
    assert table["column"] == "id"
    held.close()


def test_the_fields_follow_the_files(send):
    sent = [send(1, "a.csv", "text,lang\nhello,en\n")]
    held, value, column, by, encoding = corpus.take(None, "", "", "", "", event(files=sent, seq=4))
    assert json.loads(value)["seq"] == 4
    assert [choice[1] for choice in by.choices] == ["", "text", "lang"]
    assert column.visible
    assert encoding.visible
    more = [{"key": 1, "name": "a.csv"}, send(2, "b.jsonl", '{"text": "x", "source": "y"}')]
    held, value, _, by, _ = corpus.take(held, "", "", "lang", "", event(files=more))
    assert by.value == "lang"
    assert "no column lang" in json.loads(value)["files"][1]["problem"]["en"]
    held, value, column, by, encoding = corpus.take(held, "", "", "lang", "", event(files=[more[1] | {"path": None}]))
    assert (by.value, [choice[1] for choice in by.choices]) == ("", ["", "text", "source"])
    assert "problem" not in json.loads(value)["files"][0]
    held, value, column, by, encoding = corpus.take(held, "", "", "", "", event(files=[]))
    assert (held, column.visible, encoding.visible) == (None, False, False)


@pytest.mark.parametrize("data", [None, "x", {}, {"files": 5}, {"files": [{"key": "x"}]}, {"files": [1]}])
def test_what_is_no_list_of_files_is_refused(data):
    value = json.loads(corpus.take(None, *NO, SimpleNamespace(_data=data))[1])
    assert "reload the page" in value["refused"]["en"]


# Counting


def run(held, *fields, before=None) -> list:
    """All that a count shows: errand, line, report, drawing."""
    return list(corpus.count(held, before, *fields))


def test_a_pasted_text(folder):
    shown = run(None, "钉钉审批\n钉钉\n\nhello", ["qwen2.5"], "2", "line", "", "", "")
    assert json.loads(shown[0][1])["state"] == "waiting"
    errand, line, report, drawing = shown[-1]
    assert report == room.report_of_text("钉钉审批\n钉钉\n\nhello", ["qwen2.5"], split="line", prices="2")
    assert json.loads(line) == {"state": "over"}
    assert json.loads(drawing)["lines"][1]["en"].startswith("3 documents")
    assert errand.over.is_set()


def test_files_are_gone_after_the_count_whatever_came(folder, send):
    rows = "text,lang\n钉钉,zh\nhello,en\nragged\n"
    held = hold(None, [send(1, "a.csv", rows)])
    report = run(held, "not this", list(MODELS), "", "", "", "lang", "")[-1][2]
    (folder / "a.csv").write_text(rows)
    assert report == room.report([str(folder / "a.csv")], MODELS, by="lang")
    assert files(folder) == ["a.csv"]
    shown = run(held, "not this", list(MODELS), "", *NO)
    assert "no longer here" in json.loads(shown[-1][3])["refused"]["en"]
    for models, prices, column in ((["gpt-7"], "", ""), (["qwen2.5"], "much", ""), (["qwen2.5"], "", "nope")):
        held = hold(None, [send(7, "a.csv", rows)])
        *_, (_, line, report, drawing) = run(held, "", models, prices, "", column, "", "")
        assert (json.loads(line)["state"], report) == ("over", None)
        assert json.loads(drawing)["refused"]["zh"]
        assert files(folder) == ["a.csv"]


@pytest.mark.parametrize(
    ("text", "said"), [("", "Paste a text"), (" \n", "Paste a text"), ("x" * 2_000_001, "2,000,000")]
)
def test_texts_that_cannot_be(text, said):
    assert said in json.loads(run(None, text, ["qwen2.5"], "", *NO)[-1][3])["refused"]["en"]


def test_the_example_is_counted_once():
    report = run(None, START, list(MODELS), " ", *NO)[-1][2]
    assert report is run(None, START, list(MODELS), "", *NO)[-1][2]
    assert report == room.report_of_text(START, MODELS)
    assert report.models[0].per_character.low is not None  # there is enough of it for an interval


def test_a_count_that_is_left_stops(folder, send, monkeypatch):
    entered = threading.Event()

    def endless(paths, models, *, cancel, **_):
        entered.set()
        while not cancel.is_set():
            time.sleep(0.01)
        raise Problem("The count was stopped.", "统计已停止。")

    monkeypatch.setattr(room, "report", endless)
    for leave in ("cancel", "close"):
        held = hold(None, [send(1 if leave == "cancel" else 2, "a.txt", "x")])
        going = corpus.count(held, None, "", ["qwen2.5"], "", *NO)
        errand = next(going)[0]
        threads = threading.active_count()
        state = json.loads(next(going)[1])["state"]
        assert state in ("waiting", "opening")
        assert entered.wait(10)
        if leave == "cancel":
            errand.stop.set()
            assert list(going)[-1] == table_bar.nothing(4)
            assert "stopped" in corpus.cancel(errand)[1]
        else:
            going.close()
        end = time.monotonic() + 10
        while files(folder) and time.monotonic() < end:
            time.sleep(0.01)
        assert files(folder) == []
        assert threading.active_count() <= threads + 1


def test_a_few_at_once_and_the_others_wait():
    go, inside, most = threading.Event(), [], []

    def make(cancel):
        inside.append(1)
        most.append(len(inside))
        go.wait(10)
        inside.pop()

    counts = [Count() for _ in range(SEATS + 2)]
    threads = [threading.Thread(target=one.run, args=[make]) for one in counts]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 10
    while len(inside) < SEATS and time.monotonic() < end:
        time.sleep(0.01)
    waiting = [one for one in counts if not one.begun.is_set()]
    assert len(waiting) == 2
    waiting[0].stop.set()
    go.set()
    for thread in threads:
        thread.join(10)
    assert max(most) == SEATS
    assert (len(most), waiting[0].begun.is_set()) == (SEATS + 1, False)


@pytest.fixture(autouse=True)
def no_thread_dies(monkeypatch):
    """A count that is stopped while it waits raises Problem, which those who follow it pass over."""
    monkeypatch.setattr(
        threading, "excepthook", lambda args: None if args.exc_type is Problem else pytest.fail(str(args))
    )


def test_a_count_has_an_end():
    count = Count(seconds=0)
    said = refusal(count.run, lambda cancel: room.report_of_text(START, ["qwen2.5"], cancel=cancel))
    assert said == "The count took more than 0 minutes: use python -m demo_lib.corpus."


# What is shown


@pytest.fixture(scope="module")
def report():
    texts = [("钉钉审批 2026", "zh"), ("<b>hello</b>", "en"), ("👩‍💻 à", "")]
    rows = [f"{text} {i}\t{lang}" for i in range(12) for text, lang in texts]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "a.tsv")
        path.write_text("text\tlang\n" + "\n".join([*rows, "one field"]), "utf-8")
        return room.report([str(path)], ["qwen2.5", "llama-3.1"], by="lang", prices="1,2")


@pytest.mark.parametrize(("lang", "side"), [("en", "en"), ("zh-CN", "zh")])
def test_what_is_drawn_is_what_the_room_says(report, lang, side):
    drawn = json.loads(corpus_draw.report(report, 1.5))
    told = lambda value: value[side] if isinstance(value, dict) and side in value else value  # noqa: E731
    said = [told(line) for line in drawn["lines"]]
    assert sorted(said) == sorted(room.summary(report, lang))
    assert ("needs" if side == "en" else "比") in said[0]
    tables = room.tables(report, lang)
    assert [section["name"] for section in drawn["sections"]] == [n for n in room.headings(report, lang) if n in tables]
    for section in drawn["sections"]:
        columns, rows = tables[section["name"]]
        assert (told(section["title"]), told(section["note"])) == room.headings(report, lang)[section["name"]]
        used = [i for i in range(len(columns)) if any(row[i] is not None for row in rows)]
        assert [told(column["name"]) for column in section["columns"]] == [columns[i] for i in used]
        values = [
            [cell["v"] if isinstance(cell, dict) and "v" in cell else told(cell) for cell in row]
            for row in section["rows"]
        ]
        assert values == [[row[i] for i in used] for row in rows]
        kinds = {
            column["kind"]
            for i, column in zip(used, section["columns"], strict=True)
            if isinstance(rows[0][i], int | float)
        }
        assert kinds <= {"n"}
    models = next(section for section in drawn["sections"] if section["name"] == "models")
    assert [row[2]["low"] for row in models["rows"]] == [one.per_character.low for one in report.models]


def test_the_bars_are_those_of_the_figures(report):
    drawn = {section["name"]: section.get("plot") for section in json.loads(corpus_draw.report(report, 0))["sections"]}
    for name, figure in room.figures(report, "en").items():
        plot = drawn.pop(name)
        for series, wanted in zip(plot["series"], figure["data"], strict=True):
            labels, values = (
                (wanted["y"], wanted["x"]) if wanted.get("orientation") == "h" else (wanted["x"], wanted["y"])
            )
            shown = dict(
                zip(
                    [one["en"] if isinstance(one, dict) else one for one in plot["labels"]],
                    series["values"],
                    strict=True,
                )
            )
            assert {key: value for key, value in shown.items() if value} == {
                key: value for key, value in zip(labels, values, strict=True) if value
            }
            assert len(series.get("low", plot["labels"])) == len(plot["labels"])
    assert not any(drawn.values())


@pytest.mark.parametrize("kind", ["html", "csv", "json"])
def test_the_report_as_a_file(report, kind):
    made = json.loads(corpus.hand_out(report, "zh-CN", event(kind=kind)))
    wanted = {"html": room.to_html(report, "zh-CN"), "csv": room.to_csv(report, "zh-CN"), "json": room.to_json(report)}
    assert (made["name"], made["text"]) == (f"corpus-report.{kind}", wanted[kind])


@pytest.mark.parametrize(("report_", "kind"), [(None, "csv"), (True, "exe"), (True, None)])
def test_a_file_that_cannot_be_made(report, report_, kind):
    made = json.loads(corpus.hand_out(report if report_ else None, "en", event(kind=kind)))
    assert "count once more" in made["refused"]["en"]


def test_nothing_of_a_visitor_stays_in_gradio(folder, send):
    held = hold(None, [send(1, "a.txt", "x")])
    session = SimpleNamespace(state_data={1: held, 2: "theirs"}, config_values={1: 1, 3: "my text", 2: "theirs"})
    root = SimpleNamespace(state_holder=SimpleNamespace(session_data={"me": session}))
    forget(root, [SimpleNamespace(_id=1), SimpleNamespace(_id=3)], "somebody else")
    assert held.there
    forget(root, [SimpleNamespace(_id=1), SimpleNamespace(_id=3)], "me")
    assert (session.state_data, session.config_values) == ({2: "theirs"}, {2: "theirs"})
    assert files(folder) == []


def test_a_folder_goes_with_what_holds_it(folder, send):
    held = hold(None, [send(1, "a.txt", "x")])
    with pytest.warns(ResourceWarning):
        del held
    assert files(folder) == []
    assert isinstance(Held().folder, tempfile.TemporaryDirectory)
    assert corpus_count.START.count("\n\n") > 30


def test_one_is_said_as_one():
    said = room.summary(room.report_of_text("hello", ["qwen2.5"]), "en")
    assert said[0] == "1 document with 5 characters (0 of them Han) and 5 bytes, from one file."
    assert said[1].startswith("Qwen2.5 makes 1 token of them")
