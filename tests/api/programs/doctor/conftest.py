"""A service of which each test has a copy, and the moment in which the doctor looks at it."""

from __future__ import annotations

import shutil

import pytest

from api.world.clock import Clock
from tests.api.programs.doctor.asked import DRAW, FLIGHT, NEW, OLD
from tests.support.in_process_service import InProcessService


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A stopped service with a full bundle; its state long before is in ``old``."""
    made = InProcessService.create(
        tmp_path_factory.mktemp("doctor") / "data", batch_size=40, tables=[(FLIGHT, "crash"), (DRAW, "keno-express")]
    )
    while made.size < OLD:
        made.play(FLIGHT)
    made.settle()
    made.stop()
    shutil.copytree(made.settings.folder, made.settings.folder.with_name("old"))
    made.start()
    while made.size < NEW:
        made.play(FLIGHT)
        made.play(DRAW)
        made.keeper.turn()
    made.settle()
    made.stop()
    return made


@pytest.fixture(autouse=True)
def present(base: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor's clock goes on where that of the service was."""
    monkeypatch.setattr(Clock, "moment", lambda _: base.clock.date)
