"""Why nothing goes on at a table now: what its feed and the pages say of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import UNSET, UnsetType

from api.answers.tables import GoingOn, LiveTable, Stopped
from api.problems import Code
from api.rounds.status import TableStatus, fixed_through
from api.store.models import RoundStatus
from fairness.records.rules import UNSALTED

SHOWN_AFTER = timedelta(seconds=3)
"""Pages say that a lock waits when it has waited for so long; the scripts have the same number (`going_on.js`)."""

_FOR_GOOD = {
    Code.LOG_ENDED: Stopped.CLOSED,
    Code.TABLE_HALTED: Stopped.HALTED,
}
_BEFORE_A_ROUND = {
    Code.TABLE_CLOSED: Stopped.CLOSED,
    Code.TABLE_PAUSED: Stopped.PAUSED,
    Code.SOFTWARE_CHANGED: Stopped.OPERATOR,
    Code.NOT_WITNESSED: Stopped.OPERATOR,
    Code.CLOCK_JUMPED: Stopped.OPERATOR,
}
"""What keeps the next round from being opened, while those that are going on are played to their end."""


def stopped(seen: TableStatus, now: Sequence[GoingOn], why_not: Sequence[str]) -> Stopped | UnsetType:
    """Return why nothing goes on at a table with the rounds of ``now``; unset if a round is played, or can be."""
    for code, why in _FOR_GOOD.items():
        if code.text in why_not:
            return why
    witnesses = Stopped.WITNESSES if Code.WITNESSES_AWAY.text in why_not else UNSET
    if any(each.published is False for each in now):
        return witnesses or Stopped.PUBLICATION
    if any(each.status == RoundStatus.LOCKED for each in now):
        # Its result is fixed and public to nobody yet: it goes on, whoever is away.
        return UNSET
    if not now:
        for code, why in _BEFORE_A_ROUND.items():
            if code.text in why_not:
                return why
    if witnesses is UNSET and not now and Code.LEAD_NOT_PUBLISHED.text in why_not:
        return _lead(seen)
    return witnesses


def _lead(seen: TableStatus) -> Stopped:
    state = seen.state
    lacks_a_salt = state.salt != UNSALTED and fixed_through(state) < state.next_round + state.lead
    return Stopped.BEACON if lacks_a_salt else Stopped.PUBLICATION


def stopped_long(table: LiveTable, moment: datetime) -> Stopped | None:
    """Return why a table has stood still for long enough to say so: a lock is published in a moment, as a rule."""
    if table.stopped is UNSET:
        return None
    waits = [each.locked_at for each in table.now if each.published is False and each.locked_at is not UNSET]
    if table.stopped == Stopped.PUBLICATION and any(_is_recent(since, moment) for since in waits):
        return None
    return Stopped(table.stopped)


def _is_recent(since: str, moment: datetime) -> bool:
    return moment - datetime.fromisoformat(since) < SHOWN_AFTER
