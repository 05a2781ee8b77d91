"""The vocabularies tab in Chromium: the counts, a search by keyboard, what two share, tokens that no text gives."""

import pytest

from demo_lib import vocabulary as room
from demo_lib.tabs.text.vocabulary import EN
from tests.browser.driving import eventually


@pytest.fixture(scope="module")
def shared(module_page):
    page = module_page("vocabulary")
    page.locator("#vocabulary-contents .be-kind").first.wait_for()
    return page


@pytest.fixture
def tab(shared, check_page):
    return shared


def open_inner(page, key: str) -> None:
    page.get_by_role("tab", name=EN[key], exact=True).click()


def how(page, name: str) -> None:
    page.locator("#vocabulary-how input").click()
    page.get_by_role("option", name=EN[f"how_{name}"], exact=True).click()


def test_the_counts_of_both(tab):
    for k, key in enumerate(("llama-3.1", "qwen2.5")):
        kinds = room.contents(room.open_entries(key)).kinds
        lines = tab.locator(".be-kind").evaluate_all(
            f"rows => rows.map(row => row.querySelectorAll('.be-kind-line')[{k}].querySelector('.be-n').textContent)"
        )
        assert lines == [f"{n:,}" for n in kinds.values()]


def test_search_as_one_types_and_see_how_a_token_is_built(tab):
    open_inner(tab, "search_tab")
    box, line = tab.locator("#vocabulary-query :is(input, textarea)"), tab.locator("#vocabulary-table .be-sentence")
    box.fill("申请")
    eventually(line.text_content, "1 of 128,256 tokens of Llama 3.1")
    row = tab.locator("#vocabulary-table tbody tr")
    assert row.locator(".be-col-other").text_content() == "101915"
    row.get_by_role("button").focus()
    tab.keyboard.press("Enter")
    card = tab.locator("#vocabulary-card")
    eventually(lambda: "id 112838" in (card.text_content() or ""), True)
    assert card.locator(".be-leaf").all_text_contents() == ["E7", "94", "B3", "E8", "AF", "B7"]
    box.fill("ing")
    eventually(lambda: line.text_content().startswith("1 of"), False)
    tab.locator("#vocabulary-table").get_by_role("button", name="sort by bytes, smallest first").click()
    first = tab.locator("#vocabulary-table tbody tr .be-col-bytes").first
    eventually(first.text_content, "3")
    tab.locator("#vocabulary-table").get_by_role("button", name="sort by bytes, largest first").click()
    eventually(lambda: int(first.text_content()) > 12, True)
    assert tab.locator("#vocabulary-table tbody tr").count() == 200
    with tab.expect_download() as saved:
        tab.locator("#vocabulary-save button").click()
    lines = saved.value.path().read_text("utf-8-sig").split("\n")
    assert len(lines) - 1 == sum(b"ing" in data for data in room.open_entries("llama-3.1").data)


def test_all_of_a_row_opens_the_card_and_another_search_closes_it(tab):
    open_inner(tab, "search_tab")
    box, card = tab.locator("#vocabulary-query :is(input, textarea)"), tab.locator("#vocabulary-card")
    box.fill("年假")
    rows = tab.locator("#vocabulary-table tbody tr")
    box.fill("申请")
    eventually(rows.count, 1)
    rows.first.locator(".be-col-hex").click()
    eventually(lambda: "id 112838" in card.text_content(), True)
    assert rows.first.evaluate("row => row.classList.contains('be-here')")
    box.fill("申")
    eventually(lambda: card.text_content().strip(), EN["card_hint"])
    eventually(lambda: rows.count() > 1, True)
    assert tab.locator("#vocabulary-table tr.be-here").count() == 0


def test_every_column_can_be_sorted(tab):
    open_inner(tab, "search_tab")
    tab.locator("#vocabulary-query :is(input, textarea)").fill("请")
    table = tab.locator("#vocabulary-table")
    eventually(lambda: table.locator("tbody tr").count() > 5, True)
    assert table.locator("thead th button").count() == 7
    table.get_by_role("button", name="sort by id in Qwen2.5, smallest first").click()
    ids = lambda: [n for n in table.locator("td.be-col-other").all_text_contents() if n != "–"]  # noqa: E731
    eventually(lambda: table.locator("th.be-col-other").get_attribute("aria-sort"), "ascending")
    assert ids() == sorted(ids(), key=int) != []
    table.get_by_role("button", name="sort by id, smallest first").click()
    eventually(lambda: table.locator("th.be-col-id").get_attribute("aria-sort"), "ascending")


def test_long_tokens_leave_the_table_as_it_is(tab):
    open_inner(tab, "search_tab")
    how(tab, "regex")
    tab.locator("#vocabulary-query :is(input, textarea)").fill("^.{60,}$")
    scroll, text = tab.locator("#vocabulary-table .be-entry-scroll"), tab.locator("#vocabulary-table td.be-col-text")
    eventually(lambda: tab.locator("#vocabulary-table td.be-col-characters").first.text_content() >= "60", True)
    assert scroll.evaluate("node => node.scrollWidth <= node.clientWidth")
    assert min(text.evaluate_all("cells => cells.map(cell => cell.clientWidth)")) >= 200
    assert max(tab.locator("#vocabulary-table tbody tr").evaluate_all("rows => rows.map(r => r.clientHeight)")) < 200
    long = tab.locator("#vocabulary-table td.be-col-hex").first
    assert long.evaluate("cell => cell.scrollWidth > cell.clientWidth && cell.title === cell.textContent")
    how(tab, "text")


def test_an_unknown_vocabulary_leaves_no_answer_of_another(tab):
    open_inner(tab, "contents_tab")
    first, note = tab.locator("#vocabulary-first input"), tab.locator("#vocabulary-contents .be-bad")
    first.fill("gpt-7")
    first.press("Enter")
    note.wait_for()
    eventually(tab.locator("#vocabulary-contents .be-kind").count, 0)
    first.fill("Llama 3.1")
    first.press("Enter")
    first.press("Escape")
    tab.locator("#vocabulary-contents .be-kind").first.wait_for()
    assert tab.locator("#vocabulary-contents .be-length-tick").count() == 4


def test_a_wrong_expression_is_a_sentence_and_nothing_typed_is_lost(tab):
    open_inner(tab, "search_tab")
    how(tab, "regex")
    box, note = tab.locator("#vocabulary-query :is(input, textarea)"), tab.locator("#vocabulary-table .be-bad")
    for query in ("(", "(?R)*", "<img src=x onerror=alert(1)>(", "${1}("):
        box.fill(query)
        eventually(lambda: note.count() and "expression" in note.text_content(), True)
        assert box.input_value() == query
    assert tab.locator("#vocabulary-table img").count() == 0
    box.fill("^申请$")
    eventually(tab.locator("#vocabulary-table tbody tr").count, 1)
    how(tab, "text")


def test_what_two_share_and_a_text_in_both(tab):
    open_inner(tab, "two_tab")
    shared = room.overlap(room.open_entries("llama-3.1"), room.open_entries("qwen2.5"))
    total = tab.locator("#vocabulary-shared .be-row-total .be-n")
    eventually(total.all_text_contents, [f"{n:,}" for n in (shared.only_a, shared.both, shared.only_b)])
    tab.locator("#vocabulary-shared").get_by_role("button", name="sort by in both, smallest first").click()
    counts = tab.locator("#vocabulary-shared tbody tr:not(.be-row-total) td:nth-child(4)").all_text_contents()
    assert [int(n.replace(",", "")) for n in counts] == sorted(row[1] for row in shared.kinds if any(row[1:]))
    # all bars on one scale, and the shadow of a table that is whole is not to be seen
    widths = tab.locator("#vocabulary-shared .be-shared-track").evaluate_all("bars => bars.map(bar => bar.clientWidth)")
    assert sum(widths[:-1]) == pytest.approx(widths[-1], rel=0.06)
    under, page = tab.locator("#vocabulary-shared .be-scroll").evaluate(
        "node => [getComputedStyle(node).backgroundImage, getComputedStyle(document.body).backgroundColor]"
    )
    assert under.startswith(f"linear-gradient(to left, {page} ")
    tab.locator("#vocabulary-text textarea").fill("2026 <b>")
    lacks = tab.locator("#vocabulary-held .be-column").nth(0).locator(".be-lacks")
    eventually(lacks.all_text_contents, ["202"])


def test_tokens_that_no_text_gives(tab):
    open_inner(tab, "reach_tab")
    tab.locator("#vocabulary-reach .be-primary").click()
    line = tab.locator("#vocabulary-reach .be-sentence")
    line.wait_for()
    assert line.text_content() == "No text can give 14 of the 128,000 tokens of Llama 3.1."


def test_an_id_stands_after_its_token_in_arabic_too(tab):
    ends = tab.locator("#tab-vocabulary").evaluate(
        """panel => {
            const node = document.createElement('span'), id = document.createElement('small');
            const range = document.createRange();
            [node.className, id.className, node.textContent, id.textContent] = ['be-piece', 'be-id', 'العالم', '123'];
            node.append(id);
            panel.append(node);
            range.selectNode(node.firstChild);
            const ends = [range.getBoundingClientRect().right, id.getBoundingClientRect().left];
            node.remove();
            return ends;
        }"""
    )
    assert 0 < ends[0] <= ends[1]


def test_chinese_on_a_small_screen(open_page):
    page = open_page("vocabulary", lang="zh-CN", width=390, height=844)
    page.locator("#vocabulary-contents .be-kind").first.wait_for()
    assert "个 token" in page.locator("#vocabulary-contents h3").first.text_content()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
