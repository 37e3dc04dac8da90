"""The log's head knows which programs the log names as its makers, and which log comes after it."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, String, Text

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Two columns of the head's row; an older version wrote no record of either kind."""
    for name in ("made", "successor"):
        kind = String().with_variant(Text(collation="C"), "postgresql")
        op.add_column("head", Column(name, kind, nullable=False, server_default=""))
