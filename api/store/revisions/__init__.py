"""The revisions of the database's schema, by Alembic: each leads from the one before it, on both engines.

A change of `api.store.models`, or of the states that rows hold, comes with a revision in `versions`, whose schema is
the models': a test compares what the engines say. Its name is its number, and by what the models are then. A revision
that was released never changes, and every later version upgrades the data folders of its release, which the tests
keep. A database from before the first release is refused. PostgreSQL's triggers (`api.store.guards`) are no
revisions: whichever are missing or older are made after them.

`versions`  the revisions, in their order
`env`       runs them on the connection that `api.store.upgrade` brings
"""

from __future__ import annotations

REVISIONS = ("1_64e6c66d",)
"""All that there are, the oldest first. A start compares them with the database, without Alembic."""
VERSION_TABLE = "alembic_version"
"""Where the database says which revision it has."""
