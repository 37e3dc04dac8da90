"""What a witness answers to each request, in the order of C2SP tlog-witness, and that it remembers before it
answers.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

import pytest

from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import SigningKey
from tests.lies import started
from tests.support.dishonest_operator import KEY
from tests.support.our_witness import OurWitness, proof_from, request, time_of
from verifier.witness.request import LARGEST_REQUEST

SIZE = len(started().records)
"""Of the log that was cosigned; two rounds follow."""
OTHER_KEY = SigningKey(KEY.name, sha256(b"another key"))


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    return started().write(tmp_path / "log")


@pytest.fixture(name="witness")
def _witness(tmp_path: Path, log: Path) -> OurWitness:
    witness = OurWitness(tmp_path / "witness", log)
    witness.cosigned()
    started().play("keno-1", 1).write(log)
    return witness


def test_an_honest_log_is_cosigned_as_it_grows(tmp_path: Path, log: Path) -> None:
    """From its first checkpoint on, and again without growth; with the time of this machine."""
    witness = OurWitness(tmp_path / "witness", log)
    assert witness.cosigned() == int(witness.now)
    for rounds in range(1, 5):
        started().play("keno-1", rounds).write(log)
        witness.now += 1.5
        assert witness.cosigned() == int(witness.now)
        assert witness.witness.size == SIZE + 2 * rounds
    witness.now += 600
    assert witness.cosigned() == int(witness.now)


def note_of(log: Path) -> bytes:
    return (log / "checkpoint").read_bytes()


Requests = Callable[[Path], bytes]

ANSWERS: dict[str, tuple[HTTPStatus, Requests]] = {
    "nothing": (HTTPStatus.BAD_REQUEST, lambda _: b""),
    "no size": (HTTPStatus.BAD_REQUEST, lambda log: request(note_of(log), 0).removeprefix(b"old 0")),
    "a size with a leading zero": (HTTPStatus.BAD_REQUEST, lambda log: b"old 00\n\n" + note_of(log)),
    "a negative size": (HTTPStatus.BAD_REQUEST, lambda log: b"old -1\n\n" + note_of(log)),
    "a size above 2^63": (HTTPStatus.BAD_REQUEST, lambda log: b"old 9223372036854775808\n\n" + note_of(log)),
    "no empty line": (HTTPStatus.BAD_REQUEST, lambda log: b"old 0\n" + note_of(log).replace(b"\n\n", b"\n")),
    "a hash that is no Base64": (HTTPStatus.BAD_REQUEST, lambda log: b"old 1\n????\n\n" + note_of(log)),
    "a hash of 31 bytes": (HTTPStatus.BAD_REQUEST, lambda log: request(note_of(log), SIZE, bytes(31))),
    "64 hashes": (HTTPStatus.BAD_REQUEST, lambda log: request(note_of(log), SIZE, *[bytes(32)] * 64)),
    "a note that is none": (HTTPStatus.BAD_REQUEST, lambda _: request(b"fore.example/log\n", 0)),
    "too many bytes": (
        HTTPStatus.BAD_REQUEST,
        lambda log: request(note_of(log), 0).ljust(LARGEST_REQUEST + 1, b"\n"),
    ),
    "a signed text that is no checkpoint": (
        HTTPStatus.BAD_REQUEST,
        lambda _: request(KEY.sign("fore.example/log\n7\n"), SIZE),
    ),
    "extension lines": (
        HTTPStatus.BAD_REQUEST,
        lambda log: request(KEY.sign(f"{Checkpoint.open(note_of(log), KEY.verifier_key)}more\n"), SIZE),
    ),
    "a size above the checkpoint's": (HTTPStatus.BAD_REQUEST, lambda log: request(note_of(log), SIZE + 3)),
    "another log": (
        HTTPStatus.NOT_FOUND,
        lambda _: request(Checkpoint("other.example/log", 0, sha256(b"")).sign(OTHER_KEY), 0),
    ),
    "another key of the same name": (
        HTTPStatus.FORBIDDEN,
        lambda log: request(Checkpoint.open(note_of(log), KEY.verifier_key).sign(OTHER_KEY), SIZE),
    ),
    "a signature of something else": (
        HTTPStatus.FORBIDDEN,
        lambda log: request(note_of(log).replace(b"\n%d\n" % (SIZE + 2), b"\n%d\n" % (SIZE + 3)), SIZE),
    ),
    "old 0, which asks for the size": (HTTPStatus.CONFLICT, lambda log: request(note_of(log), 0)),
    "a size that was never cosigned": (
        HTTPStatus.CONFLICT,
        lambda log: request(note_of(log), SIZE - 1, *proof_from(log, note_of(log), SIZE - 1)),
    ),
    "no proof": (HTTPStatus.UNPROCESSABLE_ENTITY, lambda log: request(note_of(log), SIZE)),
    "a proof of another size": (
        HTTPStatus.UNPROCESSABLE_ENTITY,
        lambda log: request(note_of(log), SIZE, *proof_from(log, note_of(log), SIZE - 3)),
    ),
    "a hash too many": (
        HTTPStatus.UNPROCESSABLE_ENTITY,
        lambda log: request(note_of(log), SIZE, *proof_from(log, note_of(log), SIZE), bytes(32)),
    ),
    "the proof's last two hashes exchanged": (
        HTTPStatus.UNPROCESSABLE_ENTITY,
        lambda log: request(note_of(log), SIZE, *exchanged(proof_from(log, note_of(log), SIZE))),
    ),
}


def exchanged(proof: list[bytes]) -> list[bytes]:
    return [*proof[:-2], proof[-1], proof[-2]]


@pytest.mark.parametrize(("status", "ask"), ANSWERS.values(), ids=ANSWERS.keys())
def test_a_request_that_is_refused(status: HTTPStatus, ask: Requests, log: Path, witness: OurWitness) -> None:
    """Each with its status, and nothing is forgotten: the true request is answered afterwards."""
    answer = witness.witness.add_checkpoint(ask(log))
    assert answer.status is status, answer.body
    if status is HTTPStatus.CONFLICT:
        assert (answer.content_type, answer.body) == ("text/x.tlog.size", b"%d\n" % SIZE)
    assert witness.witness.size == SIZE
    witness.cosigned()
    assert witness.witness.size == SIZE + 2


def test_lines_of_strangers_are_ignored(log: Path, witness: OurWitness) -> None:
    """A checkpoint may carry other signatures, and cosignatures of others."""
    note = note_of(log)
    line = b"\xe2\x80\x94 stranger.example/w AAAAAAAA\n"
    answer = witness.witness.add_checkpoint(request(note + line, SIZE, *proof_from(log, note, SIZE)))
    assert answer.status is HTTPStatus.OK
    assert time_of(answer, note) == int(witness.now)


def test_the_empty_log_is_cosigned(tmp_path: Path) -> None:
    """A checkpoint of no records has one root."""
    witness = OurWitness(tmp_path / "witness", tmp_path)
    empty = Checkpoint(KEY.name, 0, sha256(b""))
    assert witness.witness.add_checkpoint(request(empty.sign(KEY), 0)).status is HTTPStatus.OK
    false = Checkpoint(KEY.name, 0, bytes(32))
    answer = witness.witness.add_checkpoint(request(false.sign(KEY), 0))
    assert (answer.status, answer.body) == (HTTPStatus.CONFLICT, b"0\n")
