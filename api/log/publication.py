"""What is published: what stands in a signed checkpoint that is on disk.

Everything that must not happen too early asks here: `open` (the lead must be published), the
custodian (the lock must be published), and everybody who waits for either. The answers come from
the public log alone, never from the database, so that neither a restored backup nor a changed row
can make them early.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from api.world.log_folder import LogFolder
from fairness.errors import ForedrawError
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import VerifierKey
from fairness.log.tiles import AuthenticTiles
from fairness.round.finding_aids import RoundPositions, TablePositions, place_in_file, rounds_path, tables_path

_POLL_SECONDS = 0.004
_CHECKPOINT = "checkpoint"


@dataclass(frozen=True, slots=True)
class _Head:
    """One published checkpoint, and the log that it proves."""

    stamp: tuple[int, int]
    tiles: AuthenticTiles


@dataclass(eq=False, slots=True)
class _Question:
    """What somebody waits for, asked at once and after each new checkpoint."""

    holds: Callable[[], bool]
    settled: threading.Event = field(default_factory=threading.Event)
    asked: bool = False
    error: Exception | None = None

    def ask(self) -> None:
        if self.settled.is_set():
            return
        self.asked = True
        try:
            if not self.holds():
                return
        except Exception as error:  # noqa: BLE001
            # It is for the one who waits, not for the thread that asks.
            self.error = error
        self.settled.set()


class Publication:
    """The published log as one process sees it."""

    def __init__(self, log: LogFolder, key: VerifierKey) -> None:
        self._log = log
        self._key = key
        self._head: _Head | None = None
        self._loading = threading.Lock()
        self._watching = threading.Lock()
        self._questions: list[_Question] = []
        self._watcher: threading.Thread | None = None

    @property
    def size(self) -> int:
        """How many records are published; 0 before the first checkpoint."""
        head = self._current()
        return head.tiles.checkpoint.size if head else 0

    def positions(self, table_id: bytes, round_number: int) -> RoundPositions:
        """Where the finding aids say that a round's records stand; all zero for a round they do not know."""
        offset = place_in_file(round_number) * RoundPositions.SIZE
        part = self._log.read_part(rounds_path(table_id, round_number), offset, RoundPositions.SIZE)
        return RoundPositions.parse_file(part)[0] if len(part) == RoundPositions.SIZE else RoundPositions(0)

    def has_lock(self, table_id: bytes, round_number: int) -> bool:
        """Whether the round's lock is published, as far as the hints say."""
        position = self.positions(table_id, round_number).lock
        return 0 < position < self.size

    def has_batch(self, table_id: bytes, round_number: int) -> bool:
        """Whether the round's commitment is published, as far as the hints say."""
        position = self.positions(table_id, round_number).batch
        return 0 < position < self.size

    def end_position(self, table_id: bytes) -> int:
        """Where a table's end stands, by the finding aids; 0 where they know of none."""
        try:
            tables = TablePositions.parse_file(self._log.read(tables_path(table_id)))
        except ForedrawError:
            return 0
        for table in tables:
            record = self.record(table.table)
            if record is not None and leaf_hash(record) == table_id:
                return table.end
        return 0

    def record(self, position: int) -> bytes | None:
        """The record at a position of the published log, proven by the checkpoint; `None` beyond it."""
        head = self._current()
        if head is None or position >= head.tiles.checkpoint.size:
            return None
        return head.tiles.record(position)

    def holds(self, position: int, leaf: bytes) -> bool:
        """Whether the published log has the record with this leaf hash at a position."""
        head = self._current()
        return head is not None and position < head.tiles.checkpoint.size and head.tiles.leaf(position) == leaf

    def wait_until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Wait for something about the published log to hold; `False` where ``seconds`` were not enough.

        One thread of a process looks for new checkpoints and asks on behalf of all that wait, so that
        a waiting call sleeps, and is woken once.
        """
        question = _Question(holds)
        with self._watching:
            self._questions.append(question)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="publication", daemon=True)
                self._watcher.start()
        question.settled.wait(seconds)
        with self._watching:
            if question in self._questions:
                self._questions.remove(question)
        if question.error is not None:
            raise question.error
        return question.settled.is_set()

    def _watch(self) -> None:
        stamp: tuple[int, int] | None = None
        while True:
            before, stamp = stamp, self._log.stamp(_CHECKPOINT)
            with self._watching:
                if not self._questions:
                    self._watcher = None
                    return
                asked = [question for question in self._questions if stamp != before or not question.asked]
            for question in asked:
                question.ask()
            time.sleep(_POLL_SECONDS)

    def _current(self) -> _Head | None:
        stamp = self._log.stamp(_CHECKPOINT)
        head = self._head
        if head is not None and head.stamp == stamp:
            return head
        with self._loading:
            if self._head is None or self._head.stamp != stamp:
                self._load(stamp)
            return self._head

    def _load(self, stamp: tuple[int, int]) -> None:
        if stamp == (0, 0):
            return
        checkpoint = Checkpoint.open(self._log.read(_CHECKPOINT), self._key)
        try:
            self._head = _Head(stamp, AuthenticTiles(checkpoint, self._log.read))
        except ForedrawError:
            # While the log grows, a full tile may replace the partial one between two reads. What
            # was loaded before still holds; the next call loads again.
            if self._head is None:
                raise
