"""The worked examples in the docstrings are true."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PATHS = sorted(path.relative_to(ROOT) for path in (ROOT / "demo_lib").rglob("*.py"))
WITH_EXAMPLES = [path for path in PATHS if "\n    >>> " in (ROOT / path).read_text("utf-8")]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.stem)
def test_examples(path):
    module = importlib.import_module(".".join(path.with_suffix("").parts))
    done = doctest.testmod(module)
    assert done.failed == 0
    assert done.attempted > 0


def test_there_are_examples():
    assert len(WITH_EXAMPLES) > 8
