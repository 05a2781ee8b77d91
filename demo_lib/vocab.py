"""Tokenizers: text -> tokens that know their bytes and their place -> text.

A `Vocab` wraps one `tokenizers.Tokenizer`. Those of the catalog are built from ranked byte strings (see
`ranks.py`); any other comes as a tokenizer.json and runs in a child process (see `sandbox.py`).
"""

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from . import catalog
from .problems import Problem

UPLOAD = "upload:"


@dataclass(frozen=True)
class Token:
    """One token of a text.

    `data` is its exact bytes. `[start, end)` counts characters of the text as typed and `[byte_start,
    byte_end)` its UTF-8 bytes; a token that holds only some bytes of a character covers that character's
    `[start, end)`. `pre_token` indexes Encoding.pre_tokens (-1: a special token). `whole` says whether
    the bytes are valid UTF-8 by themselves.
    """

    id: int
    data: bytes
    start: int
    end: int
    byte_start: int
    byte_end: int
    pre_token: int
    special: bool
    whole: bool


@dataclass(frozen=True)
class PreToken:
    """A piece that merging never leaves; `[start, end)` counts characters of Encoding.normalized."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Encoding:
    """A text and its tokens. `normalized` is what the tokenizer read instead of `text` (NFC for Qwen)."""

    text: str
    normalized: str
    tokens: tuple[Token, ...]
    pre_tokens: tuple[PreToken, ...]

    @property
    def ids(self) -> list[int]:
        return [token.id for token in self.tokens]


def is_whole(data: bytes) -> bool:
    """Whether `data` is valid UTF-8 by itself.

    >>> is_whole("钉".encode()), is_whole(bytes.fromhex("E9 92"))
    (True, False)
    """
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def check_text(text: str) -> str:
    """`text` if it can be written as UTF-8; half a surrogate pair cannot, in any tokenizer."""
    if not isinstance(text, str):
        raise Problem("The text must be a string.", "文本必须是字符串。")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code, place = f"U+{ord(text[error.start]):04X}", error.start + 1
        raise Problem(
            f"Character {place:,} of the text is {code}, half of a surrogate pair, which is no character: delete it.",
            f"文本的第 {place:,} 个字符是 {code}，它只是半个代理对，不是字符：请删掉它。",
        ) from None
    return text


@lru_cache(maxsize=1)
def byte_letters() -> dict[str, int]:
    """The letter that byte-level BPE writes for each byte (GPT-2's table), turned round.

    >>> byte_letters()["Ġ"]
    32
    """
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    rest = [byte for byte in range(256) if byte not in set(plain)]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(rest)}


class Vocab:
    """One tokenizer. Safe to share between threads."""

    def __init__(self, tokenizer, key: str, label: str) -> None:
        self.key, self.label = key, label
        self._tokenizer = tokenizer
        # parse_special is a switch on the tokenizer, not an argument of encode
        self._lock = threading.Lock()
        self._bytes: dict[int, bytes] = {}

    @classmethod
    def from_json(cls, data: str | bytes, key: str, label: str) -> "Vocab":
        """From the text of a tokenizer.json. What is not one raises Problem."""
        import tokenizers

        # trim_offsets takes a token's leading space out of its place in the text: cosmetic, and wrong here
        data = data.encode() if isinstance(data, str) else data
        data = re.sub(rb'("trim_offsets"\s*:\s*)true', rb"\1false", data)
        try:
            return cls(tokenizers.Tokenizer.from_buffer(data), key, label)
        except Exception:  # the library raises a bare Exception for every fault of the file
            raise Problem(
                f"{label}: this is not a tokenizer.json that the tokenizers library can read.",
                f"{label}：tokenizers 库读不了这个 tokenizer.json。",
            ) from None

    def size(self) -> int:
        """Tokens, special ones included (not rows of the embedding table)."""
        return self._tokenizer.get_vocab_size()

    def special_tokens(self) -> dict[str, int]:
        """The tokens that stand for no text, with their ids."""
        return {token: id for id, token in self._special.items()}

    @cached_property
    def _added(self) -> dict[int, str]:
        return {id: token.content for id, token in self._tokenizer.get_added_tokens_decoder().items()}

    @cached_property
    def _special(self) -> dict[int, str]:
        return {id: t.content for id, t in self._tokenizer.get_added_tokens_decoder().items() if t.special}

    @cached_property
    def _marks(self) -> frozenset[str]:
        """The kinds of decoder and pre-tokenizer, which say how a token's name spells its bytes."""
        parts = (self._tokenizer.decoder, self._tokenizer.pre_tokenizer)
        states = " ".join(part.__getstate__().decode() for part in parts if part is not None)
        return frozenset(re.findall(r'"type":"(\w+)"', states)) | ({"▁"} if "▁" in states else frozenset())

    def token_bytes(self, id: int) -> bytes:
        """The exact bytes of a token. An id that the vocabulary does not have raises Problem."""
        if id not in self._bytes:
            self._bytes[id] = self._spell(id)
        return self._bytes[id]

    def _spell(self, id: int) -> bytes:
        valid = isinstance(id, int) and 0 <= id < 2**32
        if not valid or (name := self._tokenizer.id_to_token(id)) is None:
            raise Problem(
                f"{self.label} has no token with the id {id}: its vocabulary has {self.size():,} tokens.",
                f"{self.label} 没有 id 为 {id} 的 token：它的词表有 {self.size():,} 个 token。",
            )
        if id in self._added:
            return name.encode()
        if "ByteLevel" in self._marks and all(letter in byte_letters() for letter in name):
            return bytes(byte_letters()[letter] for letter in name)
        if "ByteFallback" in self._marks and (match := re.fullmatch(r"<0x([0-9A-Fa-f]{2})>", name)):
            return bytes.fromhex(match[1])
        if "WordPiece" in self._marks:
            return name.removeprefix("##").encode()
        if "▁" in self._marks:
            return name.replace("▁", " ").encode()
        return name.encode()

    def encode(self, text: str, *, add_special_tokens: bool = False, parse_special: bool = True) -> Encoding:
        """Text to tokens. With `parse_special=False`, special tokens written in the text are plain text."""
        check_text(text)
        with self._lock:
            self._tokenizer.encode_special_tokens = not parse_special
            encoding = self._tokenizer.encode(text, add_special_tokens=add_special_tokens)
        ids, words = encoding.ids, encoding.word_ids
        data = [self.token_bytes(id) for id in ids]
        # as plain text, "<|im_end|>" can still be one id only where post-processing put it
        special = [id in self._special and (parse_special or word is None) for id, word in zip(ids, words, strict=True)]
        places = _places(text, data, encoding.offsets, gapless="ByteLevel" in self._marks)
        pre_tokens, index, normalized = _pre_tokens(data, words, special)
        rows = zip(ids, data, places, index, special, strict=True)
        tokens = tuple(Token(id, d, *place, pre, mark, is_whole(d)) for id, d, place, pre, mark in rows)
        return Encoding(text, normalized, tokens, pre_tokens)

    def decode(self, ids: Sequence[int]) -> str:
        """Ids to text: special tokens are kept and nothing is cleaned up, so that spaces survive."""
        for id in ids:
            self.token_bytes(id)
        return self._tokenizer.decode(list(ids), skip_special_tokens=False)

    def stream(self, ids: Sequence[int]) -> list[str | None]:
        """What the library's own stream decoder shows after each id; None while it holds bytes back."""
        from tokenizers.decoders import DecodeStream

        decoder = DecodeStream(skip_special_tokens=False)
        for id in ids:
            self.token_bytes(id)
        return [decoder.step(self._tokenizer, id) for id in ids]


def _places(text: str, data: list[bytes], offsets: list[tuple[int, int]], *, gapless: bool) -> list[tuple[int, ...]]:
    """(start, end, byte_start, byte_end) of each token in the text as typed.

    The library gives characters. Tokens that share a character form a run; where the bytes of a run are the
    bytes of its characters, each token gets its own of them. Where they are not (NFC made é of two characters),
    each covers the whole run. `gapless`: the tokenizer drops nothing, so a run reaches to the next one.
    """
    at = [0]
    for char in text:
        at.append(at[-1] + len(char.encode()))
    runs: list[list[int]] = []
    for i, (start, end) in enumerate(offsets):
        if end > start and runs and start < offsets[runs[-1][-1]][1]:
            runs[-1].append(i)
        else:
            runs.append([i])
    places: list[tuple[int, ...]] = [()] * len(data)
    next_start = len(text)
    for run in reversed(runs):
        start, end = offsets[run[0]][0], max(offsets[i][1] for i in run)
        if end > start:
            end, next_start = (max(end, next_start) if gapless else end), start
        if b"".join(data[i] for i in run) == text[start:end].encode():
            byte = at[start]
            for i in run:
                places[i] = (*offsets[i], byte, byte := byte + len(data[i]))
        else:
            for i in run:
                places[i] = (start, end, at[start], at[end])
    return places


def _pre_tokens(data: list[bytes], words: list, special: list[bool]) -> tuple[tuple[PreToken, ...], list[int], str]:
    """Tokens with the same word number make a pre-token; special tokens stand alone, outside them."""
    pre_tokens, index, normalized = [], [], ""
    i = 0
    while i < len(data):
        j = i + 1
        while j < len(data) and words[j] == words[i] and not special[i]:
            j += 1
        piece = b"".join(data[i:j]).decode(errors="replace")
        index += [-1 if special[i] else len(pre_tokens)] * (j - i)
        if not special[i]:
            pre_tokens.append(PreToken(piece, len(normalized), len(normalized) + len(piece)))
        if words[i] is not None:
            normalized += piece
        i = j
    return tuple(pre_tokens), index, normalized


@lru_cache(maxsize=1)
def _locks() -> dict[str, threading.Lock]:
    return {key: threading.Lock() for key in catalog.MODELS}


@cache
def _built_in(key: str) -> Vocab:
    from . import ranks, sources

    model = catalog.MODELS[key]
    data = sources.cached(f"{key}-{ranks.VERSION}-{model.tokenizer.sha256[:16]}.json", lambda: ranks.build(model))
    return Vocab.from_json(data, key, model.label)


# An outside tokenizer is a child process with a vocabulary in its memory: keep few
@lru_cache(maxsize=4)
def _outside(model: str):
    from . import sandbox, sources

    if model.startswith(UPLOAD):
        return sandbox.OutsideVocab(sources.upload(model), model, "tokenizer.json")
    return sandbox.OutsideVocab(sources.tokenizer_json(model), model, model)


def open_vocab(model: str):
    """The tokenizer of a catalog key, of a Hub model `org/name`, or of an upload (`upload:<sha256>`).

    Opening one of the catalog takes 2 to 5 s the first time on a machine, under 1 s later, nothing after
    that. Errors are Problems.
    """
    from . import sources

    if not isinstance(model, str) or not model.strip():
        raise Problem(
            "Choose a model: a name from the list or a Hub id such as org/name.",
            "请选择模型：列表中的名字，或 org/name 形式的 Hub id。",
        )
    if model in catalog.MODELS:
        with _locks()[model]:  # two visitors at once must not build twice
            return _built_in(model)
    return _outside(model if model.startswith(UPLOAD) else sources.check_model_id(model))
