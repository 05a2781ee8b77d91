"""Lists of names for tests, and the slow and obvious ways to cut them."""

import os
from functools import lru_cache
from pathlib import Path

import pytest

from demo_lib.names_data import NameList, read_names

WORDS = [
    "emma", "olivia", "ava", "noah", "liam", "mia", "zoe", "eva", "leo",
    "ada", "ivy", "max", "amy", "eli", "ian", "una", "ora", "kai",
]  # fmt: skip


@lru_cache
def small() -> NameList:
    """18 names, 3 of them twice."""
    return read_names("\n".join([*WORDS, "emma", "ava", "leo"]), "small")


def names_of_2019() -> NameList:
    """The edition that courses use, where BOTH_ENDS_NAMES_2019 says where it is; skips where it does not."""
    path = os.environ.get("BOTH_ENDS_NAMES_2019", "")
    if not path:
        pytest.skip("BOTH_ENDS_NAMES_2019 names no file")
    return read_names(Path(path).read_bytes())


def slow_windows(names: NameList, block: int, part: int | None = None) -> list[tuple[str, str]]:
    """(context, next) of all names, or of those in a part, as a course writes it."""
    found = []
    for name, its_part in zip(names.names, names.part.tolist(), strict=True):
        if part is None or its_part == part:
            context = names.mark * block
            for character in name + names.mark:
                found.append((context, character))
                context = context[1:] + character
    return found
