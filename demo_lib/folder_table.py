"""The embedding table of a model in a local folder (config.json, tokenizer.json, safetensors), read where it is."""

import hashlib
from pathlib import Path

from . import hub_problems, weights
from .problems import Problem
from .table import Stored

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"


def check(path: str | Path) -> Path:
    """The folder, if it can be one with a model. Raises Problem."""
    folder = Path(path).expanduser().absolute()
    if not str(path).strip() or not folder.is_dir():
        raise Problem(
            "The folder given with --table does not exist: name the folder with config.json and the safetensors files.",
            "--table 给出的文件夹不存在：请给出含有 config.json 和 safetensors 文件的文件夹。",
        )
    read(folder)
    if not (folder / "tokenizer.json").is_file():
        raise problem("no_config", folder, "tokenizer.json")
    return folder


def tokenizer_json(folder: Path) -> bytes:
    """The folder's tokenizer.json. Raises Problem."""
    return _file(folder, "tokenizer.json", 64 * 10**6)


def read(folder: Path) -> tuple[bool, Stored, Stored | None]:
    """Whether the model is tied, its input table, and its separate output table if it has one. Raises Problem."""
    filename = "config.json"
    try:
        config = weights.read_config(_file(folder, filename, weights.CONFIG_LIMIT))
        filename = SINGLE if (folder / SINGLE).is_file() else INDEX
        if filename == SINGLE:
            names = dict.fromkeys(_header(folder, SINGLE), SINGLE)
        else:
            names = weights.read_index(_file(folder, INDEX, weights.INDEX_LIMIT, missing="no_weights"))
        if weights.name_of(weights.INPUT, names) is None:
            raise weights.Doubt("no_table")
        tied = weights.is_tied(config, names)
        found: list[Stored | None] = []
        for candidates in (weights.INPUT, weights.OUTPUT):
            name = weights.name_of(candidates, names)
            if name is None or (tied and found):
                found.append(None)
                continue
            filename = names[name]
            found.append(_stored(folder, filename, name, config))
    except weights.Doubt as doubt:
        raise problem(doubt.kind, folder, filename) from None
    return tied, found[0], found[1]


def _stored(folder: Path, filename: str, name: str, config: weights.Config) -> Stored:
    entry = _header(folder, filename).get(name)
    if entry is None:
        raise weights.Doubt("damaged")
    weights.check(entry, config)
    path = folder / filename
    about = path.stat()
    content = hashlib.sha256(repr((str(path), about.st_size, about.st_mtime_ns, entry)).encode()).hexdigest()
    return Stored(path, entry.start, entry.dtype, *entry.shape, content)


def _header(folder: Path, filename: str) -> dict[str, weights.Entry]:
    path = folder / filename
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = weights.header_length(file.read(8), size)
            return weights.read_header(file.read(length), size)
    except OSError:
        raise weights.Doubt("damaged") from None


def _file(folder: Path, filename: str, limit: int, *, missing: str = "no_config") -> bytes:
    path = folder / filename
    try:
        if path.stat().st_size > limit:
            raise problem("large", folder, filename, limit)
        return path.read_bytes()
    except OSError:
        raise problem(missing, folder, filename) from None


def problem(kind: str, folder: Path, filename: str = "", limit: int = 0) -> Problem:
    """The sentence for what is wrong with the model in a folder."""
    return hub_problems.hub_problem(kind, folder.name, filename, limit, another=hub_problems.FOLDER)
