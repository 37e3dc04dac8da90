"""``foredraw upgrade``: the schema of this version, in a database that is kept as it was."""

from __future__ import annotations

from itertools import count

from api.journal.chain import note
from api.journal.entry import Act, Deed
from api.settings import Settings
from api.sql.files import copy_database
from api.store.schema import disposed, open_database
from api.store.sole import hold_service
from api.store.upgrade import schema_of, upgrade
from api.world.clock import Clock
from api.world.durable import sync_file


def upgrade_kept(settings: Settings, *, by: str) -> str | None:
    """Keep a copy, upgrade, and note it in the journal. Raises `SettingsError` while a service runs.

    Returns the name of the old database's copy; `None` for a server, which makes none.
    """
    with hold_service(settings), disposed(open_database(settings)) as database:
        kept = None if settings.server is not None else _keep(settings)
        before = schema_of(database).revision
        upgrade(database)
        after = schema_of(database).revision
        note(database, Clock().now(), Deed(by, Act.UPGRADE, "schema", {"revision": before}, {"revision": after}))
    return kept


def _keep(settings: Settings) -> str:
    """Copy the file to the first free name; it is whole and durable before anything is changed."""
    free = (settings.database.with_name(f"{settings.database.name}.before-upgrade-{number}") for number in count(1))
    target = next(path for path in free if not path.exists())
    copy_database(settings.database, target)
    sync_file(target)
    return target.name
