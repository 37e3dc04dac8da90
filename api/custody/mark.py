"""A mark: how far a table's seeds have left the custodian.

It names the record of the published log against which the last of them was released. The log only grows, so a log
without that record is an older one, or another one: restored from a backup, most likely. Playing on it would offer
bets on outcomes that are known, and sign a second history.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from api.sql.columns import KEY


class Mark(NamedTuple):
    """The highest round of a table whose seed has left the custodian."""

    table_id: Annotated[bytes, KEY]
    table: str
    round: int
    position: int
    """Where the record stands that allowed it: the round's lock, or the table's end."""
    leaf: bytes
    """That record's leaf hash."""
    abandoned: bool = False
    """Whether the operator forked the log on purpose, and so gave this table up (``foredraw rebuild``)."""

    def __str__(self) -> str:
        return (
            f"the custodian has released the seed of round {self.round} of {self.table} "
            f"against record {self.position} of the log"
        )

    @property
    def missing(self) -> str:
        """The refusal of a log that lacks this record."""
        return (
            f"{self}, and the published log does not have that record: the log is older than the custodian's store, or "
            "another one, most likely from a backup. Stop the service and put the newest copy of the log's folder back; "
            'docs/back-up.md says under "Back-up and restore" what is left to do if there is none'
        )
