"""A Hugging Face Hub on loopback, for tests: enough of it for huggingface_hub to fetch single files.

with StandIn({"org/name": Repo({"tokenizer.json": b"{}"})}) as hub:
    os.environ["HF_ENDPOINT"] = hub.url
"""

import hashlib
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

OWNER, STRANGER = "hf_owner", "hf_stranger"  # a token that may read everything; one that may read what is open


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

    @property
    def commit(self) -> str:
        return hashlib.sha1(repr(sorted(self.files.items())).encode()).hexdigest()


@dataclass
class StandIn:
    """`log` has (method, path, token, host) of each request."""

    repos: dict[str, Repo]
    log: list[tuple[str, str, str, str]] = field(default_factory=list)

    def __enter__(self) -> "StandIn":
        self.over = threading.Event()
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
        return self._file(repo, repo.files[match[4]], elsewhere=repo.cdn and match[1] is None)

    def _file(self, repo: Repo, data: bytes, *, elsewhere: bool) -> None:
        headers = {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": repo.commit} if repo.hub else {}
        if elsewhere:  # to another origin: localhost is not 127.0.0.1
            headers |= {"X-Linked-Size": str(len(data)), "X-Linked-Etag": headers["ETag"]}
            headers |= {"Location": f"http://localhost:{self.stand_in.port}/cdn{self.path}"}
            return self._answer(302, b"", headers)
        return self._answer(200, data, headers, sized=repo.sized)

    def _refuse(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        # huggingface_hub chooses its exception by the code
        self._answer(status, b"", {"X-Error-Code": code, "X-Error-Message": message, **(headers or {})})

    def _answer(self, status: int, data: bytes, headers: dict[str, str], *, sized: bool = True) -> None:
        self.send_response(status)
        for name, value in (headers | ({"Content-Length": str(len(data))} if sized else {})).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)
