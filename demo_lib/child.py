"""A child process that may hang, crash or eat memory without harm to the app.

Both ends of the pipe are here. The parent starts `python -m MODULE` and asks one thing at a time; the child
answers. Each is one line of JSON, never pickle, so that a child gone wrong can only give a wrong answer.

    parent: {"method": "render", "args": [...], "seconds": 5}
    child:  {"result": ...} or {"problem": [en, zh]} or {"failed": "memory"}

Bytes travel as base64 and dataclasses as lists of their fields; who receives them knows what they are.
"""

import base64
import json
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from .problems import Problem

# An answer longer than this many bytes is a fault: 20,000 characters of text as one token a byte are 5 MB
ANSWER_LIMIT = 32 * 10**6
# How many short-lived children of one module run at once; each costs a process and tens of MB
SLOTS = 4
# If the parent is gone, the child's own clock ends it this much later than the parent would have
GRACE = 3
# What a child may know of the environment: no token, no proxy. The last two are for Python's own libraries.
_KEPT = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TZ", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
# One thread and few arenas: each thread's reserve would count against the memory limit
_FRUGAL = {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "MALLOC_ARENA_MAX": "2"}


class ChildError(Exception):
    """The child gave no result. `reason`: "error" (an exception; the child goes on), "time", "memory", "crash",
    or "busy" (no free slot)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def bare_environment() -> dict[str, str]:
    """The environment of a child that runs what comes from outside."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | _FRUGAL


def _plain(value: Any) -> Any:
    """What JSON cannot say: bytes and dataclasses."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if is_dataclass(value):
        return [*vars(value).values()]  # as fields() has them, at half the time for thousands of tokens
    raise TypeError(f"{type(value).__name__} cannot cross to a child process")


def _write(message: dict) -> bytes:
    # surrogatepass: lone surrogates cross as they are; as \u escapes, two neighbours would fuse into one character
    return json.dumps(message, ensure_ascii=False, default=_plain).encode("utf-8", "surrogatepass") + b"\n"


def _read(line: bytes) -> dict:
    return json.loads(line.decode("utf-8", "surrogatepass"))


class Child:
    """The parent's end. One call at a time: the caller locks. Closed when collected and at exit."""

    def __init__(
        self,
        module: str,
        *argv: str,
        environment: Mapping[str, str] | None = None,
        answer_limit: int = ANSWER_LIMIT,
    ) -> None:
        self._answer_limit = answer_limit
        environment = bare_environment() if environment is None else environment
        root = str(Path(__file__).resolve().parent.parent)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # the modules that the parent has, wherever it found them
            env={**environment, "PYTHONPATH": os.pathsep.join([root, *filter(None, sys.path)])},
            start_new_session=True,  # Ctrl-C is for the app, which then closes its children
        )
        self.close = weakref.finalize(self, _stop, self._process)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def call(self, method: str, *args: Any, seconds: float) -> Any:
        """The child's result, or the Problem that it raised; ChildError where there is neither.

        After a ChildError other than "error" the child is closed. The first call's `seconds` cover its start.
        """
        late = threading.Event()
        clock = threading.Timer(seconds, lambda: (late.set(), _stop(self._process)))
        clock.daemon = True
        clock.start()
        try:
            self._process.stdin.write(_write({"method": method, "args": args, "seconds": seconds}))
            self._process.stdin.flush()
            line = self._process.stdout.readline(self._answer_limit)
        except (OSError, ValueError, RecursionError):  # a broken or closed pipe, or what JSON cannot hold
            line = b""
        finally:
            clock.cancel()
            clock.join()
        answer = _read(line) if line.endswith(b"\n") and not late.is_set() else {"failed": "crash"}
        if "problem" in answer:
            raise Problem(*answer["problem"])
        if "failed" in answer:
            reason = "time" if late.is_set() else answer["failed"]
            if reason != "error":
                self.close()
            raise ChildError(reason)
        return answer["result"]


def _stop(process: subprocess.Popen) -> None:
    """Ask the process to end, then make it."""
    process.terminate()
    try:
        process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # what was not yet sent goes nowhere
            pipe.close()


@cache
def _slots(module: str) -> threading.BoundedSemaphore:
    return threading.BoundedSemaphore(SLOTS)


def ask_once(module: str, method: str, *args: Any, seconds: float, argv: tuple = (), **options: Any) -> Any:
    """One call to a child that is started for it, with the options of Child; see Child.call."""
    slots = _slots(module)
    if not slots.acquire(timeout=seconds):
        raise ChildError("busy")
    try:
        child = Child(module, *argv, **options)
        try:
            return child.call(method, *args, seconds=seconds)
        finally:
            child.close()
    finally:
        slots.release()


def limit(**limits: int) -> None:
    """Lower this process's own limits, by the names of the resource module: `limit(AS=1 << 30, CORE=0)`.

    Windows has none of them, and macOS takes AS but does not enforce it.
    """
    with suppress(ImportError):
        import resource

        for name, value in limits.items():
            with suppress(ValueError, OSError):
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))


def serve(methods: Mapping[str, Callable]) -> None:
    """The child's end: answer calls to `methods` until the parent closes the pipe."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print must not look like an answer
    for line in sys.stdin.buffer:
        call = _read(line)
        _alarm(call["seconds"] + GRACE)
        answers.write(_answer(methods[call["method"]], call["args"]))
        answers.flush()
        _alarm(0)


def _alarm(seconds: float) -> None:
    """The system ends this process after so many seconds, even inside native code; 0 takes that back."""
    with suppress(ImportError, AttributeError):
        from signal import alarm

        alarm(ceil(seconds))


def _answer(method: Callable, args: list) -> bytes:
    try:
        return _write({"result": method(*args)})
    except Problem as problem:
        return _write({"problem": [str(problem), problem.zh]})
    except SystemExit:  # asked to end
        raise
    except MemoryError:
        return _write({"failed": "memory"})
    except Exception:
        return _write({"failed": "error"})
    except BaseException:  # a panic in Rust, which leaves things as they were when it struck
        return _write({"failed": "crash"})
