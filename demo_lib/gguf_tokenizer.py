"""From the vocabulary in a GGUF file to a tokenizer.json that gives the ids of the official one.

Two kinds, those of the files in the catalog: Gemma's, SentencePiece's BPE over characters with bytes for what it
does not know, and SmolLM2's, byte-level BPE.
"""

import json
from itertools import pairwise
from typing import Any

# goes into the name of the cached file: raise it when what build() writes changes
VERSION = 1
# Types of pieces, as SentencePiece numbers them
CONTROL, USER_DEFINED = 3, 4


def build(facts: dict[str, Any]) -> bytes:
    """The tokenizer.json for the facts of a GGUF file (see gguf.read). Takes some 4 s for Gemma's 262,144 pieces."""
    kind = facts["tokenizer.ggml.model"], facts["tokenizer.ggml.pre"]
    names, types = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.token_type"]
    parts = {("llama", "default"): _sentencepiece, ("gpt2", "smollm"): _byte_level}[kind](names, types, facts)
    bos = names[facts["tokenizer.ggml.bos_token_id"]] if facts.get("tokenizer.ggml.add_bos_token") else None
    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "post_processor": bos and _begin(bos, names),
    } | parts
    return json.dumps(whole, ensure_ascii=False).encode()


def _sentencepiece(names: tuple[str, ...], types: tuple[int, ...], facts: dict[str, Any]) -> dict[str, Any]:
    # the file has runs of spaces as spaces, SentencePiece and merging have them as ▁
    names = [name.replace(" ", "▁") if type == USER_DEFINED else name for name, type in zip(names, types, strict=True)]
    # a run of ▁ is no added token, since an added token's name is its text; merging finds it all the same
    added = [i for i, type in enumerate(types) if type == CONTROL or (type == USER_DEFINED and "▁" not in names[i])]
    space = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    back = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    return {
        "added_tokens": [_added(i, names[i], special=types[i] == CONTROL) for i in added],
        "normalizer": space,
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"String": " "},
            "behavior": "MergedWithPrevious",
            "invert": False,
        },
        "decoder": {"type": "Sequence", "decoders": [back, {"type": "ByteFallback"}, {"type": "Fuse"}]},
        "model": _bpe(names, merges(names))
        | {"unk_token": names[facts["tokenizer.ggml.unknown_token_id"]], "fuse_unk": True, "byte_fallback": True},
    }


def merges(names: list[str]) -> list[str]:
    """The merges that make pieces, as `left right`, in the order in which merging prefers them.

    SentencePiece keeps no merges: it merges the pair that makes the piece with the highest score, and scores fall as
    ids rise. So the order is by the id of the result, and walking through the pieces leaves nothing to sort.

    Most pieces can be cut in two in several ways, and the official tokenizer.json lists them all, 514,906 for Gemma
    (as transformers' generate_merges does). But whatever surrounds a piece, its inside is merged in one order, since
    nothing crosses its borders, so only one of the cuts can ever be the last merge. The others are left out: the ids
    are the same, and reading the tokenizer takes little more than half the time.

    >>> merges(["a", "b", "ab", "ba", "aba"])
    ['a b', 'b a', 'ab a']
    """
    rank = {name: id for id, name in enumerate(names)}
    found = []
    for name in names:
        cuts = [cut for cut in range(1, len(name)) if name[:cut] in rank and name[cut:] in rank]
        if len(cuts) > 1:
            cuts = _last_cut(name, rank)
        found += [f"{name[:cut]} {name[cut:]}" for cut in cuts]
    return found


def _last_cut(name: str, rank: dict[str, int]) -> list[int]:
    """Where a piece is in two just before it is whole; nothing, if merging its characters ends otherwise."""
    parts = list(name)
    while len(parts) > 2:
        # of pairs that make the same piece, transformers' order puts the one with the shorter left part first
        pairs = [
            (id, len(left), i)
            for i, (left, right) in enumerate(pairwise(parts))
            if (id := rank.get(left + right)) is not None
        ]
        if not pairs:
            return []
        i = min(pairs)[2]
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return [len(parts[0])] if all(part in rank for part in parts) else []


def _byte_level(names: tuple[str, ...], types: tuple[int, ...], facts: dict[str, Any]) -> dict[str, Any]:
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
    return {
        "added_tokens": [_added(i, names[i], special=True) for i, type in enumerate(types) if type == CONTROL],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level],
        },
        "decoder": byte_level,
        "model": _bpe(list(names), list(facts["tokenizer.ggml.merges"])),
    }


def _bpe(names: list[str], merges: list[str]) -> dict[str, Any]:
    # merges as "left right" are read twice as fast as pairs
    return {"type": "BPE", "vocab": {name: i for i, name in enumerate(names)}, "merges": merges}


def _added(id: int, name: str, *, special: bool) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": id, "content": name, **flags, "special": special}


def _begin(bos: str, names: tuple[str, ...]) -> dict[str, Any]:
    """Put the token that begins a text in front, where special tokens are asked for."""
    first = {"SpecialToken": {"id": bos, "type_id": 0}}
    text, second = {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}
    return {
        "type": "TemplateProcessing",
        "single": [first, text],
        "pair": [first, text, first, second],
        "special_tokens": {bos: {"id": bos, "ids": [names.index(bos)], "tokens": [bos]}},
    }
