"""Runs revisions on the connection that `api.store.upgrade` brings: Alembic reads this file, and nothing imports
it.
"""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
# The transaction is the caller's: all revisions or none.
context.run_migrations()
