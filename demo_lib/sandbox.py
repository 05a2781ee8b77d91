"""What comes from outside, run where it cannot take the app down: chat templates and tokenizers.

Each runs in a child process (see `child.py`) with limits on time, memory and files, without the app's
environment. A hang, a panic, a crash or a memory bomb ends in a Problem.
"""

import base64
import json
import sys
import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from . import child, jinja_chat
from .child import Child, ChildError, ask_once
from .encoding import Encoding, PreToken, Token
from .merging import Merge, Trace
from .problems import Problem
from .vocab import Vocab

MODULE = "demo_lib.sandbox"
# The methods of Vocab that a child answers, besides encode and merged
VOCAB_METHODS = (
    *("size", "ids", "last_id", "special_tokens", "token_bytes", "all_bytes"),
    *("encode_all", "decode", "alone", "stream", "trace"),
)


def render_template(
    source: str,
    variables: dict[str, Any],
    *,
    now: datetime | None = None,
    seconds: float = 5,
    memory: int = 1 << 30,
    limit: int = 1_000_000,
) -> str:
    """A chat template rendered as transformers does it, in a child of its own.

    `variables` (messages, tools, add_generation_prompt, bos_token ...) must be JSON. `now` is what
    strftime_now shows, the present by default. `memory` is in bytes, `limit` in characters of the result.
    Whatever is wrong with the template raises Problem.
    """
    try:
        args = (source, variables, now and now.isoformat(), limit)
        return ask_once(MODULE, "render", *args, seconds=seconds, argv=(str(memory),))
    except ChildError as error:
        raise _template_problem(error.reason, seconds) from None


def _template_problem(reason: str, seconds: float) -> Problem:
    match reason:
        case "time":
            return Problem(
                f"The chat template did not end within {seconds:g} seconds and was stopped: choose another model.",
                f"对话模板在 {seconds:g} 秒内没有结束，已被停止：请换一个模型。",
            )
        case "memory":
            return Problem(
                "The chat template wants more memory than it may have: choose another model.",
                "对话模板要用的内存超过了限制：请换一个模型。",
            )
        case "busy":
            return _busy()
    return Problem(
        "The chat template crashed while it was rendered: choose another model.",
        "对话模板在渲染时崩溃了：请换一个模型。",
    )


def _busy() -> Problem:
    return Problem(
        "Too many visitors use models from outside at once: try again in a few seconds.",
        "同时使用外部模型的人太多：请过几秒再试。",
    )


def check_tokenizer_json(data: bytes, *, seconds: float = 30, memory: int = 2 << 30) -> None:
    """Problem unless `data` is a JSON object with a `model`, as a tokenizer.json is.

    Apart, because reading 64 MB of brackets takes gigabytes and stops every other thread.
    """
    try:
        ask_once(MODULE, "check", data, seconds=seconds, argv=(str(memory),))
    except ChildError as error:
        raise _busy() if error.reason == "busy" else _not_a_tokenizer() from None


def _not_a_tokenizer() -> Problem:
    return Problem(
        "This file is not a tokenizer.json: choose the file of that name from the model's folder.",
        "这个文件不是 tokenizer.json：请选择模型文件夹中的同名文件。",
    )


class OutsideVocab:
    """A `vocab.Vocab` whose tokenizer.json comes from outside: each call runs in a child that has it loaded.

    Safe to share between threads; calls wait for one another. A tokenizer that cannot be loaded raises
    Problem here; one that fails later does so in the call, and the next call starts a new child. `memory`
    is in bytes. See Vocab for what the methods do.
    """

    def __init__(
        self,
        data: bytes,
        key: str,
        label: str,
        *,
        seconds: float = 10,
        load_seconds: float = 30,
        memory: int = 3 << 30,
    ) -> None:
        self.key, self.label = key, label
        self._data, self._memory = data, memory
        self._seconds, self._load_seconds = seconds, load_seconds
        self._lock = threading.Lock()
        self._child = self._load()

    def size(self) -> int:
        return self._call("size")

    def ids(self) -> list[int]:
        return self._call("ids")

    def last_id(self) -> int:
        return self._call("last_id")

    def special_tokens(self) -> dict[str, int]:
        return self._call("special_tokens")

    def token_bytes(self, id: int) -> bytes:
        return base64.b64decode(self._call("token_bytes", id))

    def encode(self, text: str, *, add_special_tokens: bool = False, parse_special: bool = True) -> Encoding:
        text, normalized, tokens, pre_tokens = self._call("encode", text, add_special_tokens, parse_special)
        tokens = (Token(id, base64.b64decode(data), *place) for id, data, *place in tokens)
        return Encoding(text, normalized, tuple(tokens), tuple(PreToken(*row) for row in pre_tokens))

    def decode(self, ids: Sequence[int]) -> str:
        return self._call("decode", list(ids))

    def alone(self, ids: Sequence[int]) -> list[tuple[bytes, str]]:
        return [(base64.b64decode(data), text) for data, text in self._call("alone", list(ids))]

    def stream(self, ids: Sequence[int]) -> list[str | None]:
        return self._call("stream", list(ids))

    def all_bytes(self) -> list[bytes]:
        return [base64.b64decode(data) for data in self._call("all_bytes")]

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        return self._call("encode_all", list(texts))

    def merged(self, pieces: Sequence[bytes]) -> list[Trace]:
        return [_trace(row) for row in self._call("merged_base64", [base64.b64encode(d).decode() for d in pieces])]

    def trace(self, text: str) -> Trace:
        return _trace(self._call("trace", text))

    def close(self) -> None:
        """End the child now, in the middle of a call too; a later call would start another."""
        self._child.close()

    def _load(self) -> Child:
        loaded = Child(MODULE, str(self._memory))
        try:
            loaded.call("load", self._data, self.key, self.label, seconds=self._load_seconds)
        except ChildError as error:
            raise self._problem(error.reason, self._load_seconds, loading=True) from None
        return loaded

    def _call(self, method: str, *args: Any) -> Any:
        if not self._lock.acquire(timeout=self._load_seconds + self._seconds):
            raise Problem(
                f"{self.label} is busy with other texts: try again in a few seconds.",
                f"{self.label} 正忙于处理其他文本：请过几秒再试。",
            )
        try:
            if not self._child.alive:
                self._child = self._load()
            return self._child.call(method, *args, seconds=self._seconds)
        except ChildError as error:
            raise self._problem(error.reason, self._seconds) from None
        finally:
            self._lock.release()

    def _problem(self, reason: str, seconds: float, *, loading: bool = False) -> Problem:
        match reason, loading:
            case "time", True:
                en = f"its tokenizer.json was not loaded within {seconds:g} seconds; choose another model."
                zh = f"它的 tokenizer.json 在 {seconds:g} 秒内没有加载完；请换一个模型。"
            case "time", False:
                en = f"the tokenizer did not end within {seconds:g} seconds; try a shorter text or another model."
                zh = f"分词器在 {seconds:g} 秒内没有完成；请换短一些的文本或别的模型。"
            case "error", _:
                en = "the tokenizer has a fault that shows with this text; try another text or another model."
                zh = "分词器有缺陷，处理不了这段文本；请换一段文本或别的模型。"
            case _:
                en = "the tokenizer crashed or wants more memory than it may have; choose another model."
                zh = "分词器崩溃了，或要用的内存超过了限制；请换一个模型。"
        return Problem(f"{self.label}: {en}", f"{self.label}：{zh}")


def _trace(row: list) -> Trace:
    """A Trace that came through the pipe."""
    text, kind, start, whole, merges, ids = row
    if merges is not None:
        rows = ((at, base64.b64decode(left), base64.b64decode(right), rank) for at, left, right, rank in merges)
        merges = tuple(Merge(*row) for row in rows)
    return Trace(text, kind, tuple(base64.b64decode(piece) for piece in start), whole, merges, tuple(ids))


# The child's end


def _check(data: str) -> None:
    try:
        content = json.loads(base64.b64decode(data).decode())
    except (ValueError, RecursionError):  # no JSON, no UTF-8, or brackets without end
        raise _not_a_tokenizer() from None
    if not isinstance(content, dict) or not isinstance(content.get("model"), dict):
        raise _not_a_tokenizer()


def main() -> None:
    """Serve one parent, with the memory limit (bytes) that it gave."""
    child.limit(AS=int(sys.argv[1]), CORE=0, FSIZE=0, NOFILE=16)
    methods = {"render": jinja_chat.render, "check": _check}

    def load(data: str, key: str, label: str) -> None:
        vocab = Vocab.from_json(base64.b64decode(data), key, label)
        methods.update((name, getattr(vocab, name)) for name in VOCAB_METHODS)
        methods["merged_base64"] = lambda pieces: vocab.merged([base64.b64decode(piece) for piece in pieces])
        methods["encode"] = lambda text, add, parse: vocab.encode(text, add_special_tokens=add, parse_special=parse)

    methods["load"] = load
    child.serve(methods)


if __name__ == "__main__":
    main()
