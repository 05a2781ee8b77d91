"""Merging: the fast way against a slow and obvious one, and each trace replayed to the library's ids."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_lib.catalog import MODELS
from demo_lib.merging import Trace, merge_order
from demo_lib.vocab import Vocab, open_vocab

from . import authorities, texts


def slow_merge_order(pieces, priority):
    """Look at all neighbours, merge the best, begin again."""
    pieces, places, done = list(pieces), list(range(len(pieces))), []
    while True:
        found = [(priority(*pieces[i : i + 2]), i) for i in range(len(pieces) - 1)]
        found = [(rank, i) for rank, i in found if rank is not None]
        if not found:
            return pieces, done
        rank, i = min(found)
        done.append((places[i], pieces[i], pieces[i + 1], rank))
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
        del places[i + 1]


@settings(max_examples=300)
@given(st.text("abc", max_size=40), st.lists(st.text("abc", min_size=2, max_size=6), unique=True, max_size=30))
def test_order_by_ranks(text, ranked):
    """As in a vocabulary of ranked byte strings: a pair merges if what it makes has a rank."""
    rank = {piece: (i,) for i, piece in enumerate(ranked)}

    def priority(left, right):
        return rank.get(left + right)

    assert merge_order(list(text), priority) == slow_merge_order(text, priority)


@settings(max_examples=300)
@given(
    st.text("ab", max_size=40),
    st.lists(st.tuples(st.text("ab", min_size=1, max_size=3), st.text("ab", min_size=1, max_size=3)), max_size=30),
)
def test_order_by_a_list_of_merges(text, merges):
    rank = {pair: (i,) for i, pair in reversed([*enumerate(merges)])}
    assert merge_order(list(text), lambda *pair: rank.get(pair)) == slow_merge_order(text, lambda *pair: rank.get(pair))


def test_nothing_to_merge():
    assert merge_order([], lambda left, right: (0,)) == ([], [])
    assert merge_order(["a"], lambda left, right: (0,)) == (["a"], [])
    assert merge_order(list("ab"), lambda left, right: None) == (["a", "b"], [])


def test_long_runs_take_no_long_time():
    rank = {"a" * 2**k: (k,) for k in range(1, 18)}
    begun = time.monotonic()
    pieces, steps = merge_order(["a"] * 2**17, lambda left, right: rank.get(left + right))
    assert (len(pieces), len(steps)) == (1, 2**17 - 1)
    assert time.monotonic() - begun < 20  # a second or so; the slow way would take hours


def replay(trace: Trace) -> list[list[bytes]]:
    """The pieces before the first merge, and after each."""
    rows = [list(trace.start)]
    for merge in trace.merges:
        pieces, at = list(rows[-1]), 0
        for i, piece in enumerate(pieces):
            if at == merge.at:
                assert pieces[i : i + 2] == [merge.left, merge.right]
                pieces[i : i + 2] = [merge.left + merge.right]
                break
            at += len(piece)
        assert len(pieces) == len(rows[-1]) - 1
        rows.append(pieces)
    return rows


@settings(max_examples=100)
@given(texts.texts)
@pytest.mark.parametrize("key", MODELS)
def test_traces_end_in_the_ids(key, text):
    vocab, ranks = open_vocab(key), authorities.ranks(key)
    encoding = vocab.encode(text)
    for i, pre_token in enumerate(encoding.pre_tokens):
        trace = vocab.trace(pre_token.text)
        assert (trace.text, trace.kind) == (pre_token.text, "BPE")
        assert trace.ids == tuple(token.id for token in encoding.tokens if token.pre_token == i)
        assert trace.start == tuple(bytes([byte]) for byte in pre_token.text.encode())
        if trace.whole:
            assert key == "llama-3.1"
            assert trace.merges == ()
            assert [ranks[pre_token.text.encode()]] == [*trace.ids]
            continue
        rows = replay(trace)
        assert [ranks[piece] for piece in rows[-1]] == [*trace.ids]
        for pieces, merge in zip(rows, trace.merges, strict=False):
            assert merge.rank == ranks[merge.left + merge.right]
            assert merge.rank == min(ranks.get(a + b, 10**9) for a, b in pairwise(pieces))


def test_the_lessons_character():
    """钉 is E9 92 89. Llama has E9 92 and 89 apart; Qwen2.5 has the whole, by two merges."""
    llama, qwen = open_vocab("llama-3.1").trace("钉"), open_vocab("qwen2.5").trace("钉")
    assert [(merge.left.hex(), merge.right.hex()) for merge in llama.merges] == [("e9", "92")]
    assert [open_vocab("llama-3.1").token_bytes(id).hex() for id in llama.ids] == ["e992", "89"]
    assert [(merge.left.hex(), merge.right.hex()) for merge in qwen.merges] == [("e9", "92"), ("e992", "89")]
    assert qwen.ids == (qwen.merges[-1].rank,)
    assert (llama.whole, qwen.whole) == (False, False)


def test_a_pre_token_taken_whole():
    trace = open_vocab("llama-3.1").trace(" annual")
    assert (trace.whole, trace.merges, len(trace.start), len(trace.ids)) == (True, (), 7, 1)
    assert open_vocab("qwen2.5").trace(" annual").whole is False


def trained(model, trainer, pre_tokenizer=None, decoder=None) -> Vocab:
    """A small tokenizer of another kind, trained on a few words."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer(model)
    if pre_tokenizer:
        tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizer, decoder
    tokenizer.train_from_iterator(["hug pug pun bun hugs", "请问年假怎么申请？"] * 5, trainer)
    return Vocab.from_json(tokenizer.to_str(), "small", "Small")


@settings(max_examples=50)
@given(st.text("hugspn 年假请", max_size=20))
def test_other_byte_pair_models(text):
    """A list of merges instead of ranks; letters instead of bytes."""
    from tokenizers import decoders, models, pre_tokenizers, trainers

    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = byte_level.alphabet()
    for vocab in (
        trained(models.BPE(), trainers.BpeTrainer(vocab_size=60, show_progress=False)),
        trained(
            models.BPE(),
            trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False),
            byte_level,
            decoders.ByteLevel(),
        ),
    ):
        encoding = vocab.encode(text)
        for i, pre_token in enumerate(encoding.pre_tokens):
            trace = vocab.trace(pre_token.text)
            assert trace.ids == tuple(token.id for token in encoding.tokens if token.pre_token == i)
            assert replay(trace)[-1] == [vocab.token_bytes(id) for id in trace.ids]
            assert [merge.rank for merge in trace.merges] == sorted(merge.rank for merge in trace.merges)


def test_models_without_merges_do_not_pretend():
    from tokenizers import models, trainers

    unigram = trained(models.Unigram(), trainers.UnigramTrainer(vocab_size=40, show_progress=False))
    words = trained(models.WordPiece(unk_token="[UNK]"), trainers.WordPieceTrainer(special_tokens=["[UNK]"]))
    for vocab, kind in ((unigram, "Unigram"), (words, "WordPiece")):
        trace = vocab.trace("hugs")
        assert (trace.kind, trace.merges, trace.whole) == (kind, None, False)
        assert list(trace.ids) == vocab.encode("hugs").ids
    dropped = trained(models.BPE(dropout=1.0), trainers.BpeTrainer(vocab_size=60, show_progress=False)).trace("hug")
    assert dropped.merges is None
    assert len(dropped.ids) == 3
