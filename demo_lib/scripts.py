"""In which script the tokens of a vocabulary are written: all of them at once, by their characters."""

from functools import lru_cache

# The kinds of token, in the order in which they are shown. Each character is one of the bits below; a token's kind
# follows from the bits of its characters.
KINDS = (
    *("han", "latin", "cyrillic", "kana", "hangul", "arabic", "other", "mixed"),
    *("digits", "punctuation", "space", "bytes", "special"),
)
# What a character can be; the first that fits counts. A mark that belongs to no script goes with any letter.
_CHARACTERS = {
    "digits": r"\p{N}",
    "space": r"\s",
    "han": r"\p{Script=Han}",
    "latin": r"\p{Script=Latin}",
    "cyrillic": r"\p{Script=Cyrillic}",
    "kana": r"[\p{Script=Hiragana}\p{Script=Katakana}ーｰﾞﾟ]",
    "hangul": r"\p{Script=Hangul}",
    "arabic": r"\p{Script=Arabic}",
    "mark": r"[\p{M}&&[\p{Script=Inherited}\p{Script=Common}]]",
    "other": r"[\p{L}\p{M}]",
    "punctuation": r"(?s:.)",
}
_BIT = {name: 1 << i for i, name in enumerate(_CHARACTERS)}


@lru_cache(maxsize=1)
def _kind_of_bits():
    """uint8 (2**11,): for each set of character kinds, the index in KINDS."""
    import numpy as np

    letters = {name: _BIT[name] for name in KINDS[:7]}
    kinds = np.empty(1 << len(_BIT), np.uint8)
    for bits in range(len(kinds)):
        scripts = [name for name, bit in letters.items() if bits & bit]
        if len(scripts) == 1:
            kind = scripts[0]
        elif scripts:
            kind = "kana" if scripts == ["han", "kana"] else "mixed"
        else:
            kind = next((name for name in ("digits", "punctuation", "space") if bits & _BIT[name]), "other")
        kinds[bits] = KINDS.index(kind)
    return kinds


def kinds_of(texts: list[str]):
    """uint8 (len(texts),): for each text the index in KINDS of what it is, from its characters alone.

    A text with letters is of their script, whatever digits and punctuation stand beside them; with letters of two
    scripts it is mixed, except that kana may stand among Han characters. One without letters is digits, then
    punctuation (symbols and control characters too), then white space. An empty text is "other".

    >>> [KINDS[kind] for kind in kinds_of([" 年假", "の申", ".com2", "a年", "(2)", "!?", " ", "นะ"])]
    ['han', 'kana', 'latin', 'mixed', 'digits', 'punctuation', 'space', 'other']
    """
    import numpy as np
    import regex

    joined = "".join(texts)
    codes = np.frombuffer(joined.encode("utf-32-le"), np.uint32)
    used = np.unique(codes)
    pattern = regex.compile("|".join(f"(?P<{name}>{rule})" for name, rule in _CHARACTERS.items()), regex.V1)
    table = np.zeros(int(used[-1]) + 1 if len(used) else 1, np.uint16)
    for code in used.tolist():
        table[code] = _BIT[pattern.match(chr(code)).lastgroup]
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    bits = np.zeros(len(texts), np.uint16)
    full = np.flatnonzero(lengths)  # reduceat has no answer for an empty stretch
    if len(full):
        bits[full] = np.bitwise_or.reduceat(table[codes], (np.cumsum(lengths) - lengths)[full])
    return _kind_of_bits()[bits]
