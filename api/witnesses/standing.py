"""How one witness stands: what it remembers of the log, when it may be asked again, and since when it is away."""

from __future__ import annotations

from datetime import timedelta

from api.witnesses.client import PATIENCE
from api.witnesses.protocol import Cosignature
from fairness.errors import quote
from fairness.policy.quorum import Witness

AGAIN = timedelta(minutes=10)
"""A head that stays the newest is cosigned again after this, so that everybody sees that the witnesses are there."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=0.1), timedelta(seconds=5)
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
        self.why: str | None = NOT_YET
        """Why it is away; `None` if it is not."""
        self.since = now
        """Since when it is away."""
        self.contradicts = False
        """Whether it has seen a log that this one does not extend."""
        self.alarmed = False
        self.asked: Moment | None = None
        """When it was asked, while it has not answered."""
        self._every = timedelta(seconds=1 / rate) if rate else timedelta(0)
        self._not_before = now
        self._pause = FIRST_PAUSE
        self._corrections = 0

    @property
    def may_be_asked_at(self) -> Moment | None:
        """`None` while it is asked already."""
        return self._not_before if self.asked is None else None

    def ask(self, now: Moment) -> None:
        """The witness is asked."""
        self.asked, self._not_before = now, now + self._every

    def cosigned(self, size: int, answer: Cosignature, now: Moment) -> None:
        """The witness cosigned, so it is not away."""
        self.cosigned_at = now
        self.asked, self.why, self.last, self.remembers = None, None, answer, size
        self.contradicts, self._pause, self._corrections = False, FIRST_PAUSE, 0

    def corrected(self, size: int, now: Moment) -> None:
        """The witness named the size that it remembers, and is asked again with that one."""
        if size < self.remembers and self.last is not None:
            self.forgot = size
        self.asked, self.remembers = None, size
        self._corrections += 1
        if self._corrections > _MOST_CORRECTIONS:
            self.failed(f"it does not keep to the size that it names, {size} at last", now)

    def failed(self, why: str, now: Moment, *, contradicts: bool = False) -> None:
        """The witness did not cosign, and is asked again after a pause."""
        self.contradicts = self.contradicts or contradicts
        self.asked = None
        self._not_before = max(self._not_before, now + self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self._away(why, now)

    def look(self, now: Moment) -> None:
        """Note an answer that is overdue."""
        if self.asked is not None and now - self.asked > _OVERDUE:
            self._away(f"no answer within {PATIENCE:.0f} seconds", self.asked)

    def _away(self, why: str, since: Moment) -> None:
        if self.why is None:
            self.since = since
        self.why = why
