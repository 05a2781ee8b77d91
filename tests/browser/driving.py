"""The app's tabs by what a visitor does and sees, for the tests beside this file."""

import re
import time

from demo_lib.encoding import is_whole
from demo_lib.render import piece, visible

PATIENCE = 60  # seconds; a busy machine needs it, and only a failure waits so long
ROWS = "nodes => nodes.map(n => [n.textContent, n.getAttribute('aria-label'), [...n.classList]])"


def eventually(get, wanted, patience: float = PATIENCE) -> None:
    """Wait until `get()` is `wanted`; the failure says what it was last."""
    end = time.monotonic() + patience
    while (found := get()) != wanted and time.monotonic() < end:
        time.sleep(0.05)
    assert found == wanted, f"{found!r} is not {wanted!r}"[:2000]


def piece_seen(data: bytes) -> str:
    """What the chip of a token must show: render.visible's signs and names, and bytes of no character in hex."""
    parts = re.split(r"<((?:[0-9A-F]{2} ?)+)>", piece(data)) if not is_whole(data) else [data.decode()]
    seen = (part if i % 2 else "".join(map(visible, part)) for i, part in enumerate(parts))
    return re.sub(r"\[([\w+]+)\]", r"\1", "".join(seen))  # the chip draws a box round a name instead of brackets


def choose(page, box: str, names) -> bool:
    """Have these models in a list and no others; whether anything had to be done for it."""
    if page.locator(f"{box} .token span").all_inner_texts() == list(names):
        return False
    page.locator(f"{box} .remove-all").click()
    field = page.locator(f"{box} input")
    for name in names:
        field.fill(name)
        field.press("Enter")
    field.press("Escape")
    return True


class Tokens:
    """The tokenizers tab."""

    def __init__(self, page) -> None:
        self.page = page
        self.box = page.locator("#tokens-text textarea")
        self.board = page.locator("#tokens-board")
        self.models = page.locator("#tokens-models")
        self.lists = self.board.locator(".be-list")
        page.locator("#tokens-board .be-board[data-state=ready]").wait_for()

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
        for left in range(len(self.labels()) - 1, 1, -1):
            self.board.get_by_role("button", name=re.compile("^Remove ")).last.click()
            eventually(lambda left=left: len(self.labels()), left)
        self.write(text)


class Chat:
    """The chat template tab."""

    def __init__(self, page) -> None:
        self.page = page
        self.editor = page.locator("#chat-messages")
        self.prompts = page.locator("#chat-prompts")
        self.wrong = page.locator("#chat-misread")
        self.prompts.locator(".be-table").first.wait_for()

    def preset(self, name: str) -> None:
        self.page.locator("#chat-presets").get_by_role("button", name=name, exact=True).click()

    def texts(self) -> list[str]:
        return self.editor.locator("textarea.be-content").evaluate_all("nodes => nodes.map(n => n.value)")

    def roles(self) -> list[str]:
        return self.editor.locator("select.be-role").evaluate_all("nodes => nodes.map(n => n.value)")

    def box(self, n: int):
        return self.editor.get_by_label(f"Text of message {n}", exact=True)

    def column(self, k: int):
        return self.prompts.locator(".be-column").nth(k)

    def prompt(self, k: int) -> str:
        """The rendered text; "" where there is none."""
        return "".join(self.column(k).locator(".be-rendered").all_text_contents())

    def table(self, k: int) -> list[tuple[str, str, str]]:
        rows = self.column(k).locator("tbody tr")
        return [tuple(row) for row in rows.evaluate_all("rows => rows.map(r => [...r.cells].map(c => c.textContent))")]

    def warnings(self, k: int) -> str:
        return " ".join(self.column(k).locator(".be-warnings li").all_text_contents())

    def sentence(self) -> str:
        return " ".join(self.prompts.locator(".be-sentence").all_text_contents())

    def choose(self, *names: str) -> None:
        """Have these models and no others."""
        if choose(self.page, "#chat-models", names):
            eventually(lambda: self.prompts.locator("h3").all_inner_texts(), list(names))

    def json(self, text: str):
        """The conversation as JSON text, typed over what is there."""
        area = self.editor.locator("textarea.be-raw")
        if not area.count():
            self.editor.get_by_role("button", name="Edit as JSON").click()
        area.fill(text)
        return area

    def more(self) -> list:
        """The fields for the date and the tools, unfolded."""
        fields = [self.page.locator(f"#chat-{name} :is(input, textarea)") for name in ("date", "tools")]
        fold = self.page.locator("#tab-chat .label-wrap")
        for _ in range(3):  # seen in the middle of a turn it would be turned the wrong way
            self.page.wait_for_timeout(200)
            if fields[0].is_visible():
                break
            fold.click()
        fields[0].wait_for()
        return fields

    def form(self) -> None:
        back = self.editor.get_by_role("button", name="Back to the form")
        if back.count():
            back.click()

    def reset(self) -> None:
        """As a visitor finds the tab."""
        self.form()
        for field in self.more():
            field.fill("")
        self.preset("With a system prompt")
        self.preset("One question")
        self.choose("Llama 3.1", "Qwen2.5")
        self.page.locator("#chat-generation input").set_checked(True)
        eventually(self.texts, ["年假怎么申请？"])
        eventually(self.sentence, "Qwen2.5 reads 34 tokens for this conversation where Llama 3.1 reads 40.")
