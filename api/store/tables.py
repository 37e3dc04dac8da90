"""The schema: the tables of `models`, with what is not said by a column alone."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, MetaData, text

from api.sql.schema import table
from api.store.models import (
    AppendedRow,
    BatchRow,
    HeadRow,
    JournalHeadRow,
    JournalRow,
    PaytableRow,
    QueueRow,
    RoundRow,
    SaltRow,
    SessionRow,
    StatusRow,
    TableRow,
    TokenRow,
)

SCHEMA = MetaData()
_LOCKED, _VOID = text("status = 'locked'"), text("status = 'void'")
_PLACED = text("position IS NOT NULL")

TABLES = table(SCHEMA, "tables", TableRow)
APPENDED = table(SCHEMA, "appended", AppendedRow)
PAYTABLES = table(SCHEMA, "paytables", PaytableRow)
BATCHES = table(SCHEMA, "batches", BatchRow, Index("batches_by_round", "table", "first"))
SALTS = table(SCHEMA, "salts", SaltRow)
ROUNDS = table(
    SCHEMA,
    "rounds",
    RoundRow,
    CheckConstraint("status IN ('open', 'locked', 'played', 'void')", name="round_status"),
    CheckConstraint("(status IN ('played', 'void')) = (outcome IS NOT NULL)", name="no_outcome_before_the_end"),
    CheckConstraint("dealt IS NULL OR outcome IS NOT NULL", name="no_hand_before_the_end"),
    Index("rounds_locked", "table", "round", sqlite_where=_LOCKED, postgresql_where=_LOCKED),
    Index("rounds_void", "locked", sqlite_where=_VOID, postgresql_where=_VOID),
    by_key=True,
)
QUEUE = table(
    SCHEMA,
    "queue",
    QueueRow,
    Index("queue_position", "position", unique=True, sqlite_where=_PLACED, postgresql_where=_PLACED),
)
HEAD = table(SCHEMA, "head", HeadRow, CheckConstraint("id = 1", name="one_head"))
TOKENS = table(SCHEMA, "tokens", TokenRow)
SESSIONS = table(SCHEMA, "sessions", SessionRow)
JOURNAL = table(SCHEMA, "journal", JournalRow, Index("journal_by_act", "act", "number"))
JOURNAL_HEAD = table(SCHEMA, "journal_head", JournalHeadRow)
STATUSES = table(SCHEMA, "statuses", StatusRow)
