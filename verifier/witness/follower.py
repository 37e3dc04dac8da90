"""Replays every record of a log as it grows: what a witness does before it cosigns, and what ``--plain`` leaves out.

The state stays in memory and moves on. A few new records need one file, their bundle: the hashes of the log's right
edge are remembered, so the root that the records give is compared with the one that the log's key signed. Many new
records are replayed as an audit does it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fairness.beacon.chain import time_of_pulse
from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.log.checkpoints import Checkpoint, SignedCheckpoint
from fairness.log.edge import LogEdge
from fairness.log.tiles import WIDTH, AuthenticTiles, bundles_of, read_bundle
from fairness.policy.policy import Policy
from fairness.records.record import table_and_type
from fairness.records.replay import Replay
from fairness.records.runs import Entry, advance_run
from fairness.times import milliseconds
from games import GAMES
from verifier.audit.audit import check_commitments, replay_log
from verifier.audit.history import TableHistory
from verifier.audit.partition import check_hashes
from verifier.audit.remembered import AuditState, Incomplete
from verifier.caveats import unknown_of
from verifier.forks.extension import check_extends
from verifier.sources.source import Source

_MANY = 16 * WIDTH
"""With more new records than this, tiles are read too, so that not all of them have to be held in memory."""


class RecordRefused(Exception):
    """The log's key signed a record that breaks a rule."""

    def __init__(self, failure: CheckFailed) -> None:
        super().__init__(str(failure))
        self.failure = failure


class Follower:
    """The tables of a log as far as it was followed."""

    def __init__(self, source: Source, policy: Policy, state: AuditState | None = None) -> None:
        """Go on from ``state``, or begin with the first record."""
        # The witnesses of the policy cosign, at the earliest, what is followed here.
        self._policy = Policy(policy.log, beacons=policy.beacons)
        self._source = source
        self._published: set[bytes] = set()
        """The ids of the batches whose files of commitments were found correct in this run."""
        self._edge: LogEdge | None = None
        """The log's right edge as far as it was followed; `None` if only its root is known."""
        self._head: SignedCheckpoint | None = None
        self.newest_pulse = 0
        """The latest time of a pulse in the records that were replayed in this run: seconds since 1970."""
        if state is not None and self._can_use(state):
            self._take(state)
        else:
            self._take(AuditState.empty(policy.log))
            self._edge = LogEdge()

    @property
    def size(self) -> int:
        """How many records were replayed."""
        return 0 if self._head is None else self._head.checkpoint.size

    @property
    def state(self) -> AuditState:
        """What another run can go on from."""
        return self._state

    @property
    def newest_time(self) -> int:
        """The latest time of any record by the operator's clock: seconds since 1970; 0 without records."""
        newest = max((table.latest for table in self._state.tables.values()), default="")
        return milliseconds(newest) // 1000 if newest else 0

    @property
    def unknown(self) -> list[str]:
        """What could not be checked, because this program does not know it."""
        return unknown_of(self._state.tables.values(), self._policy)

    def follow(self, head: SignedCheckpoint) -> None:
        """Replay every record of ``head`` that was not replayed yet.

        Raises `RecordRefused`; after that the follower is of no more use. Raises `CheckFailed` if the log's files are
        not what its key signed (for a head that does not extend what was replayed: `NotAnExtension`), and
        `Unreadable`.
        """
        new = head.checkpoint.size - self.size
        if new > 0 and (self._edge is None or new > _MANY):
            self._audit(head)
        elif new > 0 and self._edge is not None:
            self._step(head, self._edge.copy())
        elif self._head is not None and head.checkpoint != self._head.checkpoint:
            check_extends(head, self._head, self._tiles)
        self._check_commitments()

    def _can_use(self, state: AuditState) -> bool:
        # What was replayed without knowing all of it is replayed again: the policy may name a beacon now, and this
        # program be newer.
        return state.key == str(self._policy.log) and not any(table.has_unknown for table in state.tables.values())

    def _take(self, state: AuditState) -> None:
        """Continue from ``state``."""
        self._state = state
        if state.checkpoint:
            self._head = SignedCheckpoint.open(state.checkpoint.encode(), self._policy.log)
        self._replay = Replay(self._policy.log.name, GAMES, state.tables, self._policy.known_beacons)

    def _read_edge(self, checkpoint: Checkpoint) -> LogEdge:
        size, tiles, records = checkpoint.size, self._tiles(checkpoint), list[bytes]()
        number, width = divmod(size, WIDTH)
        if width:
            records = read_bundle(self._source.read, number, width)
            check_hashes(tiles, number, records)
        return LogEdge(size, tiles.prefix_edge(size), records)

    def _tiles(self, checkpoint: Checkpoint) -> AuthenticTiles:
        return AuthenticTiles(checkpoint, self._source.read)

    def _step(self, head: SignedCheckpoint, edge: LogEdge) -> None:
        """Replay a few records. ``edge`` is that of the records before them, and is moved on."""
        entries = list(self._new_records(head.checkpoint.size))
        for _, data in entries:
            edge.append(data)
        if edge.root != head.checkpoint.root:
            self._explain(head, edge.root)
        runs: dict[str, list[Entry]] = {}
        for entry in entries:
            claimed = table_and_type(entry[1])
            runs.setdefault(claimed[0] if claimed else "", []).append(entry)
        self._advance(runs)
        self._edge, self._head = edge, head
        self._state.checkpoint, self._state.part = head.note.decode(), None

    def _advance(self, runs: dict[str, list[Entry]]) -> None:
        refused: list[CheckFailed] = []
        for name, run in runs.items():
            try:
                notes = advance_run(self._replay, name, run)
            except CheckFailed as error:
                refused.append(error)
                continue
            for _, number in notes.salts:
                time = time_of_pulse(self._replay.known.beacons, self._replay.tables[name].salt, number)
                self.newest_pulse = max(self.newest_pulse, time or 0)
        if refused:
            raise RecordRefused(min(refused, key=lambda failure: failure.index or 0))

    def _new_records(self, size: int) -> Iterator[Entry]:
        """Yield the records from the first that was not replayed on; nothing vouches for them yet."""
        for number, width in bundles_of(self.size, size):
            start = number * WIDTH
            seen = max(0, self.size - start)
            yield from enumerate(read_bundle(self._source.read, number, width)[seen:], start + seen)

    def _explain(self, head: SignedCheckpoint, root: bytes) -> None:
        """Raise what is wrong with records that give another root than the signed one."""
        # The signature may be under another history than the one that was replayed; tiles show that. If
        # they do not, whoever serves the files is at fault, and that need not be the operator.
        if self._head is not None:
            check_extends(self._head, head, self._tiles)
        raise CheckFailed(
            Check.BUNDLE,
            expected=f"records that give the root {head.checkpoint.root.hex()}",
            found=root.hex(),
            where=f"the new records of size {head.checkpoint.size}",
        )

    def _audit(self, head: SignedCheckpoint) -> None:
        """Replay many records, or go on from a state of which only the root is known."""
        try:
            report = replay_log(self._source, self._policy, previous=self._state, note=head.note)
        except Incomplete as error:
            self._state = error.state
            raise
        except CheckFailed as error:
            if error.check in {Check.TILE, Check.BUNDLE, Check.LOG_EXTENDS}:
                raise
            raise RecordRefused(error) from error
        self._take(report.state)
        self.newest_pulse = max(self.newest_pulse, report.newest_pulse)
        # The partial files of a log that grows may be gone soon; without them, the next head is audited again.
        self._edge = None
        self._edge = self._read_edge(head.checkpoint)

    def _check_commitments(self) -> None:
        """Check that every batch that is not yet opened has the published commitments of its record."""
        pending = set[bytes]()
        for table in self._state.tables.values():
            batches = {batch.batch_id for batch in table.batches}
            # This is done for every head, and hardly any has a new batch.
            if not batches <= self._published:
                check_commitments(self._source, table, TableHistory(), known=self._published)
                self._published |= batches
            pending |= batches
        self._published &= pending
