"""Words as people type them: a row as it is spelled, and the two words of an axis."""

import numpy as np
import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers

from demo_lib import probes
from demo_lib.problems import Problem
from demo_lib.vocab import Vocab
from tests.small_tables import table


def test_a_row_as_it_is_spelled_leads_back_to_it():
    """Byte tokens, tokens that merging never makes, and spellings that a field would read otherwise."""
    names = [
        "Q",
        "▁",
        "3",
        "19",
        "▁Q",
        "Q▁319",
        "▁3",
        "a,b",
        "\n",
        "\u3000",
        "#5",
        '"',
        "[1]",
        "<",
        "<b>",
        "今",
        "a" * 201,
    ]
    names += [f"<0x{byte:02X}>" for byte in range(256)]
    model = models.BPE({name: id for id, name in enumerate(names)}, [("▁", "Q"), ("▁", "3")], byte_fallback=True)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens([AddedToken("<eos>", special=True, normalized=False)])
    opened = table(np.ones((len(names) + 3, 2)))
    vocab = Vocab.from_json(tokenizer.to_str(), "bytes", "Bytes")
    opened._vocab = lambda: vocab
    spelled = [probes.spell(id, opened) for id in range(len(names) + 3)]
    for id, typed in enumerate(spelled):
        (word,) = probes.read_words(typed)
        assert probes.look_up(word, opened).ids == (id,)
    assert spelled[:7] == ["Q", '" "', "3", "#3", '" Q"', "#5", '" 3"']
    assert spelled[names.index("今")] == "今"
    assert spelled[len(names) :] == ["<eos>", f"#{len(names) + 1}", f"#{len(names) + 2}"]
    assert all(one.startswith("#") for one in spelled[names.index("<0x80>") : len(names)])


@pytest.mark.parametrize("dash", ["-", "–", "—", "——", "－", "~", "→", "->", " - ", " – ", " －"])
def test_an_axis_is_two_words_with_a_dash(dash):
    for first, a in (("day", "day"), ("#5", 5), ('" day"', " day"), ('"a-b"', "a-b"), ("白天", "白天")):
        assert probes.read_axis(f" {first}{dash}night ") == (a, "night")
        assert probes.read_axis(f"night{dash}{first}") == ("night", a)


def test_of_several_dashes_the_one_with_spaces_separates_or_it_is_said():
    assert probes.read_axis("well-known - x") == probes.read_axis("well-known – x") == ("well-known", "x")
    assert probes.read_axis("x -> well-known") == ("x", "well-known")
    for text in ("day-night-noon", "well-known-x", "a - b - c", "a → b → c"):
        with pytest.raises(Problem, match="more than one dash"):
            probes.read_axis(text)
    assert [probes.read_axis(text) for text in ("", "day", "- day", "-", '"a-b"')] == [
        (),
        ("day",),
        ("day",),
        (),
        ("a-b",),
    ]
