"""What a process has seen once and that never changes: kept, up to a limit, the oldest forgotten first."""

from __future__ import annotations

from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Remembered(Generic[Key, Value]):
    """A bounded memory, shared by the threads of a process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Key, Value] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def get(self, key: Key) -> Value | None:
        """The value; `None` where it was never seen, or is forgotten."""
        return self._values.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Keep a value."""
        self._values[key] = value
        while len(self._values) > self._most:
            # Two threads may choose the same oldest key: then one of them finds it gone.
            self._values.pop(next(iter(self._values)), None)
