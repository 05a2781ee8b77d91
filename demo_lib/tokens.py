"""The tokenizers room: split a text, compare models, trace the merges, stream the decoding.

Counting conventions: characters are Unicode code points; bytes are UTF-8 bytes of the text as typed; a Han
character is one whose Unicode script is Han.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from . import catalog
from .encoding import Encoding, check_text
from .merging import Trace
from .problems import Problem
from .vocab import Vocab, open_vocab

LIMIT = 20_000  # characters of a text; longer ones are for the corpus report
MAX_MODELS = 4
MAX_IDS = 100_000


@dataclass(frozen=True)
class Count:
    """What a tokenizer makes of a text. Ratios are None where the text has nothing to divide by.

    `tokens_per_han` counts the tokens that hold bytes of at least one Han character, for each Han character.
    `not_text` counts the tokens whose bytes alone are not valid UTF-8. `difference` is the first place where
    decoding does not give the text back: (character, wanted, got), or None.
    """

    tokens: int
    characters: int
    bytes: int
    han: int
    tokens_per_character: float | None
    tokens_per_han: float | None
    bytes_per_token: float | None
    not_text: int
    difference: tuple[int, str, str] | None


@dataclass(frozen=True)
class Column:
    """One model's tokens of the text, and the indexes of those that start where no other column has a cut."""

    model: str
    label: str
    encoding: Encoding
    count: Count
    unshared: frozenset[int]


@dataclass(frozen=True)
class StreamStep:
    """One id of a stream: what naive decoding shows, what a careful decoder shows, the bytes it still holds."""

    id: int
    data: bytes
    naive: str
    shown: str
    held: bytes


@lru_cache(maxsize=1)
def _han():
    import regex

    return regex.compile(r"\p{Script=Han}")


def check(text: str) -> str:
    """`text`, if it is one that this room takes: at most LIMIT characters, all of them characters."""
    check_text(text)
    if len(text) > LIMIT:
        raise Problem(
            f"The text has {len(text):,} characters and this tab takes {LIMIT:,}: "
            "shorten it, or use the corpus report, which takes files of any size.",
            f"文本有 {len(text):,} 个字符，本页最多 {LIMIT:,} 个：请缩短它，或使用“语料报告”，它不限文件大小。",
        )
    return text


def difference(text: str, back: str) -> tuple[int, str, str] | None:
    """The first place where `back` departs from `text`: (character, up to 8 of each side), or None.

    >>> difference("cafe\\u0301", "café")
    (3, 'é', 'é')
    """
    if text == back:
        return None
    at = next((i for i, (a, b) in enumerate(zip(text, back, strict=False)) if a != b), min(len(text), len(back)))
    return at, text[at : at + 8], back[at : at + 8]


def count(encoding: Encoding, decoded: str) -> Count:
    """The figures under a column. `decoded` is what the tokenizer's decoder gives for the ids."""
    text, tokens = encoding.text, encoding.tokens
    typed = [token for token in tokens if token.end > token.start]  # not what the tokenizer added
    is_han = [bool(_han().match(char)) for char in text]
    han = sum(is_han)
    touching = sum(any(is_han[token.start : token.end]) for token in typed)
    size = len(text.encode())
    return Count(
        tokens=len(tokens),
        characters=len(text),
        bytes=size,
        han=han,
        tokens_per_character=len(tokens) / len(text) if text else None,
        tokens_per_han=touching / han if han else None,
        bytes_per_token=size / len(tokens) if tokens else None,
        not_text=sum(not token.whole for token in tokens),
        difference=difference(text, decoded),
    )


def split(
    text: str, model: str, *, add_special_tokens: bool = False, parse_special: bool = True
) -> tuple[Encoding, Count]:
    """A text in one model's tokens, with its figures."""
    vocab = open_vocab(model)
    encoding = vocab.encode(check(text), add_special_tokens=add_special_tokens, parse_special=parse_special)
    added = [token.id for token in encoding.tokens if token.end == token.start]
    ids = encoding.ids[len(added) :] if encoding.ids[: len(added)] == added else encoding.ids
    return encoding, count(encoding, vocab.decode(ids))


def check_models(models: Sequence[str]) -> list[str]:
    """One to MAX_MODELS models, none of them twice."""
    models = list(dict.fromkeys(models or []))
    if not 1 <= len(models) <= MAX_MODELS:
        raise Problem(
            f"Choose one to {MAX_MODELS} models; {len(models)} are chosen.",
            f"请选择 1 到 {MAX_MODELS} 个模型；现在选了 {len(models)} 个。",
        )
    return models


def compare(
    text: str, models: Sequence[str], *, add_special_tokens: bool = False, parse_special: bool = True
) -> list[Column]:
    """The same text in up to four models, and where their cuts differ."""
    models = check_models(models)
    how = {"add_special_tokens": add_special_tokens, "parse_special": parse_special}
    results = [split(text, model, **how) for model in models]
    cuts = [{token.byte_start for token in encoding.tokens} for encoding, _ in results]
    columns = []
    for i, (model, (encoding, figures)) in enumerate(zip(models, results, strict=True)):
        others = [cut for j, cut in enumerate(cuts) if j != i]
        # the start of the text is everybody's cut
        alone = frozenset(
            k
            for k, token in enumerate(encoding.tokens)
            if token.byte_start and others and not all(token.byte_start in cut for cut in others)
        )
        columns.append(Column(model, open_vocab(model).label, encoding, figures, alone))
    return columns


def parse_ids(text: str) -> list[int]:
    """Ids in any usual form: spaces, commas, new lines, JSON or a Python list, tuple or tensor.

    >>> parse_ids("[8107, 107099]") == parse_ids("8107 107099") == parse_ids("tensor([8107, 107099])")
    True
    """
    text = re.sub(r"^\s*(?:\w+\.)?(?:tensor|array)\s*\(|\b(?:dtype|device)\s*=[^,)]*", " ", text.strip())
    words = re.split(r"[\s,;，、；\[\](){}]+", text)
    ids = []
    for word in filter(None, words):
        if not re.fullmatch(r"[+-]?[0-9]{1,19}", word):
            shown = word if len(word) <= 20 else word[:20] + "…"
            raise Problem(
                f"“{shown}” is no token id: write whole numbers with spaces or commas between them.",
                f"“{shown}”不是 token id：请写整数，用空格或逗号隔开。",
            )
        ids.append(int(word))
    if len(ids) > MAX_IDS:
        raise Problem(
            f"There are {len(ids):,} ids and this tab takes {MAX_IDS:,}: decode them in parts.",
            f"共有 {len(ids):,} 个 id，本页最多 {MAX_IDS:,} 个：请分几次解码。",
        )
    return ids


def stream(ids: Sequence[int], vocab: Vocab) -> list[StreamStep]:
    """Decode ids one at a time, as a chat page prints them.

    `naive` decodes each id alone, which shows U+FFFD for part of a character. `shown` is what the tokenizers
    library's DecodeStream gives out ("" while it waits), and `held` the bytes that it has not yet shown.

    >>> [step.held.hex() for step in stream([146, 231], open_vocab("qwen2.5"))]  # doctest: +SKIP
    """
    steps, held = [], b""
    for id, shown in zip(ids, vocab.stream(ids), strict=True):
        data = vocab.token_bytes(id)
        held = held + data if shown is None else b""
        steps.append(StreamStep(id, data, vocab.decode([id]), shown or "", held))
    return steps


@lru_cache(maxsize=8)
def _named_pattern(model: str):
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
    pattern, names = _named_pattern(model), []
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
    """How one pre-token of a text was cut: its number among `of`, the alternative that matched, and the trace."""

    model: str
    label: str
    index: int
    of: int
    alternative: str | None
    trace: Trace


def cut(text: str, model: str, index: int = 0, *, parse_special: bool = True) -> Cut | None:
    """The three steps for pre-token `index` of the text (the nearest one there is); None if it has none."""
    vocab = open_vocab(model)
    encoding = vocab.encode(check(text), parse_special=parse_special)
    if not encoding.pre_tokens:
        return None
    index = max(0, min(int(index), len(encoding.pre_tokens) - 1))
    name = alternatives(encoding, model)[index]
    trace = vocab.trace(encoding.pre_tokens[index].text)
    return Cut(model, vocab.label, index, len(encoding.pre_tokens), name, trace)
