"""Where the service touches the outside world: in four folders, and in the places that are listed here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house import HOUSE

API = HOUSE / "api"
FOLDERS = {"world", "sql", "programs", "server"}
"""Files, clocks and locks; SQLite; processes and signals; sockets."""
CONTACT = {
    "fcntl",
    "multiprocessing",
    "os",
    "random",
    "secrets",
    "shutil",
    "signal",
    "socket",
    "subprocess",
    "tempfile",
}
WALL_CLOCK = {("time", "time"), ("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
ELSEWHERE = {
    "settings.py": {"os"},  # the environment
    "http/elsewhere.py": {"os"},  # the environment
    "integrity/integrity.py": {"socket"},  # the name of this machine, for the journal
    "restore/backup.py": {"os", "shutil", "tempfile"},  # copies into a folder of its own, and makes the copy durable
    "restore/pieces.py": {"os", "shutil"},  # copies into a folder that no service uses, and makes that durable
    "restore/rebuild.py": {"shutil"},  # copies a folder that no service uses
    "store/replacement.py": {"shutil"},  # copies a file that no service uses
    "traces.py": {"os"},  # the environment, and the process's number
    "operations/health.py": {"time.time"},  # a file's age, by the same clock as its date
}
FILES = sorted(file for file in API.rglob("*.py") if file.relative_to(API).parts[0] not in FOLDERS)


def contact(file: Path) -> set[str]:
    """The modules of `CONTACT` that a file imports, and the wall clocks that it reads."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names} & CONTACT
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or ""} & CONTACT
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found |= {f"{module}.{name}" for module, name in {(node.value.id, node.attr)} & WALL_CLOCK}
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(API).as_posix())
def test_the_world_is_touched_in_four_folders(file: Path) -> None:
    """All other places are listed, and every entry of the list is correct."""
    assert contact(file) == ELSEWHERE.get(file.relative_to(API).as_posix(), set())


def test_the_places_elsewhere_exist() -> None:
    """Every file in the list exists."""
    assert set(ELSEWHERE) <= {file.relative_to(API).as_posix() for file in FILES}
