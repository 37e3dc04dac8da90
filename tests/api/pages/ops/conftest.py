"""A desk for each test: a copy of a service that is made once, and its operator, who is signed in or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.pages.ops import login as ops_login
from api.server.app import create_app
from tests.api.pages.ops.desk import DRAW, FLIGHT, Desk, give_signs_of_life
from tests.support.in_process_service import InProcessService


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A stopped service with two tables that can be played."""
    made = InProcessService.create(
        tmp_path_factory.mktemp("ops") / "data", tables=[(DRAW, "keno-express"), (FLIGHT, "crash")]
    )
    made.stop()
    return made


@pytest.fixture
def desk(prepared: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A running copy of that service, and an operator who is not signed in."""
    monkeypatch.setattr(ops_login, "FAILURE_SECONDS", 0.01)
    inside = prepared.copy(tmp_path / "data")
    inside.start()
    give_signs_of_life(inside)
    app = create_app(inside.service)
    made = Desk(inside, app, app.test_client(), "")
    made.token = made.token_for("ani")
    yield made
    inside.stop()


@pytest.fixture
def signed_in(desk: Desk) -> Desk:
    """The same with an operator who is signed in."""
    assert desk.sign_in().status_code == 303
    return desk
