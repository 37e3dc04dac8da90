"""The salter: commits the batches of tables with a salt, and salts them with the pulses that they named (SPEC 4.8).

It asks relays, which may take long, so it has a loop of its own beside the keeper's. All that it needs stands in the
tables' states, so it goes on after a restart at any step: a batch that awaits its salt gets it, however late.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from api.beacon.relays import ClockDiffers, NoPulse, Relays
from api.beacon.waits import PulseKnown, Pulses
from api.custody.custodian import SeedsUnavailableError
from api.problems import Problem
from api.rounds.batches import Batches
from api.rounds.change import TableChange, TableWriter
from api.settings import Settings
from api.store import statements as sql
from api.store.contents import DamagedStateError, decode_rules, decode_state
from api.store.models import TableRow
from api.witnesses.gate import Gate
from api.witnesses.presence import Presence
from api.world.clock import Clock
from api.world.statuses import note_damage, write_status
from api.world.storage_failures import STORAGE_FAILURES, in_words
from fairness.beacon.chain import Beacon
from fairness.errors import CheckFailed
from fairness.records.record import SaltRecord
from fairness.records.rules import UNSALTED
from fairness.records.table_state import TableState
from fairness.times import format_time
from games import GAMES

ALARM_AFTER = timedelta(minutes=1)
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=1), timedelta(seconds=30)

_logger = logging.getLogger("foredraw.salter")


@dataclass(slots=True)
class _Trouble:
    """Why a table does not go on. Moments are ticks, which no setting of the date changes."""

    why: str
    since: str
    tried: str
    alarmed: bool = False


class Salter:
    """Keeps every table with a salt committed ahead, and its batches salted."""

    def __init__(
        self,
        settings: Settings,
        writer: TableWriter,
        batches: Batches,
        relays: Relays,
        clock: Clock,
        gate: Gate,
        presence: Presence,
    ) -> None:
        self._settings, self._writer, self._batches = settings, writer, batches
        self._relays, self._clock, self._gate, self._presence = relays, clock, gate, presence
        self._troubles: dict[str, _Trouble] = {}
        """By table, for as long as something is due that cannot be done."""
        self._pauses: dict[str, tuple[str, timedelta]] = {}
        """By salt, or by `_own`: when something failed last, and how long nothing is asked after that."""
        self._said: dict[str, str] = {}
        self._failed: set[str] = set()
        """The tables about which this turn said something."""

    def turn(self) -> None:
        """Do what is due. What it raises, ends the salter."""
        if self._writer.timekeeper.jump() is not None:
            # The keeper reports it. No record can be given its time.
            return
        with self._writer.database.read() as connection:
            rows = [row for row in sql.ALL_TABLES.all(connection) if row.halted is None]
        due, self._failed = [], set()
        for row in rows:
            with self._passing_over(row.name):
                state = decode_state(row.queued_state)
                if self._is_due(row, state):
                    due.append((row, state))
        self._troubles = {row.name: self._troubles[row.name] for row, _ in due if row.name in self._troubles}
        # A table whose pulse nobody has keeps no other one from being tried.
        for row, state in sorted(due, key=self._last_tried):
            if not (self._is_pausing(state.salt) or self._is_pausing(_own(row.name))):
                with self._passing_over(row.name):
                    self._tend(row, state)
        silent = self._failed | {row.name for row in rows if self._is_pausing(_own(row.name))}
        self._said = {table: said for table, said in self._said.items() if table in silent}
        self._alarm()

    @contextmanager
    def _passing_over(self, table: str) -> Iterator[None]:
        """Log a table that cannot go on, so that the others do not wait for it."""
        try:
            yield
        except (Problem, SeedsUnavailableError, CheckFailed, DamagedStateError) as error:
            self._say_once(table, str(error))
        except STORAGE_FAILURES as error:
            note_damage(error, self._settings, self._writer.timekeeper)
            self._say_once(table, in_words(error, self._settings))

    def _is_due(self, row: TableRow, state: TableState) -> bool:
        """Return whether a table with a salt needs a batch, or a pulse whose time has come."""
        if state.salt == UNSALTED or state.closed:
            return False
        beacon = self._writer.beacons.get(state.salt)
        return self._needs_batch(row, state) or any(
            beacon is None or self._pulsed(beacon, number) for _, number in _awaiting(state)
        )

    def _needs_batch(self, row: TableRow, state: TableState) -> bool:
        """Return whether the next batch can be committed now. One that no witness sees before its pulse could never
        be played.
        """
        is_due = not row.closing and self._batches.is_due(state)
        return is_due and self._gate.trouble() is None and self._presence.is_confirmed()

    def _tend(self, row: TableRow, state: TableState) -> None:
        """Salt and commit what is due of one table, or note why that cannot be done."""
        beacon, timekeeper = self._writer.beacons.get(state.salt), self._writer.timekeeper
        try:
            if beacon is None:
                raise NoPulse("the service does not know this beacon: FOREDRAW_BEACON has its six words")
            self._salt(state, beacon)
            if self._needs_batch(row, state):
                self._commit(row, state, beacon)
        except (NoPulse, ClockDiffers, PulseKnown) as error:
            now, why = self._pause(state.salt), f"beacon {state.salt}: {error}"
            if row.name not in self._troubles:
                self._troubles[row.name] = _Trouble(why, now, now)
                _logger.warning("table %s: %s", row.name, why)
            known = self._troubles[row.name]
            known.why, known.tried = why, now
            return
        except Exception:
            # No relay's fault, but this table would ask them again at each turn.
            self._pause(_own(row.name))
            self._troubles.pop(row.name, None)
            raise
        for key in (state.salt, _own(row.name)):
            self._pauses.pop(key, None)
        if (over := self._troubles.pop(row.name, None)) is not None:
            _logger.warning("table %s: goes on, after %s", row.name, timekeeper.age(over.since))

    def _salt(self, state: TableState, beacon: Beacon) -> None:
        """Salt the batches whose pulses are due."""
        for batch, beacon_round in _awaiting(state):
            pulsed = self._pulsed(beacon, beacon_round)
            if pulsed is not None:
                signature = self._relays.pulse(beacon, beacon_round)
                queue = partial(_queue, number=batch, pulsed=pulsed, signature=signature)
                self._writer.change(state.name, 0, queue)

    def _pulsed(self, beacon: Beacon, number: int) -> str | None:
        """Return the time of a pulse, if it has come."""
        pulsed = format_time(datetime.fromtimestamp(beacon.time_of(number), UTC))
        return pulsed if self._writer.timekeeper.stamp() >= pulsed else None

    def _commit(self, row: TableRow, state: TableState, beacon: Beacon) -> None:
        newest = self._relays.check_clock(beacon, self._clock.moment)
        rules = decode_rules(GAMES.of(state), row.rules)
        self._batches.commit(state, rules, Pulses(beacon, newest))

    def _pause(self, key: str) -> str:
        """Make the pause longer that begins now; returns when that is."""
        now = self._writer.timekeeper.tick()
        _, pause = self._pauses.get(key, ("", FIRST_PAUSE / 2))
        self._pauses[key] = now, min(2 * pause, LONGEST_PAUSE)
        return now

    def _is_pausing(self, key: str) -> bool:
        """Return whether the relays of a beacon, or a table by itself, failed a moment ago."""
        tried, pause = self._pauses.get(key, ("", timedelta(0)))
        return bool(tried) and self._writer.timekeeper.age(tried) < pause

    def _last_tried(self, due: tuple[TableRow, TableState]) -> str:
        trouble = self._troubles.get(due[0].name)
        return "" if trouble is None else trouble.tried

    def _alarm(self) -> None:
        """Report what has gone on for a minute, once in the messages, and in a status as long as it lasts."""
        timekeeper, status = self._writer.timekeeper, self._settings.beacon_trouble
        lasting = {name: each for name, each in self._troubles.items() if timekeeper.age(each.since) >= ALARM_AFTER}
        with suppress(OSError):
            if lasting:
                (name, first), others = next(iter(lasting.items())), len(lasting) - 1
                more = f", and so for {others} more" if others else ""
                write_status(status, timekeeper, f"no salts for table {name}{more}: {first.why}")
            else:
                status.unlink(missing_ok=True)
        for name, each in lasting.items():
            if not each.alarmed:
                each.alarmed = True
                _logger.critical("table %s: gets no salts and no batches for a minute: %s", name, each.why)

    def _say_once(self, table: str, problem: str) -> None:
        self._failed.add(table)
        if self._said.get(table) != problem:
            self._said[table] = problem
            _logger.error("table %s: %s", table, problem)


def _own(table: str) -> str:
    """Return the key of a table's own pause, which is no name of a beacon."""
    return f"table {table}"


def _awaiting(state: TableState) -> list[tuple[int, int]]:
    """Return the batches that await their salts, by number, each with the round of the beacon that it named."""
    return [(batch.number, batch.awaits) for batch in state.batches if batch.awaits is not None]


def _queue(change: TableChange, number: int, pulsed: str, signature: bytes) -> None:
    """Queue the salt of a batch, dated with its pulse's time or later, unless the batch has it by now."""
    if all(batch.number != number or batch.awaits is None for batch in change.state.batches):
        return
    table, pulse = change.state.name, signature.hex()
    change.queue(SaltRecord(batch=number, salted=change.now(pulsed), signature=pulse, table=table))
    sql.SET_SALTED.run(change.connection, where_table=table, where_batch=number, new_signature=pulse)
