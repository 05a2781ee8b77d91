"""The real app in real Chromium. Skipped where no Chromium or no playwright is installed."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from tests.hub_stand_in import StandIn

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# A busy machine needs it, and only a failure waits so long
PATIENCE = 60_000


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def hub():
    """A Hub on loopback that has no model; tests add some."""
    with StandIn({}) as hub:
        yield hub


@contextlib.contextmanager
def serving(**more: str):
    """The app's address and its process, served as `python app.py` serves it, with more in its environment."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "GRADIO_", "SPACE_"))}
    command = [sys.executable, "app.py", "--port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, env=environment | more, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            if server.poll() is not None:
                pytest.fail(f"the app ended with code {server.returncode}")
            try:
                urllib.request.urlopen(address, timeout=10).close()
                break
            except OSError:
                time.sleep(0.1)
        yield address, server
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture(scope="session")
def app(hub):
    """The address of the app that most tests share."""
    with serving(HF_ENDPOINT=hub.url) as (address, _):
        yield address


@pytest.fixture(scope="session")
def chromium():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not path:
        pytest.skip("no Chromium on this machine: install it (Debian: apt install chromium)")
    api.expect.set_options(timeout=PATIENCE)
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Watch:
    """What must not happen on a page: errors in the console, requests to other hosts, dialogs."""

    host: str
    faults: list[str] = field(default_factory=list)

    def on(self, page) -> None:
        page.on("console", lambda m: m.type == "error" and self.faults.append(f"console: {m.text} {m.location}"))
        page.on("pageerror", lambda error: self.faults.append(f"exception: {error}"))
        page.on("request", lambda request: self._request(request.url))
        page.on("dialog", lambda dialog: (self.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def _request(self, url: str) -> None:
        there = urlsplit(url)
        if there.scheme in ("http", "https", "ws", "wss") and there.netloc != self.host:
            self.faults.append(f"request: {url}")

    def check(self) -> None:
        faults, self.faults[:] = list(self.faults), []
        assert not faults, faults


class Opener:
    """Opens pages of the app; `check` fails if anything happened on one of them that must not."""

    def __init__(self, chromium, app: str) -> None:
        self.chromium, self.app = chromium, app
        self.watch, self.contexts = Watch(urlsplit(app).netloc), []

    def __call__(self, tab="tokens", *, lang="en", theme="light", width=1280, height=900, query=None, **context):
        """A page of its own context. `lang` is the browser's language; `query` goes into the address."""
        context = self.chromium.new_context(
            locale=lang, color_scheme=theme, viewport={"width": width, "height": height}, **context
        )
        context.set_default_timeout(PATIENCE)
        self.contexts.append(context)
        page = context.new_page()
        self.watch.on(page)
        page.goto(f"{self.app}/?{urlencode({'tab': tab, **(query or {})})}")
        return page

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        self.contexts.clear()


def watched(chromium, address: str):
    """An Opener for one test, which fails on any error in its pages."""
    opener = Opener(chromium, address)
    yield opener
    opener.close()
    opener.watch.check()


@pytest.fixture
def open_page(chromium, app):
    """open_page('chat', lang='zh-CN', theme='dark', width=390): a page that fails the test on any error in it."""
    yield from watched(chromium, app)


@pytest.fixture(scope="module")
def module_page(chromium, app):
    """As open_page, for a page that the tests of a module share; each of them asks for check_page too."""
    opener = Opener(chromium, app)
    yield opener
    opener.close()


@pytest.fixture
def check_page(module_page):
    yield
    module_page.watch.check()
