"""Checkpoints with cosignatures: who must have signed, and what refuses the whole note."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import SigningKey
from fairness.policy.cosignatures import WitnessKey, cosigned_message
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from fairness.policy.quorum import Witness
from fairness.spelling import base64_text
from tests.house import HOUSE
from tests.oracles.strange_signatures import Signer, spelled, with_small_part
from tests.support.witnesses import LAB, NOON, PRESS, REGULATOR, Cosigner, cosigned, policy

TRUST: dict[str, Any] = json.loads((HOUSE / "tests" / "vectors" / "trust.json").read_text())
KEY = SigningKey("fore.example/log", sha256(b"a key"))
CHECKPOINT = Checkpoint(KEY.name, 6, sha256(b"a root"))
NOTE = CHECKPOINT.sign(KEY)
TWO_OF_THREE = policy(KEY.verifier_key)

REFUSED = {
    # Its line lacks a character, so that it is no Base64; other tests have lines that are.
    "a known witness's signature does not verify: the note is refused": Check.NOTE_FORM,
    "a note signature under a witness's key is no cosignature: the note is refused": Check.NOTE_SIGNATURE,
}


def refusal(note: bytes, trust: Policy = TWO_OF_THREE) -> CheckFailed:
    with pytest.raises(CheckFailed) as failure:
        Head.open(note, trust)
    return failure.value


@pytest.mark.parametrize("head", TRUST["heads"], ids=lambda head: head.get("why", "all of them"))
def test_the_heads_of_another_implementation(head: dict[str, Any]) -> None:
    """Each has the quorum of its policy, or not."""
    trust, note = Policy.parse(head["policy"].encode()), head["note"].encode()
    if head["meets_quorum"]:
        assert Head.open(note, trust).signed.checkpoint.size == 6
    else:
        assert refusal(note, trust).check is REFUSED.get(head["why"], Check.CHECKPOINT_QUORUM)


def test_two_of_three_suffice_and_are_named_with_their_times() -> None:
    """In the policy's order, whichever order their lines have."""
    head = Head.open(cosigned(NOTE, REGULATOR, time=NOON + 2) + LAB.line(NOTE), TWO_OF_THREE)
    assert {witness.name: time for witness, time in head.last_seen.items()} == {"lab": NOON, "regulator": NOON + 2}
    assert head.signed.checkpoint == CHECKPOINT


def test_what_lacks_the_quorum_says_who_signed() -> None:
    """One of two is not enough, and none is less."""
    assert str(refusal(NOTE)) == (
        "checkpoint: checkpoint-quorum: expected cosignatures of 2 of 3: lab, press, regulator, found none"
    )
    assert refusal(cosigned(NOTE, PRESS)).found == "those of press"


def test_a_witness_counts_once_and_its_latest_time_is_told() -> None:
    """However often it signs."""
    twice = NOTE + LAB.line(NOTE, NOON + 9) + LAB.line(NOTE)
    assert refusal(twice).check is Check.CHECKPOINT_QUORUM
    assert list(Head.open(cosigned(twice, PRESS), TWO_OF_THREE).last_seen.values()) == [NOON + 9, NOON]


def test_the_time_of_a_quorum_is_when_its_last_witness_had_cosigned() -> None:
    """A witness that cosigned again later counts from its first line; a third one is not waited for."""
    head = Head.open(cosigned(NOTE, LAB) + PRESS.line(NOTE, NOON + 9) + PRESS.line(NOTE, NOON + 5), TWO_OF_THREE)
    assert head.quorum_time == NOON + 5
    assert Head.open(head.note + REGULATOR.line(NOTE, NOON + 4), TWO_OF_THREE).quorum_time == NOON + 4
    assert Head.read(cosigned(NOTE, LAB), TWO_OF_THREE).quorum_time is None
    assert Head.open(cosigned(NOTE, LAB), KEY.verifier_key).quorum_time is None


def test_a_bare_key_asks_for_no_witness() -> None:
    """Nor does a policy of the log alone; strangers' lines are ignored by both."""
    stranger = NOTE + Cosigner("stranger").line(NOTE)
    for trust in (KEY.verifier_key, Policy.parse(f"log {KEY.verifier_key}\nquorum none\n".encode())):
        head = Head.open(stranger, trust)
        assert (head.signed.checkpoint, head.cosigned, head.policy) == (CHECKPOINT, (), Policy(KEY.verifier_key))


def test_without_the_logs_own_signature_nothing_counts() -> None:
    """Three witnesses do not replace the log."""
    other = CHECKPOINT.sign(SigningKey(KEY.name, sha256(b"another key")))
    assert refusal(cosigned(other, LAB, PRESS, REGULATOR)).check is Check.NOTE_SIGNATURE


def blob(witness: WitnessKey, signature: bytes) -> bytes:
    return f"\N{EM DASH} {witness.name} {base64_text(witness.key_id + signature)}\n".encode()


@pytest.mark.parametrize("at", [0, 7, 8, 71], ids=["time, first byte", "time, last byte", "R", "S"])
def test_each_byte_of_a_cosignature_matters(at: int) -> None:
    """A false line of a known witness refuses the note, although two others suffice."""
    right = PRESS.line(NOTE).split(b" ")[2]
    data = bytearray(b64decode(right)[4:])
    data[at] ^= 1
    assert refusal(cosigned(NOTE, LAB, REGULATOR) + blob(PRESS.key, bytes(data))).check is Check.NOTE_SIGNATURE


@pytest.mark.parametrize("size", [1, 8, 64, 71, 73])
def test_a_cosignature_has_72_bytes(size: int) -> None:
    """A plain signature is none, and nothing may follow one."""
    assert refusal(cosigned(NOTE, LAB, REGULATOR) + blob(PRESS.key, bytes(size))).check is Check.NOTE_SIGNATURE


@pytest.mark.parametrize(("time", "holds"), [(0, True), ((1 << 63) - 1, True), (1 << 63, False)])
def test_a_time_is_below_2_63(time: int, holds: bool) -> None:
    """At the limit, and one beyond it."""
    note = cosigned(NOTE, LAB) + PRESS.line(NOTE, time)
    if holds:
        assert Head.open(note, TWO_OF_THREE).cosigned[-1].time == time
    else:
        assert refusal(note).check is Check.NOTE_SIGNATURE


def test_a_cosignature_is_of_the_whole_text() -> None:
    """One over another root is not one over this."""
    other = Checkpoint(KEY.name, 6, sha256(b"another root")).sign(KEY)
    assert refusal(cosigned(NOTE, LAB) + PRESS.line(other)).check is Check.NOTE_SIGNATURE


def test_a_cosignature_with_an_r_of_small_order_is_refused() -> None:
    """Although the plain equation holds: some programs accept it, and others do not."""
    signer = Signer()
    key = WitnessKey("strange.example/witness", signer.key)
    message = cosigned_message(str(CHECKPOINT), NOON)
    plain, strange = signer.sign(message, with_small_part(5, 0), 5), signer.sign(message, spelled(1), 0)
    trust = Policy(KEY.verifier_key, None, (Witness("strange", key),))
    Ed25519PublicKey.from_public_bytes(key.public_key).verify(strange, message)
    assert Head.open(NOTE + blob(key, NOON.to_bytes(8) + plain), trust).cosigned[0].time == NOON
    assert refusal(NOTE + blob(key, NOON.to_bytes(8) + strange), trust).check is Check.NOTE_SIGNATURE
