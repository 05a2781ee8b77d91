"""How fast is a corpus counted? `python -m tests.bench.corpus [megabytes] [rounds] [part ...]`

Parts: counting, report, memory, dask; all of them if none is named. The corpus is made (see corpus_made). Counts are
asserted to be identical before anything is timed, and the ways are timed in turns. On a shared machine processor
seconds say more than the clock's; both are printed. No test.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from demo_lib.corpus_count import Counter
from demo_lib.corpus_run import prepare, run, threads
from demo_lib.corpus_tally import dump
from demo_lib.vocab import open_vocab
from tests import authorities

from .corpus_made import documents

MODEL = "llama-3.1"
POOL = ThreadPoolExecutor(2)


def clocks() -> np.ndarray:
    return np.array([time.perf_counter(), time.process_time()])


def chunks(texts: list[str], size: int = 256):
    return (texts[i : i + size] for i in range(0, len(texts), size))


def ours(way: str, texts: list[str]) -> list[int]:
    """The counter of the report, on two threads."""
    found = POOL.map(Counter(MODEL, way).encode, chunks(texts))
    return [n for ids in found for n in np.diff(ids.ends, prepend=0).tolist()]


def ways() -> dict:
    tokenizer, tiktoken = open_vocab(MODEL)._tokenizer, authorities.tiktoken_of(MODEL)
    tokenizer.encode_special_tokens = True
    plain = partial(tokenizer.encode_batch, add_special_tokens=False)
    batch = partial(tiktoken.encode_ordinary_batch, num_threads=2)
    return {
        "encode_batch": lambda texts: [len(one.ids) for part in chunks(texts) for one in plain(part)],
        "tiktoken batch": lambda texts: [len(ids) for part in chunks(texts) for ids in batch(part)],
        "ours": partial(ours, "tiktoken"),
        "ours, quicktok": partial(ours, "quicktok"),
    }


def counting(made: list[str], rounds: int) -> None:
    size, found = sum(len(text.encode()) for text in made) / 1e6, ways()
    wanted = found["encode_batch"](made)
    for name, count in found.items():
        assert count(made) == wanted, f"{name} counts otherwise"
    print(f"{size:.0f} MB in {len(made):,} documents, {sum(wanted):,} tokens of {MODEL}: all counts identical")
    taken = {name: [] for name in found}
    for _ in range(rounds):
        for name, count in found.items():
            begin = clocks()
            count(made)
            taken[name].append(clocks() - begin)
    for name, times in taken.items():
        clock, processor = np.median(times, axis=0)
        ratios = {}
        for other in ("encode_batch", "tiktoken batch"):
            ratios[other] = np.median([theirs / mine for theirs, mine in zip(taken[other], times, strict=True)], axis=0)
        shown = ", ".join(
            f"{by_clock:.1f} x {other} ({cpu:.1f} by processor)" for other, (by_clock, cpu) in ratios.items()
        )
        print(f"{name:16}{size / clock:7.1f} MB/s, {size / processor:6.1f} per processor second; {shown}")
    print("wanted: ours 2.5 x encode_batch and 1 x tiktoken batch; with quicktok 8 x encode_batch")


def write(path: Path, megabytes: float) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for kind, text in documents(megabytes):
            file.write(json.dumps({"text": text, "kind": kind}, ensure_ascii=False) + "\n")
    return path


def report(path: Path, rounds: int) -> None:
    """Reading, counting, and everything that the report says, on two threads."""
    for models in ([MODEL], [MODEL, "qwen2.5"]):
        for way in ("tiktoken", "quicktok"):
            job = prepare([str(path)], models, by="kind", ways=[way])
            run(job)
            times = []
            for _ in range(rounds):
                begin = clocks()
                run(job, engine=partial(threads, workers=2))
                times.append(clocks() - begin)
            clock, processor = np.median(times, axis=0)
            size = path.stat().st_size / 1e6
            print(
                f"whole report, {' and '.join(models)}, {way}: {size / clock:.1f} MB/s, "
                f"{size / processor:.1f} per processor second"
            )


PEAK = """
import re, sys
from demo_lib.corpus import main
status = main(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
sys.exit(status)
"""


def memory(folder: Path, megabytes: float) -> None:
    """The most that a whole run of the command line holds, tokenizers and Python included."""
    for models in (MODEL, f"{MODEL},qwen2.5"):
        for size in (megabytes / 4, megabytes, 4 * megabytes):
            path = folder / f"{size:g}.jsonl"
            path = path if path.exists() else write(path, size)
            for way in ("tiktoken", "quicktok"):
                out = ["--models", models, "--counter", way, "--workers", "2", "--out", str(folder / "m.json")]
                done = subprocess.run(
                    [sys.executable, "-c", PEAK, str(path), *out], capture_output=True, text=True, check=True
                )
                print(f"{size:g} MB, {models}, {way}: {int(done.stdout) / 1e3:.0f} MB of memory at most")


def dask(path: Path, rounds: int) -> None:
    """One worker against two, each a process with one thread; the sums are those of one process."""
    from distributed import LocalCluster

    from demo_lib.corpus_dask import cluster

    job = prepare([str(path)], [MODEL, "qwen2.5"], by="kind", ways=["tiktoken"])
    wanted, taken = dump(run(job)), {1: [], 2: []}
    for workers in taken:
        with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50) as local:
            engine = partial(cluster, scheduler=local.scheduler_address)
            assert dump(run(job, engine=engine)) == wanted  # and the tokenizers are open
            for _ in range(rounds):
                begin = time.perf_counter()
                run(job, engine=engine)
                taken[workers].append(time.perf_counter() - begin)
    one, two = (statistics.median(times) for times in taken.values())
    size = path.stat().st_size / 1e6
    print(f"Dask: {size / one:.1f} MB/s with one worker, {size / two:.1f} with two: {one / two:.2f} x; wanted 1.7")


def main() -> None:
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 50
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    parts = sys.argv[3:] or ["counting", "report", "memory", "dask"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write(folder / f"{megabytes:g}.jsonl", megabytes)
        if "counting" in parts:
            counting([text for _, text in documents(megabytes)], rounds)
        if "report" in parts:
            report(path, rounds)
        if "memory" in parts:
            memory(folder, megabytes)
        if "dask" in parts:
            dask(write(folder / "dask.jsonl", 2 * megabytes), rounds)  # so long that the ends do not count


if __name__ == "__main__":
    main()
