"""Errors as visitors meet them: a sentence in both languages that gives nothing of the server away."""

import os
import tempfile
import time
from collections.abc import Callable

import pytest

from demo_lib.problems import Problem


def refusal(function: Callable, *args, within: float = 20, **kwargs) -> str:
    """The English of the Problem that the call raises, within so many seconds."""
    begun = time.monotonic()
    with pytest.raises(Problem) as caught:
        function(*args, **kwargs)
    assert time.monotonic() - begun < within
    secrets = (tempfile.gettempdir(), os.getcwd(), "127.0.0.1", "http:", "https:", "hf_owner", "hf_stranger")
    for text in (str(caught.value), caught.value.zh):
        assert "\n" not in text
        assert not any(secret in text for secret in secrets)
    assert any("一" <= character <= "鿿" for character in caught.value.zh)
    return str(caught.value)
