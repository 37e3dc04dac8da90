"""What PostgreSQL itself refuses to change."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from api.access.tokens import Role, create_token
from api.store.guards import GUARD, GUARDS
from api.store.tables import SCHEMA
from api.store.upgrade import schema_of, upgrade
from tests.support.calls import call_of
from tests.support.in_process_service import InProcessService

REFUSED = (
    "UPDATE batches SET first = 2",
    "DELETE FROM batches",
    "UPDATE rounds SET outcome = '{}'",
    "UPDATE rounds SET round = 7 WHERE status = 'open'",
    "UPDATE rounds SET locked = 'later' WHERE status = 'locked'",
    "UPDATE rounds SET status = 'won' WHERE status = 'open'",
    "DELETE FROM rounds",
    "UPDATE queue SET data = '\\x00'",
    "UPDATE queue SET position = 1 WHERE position = 0",
    "DELETE FROM queue WHERE position IS NULL",
    "INSERT INTO queue (\"table\", data, position) VALUES ('keno-1', '', 0)",
    "INSERT INTO rounds (\"table\", round, status, given_up) VALUES ('keno-1', 1, 'open', false)",
    "UPDATE appended SET position = 7",
    "DELETE FROM appended",
    "UPDATE tables SET lead = 1",
    "DELETE FROM tables",
    "UPDATE head SET size = size - 1",
    "DELETE FROM head",
    "INSERT INTO head (id, origin, size, root, noted) VALUES (2, '', 0, '', 0)",
    "UPDATE tokens SET role = 'operator'",
    "DELETE FROM tokens",
    "UPDATE journal SET who = 'nobody'",
    "DELETE FROM journal",
    "UPDATE rounds SET locked_by = 'me' WHERE status = 'locked'",
    "UPDATE rounds SET given = 1 WHERE status = 'locked'",
    "UPDATE rounds SET dealt = '{}' WHERE status = 'locked'",
    "UPDATE rounds SET dealt = '{}' WHERE status = 'played'; UPDATE rounds SET dealt = '' WHERE status = 'played'",
    "UPDATE head SET root = 'another'",
    "UPDATE tokens SET expires = NULL",
    "UPDATE tokens SET expires = '9999' || expires",
    "UPDATE tokens SET tables = '[]'",
    "UPDATE tokens SET account = 'aram'",
    "UPDATE tokens SET created = ''",
    *(f"TRUNCATE {table}" for table in SCHEMA.tables if table not in {"sessions", "statuses"}),
    "UPDATE journal_head SET number = number - 1",
)


@pytest.mark.parametrize("statement", REFUSED)
def test_postgresql_refuses_to_change_what_stays(statement: str, running: InProcessService) -> None:
    """Whoever asks: one record per index, one round per number, and what was added is not changed or removed."""
    running.play("keno-1")
    running.open("keno-1", 2)
    running.open("crash-1", 1)
    with running.background_paused():
        running.service.rounds.lock("crash-1", 1, None, call=call_of("crash-1", 1))
    create_token(running.service.database, running.clock, "ani", Role.ENGINE, ["*"], lifetime=timedelta(days=1))
    before = running.states()
    with (
        psycopg.connect(running.server.secret_address) as connection,
        pytest.raises((psycopg.errors.IntegrityError, psycopg.errors.CheckViolation)),
    ):
        connection.execute(statement.encode())
    assert running.states() == before


def test_a_guard_of_an_older_version_is_replaced(running: InProcessService) -> None:
    """By its text, not by its table: an older database refuses afterwards what a new one does."""
    create_token(running.service.database, running.clock, "ani", Role.ENGINE, ["*"])
    database = running.service.database
    with psycopg.connect(running.server.secret_address, autocommit=True) as connection:
        (now,) = (name for name in GUARDS if name.startswith("tokens_update_guard"))
        connection.execute(f"DROP TRIGGER {now} ON tokens".encode())
        connection.execute(
            "CREATE TRIGGER tokens_update_guard BEFORE UPDATE ON tokens FOR EACH ROW"
            f" WHEN (OLD.role <> NEW.role) EXECUTE FUNCTION {GUARD}('older')".encode()
        )
        connection.execute("UPDATE tokens SET account = 'aram'")
        assert schema_of(database).lacks_guards
        upgrade(database)
        assert schema_of(database).is_current
        with pytest.raises(psycopg.errors.IntegrityError):
            connection.execute("UPDATE tokens SET account = 'ani'")
        found = connection.execute("SELECT tgname FROM pg_trigger WHERE tgrelid = 'tokens'::regclass").fetchall()
    assert {name for (name,) in found if name.startswith("tokens_update")} == {now}
