"""The tokenizer of a model of the ledger, wherever it can be had: here, with a table that is here, or on the Hub."""

from functools import cache

from . import catalog, tables
from .ledger_models import CUSTOM, Model
from .problems import Problem, Waiting
from .shelf import Shelf
from .vocab import Vocab, open_vocab

# Models that share their tokenizer with the model of a table, whose file holds it too
_FAMILIES = {"google/gemma-3-": "gemma-3-270m", "HuggingFaceTB/SmolLM2-": "smollm2-135m"}

# A Hub that cannot be reached is not asked again at each keystroke: in seconds
_OPEN: Shelf[Vocab] = Shelf(4, rest=600)


def open_tokenizer(model: Model, *, wait: bool = True) -> Vocab:
    """The tokenizer that counts a model's text. Where there is none to be had, Problem; `wait` as for open_vocab."""
    if model.tokenizer:
        return open_vocab(model.tokenizer, wait=wait)
    table = next((key for family, key in _FAMILIES.items() if model.id.startswith(family)), None)
    if table and tables.is_cached(table):
        return _OPEN.get(table, lambda: tables.open_table(table, fetch=False).vocab, wait=wait)
    if model.id == CUSTOM:
        raise Problem(
            "Choose a tokenizer for your own model: without one its tokens cannot be counted.",
            "请为自己填的模型选一个分词器：没有分词器就数不了它的 token。",
        )
    try:
        return _OPEN.get(model.id, lambda: open_vocab(model.id), wait=wait)
    except Waiting:
        raise
    except Problem:
        raise _none(model.label) from None


def catalog_key(name: str) -> str:
    """The key of the catalog's tokenizer if a model of this Hub id has just that one; any other name as it is.

    >>> catalog_key("Qwen/Qwen2.5-7B"), catalog_key("qwen2.5"), catalog_key("org/name")
    ('qwen2.5', 'qwen2.5', 'org/name')
    """
    from .sources import check_model_id

    name = catalog.key_of(name)
    return _same().get(check_model_id(name).casefold(), name) if "/" in name else name


@cache
def _same() -> dict[str, str]:
    """Hub ids, in small letters, of models that have just a tokenizer of the catalog, and its key."""
    from .ledger_models import known

    same = {model.hub_id: key for key, model in catalog.MODELS.items()}
    same |= {model.id: key for model in known().values() if (key := model.tokenizer) and model.tokens == _tokens(key)}
    return {id.casefold(): key for id, key in same.items()}


def _tokens(key: str) -> int | None:
    """Tokens of a tokenizer of the catalog, by the model that its key means."""
    from .ledger_models import OBVIOUS, known

    return known()[OBVIOUS[key]].tokens


def _none(label: str) -> Problem:
    return Problem(
        f"The tokenizer of {label} is not here, and the Hugging Face Hub does not give it now, so its tokens cannot be "
        "counted.",
        f"这里没有 {label} 的分词器，现在也无法从 Hugging Face Hub 取得，所以数不了它的 token。",
    )
