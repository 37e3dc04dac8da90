"""Real services that several files of tests share, because starting one costs seconds of processor time.

A process of pytest has at most one for each database. A file asks for it with its own tables, which no other file
touches, and must not notice that there are others: it neither kills the service nor needs options, and counts neither
all tables nor all records. Files that share one are a group of `TOGETHER` in `tests.tiers.selection`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from api.rounds.tables import add_table
from api.settings import LONGEST_TIMEOUT
from tests.support.databases import remember
from tests.support.postgres import PostgresServer
from tests.support.running_service import RunningService, opened, running_service


@dataclass(slots=True)
class SharedServices:
    """Services that are started when the first file asks for them."""

    new_folder: Callable[[], Path]
    _running: dict[bool, RunningService] = field(default_factory=dict)
    """On a server, and on the default database."""
    _stack: ExitStack = field(default_factory=ExitStack)

    def with_tables(
        self, tables: Mapping[str, str], server: PostgresServer | None = None, *, lead: int | None = None
    ) -> RunningService:
        """The service on that server, or on the default database, with these tables (name and game) committed
        ahead.
        """
        on_server = server is not None
        if on_server not in self._running:
            place = None if server is None else server.new_database()
            self._running[on_server] = self._stack.enter_context(
                running_service(self.new_folder(), {}, database=place)
            )
        service = self._running[on_server]
        # The databases of the file before have ended, and this one's has not.
        remember(service.folder, service.database)
        with opened(service.settings) as parts:
            for name, game in tables.items():
                # The rounds that one file leaves open must not be given up, and published, while another one runs.
                add_table(parts.writer, name, game, lead=lead, timeout=LONGEST_TIMEOUT)
        service.settle()
        return service

    def stop(self) -> None:
        """Stop them; whoever asks again gets new ones."""
        self._stack.close()
        self._running.clear()
