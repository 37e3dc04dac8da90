"""Locks by name, each of which is forgotten when nobody has it or waits for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary


class StillTaken(Exception):
    """Another call has it for longer than this one could wait."""


class _Lock:
    __slots__ = ("__weakref__", "lock")

    def __init__(self) -> None:
        self.lock = threading.Lock()


class NamedLocks:
    """Whoever takes a name waits until nobody else of this process has it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, _Lock] = WeakValueDictionary()

    @contextmanager
    def take(self, name: str, patience_seconds: float) -> Iterator[None]:
        """Have a name. Raises `StillTaken`."""
        taken = self._locks.setdefault(name, _Lock())
        if not taken.lock.acquire(timeout=patience_seconds):
            raise StillTaken(name)
        try:
            yield
        finally:
            taken.lock.release()
