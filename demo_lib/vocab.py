"""Tokenizers: text -> tokens that know their bytes and their place -> text.

A `Vocab` wraps one `tokenizers.Tokenizer`. Those of the catalog are built from ranked byte strings (see
`ranks.py`); any other comes as a tokenizer.json and runs in a child process (see `sandbox.py`).
"""

import json
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate

from . import catalog
from .encoding import Encoding, PreToken, Token, byte_letters, check_text, group, is_whole, places
from .merging import Merge, Trace, merge_order
from .problems import Problem
from .shelf import Shelf

__all__ = ["Encoding", "PreToken", "Shelf", "Token", "Trace", "Vocab", "is_open", "open_upload", "open_vocab"]


class Vocab:
    """One tokenizer. Safe to share between threads."""

    def __init__(self, tokenizer, key: str, label: str, *, ranked: bool = False) -> None:
        self.key, self.label = key, label
        self._tokenizer, self._ranked = tokenizer, ranked
        # parse_special is a switch on the tokenizer, not an argument of encode
        self._lock = threading.Lock()
        self._bytes: dict[int, bytes] = {}

    @classmethod
    def from_json(cls, data: str | bytes, key: str, label: str, *, ranked: bool = False) -> "Vocab":
        """From the text of a tokenizer.json. What is not one raises Problem.

        `ranked`: built from ranked byte strings, so that an entry's id is also its merge rank.
        """
        import tokenizers

        # trim_offsets takes a token's leading space out of its place in the text: cosmetic, and wrong here
        data = data.encode() if isinstance(data, str) else data
        data = re.sub(rb'("trim_offsets"\s*:\s*)true', rb"\1false", data)
        try:
            tokenizer = tokenizers.Tokenizer.from_buffer(data)
            # a file may cut or fill every text to a length for training: never what a reader of the page means
            tokenizer.no_truncation()
            tokenizer.no_padding()
            return cls(tokenizer, key, label, ranked=ranked)
        except Exception:  # the library raises a bare Exception for every fault of the file
            raise Problem(
                f"{label}: this is not a tokenizer.json that the tokenizers library can read.",
                f"{label}：tokenizers 库读不了这个 tokenizer.json。",
            ) from None

    def size(self) -> int:
        """Tokens, special ones included (not rows of the embedding table)."""
        return self._tokenizer.get_vocab_size()

    def ids(self) -> list[int]:
        """The ids that there are, in order; where a tokenizer leaves some out, fewer than the largest id + 1."""
        size = self.size()
        if all(self._tokenizer.id_to_token(id) is not None for id in range(size)):  # six times as fast as to list them
            return list(range(size))
        return sorted(set(self._tokenizer.get_vocab().values()))

    def last_id(self) -> int:
        """The largest id of the vocabulary proper, added tokens aside; -1 where there is none."""
        return max((id for id in self.ids() if id not in self._added), default=-1)

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

    def all_bytes(self) -> list[bytes]:
        """The exact bytes of every token, in the order of ids(): 250,000 in half a second."""
        ids = self.ids()
        if "ByteLevel" in self._marks:
            # what is no byte's letter becomes a character that Latin-1 cannot write
            table = dict.fromkeys(range(256), "\uffff") | {ord(c): chr(b) for c, b in byte_letters().items()}
            for id in ids:
                if id not in self._bytes and id not in self._added:
                    with suppress(UnicodeEncodeError):
                        self._bytes[id] = self._tokenizer.id_to_token(id).translate(table).encode("latin-1")
        return [self.token_bytes(id) for id in ids]

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text and nothing else: special tokens written there are plain text, and none is added.

        Other threads wait meanwhile: give a few thousand short texts at a time.
        """
        for text in texts:
            check_text(text)
        with self._lock:
            self._tokenizer.encode_special_tokens = True
            return [row.ids for row in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]

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
        spans = places(text, data, encoding.offsets, gapless="ByteLevel" in self._marks)
        pre_tokens, index, normalized = group(data, words, special)
        rows = zip(ids, data, spans, index, special, strict=True)
        tokens = tuple(Token(id, d, *place, pre, mark, is_whole(d)) for id, d, place, pre, mark in rows)
        return Encoding(text, normalized, tokens, pre_tokens)

    def decode(self, ids: Sequence[int]) -> str:
        """Ids to text: special tokens are kept and nothing is cleaned up, so that spaces survive."""
        for id in ids:
            self.token_bytes(id)
        return self._tokenizer.decode(list(ids), skip_special_tokens=False)

    def alone(self, ids: Sequence[int]) -> list[tuple[bytes, str]]:
        """For each id its exact bytes, and what the tokenizer decodes when it gets that id alone."""
        return [(self.token_bytes(id), self._tokenizer.decode([id], skip_special_tokens=False)) for id in ids]

    def stream(self, ids: Sequence[int]) -> list[str | None]:
        """What the library's own stream decoder shows after each id; None while it holds bytes back."""
        from tokenizers.decoders import DecodeStream

        decoder = DecodeStream(skip_special_tokens=False)
        for id in ids:
            self.token_bytes(id)
        return [decoder.step(self._tokenizer, id) for id in ids]

    def trace(self, text: str) -> Trace:
        """How one pre-token (as in Encoding.pre_tokens) becomes tokens, merge by merge."""
        model = self._tokenizer.model
        kind = type(model).__name__
        letters = {byte: letter for letter, byte in byte_letters().items()}
        symbols = [letters[byte] for byte in text.encode()] if "ByteLevel" in self._marks else list(text)
        tokens = model.tokenize("".join(symbols))
        ids = tuple(token.id for token in tokens)
        start = tuple(self._piece(symbol) for symbol in symbols)
        if kind != "BPE":
            return Trace(text, kind, start, False, None, ids)
        if model.ignore_merges and len(ids) == 1:
            return Trace(text, kind, start, True, (), ids)
        ends, merges = self._steps(symbols)
        # a model with its own rules for unknown letters, prefixes or dropout merges otherwise: do not pretend
        if tuple(self._tokenizer.token_to_id(piece) for piece in ends) != ids:
            return Trace(text, kind, start, False, None, ids)
        return Trace(text, kind, start, False, merges, ids)

    def merged(self, pieces: Sequence[bytes]) -> list[Trace]:
        """What merging alone makes of bytes, as if each of `pieces` were a pre-token: no pattern, no whole entries.

        `Trace.merges` is None, and `ids` empty, where this is no byte-pair vocabulary or has rules of its own.
        """
        return [self._merged(data) for data in pieces]

    def _merged(self, data: bytes) -> Trace:
        model, text = self._tokenizer.model, data.decode(errors="replace")
        kind = type(model).__name__
        if "ByteLevel" in self._marks:
            letters = {byte: letter for letter, byte in byte_letters().items()}
            symbols = [letters[byte] for byte in data]
        else:
            symbols = list(text.replace(" ", "▁") if "▁" in self._marks else text) if is_whole(data) else None
        own_rules = kind != "BPE" or model.continuing_subword_prefix or model.end_of_word_suffix or symbols is None
        ends, merges = ([], ()) if own_rules else self._steps(symbols)
        ids = [self._tokenizer.token_to_id(piece) for piece in ends]
        if not ids or None in ids:
            return Trace(text, kind, (), False, None, ())
        return Trace(text, kind, tuple(map(self._piece, symbols)), False, merges, tuple(ids))

    def _steps(self, symbols: list[str]) -> tuple[list[str], tuple[Merge, ...]]:
        """The names of the pieces at the end of merging, and its steps."""
        ends, steps = merge_order(symbols, self._priority)
        at = [0, *accumulate(len(self._piece(symbol)) for symbol in symbols)]
        return ends, tuple(
            Merge(at[place], self._piece(left), self._piece(right), rank[0]) for place, left, right, rank in steps
        )

    def _piece(self, name: str) -> bytes:
        """The bytes of a piece under way, by its name in the model."""
        return bytes(byte_letters()[letter] for letter in name) if "ByteLevel" in self._marks else name.encode()

    def _priority(self, left: str, right: str) -> tuple | None:
        """Where the merge of two pieces stands in the order of merging; see ranks.merges."""
        if not self._ranked:
            return self._merges.get((left, right))
        id_of = self._tokenizer.token_to_id
        rank = id_of(left + right)
        return None if rank is None else (rank, id_of(left), id_of(right))

    @cached_property
    def _merges(self) -> dict[tuple[str, str], tuple[int]]:
        pairs = json.loads(self._tokenizer.to_str())["model"]["merges"]
        pairs = (tuple(pair) if isinstance(pair, list) else tuple(pair.split(" ")) for pair in pairs)
        return {pair: (rank,) for rank, pair in enumerate(pairs)}


# Caches, not state: what is in them changes how fast an answer comes and nothing else. An outside tokenizer is a
# child process with a vocabulary in its memory, so few of them stay open.
_BUILT_IN, _OUTSIDE = Shelf(len(catalog.MODELS)), Shelf(4)


def _build(key: str) -> Vocab:
    from . import ranks, sources

    model = catalog.MODELS[key]
    name = f"{key}-{ranks.VERSION}-{model.tokenizer.sha256[:16]}.json"
    return Vocab.from_json(sources.cached(name, lambda: ranks.build(model)), key, model.label, ranked=True)


def _outside(model: str) -> Vocab:
    from . import sandbox, sources, uploads

    if model.startswith(catalog.UPLOAD):
        return sandbox.OutsideVocab(uploads.upload(model), model, catalog.label(model))
    return sandbox.OutsideVocab(sources.tokenizer_json(model), model, model)


def is_open(model: str) -> bool:
    """Whether `open_vocab(model)` would answer at once."""
    return model in _BUILT_IN or model in _OUTSIDE


def open_vocab(model: str, *, wait: bool = True) -> Vocab:
    """The tokenizer of a catalog key, of a Hub model `org/name`, or of an upload (`upload:<sha256>`).

    Opening one of the catalog takes 2 to 5 s the first time on a machine, about 1 s later, nothing after
    that. Errors are Problems. Without `wait`, one that is not open raises Waiting.
    """
    from . import sources

    if not isinstance(model, str) or not model.strip():
        raise Problem(
            "Choose a model: a name from the list, or a Hub id such as org/name.",
            "请选择模型：列表中的名字，或 org/name 形式的 Hub id。",
        )
    model = catalog.key_of(model)
    if model in catalog.MODELS:
        return _BUILT_IN.get(model, lambda: _build(model), wait=wait)
    if "/" not in model and not model.startswith(catalog.UPLOAD):
        known = ", ".join(catalog.MODELS)
        raise Problem(
            f"There is no model of this name here: choose {known}, or a Hub id such as org/name.",
            f"这里没有叫这个名字的模型：请选择 {known}，或 org/name 形式的 Hub id。",
        )
    name = model if model.startswith(catalog.UPLOAD) else sources.check_model_id(model)
    return _OUTSIDE.get(name, lambda: _outside(name), wait=wait)


def open_upload(data: bytes) -> str:
    """Keep a visitor's tokenizer.json for this run of the app, and try it; the key that names it as a model."""
    from .uploads import keep_upload

    key = keep_upload(data)
    open_vocab(key)
    return key
