"""A link: the query of an address that opens the page in a certain state, and how it is read with care.

    ?tab=tokens&view=stream&models=llama-3.1,qwen2.5&probes.words=北京&z=eNoBIADf_3sidGV4dCI6IuW5tOWBh-aAjuS5iOeUs-ivt--8nyJ9FvMSng&v=1

`tab` is the tab that is shown, `view` the tab inside it. Other names are inputs of that tab, or of another one after
its name and a point. Lists have commas, switches are 1 or 0. What is longer stands in `z`: the same names as JSON,
packed by zlib and base64url. `v` is the version. Whoever opens a link did not write it: every value is held against
what its input may hold, all sizes are bounded before anything is unpacked, and what does not fit is left out or cut.
"""

import base64
import binascii
import contextlib
import json
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import parse_qsl, quote, urlencode

from .problems import Problem

VERSION = 1
MOST_QUERY = 60_000  # characters of a query that are looked at
MOST_PACKED = 32_000  # characters of `z`
MOST_UNPACKED = 250_000  # bytes of its JSON
MOST_FIELDS, MOST_NODES, MOST_DEPTH = 200, 4_000, 8
LONG_VALUE, LONG_QUERY = 200, 1_200  # from so many characters on, a value or all values are packed
RESERVED = {"tab", "view", "z", "v", "lang", "lesson", "step"}
# What chat programs, search engines and the page's own frame add to an address, and is no mistake of the link
_FOREIGN = re.compile(r"__.*|utm_.*|fbclid|gclid|spm|from|isappinstalled|logs|lang")
_MODEL = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
_NUMBER = re.compile(r"[-+]?\d{1,30}(\.\d{1,30})?([eE][-+]?\d{1,3})?", re.ASCII)


class Unreadable(ValueError):
    """A value that its input cannot hold at all."""


class Kind(Protocol):
    """What an input may hold. `read` takes a value of JSON, or the text of a plain parameter; it returns the value, and
    whether that is all that the link had; it raises Unreadable where nothing can be made of it."""

    def read(self, raw: object) -> tuple[Any, bool]: ...


@dataclass(frozen=True)
class Text:
    """Text of at most so many characters; the rest is cut off."""

    most: int = 20_000

    def read(self, raw: object) -> tuple[str, bool]:
        if not isinstance(raw, str):
            raise Unreadable
        text = re.sub("[\0\ud800-\udfff]", "", raw)
        return text[: self.most], text == raw and len(text) <= self.most


@dataclass(frozen=True)
class Checked:
    """A text that `check` must accept: it raises Problem if not."""

    check: Callable[[str], object]
    most: int = 60_000

    def read(self, raw: object) -> tuple[str, bool]:
        text, whole = Text(self.most).read(raw)
        try:
            self.check(text)
        except Problem:
            raise Unreadable from None
        return text, whole


@dataclass(frozen=True)
class Choice:
    """One of the values; `free`: or the id of a model on the Hub."""

    values: tuple[str, ...]
    free: bool = False

    def read(self, raw: object) -> tuple[str, bool]:
        if isinstance(raw, str) and (raw in self.values or (self.free and _MODEL.fullmatch(raw))):
            return raw, True
        raise Unreadable


@dataclass(frozen=True)
class Several:
    """A list of at most `most` choices, each once.

    >>> Several(("a", "b"), 4).read("b,c,b")
    (['b'], False)
    """

    values: tuple[str, ...]
    most: int
    free: bool = False

    def read(self, raw: object) -> tuple[list[str], bool]:
        parts = raw.split(",") if isinstance(raw, str) and raw else raw or []
        if not isinstance(parts, list):
            raise Unreadable
        good = []
        for part in parts[: self.most]:
            with contextlib.suppress(Unreadable):
                good.append(Choice(self.values, self.free).read(part)[0])
        if parts and not good:
            raise Unreadable
        good = list(dict.fromkeys(good))
        return good, len(good) == len(parts)


@dataclass(frozen=True)
class Number:
    """A number within its ends; beyond them it counts as the end. `whole`: without a fraction.

    >>> Number(1, 50, whole=True).read("1e9")
    (50, False)
    """

    least: float = -1e15
    most: float = 1e15
    whole: bool = False

    def read(self, raw: object) -> tuple[float, bool]:
        if isinstance(raw, str) and _NUMBER.fullmatch(raw):
            raw = float(raw)
        if isinstance(raw, bool) or not isinstance(raw, int | float) or raw != raw:
            raise Unreadable
        number = min(max(raw, self.least), self.most)
        number = round(number) if self.whole or (isinstance(number, float) and number.is_integer()) else number
        return number, number == raw


@dataclass(frozen=True)
class Switch:
    """On or off."""

    def read(self, raw: object) -> tuple[bool, bool]:
        if isinstance(raw, bool):
            return raw, True
        if raw in ("1", "true", "0", "false"):
            return raw in ("1", "true"), True
        raise Unreadable


@dataclass(frozen=True)
class Room:
    """What of a tab a link can speak of: its inputs; `parts`, which can be hidden; `results`, which can be covered."""

    inputs: Mapping[str, Kind]
    parts: frozenset[str] = frozenset()
    results: frozenset[str] = frozenset()


Rooms = Mapping[str, Room]


@dataclass(frozen=True)
class Link:
    """What could be read: the tab (None: the link names none), the values of each tab's inputs, what else `z` held, the
    names that are asked for of a ready lesson and a step. `whole` is False where anything had to be left out."""

    tab: str | None = None
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    packed: dict[str, Any] = field(default_factory=dict)
    lesson: str | None = None
    step: int = 1
    whole: bool = True


def pack(state: Mapping[str, Any]) -> str:
    """JSON, zlib, base64url without padding."""
    data = json.dumps(state, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return base64.urlsafe_b64encode(zlib.compress(data, 9)).rstrip(b"=").decode()


def unpack(text: str) -> dict[str, Any]:
    """What `pack` packed. Raises Unreadable where it is cut, damaged, too large or too deep, before it takes memory."""
    if len(text) > MOST_PACKED:
        raise Unreadable
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
        reader = zlib.decompressobj()
        data = reader.decompress(data, MOST_UNPACKED + 1)
        if not reader.eof or len(data) > MOST_UNPACKED:
            raise Unreadable
        state = json.loads(data)
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        raise Unreadable from None
    if not isinstance(state, dict) or not _small(state):
        raise Unreadable
    return state


def _small(state: object) -> bool:
    """Not too deep, and not of too many parts."""
    layer, nodes = [state], 0
    for _ in range(MOST_DEPTH):
        nodes += len(layer)
        below = [list(one.values()) if isinstance(one, dict) else one for one in layer if isinstance(one, dict | list)]
        if nodes + sum(map(len, below)) > MOST_NODES:
            return False
        layer = [one for some in below for one in some]
        if not layer:
            return True
    return False


def read(query: str, rooms: Rooms) -> Link:
    """What a query says, as far as it can be used; the first of the rooms is shown where it names none."""
    fields, whole = _fields(query)
    packed: dict[str, Any] = {}
    if "z" in fields:
        try:
            packed = unpack(fields.pop("z"))
        except Unreadable:
            whole = False
    version = str(packed.pop("v", fields.pop("v", VERSION)))
    whole &= version == str(VERSION)
    lesson, step = fields.pop("lesson", None), fields.pop("step", "1")
    named = {**{name: value for name, value in packed.items() if name != "lesson"}, **fields}
    tab = named.pop("tab", None)
    if tab is not None and not (isinstance(tab, str) and tab in rooms):
        tab, whole = None, False
    values, all_read = read_values(named, tab or next(iter(rooms)), rooms)
    number = int(step) if re.fullmatch(r"[1-9]\d?", step, re.ASCII) else 1
    return Link(tab, values, packed, lesson, number, whole and all_read and step == str(number))


def _fields(query: str) -> tuple[dict[str, str], bool]:
    """The plain parameters, the first of each name, and whether all were looked at."""
    parts = query[:MOST_QUERY].split("&")
    pairs = parse_qsl("&".join(parts[:MOST_FIELDS]), keep_blank_values=True, errors="replace")
    fields: dict[str, str] = {}
    for name, value in pairs:
        if not _FOREIGN.fullmatch(name):
            fields.setdefault(name, value)
    return fields, len(query) <= MOST_QUERY and len(parts) <= MOST_FIELDS


def read_values(named: Mapping[str, Any], tab: str, rooms: Rooms) -> tuple[dict[str, dict[str, Any]], bool]:
    """The values by tab and input, and whether all could be used. Names without a tab are of `tab`."""
    values: dict[str, dict[str, Any]] = {}
    whole = True
    for name, raw in named.items():
        room, point, own = name.rpartition(".")
        room = room if point else tab
        kind = rooms[room].inputs.get(own) if room in rooms else None
        try:
            if kind is None:
                raise Unreadable
            value, all_of_it = kind.read(raw)
        except Unreadable:
            whole = False
            continue
        values.setdefault(room, {})[own] = value
        whole &= all_of_it
    return values, whole


def plain(value: Any) -> str | None:
    """A value as a plain parameter, or None where it must be packed.

    >>> [plain(value) for value in (True, 0.5, ["a", "b"], "x" * 1000)]
    ['1', '0.5', 'a,b', None]
    """
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, list):
        text = ",".join(map(str, value)) if not any("," in str(one) for one in value) else None
    else:
        text = str(value) if isinstance(value, str | int | float) and value == value else None
    return text if text is not None and len(quote(text)) <= LONG_VALUE else None


def write(tab: str, values: Mapping[str, Mapping[str, Any]]) -> str:
    """The query of a link to this tab with these values, by tab and input; without a question mark."""
    named = {name if room == tab else f"{room}.{name}": v for room, own in values.items() for name, v in own.items()}
    short = {name: text for name, value in named.items() if (text := plain(value)) is not None}
    if len(urlencode(short)) > LONG_QUERY:
        short = {}
    long = {name: value for name, value in named.items() if name not in short}
    query = {"tab": tab, **short} | ({"z": pack(long)} if long else {})
    return urlencode(query | ({"v": VERSION} if named else {}), safe=",/")
