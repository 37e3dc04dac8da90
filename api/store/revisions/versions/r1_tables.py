"""The tables of the first release, 1.0.0rc1, made in an empty database."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    text,
)

revision = "1_64e6c66d"
down_revision = None

INTEGER = Integer().with_variant(BigInteger(), "postgresql")
TEXT = String().with_variant(Text(collation="C"), "postgresql")
_SCHEMA = MetaData()
Table(
    "tables",
    _SCHEMA,
    Column("name", TEXT, primary_key=True),
    Column("table_id", TEXT, nullable=False),
    Column("game", TEXT, nullable=False),
    Column("lead", INTEGER, nullable=False),
    Column("queued_state", LargeBinary, nullable=False),
    Column("timeout", INTEGER, nullable=False),
    Column("rules", TEXT, nullable=False),
    Column("closing", Boolean, nullable=False),
    Column("halted", TEXT),
    Column("paused", Boolean, nullable=False),
    Column("stopped", Boolean, nullable=False),
    Column("keeps_order", Boolean, nullable=False),
    Index("ix_tables_table_id", "table_id"),
)
Table(
    "appended",
    _SCHEMA,
    Column("table", TEXT, primary_key=True),
    Column("state", LargeBinary, nullable=False),
    Column("position", INTEGER, nullable=False),
)
Table(
    "paytables",
    _SCHEMA,
    Column("hash", TEXT, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
Table(
    "batches",
    _SCHEMA,
    Column("table", TEXT, primary_key=True),
    Column("number", INTEGER, primary_key=True),
    Column("batch_id", TEXT, nullable=False),
    Column("first", INTEGER, nullable=False),
    Column("last", INTEGER, nullable=False),
    Column("custodians", INTEGER, nullable=False),
    Index("batches_by_round", "table", "first"),
)
Table(
    "salts",
    _SCHEMA,
    Column("table", TEXT, primary_key=True),
    Column("batch", INTEGER, primary_key=True),
    Column("beacon", INTEGER, nullable=False),
    Column("signature", TEXT),
)
Table(
    "rounds",
    _SCHEMA,
    Column("table", TEXT, primary_key=True),
    Column("round", INTEGER, primary_key=True),
    Column("status", TEXT, nullable=False),
    Column("opened", TEXT),
    Column("locked", TEXT),
    Column("tick", TEXT),
    Column("bets", TEXT),
    Column("given_up", Boolean, nullable=False),
    Column("reason", TEXT),
    Column("outcome", TEXT),
    Column("seeds", TEXT),
    Column("code", TEXT),
    Column("locked_by", TEXT),
    Column("given", INTEGER),
    Column("dealt", TEXT),
    Column("opened_call", TEXT),
    Column("locked_call", TEXT),
    CheckConstraint("status IN ('open', 'locked', 'played', 'void')", name="round_status"),
    CheckConstraint("(status IN ('played', 'void')) = (outcome IS NOT NULL)", name="no_outcome_before_the_end"),
    CheckConstraint("dealt IS NULL OR outcome IS NOT NULL", name="no_hand_before_the_end"),
    Index("rounds_void", "locked", sqlite_where=text("status = 'void'"), postgresql_where=text("status = 'void'")),
    Index(
        "rounds_locked",
        "table",
        "round",
        sqlite_where=text("status = 'locked'"),
        postgresql_where=text("status = 'locked'"),
    ),
    sqlite_with_rowid=False,
)
Table(
    "queue",
    _SCHEMA,
    Column("id", INTEGER, primary_key=True),
    Column("table", TEXT, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("position", INTEGER),
    Index(
        "queue_position",
        "position",
        unique=True,
        sqlite_where=text("position IS NOT NULL"),
        postgresql_where=text("position IS NOT NULL"),
    ),
)
Table(
    "head",
    _SCHEMA,
    Column("id", INTEGER, primary_key=True, autoincrement=False),
    Column("origin", TEXT, nullable=False),
    Column("size", INTEGER, nullable=False),
    Column("root", TEXT, nullable=False),
    Column("noted", INTEGER, nullable=False),
    Column("leader", TEXT, nullable=False),
    Column("made", TEXT, nullable=False),
    Column("successor", TEXT, nullable=False),
    CheckConstraint("id = 1", name="one_head"),
)
Table(
    "tokens",
    _SCHEMA,
    Column("digest", TEXT, primary_key=True),
    Column("name", TEXT, nullable=False, unique=True),
    Column("role", TEXT, nullable=False),
    Column("tables", TEXT, nullable=False),
    Column("created", TEXT, nullable=False),
    Column("revoked", TEXT),
    Column("account", TEXT),
    Column("expires", TEXT),
    Column("used", TEXT),
)
Table(
    "sessions",
    _SCHEMA,
    Column("digest", TEXT, primary_key=True),
    Column("token", TEXT, nullable=False),
    Column("begun", TEXT, nullable=False),
    Column("seen", TEXT, nullable=False),
)
Table(
    "journal",
    _SCHEMA,
    Column("number", INTEGER, primary_key=True),
    Column("previous", TEXT, nullable=False),
    Column("time", TEXT, nullable=False),
    Column("who", TEXT, nullable=False),
    Column("act", TEXT, nullable=False),
    Column("subject", TEXT, nullable=False),
    Column("before", TEXT),
    Column("after", TEXT),
    Column("reason", TEXT),
    Index("journal_by_act", "act", "number"),
)
Table(
    "journal_head",
    _SCHEMA,
    Column("id", INTEGER, primary_key=True, autoincrement=False),
    Column("number", INTEGER, nullable=False),
    Column("hash", TEXT, nullable=False),
)
Table(
    "statuses",
    _SCHEMA,
    Column("name", TEXT, primary_key=True),
    Column("data", LargeBinary, nullable=False),
    Column("written", INTEGER, nullable=False),
)


def upgrade() -> None:
    """Make every table."""
    _SCHEMA.create_all(op.get_bind())
