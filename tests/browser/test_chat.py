"""The chat template tab in Chromium."""

import json
import re

import pytest

from demo_lib import chat as room
from demo_lib.tabs.text.chat import EN, ZH
from tests.browser.driving import Chat, eventually

QUESTION = [{"role": "user", "content": "年假怎么申请？"}]


@pytest.fixture(scope="module")
def shared(module_page):
    return Chat(module_page("chat", permissions=["clipboard-read", "clipboard-write"]))


@pytest.fixture
def tab(shared, check_page):
    shared.reset()
    return shared


def number(text: str) -> int:
    return int(text.replace(",", "") or 0)


def test_the_question_costs_40_and_34(tab):
    assert tab.prompt(0) == room.render(QUESTION, "llama-3.1").text
    assert tab.prompt(1) == room.render(QUESTION, "qwen2.5").text
    assert [tab.column(k).locator(".be-total").text_content() for k in (0, 1)] == ["40 tokens", "34 tokens"]
    marks = tab.column(1).locator(".be-seg-special").all_text_contents()
    assert marks == ["<|im_start|>", "<|im_end|>", "<|im_start|>", "<|im_end|>", "<|im_start|>"]
    added = "".join(tab.column(1).locator(".be-seg-added").all_text_contents())
    assert "You are Qwen, created by Alibaba Cloud. You are a helpful assistant." in added
    assert tab.column(0).locator(".be-seg-content").all_text_contents() == ["年假怎么申请？"]


@pytest.mark.parametrize("preset", room.presets(), ids=lambda preset: preset.title["en"])
def test_the_cost_table_sums_to_the_count(tab, preset):
    tab.preset(preset.title["en"])
    models = ["llama-3.1", "qwen2.5", *([preset.model] if preset.model else [])]
    for k, model in enumerate(models):
        options = {"tools": preset.tools, "enable_thinking": preset.thinking}
        try:
            wanted = room.prompt(preset.messages, model, **options)
        except room.Problem as problem:
            eventually(lambda k=k: tab.column(k).get_by_role("alert").all_text_contents(), [str(problem)])
            continue
        costs = wanted.costs

        def shown(k=k) -> tuple:
            *rows, total = tab.table(k) or [("", "", "")]
            sums = sum(number(a) + number(b) for _, a, b in rows), number(total[1]) + number(total[2])
            contents = [number(a) for name, a, _ in rows if "·" in name]
            return tab.prompt(k), sums, contents, tab.column(k).locator(".be-total").all_text_contents()

        contents = [message.content_tokens for message in costs.messages]
        total = [f"{costs.total:,} tokens"]
        eventually(shown, (wanted.rendered.text, (costs.total, costs.total), contents, total))
        seen = tab.warnings(k)
        assert all(warning.en in seen for warning in wanted.warnings)


def test_editing_the_conversation(tab):
    tab.box(1).press("Control+a")
    tab.page.keyboard.type("How do I apply? 请问", delay=10)
    tab.page.keyboard.insert_text("年假")
    messages = [{"role": "user", "content": "How do I apply? 请问年假"}]
    eventually(lambda: tab.prompt(1), room.render(messages, "qwen2.5").text)
    tab.editor.get_by_label("Role of message 1").select_option("system")
    messages[0]["role"] = "system"
    eventually(lambda: tab.prompt(1), room.render(messages, "qwen2.5").text)
    assert tab.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Role of message 1"
    tab.editor.get_by_role("button", name="+ Add a message").click()
    tab.page.keyboard.type("Hello", delay=10)  # the new box has the focus
    messages.append({"role": "user", "content": "Hello"})
    eventually(lambda: tab.prompt(0), room.render(messages, "llama-3.1").text)
    assert tab.roles() == ["system", "user"]
    tab.editor.get_by_role("button", name="Move message 2 up").press("Enter")
    messages.reverse()
    eventually(tab.texts, [m["content"] for m in messages])
    assert tab.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Move message 1 down"
    tab.editor.get_by_role("button", name="Remove message 2").press("Enter")
    eventually(lambda: tab.prompt(0), room.render(messages[:1], "llama-3.1").text)
    assert tab.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Remove message 1"


def test_an_empty_conversation_is_a_sentence(tab):
    tab.editor.get_by_role("button", name="Remove message 1").click()
    alert = tab.prompts.get_by_role("alert")
    alert.wait_for()
    assert len(alert.text_content()) > 20
    tab.editor.get_by_role("button", name="+ Add a message").click()
    tab.page.keyboard.type("Hi", delay=10)
    eventually(lambda: tab.prompt(1), room.render([{"role": "user", "content": "Hi"}], "qwen2.5").text)


def test_the_conversation_as_json(tab):
    messages = [{"role": "system", "content": "Short."}, *QUESTION]
    area = tab.json(json.dumps(messages, ensure_ascii=False))
    eventually(lambda: tab.prompt(1), room.render(messages, "qwen2.5").text)
    bad = '[{"role": "user", "content": "half'
    area.fill(bad)
    note = tab.editor.locator(".be-note")
    eventually(note.text_content, EN["bad_json"])
    assert area.get_attribute("aria-invalid") == "true"
    assert tab.prompt(1) == room.render(messages, "qwen2.5").text
    # another language in between takes nothing away
    tab.page.get_by_role("button", name="中文").click()
    eventually(note.text_content, ZH["bad_json"])
    assert area.input_value() == bad
    tab.page.get_by_role("button", name="English").click()
    area.fill(bad + ' no more"}]')
    eventually(lambda: note.is_visible(), False)
    eventually(lambda: "half no more" in tab.prompt(0), True)
    area.fill('{"role": "user"}')  # JSON, but no list
    eventually(lambda: note.is_visible(), True)
    area.fill('[{"role": "user", "content": "x", "tool_calls": 7}]')  # JSON, but no messages
    eventually(lambda: tab.prompts.get_by_role("alert").count() > 0, True)
    tab.form()
    assert tab.texts() == ["x"]


def test_tool_calls_can_be_edited(tab):
    tab.preset("A tool call and its answer")
    calls = tab.editor.get_by_label("Tool calls, as JSON")
    calls.wait_for()
    assert json.loads(calls.input_value())[0]["function"]["name"] == "leave_balance"
    calls.fill(calls.input_value().replace("2026", "1999"))
    eventually(lambda: '"year": 1999' in tab.prompt(0), True)
    calls.fill("[{")
    eventually(tab.editor.locator(".be-note").text_content, EN["bad_json"])
    tab.editor.get_by_role("button", name="+ Add a message").click()
    assert calls.input_value() == "[{"
    assert '"year": 1999' in tab.prompt(0)
    tab.editor.get_by_role("button", name="Remove the tool calls").click()
    eventually(lambda: "leave_balance" in tab.prompt(0).split("年假？", 1)[-1], False)


def test_tools_and_the_date(tab):
    date, tools = tab.more()
    date.fill("29 Nov 2026")
    eventually(lambda: tab.prompt(0), room.render(QUESTION, "llama-3.1", date="29 Nov 2026").text)
    given = [{"type": "function", "function": {"name": "look", "description": "d", "parameters": {"type": "object"}}}]
    tools.fill(json.dumps(given))
    for k, model in enumerate(("llama-3.1", "qwen2.5")):
        wanted = room.render(QUESTION, model, date="29 Nov 2026", tools=given).text
        eventually(lambda k=k: tab.prompt(k), wanted)
    for bad in ('[{"type"', "7", "[1]", "[" * 100_000):
        tools.fill(bad)
        eventually(lambda: tab.prompts.get_by_role("alert").count(), 1)
        assert tools.input_value() == bad
        tools.fill("")
        eventually(lambda: tab.prompts.get_by_role("alert").count(), 0)
    date.fill("x" * 101)
    eventually(lambda: "date" in " ".join(tab.prompts.get_by_role("alert").all_text_contents()), True)
    date.fill("")


def test_the_generation_prompt_and_thinking(tab):
    tab.page.locator("#chat-generation input").set_checked(False)
    eventually(lambda: tab.prompt(1), room.render(QUESTION, "qwen2.5", add_generation_prompt=False).text)
    assert "without a generation prompt" in tab.warnings(1)
    tab.page.locator("#chat-generation input").set_checked(True)
    field = tab.page.locator("#chat-models input")
    field.click()
    tab.page.get_by_role("option", name="Qwen3.5").click()
    field.press("Escape")
    off = room.render(QUESTION, "qwen3.5").text
    eventually(lambda: tab.prompt(2), off)
    thinking = tab.page.locator("#chat-thinking")
    thinking.get_by_label("on", exact=True).check()
    wanted = room.render(QUESTION, "qwen3.5", enable_thinking=True).text
    assert wanted != off
    eventually(lambda: tab.prompt(2), wanted)
    thinking.get_by_label("off", exact=True).check()
    eventually(lambda: tab.prompt(2), room.render(QUESTION, "qwen3.5", enable_thinking=False).text)
    thinking.get_by_label("as the model ships").check()
    tab.page.locator("#chat-models .token-remove").nth(2).click()
    eventually(lambda: tab.prompts.locator(".be-column").count(), 2)


def test_a_warning_shows_its_tokens(tab):
    qwen = tab.column(1)
    item = qwen.locator(".be-warnings li").filter(has_text="You are Qwen")
    item.get_by_role("button", name="show").click()
    wanted = next(w for w in room.prompt(QUESTION, "qwen2.5").warnings if w.code == "default-system")
    lit = qwen.locator(".be-chip.be-on").evaluate_all("nodes => nodes.map(n => Number(n.dataset.i))")
    assert lit == list(wanted.positions)
    assert qwen.locator(".be-chip").count() == 34
    assert qwen.locator(".be-chip.be-on").first.is_visible()
    labels = qwen.locator(".be-chip").evaluate_all("nodes => nodes.map(n => n.getAttribute('aria-label'))")
    ids = [int(re.search(r"id (\d+)$", label)[1]) for label in labels]
    assert [ids[i] for i in lit] == list(wanted.ids)
    switch = tab.prompts.get_by_role("button", name="Text", exact=True)
    switch.press("Enter")
    assert tab.prompt(1) == room.render(QUESTION, "qwen2.5").text
    assert switch.evaluate("node => node === document.activeElement")


def test_the_wrong_template_in_both_directions(tab):
    for own, other, names in (
        ("llama-3.1", "qwen2.5", ("Llama 3.1", "Qwen2.5")),
        ("qwen2.5", "llama-3.1", ("Qwen2.5", "Llama 3.1")),
    ):
        for box, name in zip(("own", "other"), names, strict=True):
            field = tab.page.locator(f"#chat-{box} input")
            field.click()
            options = tab.page.locator(f"#{field.get_attribute('aria-controls')}")
            options.get_by_role("option", name=name, exact=True).click()
        wanted = room.wrong_template(QUESTION, own, other).misread
        assert wanted.markers
        start = f"{names[1]} reads {names[0]}'s prompt as {wanted.tokens} tokens instead of {wanted.own_tokens} ("
        eventually(lambda start=start: tab.wrong.locator(".be-sentence").text_content().startswith(start), True)
        fallen = tab.wrong.locator(".be-fallen li")
        assert fallen.locator(".be-special").all_text_contents() == [marker.text for marker in wanted.markers]
        for k, marker in enumerate(wanted.markers):
            assert fallen.nth(k).locator(".be-id").all_text_contents() == [str(p.id) for p in marker.pieces]
        assert tab.wrong.locator(".be-list .be-chip").count() == wanted.tokens


def test_llama_refuses_two_tool_calls_in_its_own_column(tab):
    tab.preset("Two tool calls at once")
    alert = tab.column(0).get_by_role("alert")
    alert.wait_for()
    assert tab.prompts.get_by_role("alert").count() == 1
    assert "tool call" in alert.text_content()
    preset = next(p for p in room.presets() if p.title["en"] == "Two tool calls at once")
    assert tab.prompt(1) == room.render(preset.messages, "qwen2.5", tools=preset.tools).text


def test_the_last_of_quick_choices_counts(tab):
    for name in ("With a system prompt", "Several turns, stray spaces", "A tool call and its answer"):
        tab.preset(name)
    eventually(tab.roles, ["user", "assistant", "tool"])
    eventually(lambda: "leave_balance" in tab.prompt(1), True)


def test_copies(tab):
    tab.column(0).get_by_role("button", name="Copy prompt").click()
    wanted = room.render(QUESTION, "llama-3.1").text
    eventually(lambda: tab.page.evaluate("navigator.clipboard.readText()"), wanted)
    tab.column(0).get_by_role("button", name="Copy ids").click()
    ids = room.prompt(QUESTION, "llama-3.1").encoding.ids
    eventually(lambda: tab.page.evaluate("navigator.clipboard.readText()"), json.dumps(ids).replace(" ", ""))


def test_a_preset_about_one_model_brings_it_along(tab):
    names = ["Llama 3.1", "Qwen2.5", "Qwen3.5"]
    for chosen in (names, names[:2], [names[2], names[0]]):
        tab.choose(*chosen)
        tab.preset("Thinking, then and now")
        wanted = [*chosen, *(name for name in names[2:] if name not in chosen)]
        eventually(lambda: tab.prompts.locator("h3").all_inner_texts(), wanted)
        eventually(lambda: tab.prompt(wanted.index("Qwen3.5")).endswith("<think>\n"), True)  # noqa: B023
        tab.preset("One question")
        eventually(tab.texts, ["年假怎么申请？"])
