"""The page around the tabs: its words, its header with the language switch, and what every tab needs."""

import contextlib
import functools
import html
import inspect
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import gradio as gr
from gradio.i18n import I18nData
from gradio.routes import App
from gradio.utils import get_function_description

from demo_lib import qr
from demo_lib.problems import Problem
from demo_lib.tabs import links, uploaded
from demo_lib.tabs.text import lesson

LANGUAGES = ("en", "zh-CN")
_NAMES = ("English", "中文")
NAME = "Both Ends"
TEXT = {
    "en": {
        "tagline": "How text gets into a language model, and how words come out of it",
        "fault": "Something went wrong here, and it is our fault, not yours. Reload the page and try again.",
    },
    "zh-CN": {
        "tagline": "文字怎样进入语言模型，词语又怎样从它出来",
        "fault": "这里出错了，是我们的问题，不是你的。请刷新页面再试一次。",
    },
}
_HERE = Path(__file__).parent
# "1 tokens" is said "1 token"; common.js has the same
_ONE = re.compile(r"(?<![\d.,])1 (token|piece|marker|message|row|step|time|character|parameter|byte|dimension)s\b")
_EXAMPLES = Path(__file__).parents[2] / "examples"


class Words:
    """The texts of one room: `w("send")` for a label that the browser translates, `w.say` for a finished sentence.

    >>> w = Words("tokens", {"en": {"n": "{n} tokens"}, "zh-CN": {"n": "{n} 个 token"}})
    >>> w("n").key
    'tokens.n'
    >>> w.say("n", "zh-CN", n=5)
    '5 个 token'
    """

    def __init__(self, room: str, text: dict[str, dict[str, str]]) -> None:
        self.room, self.text = room, text

    def __call__(self, key: str) -> I18nData:
        """A marker for labels, placeholders, choices, Markdown and the like; an unknown key raises KeyError."""
        self.text["en"][key]
        return I18nData(f"{self.room}.{key}")

    def say(self, key: str, lang: str | None, **fields: object) -> str:
        sentence = self.text["zh-CN" if (lang or "").lower().startswith("zh") else "en"][key].format(**fields)
        return _ONE.sub(r"1 \1", sentence)

    def both(self, key: str, **fields: object) -> dict[str, str]:
        """The finished sentence in both languages, for a widget to choose from."""
        return {"en": self.say(key, "en", **fields), "zh": self.say(key, "zh-CN", **fields)}


_WORDS = Words("page", TEXT)


def room(module: ModuleType) -> str:
    """The room of a tab's module: its file stem, also when it runs alone as __main__."""
    return Path(module.__file__).stem


def merged(tabs: Sequence[ModuleType]) -> gr.I18n:
    """The texts of all tabs, each key after its room's name: 'tokens.send'."""
    return gr.I18n(
        **{lang: {f"{room(t)}.{key}": text for t in tabs for key, text in t.TEXT[lang].items()} for lang in LANGUAGES}
    )


def examples(name: str) -> list | dict:
    """An example file of the project, from JSON."""
    return json.loads((_EXAMPLES / name).read_text("utf-8"))


def _note(fault: Exception) -> None:
    """The place of a fault in the code goes to the log, not its message, which could hold what somebody typed."""
    place = traceback.extract_tb(fault.__traceback__)[-1]
    print(f"{type(fault).__name__} at {Path(place.filename).name}:{place.lineno}", file=sys.stderr)


def fault(exception: Exception) -> Problem:
    """What a visitor is told of an exception that is our fault, where the rest of a drawing can be shown."""
    _note(exception)
    return Problem(*(_WORDS.say("fault", lang) for lang in LANGUAGES))


def shown(handler: Callable, *, toast: bool = True) -> Callable:
    """A handler whose Problems reach the visitor as a toast, or a caller of the API as the error's text.

    The language is that of the handler's argument `lang`, where it has one. Any other exception is our fault: the
    visitor is told no more than that. Gradio shows a toast's text as HTML; a program gets it as it is.
    """
    signature = inspect.signature(handler)

    @contextlib.contextmanager
    def politely(args: tuple, kwargs: dict) -> Iterator[None]:
        try:
            yield
        except gr.Error:
            raise
        except Exception as fault:
            lang = signature.bind_partial(*args, **kwargs).arguments.get("lang")
            if isinstance(fault, Problem):
                sentence = fault.say(lang or "en")
            else:
                _note(fault)
                sentence = _WORDS.say("fault", lang)
            sentence = html.escape(sentence, quote=False) if toast else sentence
            raise gr.Error(sentence, print_exception=False) from None

    if inspect.isgeneratorfunction(handler):

        @functools.wraps(handler)
        def guarded(*args, **kwargs):
            with politely(args, kwargs):
                yield from handler(*args, **kwargs)
    else:

        @functools.wraps(handler)
        def guarded(*args, **kwargs):
            with politely(args, kwargs):
                return handler(*args, **kwargs)

    return guarded


def offer(function: Callable, name: str | None = None, **limits) -> None:
    """An endpoint for programs, named like the function if not otherwise; its Problems reach the caller.

    The API page shows the docstring, of which Gradio would leave out what it says of each argument and of the result.
    """
    # so many at once, for one slow model not to stop the others
    gr.api(shown(function, toast=False), api_name=name or function.__name__, **{"concurrency_limit": 8} | limits)
    endpoint = [*gr.context.Context.root_block.fns.values()][-1]
    _, arguments, returns = get_function_description(function)
    for component, (name, words) in zip(endpoint.inputs, arguments.items(), strict=True):
        component.label = name
        component._api_info = {**component._api_info, "additional_description": words}
    (result,) = endpoint.outputs
    result.label = "result"
    result._api_info = {**result._api_info, "description": " ".join(returns)}


class Page(gr.Blocks):
    """Gradio's page, except that a request which does not fit its event is not printed with all that was sent."""

    @property
    def config(self) -> dict:
        """The page's description, made when it is wanted: Blocks has it made when drawn, and anew when served."""
        self._config = self._config or self.get_config_file()
        return self._config

    @config.setter
    def config(self, made: dict) -> None:
        self._config = made

    def get_config_file(self) -> dict:
        return super().get_config_file() if self.exited else {}

    def validate_inputs(self, block_fn, inputs: list) -> None:
        wanted = [str(getattr(component, "label", "")) for component in block_fn.inputs]
        if len(inputs) < len(wanted):
            takes = f"takes {len(wanted)} values, in this order: {', '.join(wanted)}"
            raise gr.Error(f"/{block_fn.api_name} {takes}. {len(inputs)} came.", print_exception=False)
        try:
            uploaded.check(inputs)
        except Problem as refusal:
            raise gr.Error(str(refusal), print_exception=False) from None

    async def process_api(self, *args, **kwargs):
        try:
            return await super().process_api(*args, **kwargs)
        except gr.Error as refusal:
            refusal.print_exception = False
            raise
        except Exception as fault:
            _note(fault)
            raise gr.Error(_WORDS.say("fault", "en"), print_exception=False) from None


def squares(link: object) -> dict:
    """The QR code of a link for the page's script: {rows}, or {long: True} where phones could not read it."""
    try:
        return {"rows": qr.squares(str(link))}
    except Problem:
        return {"long": True}


def _twice(texts: dict[str, dict[str, str]], key: str) -> str:
    """Words in both languages, of which the style sheet shows one."""
    return "".join(f'<span lang="{lang}">{texts[lang][key]}</span>' for lang in LANGUAGES)


class Header(gr.HTML):
    """The name, one line of what this is, Share, the panel for lessons, and the switch between the languages.

    Below it what a link has to say: that it could not be read in full, or its lesson. `change`: another language.
    """

    def __init__(self) -> None:
        switch = "".join(
            f'<button type="button" lang="{lang}">{name}</button>' for lang, name in zip(LANGUAGES, _NAMES, strict=True)
        )
        tools = "".join(
            f'<button type="button" class="be-tool be-{key}-button">{(_HERE / f"{key}.svg").read_text("utf-8")}'
            f"{_twice(lesson.TEXT, key)}</button>"
            for key in ("share", "prepare")
        )
        super().__init__(
            html_template=f'<header class="be-header">{(_HERE / "icon.svg").read_text("utf-8")}'
            f'<h1>{NAME}</h1><p class="be-tagline">{_twice(TEXT, "tagline")}</p><div class="be-tools">{tools}</div>'
            f'<div class="be-lang" role="group" aria-label="Language / 语言">{switch}</div></header>'
            '<p class="be-link-note" role="status" hidden></p><section class="be-lesson" hidden></section>',
            js_on_load="""
                bothEnds.tell(window.__lang);
                bothEnds.lessonHeader(element);
                bothEnds.shareHeader(element, server);
                bothEnds.prepareHeader(element);
                element.querySelector('.be-lang').addEventListener('click', async ({ target }) => {
                    if (target.lang && target.lang !== window.__lang) {
                        await bothEnds.speak(target.lang);
                        trigger('change');
                    }
                });""",
            apply_default_css=False,
            server_functions=[squares],
            links={},
            elem_id="header",
        )

    def get_block_name(self) -> str:
        return "html"  # for Gradio's page this is a gr.HTML


def build(tabs: Sequence[ModuleType]) -> gr.Blocks:
    """The page with these tabs. Each has TEXT, with the key 'tab', and build(lang), which draws it."""
    with _routes_once(), Page(title=NAME, analytics_enabled=False, delete_cache=(3600, 86400)) as page:
        lang = gr.Textbox("en", visible="hidden", elem_id="lang", interactive=True)
        header = Header()
        inputs = {}
        with gr.Tabs(elem_id="tabs") as top:
            for tab in tabs:
                with gr.Tab(Words(room(tab), tab.TEXT)("tab"), id=room(tab), elem_id=f"tab-{room(tab)}"):
                    inputs[room(tab)] = tab.build(lang)
        page.links = links.find(top, inputs, {room(tab): tab.TEXT["en"] for tab in tabs})
        header.props["links"] = page.links.schema()
        links.follow(top, inputs)
        # The titles of tabs that nobody has opened yet do not follow Gradio's own change of language
        titled = [block for block in page.blocks.values() if isinstance(block, gr.Tab)]
        header.change(
            None,
            None,
            [lang, *titled],
            js=f"""() => [window.__lang, ...{json.dumps([tab.label.key for tab in titled])}.map((key) => ({{
                __type__: 'update', label: window.gradio_config.i18n_translations[window.__lang][key],
            }}))]""",
            api_visibility="private",
        )
        page.load(None, None, None, js="() => bothEnds.ready()", api_visibility="private")
    return page


@contextlib.contextmanager
def _routes_once() -> Iterator[None]:
    """Blocks makes its FastAPI routes when opened, when closed and when launched. Only the last are used (0.1 s each).

    Harmless if it stops working: then they are made three times."""
    create = App.create_app
    App.create_app = staticmethod(lambda *_, **__: App())
    try:
        yield
    finally:
        App.create_app = create


def run_alone(module: ModuleType) -> None:
    """One tab on a page of its own, for `python -m demo_lib.tabs.NAME`."""
    from demo_lib.tabs import serve

    try:
        serve.serve([module], port=int(os.environ.get("GRADIO_SERVER_PORT", "7860")))
    except Problem as problem:
        sys.exit(str(problem))
