"""Chat templates as transformers finds and renders them."""

import json
from datetime import datetime

import pytest

from demo_lib.jinja_chat import read_template, render
from demo_lib.problems import Problem

CONFIG = {
    "bos_token": "<s>",
    "eos_token": {"__type": "AddedToken", "content": "</s>", "lstrip": False, "special": True},
    "pad_token": None,
    "image_token": "<image>",
    "add_bos_token": True,
    "extra_special_tokens": {"boi_token": "<boi>"},
    "model_max_length": 10,
}
NAMED = {"bos_token": "<s>", "eos_token": "</s>", "image_token": "<image>", "boi_token": "<boi>"}


def read(jinja: str | None = None, legacy: object = None, config: object = None):
    files = [None if value is None else json.dumps(value).encode() for value in (legacy, config)]
    return read_template("org/chat", jinja and jinja.encode(), *files)


def test_template_file_comes_first():
    legacy, config = {"chat_template": "legacy"}, CONFIG | {"chat_template": "config"}
    assert read("file", legacy, config) == ("file", NAMED)
    assert read(None, legacy, config) == ("legacy", NAMED)
    assert read(None, None, config) == ("config", NAMED)
    assert read("file") == ("file", {})


@pytest.mark.parametrize(
    ("named", "source"), [({"default": "d", "tool_use": "t"}, "d"), ({"tool_use": "t"}, "t"), ({"rag": "r"}, None)]
)
def test_templates_by_name(named, source):
    config = {"chat_template": [{"name": name, "template": template} for name, template in named.items()]}
    if source:
        assert read(config=config).source == source
    else:
        with pytest.raises(Problem, match="org/chat has no chat template"):
            read(config=config)


@pytest.mark.parametrize("data", [b"[]", b"{", b"\xff", b"[" * 10**5, b'{"chat_template": "\xff"}'])
def test_damaged_files(data):
    with pytest.raises(Problem, match="are damaged"):
        read_template("org/chat", None, None, data)


@pytest.mark.parametrize("config", [None, {}, {"chat_template": 5}, {"chat_template": [1]}, {"chat_template": ""}])
def test_no_template(config):
    with pytest.raises(Problem, match="org/chat has no chat template") as caught:
        read(config=config)
    assert "没有对话模板" in caught.value.zh


def test_read_as_transformers_reads(tmp_path):
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    config = CONFIG | {"chat_template": "{{ bos_token }}", "tokenizer_class": "PreTrainedTokenizerFast"}
    Tokenizer(models.WordLevel({"a": 0}, unk_token="a")).save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    theirs = PreTrainedTokenizerFast.from_pretrained(str(tmp_path))
    assert read(config=config) == (theirs.chat_template, theirs.special_tokens_map)


# Rendering. Each template is one that uses a feature that real ones use.

TOOLS = [
    {
        "type": "function",
        "function": {"name": "weather", "description": "天气 <now> & 'then'", "parameters": {"type": "object", "b": 1}},
    }
]
MESSAGES = [
    {"role": "system", "content": "Be brief.\n"},
    {"role": "user", "content": "  年假怎么申请？ <b>&amp;</b>  "},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "weather", "arguments": {"a": [1, 2.5]}}}],
    },
    {"role": "tool", "content": "null \0 and half a pair \ud83d\udc4d|\ud800"},
]
TEMPLATES = {
    "plain": "{% for m in messages %}<|{{ m.role }}|>{{ m['content'] | trim }}{{ eos_token }}\n{% endfor %}",
    "blocks": "{%- for m in messages %}\n    {%- if loop.first %}\n{{ bos_token }}\n    {% endif %}\n  {# note #}\n"
    "  - {{ m.role }}\n{% endfor %}\n\n",
    "lines": "a\r\n{% if true %}\r\nb\r\n{% endif %}\rc\n",
    "tools": "{% if tools %}{{ tools | tojson }}\n{{ tools | tojson(indent=4) }}\n"
    "{{ tools[0] | tojson(sort_keys=true) }}{{ tools | tojson(separators=(',', ':')) }}"
    "{{ '年' | tojson(ensure_ascii=true) }}{% endif %}",
    "calls": "{% for m in messages if m.tool_calls is defined %}{% for c in m.tool_calls %}"
    "{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}",
    "namespace": "{% set ns = namespace(n=0, self='s') %}{% for m in messages %}"
    "{% set ns.n = ns.n + m.content|length %}{% endfor %}{{ ns.n }}{{ ns.self }}",
    "loop controls": "{% for m in messages %}{% if loop.index0 == 1 %}{% continue %}{% endif %}"
    "{% if loop.last %}{% break %}{% endif %}{{ m.role }}{% endfor %}",
    "generation": "{% for m in messages %}{% generation %}\n{{ m.content }}{% endgeneration %}\n{% endfor %}",
    "macro": "{% macro say(m, n=2) %}{{ m.role * n }}{% endmacro %}{% for m in messages %}{{ say(m) }}{% endfor %}",
    "dict": "{{ dict(a=1, b=[2]) }}{{ dict.fromkeys(['x'], 0) }}"
    "{% for k, v in dict(z=1, y=2) | dictsort %}{{ k }}{{ v }}{% endfor %}",
    "filters": "{{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | join('|') }}"
    "{{ messages | length }}{{ messages[1:] | map(attribute='role') | list }}{{ 'A b'.split(' ')[0].lower() }}",
    "missing": "{{ nothing }}|{{ nothing is defined }}|{{ messages[0].nothing }}|{{ none }}|{{ ''.__class__ }}|",
    "generation prompt": "{% if add_generation_prompt %}<|assistant|>{% endif %}",
    "date": "{{ strftime_now('%d %b %Y') }}",
    "echo": "{{ messages[3].content }}{{ messages[1].content | e }}",
}


def by_transformers(source: str, **variables) -> str:
    from transformers.utils.chat_template_utils import render_jinja_template

    return render_jinja_template([variables.pop("messages")], chat_template=source, **variables)[0][0]


@pytest.mark.parametrize("source", TEMPLATES.values(), ids=TEMPLATES)
@pytest.mark.parametrize("asked", [True, False])
def test_renders_as_transformers_does(source, asked):
    variables = {"messages": MESSAGES, "tools": TOOLS, "documents": None, "add_generation_prompt": asked}
    variables |= {"bos_token": "<s>", "eos_token": "</s>"}
    assert render(source, variables, None, 10**6) == by_transformers(source, **variables)


FAULTS = {
    "{{ raise_exception('No ' ~ messages[0].role) }}": "The chat template refuses this conversation: No system",
    "\n\n{% if %}": "The chat template has a syntax error in line 3: Expected an expression",
    "{{ a | nope }}": "The chat template has a syntax error in line 1: No filter named 'nope'",
    "{% include 'x' %}": "The chat template failed in line 1: TypeError: no loader",
    "\n{{ nothing.more }}": "The chat template uses something that is not defined in line 2: 'nothing' is undefined",
    "{{ ''.__class__.__mro__ }}": "The chat template reaches for what it may not touch in line 1: access to attribute",
    "{{ [].append(1) }}": "The chat template reaches for what it may not touch in line 1",
    "{% set ns = namespace(_x=1) %}": "The chat template reaches for what it may not touch in line 1",
    "{% set ns = namespace() %}{% set ns.__class__ = 1 %}": "The chat template reaches for what it may not touch",
    "\n{{ range(10**9) }}": "The chat template counts too far in line 2: Range too big",
    "{{ 1 + 'a' }}": "The chat template failed in line 1: TypeError: unsupported operand",
    "{{ nothing | tojson }}": "The chat template failed in line 1: TypeError: Object of type Undefined",
    "{{" + "(" * 5000 + "1" + ")" * 5000 + "}}": "The chat template failed: RecursionError",
}


@pytest.mark.parametrize("source", FAULTS, ids=lambda source: source[:30])
def test_faults(source):
    variables = {"messages": MESSAGES}
    with pytest.raises(Problem) as caught:
        render(source, variables, None, 10**6)
    assert str(caught.value).startswith(FAULTS[source])
    assert caught.value.zh.startswith("对话模板")
    with pytest.raises(Exception):  # noqa: B017, PT011 - transformers refuses it too, each fault in its own way
        by_transformers(source, **variables)


def test_long_message_is_shortened():
    with pytest.raises(Problem) as caught:
        render("{{ raise_exception('no\n' * 300) }}", {}, None, 100)
    assert str(caught.value).removeprefix("The chat template refuses this conversation: ") == "no " * 66 + "n…"


def test_too_long_a_text():
    assert render("{{ 'a' * 100 }}", {}, None, 100) == "a" * 100
    with pytest.raises(Problem, match="more than 100 characters"):
        render("{{ 'a' * 50 }}{% for i in range(99) %}a{% endfor %}", {}, None, 100)


def test_the_date_can_be_chosen():
    now = datetime(2024, 7, 26, 13, 5)
    form = "%d %b %Y %H:%M"
    assert render("{{ strftime_now(form) }}", {"form": form}, now.isoformat(), 100) == now.strftime(form)
