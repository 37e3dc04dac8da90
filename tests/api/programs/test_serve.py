"""``foredraw serve`` as a program: how and why it ends, how it restarts, and its demo."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from api.programs.background.heart import HEARTBEAT_SECONDS
from api.programs.supervisor import LOADER
from api.world.published.log_folder import LogFolder
from api.world.supervision import BACKGROUND, ENGINES_API, PUBLIC_API
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import AuthenticTiles, root_from_edge
from tests.support.running_service import (
    SIX_TABLES,
    RunningService,
    family_of,
    initialised,
    running_service,
    wait_until,
)

TABLES = {"keno-1": "keno-express", "crash-1": "crash"}
HEADS: list[Checkpoint] = []
"""The last head that each run of the restarted service signed."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One service that runs all the time."""
    with running_service(tmp_path_factory.mktemp("serve") / "data", TABLES) as running:
        yield running


@pytest.fixture(scope="module", autouse=True)
def rival(service: RunningService) -> Iterator[RunningService]:
    """A second service that is started on the same folder; it waits for 15 seconds, so its test comes last."""
    rival = RunningService(service.folder, service.token, service.batch_size, ("--demo",))
    rival.output_name = "rival.output"
    rival.launch()
    try:
        yield rival
    finally:
        rival.clean_up()


@pytest.fixture(scope="module")
def restarted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that every test starts and ends in its own way."""
    service = initialised(tmp_path_factory.mktemp("restarted") / "data", TABLES)
    try:
        yield service
    finally:
        service.clean_up()


@pytest.mark.lattice
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_it_ends_cleanly_when_it_is_told_to(restarted: RunningService, number: signal.Signals) -> None:
    """Exit status 0, no process left, nothing queued left unpublished, and no error message."""
    restarted.start()
    restarted.settle()
    restarted.play("keno-1", restarted.next_round("keno-1"))
    programs = restarted.children()
    assert programs.keys() == {BACKGROUND, ENGINES_API, PUBLIC_API}
    tasks = Path(f"/proc/{restarted.process.pid}/task")
    # The thread that writes what it has said ends soon after, and before a fork the supervisor waits for that.
    wait_until(lambda: len(list(tasks.iterdir())) == 1, "the supervisor, which forks, to have no thread")
    assert restarted.stop(number) == 0
    HEADS.append(restarted.checkpoint())
    assert not any(Path(f"/proc/{pid}").exists() for pid in programs.values())
    assert restarted.query("SELECT count(*) FROM queue WHERE position IS NULL") == [(0,)]
    assert restarted.query("SELECT size FROM head") == [(restarted.checkpoint().size,)]
    assert not re.search("Traceback|ERROR|CRITICAL|WARNING", restarted.output), restarted.output


@pytest.mark.nightly("starts the service for each program")
@pytest.mark.parametrize(
    ("module", "name"),
    [(BACKGROUND, "background program"), (ENGINES_API, "engines' API"), (PUBLIC_API, "public API")],
)
def test_when_one_program_dies_the_service_ends_and_says_why(
    restarted: RunningService, module: str, name: str
) -> None:
    """The other program is stopped, the exit status is 1, a line names the program that ended, and nothing
    answers.
    """
    restarted.start()
    programs = restarted.children()
    os.kill(programs[module], signal.SIGKILL)
    assert restarted.ended() == 1
    HEADS.append(restarted.checkpoint())
    assert not any(Path(f"/proc/{pid}").exists() for pid in programs.values())
    assert not answers(restarted)
    assert f"foredraw: the {name} ended (status -9), so the service has stopped" in restarted.output


@pytest.mark.nightly("starts the service twice")
@pytest.mark.parametrize(
    ("whom", "number", "status"),
    [("the loader", signal.SIGKILL, 1), ("the supervisor", signal.SIGINT, 0)],
    ids=["killed", "Ctrl-C"],
)
def test_a_start_that_is_broken_off_leaves_no_process(
    restarted: RunningService, whom: str, number: signal.Signals, status: int
) -> None:
    """While the applications are being imported, their loader dies, or a person has thought better of it; only the
    first is said.
    """
    restarted.launch()
    wait_until(lambda: LOADER in restarted.children(), "the loader to start")
    programs = restarted.children()
    os.kill(programs[LOADER] if whom == "the loader" else restarted.process.pid, number)
    assert restarted.ended() == status
    assert not any(Path(f"/proc/{pid}").exists() for pid in programs.values())
    assert not answers(restarted)
    assert restarted.output.count("the engines' API and public API ended (status -9), so") == 1


def answers(service: RunningService) -> bool:
    """Whether anybody listens at the service's address."""
    for port in (service.port, service.engine_port):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True
    return False


@pytest.mark.nightly("starts the service twice")
def test_rounds_go_on_after_a_restart(restarted: RunningService) -> None:
    """A locked flight and an open one are unchanged; their calls give the same answers."""
    restarted.start()
    restarted.settle()
    restarted.act("crash-1", 1, "open")
    locked = restarted.act("crash-1", 1, "lock").document
    opened = restarted.act("crash-1", 2, "open").data
    assert restarted.stop() == 0
    restarted.start()
    assert restarted.act("crash-1", 2, "open").data == opened
    assert restarted.act("crash-1", 1, "lock").document == locked
    assert restarted.act("crash-1", 1, "reveal").status == 200
    assert restarted.act("crash-1", 2, "lock").status == 200
    assert restarted.act("crash-1", 2, "reveal").status == 200
    assert restarted.play("crash-1", 3).status == 200


@pytest.mark.nightly("follows all starts of the tests before it")
def test_every_start_goes_on_with_the_same_log(restarted: RunningService) -> None:
    """After all these restarts the log replays, has no gap, and extends each signed checkpoint."""
    restarted.settle()
    tiles = AuthenticTiles(restarted.checkpoint(), LogFolder(restarted.settings.log).read)
    assert len(HEADS) == 5
    for head in HEADS:
        assert root_from_edge(tiles.prefix_edge(head.size)) == head.root
    states = restarted.replay()
    for table, state in states.items():
        assert (state.counts.played, state.counts.void) == (state.next_round - 1, 0), table
    assert [states[table].next_round for table in TABLES] == [3, 4]


def is_newer(file: Path, last: int) -> bool:
    """Whether a file was written after a moment (ns)."""
    return file.stat().st_mtime_ns > last


def test_each_part_of_the_background_program_gives_signs_of_life(service: RunningService) -> None:
    """Keeper and sequencer, every second; none while the program is paused."""
    signs = [service.settings.heartbeat_of(part) for part in ("keeper", "sequencer")]
    with service.paused():
        before = [sign.stat().st_mtime_ns for sign in signs]
        time.sleep(1.5 * HEARTBEAT_SECONDS)
        assert [sign.stat().st_mtime_ns for sign in signs] == before
    for sign, last in zip(signs, before, strict=True):
        wait_until(partial(is_newer, sign, last), "a sign of life")


@pytest.mark.nightly("starts programs")
def test_a_port_in_use_is_said_at_once(service: RunningService, tmp_path: Path) -> None:
    """One line, before anything is started or changed; another program on the port is not taken for this service."""
    other = initialised(tmp_path / "data", TABLES)
    for ports in ((service.port, other.engine_port), (other.port, service.engine_port)):
        result = other.foredraw("serve", "--port", str(ports[0]), "--engine-port", str(ports[1]))
        assert (result.returncode, result.stdout) == (1, "")
        (taken,) = {*ports} & {service.port, service.engine_port}
        assert result.stderr == f"Error: 127.0.0.1:{taken} cannot be listened on: Address already in use\n"
    assert not other.settings.heartbeat.exists()


@contextmanager
def demo(folder: Path) -> Iterator[RunningService]:
    """``serve --demo`` on a folder that need not exist, with short rounds."""
    service = RunningService(folder, "", 1000, ("--demo", "--pace", "0.2"))
    # On a busy machine, witnesses take longer to see a batch, which must be ten seconds before its pulse.
    service.variables = {"FOREDRAW_FIRST_PULSE": "30"}
    try:
        service.launch()
        wait_until(lambda: everybody_played(service), "a round of each game")
        yield service
    finally:
        service.clean_up()


def everybody_played(service: RunningService) -> bool:
    """Whether this run of the dealer has revealed a round at each table."""
    return all(has_played(service, table) for table in SIX_TABLES)


def has_played(service: RunningService, table: str) -> bool:
    """Whether this run of the dealer has revealed a round at a table."""
    return re.search(rf"^{table} +round ", service.output, re.MULTILINE) is not None


@pytest.mark.nightly("the whole demo, with its beacon and witnesses")
def test_the_demo_plays_six_tables_and_its_commands_verify_them(tmp_path: Path) -> None:
    """From nothing to six running games; the commands that it prints verify everything; twice in a row."""
    with demo(tmp_path / "data") as first:
        assert {table["table"] for table in first.get("/v1/tables").document["tables"]} == set(SIX_TABLES)
        code_command, audit_command = commands(first)
        policy = first.settings.demo_policy
        assert code_command[-2:] == audit_command[-2:] == ["--policy", str(policy)]
        assert "This machine plays all parts" in first.output
        assert b"This machine plays all parts" in first.get("/").data
        for table in ("crash-1", "keno-express-1"):
            code = first.get(f"/v1/tables/{table}/rounds/1").document["round_code"]
            verified = verify([code if word == "CODE" else word for word in code_command[1:]])
            assert verified.returncode == 0, verified
            assert table in verified.stdout
            assert re.search("Witnessed +.*, by witness-1, witness-2", verified.stdout), verified
        audited = verify(audit_command[1:])
        assert audited.returncode == 0, audited
        assert first.stop() == 0
        assert not re.search("Traceback|ERROR|CRITICAL", first.output), first.output
    played = {table: first.queued_state(table).next_round for table in SIX_TABLES}
    first.output_path.unlink()

    with demo(tmp_path / "data") as again:
        # The dealer plays what is added while it runs.
        assert again.foredraw("table", "add", "late-1", "dice-duel").returncode == 0
        wait_until(lambda: has_played(again, "late-1"), "a round of the new table")
        assert again.stop() == 0
        states = again.replay()
        for table, number in played.items():
            assert states[table].next_round > number
            assert states[table].counts.void == 0

    with demo(tmp_path / "data") as killed:
        family = family_of(killed.process.pid)
        os.kill(killed.process.pid, signal.SIGKILL)
        # The witnesses know nothing of a supervisor, and must end with it all the same.
        wait_until(lambda: not any(map(runs, family)), "all programs to end")
    revoked = again.query("SELECT name, revoked IS NULL FROM tokens ORDER BY name")
    assert revoked == [("demo-dealer-1", 0), ("demo-dealer-2", 1)]


def runs(pid: int) -> bool:
    """Whether a process has not ended yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


def commands(service: RunningService) -> list[list[str]]:
    """The commands that the service prints for verification."""
    found = [shlex.split(line) for line in service.output.splitlines() if "foredraw-verify" in line]
    return [words[next(i for i, word in enumerate(words) if "foredraw-verify" in word) :] for words in found]


def verify(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the verifier with nothing but its arguments."""
    return subprocess.run(
        [sys.executable, "-m", "verifier", *arguments], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.one_database("test_one_service has services on a server")
def test_a_second_service_on_the_folder_is_refused(service: RunningService, rival: RunningService) -> None:
    """It says which service is in its way, and does not affect the first, which continues."""
    assert rival.ended() == 1
    assert re.fullmatch(r"Error: another service runs on \S+: stop it first\n", rival.output)
    assert service.query("SELECT name FROM tokens") == [("all",)]
    assert service.play("keno-1", service.next_round("keno-1")).status == 200
