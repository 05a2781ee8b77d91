"""The script of Gradio's page with three places mended, and how it is served."""

import gzip

import httpx
import pytest

from demo_lib.tabs import mended

FILES = [*mended._FOLDER.glob("Blocks-*.js")]


def test_each_place_is_in_this_version_of_gradio():
    (file,) = FILES
    script = file.read_text("utf-8")
    assert [script.count(before) for before, _ in mended.MENDS] == [2, 1, 1]
    done = mended.mend(script)
    assert [done.count(after) for _, after in mended.MENDS] == [2, 1, 1]
    assert mended.mend("something else") == "something else"


@pytest.fixture(scope="module")
def url(address):
    return f"{address}/assets/{FILES[0].name}"


def test_it_is_what_the_page_gets(address, url):
    found = httpx.get(url, headers={"accept-encoding": "gzip"})
    assert found.status_code == 200
    assert found.headers["content-type"].startswith("text/javascript")
    assert found.text == mended.mend(FILES[0].read_text("utf-8"))
    again = httpx.get(url, headers={"accept-encoding": "gzip", "if-none-match": found.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_everything_else_is_gradio_s(address, url):
    plain = httpx.get(url, headers={"accept-encoding": "identity"})
    assert plain.text == FILES[0].read_text("utf-8")
    assert httpx.get(f"{address}/assets/Blocks-none.js", headers={"accept-encoding": "gzip"}).status_code == 404
    assert httpx.get(f"{address}/assets/../app.py", headers={"accept-encoding": "gzip"}).status_code in (403, 404)
    style = FILES[0].parent.glob("Blocks-*.css").__next__()
    assert httpx.get(f"{address}/assets/{style.name}").text == style.read_text("utf-8")


def test_it_is_read_and_packed_once():
    body, tag = mended._served(FILES[0].name)
    assert mended._served(FILES[0].name)[0] is body
    assert gzip.decompress(body).decode() == mended.mend(FILES[0].read_text("utf-8"))
    assert len(tag) == 16
