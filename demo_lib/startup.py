"""From the command to an open page in half the time, and the tokenizers warm soon after.

What is left out is what `import gradio` does for its own developers. Measured on gradio 6.31.0 (the pin in
requirements.txt); `python -m tests.bench.startup` gives figures of your own. Each shortcut leans on an inner detail
of gradio, touches nothing once the import is over, and if the detail changes the import is merely as slow as it was:
tests/test_startup.py says which of them still work.
"""

import contextlib
import errno
import functools
import gc
import importlib
import inspect
import os
import socket
import ssl
import sys
import threading
from collections.abc import Iterator
from types import ModuleType

from .problems import Problem


@contextlib.contextmanager
def lean_import() -> Iterator[None]:
    """Import gradio inside this block. Also turns its telemetry off, which it reads from the environment at import.

    And its summary of how long events took, which nobody here can see: it is worked out anew with pandas, from the last
    10,000 events, after each event.

    >>> with lean_import():
    ...     import gradio
    """
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    os.environ["GRADIO_ANALYTICS_CACHE_FREQUENCY"] = str(10**12)
    with (
        without_collector(),
        _without_stub_files(),
        _with_plain_docstrings(),
        _with_one_certificate_store(),
        _without_image_formats(),
        _put_off("pandas"),
        _without_command_line(),
        _without_mcp(),
        _without_bad_port(),
    ):
        yield


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """An import makes objects that stay, so the collector walks them again and again for nothing: 0.4 s of 2.2."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # and later collections need not walk them either
        if was_on:
            gc.enable()


@contextlib.contextmanager
def _without_stub_files() -> Iterator[None]:
    """gradio rewrites the .pyi file of each component class at each import: half of the time that its import takes.

    `gradio.component_meta.create_or_modify_pyi` begins with `inspect.getfile(cls)` and leaves a class alone when that
    raises OSError, as it does for a class that was made in no file.
    """
    getfile = inspect.getfile

    def no_file_for_components(thing: object) -> str:
        if isinstance(thing, type) and thing.__module__.partition(".")[0] == "gradio":
            raise OSError("made in no file")
        return getfile(thing)

    inspect.getfile = no_file_for_components
    try:
        yield
    finally:
        inspect.getfile = getfile


@contextlib.contextmanager
def _with_plain_docstrings() -> Iterator[None]:
    """gradio compiles a Jinja template for each docstring of each event of each component, to put one name in.

    `gradio.events` takes `Template` from jinja2 when it is imported. It gets this one for as long as the block lasts.
    """
    import jinja2

    class Docstring:
        def __init__(self, source: str) -> None:
            self.source = source

        def render(self, component: str) -> str:
            return self.source.replace("{{ component }}", component)

    template = jinja2.Template
    jinja2.Template = Docstring
    try:
        yield
    finally:
        jinja2.Template = template
        for module in ("gradio.events", "gradio.component_meta"):
            if getattr(sys.modules.get(module), "Template", None) is Docstring:
                sys.modules[module].Template = template


@contextlib.contextmanager
def _with_one_certificate_store() -> Iterator[None]:
    """gradio makes three HTTP clients at import, and each reads all certificates (25 ms): here they share them."""
    create = ssl.create_default_context
    ssl.create_default_context = functools.cache(create)
    try:
        yield
    finally:
        ssl.create_default_context = create


@contextlib.contextmanager
def _without_image_formats() -> Iterator[None]:
    """gradio has Pillow import its fifty formats (40 ms), which Pillow does by itself when it meets a picture."""
    from PIL import Image

    init = Image.init
    Image.init = lambda: False
    try:
        yield
    finally:
        Image.init = init


@contextlib.contextmanager
def _without_command_line() -> Iterator[None]:
    """gradio imports its own command line to offer gradio.deploy, which no app calls."""
    name = "gradio.cli"
    stand_in = sys.modules[name] = ModuleType(name)
    stand_in.deploy = lambda *args, **kwargs: importlib.import_module(name).deploy(*args, **kwargs)
    try:
        yield
    finally:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]


@contextlib.contextmanager
def _without_mcp() -> Iterator[None]:
    """gradio imports the library for MCP (0.2 s) where it is installed, also if no MCP server is asked for."""
    left_out = "mcp" not in sys.modules and os.environ.get("GRADIO_MCP_SERVER", "").lower() != "true"
    if left_out:
        sys.modules["mcp"] = None  # importing it is then an ImportError, which gradio expects
    try:
        yield
    finally:
        if left_out:
            del sys.modules["mcp"]


@contextlib.contextmanager
def signatures_once() -> Iterator[None]:
    """gradio asks for the signature of a component's class each time that it makes or describes one."""
    kept = inspect.signature, inspect.getfullargspec
    inspect.signature, inspect.getfullargspec = map(functools.cache, kept)
    try:
        yield
    finally:
        inspect.signature, inspect.getfullargspec = kept


@contextlib.contextmanager
def _without_bad_port() -> Iterator[None]:
    """gradio reads this number at import, and a word there ends in a traceback: app.py has a sentence for it."""
    name = "GRADIO_SERVER_PORT"
    port = os.environ.get(name, "0")
    if not port.isdecimal():
        del os.environ[name]
    try:
        yield
    finally:
        if not port.isdecimal():
            os.environ[name] = port


class _Later(ModuleType):
    """Stands for a module until somebody wants something of it."""

    def __getattr__(self, name: str):
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


@contextlib.contextmanager
def _put_off(name: str) -> Iterator[None]:
    """Modules imported in the block get a stand-in for `name`; everybody else gets the real one, when they ask.

    gradio.caching imports pandas (0.25 s) to recognise a DataFrame among cached values.
    """
    if name in sys.modules:
        yield
        return
    stand_in = sys.modules[name] = _Later(name)
    try:
        yield
    finally:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]


@contextlib.contextmanager
def long_addresses() -> Iterator[None]:
    """A server that is made within reads addresses of up to 200,000 characters: above 65,536, uvicorn's h11 answers 400
    in plain text, and a link that is too long is to open the page, which says so. Browsers send no longer ones."""
    import uvicorn

    usual = uvicorn.Config
    uvicorn.Config = functools.partial(usual, h11_max_incomplete_event_size=262_144)
    try:
        yield
    finally:
        uvicorn.Config = usual


def check_address(host: str, port: int) -> None:
    """Raises Problem where nothing can be served at this address, before Gradio says so in a page of traceback."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            if os.name == "posix":  # elsewhere it would take the port from a program that uses it
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except PermissionError:
        raise Problem(
            f"Port {port} is reserved for the system: choose one from 1024 up with --port.",
            f"端口 {port} 由系统保留：请用 --port 选一个 1024 以上的端口。",
        ) from None
    except OSError as fault:
        if isinstance(fault, socket.gaierror) or fault.errno == errno.EADDRNOTAVAIL:
            raise Problem(
                f"This computer has no address {host}: use --host 127.0.0.1, or 0.0.0.0 for the whole network.",
                f"这台电脑没有 {host} 这个地址：请用 --host 127.0.0.1，或用 0.0.0.0 供整个网络访问。",
            ) from None
        raise Problem(
            f"Port {port} is in use by another program: end that one, or choose another port with --port.",
            f"端口 {port} 已被另一个程序占用：请结束那个程序，或用 --port 换一个端口。",
        ) from None


def reach_ourselves_directly() -> None:
    """Gradio asks its own server whether it is up: a school's HTTP proxy must not stand between the two."""
    for name in ("NO_PROXY", "no_proxy"):
        direct = filter(None, (os.environ.get(name), "localhost", "127.0.0.1"))
        os.environ[name] = ",".join(direct)


def warm_up(delay: float = 1.0) -> threading.Timer:
    """Open the catalog's tokenizers, and the table that is here, `delay` seconds from now, for nobody to wait.

    All in the background. What cannot be opened is left to the visitor who asks for it, who is then told why.
    """

    def open_all() -> None:
        from . import catalog, tables, vocab

        for model in catalog.MODELS:
            with contextlib.suppress(Problem):
                vocab.open_vocab(model)
        with contextlib.suppress(Problem):
            if here := tables.first_here():
                table = tables.open_table(here, fetch=False)
                _ = table.vocab, table.used, table.norms

    timer = threading.Timer(delay, open_all)
    timer.daemon = True
    timer.start()
    return timer
