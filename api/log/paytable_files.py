"""The files of paytables: in the log's folder, and in its bucket, before a checkpoint is signed that has a table
which names one.

The database has each file since the transaction that queued the table's record, so a crash leaves a record that
nobody has published, or a file that no record names yet; a start writes again what is missing or damaged.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from api.findings.states import lost_paytable
from api.sql.database import Database
from api.store import statements as sql
from api.store.models import PaytableRow
from api.world.published.log_folder import LogFolder
from fairness.errors import CheckFailed, Unreadable
from fairness.hashing import sha256
from games.bets.paytable.read import check_hash, paytable_path

_logger = logging.getLogger("foredraw.sequencer")


class PaytableFiles:
    """The files of one log, and the rows that give a lost one again."""

    def __init__(self, database: Database, log: LogFolder) -> None:
        self._database, self._log = database, log
        self._written = set[str]()
        """Those that this process has written, or found whole: many tables name the same."""

    def write(self, paytables: Iterable[str]) -> None:
        """Write what new tables name, in both places. It is durable when this returns."""
        for paytable in {*paytables} - self._written:
            data = self._stored(paytable)
            if data is not None:
                self._log.write(paytable_path(paytable), data)
            elif not is_whole(self._log, paytable):
                _report_lost(paytable)
                continue
            self._written.add(paytable)

    def check(self, paytables: Iterable[str]) -> None:
        """Check, at a start, that what the log's tables name is there and whole; what is not, is written again from
        the database.
        """
        for paytable in sorted({*paytables}):
            data = self._stored(paytable)
            if is_whole(self._log, paytable):
                if data is None and self._row(paytable) is None:
                    self._take_over(paytable)
            elif data is None:
                _report_lost(paytable)
            else:
                self._log.write(paytable_path(paytable), data)
                _logger.warning("log/%s was missing or damaged: it was written again", paytable_path(paytable))

    def _stored(self, paytable: str) -> bytes | None:
        """Return the database's copy; a damaged one is as good as none, for what is published here never changes."""
        data = self._row(paytable)
        return data if data is not None and sha256(data).hex() == paytable else None

    def _row(self, paytable: str) -> bytes | None:
        with self._database.read() as connection:
            return sql.ONE_PAYTABLE.find(connection, hash=paytable)

    def _take_over(self, paytable: str) -> None:
        """Take over the file, which a rebuild did not find, and which was put back since."""
        row = PaytableRow(paytable, self._log.read(paytable_path(paytable)))
        self._database.write(lambda connection: sql.INSERT_PAYTABLE.run(connection, row))


def is_whole(log: LogFolder, paytable: str) -> bool:
    """Return whether the log's folder has the file of this hash."""
    try:
        check_hash(log.read(paytable_path(paytable)), paytable)
    except (CheckFailed, Unreadable):
        return False
    return True


def _report_lost(paytable: str) -> None:
    _logger.error("%s", lost_paytable(paytable_path(paytable)))
