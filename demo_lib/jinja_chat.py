"""Chat templates as transformers has them: found in a model's files, and rendered.

Rendering is for a child process (see `sandbox.py`): Jinja's sandbox keeps a template from the computer, but
not from looping for ever or asking for all memory.
"""

import json
import traceback
from datetime import datetime
from typing import Any, NamedTuple

from .problems import Problem

# How much of a message that comes out of a template is shown
MESSAGE_LIMIT = 200


class ChatTemplate(NamedTuple):
    """The Jinja source of a model's chat template, and the special tokens that it may name (bos_token ...)."""

    source: str
    variables: dict[str, str]


def read_template(model: str, jinja: bytes | None, legacy: bytes | None, config: bytes | None) -> ChatTemplate:
    """From chat_template.jinja, else chat_template.json, else tokenizer_config.json, which has the tokens.

    `model` is for the sentences of a Problem; a file that the model does not have is None.

    >>> read_template("org/m", b"{{ bos_token }}", None, b'{"bos_token": {"content": "<s>"}}')
    ChatTemplate(source='{{ bos_token }}', variables={'bos_token': '<s>'})
    """
    try:
        settings = _json_object(config)
        source = jinja.decode() if jinja else _json_object(legacy).get("chat_template")
    except (ValueError, RecursionError):
        raise Problem(
            f"The files of {model} that hold its chat template are damaged: choose another model.",
            f"{model} 中存放对话模板的文件已损坏：请换一个模型。",
        ) from None
    source = source or settings.get("chat_template")
    if isinstance(source, list):  # several by name
        named = {entry.get("name"): entry.get("template") for entry in source if isinstance(entry, dict)}
        source = named.get("default") or named.get("tool_use")
    if not source or not isinstance(source, str):
        raise Problem(
            f"{model} has no chat template, as base models often have not: choose a chat model (Instruct, Chat, it).",
            f"{model} 没有对话模板，基座模型往往如此：请选择对话模型（Instruct、Chat、it）。",
        )
    return ChatTemplate(source, _special_tokens(settings))


def _json_object(data: bytes | None) -> dict:
    content = json.loads(data) if data else {}
    if not isinstance(content, dict):
        raise ValueError("not an object")
    return content


def _special_tokens(settings: dict) -> dict[str, str]:
    """Every `..._token` of tokenizer_config.json that is a token: a string, or an object with its content."""
    extra = settings.get("extra_special_tokens")
    named = {name: token for name, token in settings.items() if name.endswith("_token")}
    tokens = named | (extra if isinstance(extra, dict) else {})
    tokens = {name: token.get("content") if isinstance(token, dict) else token for name, token in tokens.items()}
    return {name: token for name, token in tokens.items() if isinstance(token, str)}


def render(source: str, variables: dict[str, Any], now: str | None, limit: int) -> str:
    """The rendered text. `now` (ISO 8601) is what strftime_now shows, the present where it is None.

    More than `limit` characters, and every fault of the template, raise Problem.

    >>> render("{% for m in messages %}\\n<{{ m.role }}>\\n{% endfor %}", {"messages": [{"role": "user"}]}, None, 100)
    '<user>\\n'
    """
    from jinja2 import TemplateSyntaxError, UndefinedError
    from jinja2.exceptions import SecurityError

    try:
        pieces, length = [], 0
        for piece in _environment(now).from_string(source).generate(variables):
            pieces.append(piece)
            length += len(piece)
            if length > limit:
                raise Problem(
                    f"The chat template writes more than {limit:,} characters: shorten the messages or choose "
                    "another model.",
                    f"对话模板写出的文本超过 {limit:,} 个字符：请缩短消息，或换一个模型。",
                )
        return "".join(pieces)
    except (Problem, MemoryError):
        raise
    except TemplateSyntaxError as error:
        raise _problem("has a syntax error", "有语法错误", error.message, error.lineno) from None
    except UndefinedError as error:
        raise _problem("uses something that is not defined", "用到了没有定义的东西", error, _line(error)) from None
    except SecurityError as error:
        raise _problem("reaches for what it may not touch", "访问了不允许访问的东西", error, _line(error)) from None
    except OverflowError as error:
        raise _problem("counts too far", "数得太多", error, _line(error)) from None
    except Exception as error:  # a template can provoke any of Python's exceptions
        raise _problem("failed", "出错了", f"{type(error).__name__}: {error}", _line(error)) from None


def _problem(what: str, what_zh: str, detail: object, line: int | None) -> Problem:
    place, place_zh = (f" in line {line}", f"（第 {line} 行）") if line else ("", "")
    detail = _short(detail)
    return Problem(f"The chat template {what}{place}: {detail}", f"对话模板{what_zh}{place_zh}：{detail}")


def _short(message: object) -> str:
    message = " ".join(str(message).split())
    return message if len(message) <= MESSAGE_LIMIT else message[: MESSAGE_LIMIT - 1] + "…"


def _line(error: BaseException) -> int | None:
    """The template's line where `error` arose: Jinja puts the template's own lines into the traceback."""
    frames = traceback.walk_tb(error.__traceback__)
    return next((line for frame, line in reversed([*frames]) if frame.f_code.co_filename == "<template>"), None)


def _generation():
    """The {% generation %} tag, which marks what the assistant wrote, for training; rendering shows it as it is."""
    from jinja2 import ext, nodes

    class Generation(ext.Extension):
        tags = frozenset({"generation"})

        def parse(self, parser):
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.CallBlock(self.call_method("_same"), [], [], body).set_lineno(line)

        def _same(self, caller):
            return caller()

    return Generation


def _namespace():
    """Jinja's `namespace`, without names that begin with an underscore, which could reach Python's own."""
    from jinja2 import utils
    from jinja2.exceptions import SecurityError

    def check(name) -> None:
        if isinstance(name, str) and name.startswith("_"):
            raise SecurityError(f"a namespace cannot have the attribute {name!r}")

    class Namespace(utils.Namespace):
        def __init__(*args, **kwargs):  # no `self`: a template may use that name
            attributes = dict(*args[1:], **kwargs)
            for name in attributes:
                check(name)
            utils.Namespace.__init__(args[0], attributes)

        def __setitem__(self, name, value):
            check(name)
            super().__setitem__(name, value)

    return Namespace


class _Dict:
    """`dict(...)` and `dict.fromkeys(...)`, but not the type itself."""

    def __call__(self, *args, **kwargs):
        return dict(*args, **kwargs)

    def fromkeys(self, *args, **kwargs):
        return dict.fromkeys(*args, **kwargs)


def _environment(now: str | None):
    """Jinja as transformers sets it up for chat templates (transformers/utils/chat_template_utils.py)."""
    from jinja2 import ext
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_generation(), ext.loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals |= {
        "raise_exception": _raise_exception,
        "strftime_now": lambda form: (datetime.fromisoformat(now) if now else datetime.now()).strftime(form),
        "dict": _Dict(),
        "namespace": _namespace(),
    }
    return environment


def _to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    """Jinja's own filter escapes <, >, & and ', which a prompt must not have."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _raise_exception(message: object) -> None:
    message = _short(message)
    raise Problem(f"The chat template refuses this conversation: {message}", f"对话模板不接受这段对话：{message}")
