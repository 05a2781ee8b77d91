"""Text that means harm, in every input of both tabs: it is only ever shown, and what is bad gets a sentence."""

import json

import pytest

from tests.browser.driving import Chat, Tokens, eventually

MARKUP = (
    "<img src=x onerror=alert(1)><img src=//evil.example/x>",
    "<script>alert(1)</script><style>*{display:none}</style>",
    "${1+1} ${alert(1)} `${alert(2)}`",
    "{{constructor}} {{value}} {{#each this}}{{@key}}{{/each}} {{{alert}}}",
    "\"'><svg onload=alert(1)> &lt;b&gt; &amp;",
    "\u202eright to left\u202c \u2066x",
    "nul \0 in it",
    "javascript:alert(1) __proto__ constructor toString $& $1 $$",
)
LONE = "half \ud83d of a pair"


def harmless(page) -> None:
    """Nothing was made of the text, and the page is as it was; dialogs and requests are watched all the time."""
    made = page.locator("[id^=tokens-], [id^=chat-]").locator(":is(img, svg[onload], script, style, iframe, link)")
    assert made.evaluate_all("nodes => nodes.map(node => node.outerHTML)") == []
    assert page.evaluate("[...document.querySelectorAll('*')].some(n => n.onerror || n.onload)") is False
    assert page.locator("#tabs").is_visible()


def fill(field, text: str) -> None:
    """As a script in the page would: playwright cannot send half a surrogate pair, so it goes as JSON."""
    field.evaluate(
        """(node, json) => {
            node.focus();
            const proto = node.tagName === 'TEXTAREA' ? HTMLTextAreaElement : HTMLInputElement;
            Object.getOwnPropertyDescriptor(proto.prototype, 'value').set.call(node, JSON.parse(json));
            node.dispatchEvent(new Event('input', { bubbles: true }));
        }""",
        json.dumps(text),
    )


@pytest.fixture(scope="module")
def tokens(module_page):
    return Tokens(module_page("tokens"))


@pytest.fixture(scope="module")
def chat(module_page):
    return Chat(module_page("chat"))


@pytest.mark.parametrize("text", MARKUP)
def test_in_the_text_box(tokens, check_page, text):
    tokens.reset()
    tokens.write(text)
    assert tokens.box.input_value() == text
    for name in ("Streaming", "How it was cut"):
        tokens.open(name)
    tokens.board.locator(".be-chip").first.click()
    harmless(tokens.page)


def test_half_a_surrogate_pair_in_the_text_box(tokens, check_page):
    tokens.reset()
    fill(tokens.box, LONE)
    alert = tokens.board.get_by_role("alert")
    alert.wait_for()
    assert "U+D83D" in alert.text_content()
    assert "Character 6" in alert.text_content()
    assert tokens.box.evaluate("node => JSON.stringify(node.value)") == json.dumps(LONE)


@pytest.mark.parametrize("text", [*MARKUP, LONE, "9" * 20_001, "1 " * 100_001], ids=range(len(MARKUP) + 3))
def test_in_the_ids(tokens, check_page, text):
    tokens.reset()
    tokens.open("From ids")
    box, board = tokens.page.locator("#tokens-ids textarea"), tokens.page.locator("#tokens-decoded")
    box.fill("1")
    eventually(lambda: tokens.ids(0, "#tokens-decoded"), [1])
    fill(box, text)
    eventually(lambda: board.get_by_role("alert").count() > 0, True)
    harmless(tokens.page)


@pytest.mark.parametrize("text", [*MARKUP, LONE, "a/" + "b" * 20_000, "../../etc/passwd"], ids=range(len(MARKUP) + 3))
def test_in_the_models_box(tokens, check_page, text):
    tokens.reset()
    field = tokens.page.locator("#tokens-models input")
    field.click()
    fill(field, text)
    field.press("Enter")
    field.press("Escape")
    eventually(lambda: len(tokens.labels()), 3)
    eventually(lambda: tokens.board.get_by_role("alert").count(), 1)
    assert tokens.ids(0) == [8107, 107099, 104237, 112838, 11571]
    assert tokens.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    harmless(tokens.page)


@pytest.mark.parametrize("text", MARKUP)
def test_in_messages(chat, check_page, text):
    chat.reset()
    chat.box(1).fill(text)
    eventually(lambda: text.strip() in chat.prompt(1), True)
    chat.prompts.get_by_role("button", name="Tokens", exact=True).click()
    chat.prompts.get_by_role("button", name="Text", exact=True).click()
    harmless(chat.page)


@pytest.mark.parametrize("text", [*MARKUP, "__proto__", "x" * 20_001], ids=range(len(MARKUP) + 2))
def test_in_roles_and_calls(chat, check_page, text):
    chat.reset()
    for message in (
        {"role": text, "content": "x"},
        {"role": "user", "content": "x", "name": text},
        {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {"name": text}}]},
        {"role": "user", "content": [{"type": "text", "text": text}]},
        {"role": "user", "content": {text: text}},
        {"role": {text: text}, "content": 7},
        {text: text},
    ):
        chat.json(json.dumps([{"role": "user", "content": "x"}, message]))
        eventually(lambda: chat.prompts.locator(".be-table, [role=alert]").count() > 0, True)
    chat.form()
    harmless(chat.page)


def test_half_a_surrogate_pair_in_messages(chat, check_page):
    chat.reset()
    for message in ({"role": "user", "content": LONE}, {"role": LONE, "content": "x"}):
        chat.json(json.dumps([message]))
        eventually(lambda: chat.prompts.get_by_role("alert").count() > 0, True)
        assert len(chat.prompts.get_by_role("alert").first.text_content()) > 20
        chat.json('[{"role": "user", "content": "x"}]')
        eventually(lambda: chat.prompts.get_by_role("alert").count(), 0)


@pytest.mark.parametrize("text", [*MARKUP, LONE, "x" * 20_001], ids=range(len(MARKUP) + 2))
def test_in_tools_and_date(chat, check_page, text):
    chat.reset()
    date, tools = chat.more()
    fill(tools, text)
    eventually(lambda: chat.prompts.get_by_role("alert").count() > 0, True)
    harmless(chat.page)
    fill(tools, json.dumps([{"type": "function", "function": {"name": "f", "description": text}}]))
    if text is LONE or len(text) > 20_000:
        eventually(lambda: chat.prompts.get_by_role("alert").count() > 0, True)
    else:
        eventually(lambda: chat.prompts.locator(".be-table").count(), 2)
    fill(tools, "")
    eventually(lambda: chat.prompts.locator(".be-table").count(), 2)
    fill(date, text)
    if text is LONE or len(text) > 100:
        eventually(lambda: chat.prompts.get_by_role("alert").count() > 0, True)
    else:
        eventually(lambda: text in chat.prompt(0), True)
    harmless(chat.page)


def test_in_the_address(open_page):
    for name in ("lang", "tab", "__theme", "text"):
        page = open_page(query={name: "<img src=x onerror=alert(1)>\"'></script><script>alert(1)</script>"})
        Tokens(page)
        harmless(page)
