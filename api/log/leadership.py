"""Which sequencer may publish: a term begins when the lock of the database is taken (`api.sql.server_lock`).

Each term has a name of its own, and two steps make its leader the only one, whatever an earlier one still does:

1. the name is written into the head's row. That waits for a transaction of an earlier leader that moves the head, and
   from then on each later one changes nothing;
2. the earlier leader's folder of unfinished files is taken away, so it puts no file into the log any more, neither a
   checkpoint nor a tile (`LogFolder.write_as`).

Only then is anything read that the term starts from. A crash between the steps leaves a log without a leader, and the
next term does both again. Each step looks whether the lock is still held. One that was halted in the second may take
away the folder of a leader that came after it: that one finds so, and begins another term. The finding aids are not
fenced: an earlier leader only writes what the log already has there, the same bytes as every other leader. It removes
partial files only of tiles whose full file is published. A service with a file as its database is alone on its
machine, and needs none of this.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress

from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.world.clock import entropy
from api.world.published.log_folder import LogFolder
from api.world.storage_failures import STORAGE_FAILURES, HeldElsewhereError, ServerFailure

_NAME_SIZE = 8
_logger = logging.getLogger("foredraw.background")


class Leadership:
    """The terms of one process."""

    def __init__(
        self,
        hold: Callable[[], int],
        database: Database,
        log: LogFolder,
        begun: Callable[[], None] = lambda: None,
    ) -> None:
        """``hold`` is what `hold_service` gives, for a database on a server; each term begins with a call of
        ``begun``.
        """
        self._hold, self._database, self._log, self._begun = hold, database, log, begun
        self._threads = threading.Lock()
        self._term, self._name = 0, ""

    def name(self) -> str:
        """Return the name of the present term. Raises `ServerFailure`, `HeldElsewhereError` for one, if this process
        does not lead.
        """
        with self._threads:
            term = self._hold()
            if term != self._term or not self._log.may_write_as(self._name):
                self._begin(term)
            return self._name

    def while_another_leads(self, work: Callable[[], None]) -> bool:
        """Do ``work`` if another process leads, and say whether one does; no term of this process begins meanwhile.

        A failure of storage in it is left to whoever looks what it has done. Raises `ServerFailure` if it is unknown
        who leads.
        """
        with self._threads:
            try:
                self._hold()
            except HeldElsewhereError:
                with suppress(*STORAGE_FAILURES):
                    work()
                return True
            return False

    def _begin(self, term: int) -> None:
        """Begin a term. One that is halted for so long in between that another leads by then leaves it to that
        one.
        """
        name = entropy(_NAME_SIZE).hex()

        def lead(connection: Connection) -> None:
            sql.SET_LEADER.count(connection, new_leader=name)
            # The row is this transaction's until it ends, so whoever takes the lock after this look writes its name
            # later.
            self._check_held(term)

        self._database.write(lead)
        self._log.write_as(name)
        # If another has taken the lock by now, it has lost its folder, and begins again.
        self._check_held(term)
        self._begun()
        self._term, self._name = term, name
        _logger.info("this sequencer leads (%s)", name)

    def _check_held(self, term: int) -> None:
        if self._hold() != term:
            raise ServerFailure("this sequencer was not the leader for a moment, and begins again")
