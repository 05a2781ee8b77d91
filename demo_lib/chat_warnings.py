"""What to look out for in a rendered prompt, each in a sentence and with the tokens that it is about."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from .encoding import Encoding
from .qwen_templates import QWEN_SYSTEM
from .segments import Rendered, Segment, function_of, owners, read, to_json
from .vocab import Vocab

_LONG = 5  # that many ordinary tokens in a row are words; a role's name and its newline are fewer
_BEGINNING = 200  # characters
_SHOWN = 5  # that many token ids go into a sentence


@dataclass(frozen=True)
class Warning:
    """`ids` are the tokens that it is about, `positions` their places among the prompt's tokens.

    There are no positions where the tokens are not in the prompt: what was trimmed, dropped or left out.
    """

    code: str
    en: str
    zh: str
    ids: tuple[int, ...]
    positions: tuple[int, ...] = ()


@dataclass(frozen=True)
class _View:
    """A prompt with its tokens; `owner` holds the index of each token's segment."""

    rendered: Rendered
    vocab: Vocab
    encoding: Encoding
    owner: list[int]

    def where(self, test: Callable[[Segment], bool]) -> tuple[int, ...]:
        chosen = [test(segment) for segment in self.rendered.segments]
        return tuple(i for i, segment in enumerate(self.owner) if chosen[segment])

    def encode(self, *texts: str) -> tuple[int, ...]:
        return tuple(id for text in texts for id in self.vocab.encode(text).ids)

    def about(self, code: str, en: str, zh: str, positions: tuple[int, ...]) -> Warning:
        return Warning(code, en, zh, tuple(self.encoding.tokens[i].id for i in positions), positions)

    @property
    def known(self) -> bool:
        """Whether it is known which part of the prompt is whose."""
        return any(segment.kind == "content" for segment in self.rendered.segments)

    def contents(self, i: int) -> list[str]:
        return [s.text for s in self.rendered.segments if s.kind == "content" and s.message == i]

    def markers(self, i: int) -> str:
        return "".join(s.text for s in self.rendered.segments if s.kind == "marker" and s.message == i)


def warnings(rendered: Rendered, vocab: Vocab, encoding: Encoding | None = None) -> list[Warning]:
    """All warnings about a prompt, kind by kind. `encoding` is that of `read`, where it is at hand.

    Codes: default-system, date, added-text, double-begin, special-in-content, trimmed, dropped, thoughts-dropped,
    arguments-text, no-generation.
    """
    encoding = encoding or read(rendered, vocab)
    view = _View(rendered, vocab, encoding, owners(rendered.segments, encoding))
    checks = (_system, _date, _added_text, _double_begin, _special, _trimmed, _dropped, _thoughts, _arguments, _no_end)
    return [warning for check in checks for warning in check(view)]


def too_many_calls(messages: list[dict], model: str, vocab: Vocab) -> list[Warning]:
    """Messages with more tool calls than the model takes in one; `render` refuses them.

    `ids` are the tokens of the calls beyond the first, written as the model's template would write them.
    """
    found = []
    for number, message in enumerate(messages, 1):
        calls = [function_of(call) for call in message.get("tool_calls", ())]
        if model == "llama-3.1" and len(calls) > 1:
            extra = (f'{{"name": "{c["name"]}", "parameters": {to_json(c.get("arguments"))}}}' for c in calls[1:])
            ids = tuple(id for text in extra for id in vocab.encode(text).ids)
            en = (
                f"Message {number} makes {len(calls)} tool calls, and Llama 3.1 takes one a message: "
                "send the others in messages of their own."
            )
            zh = f"第 {number} 条消息有 {len(calls)} 个工具调用，而 Llama 3.1 每条消息只接受一个：请把其余的分开写。"
            found.append(Warning("tool-calls", en, zh, ids))
    return found


def _count(n: int) -> str:
    return f"{n:,} token" if n == 1 else f"{n:,} tokens"


def _quote(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _system(view: _View) -> Iterator[Warning]:
    if any(segment.text == QWEN_SYSTEM for segment in view.rendered.segments if segment.kind == "system"):
        places = view.where(lambda segment: segment.kind == "system")
        yield view.about(
            "default-system",
            f"The template added a system message that nobody wrote, “{QWEN_SYSTEM}”: {_count(len(places))}.",
            f"模板自己加了一条没有人写的系统消息“{QWEN_SYSTEM}”：{len(places)} 个 token。",
            places,
        )


def _date(view: _View) -> Iterator[Warning]:
    places = view.where(lambda segment: segment.kind == "date")
    if places:
        line = view.rendered.segments[view.owner[places[0]]].text.strip().splitlines()[-1]
        yield view.about(
            "date",
            f"The template added its knowledge cutoff and a date, “{line}”: {_count(len(places))}.",
            f"模板自己加了知识截止日期和一个日期“{line}”：{len(places)} 个 token。",
            places,
        )


def _added_text(view: _View) -> Iterator[Warning]:
    """In the template of another model: words between its markers, such as a default system prompt or a date."""
    tokens, segments = view.encoding.tokens, view.rendered.segments

    def template_words(i: int) -> bool:
        return not tokens[i].special and segments[view.owner[i]].kind in ("marker", "template")

    if "/" not in view.rendered.model or not view.known:
        return
    for is_words, run in groupby(range(len(tokens)), template_words):
        places = tuple(run)
        if is_words and len(places) >= _LONG:
            text = _quote(b"".join(tokens[i].data for i in places).decode(errors="replace"))
            yield view.about(
                "added-text",
                f"The template added words of its own, “{text}”: {_count(len(places))}.",
                f"模板自己加了文字“{text}”：{len(places)} 个 token。",
                places,
            )


def _double_begin(view: _View) -> Iterator[Warning]:
    begin = view.vocab.encode("", add_special_tokens=True).ids[:1]
    # its beginning is enough: the end of a text does not change its first tokens
    ids = view.vocab.encode(view.rendered.text[:_BEGINNING], add_special_tokens=True).ids[:2]
    if begin and ids == begin * 2:
        name = view.vocab.token_bytes(ids[0]).decode(errors="replace")
        yield Warning(
            "double-begin",
            f"The text has {name} already: encoded again with special tokens, it begins with {ids[0]} twice.",
            f"文本里已经有 {name}：如果编码时再加特殊 token，开头就会有两个 {ids[0]}。",
            tuple(ids),
            (0,),
        )


def _special(view: _View) -> Iterator[Warning]:
    for i, message in enumerate(view.rendered.messages):
        places = view.where(lambda segment, i=i: segment.kind == "content" and segment.message == i)
        tokens, said = view.encoding.tokens, to_json(message.get("content", ""))
        if not view.known and isinstance(message.get("content"), str):
            tokens = view.vocab.encode(message["content"]).tokens
            places = tuple(range(len(tokens)))
        # a picture's special tokens are the template's own: nobody wrote them
        places = tuple(p for p in places if tokens[p].special and tokens[p].data.decode() in said)
        if places:
            named = [*dict.fromkeys(f"{tokens[p].data.decode()} ({tokens[p].id})" for p in places)]
            names = ", ".join(named[:_SHOWN]) + ("…" if len(named) > _SHOWN else "")
            yield Warning(
                "special-in-content",
                f"Message {i + 1} ({message['role']}) contains text that is read as special tokens, not "
                f"as text: {names}. So whoever wrote it can forge the template's markers.",
                f"第 {i + 1} 条消息（{message['role']}）里有会被读成特殊 token 的文本：{names}。"
                "写它的人可以借此伪造模板的标记。",
                tuple(tokens[p].id for p in places),
                places if view.known else (),
            )


def _trimmed(view: _View) -> Iterator[Warning]:
    for i, message in enumerate(view.rendered.messages):
        text, written = message.get("content"), view.contents(i)
        if not isinstance(text, str) or text == text.strip() or text in written:
            continue
        bare = text.strip()
        if bare in written or (not bare and not written and view.markers(i)):
            before = text[: len(text) - len(text.lstrip())]
            ids = view.encode(before, text[len(before) + len(bare) :])
            yield Warning(
                "trimmed",
                f"Message {i + 1} ({message['role']}) lost the whitespace at its ends: {_count(len(ids))}.",
                f"第 {i + 1} 条消息（{message['role']}）首尾的空白被去掉了：{len(ids)} 个 token。",
                ids,
            )


def _dropped(view: _View) -> Iterator[Warning]:
    if "/" in view.rendered.model and not view.known:
        return
    for i, message in enumerate(view.rendered.messages):
        text = message.get("content")
        # the answer of a tool is written as JSON, and thoughts have a warning of their own
        if not isinstance(text, str) or message["role"] in ("tool", "ipython") or "</think>" in text:
            continue
        if text.strip() and not any(text.strip() in written for written in view.contents(i)):
            ids = view.encode(text)
            yield Warning(
                "dropped",
                f"The template leaves out the text of message {i + 1} ({message['role']}), “{_quote(text)}”: "
                f"{_count(len(ids))} that the model never sees.",
                f"模板丢掉了第 {i + 1} 条消息（{message['role']}）的文本“{_quote(text)}”：共 {len(ids)} 个 token。",
                ids,
            )


def _thoughts(view: _View) -> Iterator[Warning]:
    if "/" in view.rendered.model:
        return
    for i, message in enumerate(view.rendered.messages):
        thoughts, text = message.get("reasoning_content"), message.get("content")
        if not isinstance(thoughts, str) and view.rendered.model == "qwen3.5" and isinstance(text, str):
            thoughts = text.rpartition("</think>")[0].split("<think>")[-1]
        if isinstance(thoughts, str) and thoughts.strip() and "<think>" not in view.markers(i):
            ids = view.encode(thoughts.strip())
            yield Warning(
                "thoughts-dropped",
                f"The template leaves out the thoughts of message {i + 1}, “{_quote(thoughts)}”: {_count(len(ids))}.",
                f"模板丢掉了第 {i + 1} 条消息的思考“{_quote(thoughts)}”：{len(ids)} 个 token。",
                ids,
            )


def _arguments(view: _View) -> Iterator[Warning]:
    for i, message in enumerate(view.rendered.messages):
        arguments = (function_of(call).get("arguments") for call in message.get("tool_calls", ()))
        quoted = {to_json(text) for text in arguments if isinstance(text, str)}
        places = view.where(lambda s, i=i, q=quoted: s.message == i and s.kind == "content" and s.text in q)
        if places:
            yield view.about(
                "arguments-text",
                f"The arguments of a tool call in message {i + 1} are a text, so they come out quoted once more "
                "instead of as an object: give an object.",
                f"第 {i + 1} 条消息里工具调用的参数是文本，因此写出来又多了一层引号，不是对象：请给出对象。",
                places,
            )


def _no_end(view: _View) -> Iterator[Warning]:
    rendered = view.rendered
    role = rendered.messages[-1]["role"]
    if rendered.add_generation_prompt or role == "assistant":
        return
    prompt = rendered.generation.strip().partition("\n")[0]
    missing, missing_zh = (f": {prompt} is missing", f"：缺少 {prompt}") if prompt else ("", "")
    yield Warning(
        "no-generation",
        f"The prompt ends after a message of the role {role}, without a generation prompt{missing}; "
        "the model may go on with that message rather than answer it.",
        f"提示词在 {role} 的消息之后结束，没有生成提示{missing_zh}；模型可能会续写那条消息，而不是回答它。",
        view.encode(rendered.generation),
    )
