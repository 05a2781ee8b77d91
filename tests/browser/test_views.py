"""The tokenizers tab in Chromium: how it was cut, streaming, ids to text, copies and the CSV file."""

import csv
import json
from pathlib import Path

import pytest

from demo_lib import tokens as room
from demo_lib.vocab import open_vocab
from tests.browser.driving import Tokens, eventually

MODELS = ("llama-3.1", "qwen2.5")


@pytest.fixture(scope="module")
def shared(module_page):
    return Tokens(module_page("tokens", permissions=["clipboard-read", "clipboard-write"]))


@pytest.fixture
def tab(shared, check_page):
    shared.reset()
    shared.open("How it was cut")
    return shared


def cut(tab, k: int):
    return tab.page.locator("#tokens-cut .be-column").nth(k)


def here(tab) -> list[str]:
    return tab.page.locator("#tokens-cut .be-pre.be-here").all_text_contents()


def pieces(column) -> list[list[str]]:
    return column.locator(".be-piece.be-final").evaluate_all(
        "nodes => nodes.map(n => [n.childNodes[0].textContent, n.querySelector('.be-id').textContent])"
    )


def test_the_steps_from_text_to_ids(tab):
    tab.write("它还是2026年")
    first = cut(tab, 0)
    eventually(lambda: here(tab), ["它还是", "它还是"])
    assert first.locator(".be-pre").all_text_contents() == ["它还是", "202", "6", "年"]
    assert cut(tab, 1).locator(".be-pre").all_text_contents() == ["它还是", "2", "0", "2", "6", "年"]
    summary = first.locator("summary")
    assert summary.text_content() == "matched: a run of letters, with at most one other sign before it"
    assert not first.locator(".be-pattern code").first.is_visible()
    summary.click()
    assert r"\p{N}{1,3}" in first.locator(".be-pattern code").all_text_contents()
    named = first.locator(".be-pattern li.be-here")
    assert r"\p{L}+" in named.locator("code").text_content()
    assert "matched" in named.text_content()
    cells = first.locator(".be-byte-group")
    assert cells.locator(".be-hex").all_text_contents() == [c.encode().hex(" ").upper() for c in "它还是"]
    assert cells.locator(".be-group-char").all_text_contents() == list("它还是")
    first.get_by_role("button", name="Pre-token 3 of 4: 6").click()
    eventually(lambda: here(tab), ["6", "6"])
    assert tab.page.evaluate("document.activeElement.textContent") == "6"
    assert first.locator("summary").text_content() == "matched: one to three digits"


def test_the_slider_steps_through_the_merges(tab):
    tab.write("年假怎么申请")
    for k, model in enumerate(MODELS):
        column, ids = cut(tab, k), room.split("年假怎么申请", model)[0].ids
        slider, line = column.get_by_role("slider"), column.locator(".be-merge-line")
        eventually(lambda column=column: [int(id) for _, id in pieces(column)], ids)
        merges = open_vocab(model).trace("年假怎么申请").merges
        assert slider.get_attribute("aria-valuetext") == f"{len(merges)} / {len(merges)}"
        slider.press("Home")
        assert column.locator(".be-piece").all_text_contents() == [f"{b:02X}" for b in "年假怎么申请".encode()]
        assert line.text_content() == "Start: 18 pieces"
        for n, merge in enumerate(merges, 1):
            slider.press("ArrowRight")
            assert line.text_content().startswith(f"Merge {n} of {len(merges)}, rank {merge.rank:,}:")
        assert [int(id) for _, id in pieces(column)] == ids
        assert f"{len(ids)} tokens:" in line.text_content()


def test_the_merges_play_and_pause(tab):
    tab.write("年假怎么申请")
    column = cut(tab, 0)
    slider, play = column.get_by_role("slider"), column.get_by_role("button", name="Play")
    last = slider.get_attribute("max")
    play.click()
    pause = column.get_by_role("button", name="Pause")
    eventually(lambda: int(slider.input_value()) in range(2, int(last)), True)
    pause.click()
    stopped = slider.input_value()
    tab.page.wait_for_timeout(300)
    play.wait_for()
    play.click()
    eventually(lambda: slider.input_value() == last, True)
    assert int(stopped) < int(last)
    play.wait_for()


def test_pieces_without_merges_say_why(tab):
    tab.write("申请")
    eventually(lambda: here(tab), ["申请", "申请"])
    assert "ignore_merges" in cut(tab, 0).text_content()
    assert pieces(cut(tab, 0)) == [["申请", "112838"]]
    assert cut(tab, 1).get_by_role("slider").count() == 1
    tab.write("a")
    eventually(lambda: "nothing to merge" in cut(tab, 1).text_content(), True)
    tab.write("")
    eventually(lambda: "Type some text above" in cut(tab, 0).text_content(), True)


@pytest.mark.parametrize("text", ["钉钉审批 2026, it's  ok\n\n!", "👩‍👩‍👧‍👦𠮷 cafe\u0301", "<|im_end|> x <|eot_id|>"])
def test_each_piece_ends_in_the_ids_on_the_board(tab, text):
    tab.write(text)
    for k in range(2):
        chips = zip(tab.ids(k), tab.chips(k), strict=True)
        plain = [id for id, (_, _, classes) in chips if "be-special" not in classes]
        found = []
        for i in range(cut(tab, k).locator(".be-pre").count()):
            node = cut(tab, k).locator(".be-pre").nth(i)
            node.click()
            eventually(lambda k=k, i=i: cut(tab, k).locator(".be-pre").nth(i).get_attribute("aria-current"), "true")
            found += [int(id) for _, id in pieces(cut(tab, k))]
        assert found == plain


def test_streaming(tab):
    tab.open("Streaming")
    tab.write("钉!")
    view = tab.page.locator("#tokens-stream")
    slider, first = view.get_by_role("slider"), view.locator(".be-column").nth(0)

    def lines() -> list[str]:
        return first.locator("dd").all_text_contents()

    eventually(lambda: lines()[1], "钉!")
    slider.press("Home")
    assert lines() == ["", "", "none"]
    slider.press("ArrowRight")
    assert lines() == ["\ufffd", "", "E9 92"]
    assert "1 of 3 ids · last id" in first.text_content()
    slider.press("ArrowRight")
    assert lines() == ["\ufffd\ufffd", "钉", "none"]
    slider.press("ArrowRight")
    assert lines() == ["\ufffd\ufffd!", "钉!", "none"]
    assert view.locator(".be-column").nth(1).locator("dd").all_text_contents() == ["钉!", "钉!", "none"]
    slider.press("Home")
    view.get_by_role("button", name="Play").click()
    eventually(lambda: lines()[1], "钉!")


def test_ids_to_text(tab):
    tab.open("From ids")
    box, board = tab.page.locator("#tokens-ids textarea"), tab.page.locator("#tokens-decoded")

    def text(k: int) -> str:
        return board.locator(".be-column").nth(k).locator(".be-decoded").text_content()

    for ids in ("8107 107099", "[8107, 107099]", "8107,107099\n", "tensor([ 8107, 107099])", "(8107; 107099)"):
        box.fill("1")
        eventually(lambda: tab.ids(0, "#tokens-decoded"), [1])
        box.fill(ids)
        eventually(lambda: text(0), "年假")
        assert text(1) == open_vocab("qwen2.5").decode([8107, 107099])
        assert tab.ids(0, "#tokens-decoded") == [8107, 107099]
    box.fill("151700 8107")
    alert = board.get_by_role("alert")
    eventually(lambda: [words.partition(":")[0] for words in alert.all_text_contents()], [
        f"{model} has no token with the id 151700" for model in ("Llama 3.1", "Qwen2.5")
    ])  # fmt: skip
    box.fill("151650 8107")
    eventually(lambda: alert.count(), 1)
    assert "Llama 3.1 has no token with the id 151650" in alert.text_content()
    assert text(1).startswith("<|")
    box.fill("8107 x<b>y</b>")
    eventually(lambda: "is no token id" in " ".join(alert.all_text_contents()), True)
    assert alert.locator("b").count() == 0
    box.fill("128009")
    eventually(lambda: text(0), "<|eot_id|>")
    assert board.locator(".be-special").first.text_content() == "<|eot_id|>"


def test_copies(tab):
    tab.write("钉钉, ok")
    column = tab.column("Llama 3.1")
    column.get_by_role("button", name="Copy ids").click()
    column.get_by_role("button", name="Copied").wait_for()
    ids = room.split("钉钉, ok", "llama-3.1")[0].ids
    assert json.loads(tab.page.evaluate("navigator.clipboard.readText()")) == ids
    column.get_by_role("button", name="Copy pieces").click()
    wanted = ["<E9 92>", "<89>", "<E9 92>", "<89>", ",", " ok"]
    eventually(lambda: json.loads(tab.page.evaluate("navigator.clipboard.readText()")), wanted)


def test_the_csv_file(tab):
    text = '钉"a,b"\n=1+1 cafe\u0301<|eot_id|>'
    tab.write(text)
    with tab.page.expect_download() as download:
        tab.board.get_by_role("button", name="Download as CSV").click()
    assert download.value.suggested_filename == "tokens.csv"
    with Path(download.value.path()).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = [(label, n, t) for label, model in (("Llama 3.1", "llama-3.1"), ("Qwen2.5", "qwen2.5"))
              for n, t in enumerate(room.split(text, model)[0].tokens)]  # fmt: skip
    assert len(rows) == len(wanted)
    for row, (label, n, token) in zip(rows, wanted, strict=True):
        assert (row["model"], row["position"], row["id"]) == (label, str(n), str(token.id))
        assert bytes.fromhex(row["bytes"]) == token.data
        assert (row["byte_start"], row["byte_end"]) == (str(token.byte_start), str(token.byte_end))
        assert (row["special"], row["valid_utf8"]) == (str(int(token.special)), str(int(token.whole)))
        shown = (
            json.dumps(token.data.decode(), ensure_ascii=False) if token.whole else f"<{token.data.hex(' ').upper()}>"
        )
        assert row["piece"] == shown
        assert row["piece"][:1] not in tuple("=+-@")


def test_the_figures_as_csv(tab):
    tab.write("钉钉审批, cafe\u0301")
    with tab.page.expect_download() as download:
        tab.board.get_by_role("button", name="Figures as CSV").click()
    with Path(download.value.path()).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, model in zip(rows, ("llama-3.1", "qwen2.5"), strict=True):
        count = room.split("钉钉审批, cafe\u0301", model)[1]
        for name in ("tokens", "characters", "bytes", "han", "not_text"):
            assert int(row[name]) == getattr(count, name)
        assert abs(float(row["tokens_per_character"]) - count.tokens_per_character) < 1e-12
        assert row["exact"] == str(int(count.difference is None))
