"""What must hold of the records of one round, found one by one instead of replayed (SPEC 8.2 and 8.6).

Rules that replay has, too, stand in `fairness.records.rules`. Each function raises `CheckFailed`, naming the rule and
the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import UNSET

from fairness.beacon.chain import Beacons, time_of_pulse
from fairness.beacon.pulse import salt_of
from fairness.checks import Check
from fairness.draws.game import Game, Games
from fairness.draws.seed_chain import unroll
from fairness.draws.stream import NO_SALT, context
from fairness.errors import CheckFailed
from fairness.policy.custody import Chain, Released, check_custody
from fairness.policy.policy import Policy
from fairness.policy.witnessed import Witnessed, check_witnessed
from fairness.records import rules
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, SaltRecord, TableRecord
from fairness.round.authentic_log import Placed

Fixing = Placed[BatchRecord] | Placed[SaltRecord]
"""The record that fixed a round: its batch; the salt of its batch if the table has one (SPEC 4.4)."""
Dated = Fixing | Placed[LockRecord] | Placed[RevealRecord]


@contextmanager
def _at(index: int) -> Iterator[None]:
    """Place an error: a rule that is broken here is broken by the record at ``index``."""
    try:
        yield
    except CheckFailed as failure:
        raise failure.at(index=index) from failure


def check_table_of(table: Placed[TableRecord], origin: str, games: Games) -> None:
    """Check that the table is one of the log ``origin``, by its own record."""
    with _at(table.index):
        rules.check_table(table.record, origin, games)


def lead_round(table: TableRecord, number: int) -> int:
    """Return the round whose lock, after the batch of round ``number``, shows that this one was fixed far enough
    ahead.
    """
    return max(1, number - table.lead)


def check_round_of(table: Placed[TableRecord], number: int, found: Placed[LockRecord] | Placed[RevealRecord]) -> None:
    """Check that a lock or a reveal is that of the round ``number`` of ``table``."""
    record = found.record
    if (record.table, record.round) != (table.record.table, number):
        raise CheckFailed(
            Check.ROUND_RECORDS,
            expected=f"round {number} of {table.record.table}",
            found=f"round {record.round} of {record.table}",
            index=found.index,
        )


def check_lock_of(table: Placed[TableRecord], number: int, lock: Placed[LockRecord]) -> None:
    """Check that a lock is that of the round ``number`` of ``table``, with a digest of the bets if the table requires
    one.
    """
    check_round_of(table, number, lock)
    if table.record.bets is not UNSET:
        with _at(lock.index):
            rules.check_digest(lock.record)


def check_batch_of(table: Placed[TableRecord], number: int, batch: Placed[BatchRecord]) -> None:
    """Check that a batch is of ``table`` and holds the round ``number``, with one seed chain per custodian."""
    record = batch.record
    end = record.first + record.count - 1
    if record.table != table.record.table or not record.first <= number <= end:
        raise CheckFailed(
            Check.ROUND_RECORDS,
            expected=f"the batch of round {number} of {table.record.table}",
            found=f"the batch of rounds {record.first} to {end} of {record.table}",
            index=batch.index,
        )
    with _at(batch.index):
        rules.check_custodians(record, len(table.record.custodians))


def check_beacon_of(table: Placed[TableRecord], batch: Placed[BatchRecord], beacons: Beacons) -> None:
    """Check that a batch names a beacon's pulse in the hour after it, exactly if its table has a salt."""
    with _at(batch.index):
        rules.check_beacon(batch.record, table.record.salt, beacons)


def check_witnessed_of(
    table: Placed[TableRecord], batch: Placed[BatchRecord], data: bytes, policy: Policy
) -> Witnessed:
    """Check that a batch was witnessed before its pulse, as the file of SPEC 5.8 shows. The ``policy`` has a quorum,
    and the batch a beacon.
    """
    number = batch.record.beacon
    if number is UNSET:
        raise ValueError("a batch without a beacon has no witnessed file")
    pulse = time_of_pulse(policy.known_beacons, table.record.salt, number)
    return check_witnessed(data, batch_id=batch.record_id, index=batch.index, pulse=pulse, policy=policy)


def check_custody_of(
    table: Placed[TableRecord],
    batch: Placed[BatchRecord],
    policy: Policy,
    said: Callable[[str], tuple[bytes, bytes | None]],
) -> tuple[Released, ...]:
    """Return what the custodians whose keys the ``policy`` has said of a batch (SPEC 5.9), in the table's order.

    ``said`` is asked for the note of each, and for its policy. Raises `CheckFailed` (`CUSTODY_NOTE`).
    """
    record, keys = batch.record, {each.name: each for each in policy.custodians}
    found = list[Released]()
    for name, anchor, root in zip(table.record.custodians, record.anchors, record.commitments, strict=True):
        if name in keys:
            chain = Chain(table.record_id, record.batch, record.first, record.count, anchor, root)
            found.append(check_custody(*said(name), chain, keys[name], policy.log, batch.index))
    return tuple(found)


def check_salt_of(batch: Placed[BatchRecord], salt: Placed[SaltRecord]) -> None:
    """Check that a salt is that of a ``batch``."""
    record = salt.record
    if (record.table, record.batch) != (batch.record.table, batch.record.batch):
        raise CheckFailed(
            Check.ROUND_RECORDS,
            expected=f"the salt of batch {batch.record.batch} of {batch.record.table}",
            found=f"the salt of batch {record.batch} of {record.table}",
            index=salt.index,
        )


def check_salt_after(batch: Placed[BatchRecord], salt: Placed[SaltRecord]) -> None:
    """Check that the salt of a ``batch`` stands after it."""
    if salt.index <= batch.index:
        expected = f"a salt after its batch, record {batch.index}"
        raise CheckFailed(Check.SALT_AWAITED, expected=expected, found=f"record {salt.index}", index=salt.index)


def check_pulse_of(
    table: Placed[TableRecord], batch: Placed[BatchRecord], salt: Placed[SaltRecord], beacons: Beacons
) -> None:
    """Check that the salt of a ``batch`` is the pulse that it named, wherever it stands. What depends on an unknown
    beacon is left out.
    """
    if batch.record.beacon is not UNSET:
        with _at(salt.index):
            rules.check_salt(salt.record, batch.record.beacon, table.record.salt, beacons)


def check_follows(before: Placed[BatchRecord], batch: Placed[BatchRecord]) -> None:
    """Check that a batch is the one after the batch ``before``."""
    number, through = before.record.batch, before.record.first + before.record.count - 1
    with _at(batch.index):
        rules.check_follows(batch.record, number=number, through=through, previous_id=before.record_id)


def check_pending_of(batches: Sequence[Placed[BatchRecord]]) -> None:
    """Check that the batches of a round and its lead, as far as they are read, are not too many: at the round's lock
    none has ended.
    """
    with _at(batches[-1].index):
        rules.check_pending(len(batches))


def check_times(table: Placed[TableRecord], following: Iterable[Dated]) -> None:
    """Check that the times of a table's record and of some that follow it do not decrease, in the order of the
    log.
    """
    latest = table.record.created
    for placed in sorted(following, key=lambda each: each.index):
        time = time_of(placed)
        with _at(placed.index):
            rules.check_time(time, latest)
        latest = time


def time_of(placed: Dated) -> str:
    """Return a record's own time, by the operator's clock."""
    record = placed.record
    match record:
        case BatchRecord():
            return record.committed
        case SaltRecord():
            return record.salted
        case LockRecord():
            return record.locked
        case _:
            return record.revealed


def check_opened(lock: Placed[LockRecord], fixed: str, created: str | None = None) -> None:
    """Check that a round was not opened after its lock, nor before its table was ``created``, nor before the rounds
    of its lead were ``fixed``.
    """
    with _at(lock.index):
        rules.check_opened(lock.record, fixed, created)


def check_revealed_after(lock: Placed[LockRecord], reveal: Placed[RevealRecord]) -> None:
    """Check that the reveal stands after the lock, and ends the round as the lock allows."""
    if reveal.index <= lock.index:
        expected = f"the reveal after the lock, record {lock.index}"
        raise CheckFailed(Check.REVEAL_LOCKED, expected=expected, found=f"record {reveal.index}", index=reveal.index)
    with _at(reveal.index):
        rules.check_ending(reveal.record, given_up=lock.record.given_up)


def check_seed_count(table: Placed[TableRecord], reveal: Placed[RevealRecord]) -> None:
    """Check that a reveal has one seed for each custodian of ``table``."""
    with _at(reveal.index):
        rules.check_seed_count(reveal.record.seeds, len(table.record.custodians))


def check_chains(table: Placed[TableRecord], batch: Placed[BatchRecord], number: int, seeds: Sequence[bytes]) -> None:
    """Check that the seeds of a round, one per custodian, unroll to the anchors of its batch."""
    for seed, anchor in zip(seeds, batch.record.anchors, strict=True):
        count = number - batch.record.first + 1
        *_, found = unroll(seed, table_id=table.record_id, last=number, count=count)
        if found.hex() != anchor:
            raise CheckFailed(
                Check.SEED_LINK,
                expected=f"a seed that unrolls to the anchor {anchor}",
                found=found.hex(),
                index=batch.index,
            )


def check_outcome(
    batch: Placed[BatchRecord],
    salt: Placed[SaltRecord] | None,
    reveal: Placed[RevealRecord],
    seeds: Sequence[bytes],
    game: Game,
) -> None:
    """Check that the outcome of a reveal is what the rules of its batch make of the seeds, and of the salt if there
    is one.
    """
    with _at(batch.index):
        rules.check_rules(batch.record, game)
    batch_context = context(
        batch.record_id, NO_SALT if salt is None else salt_of(bytes.fromhex(salt.record.signature))
    )
    with _at(reveal.index):
        rules.check_outcome(reveal.record, seeds, batch_context, batch.record.rules, game)
