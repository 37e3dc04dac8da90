"""What a log costs as it grows: a model with every assumption by name, whose tables stand in ``docs/scale.md``.

``python -m benchmarks.scale`` prints the tables. Nothing is measured here: each constant says where its value comes
from, and `tests/benchmarks/test_scale.py` measures the sizes again.
"""

from __future__ import annotations

from dataclasses import dataclass

# Sizes in bytes, of logs of `benchmarks.made_log`: six games, batches of 1,000 rounds, no digest of bets, no salt.
RECORDS_PER_ROUND = 2
"""A lock and a reveal (SPEC 4); a batch adds one record for a thousand rounds."""
BUNDLE_BYTES = 349
"""Bytes of bundles for a round: both records with their lengths."""
TILE_BYTES = 64.3
"""Bytes of tiles for a round: two leaf hashes, and their share of the levels above."""
COMMITMENT_BYTES = 32
"""Bytes of commitments for a round and a custodian (SPEC 5.3)."""
AID_BYTES = 32
"""Bytes of finding aids for a round (SPEC 5.4)."""
DATABASE_BYTES = 295
"""Bytes for a round in SQLite, with the indexes, after a rebuild. Not measured on PostgreSQL, whose rows have longer
headers.
"""
RECORDS_PER_FILE = 256
ROUNDS_PER_AID = 256

# Rates.
TURNS_A_SECOND = 8
"""Assumed, of a sequencer that publishes to a store that answers in 40 ms: three waits, one after the other, in each
turn.
"""
CALLS_PER_ROUND = 3
"""Open, lock, reveal."""
PARTIAL_FILES_A_TURN = 3
"""Partial files that a turn writes: of two levels of tiles, and of the bundles."""

# Prices in dollars: the list of Amazon S3, Standard, us-east-1, first tier. Look at yours.
STORE_GIGABYTE_MONTH = 0.023
PUT_THOUSAND = 0.005
GET_THOUSAND = 0.0004
EGRESS_GIGABYTE = 0.09
DISK_GIGABYTE_MONTH = 0.08
"""Block storage of the same seller (gp3), for the database."""

GIGABYTE = 10**9
DAY = 86_400
MONTH = 30 * DAY


@dataclass(frozen=True, slots=True)
class Load:
    """How much is played."""

    rounds_a_second: float
    tables: int

    @property
    def records_a_second(self) -> float:
        """What the sequencer appends."""
        return self.rounds_a_second * RECORDS_PER_ROUND

    @property
    def puts_a_second(self) -> float:
        """Objects that are written into a bucket: of each turn, the checkpoint, partial files and the tables' finding
        aids.
        """
        # There is a turn only for something to append.
        turns = min(TURNS_A_SECOND, self.records_a_second)
        full = self.records_a_second * 2 / RECORDS_PER_FILE
        # Of each turn, those tables that played: a round is noted at its lock and at its reveal.
        aids = min(self.tables * turns, self.records_a_second)
        return turns * (1 + PARTIAL_FILES_A_TURN) + full + aids


@dataclass(frozen=True, slots=True)
class Size:
    """What a number of rounds leaves behind."""

    rounds: float
    custodians: int = 1

    @property
    def log_bytes(self) -> float:
        """The static files."""
        return self.rounds * (BUNDLE_BYTES + TILE_BYTES + COMMITMENT_BYTES * self.custodians + AID_BYTES)

    @property
    def database_bytes(self) -> float:
        """The rows of rounds."""
        return self.rounds * DATABASE_BYTES

    @property
    def files(self) -> float:
        """Tiles, bundles, finding aids, and a file of commitments for a thousand rounds."""
        return self.rounds * (2 * RECORDS_PER_ROUND / RECORDS_PER_FILE + 1 / ROUNDS_PER_AID + 1 / 1000)


def sizes() -> str:
    """What is stored, by the number of records."""
    lines = [
        "| records | rounds | files | log | database | store, a month | disk, a month |",
        "|---|---|---|---|---|---|---|",
    ]
    for records in (10**6, 10**8, 10**9):
        size = Size(records / RECORDS_PER_ROUND)
        store = size.log_bytes / GIGABYTE * STORE_GIGABYTE_MONTH
        disk = size.database_bytes / GIGABYTE * DISK_GIGABYTE_MONTH
        lines.append(
            f"| {records:,} | {size.rounds:,.0f} | {size.files:,.0f} | {_gigabytes(size.log_bytes)}"
            f" | {_gigabytes(size.database_bytes)} | ${store:,.2f} | ${disk:,.2f} |"
        )
    return "\n".join(lines)


def rates() -> str:
    """What a month of play costs, by its rate."""
    lines = [
        "| rounds a second | tables | engines' calls a second | records a day | log, a day | PUTs a second | PUTs, a month |",
        "|---|---|---|---|---|---|---|",
    ]
    for rounds, tables in ((1, 6), (100, 64), (1000, 64), (1000, 1000)):
        load = Load(rounds, tables)
        lines.append(
            f"| {rounds:,} | {tables:,} | {rounds * CALLS_PER_ROUND:,} | {load.records_a_second * DAY:,.0f}"
            f" | {_gigabytes(Size(rounds * DAY).log_bytes)} | {load.puts_a_second:,.0f}"
            f" | ${load.puts_a_second * MONTH / 1000 * PUT_THOUSAND:,.0f} |"
        )
    return "\n".join(lines)


def audits() -> str:
    """What one reader takes who fetches all of a log."""
    lines = ["| records | fetched | requests | GETs | egress without a CDN |", "|---|---|---|---|---|"]
    for records in (10**6, 10**8, 10**9):
        size = Size(records / RECORDS_PER_ROUND)
        # An audit replays the records, and needs no hints.
        fetched = size.log_bytes - size.rounds * AID_BYTES
        requests = size.files - size.rounds / ROUNDS_PER_AID
        lines.append(
            f"| {records:,} | {_gigabytes(fetched)} | {requests:,.0f} | ${requests / 1000 * GET_THOUSAND:,.2f}"
            f" | ${fetched / GIGABYTE * EGRESS_GIGABYTE:,.2f} |"
        )
    return "\n".join(lines)


def _gigabytes(count: float) -> str:
    return f"{count / GIGABYTE:,.1f} GB"


TABLES = (sizes, rates, audits)

if __name__ == "__main__":
    print("\n\n".join(table() for table in TABLES))
