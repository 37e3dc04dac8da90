"""Writes the vectors of every format, and the dishonest operator's cases."""

from __future__ import annotations

from shutil import rmtree

from tests.recipes import cases
from tests.recipes.catalogue import FOLDER, FORMATS

FOLDER.mkdir(exist_ok=True)
for kind in FORMATS:
    (FOLDER / f"{kind.name}.json").write_text(kind.file(), "utf-8")

rmtree(cases.FOLDER, ignore_errors=True)
for path, data in cases.files().items():
    file = cases.FOLDER / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
