"""What an operator looks at: how every table stands, whether the background program works, what is wrong.

Nothing here shows an outcome or a seed: a round that is not over has only a number and a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from api.log.publication import Publication
from api.operations.drift import CountNow
from api.operations.health import FRESH_SECONDS, PARTS, Health, seconds_since
from api.operations.monitor import drifts_now
from api.operations.pace import Pace, pace_of
from api.rounds.status import TableStatus, fixed_through, past_due, table_status
from api.rounds.tables import are_stopped
from api.settings import Settings
from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.store.models import RoundRow, RoundStatus, TableRow
from api.witnesses.reports import ALARM_AFTER, WitnessNow, read_witnesses
from api.world.clock import Clock
from api.world.cooperation import yielding
from api.world.statuses import read_status, trouble_in
from api.world.timekeeper import ClockJumped, Timekeeper
from fairness.records.table_state import TableState

OVERDUE = timedelta(seconds=10)
"""How long a round may still be locked after the keeper should have ended it; after that, something prevents the
reveal.
"""
LONG_QUEUE = 1000
MONITOR_STALLS = 60.0
"""Seconds. The monitor writes its file every five, if nothing is wrong."""
VOIDS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class RoundNow:
    """A round that is open or locked."""

    number: int
    status: RoundStatus
    since: str
    age: timedelta
    """How long since, whether or not the date was changed meanwhile."""
    hangs: bool = False
    """Whether it should have been revealed by now."""


@dataclass(frozen=True, slots=True)
class TableNow:
    """One table as it stands."""

    state: TableState
    condition: str
    """``halted``, ``closed``, ``closing``, ``paused``, ``playing``, or ``starting``: its first rounds are being
    committed, or await their salt.
    """
    halted: str | None
    """Which queue entry was refused, and by which check. Not what was found, which may not belong on a page."""
    timeout: int
    rounds: list[RoundNow]
    pace: Pace
    paused: bool = False
    """Whether it was paused by itself; a halt of all tables leaves that as it is."""
    damaged: bool = False
    """Whether its row cannot be read: the other figures are then from its rounds and batches."""

    @property
    def ahead(self) -> int:
        """How many committed rounds are untouched or open."""
        return self.state.committed_through - self.state.next_round + 1

    @property
    def playable(self) -> int:
        """How many rounds can be played before the next batch, or the next salt: the lead's last ones wait for it."""
        return max(0, fixed_through(self.state) - self.state.next_round + 1 - self.state.lead)

    @property
    def lasts(self) -> timedelta | None:
        """How long the playable rounds last at the present pace; `None` if nobody plays."""
        return self.pace.lasts(self.playable)

    @property
    def runs_dry(self) -> bool:
        """Whether the next round cannot be opened, because the keeper is behind."""
        return self.condition == "playing" and not self.playable


@dataclass(frozen=True, slots=True)
class Background:
    """The background program and the log that it writes. Ages are in seconds; `None`: never."""

    ages: dict[str, float | None]
    waiting: int
    """Queued records without a position."""
    size: int
    checkpoint: float | None
    monitor: float | None
    """The age of the monitor's file."""
    troubles: list[str]
    """What is wrong with its storage, one sentence each."""

    def is_silent(self, part: str) -> bool:
        """Return whether keeper or sequencer has given no sign of life for too long."""
        age = self.ages[part]
        return age is None or age > FRESH_SECONDS


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything at one moment."""

    at: str
    background: Background
    tables: list[TableNow]
    voids: list[RoundRow]
    drifts: dict[str, list[CountNow]]
    """By table, as far as the monitor has looked."""
    failures: Mapping[str, str | None] = field(default_factory=dict)
    """What `Health` says of the software, the source of seeds, and the witnesses; and what keeps batches from their
    salts.
    """
    jump: ClockJumped | None = None
    """What keeps records from being made, if the machine's date has jumped ahead."""
    policy: str | None = None
    """Why the policy's file is not in force, if it is not."""
    witnesses: tuple[WitnessNow, ...] = ()
    """The witnesses of the policy."""
    away: tuple[timedelta, ...] = ()
    """For each of them, since when it is away; 0 for one that is there."""
    stopped: bool = False
    """Whether all tables are halted by an operator."""
    signer: str | None = None
    """Who signed the installed files; `None` if they are compared with nothing."""

    def troubles(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what needs attention: the kind of trouble, and a sentence about it."""
        yield from self._failing("software", "entropy")
        if self.jump is not None:
            yield "clock", {"jump": self.jump}
        for part in PARTS:
            if self.background.is_silent(part):
                yield part, {"age": self.background.ages[part]}
        for sentence in self.background.troubles:
            yield "storage", {"why": sentence}
        yield from self._failing("beacon", "witnesses")
        yield from self._of_witnesses()
        if self.background.waiting >= LONG_QUEUE:
            yield "queue", {"waiting": self.background.waiting}
        if self.background.monitor is not None and self.background.monitor > MONITOR_STALLS:
            yield "monitor", {"age": self.background.monitor}
        for table in self.tables:
            alarmed = [each for each in self.drifts.get(table.state.name, ()) if each.alarm]
            if alarmed:
                worst = max(alarmed, key=lambda each: each.evidence)
                yield "drift", {"table": table.state.name, "count": worst, "others": len(alarmed) - 1}
            yield from _of_table(table)

    def _failing(self, *parts: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for part in parts:
            if (why := self.failures.get(part)) is not None:
                yield part, {"why": why}

    def _of_witnesses(self) -> Iterator[tuple[str, dict[str, Any]]]:
        if self.policy is not None:
            yield "policy", {"why": self.policy}
        for witness, age in zip(self.witnesses, self.away, strict=True):
            if age >= ALARM_AFTER or witness.contradicts:
                yield "witness", {"name": witness.name, "why": witness.why, "age": age}


def _of_table(table: TableNow) -> Iterator[tuple[str, dict[str, Any]]]:
    if table.damaged:
        yield "damaged", {"table": table.state.name}
    elif table.halted is not None:
        yield "halted", {"table": table.state.name, "reason": table.halted}
    for now in table.rounds:
        if now.hangs:
            yield "hangs", {"table": table.state.name, "round": now.number, "age": now.age}
    if table.runs_dry:
        yield "dry", {"table": table.state.name}


@dataclass(frozen=True, slots=True)
class Observer:
    """Looks at one service for its operator."""

    settings: Settings
    database: Database
    publication: Publication
    clock: Clock
    timekeeper: Timekeeper
    health: Health

    def overview(self) -> Overview:
        """Return how things stand now."""
        now = self.clock.now()
        with self.database.read() as connection:
            locked = {row.table: row for row in sql.LOCKED_ROUNDS.all(connection)}
            rows = sql.ALL_TABLES.all(connection)
            tables = [self._table(connection, row, locked.get(row.name), now) for row in yielding(rows)]
            voids = sql.LAST_VOIDS.all(connection, limit=VOIDS_SHOWN)
            waiting, stopped = sql.QUEUE_LENGTH.one(connection), are_stopped(connection)
        drifts = drifts_now(self.settings.drift, rows)
        failures = self.health.failures("software", "entropy", "witnesses")
        # Not what keeps the salter from one turn, which `Health` reports as well.
        failures["beacon"] = trouble_in(self.settings.beacon_trouble, self.timekeeper)
        known = read_witnesses(self.settings.witnesses)
        away = (timedelta(0) if each.since is None else self.timekeeper.age(each.since) for each in known.witnesses)
        return Overview(
            now,
            self._background(waiting),
            tables,
            voids,
            drifts,
            failures,
            self.timekeeper.jump(),
            known.policy,
            known.witnesses,
            tuple(away),
            stopped,
            self.health.integrity.signer,
        )

    def table(self, row: TableRow) -> TableNow:
        """Return how one table stands."""
        with self.database.read() as connection:
            locked = {found.table: found for found in sql.LOCKED_ROUNDS.all(connection)}
            return self._table(connection, row, locked.get(row.name), self.clock.now())

    def _background(self, waiting: int) -> Background:
        settings = self.settings
        statuses = {part: read_status(settings.heartbeat_of(part), self.timekeeper) for part in PARTS}
        ages = {part: None if status is None else status.age for part, status in statuses.items()}
        checkpoint, monitor = (seconds_since(file) for file in (settings.log / "checkpoint", settings.drift))
        troubles = [
            status.trouble for status in statuses.values() if status is not None and status.trouble is not None
        ]
        return Background(ages, waiting, self.publication.size, checkpoint, monitor, troubles)

    def _table(self, connection: Connection, row: TableRow, locked: RoundRow | None, now: str) -> TableNow:
        seen = table_status(connection, row)
        state = seen.state
        rounds = []
        if locked is not None:
            hangs = past_due(self.timekeeper, row, locked) > OVERDUE
            age = self._age(locked, locked.locked_at, now)
            rounds.append(RoundNow(locked.round, locked.status, locked.locked_at, age, hangs))
        following = sql.ONE_ROUND.find(connection, table=state.name, round=state.next_round)
        if following is not None and following.status is RoundStatus.OPEN:
            age = self._age(following, following.opened_at, now)
            rounds.append(RoundNow(following.round, following.status, following.opened_at, age))
        reason = None if seen.halted is None else seen.halted.partition(": expected ")[0]
        pace = pace_of(connection, state, now)
        return TableNow(
            state, _condition(row, seen), reason, row.timeout, rounds, pace, bool(row.paused), seen.damaged
        )

    def _age(self, row: RoundRow, since: str, now: str) -> timedelta:
        if self.timekeeper.knows(row.tick):
            return self.timekeeper.age(row.tick)
        # For a time before the machine's start only the date is known.
        return max(timedelta(0), datetime.fromisoformat(now) - datetime.fromisoformat(since))


def _condition(row: TableRow, seen: TableStatus) -> str:
    state = seen.state
    if seen.halted is not None:
        return "halted"
    if state.closed:
        return "closed"
    if row.closing or state.ended:
        return "closing"
    if row.paused or row.stopped:
        return "paused"
    return "starting" if state.next_round == 1 and fixed_through(state) <= state.lead else "playing"
