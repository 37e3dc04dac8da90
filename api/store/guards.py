"""What PostgreSQL itself refuses: changes of what the service only ever adds.

A server has other users than this service, and its rows are what an operator's own statements reach first. Triggers
stop mistakes and those users; the owner of the tables, the service's own user, can switch them off. The SQLite file
belongs to the service's account alone, and has the constraints of `models` but no triggers.
"""

from __future__ import annotations

from api.store.models import RoundRow
from fairness.hashing import sha256

GUARD = "foredraw_stays"
"""The function that they all run. One that does something else needs another name, to be made where this one is."""
_SAYS = f"""
CREATE OR REPLACE FUNCTION {GUARD}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$
"""


def _changed(*columns: str) -> str:
    """Return when an update changes any of these columns."""
    old, new = (", ".join(f'{row}."{column}"' for column in columns) for row in ("OLD", "NEW"))
    return f"({old}) IS DISTINCT FROM ({new})"


_ALWAYS = "TRUE"
_OF_THE_ROUND = [column for column in RoundRow._fields if column != "dealt"]
"""What stays when a round has ended; who was dealt what may be said once, also later."""
_OTHERWISE = (
    f"(OLD.outcome IS NOT NULL AND (OLD.dealt IS NOT NULL OR {_changed(*_OF_THE_ROUND)}))"
    f" OR {_changed('table', 'round', 'opened')}"
    f" OR (OLD.locked IS NOT NULL AND {_changed('locked', 'bets', 'given_up')})"
    f" OR (OLD.status = 'locked' AND NEW.status = 'locked' AND {_changed('locked_by')})"
    f" OR (OLD.status = NEW.status AND OLD.locked_call IS NOT NULL AND {_changed('locked_call')})"
    f" OR (OLD.status = NEW.status AND {_changed('opened_call')})"
    " OR (OLD.locked IS NOT NULL AND ((OLD.given IS NULL) <> (NEW.given IS NULL) OR NEW.given < OLD.given))"
)
_OTHER_TOKEN = (
    f"OLD.revoked IS NOT NULL OR {_changed('digest', 'name', 'role', 'tables', 'account', 'created')}"
    " OR (OLD.expires IS NOT NULL AND (NEW.expires IS NULL OR NEW.expires > OLD.expires))"
)
_GUARDS = (
    ("batches", "UPDATE", _ALWAYS, "a batch stays as it was committed"),
    ("batches", "DELETE", _ALWAYS, "a batch stays"),
    (
        "salts",
        "UPDATE",
        f"OLD.signature IS NOT NULL OR {_changed('table', 'batch', 'beacon')}",
        "a salt stays as it is",
    ),
    ("salts", "DELETE", _ALWAYS, "a salt stays"),
    ("rounds", "UPDATE", _OTHERWISE, "what has happened to a round stays"),
    ("rounds", "DELETE", _ALWAYS, "a round stays"),
    ("queue", "UPDATE", f"OLD.position IS NOT NULL OR {_changed('id', 'table', 'data')}", "a record stays as it is"),
    ("queue", "DELETE", "OLD.position IS NULL", "a record waits until it is in the log"),
    ("paytables", "UPDATE", _ALWAYS, "a paytable stays as it is"),
    ("paytables", "DELETE", _ALWAYS, "a paytable stays"),
    ("appended", "UPDATE", _changed("table", "position"), "a table stays where it is"),
    ("appended", "DELETE", _ALWAYS, "a table stays"),
    ("tables", "UPDATE", _changed("name", "table_id", "game", "lead"), "a table stays what it is"),
    ("tables", "DELETE", _ALWAYS, "a table stays"),
    (
        "head",
        "UPDATE",
        f"NEW.size < OLD.size OR {_changed('id', 'origin')} OR (NEW.size = OLD.size AND {_changed('root')})",
        "a log only grows",
    ),
    ("head", "DELETE", _ALWAYS, "a log has a head"),
    (
        "tokens",
        "UPDATE",
        _OTHER_TOKEN,
        "a token is only revoked, or expires earlier",
    ),
    ("tokens", "DELETE", _ALWAYS, "a token stays"),
    ("journal", "UPDATE", _ALWAYS, "an entry stays as it was written"),
    ("journal", "DELETE", _ALWAYS, "an entry stays"),
    ("journal_head", "UPDATE", "NEW.number <= OLD.number", "the journal only grows"),
    ("journal_head", "DELETE", _ALWAYS, "the journal has a head"),
)
"""Table, what is done to its rows, when that is refused, and why."""


def _row_trigger(done: str, table: str, when: str, why: str) -> str:
    return f"BEFORE {done} ON {table} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {GUARD}('{why}')"


_TRIGGERS = {
    f"{table}_{done.lower()}_guard": (table, _row_trigger(done, table, when, why))
    for table, done, when, why in _GUARDS
} | {
    f"{table}_truncate_guard": (
        table,
        f"BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {GUARD}('rows stay')",
    )
    for table, *_ in _GUARDS
}
"""What each trigger does, and its table, by the beginning of its name."""


_IN_PLACE = """
DO $do$
DECLARE older name;
BEGIN
    FOR older IN
        SELECT tgname FROM pg_trigger WHERE tgrelid = '{table}'::regclass AND starts_with(tgname::text, '{beginning}')
    LOOP
        EXECUTE format('DROP TRIGGER %I ON {table}', older);
    END LOOP;
    CREATE TRIGGER {name} {text};
END $do$
"""


def _versioned(beginning: str, text: str) -> str:
    return f"{beginning}_{sha256(text.encode()).hex()[:8]}"


def _creation(beginning: str, table: str, text: str) -> str:
    """Create a trigger in the place of those of older versions."""
    return _IN_PLACE.format(table=table, beginning=beginning, name=_versioned(beginning, text), text=text)


GUARDS = {GUARD: _SAYS} | {
    _versioned(beginning, text): _creation(beginning, table, text) for beginning, (table, text) in _TRIGGERS.items()
}
"""The statements that create them, by their names, in their order. A name says of which version its trigger is."""
