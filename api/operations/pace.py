"""How fast a table is played, and how long its committed rounds last at that pace."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from datetime import datetime, timedelta

from api.sql.connection import Connection
from api.store import statements as sql
from fairness.records.table_state import TableState
from fairness.times import format_time

WINDOW = timedelta(minutes=5)
_SHORTEST = timedelta(minutes=1)
"""A younger table has no pace yet."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How many rounds were locked in the last minutes."""

    rounds: int
    during: timedelta

    @property
    def per_minute(self) -> float:
        """Rounds per minute."""
        return self.rounds / (self.during / timedelta(minutes=1))

    def lasts(self, rounds: int) -> timedelta | None:
        """Return how long this many rounds last; `None` if nobody plays."""
        return rounds * self.during / self.rounds if self.rounds else None


def pace_of(connection: Connection, state: TableState, now: str) -> Pace:
    """Return a table's pace until ``now``, given up rounds included: they use up what is committed, too."""
    moment = datetime.fromisoformat(now)
    during = min(WINDOW, max(_SHORTEST, moment - datetime.fromisoformat(state.created)))
    since = format_time(moment - during)

    def locked(number: int) -> str:
        return sql.LOCKED_AT.one(connection, table=state.name, round=number)

    # A table's times do not decrease, so a dozen looks find the first round of the last minutes among millions.
    rounds = range(1, state.next_round)
    return Pace(len(rounds) - bisect_left(rounds, since, key=locked), during)
