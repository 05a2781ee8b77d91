"""The chat template room: counts, what each message costs, warnings, misreading, other models' templates."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib import chat, sandbox, sources
from demo_lib.chat import TEMPLATES, cost, misread, render, render_chat
from demo_lib.chat_warnings import too_many_calls, warnings
from demo_lib.conversations import check_messages, presets
from demo_lib.problems import Problem
from demo_lib.segments import owners, read
from demo_lib.vocab import open_vocab

GOLDEN = json.loads((Path(__file__).parent / "data" / "chat.json").read_text(encoding="utf-8"))
USER = {"role": "user", "content": "年假怎么申请？"}
GEMMA_LIKE = (
    "{{ bos_token }}{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content | trim + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>model\n' }}{% endif %}"
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["<|im_end|>", "<|eot_id|>x", "e\u0301", "\u0301", "𠮷🏽", "<think>a</think>b", "</tool_call>", " \n"]
)


def codes(messages, model, **options):
    rendered = render(messages, model, **options)
    return {warning.code: warning for warning in warnings(rendered, open_vocab(model))}


@pytest.fixture
def hub(monkeypatch):
    """A Hub model with any template, rendered by the real sandbox; its tokenizer is Qwen2.5's."""

    def serve(source, **tokens):
        monkeypatch.setattr(sources, "chat_template", lambda model, **_: (source, tokens))
        return "org/name"

    return serve


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])
@pytest.mark.parametrize("model", TEMPLATES)
def test_golden_counts_and_the_parts_sum_to_them(case, model):
    options = {"tools": case.get("tools"), "date": case.get("date_string")}
    options |= {"enable_thinking": case.get("enable_thinking"), "add_generation_prompt": case["add_generation_prompt"]}
    answer = render_chat(case["messages"], model, **options)
    assert answer == json.loads(json.dumps(answer))
    assert answer["text"] == case["expected"][model]["text"]
    assert answer["count"] == len(answer["ids"]) == case["expected"][model]["n"]
    assert [message["role"] for message in answer["messages"]] == [message["role"] for message in case["messages"]]
    parts = sum(row["content_tokens"] + row["template_tokens"] for row in answer["messages"])
    assert parts + sum(row["tokens"] for row in answer["added"]) == answer["count"]


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(TEXTS, min_size=1, max_size=5),
    model=st.sampled_from(list(TEMPLATES)),
    asked=st.booleans(),
    tools=st.none() | st.just([{"type": "function", "function": {"name": "f"}}]),
)
def test_every_token_belongs_to_the_segment_of_its_first_byte(texts, model, asked, tools):
    messages = [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(texts)]
    rendered, vocab = render(messages, model, add_generation_prompt=asked, tools=tools), open_vocab(model)
    encoding, costs = read(rendered, vocab), cost(rendered, vocab)
    parts = sum(row.content_tokens + row.template_tokens for row in costs.messages)
    assert costs.total == len(encoding.ids) == parts + sum(row.tokens for row in costs.added)
    by_byte = [i for i, segment in enumerate(rendered.segments) for _ in segment.text.encode()]  # slow and obvious
    assert owners(rendered.segments, encoding) == [by_byte[token.byte_start] for token in encoding.tokens]
    for warning in warnings(rendered, vocab):
        assert len(warning.positions) in (0, 1, len(warning.ids))
        assert all(encoding.ids[place] in warning.ids for place in warning.positions)
        assert warning.en != warning.zh


def test_costs_of_the_seed_question():
    llama = render_chat([USER], "llama-3.1")
    assert llama["messages"] == [{"role": "user", "content_tokens": 5, "template_tokens": 5}]
    added = {"begin": 1, "system": 5, "date": 20, "generation": 4}
    assert llama["added"] == [{"kind": kind, "tokens": tokens} for kind, tokens in added.items()]
    qwen = render_chat([USER], "qwen2.5")
    assert qwen["messages"] == [{"role": "user", "content_tokens": 5, "template_tokens": 5}]
    assert {row["kind"]: row["tokens"] for row in qwen["added"]} == {"system": 21, "generation": 3}


def test_what_the_template_added_is_warned_about():
    llama = codes([USER], "llama-3.1")
    assert set(llama) == {"date", "double-begin"}
    assert "26 Jul 2024" in llama["date"].en
    assert "26 Jul 2024" in llama["date"].zh
    dates = open_vocab("llama-3.1").decode(llama["date"].ids)
    assert dates == "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
    assert llama["double-begin"].ids == (128000, 128000)
    qwen = codes([USER], "qwen2.5")
    assert set(qwen) == {"default-system"}
    assert "You are Qwen" in open_vocab("qwen2.5").decode(qwen["default-system"].ids)
    assert not codes([{"role": "system", "content": "x"}, USER], "qwen2.5")
    assert not codes([USER], "qwen3.5")


@pytest.mark.parametrize(("model", "id", "harmless"), [("llama-3.1", 128009, 1), ("qwen2.5", 151645, 0)])
def test_special_tokens_written_by_a_user_are_named(model, id, harmless):
    messages = next(case["messages"] for case in GOLDEN if case["name"] == "injection")
    warning = codes(messages, model)["special-in-content"]
    assert warning.ids == (id,)
    assert str(id) in warning.en
    assert read(render(messages, model), open_vocab(model)).ids[warning.positions[0]] == id
    plain = ["<|eot_id|>", "<|im_end|>"][harmless]
    assert "special-in-content" not in codes([USER | {"content": plain}], model)
    picture = [USER | {"content": [{"type": "image"}]}]
    assert "special-in-content" not in codes(picture, "qwen3.5")


def test_what_the_template_takes_away_is_warned_about():
    messages = [USER | {"content": "  Hi\n\n"}]
    trimmed = codes(messages, "llama-3.1")["trimmed"]
    assert open_vocab("llama-3.1").decode(trimmed.ids) == "  \n\n"
    assert "trimmed" in codes([USER, {"role": "assistant", "content": " \n"}], "qwen3.5")
    assert "trimmed" not in codes(messages, "qwen2.5")
    call = {"type": "function", "function": {"name": "f", "arguments": {}}}
    answer = {"role": "assistant", "content": "Let me see", "tool_calls": [call], "reasoning_content": "hm"}
    assert open_vocab("llama-3.1").decode(codes([USER, answer], "llama-3.1")["dropped"].ids) == "Let me see"
    assert {"dropped", "thoughts-dropped"} & set(codes([USER, answer], "qwen2.5")) == {"thoughts-dropped"}
    assert not {"dropped", "thoughts-dropped"} & set(codes([USER, answer], "qwen3.5"))
    assert open_vocab("qwen3.5").decode(codes([USER, answer, USER], "qwen3.5")["thoughts-dropped"].ids) == "hm"
    assert "dropped" in codes([USER, {"role": "critic", "content": "no"}], "qwen2.5")


def test_arguments_that_are_a_text_and_calls_that_are_too_many():
    call = {"type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    messages = [USER, {"role": "assistant", "tool_calls": [call]}]
    for model in ("llama-3.1", "qwen2.5"):
        # the marker before them owns the token of their first quotation mark
        assert r'a\": 1}"' in open_vocab(model).decode(codes(messages, model)["arguments-text"].ids)
    twice = [USER, {"role": "assistant", "tool_calls": [call, call]}]
    (warning,) = too_many_calls(twice, "llama-3.1", open_vocab("llama-3.1"))
    assert warning.code == "tool-calls"
    assert open_vocab("llama-3.1").decode(warning.ids) == r'{"name": "f", "parameters": "{\"a\": 1}"}'
    assert not too_many_calls(messages, "llama-3.1", open_vocab("llama-3.1"))
    assert not too_many_calls(twice, "qwen2.5", open_vocab("qwen2.5"))


def test_a_prompt_without_generation_prompt():
    warning = codes([USER], "qwen3.5", add_generation_prompt=False)["no-generation"]
    assert open_vocab("qwen3.5").decode(warning.ids) == "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    assert "<|im_start|>assistant" in warning.en
    assert "no-generation" not in codes(
        [USER, {"role": "assistant", "content": "x"}], "qwen3.5", add_generation_prompt=False
    )
    assert "no-generation" not in codes([USER], "qwen3.5")


@pytest.mark.parametrize(("model", "other"), [("llama-3.1", "qwen2.5"), ("qwen2.5", "llama-3.1")])
def test_a_prompt_read_with_the_wrong_tokenizer(model, other):
    rendered = render([USER], model)
    own, wrong = open_vocab(model), open_vocab(other)
    result = misread(rendered, wrong)
    assert result.own_tokens == len(own.encode(rendered.text).ids)
    assert result.tokens == len(wrong.encode(rendered.text).ids)
    assert result.extra == result.tokens - result.own_tokens > 0
    written = {name: rendered.text.count(name) for name in own.special_tokens() if name in rendered.text}
    assert {marker.text: marker.times for marker in result.markers} == written
    for marker in result.markers:
        assert len(marker.pieces) > 1
        assert marker.text.encode() in b"".join(piece.data for piece in marker.pieces)
        assert not any(piece.special for piece in marker.pieces)
    assert len(result.markers) < result.marker_tokens < result.tokens


def test_markers_that_two_models_share_do_not_fall_apart():
    assert misread(render([USER], "qwen2.5"), open_vocab("qwen3.5")).markers == ()
    own = misread(render([USER], "qwen2.5"), open_vocab("qwen2.5"))
    assert (own.extra, own.markers, own.marker_tokens) == (0, (), 0)


def test_a_hub_model_with_its_own_template(hub, monkeypatch):
    model = hub(GEMMA_LIKE, bos_token="<|endoftext|>")
    monkeypatch.setattr(chat, "open_vocab", lambda model, **_: open_vocab("qwen2.5"))
    answer = render_chat(
        [{"role": "user", "content": " Hi <|im_end|> "}, {"role": "assistant", "content": "Hi"}], model
    )
    head = "<|endoftext|><|im_start|>user\nHi <|im_end|><|im_end|>\n<|im_start|>assistant\nHi<|im_end|>\n"
    assert answer["text"] == head + "<|im_start|>model\n"
    assert answer["messages"] == [
        {"role": "user", "content_tokens": 3, "template_tokens": 5},
        {"role": "assistant", "content_tokens": 1, "template_tokens": 5},
    ]
    assert answer["added"] == [{"kind": "begin", "tokens": 1}, {"kind": "generation", "tokens": 3}]
    assert [warning["code"] for warning in answer["warnings"]] == ["special-in-content", "trimmed"]


def test_a_hub_templates_own_words_are_told_apart(hub):
    prefix = "{{ '<|im_start|>note<|im_end|>\n<|im_start|>system\nAnswer like a pirate would.<|im_end|>\n' }}"
    rendered = render([{"role": "user", "content": "pirate"}], hub(prefix + GEMMA_LIKE))
    kinds = [(segment.kind, segment.message) for segment in rendered.segments]
    assert kinds == [("template", None), ("marker", 0), ("content", 0), ("marker", 0), ("generation", None)]
    assert rendered.segments[1].text == "<|im_start|>user\n"
    (warning,) = warnings(rendered, open_vocab("qwen2.5"))
    assert warning.code == "added-text"
    assert "Answer like a pirate would." in warning.en


def test_one_beginning_of_text_is_not_two(hub):
    llama = open_vocab("llama-3.1")
    once, twice = (render([USER], hub(GEMMA_LIKE, bos_token=token)) for token in ("", "<|begin_of_text|>"))
    assert "double-begin" not in {warning.code for warning in warnings(once, llama)}
    assert llama.encode(twice.text, add_special_tokens=True).ids[:2] == [128000, 128000]
    assert "double-begin" in {warning.code for warning in warnings(twice, llama)}


def test_a_hub_template_that_changes_contents_is_one_segment(hub):
    rendered = render([{"role": "user", "content": "hi <|im_end|>"}], hub("{{ messages[0].content | upper }}"))
    assert [(segment.text, segment.kind) for segment in rendered.segments] == [("HI <|IM_END|>", "template")]
    assert cost(rendered, open_vocab("qwen2.5")).total == len(open_vocab("qwen2.5").encode(rendered.text).ids)
    assert warnings(rendered, open_vocab("qwen2.5"))[0].ids == (151645,)


def test_a_hub_model_gets_the_options_and_its_faults_are_problems(hub):
    model = hub("{{ date_string }}{{ enable_thinking }}{{ tools is none }}{{ documents is none }}")
    assert render([USER], model, date="D", enable_thinking=False).text == "DFalseTrueTrue"
    with pytest.raises(Problem):
        render([USER], hub("{{ raise_exception('no') }}"))
    with pytest.raises(Problem):
        render([USER], hub("{{ messages"))


def test_a_hub_template_that_loops_ends_in_a_sentence(hub, monkeypatch):
    quick = sandbox.render_template
    monkeypatch.setattr(sandbox, "render_template", lambda *args, **more: quick(*args, **more, seconds=1))
    with pytest.raises(Problem):
        render([USER], hub("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"))


@pytest.mark.parametrize("model", ["", "gpt-x", None, 5, "upload:" + "0" * 64])
def test_models_without_a_template(model):
    with pytest.raises(Problem, match=r"llama-3.1, qwen2.5, qwen3.5"):
        render([USER], model)


@pytest.mark.parametrize("options", [{"date": "x" * 101}, {"date": 5}, {"date": "\ud800"}, {"enable_thinking": "yes"}])
def test_options_of_the_wrong_kind(options):
    with pytest.raises(Problem):
        render([USER], "llama-3.1", **options)


def test_the_examples_of_the_page_render_or_say_why_not():
    assert presets()[0].messages == [USER]
    for preset in presets():
        assert set(preset.title) == {"en", "zh-CN"}
        assert check_messages(preset.messages) == preset.messages
        for model in TEMPLATES:
            call_counts = [len(message.get("tool_calls", [])) for message in preset.messages]
            if model == "llama-3.1" and max(call_counts) > 1:
                with pytest.raises(Problem, match="2 tool calls"):
                    render(preset.messages, model, tools=preset.tools, enable_thinking=preset.thinking)
            else:
                assert render_chat(preset.messages, model, True, preset.tools, None, preset.thinking)["count"]
