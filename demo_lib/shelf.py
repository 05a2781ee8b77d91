"""What took long to open stays open, by name; what could not be opened says so again at once."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from .problems import Problem, Waiting

T = TypeVar("T")


class Shelf(Generic[T]):
    """Opened things by name, the last used last. Two threads that want one open it once.

    One that failed to open is not tried again for `rest` seconds: a page asks at each keystroke, and a Hub that
    cannot be reached takes seconds to say so.
    """

    def __init__(self, room: int, rest: float = 10) -> None:
        self._room, self._rest = room, rest
        self._open: dict[str, T] = {}
        self._failed: dict[str, tuple[float, tuple[str, str]]] = {}
        # a door is there for as long as a thread stands at it
        self._lock, self._doors = threading.Lock(), WeakValueDictionary()

    def __contains__(self, name: str) -> bool:
        return name in self._open

    def get(self, name: str, make: Callable[[], T], *, wait: bool = True) -> T:
        """The thing of that name, opened with `make` where it is not open.

        Without `wait`, what is not open raises Waiting and is opened in the background; or raises the Problem of the
        last try while that rests.
        """
        with self._lock:
            if name in self._open:
                self._open[name] = self._open.pop(name)
                return self._open[name]
            if not wait:
                self._refuse(name)
                if name not in self._doors:
                    threading.Thread(target=self._try, args=(name, make), daemon=True).start()
                raise Waiting()
            door = self._doors.setdefault(name, threading.Lock())
        with door:
            return self._open.get(name) or self._make(name, make)

    def _try(self, name: str, make: Callable[[], T]) -> None:
        with suppress(Problem):
            self.get(name, make)

    def _refuse(self, name: str) -> None:
        when, said = self._failed.get(name, (0, None))
        if said and time.monotonic() < when + self._rest:
            raise Problem(*said)

    def _make(self, name: str, make: Callable[[], T]) -> T:
        self._refuse(name)
        try:
            thing = make()
        except Problem as problem:
            failed = name, (time.monotonic(), (str(problem), problem.zh))
            with self._lock:
                self._failed = dict([*self._failed.items(), failed][-64:])
            raise
        with self._lock:
            self._open[name] = thing
            self._failed.pop(name, None)
            while len(self._open) > self._room:
                del self._open[next(iter(self._open))]
        return thing
