"""How long from the command to the page? `python -m tests.bench.startup [repetitions]`

Three programs, each in a fresh process, in turn, with Gradio's telemetry off: this app; a plain Gradio app with as
many tabs, a text box and its echo in each; and the same plain app that imports torch and AutoTokenizer first, as
most do. Measured is the time from starting the process to the first HTTP 200 of its page, and the processor time that
it took until then, which tells more on a busy machine. Printed are the medians and their ratios. No test: it depends
on the machine.
"""

import http.client
import os
import re
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLAIN = """
import sys
import gradio as gr

with gr.Blocks() as demo:
    for name in sys.argv[2:]:
        with gr.Tab(name):
            text, echo = gr.Textbox(), gr.Textbox()
            text.change(lambda value: value, text, echo)
demo.launch(server_port=int(sys.argv[1]))
"""
HEAVY = "import torch\nfrom transformers import AutoTokenizer\n" + PLAIN
WANTED = {"plain": 2.0, "plain with torch": 2.8}


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def processor_seconds() -> float:
    """Of all child processes that have ended and been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def to_page(command: list[str], port: int, limit: float = 300) -> tuple[float, float]:
    """Seconds, and seconds of processor time, from starting the command to the first answer 200 to GET /."""
    env = os.environ | {"GRADIO_ANALYTICS_ENABLED": "False"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # packages come compiled from pip; so is ours after its first start
    begin, used = time.perf_counter(), processor_seconds()
    process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    taken = None
    while taken is None and process.poll() is None and time.perf_counter() - begin < limit:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=limit)
        try:
            connection.request("GET", "/")
            response = connection.getresponse()
            response.read()
            if response.status == 200:
                taken = time.perf_counter() - begin
        except OSError:
            time.sleep(0.01)
        finally:
            connection.close()
    process.kill()
    process.wait()
    if taken is None:
        raise RuntimeError(f"no page from {command}")
    return taken, processor_seconds() - used


def measure(repetitions: int) -> dict[str, list[tuple[float, float]]]:
    """`to_page` of each program, interleaved; one run of each before, so that all files are in the disk's cache."""
    tabs = re.search(r"^TABS = \((.*)\)", (ROOT / "app.py").read_text("utf-8"), re.MULTILINE)[1].split(", ")
    with tempfile.TemporaryDirectory() as cache:
        programs = {
            "both ends": lambda port: [sys.executable, "app.py", "--port", str(port), "--cache", cache],
            "plain": lambda port: [sys.executable, "-c", PLAIN, str(port), *tabs],
            "plain with torch": lambda port: [sys.executable, "-c", HEAVY, str(port), *tabs],
        }
        times = {name: [] for name in programs}
        for turn in range(repetitions + 1):
            for name, command in programs.items():
                port = free_port()
                taken = to_page(command(port), port)
                if turn:
                    times[name].append(taken)
    return times


def main() -> None:
    times = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    ours = [statistics.median(column) for column in zip(*times["both ends"], strict=True)]
    for name, taken in times.items():
        wall, processor = zip(*taken, strict=True)
        medians = statistics.median(wall), statistics.median(processor)
        print(
            f"{name:17}{medians[0]:6.2f} s ({min(wall):.2f} to {max(wall):.2f}), processor {medians[1]:.2f} s", end=""
        )
        if name in WANTED:
            ratios = [theirs / own for theirs, own in zip(medians, ours, strict=True)]
            print(f": {ratios[0]:.2f} times ours, wanted {WANTED[name]}; processor {ratios[1]:.2f} times", end="")
        print()


if __name__ == "__main__":
    main()
