"""Tokens as something that can be seen."""

import json
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib.catalog import MODELS
from demo_lib.problems import Problem
from demo_lib.render import BROKEN, CUT, NAMES, SPECIAL, hex_bytes, piece, say, to_json, token_rows, visible
from demo_lib.vocab import open_vocab

from . import texts

# Default_Ignorable_Code_Point of DerivedCoreProperties.txt: has no shape, whatever its category
IGNORABLE = (
    "00AD 034F 061C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0 FFF0-FFF8 "
    "1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"
)


@pytest.mark.parametrize(
    ("char", "seen"),
    [(" ", "·"), ("\n", "⏎"), ("\t", "⇥"), ("\r", "[CR]"), ("\0", "[NUL]"), ("\u3000", "[IDSP]"), ("\ufe0f", "[VS16]")]
    + [("\U000e0100", "[U+E0100]"), ("\x07", "[U+0007]"), ("\ue000", "[U+E000]")]
    + [(char, char) for char in "a年é<&·\u0301🏽"],
)
def test_visible(char, seen):
    assert visible(char) == seen


def test_whatever_has_no_shape_is_named():
    ranges = [[int(end, 16) for end in part.split("-")] for part in IGNORABLE.split()]
    shapeless = {chr(code) for span in ranges for code in range(span[0], span[-1] + 1)}
    shapeless |= {chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) in ("Cc", "Cf", "Zs", "Zl", "Zp")}
    shapeless -= set(" \n\t")
    named = {char: visible(char) for char in shapeless}
    assert [
        ascii(char) for char, name in named.items() if not re.fullmatch(r"\[(U\+[0-9A-F]{4,6}|[A-Z0-9]+)\]", name)
    ] == []
    assert len(set(named.values())) == len(named)  # no two alike
    assert set(NAMES) <= shapeless


def test_hex():
    assert hex_bytes("钉".encode()) == "E9 92 89"
    assert hex_bytes(b"") == ""


@given(st.binary(max_size=12) | st.lists(st.sampled_from([*"a<钉𠮷".encode(), 0xED, 0xA0, 0xFF])).map(bytes))
def test_piece(data):
    """Python's surrogateescape marks each byte that is no character."""
    marked = data.decode(errors="surrogateescape")
    expected = re.sub(
        "[\udc80-\udcff]+", lambda run: "<" + " ".join(f"{ord(char) - 0xDC00:02X}" for char in run[0]) + ">", marked
    )
    assert piece(data) == expected


def test_say_and_json():
    assert say(Problem("No.", "不。")) == {"en": "No.", "zh": "不。"}
    assert to_json({"text": "年<\u2028", "n": [1, None]}) == '{"text":"年<\u2028","n":[1,null]}'


@settings(max_examples=100)
@given(texts.texts)
@pytest.mark.parametrize("key", MODELS)
def test_the_page_can_rebuild_every_token(key, text):
    """A row holds the token's bytes only where they are not those of the text."""
    encoding = open_vocab(key).encode(text, add_special_tokens=True)
    cuts = frozenset(range(0, len(encoding.tokens), 2))
    rows = json.loads(to_json(token_rows(encoding, cuts)))
    data = text.encode()
    assert len(rows) == len(encoding.tokens)
    for i, (row, token) in enumerate(zip(rows, encoding.tokens, strict=True)):
        id, start, end, flags, *own = row
        assert (id, start, end) == (token.id, token.byte_start, token.byte_end)
        assert (bytes.fromhex(own[0]) if own else data[start:end]) == token.data
        assert not own or data[start:end] != token.data
        assert bool(flags & SPECIAL) == token.special
        assert bool(flags & CUT) == (i % 2 == 0)
        assert bool(flags & BROKEN) == (not token.whole)
