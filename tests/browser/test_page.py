"""The page around the tabs in Chromium: languages, links to a tab, looks, and what stays in the browser."""

import re

import pytest

import app
from demo_lib.tabs import page, tokens

TITLES = {lang: [tab.TEXT[lang]["tab"] for tab in app.TABS] for lang in page.LANGUAGES}


def titles(opened) -> list[str]:
    """What stands on the tabs of the top row."""
    return opened.locator("#tabs > .tab-wrapper [role=tab]").all_inner_texts()


def settled(opened, lang: str) -> None:
    """Wait until the page speaks this language, and look at all that says so."""
    opened.locator(f".be-lang button[lang='{lang}'][aria-pressed=true]").wait_for()
    # on a phone, those that do not fit are in a menu
    opened.wait_for_function(
        "wanted => (shown => shown.length > (innerWidth > 1000 ? wanted.length - 1 : 0) && shown.every(title =>"
        " wanted.includes(title)))([...document.querySelectorAll('#tabs > .tab-wrapper [role=tab]')]"
        ".map(tab => tab.innerText))",
        arg=TITLES[lang],
    )
    assert opened.evaluate("[document.documentElement.lang, window.__lang]") == [lang, lang]
    assert opened.locator(".be-tagline").inner_text() == page.TEXT[lang]["tagline"]
    label = tokens.TEXT[lang]["text"]
    opened.locator("#tokens-text").get_by_text(label, exact=True).first.wait_for()


def again(open_page, opened, url: str | None = None):
    """The address once more, in a second page of the same browser: leaving a page makes Gradio log an AbortError."""
    second = opened.context.new_page()
    open_page.watch.on(second)
    second.goto(url or opened.url)
    return second


@pytest.mark.parametrize(
    ("locale", "lang"),
    [
        ("fr-FR", "en"),
        ("zh-CN", "zh-CN"),
        ("zh-SG", "zh-CN"),
        ("zh-Hans-CN", "zh-CN"),
        ("zh-HK", "zh-CN"),
    ],
)
def test_the_browser_s_language_decides(open_page, locale, lang):
    settled(open_page(lang=locale), lang)


@pytest.mark.parametrize(("asked", "lang"), [("zh", "zh-CN"), ("zh-TW", "zh-CN"), ("en-GB", "en"), ("xx", "en")])
def test_the_address_overrides_it(open_page, asked, lang):
    settled(open_page(lang="en-US", query={"lang": asked}), lang)


@pytest.mark.parametrize(
    ("told", "locale", "lang"),
    [("", "en-US", "en"), ("", "zh-CN", "zh-CN"), ("zh-CN", "en-US", "zh-CN"), ("en", "zh-CN", "en")],
)
def test_what_the_server_was_told_comes_before_the_browser(chromium, told, locale, lang):
    """The script alone, in a page without storage, as some private windows are."""
    script = (page._HERE / "page.js").read_text("utf-8")
    context = chromium.new_context(locale=locale)
    opened = context.new_page()
    opened.set_content(f'<head><script data-lang="{told}">{script}</script></head><body></body>')
    assert opened.evaluate("[window.__lang, document.documentElement.lang, navigator.language]") == [lang] * 3
    context.close()


def test_what_the_address_asked_for_lasts(open_page, app):
    opened = open_page(lang="en-US", query={"lang": "zh"})
    settled(opened, "zh-CN")
    settled(again(open_page, opened, app), "zh-CN")


def test_the_switch_changes_everything_and_loses_nothing(open_page):
    opened = open_page(lang="en-US")
    settled(opened, "en")
    box = opened.locator("#tokens-text textarea")
    box.fill("公园 and park")
    opened.evaluate("window.same = true; addEventListener('both-ends-language', e => { window.heard = e.detail; })")
    for lang in ("zh-CN", "en", "zh-CN"):
        opened.locator(f".be-lang button[lang='{lang}']").click()
        settled(opened, lang)
        assert box.input_value() == "公园 and park"
        assert box.get_attribute("placeholder") == tokens.TEXT[lang]["text_hint"]
        opened.wait_for_function(
            "lang => document.querySelector('#lang textarea, #lang input').value === lang", arg=lang
        )
    assert opened.evaluate("[window.same, window.heard]") == [True, "zh-CN"]  # the same page, not a new one
    settled(again(open_page, opened), "zh-CN")


def test_the_switch_works_by_keyboard(open_page):
    opened = open_page(lang="en-US")
    settled(opened, "en")
    button = opened.get_by_role("group", name="Language / 语言").get_by_role("button", name="中文")
    assert button.get_attribute("aria-pressed") == "false"
    button.focus()
    opened.keyboard.press("Enter")
    settled(opened, "zh-CN")


def test_the_switch_and_the_address_do_not_contradict_each_other(open_page):
    opened = open_page(lang="en-US", query={"lang": "zh-CN"})
    settled(opened, "zh-CN")
    opened.locator(".be-lang button[lang=en]").click()
    settled(opened, "en")
    assert "lang=en" in opened.url
    settled(again(open_page, opened), "en")


def test_without_gradio_s_own_switch_the_page_is_loaded_anew(open_page):
    opened = open_page(lang="en-US")
    settled(opened, "en")
    opened.evaluate("window.same = true; performance.clearResourceTimings()")  # no module to be found by its name
    opened.locator(".be-lang button[lang='zh-CN']").click()
    opened.wait_for_function("!window.same")
    settled(opened, "zh-CN")
    # what Gradio logs when a page is left while it still talks to the server
    left = re.compile("AbortError|Connection errored out")
    open_page.watch.faults[:] = [fault for fault in open_page.watch.faults if not left.search(fault)]


@pytest.mark.parametrize(("asked", "chosen"), [("chat", 1), ("tokens", 0), ("nope", 0), ("__proto__", 0)])
def test_a_link_opens_its_tab(open_page, asked, chosen):
    opened = open_page(asked, lang="en-US")
    tab = opened.locator("#tabs > .tab-wrapper [role=tab][aria-selected=true]")
    tab.get_by_text(TITLES["en"][chosen]).wait_for()
    assert tab.count() == 1
    opened.locator(f"#tab-{('tokens', 'chat')[chosen]}").wait_for()


@pytest.mark.parametrize(
    ("width", "lang", "theme"),
    [
        (390, "en-US", "light"),
        (390, "zh-CN", "dark"),
        (1280, "en-US", "dark"),
        (1280, "zh-CN", "light"),
        (1920, "en-US", "light"),
    ],
)
def test_it_fits_the_screen(open_page, width, lang, theme):
    opened = open_page(lang=lang, theme=theme, width=width)
    settled(opened, "zh-CN" if lang == "zh-CN" else "en")
    for title in titles(opened):
        opened.locator("#tabs > .tab-wrapper").get_by_role("tab", name=title).click()
        opened.wait_for_timeout(300)
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
    boxes = [opened.locator(part).bounding_box() for part in (".be-header", ".be-lang", "#tabs")]
    for box in boxes:
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["width"] <= 1280
    assert min(button.bounding_box()["height"] for button in opened.locator(".be-lang button").all()) >= 30
    expected = {"light": "rgb(247, 246, 242)", "dark": "rgb(18, 22, 27)"}[theme]
    assert opened.evaluate("getComputedStyle(document.body).backgroundColor") == expected
    assert opened.evaluate("getComputedStyle(document.documentElement).backgroundColor") == expected


def test_light_and_dark_follow_the_system_while_it_runs(open_page):
    opened = open_page(lang="en-US", theme="light")
    settled(opened, "en")
    ink = "getComputedStyle(document.querySelector('.be-header h1')).color"
    before = opened.evaluate(ink)
    opened.emulate_media(color_scheme="dark")
    opened.wait_for_function(f"{ink} !== {before!r}")
    assert opened.evaluate("document.documentElement.classList.contains('dark')")


@pytest.mark.parametrize("tab", ["tokens", "chat"])
def test_nothing_jumps_while_the_page_loads(open_page, tab):
    """Cumulative layout shift as browsers measure it; below 0.1 counts as good, and the bare components make 0.2."""
    opened = open_page(tab, lang="zh-CN")
    opened.wait_for_function("!document.documentElement.classList.contains('be-mounting')")
    opened.wait_for_timeout(1500)
    shift = """() => new Promise(done => {
        new PerformanceObserver(list => done(list.getEntries().reduce((sum, entry) => sum + entry.value, 0)))
            .observe({ type: 'layout-shift', buffered: true });
        setTimeout(done, 3000, 0);
    })"""
    assert opened.evaluate(shift) < 0.1


def test_nothing_that_was_typed_stays_in_the_browser(open_page):
    opened = open_page("chat", lang="en-US", query={"lang": "en"})
    settled_tab = opened.locator("#tabs > .tab-wrapper").get_by_role("tab", name=TITLES["en"][0])
    settled_tab.click()
    opened.locator("#tokens-text textarea").fill("a secret of mine")
    opened.wait_for_timeout(2000)
    # the address is what holds it, for whoever wants to send it
    assert "secret" in opened.url
    kept = opened.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert "both-ends-lang" in kept
    assert not re.search("secret", kept)
    assert opened.evaluate("indexedDB.databases().then(all => all.length)") == 0
