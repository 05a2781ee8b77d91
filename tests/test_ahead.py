"""`python app.py --fetch`: everything that the page can ask for, a line each, and the exit code."""

import io
import os

import pytest

import app
from demo_lib import catalog, tables, vocab
from demo_lib.problems import Problem
from demo_lib.tabs import ahead

from .hub_stand_in import Repo, StandIn
from .made_models import made

HUB = [source for source in catalog.TABLES.values() if source.hub_id]


@pytest.fixture
def few(monkeypatch, tmp_path):
    """A catalog of the three models of the Hub, small ones; the tokenizers are those of the session's cache."""
    cache = tmp_path / "cache"
    cache.mkdir()
    for path in os.scandir(os.environ["BOTH_ENDS_CACHE"]):
        if path.is_file():
            os.link(path.path, cache / path.name)
    monkeypatch.setenv("BOTH_ENDS_CACHE", str(cache))
    monkeypatch.setattr(catalog, "TABLES", {source.key: source for source in HUB})
    repos = {source.hub_id: Repo(made(300, 8, seed=i).files) for i, source in enumerate(HUB)}
    with StandIn(repos) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


def lines(lang: str = "en") -> tuple[bool, list[str]]:
    out = io.StringIO()
    return ahead.fetch_all(lang, out), out.getvalue().splitlines()


def test_all_is_here_and_nothing_is_fetched_twice(few):
    done, said = lines()
    assert done
    assert said == [
        *(f"{model.label}: the tokenizer is here." for model in catalog.MODELS.values()),
        *(f"{source.label}: the table is here, 0 MB." for source in HUB),
        ahead.TEXT["en"]["ready"],
    ]
    assert all(tables.is_cached(source.key) for source in HUB)
    sent = few.sent
    assert sent >= 3 * 300 * 8 * 2
    assert lines("zh-CN")[1][-1] == ahead.TEXT["zh-CN"]["ready"]
    assert few.sent == sent


def test_what_cannot_be_had_says_why_and_stops_nothing(few):
    few.repos[HUB[0].hub_id].gated = True
    done, said = lines()
    assert done  # no table of the Hub is needed
    assert any(line.startswith(f"{HUB[0].label}: {HUB[0].hub_id} is gated") for line in said)
    assert f"{HUB[1].label}: the table is here, 0 MB." in said
    assert not tables.is_cached(HUB[0].key)
    assert "需要授权" in "".join(lines("zh-CN")[1])


def test_without_a_tokenizer_it_is_code_1(few, monkeypatch, capsys):
    def away(key: str):
        raise Problem("Not to be had.", "无法获取。")

    monkeypatch.setattr(vocab, "open_vocab", away)
    assert app.main(["--fetch"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[: len(catalog.MODELS)] == [f"{model.label}: Not to be had." for model in catalog.MODELS.values()]
    assert out[-1] == ahead.TEXT["en"]["short"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_how_far_it_is(few, monkeypatch):
    real = tables.open_table

    def slowly(key, *, progress):
        progress(1_000_000, 2_000_000)
        return real(key, progress=progress)

    monkeypatch.setattr(tables, "open_table", slowly)
    out = Terminal()
    assert ahead.fetch_all("en", out)
    for source in HUB:
        assert f"\r\x1b[K{source.label}: 1 of 2 MB" in out.getvalue()


def test_ctrl_c_is_a_sentence(few, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(tables, "open_table", interrupted)
    done, said = lines()
    assert not done
    assert said[-1] == ahead.TEXT["en"]["stopped"]
