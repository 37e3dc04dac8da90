"""The commands in the operator's documents, run one block after the other on a service that has played.

Each block begins with a copy of the same folder, and each of its commands has to succeed. `test_compose` and
`test_deploy_kit` run other commands of these pages; those of `ELSEWHERE` need a state or a machine that this test
cannot make.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.log.keys import load_verifier_key
from api.programs.cli import main
from api.settings import Settings
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import AuthenticTiles
from fairness.records.succession import predecessor_named
from tests.support.documents import OPERATOR, fenced
from tests.support.in_process_service import ORIGIN, InProcessService
from tests.support.postgres import PostgresServer
from tests.support.running_service import PATIENCE_SECONDS, RunningService, wait_until
from verifier.sources.source import FolderSource

pytestmark = pytest.mark.one_database("the document's commands are of a file; it says what differs")

PROGRAMS = {".venv/bin/foredraw", "foredraw"}
BLOCKS = [block for block in fenced(OPERATOR, "sh") if "foredraw" in block]
ELSEWHERE = {
    "serve": "runs until Ctrl-C: every test with a running service",
    "beacon": "runs until Ctrl-C: test_beacon",
    "policy --url https://casino.example/log --witnesses - < witnesses > /etc/foredraw/policy": "test_installation",
    "integrity": "an editable installation has no manifest: test_integrity",
    "--data next": "a second folder, beside a running service: below",
    "succeed": "the same",
    "rebuild --fork-the-log-discarding 24": "a log that has lost 24 records: test_older_log",
}
PLAYED, NEXT = "crash-1", 17
"""The documents void this round, so it is the next one."""


def commands(lines: list[list[str]]) -> list[list[str]]:
    """The arguments of the operator's program, line by line, without those that are run elsewhere."""
    calls = [words[1:] for words in lines if words[0] in PROGRAMS]
    return [words for words in calls if not {words[0], " ".join(words[:2]), " ".join(words)} & ELSEWHERE.keys()]


LINES = {block: [shlex.split(line) for line in block.splitlines()] for block in BLOCKS}
RUN = [(block, found) for block, lines in LINES.items() if (found := commands(lines))]


def run(folder: Path, *arguments: str, environment: Mapping[str, str | None] | None = None) -> str:
    """One command, which must succeed; returns what it printed."""
    done = CliRunner().invoke(main, ["--data", str(folder), *arguments], env=environment)
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return done.output


@contextmanager
def sequencer(folder: Path) -> Iterator[None]:
    """A service that publishes: a void has to be in the log before the command says so."""
    program = [sys.executable, "-m", "api.programs.cli", "--data", str(folder), "sequence"]
    with (folder.parent / "output").open("wb") as output:
        process = subprocess.Popen(program, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        heartbeat = Settings(folder).heartbeat
        wait_until(lambda: process.poll() is not None or heartbeat.exists(), "the sequencer to work")
        assert process.poll() is None, (folder.parent / "output").read_text("utf-8")
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def earlier(folder: Path) -> Path:
    """Where the back-up of a folder is, from before its last round."""
    return folder.with_name("earlier")


def now() -> str:
    """The time of another clock, as an operator reads it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ")


@pytest.fixture(scope="module")
def jumped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that was played days ago, by the clock of the tests, and not since: its clock has to be confirmed."""
    folder = tmp_path_factory.mktemp("played") / "data"
    made = InProcessService.create(folder, batch_size=50, tables=[(PLAYED, "crash")])
    made.play(PLAYED, NEXT - 2)
    made.settle()
    run(folder, "backup", str(earlier(folder)))
    made.play(PLAYED)
    made.settle()
    made.stop()
    return folder


@pytest.fixture(scope="module")
def played(jumped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, confirmed."""
    folder = tmp_path_factory.mktemp("confirmed") / "data"
    shutil.copytree(jumped, folder)
    run(folder, "clock", "confirm", now())
    return folder


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of the commands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("block", "calls"), RUN, ids=[" ".join(calls[0][:2]) for _, calls in RUN])
def test_the_commands_work_as_they_stand_there(
    block: str, calls: list[list[str]], place: Path, jumped: Path, played: Path, request: pytest.FixtureRequest
) -> None:
    """In order; only folders, the date, and the address of PostgreSQL are replaced."""
    folder, server = place / "data", None
    if calls[0][0] != "init":
        shutil.copytree(jumped if "clock" in calls[0] else played, folder)
    if calls[0][0] == "restore":
        shutil.copytree(earlier(jumped), place / "backup")
        (folder / "foredraw.db").unlink()
    with sequencer(folder) if "round void" in block else nullcontext():
        for program, *words in LINES[block]:
            if program == "export" and words[0].startswith("FOREDRAW_DATABASE="):
                postgres: PostgresServer = request.getfixturevalue("postgres")
                server = postgres.new_database().secret_address
            if program == "mv":
                Path(words[0]).rename(words[1])
            if words not in calls:
                continue
            own = [re.sub(r"^/(srv/backup|var/backups)/.*$", str(place / "backup"), word) for word in words]
            own = [re.sub(r"^20\d\d-\d\d-\d\dT\d\d:\d\dZ$", now(), word) for word in own]
            if "--continues" in own:
                own[-1] = run(folder, "journal", "--head").split()[-1]
            environment = {
                "FOREDRAW_DATABASE": server,
                "FOREDRAW_VOID_CONFIRMED_WITHIN": "900" if "round confirm" in block else None,
                "SUDO_USER": "aram" if "confirm" in own else "ani",
            }
            run(folder, *own, environment=environment)


def test_every_command_of_the_page_is_run_or_says_where() -> None:
    """Nothing is left out by accident: what is run elsewhere is on a page, and most commands are run here."""
    everything = [words for block in BLOCKS for line in block.splitlines() if (words := line.split())[0] in PROGRAMS]
    assert len(everything) > 45
    for key in ELSEWHERE:
        assert any(" ".join(words[1:]).startswith(key) for words in everything), key
    assert sum(len(calls) for _, calls in RUN) > 35


@pytest.mark.nightly("a service of its own")
def test_one_log_follows_another_as_typed(place: Path, played: Path) -> None:
    """The block, as a shell runs it beside the old log's service; afterwards the new one names it first."""
    (block,) = [block for block in BLOCKS if "succeed" in block]
    shutil.copytree(played, place / "data")
    (place / ".venv").symlink_to(sys.prefix)
    old = RunningService(place / "data", "", 50)
    try:
        old.start()
        typed = block.replace("--origin casino.example/log ", f"--origin {ORIGIN} ")
        done = subprocess.run(["sh", "-e", "-c", typed], cwd=place, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{ORIGIN} has ended with" in done.stdout
    finally:
        old.clean_up()
    with sequencer(place / "next"):
        wait_until((place / "next" / "log" / "checkpoint").exists, "the new log")
    new = FolderSource(place / "next" / "log")
    tiles = AuthenticTiles(
        Checkpoint.open(new.read("checkpoint"), load_verifier_key(Settings(place / "next"))), new.read
    )
    assert predecessor_named(tiles.record(0)) == str(old.key)
