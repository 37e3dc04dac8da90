"""How one witness stands: what it remembers of the log, when it may be asked again, and since when it is away."""

from __future__ import annotations

from datetime import timedelta

from api.witnesses.client import PATIENCE
from api.witnesses.protocol import Cosignature
from fairness.errors import quote
from fairness.policy.quorum import Witness

AGAIN = timedelta(minutes=10)
"""A head that stays the newest is cosigned again after this, so that everybody sees that the witnesses are there."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=0.1), timedelta(seconds=10)
"""After a failure, and after many."""
LONGEST_IF_NEEDED = timedelta(seconds=1)
"""The same if the quorum is not met without this witness."""
STEADY = timedelta(seconds=10)
"""A witness that has cosigned for so long, and not failed, is back; one that cosigns and fails by turns is away."""
_OVERDUE = timedelta(seconds=PATIENCE)
_MOST_CORRECTIONS = 3
"""How often in a row a witness may name another size than it named before."""

NOT_YET = "it has not cosigned since the start"

Moment = timedelta
"""What `Clock.elapsed` says: no setting of the date changes it."""


class Standing:
    """What the publisher knows about one witness of the policy. Nothing of it outlasts the program."""

    def __init__(self, witness: Witness, rate: float | None, now: Moment) -> None:
        """``rate`` is how often a second it may be asked."""
        self.witness = witness
        self.name = quote(witness.name)
        """What the policy calls it, for messages."""
        self.remembers = 0
        """The size that it cosigned last, as far as it is known."""
        self.last: Cosignature | None = None
        self.cosigned_at: Moment | None = None
        """When its last line came."""
        self.forgot: int | None = None
        """The smaller size that it remembered all of a sudden, until that is reported."""
        self.forgets = 0
        """How often it did."""
        self.why: str | None = NOT_YET
        """Why it is away; `None` if it is not."""
        self.since = now
        """Since when it is away."""
        self.contradicts = False
        """Whether it has seen a log that this one does not extend."""
        self.alarmed = False
        self.failures = 0
        """How many requests brought no cosignature."""
        self.last_failure = ""
        """Why the last one of them did not."""
        self.asked: Moment | None = None
        """When it was asked, while it has not answered."""
        self._every = timedelta(seconds=1 / rate) if rate else timedelta(0)
        self._not_before = now
        self._failed_at: Moment | None = None
        self._good_since: Moment | None = None
        """When it cosigned first after its last failure."""
        self._has_failed = False
        """Whether the request that was made last has failed."""
        self._pause = timedelta(0)
        self._corrections = 0

    def may_be_asked_at(self, *, needed: bool) -> Moment | None:
        """Return when, `None` while it is asked already; ``needed`` is whether the quorum is not met without it."""
        if self.asked is not None:
            return None
        if self._failed_at is None:
            return self._not_before
        pause = min(self._pause, LONGEST_IF_NEEDED) if needed else self._pause
        return max(self._not_before, self._failed_at + pause)

    def is_steady(self, now: Moment) -> bool:
        """Return whether it has not failed for a while."""
        return self._good_since is not None and now - self._good_since >= STEADY

    def ask(self, now: Moment) -> None:
        """Note that the witness is asked."""
        self.asked, self._not_before, self._has_failed = now, now + self._every, False

    def cosigned(self, size: int, answer: Cosignature, now: Moment) -> None:
        """Note that the witness cosigned, so that it is not away."""
        self.cosigned_at = now
        self.asked, self.why, self.last, self.remembers = None, None, answer, size
        self.contradicts, self._corrections = False, 0
        self._good_since = now if self._good_since is None else self._good_since
        if self.is_steady(now):
            self._failed_at, self._pause = None, timedelta(0)

    def corrected(self, size: int, now: Moment) -> None:
        """Note that the witness named the size that it remembers, and is asked again with that one."""
        if size < self.remembers and self.last is not None:
            self.forgot = size
            self.forgets += 1
        self.asked, self.remembers = None, size
        self._corrections += 1
        if self._corrections > _MOST_CORRECTIONS:
            self.failed(f"it does not keep to the size that it names, {size} at last", now)

    def failed(self, why: str, now: Moment, *, contradicts: bool = False) -> None:
        """Note that the witness did not cosign, and is asked again after a pause."""
        self.contradicts = self.contradicts or contradicts
        self.asked = None
        self._pause = min(2 * self._pause, LONGEST_PAUSE) or FIRST_PAUSE
        self._away(why, now, now)

    def look(self, now: Moment) -> None:
        """Note an answer that is overdue."""
        if self.asked is not None and now - self.asked > _OVERDUE:
            self._away(f"no answer within {PATIENCE:.0f} seconds", self.asked, now)

    def _away(self, why: str, since: Moment, now: Moment) -> None:
        if self.why is None:
            self.since = since
        self.why, self.last_failure, self._failed_at, self._good_since = why, why, now, None
        # An answer that is overdue may fail later as well.
        self.failures += not self._has_failed
        self._has_failed = True
