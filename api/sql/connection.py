"""What statements run on: an open connection to a database of one of two engines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import Any, ClassVar

Parameters = Mapping[str, object] | tuple[object, ...]
"""By name, or by position."""


class Engine(Enum):
    """Whose SQL a connection speaks."""

    SQLITE = auto()
    POSTGRESQL = auto()

    # The default hash is computed in Python, and each statement looks its spelling up by the engine.
    __hash__ = object.__hash__


class Connection(ABC):
    """What a statement runs on. Outside a transaction each statement stands alone; inside, it takes effect with the
    commit.
    """

    engine: ClassVar[Engine]
    __slots__ = ()

    @abstractmethod
    def rows(self, sql: str, parameters: Parameters) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows."""

    @abstractmethod
    def run(self, sql: str, parameters: Parameters = ()) -> None:
        """Run a statement. In a transaction, an error of it may be raised later: at the next answer, or by the
        commit.
        """

    @abstractmethod
    def changed(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; returns how many rows it changed."""

    @abstractmethod
    def run_many(self, sql: str, each: Iterable[Parameters]) -> None:
        """Run a statement with each of many sets of parameters, as `run` does."""
