"""What the vocabularies tab draws: each function turns an answer of the room into the JSON of a widget."""

from functools import partial

from demo_lib import vocabulary as room
from demo_lib.problems import Problem
from demo_lib.tabs import page, widgets
from demo_lib.tabs.text.vocabulary import TEXT
from demo_lib.tabs.widgets import refused, to_json

w = page.Words("vocabulary", TEXT)
NONE = "none"
SHOWN = 200  # rows of the table on the page
LISTED = 400  # tokens listed for a reason
EXAMPLES = 12  # witnesses shown
MOST_SPECIAL = 60


drawing = partial(widgets.drawing, about=2)  # the vocabularies


def entries(model: str | None):
    """The entries of a model, or None for no model."""
    return None if model in (None, "", NONE) else room.open_entries(model)


def pair(first: str, second: str | None) -> tuple:
    """The entries of the two; the second is None where there is none, or where it is the first again."""
    a, b = entries(first), entries(second)
    if a is None:
        raise Problem("Choose a vocabulary.", "请选择词表。")
    return a, None if b is a else b


def _column(one: room.Entries, both: dict[str, int] | None) -> dict:
    found = room.contents(one)
    longest = [[id, one.data[one.place_of(id)].hex()] for id in found.longest]
    return {
        "label": found.label,
        "tokens": found.tokens,
        "kinds": found.kinds,
        "both": both,
        "spaced": found.spaced,
        "mean": sum(n * count for n, count in found.bytes.items()) / max(1, found.tokens),
        "bytes": list(found.bytes.items()),
        "characters": [[n, count] for n, count in found.characters.items() if n > 0],
        "longest": longest,
        "special": found.special[:MOST_SPECIAL],
        "specials": len(found.special),
    }


@drawing
def contents(first: str, second: str) -> dict:
    a, b = pair(first, second)
    both = {kind: n for kind, n, _, _ in room.overlap(a, b).kinds} if b else None
    return {"columns": [_column(one, both) for one in (a, b) if one], "kinds": room.KINDS}


def found(first, second, query, how, kind, where, sort: tuple) -> tuple:
    """(entries, the other's, places) of a search."""
    a, b = pair(first, second)
    order, down = sort
    return a, b, room.search(a, query, how, order=order, down=down, script=kind, other=b, where=where)


@drawing
def table(*inputs) -> dict:
    a, b, places = found(*inputs)
    ids = room.overlap(a, b).other if b else None
    rows = [
        [
            int(a.ids[i]),
            a.data[i].hex(),
            room.KINDS[a.kind[i]],
            int(a.characters[i]),
            None if b is None else int(ids[i]),
        ]
        for i in places[:SHOWN].tolist()
    ]
    order, down = inputs[-1]
    other = b.label if b else None
    head = {"label": a.label, "other": other, "found": len(places), "of": len(a), "order": order, "down": down}
    return head | {"rows": rows, "search": to_json(inputs[:-1])}


def csv(*inputs) -> str:
    """All rows that fit, for saving; the piece as a JSON string, which survives any spreadsheet."""
    try:
        a, b, places = found(*inputs)
    except Problem as problem:
        return refused(problem)
    ids = room.overlap(a, b).other if b else None
    lines = ["id,piece,bytes,length,characters,script" + (",other_id" if b else "")]
    for i in places.tolist():
        piece = (to_json(a.texts[i]) if a.characters[i] >= 0 else room.piece(a.data[i])).replace('"', '""')
        line = f'{a.ids[i]},"{piece}",{a.data[i].hex(" ").upper()},{a.size[i]},{max(0, a.characters[i])},'
        other = "" if b is None else f",{ids[i] if ids[i] >= 0 else ''}"
        lines.append(f"{line}{room.KINDS[a.kind[i]]}{other}")
    return to_json({"name": "vocabulary.csv", "csv": "\r\n".join(lines), "n": len(places)})


@drawing
def card(first: str, second: str, id: int) -> dict:
    a, b = pair(first, second)
    one = room.known(a, id)
    at = None if b is None else b.place.get(one.data)
    trace = None
    if one.trace is not None:
        merges = one.trace.merges
        trace = {
            "kind": one.trace.kind,
            "built": one.trace.ids == (id,),
            "start": [piece.hex() for piece in one.trace.start],
            "merges": None if merges is None else [[m.at, m.left.hex(), m.right.hex(), m.rank] for m in merges],
            "ends": [[end, a.data[a.place_of(end)].hex()] for end in one.trace.ids],
        }
    other = None if b is None else {"label": b.label, "id": None if at is None else int(b.ids[at])}
    return {"id": id, "label": a.label, "bytes": one.data.hex(), "kind": one.kind, "trace": trace, "other": other}


@drawing
def two(first: str, second: str) -> dict:
    a, b = pair(first, second)
    if b is None:
        return {"need": True}
    shared = room.overlap(a, b)
    rows = [row for row in shared.kinds if any(row[1:])]
    return {"labels": [a.label, b.label], "all": [shared.both, shared.only_a, shared.only_b], "rows": rows}


@drawing
def text(first: str, second: str, typed: str) -> dict:
    a, b = pair(first, second)
    if b is None:
        return {"need": True}
    sides = []
    for (one, other), held in zip(((a, b), (b, a)), room.text_overlap(typed, a, b), strict=True):
        pieces = [[id, data.hex(), theirs] for id, data, theirs in held.pieces]
        lacking = [[id, data.hex(), times] for id, data, times in held.lacking[:LISTED]]
        side = {"label": one.label, "other": other.label, "tokens": held.tokens, "held": held.held}
        sides.append(side | {"pieces": pieces, "lacking": lacking})
    return {"sides": sides}


def reached(found: room.Reach, one: room.Entries) -> str:
    """The tokens that no text gives, by reason, and some that only another text gives."""

    def data(id: int) -> str:
        return one.data[one.place_of(id)].hex()

    reasons = [
        {"why": why, "n": n, "tokens": [[id, data(id)] for id, other in found.reasons.items() if other == why]}
        for why, n in found.count().items()
        if n
    ]
    some = [*found.witness.items()]
    some = some[:: max(1, len(some) // EXAMPLES)][:EXAMPLES]
    return to_json(
        {
            "state": "done",
            "label": found.label,
            "asked": found.asked,
            "proved": found.proved,
            "reasons": reasons,
            "listed": LISTED,
            "witnesses": len(found.witness),
            "examples": [[id, data(id), text] for id, text in some],
        }
    )
