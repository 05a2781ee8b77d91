"""The child process that counts a model on the Hub from its config.json and the headers of its safetensors files.

No weights are fetched: some 100 kB of most models, 12 MB of one with 160 files. `hub_counts.py` is the parent's end.
"""

import signal
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

from . import child, model_counts, sources, weights
from .byte_range import Fault, ask
from .tensor_range import FIRST, MEMORY, SINGLE, WORKERS, entries, listed, reading

# The files of one model, and the tensors in all of them; the largest models have 160 and 100,000
MOST_FILES, MOST_TENSORS = 400, 300_000
# What a tensor takes in a header, at most: by this the first request for a file of a sharded model is long enough
TENSOR = 250


def count(model: str, folder: str) -> dict[str, Any]:
    """A model_counts.Counted as JSON has it, or {kind, filename} of what is wrong."""
    try:
        with reading("config.json", absent="no_config"):
            config = sources._fetch_one(model, "config.json", weights.CONFIG_LIMIT, folder)
            weights.read_config(config)
        tensors = _all(model, *listed(model, folder))
        with reading("config.json"):
            return asdict(model_counts.count(tensors, config))
    except Fault as fault:
        return {"kind": fault.kind, "filename": fault.filename}


def _all(model: str, files: dict[str, str] | None, single: Any) -> Mapping[str, weights.Entry]:
    """The tensors of all files."""
    if files is None:
        with reading(SINGLE):
            return model_counts.believed(entries(model, SINGLE, single))
    sizes = Counter(files.values())
    if not sizes or len(sizes) > MOST_FILES or len(files) > MOST_TENSORS:
        raise Fault("damaged", "model.safetensors.index.json")
    names = sorted(sizes)
    with reading(names[0], absent="no_shard"):
        known = ask(model, names[0], "main")

    def one(filename: str) -> Mapping[str, weights.Entry]:
        with reading(filename, absent="no_shard"):
            found = known if filename == names[0] else ask(model, filename, known.commit_hash)
            first = min(FIRST, 1000 + TENSOR * sizes[filename])
            return model_counts.believed(entries(model, filename, found, first))

    with ThreadPoolExecutor(WORKERS) as pool:
        headers = dict(zip(names, pool.map(one, names), strict=True))
    for name, filename in files.items():
        if name not in headers[filename]:
            raise Fault("damaged", filename)
    return {name: headers[filename][name] for name, filename in files.items()}


if __name__ == "__main__":
    child.limit(AS=MEMORY, CORE=0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    child.serve({"count": count})
