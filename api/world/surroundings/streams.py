"""What a program says while it works: nobody waits until somebody reads it.

A pipe whose reader has stopped takes 64 KiB, and whoever writes more waits for ever: one greenlet that writes a
message would hold all rounds. So lines wait in a bounded queue, and a thread of their own writes them, which may
wait. The descriptor stays as it was inherited (``O_NONBLOCK`` would reach everybody who shares it). What finds no
place is dropped and counted, the least important first, and the count is said as soon as writing works again. What
cannot be written at all (a closed pipe, a full disk) is skipped: the work goes on.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections import deque
from collections.abc import Callable
from enum import IntEnum
from importlib import import_module
from io import TextIOBase
from typing import Any, TextIO
from weakref import WeakSet

MOST_BYTES = 256 * 1024
"""What waits for each stream of a process; as much again may be on its way."""
_IDLE_SECONDS = 0.2
"""How long the thread waits for more before it ends: processes that fork should have none."""
_END_SECONDS = 0.5
"""How long the end of a program waits for a reader."""


class Rank(IntEnum):
    """How important a line is."""

    CALL = 0
    """One call of many."""
    NEWS = 1
    ALARM = 2


class PatientStream(TextIOBase):
    """A stream whose ``write`` returns at once, in the place of one that may wait."""

    def __init__(self, stream: TextIO, dropped: Callable[[int], str]) -> None:
        """``dropped`` makes the line about so many lost ones."""
        self._descriptor, self._encoding, self._dropped_line = stream.fileno(), stream.encoding, dropped
        # What is collected as garbage meanwhile may have something to say itself, in the same thread.
        self._lock, self._wake = _real("_thread", "RLock")(), _new_queue()
        self._waiting = {rank: deque[tuple[int, bytes]]() for rank in Rank}
        """The texts of each rank, with their numbers."""
        self._number = self._bytes = self._dropped = 0
        self._at_work = self._hurries = False
        _all.add(self)

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a property here
        """As the environment has chosen it; what it cannot spell is escaped."""
        return self._encoding

    @property
    def errors(self) -> str:  # type: ignore[override]  # a property here
        """How what cannot be spelled is written."""
        return "backslashreplace"

    def fileno(self) -> int:
        """Return the descriptor, for programs that are started."""
        return self._descriptor

    def isatty(self) -> bool:
        """Return whether a person reads it."""
        return os.isatty(self._descriptor)

    def writable(self) -> bool:
        """Say that it is for writing."""
        return True

    def write(self, text: str, /) -> int:
        """Write a text as news."""
        if not isinstance(text, str):
            raise TypeError("a text stream takes text")
        self.put(text, Rank.NEWS)
        return len(text)

    def put(self, text: str, rank: Rank) -> None:
        """Write a text, unless too much waits that is as important."""
        data = text.encode(self._encoding, "backslashreplace")
        with self._lock:
            if not self._make_room(len(data), rank):
                self._dropped += 1
                return
            self._number += 1
            self._waiting[rank].append((self._number, data))
            self._bytes += len(data)
            starts, self._at_work = not self._at_work, True
        if starts:
            _real("_thread", "start_new_thread")(self._work, ())
        self._wake.put(None)

    def settle(self, seconds: float = _END_SECONDS) -> None:
        """Wait until all is written and no thread is left, at most so long."""
        end = time.monotonic() + seconds
        self._hurries = True
        self._wake.put(None)
        while self._at_work and time.monotonic() < end:
            _real("time", "sleep")(0.001)
        self._hurries = False

    def _make_room(self, size: int, rank: Rank) -> bool:
        while self._bytes + size > MOST_BYTES:
            less = next((self._waiting[each] for each in Rank if each < rank and self._waiting[each]), None)
            if less is None:
                return False
            self._bytes -= len(less.pop()[1])
            self._dropped += 1
        return True

    def _take(self) -> list[bytes]:
        """Return all that waits, in its order."""
        taken = list[tuple[int, bytes]]()
        for texts in self._waiting.values():
            while texts:
                taken.append(texts.popleft())
                self._bytes -= len(taken[-1][1])
        return [data for _, data in sorted(taken)]

    def _work(self) -> None:
        """Work in the thread: write what waits, and end when nothing has come for a while."""
        while True:
            _wait(self._wake, 0 if self._hurries else _IDLE_SECONDS)
            with self._lock:
                lost, self._dropped = self._dropped, 0
                texts = self._take()
                if not texts and not lost:
                    if self._wake.empty():
                        self._at_work = False
                        return
                    continue
            lost += sum(not self._write_all(text) for text in texts)
            if lost and self._write_all(self._dropped_line(lost).encode(self._encoding, "backslashreplace")):
                lost = 0
            with self._lock:
                self._dropped += lost
                if lost and not self._bytes:
                    # Nothing can be written: the count waits for the next text.
                    self._at_work = False
                    return

    def _write_all(self, data: bytes) -> bool:
        """Write one text: up to a page of it is never mixed with what other processes write into the same pipe."""
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            return False
        return True

    def renew(self) -> None:
        """Begin with nothing, after a fork: what waits is the parent's, and so is the thread."""
        self._lock, self._wake = _real("_thread", "RLock")(), _new_queue()
        self._take()
        self._dropped = 0
        self._at_work = self._hurries = False


_all: WeakSet[PatientStream] = WeakSet()


def wait_for_nobody(dropped: Callable[[int], str] | None = None) -> None:
    """Let this program, and what it forks, wait from now on for no reader of its standard output and standard
    error.
    """
    if not isinstance(sys.stderr, PatientStream):
        sys.stdout, sys.stderr = (_patient(stream, dropped or _dropped) for stream in (sys.stdout, sys.stderr))
        atexit.register(settle)
        os.register_at_fork(after_in_child=_renew)


def settle() -> None:
    """Wait a moment until what was said is written; before a fork, so that no thread is left."""
    for stream in list(_all):
        stream.settle()


def say(stream: TextIO, text: str, rank: Rank) -> None:
    """Write a text of some importance."""
    if isinstance(stream, PatientStream):
        stream.put(text, rank)
    else:
        stream.write(text)
        stream.flush()


def _patient(stream: TextIO, dropped: Callable[[int], str]) -> TextIO:
    stream.flush()
    return PatientStream(stream, dropped)  # type: ignore[return-value]  # all that is asked of one


def _dropped(lines: int) -> str:
    return f"foredraw: {lines} messages were lost, because nobody has read what this program says\n"


def _renew() -> None:
    for stream in list(_all):
        stream.renew()


def _new_queue() -> Any:  # noqa: ANN401 -- the C queue, which gevent leaves alone
    return import_module("_queue").SimpleQueue()


def _wait(wake: Any, seconds: float) -> None:  # noqa: ANN401 -- the C queue, which gevent leaves alone
    try:
        wake.get(timeout=seconds) if seconds else wake.get_nowait()
    except import_module("_queue").Empty:
        return


def _real(module: str, name: str) -> Any:  # noqa: ANN401 -- whatever it is
    """Return what the system has, where gevent has put something in its place that lets greenlets wait."""
    monkey = sys.modules.get("gevent.monkey")
    return getattr(import_module(module), name) if monkey is None else monkey.get_original(module, name)
