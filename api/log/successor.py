"""Whether the log ends: which log follows it."""

from __future__ import annotations

from api.sql.connection import Connection
from api.store import statements as sql
from fairness.records.succession import successor_named


def successor_of(connection: Connection) -> str:
    """Return the key of the log that follows: the last record names it, or one that waits to be the last; empty if
    none does.

    In a transaction that has taken the names (`sql.TAKE_NAMES`), and while that lasts, none begins to wait.
    """
    if appended := sql.ONE_HEAD.one(connection).successor:
        return appended
    # Nothing may wait before a log's last record.
    first = sql.WAITING.all(connection, after_id=0, limit=1)
    return (successor_named(first[0].data) or "") if first else ""
