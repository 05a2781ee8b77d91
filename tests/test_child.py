"""The child process: what it is given, how it ends, and the pipe."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from demo_lib import child, sandbox
from demo_lib.sandbox import OutsideVocab

from .hostile import tokenizer_json

ROOT = Path(__file__).parent.parent
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def process_id(vocab: OutsideVocab) -> int:
    return vocab._child._process.pid


def is_gone(pid: int, within: float = 5) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (OSError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


@linux
def test_closed_and_collected():
    vocab = OutsideVocab(tokenizer_json(), "key", "Label")
    first = process_id(vocab)
    vocab.close()
    assert is_gone(first)
    assert vocab.encode("ab").ids == [0, 1]  # loaded again
    second = process_id(vocab)
    os.kill(second, signal.SIGKILL)
    assert is_gone(second)
    assert vocab.encode("ab").ids == [0, 1]
    third = process_id(vocab)
    del vocab
    assert is_gone(third)


@linux
@pytest.mark.parametrize("end", ["exit", "kill", "kill while working"])
def test_child_ends_with_its_parent(end):
    code = f"""
import os, signal, sys, threading, time
from tests.hostile import FAILS
from tests.test_child import process_id
from demo_lib.sandbox import OutsideVocab
vocab = OutsideVocab(FAILS["a letter that doubles 40 times"][0], "key", "Label", seconds=1, memory=100 << 30)
print(process_id(vocab), flush=True)
if {end!r} == "kill while working":
    threading.Thread(target=vocab.encode, args=("a",)).start()
    time.sleep(0.3)
if {end!r} != "exit":
    os.kill(os.getpid(), signal.SIGKILL)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())
    parent.wait()
    assert is_gone(pid, within=1 + child.GRACE + 3)


@linux
def test_what_the_child_is_given(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("https_proxy", "http://user:secret@proxy")
    vocab = OutsideVocab(tokenizer_json(), "key", "Label", memory=1 << 30)
    process = Path(f"/proc/{process_id(vocab)}")
    environment = (process / "environ").read_text()
    assert "secret" not in environment
    assert "HF_" not in environment
    rows = (process / "limits").read_text().splitlines()
    limits = {row[:26].strip(): row[26:].split()[:2] for row in rows}
    assert limits["Max address space"] == [str(1 << 30)] * 2
    assert limits["Max file size"] == ["0", "0"]
    assert limits["Max core file size"] == ["0", "0"]
    assert limits["Max open files"] == ["16", "16"]
    assert os.getsid(process_id(vocab)) == process_id(vocab)  # Ctrl-C does not reach it
    assert os.readlink(process / "fd" / "2") == "/dev/null"


# The pipe


def test_only_what_is_offered_is_called():
    started = child.Child(sandbox.MODULE, str(1 << 30))
    with pytest.raises(child.ChildError, match="crash"):
        started.call("__import__", "os", seconds=10)
    assert not started.alive


def test_a_stray_print_is_no_answer(tmp_path):
    (tmp_path / "noisy.py").write_text(
        "import os\nfrom demo_lib import child\n"
        "def noise(data):\n    os.write(1, b'{}\\n')\n    print('{}', flush=True)\n    return [data, {'a': None}]\n"
        "child.serve({'noise': noise})\n"
    )
    sys.path.insert(0, str(tmp_path))
    try:
        assert child.ask_once("noisy", "noise", "\ud83d\udc4d\n", seconds=10) == ["\ud83d\udc4d\n", {"a": None}]
        with pytest.raises(child.ChildError, match="crash"):
            child.ask_once("noisy", "noise", "x" * 100, seconds=10, answer_limit=100)
        with pytest.raises(TypeError, match="cannot cross"):
            child.ask_once("noisy", "noise", object(), seconds=10)
    finally:
        sys.path.remove(str(tmp_path))
