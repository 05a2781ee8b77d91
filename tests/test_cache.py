"""Entries of the cache that are replaced, and the lock between processes; test_sources.py has the rest."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from demo_lib import cache

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path / "cache"))


def test_entries():
    assert cache.entry("a/b") is None
    cache.keep("a/b", b"one\n")
    assert cache.entry("a/b") == b"one\n"
    cache.keep("a/b", b"two")
    assert cache.entry("a/b") == cache.cached("a/b", lambda: b"three") == b"two"
    (cache.cache_dir() / "a" / "b").write_bytes(b"damaged")
    assert cache.entry("a/b") is None


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(OSError, match="file"):
        cache.keep("a", b"")


HOLD = """
import sys, time
from pathlib import Path
from demo_lib.cache import only_one
with only_one(Path(sys.argv[1]), lambda: None):
    print("in", flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such lock")
def test_one_process_at_a_time(tmp_path):
    lock = tmp_path / "new" / "lock"
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "in\n"
    waited = []

    def waiting() -> None:
        waited.append(time.monotonic())
        if len(waited) == 3:
            other.kill()  # however it ends, the lock is free

    with cache.only_one(lock, waiting):
        other.wait()
    assert len(waited) >= 3
    assert waited[2] - waited[0] < 2


def test_waiting_may_give_up(tmp_path):
    def give_up() -> None:
        raise TimeoutError

    with cache.only_one(tmp_path / "lock", give_up):
        if sys.platform != "win32":
            with pytest.raises(TimeoutError), cache.only_one(tmp_path / "lock", give_up):
                pass
    with cache.only_one(tmp_path / "lock", give_up):  # and it is free again
        pass
