"""What a witness remembers: durable before each answer, never silently replaced by nothing, and never a time that
goes back.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from shutil import rmtree

import pytest

from fairness.beacon.chain import QUICKNET
from fairness.errors import Malformed
from fairness.hashing import sha256
from fairness.log.notes import SigningKey
from tests.lies import started, started_salted
from tests.support.dishonest_operator import KEY
from tests.support.our_witness import LAB_KEY, OurWitness
from verifier.audit.audit import audit_log
from verifier.sources.source import FolderSource
from verifier.watch.events import EventKind
from verifier.witness import follower
from verifier.witness.key_file import CosigningKey, make_key_file, read_key_file
from verifier.witness.memory import Forgotten, Memory, Seen

SIZE = len(started().records)


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    return started().write(tmp_path / "log")


@pytest.fixture(name="witness")
def _witness(tmp_path: Path, log: Path) -> OurWitness:
    witness = OurWitness(tmp_path / "witness", log)
    witness.cosigned()
    return witness


def seen(witness: OurWitness) -> Seen:
    return witness.memory.load(KEY.verifier_key, LAB_KEY.key)


@pytest.mark.parametrize("orderly", [True, False], ids=["after an end", "after a crash"])
def test_a_witness_goes_on_after_a_restart(orderly: bool, witness: OurWitness, log: Path) -> None:
    """It remembers what it cosigned, also if what it replayed is lost."""
    for rounds in (1, 2):
        # The partial files of the size that was cosigned are gone.
        rmtree(log)
        started().play("keno-1", rounds).write(log)
        if orderly:
            witness.restart()
        else:
            witness.start()
        assert witness.witness.size == SIZE + 2 * (rounds - 1)
        assert witness.ask(0).body == b"%d\n" % witness.witness.size
        witness.cosigned()
    witness.witness.save()
    kept = witness.memory.load_replayed()
    assert kept is not None
    assert kept.tables == audit_log(FolderSource(log), KEY.verifier_key).state.tables


def test_what_was_replayed_saves_time_and_nothing_else(witness: OurWitness, log: Path) -> None:
    """Damaged or of an older size, it is replayed again from the log."""
    witness.witness.save()
    file = witness.folder / "replayed"
    file.write_bytes(file.read_bytes()[:-1])
    started().play("keno-1", 1).write(log)
    witness.start()
    witness.cosigned()
    assert not [event for event in witness.news if event.is_alarm]


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no file": lambda file: file.unlink(),
    "nothing in it": lambda file: file.write_bytes(b""),
    "a byte changed": lambda file: file.write_bytes(file.read_bytes().replace(b'"time":1', b'"time":2')),
    "the end cut off": lambda file: file.write_bytes(file.read_bytes()[:-20]),
    "another folder's": lambda file: file.write_text(json.dumps({"v": 2})),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_witness_that_forgot_does_not_start(damage: Callable[[Path], object], witness: OurWitness) -> None:
    """It would cosign a second history. The words name the folder, and what to do."""
    damage(witness.memory.file)
    with pytest.raises(Forgotten, match=rf"no memory in {witness.folder}: .*--begin"):
        witness.start()


def test_only_a_new_witness_begins(witness: OurWitness) -> None:
    """Nobody empties a memory by mistake; and no other log or key goes on with it."""
    with pytest.raises(Forgotten, match="remembers a log already"):
        witness.memory.begin(KEY.verifier_key, LAB_KEY.key)
    other = SigningKey("other.example/log", KEY.secret).verifier_key
    with pytest.raises(Forgotten, match=r"is of the log fore\.example/log"):
        witness.memory.load(other, LAB_KEY.key)
    with pytest.raises(Forgotten, match=r"is of the witness lab\.example/witness"):
        witness.memory.load(KEY.verifier_key, CosigningKey("press.example/witness", LAB_KEY.secret).key)


def test_two_witnesses_do_not_share_a_memory(witness: OurWitness, tmp_path: Path) -> None:
    """Each would cosign what the other does not know; a folder that is not there is none."""
    with pytest.raises(Forgotten, match="another witness uses"), Memory(witness.folder).held():
        pass
    with pytest.raises(Forgotten, match="there is none"), Memory(tmp_path / "lost").held():
        pass


def test_nothing_is_signed_that_is_not_remembered(
    witness: OurWitness, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is an alarm, and no answer; when there is room again, the same question is answered."""

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    started().play("keno-1", 1).write(log)
    with monkeypatch.context() as patched:
        patched.setattr(witness.memory, "save", full)
        for _ in range(2):
            answer = witness.ask()
            assert answer.status is HTTPStatus.SERVICE_UNAVAILABLE
            assert b"No space left" in answer.body
    assert seen(witness).note == witness.witness._seen.note
    assert witness.witness.size == SIZE
    witness.cosigned()
    assert witness.kinds[1:] == [EventKind.NOT_REMEMBERED, EventKind.RECOVERED]


def test_it_is_remembered_before_it_is_signed(
    witness: OurWitness, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads the signature over a tree finds that the witness remembers the tree."""
    remembered: list[str] = []
    sign = CosigningKey.sign

    def look(key: CosigningKey, message: bytes) -> bytes:
        remembered.append(seen(witness).note)
        return sign(key, message)

    monkeypatch.setattr(CosigningKey, "sign", look)
    started().play("keno-1", 1).write(log)
    witness.cosigned()
    assert remembered == [(log / "checkpoint").read_text()]


def test_a_clock_that_is_behind_signs_nothing(witness: OurWitness, log: Path) -> None:
    """An old time would be a lie; that the clock is behind is an alarm, once, also after a restart."""
    first = int(witness.now)
    witness.now -= 61
    started().play("keno-1", 1).write(log)
    for _ in range(2):
        answer = witness.ask()
        assert (answer.status, b"clock is 61 s before the last" in answer.body) == (503, True)
    witness.restart()
    assert witness.ask().status is HTTPStatus.SERVICE_UNAVAILABLE
    assert (seen(witness).time, witness.witness.size) == (first, SIZE)
    alarms = [event.kind for event in witness.news if event.is_alarm]
    assert alarms == 2 * [EventKind.WRONG_CLOCK]
    witness.now += 1
    assert witness.cosigned() == first
    assert witness.news[-2].text == "this machine's clock is not behind any more"
    witness.now += 65
    assert witness.cosigned() == first + 5


@pytest.mark.parametrize("most", [0, 4096], ids=["many", "few"])
def test_no_time_is_before_a_pulse_that_the_log_has(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows a pulse before its time, so a clock that is more than the margin behind it is wrong."""
    monkeypatch.setattr(follower, "_MANY", most)
    operator = started_salted()
    pulse = max(QUICKNET.time_of(batch.beacon or 1) for batch in operator.tables["salty-1"].batches if batch.salted)
    witness = OurWitness(tmp_path / "salted", operator.write(tmp_path / "log"), now=pulse - 11)
    for _ in range(2):
        assert witness.ask().status is HTTPStatus.SERVICE_UNAVAILABLE
        assert [event.kind for event in witness.news] == [EventKind.WRONG_CLOCK]
        witness.restart()
        witness.news.clear()
    witness.now = pulse - 10
    assert witness.cosigned() == pulse
    witness.restart()
    witness.now = pulse - 11
    assert witness.ask().status is HTTPStatus.SERVICE_UNAVAILABLE


def test_a_clock_that_jumps_ahead_of_the_log_is_doubted(witness: OurWitness) -> None:
    """A day after the last cosignature with no new record is told, and cosigned: a log may be silent for long."""
    witness.news.clear()
    witness.now += 86_400
    witness.cosigned()
    assert EventKind.TROUBLE not in witness.kinds
    witness.now += 86_401
    witness.cosigned()
    assert witness.kinds.count(EventKind.TROUBLE) == 1


def test_the_same_question_in_the_same_second_costs_nothing(
    witness: OurWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last line is given again; nothing is written or signed."""
    first = witness.ask()
    with monkeypatch.context() as patched:
        patched.delattr(Memory, "save")
        patched.delattr(CosigningKey, "sign")
        assert witness.ask() == first
    witness.now += 1
    assert witness.cosigned() == int(witness.now)


def test_the_file_of_a_key_is_its_owners_alone(tmp_path: Path) -> None:
    """It is made so, is never overwritten, and is not used if others can read it."""
    file = tmp_path / "key"
    key = make_key_file(file, "lab.example/witness")
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_key_file(file) == key
    assert key.secret_text() not in repr(key)
    assert key.secret.hex() not in repr(key)
    with pytest.raises(FileExistsError):
        make_key_file(file, "lab.example/witness")
    for mode in (0o640, 0o604, 0o660):
        file.chmod(mode)
        with pytest.raises(Malformed, match="600: nobody else may read it"):
            read_key_file(file)


def test_a_key_has_one_spelling() -> None:
    """Every other text is refused, and never quoted."""
    text = LAB_KEY.secret_text()
    assert CosigningKey.parse(text) == LAB_KEY
    log_key = SigningKey("lab.example/witness", LAB_KEY.secret).secret_text()
    for false in ("", text[:-1], f"{text} ", f"{text}\n", text.lower(), text.replace("lab", "press"), log_key):
        with pytest.raises(Malformed, match="expected PRIVATE") as refused:
            CosigningKey.parse(false)
        assert false[-44:] not in str(refused.value) or not false
    with pytest.raises(ValueError, match="32 bytes"):
        CosigningKey("lab.example/witness", sha256(b"")[:-1])
