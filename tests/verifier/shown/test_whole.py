"""``--whole``: every record is read in the place of the finding aids, and what contradicts a round in its own table
is found.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed, NotShown
from tests.lies import salted_keno
from tests.lies.whole import CONTRADICTIONS, again, of_others, without_an_earlier_lock, without_its_lock
from tests.support.codes import code_of, three_tables
from tests.support.dishonest_operator import Operator
from tests.support.logs import write_files
from tests.support.ran import Ran
from tests.support.shown import MOST, ROUND, TABLE, VKEY, WAYS, ask, honest_log, verdict_of
from tests.support.verdicts import InMemory
from verifier.commands.command import FAILED, HELD, NOT_SHOWN, USAGE
from verifier.round.check import check_round
from verifier.round.report import RoundReport
from verifier.sentences import NotChecked, WayOn

Progress = Callable[[int, int], None]


def whole(operator: Operator, name: str, number: int, progress: Progress = lambda _done, _all: None) -> RoundReport:
    """The verdict on a round by every record, and without a finding aid."""
    files = {path: data for path, data in operator.files().items() if not path.startswith("find/")}
    return check_round(InMemory(files), VKEY, str(code_of(operator, name, number)), whole=progress)


def refused(operator: Operator, name: str = "keno", number: int | None = None) -> CheckFailed:
    with pytest.raises(CheckFailed) as failed:
        whole(operator, name, number or operator.tables[name].round)
    return failed.value


def test_every_round_is_found_as_by_the_aids() -> None:
    """The same verdict on each, but for what it leaves open."""
    for operator in (three_tables(), salted_keno()):
        files = operator.files()
        for name, table in operator.tables.items():
            for number in table.reveals:
                by_aids = check_round(InMemory(files), VKEY, str(code_of(operator, name, number)))
                by_records = whole(operator, name, number)
                assert by_records.passed == by_aids.passed
                assert by_aids.not_checked[0] == NotChecked.ONE_ROUND_ONLY
                assert by_records.not_checked == (NotChecked.NOT_REPLAYED, *by_aids.not_checked[1:])


def test_the_log_is_read_once_and_the_progress_is_told() -> None:
    """Through several bundles, to the last record."""
    operator = three_tables()
    operator.batch("keno", 400)
    operator.play("keno", 400)
    told: list[tuple[int, int]] = []
    whole(operator, "keno", 300, lambda done, every: told.append((done, every)))
    size = len(operator.records)
    assert (told[-1], len(told)) == ((size, size), 2)
    assert size > 800


@pytest.mark.parametrize("way", WAYS)
def test_a_hidden_table_is_found_and_one_that_is_not_there_is_not_shown(way: str) -> None:
    """Without the table's records, or with those before the round; the way on says how many records were read."""
    files = honest_log().files()
    hidden = {path: data for path, data in files.items() if not path.startswith("find/tables/")}
    assert (verdict_of(way, hidden), verdict_of(way, hidden, whole=True)) == ("not-shown", "held")
    absent = honest_log(1).files()
    if way != "receipt":
        with pytest.raises(NotShown) as lacking:
            ask(way, absent, whole=True)
        assert "as of the checkpoint of 1 records, all of which were read" in lacking.value.found
        assert lacking.value.ways_on == (WayOn.NOBODY_WHOLE.fill(size=1), WayOn.ASK_AGAIN, WayOn.ASK_THE_GIVER)


@pytest.mark.parametrize("way", ["code", "bet", "prove"])
def test_a_round_that_is_not_there_yet_is_not_shown(way: str) -> None:
    """Whatever its stage; a bet holds from the lock on."""
    found = [verdict_of(way, honest_log(steps).files(), whole=True) for steps in range(MOST)]
    first = found.index("held")
    assert first == {"code": 9, "bet": 8, "prove": 9}[way]
    assert set(found[:first]) == {"not-shown"}
    assert set(found[first:]) == {"held"}


@pytest.mark.parametrize(("check", "tell"), CONTRADICTIONS.values(), ids=CONTRADICTIONS.keys())
def test_a_record_that_contradicts_the_round_fails(check: Check, tell: Callable[[Operator], int]) -> None:
    """The aids lead to the first one alone, and show nothing of it."""
    operator = three_tables()
    index = tell(operator)
    assert check_round(InMemory(operator.files()), VKEY, str(code_of(operator, "keno", 4))).round == 4
    failed = refused(operator, "keno", 4)
    assert (failed.check, failed.index, type(failed)) == (check, index, CheckFailed)


def test_a_second_salt_fails() -> None:
    """Of the batch of the round."""
    operator = salted_keno()
    index = again(operator, operator.tables["keno"].batches[0].salted)
    failed = refused(operator, "keno", 1)
    assert (failed.check, failed.index) == (Check.SALT_AWAITED, index)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_finds_a_second_lock(way: str) -> None:
    """The bet's, the receipt's and the proof's are of the same round."""
    operator = honest_log()
    index = again(operator, operator.tables[TABLE].locks[ROUND])
    assert verdict_of(way, operator.files()) == "held"
    assert verdict_of(way, operator.files(), whole=True).startswith(f"failed record {index}: lock-next:")


def test_other_tables_records_accuse_nobody() -> None:
    """Second locks, other spellings, later versions and bytes that are no record, beside the round; only an audit
    judges them.
    """
    assert whole(of_others(three_tables()), "keno", 4).round == 4


def test_a_lead_that_no_batch_covers_fails() -> None:
    """The records show it, and the aids alone do not: an absent hint may be the server's."""
    operator = three_tables().play("keno", 8)
    files = operator.files()
    with pytest.raises(NotShown) as absent:
        check_round(InMemory(files), VKEY, str(code_of(operator, "keno", 12)))
    assert absent.value.check is Check.LEAD_COMMITTED
    failed = refused(operator)
    assert (type(failed), failed.check, failed.index) == (
        CheckFailed,
        Check.LEAD_COMMITTED,
        operator.tables["keno"].locks[12],
    )


def test_a_lead_whose_salt_is_missing_fails() -> None:
    """A batch of the lead that never got its salt before the lock."""
    operator = salted_keno()
    operator.batch("keno", 4)
    operator.play("keno", 2)
    failed = refused(operator, "keno", 8)
    assert (failed.check, failed.index) == (Check.LEAD_COMMITTED, operator.tables["keno"].locks[8])


def test_a_reveal_or_a_lock_without_what_must_stand_before_it_fails() -> None:
    """A reveal whose lock is another round's, and a lock whose earlier ones are."""
    operator = without_its_lock(three_tables())
    failed = refused(operator)
    assert (failed.check, failed.index) == (Check.REVEAL_LOCKED, operator.tables["keno"].reveals[5])
    operator = without_an_earlier_lock()
    failed = refused(operator)
    assert (failed.check, failed.index) == (Check.LOCK_NEXT, operator.tables["keno"].locks[4])


def test_false_bytes_are_no_records_of_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A bundle in which a record is exchanged fails, whoever served it, so nobody hides a record that way."""
    operator = honest_log()
    files = operator.files()
    bundle = next(path for path in files if path.startswith("tile/entries/"))
    files[bundle] = files[bundle].replace(b'"round":2,', b'"round":3,')
    log = write_files(tmp_path, files)
    ran = Ran(capsys, "code", str(code_of(operator, TABLE, 1)), "--log", log, "--key", str(VKEY), "--whole", "--json")
    assert (ran.status, ran.json["check"]) == (FAILED, Check.BUNDLE)


def test_the_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A proof file has no other records; a bet on HI LO asks for other rounds, which are found, too."""
    operator = Operator()
    operator.table("hi", "hi-lo", betting="catalogue")
    operator.batch("hi", 40)
    operator.play("hi", 6)
    log = write_files(tmp_path, {path: data for path, data in operator.files().items() if "find/" not in path})
    call: list[str | Path] = [
        "code",
        str(code_of(operator, "hi", 6)),
        "--log",
        log,
        "--key",
        str(VKEY),
        "--bet",
        "hi",
    ]
    assert Ran(capsys, *call).status == NOT_SHOWN
    assert Ran(capsys, *call, "--whole").status == HELD
    for what in (("bet", "receipt"), ("code", call[1])):
        asked = Ran(capsys, *what, "--proof", "file", "--whole", "--key", str(VKEY))
        assert (asked.status, "--whole needs --log" in asked.errors) == (USAGE, True)
