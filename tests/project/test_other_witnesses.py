"""Our witness and others: they answer alike, take each other's logs, and other people's verifiers read their
cosignatures.

``witness-log`` is a witness, ``proofbundle`` verifies tlog-proofs and quorums, and Go's ``sumdb/note`` opens notes;
nobody of this project wrote them.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from proofbundle.checkpoint import verify_witnessed_checkpoint
from proofbundle.tlogproof import verify_tlog_proof

from api.witnesses.client import Client
from api.witnesses.protocol import Cosignature, NoCosignature, Remembers, Request
from fairness.errors import CheckFailed
from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint, SignedCheckpoint
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion, TlogProof
from fairness.log.tiles import AuthenticTiles
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from fairness.policy.quorum import Witness
from tests.lies import started, started_salted
from tests.oracles.other_software import GO_ENVIRONMENT, go
from tests.oracles.other_witness import OtherWitness
from tests.oracles.other_witness import serving as serving_other
from tests.support.dishonest_operator import KEY
from tests.support.our_witness import OurWitness, asking, proof_from, request, serving_witness
from tests.support.witnesses import LAB, NOON, Cosigner
from verifier.sources.source import FolderSource

pytestmark = [pytest.mark.slow]

VKEY = KEY.verifier_key
SIZE = len(started().records)
OTHER_KEY = SigningKey(KEY.name, sha256(b"another key"))


def note_of(log: Path) -> bytes:
    return (log / "checkpoint").read_bytes()


def head_of(log: Path) -> SignedCheckpoint:
    return SignedCheckpoint.open(note_of(log), VKEY)


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    return started().write(tmp_path / "log")


@pytest.fixture(name="other")
def _other(tmp_path: Path) -> OtherWitness:
    return OtherWitness.of(VKEY, tmp_path)


REQUESTS: dict[str, Callable[[Path], bytes]] = {
    "the next checkpoint": lambda log: asking(log, SIZE),
    "old 0": lambda log: request(note_of(log), 0),
    "another old size": lambda log: asking(log, SIZE - 2),
    "a size above the checkpoint's": lambda log: request(note_of(log), SIZE + 9),
    "no proof": lambda log: request(note_of(log), SIZE),
    "a hash too many": lambda log: request(note_of(log), SIZE, *proof_from(log, note_of(log), SIZE), bytes(32)),
    "a false hash": lambda log: request(note_of(log), SIZE, *proof_from(log, note_of(log), SIZE)[:-1], bytes(32)),
    "64 hashes": lambda log: request(note_of(log), SIZE, *[bytes(32)] * 64),
    "another key": lambda log: request(head_of(log).checkpoint.sign(OTHER_KEY), SIZE),
    "another log": lambda _: request(Checkpoint("x.example/log", 0, sha256(b"")).sign(OTHER_KEY), 0),
    "nothing": lambda _: b"",
    "no size": lambda log: b"\n" + note_of(log),
    "a leading zero": lambda log: b"old 00\n\n" + note_of(log),
}


@pytest.mark.parametrize("ask", REQUESTS.values(), ids=REQUESTS.keys())
def test_ours_answers_as_the_other_does(
    ask: Callable[[Path], bytes], tmp_path: Path, log: Path, other: OtherWitness
) -> None:
    """After the same checkpoint: the same status and, if the body is for programs, the same body.

    They differ about a signed tree of the same size with another root: C2SP demands 409, and the other says 422.
    """
    ours = OurWitness(tmp_path / "witness", log)
    assert ours.cosigned() == NOON
    assert other.answer(asking(log, 0))[0] == 200
    started().play("keno-1").write(log)
    body = ask(log)
    answer, (status, kind, text) = ours.witness.add_checkpoint(body), other.answer(body)
    assert answer.status == status, (answer.body, text)
    if status == 409:
        assert (answer.content_type, answer.body) == (kind, text) == ("text/x.tlog.size", b"%d\n" % SIZE)


@pytest.fixture(name="asked", params=["ours", "the other"])
def _asked(request: pytest.FixtureRequest, tmp_path: Path, log: Path, other: OtherWitness) -> Iterator[Witness]:
    if request.param == "ours":
        with serving_witness(tmp_path / "witness", VKEY, str(log)) as served:
            yield Witness("ours", served.key.key, served.url)
    else:
        with serving_other(other) as witness:
            yield witness


def test_the_service_is_cosigned_by_both(asked: Witness, log: Path) -> None:
    """Its client speaks to our witness and to the other over HTTP, and accepts their lines and their sizes."""
    client = Client(asked.url or "")
    first = client.ask(Request(asked, head_of(log), 0))
    assert isinstance(first, Cosignature), first
    started().play("keno-1", 2).write(log)
    head = head_of(log)
    assert client.ask(Request(asked, head, 0)) == Remembers(SIZE)
    false = client.ask(Request(asked, head, SIZE))
    assert isinstance(false, NoCosignature)
    second = client.ask(Request(asked, head, SIZE, tuple(proof_from(log, head.note, SIZE))))
    assert isinstance(second, Cosignature), second
    policy = Policy.parse(f"log {VKEY}\nwitness w {asked.key}\nquorum w\n".encode())
    assert Head.open(head.note + second.line, policy).last_seen == {policy.witnesses[0]: second.time}
    client.close()


def cosigned_by_two(tmp_path: Path, log: Path, other: OtherWitness) -> bytes:
    """The checkpoint with the lines of our witness and of the other one."""
    ours = OurWitness(tmp_path / "witness", log)
    _, _, line = other.answer(asking(log, 0), NOON + 2)
    return note_of(log) + ours.ask().body + line


def test_quorums_of_both(tmp_path: Path, log: Path, other: OtherWitness) -> None:
    """Two of two, one of three, but not three of three, by us and by proofbundle alike."""
    note = cosigned_by_two(tmp_path, log, other)
    absent = Cosigner("absent").key
    keys = [LAB.key, other.key, absent]
    for threshold, holds in ((1, True), (2, True), (3, False)):
        lines = [f"witness {at} {key}" for at, key in enumerate(keys)]
        text = "\n".join([f"log {VKEY}", *lines, f"group all-of-them {threshold} 0 1 2", "quorum all-of-them", ""])
        policy = Policy.parse(text.encode())
        found = verify_witnessed_checkpoint(note.decode(), str(VKEY), [*map(str, keys)], threshold=threshold)
        assert found["ok"] is holds
        if holds:
            assert len(Head.open(note, policy).cosigned) == 2
        else:
            with pytest.raises(CheckFailed):
                Head.open(note, policy)


def test_proofbundle_verifies_witnessed_files(tmp_path: Path, other: OtherWitness) -> None:
    """The file of SPEC 5.8 as it is: a tlog-proof of a batch's record in a checkpoint with its cosignatures."""
    operator = started_salted()
    log = operator.write(tmp_path / "log")
    note, index = cosigned_by_two(tmp_path, log, other), operator.tables["salty-1"].batches[0].index
    path = AuthenticTiles(Checkpoint.open(note, VKEY), FolderSource(log).read).inclusion_path(index)
    text = bytes(TlogProof(Inclusion(index, tuple(path)), note)).decode()
    keys = [str(LAB.key), str(other.key)]

    def holds(text: str, record: bytes, witnesses: list[str]) -> bool:
        found = verify_tlog_proof(text, record, str(VKEY), witnesses, threshold=2, expected_origin=KEY.name)
        return bool(found["ok"])

    assert holds(text, operator.records[index], keys)
    assert not holds(text, operator.records[index + 1], keys)
    assert not holds(text, operator.records[index], [keys[0], str(Cosigner("absent").key)])
    line = text.splitlines(keepends=True)[-1]
    assert not holds(text.replace(line, ""), operator.records[index], keys)


def test_go_opens_cosigned_checkpoints(tmp_path: Path, log: Path, other: OtherWitness) -> None:
    """It ignores the lines of witnesses that it does not know, and verifies those that it does; not a changed one."""
    program, file = tmp_path / "verify_cosigned", tmp_path / "cosigned"
    go("go", "build", "-o", str(program), "tests/go/verify_cosigned.go")
    note = cosigned_by_two(tmp_path, log, other)

    def said(note: bytes, *witnesses: object) -> tuple[int, str]:
        file.write_bytes(note)
        command = [str(program), str(file), str(VKEY), *map(str, witnesses)]
        done = subprocess.run(command, capture_output=True, text=True, env=GO_ENVIRONMENT, check=False)
        return done.returncode, done.stdout + done.stderr

    signed, ours, theirs = f"signed by {KEY.name}\n", f"cosigned by {LAB.key.name} at {NOON}\n", f"{NOON + 2}\n"
    assert said(note) == (0, f"{signed}unknown: 2\n")
    assert said(note, LAB.key) == (0, f"{signed}{ours}unknown: 1\n")
    assert said(note, LAB.key, other.key) == (
        0,
        f"{signed}{ours}cosigned by {other.key.name} at {theirs}unknown: 0\n",
    )
    lines = note.splitlines(keepends=True)
    false = b"".join([*lines[:-2], lines[-2][:-20] + b"A" * 10 + lines[-2][-10:], lines[-1]])
    status, words = said(false, LAB.key, other.key)
    assert (status, "invalid signature" in words) == (1, True), words
