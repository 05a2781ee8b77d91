"""The embedding probes tab by what a visitor does and sees, and a small model whose answers can be worked out."""

import json
import re

import numpy as np
import torch
from safetensors.torch import save

from tests.browser.driving import eventually
from tests.hub_stand_in import Repo
from tests.made_models import INPUT
from tests.small_tables import tokenizer_json

MODEL = "made/words"
TOKENS = [
    "?", "king", "queen", "man", "woman", " king", "King", "KING", "today", " today", "tomorrow", "park", "apple",
    "北京", "上海", "南京", "今天", "明天", "昨天", "公园", "里", "国王", "女王", "男人", "女人", "苹果", "香", "蕉",
    "кот", "собака", "꽃", "ばら", "2026", ",", "<b>", "<E9 92>",
]  # fmt: skip
SPECIAL, SPARE, DIM = ["<eos>"], 3, 24


def rows() -> np.ndarray:
    """float64 (rows, DIM), as float32 has them: lengths from 0.5 to 3, a few relations; last the spare rows."""
    random = np.random.default_rng(27)
    named = {token: random.standard_normal(DIM) + 0.4 for token in [*TOKENS, *SPECIAL]}
    near = {
        "上海": ("北京", 0.3),
        "南京": ("北京", 0.5),
        "明天": ("今天", 0.6),
        "昨天": ("今天", 0.7),
        " king": ("king", 0.2),
    }
    near |= {"King": ("king", 0.25), "KING": ("king", 0.3), " today": ("today", 0.3), "女王": ("queen", 0.6)}
    for token, (other, far) in near.items():
        named[token] = named[other] + far * random.standard_normal(DIM)
    named["queen"] = named["king"] - named["man"] + named["woman"] + 0.3 * random.standard_normal(DIM)
    table = np.stack([*named.values(), *(0.05 * random.standard_normal((SPARE, DIM)))])
    table[: len(named)] *= (random.uniform(0.5, 3, len(named)) / np.linalg.norm(table[: len(named)], axis=1))[:, None]
    return table.astype(np.float32).astype(np.float64)


ROWS = rows()
NORMS = np.linalg.norm(ROWS, axis=1)


def repo() -> Repo:
    config = {"vocab_size": len(ROWS), "hidden_size": DIM, "tie_word_embeddings": True}
    weights = save({"a.bias": torch.zeros(3), INPUT: torch.from_numpy(ROWS.astype(np.float32))})
    tokenizer = tokenizer_json(TOKENS, SPECIAL).encode()
    return Repo({"config.json": json.dumps(config).encode(), "tokenizer.json": tokenizer, "model.safetensors": weights})


def row(token: str) -> np.ndarray:
    return ROWS[TOKENS.index(token)]


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def ranked(vector: np.ndarray, metric: str, out=()) -> list[tuple[str, float]]:
    """(token, score) of every plain token but those of `out`, the nearest first."""
    score = {
        "cosine": lambda r: cosine(r, vector),
        "dot": lambda r: float(r @ vector),
        "euclidean": lambda r: float(np.linalg.norm(r - vector)),
    }[metric]
    found = [(token, score(row(token))) for token in TOKENS if token not in out]
    return sorted(found, key=lambda pair: pair[1] if metric == "euclidean" else -pair[1])


class Probes:
    """The embedding probes tab."""

    def __init__(self, page) -> None:
        self.page = page
        self.bar = page.locator("#probes-table-line .be-tablebar")
        self.near = page.locator("#probes-near")
        self.heat = page.locator("#probes-heat")
        self.map = page.locator("#probes-map")

    def fetch(self, model: str) -> None:
        """Type the id of a model, and fetch its table with one click, if it is not here yet."""
        field = self.page.locator("#probes-table input")
        field.fill(model)
        field.press("Enter")
        self.page.locator(
            f"#probes-table-line :is([data-state=missing], [data-state=ready]):has-text('{model}')"
        ).wait_for()
        if self.bar.get_attribute("data-state") == "missing":
            self.bar.locator(".be-primary").click()
        self.page.locator(f"#probes-table-line [data-state=ready]:has-text('{model}')").wait_for()

    def open(self, name: str) -> None:
        """One of the inner tabs, wherever a narrow page has put its title."""
        title = self.page.locator(".be-inner").get_by_role("tab", name=name, exact=True)
        if title.count() and title.first.is_visible():
            title.first.click()
            return
        self.page.locator("#tab-probes .overflow-menu > button").click()
        self.page.locator("#tab-probes .overflow-dropdown").get_by_text(name, exact=True).click()

    def field(self, name: str):
        return self.page.locator(f"#probes-{name} :is(input:not([type=range]), textarea)").first

    def write(self, name: str, text: str) -> None:
        self.field(name).fill(text)

    def slide(self, name: str, value: int) -> None:
        self.field(name).fill(str(value))
        self.field(name).press("Tab")

    def switch(self, name: str, on: bool) -> None:
        self.page.locator(f"#probes-{name} input").set_checked(on)

    def choose(self, name: str, option: str) -> None:
        self.page.locator(f"#probes-{name} input").click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def lists(self, n: int = 0, place: str = "near") -> list[list[tuple[str, float, float]]]:
        """The lists of word n: (piece, score, norm) of each row."""
        word = self.page.locator(f"#probes-{place} .be-word").nth(n)
        if not word.count():
            return []
        found = word.locator(".be-near").evaluate_all(
            "boxes => boxes.map(box => [...box.querySelectorAll('tbody tr')].map(tr => "
            "[tr.querySelector('.be-walk').textContent, tr.cells[1].textContent, tr.cells[2].textContent]))"
        )
        return [[(piece, float(score), float(norm)) for piece, score, norm in rows] for rows in found]

    def words(self, place: str = "near") -> list[str]:
        return self.page.locator(f"#probes-{place} h3").all_text_contents()

    def note(self, place: str) -> str:
        """The sentence that refuses; "" where there is none."""
        return " ".join(self.page.locator(f"#probes-{place} .be-note.be-bad").all_text_contents())

    def refuses(self, name: str, text: str, place: str, sentence: str) -> None:
        """Write what cannot be answered: one sentence says why, and what was written stays."""
        self.write(name, text)
        eventually(lambda: self.note(place), sentence)
        assert self.field(name).input_value() == text

    def facts(self, place: str) -> dict[str, str]:
        rows = self.page.locator(f"#probes-{place} .be-figures > div")
        return dict(rows.evaluate_all("rows => rows.map(r => [...r.children].map(c => c.textContent))"))

    def matrix(self) -> list[list[float]]:
        rows = self.heat.locator("tbody tr").evaluate_all(
            "rows => rows.map(r => [...r.querySelectorAll('td')].map(c => c.textContent))"
        )
        return [[float(x) for x in line] for line in rows]

    def points(self) -> dict[str, tuple[float, float]]:
        """The places of the words, as the point's label says them."""
        labels = self.map.locator(".be-point").evaluate_all("nodes => nodes.map(n => n.getAttribute('aria-label'))")
        found = [re.fullmatch(r"(.+?) · .* · \((\S+), (\S+)\)(?: · .*)?", label).groups() for label in labels]
        return {word: (float(x), float(y)) for word, x, y in found}
