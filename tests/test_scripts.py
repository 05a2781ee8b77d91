"""Scripts: against the names that Unicode gives its characters, one character and one token at a time."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib.scripts import KINDS, kinds_of

from . import texts

BY_NAME = {
    "han": ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION"),
    "latin": ("LATIN", "FULLWIDTH LATIN"),
    "cyrillic": ("CYRILLIC", "COMBINING CYRILLIC"),
    "kana": ("HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA"),
    "hangul": ("HANGUL", "HALFWIDTH HANGUL"),
    "arabic": ("ARABIC",),
}


def slow(text: str) -> str:
    """The rule of the page, as one would apply it by hand."""
    letters, digits, others, spaces = set(), 0, 0, 0
    for char in text:
        category, name = unicodedata.category(char), unicodedata.name(char, "")
        if category.startswith("N"):
            digits += 1
        elif char.isspace():
            spaces += 1
        elif category.startswith("L") or category in ("Mc", "Me"):
            letters.add(next((kind for kind, starts in BY_NAME.items() if name.startswith(starts)), "other"))
        elif category != "Mn":
            others += 1
    if letters:
        return letters.pop() if len(letters) == 1 else "kana" if letters == {"han", "kana"} else "mixed"
    return "digits" if digits else "punctuation" if others else "space" if spaces else "other"


PLAIN = "年假申请々　中あいカナーｶﾞ한글가abcÀßﬁＡбфЖЩ،عربيπδאבดก123٣①½Ⅷ.,!?-()，。「」€→🙂 \t\n"


@given(st.text(st.sampled_from(PLAIN), max_size=6))
def test_as_by_hand(text):
    assert KINDS[kinds_of([text])[0]] == slow(text)


@given(st.lists(texts.texts, max_size=6))
def test_many_at_once_are_as_one_at_a_time(many):
    assert kinds_of(many).tolist() == [int(kinds_of([text])[0]) for text in many]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("年假", "han"),
        (" 年假2026!", "han"),
        ("の申", "kana"),
        ("ー", "kana"),
        ("が", "kana"),
        ("か\u3099", "kana"),
        ("a年", "mixed"),
        ("aд", "mixed"),
        (".com", "latin"),
        ("e\u0301", "latin"),
        ("\u0301", "other"),
        ("นะ", "other"),
        ("٣", "digits"),
        ("(1)", "digits"),
        ("\u200d", "punctuation"),
        ("\0", "punctuation"),
        ("\n\n ", "space"),
        ("", "other"),
    ],
)
def test_examples(text, kind):
    assert KINDS[kinds_of(["x", text, "年"])[1]] == kind
