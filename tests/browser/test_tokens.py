"""The tokenizers tab in Chromium: typing, the board, keyboard, touch."""

import json
from pathlib import Path

import pytest

from demo_lib import tokens as room
from tests.browser.driving import Tokens, eventually, piece_seen

MODELS = ("llama-3.1", "qwen2.5")
GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "encode.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def shared(module_page):
    return Tokens(module_page("tokens", permissions=["clipboard-read", "clipboard-write"]))


@pytest.fixture
def tab(shared, check_page):
    shared.reset()
    return shared


def test_the_first_page_shows_five_and_five_with_their_ids(open_page):
    tab = Tokens(open_page())
    assert tab.ids(0) == [8107, 107099, 104237, 112838, 11571]
    assert tab.ids(1) == [7948, 99436, 99494, 101915, 11319]
    assert tab.labels() == ["Llama 3.1", "Qwen2.5"]
    assert tab.sentence() == "Both need 5 tokens."
    assert [text for text, _, _ in tab.chips(0)] == ["年", "假", "怎么", "申请", "？"]


@pytest.mark.parametrize("delay", [0, 30])
def test_typing_loses_no_letter(tab, delay):
    text = "How do I apply for 年假, 2026?"
    tab.box.press("Control+a")
    tab.box.press("Backspace")
    tab.page.keyboard.type(text, delay=delay)
    tab.shows(text)
    assert tab.box.input_value() == text
    assert tab.ids(0) == [token.id for token in room.split(text, "llama-3.1")[0].tokens]
    for _ in range(7):
        tab.page.keyboard.press("Backspace")
    tab.shows(text[:-7])
    tab.page.keyboard.press("Control+z")
    eventually(lambda: tab.shown() == tab.box.input_value() != text[:-7], True)


def test_an_input_methods_commit(tab):
    tab.write("")
    tab.box.focus()
    cdp = tab.page.context.new_cdp_session(tab.page)
    for typed, chosen in (("nian jia", "年假"), ("zen me", "怎么"), ("shen qing", "申请")):
        for end in range(1, len(typed) + 1):
            cdp.send("Input.imeSetComposition", {"text": typed[:end], "selectionStart": end, "selectionEnd": end})
        cdp.send("Input.insertText", {"text": chosen})
    tab.shows("年假怎么申请")
    assert tab.box.input_value() == "年假怎么申请"
    assert tab.ids(1) == [7948, 99436, 99494, 101915]
    cdp.detach()


def test_paste_and_undo(tab):
    tab.page.evaluate("navigator.clipboard.writeText('钉钉审批\\n\\ttab')")
    tab.box.press("Control+a")
    tab.box.press("Control+v")
    tab.shows("钉钉审批\n\ttab")
    tab.box.press("Control+z")
    tab.shows("年假怎么申请？")
    tab.page.keyboard.insert_text("！")
    eventually(tab.shown, tab.box.input_value())


def test_pointing_at_a_chip_tells_all_of_it_and_lights_the_same_bytes(tab):
    tab.write("钉钉审批")
    llama = tab.board.locator(".be-column").nth(0).locator(".be-chip")
    llama.nth(0).hover()
    info = tab.info()
    assert "Llama 3.1" in info
    assert "bytes E9 92" in info
    assert f"id {tab.ids(0)[0]}" in info
    assert "bytes 1 to 2 of the text" in info
    assert "token 1 of 6" in info
    assert "no valid text alone" in info
    assert tab.lit(1) == ["钉"]
    assert tab.marked() == "钉"
    llama.last.hover()
    eventually(tab.marked, "批")
    assert tab.lit(1) == ["审批"]
    assert tab.lit(0) == []
    tab.box.hover()
    eventually(tab.marked, None)
    assert tab.lit(1) == []
    assert "Point at a token" in tab.info()


def test_the_keyboard_reaches_every_token(tab):
    tab.write("How do I apply for annual leave?")
    remove = tab.board.get_by_role("button", name="Remove Llama 3.1")
    remove.focus()
    tab.page.keyboard.press("Tab")
    first = tab.lists.nth(0)
    assert first.evaluate("list => list === document.activeElement")
    assert first.evaluate("list => getComputedStyle(list).outlineStyle") == "solid"

    def chosen() -> list[str]:
        return first.locator("[aria-selected=true]").all_text_contents()

    for key, piece in (
        ("ArrowRight", "·do"),
        ("End", "?"),
        ("ArrowRight", "?"),
        ("ArrowLeft", "·leave"),
        ("Home", "How"),
        ("ArrowLeft", "How"),
        ("ArrowRight", "·do"),
    ):
        tab.page.keyboard.press(key)
        assert chosen() == [piece]
        assert first.get_attribute("aria-activedescendant") == first.locator("[aria-selected=true]").get_attribute("id")
    assert tab.lit(1) == ["·do"]
    tab.page.keyboard.press("End")
    tab.page.keyboard.press("Enter")
    eventually(lambda: tab.page.locator("#tokens-cut .be-pre.be-here").all_text_contents(), ["?", "?"])
    tab.page.keyboard.press("Escape")
    assert chosen() == []
    assert first.get_attribute("aria-activedescendant") is None
    assert tab.marked() is None
    assert "Point at a token" in tab.info()
    tab.page.keyboard.press("ArrowRight")
    assert chosen() == ["How"]


def test_touch_shows_how_a_piece_was_cut(open_page):
    tab = Tokens(open_page(width=390, height=844, has_touch=True, is_mobile=True))
    chip = tab.board.locator(".be-column").nth(1).locator(".be-chip").last
    chip.scroll_into_view_if_needed()
    chip.tap()
    eventually(lambda: "id 11319" in tab.info(), True)
    eventually(lambda: tab.page.locator("#tokens-cut .be-pre.be-here").all_text_contents(), ["？", "？"])


def test_parts_of_a_character_stand_in_hex_above_it(tab):
    tab.write("钉")
    assert [text for text, _, _ in tab.chips(0)] == ["E9 92", "89"]
    group = tab.board.locator(".be-group")
    assert group.count() == 1
    assert group.locator(".be-group-char").text_content() == "钉"
    assert group.locator(".be-chip").count() == 2
    tab.write("𠮷 and 👩‍👩‍👧‍👦, 㗊")
    groups = tab.board.locator(".be-column").nth(0).locator(".be-group-char").all_text_contents()
    assert "𠮷" in groups
    assert "\ufffd" not in tab.board.text_content()


STRINGS = (
    "年假怎么申请？ 钉钉审批 𠮷野家",
    " two  spaces\n\n\tand a tab\n",
    "a\u00a0b\u200dc\ufeffd\u202ee\u3000f\u2028g",
    "NUL \0 BEL \x07 ESC \x1b DEL \x7f NEL \x85",
    "👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈 ❤️ \U000e0041",
    "cafe\u0301 \u0301start e\u0301\u0301 q\u0307\u0323",
    "สวัสดี वर्ण اليوم \u061cשָׁלוֹם 가\u1160 ㅤ",
    "\ue000private \U0010fffd \u00adshy \u180e",
    "<b>&amp;</b> ${1} {{x}} \\n \"'` <|endoftext|>",
    "x" * 300 + " 9999999999",
    "\u2066isolate\u2069 \u2060WJ \u200bZWSP \u034f",
)


@pytest.mark.parametrize("text", STRINGS)
def test_chips_show_what_python_says_is_to_be_seen(tab, text):
    tab.write(text)
    for k, model in enumerate(MODELS):
        wanted = room.split(text, model)[0].tokens
        chips = tab.chips(k)
        assert tab.ids(k) == [token.id for token in wanted]
        assert all(label.startswith(f"token {n}: ") for n, (_, label, _) in enumerate(chips, 1))
        # a combining mark at the front gets a circle to stand on
        assert [seen.removeprefix("◌") for seen, _, _ in chips] == [piece_seen(token.data) for token in wanted]
        assert "\ufffd" not in "".join(seen for seen, _, _ in chips)


def test_white_space_and_invisible_characters_can_be_seen(tab):
    tab.write("a b\n\tc\u00a0\u200d\0\ufeff")
    seen = "".join(text for text, _, _ in tab.chips(0))
    for sign in ("·", "⏎", "⇥", "NBSP", "ZWJ", "NUL", "BOM"):
        assert sign in seen, sign


def test_the_page_gives_the_golden_ids(tab):
    for row in GOLDEN:
        text = row["text"]
        if "\r" in text or len(text) > 2000:  # a text box has no carriage returns
            continue
        tab.write(text)
        for k, model in enumerate(MODELS):
            assert tab.ids(k) == row["ids"][model], text
