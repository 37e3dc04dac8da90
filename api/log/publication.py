"""What is published: what stands in a signed checkpoint that is on disk.

Everything that must not happen too early asks here: `open` (the lead must be published), the release
of a seed (the lock must be published), and everybody who waits for either. The answers come from the
public log alone, never from the database, so that neither a restored backup nor a changed row can
make them early.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from api.sharing.bounded import BoundedCache
from api.world.published.published_log import PublishedLog
from fairness.checks import Check
from fairness.errors import CheckFailed, ForedrawError
from fairness.log.checkpoints import CHECKPOINT
from fairness.log.notes import VerifierKey
from fairness.log.proof import Proven
from fairness.policy.head import Head
from fairness.policy.policy import Trust
from fairness.records.record import TableRecord
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.finder import find_batch, find_end, find_lock, find_salt, find_table

Found = TypeVar("Found")

_POLL_SECONDS = 0.004
_REMEMBERED = 4096
_PUBLISHED = -1


@dataclass(eq=False, slots=True)
class _Question(Generic[Found]):
    """What a caller waits for, asked at once and after each new checkpoint."""

    find: Callable[[AuthenticLog], Found | None]
    found: Found | None = None
    error: Exception | None = None
    asked: bool = False
    settled: threading.Event = field(default_factory=threading.Event)

    def ask(self, newest: Callable[[], AuthenticLog | None]) -> None:
        if self.settled.is_set():
            return
        self.asked = True
        try:
            log = newest()
            self.found = None if log is None else self.find(log)
        except Exception as error:  # noqa: BLE001 -- the caller gets it
            # It is for the caller that waits, not for the thread that asks.
            self.error = error
        if self.found is not None or self.error is not None:
            self.settled.set()


class Publication:
    """The newest published log that one process has seen, and waiting for a newer one."""

    def __init__(self, log: PublishedLog, key: VerifierKey, trust: Callable[[], Trust] | None = None) -> None:
        """``trust`` returns what is demanded of a checkpoint at present; without it, that is the signature by
        ``key``.
        """
        self._log = log
        self._trust = (lambda: key) if trust is None else trust
        self._newest: AuthenticLog | None = None
        self._seen: tuple[tuple[int, int], Trust] | None = None
        """The stamp of the file that was opened last, and by what it was judged."""
        self._loading = threading.Lock()
        self._watching = threading.Lock()
        self._questions: list[_Question[Any]] = []
        self._watcher: threading.Thread | None = None
        # The log never takes a record back, so what was found once is not looked for again.
        self._locks: BoundedCache[tuple[bytes, int], Proven] = BoundedCache(_REMEMBERED)
        self._locked: BoundedCache[tuple[bytes, int], int] = BoundedCache(_REMEMBERED)
        """How many records the log had in which a lock was not found last; or `_PUBLISHED`."""
        self._tables: BoundedCache[bytes, Placed[TableRecord]] = BoundedCache(_REMEMBERED)
        self._batches: BoundedCache[bytes, int] = BoundedCache(_REMEMBERED)
        self._salted: BoundedCache[bytes, None] = BoundedCache(_REMEMBERED)

    @property
    def size(self) -> int:
        """How many records are published; 0 before the first checkpoint."""
        log = self.newest()
        return 0 if log is None else log.size

    def newest(self) -> AuthenticLog | None:
        """Return the log of the newest checkpoint; `None` before the first. Raises `CheckFailed` or `Unreadable`.

        A checkpoint without the policy's quorum counts as none. What was published stays so under a later policy.
        """
        seen = self._log.stamp(CHECKPOINT), self._trust()
        if self._seen == seen:
            return self._newest
        with self._loading:
            if self._seen != seen:
                self._load(*seen)
            return self._newest

    def lock(self, table_id: bytes, round_number: int, seconds: float = 0.0) -> Proven | None:
        """Return the published lock of a round, with its proof; `None` if ``seconds`` were not enough.

        Raises `CheckFailed` if a finding aid leads elsewhere.
        """
        known = self._locks.get((table_id, round_number))
        if known is not None:
            return known

        def find(log: AuthenticLog) -> tuple[AuthenticLog, int] | None:
            hints = log.round_positions(table_id, round_number)
            return None if hints is None or hints.lock is None else (log, hints.lock)

        found = self.wait_for(find, seconds)
        if found is None:
            return None
        log, position = found
        proven = log.prove(find_lock(log, self._table(log, table_id), round_number, position))
        self._locks.put((table_id, round_number), proven)
        return proven

    def has_lock(self, table_id: bytes, round_number: int) -> bool:
        """Return whether the lock of a round is published, as its finding aid says: for those who show it. Without a
        newer checkpoint, nothing is read for it twice.
        """
        log, known = self.newest(), self._locked.get((table_id, round_number))
        if log is None or known in {_PUBLISHED, log.size}:
            return known == _PUBLISHED
        hints = log.round_positions(table_id, round_number)
        is_published = hints is not None and hints.lock is not None
        self._locked.put((table_id, round_number), _PUBLISHED if is_published else log.size)
        return is_published

    def end(self, table_id: bytes) -> Proven | None:
        """Return the published end of a table, with its proof; `None` while there is none."""
        log = self.newest()
        end = None if log is None else find_end(log, table_id)
        return None if log is None or end is None else log.prove(end)

    def has_batch(self, batch_id: bytes, table_id: bytes, round_number: int) -> bool:
        """Return whether the batch of a round is published."""
        return self.batch_at(batch_id, table_id, round_number) is not None

    def batch_at(self, batch_id: bytes, table_id: bytes, round_number: int) -> int | None:
        """Return where the batch of a round stands in the published log; `None` if it is not published."""
        known = self._batches.get(batch_id)
        if known is not None:
            return known
        log = self.newest()
        hints = None if log is None else log.round_positions(table_id, round_number)
        if log is None or hints is None or hints.batch is None or not log.holds(hints.batch, batch_id):
            return None
        self._batches.put(batch_id, hints.batch)
        return hints.batch

    def has_salt(self, batch_id: bytes, table_id: bytes, round_number: int) -> bool:
        """Return whether the salt of a round's published batch is published. Raises `CheckFailed` if a hint leads
        elsewhere.
        """
        if batch_id not in self._salted:
            log = self.newest()
            hints = None if log is None else log.round_positions(table_id, round_number)
            if log is None or hints is None or hints.batch is None or hints.salt is None:
                return False
            batch = find_batch(log, self._table(log, table_id), round_number, hints.batch)
            find_salt(log, batch, hints.salt)
            if batch.record_id != batch_id:
                return False
            self._salted.put(batch_id, None)
        return True

    def wait_for(self, find: Callable[[AuthenticLog], Found | None], seconds: float) -> Found | None:
        """Wait until something is found in the published log; `None` if ``seconds`` were not enough.

        One thread of a process looks for new checkpoints and asks on behalf of all that wait, so that
        a waiting call sleeps, and is woken once.
        """
        question = _Question(find)
        question.ask(self.newest)
        if not question.settled.is_set() and seconds > 0:
            self._wait(question, seconds)
        if question.error is not None:
            raise question.error
        return question.found

    def _table(self, log: AuthenticLog, table_id: bytes) -> Placed[TableRecord]:
        table = self._tables.get(table_id) or find_table(log, table_id)
        if table is None:
            raise CheckFailed(Check.ROUND_RECORDS, expected=f"a hint at the table {table_id.hex()}", found="none")
        self._tables.put(table_id, table)
        return table

    def _wait(self, question: _Question[Any], seconds: float) -> None:
        # A checkpoint may have come since it was asked, and the watcher have seen it already.
        question.asked = False
        with self._watching:
            self._questions.append(question)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="publication", daemon=True)
                self._watcher.start()
        question.settled.wait(seconds)
        with self._watching:
            if question in self._questions:
                self._questions.remove(question)

    def _watch(self) -> None:
        stamp: tuple[int, int] | None = None
        while True:
            before, stamp = stamp, self._log.stamp(CHECKPOINT)
            with self._watching:
                if not self._questions:
                    self._watcher = None
                    return
                asked = [question for question in self._questions if stamp != before or not question.asked]
            for question in asked:
                question.ask(self.newest)
            time.sleep(_POLL_SECONDS)

    def _load(self, stamp: tuple[int, int], trust: Trust) -> None:
        if stamp == (0, 0):
            return
        head = Head.read(self._log.read(CHECKPOINT), trust)
        try:
            head.check_quorum()
        except CheckFailed as error:
            if error.check is not Check.CHECKPOINT_QUORUM:
                raise
            # The empty log is published before anybody has cosigned it.
            if head.checkpoint.size:
                self._seen = stamp, trust
                return
        try:
            self._newest = AuthenticLog(self._log.read, head)
        except ForedrawError:
            # While the log grows, a full tile may replace the partial one between two reads. What
            # was loaded before still holds; the next call loads again.
            if self._newest is None:
                raise
        else:
            self._seen = stamp, trust
