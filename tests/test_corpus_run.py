"""Whole runs: stopped and started again, on any number of threads, within a limit."""

import json
import threading
from functools import partial

import pytest

from demo_lib import corpus_run
from demo_lib.corpus_records import Block
from demo_lib.corpus_run import Checkpoint, block_size, key_of, prepare, run, threads
from demo_lib.corpus_tally import dump, merge
from demo_lib.problems import Problem
from demo_lib.vocab import open_vocab

from .refusals import refusal

MODELS = ["llama-3.1", "qwen2.5"]


@pytest.fixture
def corpus(tmp_path):
    lines = [{"text": f"年假怎么申请？{i} " * (i % 7 + 1), "lang": "zh" if i % 2 else "en"} for i in range(2000)]
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\n{broken\n", "utf-8")
    (tmp_path / "b.csv").write_text("text,lang\n" + '钉钉审批,zh\n"two\nlines",en\n' * 900 + "x\n", "utf-8")
    return [str(tmp_path / name) for name in ("a.jsonl", "b.csv")]


@pytest.fixture(autouse=True, scope="module")
def opened():
    for model in MODELS:
        open_vocab(model)  # else each job would open it in a child


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(corpus_run, "MB", 20_000)


class Stop(Exception):
    pass


def test_stopped_and_started_again_it_is_as_if_it_had_never_stopped(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_run, "SAVE", 0.0)
    job = prepare(corpus, MODELS, by="lang")
    wanted, path, counted = run(job), tmp_path / "out.part", []
    runs = 0

    def engine(job, blocks):
        for n, (block, tally) in enumerate(threads(job, blocks, 1)):
            if n == 3:
                raise Stop
            counted.append((block.file, block.number))
            yield block, tally

    found = None
    while found is None:
        runs += 1
        try:
            found = run(job, engine=engine, checkpoint=path)
        except Stop:
            assert path.exists()
    assert dump(found) == dump(wanted)
    assert runs > 3
    assert len(counted) == len(set(counted))  # none twice
    again = run(job, engine=lambda job, blocks: iter([pytest.fail("counted again") for _ in blocks]), checkpoint=path)
    assert dump(again) == dump(wanted)


def test_a_checkpoint_is_of_one_job_only(corpus, tmp_path):
    prepare = partial(corpus_run.prepare, ways=["tiktoken"])
    job, path = prepare(corpus, MODELS), tmp_path / "out.part"
    run(job, checkpoint=path)
    assert Checkpoint(path, job).read()
    keys = {key_of(job)}
    for other in (prepare(corpus, MODELS, by="lang"), prepare(corpus, MODELS[:1]), prepare(corpus[:1], MODELS)):
        assert Checkpoint(path, other).read() is None
        keys.add(key_of(other))
    with open(corpus[0], "a") as file:
        file.write('{"text": "one more"}\n')
    keys.add(key_of(prepare(corpus, MODELS)))
    assert len(keys) == 5
    for damaged in (b"", b"x\ny\nz", path.read_bytes()[:-20]):
        path.write_bytes(damaged)
        assert Checkpoint(path, job).read() is None
    Checkpoint(path, job).remove()
    assert not path.exists()


def test_an_interruption_while_adding_up_loses_nothing_and_counts_nothing_twice(corpus, tmp_path, monkeypatch):
    job, path, calls = prepare(corpus, MODELS), tmp_path / "out.part", []
    wanted = dump(run(job))

    def interrupted(tallies):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return merge(tallies)

    monkeypatch.setattr(corpus_run, "merge", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(job, checkpoint=path)
    assert dump(run(job, checkpoint=path)) == wanted


def test_threads_and_ways_make_no_difference(corpus):
    job = prepare(corpus, MODELS, by="lang")
    assert job.ways == ("quicktok", "quicktok")
    wanted = dump(run(job))
    for workers, ways in ((1, ["tiktoken"]), (3, ["tokenizers"])):
        other = prepare(corpus, MODELS, by="lang", ways=ways)
        assert dump(run(other, engine=partial(threads, workers=workers))) == wanted


def test_progress_and_stopping(corpus):
    job, seen, stop = prepare(corpus, MODELS), [], threading.Event()
    run(job, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (sum(one.size for one in job.looks),) * 2
    assert len(seen) > 5
    stop.set()
    with pytest.raises(Problem, match="stopped"):
        run(job, cancel=stop)


def test_a_file_that_is_gone_in_the_middle(corpus):
    import os

    job = prepare(corpus, MODELS, ways=["tiktoken"])
    os.unlink(corpus[1])
    assert "b.csv could not be read" in refusal(lambda: [*threads(job, [Block(1, 0, 0, 100)])])


def test_limits_and_models(corpus, monkeypatch):
    monkeypatch.setattr(corpus_run, "MB", 10**6)
    assert "files have 0.5 MB together and this page takes 0" in refusal(prepare, corpus, MODELS, limit=20_000)
    assert "no addresses" in refusal(prepare, ["memory://a.txt"], MODELS)
    assert "at most 4" in refusal(prepare, corpus, list("abcde"))
    assert "no model of this name" in refusal(prepare, corpus, ["gpt"])


def test_blocks_grow_with_the_corpus(monkeypatch, corpus):
    monkeypatch.setattr(corpus_run, "MB", 10**6)
    job = prepare(corpus, MODELS[:1])
    sizes = []
    for total in (10**5, 10**8, 10**10, 10**12):
        monkeypatch.setattr(corpus_run, "size_of", lambda job, total=total: total)
        sizes.append(block_size(job) / 10**6)
    assert sizes == [1, pytest.approx(100 / 24, rel=1e-6), 16, 64]
