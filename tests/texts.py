"""Texts for property tests: any Unicode, and more often than chance what tokenizers stumble over."""

from hypothesis import strategies as st

SPECIAL = ["<|eot_id|>", "<|begin_of_text|>", "<|im_end|>", "<|endoftext|>", "<tool_call>", "<think>"]
# fmt: off
ODD = [
    "'s", "'LL", "'ſ", "’t", "ﬁ", "İ", "ß", "Ǆ", "1234", "٣٤", "①", "Ⅷ", "½", "_", "://", ".,!", "<|im_", "\ufffd",
    "\r\n", "\n\n ", "  \n", " ", "   ", "\t", "\u3000", "\u00a0", "\u0085", "\u2028", "\u200d", "\ufeff", "\0", "\x1c",
    "年假怎么申请？", "钉", "𠮷", "🏽", "👨\u200d👩\u200d👧", "🇨🇳", "สวัสดี", "नमस्ते", "각", "ᄀ", "ᅡ", "ᆨ",
    # what NFC composes, decomposes or puts in another order
    "e\u0301", "\u0301", "\u0338", "=\u0338", "\u212b", "a\u0315\u0300", "\u0315\u0316", "\u0344", "\u0958", "か\u3099",
]
# fmt: on
CHARACTERS = st.characters(exclude_categories=["Cs"])
texts = st.lists(st.sampled_from(ODD + SPECIAL) | CHARACTERS, max_size=30).map("".join)
