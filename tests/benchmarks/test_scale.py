"""What a log costs as it grows: the figures of ``docs/scale.md`` are the model's, and the model's sizes are those of
real logs.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from api.log.keys import load_signing_key
from api.programs.setup import initialise
from api.settings import Settings
from benchmarks import scale
from benchmarks.made_log import make_log
from tests.house import HOUSE

ROUNDS = 6_400


@pytest.mark.parametrize("table", scale.TABLES, ids=lambda table: table.__name__)
def test_the_document_has_the_models_tables(table: Callable[[], str]) -> None:
    """If a constant changes, ``python -m benchmarks.scale`` prints what belongs into the document."""
    assert table() in (HOUSE / "docs" / "scale.md").read_text("utf-8")


@pytest.mark.nightly("makes a log of several thousand records")
def test_the_sizes_are_those_of_a_log(tmp_path: Path) -> None:
    """Within a tenth, on a log and on the database that is rebuilt from it."""
    settings = Settings(tmp_path / "data")
    initialise(settings, "fore.example/log")
    shutil.rmtree(settings.log)
    make_log(settings.log, ROUNDS, load_signing_key(settings), close=True)
    done = subprocess.run(
        [sys.executable, "-m", "api.programs.cli", "--data", str(settings.folder), "rebuild"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = {
        "bundle": _bytes(settings.log / "tile" / "entries"),
        "tile": _bytes(settings.log / "tile") - _bytes(settings.log / "tile" / "entries"),
        "database": settings.database.stat().st_size / ROUNDS,
    }
    expected = {"bundle": scale.BUNDLE_BYTES, "tile": scale.TILE_BYTES, "database": scale.DATABASE_BYTES}
    assert found == {name: pytest.approx(size, rel=0.1) for name, size in expected.items()}


def _bytes(folder: Path) -> float:
    """For each round."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / ROUNDS
