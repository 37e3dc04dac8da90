"""What PostgreSQL itself refuses, whoever asks: changes of what the service only ever adds.

A server has other users than this service, and its rows are what an operator's own statements reach first. The SQLite file
belongs to the service's account alone, and has the constraints of `models` but no triggers.
"""

from __future__ import annotations

GUARD = "foredraw_stays"
"""The function that they all run."""
_SAYS = f"""
CREATE OR REPLACE FUNCTION {GUARD}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$
"""


def _changed(*columns: str) -> str:
    """When an update changes any of these columns."""
    old, new = (", ".join(f'{row}."{column}"' for column in columns) for row in ("OLD", "NEW"))
    return f"({old}) IS DISTINCT FROM ({new})"


_ALWAYS = "TRUE"
_OTHERWISE = (
    f"OLD.outcome IS NOT NULL OR {_changed('table', 'round', 'opened')}"
    f" OR (OLD.locked IS NOT NULL AND {_changed('locked', 'bets', 'given_up')})"
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
    ("appended", "UPDATE", _changed("table", "position"), "a table stays where it is"),
    ("appended", "DELETE", _ALWAYS, "a table stays"),
    ("tables", "UPDATE", _changed("name", "table_id", "game", "lead"), "a table stays what it is"),
    ("tables", "DELETE", _ALWAYS, "a table stays"),
    ("head", "UPDATE", f"NEW.size < OLD.size OR {_changed('id', 'origin')}", "a log only grows"),
    ("head", "DELETE", _ALWAYS, "a log has a head"),
    (
        "tokens",
        "UPDATE",
        f"OLD.revoked IS NOT NULL OR {_changed('digest', 'name', 'role')}",
        "a token is only revoked",
    ),
    ("tokens", "DELETE", _ALWAYS, "a token stays"),
    ("journal", "UPDATE", _ALWAYS, "an entry stays as it was written"),
    ("journal", "DELETE", _ALWAYS, "an entry stays"),
    ("journal_head", "UPDATE", "NEW.number <= OLD.number", "the journal only grows"),
    ("journal_head", "DELETE", _ALWAYS, "the journal has a head"),
)
"""Table, what is done to its rows, when that is refused, and why."""


def _trigger(name: str, table: str, done: str, when: str, why: str) -> str:
    return (
        f"CREATE TRIGGER {name} BEFORE {done} ON {table} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {GUARD}('{why}')"
    )


GUARDS = {GUARD: _SAYS} | {
    name: _trigger(name, table, done, when, why)
    for table, done, when, why in _GUARDS
    if (name := f"{table}_{done.split()[0].lower()}_guard")
}
"""The statements that create them, by their names, in their order."""
