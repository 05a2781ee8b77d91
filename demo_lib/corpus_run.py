"""All blocks of a corpus counted, on this machine, with a checkpoint from which it goes on."""

import hashlib
import json
import math
import os
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from . import catalog
from .cache import replace
from .corpus_block import Job, count_block
from .corpus_check import sample_of, trusted
from .corpus_count import WAYS, encoder
from .corpus_facts import facts_for
from .corpus_files import find, is_remote, look, plan
from .corpus_records import Block
from .corpus_tally import Tally, dump, load, merge, nothing
from .problems import Problem

VERSION = 3  # of what a checkpoint holds
WORDS = 8_000_000  # bytes of documents, about, whose words are compared
SAVE = 20.0  # seconds between two checkpoints
MB = 10**6

# what counts blocks, in any order, on this machine or on others
Engine = Callable[[Job, Iterable[Block]], Iterator[tuple[Block, Tally]]]


def prepare(
    paths: Sequence[str],
    models: Sequence[str],
    *,
    names: Sequence[str] | None = None,
    column: str | None = None,
    by: str | None = None,
    split: str | None = None,
    encoding: str | None = None,
    limit: int | None = None,
    remote: bool = False,
    ways: Sequence[str] = WAYS,
) -> Job:
    """What is to be counted. Whatever is wrong with the files or the options raises Problem.

    `limit`: bytes of all files together. Only with `remote` may a path be an address such as s3://bucket/file.
    """
    chosen = tuple(one.model for one in catalog.check_models(list(models)))
    if not remote and any(map(is_remote, map(str, paths))):
        raise Problem("Only files can be read here, no addresses.", "这里只能读取文件，不能读取网址。")
    options = {"column": column or None, "by": by or None, "split": split or None, "encoding": encoding or None}
    looks = tuple(look(name, address, **options) for name, address in find(list(paths), names))
    total = sum(one.size for one in looks)
    if limit is not None and total > limit:
        raise Problem(
            f"The files have {total / MB:,.1f} MB together and this page takes {limit // MB:,}: "
            "count them with python -m demo_lib.corpus.",
            f"这些文件共 {total / MB:,.1f} MB，本页最多 {limit // MB:,} MB：请使用 python -m demo_lib.corpus。",
        )
    sample = sample_of(looks)
    level = max(0, math.ceil(math.log2(total / WORDS)))
    return Job(looks, chosen, tuple(trusted(model, sample, ways) for model in chosen), level)


def size_of(job: Job) -> int:
    return sum(one.size for one in job.looks)


def block_size(job: Job) -> int:
    """Bytes of a block: small enough that progress shows, large enough that adding up does not."""
    total = size_of(job)
    return 64 * MB if total > 16_000 * MB else min(16 * MB, max(MB, total // 24))


def threads(job: Job, blocks: Iterable[Block], workers: int | None = None) -> Iterator[tuple[Block, Tally]]:
    """The blocks counted by threads of this process; what encodes leaves the interpreter to the others meanwhile."""
    workers = workers or os.cpu_count() or 1
    for model, way in zip(job.models, job.ways, strict=True):  # here, or each thread would make its own
        facts_for(model)
        encoder(model, way)
    blocks, under_way = iter(blocks), {}
    with ThreadPoolExecutor(workers) as pool:
        try:
            while True:
                while len(under_way) < workers + 1 and (block := next(blocks, None)) is not None:
                    under_way[pool.submit(count_block, job, block)] = block
                if not under_way:
                    return
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    yield under_way.pop(future), future.result()
        finally:
            for future in under_way:
                future.cancel()


class Checkpoint:
    """What has been counted so far, in a file of its own: written whole or not at all, for this job only."""

    def __init__(self, path: Path, job: Job) -> None:
        self._path, self._key = path, key_of(job).encode()

    def read(self) -> Tally | None:
        """The tally of the blocks that are done; None where there is nothing to go on from."""
        with suppress(OSError, ValueError, KeyError, TypeError, StopIteration, zlib.error):
            key, tally = self._path.read_bytes().split(b"\n", 1)
            if key == self._key:
                return load(tally)
        return None

    def write(self, tally: Tally) -> None:
        replace(self._path, self._key + b"\n" + dump(tally))

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)


def key_of(job: Job) -> str:
    """What changes when the files, the models or an option that matters do."""
    tokenizers = [catalog.MODELS[m].tokenizer.sha256 if m in catalog.MODELS else m for m in job.models]
    looks = [[one.name, one.stamp, one.size, asdict(one.form)] for one in job.looks]
    return hashlib.sha256(json.dumps([VERSION, tokenizers, looks, job.level, block_size(job)]).encode()).hexdigest()


def run(
    job: Job,
    *,
    engine: Engine = threads,
    progress: Callable[[int, int], None] | None = None,
    cancel: threading.Event | None = None,
    checkpoint: Path | None = None,
) -> Tally:
    """The tally of all files. `progress(bytes done, bytes in all)`; where `cancel` is set it raises Problem soon.

    With a checkpoint, what an earlier run of the same job counted is not counted again; it stays when this run ends
    early, by whatever, and whoever has written the report removes it.
    """
    kept = Checkpoint(checkpoint, job) if checkpoint else None
    total = (kept and kept.read()) or nothing(len(job.models))
    done = frozenset(total.lines)  # (file, number) of its blocks
    whole, saved = max(1, size_of(job)), time.monotonic()
    left = (block for block in plan(job.looks, block_size(job)) if (block.file, block.number) not in done)
    if progress:
        progress(min(total.size, whole), whole)
    try:
        for _, tally in engine(job, left):
            total = merge([total, tally])  # all or nothing of a block, whenever it is interrupted
            if cancel and cancel.is_set():
                raise Problem("The count was stopped.", "统计已停止。")
            if kept and time.monotonic() > saved + SAVE:
                kept.write(total)
                saved = time.monotonic()
            if progress:
                progress(min(whole, total.size), whole)
        return total
    finally:
        if kept:
            kept.write(total)
