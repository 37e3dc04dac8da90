"""What a column is beside its type: it stands in the type of a row's field, and needs nothing of SQLAlchemy."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Column(NamedTuple):
    """What SQLModel takes in a `Field`: ``Annotated[str, KEY]`` is a column of the primary key."""

    primary_key: bool = False
    indexed: bool = False
    unique: bool = False
    autoincrement: bool | Literal["auto"] = "auto"


KEY = Column(primary_key=True)
ONE = Column(primary_key=True, autoincrement=False)
"""The key of a table's only row."""
INDEXED = Column(indexed=True)
UNIQUE = Column(unique=True)
