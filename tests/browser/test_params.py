"""The vocabulary ledger tab in Chromium."""

import json
import re

import pytest

from demo_lib import params as room
from demo_lib.tabs.params_numbers import money
from demo_lib.tabs.text.params import EN, ZH
from tests import authorities
from tests.browser.driving import choose, eventually
from tests.hub_stand_in import Repo
from tests.made_headers import file

LLAMA, QWEN = "Llama-3.1-8B", "Qwen2.5-0.5B"
DEFAULT = [LLAMA, "Qwen2.5-7B", QWEN]


class Ledger:
    """The ledger tab."""

    def __init__(self, page) -> None:
        self.page = page
        self.table = page.locator("#params-ledger")
        self.table.locator("table").wait_for()

    def heads(self, name: str = "ledger") -> list[str]:
        """The models of a table, without what stands below their names."""
        heads = self.page.locator(f"#params-{name} thead th")
        return heads.evaluate_all("nodes => nodes.map(n => n.firstChild.textContent)")

    def row(self, key: str, name: str = "ledger") -> list[str]:
        """What is read first in each cell of a row."""
        cells = self.page.locator(f"#params-{name} tr[data-row={key}] td")
        return cells.evaluate_all("nodes => nodes.map(n => n.firstChild.textContent)")

    def under(self, key: str, name: str = "ledger") -> list[str]:
        return self.page.locator(f"#params-{name} tr[data-row={key}] td small").all_text_contents()

    def why(self, name: str = "ledger") -> list[str]:
        return self.page.locator(f"#params-{name}").get_by_role("alert").all_text_contents()

    def sentence(self, name: str = "ledger") -> str:
        return " ".join(self.page.locator(f"#params-{name} .be-sentence").all_text_contents())

    def choose(self, *names: str) -> None:
        """Have these models and no others."""
        if choose(self.page, "#params-models", names):
            eventually(self.heads, [name.rpartition("/")[2] for name in names])

    def pick(self, box: str, name: str) -> None:
        field = self.page.locator(f"#params-{box} input")
        field.fill(name)
        field.press("Enter")
        field.press("Escape")

    def open(self, key: str) -> None:
        self.page.get_by_role("tab", name=EN[key], exact=True).click()

    def type(self, name: str, value: str) -> None:
        self.page.locator(f"#params-{name} :is(input:not([type=range]), textarea)").first.fill(value)

    def unfold(self) -> None:
        if not self.page.locator("#params-vocab-size").is_visible():
            self.page.locator("#params-fields .label-wrap").click()
        self.page.locator("#params-vocab-size").wait_for()


@pytest.fixture(scope="module")
def shared(module_page):
    return Ledger(module_page("params"))


@pytest.fixture
def tab(shared, check_page):
    shared.choose(*DEFAULT)
    return shared


def test_the_figures_of_the_lesson(tab):
    assert tab.heads() == DEFAULT
    assert tab.row("input") == ["525,336,576", "544,997,376", "136,134,656"]
    assert tab.row("output")[0] == "525,336,576"
    assert tab.row("output")[2] == EN["the_same"]
    assert tab.row("share") == ["13.1%", "14.3%", "27.6%"]
    assert tab.row("total") == ["8,030,261,248", "7,615,616,512", "494,032,768"]
    assert tab.row("free") == ["0", "399", "271"]
    assert tab.row("multiple")[2] == "128 × 1,187"
    assert tab.under("logits")[0] == "1,050,673,152"
    assert tab.row("logits_share")[0] == "7.0%"
    assert tab.sentence() == f"Vocabulary: 13.1% of {LLAMA}; 14.3% of Qwen2.5-7B; 27.6% of {QWEN}."
    told = tab.table.locator(".be-stack-track").first.get_attribute("aria-label")
    assert "input table 6.5%, output table 6.5%, attention 16.7%" in told


def test_other_models(tab):
    tab.choose("Qwen3.5-0.8B", "DeepSeek-V3", "gemma-3-270m", "Qwen3-0.6B")
    assert tab.row("share") == ["33.8%", "0.28%", "62.6%", "26.1%"]
    assert tab.row("stored") == ["873,438,784", "684,531,386,000", "268,098,176", "751,632,384"]
    assert tab.under("stored")[-1] == EN["reason_tied_head"].format(n="+155,582,464")
    assert tab.row("free")[2] == "0; 1 token has no row"


def test_after_quick_choices_the_page_asks_no_more(tab):
    asked = []
    tab.page.on("request", lambda request: request.method == "POST" and asked.append(request.url))
    for names in (DEFAULT[::-1], ["Qwen3-0.6B", LLAMA, "gemma-3-270m"], DEFAULT):
        tab.choose(*names)
    assert asked
    tab.page.wait_for_timeout(1500)
    asked.clear()
    tab.page.wait_for_timeout(1500)
    assert not asked


def test_both_languages(open_page):
    tab = Ledger(open_page("params", lang="zh-CN"))
    name = tab.page.locator("#params-ledger tr[data-row=share] th")
    for button, words in ((None, ZH), ("English", EN), ("中文", ZH)):
        if button:
            tab.page.get_by_role("button", name=button).click()
        eventually(name.text_content, words["row_share"])
        eventually(tab.page.get_by_role("tab", name=words["plot_tab"], exact=True).count, 1)
        assert tab.row("output")[2] == words["the_same"]
        tab.page.locator("#params-plot").get_by_text(words["plot_untied"], exact=True).wait_for()


def test_what_if(tab):
    tab.open("what_tab")
    tab.pick("what-model", QWEN)
    eventually(lambda: tab.row("rows", "what")[:2], ["151,936", "151,936"])
    eventually(tab.page.locator("#params-what-hidden input").input_value, "896")  # all fields begin as the model is
    tab.pick("what-tied", EN["tied_untied"])
    eventually(lambda: tab.row("total", "what"), ["494,032,768", "630,167,424", "+136,134,656"])
    assert tab.row("share", "what") == ["27.6%", "43.2%", "+15.7"]
    tab.type("what-rows", "32000")
    model = room.changed(room.open_model(QWEN), rows=32_000, tied=False)
    eventually(lambda: tab.row("total", "what")[1:2], [f"{model.parts.total:,}"])
    tab.type("what-hidden", "980")
    model = room.changed(room.open_model(QWEN), rows=32_000, hidden=980, tied=False)
    eventually(lambda: tab.row("total", "what")[1:2], [f"{model.parts.total:,}"])
    tab.type("what-hidden", "-3")
    eventually(lambda: tab.why("what"), ["“Hidden size” must be a whole number from 1 to 200,000."])
    tab.type("what-hidden", "1024")
    eventually(lambda: "divided among the 14 heads" in " ".join(tab.why("what")), True)
    tab.pick("what-model", LLAMA)  # begins anew, as the model is
    eventually(lambda: tab.row("total", "what"), ["8,030,261,248", "8,030,261,248", "="])


def test_any_count_of_rows(tab):
    tab.open("what_tab")
    tab.pick("what-model", LLAMA)
    eventually(lambda: tab.row("rows", "what")[:2], ["128,256", "128,256"])
    box = tab.page.locator("#params-what-rows input[type=number]")
    for typed, counted in (("200", "200"), ("1", "1"), ("3000000", "3,000,000"), ("20000000", "10,000,000")):
        box.fill(typed)
        eventually(lambda: tab.row("rows", "what")[1:2], [counted])
        box.blur()
        eventually(box.input_value, counted.replace(",", ""))
        assert tab.row("rows", "what")[1:2] == [counted]


def test_fields_of_ones_own_leave_the_change_of_another_model_alone(tab):
    tab.open("what_tab")
    tab.pick("what-model", QWEN)
    eventually(lambda: tab.row("rows", "what")[:2], ["151,936", "151,936"])
    tab.type("what-rows", "32000")
    eventually(lambda: tab.row("rows", "what")[1:2], ["32,000"])
    tab.unfold()
    tab.type("layers", "7")
    tab.type("layers", "24")
    tab.page.wait_for_timeout(800)  # an answer that must not come
    assert tab.row("rows", "what")[1:2] == ["32,000"]


def test_words_that_are_typed(tab):
    tab.open("what_tab")
    tab.pick("what-model", QWEN)
    tab.type("words-list", "申请\n钉钉审批\n申请")
    eventually(lambda: tab.row("words_single", "words"), ["1"])
    assert tab.under("words_single", "words") == ["申请 (101915)"]
    assert tab.row("words_new", "words") == ["1"]
    tab.type("words-list", "")
    eventually(lambda: tab.row("words_rows", "words"), ["9,729"])


def test_words_of_ones_own(tab):
    tab.open("what_tab")
    tab.pick("what-model", LLAMA)
    eventually(lambda: tab.row("words_input", "words"), ["40,960,000"])
    assert tab.row("words_output", "words") == ["40,960,000"]
    tab.pick("words-end", EN["end_input"])
    eventually(lambda: tab.row("words_output", "words"), ["0"])
    tab.pick("what-model", QWEN)
    eventually(lambda: tab.row("words_free", "words"), ["271"])
    assert tab.row("words_rows", "words") == ["9,729"]
    tab.pick("words-end", EN["end_both"])


def test_a_text(tab):
    text = "How do I apply for annual leave? 钉钉审批"
    tab.open("text_tab")
    tab.type("text", text)
    tokens = [len(authorities.ids(key, text)) for key in ("llama-3.1", "qwen2.5", "qwen2.5")]
    eventually(lambda: tab.row("text_tokens", "costs"), [str(n) for n in tokens])
    flops = [n * each for n, each in zip(tokens, (15_009_849_344, 14_141_238_272, 988_065_536), strict=True)]
    assert tab.under("text_flops", "costs") == [f"{n:,}" for n in flops]
    less = f"{100 * (1 - flops[2] / flops[0]):.1f}%"
    said = tab.sentence("costs")
    assert re.match(
        rf"{QWEN} is cheaper on this text: {tokens[2]} tokens × 988 MFLOPs = .*, {less} less than {LLAMA}", said
    )
    tab.type("prices", "1, 2, 3")
    eventually(lambda: tab.row("price", "costs"), [money(n * k / 1e6) for k, n in enumerate(tokens, 1)])
    assert f"To buy, {LLAMA} is cheaper" in tab.sentence("costs")
    tab.type("prices", "1, 2")
    eventually(lambda: "2 prices for 3 models" in " ".join(tab.why("costs")), True)
    tab.type("prices", "")
    tab.type("context", "100")
    eventually(lambda: tab.row("fits", "costs")[:1], [f"{100 * len(text) // tokens[0]} characters"])
    tab.choose(LLAMA, "gpt2")
    eventually(lambda: "tokenizer of gpt2 is not here, and the Hugging Face Hub" in " ".join(tab.why("costs")), True)
    assert tab.row("text_tokens", "costs") == [str(tokens[0]), "–"]


def test_the_inputs_of_the_fields_stand_in_a_line(tab):
    tab.unfold()
    boxes = tab.page.locator("#params-fields .be-fields").first.locator("input[type=number]")
    assert boxes.count() == 7
    ends = boxes.evaluate_all("nodes => nodes.map(n => Math.round(n.getBoundingClientRect().bottom))")
    assert max(ends) - min(ends) <= 1


def test_the_logits_of_a_batch(tab):
    tab.open("logits_tab")
    tab.type("batch", "2")
    tab.type("length", "1000")
    eventually(lambda: tab.row("numbers", "logits")[:1], [f"{2000 * 128_256:,}"])
    assert tab.row("logits_fp32", "logits")[0] == "1.03 GB"


def test_fields_of_ones_own(tab):
    tab.unfold()
    tab.page.locator("#params-add").click()
    eventually(tab.heads, [*DEFAULT, EN["custom"]])
    fields = {"vocab-size": 1000, "hidden-size": 64, "layers": 2, "heads": 4, "kv-heads": 2, "feed-forward-size": 100}
    for name, value in fields.items():
        tab.type(name, str(value))
    wanted = room.custom(1000, 64, 2, 4, 2, None, 100, False).parts.total
    eventually(lambda: tab.row("total")[3:], [f"{wanted:,}"])
    for value, said in (("0", "“Rows of the vocabulary” must"), ("1e30", "“Rows of the vocabulary” must")):
        tab.type("vocab-size", value)
        eventually(lambda said=said: [said in one for one in tab.why()], [True])
        assert tab.row("total")[:2] == ["8,030,261,248", "7,615,616,512"]
        tab.type("vocab-size", "1000")
        eventually(tab.why, [])
    tab.type("heads", "6")
    eventually(lambda: "cannot be divided among 6 heads" in " ".join(tab.why()), True)
    tab.type("heads", "4")
    eventually(tab.why, [])


def test_a_model_of_the_hub(tab, hub):
    tensors = {"model.embed_tokens.weight": ("BF16", (300, 16)), "lm_head.weight": ("BF16", (300, 16))}
    tensors |= {"model.vision_tower.x.weight": ("F32", (5, 7)), "model.layers.0.mlp.up_proj.weight": ("F32", (64, 16))}
    config = {"model_type": "x", "vocab_size": 300, "hidden_size": 16, "tie_word_embeddings": True}
    files = {"config.json": json.dumps(config).encode(), "model.safetensors": file(tensors)}
    hub.repos["org/eyes"] = Repo(files)
    hub.repos["org/wrong"] = Repo(files | {"model.safetensors": (2**63).to_bytes(8, "little") + b"{}"})
    tab.choose(LLAMA, "org/eyes", "org/wrong", "<img src=x onerror=alert(1)>")
    eventually(lambda: tab.row("total")[1:2], [f"{300 * 16 + 64 * 16:,}"])
    assert tab.row("stored")[1] == f"{2 * 300 * 16 + 64 * 16 + 35:,}"
    assert tab.under("stored") == [
        f"{EN['reason_tied_head']}\n{EN['reason_vision']}".replace("{n}", "{}").format("+4,800", "+35")
    ]
    eventually(lambda: len(tab.why()), 2)
    damaged, no_name = tab.why()
    assert "model.safetensors of org/wrong is damaged" in damaged
    assert "org/name" in no_name
    assert tab.page.locator("#params-ledger img").count() == 0


def test_models_of_the_hub_that_are_strange(tab, hub):
    config = {"model_type": "x", "vocab_size": 301, "hidden_size": 16, "tie_word_embeddings": False}
    table = {"model.embed_tokens.weight": ("BF16", (300, 16))}
    flat = {"model.embed_tokens.weight": ("BF16", (800,))}
    for name, tensors in (("bare", table), ("flat", flat)):
        hub.repos[f"org/{name}"] = Repo(
            {"config.json": json.dumps(config).encode(), "model.safetensors": file(tensors)}
        )
    tab.choose(LLAMA, "org/bare", "org/flat")
    eventually(lambda: tab.row("output")[1:2], [EN["no_output"]])
    assert tab.row("logits")[1] == EN["no_output"]
    assert tab.under("rows") == [EN["config_says"].format(n="301")]
    eventually(lambda: "has not two dimensions" in " ".join(tab.why()), True)
    assert tab.row("total")[0] == "8,030,261,248"


def test_the_plot(tab):
    tab.open("plot_tab")
    plot = tab.page.locator("#params-plot")
    marks = plot.locator(".be-plane .be-model")
    eventually(marks.count, 38)
    tied = sum(model.shape.tie_word_embeddings for model in room.known().values())
    assert sorted(plot.locator(".be-marked text").all_text_contents()) == sorted(DEFAULT)
    assert plot.locator(".be-plane .be-tied > circle:not(.be-reach, .be-ring)").count() == tied
    assert plot.locator(".be-plane .be-untied > path").count() == 38 - tied
    marks.locator("xpath=self::*[@tabindex='0']").focus()
    names = [model.label for model in sorted(room.known().values(), key=lambda model: model.parts.total)]
    told = plot.get_by_role("status")
    first = told.text_content().partition(":")[0]
    tab.page.keyboard.press("ArrowRight")
    assert told.text_content().startswith(names[names.index(first) + 1] + ":")
    tab.page.keyboard.press("Home")
    assert told.text_content().startswith(f"{names[0]}: 124,439,808 parameters, 31.0% of them vocabulary, tied")
    marks.last.hover()
    assert told.text_content() != EN["plot_hint"]
    tab.choose("phi-4")
    eventually(lambda: plot.locator(".be-marked text").all_text_contents(), ["phi-4"])


@pytest.mark.parametrize(("lang", "theme"), [("en", "light"), ("zh-CN", "dark")])
def test_on_a_phone_nothing_is_wider_than_the_page(open_page, lang, theme):
    page = open_page("params", lang=lang, theme=theme, width=390)
    page.locator("#params-ledger table").wait_for()
    page.locator("#params-plot .be-plane").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    scroll = page.locator("#params-ledger .be-scroll")
    edge = scroll.bounding_box()["x"] + scroll.bounding_box()["width"]
    for row in ("total", "logits"):  # two models stand there whole
        cells = page.locator(f"#params-ledger tr[data-row={row}] td")
        right = cells.evaluate_all("nodes => nodes.map(n => n.getBoundingClientRect().right)")
        assert right[1] <= edge + 1 < right[2]
        assert cells.evaluate_all("nodes => nodes.every(n => n.scrollWidth <= n.clientWidth)")
    scroll.evaluate("node => node.scrollBy(200, 0)")
    head = page.locator("#params-ledger tr[data-row=share] th")
    assert head.bounding_box()["x"] >= 0  # the names of the rows stay in sight
