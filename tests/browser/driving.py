"""The app's tabs by what a visitor does and sees, for the tests beside this file."""

import re
import time

from demo_lib.encoding import is_whole
from demo_lib.render import piece, visible

PATIENCE = 20  # seconds
ROWS = "nodes => nodes.map(n => [n.textContent, n.getAttribute('aria-label'), [...n.classList]])"


def eventually(get, wanted, patience: float = PATIENCE) -> None:
    """Wait until `get()` is `wanted`; the failure says what it was last."""
    end = time.monotonic() + patience
    while (found := get()) != wanted and time.monotonic() < end:
        time.sleep(0.05)
    assert found == wanted


def piece_seen(data: bytes) -> str:
    """What the chip of a token must show: render.visible's signs and names, and bytes of no character in hex."""
    parts = re.split(r"<((?:[0-9A-F]{2} ?)+)>", piece(data)) if not is_whole(data) else [data.decode()]
    seen = (part if i % 2 else "".join(map(visible, part)) for i, part in enumerate(parts))
    return re.sub(r"\[([\w+]+)\]", r"\1", "".join(seen))  # the chip draws a box round a name instead of brackets


class Tokens:
    """The tokenizers tab."""

    def __init__(self, page) -> None:
        self.page = page
        self.box = page.locator("#tokens-text textarea")
        self.board = page.locator("#tokens-board")
        self.models = page.locator("#tokens-models")
        self.lists = self.board.locator(".be-list")
        self.lists.first.wait_for()

    def write(self, text: str) -> None:
        """Put a text into the box at once, as pasting does, and wait until the board shows it."""
        self.box.fill(text)
        self.shows(text)

    def shows(self, text: str) -> None:
        eventually(self.shown, text)

    def shown(self) -> str:
        """The text that the board is about, as its line above the columns has it."""
        return self.page.evaluate("document.querySelector('#tokens-board .be-echo')?.textContent ?? ''")

    def chips(self, column: int, board: str = "#tokens-board") -> list:
        """[text, label, classes] of each chip of a column."""
        return self.page.locator(f"{board} .be-column").nth(column).locator(".be-chip").evaluate_all(ROWS)

    def ids(self, column: int, board: str = "#tokens-board") -> list[int]:
        return [int(re.search(r"id (\d+)$", label)[1]) for _, label, _ in self.chips(column, board)]

    def labels(self) -> list[str]:
        return self.board.locator(".be-column h3").all_text_contents()

    def figures(self, column: int) -> dict[str, str]:
        rows = self.board.locator(".be-column").nth(column).locator(".be-figures > div")
        return dict(rows.evaluate_all("rows => rows.map(r => [...r.children].map(c => c.textContent))"))

    def sentence(self) -> str:
        return self.board.locator(".be-sentence").text_content()

    def info(self) -> str:
        return self.board.locator(".be-info").text_content()

    def column(self, name: str):
        return self.board.locator(".be-column").filter(has=self.page.get_by_role("heading", name=name, exact=True))

    def lit(self, column: int) -> list[str]:
        return self.board.locator(".be-column").nth(column).locator(".be-chip.be-lit").all_text_contents()

    def marked(self) -> str | None:
        return self.page.evaluate("document.querySelector('#tokens-board .be-echo mark')?.textContent ?? null")

    def switch(self, name: str, on: bool) -> None:
        self.page.locator(f"#tokens-{name} input").set_checked(on)

    def add_model(self, name: str, box: str = "#tokens-models") -> None:
        """Choose one of the list, or type a Hub id and press Enter."""
        field = self.page.locator(f"{box} input")
        field.click()
        field.fill(name)
        field.press("Enter")
        field.press("Escape")

    def open(self, name: str) -> None:
        """Open one of the tabs below the board."""
        self.page.get_by_role("tab", name=name).click()

    def reset(self, text: str = "年假怎么申请？") -> None:
        """As a visitor finds the tab: first example, two models, nothing typed by an earlier test."""
        self.switch("special", True)
        self.switch("bos", False)
        while self.labels()[2:]:
            self.board.get_by_role("button", name=re.compile("^Remove ")).last.click()
            eventually(lambda n=len(self.labels()) - 1: len(self.labels()) == n, True)
        self.write(text)
