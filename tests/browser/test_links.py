"""Links in Chromium: made by hand, made by the app, hostile ones; Share and its QR code; a lesson from both sides."""

import io
import json
import random
import re
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest

import app as application
from demo_lib import link
from demo_lib.tabs import page as house
from demo_lib.tabs.text.lesson import TEXT
from tests.browser.conftest import serving, watched
from tests.browser.driving import eventually
from tests.names_lists import WORDS
from tests.test_link import BOMBS, HOSTILE, other

ROOMS = [house.room(tab) for tab in application.TABS if tab is not application.lessons]  # which has no inputs
SETTLED = "!document.documentElement.classList.contains('be-mounting')"
# What each input that is drawn shows, by name: {name: value}; a choice by its value, not by its words
SHOWN = """room => {
    const config = window.gradio_config, words = config.i18n_translations[window.__lang], shown = {};
    const said = label => String(label).startsWith('__i18n__') ? words[JSON.parse(label.slice(8)).key] : String(label);
    const text = 'textarea:not(.be-content), input[type=number], input[type=text], input:not([type])';
    for (const [name, id, elem, , prop] of bothEnds.parts()[room]) {
        const node = document.getElementById(elem), props = config.components.find(one => one.id === id).props;
        const choices = props.choices;
        if (!node || !prop) continue;
        const value = (label) => (choices?.find(one => said(one[0]) === label) ?? [0, label])[1];
        const field = node.querySelector(text), box = node.querySelector('input[type=checkbox]');
        const radio = node.querySelector('input[type=radio]:checked');
        const tab = node.querySelector(':scope > .tab-wrapper [aria-selected=true]');
        if (prop === 'selected') shown[name] = tab?.dataset.tabId;
        else if (node.querySelector('.be-chat, .be-ruler')) continue;
        else if (radio) shown[name] = radio.value;
        else if (box) shown[name] = box.checked;
        else if (props.multiselect)
            shown[name] = [...node.querySelectorAll('.token span')].map(one => value(one.textContent.trim()));
        else if (field) shown[name] = choices ? value(field.value) : field.value;
    }
    return shown;
}"""
HELD = "bothEnds.present().values"
OPEN = "document.querySelector('#tabs > .tab-wrapper [aria-selected=true]')?.dataset.tabId"


@pytest.fixture(scope="module")
def links():
    return house.build(application.TABS).links


def visit(opener, context, address: str):
    """Another page of a context, when all of it is there; a page that is left for another makes Gradio log an error."""
    page = context.new_page()
    opener.watch.on(page)
    page.goto(address)
    page.wait_for_function(SETTLED)
    return page


def note(page) -> str:
    return " ".join(page.locator("#header .be-link-note:visible").all_inner_texts())


def as_text(value: object) -> object:
    return value if isinstance(value, bool | list) else f"{value:g}" if isinstance(value, float) else str(value)


def test_every_tab_opens_as_a_link_made_by_hand_says(open_page, links):
    """In one language each, by turns; half of them as a person would type them, half packed."""
    context = open_page(lang="en").context
    for room in ROOMS:
        inputs = {name: kind for name, kind in links.rooms[room].inputs.items() if name not in ("pasted", "view")}
        wanted = {name: other(kind, None) for name, kind in inputs.items()}
        if room == "params":  # whose changes those are; of another model they would begin anew
            wanted["what_begun"] = wanted["what_model"]
        views = links.rooms[room].inputs.get("view")
        wanted |= {"view": views.values[len(views.values) // 2]} if views else {}
        short = {name: text for name, value in wanted.items() if (text := link.plain(value)) is not None}
        packed = {"z": link.pack({name: value for name, value in wanted.items() if name not in short})}
        query = urlencode(short | packed) if room in ROOMS[::2] else f"z={link.pack(wanted)}"
        lang = house.LANGUAGES[ROOMS.index(room) // 2 % 2]
        page = visit(open_page, context, f"{open_page.app}/?tab={room}&{query}&lang={lang}")
        assert page.evaluate(OPEN) == room
        assert page.evaluate("document.documentElement.lang") == lang
        assert note(page) == ""
        shown = page.evaluate(SHOWN, room)
        assert len(shown) >= 2
        for name, value in shown.items():
            assert as_text(value) == as_text(wanted[name]), (room, name)
        page.close()


def act(page, room: str) -> None:
    """Something that a visitor does in this tab."""
    page.locator("#tabs > .tab-wrapper").get_by_role("tab", name=words(room)).click()
    tab = page.locator(f"#tab-{room}")
    match room:
        case "tokens":
            page.locator("#tokens-text textarea").fill("钉钉 & <b>审批</b>\n第二行")
            page.locator("#tokens-bos input").check()
            page.locator("#tokens-board .be-chip").nth(2).click()
        case "chat":
            page.locator("#chat-messages textarea.be-content").first.fill("年假 <i>怎么</i>申请？")
        case "probes":
            page.locator("#probes-words :is(input, textarea)").fill("上海")
            tab.get_by_role("tab", name="Ruler").click()
        case "params":
            tab.get_by_role("tab", name="Your text").click()
            page.locator("#params-text textarea").fill("钉钉审批" * 60)
            tab.get_by_role("tab", name="What if").click()
        case "vocabulary":
            tab.get_by_role("tab", name="Search").click()
            page.locator("#vocabulary-query :is(input, textarea)").fill("请 & 问")
        case "corpus":
            page.locator("#corpus-split input").click()
            page.get_by_role("option").nth(1).click()
        case "names":
            page.locator("#names-name :is(input, textarea)").fill("olivia")
        case "parrot":
            page.locator("#parrot-text :is(input, textarea)").fill("今天")
            page.locator("#parrot-cosine input").check()


CHANGED = {
    "tokens": ["text", "bos", "piece"],
    "chat": ["messages"],
    "probes": ["words", "view"],
    "params": ["text", "view"],
    "vocabulary": ["query", "view"],
    "corpus": ["split"],
    "names": ["name"],
    "parrot": ["text", "cosine"],
}


def words(room: str) -> str:
    return next(tab for tab in application.TABS if house.room(tab) == room).TEXT["en"]["tab"]


@pytest.fixture(scope="module")
def made(chromium, app):
    """(room, address, what is shown there, what a link holds) after each step of a visitor through all tabs."""
    with_watch = watched(chromium, app)
    opener = next(with_watch)
    page, steps = opener("tokens"), []
    page.wait_for_function(SETTLED)
    for room in ROOMS:
        act(page, room)
        for name in CHANGED[room]:
            page.wait_for_function(f"name => name in {HELD}", arg=name)
        # the address is written when nothing has changed for a moment
        eventually(lambda: page.evaluate("bothEnds.query().then(({query}) => location.search === `?${query}`)"), True)
        steps.append((room, page.url, page.evaluate(SHOWN, room), page.evaluate(HELD)))
    yield steps
    next(with_watch, None)


def test_the_address_follows_and_opens_the_same_page(made, open_page):
    """In the other language."""
    context = open_page(lang="zh-CN").context
    for room, address, shown, held in made:
        assert address.count("\n") == 0
        page = visit(open_page, context, address)
        assert page.evaluate(OPEN) == room
        # of the tabs inside, only the one that is shown is drawn
        eventually(lambda page=page, room=room, shown=shown: page.evaluate(SHOWN, room).items() <= shown.items(), True)
        assert page.evaluate(HELD) == held
        assert note(page) == ""
        page.close()
    first, last = (parse_qs(urlsplit(made[i][1]).query, keep_blank_values=True) for i in (0, -1))
    assert first["text"] == ["钉钉 & <b>审批</b>\n第二行"]
    assert first["bos"] == ["1"]
    assert "piece" in first
    assert {name.split(".")[0] for name in last if "." in name} >= {"tokens", "probes", "vocabulary", "names"}


def test_a_link_outlives_the_server(made, chromium):
    room, address, *_ = made[-1]
    with serving(HF_ENDPOINT="http://127.0.0.1:9") as (again, _):
        opener = watched(chromium, again)
        open_page = next(opener)
        page = visit(open_page, open_page().context, f"{again}/?{urlsplit(address).query}")
        assert page.evaluate(OPEN) == room
        assert page.locator("#parrot-text :is(input, textarea)").input_value() == "今天"
        page.locator("#tabs > .tab-wrapper").get_by_role("tab", name=words("tokens")).click()
        eventually(page.locator("#tokens-text textarea").input_value, "钉钉 & <b>审批</b>\n第二行")
        eventually(page.locator("#tokens-board .be-echo").inner_text, "钉钉 & <b>审批</b>\n第二行")
        next(opener, None)


HUGE = {
    "steps": "1e300",
    "rate": "-1e300",
    "hidden": "-5",
    "block": "99999999999999999999",
    "seed": "nan",
    "dim": "0x10",
}
BAD = {
    "100 kB": "tab=tokens&text=here&" + "z=" + "A" * 100_000,
    "100 kB of fields": "tab=tokens&text=here&" + "&".join(f"k{i}={i}" for i in range(9_000)),
    "zip bomb": f"tab=tokens&text=here&z={BOMBS['large']}",
    "deep": f"tab=tokens&text=here&z={BOMBS['deep']}",
    "cut": f"tab=tokens&text=here&z={link.pack({'ids': '1 2 3' * 99})[:20]}",
    "script in every field": "tab=tokens&text=here&"
    + "&".join(
        f"{name}={quote(HOSTILE)}" for name in ("models", "bos", "view", "x", "__proto__", "probes.k", "lesson", "step")
    ),
    "numbers": "tab=names&name=here&view=training&" + urlencode(HUGE),
    "unknown keys": "tab=tokens&text=here&nope=1&tokens.nope=2&nope.text=3",
    "another version": f"tab=tokens&text=here&z={link.pack({'v': 99, 'ids': '5'})}",
    "a lesson of nonsense": f"tab=tokens&text=here&z={link.pack({'lesson': {'pages': [{'tab': HOSTILE}]}})}",
}


@pytest.mark.parametrize("lang", ["en", "zh-CN"])
def test_hostile_links_end_in_the_page_and_a_sentence(open_page, lang):
    context = open_page(lang=lang).context
    for name, query in [*BAD.items()][:: 1 if lang == "en" else 5]:
        page = visit(open_page, context, f"{open_page.app}/?{query}")
        key = "no_lesson" if name == "script in every field" else "partly"
        assert note(page) == TEXT[lang][key], name
        field = page.locator("#names-name :is(input, textarea), #tokens-text textarea").first
        if name == "numbers":
            shown = page.evaluate(SHOWN, "names")
            assert [shown[one] for one in ("steps", "rate", "hidden", "block", "seed", "dim")] == [
                *("20000", "0.0001", "1", "8", "0", "2")
            ]
        else:
            assert field.input_value() == "here", name
        page.close()


# Share


def test_share_copies_the_link_and_shows_a_code_that_phones_read(open_page):
    zxing = pytest.importorskip("zxingcpp")
    image = pytest.importorskip("PIL.Image")
    page = open_page(lang="zh-CN", permissions=["clipboard-read", "clipboard-write"], query={"__theme": "dark"})
    page.wait_for_function(SETTLED)
    page.locator("#tokens-text textarea").fill("钉钉审批")
    page.wait_for_function(f"'text' in {HELD}")
    share = page.locator(".be-share-button")
    share.focus()
    page.keyboard.press("Enter")
    address = page.locator("#share-link").input_value()
    fields = parse_qs(urlsplit(address).query)
    assert fields == {"tab": ["tokens"], "text": ["钉钉审批"], "v": ["1"]}  # neither theme nor what a frame adds
    eventually(lambda: page.evaluate("navigator.clipboard.readText()"), address)
    code = page.locator(".be-qr svg")
    code.wait_for()
    assert code.bounding_box()["width"] >= 450
    (found,) = zxing.read_barcodes(image.open(io.BytesIO(code.screenshot())))
    assert found.text == address
    page.keyboard.press("Escape")
    eventually(lambda: page.evaluate("document.activeElement.className"), "be-tool be-share-button")
    assert page.locator("dialog").count() == 0
    page.evaluate("navigator.clipboard.writeText('other'); navigator.clipboard.writeText = () => Promise.reject(); 0")
    share.click()
    eventually(lambda: page.evaluate("navigator.clipboard.readText()"), address)


def test_what_a_link_cannot_hold_is_said(open_page, tmp_path):
    page = open_page("names", lang="en", permissions=["clipboard-write"])
    page.wait_for_function(SETTLED)
    page.locator("#names-other .label-wrap").click()
    (tmp_path / "mine.txt").write_text("\n".join(WORDS))
    with page.expect_file_chooser() as chooser:
        page.locator("#names-upload").click()
    chooser.value.set_files(tmp_path / "mine.txt")
    page.locator("#names-list").get_by_text("mine.txt").wait_for()
    page.locator("#tabs > .tab-wrapper").get_by_role("tab", name=words("tokens")).click()
    page.locator("#tokens-text textarea").fill("".join(chr(random.randrange(0x4E00, 0x9FA5)) for _ in range(3_000)))
    page.wait_for_function(f"'text' in {HELD}")
    page.locator(".be-share-button").click()
    said = page.locator("dialog")
    said.get_by_text(TEXT["en"]["uploaded"]).wait_for()
    said.get_by_text(re.compile("too many for a QR code")).wait_for()
    assert said.locator("svg").count() == 0


def test_inside_a_frame_of_a_space_its_page_is_told(open_page, app):
    page = open_page()
    page.goto(f"{app}/gradio_api/app_id")  # any answer of the same host
    page.evaluate(
        """address => { window.told = []; window.postMessage = (...all) => { told.push(all); };
            const frame = document.createElement('iframe'); frame.src = address; frame.width = 1000; frame.height = 800;
            document.body.replaceChildren(frame); }""",
        f"{app}/?tab=tokens&text=a",
    )
    frame = page.frames[1]
    frame.wait_for_function(SETTLED)
    frame.locator("#tokens-text textarea").fill("b")
    page.wait_for_function("told.some(([one]) => one.queryString)")
    message, target = page.evaluate("told.find(([one]) => one.queryString)")
    assert message == {"queryString": "tab=tokens&text=b&v=1", "hash": ""}
    assert target == "https://huggingface.co"
    open_page.watch.faults[:] = [fault for fault in open_page.watch.faults if "AbortError" not in fault]


# Lessons


def test_a_teacher_prepares_and_a_student_follows(open_page):
    teacher = open_page(lang="en", permissions=["clipboard-write"])
    teacher.wait_for_function(SETTLED)
    panel = teacher.locator(".be-panel")
    teacher.locator(".be-prepare-button").click()
    panel.get_by_label("Title").fill("Pieces <b>& bytes</b>")
    teacher.locator("#tabs > .tab-wrapper").get_by_role("tab", name=words("chat")).click()
    panel.get_by_role("button", name="Add the page as it is now").click()
    teacher.locator("#tabs > .tab-wrapper").get_by_role("tab", name=words("tokens")).click()
    teacher.locator("#tokens-text textarea").fill("𠮷")
    teacher.wait_for_function(f"'text' in {HELD}")
    panel.get_by_role("button", name="Add the page as it is now").click()
    panel.get_by_role("button", name="Move step 2 up").click()
    step = panel.locator("details[open]")
    step.get_by_label("For the class").fill("A rare character.\n<img src=x onerror=alert(1)>")
    step.get_by_role("button", name="Add a question").click()
    step.get_by_label("Question").fill("How many?")
    step.get_by_label("Covers").select_option("board")
    step.locator(".be-part", has_text="Your text").locator("select").select_option("lock")
    step.locator(".be-part", has_text="Open a tokenizer.json").locator("select").select_option("hide")
    panel.get_by_role("button", name="Share the lesson").click()
    address = teacher.locator("#share-link").input_value()
    teacher.locator(".be-qr svg").wait_for()
    assert "step" not in address

    phone = open_page.chromium.new_context(
        locale="zh-CN", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    open_page.contexts.append(phone)
    student = visit(open_page, phone, address)
    lesson = student.locator(".be-lesson")
    assert lesson.get_by_role("heading").inner_text() == "Pieces <b>& bytes</b>"
    assert "<img src=x onerror=alert(1)>" in lesson.inner_text()
    assert "第 1 步，共 2 步" in lesson.inner_text()
    assert student.locator("#tabs > .tab-wrapper [role=tab]").count() == 1
    assert student.locator("#tokens-text textarea").is_disabled()
    assert student.locator("#tokens-upload").evaluate("node => getComputedStyle(node).visibility") == "hidden"
    board = student.locator("#tokens-board")
    board.locator(".be-column").first.wait_for(state="attached")
    assert not board.locator(".be-sentence").is_visible()
    reveal = student.get_by_role("button", name=TEXT["zh-CN"]["reveal"])
    assert reveal.is_disabled()
    student.get_by_label(TEXT["zh-CN"]["guess"]).fill("<b>三个</b>")
    student.keyboard.press("Tab")
    student.keyboard.press("Enter")
    board.locator(".be-sentence").wait_for()
    assert board.locator(".be-guess-said").inner_text() == "<b>三个</b>"
    assert student.evaluate("document.documentElement.scrollWidth") == 360
    assert quote("三个") not in student.url
    student.get_by_role("link", name=TEXT["zh-CN"]["next"]).tap()
    student.locator("#chat-prompts .be-table").first.wait_for()
    assert "第 2 步，共 2 步" in lesson.inner_text()
    assert student.evaluate("document.documentElement.scrollWidth") == 360
    student.get_by_role("link", name=TEXT["zh-CN"]["back"]).tap()
    board.locator(".be-sentence").wait_for()  # the guess is still known in this browser
    student.get_by_role("button", name=TEXT["zh-CN"]["leave"]).tap()
    student.wait_for_function("location.search.startsWith('?tab=tokens&text=')")
    student.wait_for_function(SETTLED)
    assert student.locator("#tokens-text textarea").input_value() == "𠮷"
    assert student.locator("#tokens-text textarea").is_enabled()
    assert student.locator(".be-lesson").is_hidden()
    open_page.watch.faults[:] = [f for f in open_page.watch.faults if not re.search("AbortError|Connection errored", f)]


def test_a_ready_lesson_speaks_both_languages(open_page):
    page = open_page(lang="en", query={"lesson": "who-pays", "step": "1"})
    page.wait_for_function(SETTLED)
    raw = json.loads((house._EXAMPLES / "lessons" / "who-pays.json").read_text("utf-8"))
    for lang in ("en", "zh-CN"):
        page.locator(f".be-lang button[lang='{lang}']").click()
        heading = page.locator(".be-lesson h2")
        eventually(heading.inner_text, raw["title"][lang])
        eventually(page.locator(".be-asked").inner_text, raw["pages"][0]["ask"][0]["text"][lang])
    assert not page.locator("#tokens-board .be-sentence").is_visible()
    page.locator(".be-prepare-button").click()
    assert page.locator(".be-panel .be-step").count() == 2
