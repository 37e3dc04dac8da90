"""``foredraw-verify watch`` as a program: how it ends, what it prints, and the commands that it runs on an alarm."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from fairness.log.checkpoints import Checkpoint
from fairness.log.fork import Fork
from tests.house import HOUSE
from tests.lies import started
from tests.support.dishonest_operator import KEY
from tests.support.forks import forked
from tests.support.log_server import serving
from tests.support.running_service import PATIENCE_SECONDS, free_port, running_service, wait_until
from tests.support.watching import publish
from verifier.audit.audit import audit_log
from verifier.audit.state_file import load_state, save_state
from verifier.sources.limits import PATIENCE as SERVER_PATIENCE
from verifier.sources.source import FolderSource
from verifier.watch.alarm_command import MOST_RUNNING, AlarmCommand

VKEY = str(KEY.verifier_key)


class Program:
    """``foredraw-verify watch`` in a separate process, and the lines that it printed."""

    def __init__(self, *arguments: str | Path, key: str = VKEY) -> None:
        command = [sys.executable, "-m", "verifier", "watch", *map(str, arguments), "--key", key, "--every", "0.05"]
        self.process = subprocess.Popen(
            command, cwd=HOUSE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.lines: list[str] = []
        assert self.process.stdout is not None
        self._reader = Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    def _read(self, output: Iterator[str]) -> None:
        self.lines.extend(output)  # each as soon as it is printed

    def wait_for(self, words: str, times: int = 1) -> None:
        """Wait until this many lines with these words were printed."""

        def is_printed() -> bool:
            printed = sum(words in line for line in self.lines) >= times
            assert printed or self.process.poll() is None, (words, self.lines)
            return printed

        wait_until(is_printed, words)

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Stop it, and return its exit status and error output."""
        self.process.send_signal(number)
        status = self.process.wait(PATIENCE_SECONDS)
        self._reader.join(PATIENCE_SECONDS)
        assert self.process.stderr is not None
        return status, self.process.stderr.read()

    def clean_up(self) -> None:
        """Kill it if it still runs."""
        self.process.kill()
        with self.process:
            self.process.wait()
            self._reader.join(PATIENCE_SECONDS)

    @property
    def told(self) -> list[dict[str, Any]]:
        """The parsed lines of ``--json``."""
        return [json.loads(line) for line in self.lines]


@contextmanager
def program(*arguments: str | Path, key: str = VKEY) -> Iterator[Program]:
    """A watch that is stopped at the end of the test, whatever happens."""
    running = Program(*arguments, key=key)
    try:
        yield running
    finally:
        running.clean_up()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_status_0(number: int, tmp_path: Path, log: Path) -> None:
    """No alarm was raised; the last line says so, and the error output is empty."""
    with serving(log) as address, program(address, "--state", tmp_path / "state") as watch:
        watch.wait_for("of them new, follow the rules")
        assert watch.stop(number) == (0, "")
    assert "watching fore.example/log at http://127.0.0.1" in watch.lines[0]
    assert watch.lines[-1].endswith("ended; no alarm was raised\n")


@pytest.mark.slow
def test_a_signal_ends_it_while_a_server_is_silent(tmp_path: Path) -> None:
    """It does not wait for an answer."""
    listener = socket.create_server(("127.0.0.1", 0))
    with listener, program(f"http://127.0.0.1:{listener.getsockname()[1]}", "--state", tmp_path / "state") as watch:
        watch.wait_for("nothing was seen before")
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(1) == b"G"
            begun = time.monotonic()
            assert watch.stop() == (0, "")
            assert time.monotonic() - begun < SERVER_PATIENCE


def once(log: Path | str, state: Path) -> list[str]:
    """The command that looks once."""
    return [
        sys.executable,
        "-m",
        "verifier",
        "watch",
        str(log),
        "--state",
        str(state),
        "--key",
        VKEY,
        "--once",
        "--json",
    ]


@pytest.mark.nightly("starts the program five times")
@pytest.mark.slow
def test_it_looks_once_and_only_what_held_is_status_0(tmp_path: Path, link: Path) -> None:
    """A smaller log, and one that cannot be read, give no verdict; a fork is an alarm, with its evidence."""
    state = tmp_path / "state"

    def look() -> tuple[int, list[str], str]:
        ran = subprocess.run(once(link, state), cwd=HOUSE, capture_output=True, text=True, check=False)
        assert ran.stderr == ""
        told = [json.loads(line) for line in ran.stdout.splitlines()]
        return ran.returncode, [line["what"] for line in told], told[-1]["text"]

    assert look() == (0, ["begun", "grew", "ended"], "ended; no alarm was raised")
    no_verdict = "ended; no alarm was raised; there is no verdict on what is served now"
    publish(started(), link)
    assert look() == (4, ["begun", "trouble", "ended"], no_verdict)
    (link / "checkpoint").unlink()
    assert look() == (4, ["begun", "trouble", "ended"], no_verdict)
    publish(forked(started()), link)
    assert look() == (3, ["begun", "fork", "ended"], "ended; an alarm was raised, see above")
    publish(started().play("keno-1"), link)
    assert look() == (0, ["begun", "ended"], "ended; no alarm was raised")


@pytest.mark.slow
def test_a_look_that_a_signal_ends_is_interrupted(tmp_path: Path) -> None:
    """Nothing is known about the log."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    looking = subprocess.Popen(once(address, tmp_path / "state"), cwd=HOUSE, stdout=subprocess.PIPE, text=True)
    with listener, looking:
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(1) == b"G"
            looking.send_signal(signal.SIGTERM)
            printed, _ = looking.communicate(timeout=PATIENCE_SECONDS)
    assert looking.returncode == 130
    assert json.loads(printed.splitlines()[-1])["text"] == "ended; no alarm was raised; the look was interrupted"


@pytest.mark.slow
def test_an_alarm_is_status_3_and_json_a_line(tmp_path: Path, link: Path) -> None:
    """One object per line, all with the same keys; the file of evidence is named."""
    state = tmp_path / "state"
    with serving(link) as address, program(address, "--state", state, "--json") as watch:
        watch.wait_for('"what": "grew"')
        publish(forked(started(), rounds=1), link)
        watch.wait_for('"what": "fork"')
        status, errors = watch.stop()
    assert (status, errors) == (3, "")
    # A look that falls into the exchange of the folders reads files of both, and reports that.
    told = [line for line in watch.told if line["what"] not in {"trouble", "recovered"}]
    assert [line["what"] for line in told] == ["begun", "grew", "fork", "ended"]
    always = {"v", "command", "origin", "at", "what", "alarm", "text", "size"}
    whole = always | {"evidence", "check", "where", "expected", "found"}
    assert [set(line) for line in told] == [always, always, whole, always]
    fork = told[2]
    assert (fork["v"], fork["alarm"], fork["check"], fork["origin"]) == (1, True, "log-extends", KEY.name)
    assert Fork.parse(Path(fork["evidence"]).read_bytes()).hashes


@pytest.mark.nightly("waits for the pauses of the program")
@pytest.mark.slow
def test_a_server_that_goes_away_and_comes_back(tmp_path: Path, log: Path) -> None:
    """The failure and its end are reported, and the watch continues; a restart in between remembers the failure."""
    state, port = tmp_path / "state", free_port()

    def server() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(log)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    arguments = (f"http://127.0.0.1:{port}", "--state", state, "--stall", "2")
    with program(*arguments) as watch:
        watch.wait_for("the log cannot be read")
        first = server()
        watch.wait_for("of them new, follow the rules")
        watch.wait_for("the log can be read again")
        first.terminate()
        first.wait()
        watch.wait_for("the log cannot be read", 2)
        watch.wait_for("ALARM unreadable")
        assert watch.stop()[0] == 3
    second = server()
    try:
        started().play("keno-1").write(log)
        with program(*arguments) as watch:
            watch.wait_for(f"; {len(started().records)} records were seen before")
            watch.wait_for(", 2 of them new, follow the rules")
            watch.wait_for("ALARM stalled: nothing new for 2 s")
    finally:
        second.terminate()
        second.wait()


@pytest.mark.slow
def test_a_command_runs_on_each_alarm(tmp_path: Path, link: Path) -> None:
    """With the alarm on its input and in its environment, without a shell."""
    told, script = tmp_path / "told", tmp_path / "script.py"
    script.write_text(
        "import os, sys\n"
        f"with open({str(told)!r}, 'a') as file:\n"
        "    file.write(sys.stdin.read() + os.environ['FOREDRAW_WHAT'] + ' ' + sys.argv[1] + '\\n')\n"
    )
    command = f"{sys.executable} {script} '$(touch {tmp_path}/injected); x'"
    with program(link, "--state", tmp_path / "state", "--json", "--exec", command) as watch:
        watch.wait_for('"what": "grew"')
        publish(forked(started()), link)
        watch.wait_for('"what": "fork"')
        # At its end a command has a few seconds only, in which a busy machine may not start it.
        wait_until(lambda: told.exists() and told.read_text().count("\n") == 2, "the command to run")
        status, errors = watch.stop()
    assert (status, errors) == (3, "")
    alarm, rest = told.read_text().splitlines()
    assert json.loads(alarm) == watch.told[2]
    assert rest == f"fork $(touch {tmp_path}/injected); x"
    assert not (tmp_path / "injected").exists()


@pytest.mark.nightly("waits for the pauses of the program")
@pytest.mark.slow
def test_a_command_that_hangs_stops_nothing_and_one_that_fails_is_reported(tmp_path: Path, link: Path) -> None:
    """The watch continues; at its end a command that still runs is killed with all that it started."""
    for command, complaint in (
        ("sleep 600", "the command for broken-rule was killed with the watch"),
        (f"{sys.executable} -c 'raise SystemExit(7)'", "the command for broken-rule failed with status 7"),
    ):
        publish(started(), link)
        state = tmp_path / command[:5].replace("/", "_")
        with program(link, "--state", state, "--stall", "0.5", "--exec", command) as watch:
            watch.wait_for("follow the rules")
            operator = started()
            operator.lock("keno-1", round=9)
            publish(operator, link)
            watch.wait_for("ALARM broken-rule")
            watch.wait_for("ALARM stalled")
            if "failed" in complaint:
                watch.wait_for(complaint)
            status, _ = watch.stop()
        assert status == 3
        assert any(complaint in line for line in watch.lines)


def is_gone(pid: str) -> bool:
    """Whether a process has ended; a zombie counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2][0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.slow
def test_a_command_has_its_time_and_its_number(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A command that runs too long is killed with all that it started; only a few may run at once; a missing program
    is reported.
    """
    told = list[str]()
    pid = tmp_path / "pid"
    sleeper = f"sh -c 'sleep 600 & echo $! >> {pid}; wait'"
    command = AlarmCommand(sleeper, told.append, longest_run=0.5)
    for _ in range(MOST_RUNNING + 1):
        command.run({"what": "fork"})
    assert told == [f"the command was not run for fork: {MOST_RUNNING} of it still run"]
    wait_until(lambda: pid.exists() and pid.read_text().count("\n") == MOST_RUNNING, "all commands to start others")

    def are_killed() -> bool:
        command.look_after()
        return len(told) > MOST_RUNNING

    wait_until(are_killed, "all commands to be killed")
    assert told[1:] == ["the command for fork was killed after 0.5 s"] * MOST_RUNNING
    for number in pid.read_text().split():
        wait_until(partial(is_gone, number), f"process {number} to end")
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\necho heard\n")
    script.chmod(0o755)
    told.clear()
    command = AlarmCommand(str(script), told.append)
    command.run({"what": "fork"})
    command.finish(PATIENCE_SECONDS)
    script.unlink()
    command.run({"what": "fork"})
    assert told == ["the command could not be run for fork: No such file or directory"]
    assert capfd.readouterr() == ("", "heard\n")


@pytest.mark.slow
@pytest.mark.lattice
@pytest.mark.parametrize(
    "arguments",
    [
        ("--every", "0"),
        ("--every", "1e3"),
        ("--every", "nan"),
        ("--stall", "-1"),
        ("--stall", "10000001"),
        ("--exec", ""),
        ("--exec", "'"),
        ("--exec", "/no/such/program"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_reported_before_anything_is_watched(arguments: tuple[str, str], tmp_path: Path) -> None:
    """Status 2, a few lines of error output, and nothing is written."""
    command = [sys.executable, "-m", "verifier", "watch", "somewhere", "--state", str(tmp_path / "state")]
    ran = subprocess.run(
        [*command, "--key", VKEY, *arguments], capture_output=True, text=True, check=False, cwd=HOUSE
    )
    assert (ran.returncode, ran.stdout, "Traceback" in ran.stderr) == (2, "", False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_state_that_cannot_be_used_ends_it(tmp_path: Path, log: Path) -> None:
    """Damaged: status 4. Of another log: status 2."""
    state = tmp_path / "state"
    state.write_text("{}")
    run = partial(subprocess.run, capture_output=True, text=True, check=False, cwd=HOUSE)
    command = [sys.executable, "-m", "verifier", "watch", str(log), "--state", str(state), "--key"]
    assert run([*command, VKEY]).returncode == 4
    save_state(state, audit_log(FolderSource(log), KEY.verifier_key).state)
    other = "fore.example/log+3391d0f1+AZuKtTtiquV2gpdd5ZCyfcWsBuafGyFX/vPhMeFCDSpj"
    ran = run([*command, other])
    assert (ran.returncode, ran.stdout) == (2, "")


@pytest.mark.nightly("a service of its own")
@pytest.mark.slow
def test_a_service_is_watched_while_it_plays(tmp_path: Path) -> None:
    """A real service: its log grows; its background program stops with a locked round, which is reported; then it
    continues.
    """
    with running_service(tmp_path / "data", {"keno-1": "keno-express"}) as service:
        arguments = (f"{service.url}/log", "--state", tmp_path / "state", "--stall", "1.5")
        with program(*arguments, key=str(service.key)) as watch:
            watch.wait_for("follow the rules")
            service.play("keno-1", 1)
            watch.wait_for("follow the rules", 2)
            assert service.act("keno-1", 2, "open").status == 200
            assert service.act("keno-1", 2, "lock").status == 200
            watch.wait_for("keno-1: round 2 was locked at")
            assert service.act("keno-1", 2, "reveal").status == 200
            watch.wait_for("no longer hangs: keno-1: round 2 was locked at")
            assert watch.stop()[0] == 3
        state = load_state(tmp_path / "state")
        assert state is not None
        assert Checkpoint.open(state.checkpoint.encode(), service.key) == service.checkpoint()
        assert (tmp_path / "state").stat().st_size < 10_000


def test_an_alarm_is_in_the_environment_in_utf8_whatever_the_locale(tmp_path: Path) -> None:
    """Its words may be none that the locale's encoding has: a path, or a name."""
    file, script = tmp_path / "environment", tmp_path / "script.py"
    script.write_text(
        "from verifier.watch.alarm_command import AlarmCommand\n"
        f"command = AlarmCommand('cp /proc/self/environ {file}', print)\n"
        "command.run({'what': 'fork', 'text': 'Ереван ×'})\n"
        f"command.finish({PATIENCE_SECONDS})\n",
        encoding="utf-8",
    )
    environment = {"PYTHONPATH": str(HOUSE), "PATH": os.defpath, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-X", "utf8=0", str(script)]
    ran = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert "FOREDRAW_TEXT=Ереван ×".encode() in file.read_bytes().split(b"\0")
