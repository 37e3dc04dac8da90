"""A whole service in one process, driven turn by turn, in a world that can fail.

Sequencer and keeper have no threads here: a call that waits for publication runs a turn of the
sequencer, and the clock is set by hand. After a fault the objects are discarded, and the service is
opened again from its folder. A small engine plays, and remembers the answers.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from sqlalchemy import select

from api.answers.rounds import Ended, LockedOrder, LockedOutcome, Opened
from api.custody.custodian import Custodian
from api.custody.keys import load_seeds_key
from api.log.keys import load_signing_key, load_verifier_key
from api.log.publication import Found, Publication
from api.log.sequencer import Sequencer
from api.programs.background.terms import start_sequencer
from api.programs.setup import initialise
from api.rounds.calls import Locking
from api.rounds.keeper import Keeper
from api.rounds.reading import newest_time
from api.rounds.salter import Salter
from api.rounds.tables import add_table
from api.service import Service, open_service
from api.settings import Server, Settings
from api.sql.database import Database
from api.sql.statement import Query
from api.store import statements as sql
from api.store import tables
from api.store.contents import decode_state
from api.store.models import RoundRow, RoundStatus, TableRow
from api.witnesses.publisher import CosignedPublisher
from api.world.published.log_folder import LogFolder
from api.world.published.mirrored_log import open_objects
from api.world.timekeeper import Timekeeper
from fairness.hashing import sha256
from fairness.log.notes import VerifierKey
from fairness.policy.policy import Trust
from fairness.records.record import Bets, LockRecord, Record, RevealRecord
from fairness.records.table_state import TableState
from fairness.round.authentic_log import AuthenticLog
from tests.oracles.whole_log import WholeLog, check_whole_log
from tests.support import databases
from tests.support.askers import AskersInTurn
from tests.support.calls import call_of
from tests.support.databases import default_server, remember
from tests.support.faulty_world import (
    Disk,
    Faults,
    FaultyDatabase,
    FaultyLog,
    FaultyMirror,
    FaultyPostgres,
    SettableClock,
)
from tests.support.postgres import PostgresServer

ORIGIN = "fore.example/log"
VOID_REASON = "the wheel stuck"
_ALL_ROUNDS = Query(select(tables.ROUNDS), RoundRow)


class _TurningPublication(Publication):
    """Runs a turn of the sequencer instead of sleeping until its thread has run one."""

    def __init__(
        self, log: LogFolder, key: VerifierKey, trust: Callable[[], Trust], turn: Callable[[], object]
    ) -> None:
        super().__init__(log, key, trust)
        self._turn = turn

    def wait_for(self, find: Callable[[AuthenticLog], Found | None], seconds: float) -> Found | None:
        """What is found now or after a turn; with 0 ``seconds`` there is no turn."""
        found = super().wait_for(find, 0.0)
        if found is None and seconds > 0:
            self._turn()
            found = super().wait_for(find, 0.0)
        return found


class InProcessService:
    """One service, its sequencer and its keeper; and an engine that remembers the answers."""

    service: Service
    sequencer: Sequencer | None
    publisher: CosignedPublisher | None
    """Has every head cosigned in the turn of the sequencer that signed it, if the settings name a policy."""
    keeper: Keeper
    salter: Salter

    def __init__(
        self,
        folder: Path,
        *,
        batch_size: int = 12,
        server: PostgresServer | None = None,
        template: str = "",
    ) -> None:
        """With a ``server``, its database is a new one there, made of a ``template``, or with empty tables."""
        self._server, self.batch_size = server or default_server(), batch_size
        place = None if self._server is None else self._server.new_database(template or self._server.with_tables())
        self.settings = Settings(folder, batch_size, server=remember(folder, place))
        self.disk, self.clock = Disk(), SettableClock()
        self.told: dict[tuple[str, int], object] = {}
        self.sequencer = self.publisher = None
        self.askers = AskersInTurn()
        self._opened = ExitStack()

    @classmethod
    def create(
        cls,
        folder: Path,
        *,
        batch_size: int = 12,
        tables: Iterable[tuple[str, str]] = (),
        server: PostgresServer | None = None,
    ) -> Self:
        """Initialise a folder, start, and wait until ``tables`` (names and games) can be played."""
        made = cls(folder, batch_size=batch_size, server=server)
        initialise(made.settings, ORIGIN)
        made.start()
        for name, game in tables:
            add_table(made.service.writer, name, game)
        made.settle()
        return made

    def copy(self, folder: Path) -> Self:
        """The same service in another folder, stopped; this one must be stopped too."""
        tiles = self.settings.log / "tile"
        shutil.copytree(
            self.settings.folder, folder, ignore=lambda at, _: ["tile"] if Path(at) == tiles.parent else []
        )
        if tiles.exists():
            # Tiles and bundles are replaced, never changed, so a hard link is as good as a copy.
            shutil.copytree(tiles, folder / "log" / "tile", copy_function=os.link)
        template = "" if self.settings.server is None else self.settings.server.name
        made = type(self)(folder, batch_size=self.settings.batch_size, server=self._server, template=template)
        made.disk = Disk(list(self.disk.checkpoints), dict(self.disk.unsynced))
        made.told, made.clock = dict(self.told), copy(self.clock)
        return made

    def with_settings(self, settings: Settings) -> InProcessService:
        """The service of other settings, stopped, which goes on where this one ended: engines remember, and so does
        the clock.
        """
        made = InProcessService(settings.folder, batch_size=settings.batch_size)
        made.settings, made.told, made.clock = settings, dict(self.told), self.clock
        return made

    @property
    def server(self) -> Server:
        """Where its database is, which is on a server."""
        assert self.settings.server is not None
        return self.settings.server

    @property
    def key(self) -> VerifierKey:
        """The log's key."""
        return load_verifier_key(self.settings)

    def start(self, faults: Faults | None = None) -> None:
        """Open the folder, as after a restart. Raises what the start of the sequencer raises."""
        self.start_without_sequencer(faults)
        try:
            self.publisher = self.service.publisher(self.askers)
            self.sequencer = start_sequencer(self.service, load_signing_key(self.settings), self.publisher)
            self.publish()
        except BaseException:
            self.stop()
            raise

    def start_without_sequencer(self, faults: Faults | None = None) -> None:
        """Open the folder as the processes of the API do."""
        chosen = Faults() if faults is None else faults
        plain = open_service(self.settings)
        plain.close()
        bucket = self.settings.publish
        log = (
            FaultyLog(self.settings.log, chosen, self.disk)
            if bucket is None
            else FaultyMirror(self.settings.log, chosen, self.disk, open_objects(bucket))
        )
        publication = _TurningPublication(log, plain.verifier_key, plain.policy.trust, self.turn)
        custodian = Custodian(self.settings.seeds, lambda: load_seeds_key(self.settings), plain.verifier_key)
        if self.settings.seeds_server is None:
            custodian._store.close()
            custodian._store._database = FaultyDatabase(
                self.settings.secrets, self.settings.folder / "custodian" / "write.lock", chosen, "seal"
            )
        database: Database = FaultyDatabase(self.settings.database, self.settings.write_lock, chosen)
        if self.settings.server is not None:
            database.dispose()
            database = FaultyPostgres(self.settings.server, chosen)
        self.service = replace(
            plain,
            database=database,
            log=log,
            publication=publication,
            custodian=custodian,
            clock=self.clock,
            timekeeper=Timekeeper(self.clock, self.settings.clock, lambda: newest_time(database)),
        )
        self._opened.callback(self.service.close)
        self.sequencer = self.publisher = None
        self.keeper, self.salter = self.service.keeper(), self.service.salter()

    def stop(self) -> None:
        """Release the folder without finishing anything. Does nothing if the service does not run."""
        self.sequencer = self.publisher = None
        self.askers.close()
        self._opened.close()

    def remove(self) -> None:
        """Delete what a stopped service has stored, which adds up in tests that copy it often."""
        shutil.rmtree(self.settings.folder)
        if self._server is not None and self.settings.server is not None:
            self._server.drop(self.settings.server)

    def restart(self, faults: Faults | None = None) -> None:
        """Discard everything and open the folder again."""
        self.stop()
        self.start(faults)

    def crash_of_the_machine(self) -> None:
        """Stop; every file that was not synced is as it was before, or missing."""
        self.stop()
        for path, before in self.disk.unsynced.items():
            file = self.settings.log / path
            if before is None:
                file.unlink(missing_ok=True)
            else:
                file.write_bytes(before)
        self.disk.unsynced.clear()

    @property
    def size(self) -> int:
        """How many records are published."""
        return self.service.publication.size

    @contextmanager
    def background_paused(self) -> Iterator[None]:
        """Within this context nothing is published, and waiting for it finds nothing."""
        paused, self.sequencer = self.sequencer, None
        yield
        self.sequencer = paused

    def turn(self) -> int:
        """Run a turn of the sequencer, if there is one; an error ends it."""
        try:
            appended = 0 if self.sequencer is None else self.sequencer.turn()
            self.publish()
        except BaseException:
            self.sequencer = self.publisher = None
            raise
        return appended

    def publish(self) -> None:
        """Run turns of the publisher, if there is one, until no witness has anything new to say."""
        while self.sequencer is not None and self.publisher is not None:
            self.publisher.turn(0)
            if self.publisher._events.empty():
                return

    def settle(self) -> None:
        """Run turns of keeper, salter and sequencer until none has anything to do."""
        idle = 0
        while idle < 2:
            self.keeper.turn()
            self.salter.turn()
            idle = 0 if self.turn() else idle + 1

    def state(self, table: str) -> TableState:
        """The state of a table after its queued records."""
        return decode_state(self._row(table).queued_state)

    def states(self) -> dict[str, TableState]:
        """The states of all tables after their queued records."""
        with self.service.database.read() as connection:
            return {row.name: decode_state(row.queued_state) for row in sql.ALL_TABLES.all(connection)}

    def _row(self, table: str) -> TableRow:
        with self.service.database.read() as connection:
            return sql.ONE_TABLE.one(connection, name=table)

    def open(self, table: str, number: int) -> None:
        """An engine opens a round."""
        opened = Opened(table, self._row(table).table_id, number, RoundStatus.OPEN)
        assert self.service.rounds.open(table, number) == opened

    def locking(self, table: str, number: int) -> Locking:
        """An engine's lock of a round, or its repetition, whose publication it does not wait for."""
        return self.service.rounds.lock(
            *(table, number, bets_of(table, number)),
            call=call_of(table, number),
            keep_back=self._row(table).keeps_order,
        )

    def lock(self, table: str, number: int) -> object:
        """An engine locks a round and receives its outcome, the same one every time; or, of an order that is kept,
        the first five things.
        """
        answer = self.locking(table, number).answer
        if isinstance(answer, LockedOrder):
            return self.service.rounds.next(table, number, 1, min(answer.of, 5))
        assert isinstance(answer, LockedOutcome)
        return self.hear(table, number, answer.outcome)

    def reveal(self, table: str, number: int) -> Ended:
        """An engine reveals a round."""
        answer = self.service.rounds.reveal(table, number)
        assert isinstance(answer, Ended)
        assert answer.status == "played"
        self.hear(table, number, answer.outcome)
        return answer

    def void(self, table: str, number: int, reason: str = VOID_REASON) -> Ended:
        """An engine voids a round."""
        answer = self.service.rounds.void(table, number, reason)
        assert isinstance(answer, Ended)
        assert answer.status == "void"
        self.hear(table, number, answer.outcome)
        return answer

    def hear(self, table: str, number: int, outcome: object) -> object:
        """Remember an answer to the engine; a later one must not differ."""
        assert self.told.setdefault((table, number), outcome) == outcome
        return outcome

    def play(self, table: str, rounds: int = 1) -> None:
        """Play whole rounds from the table's state on; a round that a failure left unfinished is finished first."""
        for _ in range(rounds):
            state = self.state(table)
            locked = state.locked
            if locked is not None and locked.given_up:
                self.void(table, locked.number, self._reason(table, locked.number))
                continue
            number = state.next_round if locked is None else locked.number
            if locked is None:
                self.open(table, number)
            self.lock(table, number)
            self.reveal(table, number)

    def is_closing(self, table: str) -> bool:
        """Whether the operator has requested the table's end."""
        return bool(self._row(table).closing)

    def check_log(self) -> WholeLog:
        """Check everything that must hold of the published log; the service may be stopped."""
        return check_whole_log(self.settings.log, self.key, checkpoints=self.disk.checkpoints, told=self.told)

    def check(self) -> WholeLog:
        """Publish what waits, and check the log, and that the database says the same."""
        self.settle()
        whole = self.check_log()
        self.check_rows(whole.records)
        return whole

    def play_on_and_check(self) -> WholeLog:
        """Finish what was begun, play a round at each table that takes one, and check everything."""
        self.clock.step(1000)
        for _ in range(4):
            self.settle()
            self.clock.step(10)
        for name, state in self.states().items():
            if not state.ended and not self.is_closing(name):
                self.play(name)
        whole, signed = self.check(), self.disk.checkpoints
        assert not signed or signed[-1] == (self.settings.log / "checkpoint").read_bytes()
        return whole

    def check_rows(self, records: Iterable[Record]) -> None:
        """Check that the database agrees with the log about every round and table, and nothing is queued."""
        rounds: dict[tuple[str, int], tuple[str, str | None]] = {}
        for record in records:
            if isinstance(record, LockRecord):
                rounds[record.table, record.round] = ("locked", None)
            elif isinstance(record, RevealRecord):
                rounds[record.table, record.round] = (record.status, json.dumps(record.seeds, separators=(",", ":")))
        with self.service.database.read() as connection:
            rows = _ALL_ROUNDS.all(connection)
            waiting = sql.WAITING.all(connection, after_id=0, limit=1)
            appended = {row.table: row.state for row in sql.ALL_APPENDED.all(connection)}
            queued = {row.name: row.queued_state for row in sql.ALL_TABLES.all(connection)}
        assert {
            (row.table, row.round): (row.status, row.seeds) for row in rows if row.status is not RoundStatus.OPEN
        } == rounds
        assert not waiting
        assert appended == queued

    def tamper(self, statement: str, *values: object) -> int:
        """Change the database behind the service's back, even against its constraints; returns the number of rows."""
        return databases.tamper(self.settings, statement, *values)

    def query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Read the database behind the service's back."""
        return databases.query(self.settings, statement, *values)

    def status(self, table: str, number: int) -> str | None:
        """The status of a round; `None` if nothing has happened to it."""
        with self.service.database.read() as connection:
            found = sql.ONE_ROUND.find(connection, table=table, round=number)
        return None if found is None else found.status

    def _reason(self, table: str, number: int) -> str:
        with self.service.database.read() as connection:
            return str(sql.ONE_ROUND.one(connection, table=table, round=number).reason)


def bets_of(table: str, number: int) -> Bets:
    """The digest of a round's bets, the same at every call."""
    return Bets(count=number, root=sha256(f"the bets of {table} round {number}".encode()).hex())
