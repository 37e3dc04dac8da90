"""One worker's partition of an audit: the records of some tables, and the hashes of some bundles.

Tables' states are independent of one another, so every worker reads all bundles in order, replays the records of its
own tables, and checks the hashes of every n-th bundle (of all, if a server may give each worker other bytes).
Together they replay every record and check every hash. What a worker finds does not depend on the others, so the
verdict does not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from msgspec import UNSET, Struct, field

from fairness.beacon.chain import Beacon, known_beacons, time_of_pulse
from fairness.checks import Check
from fairness.draws.game import Games
from fairness.errors import CheckFailed, Unreadable
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import WIDTH, AuthenticTiles, ReadFile, bundle_path, bundles_of, read_bundle, tile_width
from fairness.records.record import aside_of, encode_record, table_and_type, tail_of
from fairness.records.replay import Replay
from fairness.records.runs import RunNotes, advance_run
from fairness.records.table_state import TableState
from verifier.audit.bundle_times import BundleTimes
from verifier.audit.clock import Pulse
from verifier.audit.custody import HeldBatch
from verifier.audit.history import SaltedBatch, TableHistory
from verifier.audit.round_rows import RoundRows, gather
from verifier.failures import Failure, Obstacle
from verifier.sources.read_ahead import paths_of_partition, reading_ahead
from verifier.sources.source import Source

_TELL_EVERY = 32
"""A worker reports its progress after this many bundles."""

_REPLAY_AT = 1 << 18
"""How many bytes of records are read before they are replayed: long runs are faster, but take memory."""

Run = list[tuple[int, bytes]]
"""Some records of one table in their order, each with its index in the log."""

ReportDone = Callable[[int], None]
"""Called with the number of records done."""


class Partition(Struct):
    """The task of one worker: the records from ``start`` to ``end``, as worker ``number`` of ``workers``."""

    origin: str
    size: int
    root: bytes
    start: int
    end: int
    """The checkpoint's size, or the end of a bundle before."""
    number: int
    workers: int
    shares_hashes: bool
    """Whether the workers divide the bundles whose hashes are checked; otherwise each checks all."""
    owners: dict[str, int]
    """Which worker replays which of the tables that are already known."""
    tables: dict[str, TableState]
    histories: dict[str, TableHistory]
    gathers: bool = False
    """Whether to gather the numbers of every round, for statistics."""
    beacons: list[str] = field(default_factory=list)
    """Those that are known besides quicknet, in the spelling of SPEC 4.8."""
    custodians: list[str] = field(default_factory=list)
    """Those whose keys the policy has."""
    brackets: bool = False
    """Whether to note what witnesses and pulses say about the clock: times, salts, and batches that name a pulse."""

    def is_hashed(self, bundle: int) -> bool:
        """Return whether this worker checks the hashes of a bundle."""
        return not self.shares_hashes or bundle % self.workers == self.number


class Stop(Struct, frozen=True):
    """The first bundle whose bytes do not match the checkpoint, or whose files are missing."""

    bundle: int
    found: Failure | Obstacle

    @property
    def is_failure(self) -> bool:
        """Whether its bytes are wrong, and not only missing."""
        return isinstance(self.found, Failure)


class PartResult(Struct, tag="findings"):
    """The result of one worker."""

    tables: dict[str, TableState]
    histories: dict[str, TableHistory]
    refused: Failure | None = None
    """The first record of the worker's tables that replay refused."""
    stop: Stop | None = None
    rounds: dict[str, RoundRows] = field(default_factory=dict)
    """The numbers of every round, if they were requested."""
    salted: list[SaltedBatch] = field(default_factory=list)
    """The batches that name a pulse, if the policy has a quorum."""
    asides: dict[str, int] = field(default_factory=dict)
    """How many asides there were, by their types."""
    held: list[HeldBatch] = field(default_factory=list)
    """The batches of tables that name one of the custodians."""
    pulses: list[Pulse] = field(default_factory=list)
    """The pulses of beacons that are known."""
    times: bytes = b""
    """What `BundleTimes` packed, if the policy has a quorum."""


def run_partition(partition: Partition, source: Source, games: Games, report_done: ReportDone) -> PartResult:
    """Audit one partition. Failures are part of the result, never raised."""
    paths = paths_of_partition(partition.start, partition.end, partition.is_hashed)
    with reading_ahead(source, paths) as read:
        return _PartitionAudit(partition, read, games).run(report_done)


class _PartitionAudit:
    """Audits one `Partition`."""

    def __init__(self, partition: Partition, read: ReadFile, games: Games) -> None:
        self._partition, self._read = partition, read
        beacons = known_beacons(Beacon.parse(text.split(" ")) for text in partition.beacons)
        self._replay = Replay(partition.origin, games, partition.tables, beacons)
        self._result = PartResult(partition.tables, partition.histories)
        self._runs: dict[str, Run] = {}
        """For each table of this worker, the records that were read but not replayed yet."""
        self._run_of: dict[bytes, Run | None] = {}
        """The list for records with this tail; `None` if another worker replays them."""
        self._with_asides = set[str]()
        """The tables that have an aside."""
        self._waiting = 0
        self._times = BundleTimes() if partition.brackets else None

    def run(self, report_done: ReportDone) -> PartResult:
        """Read, check and replay."""
        partition = self._partition
        number = partition.start // WIDTH
        try:
            tiles = AuthenticTiles(Checkpoint(partition.origin, partition.size, partition.root), self._read)
            for number, width in bundles_of(partition.start, partition.end):
                records = read_bundle(self._read, number, width)
                if partition.is_hashed(number):
                    check_hashes(tiles, number, records)
                # Hashes are checked even after a refusal: if they are wrong, the refused record may
                # not be the operator's.
                if self._result.refused is None:
                    self._sort(number * WIDTH, records)
                    if self._waiting >= _REPLAY_AT:
                        self._replay_runs()
                if number % _TELL_EVERY == 0:
                    report_done(min(partition.end, (number + 1) * WIDTH) - partition.start)
            report_done(partition.end - partition.start)
        except CheckFailed as error:
            self._result.stop = Stop(number, Failure.of(error))
        except Unreadable as error:
            self._result.stop = Stop(number, Obstacle(error.path, error.why))
        self._replay_runs()
        for name, history in self._result.histories.items():
            history.forget_revealed(self._replay.tables[name])
        if self._times is not None:
            self._result.times = self._times.packed()
        return self._result

    def _sort(self, base: int, records: list[bytes]) -> None:
        """Add the records of this worker's tables to the waiting ones of each table."""
        run_of = self._run_of
        seen = max(0, self._partition.start - base)
        for index, data in enumerate(records[seen:], base + seen):
            tail = tail_of(data)
            run = run_of[tail] if tail in run_of else self._new_tail(tail)
            if run is not None:
                run.append((index, data))
        self._waiting += sum(map(len, records))

    def _new_tail(self, tail: bytes) -> Run | None:
        """Return the worker of a table: the one whose turn it is when its name first appears; a record without a
        table goes to the first.
        """
        claimed, partition = table_and_type(tail), self._partition
        if claimed is None:
            # Bytes that are no record can end in anything, so this is not stored.
            return self._runs.setdefault("", []) if partition.number == 0 else None
        name, _ = claimed
        if aside_of(tail) is not None:
            self._with_asides.add(name)
        owner = partition.owners.setdefault(name, len(partition.owners) % partition.workers)
        self._run_of[tail] = run = self._runs.setdefault(name, []) if owner == partition.number else None
        return run

    def _replay_runs(self) -> None:
        refused: list[Failure] = []
        for name, run in ((name, run) for name, run in self._runs.items() if run):
            try:
                notes = advance_run(self._replay, name, run)
            except CheckFailed as error:
                refused.append(Failure.of(error))
                run.clear()
                continue
            judged = self._without_asides(run) if name in self._with_asides else run
            if (table := self._replay.tables.get(name)) is not None:
                self._result.histories.setdefault(name, TableHistory()).add(notes)
                # Nobody knows what newer records say: not their times, and no numbers of rounds.
                known = [] if table.newer else judged
                self._note_pulses(table, notes)
                self._note_held(table, notes)
                if self._times is not None:
                    self._times.add(known)
                    self._note_salted(table, notes)
                if table.newer or table.unknown:
                    # Not all of its outcomes were checked, so none of its rounds may be tested.
                    self._result.rounds.pop(name, None)
                elif self._partition.gathers:
                    gather(self._result.rounds, known)
            run.clear()
        self._result.refused = min(refused, key=lambda failure: failure.index or 0, default=self._result.refused)
        self._waiting = 0
        if self._times is not None:
            self._times.end_bundles()

    def _without_asides(self, run: Run) -> Run:
        """Return the records of a table at which rules look; the asides are counted."""
        judged = list[tuple[int, bytes]]()
        for index, data in run:
            if (aside := aside_of(data)) is None:
                judged.append((index, data))
            else:
                self._result.asides[aside.type] = self._result.asides.get(aside.type, 0) + 1
        return judged

    def _note_salted(self, table: TableState, notes: RunNotes) -> None:
        """Note the batches that name a pulse."""
        for index, record in notes.batches:
            if record.beacon is not UNSET:
                batch_id = leaf_hash(encode_record(record))
                batch = SaltedBatch(table.name, record.batch, index, batch_id, table.salt, record.beacon)
                self._result.salted.append(batch)

    def _note_held(self, table: TableState, notes: RunNotes) -> None:
        """Note the batches of which a custodian must have said something."""
        if set(self._partition.custodians).isdisjoint(table.custodians):
            return
        for index, record in notes.batches:
            batch_id = leaf_hash(encode_record(record))
            self._result.held.append(
                HeldBatch(
                    table.table_id,
                    table.custodians,
                    record.batch,
                    record.first,
                    record.count,
                    index,
                    batch_id,
                    record.anchors,
                    record.commitments,
                )
            )

    def _note_pulses(self, table: TableState, notes: RunNotes) -> None:
        """Note the pulses whose time is known."""
        for index, number in notes.salts:
            time = time_of_pulse(self._replay.known.beacons, table.salt, number)
            if time is not None:
                self._result.pulses.append(Pulse(index, time))


def check_hashes(tiles: AuthenticTiles, number: int, records: list[bytes]) -> None:
    """Raise `CheckFailed` unless the records of a bundle have the hashes of its authentic tile."""
    expected = tiles.tile(0, number)
    # Inlined: a call for each of millions of records would take a sixth of the time.
    found = [sha256(b"\0" + record).digest() for record in records]
    if found != expected:
        at = next(i for i, digest in enumerate(found) if digest != expected[i])
        raise CheckFailed(
            Check.BUNDLE,
            expected=expected[at].hex(),
            found=found[at].hex(),
            index=number * WIDTH + at,
            where=bundle_path(number, tile_width(tiles.checkpoint.size, 0, number)),
        )
