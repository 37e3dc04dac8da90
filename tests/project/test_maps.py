"""Each package's docstring is its map: it names every file and folder of the package, and nothing else."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.house import HOUSE

PACKAGES = sorted(
    file.parent
    for top in ("fairness", "games", "verifier", "api", "examples")
    for file in (HOUSE / top).rglob("__init__.py")
)
MAPPED = [*PACKAGES, HOUSE / "tests" / "support", HOUSE / "benchmarks"]
MOST_FILES = 15
"""How many files one listing shows at a glance."""


@pytest.mark.parametrize("package", MAPPED, ids=lambda package: package.relative_to(HOUSE).as_posix())
def test_a_packages_map_is_complete(package: Path) -> None:
    """Each file and folder has its line, and each line its file or folder."""
    found = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()} - {
        "__init__",
        "__main__",
    }
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""
    assert sorted(re.findall(r"^`(\w+)` {2}", text, re.MULTILINE)) == sorted(found)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.relative_to(HOUSE).as_posix())
def test_a_package_is_no_larger_than_can_be_seen(package: Path) -> None:
    """More files than this need folders."""
    assert len([path for path in package.glob("*.py") if path.stem != "__init__"]) <= MOST_FILES
