"""The corpus report for programs, by gradio_client against the real app: its answer, what it refuses, what stays."""

import json
import os
import tempfile
from pathlib import Path

import httpx
import pytest
from gradio_client import handle_file
from gradio_client.exceptions import AppError

from demo_lib import corpus
from demo_lib.passing import PREFIX
from demo_lib.vocab import open_vocab

MODELS = ["llama-3.1", "qwen2.5"]
PRIVATE = "sesame-2718"
SECRET = Path(__file__)  # a file of the server that nobody has uploaded


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """Where the app keeps uploads, and whatever else it writes for a while."""
    for model in MODELS:
        open_vocab(model)
    place = tmp_path_factory.mktemp("server")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(place / "gradio"))
        patch.setattr(tempfile, "tempdir", str(place))
        yield place


@pytest.fixture
def nothing_stays(folder):
    yield
    assert [path.name for path in folder.rglob("*") if path.is_file()] == []
    assert [path.name for path in folder.glob(f"{PREFIX}*")] == []


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.txt").write_text("年假怎么申请？\n钉钉审批 2026\nHow do I apply?\n" * 30, "utf-8")
    rows = "".join(f"{PRIVATE} {i},请问年假怎么申请？今天天气不错。,zh\n" for i in range(40))
    (tmp_path / "b.csv").write_bytes(f"text,body,lang\n{rows}broken\n".encode("gb18030"))
    return [tmp_path / "a.txt", tmp_path / "b.csv"]


def test_the_same_report_as_from_the_library_and_from_the_command_line(client, files, tmp_path, nothing_stays, capfd):
    answer = client.predict([handle_file(path) for path in files], MODELS, api_name="/corpus_report")
    report = corpus.report(list(map(str, files)), MODELS)
    assert answer == json.loads(corpus.to_json(report))
    out = tmp_path / "out.json"
    assert corpus.main([*map(str, files), "--models", ",".join(MODELS), "--out", str(out)]) == 0
    assert answer == json.loads(out.read_text("utf-8"))
    capfd.readouterr()


def test_one_file_and_a_column(client, files, nothing_stays, capfd):
    answer = client.predict(files=handle_file(files[1]), models=["qwen2.5"], column="body", api_name="/corpus_report")
    assert (answer["documents"], answer["files"][0]["column"], answer["bad"][0]["lines"]) == (40, "body", 1)
    assert answer["files"][0]["encoding"] == "gb18030"
    written = capfd.readouterr()
    assert PRIVATE not in written.out + written.err


@pytest.mark.parametrize(
    ("name", "data", "more", "said"),
    [
        ("a.txt", b"", {}, "a.txt is empty."),
        ("a.txt", bytes(range(256)) * 9, {}, "a.txt is not text"),
        ("a.pdf", b"%PDF-1.7", {}, "a.pdf: only .txt"),
        ("a.parquet", b"PAR1", {}, "a.parquet is not a Parquet file"),
        ("a.csv", b"text\nx\n", {"column": "nope"}, "a.csv has no column nope; its columns: text."),
        ("a.csv", b"text\nx\n", {"column": 5}, "The column must be the name of one."),
        ("a.txt", PRIVATE.encode(), {"models": "qwen2.5"}, "The models must be a list of names."),
        ("a.txt", PRIVATE.encode(), {"models": []}, "Choose at least one model."),
        ("a.txt", PRIVATE.encode(), {"models": ["gpt-7"]}, "There is no model of this name here"),
        ("a.txt", PRIVATE.encode(), {"models": ["org/none"]}, "org/none"),
    ],
)
def test_refused_in_a_sentence(client, tmp_path, name, data, more, said, nothing_stays, capfd):
    (tmp_path / name).write_bytes(data)
    asked = {"files": [handle_file(tmp_path / name)], "models": ["qwen2.5"]} | more
    with pytest.raises(AppError) as caught:
        client.predict(**asked, api_name="/corpus_report")
    assert said in str(caught.value)
    assert tempfile.gettempdir() not in str(caught.value)
    written = capfd.readouterr()
    assert PRIVATE not in written.out + written.err


def test_more_than_100_mb(client, tmp_path, nothing_stays):
    for i in (1, 2):
        with open(tmp_path / f"{i}.txt", "wb") as file:
            file.truncate(51_000_000)
    with pytest.raises(AppError, match=r"102\.0 MB together and this page takes 100"):
        client.predict([handle_file(tmp_path / f"{i}.txt") for i in (1, 2)], MODELS, api_name="/corpus_report")


@pytest.mark.parametrize("files", [None, [], "a.txt", str(SECRET), [str(SECRET)], 5, [[]], {}, [{}]], ids=str)
def test_what_is_no_list_of_uploads(client, files, nothing_stays):
    with pytest.raises(AppError, match="must be a list of uploads"):
        client.predict(files, MODELS, api_name="/corpus_report")


@pytest.mark.parametrize(
    "meta", [{"meta": {"_type": "gradio.FileData"}}, {}], ids=["as Gradio marks files", "unmarked"]
)
@pytest.mark.parametrize(
    "path", [str(SECRET), "/etc/passwd", "../app.py", "{folder}/gradio/../secret.txt", "http://127.0.0.1:1/a", ""]
)
def test_a_path_of_the_server_is_no_upload(address, folder, path, meta):
    """Plain HTTP: gradio_client would upload a file of its own machine."""
    (folder / "secret.txt").write_text("x")
    file = {"path": path.format(folder=folder), **meta}
    url = f"{address}/gradio_api/call/corpus_report"
    begun = httpx.post(url, json={"data": [[file], MODELS, None]}, timeout=60).json()
    answer = httpx.get(f"{url}/{begun['event_id']}", timeout=60).text
    os.remove(folder / "secret.txt")
    assert "A file did not arrive: upload it once more." in answer
    assert "complete" not in answer
