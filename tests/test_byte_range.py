"""Which answers to a Range are believed."""

import pytest
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.utils import httpx

from demo_lib import byte_range


def answer(status: int, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, headers=named, request=httpx.Request("GET", "http://hub/file"))


@pytest.mark.parametrize(
    "response",
    [
        answer(206, Content_Range="bytes 10-19/100"),
        answer(206, Content_Range="bytes 10-19/100", Content_Length="10"),
        answer(206, Content_Range="bytes 10-19/100", Content_Encoding="identity"),
        answer(206, Content_Length="10"),
    ],
)
def test_believed(response):
    assert byte_range._check(response, 10, 20, 100) is None


@pytest.mark.parametrize(
    "response",
    [
        answer(200),
        answer(200, Content_Range="bytes 10-19/100"),
        answer(203, Content_Range="bytes 10-19/100"),
        answer(206),
        answer(206, Content_Length="11"),
        answer(206, Content_Range="bytes 0-9/100", Content_Length="10"),
        answer(206, Content_Range="bytes 10-20/100"),
        answer(206, Content_Range="bytes 10-18/100"),
        answer(206, Content_Range="bytes 10-19/101"),
        answer(206, Content_Range="bytes 10-19/*"),
        answer(206, Content_Range="", Content_Length="10"),
        answer(206, Content_Range="bytes 10-19/100", Content_Encoding="gzip"),
    ],
)
def test_not_believed(response):
    with pytest.raises(byte_range.Fault) as caught:
        byte_range._check(response, 10, 20, 100)
    assert caught.value.kind == "no_range"


@pytest.mark.parametrize("status", sorted(byte_range.BUSY))
def test_busy(status):
    with pytest.raises(byte_range.Busy) as caught:
        byte_range._check(answer(status, Retry_After="7"), 0, 1, 1)
    assert caught.value.seconds == 7
    assert isinstance(caught.value.__cause__, HfHubHTTPError)
    with pytest.raises(byte_range.Busy) as caught:
        byte_range._check(answer(status, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"), 0, 1, 1)
    assert caught.value.seconds is None


@pytest.mark.parametrize("status", [400, 401, 403, 404, 416, 451])
def test_refused(status):
    with pytest.raises(HfHubHTTPError):
        byte_range._check(answer(status), 0, 1, 1)


def test_tries_come_to_an_end_and_go_on_from_where_it_broke(monkeypatch):
    """Each answer brings 3 of 10 bytes, then breaks off; then three bring nothing; then all but the last come."""
    asked, waits = [], []
    broken = [3, 3, 0, 0, 0, 3]

    def once(url, start, end, size):
        asked.append((start, end))
        count = broken.pop(0) if broken else 0
        if count:
            yield bytes(range(start, start + count))
        raise httpx.ReadError("broke off")

    monkeypatch.setattr(byte_range, "_once", once)
    monkeypatch.setattr(byte_range.time, "sleep", waits.append)
    got = []
    with pytest.raises(httpx.ReadError):
        got.extend(byte_range.bytes_of("org/model", "0" * 40, "file", 0, 10, 10))
    assert b"".join(got) == bytes(range(9))
    assert asked == [(0, 10), (3, 10), *[(6, 10)] * 4, *[(9, 10)] * (byte_range.RETRIES + 1)]
    assert max(waits) <= byte_range.LONGEST_WAIT


def test_answers_that_bring_nothing(monkeypatch):
    monkeypatch.setattr(byte_range, "_once", lambda *_: iter(()))
    monkeypatch.setattr(byte_range.time, "sleep", lambda _: None)
    with pytest.raises(byte_range.Fault):
        list(byte_range.bytes_of("org/model", "0" * 40, "file", 0, 10, 10))
