"""Both tabs for people who do not use a mouse, a large screen or the usual colours."""

import pytest

from tests.browser.driving import Chat, Tokens, eventually

# Every control that can be seen and has no name for a screen reader; the marks on a chosen model are Gradio's own
UNNAMED = """() => [...document.querySelectorAll(':is(#header, #tab-tokens, #tab-chat) '
        + ':is(button, input, textarea, select, summary, [tabindex="0"], [role=slider], [role=listbox])')]
    .filter(node => node.getClientRects().length && !node.closest('.token, .token-remove'))
    .filter(node => {
        const label = [node.getAttribute('aria-label'), node.title, ...[...(node.labels || [])].map(l => l.textContent),
            document.getElementById(node.getAttribute('aria-labelledby'))?.textContent,
            node.matches('button, summary') ? node.textContent : ''];
        return !label.some(text => text && text.trim());
    })
    .map(node => node.outerHTML.slice(0, 200))"""

# The least contrast of any text in the given elements, its colour and opacity over what is behind it (WCAG 2)
CONTRAST = """selector => {
    const parse = c => { const m = c.match(/[\\d.]+/g).map(Number); return [m[0], m[1], m[2], m[3] ?? 1]; };
    const over = (top, under) => top.slice(0, 3).map((v, i) => v * top[3] + under[i] * (1 - top[3]));
    const light = rgb => {
        const [r, g, b] = rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = node => {
        const layers = [];
        for (let n = node; n; n = n.parentElement) {
            const c = parse(getComputedStyle(n).backgroundColor);
            if (c[3] > 0) layers.push(c);
            if (c[3] === 1) break;
        }
        return layers.reduceRight((under, layer) => over(layer, under), [255, 255, 255]);
    };
    const seen = node => [...node.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    let worst = [99, ''];
    for (const root of document.querySelectorAll(selector)) {
        for (const node of [root, ...root.querySelectorAll('*')]) {
            if (!seen(node) || !node.getClientRects().length) continue;
            let opacity = 1;
            for (let n = node; n; n = n.parentElement) opacity *= Number(getComputedStyle(n).opacity);
            const back = behind(node), ink = parse(getComputedStyle(node).color);
            ink[3] *= opacity;
            const [a, b] = [light(over(ink, back)), light(back)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
            if (ratio < worst[0]) worst = [ratio, `${node.className}: ${node.textContent.slice(0, 40)}`];
        }
    }
    return worst;
}"""
# What has the focus now, and whether an outline, or the glow of Gradio's text boxes, shows it
STOP = """() => {
    const node = document.activeElement, style = getComputedStyle(node);
    const name = node.getAttribute('aria-label') || node.textContent.trim() || node.id || node.type;
    const outlined = style.outlineStyle === 'solid' && parseFloat(style.outlineWidth) >= 2;
    const shown = outlined || (node.matches('textarea') && style.boxShadow !== 'none');
    return [node.tagName, String(name).slice(0, 60), shown];
}"""
TEXT = "钉钉 a  b\n\tc\u200d\u00a0 <|im_end|><|eot_id|> 年假怎么申请？ one two three four five 2026 12345"


def fits(page) -> None:
    """The page as a whole does not scroll sideways."""
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.evaluate("window.scrollTo(1000, scrollY)")
    assert page.evaluate("window.scrollX") == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast(open_page, theme):
    page = open_page(theme=theme)
    tab = Tokens(page)
    tab.write(TEXT)
    colours = tab.board.locator(".be-chip:not(.be-special)").evaluate_all(
        "nodes => [...new Set(nodes.map(n => getComputedStyle(n).backgroundColor))]"
    )
    assert len(colours) == 5
    for part in ("#tokens-board", "#tokens-cut", ".be-picks", "#header"):
        worst = page.evaluate(CONTRAST, part)
        assert worst[0] >= 4.5, worst
    tab.open("Streaming")
    page.locator("#tokens-stream").get_by_role("slider").press("Home")
    page.locator("#tokens-stream").get_by_role("slider").press("ArrowRight")
    assert (worst := page.evaluate(CONTRAST, "#tokens-stream"))[0] >= 4.5, worst
    page.get_by_role("tab", name="Chat template").click()
    chat = Chat(page)
    chat.wrong.locator(".be-list").wait_for()
    for view in ("Tokens", "Text"):
        chat.prompts.get_by_role("button", name=view, exact=True).click()
        page.mouse.move(0, 0)
        for part in ("#chat-messages", "#chat-prompts", "#chat-misread"):
            assert (worst := page.evaluate(CONTRAST, part))[0] >= 4.5, worst


@pytest.mark.parametrize("lang", ["en", "zh-CN"])
def test_every_control_has_a_name(open_page, lang):
    page = open_page(lang=lang)
    tab = Tokens(page)
    tab.write(TEXT)
    names = page.locator("#tab-tokens .be-inner [role=tab]").all_inner_texts()
    assert len(names) == 3
    for name in names:
        tab.open(name)
        page.locator("#tokens-cut, #tokens-stream, #tokens-decoded").locator(".be-column:visible").first.wait_for()
        assert page.evaluate(UNNAMED) == []
    page.locator("#tabs > .tab-wrapper").get_by_role("tab").nth(1).click()
    chat = Chat(page)
    page.locator("#chat-presets button").nth(3).click()
    eventually(lambda: chat.editor.locator(".be-message").count(), 3)
    page.locator("#tab-chat .label-wrap").first.click()
    for k in (0, 1):
        chat.prompts.locator(".be-segment").nth(k).click()
        assert page.evaluate(UNNAMED) == []


def test_the_focus_can_be_seen_everywhere(open_page):
    """Tab from the top to the bottom of each tab: every stop shows it, and there are no traps."""
    for name, wanted in (("tokens", 25), ("chat", 20)):
        page = open_page(name)
        (Tokens if name == "tokens" else Chat)(page)
        page.locator("body").click(position={"x": 2, "y": 2})
        stops = []
        for _ in range(120):
            page.keyboard.press("Tab")
            stop = page.evaluate(STOP)
            if stop[0] == "BODY" or (stops and stop == stops[0]):
                break
            stops.append(stop)
        else:
            pytest.fail(f"no way out: {stops[-4:]}")
        assert len(stops) >= wanted
        assert [stop for stop in stops if not stop[2]] == []


@pytest.mark.parametrize("width", [360, 390])
def test_small_screens(open_page, width):
    page = open_page(lang="zh-CN", width=width, height=780, has_touch=True, is_mobile=True)
    tab = Tokens(page)
    for text in ("<|begin_of_text|>" * 3 + "x" * 400 + "年假" * 60, TEXT, "1 " * 400 + "👩‍👩‍👧‍👦" * 20):
        tab.write(text)
        for inner in page.locator("#tab-tokens .be-inner [role=tab]").all():
            inner.click()
            fits(page)
    tab.board.locator(".be-chip").first.tap()
    fits(page)
    page.locator("#tabs > .tab-wrapper").get_by_role("tab").nth(1).click()
    chat = Chat(page)
    for preset in page.locator("#chat-presets button").all():
        preset.click()
        for k in (1, 0):
            chat.prompts.locator(".be-segment").nth(k).click()
            fits(page)
    page.locator("#tab-chat .label-wrap").first.click()
    fits(page)
    small = (
        page.locator("#tab-chat")
        .locator("button:visible, select:visible")
        .evaluate_all(
            "nodes => nodes.filter(n => n.getBoundingClientRect().height < 24).map(n => n.outerHTML.slice(0, 120))"
        )
    )
    assert small == []  # WCAG 2.5.8: a finger needs 24 pixels


def test_what_a_finger_taps_is_told_where_one_can_see_it(open_page):
    page = open_page(width=390, height=780, has_touch=True, is_mobile=True)
    tab = Tokens(page)
    tab.write("年假怎么申请？" * 30)
    chip = tab.board.locator(".be-column").nth(1).locator(".be-chip").nth(3)
    chip.scroll_into_view_if_needed()
    chip.tap()
    info = tab.board.locator(".be-info")
    eventually(lambda: "token 4 of" in info.text_content(), True)
    box = info.bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 780
