"""Rounds know which calls opened and locked them: of those that an older version locked, the first that comes with the same digest."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, String, Text

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Two columns of each round."""
    text = String().with_variant(Text(collation="C"), "postgresql")
    op.add_column("rounds", Column("opened_call", text))
    op.add_column("rounds", Column("locked_call", text))
