"""The page around the tabs: its words, the errors that it shows, its colours, and what is served."""

import asyncio
import inspect
import json
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.i18n import I18nData

import app
from demo_lib.problems import Problem
from demo_lib.tabs import page, serve
from demo_lib.tabs.theme import theme

WORDS = page.Words("room", {"en": {"n": "{n} tokens", "tab": "Room"}, "zh-CN": {"n": "{n} 个 token", "tab": "房间"}})


def test_words_are_markers_for_the_browser_and_sentences_for_python():
    assert isinstance(WORDS("tab"), I18nData)
    assert WORDS("tab").key == "room.tab"
    assert WORDS.say("n", "zh-CN", n=5) == "5 个 token"
    assert WORDS.say("n", "en", n=5) == WORDS.say("n", None, n=5) == WORDS.say("n", "fr", n=5) == "5 tokens"


def test_a_word_that_no_language_has_is_found_at_once():
    with pytest.raises(KeyError):
        WORDS("missing")


def test_each_room_keeps_its_words_apart():
    rooms = [SimpleNamespace(__file__=f"/x/{name}.py", TEXT=WORDS.text) for name in ("one", "two")]
    merged = page.merged(rooms).translations_dict
    assert set(merged) == {"en", "zh-CN"}
    assert merged["zh-CN"]["one.tab"] == merged["zh-CN"]["two.tab"] == "房间"
    assert len(merged["en"]) == 4


def handler(text: str, lang: str = "en") -> str:
    """What it does."""
    if text == "refuse":
        raise Problem("Write <b> & more.", "请多写一点 <b>。")
    if text == "own":
        raise gr.Error("As it is.")
    return {"fine": "done"}[text]


def stream(text: str, lang: str = "en"):
    yield "first"
    yield handler(text, lang)


SHOWN = page.shown(handler), lambda *args: list(page.shown(stream)(*args))[-1]


@pytest.mark.parametrize("shown", SHOWN, ids=["function", "generator"])
class TestShown:
    def test_answers_pass(self, shown):
        assert shown("fine", "en") == "done"

    @pytest.mark.parametrize(
        ("lang", "sentence"),
        [
            ("en", "Write &lt;b&gt; &amp; more."),
            ("zh-CN", "请多写一点 &lt;b&gt;。"),
            (None, "Write &lt;b&gt; &amp; more."),
        ],
    )
    def test_a_problem_is_told_in_the_visitor_s_language(self, shown, lang, sentence):
        with pytest.raises(gr.Error) as told:
            shown("refuse", lang)
        assert told.value.message == sentence
        assert not told.value.print_exception

    def test_an_error_of_gradio_s_kind_stays_as_it_is(self, shown):
        with pytest.raises(gr.Error, match=r"^'As it is\.'$"):
            shown("own", "en")

    def test_a_fault_of_ours_says_nothing_of_what_was_typed(self, shown, capsys):
        with pytest.raises(gr.Error) as told:
            shown("my secret", "zh-CN")
        assert told.value.message == page.TEXT["zh-CN"]["fault"]
        assert told.value.__cause__ is None
        out, err = capsys.readouterr()
        assert out == ""
        assert re.fullmatch(r"KeyError at test_page\.py:\d+\n", err)


def test_a_program_gets_the_sentence_as_it_is():
    with pytest.raises(gr.Error) as told:
        page.shown(handler, toast=False)("refuse", "en")
    assert told.value.message == "Write <b> & more."


def test_shown_keeps_what_the_api_reads():
    shown = page.shown(handler)
    assert inspect.signature(shown) == inspect.signature(handler)
    assert shown.__doc__ == "What it does."
    assert shown.__name__ == "handler"
    assert not inspect.isgeneratorfunction(shown)
    assert inspect.isgeneratorfunction(page.shown(stream))


def served(head: serve.Head, answer: bytes, path: str = "/", method: str = "GET") -> tuple[dict, bytes]:
    """The headers and body that come out of the middleware for an application that answers in two pieces."""

    async def inner(scope, receive, send):
        headers = [(b"content-type", b"text/html"), (b"Content-Length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer[:9], "more_body": True})
        await send({"type": "http.response.body", "body": answer[9:]})

    sent = []

    async def send(message):
        sent.append(message)

    head.app = inner
    request = head({"type": "http", "path": path, "method": method, "headers": []}, None, send)
    with ThreadPoolExecutor(1) as thread:  # the browser tests leave an event loop running in this one
        thread.submit(asyncio.run, request).result()
    body = b"".join(message.get("body", b"") for message in sent)
    return {name.lower(): value for name, value in sent[0]["headers"]}, body


ANSWER = b"<html><head><title>x</title></head><body>&lt;head> <head></body></html>"


def test_style_and_script_come_first_and_once(blocks):
    headers, body = served(serve.Head(None, links=blocks.links), ANSWER)
    assert body.startswith(b'<html><head><link rel="icon"')
    assert body.endswith(ANSWER[ANSWER.index(b"</head>") :])
    assert body.index(b"window.bothEnds =") < body.index(b"<title>") < body.index(b"bothEnds.prepare(")
    assert body.count(b"--be-chip-1:") == 2  # light and dark
    assert int(headers[b"content-length"]) == len(body)


@pytest.mark.parametrize(("path", "method"), [("/config", "GET"), ("/assets/x.js", "GET"), ("/", "HEAD")])
def test_nothing_else_is_touched(path, method):
    headers, body = served(serve.Head(None), ANSWER, path, method)
    assert body == ANSWER
    assert int(headers[b"content-length"]) == len(ANSWER)


@pytest.mark.parametrize(("lang", "mark"), [(None, b'data-lang=""'), ("zh-CN", b'data-lang="zh-CN"')])
def test_the_server_may_say_which_language_to_open_in(lang, mark):
    assert mark in served(serve.Head(None, lang), ANSWER)[1]


def test_no_font_or_style_comes_from_another_host():
    css = theme()._get_theme_css() + serve.Head(None).first.decode()
    assert theme()._stylesheets == []
    assert re.findall(r"url\((?![\"']data:)|@import|https?://(?!www\.w3\.org/2000/svg|huggingface\.co')", css) == []
    style = (page._HERE / "page.css").read_text("utf-8")
    for font in ("PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC"):
        assert style.count(f"'{font}'") == 2  # running text and code


@pytest.fixture(scope="module")
def blocks():
    return page.build(app.TABS)


def test_tabs_have_the_names_of_their_rooms(blocks):
    tabs = next(block for block in blocks.blocks.values() if isinstance(block, gr.Tabs))
    assert [tab.id for tab in tabs.children] == [page.room(tab) for tab in app.TABS]


def test_every_public_endpoint_says_what_it_does(blocks):
    named = blocks.get_api_info()["named_endpoints"]
    assert {"/tokenize", "/compare", "/decode", "/render_chat"} <= set(named)
    for name, endpoint in named.items():
        assert len(endpoint["description"]) > 20, name
        assert all(parameter["parameter_name"] for parameter in endpoint["parameters"]), name


def test_what_a_link_can_hold_is_named():
    with gr.Blocks():
        lang = gr.Textbox()
        for tab in app.TABS:
            inputs = tab.build(lang)
            assert inputs or tab is app.lessons  # which lists, and asks for nothing
            components = [one[0] if isinstance(one, tuple) else one for one in inputs.values()]
            assert all(isinstance(one, gr.components.Component | gr.Tabs) for one in components)
            assert all(re.fullmatch(r"[a-z_]+", name) for name in inputs)


# Colours, measured on the style sheet itself


def tokens(dark: bool) -> dict[str, str]:
    """The design tokens that are colours, of the light or the dark page."""
    light, night = re.findall(r"^(?::root|\.dark) \{(.*?)^\}", (page._HERE / "page.css").read_text(), re.S | re.M)[:2]
    return dict(re.findall(r"--be-([\w-]+): (#[0-9a-f]{6});", night if dark else light))


def linear(colour: str) -> list[float]:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def contrast(one: str, other: str) -> float:
    """WCAG 2: (L1 + 0.05) / (L2 + 0.05) of the relative luminances."""
    low, high = sorted(
        sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), linear(c), strict=True)) for c in (one, other)
    )
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_measured_as_wcag_does():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB
SIGHT = {
    "normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]


def lab(colour: str, sight: str) -> list[float]:
    """CIE L*a*b* (D65) of a colour as somebody with this sight sees it."""

    def times(matrix, vector):
        return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]

    seen = [min(1, max(0, part)) for part in times(SIGHT[sight], linear(colour))]
    scaled = [part / white for part, white in zip(times(TO_XYZ, seen), (0.95047, 1, 1.08883), strict=True)]
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in scaled)
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


def apart(one: str, other: str, sight: str) -> float:
    return sum((a - b) ** 2 for a, b in zip(lab(one, sight), lab(other, sight), strict=True)) ** 0.5


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
class TestColours:
    def test_text_can_be_read(self, dark):
        colour = tokens(dark)
        for ground in ("bg", "surface", "sunken"):
            for text in ("ink", "muted", "accent", "end", "good", "warn", "bad"):
                assert contrast(colour[text], colour[ground]) >= 4.5, (text, ground)
        for text, ground in (("accent-ink", "accent"), ("ink", "accent-soft"), ("ink", "end-soft")):
            assert contrast(colour[text], colour[ground]) >= 4.5, (text, ground)

    def test_text_on_chips_can_be_read(self, dark):
        colour = tokens(dark)
        for chip in range(1, 6):
            assert contrast(colour["chip-ink"], colour[f"chip-{chip}"]) >= 7
        assert contrast(colour["chip-special-ink"], colour["chip-special"]) >= 7

    @pytest.mark.parametrize("name", ["accent", "end"])
    def test_numbers_on_any_cell_of_a_matrix_can_be_read(self, dark, name):
        """The cell is a mix of two colours, and the text on it turns at one share."""
        script = (page._HERE / "widgets" / "heattable.js").read_text("utf-8")
        turn = float(re.search(rf"'--be-{name}': \[([\d.]+), ([\d.]+)\]", script)[1 + dark])
        strong, ground = ([int(tokens(dark)[one][i : i + 2], 16) for i in (1, 3, 5)] for one in (name, "surface"))
        for share in (n / 1000 for n in range(1001)):
            mixed = "#" + "".join(
                f"{round(share * a + (1 - share) * b):02x}" for a, b in zip(strong, ground, strict=True)
            )
            text = "#000000" if (share > turn) == dark else "#ffffff"
            assert contrast(text, mixed) >= 4.5, share

    @pytest.mark.parametrize("sight", SIGHT)
    def test_chips_can_be_told_apart(self, dark, sight):
        chips = [tokens(dark)[f"chip-{chip}"] for chip in range(1, 6)]
        assert min(apart(one, other, sight) for one, other in combinations(chips, 2)) >= 19
        assert min(apart(chips[i], chips[(i + 1) % 5], sight) for i in range(5)) >= 27


def test_examples_are_read_from_the_project():
    assert json.dumps(page.examples("texts.json")) != "[]"
