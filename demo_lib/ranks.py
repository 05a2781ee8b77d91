"""From ranked byte strings to a tokenizer.json that gives the ids of the official one."""

import base64
import binascii

from . import catalog, sources
from .encoding import byte_letters
from .problems import Problem

# goes into the name of the cached file: raise it when what build() writes changes
VERSION = 1


def read_ranks(data: bytes) -> list[bytes]:
    """The byte strings of a .tiktoken file (`base64 rank` a line), in the order of their ranks.

    >>> read_ranks(b"IQ== 0\\nIg== 1\\n")
    [b'!', b'"']
    """
    try:
        pairs = [line.split() for line in data.splitlines() if line]
        ranked = {int(rank): base64.b64decode(token, validate=True) for token, rank in pairs}
        return [ranked[rank] for rank in range(len(pairs))]
    except (ValueError, KeyError, binascii.Error):
        raise Problem(
            "The file of ranked byte strings is damaged: install the requirements again.",
            "词表文件（带排名的字节串）已损坏：请重新安装依赖。",
        ) from None


def merges(ranked: list[bytes]) -> list[tuple[bytes, bytes]]:
    """Every pair of entries that makes an entry, in the order in which merging prefers them.

    The order is by the rank of the result, then of the left and the right part, as transformers'
    TikTokenConverter has it.

    >>> merges([b"a", b"b", b"ab"])
    [(b'a', b'b')]
    """
    rank = {token: i for i, token in enumerate(ranked)}
    pairs = []
    for token in ranked:
        if len(token) > 1:
            splits = ((token[:i], token[i:]) for i in range(1, len(token)))
            pairs += sorted(
                (pair for pair in splits if pair[0] in rank and pair[1] in rank), key=lambda p: (rank[p[0]], rank[p[1]])
            )
    return pairs


def build(model: catalog.Model) -> bytes:
    """The tokenizer.json of a catalog model, from its package's ranked byte strings. Takes 2 to 5 s."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    spec = model.tokenizer
    ranked = read_ranks(sources.package_file(spec.package, spec.path, spec.sha256))
    letters = {byte: letter for letter, byte in byte_letters().items()}
    names = ["".join(letters[byte] for byte in token) for token in ranked]
    name = dict(zip(ranked, names, strict=True))
    bpe = models.BPE(
        vocab={token: id for id, token in enumerate(names)},
        merges=[(name[left], name[right]) for left, right in merges(ranked)],
        ignore_merges=spec.ignore_merges,
    )
    tokenizer = Tokenizer(bpe)
    if spec.normalizer == "NFC":
        tokenizer.normalizer = normalizers.NFC()
    pattern = Regex("|".join(alternative.regex for alternative in spec.pattern))
    split = pre_tokenizers.Split(pattern, behavior="isolated")
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, to_bytes])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in spec.special_tokens])
    if spec.bos:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{spec.bos} $A", special_tokens=[(spec.bos, tokenizer.token_to_id(spec.bos))]
        )
    return tokenizer.to_str().encode()
