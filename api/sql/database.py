"""A database, whichever engine keeps it: what the rest of the service sees of one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import ClassVar, TypeVar

from sqlalchemy import Connection as Alchemy

from api import traces
from api.sql.connection import Connection

Result = TypeVar("Result")
_UNTRACED = nullcontext()
HELD_SECONDS = 3.0
"""So long another program may keep what is changed from us before that is a failure."""


class Database(ABC):
    """The one way to the database's rows."""

    system: ClassVar[str]
    """What OpenTelemetry calls the engine."""
    is_traced = False
    """Whether what a request, for instance, reads and writes here are parts of its trace."""

    @abstractmethod
    def read(self) -> AbstractContextManager[Connection]:
        """Lend a connection for reading; each statement sees what is committed when it runs, and waits for no
        writer.
        """

    @abstractmethod
    def write(self, work: Callable[[Connection], Result], lock_name: str = "") -> Result:
        """Do ``work`` in a transaction. When this returns, it is durable; when work raises, nothing happened.

        The work may be done again, if its transaction had to be rolled back, so it changes nothing else that counts.
        Work with the same ``lock_name``, that of what it locks first, is done one after the other. Should the commit
        itself raise, the effect may have happened.
        """

    def write_at_length(self, work: Callable[[Connection], Result]) -> Result:
        """Do the same with work that computes for minutes between its statements, when nobody else waits for its
        rows.
        """
        return self.write(work)

    @abstractmethod
    def write_if_free(self, work: Callable[[Connection], object]) -> None:
        """Do ``work`` in a transaction that waits for no other writer; while one is in its way, do nothing.

        For what may be lost: where the engine allows it, this does not wait until it is durable either.
        """

    @abstractmethod
    def check_writable(self) -> None:
        """Raise what a change would raise, as far as a look shows that without one."""

    @abstractmethod
    def look_whether_held(self) -> None:
        """See to it that `check_writable` knows, in all processes, whether another program holds what is changed.

        To be called each second. Raises what a change would raise, if that program has held it for seconds.
        """

    @abstractmethod
    def prepare(self) -> None:
        """Make what a schema is created in, if that is ours to make; refuse what is unsuitable. Raises
        `SettingsError`.
        """

    @abstractmethod
    def alter(self, work: Callable[[Alchemy], None]) -> None:
        """Do ``work`` in a transaction of its own, on a connection of SQLAlchemy's, which Alembic needs; it may take
        long.
        """

    def _part(self, name: str) -> AbstractContextManager[None]:
        """Return a span for as long as it takes to read, or until what is written is durable; nothing if it is not
        traced.
        """
        return (
            traces.child_span(f"database {name}", **{"db.system.name": self.system}) if self.is_traced else _UNTRACED
        )

    @abstractmethod
    def dispose(self) -> None:
        """Close all connections: nothing can be written any more."""
