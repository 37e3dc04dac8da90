"""The signs of the sequencer that leads, for listeners on machines that do not share its folder; there are none yet."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, LargeBinary, String, Text

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """A table, which stays empty where all programs have one folder."""
    text = String().with_variant(Text(collation="C"), "postgresql")
    op.create_table(
        "signs",
        Column("name", text, primary_key=True),
        Column("data", LargeBinary, nullable=False),
        Column("written", Integer().with_variant(BigInteger(), "postgresql"), nullable=False),
    )
