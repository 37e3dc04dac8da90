"""Rounds whose order is given thing by thing remember how far: of those that an older version locked, nothing is kept back."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Integer

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """A column of each round."""
    op.add_column("rounds", Column("given", Integer().with_variant(BigInteger(), "postgresql")))
