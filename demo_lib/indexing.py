"""Looking up is taking a row: the same as a one-hot row times the table, and what shape comes out of C[...]."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from .problems import Problem

MAX_IDS = 64
BLOCK = 8192  # rows of the table that are multiplied at once
MAX_NUMBERS = 10**12  # of a shape
MAX_AXES = 8
# As a Chinese keyboard types them
NARROW = str.maketrans("［］（）｛｝：，、．－＋×Ｘｘ＊　", "[](){}:,,.-+xXx* ") | {ord("…"): "..."}


@dataclass(frozen=True)
class OneHot:
    """The same rows got in two ways. Shapes are those of the three matrices of one_hot x table = rows.

    `multiplications` are what a plain matrix product does, `zero_share` the part of them that multiply by 0; `equal`
    says whether both results are the same in every bit that counts (0 and -0 are one number).
    """

    ids: tuple[int, ...]
    one_hot_shape: tuple[int, int]
    table_shape: tuple[int, int]
    shape: tuple[int, int]
    multiplications: int
    zero_share: float
    product_seconds: float
    lookup_seconds: float
    equal: bool


def one_hot(ids: Sequence[int], table) -> OneHot:
    """Rows of a table by one-hot product and by lookup. The product is done in blocks of the table's rows."""
    import numpy as np
    import torch

    if not 1 <= len(ids) <= MAX_IDS:
        raise Problem(
            f"Give 1 to {MAX_IDS} ids; here are {len(ids)}.", f"请给出 1 到 {MAX_IDS} 个 id；现在有 {len(ids)} 个。"
        )
    total, dim = table.info.rows, table.info.dim
    begin = time.perf_counter()
    looked_up = table.rows(list(ids))
    lookup = time.perf_counter() - begin
    chosen = np.array(ids)
    product, seconds = np.zeros((len(ids), dim), np.float32), 0.0
    for start in range(0, total, BLOCK):
        rows = table.rows(slice(start, min(start + BLOCK, total)))  # not counted: both ways read rows as floats
        begin = time.perf_counter()
        ones = (chosen[:, None] == np.arange(start, start + len(rows))).astype(np.float32)
        product += (torch.from_numpy(ones) @ torch.from_numpy(rows)).numpy()
        seconds += time.perf_counter() - begin
    return OneHot(
        ids=tuple(int(id) for id in ids),
        one_hot_shape=(len(ids), total),
        table_shape=(total, dim),
        shape=product.shape,
        multiplications=len(ids) * total * dim,
        zero_share=1 - 1 / total,
        product_seconds=seconds,
        lookup_seconds=lookup,
        equal=bool(np.array_equal(product, looked_up)),
    )


def index_shape(expression: str, shape: Sequence[int], x: str | Sequence[int] = ()) -> tuple[int, ...]:
    """The shape of C[...] where C has `shape` and X, an array of row numbers, has the shape `x` ("[1, 6]").

    Between the brackets: whole numbers, slices, X, ... and None, with commas, as numpy has them. Nothing is evaluated.
    What is no such thing, or out of range, raises Problem; so does X on an axis without entries, unless X is empty too.

    >>> index_shape("C[5]", (27, 2)), index_shape("C[5:6]", (27, 2)), index_shape("C[X]", (27, 2), "[1, 6]")
    ((2,), (1, 2), (1, 6, 2))
    """
    shape, x = read_shape(shape), read_shape(x)
    typed = expression.translate(NARROW) if isinstance(expression, str) else ""
    match = re.fullmatch(r"\s*[A-Za-z]\w*\s*\[(.{1,80})\]\s*", typed)
    if not match:
        raise Problem(
            "Write an index in brackets, such as C[5], C[5:6] or C[X].",
            "请写带方括号的索引，例如 C[5]、C[5:6] 或 C[X]。",
        )
    parts = _spread([part.strip() for part in match[1].rstrip(", ").split(",")], len(shape))
    axes, out, arrays = iter(enumerate(shape)), [], []
    for part in parts:
        if part in ("None", "..."):
            out += [1] * (part == "None")
            continue
        axis, size = next(axes)
        if part == "X":
            if not size and 0 not in x:
                raise _no_entries("X", axis)
            arrays.append(len(out))
        elif ":" in part:
            out.append(_slice_length(part, size))
        else:
            _check_number(int(part), axis, size)
            arrays.append(len(out)) if "X" in parts else None  # beside X, a number is an array too
    return _limit((*_place(out, parts, arrays, x),))


def _place(out: list[int], parts: list[str], arrays: list[int], x: tuple[int, ...]) -> list[int]:
    """Where X's shape goes: for the axes that it and numbers take; in front if something stands between those."""
    if "X" not in parts:
        return out
    kinds = "".join("a" if part == "X" or re.fullmatch(r"[+-]?\d+", part) else "s" for part in parts)
    at = arrays[0] if re.fullmatch("s*a+s*", kinds) else 0
    return [*out[:at], *x, *out[at:]]


def _spread(parts: list[str], axes: int) -> list[str]:
    """The parts with a `:` for each axis that is not named. An ellipsis stays: it stands between, also for nothing."""
    for part in parts:
        if not re.fullmatch(
            r"[+-]?\d{1,18}|X|None|\.\.\.|(?:[+-]?\d{1,18})?:(?:[+-]?\d{1,18})?(?::(?:[+-]?\d{1,18})?)?", part
        ):
            raise Problem(
                f"“{part[:20]}” is no index: use a whole number, a slice such as 5:6, or X.",
                f"“{part[:20]}”不是索引：请使用整数、5:6 这样的切片，或 X。",
            )
    named = sum(part not in ("None", "...") for part in parts)
    if parts.count("...") > 1 or named > axes:
        raise Problem(f"There are more indexes than axes: C has {axes}.", f"索引的个数超过了轴数：C 有 {axes} 个轴。")
    at = parts.index("...") if "..." in parts else len(parts)
    return [*parts[: at + 1], *[":"] * (axes - named), *parts[at + 1 :]]


def _slice_length(part: str, size: int) -> int:
    start, stop, step = ([int(bound) if bound.strip() else None for bound in part.split(":")] + [None])[:3]
    if step == 0:
        raise Problem("The step of a slice cannot be 0.", "切片的步长不能是 0。")
    return len(range(*slice(start, stop, step).indices(size)))


def _no_entries(index: str | int, axis: int) -> Problem:
    return Problem(
        f"{index} is out of range: axis {axis} of C has no entries.",
        f"{index} 超出范围：C 的第 {axis} 轴是空的。",
    )


def _check_number(number: int, axis: int, size: int) -> None:
    if not size:
        raise _no_entries(number, axis)
    if not -size <= number < size:
        raise Problem(
            f"{number} is out of range: axis {axis} of C has {size:,}, counted from 0 to {size - 1:,}.",
            f"{number} 超出范围：C 的第 {axis} 轴有 {size:,} 个，从 0 数到 {size - 1:,}。",
        )


def read_shape(shape: str | Sequence[int]) -> tuple[int, ...]:
    """A shape as typed, "[1, 6]" or "1 x 6", or as a sequence; () is that of one number.

    >>> read_shape("[1, 6]"), read_shape("27 × 2"), read_shape("()")
    ((1, 6), (27, 2), ())
    """
    if isinstance(shape, str):
        typed = re.sub(r"^\s*(?:\w+\.)?Size\b|[\[\](){}]", " ", shape.translate(NARROW)).strip(" ,")
        parts = re.split(r"\s*[,x*\s]\s*", typed) if typed else []
    else:
        parts = [str(size) for size in shape]
    if len(parts) > MAX_AXES or not all(re.fullmatch(r"\d{1,12}", part) for part in parts):
        raise Problem("A shape is a few whole numbers, such as [1, 6].", "形状是几个整数，例如 [1, 6]。")
    return _limit(tuple(int(part) for part in parts))


def _limit(shape: tuple[int, ...]) -> tuple[int, ...]:
    product = 1
    for size in shape:
        product *= max(size, 1)
    if product > MAX_NUMBERS:
        raise Problem(
            "That is more numbers than any model has: use smaller shapes.", "这比任何模型的数都多：请用小一些的形状。"
        )
    return shape
