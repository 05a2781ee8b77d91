"""The report of a corpus as one HTML file, opened with no network."""

import pytest

from demo_lib import corpus
from demo_lib.corpus_text import TEXT

LINES = "年假怎么申请？钉钉 2026\n</script><b>hello\nWhat is a token?\n" * 20


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    made = corpus.report_of_text(LINES, ["llama-3.1", "qwen2.5"], split="line")
    path.write_text(corpus.to_html(made), "utf-8")
    return path.as_uri()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_the_page_opens_offline(chromium, report, scheme, width):
    context = chromium.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, offline=True, locale="en"
    )
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(report)
    page.wait_for_selector(".plot .main-svg")
    assert page.locator(".plot .main-svg").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.locator("h1").inner_text() == TEXT["en"]["title"]
    page.click("#language")
    assert page.locator("h1").inner_text() == page.title() == TEXT["zh-CN"]["title"]
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") != scheme
    assert errors == []
    context.close()
