"""How the tests are laid out."""

from __future__ import annotations

import re
from collections import Counter

from tests.house import HOUSE

MOST_FILES = 15
FOLDERS = ("api", "benchmarks", "examples", "fairness", "fuzz", "games", "standalone", "tests", "verifier")
_SILENCED = re.compile(r"# (?:ruff: )?(?:noqa|type: ignore)\b(.*)")
_WITH_REASON = re.compile(r"(?:: [A-Z]+\d+(?:, [A-Z]+\d+)*|\[[a-z, -]+\]) *(?:--|\(|#) *[\w`].*")


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


def test_whoever_silences_a_check_says_why() -> None:
    """In words behind the rule's name; nobody else knows whether it is still needed."""
    files = [
        file for folder in FOLDERS for file in (HOUSE / folder).rglob("*.py") if "node_modules" not in file.parts
    ]
    silent = [
        f"{file.relative_to(HOUSE)}: {line.strip()}"
        for file in files
        for line in file.read_text("utf-8").splitlines()
        if (found := _SILENCED.search(line)) and not _WITH_REASON.fullmatch(found[1])
    ]
    assert silent == []
