"""The revisions of the database's schema, by Alembic: each leads from the one before it, on both engines.

A change of `api.store.models` comes with a revision in `versions`. Both ways to a schema, all revisions from an empty
database and the newest ones from an older one, have to end where the models are; a test compares what the engines say.
PostgreSQL's triggers (`api.store.guards`) are no revisions: whichever are missing or older are made after them.

`versions`  the revisions, in their order
`env`       runs them on the connection that `api.store.upgrade` brings
"""

from __future__ import annotations

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007")
"""All that there are, the oldest first. A start compares them with the database, without Alembic."""
VERSION_TABLE = "alembic_version"
"""Where the database says which revision it has; databases from before the revisions lack it."""
