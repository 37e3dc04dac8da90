"""The record of a table, found by the table's name."""

from __future__ import annotations

from fairness.records.record import TableRecord, tail_of
from fairness.round.authentic_log import AuthenticLog, Placed


def find_table(log: AuthenticLog, name: str) -> Placed[TableRecord] | None:
    """Return the first record of a table of this ``name``, looked for from the log's beginning: no finding aid is by
    name.

    `None` if the log has none. Raises `Unknown` if the record is newer than this program, `CheckFailed` or
    `Unreadable`.
    """
    # A record has one spelling, so its last keys are these. A user may name what is no text; no record has it.
    tail = f'"table":"{name}","type":"table","v":'.encode(errors="surrogateescape")
    for index in range(log.size):
        if tail_of(log.tiles.record(index)).startswith(tail):
            return log.record(index, TableRecord, f"the table {name}", name)
    return None
