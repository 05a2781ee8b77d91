"""Uploaded tokenizer.json files."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from demo_lib import sources, uploads

from .refusals import refusal

TOKENIZER = json.dumps({"version": "1.0", "model": {"type": "BPE"}}).encode()
ROOT = Path(__file__).parent.parent


def test_upload_and_back():
    key = sources.keep_upload(TOKENIZER)
    assert key == "upload:" + hashlib.sha256(TOKENIZER).hexdigest() == sources.keep_upload(TOKENIZER)
    assert sources.upload(key) == sources.upload(key) == TOKENIZER


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"model": null}',
        b'{"model": []}',
        b'{"model": {"a": "\xff"}}',
        '{"model": {}}'.encode("utf-16"),
        b"\x89PNG\r\n\x1a\n",
        b"[" * 10**6,
    ],
)
def test_what_is_no_tokenizer_json(data):
    assert "is not a tokenizer.json" in refusal(sources.keep_upload, data)


def test_upload_of_64_mb_and_a_byte():
    assert "larger than 64 MB" in refusal(sources.check_upload, b" " * (64 * 10**6 + 1), within=1)


@pytest.mark.parametrize("key", ["upload:" + "0" * 64, "upload:../../etc/passwd", "upload:", ""])
def test_upload_that_is_not_kept(key):
    assert "upload the tokenizer.json again" in refusal(sources.upload, key)


def test_oldest_uploads_go():
    store = uploads.Store(files=3, size=100)
    for name in "abc":
        store.put(name, name.encode() * 20)
    assert store.get("a") == b"a" * 20  # used: now b is the oldest
    store.put("d", b"d" * 20)
    assert [name for name in "abcd" if store.get(name)] == ["a", "c", "d"]
    store.put("e", b"e" * 70)
    assert [name for name in "abcde" if store.get(name)] == ["d", "e"]
    store.put("e", b"e" * 70)
    assert store.get("d") == b"d" * 20


def test_store_under_threads():
    store = uploads.Store(files=4, size=10**6)

    def work(name: str) -> None:
        for _ in range(200):
            store.put(name, name.encode() * 100)
            assert store.get(name) in (None, name.encode() * 100)

    failures = []
    threads = [threading.Thread(target=work, args=(name,)) for name in "abcdef"]
    threading.excepthook, old = failures.append, threading.excepthook
    try:
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    finally:
        threading.excepthook = old
    assert failures == []


def test_uploads_have_no_name_and_vanish(tmp_path):
    code = f"""
from demo_lib import sources
sources.keep_upload({TOKENIZER!r})
print("kept", flush=True)
input()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "kept\n"
    held = [path for path in Path(f"/proc/{process.pid}/fd").glob("*") if str(tmp_path) in os.readlink(path)]
    assert list(tmp_path.rglob("*")) == []
    process.send_signal(signal.SIGKILL)
    process.wait()
    if sys.platform == "linux":
        assert len(held) == 1  # there was a file, without a name
