"""Writes the vectors of every format, the dishonest operator's cases, and the list of vectors that notice a check's
absence.
"""

from __future__ import annotations

import subprocess
import sys
from shutil import rmtree

from tests.house import HOUSE
from tests.recipes.cases.catalogue import files
from tests.recipes.cases.told import FOLDER as CASES
from tests.recipes.catalogue import FOLDER, FORMATS

REMOVED_CHECKS = HOUSE / "tests" / "vectors" / "removed_checks.json"


def write() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    for kind in FORMATS:
        (FOLDER / f"{kind.name}.json").write_text(kind.file(), "utf-8")

    rmtree(CASES, ignore_errors=True)
    for path, data in files().items():
        file = CASES / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    # In a separate process, because its modules have a switch at every check.
    found = subprocess.run([sys.executable, "-m", "tests.oracles.removed_checks"], stdout=subprocess.PIPE, check=True)
    REMOVED_CHECKS.write_bytes(found.stdout + b"\n")


if __name__ == "__main__":
    write()
