"""Words of one's own: which are one token already, against the ids of the tokenizers' own packages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib.new_words import LONGEST, MOST, look, read
from demo_lib.problems import Problem
from demo_lib.vocab import open_vocab

from . import authorities


def test_words_that_are_there_and_words_that_are_new():
    found = look("申请\n钉钉审批\nleave\n\n 申请 \nDingTalk", open_vocab("qwen2.5"))
    assert found.typed == 5
    assert found.single == (("申请", 101915), ("leave", authorities.ids("qwen2.5", "leave")[0]))
    assert found.repeated == ("申请",)
    assert found.new == ("钉钉审批", "DingTalk")


def test_a_token_with_its_space_is_a_token_too():
    (alone, spaced) = (authorities.ids("llama-3.1", word) for word in ("colourful", " colourful"))
    assert len(alone) > 1 == len(spaced)
    assert look("colourful", open_vocab("llama-3.1")).single == (("colourful", spaced[0]),)


@given(words=st.lists(st.sampled_from(["a", "zzqx", "年假", "年假怎么", "<|im_end|>"]), max_size=12))
def test_they_add_up(words):
    found = look("\n".join(words), open_vocab("qwen2.5"))
    assert found.typed == len(words) == len(found.repeated) + len(found.single) + len(found.new)
    assert {*found.new} | {word for word, _ in found.single} == {*words}
    assert "<|im_end|>" not in dict(found.single)  # typed, it is text


def test_lists_that_cannot_be():
    assert len(read("x\n" * MOST)) == MOST
    with pytest.raises(Problem, match=f"1,001 words, and {MOST:,} is the most"):
        read("x\n" * (MOST + 1))
    with pytest.raises(Problem, match="one word a line") as caught:
        read("x" * (LONGEST + 1))
    assert "每行写一个词" in caught.value.zh
    assert look(" \n\n", open_vocab("qwen2.5")).typed == 0
