"""SQL has one place: no other package of the service contains SQL text.

That nothing else imports a driver or SQLAlchemy, and that no page or call imports a statement, is an import contract.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import api

SERVICE = Path(api.__file__).parent
FOR_SQL = (SERVICE / "sql", SERVICE / "store")
SQL = re.compile(
    r"\s*(SELECT\s.+\bFROM\b|INSERT\s+INTO\b|UPDATE\s.+\bSET\b|DELETE\s+FROM\b|PRAGMA\s+\w"
    r"|(CREATE|ALTER|DROP)\s+(TABLE|INDEX|VIEW|TRIGGER|UNIQUE)\b|(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|VACUUM)\b)",
    re.DOTALL,
)


def texts(source: str) -> Iterator[tuple[int, str]]:
    """All texts of a module with their lines; a question mark stands for what an f-string inserts."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "?" for part in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def sql_in(source: str) -> list[tuple[int, str]]:
    """The texts that are SQL."""
    return [(line, text) for line, text in texts(source) if SQL.match(text)]


def test_no_sql_outside_the_store() -> None:
    """No module of another package contains a statement or a pragma."""
    modules = [file for file in SERVICE.rglob("*.py") if not any(file.is_relative_to(folder) for folder in FOR_SQL)]
    assert len(modules) > 100
    assert {str(file.relative_to(SERVICE)): found for file in modules if (found := sql_in(file.read_text()))} == {}


def test_sql_is_found_where_it_stands() -> None:
    """The search finds every kind of statement, in plain texts and in f-strings, and the store's own."""
    spelled = [
        '"SELECT * FROM rounds"',
        '"""\n  SELECT name\n  FROM tables"""',
        'f"SELECT count(*) FROM {name}"',
        '"INSERT INTO chains VALUES (?)"',
        '"UPDATE head SET size = 1"',
        '"DELETE FROM queue"',
        'f"PRAGMA busy_timeout = {milliseconds}"',
        '"CREATE TABLE notes (id INTEGER)"',
        "f'ALTER TABLE {name} ADD COLUMN x'",
        '"BEGIN IMMEDIATE"',
        '"COMMIT"',
    ]
    assert [text for text in spelled if not sql_in(f"x = {text}")] == []
    assert sql_in('x = "Select a table from the list. Commit to nothing: DELETE and UPDATE are words."') == []
    assert sql_in((SERVICE / "sql" / "sqlite.py").read_text())
