"""The tokenizers room: split a text, compare models, trace the merges, stream the decoding.

Counting conventions: characters are Unicode code points; bytes are UTF-8 bytes of the text as typed; a Han
character is one whose Unicode script is Han.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from .catalog import MAX_MODELS, Named, check_models, choices, key_of, label
from .cutting import LONGEST, Cut, cut
from .encoding import Encoding, check_text, is_whole
from .merging import Trace
from .problems import Problem
from .render import piece
from .token_ids import check_ids, parse_ids
from .vocab import open_upload, open_vocab

# what the tab meets of the foundation, it meets here
__all__ = [
    "LONGEST",
    "MAX_MODELS",
    "Cut",
    "Named",
    "Trace",
    "check_ids",
    "check_models",
    "choices",
    "cut",
    "label",
    "open_upload",
    "open_vocab",
    "parse_ids",
]

LIMIT = 20_000  # characters of a text; longer ones are for the corpus report


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
    """One model's tokens of the text, and the indexes of those that start where another column has no cut."""

    model: str
    label: str
    encoding: Encoding
    count: Count
    unshared: frozenset[int]


@dataclass(frozen=True)
class Failed:
    """A model that could not be used on this text, and why."""

    model: str
    label: str
    problem: Problem


@dataclass(frozen=True)
class Decoded:
    """Ids as one model reads them: the text, and of each id its bytes and whether it is a special token."""

    model: str
    label: str
    text: str
    ids: tuple[int, ...]
    pieces: tuple[bytes, ...]
    special: tuple[bool, ...]

    @property
    def whole(self) -> list[bool]:
        """For each id, whether its bytes alone are valid UTF-8."""
        return [is_whole(piece) for piece in self.pieces]


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
            f"The text has {len(text):,} characters and the most is {LIMIT:,}: "
            "shorten it, or use the corpus report, which takes files of any size.",
            f"文本有 {len(text):,} 个字符，最多 {LIMIT:,} 个：请缩短它，或使用“语料报告”，它不限文件大小。",
        )
    return text


def difference(text: str, back: str) -> tuple[int, str, str] | None:
    """The first place where `back` departs from `text`: (character, up to 8 of each side), or None.

    >>> difference("a café", "a cafe")
    (5, 'é', 'e')
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
    text: str, model: str, *, add_special_tokens: bool = False, parse_special: bool = True, wait: bool = True
) -> tuple[Encoding, Count]:
    """A text in one model's tokens, with its figures. `wait` as for open_vocab."""
    vocab = open_vocab(model, wait=wait)
    encoding = vocab.encode(check(text), add_special_tokens=add_special_tokens, parse_special=parse_special)
    typed = [token.id for token in encoding.tokens if token.end > token.start or not token.special]
    return encoding, count(encoding, vocab.decode(typed))


def columns(
    text: str,
    models: Sequence[str],
    *,
    add_special_tokens: bool = False,
    parse_special: bool = True,
    wait: bool = True,
) -> list[Column | Failed]:
    """The same text in up to four models, and where their cuts differ. One that fails leaves the others alone.

    Without `wait`, a model that is still loading is Failed with the problem Waiting.
    """
    check(text)
    how = {"add_special_tokens": add_special_tokens, "parse_special": parse_special, "wait": wait}
    results: dict[str, tuple[Encoding, Count] | Failed] = {}
    for named in check_models(models):
        try:
            results[named.model] = split(text, named.model, **how)
        except Problem as problem:
            results[named.model] = Failed(named.model, named.label, problem)
    cuts = {
        model: {token.byte_start for token in result[0].tokens}
        for model, result in results.items()
        if not isinstance(result, Failed)
    }
    return [
        result if isinstance(result, Failed) else _column(model, *result, cuts) for model, result in results.items()
    ]


def _column(model: str, encoding: Encoding, figures: Count, cuts: dict[str, set[int]]) -> Column:
    others = [starts for other, starts in cuts.items() if other != model]
    shared = set.intersection(*others) if others else cuts[model]
    # the start of the text is everybody's cut
    starts = enumerate(token.byte_start for token in encoding.tokens)
    alone = frozenset(i for i, start in starts if start and start not in shared)
    return Column(model, open_vocab(model).label, encoding, figures, alone)


def compare(text: str, models: Sequence[str], **how) -> list[Column]:
    """As `columns`, but the first model that fails raises its Problem."""
    done = columns(text, models, **how)
    for column in done:
        if isinstance(column, Failed):
            raise column.problem
    return done


def decode(ids: Sequence[int], model: str, *, wait: bool = True) -> Decoded:
    """Ids to text, and what each id is alone. An id that the vocabulary does not have raises Problem."""
    vocab = open_vocab(model, wait=wait)
    marks = set(vocab.special_tokens().values())
    pieces = tuple(data for data, _ in vocab.alone(ids))
    special = tuple(id in marks for id in ids)
    return Decoded(model, vocab.label, vocab.decode(ids), tuple(ids), pieces, special)


def tokenize(text: str, model: str, *, add_special_tokens: bool = False, parse_special: bool = False) -> dict:
    """One model's tokens for a program: {model, ids, pieces, bytes, spans}; see render.piece for the pieces."""
    if not (isinstance(add_special_tokens, bool) and isinstance(parse_special, bool)):
        raise Problem(
            "add_special_tokens and parse_special must be true or false.",
            "add_special_tokens 和 parse_special 必须是 true 或 false。",
        )
    encoding, _ = split(text, model, add_special_tokens=add_special_tokens, parse_special=parse_special)
    return {
        "model": key_of(model),
        "ids": encoding.ids,
        "pieces": [piece(token.data) for token in encoding.tokens],
        "bytes": [token.data.hex(" ").upper() for token in encoding.tokens],
        "spans": [[token.start, token.end] for token in encoding.tokens],
    }


def compare_rows(text: str, models: Sequence[str]) -> list[dict]:
    """The figures of each model for a program, one row a model. `exact`: decoding gives the text back."""
    rows = []
    for column in compare(text, models, parse_special=False):
        figures = dict(vars(column.count))
        exact = figures.pop("difference") is None
        head = {"model": column.model, "label": column.label}
        rows.append(head | figures | {"exact": exact, "ids": column.encoding.ids})
    return rows


def stream(ids: Sequence[int], model: str) -> list[StreamStep]:
    """Decode ids one at a time, as a chat page prints them.

    `naive` decodes each id alone, which shows U+FFFD for part of a character. `shown` is what the tokenizers
    library's DecodeStream gives out ("" while it waits), and `held` the bytes that it has not yet shown.
    """
    vocab = open_vocab(model)
    steps, held = [], b""
    for id, (data, naive), shown in zip(ids, vocab.alone(ids), vocab.stream(ids), strict=True):
        held = held + data if shown is None else b""
        steps.append(StreamStep(id, data, naive, shown or "", held))
    return steps
