"""Replay: the state machine that decides whether a record may follow the log's records before it (SPEC 4.3 to 4.7).

The service appends nothing that it refuses, and the verifier's audit *is* replay over the public log. A table is
made, a batch of three rounds is committed, and the first one is played:

>>> from fairness.draws.commitments import commitments, commitments_root
>>> from fairness.draws.seed_chain import seeds_and_anchor
>>> from fairness.records.record import encode_record
>>> from games import GAMES
>>> replay = Replay("fore.example/log", GAMES)
>>> def append(record):
...     replay.advance(encode_record(record))

>>> append(TableRecord(table="keno-1", game="keno-express", lead=2, salt="none", custodians=["house"],
...                    log="fore.example/log", created="2026-11-20T22:49:00.000Z"))
>>> table = replay.tables["keno-1"]

>>> seeds, anchor = seeds_and_anchor(bytes(32), table_id=table.table_id, first=1, count=3)
>>> root = commitments_root(commitments(seeds, table_id=table.table_id, first=1))
>>> batch = BatchRecord(table="keno-1", batch=1, first=1, count=3, previous=table.table_id.hex(),
...                     rules={"version": 1}, anchors=[anchor.hex()], commitments=[root.hex()],
...                     committed="2026-11-20T22:49:01.000Z")
>>> lock = LockRecord(table="keno-1", round=1, opened="2026-11-20T22:49:02.000Z", locked="2026-11-20T22:49:03.000Z")

A round is played only after the next two are fixed, so the lock before the batch is refused, and nothing has
happened:

>>> append(lock)
Traceback (most recent call last):
fairness.errors.CheckFailed: lead-committed: expected rounds up to 3 committed, found up to 0
>>> append(batch)
>>> append(lock)
>>> table.locked
LockedRound(number=1, given_up=False, opened=True, since='2026-11-20T22:49:03.000Z')

The seed decides the outcome, so no other is accepted:

>>> def reveal(number):
...     return RevealRecord(table="keno-1", round=1, seeds=[seeds[0].hex()], status="played",
...                         outcome={"number": number}, revealed="2026-11-20T22:49:04.000Z")
>>> append(reveal(1))
Traceback (most recent call last):
fairness.errors.CheckFailed: outcome: expected {'number': 48}, found {'number': 1}
>>> append(reveal(48))
>>> table.counts.played
1

Below, `Replay.advance` decides what holds for every record; then follows one function per type of record, with the
rules in the order of the table in SPEC 4.3. Each checks everything before it changes anything: after an error the
state is what it was. The rules that need one record alone are in `rules`, those about seeds in `reveals`, and an
audit's faster `advance` in `runs`. No table's records touch another table's state, so tables can be replayed side by
side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from fairness.beacon.chain import ONLY_QUICKNET, Beacons
from fairness.beacon.pulse import salt_of
from fairness.checks import Check
from fairness.draws.game import Games, is_known, newer_rules
from fairness.draws.stream import context
from fairness.errors import CheckFailed, Malformed, Unknown
from fairness.hashing import U48_LIMIT, leaf_hash, parse_hex
from fairness.records.record import (
    Aside,
    BatchRecord,
    CloseRecord,
    EndRecord,
    LockRecord,
    NewerRecord,
    Record,
    RevealRecord,
    SaltRecord,
    TableRecord,
    aside_of,
    newer_record,
    parse_record,
)
from fairness.records.reveals import check_reveals, check_unused
from fairness.records.rules import (
    UNSALTED,
    check_beacon,
    check_custodians,
    check_digest,
    check_ending,
    check_follows,
    check_opened,
    check_pending,
    check_rules,
    check_salt,
    check_seed_count,
    check_table,
    check_time,
    require,
)
from fairness.records.table_state import LockedRound, PendingBatch, TableState
from fairness.times import EARLIEST_TIME


@dataclass(frozen=True, slots=True)
class Known:
    """What replay knows besides the records."""

    games: Games
    beacons: Beacons


class Replay:
    """The tables of a log, as its records so far have made them."""

    def __init__(
        self,
        origin: str,
        games: Games,
        tables: dict[str, TableState] | None = None,
        beacons: Beacons = ONLY_QUICKNET,
    ) -> None:
        """Start from an empty log, or from the ``tables`` that an earlier replay arrived at.

        What depends on a beacon that is not among the ``beacons`` is not checked: `TableState.unverified`.
        """
        self.origin = origin
        self.tables: dict[str, TableState] = {} if tables is None else tables
        self.known = Known(games, beacons)

    def advance(self, data: bytes) -> Record:
        """Apply the next record, or raise `CheckFailed` and stay as before; likewise `Unknown` for one that is newer,
        or an aside.
        """
        record = read_record(data)
        if isinstance(record, NewerRecord | Aside):
            self._check_version(record)
            raise Unknown([str(record)])
        self.apply(record, data)
        return record

    def apply(self, record: Record | NewerRecord | Aside, data: bytes) -> None:
        """Apply a record that was read from ``data`` already.

        A table whose first record is of a later version is newer than this program: nothing about it is judged but
        the form of its records, and that all of them are of later versions.
        """
        if isinstance(record, Aside):
            return
        table = self._check_version(record)
        if isinstance(record, NewerRecord):
            self.tables.setdefault(record.table, _newer(record, data))
        elif isinstance(record, TableRecord):
            require(table is None, Check.TABLE_NEW, "a new name", record.table)
            self.tables[record.table] = _table(record, data, self.origin, self.known.games)
        else:
            apply_to(table, record, data, self.known)

    def _check_version(self, record: Record | NewerRecord | Aside) -> TableState | None:
        """Check that a record is of a later version exactly if its table is; returns the table, if there is one."""
        table = self.tables.get(record.table)
        if table is None or isinstance(record, Aside) or bool(table.newer) is isinstance(record, NewerRecord):
            return table
        expected = f"a record of {table.newer or 'version 1, as the table is'}"
        raise CheckFailed(Check.RECORD_FORM, expected=expected, found=f"one of version {record.v}")


def read_record(data: bytes, index: int | None = None) -> Record | NewerRecord | Aside:
    """Return the record in its one spelling, or `CheckFailed`."""
    try:
        return parse_record(data)
    except Unknown:
        other = newer_record(data) or aside_of(data)
        if other is None:
            raise
        return other
    except Malformed as error:
        raise CheckFailed(Check.RECORD_FORM, expected=error.expected, found=error.found, index=index) from error


def apply_to(table: TableState | None, record: Record, data: bytes, known: Known) -> None:
    """Apply a record to its table, or raise `CheckFailed` and leave it as it was."""
    taking = check_takes(table, record)
    _APPLY[type(record)](taking, record, data, known)


def check_takes(table: TableState | None, record: Record) -> TableState:
    """Check that there is such a table, and that it takes records of this type; returns the table."""
    if table is None:
        raise CheckFailed(Check.TABLE_KNOWN, expected="a table of this log", found=record.table)
    if table.ended:
        _check_after_end(table, record)
    return table


def _check_after_end(table: TableState, record: Record) -> None:
    if table.closed:
        raise CheckFailed(Check.AFTER_CLOSE, expected="nothing", found=f"a {record.type}")
    if not isinstance(record, SaltRecord | CloseRecord):
        raise CheckFailed(Check.AFTER_END, expected="a salt or a close", found=f"a {record.type}")


def _newer(record: NewerRecord, data: bytes) -> TableState:
    """Return a table of which only the name is known. No time is before this one."""
    unknown, time = leaf_hash(data), EARLIEST_TIME
    return TableState(record.table, unknown, "", 0, [], time, time, unknown, newer=str(record))


def _table(record: TableRecord, data: bytes, origin: str, games: Games) -> TableState:
    game = check_table(record, origin, games)
    table_id = leaf_hash(data)
    return TableState(
        name=record.table,
        table_id=table_id,
        game=record.game,
        lead=record.lead,
        custodians=record.custodians,
        created=record.created,
        latest=record.created,
        last_batch_id=table_id,
        salt=record.salt,
        bets_required=record.bets is not UNSET,
        declaration_text=record.declaration_text,
        unknown=list(game.unknown),
        paytable="" if record.paytable is UNSET else record.paytable,
    )


def _batch(table: TableState, record: BatchRecord, data: bytes, known: Known) -> None:
    check_time(record.committed, table.latest)
    check_follows(record, number=table.last_batch, through=table.committed_through, previous_id=table.last_batch_id)
    last = record.first + record.count - 1
    require(last < U48_LIMIT, Check.BATCH_LAST, f"below {U48_LIMIT}", last)
    check_custodians(record, len(table.custodians))
    require(len(set(record.anchors)) == len(record.anchors), Check.BATCH_ANCHORS, "different anchors", record.anchors)
    check_pending(len(table.batches) + 1)
    check_beacon(record, table.salt, known.beacons)
    game = known.games.of(table)
    check_rules(record, game)

    batch_id, salted = leaf_hash(data), table.salt != UNSALTED
    table.batches.append(
        PendingBatch(
            number=record.batch,
            batch_id=batch_id,
            first=record.first,
            count=record.count,
            anchors=[parse_hex(anchor) for anchor in record.anchors],
            roots=[parse_hex(root) for root in record.commitments],
            rules=record.rules,
            context=b"" if salted else context(batch_id),
            fixed=record.committed,
            locks_before=table.engine_locks,
            awaits=None if record.beacon is UNSET else record.beacon,
        )
    )
    table.unverified |= salted and table.salt not in known.beacons
    if not is_known(game, record.rules) and not game.unknown:
        newer = newer_rules(table.game, record.rules)
        table.unknown += [] if newer in table.unknown else [newer]
    table.last_batch, table.last_batch_id, table.committed_through = record.batch, batch_id, last
    table.latest = record.committed


def _salt(table: TableState, record: SaltRecord, _data: bytes, known: Known) -> None:
    awaiting = {batch.number: (batch, batch.awaits) for batch in table.batches if batch.awaits is not None}
    if record.batch not in awaiting:
        expected = f"a salt for one of the batches that await one: {sorted(awaiting) or 'none'}"
        raise CheckFailed(Check.SALT_AWAITED, expected=expected, found=f"a salt for batch {record.batch}")
    check_time(record.salted, table.latest)
    batch, number = awaiting[record.batch]
    check_salt(record, number, table.salt, known.beacons)

    batch.context = context(batch.batch_id, salt_of(bytes.fromhex(record.signature)))
    batch.awaits, batch.fixed, batch.locks_before = None, record.salted, table.engine_locks
    table.unverified |= table.salt not in known.beacons
    table.latest = record.salted


def apply_lock(table: TableState, record: LockRecord, _data: bytes, _known: Known) -> None:
    """Apply a lock to a table that takes one, or raise `CheckFailed` and leave it as it was."""
    number = record.round
    if table.locked is not None:
        raise CheckFailed(
            Check.LOCK_AFTER_REVEAL, expected=f"the reveal of round {table.locked.number}", found=f"lock of {number}"
        )
    if number != table.next_round:
        raise CheckFailed(Check.LOCK_NEXT, expected=f"round {table.next_round}", found=f"round {number}")
    if record.locked < table.latest:  # Also compared here, because an audit calls this for each round.
        check_time(record.locked, table.latest)
    fixed = check_lead(table, number)
    check_opened(record, fixed, table.created)
    if table.bets_required:
        check_digest(record)

    given_up = record.given_up
    if not given_up:
        _count_locked(table, record)
    table.locked = LockedRound(number, given_up, record.opened is not UNSET, record.locked)
    table.next_round = number + 1
    table.latest = record.locked


def check_lead(table: TableState, round_number: int) -> str:
    """Check the lead rule (SPEC 4.4): raise unless the rounds up to ``round_number`` + lead are committed, and
    salted.

    ``round_number`` is the next round that ends. Returns the latest time of the records that fixed these rounds; a
    round is not opened before it.
    """
    needed = round_number + table.lead
    if table.committed_through < needed:
        raise CheckFailed(
            Check.LEAD_COMMITTED,
            expected=f"rounds up to {needed} committed",
            found=f"up to {table.committed_through}",
        )
    latest = ""
    for batch in table.batches:
        if batch.first > needed:
            break
        if batch.awaits is not None:
            found = f"batch {batch.number}, which awaits its salt"
            raise CheckFailed(Check.LEAD_COMMITTED, expected=f"rounds up to {needed} salted", found=found)
        latest = max(latest, batch.fixed)
    return latest


def _count_locked(table: TableState, record: LockRecord) -> None:
    if record.round > table.lead:
        distance = table.engine_locks - table.batches[0].locks_before
        if table.smallest_distance is None or distance < table.smallest_distance:
            table.smallest_distance = distance
    table.engine_locks += 1
    if record.bets is not UNSET and record.bets.count:
        return
    if record.bets is UNSET:
        table.counts.without_digest += 1
    else:
        table.counts.without_bets += 1


def _reveal(table: TableState, record: RevealRecord, _data: bytes, known: Known) -> None:
    locked = check_reveal(table, record)
    check_reveals(table, [record], known.games.of(table))
    end_round(table, record, locked)


def check_reveal(table: TableState, record: RevealRecord) -> LockedRound:
    """Check all rules about a reveal but those about its seeds and its outcome; returns the round that it ends."""
    locked, number = table.locked, record.round
    if locked is None or locked.number != number:
        expected = "no reveal" if locked is None else f"round {locked.number}"
        raise CheckFailed(Check.REVEAL_LOCKED, expected=expected, found=f"round {number}")
    if record.revealed < table.latest:
        check_time(record.revealed, table.latest)
    check_ending(record, given_up=locked.given_up)
    check_seed_count(record.seeds, len(table.custodians))
    return locked


def end_round(table: TableState, record: RevealRecord, locked: LockedRound) -> None:
    """End the ``locked`` round of a table."""
    counts = table.counts
    if record.status == "played":
        counts.played += 1
    elif not locked.given_up:
        counts.void_locked += 1
    elif locked.opened:
        counts.void_opened += 1
    else:
        counts.void_never_opened += 1
    table.locked = None
    table.latest = record.revealed


def _end(table: TableState, record: EndRecord, _data: bytes, _known: Known) -> None:
    if table.locked is not None:
        expected = f"the reveal of round {table.locked.number}"
        raise CheckFailed(Check.END_LOCKED, expected=expected, found="an end")
    check_time(record.ended, table.latest)

    table.ended = True
    table.latest = table.ended_at = record.ended


def _close(table: TableState, record: CloseRecord, _data: bytes, _known: Known) -> None:
    require(table.ended, Check.CLOSE_ENDED, "an end before it", "a close")
    check_time(record.closed, table.latest)
    expected, found = [batch.number for batch in table.batches], [entry.batch for entry in record.seeds]
    require(found == expected, Check.CLOSE_BATCHES, expected, found)
    unused = [
        check_unused(table, batch, [bytes.fromhex(seed) for seed in entry.seeds])
        for batch, entry in zip(table.batches, record.seeds, strict=True)
    ]

    table.counts.unused = sum(unused)
    table.batches.clear()
    table.previous_seeds, table.peaks = [], []
    table.closed = True
    table.latest = record.closed


_APPLY: dict[type[Record], Callable[[TableState, Any, bytes, Known], None]] = {
    BatchRecord: _batch,
    SaltRecord: _salt,
    LockRecord: apply_lock,
    RevealRecord: _reveal,
    EndRecord: _end,
    CloseRecord: _close,
}
