"""The command line and the running app, in processes of their own as people start it."""

import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest

import app
from demo_lib.tabs import page, serve

from .made_models import made

ROOT = Path(__file__).parents[1]


def environment(**more: str) -> dict[str, str]:
    own = {key: value for key, value in os.environ.items() if not key.startswith(("GRADIO_", "SPACE_"))}
    return own | {"PYTHONUNBUFFERED": "1"} | more


def run(*arguments: str, **more: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "app.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment(**more), capture_output=True, text=True, timeout=120)


def ask(code: str, **more: str) -> str:
    """What a fresh process prints that runs this code beside app.py."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, cwd=ROOT, env=environment(**more), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def port():
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def test_help_names_every_option():
    done = run("--help")
    assert done.returncode == 0
    for option in ("--host", "--port", "--share", "--lang", "--cache", "--table", "--fetch"):
        assert f"  {option}" in done.stdout
    assert "127.0.0.1" in done.stdout
    assert "7860" in done.stdout


@pytest.mark.parametrize("wrong", [["--port", "0"], ["--port", "65536"], ["--port", "x"], ["--lang", "fr"], ["--nope"]])
def test_a_mistake_on_the_command_line_is_code_2(wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        app.options(wrong)
    assert ended.value.code == 2
    assert wrong[0] in capsys.readouterr().err


def test_this_machine_only_unless_it_is_a_space(monkeypatch):
    for name in ("SPACE_ID", "GRADIO_SERVER_NAME", "GRADIO_SERVER_PORT"):
        monkeypatch.delenv(name, raising=False)
    assert (app.options([]).host, app.options([]).port) == ("127.0.0.1", 7860)
    monkeypatch.setenv("GRADIO_SERVER_PORT", "7861")
    monkeypatch.setenv("SPACE_ID", "somebody/both-ends")
    assert (app.options([]).host, app.options([]).port) == ("0.0.0.0", 7861)
    assert app.options(["--host", "127.0.0.1", "--port", "80"]).port == 80


@pytest.mark.parametrize(
    ("lang", "sentence"), [("en", "is in use by another program"), ("zh-CN", "已被另一个程序占用")]
)
def test_a_port_in_use_is_one_sentence_and_code_1(lang, sentence):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        done = run("--port", str(other.getsockname()[1]), "--lang", lang)
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert sentence in done.stderr


def test_the_cache_goes_where_it_is_told(monkeypatch, tmp_path):
    """The code that keeps files reads BOTH_ENDS_CACHE: `--cache` sets it before anything is served."""
    seen = {}
    monkeypatch.setenv("BOTH_ENDS_CACHE", "elsewhere")
    monkeypatch.setattr(
        serve, "serve", lambda tabs, **options: seen.update(options, cache=os.environ["BOTH_ENDS_CACHE"])
    )
    assert app.main(["--cache", str(tmp_path), "--lang", "zh-CN"]) == 0
    assert seen["cache"] == str(tmp_path)
    assert seen["lang"] == "zh-CN"


@pytest.mark.parametrize(
    ("lang", "file", "sentence"),
    [
        ("en", None, "does not exist"),
        ("zh-CN", None, "不存在"),
        ("en", "", "does not exist"),
        ("en", "notes.txt", "has no config.json"),
        ("zh-CN", "notes.txt", "没有 config.json"),
    ],
)
def test_a_folder_that_is_no_model_is_one_sentence_and_code_1(tmp_path, lang, file, sentence):
    folder = tmp_path / "folder"
    if file:
        folder.mkdir()
        (folder / file).write_text("nothing")
    done = run("--table", str(folder) if file != "" else "", "--lang", lang)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert sentence in done.stderr


def test_the_page_begins_with_the_table_of_a_folder(tmp_path, monkeypatch):
    from demo_lib import tables
    from demo_lib.tabs import table_bar

    folder = tmp_path / "school"
    folder.mkdir()
    for name, data in made(300, 8).files.items():
        (folder / name).write_bytes(data)
    monkeypatch.setenv(tables.FOLDER_VARIABLE, "")  # and back to what it was
    monkeypatch.delenv(tables.FOLDER_VARIABLE)
    monkeypatch.setattr(serve, "launch", lambda *_, **__: SimpleNamespace(local_url="", close=lambda: None))
    monkeypatch.setattr(serve.startup, "warm_up", lambda: None)
    monkeypatch.setattr(serve, "time", SimpleNamespace(sleep=interrupt))
    assert app.main(["--table", str(folder)]) == 0
    key, _, line, opened = table_bar.begin(None)
    assert (key, opened) == (tables.FOLDER, tables.FOLDER)
    said = json.loads(line)
    assert (said["state"], said["label"], said["rows"], said["dim"]) == ("ready", "school", 300, 8)
    assert str(tmp_path) not in line


def interrupt(_):
    raise KeyboardInterrupt


def test_ctrl_c_ends_it_quietly(port):
    # a shell's background job ignores Ctrl-C, and so would the app under a test that runs in one
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); import app; sys.exit(app.main())"
    )
    command = [sys.executable, "-c", code, "--port", str(port)]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    first = process.stdout.readline()
    urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30).close()
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert f"http://127.0.0.1:{port}/" in first
    assert (rest, errors) == ("", "")


@pytest.mark.parametrize("room", [page.room(tab) for tab in app.TABS])
def test_each_tab_runs_alone(room, port):
    command = [sys.executable, "-m", f"demo_lib.tabs.{room}"]
    more = environment(GRADIO_SERVER_PORT=str(port))
    process = subprocess.Popen(command, cwd=ROOT, env=more, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert str(port) in process.stdout.readline()
        body = get(f"http://127.0.0.1:{port}/").read().decode()
        assert [other for other in map(page.room, app.TABS) if f'"tab-{other}"' in body] == [room]
        again = subprocess.run(command, cwd=ROOT, env=more, capture_output=True, text=True, timeout=120)
        assert again.returncode == 1
        assert len(again.stderr.splitlines()) == 1
    finally:
        process.kill()
        process.communicate()


def test_the_page_is_there_before_anything_slow_is_loaded(port):
    said = ask(f"""
        import sys, urllib.request
        import app
        from demo_lib.tabs import serve
        serve.launch(app.TABS, port={port})
        print(urllib.request.urlopen("http://127.0.0.1:{port}/").status)
        slow = {{"torch", "transformers", "tokenizers", "pandas", "matplotlib", "tiktoken"}}
        print(sorted(slow & set(sys.modules)))
    """)
    assert said.splitlines() == ["200", "[]"]


def test_nothing_leaves_the_machine(port):
    """Every address that the process looks up or connects to while it starts and serves a page is its own."""
    said = ask(f"""
        import socket, sys, urllib.request
        seen = set()
        sys.addaudithook(lambda event, args: seen.add(str(args[0 if event == "socket.getaddrinfo" else 1]))
                         if event in ("socket.getaddrinfo", "socket.connect", "socket.sendto") else None)
        import app
        from demo_lib.tabs import serve
        serve.launch(app.TABS, port={port})
        urllib.request.urlopen("http://127.0.0.1:{port}/").close()
        print([address for address in seen if "127.0.0.1" not in address], len(seen) > 0)
    """)
    assert said == "[] True"


@pytest.fixture
def no_way_out(monkeypatch):
    """Gradio's service for public links cannot be reached, and Ctrl-C comes as soon as the app waits."""
    import gradio

    def unreachable(**_):
        raise RuntimeError("Could not get share link from Gradio API Server.")

    monkeypatch.setattr(gradio.networking, "setup_tunnel", unreachable)
    monkeypatch.setattr(serve, "time", SimpleNamespace(sleep=interrupt))
    monkeypatch.setattr(serve.startup, "warm_up", lambda: None)


def test_without_a_way_out_the_app_is_served_here_and_says_so(no_way_out, port, capsys, monkeypatch):
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert app.main(["--port", str(port), "--share"]) == 0
    out, err = capsys.readouterr()
    assert f"http://127.0.0.1:{port}/" in out
    assert err == "No public link: the service that makes it cannot be reached from here.\n"
    assert "Missing file" not in out  # what Gradio says by itself


@pytest.fixture(scope="module")
def address():
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    blocks = serve.launch(app.TABS, port=port, lang="zh-CN")
    yield f"http://127.0.0.1:{port}"
    blocks.close(verbose=False)


def get(address: str, **headers: str):
    return urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=30)


def test_the_page_carries_its_words_style_and_script(address):
    body = get(f"{address}/").read().decode()
    assert body.index('<script data-lang="zh-CN">') < body.index("window.gradio_config")
    assert page.TEXT["zh-CN"]["tagline"] in body
    assert "<title>" not in body or page.NAME in body
    for tab in app.TABS:
        assert f'"{page.room(tab)}.tab"' in body


def test_the_page_is_compressed_for_those_who_ask(address):
    plain = get(f"{address}/")
    small = get(f"{address}/", **{"Accept-Encoding": "gzip, deflate, br"})
    assert plain.headers["Content-Encoding"] is None
    assert small.headers["Content-Encoding"] == "gzip"
    sent, whole = small.read(), plain.read()
    assert len(sent) < len(whole) / 3
    assert len(gzip.decompress(sent)) == len(whole)


@pytest.mark.parametrize("path", ["app.py", "requirements.txt", "demo_lib/sources.py", ".git/config"])
def test_no_file_of_the_project_is_served(address, path):
    for url in (f"{address}/gradio_api/file={ROOT / path}", f"{address}/gradio_api/file={path}", f"{address}/{path}"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            get(url)
        assert refused.value.code in (403, 404)


def test_what_is_typed_is_kept_nowhere(address):
    config = get(f"{address}/config").read().decode()
    assert re.search(r'"footer_links":\s*\["api"\]', config)
    with pytest.raises(urllib.error.HTTPError):
        get(f"{address}/monitoring")
