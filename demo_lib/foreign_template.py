"""The chat template of any other model: its rendered text, taken apart into segments.

Such a template is a program that answers with one string. To learn which words of the string are whose, the
conversation is rendered again with a mark in place of each message's content.
"""

from collections.abc import Callable

from .problems import Problem
from .segments import Segment

Render = Callable[[list[dict], bool], str]  # (messages, add_generation_prompt) -> text
_OPEN, _CLOSE = "\ue000", "\ue001"  # private-use characters: no template has its own idea about them


def foreign_segments(render: Render, messages: list[dict], asked: bool, begin: str = "") -> tuple[list[Segment], str]:
    """The segments of render(messages, asked), and the generation prompt ("" where it cannot be told).

    `begin` is the model's begin-of-text token. What stands before a message's content is its marker; what stands
    after it is too, as far as it is equal to the closing of the last message. A closing before the first content
    ends a message that the template wrote itself, of kind "template"; and where contents do not come out as they
    went in, trimming aside, the whole is one segment of that kind.
    """
    text = render(messages, asked)
    other = _or_none(render, messages, not asked)
    longer, shorter = (text, other) if asked else (other, text)
    generation = longer[len(shorter) :] if other is not None and longer.startswith(shorter) else ""
    body = text.removesuffix(generation) if asked else text
    start = len(begin) if begin and body.startswith(begin) else 0
    skeleton = _or_none(render, _marked(messages), asked and not generation)
    spans = None if skeleton is None else _spans(body, skeleton, messages)
    segments = _cut(body, start, spans) if spans else [Segment(body[start:], "template")]
    ends = [Segment(body[:start], "begin"), *segments, Segment(generation if asked else "", "generation")]
    return ends, generation


def _or_none(render: Render, messages: list[dict], asked: bool) -> str | None:
    try:
        return render(messages, asked)
    except Problem:  # only the rendering that was asked for has to succeed
        return None


def _words(message: dict) -> str:
    """The content as one text; "" where it is none, or parts that are not just one text."""
    content = message.get("content")
    if isinstance(content, list) and len(content) == 1:
        content = content[0].get("text")
    return content if isinstance(content, str) else ""


def _marked(messages: list[dict]) -> list[dict]:
    def mark(i: int, message: dict) -> dict:
        if not _words(message).strip():
            return message
        name = f"{_OPEN}{i}{_CLOSE}"
        parts = isinstance(message["content"], list)
        return {**message, "content": [{**message["content"][0], "text": name}] if parts else name}

    return [mark(i, message) for i, message in enumerate(messages)]


def _spans(body: str, skeleton: str, messages: list[dict]) -> list[tuple[int, int, int]] | None:
    """(message, start, end) of each content in `body`; None unless the skeleton, filled in, is the body."""
    spans, place = [], 0
    before, *rest = skeleton.split(_OPEN)
    if not body.startswith(before):
        return None
    place = len(before)
    for piece in rest:
        number, _, after = piece.partition(_CLOSE)
        i = int(number) if number.isdecimal() and int(number) < len(messages) else None
        if i is None or (spans and i <= spans[-1][0]):
            return None
        words = _words(messages[i])
        found = next((w for w in (words, words.strip()) if body.startswith(w + after, place)), None)
        if found is None:
            return None
        spans.append((i, place, place + len(found)))
        place += len(found) + len(after)
    return spans if place == len(body) else None


def _cut(body: str, start: int, spans: list[tuple[int, int, int]]) -> list[Segment]:
    closing = body[spans[-1][2] :]
    segments, place = [], start
    for n, (i, first, last) in enumerate(spans):
        gap = body[place:first]
        if n and closing and gap.startswith(closing):
            segments.append(Segment(closing, "marker", spans[n - 1][0]))
            gap = gap[len(closing) :]
        elif not n and closing and closing in gap:  # a message before the first one, which nobody wrote
            gap = gap.rpartition(closing)[2]
            segments.append(Segment(body[place : first - len(gap)], "template"))
        segments += [Segment(gap, "marker", i), Segment(body[first:last], "content", i)]
        place = last
    return [*segments, Segment(closing, "marker", spans[-1][0])]
