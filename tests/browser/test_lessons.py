"""The ready lessons in Chromium: their list, one of them on a phone from its link to its end, and all links."""

import io
import re
import urllib.request
from urllib.parse import urlencode

import pytest

from demo_lib import lesson, lessons
from demo_lib.tabs.text import lessons as listed
from demo_lib.tabs.text.lesson import TEXT
from demo_lib.tabs.text.names import ZH as TRAINED
from tests.browser.driving import eventually
from tests.browser.test_links import OPEN, SETTLED, note

NAME = "names-plane"
PAGES = lesson.load(NAME)["pages"]
# How much of the result that a question covers can be seen
BESIDE = """box => [...box.parentNode.children].filter((node) => node !== box && node.offsetHeight > 20
    && getComputedStyle(node).visibility === 'visible').length"""
LATE = re.compile("AbortError|Connection errored")  # what Gradio logs when a page is left for the next


def heading(page) -> str:
    return page.locator(".be-lesson h2").inner_text()


@pytest.mark.parametrize(("lang", "theme", "width"), [("en", "light", 1280), ("zh-CN", "dark", 360)])
def test_the_list_says_what_each_lesson_is(open_page, lang, theme, width):
    page = open_page("lessons", lang=lang, theme=theme, width=width, permissions=["clipboard-write"])
    page.wait_for_function(SETTLED)
    cards = page.locator(".be-lesson-card")
    eventually(cards.count, len(lesson.ready()))
    words, titles = listed.TEXT[lang], page.evaluate("window.gradio_config.i18n_translations[window.__lang]")
    for node, card in zip(cards.all(), lessons.cards(), strict=True):
        said = node.inner_text()
        for part in (card.title[lang], card.learn[lang], *(titles[f"{tab}.tab"] for tab in card.tabs)):
            assert part in said
        assert words["minutes"].format(n=card.minutes) in said
        assert words["steps"].format(n=card.steps) in said
        for one in node.locator("a, button").all():
            assert one.bounding_box()["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_card_s_code_and_button_open_its_lesson(open_page):
    zxing = pytest.importorskip("zxingcpp")
    image = pytest.importorskip("PIL.Image")
    page = open_page("lessons", lang="en", permissions=["clipboard-read", "clipboard-write"])
    page.wait_for_function(SETTLED)
    second = lessons.cards()[1]
    card = page.locator(".be-lesson-card", has_text=second.title["en"])
    card.locator("button").click()
    code = page.locator(".be-qr svg")
    code.wait_for()
    (found,) = zxing.read_barcodes(image.open(io.BytesIO(code.screenshot())))
    assert found.text == f"{open_page.app}/?lesson={second.name}" == page.locator("#share-link").input_value()
    eventually(lambda: page.evaluate("navigator.clipboard.readText()"), found.text)
    page.keyboard.press("Escape")
    page.locator(".be-lang button[lang='zh-CN']").click()
    begin = page.locator(".be-lesson-card", has_text=second.title["zh-CN"]).get_by_text(listed.TEXT["zh-CN"]["begin"])
    begin.click()
    page.locator(".be-lesson h2").wait_for()
    assert heading(page) == second.title["zh-CN"]
    open_page.watch.faults[:] = [fault for fault in open_page.watch.faults if not LATE.search(fault)]


def guess(box, asked: str, said: str) -> None:
    """Answer what is asked, as a student does, and see that the result comes only then."""
    box.wait_for()
    assert box.locator(".be-asked").inner_text() == asked
    assert box.evaluate(BESIDE) == 0
    assert box.get_by_role("button").is_disabled()
    box.get_by_role("textbox").fill(said)
    box.get_by_role("button").tap()
    eventually(lambda: box.evaluate(BESIDE) > 0, True)
    assert said in box.inner_text()


def test_a_student_follows_a_lesson_on_a_phone(open_page):
    phone = open_page.chromium.new_context(
        locale="zh-CN", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    open_page.contexts.append(phone)
    page = phone.new_page()
    open_page.watch.on(page)
    page.goto(f"{open_page.app}/?lesson={NAME}")
    for step, wanted in enumerate(PAGES, 1):
        page.get_by_text(TEXT["zh-CN"]["step_of"].format(i=step, n=len(PAGES))).first.wait_for()
        page.wait_for_function(SETTLED)
        assert page.evaluate(OPEN) == wanted["tab"]
        assert page.locator("#tabs > .tab-wrapper [role=tab]").count() == 1
        assert page.locator(".be-lesson > p").all_inner_texts() == wanted["text"]["zh-CN"].split("\n")
        assert note(page) == ""
        for i, one in enumerate(wanted.get("ask", [])):
            guess(page.locator(".be-predict").nth(i), one["text"]["zh-CN"], f"我猜是 {step} 个")
        if wanted["values"].get("view") == "training":
            page.get_by_role("button", name=TRAINED["train"], exact=True).tap()
            page.get_by_text(re.compile(TRAINED["state_done"].partition("{")[0])).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        following = page.get_by_role("link", name=TEXT["zh-CN"]["next"])
        if step < len(PAGES):
            following.tap()
    assert following.count() == 0
    # as its last words say: what the network has learned, behind the dots
    page.locator("#names-view > .tab-wrapper .overflow-menu > button").tap()
    page.get_by_role("button", name=TRAINED["after_tab"]).tap()
    page.locator("#names-made li, #names-made .be-made").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    open_page.watch.faults[:] = [fault for fault in open_page.watch.faults if not LATE.search(fault)]


def test_no_step_of_any_lesson_says_that_its_link_is_damaged(app):
    """What the server makes of each link, without a browser."""
    for card in lessons.cards():
        for step in range(1, card.steps + 1):
            query = urlencode({"lesson": card.name, "step": step})
            body = urllib.request.urlopen(f"{app}/?{query}", timeout=60).read().decode()
            assert '"note": null' in body, query
            assert f'"step": {step}, "name": "{card.name}"' in body, query
    body = urllib.request.urlopen(f"{app}/?lesson={NAME}&step=99", timeout=60).read().decode()
    assert '"note": "lesson.partly"' in body
