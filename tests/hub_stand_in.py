"""A Hugging Face Hub on loopback, for tests: enough of it for huggingface_hub to fetch single files.

with StandIn({"org/name": Repo({"tokenizer.json": b"{}"})}) as hub:
    os.environ["HF_ENDPOINT"] = hub.url
"""

import hashlib
import re
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

OWNER, STRANGER = "hf_owner", "hf_stranger"  # a token that may read everything; one that may read what is open


PIECE = 1 << 16


@lru_cache(maxsize=64)
def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Repo:
    """A model repository and what is wrong with it."""

    files: dict[str, bytes]
    gated: bool = False
    private: bool = False
    status: int | None = None  # every file is answered with this status
    stuck: str | None = None  # this method (HEAD, GET) gets no answer until the stand-in ends
    sized: bool = True  # without, no answer says how long it is
    hub: bool = True  # without, the answers lack what makes them the Hub's, as behind a login page
    cdn: bool = False  # files are redirected to another host
    ranges: bool = True  # without, a Range is ignored and the whole file is sent
    content_range: str | None = ""  # None: not sent; otherwise what is sent instead of the right one
    short: tuple[int, int] = (0, 0)  # (bytes, times): so often, a GET of weights breaks off after so many bytes
    fails: tuple[int, int] = (0, 0)  # (status, times): so often, a GET of weights is answered with this status
    pace: float = 0  # seconds before each PIECE of weights

    @property
    def commit(self) -> str:
        return hashlib.sha1(
            repr([(name, sha256(data)) for name, data in sorted(self.files.items())]).encode()
        ).hexdigest()


@dataclass
class StandIn:
    """`log` has (method, path, token, host) of each request, `sent` the bytes of weights that left for the client."""

    repos: dict[str, Repo]
    log: list[tuple[str, str, str, str]] = field(default_factory=list)
    sent: int = 0

    def took(self, repo: Repo, fault: str) -> int:
        """The first of (value, times) of a fault, once less often from now on; 0 where it is over."""
        with self.lock:
            value, times = getattr(repo, fault)
            setattr(repo, fault, (value, max(times - 1, 0)))
        return value if times else 0

    def __enter__(self) -> "StandIn":
        self.over, self.lock = threading.Event(), threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"stand_in": self}))
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # clients hang up
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    stand_in: StandIn

    def log_message(self, *_) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = unquote(self.path.partition("?")[0])
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        self.stand_in.log.append((self.command, path, token, self.headers.get("Host", "")))
        match = re.fullmatch(r"/(cdn/)?([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path)
        repo = match and self.stand_in.repos.get(match[2])
        if token not in ("", OWNER, STRANGER):
            return self._refuse(401, "", "Invalid credentials in Authorization header")
        if not repo or (repo.private and token != OWNER):
            return self._refuse(404 if token else 401, "RepoNotFound", "Repository not found")
        if match[1] is None and repo.gated and token != OWNER:
            return self._refuse(403 if token else 401, "GatedRepo", "Access to this model is restricted.")
        if repo.stuck == self.command:
            self.stand_in.over.wait()
            return None
        if repo.status:
            return self._refuse(repo.status, "", "no") if repo.hub else self._answer(repo.status, b"", {})
        if match[3] not in ("main", repo.commit):
            return self._refuse(404, "RevisionNotFound", "Invalid revision")
        if match[4] not in repo.files:
            return self._refuse(404, "EntryNotFound", "Entry not found", {"X-Repo-Commit": repo.commit})
        return self._file(repo, match[4], elsewhere=repo.cdn and match[1] is None)

    def _file(self, repo: Repo, name: str, *, elsewhere: bool) -> None:
        data = repo.files[name]
        headers = {"ETag": f'"{sha256(data)}"', "X-Repo-Commit": repo.commit} if repo.hub else {}
        if elsewhere:  # to another origin: localhost is not 127.0.0.1
            headers |= {"X-Linked-Size": str(len(data)), "X-Linked-Etag": headers["ETag"]}
            headers |= {"Location": f"http://localhost:{self.stand_in.port}/cdn{self.path}"}
            return self._answer(302, b"", headers)
        weights = name.endswith(".safetensors") and self.command == "GET"
        if weights and (status := self.stand_in.took(repo, "fails")):
            return self._answer(status, b"", headers | {"Retry-After": "0"})
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        if not (asked and repo.ranges):
            return self._answer(200, data, headers, sized=repo.sized, repo=repo if weights else None)
        start, end = int(asked[1]), min(int(asked[2]), len(data) - 1)
        if repo.content_range is not None:
            headers["Content-Range"] = repo.content_range or f"bytes {start}-{end}/{len(data)}"
        return self._answer(206, data[start : end + 1], headers, sized=repo.sized, repo=repo if weights else None)

    def _refuse(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        # huggingface_hub chooses its exception by the code
        self._answer(status, b"", {"X-Error-Code": code, "X-Error-Message": message, **(headers or {})})

    def _answer(
        self, status: int, data: bytes, headers: dict[str, str], *, sized: bool = True, repo: Repo | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (headers | ({"Content-Length": str(len(data))} if sized else {})).items():
            self.send_header(name, value)
        self.end_headers()
        if repo:
            self._weights(repo, data)
        elif self.command == "GET":
            self.wfile.write(data)

    def _weights(self, repo: Repo, data: bytes) -> None:
        short = self.stand_in.took(repo, "short")
        for start in range(0, min(len(data), short or len(data)), PIECE):
            piece = data[start : min(start + PIECE, short or len(data))]
            if repo.pace and self.stand_in.over.wait(repo.pace):
                return
            self.wfile.write(piece)
            with self.stand_in.lock:
                self.stand_in.sent += len(piece)
