"""A bounded first-in, first-out cache: what a process has seen once and never changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """A cache of at most so many values, or of so much in what they ``weigh``, shared by the threads of a process."""

    def __init__(self, most: int, weigh: Callable[[Value], int] = lambda _: 1) -> None:
        self._most, self._weigh, self._weight = most, weigh, 0
        self._changing = Lock()
        # A plain dictionary would search for its oldest key past every key that was deleted before.
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def get(self, key: Key) -> Value | None:
        """Return the value; `None` if it was never put here, or is forgotten."""
        return self._values.get(key)

    def __len__(self) -> int:
        return len(self._values)

    def clear(self) -> None:
        """Forget everything."""
        with self._changing:
            self._values.clear()
            self._weight = 0

    def put(self, key: Key, value: Value) -> None:
        """Keep a value."""
        with self._changing:
            before = self._values.get(key)
            self._weight += self._weigh(value) - (0 if before is None else self._weigh(before))
            self._values[key] = value
            while self._weight > self._most:
                self._weight -= self._weigh(self._values.popitem(last=False)[1])
