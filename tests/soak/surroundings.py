"""What happens to all that a service stands on: its database, its cables, its disks, its store and its clocks.

Each fault begins, lasts a moment, and is over when the call returns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from inspect import isfunction
from pathlib import Path

from tests.soak.faults import Fault, Moments
from tests.support.dates import Date
from tests.support.postgres import PostgresServer
from tests.support.proxy import Line
from tests.support.s3_server import S3Server
from tests.support.small_disk import SmallDisk
from tests.support.witness_server import LocalWitness, Response, away

_WRONG_DATES = (-86_400.0, -3_600.0, -60.0, 60.0, 3_600.0, 400 * 86_400.0)
"""In seconds: behind; ahead, but not by more than is accepted; and ahead."""


class _FaultsOfOne:
    """Every public method of a class of these is a fault."""

    @property
    def all(self) -> list[Fault]:
        """All of them, in their order."""
        return [getattr(self, name) for name, each in vars(type(self)).items() if isfunction(each) and name[0] != "_"]


@dataclass(frozen=True)
class ServerFaults(_FaultsOfOne):
    """What happens to PostgreSQL, and to the line from each machine to it."""

    server: PostgresServer
    lines: Sequence[Line]
    moments: Moments

    def restart_the_database(self) -> None:
        """It is away for some seconds, after a stop or a crash."""
        self.server.stop(at_once=self.moments.chance.random() < 0.5)
        self.moments.between(0, 3)
        self.server.start()

    def cut_connections(self) -> None:
        """The database ends them all."""
        with self.server.administrator() as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'foredraw'")

    def unplug_the_database(self) -> None:
        """Nothing arrives between one machine and the database, for longer than a lease lasts or not; nobody is
        told.
        """
        with self.moments.chance.choice(self.lines).unplugged():
            self.moments.between(1, 10)

    def slow_the_database(self) -> None:
        """Each packet takes a while."""
        for line in self.lines:
            line.delay = self.moments.chance.uniform(0.01, 0.1)
        self.moments.between(1, 5)
        for line in self.lines:
            line.delay = 0.0

    def forbid_changes(self) -> None:
        """The database is read-only for some seconds."""
        self.server.set_for_all("default_transaction_read_only = on")
        self.moments.between(0, 3)
        self.server.set_for_all("default_transaction_read_only = off")


@dataclass(frozen=True)
class StoreFaults(_FaultsOfOne):
    """What happens to the store of objects that the log is published to, and to the line that leads there."""

    server: S3Server
    line: Line
    moments: Moments

    def halt_the_store(self) -> None:
        """It stands still: connections are accepted, and nothing is answered."""
        with self.server.away():
            self.moments.between(1, 5)

    def unplug_the_store(self) -> None:
        """Nothing arrives between the service and the store; nobody is told."""
        with self.line.unplugged():
            self.moments.between(1, 5)

    def hang_up_on_the_store(self) -> None:
        """All connections to it are cut, some of them in the middle of an answer."""
        self.line.hang_up()


@dataclass(frozen=True)
class WitnessFaults(_FaultsOfOne):
    """What happens to witnesses."""

    witnesses: Sequence[LocalWitness]
    moments: Moments

    def hide_a_witness(self) -> None:
        """One hangs up on everybody; the others are the quorum."""
        self._have([self.moments.chance.choice(self.witnesses)], away)

    def hide_witnesses(self) -> None:
        """So many do that there is no quorum."""
        self._have(self.witnesses, away)

    def confuse_a_witness(self) -> None:
        """One cosigns and fails by turns."""
        chance = self.moments.chance

        def by_turns(witness: LocalWitness, body: bytes) -> Response | None:
            return witness.answer(body) if chance.random() < 0.5 else None

        self._have([chance.choice(self.witnesses)], by_turns)

    def _have(
        self, witnesses: Sequence[LocalWitness], behave: Callable[[LocalWitness, bytes], Response | None]
    ) -> None:
        for each in witnesses:
            each.behaves = behave
        self.moments.between(1, 5)
        for each in witnesses:
            each.behaves = LocalWitness.answer


@dataclass(frozen=True)
class DiskFaults(_FaultsOfOne):
    """What happens to a disk."""

    disk: SmallDisk
    moments: Moments

    def fill_the_disk(self) -> None:
        """Not a byte is left for some seconds."""
        self.disk.fill()
        self.moments.between(1, 5)
        self.disk.make_room()


@dataclass(frozen=True)
class FileFaults(_FaultsOfOne):
    """What happens to a database in a file."""

    database: Path
    moments: Moments

    def hold_the_database(self) -> None:
        """Another program has begun a change, and takes some seconds for it: longer than calls wait, or not."""
        with closing(sqlite3.connect(self.database, timeout=60)) as other:
            other.execute("BEGIN IMMEDIATE")
            self.moments.between(1, 8)
            other.rollback()


@dataclass(frozen=True)
class ClockFaults(_FaultsOfOne):
    """What happens to the clock of each machine."""

    dates: Sequence[Date]
    moments: Moments

    def set_a_clock(self) -> None:
        """That of one machine is wrong for some seconds."""
        chance = self.moments.chance
        with chance.choice(self.dates).wrong(chance.choice(_WRONG_DATES)):
            self.moments.between(1, 5)
