"""For all tests: a cache of their own, in which the tokenizers are built once, by the code under test."""

import pytest
from hypothesis import settings

# how long one example takes says nothing on a shared machine
settings.register_profile("both-ends", deadline=None)
settings.load_profile("both-ends")


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    """BOTH_ENDS_CACHE, so that nothing depends on what earlier runs left."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOTH_ENDS_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("TIKTOKEN_CACHE_DIR", "")  # tiktoken's own copies of files, by their path
        yield
