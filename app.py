"""Both Ends: `python app.py` opens the page; `python app.py --help` lists what can be chosen."""

import argparse
import os
import sys

from demo_lib.problems import Problem
from demo_lib.tabs import ahead, chat, corpus, lessons, names, page, params, parrot, probes, serve, tokens, vocabulary

TABS = (tokens, chat, probes, params, vocabulary, corpus, names, parrot, lessons)


def build():
    """The page with all tabs, not served yet."""
    return page.build(TABS)


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65535:
        raise ValueError
    return port


_port.__name__ = "port"  # argparse says "invalid port value"


def options(argv: list[str] | None = None) -> argparse.Namespace:
    """What was asked for on the command line; a mistake there ends the program with code 2."""
    env = os.environ
    host = "0.0.0.0" if "SPACE_ID" in env else env.get("GRADIO_SERVER_NAME", "127.0.0.1")
    parser = argparse.ArgumentParser(prog="python app.py", description=page.TEXT["en"]["tagline"] + ".")
    parser.add_argument("--host", default=host, help="address to listen on; 0.0.0.0 for the network (%(default)s)")
    port = env.get("GRADIO_SERVER_PORT", "7860")
    parser.add_argument("--port", type=_port, default=port, help="port to listen on (%(default)s)")
    parser.add_argument("--share", action="store_true", help="also make a public link, through Gradio's service")
    parser.add_argument(
        "--lang",
        type=lambda tag: "zh-CN" if tag.lower().startswith("zh") else tag,
        choices=page.LANGUAGES,
        help="open in this language; a visitor can still switch (default: the language of the visitor's browser)",
    )
    parser.add_argument("--cache", metavar="DIR", help="keep tokenizers and downloads here (sets BOTH_ENDS_CACHE)")
    parser.add_argument(
        "--table", metavar="DIR", help="begin with the embedding table of this folder: config.json and safetensors"
    )
    parser.add_argument("--fetch", action="store_true", help="fetch all tokenizers and tables for later, and end")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Do what was asked for; the exit code."""
    asked = options(argv)
    try:
        if asked.cache:
            os.environ["BOTH_ENDS_CACHE"] = asked.cache
            serve.check_cache()
        if asked.fetch:
            return 0 if ahead.fetch_all(asked.lang or "en") else 1
        serve.serve(TABS, host=asked.host, port=asked.port, share=asked.share, lang=asked.lang, folder=asked.table)
    except Problem as problem:
        print(problem.say(asked.lang or "en"), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
