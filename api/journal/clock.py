"""Confirming the machine's clock, which is noted first."""

from __future__ import annotations

from datetime import datetime, timedelta

from api.journal.chain import note
from api.journal.entry import Act, Deed
from api.sql.database import Database
from api.world.timekeeper import Timekeeper

_SECOND = timedelta(seconds=1)


def confirm_clock(database: Database, timekeeper: Timekeeper, named: datetime, *, by: str) -> str:
    """Accept the machine's date, confirmed with the time ``named``. Raises `Unconfirmed`.

    A crash after the note leaves the clock unconfirmed, and the next attempt is noted again.
    """
    jumped = timekeeper.jump()
    before = None if jumped is None else {"ahead_seconds": jumped.ahead // _SECOND}

    def noting(shown: str) -> None:
        note(database, shown, Deed(by, Act.CLOCK_CONFIRM, "clock", before=before, after={"time": shown}))

    return timekeeper.confirm(named, noting)
