"""The publisher: has the newest head cosigned, and replaces ``/checkpoint`` when the policy's quorum is met (SPEC
5.7).

The sequencer hands it every head and goes on. One head at a time is the *target*: all witnesses are asked for it at
once, and when the quorum is met it is published, and the newest head is the next target. So heads batch by
themselves, and a witness that is slow is asked for whatever is the target when it becomes free.

One thread runs the turns. Heads and answers reach it through a queue, so nothing here is shared. Each turn does what
the present state demands, whatever the last one had begun: a failure of storage is tried again by the next turn.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from queue import Empty, SimpleQueue

from api.log.policy_file import PolicyFile
from api.log.publishing import CheckpointFile, SaltedBatch, clear_partials
from api.log.recovery import RecoveryError
from api.settings import Settings
from api.witnesses.askers import Askers
from api.witnesses.presence import FRESH, Presence
from api.witnesses.protocol import Answer, Cosignature, Remembers, Request
from api.witnesses.reports import Reports, Waiting
from api.witnesses.standing import AGAIN, Moment, Standing
from api.witnesses.witnessed_files import WitnessedFiles
from api.world.clock import Clock
from api.world.published.log_folder import TILES, LogFolder
from api.world.timekeeper import Timekeeper
from fairness.log.checkpoints import SignedCheckpoint
from fairness.log.tiles import AuthenticTiles, ReadFile
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from fairness.policy.quorum import Witness

CLOCKS_DIFFER = timedelta(seconds=30)
"""How far a witness's clock may be from the service's: a batch waits far longer for its pulse."""
AT_LEAST_EVERY = 0.2
"""Seconds: how long a turn waits at most for something to do."""

_BACKUP = "most likely the database and the log's folder came from an old backup"
_AT_ODDS = "it names the size that it was asked with as another one"

_logger = logging.getLogger("foredraw.witnesses")


@dataclass(eq=False)
class _Target:
    """The head that is being cosigned, or was published last."""

    head: SignedCheckpoint
    read: ReadFile
    lines: dict[Witness, tuple[bytes, Moment]] = field(default_factory=dict)
    """The cosignatures so far, and when they came."""
    is_readable: bool = False
    """Whether its records are wherever the log is published."""

    @cached_property
    def tiles(self) -> AuthenticTiles:
        """The log of this head."""
        return AuthenticTiles(self.head.checkpoint, self.read)

    @property
    def size(self) -> int:
        """How many records it has."""
        return self.head.checkpoint.size

    def request(self, standing: Standing) -> Request:
        """Return what the witness is asked."""
        old = standing.remembers
        proof = self.tiles.consistency_path(old) if 0 < old < self.size else []
        return Request(standing.witness, self.head, old, tuple(proof))

    def note(self, policy: Policy | None) -> bytes:
        """Return the checkpoint with the cosignatures of the policy's witnesses, in its order."""
        witnesses = () if policy is None else policy.witnesses
        return self.head.note + b"".join(self.lines[each][0] for each in witnesses if each in self.lines)

    def has_quorum(self, policy: Policy | None) -> bool:
        """Return whether it may be published. The empty log says nothing that a witness could vouch for."""
        return self.size == 0 or policy is None or policy.quorum is None or policy.quorum.is_met_by(self.lines.keys())


class CosignedPublisher:
    """Publishes what the sequencer of a log signs, once its witnesses have seen it. Each term has a publisher of its
    own.
    """

    def __init__(
        self,
        settings: Settings,
        log: LogFolder,
        policy: PolicyFile,
        clock: Clock,
        timekeeper: Timekeeper,
        askers: Askers,
        presence: Presence,
    ) -> None:
        self._log, self._policy, self._clock = log, policy, clock
        self._askers, self._presence = askers, presence
        self._rates = dict(settings.witness_rates)
        self._reports = Reports(settings, timekeeper)
        self._events: SimpleQueue[tuple[SignedCheckpoint, Sequence[SaltedBatch]] | Answer] = SimpleQueue()
        self._files = WitnessedFiles(log, policy.policy())
        self._standings: dict[Witness, Standing] = {}
        self._newest: SignedCheckpoint | None = None
        self._target: _Target | None = None
        self._published: SignedCheckpoint | None = None
        """The head that this publisher has published last."""
        self._checkpoint = CheckpointFile(log, policy.key)
        self._cleared: int | None = None
        self._vouched = False
        """Whether the quorum has cosigned a head of this log since the start."""
        self._was_empty = False
        """Whether the log was empty at the start. Its checkpoint is on disk then, and nobody can vouch for it."""
        self._shown = 0
        """The size of the largest head that a witness was asked for since the start."""
        self._waiting_since: Moment | None = None
        self._reports.begin(closed=policy.policy() is not None)

    def begin(self, since: int) -> None:
        """Begin with a sequencer that starts, in its own thread."""
        self._cleared = since if self._cleared is None else min(since, self._cleared)

    def take(self, head: SignedCheckpoint, batches: Sequence[SaltedBatch]) -> None:
        """Have a head published, in a turn; that of the empty log at once, because without it a start would miss
        it.
        """
        if head.checkpoint.size == 0:
            CheckpointFile(self._log, self._policy.key).write(head.note, 0)
            self._was_empty = True
        self._events.put((head, batches))

    @property
    def may_grow(self) -> bool:
        """Whether witnesses have shown that this log is not older than what they have seen."""
        return self._vouched or self._was_empty or self._policy.policy() is None

    def look(self) -> None:
        """Do nothing: the turns look at the checkpoint, in the one thread that writes it."""

    @property
    def is_idle(self) -> bool:
        """Whether all that was handed over is published, and no answer waits to be read."""
        return self._events.empty() and self._newest == self._published

    def turn(self, wait: float = AT_LEAST_EVERY) -> None:
        """Do what is due, after up to ``wait`` seconds until something is.

        Raises `RecoveryError` if witnesses show at the start that this log is older than it was.
        """
        now = self._clock.elapsed()
        policy = self._policy.policy()
        self._receive(min([wait, *(self._wait_for(each, policy, now) for each in self._standings.values())]))
        policy = self._policy.policy()
        self._know(policy)
        self._checkpoint.put_back()
        self._go_on(policy)
        self._confirm(policy)
        self._ask(policy)
        self._report(policy)

    def drain(self, seconds: float) -> None:
        """Turn until everything is published, or until the time is over."""
        end = self._clock.elapsed() + timedelta(seconds=seconds)
        while not self.is_idle and self._clock.elapsed() < end:
            self.turn()

    def _wait_for(self, standing: Standing, policy: Policy | None, now: Moment) -> float:
        """Return seconds until a witness can be asked for what it has not cosigned yet."""
        at = standing.may_be_asked_at(needed=self._needs(standing, policy))
        target = self._target
        if at is None or target is None or not target.size or standing.witness in target.lines:
            return AT_LEAST_EVERY
        return max(0.001, (at - now).total_seconds())

    def _receive(self, wait: float) -> None:
        """Take in heads and answers."""
        try:
            event = self._events.get(timeout=wait) if wait > 0 else self._events.get_nowait()
            while True:
                if isinstance(event, Answer):
                    self._hear(event)
                else:
                    self._newest = event[0]
                    self._files.expect(event[1])
                event = self._events.get_nowait()
        except Empty:
            return

    def _hear(self, answer: Answer) -> None:
        """Take in what became of a request."""
        request, result, now = answer.request, answer.result, self._clock.elapsed()
        standing = self._standings.get(request.witness)
        if standing is None:
            # The policy was exchanged while it was asked.
            return
        if isinstance(result, Cosignature):
            self._keep(standing, request, result)
        elif isinstance(result, Remembers):
            self._correct(standing, request, result.size)
        else:
            standing.failed(str(result), now, contradicts=result.contradicts)
            if result.contradicts:
                self._stop_if_old(standing)

    def _keep(self, standing: Standing, request: Request, cosignature: Cosignature) -> None:
        """Keep a line, if it was made at the time that it says."""
        now, asked = self._clock.elapsed(), standing.asked or self._clock.elapsed()
        shown = self._clock.moment().timestamp()
        took, tolerance = (now - asked).total_seconds(), CLOCKS_DIFFER.total_seconds()
        if not shown - took - tolerance <= cosignature.time <= shown + tolerance:
            late = int(shown - cosignature.time)
            why = f"its clock is {abs(late)} seconds {'behind' if late > 0 else 'ahead of'} this machine's: set right which is wrong"
            standing.remembers = request.head.checkpoint.size
            standing.failed(why, now)
            return
        standing.cosigned(request.head.checkpoint.size, cosignature, now)
        if self._target is not None and request.head.checkpoint == self._target.head.checkpoint:
            self._target.lines[standing.witness] = cosignature.line, now

    def _correct(self, standing: Standing, request: Request, size: int) -> None:
        """Correct what a witness remembers: another size than the service believed."""
        now = self._clock.elapsed()
        if size > self._shown:
            why = f"it says that it has cosigned {size} records of this log, and was shown {self._shown}: {_BACKUP}"
            standing.failed(why, now, contradicts=True)
            self._stop_if_old(standing)
        elif size != request.old:
            standing.corrected(size, now)
        elif size == request.head.checkpoint.size:
            standing.failed(f"it remembers another tree of {size} records than this log's", now, contradicts=True)
            self._stop_if_old(standing)
        else:
            standing.failed(_AT_ODDS, now)

    def _stop_if_old(self, standing: Standing) -> None:
        """Raise `RecoveryError` if, of witnesses that have seen another log, so many have that the others cannot
        vouch for this one.
        """
        policy = self._policy.policy()
        others = {witness for witness, each in self._standings.items() if not each.contradicts}
        if self._vouched or policy is None or policy.quorum is None or policy.quorum.is_met_by(others):
            return
        because = "" if _BACKUP in str(standing.why) else f" If it has seen more of this log, {_BACKUP}."
        raise RecoveryError(
            f"nothing was published. Witness {standing.name}: {standing.why}.{because} Put the newest copies of the"
            " database and of the log's folder back, or the newest copy of the log's folder alone and run `foredraw"
            " rebuild`. A copy of the published log may lack what the witnesses saw last: docs/back-up.md says"
            " what else restores it. If you know that the witness is wrong, leave its line in the policy, and give it an"
            " address where nobody answers: without the line its old cosignatures would not count either"
        )

    def _know(self, policy: Policy | None) -> None:
        """Begin with new witnesses of the policy, and forget those that it does not name any more."""
        named = {} if policy is None else {each: None for each in policy.witnesses if each.url is not None}
        now = self._clock.elapsed()
        for witness in [each for each in self._standings if each not in named]:
            del self._standings[witness]
            self._askers.forget(witness)
        for witness in named:
            if witness not in self._standings:
                self._standings[witness] = Standing(witness, self._rates.get(witness.name), now)

    def _go_on(self, policy: Policy | None) -> None:
        """Publish the target if it may be, and then begin with the newest head."""
        newest = self._newest
        if newest is None:
            return
        target = self._target
        if target is not None and target.has_quorum(policy):
            if target.head != self._published or newest == target.head:
                self._publish(target, policy)
        elif target is not None and any(each.remembers > target.size for each in self._standings.values()):
            # It was asked for a larger head before a crash, and will not cosign a smaller one.
            target = self._target = None
        if target is None or (newest != target.head and target.head == self._published):
            self._target = _Target(newest, self._log.read)
            if self._target.has_quorum(policy):
                self._publish(self._target, policy)

    def _publish(self, target: _Target, policy: Policy | None) -> None:
        """Replace ``/checkpoint``, if that changes it. A crash before the end leaves the old one, and files that it
        does not need.
        """
        note = target.note(policy)
        if note == self._checkpoint.note:
            return
        if policy is not None and target.size:
            Head.open(note, policy)
            self._files.write(target.tiles, note, policy)
        self._checkpoint.write(note, target.size)
        if self._published != target.head:
            self._published = target.head
            self._waiting_since = None
        self._vouched = self._vouched or (policy is not None and target.size > 0)
        self._cleared = clear_partials(self._log, self._cleared or 0, target.size)

    def _confirm(self, policy: Policy | None) -> None:
        """Inform those who want to know it that the quorum is there, if it has cosigned a moment ago."""
        quorum, now = None if policy is None else policy.quorum, self._clock.elapsed()
        if quorum is None or not self._presence.is_wanted:
            return
        seen = {
            each: standing.cosigned_at
            for each, standing in self._standings.items()
            if standing.cosigned_at is not None
        }
        for at in sorted(set(seen.values()), reverse=True):
            if now - at <= FRESH and quorum.is_met_by({each for each in seen if seen[each] >= at}):
                self._presence.confirm(at)
                return

    def _ask(self, policy: Policy | None) -> None:
        """Ask every witness that is free for its line under the target, and for a fresh one under an old head."""
        target, now = self._target, self._clock.elapsed()
        if target is None or policy is None or target.size == 0:
            return
        again = FRESH if self._presence.is_wanted else AGAIN
        for witness, standing in self._standings.items():
            free = standing.may_be_asked_at(needed=self._needs(standing, policy))
            _, came = target.lines.get(witness, (b"", None))
            is_due = came is None or now - came >= again
            if is_due and free is not None and free <= now and standing.remembers <= target.size:
                self._make_readable(target)
                request = target.request(standing)
                standing.ask(now)
                self._shown = max(self._shown, target.size)
                self._askers.ask(request, self._events.put)

    def _needs(self, standing: Standing, policy: Policy | None) -> bool:
        """Return whether those who cosign at present are no quorum without this witness."""
        others = {each.witness for each in self._standings.values() if each.why is None and each is not standing}
        return policy is not None and policy.quorum is not None and not policy.quorum.is_met_by(others)

    def _make_readable(self, target: _Target) -> None:
        """Make the records readable before a witness is asked: one that replays them may read where the log is
        published.

        Nothing is shown that could still change: the order of these records is committed in the database, under this
        leader's term, before they reach a publisher (`Sequencer`). Raises `ServerFailure`.
        """
        if not target.is_readable:
            self._log.settle(TILES)
            target.is_readable = True

    def _report(self, policy: Policy | None) -> None:
        now = self._clock.elapsed()
        for standing in self._standings.values():
            standing.look(now)
        waiting = None
        if policy is None or self._newest is None or not self._is_waiting(policy):
            self._waiting_since = None
        else:
            self._waiting_since = now if self._waiting_since is None else self._waiting_since
            waiting = Waiting(self._newest.checkpoint.size, self._waiting_since, str(policy.quorum))
        starting = policy is not None and self._published is None
        self._reports.give(now, list(self._standings.values()), waiting, self._policy.trouble, starting=starting)

    def _is_waiting(self, policy: Policy) -> bool:
        """Return whether something waits for the quorum: a newer head, the published one after an exchange of the
        policy, a batch.
        """
        target = self._target
        return (
            self._newest != self._published
            or (target is not None and not target.has_quorum(policy))
            or self._presence.is_wanted
        )
