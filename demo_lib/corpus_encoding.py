"""What kind of bytes a file has: its character encoding, or that it is no text at all."""

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import BinaryIO

from .problems import Problem

PIECE = 1 << 18  # bytes of each piece that is looked at; up to four of them a file
_MARKS = {  # byte order marks; UTF-32's begins with UTF-16's
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Encodings of Chinese, Japanese and Korean: the lead bytes of their everyday characters, and how many of all lead bytes
# have to be such. In this order: Korean's and the kana's are lead bytes of GB 18030 too, but there they are few.
_EASTERN = {
    "euc_jp": ((range(0xA4, 0xA6),), 0.2),
    "euc_kr": ((range(0xB0, 0xC9), range(0xA1, 0xA2)), 0.97),
    "gb18030": ((range(0xB0, 0xD8), range(0xA1, 0xA4)), 0.85),
    "shift_jis": ((range(0x82, 0x84), range(0x88, 0x98)), 0.85),
    "big5": ((range(0xA4, 0xC7), range(0xA1, 0xA2)), 0.85),
}
_FORMATS = {
    b"PK\x03\x04": (
        "a zip file or a spreadsheet: unpack it, or save it as CSV",
        "压缩包或电子表格：请解压，或另存为 CSV",
    ),
    b"\xd0\xcf\x11\xe0": ("an old Office file: save it as text or CSV", "旧版 Office 文件：请另存为文本或 CSV"),
    b"%PDF": ("a PDF: save its text as .txt", "PDF：请把其中的文字另存为 .txt"),
    b"\x1f\x8b": ("packed with gzip: unpack it first", "gzip 压缩文件：请先解压"),
    b"\x28\xb5\x2f\xfd": ("packed with zstd: unpack it first", "zstd 压缩文件：请先解压"),
    b"BZh": ("packed with bzip2: unpack it first", "bzip2 压缩文件：请先解压"),
    b"\xfd7zXZ": ("packed with xz: unpack it first", "xz 压缩文件：请先解压"),
}


def pieces(file: BinaryIO, size: int) -> list[bytes]:
    """Up to four pieces of a file, from all over it; each but the first begins after a line break."""
    found = []
    for start in sorted({size * quarter // 4 for quarter in range(4)}) if size > 4 * PIECE else [0]:
        file.seek(start)
        piece = file.read(4 * PIECE if size <= 4 * PIECE else PIECE)
        found.append(piece[piece.find(b"\n") + 1 :] if start else piece)
    return found


def detect(name: str, sample: list[bytes]) -> str:
    """The encoding of a file, by pieces of it. What is no text raises Problem.

    A byte order mark decides; then zero bytes, which only UTF-16 has in text; then whether all is UTF-8; then which of
    the Chinese, Japanese and Korean encodings would make mostly everyday characters of it. What is left is taken for
    Windows-1252. Only UTF-8 is certain without a mark, so the report says what was taken.

    >>> detect("a.txt", ["请问年假怎么申请？".encode("gb18030")]), detect("a.txt", ["naïve".encode("cp1252")])
    ('gb18030', 'cp1252')
    """
    head = sample[0]
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    for magic, words in _FORMATS.items():
        if head.startswith(magic):
            raise _binary(name, *words)
    if b"\0" in head:
        for encoding in ("utf-16-le", "utf-16-be"):
            if _is_utf16(head, encoding):
                return encoding
        raise _binary(name, "not text: it has zero bytes", "不是文本：其中有零字节")
    if _reads("utf-8", sample):
        return "utf-8"
    if sum(head.count(byte) for byte in range(1, 32) if byte not in b"\t\n\r\f\x1b") > len(head) / 20:
        raise _binary(name, "not text: it is full of control characters", "不是文本：其中满是控制字符")
    for encoding, (_, least) in _EASTERN.items():
        if _everyday(b"".join(sample), encoding) > least:
            return encoding
    return "utf-8" if _mostly_utf8(sample) else _last_guess(b"".join(sample))


def _last_guess(data: bytes) -> str:
    """Western letters stand alone among ASCII; Russian ones in rows, most of them small; what else does is Chinese."""
    beyond = re.findall(rb"[\x80-\xff]", data)
    rows = re.findall(rb"[\x80-\xff]{2,}", data)
    if sum(map(len, rows)) < len(beyond) / 2:
        return "cp1252"
    small = sum(byte >= b"\xe0" for byte in beyond) > 0.6 * len(beyond)
    return "cp1251" if small or not _reads("gb18030", [data]) else "gb18030"


def _binary(name: str, en: str, zh: str) -> Problem:
    return Problem(f"{name} is {en}.", f"{name} 是{zh}。" if not zh.startswith("不") else f"{name} {zh}。")


def _is_utf16(data: bytes, encoding: str) -> bool:
    """Whether zero bytes are where the high halves of ASCII are, and hardly a character is none."""
    highs, lows = (data[1::2], data[::2]) if encoding == "utf-16-le" else (data[::2], data[1::2])
    if highs.count(0) < 20 * lows.count(0) or not _reads(encoding, [data]):
        return False
    text = data[: len(data) & ~1].decode(encoding, "replace")
    return (
        sum(unicodedata.category(character) in ("Cc", "Cn", "Co") for character in text if character not in "\t\r\n")
        < len(text) / 100
    )


def _reads(encoding: str, sample: list[bytes]) -> bool:
    """Whether all pieces are of this encoding, but for a character that is cut at the end of a piece."""
    try:
        for piece in sample:
            codecs.getincrementaldecoder(encoding)().decode(piece)
    except UnicodeDecodeError:
        return False
    return True


def _mostly_utf8(sample: list[bytes]) -> bool:
    """Whether only a few bytes are not UTF-8: a damaged file, whose bad lines are counted as such."""
    text = b"".join(sample).decode(errors="replace")
    beyond = sum(character > "\x7f" for character in text)
    return text.count("\ufffd") < beyond / 4


def _everyday(data: bytes, encoding: str) -> float:
    """Of the characters that are not ASCII, the share that are everyday ones of this encoding; 0 if it cannot be it."""
    if not _reads(encoding, [data]):
        return 0.0
    leads, i = [0] * 256, 0
    data = data[: 4 * PIECE]
    while i < len(data):
        wide = data[i] > 0x80 and not (encoding == "shift_jis" and 0xA0 <= data[i] < 0xE0)
        leads[data[i]] += data[i] >= 0x80
        i += 2 if wide else 1
    return sum(leads[byte] for part in _EASTERN[encoding][0] for byte in part) / (sum(leads) or 1)


def is_wide(encoding: str | None) -> bool:
    """Whether a line break is more than one byte, so that a file has to be read from its beginning."""
    return (encoding or "").startswith(("utf-16", "utf-32", "utf_16", "utf_32"))


def as_utf8(read: Callable[[int], bytes], encoding: str) -> Iterator[bytes]:
    """The bytes of a file of a wide encoding as UTF-8, piece by piece; what is broken stays broken, for its line."""
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    while piece := read(PIECE):
        yield decoder.decode(piece).encode("utf-8", "surrogatepass")


def check_encoding(encoding: str) -> str:
    """An encoding that somebody names, as Python calls it."""
    try:
        name = codecs.lookup(encoding).name
        "a".encode(name)
        return name
    except (LookupError, ValueError, TypeError):
        raise Problem(
            f"There is no encoding {str(encoding)[:40]}: use a name such as utf-8, gb18030, big5 or utf-16.",
            f"没有 {str(encoding)[:40]} 这种编码：请使用 utf-8、gb18030、big5、utf-16 之类的名称。",
        ) from None
