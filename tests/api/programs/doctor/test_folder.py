"""What the doctor finds in a folder, and where that is."""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from api.findings.finding import Finding
from api.log.keys import load_signing_key
from api.programs.doctor import folder as doctors_folder
from api.programs.doctor.examine import examine
from api.programs.doctor.guarded import guarded
from api.settings import SettingsError
from api.sql.server_lock import ServerLock
from api.world import storage_failures as storage
from api.world.clock import Clock
from api.world.file_lock import FileLock
from fairness.draws.commitments import commitments_path
from fairness.errors import Unknown
from fairness.round.finding_aids import rounds_path, tables_path
from tests.api.programs.doctor.asked import DRAW, FLIGHT, notes, problems
from tests.api.programs.doctor.states import OF_FILES, REVEAL, STATES, change, mislead
from tests.support.commands import foredraw
from tests.support.damage import contents, crash_at_lock, put_back
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer
from tests.verdict_schema import check

BEFORE_THE_SECRET = 4
"""Pluses in the file of a signing key: PRIVATE+KEY+name+id+secret."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.one_database("changes the file") if name in OF_FILES else ())
        for name in STATES
    ],
)
def test_a_state_is_explained(name: str, running: InProcessService, base: InProcessService) -> None:
    """It is found, in words, with the next command; the exit status is 1; and nothing in the folder is changed by
    looking.
    """
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


def test_wrong_usage_is_json_for_programs(running: InProcessService) -> None:
    """With the status that it has for people, too."""
    plain, asked = (foredraw(running.settings.folder, "doctor", "--not", *each) for each in ((), ("--json",)))
    assert (plain.returncode, plain.stdout) == (2, "")
    assert (asked.returncode, asked.stderr) == (2, plain.stderr)
    document = json.loads(asked.stdout)
    check(document)
    assert document["verdict"] == "wrong-usage"
    assert document["why"] in plain.stderr


def test_a_sound_folder_is_healthy(running: InProcessService) -> None:
    """Stopped, it is only noted that nothing runs; the status is 0, and JSON says the same."""
    done = foredraw(running.settings.folder, "doctor")
    assert (done.returncode, problems(running.settings)) == (0, [])
    assert "Healthy: there is nothing to do." in done.stdout
    document = json.loads(foredraw(running.settings.folder, "doctor", "--json").stdout)
    check(document)
    (noted,) = document.pop("findings")
    assert document == {
        "v": 1,
        "command": "doctor",
        "folder": str(running.settings.folder),
        "healthy": True,
        "running": False,
    }
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


@pytest.mark.one_database("changes the file")
@pytest.mark.parametrize("command", [("par", DRAW), ("table", "set", DRAW, "--timeout", "500")])
def test_commands_say_that_rules_are_damaged(command: tuple[str, ...], running: InProcessService) -> None:
    """In a line, like all that is wrong, and without a change."""
    change(running.settings, "UPDATE tables SET rules = 'x' WHERE name = 'keno-1'")
    done = foredraw(running.settings.folder, *command)
    assert done.returncode == 1
    assert re.fullmatch(
        r"Error: its rules in the database are damaged \(.*\): run `foredraw rebuild`\n", done.stderr, re.DOTALL
    )


def test_what_another_machine_is_about_to_publish_is_no_crash(tmp_path: Path, postgres: PostgresServer) -> None:
    """Its sequencer leads on the same database, so log and database are not compared as if both stood still."""
    running = InProcessService.create(tmp_path / "data", tables=[(DRAW, "keno-express")], server=postgres)
    running.play(DRAW)
    crash_at_lock(running, DRAW, "write checkpoint")
    running.stop()
    assert running.settings.server is not None
    with closing(ServerLock(running.settings.server)) as lock:
        lock.hold()
        assert problems(running.settings) == []
        (found,) = notes(running.settings)
        assert "one leads elsewhere on the same database" in found.says
    said = [each.says for each in notes(running.settings)]
    assert said[0] == "No service runs on this folder."
    assert "more that were not published" in said[1]


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
    assert f"log/{aid} is missing or cut, or of other tables than the log's: finding aids" in " ".join(
        each.says for each in notes(running.settings)
    )
    running.start()
    running.check()
    running.stop()
    assert file.read_bytes() == data
    assert [each.about for each in notes(running.settings)] == ["service"]


@pytest.mark.one_database("changes the file")
def test_finding_aids_that_lack_the_newest_records_are_noted(running: InProcessService) -> None:
    """A power cut took what was not synced; the database knows from where on, and the next start writes it again."""
    mislead(running.settings, REVEAL, 1, 0)
    change(running.settings, "UPDATE head SET noted = 0")
    assert problems(running.settings) == []
    (found,) = [each for each in notes(running.settings) if each.about == "log"]
    assert "is behind the log" in found.says
    running.start()
    running.stop()
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


@pytest.mark.one_database("a lock of the file; a server has its own")
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


def test_the_secret_of_the_signing_key_is_not_read(running: InProcessService) -> None:
    """Its name and its id are looked at, which stand before it: a file that ends there is healthy, and no start would
    take it.
    """
    key = running.settings.signing_key
    # The secret may have a plus of its own.
    *before, _ = key.read_text("ascii").split("+", BEFORE_THE_SECRET)
    key.write_text("+".join([*before, ""]))
    assert foredraw(running.settings.folder, "doctor").returncode == 0
    with pytest.raises(SettingsError):
        load_signing_key(running.settings)


def test_no_secret_is_shown(running: InProcessService, caplog: pytest.LogCaptureFixture) -> None:
    """Neither of keys that are this log's, nor of what is in their place."""
    for settings in (running.settings.signing_key, running.settings.seeds_key):
        secret = settings.read_text("ascii").strip().split("+", BEFORE_THE_SECRET)[-1]
        other = f"PRIVATE+KEY+{secret}" if "signing" in settings.name else secret[::-1]
        # A secret may have pluses, behind which another part of the file seems to begin.
        with_pluses = f"PRIVATE+KEY+{secret[:20]}+{secret[20:]}+"
        for text in (secret, other, f"{other}+", with_pluses):
            settings.write_text(text)
            done = foredraw(running.settings.folder, "doctor", "--json")
            shown = done.stdout + done.stderr + caplog.text
            assert not any(part in shown for part in (secret[:20], secret[20:], secret[::-1]))


def test_what_is_newer_than_the_program_is_a_finding(running: InProcessService) -> None:
    """A log that a later version has written ends the look that meets its records, and no other."""

    def look() -> list[Finding]:
        raise Unknown(["records of version 2"])

    (found,) = guarded("log", running.settings, look)
    assert (found.about, found.level) == ("log", "problem")
    assert "unknown to this program: records of version 2" in found.says.lower()
