"""What the bets of tables pay, as files; a table of an older version names none."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, LargeBinary, String, Text

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """A table, which is empty."""
    text = String().with_variant(Text(collation="C"), "postgresql")
    op.create_table(
        "paytables",
        Column("hash", text, primary_key=True),
        Column("data", LargeBinary, nullable=False),
    )
