"""The tab of the model with no layers: each figure on it against plain numpy, and the count that can be stopped."""

import json
import re
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save
from tokenizers import Tokenizer, models

from demo_lib.tabs.text import parrot as words
from tests.browser.conftest import Opener, serving
from tests.browser.driving import eventually
from tests.hub_stand_in import Repo
from tests.made_models import INPUT, OUTPUT

ROWS, DIM = 400, 16
# As hard to show as real ones: the longest name, an unused row, a sign, spaces, a line end, Chinese
NAMES = ["公园", "<unused5331>", "Antidisestablishmentarianism" * 2, " x  y ", "\n\n", "<b>&amp;", "𠮷" * 12]
TOKENS = NAMES + [f"w{i}" for i in range(len(NAMES), ROWS)]


def numbers(rows: int, dim: int, spread: float, seed: int) -> torch.Tensor:
    """Rows of different lengths, as BF16 has them."""
    random = np.random.default_rng(seed)
    lengths = np.exp(random.normal(0, spread, (rows, 1)))
    return torch.tensor(random.normal(0, 1, (rows, dim)) * lengths + 0.4).to(torch.bfloat16)


def model(input: torch.Tensor, output: torch.Tensor | None = None, tokens=TOKENS) -> Repo:
    names = {token: id for id, token in enumerate(tokens)}
    config = {"vocab_size": len(input), "hidden_size": input.shape[1], "tie_word_embeddings": output is None}
    files = {"config.json": json.dumps(config).encode()}
    files["tokenizer.json"] = Tokenizer(models.WordLevel(names, unk_token="w399")).to_str().encode()
    return Repo(files | {"model.safetensors": save({INPUT: input} | ({} if output is None else {OUTPUT: output}))})


E, OUT = numbers(ROWS, DIM, 0.3, 0), numbers(ROWS, DIM, 0.3, 1)
WIDE = numbers(60_000, 64, 0.02, 2)  # of nearly equal lengths, as Gemma's: the count takes a while


@pytest.fixture(scope="module")
def page(chromium, hub, tmp_path_factory):
    """The tab with the table of E, which no other test's app has."""
    hub.repos["no/tied"], hub.repos["no/untied"] = model(E), model(E, OUT)
    hub.repos["no/wide"] = model(WIDE, tokens=[f"w{i}" for i in range(len(WIDE))])
    with serving(HF_ENDPOINT=hub.url, BOTH_ENDS_CACHE=str(tmp_path_factory.mktemp("own"))) as (address, server):
        opener = Opener(chromium, address)
        page = opener("parrot")
        page.opener, page.server = opener, server
        choose(page, "no/tied")
        yield page
        opener.close()
    for name in ("tied", "untied", "wide"):
        del hub.repos[f"no/{name}"]


@pytest.fixture(autouse=True)
def no_faults(page):
    yield
    page.opener.watch.check()


def choose(page, name: str) -> None:
    field, line = page.locator("#parrot-table input"), page.locator("#parrot-table-line")

    def settled() -> str:
        """What the line says of the table once it is neither looked for nor fetched."""
        try:
            line.locator(":is([data-state=missing], [data-state=ready], [data-state=failed])").wait_for()
        except Exception:
            pytest.fail(f"the table's line stays at: {line.inner_text()}")
        return line.locator(".be-tablebar").get_attribute("data-state")

    settled()
    field.fill(name)
    field.press("Enter")
    line.locator("b").get_by_text(name, exact=True).wait_for()
    if settled() == "missing":
        line.locator(".be-primary").click()
        line.locator("[data-state=missing]").wait_for(state="detached")
    assert settled() == "ready", line.inner_text()


def ask(page, token: str, steps: int = 5, temperature: float = 0, top_k: int = 0, seed: int = 0, **switches) -> None:
    for name, value in {"steps": steps, "temperature": temperature, "top-k": top_k, "seed": seed}.items():
        field = page.locator(f"#parrot-{name} input[type=number]").first
        field.fill(str(value))
        field.press("Enter")
    for name in ("cosine", "rms_norm", "output"):
        page.locator(f"#parrot-{name} input").set_checked(switches.get(name, False))
    page.locator("#parrot-text textarea").fill(token)


def rows(page) -> list[list[str]]:
    """[place, id, score, probability] of each row."""
    got = page.locator("#parrot-said .be-score:not(.be-score-head)").evaluate_all(
        "rows => rows.map(r => [r.querySelector('.be-place').textContent, r.querySelector('.be-id').textContent, "
        "...[...r.querySelectorAll('.be-n')].map(n => n.textContent)])"
    )
    return [list(map(str, row)) for row in got]


def logits(id: int, table=E, *, cosine=False, rms_norm=False) -> np.ndarray:
    """The plain computation."""
    x, table = E[id].double().numpy(), table.double().numpy()
    if rms_norm:
        x = x / np.sqrt((x * x).mean() + 1e-6)
    return table @ x / (np.linalg.norm(table, axis=1) * np.linalg.norm(x) if cosine else 1)


def shown(scores: np.ndarray, own: int) -> list[list[str]]:
    share = np.exp(scores - scores.max())
    share = share / share.sum()
    order = np.argsort(-scores, kind="stable").tolist()
    listed = order[:10] + ([own] if own not in order[:10] else [])

    def percent(p: float) -> str:
        return f"{100 * p:.2f}%" if p >= 0.001 else None

    return [[f"{order.index(id) + 1:,}", str(id), f"{scores[id]:,.3f}", percent(share[id])] for id in listed]


def same(found: list[list[str]], wanted: list[list[str]]) -> bool:
    """Small shares are shown with two digits, which are not checked here."""
    pairs = list(zip(found, wanted, strict=False))
    return len(found) == len(wanted) and all(a[:3] == b[:3] and b[3] in (None, a[3]) for a, b in pairs)


def beaten() -> int:
    """A token that does not repeat itself."""
    scores = (E.double() @ E.double().T).numpy()
    return int(np.flatnonzero(scores.argmax(1) != np.arange(ROWS))[-1])


@pytest.mark.parametrize(
    "switches", [{}, {"cosine": True}, {"rms_norm": True}, {"cosine": True, "rms_norm": True}], ids=str
)
def test_scores_are_those_of_numpy(page, switches):
    for token in (TOKENS[beaten()], "公园"):
        id = TOKENS.index(token)
        ask(page, token, **switches)
        wanted = shown(logits(id, **switches), id)
        eventually(lambda wanted=wanted: same(rows(page), wanted) or rows(page), True, 20)
        text = page.locator("#parrot-said").inner_text()
        place = next(row[0] for row in wanted if row[1] == str(id))
        assert re.search(rf"Step 1: the input .* is number {place} of {ROWS} itself", text.replace("\n", " "))
        longer = "wins because its row is longer" in text
        assert longer == (place != "1" and not switches.get("cosine"))
        if switches.get("cosine"):
            assert place == "1"


def test_the_output_table_where_there_is_one(page):
    ask(page, "w77", output=True)
    page.locator("#parrot-said").get_by_text("is tied").wait_for()
    choose(page, "no/untied")
    wanted = shown(logits(77, OUT), 77)
    eventually(lambda: same(rows(page), wanted) or rows(page), True, 20)
    choose(page, "no/tied")
    ask(page, "w77")
    eventually(lambda: same(rows(page), shown(logits(77), 77)), True, 20)


def test_greedy_goes_from_winner_to_winner_and_each_step_can_be_looked_at(page):
    id = beaten()
    chain = [id]
    for _ in range(4):
        chain.append(int(logits(chain[-1]).argmax()))
    ask(page, TOKENS[id], steps=4)
    tape = page.locator("#parrot-said .be-tape .be-pre")
    eventually(tape.count, 4)
    eventually(lambda: same(rows(page), shown(logits(id), id)), True, 20)
    tape.nth(0).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    eventually(lambda: same(rows(page), shown(logits(chain[1]), chain[1])), True)
    assert tape.nth(1).get_attribute("aria-current") == "step"
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("step 2")


def test_drawing_keeps_to_the_best_k_and_to_its_seed(page):
    said = []
    for seed in (1, 1, 2, 3):
        ask(page, "w50", steps=20, temperature=2, top_k=3, seed=seed, cosine=True)
        time.sleep(1.5)
        tape = page.locator("#parrot-said .be-tape .be-pre")
        eventually(tape.count, 20)
        odds = np.exp(np.sort(logits(50, cosine=True))[::-1][:3] / 2)
        wanted = [f"{100 * p:.2f}%" for p in odds / odds.sum()] + ["0.00%"] * 7
        eventually(lambda wanted=wanted: [row[3] for row in rows(page)], wanted)
        said.append(tape.all_inner_texts())
        assert "softmax of the 3 best scores divided by 2" in page.locator("#parrot-said .be-odds").inner_text()
        assert set(said[-1][:1]) <= {TOKENS[id] for id in np.argsort(-logits(50, cosine=True))[:3]}
        page.locator("#parrot-text textarea").fill("w51")
        eventually(lambda: page.locator("#parrot-said .be-tape .be-piece").inner_text(), "w51")
    assert said[0] == said[1]
    assert said[0] != said[2] or said[0] != said[3]


def test_a_text_that_is_no_text_keeps_the_page_in_place(page):
    ask(page, "w50")
    eventually(lambda: same(rows(page), shown(logits(50), 50)), True, 20)
    page.locator("#parrot-text textarea").fill("")
    page.locator("#parrot-said").get_by_role("alert").get_by_text("Write a text to begin with.").wait_for()
    dim = page.locator("#parrot-said .be-parrot > :not(.be-note)").evaluate("node => getComputedStyle(node).opacity")
    assert float(dim) < 0.5  # what it said before does not look like the answer
    page.locator("#parrot-text textarea").fill("w50")
    eventually(lambda: page.locator("#parrot-said").get_by_role("alert").count(), 0)


def test_the_rate_its_attractors_and_what_they_take(page):
    scores = (E.double() @ E.double().T).numpy()
    winners, own = scores.argmax(1), np.arange(ROWS)
    fail = np.flatnonzero(winners != own)
    assert 20 < len(fail) < ROWS - 20
    rate = page.locator("#parrot-rate")
    rate.get_by_role("button", name=words.EN["rate_start"]).click()
    said = rate.locator(".be-sentence")
    said.wait_for()
    percent = f"{100 * (1 - len(fail) / ROWS):.3f}%"
    assert said.inner_text() == f"no/tied: {percent} of its tokens repeat themselves; {len(fail)} of {ROWS} do not."
    lengths = np.linalg.norm(E.double().numpy(), axis=1)
    why = rate.locator(".be-why").inner_text()
    for figure in (lengths.min(), np.median(lengths), lengths.max(), np.median(lengths) / lengths.max()):
        assert f"{figure:.3f}" in why
    ids, counts = np.unique(winners[fail], return_counts=True)
    order = np.lexsort((ids, -counts))
    table = rate.locator(".be-attractors table")
    listed = table.first.locator("tbody tr").evaluate_all(
        "rows => rows.map(r => [r.querySelector('.be-id').textContent, r.cells[1].textContent])"
    )
    assert listed == [[str(ids[i]), str(counts[i])] for i in order[:12]]
    assert f"of {len(ids)}" in rate.inner_text()
    for k in (0, 2):
        table.first.get_by_role("button").nth(k).click()
        eventually(lambda k=k: table.first.get_by_role("button").nth(k).get_attribute("aria-pressed"), "true")
        taken = table.last.locator("tbody tr").evaluate_all(
            "rows => rows.map(r => [r.querySelector('.be-id').textContent, "
            "r.cells[1].textContent, r.cells[2].textContent])"
        )
        winner = ids[order[k]]
        assert taken == [
            [str(i), f"{scores[i, i]:.4f}", f"{scores[i, winner]:.4f}"] for i in fail[winners[fail] == winner][:12]
        ]
    assert "None does" in rate.inner_text()


def processor_time(page) -> float:
    """Seconds of the app's process and of no other."""
    fields = Path(f"/proc/{page.server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def test_the_count_can_be_stopped_and_begun_again(page):
    choose(page, "no/wide")
    rate = page.locator("#parrot-rate")
    assert rate.locator(".be-tried tbody tr").count() <= 1
    start = rate.get_by_role("button", name=words.EN["rate_start"])
    start.click()
    rate.locator("[data-state=working]").wait_for()
    rate.get_by_text(re.compile(r": [1-9]\d?%$")).wait_for()
    rate.get_by_role("button", name=words.EN["table_cancel"]).click()
    start.wait_for()
    time.sleep(1)
    before = processor_time(page)
    time.sleep(2)
    assert processor_time(page) - before < 1  # counting takes one or two processors all the time
    start.click()
    rate.get_by_text(re.compile(r": [1-9]\d?%$")).wait_for()
    choose(page, "no/tied")  # another table ends it too, and nothing of the first comes afterwards
    start.wait_for()
    time.sleep(1)
    before = processor_time(page)
    time.sleep(2)
    assert processor_time(page) - before < 1
    assert start.is_visible()


def test_in_chinese_on_a_phone_everything_fits(page):
    other = page.opener("parrot", lang="zh-CN", width=390, theme="dark")
    other.server = page.server
    choose(other, "no/tied")
    other.locator("#parrot-said .be-score").first.wait_for()
    for token in NAMES[:4]:
        other.locator("#parrot-text textarea").fill(token)
        other.wait_for_timeout(700)
        assert other.evaluate("document.documentElement.scrollWidth") <= 390
        inside = "rows => rows.every(r => [...r.children].every(c => c.getBoundingClientRect().right <= innerWidth))"
        assert other.locator("#parrot-said .be-score").evaluate_all(inside)
    other.get_by_role("button", name="English").click()
    hints = other.locator("#tab-parrot .head .info-text")
    hints.get_by_text("tokens to write").wait_for()
    assert all(
        height < 40 for height in hints.evaluate_all("nodes => nodes.map(n => n.offsetHeight)")
    )  # not a word a line
    other.get_by_role("button", name="中文").click()
    hints.get_by_text("写几个 token").wait_for()
    other.locator("#parrot-rate .be-primary").click()
    other.locator("#parrot-rate table").first.wait_for()
    assert other.evaluate("document.documentElement.scrollWidth") <= 390
    text = other.locator("#tab-parrot").inner_text()
    english = [value for value in words.EN.values() if " " in value and "{" not in value]
    assert [value for value in english if value in text] == []
    assert [key for key in words.EN if "_" in key and key in text] == []
    assert "的 token 重复自己" in text


def test_a_number_that_is_emptied_or_beyond_its_ends_is_no_error(page):
    """Gradio itself would answer with an error, in English, while the number is being typed."""
    field, said = page.locator("#parrot-steps input[type=number]"), page.locator("#parrot-said")
    scores = (E.double() @ E.double().T).numpy()
    ask(page, TOKENS[int(np.flatnonzero(scores.argmax(1) == np.arange(ROWS))[-1])])  # it repeats itself
    for typed, steps in (("", 1), ("999", 20), ("-3", 1), ("4", 4)):
        field.fill(typed)
        eventually(said.locator(".be-tape .be-pre").count, steps)
        eventually(lambda steps=steps: (f"{steps} times over" in said.inner_text()) == (steps > 1), True)
        assert "it repeats its input" in said.inner_text()
    assert page.locator("[data-testid=toast-body]").count() == 0
