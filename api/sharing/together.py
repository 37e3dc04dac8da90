"""Calls that ask for things of one name while others of that name are being read: read together, after those."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Generic, TypeVar

from api.sharing.named_locks import NamedLocks, StillTaken

Thing = TypeVar("Thing", bound=Hashable)
Found = TypeVar("Found")


class _Group(Generic[Thing, Found]):
    """Calls that are answered together."""

    __slots__ = ("found", "wanted")

    def __init__(self) -> None:
        self.wanted: set[Thing] = set()
        self.found: Mapping[Thing, Found] | None = None
        """`None` until the first of the group has begun to read."""


class Together(Generic[Thing, Found]):
    """The more calls wait, the more of them one reading answers: a crowd costs little more than one of it.

    Nobody waits while nothing of the name is being read. A reading begins after every call that it answers, so none
    of them misses what was true when it came.
    """

    def __init__(
        self, read: Callable[[str, AbstractSet[Thing]], Mapping[Thing, Found]], patience_seconds: float
    ) -> None:
        """``read`` may leave out what it does not find; what it raises of one thing, the call sees."""
        self._read = read
        self._locks = NamedLocks()
        self._patience = patience_seconds
        self._lock = threading.Lock()
        self._forming: dict[str, _Group[Thing, Found]] = {}

    def find(self, name: str, thing: Thing) -> Found | None:
        """Return what was found; `None` if this call has to look by itself."""
        with self._lock:
            group = self._forming.setdefault(name, _Group())
            group.wanted.add(thing)
        with suppress(StillTaken), self._locks.take(name, self._patience):
            if group.found is None:
                with self._lock:
                    # Later callers join the next group.
                    del self._forming[name]
                group.found = {}
                try:
                    group.found = self._read(name, group.wanted)
                except Exception:
                    # Perhaps one of the things is what is wrong: each call finds out by itself whether that is its
                    # own.
                    if len(group.wanted) == 1:
                        raise
        return None if group.found is None else group.found.get(thing)
