"""Reading, splitting and cutting a list of names, against slow loops."""

import hashlib
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib import names_data
from demo_lib.names_data import MAX_ALPHABET, MAX_LENGTH, PARTS, Dropped, example, name_windows, read_names, shapes

from .names_lists import WORDS, names_of_2019, slow_windows, small
from .refusals import refusal


def words_of(x: np.ndarray, names) -> list[str]:
    return ["".join(names.alphabet[i] for i in row) for row in x]


def test_the_example_is_the_list_of_2018():
    names = example()
    assert hashlib.sha256(names_data.EXAMPLE.read_bytes()).hexdigest()[:16] == "bd02dfd33179e23e"
    assert (len(names.names), names.positions, names.size, names.mark) == (32_257, 229_804, 27, ".")
    assert names.dropped.total == 0
    assert names.distinct + names.duplicates == 32_257
    assert names is example()


def test_the_list_that_courses_use():
    names = names_of_2019()
    assert (len(names.names), names.positions) == (32_033, 228_146)
    shape = shapes(names, 3, 2)
    assert (shape.x, shape.cx, shape.one_hot_numbers) == ((228_146, 3), (228_146, 3, 2), 18_479_826)


def test_the_windows_of_emma():
    found = name_windows("emma", 3, example())
    assert list(zip(found.contexts, found.targets, strict=True)) == [
        ("...", "e"), ("..e", "m"), (".em", "m"), ("emm", "a"), ("mma", ".")
    ]  # fmt: skip
    assert found.x == ((0, 0, 0), (0, 0, 5), (0, 5, 13), (5, 13, 13), (13, 13, 1))
    assert found.y == (5, 13, 13, 1, 0)


@pytest.mark.parametrize("block", range(1, 9))
def test_windows_are_those_of_a_loop(block):
    names = small()
    for number, part in [(None, "all"), *enumerate(PARTS)]:
        x, y = names.windows(block, part)
        expected = slow_windows(names, block, number)
        assert list(zip(words_of(x, names), [names.alphabet[i] for i in y], strict=True)) == expected
    one = name_windows("olivia", block, names)
    assert len(one.x) == len(one.y) == 7
    start = names.names.index("olivia")
    before = sum(len(name) + 1 for name in names.names[:start])
    assert names.windows(block)[0][before : before + 7].tolist() == [list(row) for row in one.x]


def test_the_split_is_by_name_and_seeded():
    names = example()
    parts = [{name for name, part in zip(names.names, names.part, strict=True) if part == i} for i in range(3)]
    assert not parts[0] & parts[1] | parts[0] & parts[2] | parts[1] & parts[2]
    assert [len(part) for part in parts] == [names.distinct - 2 * 2969, 2969, 2969]
    assert sum(names.names_in(part) for part in PARTS) == names.names_in("all") == len(names.names)
    text = "\n".join(WORDS)
    assert (read_names(text).part == read_names(text).part).all()
    assert any((read_names(text).part != read_names(text, split_seed=seed).part).any() for seed in range(1, 5))


def test_what_is_dropped_is_counted():
    long = "x" * (MAX_LENGTH + 1)
    names = read_names("\n".join([*WORDS, "", "  ", long, "a\x00b", "emma", " ava\t"]).encode())
    assert names.dropped == Dropped(empty=2, long=1, odd=1)
    assert names.dropped.total == 4
    assert (len(names.names), names.duplicates) == (20, 2)


def test_lines_beyond_the_limit_are_counted(monkeypatch):
    monkeypatch.setattr(names_data, "MAX_LINES", 12)
    names = read_names("\n".join(WORDS))
    assert (names.names, names.dropped.beyond) == (tuple(WORDS[:12]), 6)
    monkeypatch.setattr(names_data, "MAX_POSITIONS", sum(len(word) + 1 for word in WORDS[:11]))
    names = read_names("\n".join(WORDS))
    assert (names.names, names.dropped.beyond) == (tuple(WORDS[:11]), 7)


def test_names_with_rare_characters_are_left_out():
    usual = [chr(0x4E00 + i) + chr(0x4E00 + (i + 1) % MAX_ALPHABET) for i in range(MAX_ALPHABET)]
    names = read_names("\n".join([*usual, "\u4e00\u9fa0", "\u9fa1"]))
    assert (names.size, names.dropped.rare, len(names.names)) == (MAX_ALPHABET + 1, 2, MAX_ALPHABET)
    x, y = names.windows(2)
    assert words_of(x[:3], names) == ["..", ".\u4e00", "\u4e00\u4e01"]
    assert max(x.max(), y.max()) == MAX_ALPHABET


def test_letters_and_accents_are_one_character_and_case_stays():
    names = read_names("\n".join([*WORDS, "Zoe\u0308", "Zo\u00eb"]))
    assert names.duplicates == 1
    assert "\u00eb" in names.alphabet
    assert {"z", "Z"} <= set(names.alphabet)


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode(), lambda text: text.encode("utf-8-sig"), lambda text: text.encode("utf-16"),
        lambda text: text, lambda text: text.replace("\n", "\r\n").encode(),
    ],
)  # fmt: skip
def test_files_of_other_editors(encode):
    assert read_names(encode("\n".join(WORDS) + "\n")).names == tuple(WORDS)


def test_the_mark_is_in_no_name():
    assert read_names("\n".join([*WORDS, "st. ives"])).mark == "·"
    marks = "".join(names_data.MARKS)
    names = read_names("\n".join([*WORDS, marks]))
    assert names.mark not in marks
    assert names.alphabet.index(names.mark) == 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"x" * 20_000_001, "larger than 20 MB"), ("\n".join(WORDS).encode() + b"\xff\xfe", "UTF-8"),
        (b"", "0 different names"), (b"\xff\xfe\x00\xd8", "UTF-8"), ("emma\n" * 50, "1 different names"),
        ("\n\n\n", "0 different"), ("\ud800\n" * 20, "0 different"),
    ],
)  # fmt: skip
def test_what_is_no_list_is_refused(data, words):
    assert words in refusal(read_names, data)


@pytest.mark.parametrize(
    ("name", "block", "words"),
    [("emma", 0, "1 to 8"), ("emma", 9, "1 to 8"), ("emma", True, "1 to 8"), ("emma", 2.0, "1 to 8"),
     ("Emma", 3, "“E”"), ("a.b", 3, "“.”"), ("a" * 41, 3, "40 characters")],
)  # fmt: skip
def test_what_makes_no_windows_is_refused(name, block, words):
    assert words in refusal(name_windows, name, block, small())


def test_no_characters_are_a_name_too():
    assert name_windows("  ", 2, small()).contexts == ("..",)


@settings(max_examples=60)
@given(st.lists(st.text(max_size=12), min_size=10, max_size=40))
def test_any_alphabet(lines):
    expected = [unicodedata.normalize("NFC", part.strip(" \t\u3000")) for part in "\n".join(lines).splitlines()]
    expected = [name for name in expected if name and not any(unicodedata.category(c) in ("Cc", "Cs") for c in name)]
    if len(set(expected)) < 10:
        assert "different names" in refusal(read_names, "\n".join(lines))
        return
    names = read_names("\n".join(lines))
    assert list(names.names) == [name for name in expected if len(name) <= MAX_LENGTH]
    assert names.alphabet[1:] == tuple(sorted(set("".join(names.names))))
    assert names.mark not in "".join(names.names)
    assert set(names.part.tolist()) == {0, 1, 2}
    x, y = names.windows(3)
    assert list(zip(words_of(x, names), [names.alphabet[i] for i in y], strict=True)) == slow_windows(names, 3)


def test_shapes_are_those_of_the_arrays():
    names = small()
    x, y = names.windows(3)
    table = np.zeros((names.size, 5), np.float32)
    hot = np.eye(names.size, dtype=np.float32)[x]
    found = shapes(names, 3, 5)
    assert (found.x, found.y, found.table) == (x.shape, y.shape, table.shape)
    assert (found.cx, found.one_hot) == (table[x].shape, hot.shape)
    assert (found.one_hot_numbers, found.one_hot_bytes) == (hot.size, hot.nbytes)
    assert found.zero_share == pytest.approx((hot == 0).mean())
    assert (found.index_bytes, found.embedded_bytes) == (x.nbytes, table[x].nbytes)
    assert found.lookup_bytes == x.nbytes + table.nbytes


def test_what_is_counted_is_kept_once():
    names, made = read_names("\n".join(WORDS)), []
    assert names.keep("a", lambda: made.append(1) or [1]) is names.keep("a", lambda: made.append(1) or [2])
    for block in range(20):
        names.keep(block, lambda: [0])
    names.keep("a", lambda: made.append(1) or [3])
    assert len(made) == 2
