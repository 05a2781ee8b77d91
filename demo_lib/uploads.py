"""Uploaded tokenizer.json files: kept while the app runs, found only by the hash of what is in them."""

import hashlib
import tempfile
import threading
from collections import OrderedDict
from functools import lru_cache
from typing import IO

from .catalog import UPLOAD
from .problems import Problem
from .sandbox import check_tokenizer_json

TOKENIZER_LIMIT = 64 * 10**6


class Store:
    """At most `files` files of at most `size` bytes together; the least recently used go first.

    Each is an open temporary file without a name: nobody can list or open it, and the system deletes it
    with the process, however that ends. Safe to share between threads.
    """

    def __init__(self, files: int, size: int) -> None:
        self._limits = files, size
        self._files: OrderedDict[str, tuple[IO[bytes], int]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, key: str, data: bytes) -> None:
        with self._lock:
            if key not in self._files:
                file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as it is kept
                file.write(data)
                self._files[key] = file, len(data)
            self._files.move_to_end(key)
            while len(self._files) > self._limits[0] or sum(size for _, size in self._files.values()) > self._limits[1]:
                self._files.popitem(last=False)[1][0].close()

    def get(self, key: str) -> bytes | None:
        with self._lock:
            if key not in self._files:
                return None
            self._files.move_to_end(key)
            file, _ = self._files[key]
            file.seek(0)
            return file.read()


@lru_cache(maxsize=1)
def _store() -> Store:
    return Store(files=32, size=512 * 10**6)


def check_upload(data: bytes) -> str:
    """The sha256 of an uploaded tokenizer.json, in hex. What is too large or is not one raises Problem."""
    if len(data) > TOKENIZER_LIMIT:
        raise Problem(
            f"The file is larger than {TOKENIZER_LIMIT // 10**6} MB, the most that is read here: choose another model.",
            f"文件超过了 {TOKENIZER_LIMIT // 10**6} MB 的读取上限：请换一个模型。",
        )
    check_tokenizer_json(data)
    return hashlib.sha256(data).hexdigest()


def keep_upload(data: bytes) -> str:
    """Check an uploaded tokenizer.json and keep it. The key `upload:<sha256>` opens it later."""
    key = UPLOAD + check_upload(data)
    try:
        _store().put(key, data)
    except OSError:
        raise Problem(
            "The upload could not be kept because the server's disk is full: try again later.",
            "服务器磁盘已满，无法保存上传的文件：请稍后再试。",
        ) from None
    return key


def upload(key: str) -> bytes:
    """The file of `upload:<sha256>`. One that is not kept, or no longer, raises Problem."""
    data = _store().get(key)
    if data is None:
        raise Problem(
            "This upload is no longer kept: upload the tokenizer.json again.",
            "上传的文件已不再保留：请重新上传 tokenizer.json。",
        )
    return data
