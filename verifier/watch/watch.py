"""The watch: it follows a log and reports each thing that is wrong with it once (SPEC 8.7).

A turn reads the checkpoint, requires that it extends everything that was seen, and replays what is new. Only
a monotonic clock is read, so setting this machine's clock cannot hide how long something lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from fairness.checks import Check
from fairness.errors import CheckFailed, NotThisLogs, Unreadable
from fairness.log.checkpoints import CHECKPOINT, SignedCheckpoint, is_sandbox
from fairness.log.fork import Fork, in_order
from fairness.log.tiles import AuthenticTiles
from fairness.policy.head import Head
from fairness.policy.policy import Policy, Trust
from verifier.audit.audit import check_commitments, replay_log
from verifier.audit.clock import NewRecords
from verifier.audit.custody import check_notes
from verifier.audit.remembered import AuditState, Incomplete, must_begin_again, remembered_heads, trust_of
from verifier.audit.report import TableReport, Unfinished, table_reports
from verifier.audit.witnesses import Witnessing, check_files, compare_times
from verifier.caveats import clock_in_words, report_unknown, unknown_of, witness_lines
from verifier.forks.extension import NotAnExtension, OlderCopy, check_extends
from verifier.paytables import check_paytables
from verifier.sentences import Verdict
from verifier.sources.source import Source
from verifier.watch.aids import WatchedAids
from verifier.watch.events import Event, EventKind
from verifier.watch.troubles import Lasting

_NOT_THE_LOGS = {
    Check.NOTE_FORM,
    Check.NOTE_SIGNATURE,
    Check.CHECKPOINT_FORM,
    Check.CHECKPOINT_ORIGIN,
    Check.CHECKPOINT_QUORUM,
    Check.TILE,
    Check.BUNDLE,
    Check.COMMITMENTS_FILE,
    Check.PAYTABLE_FILE,
    Check.BATCH_WITNESSED,
}
"""Errors of a server that serves other files than the operator's; they may be gone in the next turn."""


@dataclass(frozen=True, slots=True)
class Effects:
    """How a watch acts on the outside world."""

    report: Callable[[Event], None]
    remember: Callable[[AuditState], None]
    """Saves the state. When it returns, the state is durable; it raises `OSError`."""
    keep: Callable[[Fork], str]
    """Writes evidence, and returns the file's name; raises `OSError`."""
    clock: Callable[[], float]
    """Seconds, never set."""


class Watch:
    """Follows one log."""

    def __init__(
        self, source: Source, trust: Trust, state: AuditState | None, *, patience: float, effects: Effects
    ) -> None:
        """Continue from ``state``, if there is one; `ValueError` if it belongs to another log."""
        self._source, self._policy, self._state, self._effects = source, Policy.of(trust), state, effects
        heads, self._replayed = ([], 0) if state is None else remembered_heads(state, trust)
        self._head = heads[-1] if heads else None
        self._patience = patience
        self._lasting = Lasting(patience)
        self._reported: set[tuple[EventKind, Check | None]] = set()
        """Current alarms; none is raised again before it is over."""
        self._published: set[bytes] = set()
        """The batches whose files of commitments were found correct in this run."""
        self._judged: set[str] = set()
        """The tables whose paytables were judged in this run."""
        self._unknown: set[str] = set()
        """What this verifier does not know, as it was reported."""
        self._new: NewRecords | None = None
        """What is known about the times of records that were not compared yet with what witnesses show."""
        self._broken = False
        """A record was refused; no later one can be judged."""
        self._aids = self._watched_aids()
        self._undecided: Fork | None = None
        """Two signed checkpoints that could not be compared yet, for want of files."""
        self._unfinished: set[Unfinished] = set()
        self._moved = False
        """The log has grown since its progress was last checked."""

    def _watched_aids(self) -> WatchedAids:
        """Return those of what this run will replay: it goes on from where an earlier one came."""
        state = self._state
        if state is None or must_begin_again(self._policy, state):
            return WatchedAids(self._source, 0, ())
        if (part := state.part) is not None and part.trust == trust_of(self._policy):
            return WatchedAids(self._source, part.size, part.tables.values())
        return WatchedAids(self._source, self._replayed, state.tables.values())

    @property
    def size(self) -> int:
        """The size of the largest log that was seen."""
        return 0 if self._head is None else self._head.checkpoint.size

    @property
    def is_read(self) -> bool:
        """Whether the last turn could read the log, and it was no older copy."""
        return not any(self._lasting.is_present(kind) for kind in (EventKind.UNREADABLE, EventKind.SHRUNK))

    def begin(self) -> None:
        """Report that the watch begins."""
        seen = f"{self.size:,} records were seen before" if self._state else "nothing was seen before"
        self._report(EventKind.BEGUN, f"watching {self._policy.log.name} at {self._source.address}; {seen}")
        if is_sandbox(self._policy.log.name):
            self._report(EventKind.SANDBOX, Verdict.PROVES_NOTHING)
        self._report_unknown()

    def turn(self) -> bool:
        """Read the log once, and report what is new. Returns whether the log could be read."""
        failure: CheckFailed | None = None
        older: OlderCopy | None = None
        try:
            self._look()
        except OlderCopy as error:
            older = error
        except NotThisLogs as error:
            self._unreadable(error.unreadable)
            return False
        except Unreadable as error:
            self._unreadable(error)
            return False
        except CheckFailed as error:
            failure = error
        self._recovered(EventKind.UNREADABLE, "the log can be read again")
        if older is not None:
            self._shrunk(older)
            return True
        if isinstance(failure, NotAnExtension):
            # Every turn sees the fork again, with new checkpoints; the first pair is proof enough.
            self._undecided = None
            text = "the log's key signed two histories"
            self._alarm_once(EventKind.FORK, text, failure=failure, fork=failure.fork)
            return True
        if failure is not None:
            self._failed(failure)
        else:
            self._recovered(EventKind.SHRUNK, "the log is no longer smaller than it was")
            self._no_longer(EventKind.FALSE_FILES, "the log's files are what its key signed")
        self._check_progress()
        return True

    def next_due(self, now: float) -> float | None:
        """Return when the next trouble would become an alarm."""
        due = (self._lasting.next_due(now), self._aids.next_due(now))
        return min((moment for moment in due if moment is not None), default=None)

    def _look(self) -> None:
        # The log's signature alone shows a fork, so cosignatures are asked for afterwards.
        seen = Head.read(self._source.read(CHECKPOINT), self._policy)
        head = seen.signed
        self._check_extension(head)
        try:
            seen.check_quorum()
            self._replay(head)
            self._check_commitments()
            self._check_witnesses(seen)
            self._check_custodians()
            self._check_paytables()
            self._check_aids(head)
        finally:
            # The checkpoint was seen, whatever happened with its records.
            self._remember_seen(head)

    def _check_extension(self, head: SignedCheckpoint) -> None:
        old = self._head
        if old is not None and old.checkpoint == head.checkpoint:
            return
        if old is not None:
            first, second = in_order(old, head)
            self._undecided = Fork(first.note, second.note)
            check_extends(old, head, partial(AuthenticTiles, read=self._source.read))
        self._undecided, self._head, self._moved = None, head, True

    def _replay(self, head: SignedCheckpoint) -> None:
        size, old = head.checkpoint.size, self._replayed
        if self._broken or (
            self._state is not None and old == size and not must_begin_again(self._policy, self._state)
        ):
            return
        previous = self._state or AuditState.empty(self._policy.log)
        asides = sum(previous.asides.values())
        try:
            report = replay_log(self._source, self._policy, previous=previous, note=head.note)
        except Incomplete as error:
            self._state = error.state
            self._remember()
            raise
        self._state, self._replayed = report.state, size
        # Asides are no growth: they end no round.
        self._moved = self._moved and sum(report.state.asides.values()) - asides < size - old
        # Files may come turns later, and the times are not read again then.
        self._new = report.new if self._new is None or report.new is None else self._new.then(report.new)
        self._remember()
        follow = "; none breaks a rule that could be checked" if report_unknown(report) else ", follow the rules"
        cosigned = "".join(f"; cosigned by {each}" for each in witness_lines(report.head))
        self._report(EventKind.GREW, f"{size:,} records, {size - old:,} of them new{follow}{cosigned}")
        self._report_unknown()

    def _report_unknown(self) -> None:
        self._report_each_unknown(unknown_of((table.state for table in self._tables()), self._policy))

    def _report_each_unknown(self, sentences: list[str]) -> None:
        for sentence in sentences:
            if sentence not in self._unknown:
                self._unknown.add(sentence)
                self._report(EventKind.UNKNOWN, sentence)

    def _check_commitments(self) -> None:
        tables = self._tables()
        for table in tables:
            check_commitments(self._source, table.state, table.history, known=self._published)
            self._published.update(batch.batch_id for batch in table.state.batches)
        self._published &= {batch.batch_id for table in tables for batch in table.state.batches}

    def _check_witnesses(self, head: Head) -> None:
        """Check the files of new batches, and of earlier ones whose files were not right."""
        if self._broken or self._state is None or self._state.witnessing is None:
            return
        before = self._state.witnessing
        if before.unchecked:
            checked = check_files(self._source, head, before)
            self._new = None if self._new is None else self._new.with_seen(checked.seen)
            self._remember_witnessing(checked.after)
            if checked.failure is not None:
                raise checked.failure
            before = checked.after
        if before.through < head.checkpoint.size:
            after = compare_times(self._source, head, before, self._new)
            self._new = None
            self._remember_witnessing(after)
            for text in clock_in_words(after.clock):
                if text not in clock_in_words(before.clock):
                    self._report(EventKind.CLOCK, f"the operator's clock was {text}")

    def _check_custodians(self) -> None:
        """Check what custodians said of new batches, and of earlier ones of which it was not right."""
        if self._broken or self._state is None or self._state.custody is None or not self._state.custody.unchecked:
            return
        before = set(self._state.custody.unknown)
        custody, failure = check_notes(self._source, self._policy, self._state.custody)
        self._state = replace(self._state, custody=custody)
        self._remember()
        for sentence in custody.unknown:
            if sentence not in before:
                self._report(EventKind.UNKNOWN, sentence)
        if failure is not None:
            raise failure

    def _check_paytables(self) -> None:
        """Judge what bets pay at tables whose files were not judged yet, or were not right."""
        for table in self._tables():
            if table.name not in self._judged:
                self._report_each_unknown(
                    check_paytables(self._source.read, [table.paytable], generous=False).unknown
                )
                self._judged.add(table.name)

    def _check_aids(self, head: SignedCheckpoint) -> None:
        """Compare the finding aids of new records, and of earlier ones of which they were not right."""
        self._aids.take(head.checkpoint, self._replayed)
        text = self._aids.alarm(self._effects.clock())
        if text is not None:
            self._report(EventKind.FALSE_FILES, text)
        if self._aids.is_over():
            self._report(EventKind.RECOVERED, "the log's index leads to its records again")

    def _remember_witnessing(self, witnessing: Witnessing) -> None:
        if self._state is not None and witnessing != self._state.witnessing:
            self._state = replace(self._state, witnessing=witnessing)
            self._remember()

    def _tables(self) -> list[TableReport]:
        if self._state is None or self._head is None:
            return []
        return table_reports(self._state)

    def _remember_seen(self, head: SignedCheckpoint) -> None:
        unsaved = (EventKind.NOT_REMEMBERED, None) in self._reported
        if self._state is not None and head.checkpoint.size > self._replayed:
            note = head.note.decode()
            unsaved = unsaved or self._state.seen != note
            self._state = replace(self._state, seen=note)
        if unsaved:
            self._remember()

    def _remember(self) -> None:
        if self._state is None:
            return
        try:
            self._effects.remember(self._state)
        except OSError as error:
            why = f"what was seen could not be remembered: {error.strerror or error}"
            self._alarm_once(EventKind.NOT_REMEMBERED, why)
        else:
            self._no_longer(EventKind.NOT_REMEMBERED, "what was seen is remembered again")

    def _unreadable(self, error: Unreadable) -> None:
        now = self._effects.clock()
        if self._lasting.begin(EventKind.UNREADABLE, now):
            self._report(EventKind.TROUBLE, f"the log cannot be read: {error}")
        if self._lasting.is_due(EventKind.UNREADABLE, now):
            text = f"the log could not be read for {self._patience:g} s: {error}"
            self._report(EventKind.UNREADABLE, text, fork=self._undecided)

    def _shrunk(self, error: OlderCopy) -> None:
        now = self._effects.clock()
        whose = "the beginning of what was seen" if error.pair is None else "and no file shows of which history"
        smaller = f"a smaller log is served, {whose}: {error.size:,} of {self.size:,} records"
        if self._lasting.begin(EventKind.SHRUNK, now):
            self._report(EventKind.TROUBLE, f"{smaller}; it may be an old copy", fork=error.pair)
        if self._lasting.is_due(EventKind.SHRUNK, now):
            self._report(EventKind.SHRUNK, f"for {self._patience:g} s now, {smaller}", fork=error.pair)

    def _failed(self, error: CheckFailed) -> None:
        if error.check in _NOT_THE_LOGS:
            text = "files are missing or are not what the log's key signed"
            if error.check is Check.CHECKPOINT_QUORUM:
                text = "too few witnesses cosigned the checkpoint"
            self._alarm_once(EventKind.FALSE_FILES, text, failure=error, fork=self._undecided)
        else:
            self._broken = True
            self._alarm_once(
                EventKind.BROKEN_RULE, "a record breaks a rule; what follows is not replayed", failure=error
            )

    def _check_progress(self) -> None:
        """Check whether the log grows while a table has rounds to play, and every table whose next record is due."""
        now, tables = self._effects.clock(), self._tables()
        is_open = any(not table.state.closed for table in tables)
        if self._moved or not is_open:
            self._recovered(EventKind.STALLED, "the log grows again")
        self._moved = False
        if is_open:
            self._lasting.begin(EventKind.STALLED, now)
        if self._replayed == self.size:
            self._note_unfinished({entry for table in tables for entry in table.unfinished}, now)
        stalled = self._lasting.is_due(EventKind.STALLED, now)
        # Records that were not replayed may end a round, so nothing is reported as hanging until they are.
        known = sorted(self._unfinished, key=str) if self._replayed == self.size else []
        long = [str(entry) for entry in known if self._lasting.is_due(entry, now)]
        if stalled:
            nothing = f"nothing new for {self._patience:g} s, after {self.size:,} records"
            self._report(EventKind.STALLED, "; ".join([nothing, *long]))
        elif long:
            self._report(EventKind.STALLED, f"hanging for {self._patience:g} s: " + "; ".join(long))

    def _note_unfinished(self, unfinished: set[Unfinished], now: float) -> None:
        for entry in sorted(self._unfinished - unfinished, key=str):
            self._recovered(entry, f"no longer hangs: {entry}")
        for entry in unfinished:
            self._lasting.begin(entry, now, after=entry.wait(self._policy.known_beacons))
        self._unfinished = unfinished

    def _recovered(self, trouble: Hashable, text: str) -> None:
        was_told = self._lasting.was_told(trouble)
        if self._lasting.end(trouble) and (was_told or trouble in {EventKind.UNREADABLE, EventKind.SHRUNK}):
            self._report(EventKind.RECOVERED, text)

    def _no_longer(self, kind: EventKind, text: str) -> None:
        standing = {alarm for alarm in self._reported if alarm[0] is kind}
        if standing:
            self._reported -= standing
            self._report(EventKind.RECOVERED, text)

    def _alarm_once(
        self, kind: EventKind, text: str, *, failure: CheckFailed | None = None, fork: Fork | None = None
    ) -> None:
        alarm = (kind, failure.check if failure else None)
        if alarm not in self._reported:
            self._reported.add(alarm)
            self._report(kind, text, failure=failure, fork=fork)

    def _report(
        self, kind: EventKind, text: str, *, failure: CheckFailed | None = None, fork: Fork | None = None
    ) -> None:
        evidence = None
        if fork is not None:
            try:
                evidence = self._effects.keep(fork)
            except OSError as error:
                text += f"; the evidence could not be written: {error.strerror or error}"
        self._effects.report(Event(kind, text, self.size, failure, evidence))
