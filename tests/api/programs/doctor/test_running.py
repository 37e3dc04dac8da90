"""What the doctor finds while a service runs on the folder."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from api.operations.drift import CountNow
from api.operations.overview import Background, Overview, TableNow
from api.programs.doctor.examine import examine
from api.programs.doctor.running import troubles
from api.witnesses.reports import WitnessNow
from api.world.clock import Clock
from api.world.file_lock import hold_folder
from api.world.statuses import write_status
from api.world.timekeeper import Timekeeper
from tests.api.programs.doctor.asked import DRAW, problems
from tests.api.programs.doctor.states import AGAIN
from tests.support.commands import foredraw
from tests.support.damage import lose_database
from tests.support.in_process_service import InProcessService
from tests.support.running_service import running_service


def test_a_folder_that_is_held_runs(running: InProcessService) -> None:
    """Without a heartbeat of its parts, that is what is found; with one that reports a damage, the damage."""
    with hold_folder(running.settings):
        seen = examine(running.settings)
        assert seen.running
        assert {each.about for each in seen.findings} == {"background"}
        timekeeper = Timekeeper(Clock(), running.settings.clock, lambda: None)
        write_status(running.settings.damage, timekeeper, "foredraw.db is damaged (a page). Run `foredraw rebuild`")
        found = {each.about: each for each in problems(running.settings)}
    assert found["database"].next == "foredraw rebuild"
    lose_database(running)


def test_a_running_service_is_examined_while_it_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All is well, in the middle of rounds; then a mark shows that the log is not the one that it was."""
    monkeypatch.undo()
    with running_service(tmp_path / "data", {DRAW: "keno-express"}) as service:
        for _ in range(3):
            service.play(DRAW, service.next_round(DRAW))
        document = json.loads(foredraw(service.settings.folder, "doctor", "--json").stdout)
        assert document == {
            "folder": str(service.settings.folder),
            "running": True,
            "healthy": True,
            "findings": [],
            "v": 1,
            "command": "doctor",
        }
        with closing(sqlite3.connect(service.settings.secrets)) as store, store:
            store.execute("UPDATE marks SET position = position + 100000")
        (found,) = problems(service.settings)
        assert (found.about, found.next) == ("log", AGAIN)
        assert "the published log does not have that record" in found.says


def test_each_trouble_of_the_overview_has_its_words() -> None:
    """Those that nothing else reports: a witness, the queue, the monitor, a drift, a round that hangs, a table run
    dry.
    """
    state = cast("Any", type("State", (), {"name": DRAW})())
    hangs = cast("Any", type("Round", (), {"hangs": True, "number": 1700, "age": timedelta(minutes=9)})())
    table = cast("TableNow", _Table(state, [hangs]))
    background = Background({"keeper": 0.0, "sequencer": 0.0}, 5000, 1, 1.0, 61.0, [])
    count = CountNow("red", 10, 1.0, 2.0, 5e6, 640)
    away = WitnessNow("lab", 0, None, "no answer within 10 seconds", None)
    seen = Overview(
        *("2026-11-20T22:49:01.123Z", background, [table], [], {DRAW: [count]}),
        witnesses=(away,),
        away=(timedelta(hours=2),),
    )
    found = {each.about: each for each in troubles(seen)}
    assert set(found) == {"witness", "queue", "monitor", "drift", "hangs", "dry"}
    assert found["witness"].says == "The witness lab is away for 2 hours: no answer within 10 seconds."
    assert "5,000 records wait" in found["queue"].says
    assert "round 640" in found["drift"].says
    assert found["drift"].next.startswith("foredraw-verify audit")
    assert "Round 1,700 of keno-1 is locked for 9 minutes" in found["hangs"].says
    assert "no round to open" in found["dry"].says


class _Table:
    """A table with a round that hangs, and none to open."""

    damaged, halted, runs_dry = False, None, True

    def __init__(self, state: object, rounds: list[object]) -> None:
        self.state, self.rounds = state, rounds
