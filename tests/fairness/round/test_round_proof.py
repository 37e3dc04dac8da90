"""Proof files of rounds: made from a log, checked offline, and with every kind of damage."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.hashing import U48_LIMIT, leaf_hash, sha256
from fairness.limits import (
    LARGEST_NOTE,
    LARGEST_RECORD,
    LARGEST_ROUND_PROOF,
    LARGEST_TLOG_PROOF,
    MOST_CUSTODIANS,
    MOST_HASHES,
)
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion, TlogProof
from fairness.newer_file import NewerFile
from fairness.policy.policy import Policy
from fairness.round.finding_aids import rounds_path
from fairness.round.proof import RoundProof
from fairness.round.proof_sections import ProvenCommitment, ProvenRecord
from games import GAMES
from tests.lies import history
from tests.oracles.merkle_oracle import tree_hash
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_from, proof_of
from verifier.caveats import caveats
from verifier.round.proof_check import check_proof
from verifier.round.proof_report import ProofReport
from verifier.sentences import NotChecked, Unknown

VKEY = KEY.verifier_key


def checked(proof: RoundProof | bytes) -> ProofReport:
    return check_proof(bytes(proof), VKEY)


def refused(proof: RoundProof | bytes) -> CheckFailed:
    with pytest.raises(CheckFailed) as failure:
        checked(proof)
    return failure.value


@cache
def played() -> Operator:
    """Two tables of one game, the first with two custodians, and ten rounds played at each."""
    operator = Operator()
    operator.table("keno-1", "keno-express", ["house", "lab"])
    operator.table("keno-2", "keno-express")
    for name in ("keno-1", "keno-2"):
        operator.batch(name, 6)
        operator.batch(name, 8)
        operator.play(name, 10)
    return operator


@cache
def good() -> RoundProof:
    """A complete proof of round 8 of keno-1."""
    return proof_of(played(), "keno-1", 8)


def exchanged(proof: RoundProof, name: str, record: ProvenRecord) -> RoundProof:
    """The same proof with another record in one place."""
    changes: Any = {name: record}
    return replace(proof, **changes)


def test_every_committed_round_has_a_proof() -> None:
    """Played, void, locked or not yet opened, in every game: one spelling, and all steps hold that have something to
    check.
    """
    operator = history()
    files = operator.files()
    stages = set()
    for table in operator.tables.values():
        for number in range(1, table.committed_through + 1):
            proof = proof_from(files, table.table_id, number)
            assert RoundProof.parse(bytes(proof)) == proof
            report = checked(proof)
            assert report.stage == (
                "ended" if number in table.reveals else "locked" if number in table.locks else "committed"
            )
            assert report.batch.index == table.batch_of(number)[1].index
            witness = max(1, number - report.table.record.lead)
            assert report.ahead == (number - witness if witness in table.locks else None)
            assert len(report.passed) == (8 if report.stage == "ended" else 6)
            assert NotChecked.ONE_ROUND_ONLY in report.not_checked
            assert (NotChecked.WHAT_FOLLOWED in report.not_checked) == (report.stage != "ended")
            assert (NotChecked.ROUNDS_BETWEEN in report.not_checked) == (
                witness in table.locks and number - witness > 1
            )
            if report.reveal is not None:
                assert report.reveal.record.outcome == table.outcome_of(number)
            stages.add((report.stage, report.ahead is None))
    assert stages == {("ended", False), ("locked", False), ("committed", False), ("committed", True)}


def test_the_report_says_what_the_file_shows() -> None:
    """The records under their names, the commitments, the steps in words, and what was not checked."""
    operator, proof = played(), good()
    keno, report = operator.tables["keno-1"], checked(good())
    records = {name: record.inclusion.index for name, record in proof.records()}
    assert records == {
        "table": keno.index,
        "batch": keno.batches[1].index,
        "lead-lock": keno.locks[6],
        "lock": keno.locks[8],
        "reveal": keno.reveals[8],
    }
    assert (report.checkpoint.size, report.round) == (len(operator.records), 8)
    found = (report.table, report.batch, report.lead_lock, report.lock, report.reveal)
    assert [placed and placed.index for placed in found] == list(records.values())
    assert report.commitments == tuple(proven.digest.hex() for proven in proof.commitments)
    assert [words in step.text for words, step in zip(STEPS, report.passed, strict=True)] == [True] * 8
    assert report.passed[2].text.endswith(f"records {', '.join(map(str, records.values()))}")
    assert report.passed[3].text == "they are the table, batch, lead-lock, lock and reveal of round 8 of keno-1"
    general = caveats([report.table.record], GAMES, Policy(KEY.verifier_key))
    assert report.not_checked == (
        NotChecked.AS_OF_CHECKPOINT,
        NotChecked.ONE_ROUND_ONLY,
        NotChecked.ROUNDS_BETWEEN,
        *general,
    )
    first = checked(proof_of(operator, "keno-1", 1))
    assert first.lead_lock == first.lock is not None
    assert first.not_checked == (NotChecked.AS_OF_CHECKPOINT, NotChecked.ONE_ROUND_ONLY, *general)


STEPS = ("form", "signed", "are in the log", "they are", "order", "promises", "open the commitments", "outcome")


def test_each_record_can_be_handed_to_other_peoples_programs() -> None:
    """One tlog-proof per record, made of the file's own lines."""
    proof = good()
    for _, record in proof.records():
        single = bytes(TlogProof(record.inclusion, proof.checkpoint))
        TlogProof.parse(single).check(leaf_hash(record.data), VKEY)
        section = bytes(proof).partition(record.data + b"\n")[2].partition(b"\n\n")[0]
        note = bytes(proof).partition(b"\ncheckpoint\n")[2]
        assert single == b"c2sp.org/tlog-proof@v1\n" + section + b"\n\n" + note


def test_the_path_of_a_commitment_leads_to_the_batchs_root() -> None:
    """By RFC 6962's own recursion, for each custodian."""
    _, batch = played().tables["keno-1"].batch_of(8)
    place = 8 - batch.first
    for digests, proven in zip(batch.digests, good().commitments, strict=True):
        leaves = [leaf_hash(digest) for digest in digests]
        assert (proven.digest, proven.inclusion.index) == (digests[place], place)
        proven.inclusion.check_leads(leaf_hash(digests[place]), len(leaves), tree_hash(leaves), Check.COMMITMENT_PATH)


@pytest.mark.nightly("each change of each byte", but="test_every_changed_byte_is_refused[to come]")
@pytest.mark.slow
@pytest.mark.parametrize("number", [8, 14], ids=["ended", "to come"])
def test_every_changed_byte_is_refused(number: int) -> None:
    """Three other bytes at each place, one of them always plausible there; each change is refused by a check."""
    data = bytes(proof_of(played(), "keno-1", number))
    assert checked(data)
    for at, byte in enumerate(data):
        for other in {byte ^ 1, byte ^ 0x20, (byte + 3) % 256, ord("0") if byte in b"123456789" else ord("1")} - {
            byte
        }:
            assert not holds(data[:at] + bytes([other]) + data[at + 1 :])


@pytest.mark.slow
def test_every_cut_and_every_byte_more_is_refused() -> None:
    """At the beginning, at the end, or in between."""
    data = bytes(good())
    for at in range(len(data)):
        refused(data[:at])
        assert not holds(data[:at] + data[at + 1 :])
        assert not holds(data[:at] + b"\n" + data[at:])
    for at in range(1, len(data), 7):
        refused(data[at:])


def test_strangers_signatures_change_nothing() -> None:
    """A witness's line is kept with the rest of the note, but not read."""
    stranger = SigningKey("witness.example", sha256(b"a witness")).sign("anything\n").partition(b"\n\n")[2]
    signed = replace(good(), checkpoint=good().checkpoint + stranger)
    assert RoundProof.parse(bytes(signed)) == signed
    assert checked(signed) == checked(good())


def holds(data: bytes) -> bool:
    """Whether the verdict is held: a changed name of a section, or version in the first line, is one of a later
    version.
    """
    try:
        return not checked(data).unknown
    except (CheckFailed, NewerFile):
        return False


def sections(data: bytes) -> list[bytes]:
    """The parts of a file between its empty lines, up to the checkpoint."""
    return data.partition(b"\n\ncheckpoint\n")[0].split(b"\n\n")


def with_sections(parts: list[bytes]) -> bytes:
    return b"\n\n".join(parts) + b"\n\ncheckpoint\n" + good().checkpoint


def test_sections_have_one_order() -> None:
    """None occurs twice, in another's place, or under another name; those of later versions may stand anywhere."""
    parts = sections(bytes(good()))
    assert [part.partition(b"\n")[0] for part in parts[1:]] == [
        *(b"table", b"batch", b"lead-lock", b"lock", b"reveal"),
        *(b"commitment", b"commitment"),
    ]
    for at in range(1, len(parts)):
        assert refused(with_sections([*parts[:at], parts[at], *parts[at:]])).check is Check.PROOF_FORM
        unknown = b"sugar\n" + parts[at].partition(b"\n")[2]
        (newer,) = checked(with_sections([*parts[:at], unknown, *parts[at:]])).unknown
        assert newer == Unknown.NEWER_SECTIONS.fill(count=1, names="sugar")
        assert not holds(with_sections([*parts[:at], unknown, *parts[at + 1 :]]))
    for one, other in pairwise(range(1, len(parts) - 1)):
        swapped = [*parts]
        swapped[one], swapped[other] = parts[other], parts[one]
        assert refused(with_sections(swapped)).check is Check.PROOF_FORM


def test_what_a_stage_needs_cannot_be_left_out() -> None:
    """A lock proves nothing without the lock before it, a reveal nothing without its lock."""
    parts = sections(bytes(good()))
    for at in range(1, len(parts)):
        left_out = with_sections(parts[:at] + parts[at + 1 :])
        if parts[at].startswith(b"reveal\n"):
            # Then it is a receipt, which claims less.
            assert checked(left_out).stage == "locked"
        else:
            assert refused(left_out).check is Check.PROOF_FORM
    proof = good()
    assert checked(replace(proof, reveal=None, lock=None)).stage == "committed"
    assert checked(replace(proof, reveal=None, lock=None, lead_lock=None)).ahead is None
    assert refused(replace(proof, lead_lock=None)).check is Check.PROOF_FORM
    assert refused(replace(proof, lock=None)).check is Check.PROOF_FORM
    assert refused(replace(proof, commitments=())).check is Check.PROOF_FORM
    assert refused(replace(proof, commitments=proof.commitments[:1])).check is Check.PROOF_FORM
    assert refused(replace(proof, commitments=proof.commitments * 2)).check is Check.PROOF_FORM


def test_the_first_round_has_no_lead_lock() -> None:
    """Its own lock serves as the lead's; a second copy would be a second spelling."""
    first = proof_of(played(), "keno-2", 1)
    assert first.lead_lock is None
    assert checked(first).ahead == 0
    assert refused(replace(first, lead_lock=first.lock)).check is Check.PROOF_FORM


RECORDS = ("table", "batch", "lead_lock", "lock", "reveal")


@pytest.mark.parametrize("name", RECORDS)
def test_a_section_of_another_table_is_refused(name: str) -> None:
    """Each record is in the log, but is not what the proof claims."""
    other = proof_of(played(), "keno-2", 8)
    failure = refused(exchanged(good(), name, getattr(other, name)))
    assert (failure.check, failure.index) == (Check.ROUND_RECORDS, getattr(other, name).inclusion.index)


@pytest.mark.parametrize(("name", "number"), [("batch", 2), ("lead_lock", 9), ("lock", 9), ("reveal", 9)])
def test_a_section_of_another_round_is_refused(name: str, number: int) -> None:
    """The previous batch, and the locks and the reveal of a neighbouring round."""
    other = proof_of(played(), "keno-1", number)
    failure = refused(exchanged(good(), name, getattr(other, name)))
    assert (failure.check, failure.index) == (Check.ROUND_RECORDS, getattr(other, name).inclusion.index)


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_of_another_type_is_refused(name: str) -> None:
    """Each record is replaced by each other one."""
    for other in RECORDS:
        if {name, other} in ({"lead_lock", "lock"}, {name}):
            continue
        failure = refused(exchanged(good(), name, getattr(good(), other)))
        assert failure.check is Check.ROUND_RECORDS


def test_commitments_are_those_of_the_round_and_of_their_custodians() -> None:
    """In their order, at their place, of this batch."""
    proof, neighbour = good(), proof_of(played(), "keno-1", 9)
    one, two = proof.commitments
    for wrong in ((two, one), (one, one), neighbour.commitments, (replace(one, digest=bytes(32)), two)):
        assert refused(replace(proof, commitments=wrong)).check is Check.COMMITMENT_PATH
    misplaced = replace(one, inclusion=replace(one.inclusion, index=0))
    assert refused(replace(proof, commitments=(misplaced, two))).check is Check.COMMITMENT_PATH
    shorter = replace(one, inclusion=replace(one.inclusion, path=one.inclusion.path[:-1]))
    assert refused(replace(proof, commitments=(shorter, two))).check is Check.COMMITMENT_PATH


@pytest.mark.parametrize("name", RECORDS)
def test_records_of_another_log_are_refused(name: str) -> None:
    """Every record as in another log of the same key, with its own proof."""
    operator = Operator()
    operator.table("hi-1", "hi-lo")
    operator.table("keno-1", "keno-express", ["house", "lab"])
    operator.batch("keno-1", 6)
    operator.batch("keno-1", 8)
    operator.play("keno-1", 10)
    other = proof_of(operator, "keno-1", 8)
    assert refused(exchanged(good(), name, getattr(other, name))).check is Check.INCLUSION
    assert refused(replace(good(), checkpoint=other.checkpoint)).check is Check.INCLUSION


def test_the_checkpoint_is_the_logs() -> None:
    """Another key, another origin, no note at all."""
    other = SigningKey(KEY.name, sha256(b"another key"))
    text = good().checkpoint.decode().partition("\n\n")[0] + "\n"
    for note, check in (
        (other.sign(text), Check.NOTE_SIGNATURE),
        (KEY.sign(text.replace("fore", "other")), Check.CHECKPOINT_ORIGIN),
        (KEY.sign(text + "more\n"), Check.CHECKPOINT_FORM),
        (b"", Check.NOTE_FORM),
    ):
        assert refused(replace(good(), checkpoint=note)).check is check


@pytest.mark.parametrize(
    "line",
    [
        *("round keno-1 08", "round keno-1 +8", "round keno-1 0", f"round keno-1 {U48_LIMIT}", "round keno-1"),
        *("round keno-1 8 ", "round  keno-1 8", "round Keno-1 8", f"round {'k' * 33} 8", "round keno_1 8"),
        *("round keno-1 \uff18", "Round keno-1 8", "round keno-1\t8", "round keno-1 8\n", "round keno-1 8\r"),
    ],
)
def test_the_second_line_has_one_spelling(line: str) -> None:
    """The table's name, and the round's number."""
    data = bytes(good()).replace(b"round keno-1 8", line.encode())
    assert refused(data).check is Check.PROOF_FORM


@pytest.mark.parametrize(
    ("first", "check"), [("round keno-2 8", Check.ROUND_RECORDS), ("round keno-1 9", Check.ROUND_RECORDS)]
)
def test_the_second_line_is_true(first: str, check: Check) -> None:
    """If it names another table or round, the records contradict it."""
    assert refused(bytes(good()).replace(b"round keno-1 8", first.encode())).check is check


def test_limits() -> None:
    """Each at its limit, and one above it."""
    path = Inclusion((1 << 63) - 1, (bytes(32),) * MOST_HASHES)
    record = ProvenRecord(b"x" * LARGEST_RECORD, path)
    witnessed = bytes(TlogProof(path, b"text\n\nsignatures"))
    most = RoundProof(
        "k" * 32,
        U48_LIMIT - 1,
        *(record, record, record, record, record, record),
        commitments=(ProvenCommitment(bytes(32), path),) * MOST_CUSTODIANS,
        checkpoint=b"x" * LARGEST_NOTE,
        witnessed=witnessed + b"x" * (LARGEST_TLOG_PROOF - len(witnessed) - 1) + b"\n",
    )
    assert RoundProof.parse(bytes(most)) == most
    assert len(bytes(most)) <= LARGEST_ROUND_PROOF
    for name in RECORDS:
        with pytest.raises(Malformed, match="65535 bytes"):
            RoundProof.parse(bytes(exchanged(most, name, replace(record, data=b"x" * (LARGEST_RECORD + 1)))))
        longer = replace(record, inclusion=replace(path, path=(bytes(32),) * (MOST_HASHES + 1)))
        with pytest.raises(Malformed, match="63 hashes"):
            RoundProof.parse(bytes(exchanged(most, name, longer)))
    with pytest.raises(Malformed, match="1 to 8 commitments"):
        RoundProof.parse(bytes(replace(most, commitments=most.commitments[:1] * (MOST_CUSTODIANS + 1))))
    padded = bytes(most) + b"x" * (LARGEST_ROUND_PROOF - len(bytes(most)))
    assert len(bytes(RoundProof.parse(padded))) == LARGEST_ROUND_PROOF
    with pytest.raises(Malformed, match="4000000 bytes"):
        RoundProof.parse(padded + b"x")


def test_the_largest_batch_is_unrolled() -> None:
    """The last round of 65,536, the slowest proof to check."""
    operator = Operator()
    operator.table("t", "keno-express")
    operator.batch("t", 65_536)
    assert checked(proof_of(operator, "t", 65_536)).stage == "committed"


def test_a_hint_that_lies_ends_in_a_check() -> None:
    """No proof can be made with finding aids that point at other records."""
    operator = played()
    files = operator.files()
    table = operator.tables["keno-1"]
    path = rounds_path(table.table_id, 8)
    told = set()
    for index in range(1, len(operator.records)):
        for at in (0, 16, 24):
            start = 32 * 7 + at
            lied = files[path][:start] + index.to_bytes(8, "big") + files[path][start + 8 :]
            with suppress(CheckFailed):
                assert proof_from(files | {path: lied}, table.table_id, 8) == good()
                told.add((index, at))
    true = {
        (record.inclusion.index, at)
        for (_, record), at in zip(list(good().records())[1:], (0, 8, 16, 24), strict=True)
    }
    assert told == true - {(record_at, 8) for record_at, at in true if at == 8}


@given(st.binary() | st.binary().map(lambda tail: bytes(good())[:600] + tail))
def test_hostile_bytes_are_refused(data: bytes) -> None:
    """Only our own errors are raised."""
    with suppress(Malformed):
        assert bytes(RoundProof.parse(data)) == data
    refused(data)


def test_the_loose_spellings_of_base64_are_refused() -> None:
    """Padding bits that are not zero decode to the same hash, and are refused."""
    data = bytes(good())
    line = base64.b64encode(good().table.inclusion.path[0])
    loose = line[:-2] + bytes([line[-2] + 1]) + b"="
    assert base64.b64decode(loose) == base64.b64decode(line)
    assert refused(data.replace(line, loose)).check is Check.PROOF_FORM


def test_a_record_in_another_spelling_is_refused() -> None:
    """The same JSON with white space has another leaf hash."""
    respelled = json.dumps(json.loads(good().table.data), sort_keys=True).encode()
    assert refused(replace(good(), table=replace(good().table, data=respelled))).check is Check.INCLUSION
