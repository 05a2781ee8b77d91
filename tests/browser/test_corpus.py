"""The corpus tab in Chromium: a report at first sight, pasted text, files of every kind, and nothing of them left."""

import json
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from gradio_client import Client, handle_file

from demo_lib import corpus as room
from demo_lib.corpus_text import TEXT as REPORT
from demo_lib.passing import PREFIX
from demo_lib.tabs.corpus_count import MODELS, START
from demo_lib.tabs.text.corpus import TEXT
from tests.browser.conftest import Opener, serving
from tests.browser.driving import eventually
from tests.browser.test_access import CONTRAST, UNNAMED

EN, ZH = TEXT["en"], TEXT["zh-CN"]
TEXTS = [
    (f"年假怎么申请？钉钉审批 {i}", "zh") if i % 2 else (f"How do I apply for leave {i}?", "en") for i in range(60)
]
HOSTILE = "<img src=x onerror=alert(1)>钉钉 </script>"


@dataclass
class Corpus:
    """The corpus tab of one page, and the folder in which its server keeps things."""

    page: object
    folder: Path

    def __post_init__(self) -> None:
        self.files = self.page.locator("#corpus-files")
        self.report = self.page.locator("#corpus-report .be-report")
        self.section("models").wait_for()

    def section(self, name: str):
        return self.report.locator(f"[data-key={name}]")

    def choose(self, *paths: Path, looked: bool = True) -> None:
        self.files.locator("input[type=file]").set_input_files([str(path) for path in paths])
        for path in paths if looked else ():
            self.file(path.name).locator(".be-small, .be-bad").first.wait_for()
        eventually(self.files.get_by_text("Uploading").count, 0)

    def file(self, name: str):
        return self.files.locator(".be-file").filter(has=self.page.get_by_text(name, exact=True))

    def clear(self) -> None:
        while self.files.locator(".be-file").count():
            self.files.locator(".be-file .be-icon").first.click()
        eventually(self.held, [])

    def press(self, name: str = EN["count"]) -> None:
        self.page.locator("#corpus-count").get_by_role("button", name=name, exact=True).click()

    def count(self) -> str:
        """Count, and the sentences that came of it."""
        before = self.report.locator(".be-sentence").evaluate("node => (node.dataset.old = 1)")
        assert before
        self.press()
        self.page.wait_for_function(
            """() => { const root = document.querySelector('#corpus-report .be-report');
            return root.dataset.state !== 'busy' && !document.querySelector('#corpus-count button:disabled')
                && !root.querySelector('[data-old]:not([data-state=refused] *)') }"""
        )
        return self.said()

    def said(self) -> str:
        return self.report.locator(".be-report-summary, [role=alert]").first.inner_text()

    def saved(self, kind: str) -> str:
        with self.page.expect_download() as download:
            self.report.locator(f"[data-kind={kind}]").click()
        return Path(download.value.path()).read_text("utf-8-sig")

    def held(self) -> list[str]:
        """What lies on the server of somebody's files."""
        found = [*self.folder.glob("gradio/**/*"), *self.folder.glob(f"{PREFIX}*/*")]
        return sorted(path.name for path in found if path.is_file())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def own(chromium, folder):
    """An app whose folders no other test uses."""
    places = {"GRADIO_TEMP_DIR": str(folder / "gradio"), "TMPDIR": str(folder)}
    with serving(HF_ENDPOINT="http://127.0.0.1:9", **places) as (address, _):
        opener = Opener(chromium, address)
        yield opener
        opener.close()


@pytest.fixture(scope="module")
def shared(own, folder):
    return Corpus(own("corpus"), folder)


@pytest.fixture
def tab(shared, own):
    shared.clear()
    yield shared
    own.watch.check()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A file of every kind, with the same documents."""
    from pyarrow import parquet, table

    place = tmp_path_factory.mktemp("made")
    lines, rows = "\n".join(text for text, _ in TEXTS), [{"text": text, "lang": lang} for text, lang in TEXTS]
    (place / "a.txt").write_bytes(lines.encode("gb18030"))
    (place / "b.md").write_text(lines.replace("\n", "\n\n"), "utf-8")
    (place / "c.csv").write_text("text,lang\n" + "".join(f'"{a}",{b}\n' for a, b in TEXTS) + "ragged\n", "utf-8")
    (place / "d.tsv").write_text("text\tlang\n" + "".join(f"{a}\t{b}\n" for a, b in TEXTS), "utf-16")
    (place / "e.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "{broken\n", "utf-8")
    parquet.write_table(table({key: [row[key] for row in rows] for key in rows[0]}), place / "f.parquet")
    (place / "big.txt").write_text((lines + "\n") * 12_000, "utf-8")  # takes longer than the tests look on
    return place


def test_a_report_at_first_sight(tab):
    assert tab.page.locator("#corpus-text textarea").input_value() == START
    wanted = room.report_of_text(START, MODELS)
    for sentence in room.summary(wanted, "en"):
        assert sentence in tab.said()
    cells = tab.section("models").locator("tbody tr").evaluate_all("rows => rows.map(r => r.cells[1].textContent)")
    assert cells == [f"{model.tokens:,}" for model in wanted.models]
    assert tab.page.evaluate(UNNAMED.replace("#tab-chat", "#tab-corpus")) == []


def test_a_pasted_text_in_both_languages(tab):
    text = tab.page.locator("#corpus-text textarea")
    text.fill("\n\n".join([HOSTILE] * 30 + ["钉钉审批", "2026"]))
    tab.page.locator("#corpus-prices :is(input, textarea)").fill("0.5, 2")
    wanted = room.report_of_text(text.input_value(), MODELS, prices="0.5,2")
    said = tab.count()
    assert all(sentence in said for sentence in room.summary(wanted, "en"))
    assert tab.report.locator("img, script").count() == 0
    assert HOSTILE in tab.section("words").inner_text()
    tab.page.locator(".be-lang button[lang=zh-CN]").click()
    eventually(lambda: REPORT["zh-CN"]["models"] in tab.section("models").inner_text(), True)
    assert all(sentence in tab.said() for sentence in room.summary(wanted, "zh-CN"))
    shown = tab.page.locator("#tab-corpus").inner_text()
    assert [value for value in EN.values() if " " in value and "{" not in value and value in shown] == []
    tab.page.locator(".be-lang button[lang=en]").click()
    tab.page.locator("#corpus-prices :is(input, textarea)").fill("much")
    assert "price" in tab.count()
    assert text.input_value().startswith(HOSTILE)
    tab.page.locator("#corpus-prices :is(input, textarea)").fill("")
    text.fill("")
    assert "Paste a text" in tab.count()
    text.fill(START)


def test_files_of_every_kind_at_once(tab, own, made, tmp_path, capfd):
    """The same report, to the last count, from the page, the endpoint, the library and the command line."""
    paths = [made / name for name in ("a.txt", "b.md", "c.csv", "d.tsv", "e.jsonl", "f.parquet")]
    tab.choose(*paths)
    assert "gb18030, a guess by its bytes" in tab.file("a.txt").inner_text()
    assert "Columns: text, lang" in tab.file("f.parquet").inner_text()
    assert TEXTS[0][0] in tab.file("d.tsv").inner_text()
    assert len(tab.held()) == 6
    assert "301 documents" in tab.count()
    assert tab.held() == []
    report = json.loads(tab.saved("json"))
    assert report == json.loads(room.to_json(room.report(list(map(str, paths)), MODELS)))
    client = Client(own.app, verbose=False)
    answer = client.predict([handle_file(path) for path in paths], list(MODELS), api_name="/corpus_report")
    assert answer == report
    out = tmp_path / "out.json"
    assert room.main([*map(str, paths), "--models", ",".join(MODELS), "--out", str(out)]) == 0
    assert json.loads(out.read_text("utf-8")) == report
    capfd.readouterr()
    assert "ragged" not in tab.section("bad").inner_text()
    assert "e.jsonl, line 61" in tab.section("bad").inner_text()
    assert tab.saved("csv").startswith("table,row,column,value\nmodels,1,tokenizer,Llama 3.1\n")
    assert tab.saved("html").startswith("<!DOCTYPE html>")
    assert tab.held() == []
    assert "301 documents" in tab.count()  # the browser brings the files once more


def test_what_can_be_chosen_for_a_file(tab, made):
    tab.choose(made / "c.csv", made / "e.jsonl")
    for name, value in (("by", "lang"), ("column", "text")):
        field = tab.page.locator(f"#corpus-{name} input")
        field.click()
        # of this list: the one before may still be fading out
        tab.page.locator(f"#corpus-{name}").get_by_role("option", name=value, exact=True).click()
    assert "120 documents" in tab.count()
    groups = tab.section("groups").locator("tbody tr").evaluate_all("rows => rows.map(r => r.cells[0].textContent)")
    assert sorted(groups) == ["en", "zh"]
    tab.section("groups").get_by_role("button", name="Sort by value").click()
    assert tab.section("groups").locator("tbody td").first.inner_text() == "en"
    tab.section("groups").get_by_role("button", name="Sort by value").click()
    assert tab.section("groups").locator("tbody td").first.inner_text() == "zh"
    tab.clear()
    tab.choose(made / "a.txt")
    assert not tab.page.locator("#corpus-by").is_visible()
    field = tab.page.locator("#corpus-encoding input")
    field.click()
    tab.page.get_by_role("option", name="big5", exact=True).click()
    eventually(lambda: "big5 ·" in tab.file("a.txt").inner_text(), True)
    field.click()
    tab.page.get_by_role("option", name=EN["encoding_auto"], exact=True).click()


def test_bad_files_are_told_in_a_sentence_each(tab, tmp_path, made):
    bad = {
        "empty.txt": (b"", "empty.txt is empty."),
        "binary.txt": (bytes(range(256)) * 9, "binary.txt is not text"),
        "office.csv": (b"PK\x03\x04" + b"x" * 99, "office.csv is a zip file or a spreadsheet"),
        "broken.jsonl": (b"{broken\n" * 9, "broken.jsonl: none of its first lines is JSON"),
        "cut.parquet": (b"PAR1", "cut.parquet is not a Parquet file"),
        "picture.png": (b"\x89PNG", "picture.png: only .txt"),
    }
    for name, (data, _) in bad.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "long.txt").write_bytes(b"short\n" + b"x" * 52_000_000 + b"\nlast\n")
    tab.choose(*(tmp_path / name for name in bad), tmp_path / "long.txt")
    for name, (_, said) in bad.items():
        assert said in tab.file(name).get_by_text(said).inner_text()
    assert "empty.txt is empty." in tab.count()
    assert tab.held() == []
    for name in bad:
        tab.files.get_by_role("button", name=f"Take {name} away").click()
    said = tab.count()
    assert "2 documents" in said
    assert "not counted: 1" in said
    assert "long.txt, line 2" in tab.section("bad").inner_text()
    with open(tmp_path / "huge.txt", "wb") as file:
        file.truncate(60_000_000)
    tab.choose(tmp_path / "huge.txt", looked=False)  # refused before a byte of it is sent
    tab.files.get_by_role("alert").get_by_text("MB together and this page takes 100").wait_for()
    assert tab.files.locator(".be-file").count() == 1


def test_cancel_and_count_again(tab, made, own):
    tab.choose(made / "big.txt")
    tab.press()
    far = tab.page.locator("#corpus-count .be-far")
    eventually(lambda: "MB/s" in far.inner_text(), True)
    tab.press(EN["cancel"])
    tab.report.get_by_role("alert").get_by_text("The count was stopped.").wait_for()
    eventually(tab.held, [])
    assert far.inner_text() == ""
    tab.choose(made / "c.csv", looked=False)
    tab.files.get_by_role("button", name="Take big.txt away").click()
    assert "60 documents" in tab.count()


def test_closing_the_page_stops_the_count_and_deletes_the_files(own, made, folder):
    for counting in (True, False):
        tab = Corpus(own("corpus"), folder)
        tab.choose(made / "big.txt")
        if counting:
            tab.press()
            eventually(lambda tab=tab: "MB" in tab.page.locator("#corpus-count .be-far").inner_text(), True)
        assert tab.held() == ["1"]
        tab.page.context.close()
        eventually(tab.held, [], 10)
    time.sleep(0.5)
    assert [path.name for path in folder.glob(f"{PREFIX}*")] == []
    own.watch.check()


@pytest.mark.parametrize(("width", "theme", "lang"), [(390, "dark", "zh-CN"), (1280, "light", "en")])
def test_it_fits_and_can_be_read(own, made, folder, tmp_path, width, theme, lang):
    tab = Corpus(own("corpus", lang=lang, width=width, theme=theme), folder)
    (tmp_path / "wide.txt").write_text("How do I apply for annual leave? " * 20, "utf-8")
    tab.choose(made / "c.csv", made / "a.txt", tmp_path / "wide.txt")
    assert tab.files.locator(".be-file-list").evaluate("list => list.scrollWidth <= list.clientWidth")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    for part in (".be-files", ".be-count", ".be-report"):
        worst = tab.page.evaluate(CONTRAST, part)
        assert worst[0] >= 4.5, worst
    words = TEXT[lang]
    text = tab.page.locator("#tab-corpus").inner_text()
    assert words["files_choose"] in text
    assert [key for key in EN if "_" in key and key in text] == []
    tab.page.context.close()
    own.watch.check()
