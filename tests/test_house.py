"""The rules of the house: what may import what, how long a file may be, and that both languages say the same."""

import ast
import importlib
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import app

ROOT = Path(__file__).parents[1]
LIB = ROOT / "demo_lib"
TABS = LIB / "tabs"
MODULES = sorted(LIB.glob("*.py"))
TAB_MODULES = sorted(path for path in TABS.glob("*.py") if path.stem != "__init__")
ROOMS = [Path(tab.__file__).stem for tab in app.TABS]

NETWORK = {"huggingface_hub", "httpx", "requests", "urllib3", "aiohttp", "urllib.request", "http.client", "ftplib"}
SLOW = {"torch", "transformers", "tokenizers", "jinja2", "pandas", "numpy", "huggingface_hub", "regex"}
WEB = {"gradio", "gradio_client", "starlette", "fastapi"}


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(path: Path, node: ast.AST | None = None, *, top: bool = False) -> Iterator[str]:
    """Each imported name in full, as 'demo_lib.page' or 'urllib.request'; `top`: of what runs at import only."""
    for child in ast.iter_child_nodes(node or tree(path)):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            package = path.relative_to(ROOT).parts[: -child.level] if child.level else ()
            module = ".".join([*package, *([child.module] if child.module else [])])
            yield from (f"{module}.{alias.name}" for alias in child.names)
        elif not (top and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)):
            yield from imports(path, child, top=top)


def within(name: str, packages: set[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def test_the_reader_of_imports_sees_all_kinds(tmp_path):
    """Or the tests below would pass for the wrong reason."""
    code = "import a.b\nfrom . import c\nfrom .d import e\ndef f():\n    from g import h\nif 1:\n    import i\n"
    path = ROOT / "demo_lib" / "imaginary.py"
    found = list(imports(path, ast.parse(code)))
    assert found == ["a.b", "demo_lib.c", "demo_lib.d.e", "g.h", "i"]
    assert list(imports(path, ast.parse(code), top=True)) == ["a.b", "demo_lib.c", "demo_lib.d.e", "i"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_library_knows_nothing_of_the_page(path):
    names = list(imports(path))
    assert not [name for name in names if within(name, WEB | {"demo_lib.tabs", "app"})]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_room_is_imported_by_another_part_of_the_library(path):
    others = {f"demo_lib.{room}" for room in ROOMS if room != path.stem}
    assert not [name for name in imports(path) if within(name, others)]


@pytest.mark.parametrize("path", [*MODULES, *TABS.rglob("*.py"), ROOT / "app.py"], ids=lambda path: path.stem)
def test_only_sources_reaches_the_network(path):
    """And byte_range.py, which is its part for pieces of large files, in a process of its own."""
    if path not in (LIB / "sources.py", LIB / "byte_range.py"):
        assert not [name for name in imports(path) if within(name, NETWORK)]


def test_sockets_are_for_the_port_that_the_page_listens_on():
    assert [path.stem for path in MODULES if "socket" in imports(path)] == ["startup"]
    calls = {
        node.func.attr
        for node in ast.walk(tree(LIB / "startup.py"))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert "bind" in calls
    assert not calls & {"connect", "connect_ex", "create_connection", "sendto"}


@pytest.mark.parametrize("path", [*MODULES, *TABS.rglob("*.py"), ROOT / "app.py"], ids=lambda path: path.stem)
def test_slow_packages_are_imported_where_they_are_used(path):
    assert not [name for name in imports(path, top=True) if within(name, SLOW)]


def room_of(path: Path) -> str | None:
    """The room of a tab's file: `probes_draw.py` is a part of the tab of probes."""
    return next((room for room in ROOMS if path.stem == room or path.stem.startswith(f"{room}_")), None)


@pytest.mark.parametrize("path", [*filter(room_of, TAB_MODULES)], ids=lambda path: path.stem)
def test_a_tab_knows_its_room_and_the_helpers(path):
    room = room_of(path)
    tabs = {f"demo_lib.tabs.{other.stem}" for other in TAB_MODULES if room_of(other) in (None, room)}
    own = {f"demo_lib.{room}", f"demo_lib.tabs.text.{room}", "demo_lib.problems"}
    names = [name for name in imports(path) if within(name, {"demo_lib"})]
    assert not [name for name in names if not within(name, own | tabs | {"demo_lib.tabs.widgets"})]


@pytest.mark.parametrize("path", TAB_MODULES, ids=lambda path: path.stem)
def test_what_tabs_share_knows_no_room(path):
    others = {f"demo_lib.{place}{room}" for room in ROOMS for place in ("", "tabs.", "tabs.text.")}
    if not room_of(path):
        assert not [name for name in imports(path) if within(name, others)]


def test_the_app_imports_tabs_only():
    ours = [name for name in imports(ROOT / "app.py") if within(name, {"demo_lib"})]
    assert ours
    assert not [name for name in ours if not within(name, {"demo_lib.tabs", "demo_lib.problems"})]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_one_name_in_three_places(room):
    assert (LIB / f"{room}.py").exists()
    assert (TABS / f"{room}.py").exists()
    assert (ROOT / "tests" / f"test_{room}.py").exists()


SOURCE = sorted(path for kind in ("py", "js", "css") for path in [*LIB.rglob(f"*.{kind}"), *ROOT.glob(f"*.{kind}")])
CODE = [path for path in SOURCE if path.suffix == ".py"]


@pytest.mark.parametrize("path", SOURCE, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_are_short(path):
    assert len(path.read_text("utf-8").splitlines()) <= 300


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_functions_are_short_and_modules_say_what_they_are(path):
    module = tree(path)
    long = [
        node.name
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno - node.lineno + 1 > 50
    ]
    assert not long
    assert ast.get_docstring(module)


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_globals_are_changed_and_nothing_is_evaluated(path):
    nodes = list(ast.walk(tree(path)))
    assert not [node for node in nodes if isinstance(node, ast.Global)]
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"eval", "exec"}
    assert not [node for node in nodes if isinstance(node, ast.keyword) and node.arg == "trust_remote_code"]


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_library_prints_nothing(path):
    """What somebody typed must not reach a log: only the server and the command lines speak, of themselves."""
    speakers = {ROOT / "app.py", TABS / "ahead.py", TABS / "serve.py", TABS / "page.py", LIB / "corpus.py"}
    calls = [node.func for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
    loud = [call for call in calls if isinstance(call, ast.Name) and call.id == "print"]
    assert path in speakers or not loud
    assert not [name for name in imports(path) if within(name, {"logging"})]


def texts() -> list[tuple[str, dict]]:
    modules = [*app.TABS, *map(importlib.import_module, ("demo_lib.tabs.page", "demo_lib.tabs.text.lesson"))]
    return [(Path(module.__file__).stem, module.TEXT) for module in modules]


def fields(sentence: str) -> set[str]:
    """The names in braces that `Words.say` fills in."""
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


@pytest.mark.parametrize(("room", "text"), texts(), ids=lambda value: value if isinstance(value, str) else "")
def test_both_languages_say_the_same(room, text):
    assert list(text) == ["en", "zh-CN"]
    assert set(text["en"]) == set(text["zh-CN"])
    for key, english in text["en"].items():
        chinese = text["zh-CN"][key]
        assert english.strip() == english != "", key
        assert chinese.strip() == chinese != "", key
        assert fields(english) == fields(chinese), key


@pytest.mark.parametrize(("room", "text"), texts(), ids=lambda value: value if isinstance(value, str) else "")
def test_the_chinese_is_chinese_and_the_english_is_not(room, text):
    """Nothing left untranslated: names of models, roles and formats excepted, a Chinese text has Han characters."""
    left = [
        key for key, chinese in text["zh-CN"].items() if chinese == text["en"][key] and re.search("[a-z]{4} ", chinese)
    ]
    assert not left
    assert sum(bool(re.search(r"[\u4e00-\u9fff]", chinese)) for chinese in text["zh-CN"].values()) > len(text["en"]) / 2


@pytest.mark.parametrize(("room", "text"), texts(), ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_emphasised_is_not_shown_with_its_asterisks(room, text):
    """Between a full stop and a letter or Chinese character, without a space, ** ends nothing for Markdown."""
    for key, sentence in [*text["en"].items(), *text["zh-CN"].items()]:
        ends = re.findall(r"(\w?)\*\*(.)(?:[^*]*(.))?\*\*(\w?)", sentence)
        assert sentence.count("**") == 2 * len(ends), key
        for before, first, last, after in ends:
            assert not (before and re.match(r"[^\w\s]", first)), key
            assert not (after and re.match(r"[^\w\s]", last)), key


def test_no_word_of_the_workplace():
    """No path of one machine, no package registry by name: the project is for everybody's."""
    files = [path for path in ROOT.rglob("*") if path.suffix in {".py", ".md", ".txt", ".js", ".css", ".json"}]
    private = re.compile("|".join(["/" + "work/", "/" + "tmp/", "/" + "root/", "py" + "pi", "mirrors?" + r"\."]))
    mine = [path for path in files if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)]
    found = [str(path.relative_to(ROOT)) for path in mine if private.search(path.read_text("utf-8"))]
    assert mine
    assert not found
