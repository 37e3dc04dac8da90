"""A bounded first-in, first-out cache: what a process has seen once and never changes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """A cache of at most so many values, shared by the threads of a process."""

    def __init__(self, most: int) -> None:
        self._most = most
        # A plain dictionary would search for its oldest key past every key that was deleted before.
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def get(self, key: Key) -> Value | None:
        """The value; `None` if it was never put here, or is forgotten."""
        return self._values.get(key)

    def __len__(self) -> int:
        return len(self._values)

    def clear(self) -> None:
        """Forget everything."""
        self._values.clear()

    def put(self, key: Key, value: Value) -> None:
        """Keep a value."""
        self._values[key] = value
        while len(self._values) > self._most:
            self._values.popitem(last=False)
