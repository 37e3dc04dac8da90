"""Which policy is in force, for the journal: an operator exchanges it as a file, and no program of ours does it."""

from __future__ import annotations

from collections.abc import Callable

from api.journal.chain import last_of, note
from api.journal.entry import SERVICE, Act, Deed, Values, values_of
from api.sql.database import Database


class Policies:
    """Notes when another policy comes into force than the journal has last; one process of a service has it."""

    def __init__(self, database: Database, time: Callable[[], str]) -> None:
        self._database, self._time = database, time
        self._noted: Values | None = None
        self._knows = False

    def look(self, digest: str | None) -> None:
        """Look at the policy; ``digest`` is SHA-256 of the file in force; `None` without a policy."""
        if not self._knows:
            last = last_of(self._database, Act.POLICY)
            self._noted = None if last is None else values_of(last.after)
            self._knows = True
        now = None if digest is None else {"sha256": digest}
        if now != self._noted:
            note(self._database, self._time(), Deed(SERVICE, Act.POLICY, "policy", before=self._noted, after=now))
            self._noted = now
