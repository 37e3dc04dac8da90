"""Commands of a tier run beside each other; whoever waits reads what goes on, and how it ended."""

from __future__ import annotations

import os
import re
import signal
import sys

import pytest

from tests.tiers import stages
from tests.tiers.stages import Stage, run


def python(name: str, program: str, *, shown: bool = False) -> Stage:
    return Stage(name, [sys.executable, "-c", program], shown)


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """What was written, as if nothing had taken a second."""
    return re.sub(r"\b[0-9]+ s$", "0 s", capsys.readouterr().out, flags=re.MULTILINE)


def test_what_passes_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Its name and its seconds; its output, if that is wanted."""
    assert run(python("checks", "print('fine')"))
    assert said(capsys) == "checks: 0 s\n"
    assert run(python("tests", "print('fine')", shown=True))
    assert said(capsys) == "fine\ntests: 0 s\n"


def test_what_fails_shows_its_output(capsys: pytest.CaptureFixture[str]) -> None:
    """All of it, and its status; the others run to their end."""
    other = python("other", "print('fine', flush=True)", shown=True)
    failing = python("checks", "import sys; print('wrong'); sys.exit('and why')")
    assert not run(failing, other)
    assert (failing.status, other.status) == (1, 0)
    lines = said(capsys).splitlines()
    assert lines.index("wrong") < lines.index("and why") < lines.index("checks: failed with status 1 after 0 s")
    assert "other: 0 s" in lines


def test_a_silent_command_is_reported_again_and_again(capsys: pytest.CaptureFixture[str]) -> None:
    """Before ten seconds have passed, with the names of all that go on."""
    assert stages._SILENT_SECONDS_ALONE < stages._SILENT_SECONDS < 10
    waits = "import sys; sys.stdin.read(); import time; time.sleep(0.5)"
    assert run(python("tests", waits), python("checks", waits), silent_seconds=0.05)
    assert "… tests, checks: 0 s" in said(capsys).splitlines()


def test_what_a_command_leaves_running_holds_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A service that a test did not end still has the output of the tests, and would hold it open for ever."""
    monkeypatch.setattr(stages, "_LEFT_SECONDS", 0.1)
    assert run(python("tests", "import subprocess; print(subprocess.Popen(['sleep', '600']).pid)", shown=True))
    left, ended = capsys.readouterr().out.splitlines()
    os.kill(int(left), signal.SIGKILL)
    assert ended.startswith("tests: ")


def test_it_runs_before_anything_is_installed() -> None:
    """With the standard library alone, as `make run` does on a new machine."""
    names = "tests.tiers.__main__, tests.tiers.stages"
    done = run(
        Stage("imports", [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, '.'); import {names}"])
    )
    assert done
