"""Nothing is written but what the user named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house import HOUSE
from tests.support.dishonest_operator import Operator
from tests.support.log_server import serving
from tests.verifier.sources.hostile.answers import VKEY, code_of, gzipped, serving_but
from verifier.commands.command import HELD, MISTYPED, UNREADABLE

_WARDEN = """
import os, sys
allowed = tuple(os.environ["ALLOWED"].split(":"))
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {"os.rename": 2, "os.remove": 1, "os.rmdir": 1, "os.mkdir": 1, "os.link": 2, "os.symlink": 2, "os.truncate": 1,
           "os.chmod": 1, "os.chown": 1, "os.utime": 1, "os.setxattr": 1, "shutil.copyfile": 2, "tempfile.mkstemp": 1}

def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        paths = [path] if flags & WRITES else []
    else:
        paths = arguments[: CHANGES.get(event, 0)]
    for path in paths:
        if not isinstance(path, int) and os.fsdecode(path) != os.devnull and not os.fsdecode(path).startswith(allowed):
            os.write(2, f"WRITTEN: {event} {path!r}\\n".encode())
            os._exit(77)

sys.addaudithook(watch)
"""


class Warden:
    """Runs the program so that writing anywhere but to the named paths ends it, also in its worker processes."""

    def __init__(self, folder: Path) -> None:
        self._site, self._empty = folder / "site", folder / "empty"
        self._site.mkdir()
        (self._site / "sitecustomize.py").write_text(_WARDEN)
        self._empty.mkdir()
        self._empty.chmod(0o500)

    def run(self, *arguments: str | Path, allowed: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run it in an empty folder."""
        house = str(HOUSE)
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{self._site}:{house}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "ALLOWED": str(allowed) if allowed else "/nowhere/at/all",
        }
        return subprocess.run(
            [sys.executable, "-m", "verifier", *map(str, arguments)],
            cwd=self._empty,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def left(self) -> list[Path]:
        """The files in the folder in which it ran."""
        return list(self._empty.iterdir())


@pytest.fixture(name="warden")
def _warden(tmp_path: Path) -> Warden:
    return Warden(tmp_path)


def test_the_warden_sees_what_is_written(warden: Warden, log: Path, tmp_path: Path) -> None:
    """A state file that it was not told of ends the program."""
    ran = warden.run("audit", log, "--key", VKEY, "--state", tmp_path / "state")
    assert ran.returncode == 77
    assert "WRITTEN: open" in ran.stderr


@pytest.mark.nightly("runs every command once more")
def test_nothing_is_written_but_what_the_user_named(
    warden: Warden, log: Path, operator: Operator, tmp_path: Path
) -> None:
    """No cache, no temporary file, no log file: from a folder and over HTTP, in one process and several, held and
    failed.
    """
    with serving(log) as address, serving_but(operator, gzipped, "tile/entries") as hostile:
        for arguments, status in (
            (("audit", log, "--key", VKEY, "--jobs", "1"), HELD),
            (("audit", log, "--key", VKEY, "--jobs", "2"), HELD),
            (("audit", address, "--key", VKEY), HELD),
            (("audit", address, "--key", VKEY, "--jobs", "2", "--json"), HELD),
            (("audit", hostile, "--key", VKEY), UNREADABLE),
            (("audit", log / "none", "--key", VKEY), UNREADABLE),
            (("code", code_of(operator), "--log", log, "--key", VKEY), HELD),
            (("code", code_of(operator), "--log", address, "--key", VKEY), HELD),
            (("code", code_of(operator)[:-1] + "b", "--log", address, "--key", VKEY), MISTYPED),
        ):
            ran = warden.run(*arguments)
            assert (ran.returncode, ran.stderr) == (status, ""), (arguments, ran.stdout, ran.stderr)
    assert warden.left == []
    state = tmp_path / "state"
    ran = warden.run("audit", log, "--key", VKEY, "--state", state, allowed=state)
    assert (ran.returncode, ran.stderr) == (HELD, "")
    assert {path.name for path in tmp_path.glob("state*")} == {"state"}
    assert json.loads(state.read_text())["v"] == 1
