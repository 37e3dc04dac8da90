"""A back-up of a log with witnesses: its files come along, and a copy that is too old is refused by the witnesses."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.findings.finding import Finding
from api.programs.doctor.examine import examine
from api.restore.backup import back_up
from api.restore.put_back import put_back
from api.settings import Settings
from api.witnesses.gate import NOT_SINCE_THE_START
from api.world.clock import Clock
from api.world.file_lock import hold_folder
from api.world.statuses import write_status
from tests.support.damage import refuses_to_start
from tests.support.salted_service import TABLE
from tests.support.witnessed_service import WitnessedService, witnessed_service

pytestmark = pytest.mark.one_database("files in their place; test_backup_on_server has one of a server")


@pytest.fixture(name="running")
def _running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WitnessedService]:
    with witnessed_service(tmp_path) as running:
        monkeypatch.setattr(Clock, "moment", lambda _: running.clock.date)
        yield running


def restored_over(running: WitnessedService, copy: Path) -> None:
    """The whole folder is lost, and everything is put back from a copy."""
    shutil.rmtree(running.settings.folder)
    put_back(running.settings, copy, has_not_grown=True)


def test_a_copy_that_lacks_nothing_goes_on(running: WitnessedService, tmp_path: Path) -> None:
    """The witnesses have seen no more than it has."""
    running.play("crash-1", 3)
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    running.stop()
    restored_over(running, tmp_path / "copy")
    running.start()
    running.play("crash-1")
    running.settle()
    assert len(running.cosigned_by) >= 2
    running.check()


def test_a_whole_copy_that_is_too_old_is_stopped_by_the_witnesses(running: WitnessedService, tmp_path: Path) -> None:
    """Although the operator said that the log had not grown: nothing is signed, and the message says what to do."""
    running.play("crash-1", 2)
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    running.play("crash-1", 2)
    running.stop()
    restored_over(running, tmp_path / "copy")
    refuses_to_start(
        running, r"says that it has cosigned \d+ records of this log, and was shown \d+.*Put the newest copies"
    )


def in_words(settings: Settings) -> list[Finding]:
    return [finding for finding in examine(settings).findings if finding.level == "problem"]


def test_the_doctor_names_what_witnesses_and_beacon_lack(running: WitnessedService) -> None:
    """In the words of the statuses that the programs have left, while they hold the folder."""
    running.play("crash-1")
    timekeeper, settings = running.service.timekeeper, running.settings
    for status in (settings.heartbeat, *map(settings.heartbeat_of, ("keeper", "sequencer", "publisher", "salter"))):
        write_status(status, timekeeper)
    write_status(settings.witnesses_trouble, timekeeper, NOT_SINCE_THE_START)
    write_status(settings.beacon_trouble, timekeeper, "no relay answers. Look at the clock and at the firewall")
    running.stop()
    with hold_folder(settings):
        found = {finding.about: finding.says for finding in in_words(settings)}
    assert "witnesses have not cosigned the log's head" in found["witnesses"].lower()
    assert found["beacon"] == "No relay answers. Look at the clock and at the firewall."
    # Of a service that is stopped, they say nothing any more.
    assert not {"witnesses", "beacon"} & {finding.about for finding in in_words(settings)}


def test_a_witnessed_file_comes_along_and_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is never made again, so a copy without it would end the log under its policy; the doctor names one that is
    gone.
    """
    with witnessed_service(tmp_path / "salted", salted=True) as running:
        monkeypatch.setattr(Clock, "moment", lambda _: running.clock.date)
        running.settle()
        running.clock.step(3600)
        running.settle()
        running.play(TABLE)
        back_up(running.settings, tmp_path / "copy", with_keys=False)
        running.stop()
        files = [file.name for file in (running.settings.log / "witnessed").iterdir()]
        assert files
        assert sorted(files) == sorted(file.name for file in (tmp_path / "copy/log/witnessed").iterdir())
        assert in_words(running.settings) == []
        shutil.rmtree(running.settings.log / "witnessed")
        (found, *_) = in_words(running.settings)
        assert found.about == "log"
        assert "which shows that witnesses saw batch" in found.says
        assert "from a copy of the log" in found.says
