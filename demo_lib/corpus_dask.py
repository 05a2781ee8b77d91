"""The same count on a Dask cluster: each block is a task, and the sums are the same to the last count.

A worker that is lost loses the blocks that it was at; Dask gives them to another, and none is added twice, since only
what arrives here is added. Workers need this package, and the files at the same addresses.
"""

import importlib.util
import pickle
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from .corpus_block import Job, count_block
from .corpus_records import Block
from .corpus_run import Engine
from .corpus_tally import Tally
from .problems import Problem

AHEAD = 3  # blocks for each thread of a worker that are handed out at a time
RETRIES = 3  # of a block whose file could not be read, as on a network


def count_packed(job: Job, block: Block) -> bytes:
    """What a worker sends: a tally packed to a fifth, which is less than a megabyte for a block of any size."""
    return zlib.compress(pickle.dumps(count_block(job, block), protocol=5), 1)


def engine(scheduler: str | None) -> Engine:
    """What counts on the cluster at this address. Raises Problem where there can be none."""
    if importlib.util.find_spec("distributed") is None:
        raise Problem(
            "Counting on a cluster needs Dask: pip install -r requirements-scale.txt",
            "在集群上统计需要 Dask：pip install -r requirements-scale.txt",
        )
    if not scheduler:
        raise Problem(
            "Give the cluster's address: --scheduler tcp://host:8786", "请给出集群地址：--scheduler tcp://主机:8786"
        )
    return partial(cluster, scheduler=scheduler)


def cluster(job: Job, blocks: Iterable[Block], scheduler: str) -> Iterator[tuple[Block, Tally]]:
    """The blocks counted by the workers of the cluster at `scheduler`, in the order in which they come back."""
    from distributed import Client, as_completed

    try:
        client = Client(scheduler, timeout=20, set_as_default=False)
    except (OSError, ValueError):
        raise Problem("No Dask scheduler answers at this address.", "该地址没有 Dask 调度器应答。") from None
    with client:
        left, under_way, arriving = iter(blocks), {}, as_completed(loop=client.loop)

        def hand_out() -> None:
            threads = sum(client.nthreads().values()) or 1
            while len(under_way) < AHEAD * threads and (block := next(left, None)) is not None:
                key = f"corpus-{client.id}-{block.file}-{block.number}"
                part = replace(job, looks={block.file: job.looks[block.file]})  # of a million files, the one
                future = client.submit(count_packed, part, block, key=key, retries=RETRIES, pure=False)
                under_way[future.key] = block
                arriving.add(future)

        hand_out()
        while under_way:
            future = next(arriving)
            yield under_way.pop(future.key), pickle.loads(zlib.decompress(_result(future)))
            future.release()
            hand_out()


def _result(future) -> bytes:
    """What a task gave; a cluster that gave up on it raises Problem."""
    from distributed import CancelledError, KilledWorker

    try:
        return future.result()
    except (KilledWorker, CancelledError):
        raise Problem(
            "The cluster lost a block: the workers that were to count it ended.",
            "集群丢失了一个数据块：负责统计它的工作进程已结束。",
        ) from None
