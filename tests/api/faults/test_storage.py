"""The service's storage fails: each failure gives a sentence with the remedy, and no answer is a permanent 500."""

from __future__ import annotations

import errno
import json
import logging
import os
import resource
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.access.tokens import ALL_TABLES, Role, create_token
from api.log import sequencer
from api.log.keys import load_signing_key
from api.operations.health import PARTS
from api.problems import RETRY_SECONDS, Code
from api.programs.background import loop
from api.programs.background.heart import Heartbeat
from api.programs.background.loop import Loop
from api.programs.background.terms import start_sequencer
from api.programs.cli import main
from api.server.app import create_app, create_engine_app
from api.server.offload import in_a_thread
from api.settings import Settings
from api.world import storage_failures as storage
from api.world.clock import Clock
from api.world.published.log_folder import LogFolder
from api.world.statuses import read_status, write_status
from api.world.storage_failures import STORAGE_FAILURES, in_words, writing_fails
from api.world.timekeeper import Timekeeper
from fairness.errors import Missing
from tests.support.calls import body_of, call_of
from tests.support.damage import smash
from tests.support.in_process_service import InProcessService, bets_of
from tests.support.running_service import RunningService, running_service, wait_until, what_fails
from tests.support.small_disk import small_disk

pytestmark = pytest.mark.one_database("damage of files; test_keeper and test_damaged_table have rows of a server's")
FLIGHT, DRAW = "crash-1", "keno-1"
PATIENCE = 60
REBUILD = "run `foredraw rebuild`"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service that has played some rounds."""
    made = InProcessService.create(
        tmp_path / "data", batch_size=400, tables=[(FLIGHT, "crash"), (DRAW, "keno-express")]
    )
    made.play(FLIGHT, 3)
    made.play(DRAW, 30)
    made.settle()
    yield made
    made.stop()


# Finding aids


def delete_all(log: Path) -> None:
    rmtree(log / "find")


def delete_tables(log: Path) -> None:
    rmtree(log / "find" / "tables")


def delete_one(log: Path) -> None:
    min(file for file in (log / "find" / "rounds").rglob("*") if file.is_file()).unlink()


def cut_all(log: Path) -> None:
    for file in (log / "find").rglob("*"):
        if file.is_file():
            os.truncate(file, file.stat().st_size // 2)


def flip(log: Path, at: int) -> None:
    for file in (log / "find" / "tables").glob("*/*"):
        data = bytearray(file.read_bytes())
        data[at] ^= 1
        file.write_bytes(data)


def flip_position(log: Path) -> None:
    flip(log, 7)


def flip_end(log: Path) -> None:
    flip(log, 15)


LOSSES = (delete_all, delete_tables, delete_one, cut_all)


@pytest.mark.lattice
@pytest.mark.parametrize("lose", [*LOSSES, flip_position, flip_end])
def test_finding_aids_that_were_lost_are_made_again_at_the_start(
    lose: Callable[[Path], None], running: InProcessService
) -> None:
    """From the first record on, although the queue has only the last ones; also those that lead elsewhere than to a
    table.
    """
    running.play(DRAW, 200)
    running.check()
    running.stop()
    lose(running.settings.log)
    running.start()
    running.check()
    running.play(DRAW)
    running.check()


@pytest.mark.parametrize("lose", LOSSES)
def test_finding_aids_that_were_lost_are_made_again_while_nobody_plays(
    lose: Callable[[Path], None], running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sequencer checks once a second."""
    monkeypatch.setattr(sequencer, "LOOKED_EVERY_SECONDS", 0)
    lose(running.settings.log)
    running.turn()
    running.check()


@pytest.mark.parametrize("lose", [delete_all, delete_tables, delete_one])
def test_finding_aids_that_were_lost_are_made_again_by_the_process_that_writes_in_them(
    lose: Callable[[Path], None], running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock needs them at once; a file that began with it would lack the earlier rounds."""
    monkeypatch.setattr(sequencer, "LOOKED_EVERY_SECONDS", 1e9)
    for table in (DRAW, FLIGHT):
        running.open(table, running.state(table).next_round)
    lose(running.settings.log)
    for table in (DRAW, FLIGHT):
        running.lock(table, running.state(table).next_round)
        running.reveal(table, running.state(table).next_round - 1)
    if lose is not delete_tables:
        running.check()


def test_a_file_that_was_deleted_and_made_again_is_opened_again(tmp_path: Path) -> None:
    """Otherwise a process that keeps it open would read the old one for ever."""
    log = LogFolder(tmp_path)
    log.write("find/x", b"old")
    assert log.read_part("find/x", 0, 3) == b"old"
    (tmp_path / "find/x").unlink()
    assert log.read_part("find/x", 0, 3) == b""
    log.write("find/x", b"new")
    assert log.read_part("find/x", 0, 3) == b"new"


@pytest.mark.parametrize("damage", [None, b"", b"no checkpoint"])
def test_a_checkpoint_that_was_lost_is_signed_again(
    damage: bytes | None, running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bytes: the head in the database is what was signed."""
    monkeypatch.setattr(sequencer, "LOOKED_EVERY_SECONDS", 0)
    checkpoint = running.settings.log / "checkpoint"
    before = checkpoint.read_bytes()
    checkpoint.unlink()
    if damage is not None:
        checkpoint.write_bytes(damage)
    running.turn()
    assert checkpoint.read_bytes() == before


# Answers


@pytest.fixture
def damaged(running: InProcessService) -> InProcessService:
    """The same service, with a damaged page in its table of rounds, found while it runs."""
    running.stop()
    smash(running.settings.database, "rounds")
    running.start()
    write_status(running.settings.heartbeat, running.service.timekeeper)
    return running


def document(answer: TestResponse) -> dict[str, Any]:
    """The JSON of an answer."""
    found: dict[str, Any] = json.loads(answer.data)
    return found


def engine(running: InProcessService) -> tuple[FlaskClient, dict[str, str]]:
    """A client of the engines' application, and its header."""
    token = create_token(running.service.database, running.clock, "all", Role.ENGINE, [ALL_TABLES])
    return create_engine_app(running.service).test_client(), {"Authorization": f"Bearer {token}"}


def test_answers_from_a_damaged_database_are_problems(
    damaged: InProcessService, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """503 with `Retry-After`, for programs and people; the messages have the sentence once, without a traceback."""
    monkeypatch.setattr(storage, "_said", {})
    public = create_app(damaged.service).test_client()
    client, headers = engine(damaged)
    answers = [public.get(path) for path in ("/v1/live", f"/v1/tables/{DRAW}/rounds", f"/v1/tables/{DRAW}/rounds/1")]
    next_round = f"/v1/engine/tables/{DRAW}/rounds/31"
    answers += [
        client.post(path, data=body_of(path), headers=headers)
        for path in (f"{next_round}/open", f"{next_round}/lock")
    ]
    for answer in answers:
        assert (answer.status_code, document(answer)["code"]) == (503, "storage-fails")
        assert answer.headers["Retry-After"] == str(RETRY_SECONDS[Code.STORAGE_FAILS])
        assert "foredraw.db" not in answer.text
    page = public.get(f"/tables/{DRAW}", headers={"Accept": "text/html"})
    assert (page.status_code, page.mimetype) == (503, "text/html")
    (said,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert said.getMessage().startswith("foredraw.db is damaged (database disk image is malformed). Stop the service")
    assert said.exc_info is None


def test_health_says_what_is_damaged_and_what_to_do(damaged: InProcessService) -> None:
    """Also in a process that has not met the damage: the one that meets it leaves a note, until the next start."""
    public = create_app(damaged.service).test_client()
    assert damaged.service.health.failures()["database"] is None
    public.get(f"/v1/tables/{DRAW}/rounds")
    answer = public.get("/health/ready")
    seen = document(answer)
    assert (answer.status_code, seen["status"], seen["checks"]["database"]["status"]) == (503, "not-ready", "failing")
    assert any("foredraw.db is damaged" in why and REBUILD in why for why in what_fails(seen))


def test_a_program_of_the_operator_says_it_in_one_line(running: InProcessService) -> None:
    """Which file, and the remedy."""
    smash(running.settings.database, "tables")
    result = CliRunner().invoke(main, ["--data", str(running.settings.folder), "table", "list"])
    assert (result.exit_code, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert "foredraw.db is damaged" in line
    assert REBUILD in line


def test_a_damaged_store_of_the_custodian_is_named(running: InProcessService) -> None:
    """Its remedy is different, and never an older state."""
    running.stop()
    smash(running.settings.secrets, "chains")
    running.start()
    why = running.service.health.failures()["custodian"]
    assert why is not None
    assert why.startswith("custodian/seeds.db is damaged")
    assert "newest copy of the custodian's folder back, never an older state" in why


def test_a_damaged_checkpoint_is_named(running: InProcessService) -> None:
    """In every answer that needs the published log."""
    running.stop()
    (running.settings.log / "checkpoint").write_bytes(b"no checkpoint")
    running.start_without_sequencer()
    public = create_app(running.service).test_client()
    assert document(public.get("/v1/live"))["code"] == "storage-fails"
    assert "the log's folder is not whole: checkpoint" in str(running.service.health.failures()["log"])


def test_a_full_disk_is_named_before_anything_fails(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as little space is left."""
    assert running.service.health.failures()["log"] is None
    monkeypatch.setattr(storage, "LEAST_FREE", 2**62)
    assert "Make room, and the service can go on" in str(running.service.health.failures()["log"])


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    """Not writable, because it does not exist."""
    assert "log/ cannot be written" in str(writing_fails(Settings(tmp_path)))


# Words


def of_sqlite(code: int) -> sqlite3.Error:
    error = sqlite3.DatabaseError("words of the driver")
    error.sqlite_errorcode = code
    return error


FULL = "Make room"
FAILURES: list[tuple[Exception, str, str]] = [
    (of_sqlite(sqlite3.SQLITE_CORRUPT), "foredraw.db is damaged", REBUILD),
    (of_sqlite(sqlite3.SQLITE_CORRUPT_INDEX), "foredraw.db is damaged", REBUILD),
    (of_sqlite(sqlite3.SQLITE_NOTADB), "foredraw.db is damaged", REBUILD),
    (of_sqlite(sqlite3.SQLITE_FULL), "foredraw.db cannot grow: the disk is full", FULL),
    (of_sqlite(sqlite3.SQLITE_IOERR_SHMSIZE), "foredraw.db cannot be opened: the disk is full", FULL),
    (of_sqlite(sqlite3.SQLITE_READONLY), "foredraw.db cannot be opened or written", "writable"),
    (of_sqlite(sqlite3.SQLITE_CANTOPEN), "foredraw.db cannot be opened or written", "writable"),
    (of_sqlite(sqlite3.SQLITE_BUSY), "foredraw.db is held by another program", "End that program"),
    (of_sqlite(sqlite3.SQLITE_IOERR_FSYNC), "foredraw.db cannot be used", "Look at the disk"),
    (OSError(errno.ENOSPC, "No space left on device", "/srv/data/log/checkpoint"), "full (log/checkpoint)", FULL),
    (OSError(errno.EDQUOT, "Disk quota exceeded", "/srv/data/log/x"), "this account's quota is used up", FULL),
    (OSError(errno.EROFS, "Read-only file system", "/srv/data/log/x"), "log/x cannot be used (Read-only", "writable"),
    (OSError(errno.EACCES, "Permission denied", "/elsewhere"), "/elsewhere cannot be used", "writable"),
    (OSError(errno.EMFILE, "Too many open files"), "too many files are open", "ulimit -n"),
    (OSError(errno.ENOENT, "No such file", "/srv/data/log/x"), "log/x is missing", "Bring it back from a copy"),
    (OSError(errno.EIO, "Input/output error"), "a file cannot be used (Input/output error)", "Look at the disk"),
    (Missing("tile/0/000", "no such file"), "the log's folder is not whole: tile/0/000", "from a copy of the log"),
]


@pytest.mark.parametrize(("error", "what", "remedy"), FAILURES, ids=lambda value: str(value)[:40])
def test_each_failure_has_its_sentence(error: Exception, what: str, remedy: str) -> None:
    """What is wrong with which file of the data folder, and what to do, on one line."""
    assert isinstance(error, STORAGE_FAILURES)
    words = in_words(error, Settings(Path("/srv/data")))
    assert what in words
    assert remedy in words
    assert "\n" not in words
    assert "/srv" not in words


# The background program


def test_a_part_waits_for_its_storage_and_begins_again(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It says so once, its heartbeat has the sentence, and it continues from what is stored, not from its memory."""
    monkeypatch.setattr(loop, "RETRY_SECONDS", 0.001)
    caplog.set_level(logging.WARNING, "foredraw.background")
    stop, made, status = threading.Event(), list[int](), running.settings.heartbeat_of("keeper")
    troubles: list[str | None] = []

    def make() -> Callable[[], object]:
        made.append(len(made))

        def turn() -> None:
            written = read_status(status, running.service.timekeeper)
            troubles.append(None if written is None else written.trouble)
            if len(troubles) > 8:
                stop.set()
            if 2 < len(troubles) < 6:
                raise OSError(errno.ENOSPC, "No space left on device", str(running.settings.drift))

        return turn

    part = Loop("keeper", make, 0.001, stop, Heartbeat("keeper", running.settings, running.service.timekeeper).report)
    part.start()
    assert stop.wait(PATIENCE)
    part.join()
    assert part.failure is None
    assert made == [0, 1, 2, 3]
    assert [trouble is not None for trouble in troubles] == [*[False] * 3, *[True] * 3, *[False] * 3]
    assert [record.getMessage() for record in caplog.records] == [
        "the keeper waits: the disk is full (drift.json). Make room, and the service can go on",
        "the keeper is at work again",
    ]


TILE = "tile/0/000"
WRITES: dict[str, Callable[[LogFolder, bytes], None]] = {
    "durably": lambda log, data: log.write(TILE, data),
    "soon": lambda log, data: log.write_soon(TILE, data),
    "in place": lambda log, data: log.write_parts(TILE, [(0, data)]),
}
"""How the log's files are written."""


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_full_disk_names_the_file_that_was_written(
    write: Callable[[LogFolder, bytes], None], tmp_path: Path
) -> None:
    """The system does not, because the file is written by its descriptor."""
    settings = Settings(tmp_path)
    (settings.log / TILE).parent.mkdir(parents=True)
    with small_disk(settings.log, 1 << 20) as disk:
        disk.fill()
        with pytest.raises(OSError, match="No space left") as full:
            write(LogFolder(settings.log), bytes(4096))
    assert in_words(full.value, settings).startswith(f"the disk is full (log/{TILE}). ")


def test_a_disk_without_inodes_is_not_called_full(tmp_path: Path) -> None:
    """It has room, and making more of it does not help. A file, a database and a look at the disk say so."""
    settings = Settings(tmp_path)
    settings.log.mkdir()
    with small_disk(tmp_path, inodes=50) as disk:
        disk.fill_with_files()
        with pytest.raises(OSError, match="No space left") as of_a_file:
            LogFolder(settings.log).write("checkpoint", b"data")
        with pytest.raises(sqlite3.OperationalError) as of_a_database:
            sqlite3.connect(settings.database).execute("PRAGMA user_version")
        found = [
            in_words(of_a_file.value, settings),
            in_words(of_a_database.value, settings),
            writing_fails(settings),
        ]
    for words in found:
        assert words is not None
        assert "has no inodes left" in words
        assert "full" not in words
        assert "Remove files there" in words


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_file_that_is_written_in_part_is_an_error(
    write: Callable[[LogFolder, bytes], None], tmp_path: Path
) -> None:
    """The system takes what there is room for, and reports no error before the next write."""
    log, size = LogFolder(tmp_path), 1 << 20
    with room_for(size), pytest.raises(OSError, match="File too large") as raised:
        write(log, bytes(size + 1))
    assert raised.value.filename == str(tmp_path / TILE)


def test_a_sign_that_is_written_in_part_is_an_error(tmp_path: Path) -> None:
    """Otherwise who gives it would believe that it can be read: that the database is damaged, for instance."""
    status, timekeeper = tmp_path / "keeper.alive", Timekeeper(Clock(), tmp_path / "clock.json", lambda: None)
    with room_for(100), pytest.raises(OSError, match="File too large") as raised:
        write_status(status, timekeeper, "the disk is full")
    assert raised.value.filename == str(status)
    write_status(status, timekeeper, "the disk is full")
    found = read_status(status, timekeeper)
    assert found is not None
    assert found.trouble == "the disk is full"


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file of this process can be larger: the system's limit stands for a disk that fills up."""
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, unlimited[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)


def test_a_sequencer_that_could_not_write_goes_on_from_the_database(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it had done by then, nothing of the log is lost or duplicated."""
    log, failing, made = running.service.own_log, [True], list[sequencer.Sequencer]()
    write = log.write

    def write_or_fail(path: str, data: bytes) -> None:
        if path == "checkpoint" and failing:
            raise OSError(errno.ENOSPC, "No space left on device", str(log.folder / path))
        write(path, data)

    def make() -> Callable[[], object]:
        made.append(start_sequencer(running.service, load_signing_key(running.settings)))
        return made[-1].turn

    failing.clear()
    running.sequencer = None
    part = Loop(
        "sequencer",
        make,
        0.001,
        threading.Event(),
        Heartbeat("sequencer", running.settings, running.service.timekeeper).report,
    )
    number = running.state(DRAW).next_round
    running.open(DRAW, number)
    assert not running.service.rounds.lock(
        DRAW, number, bets_of(DRAW, number), call=call_of(DRAW, number)
    ).is_published
    monkeypatch.setattr(log, "write", write_or_fail)
    failing.append(True)
    for _ in range(2):
        failure = part.take_turn()
        assert isinstance(failure, OSError)
        words = in_words(failure, running.settings)
        assert words == "the disk is full (log/checkpoint). Make room, and the service can go on"
    failing.clear()
    assert part.take_turn() is None
    running.sequencer = made[-1]
    running.lock(DRAW, number)
    running.reveal(DRAW, number)
    running.check()


def test_what_is_done_apart_raises_here_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Otherwise gevent's threads would print a traceback."""

    def fail() -> None:
        raise sqlite3.DatabaseError("database disk image is malformed")

    with pytest.raises(sqlite3.DatabaseError, match="malformed"):
        in_a_thread(fail)
    assert in_a_thread(lambda: 7) == 7
    assert capfd.readouterr() == ("", "")


# As an operator would see it


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    """The real service."""
    with running_service(tmp_path / "data", {DRAW: "keno-express"}) as made:
        yield made


@pytest.mark.nightly("a service of its own")
def test_the_real_service_with_a_damaged_page(service: RunningService) -> None:
    """It is damaged while it runs: no 500, no traceback, and the remedy works."""
    for number in (1, 2):
        service.play(DRAW, number)
    service.settle()
    smash(service.settings.database, "rounds")
    path = f"/v1/tables/{DRAW}/rounds"
    wait_until(lambda: service.get(path).status == 503, "the damage to be met")
    for answer in (service.get("/v1/live"), service.get(path), service.act(DRAW, 3, "open")):
        assert (answer.status, answer.document["code"]) == (503, "storage-fails")
    ready = service.get("/health/ready")
    assert ready.status == 503
    assert REBUILD in what_fails(ready.document)[0]
    wait_until(
        lambda: "CRITICAL the monitor waits: foredraw.db is damaged" in service.output, "the monitor to meet it, too"
    )
    service.stop()
    rebuilt = service.foredraw("rebuild")
    assert (rebuilt.returncode, rebuilt.stderr) == (0, "")
    service.start()
    assert service.play(DRAW, 3).status == 200
    assert "Traceback" not in service.output


@pytest.mark.nightly("a service of its own")
def test_the_real_service_without_finding_aids(service: RunningService) -> None:
    """Deleted while it runs, they are made again before anybody needs them."""
    service.play(DRAW, 1)
    service.settle()
    rmtree(service.settings.log / "find")
    wait_until(lambda: "the finding aids are whole again" in service.output, "the finding aids")
    assert service.play(DRAW, 2).status == 200
    wait_until(service.is_ready, "the service to be ready")
    assert "Traceback" not in service.output


@pytest.mark.nightly("starts programs for each state of the database")
def test_the_background_program_ends_with_a_sentence_on_a_database_that_it_cannot_read(
    service: RunningService,
) -> None:
    """At the start it does not wait: the supervisor starts it again, and the reason is in the messages."""
    service.stop()
    smash(service.settings.database, "tables")
    service.launch()
    assert service.ended() == 1
    assert "CRITICAL foredraw.db is damaged" in service.output
    assert "Traceback" not in service.output


def test_every_part_has_a_sign(running: InProcessService) -> None:
    """Health checks the parts on which play depends."""
    write_status(running.settings.heartbeat, running.service.timekeeper)
    assert running.service.health.failures()["background"] is None
    for part in PARTS:
        write_status(running.settings.heartbeat_of(part), running.service.timekeeper, "it cannot work")
        assert running.service.health.failures()["background"] == f"the {part}: it cannot work"
        write_status(running.settings.heartbeat_of(part), running.service.timekeeper)
