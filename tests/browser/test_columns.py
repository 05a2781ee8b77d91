"""The tokenizers tab in Chromium: columns, figures, switches, models from elsewhere, long texts."""

import json
import re
import time

import pytest

from demo_lib import tokens as room
from tests.browser.driving import Tokens, eventually
from tests.hub_stand_in import Repo

HOW = {"llama-3.1": "Llama 3.1", "qwen2.5": "Qwen2.5"}


@pytest.fixture(scope="module")
def shared(module_page):
    return Tokens(module_page("tokens"))


@pytest.fixture
def tab(shared, check_page):
    shared.reset()
    return shared


def figures(text: str, model: str, **how) -> dict[str, str]:
    """The lines under a column, from demo_lib.tokens."""
    count = room.split(text, model, **how)[1]

    def ratio(value):
        return "–" if value is None else f"{value:.2f}"

    return {
        "tokens": f"{count.tokens:,}",
        "characters": f"{count.characters:,}",
        "bytes (UTF-8)": f"{count.bytes:,}",
        "tokens per character": ratio(count.tokens_per_character),
        "tokens per Han character": ratio(count.tokens_per_han),
        "bytes per token": ratio(count.bytes_per_token),
        "tokens that are no valid text alone": f"{count.not_text:,}",
    }


@pytest.mark.parametrize("text", ["钉钉审批", "How do I apply?", "我想请5天年假 𠮷\n", "🏳️‍🌈", "", "e" * 3000])
def test_the_figures_are_those_of_the_room(tab, text):
    tab.write(text)
    for k, model in enumerate(HOW):
        eventually(lambda k=k: tab.figures(k), figures(text, model))


def test_one_sentence_compares(tab):
    tab.write("钉钉审批")
    assert tab.sentence() == "Qwen2.5 needs 3 tokens where Llama 3.1 needs 6."
    tab.write("How do I apply for annual leave?")
    assert tab.sentence() == "Both need 8 tokens."
    tab.write("")
    eventually(tab.sentence, "")


def test_a_text_that_decoding_does_not_give_back(tab):
    tab.write("cafe\u0301")
    note = tab.column("Qwen2.5").locator(".be-note")
    assert "First difference at character 4" in note.text_content()
    assert "U+0065 U+0301" in note.text_content()
    assert "U+00E9" in note.text_content()
    assert tab.column("Llama 3.1").locator(".be-note").text_content() == "Decoding gives your text back exactly."


def test_special_tokens_in_the_text(tab):
    text = "<|im_start|>hi<|eot_id|>"
    tab.write(text)
    look = tab.board.locator(".be-special").evaluate_all("nodes => nodes.map(n => n.textContent)")
    assert look == ["<|eot_id|>", "<|im_start|>"]
    assert 128009 in tab.ids(0)
    assert 151644 in tab.ids(1)
    plain = tab.board.locator(".be-chip:not(.be-special)").first
    colour = "node => getComputedStyle(node).backgroundColor"
    assert tab.board.locator(".be-special").first.evaluate(colour) != plain.evaluate(colour)
    tab.switch("special", False)
    eventually(lambda: tab.board.locator(".be-special").count(), 0)
    for k, model in enumerate(HOW):
        assert tab.ids(k) == room.split(text, model, parse_special=False)[0].ids


def test_the_beginning_of_text_switch(tab):
    tab.switch("bos", True)
    eventually(lambda: tab.ids(0)[0], 128000)
    assert tab.ids(1)[0] == 7948  # Qwen has none
    assert tab.column("Llama 3.1").locator(".be-note").text_content() == "Decoding gives your text back exactly."
    tab.board.locator(".be-chip").first.hover()
    assert "added by the tokenizer" in tab.info()
    assert tab.marked() is None
    tab.switch("bos", False)
    eventually(lambda: tab.ids(0)[0], 8107)


def test_cuts_that_another_column_does_not_make(tab):
    tab.write("钉钉审批 2026")
    text = tab.shown()
    for k, column in enumerate(room.columns(text, list(HOW))):
        marked = [i for i, (_, _, classes) in enumerate(tab.chips(k)) if "be-edge" in classes]
        assert marked == sorted(column.unshared)
        assert marked


def test_columns_move_go_and_come(tab):
    tab.write("钉钉审批 2026")
    tab.board.get_by_role("button", name="Move Llama 3.1 to the right").click()
    eventually(tab.labels, ["Qwen2.5", "Llama 3.1"])
    assert tab.ids(0) == room.split("钉钉审批 2026", "qwen2.5")[0].ids
    left = tab.board.get_by_role("button", name="Move Llama 3.1 to the left")
    left.focus()
    tab.page.keyboard.press("Enter")
    eventually(tab.labels, ["Llama 3.1", "Qwen2.5"])
    # whoever works with the keyboard stays where they were
    inside = "() => document.activeElement.closest('#tokens-board .be-column')?.querySelector('h3').textContent"
    eventually(lambda: tab.page.evaluate(inside), "Llama 3.1")
    tab.add_model("Qwen3.5")
    eventually(tab.labels, ["Llama 3.1", "Qwen2.5", "Qwen3.5"])
    eventually(lambda: tab.ids(2), room.split("钉钉审批 2026", "qwen3.5")[0].ids)
    assert tab.sentence().startswith("Qwen")
    tab.board.get_by_role("button", name="Remove Qwen2.5").click()
    eventually(tab.labels, ["Llama 3.1", "Qwen3.5"])
    tab.board.get_by_role("button", name="Remove Qwen3.5").click()
    eventually(tab.labels, ["Llama 3.1"])
    assert tab.board.get_by_role("button", name=re.compile("^(Remove|Move) ")).count() == 0
    assert tab.sentence() == ""
    tab.add_model("Qwen2.5")
    eventually(tab.labels, ["Llama 3.1", "Qwen2.5"])


def trained(words: list[str]) -> bytes:
    """A tokenizer.json learned here and now from a few words."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(words, trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet))
    return tokenizer.to_str().encode()


def test_models_of_the_hub(tab, hub):
    data = trained(["annual leave", "annual leave"] * 20)
    hub.repos["school/tiny"] = Repo({"tokenizer.json": data})
    tab.write("annual leave")
    tab.add_model("school/tiny")
    tab.add_model("school/absent")
    eventually(tab.labels, ["Llama 3.1", "Qwen2.5", "school/tiny", "school/absent"])
    alert = tab.column("school/absent").get_by_role("alert")
    alert.wait_for()
    assert "The Hub has no model school/absent" in alert.text_content()
    from tokenizers import Tokenizer

    wanted = Tokenizer.from_str(data.decode()).encode("annual leave").ids
    eventually(lambda: tab.ids(2), wanted)
    tab.box.press("End")
    tab.page.keyboard.type(" now", delay=20)
    start = time.monotonic()
    tab.shows("annual leave now")
    assert time.monotonic() - start < 5, "a model that is not there must not hold up the others"
    assert tab.ids(0) == room.split("annual leave now", "llama-3.1")[0].ids
    assert tab.labels()[3] == "school/absent"
    assert alert.is_visible()


def test_typing_goes_on_while_a_model_is_awaited(tab, hub):
    hub.repos["school/stuck"] = Repo({"tokenizer.json": b"{}"}, stuck="HEAD")
    tab.write("annual")
    tab.add_model("school/stuck")
    eventually(tab.labels, ["Llama 3.1", "Qwen2.5", "school/stuck"])
    start = time.monotonic()
    tab.box.press("End")
    tab.page.keyboard.type(" leave, please", delay=20)
    tab.shows("annual leave, please")
    assert time.monotonic() - start < 4, "the models that are there answer at once"
    assert "Loading school/stuck" in tab.column("school/stuck").text_content()
    tab.column("school/stuck").get_by_role("alert").wait_for()
    # and what arrives late does not bring the old text back
    tab.page.wait_for_timeout(300)
    assert tab.shown() == tab.box.input_value() == "annual leave, please"
    assert tab.ids(0) == room.split("annual leave, please", "llama-3.1")[0].ids


def test_a_tokenizer_json_of_ones_own(tab, tmp_path):
    data = trained(["年假怎么申请"] * 20)
    good, bad = tmp_path / "my <b>own.json", tmp_path / "bad.json"
    good.write_bytes(data)
    bad.write_text(json.dumps({"model": "<img src=x onerror=alert(1)>"}))
    with tab.page.expect_file_chooser() as chooser:
        tab.page.locator("#tokens-upload").click()
    chooser.value.set_files(good)
    from tokenizers import Tokenizer

    eventually(lambda: len(tab.labels()), 3)
    eventually(lambda: tab.ids(2), Tokenizer.from_str(data.decode()).encode("年假怎么申请？").ids)
    with tab.page.expect_file_chooser() as chooser:
        tab.page.locator("#tokens-upload").click()
    chooser.value.set_files(bad)
    toast = tab.page.get_by_test_id("toast-body")
    toast.wait_for()
    assert "tokenizer.json" in toast.text_content()
    assert "Traceback" not in toast.text_content()
    assert toast.locator("img").count() == 0
    assert len(tab.labels()) == 3
    toast.get_by_role("button").first.click()


def test_long_texts(tab):
    text = ("年假怎么申请？How do I apply? " * 1000)[:20_000]
    start = time.monotonic()
    tab.write(text)
    print(f"20,000 characters: {time.monotonic() - start:.2f} s")
    assert time.monotonic() - start < 10
    eventually(lambda: tab.figures(0), figures(text, "llama-3.1"))
    ids = room.split(text, "llama-3.1")[0].ids
    assert tab.ids(0) == ids[: len(tab.ids(0))]
    tab.lists.nth(0).focus()
    tab.page.keyboard.press("End")
    eventually(lambda: tab.ids(0) == ids, True)
    assert f"token {len(ids):,} of {len(ids):,}" in tab.info()

    tab.box.press("Control+End")
    tab.page.keyboard.type("!")
    alert = tab.board.get_by_role("alert")
    alert.wait_for()
    assert "20,001 characters" in alert.text_content()
    assert "corpus report" in alert.text_content()
    assert tab.box.input_value() == text + "!"
    tab.page.keyboard.press("Backspace")
    tab.shows(text)


def test_examples(tab):
    for name, text in (("A product name", "钉钉审批"), ("A number inside", "我想请5天年假")):
        tab.page.get_by_role("button", name=name, exact=True).click()
        tab.shows(text)
        assert tab.box.input_value() == text
