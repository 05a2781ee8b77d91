"""How a tokenizer cut a text: the pre-tokens, the alternative of the pattern behind each, and its merges."""

from dataclasses import dataclass
from functools import lru_cache

from . import catalog
from .encoding import Encoding
from .merging import Trace
from .vocab import open_vocab


@lru_cache(maxsize=8)
def named_pattern(model: str):
    import regex

    spec = catalog.MODELS[model].tokenizer
    return regex.compile("|".join(f"(?P<{part.name}>{part.regex})" for part in spec.pattern))


def alternatives(encoding: Encoding, model: str) -> list[str | None]:
    """For each pre-token, the name of the pattern's alternative that cut it; None where it is not known.

    The cuts are the tokenizers library's; this only names them, with the regex package. Their Unicode tables
    can differ for the newest characters, and then there is no name.
    """
    if model not in catalog.MODELS:
        return [None] * len(encoding.pre_tokens)
    # a look-ahead must not see past a special token
    followed = {
        token.pre_token for token, after in zip(encoding.tokens, encoding.tokens[1:], strict=False) if after.special
    }
    pattern, names = named_pattern(model), []
    stop = len(encoding.normalized)
    for i in range(len(encoding.pre_tokens) - 1, -1, -1):
        pre = encoding.pre_tokens[i]
        stop = pre.end if i in followed else stop
        match = pattern.match(encoding.normalized, pre.start, stop)
        if match is None or match.end() != pre.end:
            match = pattern.fullmatch(pre.text)
        names.append(match.lastgroup if match else None)
    return names[::-1]


@dataclass(frozen=True)
class Cut:
    """How one pre-token of a text was cut.

    `index` is its number in `pre_tokens`; `starts` are the bytes of the text as typed at which each begins;
    `alternative` names the alternative of the pattern that matched; `pattern` is empty where it is
    not known.
    """

    model: str
    label: str
    index: int
    pre_tokens: tuple[str, ...]
    starts: tuple[int, ...]
    alternative: str | None
    pattern: tuple[catalog.Alternative, ...]
    trace: Trace | None


LONGEST = 600  # bytes of a pre-token whose merges anybody would step through


def cut(encoding: Encoding, model: str, byte: int = 0, *, longest: int = LONGEST) -> Cut | None:
    """The three steps for the pre-token at `byte` of the text (or the next one); None if there is none.

    A pre-token of more than `longest` bytes is not traced: its Cut.trace is None.
    """
    if not encoding.pre_tokens:
        return None
    vocab = open_vocab(model)
    typed = [token for token in encoding.tokens if token.pre_token >= 0]
    index = next((token.pre_token for token in typed if token.byte_end > byte), typed[-1].pre_token)
    starts: dict[int, int] = {}
    for token in typed:
        starts.setdefault(token.pre_token, token.byte_start)
    texts = tuple(pre.text for pre in encoding.pre_tokens)
    name = alternatives(encoding, model)[index]
    pattern = catalog.MODELS[model].tokenizer.pattern if model in catalog.MODELS else ()
    trace = vocab.trace(texts[index]) if len(texts[index].encode()) <= longest else None
    return Cut(model, vocab.label, index, texts, tuple(starts.values()), name, pattern, trace)
