"""An honest log, of which a hostile server serves what it likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lies import started
from tests.support.dishonest_operator import Operator


@pytest.fixture(name="operator", scope="module")
def _operator() -> Operator:
    return started()


@pytest.fixture(name="log")
def _log(operator: Operator, tmp_path: Path) -> Path:
    return operator.write(tmp_path / "log")
