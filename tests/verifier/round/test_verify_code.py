"""One round, checked by its code: what holds, and every way in which code, hints or records can be false."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairness.checks import Check
from fairness.draws.commitments import commitments_path
from fairness.errors import CheckFailed, NotShown, Unreadable
from fairness.hashing import u64
from fairness.player.round_code import RoundCode
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from fairness.records.record import TableRecord, parse_record
from fairness.round.finding_aids import RoundPositions, TablePositions, rounds_path, tables_path
from games import GAMES
from tests.lies import history
from tests.lies.batches import lead_in_batches, without_batches_after_the_65th
from tests.support.codes import code_of, three_tables
from tests.support.dishonest_operator import KEY, Operator, just_before
from tests.support.log_server import serving
from tests.support.verdicts import InMemory
from verifier.caveats import caveats
from verifier.round.check import check_round
from verifier.round.report import RoundReport
from verifier.sentences import NotChecked
from verifier.sources.source import FolderSource, HttpSource


def checked(folder: Path, code: RoundCode | str, table: str | None = None) -> RoundReport:
    """The verdict on one code."""
    return check_round(FolderSource(folder), KEY.verifier_key, str(code), table=table)


def refused(folder: Path, code: RoundCode | str, table: str | None = None) -> CheckFailed:
    """Why a code is refused."""
    with pytest.raises(CheckFailed) as failed:
        checked(folder, code, table)
    return failed.value


def test_every_ended_round_holds(tmp_path: Path) -> None:
    """Played or void, of every game, with one custodian or eight; from a folder or a server; in upper or lower
    case.
    """
    operator = history()
    operator.write(tmp_path)
    ended = 0
    with serving(tmp_path) as address:
        for name, table in operator.tables.items():
            for number in table.reveals:
                code = code_of(operator, name, number)
                report = checked(tmp_path, code, name)
                assert (report.table, report.round, report.outcome) == (name, number, table.outcome_of(number))
                assert report.ahead >= min(report.lead, number - 1)
                assert report.not_checked[0] == NotChecked.ONE_ROUND_ONLY
                assert checked(tmp_path, str(code).upper()) == report
                ended += 1
        assert check_round(HttpSource(address), KEY.verifier_key, str(code)) == report
    assert ended == 84


def test_the_report_says_what_the_records_say(tmp_path: Path) -> None:
    """Every field, and the records that each step rests on."""
    operator = three_tables().play("keno", 2)
    operator.write(tmp_path)
    keno = operator.tables["keno"]
    fixed, following = (batch.index for batch in keno.batches)
    batch, lock, reveal = (json.loads(operator.records[at]) for at in (fixed, keno.locks[5], keno.reveals[5]))
    report = checked(tmp_path, code_of(operator, "keno", 5))
    table = parse_record(operator.records[keno.index])
    assert isinstance(table, TableRecord)
    assert replace(report, passed=()) == RoundReport(
        head=Head.open(operator.files()["checkpoint"], KEY.verifier_key),
        table="keno",
        table_id=keno.table_id,
        game="keno-express",
        declaration="",
        paytable="",
        round=5,
        batch=1,
        outcome=report.outcome,
        status="played",
        reason=None,
        committed_at=batch["committed"],
        salt=None,
        witnessed=None,
        opened_at=lock["opened"],
        locked_at=lock["locked"],
        revealed_at=reveal["revealed"],
        lead=2,
        ahead=4,
        passed=(),
        not_checked=(NotChecked.ONE_ROUND_ONLY, *caveats([table], GAMES, Policy(KEY.verifier_key))),
        unknown=(),
        is_outcome_known=True,
        rules=batch["rules"],
        records=(keno.locks[5], keno.reveals[5]),
    )
    assert report.outcome == keno.outcome_of(5)
    assert [passed.records for passed in report.passed] == [
        *((), (), (keno.index,), (fixed, following), (keno.locks[5], keno.reveals[5])),
        *((fixed,), (fixed,), (fixed,), (fixed, keno.locks[1])),
    ]
    assert report.passed[3].text == "rounds 5 to 7 were committed before round 5 was locked"


def test_how_many_rounds_ahead_is_shown_by_two_locks(tmp_path: Path) -> None:
    """For every round of a table: the first round locked after its batch, in the order of the log."""
    operator = Operator()
    operator.table("keno", "keno-express")
    for count in (3, 2, 1, 1, 30, 300):
        operator.batch("keno", count)
        operator.play("keno", max(0, operator.tables["keno"].committed_through - 2 - operator.tables["keno"].round))
    operator.write(tmp_path)
    table = operator.tables["keno"]
    for number in (1, 2, 3, 4, 5, 6, 7, 8, 20, 37, 38, 39, 255, 256, 257, 258, 300, 335):
        _, batch = table.batch_of(number)
        first = next(locked for locked, index in sorted(table.locks.items()) if index > batch.index)
        report = checked(tmp_path, code_of(operator, "keno", number))
        assert report.ahead == number - first
        before = (table.locks[first - 1],) if first > 1 else ()
        assert report.passed[-1].records == (*before, batch.index, table.locks[first])
    (tmp_path / rounds_path(table.table_id, 1)).unlink()
    assert refused(tmp_path, code_of(operator, "keno", 300)).check is Check.ROUND_RECORDS


def test_a_void_round_is_reported_with_its_reason(tmp_path: Path) -> None:
    """The reason of the record that decided: the lock of a round given up, or the void reveal."""
    operator = Operator()
    operator.table("dice", "sic-bo")
    operator.batch("dice", 20)
    operator.drop("dice")
    operator.give_up("dice", was_open=True)
    operator.reveal("dice")
    operator.lock("dice")
    operator.void("dice")
    operator.write(tmp_path)
    reports = [checked(tmp_path, code_of(operator, "dice", number)) for number in (1, 2, 3)]
    assert [report.reason for report in reports] == ["engine never came"] * 2 + ["engine failure"]
    assert [report.opened_at is None for report in reports] == [True, False, False]


def test_a_typing_error_is_called_one(tmp_path: Path) -> None:
    """Every single wrong character after the 1 fails the checksum, and the error says so."""
    operator = three_tables()
    operator.write(tmp_path)
    code = str(code_of(operator, "keno", 3))
    for at in range(code.index("1") + 1, len(code)):
        wrong = code[:at] + ("q" if code[at] != "q" else "p") + code[at + 1 :]
        failed = refused(tmp_path, wrong)
        assert failed.check is Check.CODE_CHECKSUM
        assert "checksum" in failed.found
    for form in (
        "",
        "crash",
        " " + code,
        code + "\n",
        code[:-1] + "b",
        code[:9].upper() + code[9:],
        "roulette1qqqqqq",
    ):
        assert refused(tmp_path, form).check in {Check.CODE_FORM, Check.CODE_CHECKSUM}


def test_another_tables_or_games_code_is_refused_with_its_name(tmp_path: Path) -> None:
    """The check names the table or game that the code belongs to."""
    operator = three_tables()
    operator.write(tmp_path)
    code = code_of(operator, "keno", 3)
    failed = refused(tmp_path, code, "other")
    assert (failed.check, failed.found) == (Check.CODE_TABLE, "a code of keno")
    failed = refused(tmp_path, replace(code, game="hi-lo"))
    assert (failed.check, failed.expected) == (Check.CODE_GAME, "keno-express, the game of keno")
    failed = refused(tmp_path, replace(code, table_prefix=b"none"))
    assert (type(failed), failed.check) == (NotShown, Check.CODE_TABLE)
    assert "none, as of the checkpoint" in failed.found


def test_a_code_with_false_parts_is_refused(tmp_path: Path) -> None:
    """Another round's seed, an invented one, one too many, a table's prefix with another's seeds."""
    operator = three_tables()
    operator.write(tmp_path)
    code, keno = code_of(operator, "keno", 3), operator.tables["keno"]
    assert refused(tmp_path, replace(code, round_number=2)).check is Check.CODE_SEED
    assert refused(tmp_path, replace(code, seeds=(bytes(32),))).check is Check.CODE_SEED
    assert refused(tmp_path, replace(code, seeds=(*code.seeds, bytes(32)))).check is Check.CODE_SEED
    other = operator.tables["other"].table_id[:4]
    assert refused(tmp_path, replace(code, table_prefix=other)).check is Check.CODE_SEED
    for number, words in (
        (5, "not yet played"),
        (12, "not yet played"),
        (13, "not committed"),
        (1 << 47, "not committed"),
    ):
        failed = refused(tmp_path, replace(code, round_number=number))
        assert failed.check is Check.CODE_ROUND
        assert words in failed.found
    operator.lock("keno")
    operator.write(tmp_path)
    failed = refused(tmp_path, code_of(operator, "keno", keno.round))
    assert (failed.check, "not yet revealed" in failed.found) == (Check.CODE_ROUND, True)


def _opened_early(operator: Operator) -> None:
    committed = json.loads(operator.records[operator.tables["keno"].batches[1].index])["committed"]
    operator.lock("keno", opened=just_before(committed))
    operator.reveal("keno")


def _late_batch(operator: Operator) -> None:
    operator.play("keno", 6)
    operator.lock("keno")
    operator.batch("keno", 4)
    operator.reveal("keno")


def _lead_that_was_empty(operator: Operator) -> None:
    operator.play("keno", 8)
    operator.batch("keno", 9)
    operator.play("keno")


LIES: dict[str, tuple[Check, Callable[[Operator], object]]] = {
    "another outcome": (Check.OUTCOME, lambda log: (log.lock("keno"), log.reveal("keno", outcome={"number": 101}))),
    "another time": (
        Check.TIME_ORDER,
        lambda log: (log.lock("keno"), log.reveal("keno", revealed=log.tables["keno"].created)),
    ),
    "opened after the lock": (
        Check.LOCK_OPENED,
        lambda log: (log.lock("keno", opened="2999-12-31T23:59:59.999Z"), log.reveal("keno")),
    ),
    "opened before the lead was fixed": (Check.LEAD_OPENED, _opened_early),
    "given up and played": (
        Check.REVEAL_GIVEN_UP,
        lambda log: (log.give_up("keno"), log.reveal("keno", status="played")),
    ),
    "played for a reason": (Check.REVEAL_REASON, lambda log: (log.lock("keno"), log.reveal("keno", reason="none"))),
    "void for none": (Check.REVEAL_REASON, lambda log: (log.lock("keno"), log.reveal("keno", status="void"))),
    "respelled": (
        Check.RECORD_FORM,
        lambda log: (log.lock("keno"), log.reveal("keno", respelled=lambda data: data.replace(b",", b", ", 1))),
    ),
    "another round": (Check.ROUND_RECORDS, lambda log: (log.lock("keno", round=99), log.reveal("keno"))),
    "the next batch after the lock": (Check.LEAD_COMMITTED, _late_batch),
    "no next batch": (Check.LEAD_COMMITTED, lambda log: log.play("keno", 8)),
    "a batch that came after the lock of the lead": (Check.LEAD_COMMITTED, _lead_that_was_empty),
}


@pytest.mark.parametrize(("check", "lie"), LIES.values(), ids=LIES.keys())
def test_a_lie_about_the_round_is_found(check: Check, lie: Callable[[Operator], object], tmp_path: Path) -> None:
    """If a round's own records or their order break a rule, its check is named."""
    operator = three_tables()
    lie(operator)
    operator.write(tmp_path)
    assert refused(tmp_path, code_of(operator, "keno", operator.tables["keno"].round)).check is check


BATCH_LIES: dict[str, tuple[Check, dict[str, Any]]] = {
    "another predecessor": (Check.BATCH_PREVIOUS, {"previous": "00" * 32}),
    "another number": (Check.BATCH_NUMBER, {"batch": 7}),
    "a gap": (Check.ROUND_RECORDS, {"count": 5, "first": 8}),
    "an anchor too many": (Check.BATCH_CUSTODIANS, {"anchors": ["00" * 32, "11" * 32]}),
}


@pytest.mark.parametrize(("check", "lie"), BATCH_LIES.values(), ids=BATCH_LIES.keys())
def test_a_lie_about_the_next_batch_is_found(check: Check, lie: dict[str, Any], tmp_path: Path) -> None:
    """The batches that hold the lead are checked to be the ones that follow."""
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 6)
    operator.batch("keno", 6, **lie)
    operator.play("keno", 6).write(tmp_path)
    failed = refused(tmp_path, code_of(operator, "keno", 6))
    assert (failed.check, failed.index) == (check, operator.tables["keno"].batches[1].index)


def test_a_lead_in_64_batches_holds(tmp_path: Path) -> None:
    """As many batches as a log may have with rounds that have not ended; one more is refused."""
    operator = lead_in_batches(Operator(), 64)
    assert checked(operator.write(tmp_path / "64"), code_of(operator, "keno-2", 1)).ahead == 0
    operator = lead_in_batches(Operator(), 65)
    failed = refused(operator.write(tmp_path / "65"), code_of(operator, "keno-2", 1))
    assert (failed.check, failed.index) == (Check.BATCH_PENDING, operator.tables["keno-2"].batches[64].index)


def test_no_batch_after_the_65th_is_read() -> None:
    """However many batches a false log has: those after the 65th are missing here, and nobody notices."""
    operator, files = without_batches_after_the_65th()
    assert operator.tables["keno-2"].batches[64].index == 255
    with pytest.raises(CheckFailed) as failed:
        check_round(InMemory(files), KEY.verifier_key, str(code_of(operator, "keno-2", 1)))
    assert (failed.value.check, failed.value.index) == (Check.BATCH_PENDING, 255)


def test_the_first_rounds_were_fixed_before_the_first_lock(tmp_path: Path) -> None:
    """If there is no round ``lead`` rounds earlier, the first lock counts."""
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 1)
    operator.play("keno")
    late = operator.batch("keno", 9)
    operator.play("keno", 3).write(tmp_path)
    for number in (2, 3):
        failed = refused(tmp_path, code_of(operator, "keno", number))
        assert (failed.check, failed.index) == (Check.LEAD_COMMITTED, late)
    assert checked(tmp_path, code_of(operator, "keno", 4)).ahead == 2


def test_finding_aids_may_be_newer_than_the_checkpoint(tmp_path: Path) -> None:
    """They are files of their own: what they point at beyond the checkpoint is not there yet, and accuses nobody."""
    operator = three_tables()
    for act, words in ((operator.lock, "committed, and not yet played"), (operator.reveal, "not yet revealed")):
        operator.write(tmp_path)
        head = (tmp_path / "checkpoint").read_bytes()
        act("keno")
        operator.write(tmp_path)
        (tmp_path / "checkpoint").write_bytes(head)
        failed = refused(tmp_path, code_of(operator, "keno", 5))
        assert (failed.check, words in failed.found) == (Check.CODE_ROUND, True)


def test_false_commitments_are_found(tmp_path: Path) -> None:
    """A signed and published commitment to another seed; a file that does not match the record; no file."""
    operator = Operator()
    operator.table("keno", "keno-express")
    batch = operator.batch("keno", 6, committing=lambda custodians: [[bytes(32), *part[1:]] for part in custodians])
    operator.play("keno", 2).write(tmp_path)
    assert refused(tmp_path, code_of(operator, "keno", 1)).check is Check.COMMITMENT
    assert checked(tmp_path, code_of(operator, "keno", 2)).round == 2
    file = tmp_path / commitments_path(operator.tables["keno"].batches[0].batch_id)
    file.write_bytes(file.read_bytes() + b"\0")
    assert refused(tmp_path, code_of(operator, "keno", 2)).check is Check.COMMITMENTS_FILE
    file.unlink()
    failed = refused(tmp_path, code_of(operator, "keno", 2))
    assert (failed.check, failed.index) == (Check.COMMITMENTS_FILE, batch)


def test_a_chain_that_is_another_tables_is_found(tmp_path: Path) -> None:
    """Published seeds that do not unroll to the anchor under this table's name."""
    operator = Operator()
    operator.table("other", "keno-express")
    operator.table("keno", "keno-express")
    operator.batch("keno", 6, chained_for="other")
    operator.play("keno", 2).write(tmp_path)
    assert refused(tmp_path, code_of(operator, "keno", 1)).check is Check.SEED_LINK


TABLE_LIES: dict[str, tuple[Check, dict[str, Any]]] = {
    "another log": (Check.TABLE_ORIGIN, {"log": "other.example/log"}),
    "no lead": (Check.TABLE_LEAD, {"lead": 0}),
    "a lead beyond the limit": (Check.TABLE_LEAD, {"lead": 1001}),
    "a salt that is no beacon": (Check.TABLE_SALT, {"salt": "dice"}),
}


@pytest.mark.parametrize(("check", "lie"), TABLE_LIES.values(), ids=TABLE_LIES.keys())
def test_a_lie_about_the_table_is_found(check: Check, lie: dict[str, Any], tmp_path: Path) -> None:
    """The check of one round demands of the table's own record what replay demands."""
    operator = Operator()
    table = operator.table("keno", "keno-express", **lie)
    operator.batch("keno", 6)
    operator.play("keno").write(tmp_path)
    failed = refused(tmp_path, code_of(operator, "keno", 1))
    assert (failed.check, failed.index) == (check, table)


@pytest.mark.parametrize("rules", [{"cap": 50, "rtp": 20_000, "version": 1}, {"cap": 101, "rtp": 1, "version": 0}])
def test_rules_that_the_game_does_not_have_are_found(rules: dict[str, int], tmp_path: Path) -> None:
    """An outcome that follows from false rules does not hold."""
    operator = Operator()
    operator.table("crash", "crash")
    batch = operator.batch("crash", 20, rules=rules)
    operator.play("crash").write(tmp_path)
    failed = refused(tmp_path, code_of(operator, "crash", 1))
    assert (failed.check, failed.index) == (Check.BATCH_RULES, batch)


def test_no_false_hint_changes_the_verdict(tmp_path: Path) -> None:
    """Whatever record a hint points at, the verdict is the same round with the same outcome, or a refusal."""
    operator = three_tables()
    operator.write(tmp_path)
    keno, code = operator.tables["keno"], code_of(operator, "keno", 3)
    report = checked(tmp_path, code)
    file = tmp_path / rounds_path(keno.table_id, 3)
    whole = file.read_bytes()
    for at in range(0, RoundPositions.SIZE * 6, 8):
        for index in (*range(len(operator.records) + 1), 1 << 63, (1 << 64) - 1):
            file.write_bytes(whole[:at] + u64(index) + whole[at + 8 :])
            with suppress(CheckFailed):
                assert checked(tmp_path, code) == report


@pytest.mark.parametrize("data", [b"", b"\0" * 23, bytes(TablePositions(1)), bytes(TablePositions(3)), b"\0" * 8184])
def test_a_false_file_of_tables_is_refused(data: bytes, tmp_path: Path) -> None:
    """It is malformed, or points at a record that is not that table."""
    operator = three_tables()
    operator.write(tmp_path)
    (tmp_path / tables_path(operator.tables["other"].table_id)).write_bytes(data)
    assert refused(tmp_path, code_of(operator, "other", 3)).check is Check.ROUND_RECORDS


def test_a_table_that_the_checkpoint_does_not_have_yet_hides_no_other(tmp_path: Path) -> None:
    """Finding aids may be ahead of the checkpoint: such an entry alone is no table; next to another it does not
    matter.
    """
    operator = three_tables()
    operator.write(tmp_path)
    other, code = operator.tables["other"], code_of(operator, "other", 3)
    file = tmp_path / tables_path(other.table_id)
    whole, ahead = file.read_bytes(), bytes(TablePositions(1 << 40))
    report = checked(tmp_path, code)
    file.write_bytes(whole + ahead)
    assert checked(tmp_path, code) == report
    file.write_bytes(ahead)
    assert refused(tmp_path, code).check is Check.CODE_TABLE


def test_a_batch_that_the_checkpoint_does_not_have_yet_is_not_committed(tmp_path: Path) -> None:
    """A position past the log's end means the same as none (SPEC 5.4)."""
    operator = three_tables()
    operator.write(tmp_path)
    code = code_of(operator, "keno", 3)
    file = tmp_path / rounds_path(operator.tables["keno"].table_id, 3)
    whole, at = file.read_bytes(), 2 * RoundPositions.SIZE
    for index in (0, len(operator.records), 1 << 63):
        file.write_bytes(whole[:at] + u64(index) + whole[at + 8 :])
        assert refused(tmp_path, code).check is Check.LEAD_COMMITTED


HOSTILE = three_tables()
FILES = sorted(HOSTILE.files())


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(FILES), data=st.none() | st.binary(max_size=300) | st.binary(min_size=8000, max_size=8300)
)
def test_hostile_bytes_in_any_file_cause_our_own_errors_only(path: str, data: bytes | None, tmp_path: Path) -> None:
    """Whatever a file contains, or if it is missing, the check holds with the same outcome or says what is wrong."""
    file = HOSTILE.write(tmp_path) / path
    if data is None:
        file.unlink()
    else:
        file.write_bytes(data)
    try:
        report = checked(tmp_path, code_of(HOSTILE, "keno", 3))
    except (CheckFailed, Unreadable):
        return
    assert report.outcome == HOSTILE.tables["keno"].outcome_of(3)


@given(text=st.text(max_size=80) | st.text("qpzry9x8gf2tvdw0s3jn54khce6mua7l1", max_size=80).map("crash1".__add__))
def test_hostile_codes_cause_our_own_errors_only(text: str) -> None:
    """Any text at all is refused before a file is read."""
    failed = refused(Path("/nonexistent"), text)
    assert failed.check in {Check.CODE_FORM, Check.CODE_CHECKSUM}
