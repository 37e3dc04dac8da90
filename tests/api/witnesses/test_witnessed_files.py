"""The proof that a batch was seen before its pulse is durable before the batch is published, and never changes (SPEC
5.8).
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from api.http.proofs import RoundProofs
from api.http.view import show_table
from api.problems import Code, Problem
from api.restore.rebuild import rebuild
from api.rounds.reading import round_row
from api.rounds.tables import add_table
from api.server.app import create_app
from api.witnesses.presence import FRESH
from api.world.storage_failures import in_words
from fairness.log.proof import TlogProof
from fairness.policy.witnessed import check_witnessed, witnessed_path
from fairness.records.record import BatchRecord
from fairness.records.replay import read_record
from fairness.round.proof import RoundProof
from tests.support.faulty_world import Fault, Faults, When
from tests.support.salted_service import BEACON, FIRST, HASH, TABLE, can_play, wait_until
from tests.support.small_disk import small_disk
from tests.support.witness_server import LocalWitness, away
from tests.support.witnessed_service import WitnessedService, witnessed_service
from verifier.cli import main


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[WitnessedService]:
    with witnessed_service(tmp_path, salted=True) as running:
        yield running


def check_files(running: WitnessedService) -> dict[bytes, bytes]:
    """Every batch of the log has its file, which is in time; returns them by the batches' ids."""
    log = running.service.publication.newest()
    assert log is not None
    found = {}
    for position in range(log.size):
        record = read_record(log.tiles.record(position))
        if isinstance(record, BatchRecord):
            assert isinstance(record.beacon, int)
            batch_id = log.tiles.leaf(position)
            data = found[batch_id] = (running.settings.log / witnessed_path(batch_id)).read_bytes()
            pulse = BEACON.time_of(record.beacon)
            check_witnessed(data, batch_id=batch_id, index=position, pulse=pulse, policy=running.policy)
    assert found
    return found


def audit(running: WitnessedService) -> None:
    """A stranger with the policy finds nothing wrong in what is published."""
    running.settle()
    assert main(["audit", str(running.settings.log), "--policy", str(running.settings.policy)]) == 0


def refusal(running: WitnessedService) -> Problem:
    """Why the next round cannot be opened, which its table says, too; nothing has happened to it."""
    number = running.state(TABLE).next_round
    with pytest.raises(Problem) as refused:
        running.open(TABLE, number)
    assert running.state(TABLE).next_round == number
    assert round_row(running.service.database, TABLE, number) is None
    told = show_table(running.service.database, running.service.openings, TABLE)
    assert told.why_not[0] == refused.value.code.text
    return refused.value


def witnesses_are(running: WitnessedService, *, there: bool) -> None:
    """All of them."""
    for witness in running.witnesses:
        witness.behaves = LocalWitness.answer if there else away


def test_every_batch_has_its_file_in_time(running: WitnessedService) -> None:
    """Rounds are played, the proof of each carries the file, the service serves it for ever, and audits hold."""
    wait_until(running, lambda: can_play(running))
    running.play(TABLE, 6)
    wait_until(running, lambda: can_play(running, 20))
    files = check_files(running)
    assert len(files) >= 2
    proofs = RoundProofs(running.service.database, running.service.publication)
    proof = RoundProof.parse(bytes(proofs.proof(TABLE, 2)))
    first, *_ = (
        data for data in files.values() if TlogProof.parse(data).inclusion.index == proof.batch.inclusion.index
    )
    assert proof.witnessed == first
    client = create_app(running.service).test_client()
    for batch_id, data in files.items():
        with client.get(f"/log/{witnessed_path(batch_id)}") as answer:
            assert (answer.status_code, answer.data) == (200, data)
            assert "immutable" in answer.headers["Cache-Control"]
    audit(running)


def test_a_file_never_changes(running: WitnessedService) -> None:
    """Neither by later checkpoints nor by a restart."""
    running.settle()
    files = check_files(running)
    wait_until(running, lambda: can_play(running))
    running.play(TABLE, 2)
    running.restart()
    running.settle()
    assert check_files(running).items() >= files.items()


@pytest.mark.parametrize("damage", [None, b"damaged\n"])
def test_a_file_that_was_lost_is_brought_back_and_never_made_again(
    damage: bytes | None, running: WitnessedService, caplog: pytest.LogCaptureFixture
) -> None:
    """A new one would be too late for ever. The message names it; with the old one the table plays on."""
    wait_until(running, lambda: can_play(running))
    running.play(TABLE, 1)
    running.settle()
    (batch_id, kept), *_ = check_files(running).items()
    lost = running.settings.log / witnessed_path(batch_id)
    if damage is None:
        lost.unlink()
    else:
        lost.write_bytes(damage)
    running.restart()
    running.settle()
    assert (lost.read_bytes() if lost.exists() else None) == damage
    message, *others = [each for each in caplog.records if "back from a copy" in each.getMessage()]
    assert not others
    assert message.levelno == logging.ERROR
    assert f"log/{witnessed_path(batch_id)}" in message.getMessage()
    refused = refusal(running)
    assert refused.code is Code.NOT_WITNESSED
    assert "back from a copy of the log" in refused.detail
    lost.write_bytes(kept)
    running.play(TABLE, 1)
    audit(running)


def witnesses_are_confirmed(running: WitnessedService) -> None:
    """The salter asks for the witnesses, and they answer: its next turn may commit."""
    running.salter.turn()
    running.publish()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("effect", ["write witnessed/", "write checkpoint", "commit"])
def test_a_crash_around_the_file_loses_no_proof(effect: str, when: When, running: WitnessedService) -> None:
    """Between the file and the checkpoint, or before or after either, the next start writes what is missing."""
    running.restart(faults := Faults(only=effect))
    faults.arm(1, when)
    with pytest.raises(Fault):
        running.settle()
    running.crash_of_the_machine()
    kept = {file.name: file.read_bytes() for file in (running.settings.log / "witnessed").glob("?" * 64)}
    running.start()
    running.settle()
    files = check_files(running)
    assert {batch_id.hex(): data for batch_id, data in files.items()}.items() >= kept.items()
    wait_until(running, lambda: can_play(running))
    running.play(TABLE, 2)
    audit(running)


def test_a_full_disk_keeps_a_batch_back_until_it_has_its_file(running: WitnessedService) -> None:
    """The disk of `witnessed/` alone: nothing of the batch is published before, and with room again it is still in
    time.
    """
    before = running.published.checkpoint
    running.stop()
    folder = running.settings.log / "witnessed"
    folder.mkdir()
    with small_disk(folder) as disk:
        disk.fill()
        running.start()
        with pytest.raises(OSError, match="No space left") as full:
            running.settle()
        assert re.search("disk is full .*witnessed/.*Make room", in_words(full.value, running.settings))
        assert running.published.checkpoint == before
        files = [file for file in folder.rglob("*") if file.is_file() and not file.name.endswith(".new")]
        assert [file.name for file in files if file.stat().st_size] == ["ballast"]
        running.stop()
        disk.make_room()
        running.start()
        running.settle()
        check_files(running)
        assert running.published.checkpoint.size > before.size
        wait_until(running, lambda: can_play(running))
        running.play(TABLE, 2)
        audit(running)
        running.stop()


def test_a_restart_at_each_step_changes_nothing(running: WitnessedService) -> None:
    """The batch queued, appended, cosigned, published; its pulse there; its salt queued, appended, published."""

    def appended_only() -> None:
        running.publisher, publisher = None, running.publisher
        running.turn()
        running.publisher = publisher

    def cosigned_only() -> None:
        running.restart(Faults(1, only="write checkpoint"))

    def crash() -> None:
        running.crash_of_the_machine()
        running.start()

    running.keeper.turn()
    for salted in (False, True):
        if not salted:
            witnesses_are_confirmed(running)
        running.salter.turn()
        assert (running.state(TABLE).batches[0].awaits is None) == salted
        crash()
        size = running.size
        for step in (appended_only, running.turn, running.turn):
            step()
            crash()
        assert running.size >= size
        with pytest.raises(Fault):
            cosigned_only()
        crash()
        if not salted:
            running.clock.step(FIRST + BEACON.period)
            crash()
    running.settle()
    assert can_play(running)
    running.play(TABLE, 2)
    assert check_files(running)
    audit(running)


def test_no_batch_is_committed_while_witnesses_are_away(running: WitnessedService) -> None:
    """It could be too late for ever when they are back."""
    witnesses_are(running, there=False)
    running.restart()
    for _ in range(20):
        running.settle()
        running.clock.step(FIRST)
    assert not running.state(TABLE).committed_through
    witnesses_are(running, there=True)
    wait_until(running, lambda: can_play(running))
    running.play(TABLE)
    check_files(running)
    audit(running)


def test_no_batch_is_committed_while_witnesses_are_away_unnoticed(running: WitnessedService) -> None:
    """An idle log has nothing that waits for them. They are asked before a batch is committed, and rounds wait with
    it.
    """
    wait_until(running, lambda: can_play(running))
    running.settle()
    witnesses_are(running, there=False)
    running.clock.step(60)
    running.settle()
    assert running.service.gate.trouble() is None
    add_table(running.service.writer, "keno-2", "keno-express", salt=HASH)
    for _ in range(10):
        running.salter.turn()
        running.turn()
        running.clock.step(0.5)
    assert not running.state("keno-2").committed_through
    assert running.service.gate.trouble() is not None
    witnesses_are(running, there=True)
    wait_until(running, lambda: bool(running.state("keno-2").committed_through))
    assert running.service.gate.trouble() is None
    audit(running)


def test_the_head_of_an_idle_log_is_cosigned_before_a_batch_is_committed(running: WitnessedService) -> None:
    """Nobody is asked again as long as the last quorum is of this moment."""
    witnesses_are_confirmed(running)
    asked = [len(witness.asked) for witness in running.witnesses]
    assert running.service.presence.is_confirmed()
    running.clock.step(FRESH.total_seconds() + 1)
    assert not running.service.presence.is_confirmed()
    running.publish()
    assert running.service.presence.is_confirmed()
    assert all(len(witness.asked) == before + 1 for witness, before in zip(running.witnesses, asked, strict=True))


def test_a_batch_that_was_witnessed_too_late_is_never_played(
    running: WitnessedService, caplog: pytest.LogCaptureFixture
) -> None:
    """They went away just after it was committed: the salt comes, and the table cannot be played under this
    policy.
    """
    running.keeper.turn()
    witnesses_are_confirmed(running)
    witnesses_are(running, there=False)
    running.salter.turn()
    running.turn()
    assert running.state(TABLE).committed_through
    for _ in range(FIRST // 10 + 2):
        running.clock.step(10)
        running.settle()
    assert running.size == 2, "the log's own record, and the table's"
    assert refusal(running).code is Code.WITNESSES_AWAY
    witnesses_are(running, there=True)
    wait_until(running, lambda: running.size >= 4 and running.service.gate.trouble() is None)
    refused = refusal(running)
    assert refused.code is Code.NOT_WITNESSED
    assert "a new log is needed" in refused.detail
    assert any(each.levelno == logging.ERROR and "cosigned too late" in each.getMessage() for each in caplog.records)


def test_a_policy_for_a_table_in_play_comes_too_late(running: WitnessedService) -> None:
    """Its salted batches have no file, get one that is too late, and are not opened; other tables are."""
    policy = running.settings.policy
    running.settings = replace(running.settings, policy=None)
    running.restart()
    wait_until(running, lambda: can_play(running))
    running.play(TABLE, 2)
    running.settings = replace(running.settings, policy=policy)
    running.restart()
    running.settle()
    assert refusal(running).code is Code.NOT_WITNESSED
    running.settings = replace(running.settings, policy=None)
    running.restart()
    running.play(TABLE, 1)


@pytest.mark.one_database("the file is lost")
def test_a_rebuild_keeps_the_files(running: WitnessedService) -> None:
    """The database is made again from the log, and play goes on."""
    wait_until(running, lambda: can_play(running))
    running.play(TABLE, 3)
    running.settle()
    files = check_files(running)
    running.stop()
    running.settings.database.unlink()
    rebuild(running.settings)
    running.start()
    running.settle()
    assert check_files(running) == files
    running.play(TABLE, 2)
    audit(running)


@pytest.mark.one_database("older files in their place")
def test_an_old_backup_does_not_start(running: WitnessedService, tmp_path: Path) -> None:
    """Database, log and custodian are all old; only the witnesses know better."""
    wait_until(running, lambda: can_play(running))
    running.stop()
    shutil.copytree(running.settings.folder, tmp_path / "backup")
    running.start()
    running.play(TABLE, 3)
    running.settle()
    running.stop()
    shutil.rmtree(running.settings.folder)
    shutil.copytree(tmp_path / "backup", running.settings.folder)
    with pytest.raises(Exception, match=r"says that it has cosigned .* old backup"):
        running.start()
