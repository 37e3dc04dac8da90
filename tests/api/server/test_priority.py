"""Engines have priority over strangers for the processor."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from api.server.priority import NICENESS, prepare_to_give_way
from api.world.supervision import BACKGROUND, ENGINES_API, PUBLIC_API
from tests.support.running_service import family_of, running_service, wait_until

PROCESSES = {BACKGROUND: 1, ENGINES_API: 3, PUBLIC_API: 3}
"""Of each program, with two workers."""


def threads_of(pid: int) -> list[int]:
    """The threads of a process; each has its own priority."""
    return [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]


def test_the_publics_processes_give_way_to_the_engines(tmp_path: Path) -> None:
    """By the scheduler's data: all processes of the public listener have a lower priority, and none on which engines depend."""
    options = ("--workers", "2", "--niceness", str(NICENESS))
    with running_service(tmp_path / "data", {}, options=options) as service:
        # It is ready when one worker of each listener answers: the others may not have been started yet.
        wait_until(
            lambda: {name: len(family_of(program)) for name, program in service.children().items()} == PROCESSES,
            "all workers to be there",
        )
        found = {
            name: [
                {os.getpriority(os.PRIO_PROCESS, thread) for thread in threads_of(pid)} for pid in family_of(program)
            ]
            for name, program in service.children().items()
        }
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        lower = min(ours + NICENESS, 19)
        of = {name: lower if name == PUBLIC_API else ours for name in PROCESSES}
        assert found == {name: [{of[name]}] * number for name, number in PROCESSES.items()}
        group = Path(f"/proc/{service.children()[PUBLIC_API]}/autogroup")
        assert not group.exists() or group.read_text("ascii").endswith(f" nice {NICENESS}\n")


def test_a_priority_that_somebody_lowered_further_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only root may raise it again: a worker that takes the place of another starts nevertheless."""
    asked = []

    def refuse(*arguments: int) -> None:
        asked.append(arguments)
        raise PermissionError

    monkeypatch.setattr(os, "open", lambda *_: (_ for _ in ()).throw(FileNotFoundError))
    give_way = prepare_to_give_way(NICENESS)
    monkeypatch.setattr(os, "setpriority", refuse)
    give_way()
    assert asked == [(os.PRIO_PGRP, 0, min(os.getpriority(os.PRIO_PROCESS, 0) + NICENESS, 19))]
