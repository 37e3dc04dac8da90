"""`foredraw doctor`: each state of a data folder is made, and explained in plain words with the next command."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from api.operations.drift import BetNow
from api.operations.overview import Background, Overview, TableNow
from api.programs.doctor import folder as doctors_folder
from api.programs.doctor.examine import examine
from api.programs.doctor.finding import Finding
from api.programs.doctor.running import troubles
from api.settings import Settings
from api.store.rows import decode_state
from api.witnesses.reports import WitnessNow
from api.world import storage_failures as storage
from api.world.clock import Clock
from api.world.file_lock import FileLock, hold_folder
from api.world.key_files import read_key
from api.world.signs import give_sign
from api.world.timekeeper import Timekeeper
from fairness.draws.commitments import commitments_path
from fairness.log.notes import SigningKey
from fairness.log.tiles import WIDTH
from fairness.round.finding_aids import RoundPositions, place_in_file, rounds_path, tables_path
from tests.support.commands import foredraw
from tests.support.damage import contents, crash_at_lock, flip_bit, lose_database, put_back, smash
from tests.support.in_process_service import InProcessService
from tests.support.running_service import running_service

FLIGHT, DRAW = "crash-1", "keno-1"
OLD, NEW = 30, WIDTH + 40


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A stopped service with a full bundle; its state long before is in ``old``."""
    made = InProcessService.create(
        tmp_path_factory.mktemp("doctor") / "data", batch_size=40, tables=[(FLIGHT, "crash"), (DRAW, "keno-express")]
    )
    while made.size < OLD:
        made.play(FLIGHT)
    made.settle()
    made.stop()
    shutil.copytree(made.settings.folder, made.settings.folder.with_name("old"))
    made.start()
    while made.size < NEW:
        made.play(FLIGHT)
        made.play(DRAW)
        made.keeper.turn()
    made.settle()
    made.stop()
    return made


@pytest.fixture(autouse=True)
def present(base: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor's clock goes on where that of the service was."""
    monkeypatch.setattr(Clock, "moment", lambda _: base.clock.date)


def problems(settings: Settings) -> list[Finding]:
    """What there is to do."""
    return [finding for finding in examine(settings).findings if finding.level == "problem"]


def notes(settings: Settings) -> list[Finding]:
    """What there is to know."""
    return [finding for finding in examine(settings).findings if finding.level == "note"]


@dataclass(frozen=True)
class State:
    """A state of the folder: how it comes about, what is said about it, and the next command."""

    spoil: Callable[[Settings, Path], object]
    about: str
    says: str
    then: str


def change(settings: Settings, statement: str) -> None:
    with closing(sqlite3.connect(settings.database)) as connection, connection:
        assert connection.execute(statement).rowcount > 0


def older(settings: Settings, old: Path, *parts: str) -> None:
    """Parts of the folder are from an old back-up."""
    for part in parts:
        if part == "foredraw.db":
            for file in settings.folder.glob("foredraw.db*"):
                file.unlink()
        here = settings.folder / part
        if here.is_dir():
            shutil.rmtree(here)
            shutil.copytree(old / part, here)
        else:
            shutil.copy2(old / part, here)


def cut(file: Path, size: int) -> None:
    """In a file of its own: copies of a log share theirs."""
    data = file.read_bytes()
    file.unlink()
    file.write_bytes(data[:size])


def no_database(settings: Settings, _: Path) -> None:
    for file in settings.folder.glob("foredraw.db*"):
        file.unlink()


def no_database_and_no_log(settings: Settings, _: Path) -> None:
    no_database(settings, _)
    shutil.rmtree(settings.log)


def no_sqlite(settings: Settings, _: Path) -> None:
    no_database(settings, _)
    settings.database.write_bytes(b"x" * 9000)


def emptied(settings: Settings, _: Path) -> None:
    """As a crash can leave it."""
    no_database(settings, _)
    settings.database.touch()


def older_schema(settings: Settings) -> None:
    change(settings, "UPDATE alembic_version SET version_num = '0003'")
    with closing(sqlite3.connect(settings.database)) as connection:
        connection.execute("DROP TABLE signs")


def copy_key(key: Path, name: str) -> None:
    shutil.copy2(key, key.with_name(name))


def replaced(file: Path, at: int) -> None:
    """A bit is flipped in a file of its own: copies of a log share theirs."""
    data = bytearray(file.read_bytes())
    data[at % len(data)] ^= 1
    file.unlink()
    file.write_bytes(data)


def mislead(settings: Settings, _: Path) -> None:
    """The batch of the next round of a table is noted where another record is."""
    with closing(sqlite3.connect(settings.database)) as connection:
        query = "SELECT name, table_id, queued_state FROM tables WHERE name = ?"
        _, table_id, state = connection.execute(query, (DRAW,)).fetchone()
    number = decode_state(state).next_round
    file = settings.log / rounds_path(bytes.fromhex(table_id), number)
    data = bytearray(file.read_bytes())
    at = place_in_file(number) * RoundPositions.SIZE
    data[at : at + 8] = (3).to_bytes(8, "big")
    file.unlink()
    file.write_bytes(data)


OTHER = SigningKey("casino.example/log", bytes(32)).verifier_key
COPY = "from a copy of the log"
AGAIN = "foredraw doctor"
STATES = {
    "no signing key": State(
        lambda s, _: s.signing_key.unlink(),
        "keys",
        r"log-signing.key is missing: .*your backup of keys",
        AGAIN,
    ),
    "a signing key for all": State(
        lambda s, _: s.signing_key.chmod(0o644), "keys", r"can be read by others: run chmod 600 on it", AGAIN
    ),
    "no key of the seeds": State(
        lambda s, _: s.seeds_key.unlink(),
        "keys",
        r"seed-encryption.key is missing: .*backup of keys",
        AGAIN,
    ),
    "no public key": State(
        lambda s, _: s.verifier_key.unlink(),
        "keys",
        r"log.vkey is missing: run `foredraw serve` once",
        "foredraw serve",
    ),
    "a damaged public key": State(
        lambda s, _: s.verifier_key.write_text("no key"),
        "keys",
        r"holds no public key of a log .*delete it",
        "foredraw serve",
    ),
    "keys/ for all": State(
        lambda s, _: s.signing_key.parent.chmod(0o777),
        "permissions",
        "other accounts can write into keys/",
        "chmod 700",
    ),
    "no database": State(
        no_database, "folder", "holds no database: put .* back, or run `foredraw rebuild`", "foredraw rebuild"
    ),
    "no database and no log": State(no_database_and_no_log, "folder", "keys and no log, so put log/ and", AGAIN),
    "a damaged page": State(
        lambda s, _: smash(s.database, "rounds"),
        "database",
        "foredraw.db is damaged .*keep a copy",
        "foredraw rebuild",
    ),
    "no database at all": State(
        no_sqlite,
        "database",
        "foredraw.db is damaged .*not a database",
        "foredraw rebuild",
    ),
    "a damaged row": State(
        lambda s, _: change(s, "UPDATE tables SET queued_state = x'00' WHERE name = 'keno-1'"),
        "table",
        f"the row of the table {DRAW} in foredraw.db is damaged",
        "foredraw rebuild",
    ),
    "a halted table": State(
        lambda s, _: change(
            s, "UPDATE tables SET halted = 'queue entry 7: reveal-seed: expected aa, found bb' WHERE name = 'keno-1'"
        ),
        "table",
        rf"table {DRAW} is halted \(queue entry 7: reveal-seed\): .*Start the service again",
        "foredraw rebuild",
    ),
    "a journal that was changed": State(
        lambda s, _: change(s, "UPDATE journal SET who = 'nobody' WHERE number = 1"),
        "journal",
        "the journal was changed: entry 2 was written after",
        "foredraw journal --verify",
    ),
    "an old database": State(
        lambda s, old: older(s, old, "foredraw.db"),
        "log",
        "the database is older than the published log",
        "foredraw rebuild",
    ),
    "an old log": State(
        lambda s, old: older(s, old, "log"),
        "log",
        "the log's folder is older than the database: .*newest copy",
        AGAIN,
    ),
    "an old log and an old database": State(
        lambda s, old: older(s, old, "log", "foredraw.db"),
        "log",
        "custodian has released the seed of round .*most likely from a backup",
        AGAIN,
    ),
    "an old custodian": State(
        lambda s, old: older(s, old, "custodian"),
        "custodian",
        "custodian/seeds.db lacks the seeds of rounds [0-9,]+ to [0-9,]+ of .*Put the newest copy of custodian/ back",
        AGAIN,
    ),
    "no custodian": State(
        lambda s, _: shutil.rmtree(s.secrets.parent),
        "custodian",
        "custodian/seeds.db is missing: .*newest copy",
        AGAIN,
    ),
    "a damaged custodian": State(
        lambda s, _: smash(s.secrets, "chains"),
        "custodian",
        "custodian/seeds.db is damaged .*never an older state",
        AGAIN,
    ),
    "a custodian for all": State(
        lambda s, _: s.secrets.parent.chmod(0o755),
        "permissions",
        "custodian/ is open to other accounts",
        "chmod 700",
    ),
    "no tile": State(lambda s, _: (s.log / "tile/0/000").unlink(), "log", f"not whole: .*tile/0/000.*{COPY}", AGAIN),
    "a torn tile": State(
        lambda s, _: cut(s.log / "tile/0/000", 8000), "log", f"not whole: .*tile/0/000.*{COPY}", AGAIN
    ),
    "no bundle": State(
        lambda s, _: (s.log / "tile/entries/000").unlink(), "log", f"not whole: .*tile/entries/000.*{COPY}", AGAIN
    ),
    "a torn bundle": State(
        lambda s, _: cut(s.log / "tile/entries/000", 400),
        "log",
        f"not whole: .*tile/entries/000.*{COPY}",
        AGAIN,
    ),
    "no checkpoint": State(
        lambda s, _: (s.log / "checkpoint").unlink(), "log", "checkpoint is missing, and the database has", AGAIN
    ),
    "a damaged checkpoint": State(
        lambda s, _: flip_bit(s.log / "checkpoint"), "log", "checkpoint is not ours", AGAIN
    ),
    "no log": State(lambda s, _: shutil.rmtree(s.log), "log", "log/ is missing.*newest copy", AGAIN),
    "an empty database": State(emptied, "database", "foredraw.db is empty.*companions", "foredraw rebuild"),
    "an empty custodian": State(
        lambda s, _: [file.write_bytes(b"") for file in s.secrets.parent.glob("seeds.db*")],
        "custodian",
        "custodian/seeds.db is empty.*never an older",
        AGAIN,
    ),
    "an older schema": State(
        lambda s, _: older_schema(s), "database", "needs 0004.*`foredraw upgrade`", "foredraw upgrade"
    ),
    "a newer schema": State(
        lambda s, _: change(s, "UPDATE alembic_version SET version_num = '9999'"),
        "database",
        "a newer",
        AGAIN,
    ),
    "the public key of another log": State(
        lambda s, _: s.verifier_key.write_text(f"{OTHER}\n"), "log", "is not ours|another log", AGAIN
    ),
    "a rotation that was not finished": State(
        lambda s, _: copy_key(s.seeds_key, "seed-encryption.next"), "keys", "rotat", "foredraw key rotate"
    ),
    "a restore that was not finished": State(
        lambda s, _: (s.folder / "log.restoring").mkdir(),
        "restore",
        "log.restoring is what an interrupted `foredraw restore` was copying",
        "foredraw restore BACKUP",
    ),
    "two parts of a restore that was not finished": State(
        lambda s, _: [
            (s.folder / name).write_bytes(b"") for name in ("foredraw.db.restoring", "custodian/a.restoring")
        ],
        "restore",
        "and 1 more are what",
        "foredraw restore BACKUP",
    ),
    "a finding aid that leads elsewhere": State(
        mislead, "log", "find/rounds/.* leads elsewhere than to the batch of a round of keno-1", "rm "
    ),
    "a tile that was changed": State(
        lambda s, _: replaced(s.log / "tile/1/000.p/1", 0),
        "log",
        f"not whole: the partial tiles of size .*{COPY}",
        AGAIN,
    ),
    "a bundle that was changed": State(
        lambda s, _: replaced(s.log / "tile/entries/000", 9000),
        "log",
        f"not whole: .*tile/entries/000.*{COPY}",
        AGAIN,
    ),
    "a log that cannot be written": State(
        lambda s, _: s.log.chmod(0o500), "permissions", "log is closed to the service's own account", "chmod -R"
    ),
    "a closed file": State(
        lambda s, _: s.database.chmod(0o400),
        "permissions",
        "foredraw.db is closed to the service's own account",
        "chmod -R",
    ),
}


OF_FILES = {
    *(
        "no database",
        "no database and no log",
        "no database at all",
        "a damaged page",
        "a damaged row",
        "an empty database",
    ),
    *("an old database", "an old log and an old database", "an older schema", "a newer schema", "a closed file"),
    *("a halted table", "a journal that was changed", "a finding aid that leads elsewhere"),
}
"""They are made by changing the database's file."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.one_database("changes the file") if name in OF_FILES else ())
        for name in STATES
    ],
)
def test_a_state_is_explained(name: str, running: InProcessService, base: InProcessService) -> None:
    """It is found, in words, with the next command; the exit status is 1; and nothing in the folder is changed by looking."""
    state, settings = STATES[name], running.settings
    state.spoil(settings, base.settings.folder.with_name("old"))
    before = contents(settings.folder)
    found = [each for each in problems(settings) if each.about == state.about]
    assert any(re.search(state.says, each.says, re.IGNORECASE) for each in found), problems(settings)
    assert found[0].next.startswith(state.then)
    done = foredraw(settings.folder, "doctor")
    assert done.returncode == 1
    assert found[0].says in done.stdout
    assert f"  Next: {found[0].next}" in done.stdout
    assert "There is something to do" in done.stdout
    unchanged = {path: data for path, data in contents(settings.folder).items() if not path.endswith("-wal")}
    assert unchanged == {path: data for path, data in before.items() if not path.endswith("-wal")}


def test_a_sound_folder_is_healthy(running: InProcessService) -> None:
    """Stopped, it is only noted that nothing runs; the status is 0, and JSON says the same."""
    done = foredraw(running.settings.folder, "doctor")
    assert (done.returncode, problems(running.settings)) == (0, [])
    assert "Healthy: there is nothing to do." in done.stdout
    document = json.loads(foredraw(running.settings.folder, "doctor", "--json").stdout)
    (noted,) = document.pop("findings")
    assert document == {"folder": str(running.settings.folder), "healthy": True, "running": False, "v": 1}
    assert noted == {
        "about": "service",
        "level": "note",
        "next": "foredraw serve",
        "says": "No service runs on this folder.",
    }


def test_an_empty_folder_is_no_data_folder(tmp_path: Path) -> None:
    """Probably the name is wrong."""
    done = foredraw(tmp_path / "nowhere", "doctor")
    assert done.returncode == 1
    assert "is no data folder" in done.stdout
    assert "Next: foredraw init" in done.stdout
    assert not (tmp_path / "nowhere").exists()


def test_what_a_start_repairs_is_noted(running: InProcessService, base: InProcessService) -> None:
    """An old checkpoint beside a sound log, and a lost file of commitments: the next start sees to both."""
    put_back(running, base.settings.folder.with_name("old"), "log/checkpoint")
    running.start_without_sequencer()
    batch = running.state(DRAW).batches[-1]
    running.stop()
    (running.settings.log / commitments_path(batch.batch_id)).unlink()
    assert problems(running.settings) == []
    said = " ".join(each.says for each in notes(running.settings))
    assert re.search(r"The checkpoint is of 3\d records, and the database has \d+ more", said)
    assert "made again from the seeds at the next start" in said
    running.start()
    running.check()
    running.stop()
    assert [each.about for each in notes(running.settings)] == ["service"]


def test_records_that_a_crash_left_unpublished_are_noted(running: InProcessService) -> None:
    """They have positions, and no checkpoint has them yet."""
    crash_at_lock(running, DRAW, "write checkpoint")
    running.stop()
    assert problems(running.settings) == []
    assert "1 more that were not published" in " ".join(each.says for each in notes(running.settings))


@pytest.mark.parametrize("how", ["lost", "cut", "of other tables"])
def test_a_finding_aid_that_a_start_makes_again_is_noted(how: str, running: InProcessService) -> None:
    """It is missing, cut off in a round, or names a table that is none; rounds go on after the start."""
    running.start_without_sequencer()
    state = running.state(DRAW)
    running.stop()
    aid = {"of other tables": tables_path(state.table_id)}.get(how, rounds_path(state.table_id, state.next_round))
    file = running.settings.log / aid
    data = file.read_bytes()
    file.unlink()
    if how == "cut":
        file.write_bytes(data[:9])
    elif how == "of other tables":
        file.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    assert problems(running.settings) == []
    assert f"log/{aid}, a finding aid, is missing, cut, or names other tables" in " ".join(
        each.says for each in notes(running.settings)
    )
    running.start()
    running.check()
    running.stop()
    assert file.read_bytes() == data
    assert [each.about for each in notes(running.settings)] == ["service"]


def test_a_foreign_file_in_the_public_folder_is_noted(running: InProcessService) -> None:
    """Nobody asked for its publication; what a crash has left beside a file is ours."""
    (running.settings.log / "checkpoint.new").write_bytes(b"")
    assert [each.about for each in notes(running.settings)] == ["service"]
    (running.settings.log / "notes.txt").write_text("private", encoding="ascii")
    found = {each.about: each for each in notes(running.settings)}
    assert found["log"].says.startswith("log/notes.txt is not of the log. Everything in log/ is public")
    assert problems(running.settings) == []


def test_what_is_left_of_earlier_runs_means_nothing(running: InProcessService) -> None:
    """Lock files that nobody holds, signs of life, files that may be lost."""
    for name in ("background.alive", "keeper.alive", "clock.json", "drift.json", "witnesses.json", "policy.last"):
        (running.settings.folder / name).write_bytes(b"{")
    for lock in (running.settings.background_lock, running.settings.write_lock):
        lock.touch()
    assert problems(running.settings) == []
    assert [each.about for each in notes(running.settings)] == ["service"]


def test_a_paused_table_is_noted(running: InProcessService) -> None:
    """Somebody may wonder why it has no rounds; nothing is wrong with it."""
    assert foredraw(running.settings.folder, "table", "pause", DRAW).returncode == 0
    assert problems(running.settings) == []
    (found,) = [each for each in notes(running.settings) if each.about == "table"]
    assert found.says.startswith("The table keno-1 is paused by an operator")
    assert found.next == "foredraw journal"


def test_an_old_custodian_that_lacks_no_seed_is_noted(running: InProcessService, tmp_path: Path) -> None:
    """It forgot releases only: the next one brings it up to date."""
    shutil.copytree(running.settings.secrets.parent, tmp_path / "custodian")
    running.start()
    running.play(FLIGHT, 2)
    running.stop()
    shutil.rmtree(running.settings.secrets.parent)
    shutil.copytree(tmp_path / "custodian", running.settings.secrets.parent)
    assert problems(running.settings) == []
    assert "its store is an older state" in " ".join(each.says for each in notes(running.settings))
    running.start()
    running.play(FLIGHT)
    running.check()
    running.stop()
    assert [each.about for each in notes(running.settings)] == ["service"]


def test_the_account_comes_first(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another account is told to change, and looks at nothing: what it leaves would stop the service."""
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    (found,) = problems(running.settings)
    assert found.about == "account"
    assert "Nothing else was looked at" in found.says
    assert found.next.startswith("sudo -u ")


def test_a_file_of_another_account_is_found(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody ran a command as root. (Only root can give a file away, so what the system says of it is changed.)"""
    lstat = Path.lstat

    def changed(path: Path) -> os.stat_result:
        status = lstat(path)
        if path.name != "checkpoint":
            return status
        return os.stat_result([*status[:4], status.st_uid + 1, *status[5:]])

    monkeypatch.setattr(Path, "lstat", changed)
    (found,) = problems(running.settings)
    assert re.search("log/checkpoint is not of the account .*run as another account", found.says, re.IGNORECASE)
    assert found.next.startswith("chown -R ")


def test_a_full_disk_is_found(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, as log, database and seeds are on the same one."""
    monkeypatch.setattr(storage, "LEAST_FREE", 2**62)
    (found,) = problems(running.settings)
    assert found.about == "disk"
    assert "Make room, and the service can go on" in found.says
    assert found.next.startswith("df -h ")


def test_a_lock_that_is_never_let_go_of_is_found(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that needs it is opened: the doctor does not hang with the others."""
    monkeypatch.setattr(doctors_folder, "_PATIENCE", 0.0)
    with closing(FileLock(running.settings.write_lock)) as lock, lock.held():
        (found,) = problems(running.settings)
    assert (found.about, found.next) == ("locks", f"fuser -v {running.settings.write_lock}")
    assert "A program holds write.lock" in found.says


@pytest.mark.parametrize("days", [400, -2])
def test_a_clock_that_is_wrong_is_found(
    days: int, running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ahead nothing is recorded; behind nothing stops."""
    date = running.clock.date + timedelta(days=days)
    monkeypatch.setattr(Clock, "moment", lambda _: date)
    about = {each.about: each for each in examine(running.settings).findings}
    if days > 0:
        assert about["clock"].level == "problem"
        assert "nothing is recorded" in about["clock"].says
        assert about["clock"].next == "foredraw clock confirm TIME"
    else:
        assert about["clock"].level == "note"
        assert "it is behind by" in about["clock"].says


def test_a_log_with_cosignatures_and_no_policy_is_found(running: InProcessService) -> None:
    """The setting was probably forgotten, and the service would not start."""
    checkpoint = running.settings.log / "checkpoint"
    checkpoint.write_bytes(checkpoint.read_bytes() + "— lab.example/witness AAAAAAAA\n".encode())
    (found,) = problems(running.settings)
    assert "no policy is set" in found.says


def test_a_policy_that_cannot_be_used_is_found(running: InProcessService, tmp_path: Path) -> None:
    """The service would not start."""
    (found,) = problems(replace(running.settings, policy=tmp_path / "policy"))
    assert "(FOREDRAW_POLICY) cannot be read" in found.says


def test_no_key_is_opened(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where a key is what is looked at: the files may be unreadable, and one of them is no key at all."""
    opened: list[Path] = []

    def reading(path: Path, encoding: str | None = None) -> str:
        opened.append(path)
        return original(path, encoding=encoding)

    original = Path.read_text
    monkeypatch.setattr(Path, "read_text", reading)
    assert foredraw(running.settings.folder, "doctor").returncode == 0
    assert running.settings.verifier_key in opened
    assert not {running.settings.signing_key, running.settings.seeds_key} & set(opened)
    read_key(running.settings.seeds_key)
    assert running.settings.seeds_key in opened


def test_a_folder_that_is_held_runs(running: InProcessService) -> None:
    """Without a sign of life of its parts, that is what is found; with one that reports a damage, the damage."""
    with hold_folder(running.settings):
        seen = examine(running.settings)
        assert seen.running
        assert {each.about for each in seen.findings} == {"background"}
        timekeeper = Timekeeper(Clock(), running.settings.clock, lambda: None)
        give_sign(running.settings.damage, timekeeper, "foredraw.db is damaged (a page). Run `foredraw rebuild`")
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
        }
        with closing(sqlite3.connect(service.settings.secrets)) as store, store:
            store.execute("UPDATE marks SET position = position + 100000")
        (found,) = problems(service.settings)
        assert (found.about, found.next) == ("log", AGAIN)
        assert "the published log does not have that record" in found.says


def test_each_trouble_of_the_overview_has_its_words() -> None:
    """Those that nothing else reports: a witness, the queue, the monitor, a drift, a round that hangs, a table run dry."""
    state = cast("Any", type("State", (), {"name": DRAW})())
    hangs = cast("Any", type("Round", (), {"hangs": True, "number": 1700, "age": timedelta(minutes=9)})())
    table = cast("TableNow", _Table(state, [hangs]))
    background = Background({"keeper": 0.0, "sequencer": 0.0}, 5000, 1, 1.0, 61.0, [])
    bet = BetNow("red", 10, 1.0, 2.0, 5e6, 640)
    away = WitnessNow("lab", 0, None, "no answer within 10 seconds", None)
    seen = Overview(
        *("2026-11-20T22:49:01.123Z", background, [table], [], {DRAW: [bet]}),
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
