"""What a text costs each model: a larger vocabulary makes fewer tokens of it, and each of them dearer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .encoding import check_text
from .ledger import Figures, figures
from .ledger_models import Model, check_whole
from .ledger_tokenizers import open_tokenizer
from .problems import Problem

LIMIT = 20_000  # characters
MOST_CONTEXT = 100_000_000


@dataclass(frozen=True)
class Cost:
    """What one text costs one model. `fits`: characters of such a text in the context; `price`: None without one."""

    label: Any  # as the page names the model, which may be in two languages
    figures: Figures
    tokens: int
    flops: int
    kv_bytes: int
    fits: int
    price: float | None

    @property
    def per_token(self) -> int:
        return self.figures.forward_flops


def check(text: str) -> str:
    """`text`, if it is one that can be counted here."""
    check_text(text, LIMIT)
    if not text:
        raise Problem("Write a text to count.", "请写一段要计数的文本。")
    return text


def cost(text: str, model: Model, label: Any, context: Any, price: float | None, *, wait: bool = True) -> Cost:
    """The cost of a text, which only a model has whose tokenizer can be had; another raises Problem.

    Without `wait`, a tokenizer that is not open yet raises Waiting.
    """
    context = check_whole("The context", context, 1, MOST_CONTEXT, "上下文长度")
    tokens = len(open_tokenizer(model, wait=wait).encode(text, parse_special=False).tokens)
    if not tokens:  # one that strips white space, of nothing else
        raise Problem("This tokenizer makes no token of this text.", "这个分词器从这段文本得不到任何 token。")
    found = figures(model)
    fits = context * len(text) // tokens
    paid = None if price is None else tokens * price / 10**6
    return Cost(label, found, tokens, found.forward_flops * tokens, found.kv_cache(tokens), fits, paid)


def read_prices(text: str, models: int) -> list[float | None]:
    """Prices per million tokens: one for all models, or one for each, in order; nothing: no price.

    >>> read_prices("0.5", 2), read_prices("0.5, 2", 2), read_prices("", 1)
    ([0.5, 0.5], [0.5, 2.0], [None])
    """
    words = text.replace("，", ",").replace("、", ",").replace(";", ",").replace("；", ",")
    words = [word.strip() for word in words.split(",") if word.strip()]
    if not words:
        return [None] * models
    try:
        prices = [float(word) for word in words]
    except ValueError:
        prices = [-1.0]
    if not all(0 <= price <= 10**6 for price in prices):
        raise Problem(
            "Write the price of a million tokens as a number such as 0.5, or one for each model with commas between.",
            "每百万 token 的价格请写成数字，例如 0.5；也可以每个模型写一个，用逗号隔开。",
        )
    if len(prices) not in (1, models):
        raise Problem(
            f"There are {len(prices)} prices for {models} models: write one for all, or one for each.",
            f"写了 {len(prices)} 个价格，而模型有 {models} 个：请只写一个，或每个模型写一个。",
        )
    return prices if len(prices) == models else prices * models


def ends(costs: Sequence[Cost], what: str) -> tuple[Cost, Cost] | None:
    """The cheapest and the dearest by `what`, the first of equals; None where there are not two."""
    if len(costs) < 2:
        return None
    return min(costs, key=lambda one: getattr(one, what)), max(costs, key=lambda one: getattr(one, what))
