"""The head of GGUF files: what is written in them comes out, and what cannot be so is refused at once."""

import struct
import time

import numpy as np
import pytest

from demo_lib import gguf
from demo_lib.gguf import Tensor
from demo_lib.table import Stored, floats

from . import made_gguf
from .made_gguf import fact, q8_0, tensor, text


def read(tmp_path, data: bytes):
    path = tmp_path / "x.gguf"
    path.write_bytes(data)
    return gguf.read(path)


def test_facts_of_all_kinds(tmp_path):
    plain = {
        "B": 200,
        "b": -3,
        "H": 60_000,
        "h": -300,
        "I": 2**31,
        "i": -5,
        "f": 0.5,
        "?": True,
        "Q": 2**40,
        "q": -(2**40),
        "d": 0.1,
    }
    facts = [fact(kind, value, kind) for kind, value in plain.items()]
    facts += [
        fact("text", "今天"),
        fact("texts", ["a", "", "𠮷"]),
        fact("list", [1, -2, 3], "h"),
        fact("none", [], "f"),
    ]
    found, tensors = read(tmp_path, made_gguf.gguf(facts, []))
    assert found == plain | {"text": "今天", "texts": ("a", "", "𠮷"), "list": (1, -2, 3), "none": ()}
    assert tensors == {}


def test_tensors(tmp_path):
    listed = [tensor("a", (3, 32), 8, 0), tensor("b", (4,), 0, 128), tensor("c", (2, 256), 12, 160)]
    data = made_gguf.gguf([fact("general.alignment", 32)], listed, bytes(1000))
    _, found = read(tmp_path, data)
    base = len(data) - 1000
    assert base % 32 == 0
    assert found == {
        "a": Tensor("a", (3, 32), "Q8_0", base),
        "b": Tensor("b", (4,), "F32", base + 128),
        "c": Tensor("c", (2, 256), None, base + 160),  # a type that is not read here
    }


def test_a_q8_0_table(tmp_path):
    generator = np.random.default_rng(0)
    blocks = [
        (float(np.float16(scale)), numbers)
        for scale, numbers in zip(generator.random(6), generator.integers(-128, 128, (6, 32)), strict=True)
    ]
    data = made_gguf.gguf([], [tensor("t", (3, 64), 8, 0)], q8_0(blocks))
    _, found = read(tmp_path, data)
    place = found["t"]
    stored = Stored(tmp_path / "x.gguf", place.start, place.dtype, *place.shape, "x")
    expected = np.array([[scale * number for number in numbers] for scale, numbers in blocks]).reshape(3, 64)
    assert np.array_equal(floats(stored.map(), "Q8_0"), expected.astype(np.float32))


GOOD = [fact("a", 1)]
LISTS = b"a".join([struct.pack("<Q", 1), struct.pack("<IIQ", 9, 9, 1)])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GGUF",
        made_gguf.gguf(GOOD, [], magic=b"GGML"),
        made_gguf.gguf(GOOD, [], version=2),
        made_gguf.gguf(GOOD, [])[:20],
        b"GGUF" + struct.pack("<IQQ", 3, 2**63, 1),
        b"GGUF" + struct.pack("<IQQ", 3, 1, 2**63),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 99_999) + fact("a", 1),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**62) + b"a",
        made_gguf.gguf([text("a") + struct.pack("<I", 99)], []),
        made_gguf.gguf([text("a") + struct.pack("<IIQ", 9, 4, 2**60)], []),
        made_gguf.gguf([text("a") + struct.pack("<IIQ", 9, 8, 2**60)], []),
        made_gguf.gguf([LISTS], []),
        made_gguf.gguf([fact("a", 1), fact("a", 2)], []),
        made_gguf.gguf([fact("general.alignment", 64)], []),
        made_gguf.gguf([text(b"\xff") + struct.pack("<II", 4, 1)], []),
        made_gguf.gguf([], [tensor("t", (), 0, 0)]),
        made_gguf.gguf([], [tensor("t", (1,) * 5, 0, 0)], bytes(4)),
        made_gguf.gguf([], [tensor("t", (2, 2), 0, 0)], bytes(15)),
        made_gguf.gguf([], [tensor("t", (2**40, 2**20), 0, 0)], bytes(16)),
        made_gguf.gguf([], [tensor("t", (2, 2), 0, 2**63)], bytes(16)),
        made_gguf.gguf([], [tensor("t", (2, 2), 0, 8)], bytes(99)),
        made_gguf.gguf([], [tensor("t", (2, 48), 8, 0)], bytes(999)),
        made_gguf.gguf([], [tensor("t", (2, 2), 0, 0)] * 2, bytes(16)),
    ],
    ids=range(24),
)
def test_what_cannot_be_so(tmp_path, data):
    begun = time.monotonic()
    with pytest.raises(ValueError):  # noqa: PT011 - of any kind: UnicodeDecodeError is one
        read(tmp_path, data)
    assert time.monotonic() - begun < 2
