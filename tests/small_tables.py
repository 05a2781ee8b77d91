"""Small tables of given numbers and given tokens, stored in a file and opened as the app opens one."""

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers

from demo_lib.table import Stored, Table, TableInfo
from demo_lib.vocab import Vocab


def stored(values: np.ndarray, dtype: str) -> bytes:
    """The numbers as a table of this type has them, rounded to it."""
    values = np.asarray(values, np.float32)
    if dtype == "BF16":
        return ((values.view(np.uint32) + 0x8000) >> 16).astype("<u2").tobytes()
    if dtype == "F16":
        return values.astype("<f2").tobytes()
    if dtype == "F32":
        return values.tobytes()
    blocks = values.reshape(-1, 32)
    scales = (np.abs(blocks).max(axis=1, keepdims=True) / 127).astype("<f2")
    divisors = np.where(scales > 0, scales, 1).astype(np.float32)
    whole = np.clip(np.rint(blocks / divisors), -127, 127).astype("i1")
    return np.concatenate([scales.view("u1"), whole.view("u1")], axis=1).tobytes()


def tokenizer_json(tokens: Sequence[str], special: Sequence[str] = ()) -> str:
    """A tokenizer that cuts a text into as few of `tokens` as it can; then come the special tokens."""
    pieces = [(token.replace(" ", "▁"), -1.0) for token in tokens]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Replace("▁", " ")
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return tokenizer.to_str()


def vocab(tokens: Sequence[str], special: Sequence[str] = ()) -> Vocab:
    """As tokenizer_json."""
    return Vocab.from_json(tokenizer_json(tokens, special), "small", "Small")


def table(
    values: np.ndarray,
    tokens: Sequence[str] | None = None,
    special: Sequence[str] = (),
    dtype: str = "F32",
    output: np.ndarray | None = None,
) -> Table:
    """A table of these rows. Without `tokens`, row i is that of the token "wi"."""
    values = np.asarray(values, np.float32)
    tokens = [f"w{i}" for i in range(len(values))] if tokens is None else tokens
    data = stored(values, dtype)
    content = hashlib.sha256(data + dtype.encode()).hexdigest()
    path = Path(tempfile.gettempdir()) / f"small-table-{content}"
    path.write_bytes(data)
    place = Stored(path, 0, dtype, *values.shape, content)
    info = TableInfo("small", "Small", "folder", "small", "", dtype, *values.shape, place.nbytes, output is None)
    made = vocab(tokens, special)
    other = None if output is None else table(output, tokens, special, dtype)
    opened = Table(info, place, lambda: made, other)
    path.unlink()  # it stays mapped
    return opened


# A plane of royalty: x is gender, y is rank
TOKENS = [
    "king",
    "queen",
    "man",
    "woman",
    " king",
    "KING",
    "ｋｉｎｇ",
    "apple",
    "国",
    "王",
    "ばら",
    "バラ",
    "кот",
    "꽃",
    "12",
    "k",
]
ROYAL = {
    "king": (1, 3), "queen": (-1, 3), "man": (1, 0.1), "woman": (-1, 0.1), " king": (1, 2.9), "KING": (1.1, 3),
    "ｋｉｎｇ": (0.9, 3), "apple": (0.1, -2), "国": (0.5, 2), "王": (1, 2), "ばら": (3, 0.5), "バラ": (3, 0.6),
    "кот": (-2, -2), "꽃": (-3, 1), "12": (0, 5), "k": (2, -3),
}  # fmt: skip


def royal(spare: int = 2):
    """The table of ROYAL, then the special token's row, then rows without a token; a third axis keeps rows apart."""
    plane = [ROYAL[token] for token in TOKENS] + [(1, 3)] + [(1.01, 3)] * spare
    return table([(*row, 0.01 * i) for i, row in enumerate(plane)], TOKENS, ["<eos>"])


def cosine(a, b) -> float:
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return (a * b).sum() / ((a * a).sum() * (b * b).sum()) ** 0.5
