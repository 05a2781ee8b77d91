"""Token ids as people and programs write them."""

import re
import unicodedata

from .problems import Problem

MAX_IDS = 100_000


def check_ids(ids) -> list[int]:
    """A list of ids as a program sends it; a string is read like the page's box."""
    if isinstance(ids, str):
        return parse_ids(ids)
    if not isinstance(ids, list) or not all(isinstance(id, int) and not isinstance(id, bool) for id in ids):
        raise Problem("Give the ids as a list of whole numbers.", "请以整数列表的形式给出 id。")
    return _few(ids)


def _few(ids: list[int]) -> list[int]:
    if len(ids) > MAX_IDS:
        raise Problem(
            f"There are {len(ids):,} ids and the limit is {MAX_IDS:,}: decode them in parts.",
            f"共有 {len(ids):,} 个 id，上限是 {MAX_IDS:,} 个：请分几次解码。",
        )
    return ids


def parse_ids(text: str) -> list[int]:
    """Ids in any usual form: spaces, commas, new lines, JSON or a Python list, tuple, array or tensor.

    >>> parse_ids("[8107, 107099]") == parse_ids("8107 107099") == parse_ids("tensor([8107, 107099])")
    True
    >>> parse_ids('{"input_ids": [8107, 107099], "attention_mask": [1, 1]}')
    [8107, 107099]
    """
    # the names in {"input_ids": [8107], "attention_mask": [1]} stand for their lists: of several, the ids are meant
    if named := re.search(r"""["']?\b(?:input_ids|ids|tokens)["']?\s*:\s*(\[[^\]]*\]+|[^,}]*)""", text):
        text = named[1]
    text = re.sub(r"\b(?:\w+\.)?(?:tensor|array|u?int\d+)\(|\b(?:dtype|device)\s*=[^,)]*", " ", text)
    words = re.split(r"[\s,;，、；\[\](){}]+", unicodedata.normalize("NFKC", text))
    ids = []
    for word in filter(None, words):
        if not re.fullmatch(r"[+-]?[0-9]{1,19}", word):
            shown = word if len(word) <= 20 else word[:20] + "…"
            raise Problem(
                f"“{shown}” is no token id: write whole numbers with spaces or commas between them.",
                f"“{shown}”不是 token id：请写整数，用空格或逗号隔开。",
            )
        ids.append(int(word))
    return _few(ids)
