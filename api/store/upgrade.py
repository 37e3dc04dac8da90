"""The schema of a database: which revision it has, and the way to the newest one.

Alembic is imported only when there is something to do, because it takes as long as much of a start.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection as Alchemy

from api.findings.states import ANOTHER_FOLDER
from api.settings import Settings, SettingsError
from api.sql.connection import Connection, Engine
from api.sql.database import Database
from api.sql.schema import names
from api.store import revisions
from api.store.guards import GUARDS
from api.store.revisions import VERSION_TABLE

_FIRST = "tables"
"""A table that every database of a service has."""


@dataclass(frozen=True, slots=True)
class Schema:
    """What a database has of the schema."""

    revision: str | None
    """`None` if it has none: it is empty, or no version of ours has made it."""
    is_empty: bool
    lacks_guards: bool

    @property
    def is_current(self) -> bool:
        """Whether this version of the service can use it."""
        return self.revision == revisions.REVISIONS[-1] and not self.lacks_guards

    @property
    def is_known(self) -> bool:
        """Whether this version of the service can upgrade it."""
        return self.is_empty or self.revision in revisions.REVISIONS

    @property
    def to_come(self) -> tuple[str, ...]:
        """The revisions that it lacks."""
        return revisions.REVISIONS[0 if self.revision is None else revisions.REVISIONS.index(self.revision) + 1 :]


def schema_of(database: Database) -> Schema:
    """Return what a database has of the schema; it may be empty."""
    with database.read() as connection:
        present = names(connection)
        lacks = bool(_missing_guards(connection, present))
        return Schema(_revision(connection, present), _FIRST not in present, lacks)


def _missing_guards(connection: Connection, present: set[str]) -> list[str]:
    """Choose the statements that create those of PostgreSQL's triggers that are not ``present``."""
    if connection.engine is not Engine.POSTGRESQL:
        return []
    return [statement for name, statement in GUARDS.items() if name not in present]


def _revision(connection: Connection, present: set[str]) -> str | None:
    if VERSION_TABLE not in present:
        return None
    found = connection.rows(f"SELECT version_num FROM {VERSION_TABLE}", ())  # noqa: S608 -- names of our own schema
    return str(found[0][0]) if found else None


def check_schema(database: Database, settings: Settings) -> None:
    """Raise `SettingsError` unless the database has the schema of this version of the service."""
    found = schema_of(database)
    if (why := refusal(found, settings)) is not None:
        raise SettingsError(why)


def refusal(found: Schema, settings: Settings) -> str | None:
    """Return why a service cannot start on such a schema, and what to do; `None` if it can."""
    name = settings.database.name if settings.server is None else f"the database {settings.server.place}"
    if found.is_current:
        return None
    if not found.is_known:
        which = "no revision" if found.revision is None else f"revision {found.revision}"
        other = "" if settings.server is None else ", and with another database (FOREDRAW_DATABASE)"
        return (
            f"{name} has {which} of the schema, which this version of the service does not know: install the version that it is"
            f' of, put back the copy from before that one\'s upgrade (docs/install.md, "Upgrade"), or {ANOTHER_FOLDER}{other}'
        )
    if found.is_empty:
        wrong = "" if settings.server is None else "put FOREDRAW_DATABASE right if it names another one; otherwise "
        return f"{name} is empty: {wrong}run `foredraw rebuild` if there is a log already; only for a new log, run `foredraw init`"
    needs = (
        "triggers of it that are missing" if found.revision == revisions.REVISIONS[-1] else revisions.REVISIONS[-1]
    )
    return (
        f"{name} has revision {found.revision} of the schema, and this version of the service needs {needs}. Stop every program"
        " of the service, run `foredraw upgrade --check`, which says what is to be done, and then `foredraw upgrade`"
    )


def upgrade(database: Database) -> None:
    """Bring a database to the newest revision, from an empty one or an older one, in one transaction. What is newer
    stays.

    A crash leaves the old schema, or the new one without some of PostgreSQL's guards, which the same call adds.
    """
    found = schema_of(database)
    if found.is_current or not found.is_known:
        return
    if found.to_come:
        database.alter(_run_revisions)

    def add_guards(connection: Connection) -> None:
        for statement in _missing_guards(connection, names(connection)):
            connection.run(statement)

    database.write(add_guards)


def explained(found: Schema) -> list[str]:
    """Return what `upgrade` would do, a line for each step, without doing it."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415 -- slow to import, and seldom needed

    folder = ScriptDirectory(str(_folder()))
    steps = [folder.get_revision(name) for name in found.to_come]
    lines = [f"{step.revision}: {(step.doc or '').splitlines()[0]}" for step in steps if step is not None]
    return lines + ["the triggers with which PostgreSQL refuses changes"] * found.lacks_guards


def _run_revisions(connection: Alchemy) -> None:
    from alembic import command  # noqa: PLC0415 -- slow to import, and seldom needed
    from alembic.config import Config  # noqa: PLC0415 -- slow to import, and seldom needed

    config = Config()
    config.set_main_option("script_location", str(_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _folder() -> Path:
    return Path(str(revisions.__file__)).parent
