"""``examples/regulator.sh``: what a regulator runs from a timer, with logs of several operators."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event

import pytest

from tests.house import HOUSE
from tests.support.documents import PAGES, fenced
from tests.support.forks import forked
from tests.support.log_server import answering, serving
from tests.support.own_keys import OwnKey, playing
from tests.support.running_service import PATIENCE_SECONDS, wait_until
from tests.support.watching import publish

SCRIPT = HOUSE / "examples" / "regulator.sh"
PAGE = PAGES[Path("docs/regulator.md")]


def test_the_script_is_short_and_shellcheck_finds_nothing() -> None:
    """Whoever lets it run can read it first."""
    assert len(SCRIPT.read_text("utf-8").splitlines()) <= 40
    ran = subprocess.run(["shellcheck", str(SCRIPT)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "")


def test_the_documents_timer_is_one_and_its_list_is_made_of_the_policies(tmp_path: Path) -> None:
    """Systemd knows every setting; the command writes what the page reads (`test_listed_logs`)."""
    for unit in fenced(PAGE, "ini"):
        name = Path(unit.splitlines()[0].removeprefix("# ")).name
        (tmp_path / name).write_text(unit.replace("/opt/verifier/regulator.sh", str(SCRIPT)))
    timer = tmp_path / "regulator.timer"
    verify = ["systemd-analyze", "verify", "--man=no", str(timer), str(tmp_path / "regulator.service")]
    ran = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert [line for line in ran.stderr.splitlines() if str(tmp_path) in line] == []
    for name in ("fore", "other"):
        own = tmp_path / "operators" / name
        own.mkdir(parents=True)
        (own / "policy").write_text(playing(name).policy("https://fore.example/log"))
    (command,) = (block for block in fenced(PAGE, "sh") if "policies.json" in block)
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
    made = json.loads((tmp_path / "policies.json").read_text())
    assert made == {"policies": [playing(name).policy("https://fore.example/log") for name in ("fore", "other")]}
    assert f"it has {len(SCRIPT.read_text('utf-8').splitlines())} lines" in PAGE


class Regulator:
    """A folder with a folder for each operator, and a program that notes whose news it was given."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.noted = folder / "operators", folder / "noted"
        self.folder.mkdir()
        self._program = folder / "program"
        self._program.write_text(f'#!/bin/sh\n{{ echo "$1" && cat; }} >>"{self.noted}"\n')
        self._program.chmod(0o755)

    def add(self, operator: OwnKey, address: str) -> Path:
        """Take in an operator: nothing but its policy."""
        own = self.folder / operator.origin.partition(".")[0]
        own.mkdir()
        (own / "policy").write_text(operator.policy(address))
        return own

    def start(self, **variables: str) -> subprocess.Popen[str]:
        """Begin a run."""
        programs = Path(sys.executable).parent
        return subprocess.Popen(
            [str(SCRIPT), str(self.folder), str(self._program)],
            env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self, running: subprocess.Popen[str]) -> tuple[int, dict[str, list[str]]]:
        """Wait for it; returns its status, and its table by operators. Nothing stands on the error output."""
        printed, errors = running.communicate(timeout=PATIENCE_SECONDS * 4)
        assert errors == ""
        assert (self.folder / "table").read_text() == printed
        heading, *lines = printed.splitlines()
        assert heading.split() == ["operator", "records", "as-of", "log", "statistics", "alarms"]
        return running.returncode, {line.split()[0]: line.split()[1:] for line in lines}

    def run(self, **variables: str) -> tuple[int, dict[str, list[str]]]:
        """Run it."""
        return self.end(self.start(**variables))

    def told(self) -> list[str]:
        """Of whom the program was given news since it was last asked; the news themselves are in the files."""
        text = self.noted.read_text() if self.noted.exists() else ""
        self.noted.unlink(missing_ok=True)
        return sorted(set(text.splitlines()) & {own.name for own in self.folder.iterdir()})


class Silence:
    """A server that takes connections and answers none of them, until it is told to end."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.asked, self.ends = folder, Event(), Event()
        self.answers = False

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer nothing, or the log's file."""
        self.asked.set()
        if not self.answers:
            self.ends.wait()
            return
        file = self._folder / request.path.strip("/")
        body = file.read_bytes() if file.is_file() else b""
        request.send_response(200 if file.is_file() else 404)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


@pytest.fixture(name="regulator")
def _regulator(tmp_path: Path) -> Regulator:
    return Regulator(tmp_path)


@pytest.mark.nightly("looks five times at three logs, with statistics")
@pytest.mark.slow
def test_of_three_operators_one_hangs_one_forks_and_one_is_held(regulator: Regulator, tmp_path: Path) -> None:
    """Who hangs delays nobody, and is unreadable; the fork leaves evidence; and only what is new makes a noise."""
    publish(playing("even"), tmp_path / "even")
    (tmp_path / "two").mkdir()
    publish(playing("forking"), tmp_path / "two" / "forking")
    silence = Silence(playing("hanging").write(tmp_path / "hanging"))
    with (
        serving(tmp_path / "even") as even,
        serving(tmp_path / "two" / "forking") as forking,
        answering(silence.answer) as hanging,
    ):
        regulator.add(playing("even"), even)
        own = regulator.add(playing("forking"), forking)
        regulator.add(playing("hanging"), hanging)

        first = regulator.start()
        assert silence.asked.wait(PATIENCE_SECONDS)
        for name in ("even", "forking"):
            wait_until((regulator.folder / name / "line").exists, f"the line of {name}")
        assert first.poll() is None
        silence.ends.set()
        status, table = regulator.end(first)
        assert (status, regulator.told()) == (1, ["hanging"])
        day = table["even"][1]
        assert table["even"] == ["8", day, "held", "held", "-"]
        assert table["forking"] == ["8", day, "held", "held", "-"]
        assert table["hanging"] == ["0", "never", "unreadable", "none", "-"]
        assert (regulator.folder / "even" / "report.html").exists()

        publish(forked(playing("forking", 2), rounds=2), tmp_path / "two" / "forking")
        publish(playing("even", 5), tmp_path / "even")
        status, table = regulator.run()
        assert (status, regulator.told()) == (1, ["forking"])
        assert table["even"][0] == "12"
        assert table["even"][2:] == ["held", "held", "-"]
        assert table["forking"][2:] == ["ALARM", "held", "fork"]
        assert table["hanging"][1:] == ["never", "unreadable", "none", "-"]
        (evidence,) = own.glob("state.evidence-*.txt")
        assert str(evidence.name) in next((own / "news").iterdir()).read_text()
        command = [sys.executable, "-m", "verifier", "evidence", str(evidence), "--policy", str(own / "policy")]
        accepted = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=False)
        assert (accepted.returncode, "Proven: " in accepted.stdout) == (0, True)

        assert regulator.run()[0] == 0
        silence.answers = True
        status, table = regulator.run()
        assert (status, regulator.told(), table["hanging"][2]) == (1, ["hanging"], "held")
        status, table = regulator.run()
        assert (status, regulator.told()) == (0, [])
        assert {name: line[2] for name, line in table.items()} == {
            "even": "held",
            "forking": "ALARM",
            "hanging": "held",
        }


@pytest.mark.nightly("waits until a look has had its time")
@pytest.mark.slow
def test_a_look_that_takes_too_long_is_unreadable(regulator: Regulator, tmp_path: Path) -> None:
    """And one that is in the middle of its work leaves the state for the next one."""
    silence = Silence(playing("hanging").write(tmp_path / "hanging"))
    with answering(silence.answer) as hanging:
        regulator.add(playing("hanging"), hanging)
        status, table = regulator.run(LIMIT="1")
        assert (status, table["hanging"][1:]) == (1, ["never", "unreadable", "none", "-"])
        silence.answers = True
        silence.ends.set()
        status, table = regulator.run()
        assert (status, table["hanging"][2], regulator.told()) == (1, "held", ["hanging"])


@pytest.mark.nightly("looks twice at two logs")
@pytest.mark.slow
def test_what_is_unknown_or_wrong_usage_is_never_held(regulator: Regulator, tmp_path: Path) -> None:
    """Only status 0 is good news, and only 3 accuses."""
    sandbox = OwnKey("sandbox", "sandbox")
    sandbox.table("keno-1", "keno-express")
    sandbox.write(tmp_path / "sandbox")
    own = regulator.add(playing("even"), "")
    regulator.add(sandbox, str(tmp_path / "sandbox"))
    status, table = regulator.run()
    assert (status, regulator.told()) == (1, ["even", "sandbox"])
    assert (table["even"][2:], table["sandbox"][2:]) == (["no-verdict-2", "none", "-"], ["unknown", "none", "-"])
    assert (own / "errors").read_text()
    assert regulator.run()[0] == 0


def test_a_folder_without_operators_is_wrong_usage(regulator: Regulator) -> None:
    """Nobody is told that nothing is wrong."""
    running = regulator.start()
    assert running.communicate(timeout=PATIENCE_SECONDS) == ("", "")
    assert running.returncode == 2
