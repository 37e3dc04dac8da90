"""The policy is exchanged while the service runs: the new one holds from the next checkpoint on, and a bad one
changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from api.log.policy_file import PolicyFile
from api.problems import Code, Problem
from api.programs.background.run import run
from api.settings import SettingsError
from api.witnesses.reports import AWAY_AFTER
from fairness.log.checkpoints import Checkpoint
from tests.support.commands import foredraw
from tests.support.running_service import free_port
from tests.support.salted_service import BEACON
from tests.support.witness_server import LocalWitness, away
from tests.support.witnessed_service import WitnessedService, witnessed_service


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[WitnessedService]:
    with witnessed_service(tmp_path) as running:
        yield running


def settled(running: WitnessedService) -> None:
    """After a second, in which everything is looked at."""
    running.clock.step(5)
    running.settle()


def test_a_witness_is_exchanged(running: WitnessedService) -> None:
    """The new ones are asked, the old one is not, and no round waits."""
    running.play("crash-1", 2)
    lab, press, regulator = running.witnesses
    running.demand("all", [press, regulator])
    asked = len(lab.asked)
    running.play("crash-1", 2)
    running.settle()
    assert running.cosigned_by == ["press", "regulator"]
    assert len(lab.asked) == asked
    running.demand(1, [lab])
    running.play("crash-1", 2)
    assert running.cosigned_by == ["lab"]
    running.check()


def test_the_published_log_stays_published_until_the_new_quorum_has_seen_a_larger_one(
    running: WitnessedService,
) -> None:
    """Nothing that a player has seen is taken back. A process that starts now waits for the new quorum."""
    regulator = running.witnesses[2]
    regulator.behaves = away
    running.play("crash-1", 1)
    running.settle()
    size = running.size
    running.demand("all", [regulator])
    running.settle()
    running.open("crash-1", 2)
    settled(running)
    assert running.size == size
    assert not running.locking("crash-1", 2).is_published
    running.restart()
    assert running.size == 0
    with pytest.raises(Problem) as refused:
        running.open("keno-1", 1)
    assert refused.value.code is Code.WITNESSES_AWAY
    regulator.behaves = LocalWitness.answer
    settled(running)
    assert running.cosigned_by == ["regulator"]
    running.lock("crash-1", 2)
    running.reveal("crash-1", 2)
    running.check()


@pytest.mark.parametrize("bad", ["nonsense\n", None])
def test_a_bad_file_changes_nothing_and_is_reported(
    bad: str | None, running: WitnessedService, caplog: pytest.LogCaptureFixture
) -> None:
    """In the messages once, in the health without stopping play, at the operator's page; until there is a good
    one.
    """
    assert running.settings.policy is not None
    if bad is None:
        running.settings.policy.unlink()
    else:
        running.settings.policy.write_text(bad, encoding="utf-8")
    running.play("crash-1", 2)
    settled(running)
    why = running.service.health.failures()["policy"]
    assert why is not None
    assert "stays in force" in why
    assert ("policy", {"why": why}) in list(running.service.observer.overview().troubles())
    assert [each.levelno for each in caplog.records if "stays in force" in each.getMessage()] == [logging.ERROR]
    running.demand()
    settled(running)
    assert running.service.health.failures()["policy"] is None
    running.play("crash-1")
    assert len(running.cosigned_by) == 3
    running.check()


def test_while_the_file_is_bad_workers_start_and_commands_work(
    running: WitnessedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the copy that the program that publishes has kept: a stolen token is revoked, and the trouble is named."""
    assert running.settings.policy is not None
    folder = running.settings.folder
    monkeypatch.setenv("FOREDRAW_POLICY", str(running.settings.policy))
    assert foredraw(folder, "token", "create", "stolen", "--table", "crash-1").returncode == 0
    running.service.policy.keep()
    kept = running.service.policy.text()
    running.settings.policy.write_text("nonsense\n", encoding="utf-8")
    revoked = foredraw(folder, "token", "revoke", "stolen")
    assert revoked.returncode == 0
    assert "is no policy" in revoked.stderr
    assert foredraw(folder, "policy").stdout == kept
    running.restart()
    running.settle()
    running.play("crash-1", 1)
    assert "stays in force" in str(running.service.health.failures()["policy"])
    running.demand()
    assert len(running.cosigned_by) == 3


def test_without_a_quorum_it_is_as_without_a_policy(running: WitnessedService) -> None:
    """`quorum none` publishes at once; and a quorum that comes back is demanded again."""
    policy = running.settings.policy
    assert policy is not None
    for witness in running.witnesses:
        witness.behaves = away
    policy.write_text(f"log {running.key}\nquorum none\n", encoding="utf-8")
    running.play("crash-1", 2)
    assert running.cosigned_by == []
    running.demand()
    running.open("crash-1", 3)
    assert not running.locking("crash-1", 3).is_published
    for witness in running.witnesses:
        witness.behaves = LocalWitness.answer
    settled(running)
    running.lock("crash-1", 3)
    assert len(running.cosigned_by) == 3
    running.check()


def test_a_policy_that_cannot_be_met_stops_the_opening_of_rounds(running: WitnessedService) -> None:
    """Although nothing waits to be published; and they are opened again when its quorum is there."""
    regulator = running.witnesses[2]
    regulator.behaves = away
    running.play("crash-1")
    running.settle()
    running.demand("all", [regulator])
    running.settle()
    settled(running)
    why = running.service.health.failures()["witnesses"]
    assert why is not None
    assert "regulator: it hung up" in why
    with pytest.raises(Problem) as refused:
        running.open("crash-1", 2)
    assert refused.value.code is Code.WITNESSES_AWAY
    regulator.behaves = LocalWitness.answer
    settled(running)
    running.play("crash-1")
    running.check()


def test_a_sign_of_an_earlier_run_stops_nobody(running: WitnessedService) -> None:
    """Witnesses were away; then the service ran with `quorum none`; now they are back, and are demanded again."""
    for witness in running.witnesses:
        witness.behaves = away
    running.open("crash-1", 1)
    running.locking("crash-1", 1)
    settled(running)
    assert running.service.gate.trouble() is not None
    policy = running.settings.policy
    assert policy is not None
    policy.write_text(f"log {running.key}\nquorum none\n", encoding="utf-8")
    running.restart()
    settled(running)
    for witness in running.witnesses:
        witness.behaves = LocalWitness.answer
    running.demand()
    settled(running)
    assert running.service.gate.trouble() is None
    running.open("keno-1", 1)


def test_with_a_policy_without_quorum_nothing_differs(running: WitnessedService) -> None:
    """The same bytes as without a policy: no line but the log's, at once, for every head."""
    assert running.settings.policy is not None
    running.settings.policy.write_text(f"log {running.key}\nquorum none\n", encoding="utf-8")
    running.restart()
    first = len(running.disk.checkpoints)
    running.play("crash-1", 2)
    notes = running.disk.checkpoints[first:]
    assert len({Checkpoint.open(note, running.key).size for note in notes}) == len(notes) >= 2
    assert {note.count("\N{EM DASH}".encode()) for note in notes} == {1}
    running.settings = replace(running.settings, policy=None)
    running.restart()
    running.play("crash-1", 2)
    running.check()


def test_what_a_policy_leaves_out_is_remarked(running: WitnessedService) -> None:
    """No quorum, and no line for the beacon of the settings; a policy with both is remarked on in no way."""
    file, settings = running.settings.policy, replace(running.settings, beacon=BEACON)
    assert file is not None
    running.demand()
    assert list(PolicyFile(settings, running.key).remarks()) == []
    file.write_text(f"log {running.key}\nquorum none\n", encoding="utf-8")
    without_quorum, without_beacon = PolicyFile(settings, running.key).remarks()
    assert "demands no witness (quorum none)" in without_quorum
    assert without_beacon.endswith(f"Add the line: beacon {BEACON}")
    assert list(PolicyFile(replace(settings, policy=None), running.key).remarks()) == []


def test_a_policy_that_was_forgotten_stops_the_start(running: WitnessedService) -> None:
    """Nothing is published without the witnesses of a log that has some, unless a policy says so."""
    running.play("crash-1", 1)
    running.settle()
    running.stop()
    forgotten = replace(running.settings, policy=None)
    before = (running.settings.log / "checkpoint").read_bytes()
    with pytest.raises(SettingsError, match=r"lab\.example/witness.*set FOREDRAW_POLICY.*`quorum none`"):
        run(forgotten)
    assert (running.settings.log / "checkpoint").read_bytes() == before
    assert foredraw(running.settings.folder, "table", "list").returncode == 0
    assert running.settings.policy is not None
    running.settings.policy.write_text(f"log {running.key}\nquorum none\n", encoding="utf-8")
    running.start()
    running.play("crash-1", 1)
    running.service.policy.check_not_forgotten(running.service.log)
    PolicyFile(forgotten, running.key).check_not_forgotten(running.service.log)


def test_the_public_is_not_served_either(running: WitnessedService) -> None:
    """`foredraw serve` says so itself, before it starts anything."""
    running.settle()
    running.stop()
    ports = "--port", str(free_port()), "--engine-port", str(free_port())
    refused = foredraw(running.settings.folder, "serve", *ports)
    assert refused.returncode == 1
    assert "set FOREDRAW_POLICY to the policy's file" in refused.stderr


def test_health_and_page_name_who_is_away(running: WitnessedService) -> None:
    """The service is not ready, and every witness has its reason."""
    for witness in running.witnesses:
        witness.behaves = away
    running.open("crash-1", 1)
    running.locking("crash-1", 1)
    assert running.service.health.failures()["witnesses"] is None
    for _ in range(14):
        running.clock.step(AWAY_AFTER.total_seconds() + 3)
        running.settle()
    why = running.service.health.failures()["witnesses"]
    assert why is not None
    assert all(f"{witness.name}: it hung up" in why for witness in running.witnesses)
    troubles = list(running.service.observer.overview().troubles())
    assert ("witnesses", {"why": why}) in troubles
    assert [about["name"] for kind, about in troubles if kind == "witness"] == ["lab", "press", "regulator"]
    for witness in running.witnesses:
        witness.behaves = LocalWitness.answer
    settled(running)
    assert running.service.health.failures()["witnesses"] is None


def test_the_operators_policy_is_printed(running: WitnessedService, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is, or with the log's address in the line that lacks it."""
    assert running.settings.policy is not None
    monkeypatch.setenv("FOREDRAW_POLICY", str(running.settings.policy))
    text = running.settings.policy.read_text(encoding="utf-8")
    assert foredraw(running.settings.folder, "policy").stdout == text
    with_url = foredraw(running.settings.folder, "policy", "--url", "https://casino.example/log").stdout
    assert with_url == text.replace(f"log {running.key}\n", f"log {running.key} https://casino.example/log\n")
