"""Tokenizers that tests make: small ones that work, and hostile ones."""

import json

LETTERS = {letter: id for id, letter in enumerate("abcdefghij")}


def bpe(**changes) -> dict:
    """The fields of a tokenizer.json's BPE model."""
    plain = {"type": "BPE", "unk_token": None, "byte_fallback": False, "ignore_merges": False}
    return plain | {"vocab": LETTERS, "merges": []} | changes


def tokenizer_json(**changes) -> bytes:
    """A tokenizer.json of ten letters, with what a test puts into it."""
    empty = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    return json.dumps({"version": "1.0", "added_tokens": [], **dict.fromkeys(empty), "model": bpe()} | changes).encode()


def split(pattern: str) -> dict:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def trained(kind: str) -> bytes:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    text = ["the quick brown fox jumps over the lazy dog", "请问年假怎么申请？我想请5天年假", "hug pug hugs bun"] * 9
    special = ["[UNK]", "<s>"]
    match kind:
        case "BPE":
            tokenizer = Tokenizer(models.BPE())
            tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
            tokenizer.decoder = decoders.ByteLevel()
            alphabet = pre_tokenizers.ByteLevel.alphabet()
            trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
        case "Unigram":
            tokenizer = Tokenizer(models.Unigram())
            tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
            trainer = trainers.UnigramTrainer(vocab_size=120, special_tokens=special, unk_token="[UNK]")
        case "WordPiece":
            tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
            tokenizer.normalizer = normalizers.Lowercase()
            tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
            trainer = trainers.WordPieceTrainer(vocab_size=200, special_tokens=special)
        case "WordLevel":
            tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
            tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
            trainer = trainers.WordLevelTrainer(special_tokens=special)
    tokenizer.train_from_iterator(text, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer.to_str().encode()


REFUSED = {
    "not JSON": b"hello",
    "empty": b"",
    "truncated": tokenizer_json()[:-20],
    "not UTF-8": tokenizer_json().replace(b'"a"', b'"\xff"'),
    "an array": b"[]",
    "no model": b'{"version": "1.0"}',
    "model null": b'{"model": null}',
    "deep": b'{"model": ' + b"[" * 10**6,
    "merge of what is not there": tokenizer_json(model=bpe(merges=[["a", "b"]])),
    "merge of three": tokenizer_json(model=bpe(merges=["a b c"])),
    "merge that is too short": tokenizer_json(
        model=bpe(vocab={"a": 0, "##b": 1, "a##b": 2}, merges=[["a", "##b"]], continuing_subword_prefix="##")
    ),
    "id below 0": tokenizer_json(model=bpe(vocab={"a": -1})),
    "id over 2**32": tokenizer_json(model=bpe(vocab={"a": 2**32 + 1})),
    "nested pattern": tokenizer_json(pre_tokenizer=split("(" * 5000 + "a" + ")" * 5000)),
    "broken pattern": tokenizer_json(pre_tokenizer=split("(")),
    "unigram without pieces": tokenizer_json(model={"type": "Unigram", "unk_id": 5, "vocab": []}),
    "precompiled rules that panic": tokenizer_json(
        normalizer={"type": "Precompiled", "precompiled_charsmap": "CAAAAP////////////////8="}
    ),
    "precompiled rules that abort": tokenizer_json(
        normalizer={"type": "Precompiled", "precompiled_charsmap": "/////w=="}
    ),
}


FAILS = {  # a text that is well, where there is one, and a text that is not
    "catastrophic pattern": (tokenizer_json(pre_tokenizer=split("(a+)+$")), "aaa", "a" * 40 + "b"),
    "missing unknown token": (tokenizer_json(model=bpe(unk_token="<unk>")), "abc", "z"),
    "post-processing that panics": (
        tokenizer_json(
            post_processor={
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "X", "type_id": 0}}],
                "pair": [],
                "special_tokens": {},
            }
        ),
        None,
        "a",
    ),
    "pieces of length 0": (tokenizer_json(pre_tokenizer={"type": "FixedLength", "length": 0}), "", "abc"),
    "a letter that becomes a million": (
        tokenizer_json(normalizer={"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 10**6}),
        "b",
        "a" * 5000,
    ),
    "a letter that doubles 40 times": (
        tokenizer_json(
            normalizer={
                "type": "Sequence",
                "normalizers": [{"type": "Replace", "pattern": {"Regex": "a"}, "content": "aa"}] * 40,
            }
        ),
        "b",
        "a",
    ),
}


ODD = {  # strange, but the library has an answer
    "one id for two tokens": (tokenizer_json(model=bpe(vocab={"a": 0, "b": 0, "c": 1})), "abc", 3),
    "added token on a taken id": (
        tokenizer_json(
            added_tokens=[
                {
                    "id": 0,
                    "content": "<s>",
                    "single_word": False,
                    "lstrip": False,
                    "rstrip": False,
                    "normalized": False,
                    "special": True,
                }
            ]
        ),
        "a<s>",
        2,
    ),
    "empty pattern": (tokenizer_json(pre_tokenizer=split("")), "aaa", 3),
    "ten entries": (tokenizer_json(), "abcdefghij", 10),
}
