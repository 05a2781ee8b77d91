"""How long does it take to find the ten rows nearest to one token? `python -m tests.bench.nearest [table] [rounds]`

The table (gemma-3-270m if none is named) must be in the cache: `python app.py --fetch`. Ours and its peers answer the
same queries in turn, with two threads: torch's float32 matrix-vector product and topk, numpy's product and
argpartition, and, where requirements-bench.txt is installed, faiss IndexFlatIP, gensim's KeyedVectors and
sentence-transformers' semantic_search; all of them over rows that were normalised beforehand. First each must give the
ids of a float64 comparison with all rows. Printed are medians, their ratios, and how near ours comes to reading rows *
dim bytes once, at the speed at which this run sums them. No test: it depends on the machine.
"""

import importlib.util
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import torch

from demo_lib import probes
from demo_lib.nearest import nearest

K = 10
WANTED = {"torch": 4.0, "numpy": 2.0, "faiss": 1.0, "gensim": 1.0, "semantic_search": 1.0}


def resident() -> float:
    """MB of memory of this process that are no file's."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1e3


def engines(table, units: np.ndarray) -> dict[str, Callable[[int], list[int]]]:
    """Each takes a row's id and gives the K + 1 nearest rows, itself the first."""
    matrix = torch.from_numpy(units)

    def by_numpy(id: int) -> list[int]:
        scores = units @ units[id]
        best = np.argpartition(-scores, K + 1)[: K + 1]
        return best[np.argsort(-scores[best])].tolist()

    found = {
        "ours": lambda id: nearest(table, table.rows([id]), K + 1)[0].ids.tolist(),
        "torch": lambda id: torch.mv(matrix, matrix[id]).topk(K + 1).indices.tolist(),
        "numpy": by_numpy,
    }
    if importlib.util.find_spec("faiss"):
        import faiss

        faiss.omp_set_num_threads(2)
        index = faiss.IndexFlatIP(units.shape[1])
        index.add(units)
        found["faiss"] = lambda id: index.search(units[id : id + 1], K + 1)[1][0].tolist()
    if importlib.util.find_spec("gensim"):
        from gensim.models import KeyedVectors

        keyed = KeyedVectors(units.shape[1], count=0)
        keyed.index_to_key, keyed.vectors = list(range(len(units))), units
        keyed.key_to_index = {id: id for id in range(len(units))}
        keyed.fill_norms()
        found["gensim"] = lambda id: [hit for hit, _ in keyed.similar_by_vector(units[id], topn=K + 1)]
    if importlib.util.find_spec("sentence_transformers"):
        from sentence_transformers.util import dot_score, semantic_search

        search = {"top_k": K + 1, "score_function": dot_score, "corpus_chunk_size": len(units)}
        found["semantic_search"] = lambda id: [
            hit["corpus_id"] for hit in semantic_search(matrix[id : id + 1], matrix, **search)[0]
        ]
    return found


def brute(table, id: int) -> list[int]:
    query = table.rows([id])[0].astype(np.float64)
    scores = np.empty(table.info.rows)
    for start in range(0, table.info.rows, 4096):
        rows = table.rows(slice(start, start + 4096)).astype(np.float64)
        scores[start : start + 4096] = (rows * query).sum(1) / np.sqrt(np.square(rows).sum(1) * np.square(query).sum())
    return np.argsort(-scores, kind="stable")[: K + 1].tolist()


def main() -> None:
    table = probes.open_table(sys.argv[1] if len(sys.argv) > 1 else "gemma-3-270m", fetch=False)
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    torch.set_num_threads(2)
    rows, dim = table.info.rows, table.info.dim
    print(f"{table.info.label}: {rows:,} rows of {dim}, {table.info.dtype}; torch {torch.__version__}, 2 threads")
    _ = table.norms
    torch.ops.quantized.linear_prepack  # noqa: B018 torch's own memory is not the copy's
    before, begin = resident(), time.perf_counter()
    assert probes.warm(table), "torch has no quantized product here"
    taken, fp32 = resident() - before, rows * dim * 4 / 1e6
    print(f"int8 copy: {time.perf_counter() - begin:.1f} s, {taken:.0f} MB, {taken / fp32:.2f} of float32's {fp32:.0f}")
    blocks = (table.rows(slice(start, start + 8192)) for start in range(0, rows, 8192))
    units = np.concatenate([block / np.linalg.norm(block, axis=1, keepdims=True) for block in blocks])
    found = engines(table, units)
    ids = np.random.default_rng(0).integers(0, rows, rounds + 8).tolist()
    for id in ids[:8]:
        wanted = brute(table, id)
        assert found["ours"](id) == wanted, "ours is not exact"
        for name, engine in found.items():
            missing = len(set(wanted) - set(engine(id)))
            if missing:
                print(f"{name}: {missing} of the {K + 1} nearest to row {id} are others than in float64")
    whole = torch.from_numpy(units[: len(units) // 4].view(np.int64))  # rows * dim bytes
    found["reading"] = lambda _: whole.sum()
    times = {name: [] for name in found}
    for id in ids[8:]:
        for name, engine in found.items():
            time.sleep(0.05)  # numpy's threads spin for some 20 ms after a product, and the next would pay for it
            begin = time.perf_counter()
            engine(id)
            times[name].append(time.perf_counter() - begin)
    ours = statistics.median(times["ours"])
    for name, taken in times.items():
        middle = statistics.median(taken)
        ratio = statistics.median(other / own for other, own in zip(taken, times["ours"], strict=True))
        note = f"wanted {WANTED[name]}" if name in WANTED else "wanted 0.7" if name == "reading" else ""
        spread = f"{min(taken) * 1e3:.1f} to {max(taken) * 1e3:.1f}"
        print(f"{name:16}{middle * 1e3:8.1f} ms ({spread})  {middle / ours:.2f} x ours, in pairs {ratio:.2f}  {note}")
    print(f"reading at {rows * dim / statistics.median(times['reading']) / 1e9:.1f} GB/s")


if __name__ == "__main__":
    main()
