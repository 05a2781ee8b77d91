"""The README and the pins: that what they say is so."""

import ast
import re
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import app
from demo_lib import catalog

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
FRONT = README.split("---\n")[1]
FILES = ("requirements.txt", "requirements-scale.txt", "requirements-dev.txt")  # each holds those before it
PIN = re.compile(r"(?P<name>[a-zA-Z0-9_-]+)==(?P<version>[\w.]+) +# (?P<why>\S.{9,})")


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text("utf-8").splitlines()
    wanted = [line for line in lines if line and not line.startswith(("#", "-r"))]
    matches = [PIN.fullmatch(line) for line in wanted]
    assert all(matches), wanted  # each is pinned to one version, and says why it is there
    return {match["name"]: match["version"] for match in matches}


def front(key: str) -> str:
    return re.search(rf"^{key}: *\"?(.*?)\"?$", FRONT, re.M)[1]


def test_the_space_runs_the_gradio_that_is_pinned():
    assert front("sdk") == "gradio"
    assert front("sdk_version") == pins("requirements.txt")["gradio"]


def test_the_space_s_settings_are_allowed():
    assert len(front("short_description")) <= 60
    assert front("license") == "apache-2.0"
    assert front("python_version") == "3.11"
    assert {front("colorFrom"), front("colorTo")} <= {
        "red",
        "yellow",
        "green",
        "blue",
        "indigo",
        "purple",
        "pink",
        "gray",
    }
    assert (ROOT / front("app_file")).exists()


def test_the_space_names_the_models_of_the_catalog():
    listed = re.search(r"^models:\n((?:  - .*\n)+)", FRONT, re.M)[1]
    assert set(re.findall(r"- (\S+)", listed)) >= {model.hub_id for model in catalog.MODELS.values()}


def test_the_two_commands_need_nothing_that_is_not_there():
    commands = re.search(r"```sh\n(.*?)```", README, re.S)[1]
    assert [line.split("#")[0].strip() for line in commands.splitlines()] == [
        "pip install -r requirements.txt && python app.py",
        "pip install -r requirements-dev.txt && pytest",
    ]
    assert "-r requirements.txt" in (ROOT / "requirements-dev.txt").read_text("utf-8").splitlines()
    assert "pip install -r requirements-dev.txt && pytest" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_every_tab_and_every_endpoint_is_named():
    for tab in app.TABS:
        assert f"- **{tab.TEXT['en']['tab']}**: " in README
    offered = {fn.api_name for fn in app.build().fns.values() if fn.api_visibility == "public"}
    assert set(re.findall(r"`/(\w+)`", README)) == offered


def test_every_file_has_its_line():
    block = README.split("## Files")[1].split("\n## ")[0]
    for path in [*(ROOT / "demo_lib").glob("*.py"), *(ROOT / "demo_lib" / "tabs").glob("*.py")]:
        if path.stem != "__init__":
            assert re.search(rf"[ /]{re.escape(path.name)}\b", block), path.name
    for name in re.findall(r"^ +(?:tabs/)?(\w+\.\w+)", block, re.M):
        assert list(ROOT.glob(name)) or list((ROOT / "demo_lib").rglob(name)), name


def test_every_licence_is_named():
    for words in ("Built with Llama", "Llama 3.1 Community License", "Apache-2.0", "Gemma Terms of Use", "MIT"):
        assert words in README
    assert "Apache License" in (ROOT / "LICENSE").read_text("utf-8")
    assert {model.license for model in catalog.MODELS.values()} <= {"Llama 3.1 Community License", "Apache-2.0"}


def test_the_dev_pins_do_not_contradict_the_others():
    named = [name for file in FILES for name in pins(file)]
    assert len(named) == len(set(named))


@pytest.mark.parametrize(("name", "wanted"), sorted(pair for file in FILES for pair in pins(file).items()))
def test_the_pinned_version_is_the_one_under_test(name, wanted):
    assert version(name).split("+")[0] == wanted


def imported(folder: Path) -> set[str]:
    """Benchmarks excepted: they measure against packages that the project itself does without."""
    trees = [ast.parse(path.read_text("utf-8")) for path in folder.rglob("*.py") if path.parent.name != "bench"]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize(("folder", "files"), [("demo_lib", 2), ("tests", 3)])
def test_every_package_that_is_imported_is_pinned(folder, files):
    named = set()
    for name in FILES[:files]:
        named |= {pin.lower().replace("-", "_") for pin in pins(name)}
    # gradio_client: of gradio's own project, which pins it; the last two: made by a test
    own = {"demo_lib", "tests", "app", "gradio_client", "late_one", "soon_one"}
    called = {"PIL": "pillow", "quicktok": "quicktok_v1"}
    extra = {called.get(name, name) for name in imported(ROOT / folder) if name not in sys.stdlib_module_names | own}
    assert extra <= named
