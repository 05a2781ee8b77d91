"""For all tests: a cache of their own, in which the tokenizers are built once, by the code under test; the app."""

import os
import socket

import pytest
from hypothesis import settings

from .hub_stand_in import Repo, StandIn

# how long one example takes says nothing on a shared machine
settings.register_profile("both-ends", deadline=None)
settings.load_profile("both-ends")


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    """BOTH_ENDS_CACHE, so that nothing depends on what earlier runs left."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOTH_ENDS_CACHE", str(tmp_path_factory.mktemp("cache")))
        if "BOTH_ENDS_TABLES" not in os.environ:  # the processes of one run share what is fetched
            folder = tmp_path_factory.getbasetemp()
            folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
            patch.setenv("BOTH_ENDS_TABLES", str(folder / "tables"))
        patch.setenv("TIKTOKEN_CACHE_DIR", "")  # tiktoken's own copies of files, by their path
        yield


@pytest.fixture
def one_thread():
    """Small products of torch on a busy machine wait for its threads longer than they take."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def address():
    """Where the real app is served, by this process, beside a Hub whose only model never comes."""
    import app
    from demo_lib.tabs import serve

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    stuck = Repo({"tokenizer.json": b"{}"}, stuck="HEAD")
    with StandIn({"org/stuck": stuck}) as hub, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_ENDPOINT", hub.url)
        blocks = serve.launch(app.TABS, port=port)
        yield blocks.local_url.rstrip("/")
        blocks.close(verbose=False)


@pytest.fixture(scope="module")
def client(address):
    from gradio_client import Client

    return Client(address, verbose=False)
