"""The report from a cluster of two workers, one of which is killed in the middle, and from one process."""

import json
import os
import signal
from dataclasses import replace
from functools import partial

import pytest

from demo_lib import corpus_run
from demo_lib.corpus_report import make_report
from demo_lib.corpus_run import prepare, run, threads
from demo_lib.corpus_tally import dump
from demo_lib.corpus_write import to_json

from .refusals import refusal

distributed = pytest.importorskip("distributed")
from demo_lib.corpus_dask import cluster, engine  # noqa: E402 - it needs what may be missing


@pytest.fixture
def job(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_run, "MB", 25_000)
    lines = [
        {"text": f"年假怎么申请？钉钉 🏽 code {i} " * (i % 9 + 1), "lang": "zh" if i % 2 else "en"} for i in range(4000)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\n{broken\n", "utf-8")
    (tmp_path / "b.csv").write_text('text,lang\n"two\nlines",en\n' * 2000 + "x\n", "utf-8")
    paths = [str(tmp_path / name) for name in ("a.jsonl", "b.csv")]
    made = prepare(paths, ["llama-3.1", "qwen2.5"], by="lang", ways=["tokenizers"])
    return replace(made, ways=("tiktoken", "tiktoken"))  # without a tokenizer, which takes long to open


def test_a_cluster_gives_the_same_report_though_a_worker_is_killed(job):
    wanted = run(job, engine=partial(threads, workers=1))
    quiet = {"dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **quiet) as local:
        killed = []

        def counted(job, blocks):
            for n, (block, tally) in enumerate(cluster(job, blocks, local.scheduler_address)):
                if n == 3:
                    with distributed.Client(local.scheduler_address, set_as_default=False) as client:
                        killed.append(sorted(client.run(os.getpid).values())[0])
                    os.kill(killed[0], signal.SIGKILL)
                assert (block.file, block.number) not in seen
                seen.add((block.file, block.number))
                yield block, tally

        seen = set()
        found = run(job, engine=counted)
    assert killed
    assert len(seen) > 20
    assert dump(found) == dump(wanted)
    assert to_json(make_report(job, found)) == to_json(make_report(job, wanted))


def test_no_cluster_there(job):
    assert "--scheduler" in refusal(engine, None)
    assert "No Dask scheduler" in refusal(lambda: next(engine("tcp:/nowhere")(job, [])))
