"""Engines have priority over strangers for the processor."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from api.server.priority import NICENESS, prepare_to_give_way
from api.world.supervision import BACKGROUND, ENGINES_API, PUBLIC_API
from tests.house import HOUSE
from tests.support.running_service import RunningService, family_of, running_service, wait_until

PROCESSES = {BACKGROUND: 1, ENGINES_API: 3, PUBLIC_API: 3}
"""Of each program, with two workers."""


LATECOMER = f"""
import os
from api.server.priority import prepare_to_give_way

give_way = prepare_to_give_way({NICENESS})
reading, writing = os.pipe()
if pid := os.fork():
    os.setpgid(pid, pid)
    give_way()
    os.setpgid(pid, os.getpgrp())
    os.write(writing, b"now")
    os.wait()
else:
    os.read(reading, 3)
    before = os.getpriority(os.PRIO_PROCESS, 0)
    give_way()
    print(before, *(os.getpriority(os.PRIO_PROCESS, each) for each in (0, os.getppid())))
"""
"""A child that is not in its parent's group while the parent gives way, like a worker that is just being forked."""


def lowered() -> int:
    """The priority of a process that gives way."""
    return min(os.getpriority(os.PRIO_PROCESS, 0) + NICENESS, 19)


def priorities_of(pid: int) -> set[int]:
    """Those of a process's threads; each has its own."""
    found = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(ProcessLookupError):  # It may have ended since.
            found.add(os.getpriority(os.PRIO_PROCESS, int(task.name)))
    return found


def priorities(service: RunningService) -> dict[str, list[set[int]]]:
    """Those of all processes of each program."""
    return {name: [priorities_of(pid) for pid in family_of(program)] for name, program in service.children().items()}


def test_the_publics_processes_give_way_to_the_engines(tmp_path: Path) -> None:
    """By the scheduler's data: all processes of the public listener have a lower priority, and none on which engines
    depend.
    """
    options = ("--workers", "2", "--niceness", str(NICENESS))
    with running_service(tmp_path / "data", {}, options=options) as service:
        # It is ready when one worker of each listener answers: the others may not have been started yet.
        wait_until(
            lambda: {name: len(family_of(program)) for name, program in service.children().items()} == PROCESSES,
            "all workers to be there",
        )
        # One that was being forked while the first gave way does so itself, when it has loaded the application.
        wait_until(
            lambda: all(each == {lowered()} for each in priorities(service)[PUBLIC_API]), "all workers to give way"
        )
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        of = {name: lowered() if name == PUBLIC_API else ours for name in PROCESSES}
        assert priorities(service) == {name: [{of[name]}] * number for name, number in PROCESSES.items()}
        group = Path(f"/proc/{service.children()[PUBLIC_API]}/autogroup")
        assert not group.exists() or group.read_text("ascii").endswith(f" nice {NICENESS}\n")


def test_a_process_that_was_not_in_the_group_yet_gives_way_itself() -> None:
    """The call of another passes it by; its own call reaches it, and leaves those that gave way before where they
    are.
    """
    ran = subprocess.run(
        [sys.executable, "-c", LATECOMER],
        cwd=HOUSE,
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    )
    assert ran.stdout.split() == [str(os.getpriority(os.PRIO_PROCESS, 0)), *[str(lowered())] * 2]


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


def test_a_weight_that_changed_a_moment_ago_is_changed_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Linux refuses this for a tenth of a second after any session's change, such as another service's start."""
    weight, refusals, pauses, write = tmp_path / "autogroup", 3, list[float](), os.write
    weight.touch()
    opened = os.open(weight, os.O_WRONLY)

    def refuse_at_first(file: int, data: bytes) -> int:
        if len(pauses) < refusals:
            raise BlockingIOError
        return write(file, data)

    monkeypatch.setattr(os, "open", lambda *_: opened)
    monkeypatch.setattr(os, "setpriority", lambda *_: None)
    monkeypatch.setattr(os, "write", refuse_at_first)
    monkeypatch.setattr("api.server.priority.time.sleep", pauses.append)
    prepare_to_give_way(NICENESS)()
    os.close(opened)
    assert (weight.read_text("ascii"), len(pauses)) == (str(NICENESS), refusals)
