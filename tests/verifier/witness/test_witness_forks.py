"""Two histories: what the log's key signed against what a witness cosigned, and who is at fault when files are
false.
"""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from shutil import rmtree

import pytest

from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import bundle_path
from tests.lies import started
from tests.support.dishonest_operator import KEY, Operator
from tests.support.forks import forked
from tests.support.our_witness import OurWitness, proof_from, request
from verifier.forks.evidence import check_evidence
from verifier.watch.events import EventKind
from verifier.witness.news import PATIENCE

SIZE = len(started().records)


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    return started().play("keno-1").write(tmp_path / "log")


@pytest.fixture(name="witness", params=[False, True], ids=["replaying", "plain"])
def _witness(tmp_path: Path, log: Path, request: pytest.FixtureRequest) -> OurWitness:
    witness = OurWitness(tmp_path / "witness", log, plain=request.param)
    witness.cosigned()
    return witness


def publish(operator: Operator, log: Path) -> None:
    """Another log stands in the place of this one."""
    rmtree(log)
    operator.write(log)


def stopped_with_evidence(witness: OurWitness) -> None:
    """One alarm, whose evidence convinces a third party; and nothing is cosigned any more, after a restart either."""
    (alarm,) = [event for event in witness.news if event.is_alarm]
    assert alarm.kind is EventKind.FORK
    assert alarm.evidence is not None
    report = check_evidence(Path(alarm.evidence).read_bytes(), KEY.verifier_key, name="evidence")
    assert report.smaller.checkpoint != report.larger.checkpoint
    for _ in range(2):
        answer = witness.ask()
        assert answer.status is HTTPStatus.UNPROCESSABLE_ENTITY
        assert b"two histories" in answer.body
        witness.restart()
    assert len([event for event in witness.news if event.is_alarm]) == 1


@pytest.mark.parametrize("rounds", [0, 1, 5], ids=["equal size", "larger", "much larger"])
def test_another_history_is_not_cosigned(rounds: int, witness: OurWitness, log: Path) -> None:
    """Neither by its own proof, which does not verify, nor in any other way; the evidence is kept."""
    publish(forked(started(), rounds=rounds), log)
    answer = witness.ask()
    status = HTTPStatus.CONFLICT if rounds == 0 else HTTPStatus.UNPROCESSABLE_ENTITY
    assert answer.status is status, answer.body
    assert witness.witness.size == SIZE + 2
    stopped_with_evidence(witness)


def test_a_smaller_fork_is_found_while_tiles_can_be_read(witness: OurWitness, log: Path) -> None:
    """Its checkpoint alone is enough, since the tiles of the larger one are still there."""
    note = forked(started().play("crash-1"), rounds=0).files()["checkpoint"]
    publish(started().play("keno-1", 3), log)
    witness.cosigned()
    assert Checkpoint.open(note, KEY.verifier_key).size < witness.witness.size
    answer = witness.witness.add_checkpoint(request(note, 0))
    assert (answer.status, answer.body) == (HTTPStatus.CONFLICT, b"%d\n" % witness.witness.size)
    stopped_with_evidence(witness)


def test_an_old_checkpoint_is_no_fork(witness: OurWitness, log: Path) -> None:
    """Whoever sends it learns the size that was cosigned; nothing is wrong with the log."""
    old = (log / "checkpoint").read_bytes()
    publish(started().play("keno-1", 3), log)
    witness.cosigned()
    for size in (0, SIZE, SIZE + 2):
        witness.now += 60
        answer = witness.witness.add_checkpoint(request(old, size))
        assert answer.status is HTTPStatus.CONFLICT
    witness.cosigned()
    assert not [event for event in witness.news if event.is_alarm]


def test_a_false_proof_is_nobodys_signature(witness: OurWitness, log: Path) -> None:
    """Anybody can send one: the true one is accepted afterwards, whether or not the log's files can be read."""
    publish(started().play("keno-1", 2), log)
    note = (log / "checkpoint").read_bytes()
    proof = proof_from(log, note, witness.witness.size)
    for folder in (log, log.with_name("away")):
        log.rename(folder)
        false = request(note, witness.witness.size, *proof[:-1], bytes(32))
        assert witness.witness.add_checkpoint(false).status is HTTPStatus.UNPROCESSABLE_ENTITY
        folder.rename(log)
        witness.now += 60
    witness.cosigned()
    assert not [event for event in witness.news if event.is_alarm]


def test_tiles_are_read_for_strangers_now_and_then_only(tmp_path: Path, log: Path) -> None:
    """The second false proof within seconds is refused without a look at the files."""
    witness = OurWitness(tmp_path / "witness", log)
    witness.cosigned()
    publish(started().play("keno-1", 2), log)
    note = (log / "checkpoint").read_bytes()
    false = request(note, witness.witness.size, bytes(32))
    assert witness.witness.add_checkpoint(false).status is HTTPStatus.UNPROCESSABLE_ENTITY
    publish(forked(started(), rounds=3), log)
    assert witness.ask().status is HTTPStatus.UNPROCESSABLE_ENTITY
    assert not [event for event in witness.news if event.is_alarm]
    witness.now += 10
    assert witness.ask().status is HTTPStatus.UNPROCESSABLE_ENTITY
    stopped_with_evidence(witness)


def test_a_history_that_was_replayed_but_not_cosigned_counts(tmp_path: Path, log: Path) -> None:
    """The log publishes one history at the start, and asks for a cosignature on another, which extends what was
    cosigned.
    """
    witness = OurWitness(tmp_path / "witness", log)
    witness.cosigned()
    publish(started().play("keno-1", 3), log)
    witness.restart()
    publish(forked(started().play("keno-1"), rounds=5), log)
    assert witness.ask().status is HTTPStatus.UNPROCESSABLE_ENTITY
    stopped_with_evidence(witness)


@pytest.mark.parametrize("name", ["tile/entries/000.p/26", "tile/0/000.p/26"])
def test_false_files_are_no_fault_of_the_operators(name: str, tmp_path: Path, log: Path) -> None:
    """Nothing is cosigned, and nothing is held against the log's key: true files are accepted afterwards."""
    witness = OurWitness(tmp_path / "witness", log)
    witness.cosigned()
    operator = started().play("keno-1", 2)
    assert bundle_path(0, len(operator.records)).endswith(name[-2:])
    publish(operator, log)
    file, body = log / name, None
    data = file.read_bytes()
    for false in (data[:-1], data[:-1] + bytes([data[-1] ^ 1])):
        note = (log / "checkpoint").read_bytes()
        body = request(note, witness.witness.size, *proof_from(log, note, witness.witness.size))
        file.write_bytes(false)
        answer = witness.witness.add_checkpoint(body)
        file.write_bytes(data)
        assert answer.status in {HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.OK}
        # A few new records are authenticated by the root that they give: their tile is not read.
        assert (answer.status is HTTPStatus.OK) == name.startswith("tile/0")
    witness.cosigned()
    kinds = [EventKind.FALSE_FILES, EventKind.RECOVERED] if "entries" in name else []
    assert [kind for kind in witness.kinds if kind is not EventKind.GREW] == kinds


def test_a_log_forked_while_the_witness_was_away(witness: OurWitness, log: Path) -> None:
    """It is noticed at the start, before anybody asks, by a witness that reads the log."""
    publish(forked(started(), rounds=1), log)
    witness.restart()
    if witness.plain:
        assert witness.ask().status is HTTPStatus.UNPROCESSABLE_ENTITY
    stopped_with_evidence(witness)


def test_a_log_that_cannot_be_read_is_waited_for(tmp_path: Path, log: Path) -> None:
    """No cosignature without the records, and no alarm but that it lasts."""
    witness = OurWitness(tmp_path / "witness", log)
    witness.cosigned()
    publish(started().play("keno-1", 2), log)
    note = (log / "checkpoint").read_bytes()
    body = request(note, witness.witness.size, *proof_from(log, note, witness.witness.size))
    log.rename(tmp_path / "away")
    for _ in range(2):
        assert witness.witness.add_checkpoint(body).status is HTTPStatus.SERVICE_UNAVAILABLE
    assert witness.kinds[1:] == [EventKind.TROUBLE]
    for _ in range(2):
        witness.now += PATIENCE
        assert witness.witness.add_checkpoint(body).status is HTTPStatus.SERVICE_UNAVAILABLE
        assert witness.kinds[1:] == [EventKind.TROUBLE, EventKind.UNREADABLE]
    witness.restart()
    assert witness.witness.add_checkpoint(body).status is HTTPStatus.SERVICE_UNAVAILABLE
    (tmp_path / "away").rename(log)
    assert witness.witness.add_checkpoint(body).status is HTTPStatus.OK
    assert [kind for kind in witness.kinds if kind is not EventKind.GREW] == [
        *(EventKind.TROUBLE, EventKind.UNREADABLE, EventKind.TROUBLE, EventKind.TROUBLE, EventKind.RECOVERED)
    ]


def test_a_log_that_cannot_be_read_now_and_then(tmp_path: Path, log: Path) -> None:
    """That it comes and goes is reported once, and once when it has stayed away for a while, with how often it
    was.
    """
    witness = OurWitness(tmp_path / "witness", log)
    witness.cosigned()
    operator = started().play("keno-1")
    for _ in range(3):
        publish(operator.play("keno-1"), log)
        note = (log / "checkpoint").read_bytes()
        body = request(note, witness.witness.size, *proof_from(log, note, witness.witness.size))
        log.rename(tmp_path / "away")
        assert witness.witness.add_checkpoint(body).status is HTTPStatus.SERVICE_UNAVAILABLE
        (tmp_path / "away").rename(log)
        assert witness.witness.add_checkpoint(body).status is HTTPStatus.OK
        witness.now += 1
    told = [event for event in witness.news if event.kind is not EventKind.GREW]
    assert [event.kind for event in told] == [EventKind.TROUBLE, EventKind.RECOVERED, EventKind.TROUBLE]
    assert told[2].text.startswith("again, the log cannot be read: ")
    witness.now += 10
    witness.witness.save()
    assert witness.news[-1].text == "the log can be read again, after 3 failures in 2 s"
    assert witness.news[-1].kind is EventKind.RECOVERED
