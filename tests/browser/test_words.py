"""Each language all the way: on the Chinese page no English sentence is left, and on no page the name of a text."""

import re

from demo_lib import chat as room
from demo_lib.tabs.text import chat as chat_text
from demo_lib.tabs.text import tokens as tokens_text
from tests.browser.driving import Chat, Tokens, eventually

KEYS = {key for text in (chat_text, tokens_text) for key in text.EN if "_" in key}
# What is shown of texts, prompts and vocabularies is not ours to translate
DATA = (
    ".be-echo, .be-chip, .be-group-char, .be-pre, .be-rendered, .be-piece, .be-info-piece, .be-hex, .be-out, code, "
    "textarea, input"
)
SEEN = """([root, data]) => {
    const out = [];
    const walk = node => {
        if (node.nodeType === 3) { if (node.textContent.trim()) out.push(node.textContent.trim()); return; }
        if (node.nodeType !== 1 || node.matches('script, style')) return;
        for (const name of ['aria-label', 'title', 'placeholder', 'aria-valuetext']) {
            if (node.getAttribute(name) && !node.matches(data)) out.push(node.getAttribute(name));
        }
        if (!node.matches(data)) node.childNodes.forEach(walk);
    };
    document.querySelectorAll(root).forEach(walk);
    return out;
}"""
ENGLISH = re.compile(r"[A-Za-z]{2,}( [A-Za-z']{2,}){2,}")


def seen(page, root: str = "#tab-tokens, #tab-chat") -> list[str]:
    return page.evaluate(SEEN, [root, DATA])


def no_keys(page) -> None:
    words = {word for text in seen(page, "body") for word in re.findall(r"[a-z]+(?:_[a-z]+)+", text)}
    assert not words & KEYS


def chinese_only(page) -> None:
    no_keys(page)
    left = [text for text in seen(page) if ENGLISH.search(text) and not re.search("[\u4e00-\u9fff]", text)]
    assert left == []


def test_the_tokenizers_tab_in_chinese(open_page):
    page = open_page(query={"lang": "zh-CN"})
    tab = Tokens(page)
    zh = tokens_text.ZH
    assert tab.sentence() == zh["both_need"].format(n=5)
    for text in ("钉钉审批 2026 it's\n\n  a", "", "cafe\u0301<|im_end|>"):
        tab.write(text)
        for name in ("cut_tab", "stream_tab", "ids_tab"):
            tab.open(zh[name])
            page.locator("#tokens-cut, #tokens-stream, #tokens-decoded").locator(".be-column:visible").first.wait_for()
            chinese_only(page)
    tab.board.locator(".be-chip").first.hover()
    chinese_only(page)
    page.locator("#tokens-ids textarea").fill("999999999 x")
    eventually(lambda: page.locator("#tokens-decoded").get_by_role("alert").count() > 0, True)
    tab.add_model("school/nowhere")
    tab.column("school/nowhere").get_by_role("alert").wait_for()
    chinese_only(page)
    tab.box.fill("年" * 20_001)
    tab.board.get_by_role("alert").filter(has_text="20,001").wait_for()
    chinese_only(page)


def test_the_chat_tab_in_chinese(open_page):
    page = open_page("chat", query={"lang": "zh-CN"})
    tab = Chat(page)
    page.get_by_role("button", name=chat_text.ZH["tools_title"]).click()
    for preset in room.presets():
        tab.preset(preset.title["zh-CN"])
        tab.page.locator("#chat-generation input").set_checked(False)
        eventually(tab.texts, [message["content"] for message in preset.messages])
        eventually(lambda: tab.prompts.locator(".be-column").count(), 3 if preset.model else 2)
        chinese_only(page)
        tab.page.locator("#chat-generation input").set_checked(True)
    tab.prompts.get_by_role("button", name=chat_text.ZH["view_tokens"], exact=True).click()
    chinese_only(page)
    tab.editor.get_by_role("button", name=chat_text.ZH["as_json"]).click()
    tab.editor.locator("textarea").fill("[")
    chinese_only(page)
    for bad in ('[{"role": "user", "content": 7}]', "[]"):
        tab.editor.locator("textarea").fill('[{"role": "user", "content": "x"}]')
        eventually(lambda: tab.prompts.get_by_role("alert").count(), 0)
        tab.editor.locator("textarea").fill(bad)
        eventually(lambda: tab.prompts.get_by_role("alert").count() > 0, True)
        chinese_only(page)


def test_a_live_switch_changes_every_word_and_keeps_what_was_typed(open_page):
    page = open_page()
    tab = Tokens(page)
    tab.write("钉钉审批 typed by me")
    zh, en = tokens_text.ZH, tokens_text.EN
    for name in ("cut_tab", "stream_tab", "ids_tab"):
        tab.open(en[name])
        page.locator(f"#tokens-{name.replace('_tab', '').replace('ids', 'decoded')} .be-column").first.wait_for()
    page.get_by_role("tab", name="Chat template").click()
    chat = Chat(page)
    chat.box(1).fill("typed here too")
    eventually(lambda: "typed here too" in chat.prompt(1), True)
    english = set(seen(page))
    page.get_by_role("button", name="中文").click()
    eventually(lambda: chat.editor.get_by_role("button", name=chat_text.ZH["add_message"]).count(), 1)
    assert chat.texts() == ["typed here too"]
    eventually(lambda: [text for text in seen(page) if text in english and ENGLISH.search(text)], [])
    chinese_only(page)
    page.get_by_role("tab", name=zh["tab"], exact=True).click()
    assert tab.box.input_value() == "钉钉审批 typed by me"
    eventually(tab.shown, "钉钉审批 typed by me")
    for name in ("cut_tab", "stream_tab", "ids_tab"):
        tab.open(zh[name])
        chinese_only(page)
    page.get_by_role("button", name="English").click()
    tab.open(en["cut_tab"])
    eventually(lambda: en["step_bytes"] in page.locator("#tokens-cut").inner_text(), True)
    no_keys(page)


def test_tabs_opened_after_a_wait_have_their_words(open_page, hub):
    """A model that is still loading sends the views below the board nothing; they must not lose their words for it."""
    page = open_page()
    tab = Tokens(page)
    tab.add_model("school/late")
    tab.column("school/late").get_by_role("alert").wait_for()
    for name in ("stream_tab", "ids_tab"):
        tab.open(tokens_text.EN[name])
        page.locator("#tokens-stream, #tokens-decoded").locator(".be-column:visible").first.wait_for()
        no_keys(page)
    assert tokens_text.EN["stream_shown"] in page.locator("#tokens-stream").text_content()
