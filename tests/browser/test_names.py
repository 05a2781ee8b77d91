"""The names lab in Chromium: a training that is watched, paused, stopped and stepped back through; odd lists."""

import math
import re
import time
from pathlib import Path

import pytest

from demo_lib import names as room
from demo_lib.tabs.text.names import EN, ZH
from tests.browser.conftest import Opener, serving
from tests.browser.driving import eventually

LONG = {"steps": 20_000, "batch": 2048}  # takes much longer than the test looks on
SHORT = {"steps": 60, "batch": 64}


class Lab:
    """The names lab of one page."""

    def __init__(self, page, server=None) -> None:
        self.page, self.server = page, server
        self.lab = page.locator("#names-lab")
        page.locator("#names-list b").wait_for()

    def part(self, key: str, words=EN) -> None:
        """Open a part; on a phone it may be in the menu of those that found no room."""
        tab = self.page.locator("#tab-names").get_by_role("tab", name=words[key], exact=True)
        if not tab.count():
            self.page.locator("#tab-names .overflow-menu > button").click()
            tab = self.page.locator("#tab-names .overflow-menu").get_by_text(words[key], exact=True)
        tab.click()

    def set(self, **fields) -> None:
        if not self.page.locator("#names-steps input").is_visible():
            self.page.locator("#names-more .label-wrap").click()
        for name, value in fields.items():
            field = self.page.locator(f"#names-{name.replace('_', '-')} input[type=number]").first
            field.fill(str(value))
            field.press("Tab")

    def press(self, name: str) -> None:
        """Of a button that is there. Playwright's own click waits for frames, which are rare on a busy machine."""
        button = self.lab.get_by_role("button", name=name, exact=True)
        button.wait_for()
        button.evaluate("node => node.click()")

    def state(self) -> str:
        return self.lab.locator(".be-lab").get_attribute("data-state")

    def status(self) -> str:
        return self.lab.locator(".be-lab-status").inner_text()

    def step(self) -> int:
        found = re.search(r"[Ss]tep ([\d,]+)", self.status())
        return int(found[1].replace(",", "")) if found else 0

    def until(self, state: str) -> None:
        eventually(self.state, state)

    def train(self, **fields) -> None:
        if fields:
            self.set(**fields)
        self.press(EN["train"])

    def places(self) -> dict[str, str]:
        letters = self.lab.locator(".be-lab-map .be-letter")
        return dict(letters.evaluate_all("nodes => nodes.map(n => [n.dataset.key, n.style.transform])"))

    def processor_time(self) -> float:
        fields = Path(f"/proc/{self.server.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def at_rest(self) -> bool:
        """Whether the app's process does next to nothing for a while; a training takes all of a processor."""
        before = self.processor_time()
        time.sleep(2)
        return self.processor_time() - before < 0.6


@pytest.fixture(scope="module")
def own(chromium, tmp_path_factory):
    """An app that no other test uses: what its process does is what these tests make it do."""
    with serving(HF_ENDPOINT="http://127.0.0.1:9", BOTH_ENDS_CACHE=str(tmp_path_factory.mktemp("own"))) as served:
        opener = Opener(chromium, served[0])
        opener.server = served[1]
        yield opener
        opener.close()


@pytest.fixture(scope="module")
def lab(own):
    lab = Lab(own("names"), own.server)
    lab.part("training_tab")
    lab.lab.locator(".be-letter").first.wait_for()
    return lab


@pytest.fixture(autouse=True)
def no_faults(own):
    yield
    own.watch.check()


def test_windows_and_counting(own):
    lab = Lab(own("names"))
    rows = lab.page.locator("#names-windows tbody tr")
    eventually(rows.count, 5)
    shown = [re.sub(r"\s", "", text) for text in rows.all_inner_texts()]
    assert shown[1] == "2..e→m[0,0,5]13"
    assert "18,614,124 numbers, 96.3% of them 0" in lab.page.locator("#names-windows").inner_text()
    lab.page.locator("#names-name textarea, #names-name input").first.fill("Éva")
    lab.page.locator("#names-windows").get_by_role("alert").get_by_text("No name of the list has").wait_for()
    lab.part("counting_tab")
    pairs = lab.page.locator("#names-pairs")
    pairs.get_by_text("“an”: 5,471 of the 34,123 times after “a”.").wait_for()
    assert pairs.locator("tbody td").count() == 27 * 27
    assert "2.4544" in pairs.locator(".be-sentence").inner_text()
    assert "At 8 of the 23,004 positions" in pairs.inner_text()
    field = lab.page.locator("#names-add input[type=number]")
    field.fill("1")
    field.press("Tab")
    smooth = room.bigram(room.example(), 1.0)
    pairs.get_by_text(f"{smooth.losses.dev:.4f} on dev").wait_for()
    pairs.get_by_role("button", name=EN["pairs_chances"]).click()
    i, j = (room.example().index[one] for one in "an")
    assert f"p = {smooth.probabilities[i, j]:.4f}" in pairs.locator(".be-pair-info").inner_text()
    rows = lab.page.locator("#names-blocks tbody tr")
    eventually(rows.count, 8)
    third = rows.nth(2).inner_text().replace("\n", " ")
    assert all(figure in third for figure in ("5,702", "24,897", "95.32%"))
    lab.page.context.close()


def test_the_default_training_moves_the_map_and_can_be_stepped_back_through(lab):
    before = lab.places()
    assert len(before) == 27
    lab.train()
    lab.until("done")
    alone = room.train(room.example(), room.Settings())
    assert f"train {alone.losses.train:.3f} · dev {alone.losses.dev:.3f}" in lab.status()
    assert alone.losses.dev < 2.35
    after = lab.places()
    assert sum(after[key] != before[key] for key in before) > 20
    # what is shown in the middle of the history, by the numbers of the history
    way = lab.lab.locator("input[type=range]")
    way.focus()
    page = lab.page
    page.keyboard.press("Home")
    assert "Step 0 of" in lab.lab.locator(".be-lab-where").inner_text()
    at = int(way.get_attribute("max"))
    assert at == len(alone.history.steps) - 1
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    step = int(alone.history.steps[20])
    assert f"Step {step} of" in lab.lab.locator(".be-lab-where").inner_text()
    page.locator("#names-lab .be-letter[data-key=a]").focus()
    page.keyboard.press("Enter")
    page.locator("#names-lab .be-letter[data-key=e]").focus()
    page.keyboard.press("Enter")
    a, e = (room.example().index[one] for one in "ae")
    found = room.between(alone.history.embeddings[20], a, e)
    told = lab.lab.locator(".be-formula").inner_text()
    numbers = [float(one) for one in re.findall(r"-?[\d.]+(?=\s|$)", told.split("=", 1)[1])]
    for number, wanted in zip(numbers, (found.norm_a, found.norm_b, found.cosine, found.dot), strict=True):
        assert math.isclose(number, wanted, abs_tol=2e-3)
    page.keyboard.press("Escape")
    way.focus()
    page.keyboard.press("End")
    eventually(lab.places, after)


def test_what_it_learned(lab):
    lab.part("after_tab")
    table = lab.page.locator("#names-versus")
    table.locator("tr[data-row=model]").wait_for()
    found = room.compare(room.train(room.example(), room.Settings()), room.example())
    for key, losses in (("pairs", found.bigram), ("counting", found.counting), ("model", found.model)):
        assert f"{losses.dev:.3f}" in table.locator(f"tr[data-row={key}]").inner_text()
    guess = lab.page.locator("#names-guess")
    guess.get_by_text(re.compile("is never in train")).wait_for()
    lab.page.locator("#names-prefix textarea, #names-prefix input").first.fill("emm")
    guess.get_by_text(re.compile("“emm” is .* times in train")).wait_for()
    made = lab.page.locator("#names-made .be-piece")
    eventually(made.count, 24)
    assert not set(made.all_inner_texts()) & set(room.example().names)
    assert lab.page.locator("#names-like tbody td").count() == 27 * 27
    lab.part("training_tab")


def test_pause_resume_and_stop(lab):
    lab.train(**LONG)
    lab.until("running")
    eventually(lambda: lab.step() > 20, True)
    lab.press(EN["pause"])
    lab.until("paused")
    eventually(lab.at_rest, True)
    step = lab.step()
    time.sleep(1)
    assert lab.step() == step
    lab.press(EN["resume"])
    eventually(lambda: lab.step() > step, True)
    lab.press(EN["stop"])
    lab.until("stopped")
    assert 0 < lab.step() < LONG["steps"]
    assert lab.lab.locator("input[type=range]").is_visible()
    eventually(lab.at_rest, True)


def test_while_it_trains_the_letters_are_the_same_nodes(lab):
    lab.train(**LONG)
    eventually(lambda: lab.state() == "running" and lab.step() > 5, True)
    lab.page.evaluate("window.kept = [...document.querySelectorAll('#names-lab .be-lab-map .be-letter')]")
    before, step = lab.places(), lab.step()
    eventually(lambda: lab.step() > step + 50, True)
    assert lab.page.evaluate("window.kept.length === 27 && window.kept.every((node) => node.isConnected)")
    assert lab.places() != before
    lab.press(EN["stop"])
    lab.until("stopped")


def test_settings_that_cannot_be_are_refused(lab):
    lab.set(steps=0)
    lab.press(EN["train"])
    lab.lab.get_by_role("alert").get_by_text("The number of steps must be").wait_for()
    lab.train(**SHORT)
    lab.until("done")


def test_closing_the_page_stops_the_training(own):
    lab = Lab(own("names"), own.server)
    lab.part("training_tab")
    lab.lab.locator(".be-letter").first.wait_for()
    lab.train(**LONG)
    eventually(lambda: lab.state() == "running" and lab.step() > 5, True)
    assert not lab.at_rest()
    lab.page.close()
    eventually(lab.at_rest, True)


def test_sizes(lab):
    lab.set(**SHORT)
    lab.part("sizes_tab")
    sizes = lab.page.locator("#names-sizes")
    sizes.get_by_role("button", name=EN["sizes_start"]).click()
    sizes.locator("[data-state=done]").wait_for()
    rows = sizes.locator("tbody tr")
    assert [row.split("\t")[0] for row in rows.all_inner_texts()] == [
        *map(str, room.SIZES),
        EN["size_hot"].format(dim=27),
    ]
    lab.part("training_tab")


def test_another_list_in_another_alphabet(own):
    lab = Lab(own("names"))
    page = lab.page
    page.locator("#names-other .label-wrap").click()
    text = page.locator("#names-text textarea")
    text.fill("one\ntwo\none")
    page.locator("#names-use").click()
    page.locator("[data-testid=toast-body]").get_by_text("2 different names and needs 10").wait_for()
    page.locator("#names-upload input[type=file], input[type=file]").last.set_input_files(
        {"name": "bad.txt", "mimeType": "text/plain", "buffer": b"\xff\xfa\x00bad" * 20}
    )
    page.locator("[data-testid=toast-body]").get_by_text("not text in UTF-8").wait_for()
    listed = ["Ωμέγα", "安娜", "<b>&amp;", "𠮷野", "a b", "né", "Ёж", "ا", "x" * 50, ""]
    text.fill("\n".join([*listed, *(f"名{chr(0x4E00 + i)}" for i in range(40))]))
    page.locator("#names-use").click()
    page.locator("#names-list").get_by_text(EN["list_pasted"]).wait_for()
    assert "2 lines were left out" in page.locator("#names-list").inner_text()
    lab.part("training_tab")
    eventually(lambda: len(lab.places()) > 60, True)
    lab.train(**SHORT)
    lab.until("done")
    lab.part("counting_tab")
    page.locator("#names-pairs").get_by_text(re.compile("The 40 most frequent of")).wait_for()
    lab.part("after_tab")
    page.locator("#names-made .be-piece").first.wait_for()
    page.locator("#names-back").click()
    page.locator("#names-list").get_by_text(EN["list_us"]).wait_for()
    page.context.close()


def test_in_chinese_on_a_phone_everything_fits(own):
    lab = Lab(own("names", lang="zh-CN", width=390, theme="dark"))
    page = lab.page
    for key in ("windows_tab", "counting_tab", "training_tab"):
        lab.part(key, ZH)
        page.wait_for_timeout(1500)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#names-more .label-wrap").click()
    lab.set(**SHORT)
    lab.press(ZH["train"])
    lab.until("done")
    for key in ("training_tab", "after_tab", "sizes_tab"):
        lab.part(key, ZH)
        page.wait_for_timeout(1500)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    text = page.locator("#tab-names").inner_text()
    assert [key for key in EN if "_" in key and key in text] == []
    assert [value for value in EN.values() if " " in value and "{" not in value and value in text] == []
    page.context.close()
