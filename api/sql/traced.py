"""A database whose calls are parts of traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection as Alchemy

from api import traces
from api.sql.connection import Connection
from api.sql.database import Database, Result


class TracedDatabase(Database):
    """Another database, with a span for each time that a request, for instance, reads or writes there."""

    def __init__(self, database: Database, system: str) -> None:
        """``system`` is ``sqlite`` or ``postgresql``, as OpenTelemetry names them."""
        self._database, self._named = database, {"db.system.name": system}

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading."""
        with traces.part("database read", **self._named), self._database.read() as connection:
            yield connection

    def write(self, work: Callable[[Connection], Result], turn: str = "") -> Result:
        """Do ``work`` in a transaction; the span ends when it is durable."""
        with traces.part("database write", **self._named):
            return self._database.write(work, turn)

    def write_at_length(self, work: Callable[[Connection], Result]) -> Result:
        """The same for work that takes long."""
        with traces.part("database write", **self._named):
            return self._database.write_at_length(work)

    def write_if_free(self, work: Callable[[Connection], object]) -> None:
        """Do ``work`` if no other writer is in its way."""
        with traces.part("database write", **self._named):
            self._database.write_if_free(work)

    def check_writable(self) -> None:
        """As the other one."""
        self._database.check_writable()

    def look_whether_held(self) -> None:
        """As the other one."""
        self._database.look_whether_held()

    def prepare(self) -> None:
        """As the other one."""
        self._database.prepare()

    def alter(self, work: Callable[[Alchemy], None]) -> None:
        """As the other one."""
        self._database.alter(work)

    def dispose(self) -> None:
        """As the other one."""
        self._database.dispose()
