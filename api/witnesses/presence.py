"""Whether the quorum is there now, for those who commit batches with a salt: one that no witness sees in time is
lost.

While a log is idle, its witnesses are asked every ten minutes only; so those who need to know it better have them
asked. The salter and the publisher of one process share this, each in its own thread.
"""

from __future__ import annotations

from datetime import timedelta

from api.log.policy_file import PolicyFile
from api.witnesses.standing import Moment
from api.world.clock import Clock

FRESH = timedelta(seconds=5)
"""For so long a quorum counts as there after it has cosigned."""


class Presence:
    """Asked by the salter, answered by the publisher."""

    def __init__(self, policy: PolicyFile, clock: Clock) -> None:
        self._policy, self._clock = policy, clock
        self._seen: Moment | None = None
        self.is_wanted = False
        """Whether somebody waits to know. Then the witnesses are asked again."""

    def is_confirmed(self) -> bool:
        """Return whether the quorum has cosigned a moment ago; if not, it will be asked. Without a policy nobody has
        to.
        """
        if self._policy.policy() is None:
            return True
        if self._seen is not None and self._clock.elapsed() - self._seen <= FRESH:
            return True
        self.is_wanted = True
        return False

    def confirm(self, at: Moment) -> None:
        """Confirm that the quorum has cosigned a head of this log since ``at``."""
        self._seen, self.is_wanted = at, False
