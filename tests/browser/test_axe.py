"""axe-core on every tab: nothing that it calls serious or critical (WCAG 2.2 A and AA).

With BOTH_ENDS_AXE=all also on every inner tab and in both looks, which takes five minutes more.
"""

import os
from pathlib import Path

import axe_playwright_python
import pytest

import app as application
from demo_lib.tabs import page as house

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
RUN = """async () => {
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const found = await axe.run(document, { resultTypes: ['violations'], runOnly: { type: 'tag', values } });
    return found.violations.filter((one) => ['serious', 'critical'].includes(one.impact)).flatMap((one) =>
        one.nodes.map((node) => [one.id, node.html.slice(0, 150), node.failureSummary]));
}"""
ROOMS = [house.room(tab) for tab in application.TABS]
LOOKS = [{"lang": "en", "theme": "light", "width": 1280}, {"lang": "zh-CN", "theme": "dark", "width": 390}]
BUSY = "[data-state=loading], [data-state=looking], [aria-busy=true]"


def settle(page) -> None:
    page.wait_for_timeout(400)
    page.wait_for_function(f"!document.querySelector('{BUSY}')?.getClientRects().length")


ALL = os.environ.get("BOTH_ENDS_AXE") == "all"


@pytest.mark.parametrize("number", range(len(ROOMS) * (1 + ALL)))
def test_nothing_serious(open_page, number):
    """Half of the tabs in the one look and half in the other."""
    room = ROOMS[number % len(ROOMS)]
    page = open_page(room, **LOOKS[(number + number // len(ROOMS)) % 2])
    page.locator(f"#tab-{room} .be-intro").first.wait_for()
    settle(page)
    page.evaluate(AXE)
    inner = page.locator(f"#tab-{room} .be-inner button[role=tab]:visible")
    for i in range(max(1, inner.count()) if ALL else 1):
        if i:
            inner.nth(i).click()
            settle(page)
        assert page.evaluate(RUN) == [], f"{room}, inner tab {i}"
