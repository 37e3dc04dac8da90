"""A log to watch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lies import started
from tests.support.watching import publish


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    return started().write(tmp_path / "log")


@pytest.fixture(name="link")
def _link(tmp_path: Path) -> Path:
    publish(started().play("keno-1"), tmp_path / "log")
    return tmp_path / "log"
