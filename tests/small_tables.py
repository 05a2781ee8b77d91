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


def vocab(tokens: Sequence[str], special: Sequence[str] = ()) -> Vocab:
    """A tokenizer that cuts a text into as few of `tokens` as it can; then come the special tokens."""
    pieces = [(token.replace(" ", "▁"), -1.0) for token in tokens]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Replace("▁", " ")
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return Vocab.from_json(tokenizer.to_str(), "small", "Small")


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
