"""How the tests are laid out."""

from __future__ import annotations

import re
from collections import Counter

from tests.house import HOUSE

MOST_FILES = 15


def test_no_test_is_imported() -> None:
    """Helpers of several tests, and programs that make published vectors, are not test modules."""
    files = [file for folder in ("tests", "benchmarks", "fuzz") for file in (HOUSE / folder).rglob("*.py")]
    assert len(files) > 150
    importing = re.compile(
        r"^\s*(?:from|import) tests\.(?:\w+\.)*test_\w+|^\s*from tests\.[\w.]+ import test_", re.MULTILINE
    )
    found = {file.relative_to(HOUSE).as_posix(): importing.findall(file.read_text("utf-8")) for file in files}
    # This one starts a separate program, which imports a function from it.
    assert {name for name, imports in found.items() if imports} == {"tests/api/store/test_database.py"}


def test_a_folder_of_tests_is_no_larger_than_can_be_seen() -> None:
    """As for packages (`test_maps`): more files than this want a folder."""
    sizes = Counter(file.parent for file in (HOUSE / "tests").rglob("*.py") if file.stem != "__init__")
    folders = {file.parent for file in (HOUSE / "tests").rglob("test_*.py")}
    assert len(folders) > 30
    assert {folder.relative_to(HOUSE).as_posix() for folder in folders if sizes[folder] > MOST_FILES} == set()
