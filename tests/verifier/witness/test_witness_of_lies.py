"""A witness cosigns no log that lies about a record, and says why for ever; honest logs it cosigns."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.draws.commitments import commitments_path
from fairness.policy.policy import Policy
from tests.lies import Lie, history, started, started_salted
from tests.lies.catalogue import LIES, told
from tests.support.beacons import OURS
from tests.support.dishonest_operator import KEY, Operator
from tests.support.our_witness import OurWitness
from tests.support.witnesses import NOON
from verifier.watch.events import EventKind
from verifier.witness import follower


@pytest.mark.parametrize("lie", LIES, ids=str)
def test_a_lie_is_not_cosigned(lie: Lie, tmp_path: Path) -> None:
    """Whatever an audit refuses, a witness refuses by the same check at the same record, now and after a restart."""
    log = lie.begin().write(tmp_path / "log")
    witness = OurWitness(tmp_path / "witness", log)
    witness.cosigned()
    operator, index = told(lie)
    operator.write(log)
    size = witness.witness.size
    for _ in range(2):
        answer = witness.ask()
        assert answer.status is HTTPStatus.UNPROCESSABLE_ENTITY
        assert lie.check.value in answer.body.decode()
        assert witness.witness.size == size
        witness.restart()
    (alarm,) = [event for event in witness.news if event.is_alarm]
    assert alarm.kind is EventKind.BROKEN_RULE
    assert alarm.failure is not None
    assert (alarm.failure.check, alarm.failure.index) == (lie.check, index)


@pytest.mark.lattice
@pytest.mark.parametrize("lie", [lie for lie in LIES if lie.has_honest_twin], ids=str)
def test_the_same_steps_without_the_lie_are_cosigned(lie: Lie, tmp_path: Path) -> None:
    """So it is the lie that is refused."""
    log = lie.begin(honest=True).write(tmp_path / "log")
    witness = OurWitness(tmp_path / "witness", log)
    witness.cosigned()
    told(lie, honest=True)[0].write(log)
    witness.cosigned()
    assert not [event for event in witness.news if event.is_alarm]


@pytest.fixture(name="way", params=["few", "many"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """New records are few, and give the root, or many, and are replayed as an audit does it."""
    if request.param == "many":
        monkeypatch.setattr(follower, "_MANY", 0)
    return str(request.param)


@pytest.mark.lattice
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("lie", LIES[:: len(LIES) // 5], ids=str)
def test_a_lie_that_was_there_before_the_witness(lie: Lie, tmp_path: Path) -> None:
    """It is found before anybody asks, and nothing is cosigned."""
    witness = OurWitness(tmp_path / "witness", told(lie)[0].write(tmp_path / "log"))
    assert witness.kinds == [EventKind.BROKEN_RULE]
    assert witness.ask().status is HTTPStatus.UNPROCESSABLE_ENTITY


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("make", [history, started, started_salted])
def test_an_honest_history_is_cosigned(make: type[Operator], tmp_path: Path) -> None:
    """Record by record, as a service that plays asks for it; and in one piece by a witness that comes late."""
    whole = make().records
    log = tmp_path / "log"
    growing = Operator()
    witness = OurWitness(tmp_path / "witness", log)
    for at, record in enumerate(whole):
        growing.append(record)
        if at % 7 == 0 or at == len(whole) - 1:
            _publish(growing, make(), log)
            witness.cosigned()
    assert witness.witness.size == len(whole)
    OurWitness(tmp_path / "late", log).cosigned()


def _publish(growing: Operator, whole: Operator, log: Path) -> None:
    """The files of the first records; the commitments are there before them."""
    growing.write(log)
    for path, data in whole.files().items():
        if path.startswith("commitments/"):
            (log / path).parent.mkdir(parents=True, exist_ok=True)
            (log / path).write_bytes(data)


def test_a_missing_file_of_commitments_is_waited_for(tmp_path: Path) -> None:
    """Nothing is cosigned without it; it is no fault that stays."""
    operator = started()
    log = operator.write(tmp_path / "log")
    file = log / commitments_path(operator.tables["keno-1"].batches[2].batch_id)
    data = file.read_bytes()
    file.unlink()
    witness = OurWitness(tmp_path / "witness", log)
    assert witness.ask().status is HTTPStatus.SERVICE_UNAVAILABLE
    (alarm,) = witness.news
    assert alarm.failure is not None
    assert (alarm.kind, alarm.failure.check) == (EventKind.FALSE_FILES, Check.COMMITMENTS_FILE)
    file.write_bytes(data)
    witness.cosigned()
    assert witness.kinds[1:] == [EventKind.RECOVERED, EventKind.GREW]


def test_what_an_unknown_beacon_salts_is_not_cosigned(tmp_path: Path) -> None:
    """It was not checked. With a policy that names the beacon, it is, by a witness that replays from the first
    record.
    """
    operator = started()
    operator.table("far", "sic-bo", salted_by=OURS.chain_hash.hex())
    operator.batch("far", 8)
    operator.salt("far")
    witness = OurWitness(tmp_path / "witness", operator.write(tmp_path / "log"), now=NOON + 86_400)
    assert witness.kinds == [EventKind.UNKNOWN]
    answer = witness.ask()
    assert answer.status is HTTPStatus.UNPROCESSABLE_ENTITY
    assert OURS.chain_hash.hex() in answer.body.decode()
    witness.trust = Policy(KEY.verifier_key, beacons=(OURS,))
    witness.restart()
    witness.cosigned()
