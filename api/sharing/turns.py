"""Locks by name, each of which is forgotten when nobody has it or waits for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary


class TurnNeverCame(Exception):
    """Another call has it for longer than this one could wait."""


class _Turn:
    __slots__ = ("__weakref__", "lock")

    def __init__(self) -> None:
        self.lock = threading.Lock()


class Turns:
    """Who takes a name's turn waits until nobody else of this process has it."""

    def __init__(self) -> None:
        self._turns: WeakValueDictionary[str, _Turn] = WeakValueDictionary()

    @contextmanager
    def take(self, name: str, patience_seconds: float) -> Iterator[None]:
        """Have a name's turn. Raises `TurnNeverCame`."""
        taken = self._turns.setdefault(name, _Turn())
        if not taken.lock.acquire(timeout=patience_seconds):
            raise TurnNeverCame(name)
        try:
            yield
        finally:
            taken.lock.release()
