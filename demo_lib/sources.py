"""Where data come from: installed packages, the Hub and uploads; `cache.py` keeps what was made of them.

The only module that touches the network, with `tensor_range.py`, which reads one tensor of a file on the Hub.
huggingface_hub runs in a child process (`child.py`), which gives it a deadline, reads its settings afresh each
time (HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE) and keeps its import out of the app.
"""

import base64
import errno
import hashlib
import os
import re
import signal
import sys
import tempfile
from contextlib import suppress
from math import ceil
from pathlib import Path

from . import child
from .cache import cache_dir, cached
from .hub_problems import hub_problem
from .jinja_chat import ChatTemplate, read_template
from .problems import Problem
from .shelf import Shelf
from .uploads import TOKENIZER_LIMIT, check_upload, keep_upload, upload

__all__ = [
    "TOKENIZER_LIMIT",
    "ChatTemplate",
    "cache_dir",
    "cached",
    "chat_template",
    "check_model_id",
    "check_upload",
    "hub_environment",
    "hub_file",
    "keep_upload",
    "package_file",
    "tokenizer_json",
    "upload",
]

MODULE = "demo_lib.sources"
REQUIREMENTS = Path(__file__).parent.parent / "requirements.txt"
# tokenizer_config.json lists the special tokens: the largest of well-known models have about 1 MB
TEMPLATE_LIMIT = 8 * 10**6
# Seconds for the Hub's first answer, for the next bytes of a download, and for all of it
HUB_ANSWER, HUB_STALL, HUB_TOTAL = 5, 5, 120

# Packages


def package_file(package: str, path: str, sha256: str) -> bytes:
    """A data file of an installed package, which is not imported. A missing or different file raises Problem."""
    import importlib.metadata  # 40 ms

    wanted = _requirement(package)
    try:
        found = importlib.metadata.distribution(package)
        data = Path(found.locate_file(path)).read_bytes()
    except (importlib.metadata.PackageNotFoundError, OSError):
        raise Problem(
            f"The package {wanted} is not installed, or not whole: run pip install -r requirements.txt.",
            f"软件包 {wanted} 没有安装或不完整：请运行 pip install -r requirements.txt。",
        ) from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise Problem(
            f"The data of the package {package} {found.version} are not those of {wanted}: "
            "run pip install --force-reinstall -r requirements.txt.",
            f"软件包 {package} {found.version} 中的数据与 {wanted} 的不同："
            "请运行 pip install --force-reinstall -r requirements.txt。",
        )
    return data


def _requirement(package: str) -> str:
    """The package as requirements.txt pins it, `name==version`; only its name where that cannot be read."""
    with suppress(OSError):
        lines = REQUIREMENTS.read_text(encoding="utf-8")
        pattern = re.escape(package).replace(r"\-", "[-_.]")
        if match := re.search(rf"^{pattern}==[^\s;#]+", lines, re.MULTILINE | re.IGNORECASE):
            return match[0]
    return package


# The Hub


def check_model_id(model: str) -> str:
    """The `org/name` of a Hub model, from an id or the address of its page. Anything else raises Problem.

    >>> check_model_id(" https://huggingface.co/Qwen/Qwen2.5-0.5B/tree/main ")
    'Qwen/Qwen2.5-0.5B'
    """
    name = model.strip() if isinstance(model, str) else ""
    if match := re.match(r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/+([^/?#]+/[^/?#]+)", name):
        name = match[1]
    part = r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?"  # as huggingface_hub's validate_repo_id has it
    whole = re.fullmatch(rf"{part}/{part}", name) and not re.search(r"--|\.\.|\.git$", name)
    if not whole or name.partition("/")[0] in ("datasets", "spaces"):
        raise Problem(
            "A model of the Hub is written org/name, such as Qwen/Qwen2.5-0.5B: copy it from the model's page.",
            "Hub 上的模型写作 org/name，例如 Qwen/Qwen2.5-0.5B：请从模型页面复制。",
        )
    return name


def hub_file(model: str, filename: str, limit: int) -> bytes:
    """A file of a Hub model, of at most `limit` bytes; kept in the cache and used again if the Hub is away.

    Whatever goes wrong raises Problem with what to do about it.
    """
    data = _hub_files(model, [filename], limit)[0]
    if data is None:
        raise hub_problem("no_file", model, filename, limit)
    return data


def tokenizer_json(model: str) -> bytes:
    """The tokenizer.json of a Hub model."""
    return hub_file(model, "tokenizer.json", TOKENIZER_LIMIT)


_TEMPLATES = Shelf(32)


def chat_template(model: str, *, wait: bool = True) -> ChatTemplate:
    """The chat template of a Hub model, with the special tokens that it may name. None raises Problem.

    Without `wait`, one that has not been fetched yet raises Waiting.
    """
    model, names = check_model_id(model), ["chat_template.jinja", "chat_template.json", "tokenizer_config.json"]
    return _TEMPLATES.get(model, lambda: read_template(model, *_hub_files(model, names, TEMPLATE_LIMIT)), wait=wait)


def hub_environment(answer: float | None = None) -> dict[str, str]:
    """The environment of a child that talks to the Hub, which may take `answer` seconds to answer at all.

    Timeouts that the user set win. Without telemetry only the files are asked for; without Xet and shared blobs a
    file of the cache is named by its hash.
    """
    seconds = {"ETAG": answer or HUB_ANSWER, "DOWNLOAD": HUB_STALL}
    environment = {f"HF_HUB_{name}_TIMEOUT": str(ceil(value)) for name, value in seconds.items()} | os.environ
    return environment | {f"HF_HUB_DISABLE_{name}": "1" for name in ("TELEMETRY", "XET", "SHARED_BLOBS")}


def _hub_files(model: str, names: list[str], limit: int) -> list[bytes | None]:
    """Files of a Hub model; None for each that the model does not have."""
    model = check_model_id(model)
    folder = str(cache_dir().absolute() / "hub")
    args = (MODULE, "fetch", model, names, limit, folder)
    most = 10**6 + len(names) * limit * 4 // 3  # base64
    try:
        answer = child.ask_once(*args, seconds=HUB_TOTAL, environment=hub_environment(), answer_limit=most)
    except child.ChildError as error:
        raise hub_problem(error.reason, model, names[0], limit) from None
    if isinstance(answer, dict):
        raise hub_problem(answer["kind"], model, answer["filename"], limit)
    return [None if data is None else base64.b64decode(data) for data in answer]


# The child's end: huggingface_hub


def fetch(model: str, names: list[str], limit: int, folder: str) -> list[bytes | None] | dict[str, str]:
    """The files, None for a missing one; or, where one fails, the kind of the fault and the file."""
    child.limit(FSIZE=limit + 10**6)  # a server that sends more than it announced
    files: list[bytes | None] = []
    for name in names:
        try:
            files.append(_fetch_one(model, name, limit, folder))
        except Exception as error:
            kind = _kind(error)
            if kind != "no_file":
                return {"kind": kind, "filename": name}
            files.append(None)
    return files


def _fetch_one(model: str, name: str, limit: int, folder: str) -> bytes:
    try:
        return _download(model, name, limit, folder)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
            raise
    with tempfile.TemporaryDirectory() as elsewhere:  # the cache cannot be written to
        return _download(model, name, limit, elsewhere)


def _download(model: str, name: str, limit: int, folder: str) -> bytes:
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_download, hf_hub_url
    from huggingface_hub.errors import FileMetadataError

    away: Exception | None = None
    try:
        # asked first and once: hf_hub_download would ask again for minutes
        metadata = get_hf_file_metadata(hf_hub_url(model, name), timeout=constants.HF_HUB_ETAG_TIMEOUT)
        if metadata.commit_hash is None:  # a login page of the network, or another server
            raise FileMetadataError("no Hub")
        if (metadata.size or 0) > limit:
            raise OSError(errno.EFBIG, "too large")
    except Exception as error:
        if _kind(error) not in ("offline", "network", "server", "rate"):
            raise
        away = error
    try:
        data = _read(hf_hub_download(model, name, cache_dir=folder, local_files_only=away is not None), limit)
        if data is None:
            data = _read(hf_hub_download(model, name, cache_dir=folder, force_download=True), limit)
    except Exception as error:
        raise away or error from None
    if data is None:
        raise ConnectionError("damaged on the way")
    return data


def _read(path: str, limit: int) -> bytes | None:
    """A file of the Hub's cache; None if damaged: its blob is named by its sha256 or by its git hash."""
    if os.path.getsize(path) > limit:
        raise OSError(errno.EFBIG, "too large")
    data = Path(path).read_bytes()
    name = Path(path).resolve().name
    digests = hashlib.sha256(data).hexdigest(), hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    return None if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", name) and name not in digests else data


def _kind(error: BaseException) -> str:
    """Which of hub_problems.SENTENCES tells this error."""
    from huggingface_hub import errors

    if isinstance(error, errors.LocalEntryNotFoundError):  # hides what kept it from the Hub
        return _kind(error.__cause__) if error.__cause__ else "network"
    kinds = (
        (errors.GatedRepoError, "gated"),  # before RepositoryNotFoundError, which it is too
        ((errors.RepositoryNotFoundError, errors.RevisionNotFoundError), "no_model"),
        (errors.EntryNotFoundError, "no_file"),
        (errors.OfflineModeIsEnabled, "offline"),
    )
    if kind := next((kind for types, kind in kinds if isinstance(error, types)), None):
        return kind
    if isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        # the Hub says what is wrong in headers; without them, something on the way has answered for it
        if status in (403, 404) and not any(name.lower().startswith("x-error") for name in error.response.headers):
            return "network"
        return {401: "token", 403: "forbidden", 404: "no_model", 429: "rate"}.get(status, "server")
    disk = {errno.EFBIG: "large", errno.ENOSPC: "disk", getattr(errno, "EDQUOT", errno.ENOSPC): "disk"}
    return disk.get(getattr(error, "errno", None), "network")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so that huggingface_hub removes what it had begun
    child.serve({"fetch": fetch})
