"""Folders of visitors are gone at the next start, even if the server was killed; those of another server are not."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from demo_lib import passing
from demo_lib.passing import Passing, sweep

HOLDER = """
import tempfile, time
tempfile.tempdir = {folder!r}
from pathlib import Path
from demo_lib.passing import Passing
held = Passing()
Path(held.name, "1").write_text("a visitor's text")
print(held.name, flush=True)
time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_a_killed_process_left_is_swept(folder):
    pytest.importorskip("fcntl")
    process = subprocess.Popen([sys.executable, "-c", HOLDER.format(folder=str(folder))], stdout=subprocess.PIPE)
    left = Path(process.stdout.readline().decode().strip(), "1")
    mine = Passing()
    sweep()
    assert left.read_text("utf-8") == "a visitor's text"  # its process lives
    process.kill()
    process.communicate()
    assert left.exists()
    (folder / "somebody-else").mkdir()
    sweep()
    assert sorted(folder.iterdir()) == sorted([Path(mine.name), folder / "somebody-else"])
    mine.cleanup()
    assert [one.name for one in folder.iterdir()] == ["somebody-else"]


def test_without_such_locks_nothing_is_swept(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with Passing() as name:
        sweep()
        assert Path(name).is_dir()
    assert [*folder.glob(f"{passing.PREFIX}*")] == []
