"""The log's head names the sequencer that may move it: another one, which was leader before, changes nothing any more."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, String, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """A column of the head's row; nobody leads yet."""
    kind = String().with_variant(Text(collation="C"), "postgresql")
    op.add_column("head", Column("leader", kind, nullable=False, server_default=""))
