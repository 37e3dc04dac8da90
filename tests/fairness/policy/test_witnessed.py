"""Files that show when witnesses saw a batch: what is in time, and every fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.hashing import leaf_hash, sha256
from fairness.limits import LARGEST_TLOG_PROOF
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle_proofs import inclusion_path, root_of_inclusion
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion, TlogProof
from fairness.policy.policy import Policy
from fairness.policy.witnessed import Witnessed, check_witnessed, read_witnessed, witnessed_path
from fairness.records.record import BatchRecord, parse_record
from tests.house import HOUSE
from tests.support.witnesses import LAB, NOON, PRESS, REGULATOR, Cosigner, cosigned, policy

_VECTORS = HOUSE / "tests" / "vectors"
TRUST: dict[str, Any] = json.loads((_VECTORS / "trust.json").read_text())
SALTED = _VECTORS / "log-salted"
KEY = SigningKey("fore.example/log", sha256(b"a key"))
TWO_OF_THREE = policy(KEY.verifier_key)
LEAVES = [sha256(bytes([number])) for number in range(6)]
INDEX, BATCH_ID = 2, LEAVES[2]
INCLUSION = Inclusion(INDEX, tuple(inclusion_path(LEAVES, INDEX)))
CHECKPOINT = Checkpoint(KEY.name, len(LEAVES), root_of_inclusion(BATCH_ID, INDEX, len(LEAVES), list(INCLUSION.path)))
NOTE = CHECKPOINT.sign(KEY)
PULSE = NOON + 60


def witnessed(
    note: bytes,
    *,
    inclusion: Inclusion = INCLUSION,
    pulse: int | None = PULSE,
    trust: Policy = TWO_OF_THREE,
    extra: bytes = b"",
) -> Witnessed:
    data = bytes(TlogProof(inclusion, note, extra))
    return check_witnessed(data, batch_id=BATCH_ID, index=INDEX, pulse=pulse, policy=trust)


def refusal(note: bytes, *, inclusion: Inclusion = INCLUSION, pulse: int | None = PULSE) -> str:
    with pytest.raises(CheckFailed) as failure:
        witnessed(note, inclusion=inclusion, pulse=pulse)
    assert (failure.value.check, failure.value.index) == (Check.BATCH_WITNESSED, INDEX)
    return f"expected {failure.value.expected}, found {failure.value.found}"


@pytest.mark.parametrize("case", TRUST["witnessed"], ids=lambda case: case.get("bug", "valid"))
def test_the_files_of_another_implementation(case: dict[str, Any]) -> None:
    """With times before and after what the policy and the pulse allow."""
    given = {
        "batch_id": leaf_hash(case["batch_record"].encode()),
        "index": case["index"],
        "pulse": case["pulse_time"],
        "policy": Policy.parse(TRUST["policies"][0]["policy"].encode()),
    }
    if case["valid"]:
        assert check_witnessed(case["file"].encode(), **given).time <= case["pulse_time"] - 10
        return
    with pytest.raises(CheckFailed) as failure:
        check_witnessed(case["file"].encode(), **given)
    assert failure.value.check is Check.BATCH_WITNESSED


def test_the_files_of_another_implementations_log() -> None:
    """Each batch of its log that names a pulse has one, and no other batch."""
    trust = Policy.parse((SALTED / "policy").read_bytes())
    found = set()
    for index, data in enumerate(SALTED.with_suffix(".jsonl").read_bytes().split(b"\n")[:-1]):
        record, batch_id = parse_record(data), leaf_hash(data)
        if isinstance(record, BatchRecord) and record.beacon:
            pulse = trust.beacons[0].time_of(record.beacon)
            file = read_witnessed(lambda path: (SALTED / path).read_bytes(), batch_id, index)
            check_witnessed(file, batch_id=batch_id, index=index, pulse=pulse, policy=trust)
            found.add(witnessed_path(batch_id))
    assert found == {file.relative_to(SALTED).as_posix() for file in (SALTED / "witnessed").glob("*/*")}


def test_ten_seconds_before_the_pulse_is_in_time() -> None:
    """And one second later is not, unless a third witness was earlier."""
    assert witnessed(cosigned(NOTE, LAB) + PRESS.line(NOTE, PULSE - 10)).time == PULSE - 10
    late = cosigned(NOTE, LAB) + PRESS.line(NOTE, PULSE - 9)
    assert refusal(late) == (
        "expected cosignatures of 2 of 3: lab, press, regulator, by 2026-11-20T12:00:50Z, 10 seconds before the pulse,"
        " found them by 2026-11-20T12:00:51Z only"
    )
    assert witnessed(late + REGULATOR.line(NOTE, PULSE - 11)).time == PULSE - 11


def test_of_an_unknown_beacon_any_time_will_do() -> None:
    """But the quorum is demanded all the same."""
    late = cosigned(NOTE, LAB, PRESS, time=PULSE + 1000)
    assert witnessed(late, pulse=None).time == PULSE + 1000
    assert refusal(cosigned(NOTE, LAB), pulse=None) == (
        "expected cosignatures of 2 of 3: lab, press, regulator, found those of lab"
    )


def test_what_nobody_saw_is_refused() -> None:
    """Neither a stranger's line counts, nor one witness twice."""
    assert refusal(NOTE + Cosigner("stranger").line(NOTE)).endswith("found none")
    assert refusal(NOTE + LAB.line(NOTE) + LAB.line(NOTE, NOON + 1)).endswith("found those of lab")


def test_a_false_line_of_a_witness_is_refused() -> None:
    """Although two others suffice."""
    assert refusal(cosigned(NOTE, LAB, PRESS) + REGULATOR.false_line()).endswith("found one that does not verify")


def test_another_place_is_refused() -> None:
    """The hashes lead from the batch's own place, in the log whose key is known."""
    full = cosigned(NOTE, LAB, PRESS)
    assert refusal(full, inclusion=Inclusion(3, INCLUSION.path)) == "expected index 2, found index 3"
    refusal(full, inclusion=Inclusion(INDEX, (*INCLUSION.path, BATCH_ID)))
    refusal(full, inclusion=Inclusion(INDEX, (BATCH_ID, *INCLUSION.path[1:])))
    smaller = Checkpoint(KEY.name, INDEX, CHECKPOINT.root).sign(KEY)
    refusal(cosigned(smaller, LAB, PRESS))
    stranger = CHECKPOINT.sign(SigningKey(KEY.name, sha256(b"another key")))
    refusal(cosigned(stranger, LAB, PRESS))


def test_what_is_no_proof_is_refused() -> None:
    """Also one byte more than the largest."""
    for data in (b"", b"no proof\n", bytes(LARGEST_TLOG_PROOF + 1)):
        with pytest.raises(CheckFailed) as failure:
            check_witnessed(data, batch_id=BATCH_ID, index=INDEX, pulse=PULSE, policy=TWO_OF_THREE)
        assert failure.value.check is Check.BATCH_WITNESSED


def test_what_the_writer_added_is_ignored() -> None:
    """C2SP allows a line ``extra``; unknown signatures are ignored, too."""
    assert (
        witnessed(cosigned(NOTE, LAB, PRESS, Cosigner("stranger")), extra=b"something").head.checkpoint == CHECKPOINT
    )


def test_a_bare_key_demands_nothing() -> None:
    """So to ask for a check is a mistake of the caller."""
    with pytest.raises(ValueError, match="without a quorum"):
        witnessed(cosigned(NOTE, LAB, PRESS), trust=Policy(KEY.verifier_key))
