"""The params room: the vocabulary ledger. What the two tables of a model cost, and what a text costs the model."""

from typing import Any

from .catalog import MAX_MODELS, check_few
from .catalog import choices as tokenizers
from .ledger import BITS, Figures, Words, add_words, changed, figures, logits_bytes, row
from .ledger_models import CUSTOM, LIMITS, FieldProblem, Model, custom, known, label, open_model
from .ledger_tokenizers import open_tokenizer
from .new_words import Listed, look
from .text_costs import Cost, check, cost, ends, read_prices
from .vocab import open_vocab

# what the tab meets of the foundation, it meets here
__all__ = [
    "BITS",
    "CUSTOM",
    "LIMITS",
    "MAX_MODELS",
    "Cost",
    "FieldProblem",
    "Figures",
    "Listed",
    "Model",
    "Words",
    "add_words",
    "changed",
    "check",
    "cost",
    "custom",
    "ends",
    "figures",
    "known",
    "label",
    "logits_bytes",
    "look",
    "open_model",
    "open_tokenizer",
    "read_prices",
    "tokenizers",
]


def check_chosen(names: Any) -> list[str]:
    """One to MAX_MODELS names, each once."""
    return check_few(dict.fromkeys(name.strip() for name in names or [] if isinstance(name, str) and name.strip()))


def ready(name: str, tokenizer: str | None, *, wait: bool = True) -> None:
    """Open a model, and the tokenizer that counts its text: `tokenizer`, if the model's fields are typed by hand."""
    if name != CUSTOM:
        open_tokenizer(open_model(name, wait=wait), wait=wait)
    elif tokenizer:
        open_vocab(tokenizer, wait=wait)


def ledger_row(name: str) -> dict:
    """The ledger of a model of the list or of the Hub, for a program."""
    return row(open_model(name))


def custom_row(*fields: Any) -> dict:
    """The ledger of a model whose fields are given, for a program; see ledger_models.custom."""
    return row(custom(*fields))
