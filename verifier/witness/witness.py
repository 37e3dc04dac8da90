"""The witness: what it checks and remembers before it cosigns a checkpoint (docs/witness.md; C2SP tlog-witness 1.0).

It knows one log. Whatever it is sent, it cosigns no tree that does not extend what it cosigned before, and, unless it
is a plain witness, none with a record that it did not replay. It stops for ever when the log's key signed what an
honest operator never signs: two histories, or a record that breaks a rule.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock

from msgspec.structs import replace

from fairness.errors import CheckFailed, Malformed, Unreadable
from fairness.limits import WITNESSED_BEFORE
from fairness.log.checkpoints import CHECKPOINT, Checkpoint, SignedCheckpoint
from fairness.log.fork import Fork, fork_between
from fairness.log.merkle import EMPTY_ROOT
from fairness.log.merkle_proofs import roots_of_consistency
from fairness.log.notes import Note
from fairness.log.tiles import AuthenticTiles
from fairness.policy.policy import Policy, Trust
from verifier.forks.evidence import keep_evidence
from verifier.forks.extension import NotAnExtension
from verifier.sources.source import Source
from verifier.watch.events import Event, EventKind
from verifier.witness.follower import Follower, RecordRefused
from verifier.witness.memory import Memory, Seen
from verifier.witness.news import News
from verifier.witness.request import Answer, Request
from verifier.witness.signers import CannotSign, Signer, cosignature_line

_TWO_HISTORIES = "the log's key signed two histories"
_READABLE = "the log can be read again"
_TRUE_FILES = "the log's files are what its key signed"
_REMEMBERED = "what was seen is remembered again"
_SIGNING = "the key signs again"
_CLOCK_RIGHT = "this machine's clock is not behind any more"
_CHECKPOINT_LINES = 3
_COMPARE_EVERY = 10.0
"""Seconds between two comparisons for which tiles are read, so that strangers cannot order them by the hundred."""
_CLOCK_STEP = 60
"""Seconds. So far, a clock may be set back by anybody who keeps it right: the last time is signed until it is
reached.
"""
_DAY = 86_400


class NoCosignature(Exception):
    """The checkpoint is not cosigned; the answer says why."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.body.decode())
        self.answer = answer

    @classmethod
    def because(cls, status: HTTPStatus, why: object) -> NoCosignature:
        """Refuse with a sentence for the caller."""
        return cls(Answer.words(status, str(why)))


@dataclass(frozen=True, slots=True)
class World:
    """What a witness asks the world for, besides its files and the log."""

    report: Callable[[Event], None]
    """Shows an event to whoever runs the witness."""
    now: Callable[[], float] = time.time
    """Seconds since 1970."""
    clock: Callable[[], float] = time.monotonic
    """Seconds, never set."""


class Witness:
    """Cosigns the checkpoints of one log. Its methods may be called from several threads."""

    def __init__(
        self,
        trust: Trust,
        source: Source | None,
        signer: Signer,
        memory: Memory,
        world: World,
        *,
        plain: bool = False,
    ) -> None:
        """Go on with what ``memory`` has, which the caller holds. Raises `Forgotten`, and `OSError`.

        A witness that is not ``plain`` needs a ``source``, and replays the records that this serves.
        """
        self._policy, self._source, self._signer, self._world = Policy.of(trust), source, signer, world
        self._log, self._plain, self._memory = self._policy.log, plain, memory
        self._news = News(world.report, world.clock)
        self._lock = Lock()
        self._follower: Follower | None = None
        self._next_comparison = float("-inf")
        self._answered = "", 0, ""
        """The text that was cosigned last in this run, its time, and the line."""
        self._saved = 0
        """The size up to which the replay was kept for the next run."""
        self._seen = memory.load(self._log, signer.key)
        self._head = self._remembered(self._seen)

    @property
    def size(self) -> int:
        """The size of the last tree that was cosigned."""
        return self._head.checkpoint.size

    @property
    def stopped(self) -> Event | None:
        """The alarm after which nothing is cosigned any more; `None` as long as it is."""
        if not self._seen.stopped:
            return None
        return Event(EventKind(self._seen.alarm), f"nothing is cosigned: {self._seen.stopped}", self.size)

    def catch_up(self) -> None:
        """Replay what the log publishes now, so that the first answer need not wait for it.

        What goes wrong is reported, and tried again before an answer.
        """
        if self._plain or self._source is None or self._seen.stopped:
            return
        with self._lock:
            try:
                head = SignedCheckpoint.open(self._source.read(CHECKPOINT), self._log)
                self._look_for_fork(head)
                if head.checkpoint.size >= self.size and not self._seen.stopped:
                    self._replay(head)
            except NoCosignature:
                return
            except (CheckFailed, Unreadable) as error:
                self._news.announce(EventKind.TROUBLE, f"the log's checkpoint could not be read: {error}", self.size)

    def add_checkpoint(self, body: bytes) -> Answer:
        """Answer one request for a cosignature."""
        # A checkpoint is cosigned if
        #  1. the request has its form (or else 400);
        #  2. the checkpoint is of this log (404), and its key signed it (403);
        #  3. the asker knows what the witness saw last (409);
        #  4. the tree extends what was seen, as the proof shows (422);
        #  5. every record in it was replayed, and follows the rules (422; or 503, if it could not be read);
        #  6. it is remembered, durably.
        # Only then it is signed.
        with self._lock:
            try:
                # Steps 1 and 2: the request, and the log's signature.
                request = Request.parse(body)
                head = self._opened(request.note)

                # Steps 3 and 4: what was seen before.
                self._check_extends(request, head)

                # Step 5: the records.
                self._replay(head)

                # Step 6, and the signature.
                return Answer.lines(self._cosign(head))
            except Malformed as error:
                return Answer.words(HTTPStatus.BAD_REQUEST, str(error))
            except NoCosignature as refused:
                return refused.answer

    def save(self) -> None:
        """Keep what was replayed for the next run, which saves time, and report what is over; no answer depends on
        it.
        """
        with self._lock:
            self._news.look(self.size)
            follower = self._follower
            if follower is None or self._seen.stopped or follower.size == self._saved:
                return
            if follower.newest_pulse > self._seen.pulse:
                # Nothing was cosigned since; a run that does not replay this pulse would not know of it.
                return
            try:
                self._memory.save_replayed(follower.state)
                self._saved = follower.size
            except OSError as error:
                why = f"what was replayed could not be kept for the next start: {error.strerror or error}"
                self._news.announce_once(EventKind.TROUBLE, why, self.size)

    def _remembered(self, seen: Seen) -> SignedCheckpoint:
        if not seen.note:
            return SignedCheckpoint(b"", Checkpoint(self._log.name, 0, EMPTY_ROOT))
        return self._opened(seen.note.encode())

    def _opened(self, note: bytes) -> SignedCheckpoint:
        """Return the checkpoint, if it is one of this log. Raises `Malformed` or `NoCosignature`."""
        opened = Note.parse(note)
        if opened.text.partition("\n")[0] != self._log.name:
            raise NoCosignature.because(HTTPStatus.NOT_FOUND, f"this witness knows only the log {self._log.name}")
        try:
            opened.check_signed_by(self._log)
        except CheckFailed as error:
            raise NoCosignature.because(HTTPStatus.FORBIDDEN, error) from error
        return SignedCheckpoint(note, self._checkpoint(opened.text))

    def _checkpoint(self, text: str) -> Checkpoint:
        """Return what a signed text says. Other logs may have lines of their own below it; they are cosigned as they
        are.
        """
        lines = text.split("\n")
        if self._plain and "" not in lines[_CHECKPOINT_LINES:-1]:
            del lines[_CHECKPOINT_LINES:-1]
        return Checkpoint.parse("\n".join(lines))

    def _check_extends(self, request: Request, head: SignedCheckpoint) -> None:
        """Take steps 3 and 4. Raises `NoCosignature`, or `Malformed`."""
        if self._seen.stopped:
            raise self._refusal()
        seen, found = self._head.checkpoint, head.checkpoint
        if request.old > found.size:
            raise Malformed("old size", expected=f"at most {found.size}, the checkpoint's", found=request.old)
        if request.old != seen.size:
            if found.size <= seen.size:
                self._look_for_fork(head)
            raise NoCosignature(Answer.conflict(seen.size))
        if not _is_extended(request, seen, found):
            self._look_for_fork(head)
            if found.size == seen.size and found.root != seen.root:
                raise NoCosignature(Answer.conflict(seen.size))
            why = f"the proof does not show that this tree begins with the {seen.size} records that were cosigned"
            raise NoCosignature.because(HTTPStatus.UNPROCESSABLE_ENTITY, why)

    def _look_for_fork(self, head: SignedCheckpoint) -> None:
        """Compare a signed checkpoint with the one that was cosigned last, and stop if they contradict each other."""
        seen, same_size = self._head, head.checkpoint.size == self._head.checkpoint.size
        if not seen.note or head.checkpoint == seen.checkpoint:
            return
        if not same_size and (self._source is None or self._world.clock() < self._next_comparison):
            return
        try:
            fork = fork_between(seen, head, self._tiles)
        except (CheckFailed, Unreadable):
            # Without files nothing is shown: a false proof is not the operator's signature.
            fork = None
        if not same_size:
            self._next_comparison = self._world.clock() + _COMPARE_EVERY
        if fork is not None:
            self._stop(EventKind.FORK, _TWO_HISTORIES, head, fork=fork)

    def _tiles(self, checkpoint: Checkpoint) -> AuthenticTiles:
        if self._source is None:
            raise Unreadable(CHECKPOINT, "a plain witness was given no log to read")
        return AuthenticTiles(checkpoint, self._source.read)

    def _replay(self, head: SignedCheckpoint) -> None:
        """Step 5. Raises `NoCosignature`."""
        if self._plain or self._source is None or not head.note:
            return
        try:
            if self._follower is None:
                self._follower = Follower(self._source, self._policy, self._memory.load_replayed())
            self._follower.follow(head)
        except (Unreadable, OSError) as error:
            self._news.begin_unreadable(f"the log cannot be read: {error}", self.size, over=_READABLE)
            raise NoCosignature.because(HTTPStatus.SERVICE_UNAVAILABLE, f"the log cannot be read: {error}") from error
        except RecordRefused as error:
            self._stop(EventKind.BROKEN_RULE, "a record breaks a rule", head, failure=error.failure)
            raise self._refusal() from error
        except CheckFailed as error:
            fork = error.fork if isinstance(error, NotAnExtension) else None
            if fork is None:
                raise self._false_files(error) from error
            self._stop(EventKind.FORK, _TWO_HISTORIES, head, failure=error, fork=fork)
            raise self._refusal() from error
        self._news.end(_READABLE, self.size)
        self._news.end(_TRUE_FILES, self.size)
        self._check_known(self._follower)

    def _false_files(self, error: CheckFailed) -> NoCosignature:
        text = "files are missing or are not what the log's key signed"
        self._news.begin(EventKind.FALSE_FILES, text, self.size, over=_TRUE_FILES, failure=error)
        return NoCosignature.because(HTTPStatus.SERVICE_UNAVAILABLE, f"{text}: {error}")

    def _check_known(self, follower: Follower) -> None:
        """Refuse to cosign what was not checked."""
        unknown = follower.unknown
        for sentence in unknown:
            self._news.announce_once(EventKind.UNKNOWN, f"nothing is cosigned: {sentence}", self.size)
        if unknown:
            raise NoCosignature.because(HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(unknown))

    def _stop(
        self,
        kind: EventKind,
        what: str,
        head: SignedCheckpoint,
        *,
        failure: CheckFailed | None = None,
        fork: Fork | None = None,
    ) -> None:
        """Cosign nothing of this log any more, in no later run either."""
        evidence, why = None, what if failure is None else f"{what}: {failure}"
        self._seen = replace(self._seen, stopped=why, alarm=kind.value, refused=head.note.decode())
        text = f"{what}; nothing of this log is cosigned any more"
        try:
            self._memory.save(self._seen)
            evidence = None if fork is None else str(keep_evidence(self._memory.file, fork))
        except OSError as error:
            text += f"; that could not be written: {error.strerror or error}"
        self._world.report(Event(kind, text, self.size, failure, evidence))

    def _refusal(self) -> NoCosignature:
        why = f"this witness cosigns nothing of this log any more: {self._seen.stopped}"
        return NoCosignature.because(HTTPStatus.UNPROCESSABLE_ENTITY, why)

    def _cosign(self, head: SignedCheckpoint) -> str:
        """Step 6, and the signature. Raises `NoCosignature`."""
        time, text = self._next_time(), Note.parse(head.note).text
        if self._answered[:2] == (text, time):
            # So strangers cannot order a write and a signature with each request.
            return self._answered[2]
        seen = replace(self._seen, note=head.note.decode(), time=time, pulse=self._newest_pulse)
        try:
            # A crash after this leaves a checkpoint that nobody got a cosignature for; whoever asks again gets one.
            self._memory.save(seen)
        except OSError as error:
            why = f"what was seen could not be remembered: {error.strerror or error}"
            self._news.begin(EventKind.NOT_REMEMBERED, why, self.size, over=_REMEMBERED)
            raise NoCosignature.because(HTTPStatus.SERVICE_UNAVAILABLE, why) from error
        new = head.checkpoint.size - self.size
        self._seen, self._head = seen, head
        self._news.end(_REMEMBERED, self.size)
        try:
            line = cosignature_line(self._signer, text, time)
        except CannotSign as error:
            self._news.begin(EventKind.TROUBLE, f"nothing can be signed: {error}", self.size, over=_SIGNING)
            raise NoCosignature.because(HTTPStatus.SERVICE_UNAVAILABLE, error) from error
        self._news.end(_SIGNING, self.size)
        self._answered = text, time, line
        self._news.cosigned(self.size, new, replayed=not self._plain)
        return line

    def _next_time(self) -> int:
        """Return the present, and no time before one that was signed. Raises `NoCosignature` if this machine's clock
        is behind.
        """
        now, last, pulse = int(self._world.now()), self._seen.time, self._newest_pulse
        for behind, allowed, what in (
            (last - now, _CLOCK_STEP, "the last cosignature"),
            (pulse - now, WITNESSED_BEFORE, "a beacon's pulse that the log has"),
        ):
            if behind > allowed:
                why = f"nothing is cosigned: this machine's clock is {behind:,} s before {what}"
                self._news.begin(EventKind.WRONG_CLOCK, why, self.size, over=_CLOCK_RIGHT)
                raise NoCosignature.because(HTTPStatus.SERVICE_UNAVAILABLE, why)
        self._news.end(_CLOCK_RIGHT, self.size)
        if last and now - last > _DAY and self._follower is not None and self._follower.newest_time - last <= _DAY:
            text = f"this machine's clock is {now - last:,} s after the last cosignature, and no record is so new: is it right?"
            self._news.announce(EventKind.TROUBLE, text, self.size)
        return max(now, last, pulse)

    @property
    def _newest_pulse(self) -> int:
        """The latest time of a pulse in the records that were replayed, in this run or before: it is not earlier
        now.
        """
        return max(self._seen.pulse, 0 if self._follower is None else self._follower.newest_pulse)


def _is_extended(request: Request, seen: Checkpoint, found: Checkpoint) -> bool:
    """Return whether the request's proof shows that the tree that was seen begins the one that was sent."""
    if seen.size == 0:
        return not request.proof and (found.size > 0 or found.root == EMPTY_ROOT)
    try:
        roots = roots_of_consistency(seen.size, seen.root, found.size, list(request.proof))
    except Malformed:
        return False
    return roots == (seen.root, found.root)
