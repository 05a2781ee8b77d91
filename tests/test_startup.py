"""The fast import: that each shortcut still works with the gradio that is pinned, and that none leaves a trace."""

import gc
import inspect
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
from importlib.metadata import version
from pathlib import Path

import jinja2
import pytest
from gradio import queueing
from PIL import Image

from demo_lib import catalog, startup, vocab
from demo_lib.problems import Problem

ROOT = Path(__file__).parents[1]

# What an import of gradio did, told by a fresh process. `{how}` imports gradio.
WITNESS = """
import json, sys
from pathlib import Path

read, stubs = Path.read_text, []
def witness(path, *args, **kwargs):
    if path.suffix == ".py" and "gradio" in path.parts:
        stubs.append(path.name)
    return read(path, *args, **kwargs)
Path.read_text = witness

import ssl
create, stores = ssl.create_default_context, []
ssl.create_default_context = counted = lambda *args, **kwargs: stores.append(1) or create(*args, **kwargs)

{how}
from PIL import Image
formats = len(Image.ID)
pandas = "pandas" in sys.modules
unasked = [name for name in ("mcp", "gradio.cli") if sys.modules.get(name)]
import gradio.cli
import gradio, hashlib, inspect, gc, jinja2
docs = sorted(
    (name, event, getattr(part, event).__doc__ or "")
    for name, part in vars(gradio.components).items() if inspect.isclass(part) and hasattr(part, "EVENTS")
    for event in map(str, part.EVENTS)
)
import gradio.caching, gradio.events
assert issubclass(gradio.caching.pd.DataFrame, object)
import pandas as real
print(json.dumps({{
    "stores": len(stores), "store": ssl.create_default_context is counted,
    "formats": formats, "endings": len(Image.registered_extensions()),
    "stubs": len(stubs), "pandas": pandas, "docs": len(docs),
    "unasked": unasked, "cli": gradio.cli.deploy is not gradio.deploy,
    "digest": hashlib.sha256(repr(docs).encode()).hexdigest(), "frozen": gc.get_freeze_count(),
    "collector": gc.isenabled(), "template": gradio.events.Template is jinja2.Template,
    "frame": gradio.caching.pd.DataFrame is real.DataFrame, "module": type(real).__name__,
    "telemetry": gradio.utils.os.environ["GRADIO_ANALYTICS_ENABLED"],
}}))
"""


def tell(how: str) -> dict:
    env = {key: value for key, value in os.environ.items() if not key.startswith("GRADIO_")}
    env["GRADIO_ANALYTICS_ENABLED"] = "False" if "import gradio" in how else "True"
    run = subprocess.run([sys.executable, "-c", WITNESS.format(how=how)], cwd=ROOT, env=env, capture_output=True)
    assert run.returncode == 0, run.stderr.decode()
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def plain():
    return tell("import gradio")


@pytest.fixture(scope="module")
def lean():
    return tell("import demo_lib.tabs")


def test_it_is_measured_with_the_gradio_that_is_pinned():
    assert f"gradio=={version('gradio')} " in (ROOT / "requirements.txt").read_text("utf-8")


def test_no_stub_file_is_rewritten(plain, lean):
    """The plain import still does it: the shortcut is still worth its lines."""
    assert plain["stubs"] > 50
    assert lean["stubs"] == 0


def test_docstrings_are_those_of_a_plain_import(plain, lean):
    assert plain["docs"] > 100
    assert (lean["docs"], lean["digest"]) == (plain["docs"], plain["digest"])
    assert lean["template"]


def test_certificates_are_read_once(plain, lean):
    assert plain["stores"] > 1
    assert lean["stores"] == 1
    assert lean["store"]


def test_formats_of_pictures_wait_until_they_are_wanted(plain, lean):
    assert plain["formats"] > 20
    assert lean["formats"] < 10
    assert lean["endings"] == plain["endings"]


def test_pandas_waits_until_it_is_wanted(plain, lean):
    assert plain["pandas"]
    assert not lean["pandas"]
    assert lean["frame"]
    assert lean["module"] == "module"


def test_what_no_app_asks_for_is_left_out_and_can_be_had(plain, lean):
    assert "gradio.cli" in plain["unasked"]
    assert lean["unasked"] == []
    assert lean["cli"]


@pytest.mark.parametrize(("server", "imported"), [("", False), ("True", True)])
def test_the_mcp_library_is_imported_only_for_a_server_that_is_asked_for(tmp_path, server, imported):
    """gradio is given a library of that name, which not every machine has, and which says that it was imported."""
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("print('imported')")
    env = os.environ | {"GRADIO_MCP_SERVER": server, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", "import demo_lib.tabs"], cwd=ROOT, env=env, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert (b"imported" in done.stdout) == imported
    plain = subprocess.run([sys.executable, "-c", "import gradio"], cwd=ROOT, env=env, capture_output=True)
    assert b"imported" in plain.stdout


def test_signatures_are_asked_for_once_and_are_right():
    def function(a, b=1, *, c: int): ...

    before = inspect.signature, inspect.getfullargspec
    with startup.signatures_once():
        assert inspect.signature(function) is inspect.signature(function)
        assert inspect.signature(function) == before[0](function)
        assert inspect.getfullargspec(function) == before[1](function)
    assert (inspect.signature, inspect.getfullargspec) == before


def test_the_collector_is_on_again_and_passes_over_what_was_imported(lean):
    assert lean["collector"]
    assert lean["frozen"] > 100_000


def test_telemetry_is_off_whatever_the_environment_says(lean):
    assert lean["telemetry"] == "False"


def test_a_failed_import_leaves_no_trace():
    def state():
        patched = inspect.getfile, jinja2.Template, ssl.create_default_context, Image.init
        return *patched, sys.modules.get("pandas"), gc.isenabled()

    before = state()
    with pytest.raises(ImportError), startup.lean_import():
        raise ImportError
    gc.unfreeze()
    assert state() == before


def test_a_module_that_is_put_off_becomes_the_real_one(tmp_path, monkeypatch):
    (tmp_path / "late_one.py").write_text("ANSWER = 42\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with startup._put_off("late_one"):
        import late_one as stand_in
    assert "late_one" not in sys.modules
    assert stand_in.ANSWER == 42
    import late_one

    assert late_one is not stand_in
    with startup._put_off("late_one"):  # too late to put it off
        import late_one as again
    assert again is late_one
    with pytest.raises(AttributeError):
        stand_in.QUESTION  # noqa: B018


def test_a_module_wanted_within_the_block_is_loaded_there(tmp_path, monkeypatch):
    (tmp_path / "soon_one.py").write_text("ANSWER = 42\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with startup._put_off("soon_one"):
        from soon_one import ANSWER
    assert ANSWER == 42
    assert sys.modules["soon_one"].ANSWER == 42


@pytest.fixture
def taken():
    """A port of 127.0.0.1 that something listens on."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def test_a_port_in_use_is_one_sentence(taken):
    with pytest.raises(Problem, match=rf"^Port {taken} is in use .*--port\.$") as refused:
        startup.check_address("127.0.0.1", taken)
    assert str(taken) in refused.value.zh


def test_a_port_just_left_is_free_at_once():
    """A browser's connections linger for a minute after the app has ended."""
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the app's own server does
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        client = socket.create_connection(("127.0.0.1", port))
        server.accept()[0].close()
        client.close()
    startup.check_address("127.0.0.1", port)


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid"])
def test_an_address_of_another_computer_is_one_sentence(host):
    with pytest.raises(Problem, match=f"no address {host}: .*127.0.0.1"):
        startup.check_address(host, 7860)


def test_a_proxy_does_not_stand_between_gradio_and_itself(monkeypatch):
    httpx = pytest.importorskip("httpx")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:3128")
    monkeypatch.setenv("NO_PROXY", "school.example")
    monkeypatch.setenv("no_proxy", "school.example")
    startup.reach_ourselves_directly()
    assert os.environ["NO_PROXY"].split(",") == ["school.example", "localhost", "127.0.0.1"]
    with httpx.Client() as client, pytest.raises(httpx.ConnectError) as refused:
        client.get("http://127.0.0.1:9/")
    assert "refused" in str(refused.value)  # by the port itself, not by a proxy that has no address


def test_all_tokenizers_are_warmed_up_in_the_background(monkeypatch):
    opened = []

    def open_vocab(model):
        opened.append((model, threading.current_thread()))
        raise Problem("Not to be had.", "拿不到。")  # one that fails does not stop the others

    monkeypatch.setattr(vocab, "open_vocab", open_vocab)
    timer = startup.warm_up(0)
    timer.join(30)
    assert [model for model, _ in opened] == list(catalog.MODELS)
    assert timer.daemon
    assert {thread for _, thread in opened} == {timer}


def test_no_summary_of_all_events_is_made_after_each(client, monkeypatch):
    """Gradio's own would be of all functions that were called, with how long they took."""
    made = []
    monkeypatch.setattr(queueing.Queue, "_get_df", staticmethod(made.append))
    for _ in range(3):  # it is made beside the answer: that of the first is done when the third has come
        client.predict("x", "qwen2.5", api_name="/tokenize")
    assert not made
