"""The embedding probes tab in Chromium, with a small model of a stand-in Hub: every figure is worked out here too."""

import re

import numpy as np
import pytest

from tests.browser.driving import eventually
from tests.browser.driving_probes import (
    DIM,
    MODEL,
    NORMS,
    ROWS,
    SPARE,
    TOKENS,
    Probes,
    cosine,
    ranked,
    repo,
    row,
)  # fmt: skip

HOSTILE = '<img src=x onerror=alert(1)>"><script>alert(2)</script>${alert(3)}{{value}}'


def seen(token: str) -> str:
    return token if token == "<E9 92>" else token.replace(" ", "·")  # two bytes, as render.piece writes them


def listed(vector, metric: str, k: int, out=()) -> list[tuple[str, float, float]]:
    """What a list must show."""
    best = ranked(vector, metric, out)[:k]
    return [(seen(token), round(score, 3), round(float(NORMS[TOKENS.index(token)]), 3)) for token, score in best]


def close(found: list, wanted: list) -> bool:
    """The same words in the same order, with numbers as they are rounded."""
    same = [row[0] for row in found] == [row[0] for row in wanted]
    return same and np.allclose([row[1:] for row in found], [row[1:] for row in wanted], atol=6e-4)


def shows(get, wanted: list) -> None:
    eventually(lambda: get() if not close(get(), wanted) else "as wanted", "as wanted")


@pytest.fixture(scope="module")
def shared(module_page, hub):
    hub.repos[MODEL] = repo()
    tab = Probes(module_page("probes"))
    tab.page.locator("#probes-table-line .be-tablebar:not([data-state=looking])").wait_for()
    tab.fetch(MODEL)
    return tab


@pytest.fixture
def tab(shared, check_page):
    return shared


def test_a_table_of_the_hub_is_fetched_with_one_click_and_answers(tab):
    line = tab.bar.text_content()
    assert f"{len(ROWS)} rows × {DIM}" in line
    assert MODEL in line
    tab.write("words", "北京")
    for n, metric in enumerate(("cosine", "dot")):
        shows(lambda n=n: (tab.lists() or [[], []])[n], listed(row("北京"), metric, 10, ["北京"]))
    by_cosine, by_dot = tab.lists()
    assert [piece for piece, *_ in by_cosine[:2]] == ["上海", "南京"]
    # dot favours long rows
    assert sum(norm for *_, norm in by_dot) > sum(norm for *_, norm in by_cosine)


def test_several_words_how_many_and_the_third_measure(tab):
    tab.write("words", 'today，" today"; кот, #13')
    eventually(tab.words, ["today", " today", "кот", "北京"])
    tab.slide("k", 3)
    tab.choose("right", "Euclidean distance")
    for n, word in enumerate(["today", " today", "кот", "北京"]):
        shows(lambda n=n: tab.lists(n)[0], listed(row(word), "cosine", 3, [word]))
        shows(lambda n=n: tab.lists(n)[1], listed(row(word), "euclidean", 3, [word]))
    tab.choose("right", "dot product")
    tab.slide("k", 10)
    tab.write("words", f"#{TOKENS.index('<E9 92>')}")
    eventually(tab.near.locator(".be-piece .be-hex").all_text_contents, ["<E9 92>"])  # its space is none of the token
    colours = "block => [block, block.closest('.form')].map(node => getComputedStyle(node).backgroundColor)"
    assert len(set(tab.page.locator("#probes-k").evaluate(colours))) == 1  # no stripe above an input that is lower


def test_a_word_of_several_tokens_says_which_row_answers_and_offers_the_mean(tab):
    tab.write("words", "公园里")
    eventually(tab.words, ["公园里"])
    pieces = tab.near.locator(".be-piece")
    assert [text[:2].strip("0123456789") for text in pieces.all_text_contents()] == ["公园", "里"]
    used = "nodes => nodes.map(n => n.classList.contains('be-final'))"
    assert pieces.evaluate_all(used) == [True, False]
    assert "2 tokens, and only the row of the first, 公园, is looked up" in tab.near.text_content()
    shows(lambda: tab.lists()[0], listed(row("公园"), "cosine", 10, ["公园"]))
    tab.switch("near-mean", True)
    mean = (row("公园") + row("里")) / 2
    shows(lambda: tab.lists()[0], listed(mean, "cosine", 10, ["公园", "里"]))
    assert pieces.evaluate_all(used) == [True, True]
    assert f"norm {np.linalg.norm(mean):.3f}" in tab.near.text_content()
    tab.switch("near-mean", False)


def test_filters(tab):
    tab.write("words", "king")
    variants = [" king", "King", "KING"]
    shows(lambda: tab.lists()[0], listed(row("king"), "cosine", 10, ["king"]))
    assert {seen(word) for word in variants} <= {piece for piece, *_ in tab.lists()[0]}
    tab.switch("hide-variants", True)
    shows(lambda: tab.lists()[0][:5], listed(row("king"), "cosine", 5, ["king", *variants]))
    tab.switch("hide-variants", False)
    tab.choose("script", "Han (Chinese characters)")
    other = [token for token in TOKENS if not re.fullmatch("[一-鿿]+", token)]
    shows(lambda: tab.lists()[0], listed(row("king"), "cosine", 10, other))
    tab.choose("script", "Hebrew")
    eventually(lambda: "No row is left with these filters." in tab.near.text_content(), True)
    tab.choose("script", "any")
    tab.slide("k", 50)
    eventually(lambda: len(tab.lists()[0]), len(TOKENS) - 1)
    tab.switch("hide-special", False)
    eventually(lambda: len(tab.lists()[0]), len(ROWS) - 1)
    spare = {f"[{id}]" for id in range(len(ROWS) - SPARE, len(ROWS))}
    assert {"<eos>", *spare} <= {piece for piece, *_ in tab.lists()[0]}
    tab.switch("hide-special", True)
    tab.slide("k", 10)


def test_a_neighbour_leads_on_by_pointer_and_by_keyboard(tab):
    tab.write("words", "today")
    shows(lambda: tab.lists()[0], listed(row("today"), "cosine", 10, ["today"]))
    tab.near.get_by_role("button", name="Walk on from ·today").first.click()
    eventually(tab.words, [" today"])
    assert tab.field("words").input_value() == '" today"'
    shows(lambda: tab.lists()[0], listed(row(" today"), "cosine", 10, [" today"]))
    tab.near.locator(".be-walk").first.focus()
    tab.page.keyboard.press("Enter")
    eventually(tab.words, [ranked(row(" today"), "cosine", [" today"])[0][0]])
    assert tab.page.evaluate("document.activeElement.classList.contains('be-walk')")


def test_the_heat_map_and_its_pairs_in_words(tab):
    tab.open("Similarity")
    words = ["今天", "明天", "公园", "king", "queen"]
    tab.write("sim-words", ", ".join(words))
    wanted = [[cosine(row(a), row(b)) for b in words] for a in words]
    eventually(lambda: len(tab.matrix()) == 5 and np.allclose(tab.matrix(), wanted, atol=5.1e-3), True)
    pair = tab.heat.locator(".be-pair")
    assert pair.text_content() == f"cos(今天, 明天) = {wanted[0][1]:.3f}"
    tab.heat.locator("tbody td").first.focus()
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("ArrowRight")
    assert pair.text_content() == f"cos(今天, 公园) = {wanted[0][2]:.3f}"
    tab.page.keyboard.press("ArrowDown")
    assert pair.text_content() == f"cos(明天, 公园) = {wanted[1][2]:.3f}"
    assert not tab.heat.locator(".be-heat-more").is_visible()
    about = tab.heat.locator(".be-pair-about").text_content()
    ids = [TOKENS.index(word) for word in ("明天", "公园")]
    assert all(f"{TOKENS[id]} {id}, norm {NORMS[id]:.3f}" in about for id in ids)
    tab.heat.locator("tbody tr").nth(4).locator("td").nth(3).hover()
    assert pair.text_content() == f"cos(queen, king) = {wanted[4][3]:.3f}"
    tab.write("sim-words", "公园里, king")
    norm, mean = NORMS[TOKENS.index("公园")], np.linalg.norm(row("公园") + row("里")) / 2
    said = lambda: (tab.heat.locator(".be-pair-about").text_content() or "").split("  ·  ")[0]  # noqa: E731
    tokens = f"公园 {TOKENS.index('公园')} + 里 {TOKENS.index('里')}"
    eventually(said, f"公园里: tokens {tokens}, of which the first is used, norm {norm:.3f}")
    tab.switch("sim-mean", True)
    eventually(said, f"公园里: mean of {tokens}, norm {mean:.3f}")
    tab.switch("sim-mean", False)


def test_the_heat_map_takes_thirty_words_and_refuses_one_more(tab):
    tab.open("Similarity")
    tab.write("sim-words", ", ".join(f"#{id}" for id in range(30)))
    eventually(lambda: [len(tab.matrix()), len(tab.matrix()[-1])], [30, 30])
    assert np.allclose(tab.matrix(), [[cosine(a, b) for b in ROWS[:30]] for a in ROWS[:30]], atol=5.1e-3)
    many = ", ".join(f"#{id}" for id in range(31))
    tab.refuses("sim-words", many, "heat", "Give 1 to 30 words; here are 31.")
    assert len(tab.matrix()) == 30  # what was there stays


def test_analogies_with_their_runners_up(tab):
    tab.open("Analogies")
    for name, word in zip("abc", ("king", "man", "woman"), strict=True):
        tab.write(name, word)
    start, spellings = row("king") - row("man") + row("woman"), ["king", " king", "King", "KING", "man", "woman"]
    found = lambda: (tab.lists(place="analogy") or [[]])[0]  # noqa: E731
    shows(found, listed(start, "cosine", 10, spellings))
    assert found()[0][0] == "queen"
    assert f"cosine {cosine(start, row('king')):.3f} with king" in tab.page.locator("#probes-analogy").text_content()
    tab.switch("keep", True)
    shows(found, listed(start, "cosine", 10))
    tab.switch("centred", True)
    centre = ROWS[: len(TOKENS) + 1].mean(0)  # of the rows that have a token
    moved = sorted((-cosine(row(t) - centre, start - centre), t) for t in TOKENS)[:10]
    wanted = [(seen(token), -score, NORMS[TOKENS.index(token)]) for score, token in moved]
    shows(found, wanted)
    tab.switch("keep", False)
    tab.switch("centred", False)
    tab.page.locator("#probes-picks").get_by_role("button", name="国王 − 男人 + 女人").click()
    eventually(lambda: tab.words("analogy"), ["国王 − 男人 + 女人"])
    assert [tab.field(name).input_value() for name in "abc"] == ["国王", "男人", "女人"]
    tab.refuses("b", "", "analogy", "Write a word for − b: a − b + c takes three.")
    tab.write("b", "男人")
    eventually(lambda: tab.note("analogy"), "")
    best = found()[0][0]
    tab.page.locator("#probes-analogy .be-walk").first.click()
    eventually(lambda: (tab.words(), tab.near.is_visible()), ([best.replace("·", " ")], True))


def test_the_map_by_components_and_along_named_axes(tab):
    tab.open("Map")
    words = ["king", "queen", "man", "woman", "北京", "上海"]
    tab.write("map-words", ", ".join(words))
    vectors = np.stack([row(word) for word in words])
    centred = vectors - vectors.mean(0)
    values, lines = np.linalg.eigh(centred.T @ centred)
    share = values[::-1][:2] / values.sum()
    places = np.abs(centred @ lines[:, ::-1][:, :2])  # which way a component points is free
    found = lambda: np.abs([tab.points().get(word, (9, 9)) for word in words])  # noqa: E731
    eventually(lambda: len(tab.points()) == 6 and np.allclose(found(), places, atol=6e-4), True)
    assert f"{100 * share[0]:.0f}% of the variance" in tab.map.text_content()
    assert f"{100 * share[1]:.0f}% along y" in tab.map.text_content()
    tab.write("map-x", "man-woman")
    eventually(lambda: tab.note("map"), "Name each of the two axes by two words.")
    tab.refuses(
        "map-y",
        "今天-北京-x",
        "map",
        "“今天-北京-x” has more than one dash: put spaces around the one "
        "between the two words, as in well-known - new.",
    )
    tab.write("map-y", f'"今天"－#{TOKENS.index("北京")}')
    axes = [(row("man"), row("woman")), (row("今天"), row("北京"))]
    along = [[(v - a) @ (b - a) / ((b - a) @ (b - a)) for a, b in axes] for v in vectors]
    eventually(lambda: np.allclose([tab.points()[word] for word in words], along, atol=6e-4), True)
    between = cosine(*(b - a for a, b in axes))
    assert f"The two axes have cosine {between:.2f}" in tab.map.text_content()
    tab.write("map-x", "")
    tab.write("map-y", "")
    tab.slide("map-near", 2)
    near = {seen(token) for word in words for token, _ in ranked(row(word), "cosine", [word])[:2]}
    eventually(lambda: set(tab.points()), near | set(words))
    chosen = tab.map.locator(".be-point:not(.be-near-point)")
    assert chosen.locator("text:not(.be-crowded)").count() == len(words)  # their labels come first
    chosen.first.focus()
    tab.page.keyboard.press("ArrowRight")
    info = tab.map.locator(".be-point-info").text_content()
    assert info.startswith(f"queen · id {TOKENS.index('queen')} · norm {NORMS[TOKENS.index('queen')]:.3f} · ")
    tab.slide("map-near", 0)


def test_lookup_is_one_hot_times_table(tab):
    tab.open("Lookup")
    tab.write("ids", "5, 12 5")
    tab.page.locator("#probes-hot").click()
    n = len(ROWS)
    eventually(lambda: tab.facts("hot-facts").get("one-hot × table"), f"[3, {n}] × [{n}, {DIM}] = [3, {DIM}]")
    facts = tab.facts("hot-facts")
    assert facts["the ids"] == "5, 12, 5"
    assert facts["multiplications"] == f"{3 * n * DIM:,}"
    assert facts["share of them that multiply by zero"] == f"{100 - 100 / n:.5f}%"
    assert facts["the two results are"] == "the same to the last bit"
    assert all(re.fullmatch(r"[\d,.]+ ms", facts[f"the {what} took"]) for what in ("product", "lookup"))
    for ids, start in (("-5", "Token ids are whole"), ("999999999", f"{MODEL} has the rows 0"), ("", "Token ids are")):
        tab.write("ids", ids)
        tab.page.locator("#probes-hot").click()
        eventually(lambda start=start: tab.note("hot-facts")[: len(start)], start)


@pytest.mark.parametrize(
    ("expression", "c", "x"),
    [("C[5]", "[27, 2]", "[1, 6]"), ("C[5:6]", "27 x 2", "[1, 6]"), ("C[X]", "[27, 2]", "[32, 3]"),
     ("C[X, 0]", "[9, 4, 5]", "[2, 2]"), ("C[None, -1]", "[27, 2]", "[]")],
)  # fmt: skip
def test_the_shape_of_an_index(tab, expression, c, x):
    tab.open("Lookup")
    table = np.zeros([int(n) for n in re.findall(r"\d+", c)])
    array = np.zeros([int(n) for n in re.findall(r"\d+", x)], int)
    wanted = {name: str(list(eval(name, {"C": table, "X": array}).shape)) for name in (expression, "C[5]", "C[X]")}
    for name, text in (("index", expression), ("c-shape", c), ("x", x)):
        tab.write(name, text)
    shown = lambda: {name: tab.facts("shape").get(f"shape of {name}") for name in wanted}  # noqa: E731
    eventually(shown, wanted)


def test_the_ruler(tab):
    tab.open("The ruler")
    ruler = tab.page.locator("#probes-ruler")
    fields = [ruler.get_by_label(name, exact=True) for name in ("a, x", "a, y", "b, x", "b, y")]
    value = lambda key: tab.facts("ruler")[key]  # noqa: E731
    ruler.get_by_role("button", name="(1, 1) · (10, 10)").click()
    assert (value("dot product a · b"), value("cosine")) == ("20.00", "1.000")
    for field, text in zip(fields, ("3", "4", "-4", "3"), strict=True):
        field.fill(text)
    assert (value("dot product a · b"), value("angle"), value("length of a")) == ("0.00", "90.0°", "5.000")
    fields[0].fill("1e9")
    assert "Type a number" in ruler.locator(".be-ruler-wrong").text_content()
    fields[3].fill("6")
    assert fields[0].input_value() == "1e9"  # stays as typed
    assert value("dot product a · b") == "12.00"
    fields[0].fill("3")
    assert not ruler.locator(".be-ruler-wrong").text_content()
    grip = ruler.get_by_role("slider", name="tip of vector a")
    grip.focus()
    grip.press("ArrowUp")
    assert float(fields[1].input_value()) > 4
    ruler.get_by_role("button", name="(1, 1) · (2, 2)").click()
    box, tip = ruler.locator("svg").bounding_box(), grip.locator("circle").last.bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    from_ = [tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2]
    tab.page.mouse.move(*from_)
    tab.page.mouse.down()
    tab.page.mouse.move(2 * middle[0] - from_[0], from_[1])  # to the other side of the upright axis
    tab.page.mouse.up()
    assert [float(field.input_value()) for field in fields[:2]] == pytest.approx([-1, 1], abs=0.05)
    assert abs(float(value("cosine"))) < 0.05
    assert "–" not in tab.facts("ruler").values()
    ruler.get_by_role("button", name="(1, 1) · (1, 1)").click()
    tip = grip.locator("circle").last.bounding_box()
    for by, moved in ((13 * box["width"] / 440, 0), (0, 2)):  # the ring around is a's, what lies within b's
        ruler.get_by_role("button", name="(1, 1) · (1, 1)").click()
        at = [tip["x"] + tip["width"] / 2 + by, tip["y"] + tip["height"] / 2]
        tab.page.mouse.move(*at)
        tab.page.mouse.down()
        tab.page.mouse.move(at[0] - 60, at[1])
        tab.page.mouse.up()
        still = [float(field.input_value()) for field in fields][2 - moved : 4 - moved]
        assert still == [1, 1]
        assert float(fields[moved].input_value()) < 1


def test_how_many_points_can_be_equally_far_apart(tab):
    tab.open("The ruler")
    for d in (3, 1, 26):
        tab.slide("d", d)
        space = "1 dimension" if d == 1 else f"{d} dimensions"
        key = f"points that can all be equally far apart in {space}, at most"
        eventually(lambda key=key: tab.facts("equal").get(key), str(d + 1))
    circles = tab.page.locator("#probes-crowd circle")
    eventually(circles.count, 27)
    facts = [*tab.facts("crowd").values()]
    assert facts[:2] == ["1.4142 · 0", "26"]
    points = np.array(circles.evaluate_all("nodes => nodes.map(n => [n.cx.baseVal.value, n.cy.baseVal.value])"))
    far = np.linalg.norm(points[:, None] - points, axis=-1)[np.triu_indices(27, 1)]
    assert far.min() / far.max() == pytest.approx(float(facts[2]), abs=2e-3)
    assert float(facts[2]) > 0.2  # a triangular grid's best piece has less


def test_the_facts_of_a_table(tab):
    tab.open("Table facts")
    eventually(lambda: tab.facts("facts").get("rows"), str(len(ROWS)))
    facts = tab.facts("facts")
    assert (facts["numbers in a row"], facts["rows without a token"]) == (str(DIM), str(SPARE))
    mean, error = map(float, facts["mean cosine of 20,000 random pairs of rows, with its standard error"].split(" ± "))
    named = ROWS[: len(ROWS) - SPARE]
    cosines = np.array([[cosine(a, b) for b in named] for a in named])[np.triu_indices(len(named), 1)]
    assert abs(mean - cosines.mean()) < 5 * error
    assert error == pytest.approx(cosines.std() / 20_000**0.5, rel=0.1)
    box = tab.page.locator("#probes-facts")
    lists = box.locator(".be-near").evaluate_all(
        "boxes => boxes.map(b => [...b.querySelectorAll('tr')].map(tr => "
        "[+tr.querySelector('.be-id').textContent, +tr.cells[1].textContent]))"
    )
    order = np.argsort(NORMS)
    for found, ids in zip(lists, (order[::-1][:12], order[:12]), strict=True):
        assert [id for id, _ in found] == ids.tolist()
        assert np.allclose([norm for _, norm in found], NORMS[ids], atol=6e-4)
    box.locator("summary").click()
    bins = box.locator(".be-bins tr").evaluate_all(
        "rows => rows.map(r => [...r.cells].slice(1).map(c => +c.textContent))"
    )
    assert np.sum(bins, axis=0).tolist() == [len(ROWS) - SPARE, SPARE]
    legend = box.locator("p:has(.be-swatch)").text_content()
    assert legend == "rows with a tokenrows without a token"
    # among random rows are no copies
    eventually(lambda: [*tab.facts("copies").values()], ["0", "0"])
    assert f"stands for {np.sum(bins, axis=1).max()} rows" in box.locator(".be-most").text_content()


def test_what_is_no_word_is_refused_in_one_sentence_and_hostile_text_stays_text(tab):
    tab.open("Neighbours")
    last = len(ROWS) - 1
    tab.refuses("words", "#999999999", "near", f"{MODEL} has the rows 0 to {last}: use ids from that range.")
    tab.refuses("words", " , ，", "near", "Write a word to look up.")
    long = "“" + "x" * 20 + "…” has 2,000 characters, and a word here has 200 at the most: shorten it."
    tab.refuses("words", "x" * 2000, "near", long)
    half = "(n) => { n.value = 'a\\ud800'; n.dispatchEvent(new Event('input', { bubbles: true })); }"
    tab.field("words").evaluate(half)
    eventually(lambda: tab.note("near")[:36], "Character 2 of the text is U+D800, h")
    tab.write("words", HOSTILE)
    eventually(tab.words, [HOSTILE])
    for name, place in (("Similarity", "sim-words"), ("Map", "map-words")):
        tab.open(name)
        tab.write(place, f"{HOSTILE}, king")
    eventually(lambda: [label[:4] for label in tab.points()], ["<img", "king"])
    assert tab.page.locator("#tab-probes :is(img[src=x], script)").count() == 0
    tab.open("Neighbours")


def test_a_phone_in_chinese(open_page, shared):
    page = open_page("probes", lang="zh-CN", theme="dark", width=390, has_touch=True)
    tab = Probes(page)
    page.locator("#probes-table-line .be-tablebar:not([data-state=looking])").wait_for()
    tab.fetch(MODEL)
    tab.write("words", "北京, 公园里")
    eventually(tab.words, ["北京", "公园里"])
    assert "2 个 token，只查了第一个（公园）的那一行" in tab.near.text_content()
    tab.refuses("words", "#999", "near", f"{MODEL} 的行号是 0 到 {len(ROWS) - 1}：请使用这个范围内的 id。")
    for name in ("相似度", "类比", "地图", "查表", "直尺", "表的概况"):
        tab.open(name)
        page.wait_for_function("![...document.querySelectorAll('#tab-probes .be-loading')].some(n => n.offsetParent)")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        if name == "相似度":
            more = tab.heat.locator(".be-heat-more")
            assert "共 10 列" in more.text_content()
            assert more.is_visible()
            scroll = tab.heat.locator(".be-scroll")
            assert "be-fades" in scroll.get_attribute("class")
            scroll.evaluate("node => { node.scrollLeft = node.scrollWidth; }")
            eventually(lambda scroll=scroll: "be-fades" in scroll.get_attribute("class"), False)
        if name == "地图":
            point = tab.map.locator(".be-point").first
            point.scroll_into_view_if_needed()
            place = point.locator("circle").bounding_box()
            page.touchscreen.tap(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
            info = tab.map.locator(".be-point-info").text_content()
            assert info == point.get_attribute("aria-label")
            size = tab.map.locator(".be-point text").first.evaluate("n => n.getBoundingClientRect().height")
            assert size >= 14  # letters keep their size on a narrow page
    tab.open("近邻")
    assert tab.field("words").input_value() == "#999"
    page.get_by_role("button", name="English").click()
    eventually(lambda: tab.note("near"), f"{MODEL} has the rows 0 to {len(ROWS) - 1}: use ids from that range.")
    assert tab.field("words").input_value() == "#999"
