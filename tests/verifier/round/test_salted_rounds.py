"""Rounds of a table with a salt: by their codes, and by their proof files (SPEC 8.2 and 8.6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fairness.beacon.chain import QUICKNET
from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.policy.policy import Policy
from fairness.round.finding_aids import RoundPositions, rounds_path
from fairness.round.proof import RoundProof
from fairness.times import format_time
from games import GAMES
from tests.lies import BEFORE_PULSES, salted_keno
from tests.support.beacons import OURS, REAL
from tests.support.codes import code_of
from tests.support.dishonest_operator import ABSENT, KEY, Operator, just_before
from tests.support.proofs import proof_of
from verifier.caveats import caveats
from verifier.output.proof import proof_verdict
from verifier.output.round import round_verdict
from verifier.round.check import check_round
from verifier.round.proof_check import check_proof
from verifier.round.report import RoundReport, Salt
from verifier.sentences import Checked, NotChecked
from verifier.sources.source import FolderSource

VKEY = KEY.verifier_key
POLICY = Policy(VKEY, beacons=(OURS,))
FIRST_PULSE = 27798178
PULSE_TIME = format_time(datetime.fromtimestamp(QUICKNET.time_of(FIRST_PULSE), UTC))


def checked(operator: Operator, number: int, folder: Path) -> RoundReport:
    return check_round(FolderSource(operator.write(folder)), VKEY, str(code_of(operator, "keno", number)))


def refused(operator: Operator, number: int, folder: Path) -> Check:
    with pytest.raises(CheckFailed) as failure:
        checked(operator, number, folder)
    return failure.value.check


def test_the_salt_is_what_fixed_a_round(tmp_path: Path) -> None:
    """The report names it, and counts the rounds ahead from it."""
    operator = salted_keno()
    keno = operator.tables["keno"]
    first, second = keno.batches
    report = checked(operator, 5, tmp_path)
    assert report.salt == Salt(
        "quicknet",
        second.beacon or 0,
        REAL[second.beacon or 0].hex(),
        report.salt.salted_at if report.salt else "",
        second.salted,
    )
    assert (report.ahead, report.unknown) == (2, ())
    assert report.outcome == keno.outcome_of(5)
    texts = {passed.text: passed.records for passed in report.passed}
    assert texts[Checked.SALTED.fill(round=5)] == (second.salted,)
    assert texts[Checked.ROUNDS_AHEAD_SALTED.fill(first=3)] == (keno.locks[2], second.salted, keno.locks[3])
    assert NotChecked.SALT_BY_CLOCK in report.not_checked
    assert NotChecked.NO_SALT not in report.not_checked
    assert round_verdict(report).startswith("Held: Round 5 of keno was fixed before round 3 was locked")
    across = {passed.text: passed.records for passed in checked(operator, 3, tmp_path).passed}
    assert across[Checked.SALTED.fill(round=3)] == (first.salted, second.salted)


def test_a_round_of_an_unknown_beacon_is_neither_held_nor_failed(tmp_path: Path) -> None:
    """All but the pulses is checked; whoever knows the beacon gets a verdict that held."""
    operator = salted_keno(OURS.chain_hash.hex())
    code, source = str(code_of(operator, "keno", 5)), FolderSource(operator.write(tmp_path))
    unknown, known = check_round(source, VKEY, code), check_round(source, POLICY, code)
    assert known.unknown == ()
    (sentence,) = unknown.unknown
    assert OURS.chain_hash.hex() in sentence
    assert round_verdict(unknown).startswith("UNKNOWN: ")
    assert Checked.SALTED_BY_UNKNOWN.fill(round=5) in {passed.text for passed in unknown.passed}
    assert replace(unknown, unknown=(), passed=(), head=known.head) == replace(known, passed=())
    data = bytes(proof_of(operator, "keno", 5))
    assert proof_verdict(check_proof(data, VKEY)).startswith("UNKNOWN: ")
    assert Checked.SALT_IS_PULSE not in [each.text for each in check_proof(data, VKEY).passed]
    assert proof_verdict(check_proof(data, POLICY)).startswith("Held: ")


def _batch_lies(**lies: object) -> Callable[[Operator], object]:
    told: dict[str, Any] = lies
    return lambda op: (op.batch("keno", 9, **told), op.salt("keno"), op.play("keno", 4))


def _salt_lies(**lies: object) -> Callable[[Operator], object]:
    return lambda op: (op.batch("keno", 9), op.salt("keno", **lies), op.play("keno", 4))


def _locked_before_salt(operator: Operator) -> None:
    operator.batch("keno", 9)
    operator.play("keno", 4)
    operator.salt("keno")


def _opened_before_salt(operator: Operator) -> None:
    operator.batch("keno", 9)
    operator.salt("keno")
    salted_at = operator.tables["keno"].latest
    operator.play("keno", 3)
    operator.lock("keno", opened=just_before(salted_at))
    operator.reveal("keno")


def _late_salt_of_next(operator: Operator) -> None:
    """The next batch of the lead is salted after the lock."""
    operator.batch("keno", 5)
    operator.salt("keno")
    operator.batch("keno", 4)
    operator.play("keno", 4)
    operator.salt("keno")


LIES: dict[str, tuple[Check, Callable[[Operator], object]]] = {
    "no beacon": (Check.BATCH_BEACON, _batch_lies(beacon=ABSENT)),
    "a beacon of the past": (Check.BATCH_BEACON, _batch_lies(beacon=1000)),
    "a beacon of much later": (Check.BATCH_BEACON, _batch_lies(beacon=FIRST_PULSE + 1200)),
    "a pulse of another round": (Check.SALT_SIGNATURE, _salt_lies(signature=REAL[1000].hex())),
    "a salt of another batch": (Check.ROUND_RECORDS, _salt_lies(batch=2)),
    "a salt of another table": (Check.ROUND_RECORDS, _salt_lies(table="other")),
    "a salt before its pulse": (Check.SALT_TIME, _salt_lies(salted=just_before(PULSE_TIME))),
    "a lock before the salt": (Check.LEAD_COMMITTED, _locked_before_salt),
    "opened before the salt": (Check.LEAD_OPENED, _opened_before_salt),
    "a salt of the lead after the lock": (Check.LEAD_COMMITTED, _late_salt_of_next),
}


@pytest.mark.parametrize(("check", "lie"), LIES.values(), ids=LIES.keys())
def test_a_lie_about_the_salt_is_found(check: Check, lie: Callable[[Operator], object], tmp_path: Path) -> None:
    """Each by its check, as in an audit."""
    operator = Operator(start=BEFORE_PULSES)
    operator.table("keno", "keno-express", salted_by="quicknet")
    lie(operator)
    assert refused(operator, 4, tmp_path) is check


def test_a_hint_that_leads_to_no_salt_is_found(tmp_path: Path) -> None:
    """Absent, or at a record that is none; of a table without a salt it is not read."""
    operator = salted_keno()
    folder = operator.write(tmp_path)
    table = operator.tables["keno"]
    file = folder / rounds_path(table.table_id, 1)
    honest = file.read_bytes()
    at = 4 * RoundPositions.SIZE
    for position, check in (
        (0, Check.LEAD_COMMITTED),
        (table.locks[1], Check.ROUND_RECORDS),
        (9999, Check.LEAD_COMMITTED),
    ):
        file.write_bytes(honest[: at + 8] + position.to_bytes(8, "big") + honest[at + 16 :])
        with pytest.raises(CheckFailed) as failure:
            check_round(FolderSource(folder), VKEY, str(code_of(operator, "keno", 5)))
        assert failure.value.check is check
    plain = Operator()
    plain.table("keno", "keno-express")
    plain.batch("keno", 9)
    plain.play("keno", 4)
    place = plain.write(tmp_path / "plain") / rounds_path(plain.tables["keno"].table_id, 1)
    place.write_bytes(place.read_bytes()[: 3 * 32 + 8] + (2).to_bytes(8, "big") + place.read_bytes()[3 * 32 + 16 :])
    check_round(FolderSource(tmp_path / "plain"), VKEY, str(code_of(plain, "keno", 4)))


def test_a_proof_file_has_the_salt_between_batch_and_locks() -> None:
    """And shows the same as the log."""
    operator = salted_keno()
    keno = operator.tables["keno"]
    proof = proof_of(operator, "keno", 5)
    assert [name for name, _ in proof.records()] == ["table", "batch", "salt", "lead-lock", "lock", "reveal"]
    assert RoundProof.parse(bytes(proof)) == proof
    report = check_proof(bytes(proof), VKEY)
    assert (report.fixed_by, report.ahead, report.stage) == (keno.batches[1].salted, 2, "ended")
    assert Checked.SALT_IS_PULSE in [each.text for each in report.passed]
    assert set(caveats([report.table.record], GAMES, POLICY)) < set(report.not_checked)


def test_a_receipt_before_the_salt_says_that_nothing_is_fixed() -> None:
    """Then the salt completes it."""
    operator = Operator(start=BEFORE_PULSES)
    operator.table("keno", "keno-express", salted_by="quicknet")
    operator.batch("keno", 4)
    report = check_proof(bytes(proof_of(operator, "keno", 2)), VKEY)
    assert (report.salt, report.fixed_by, report.stage) == (None, None, "committed")
    assert "awaits the pulse" in proof_verdict(report)
    operator.salt("keno")
    report = check_proof(bytes(proof_of(operator, "keno", 2)), VKEY)
    assert report.fixed_by == operator.tables["keno"].batches[0].salted
    assert report.newest_time == operator.tables["keno"].latest
    assert "is fixed in the log" in proof_verdict(report)


def test_a_proof_file_leaves_no_salt_out() -> None:
    """Nor has one where the table has none."""
    operator = salted_keno()
    proof = proof_of(operator, "keno", 5)
    for without in (replace(proof, salt=None), replace(proof, salt=None, lock=None, reveal=None)):
        with pytest.raises(CheckFailed) as failure:
            check_proof(bytes(without), VKEY)
        assert failure.value.check is Check.PROOF_FORM
    bare = replace(proof, salt=None, lead_lock=None, lock=None, reveal=None)
    assert check_proof(bytes(bare), VKEY).fixed_by is None
