"""Status 7: nobody signs finding aids, so whatever only they say accuses nobody, and clears nobody (SPEC 5.4)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.errors import NotShown
from fairness.hashing import leaf_hash, u64
from fairness.log.notes import SigningKey
from fairness.player.bets import receipts
from fairness.round.finding_aids import TablePositions, rounds_path, tables_path
from tests.support.codes import BESIDE, code_of, table_beside
from tests.support.dishonest_operator import KEY, Operator
from tests.support.logs import write_files
from tests.support.ran import Ran
from tests.support.shown import MOST, ROUND, TABLE, VKEY, WAYS, Files, ask, honest_log, receipt_of_round, verdict_of
from tests.support.verdicts import LINES, InMemory
from verifier.commands.command import FAILED, HELD, NOT_SHOWN
from verifier.round.check import check_round
from verifier.sentences import WayOn

SALTED = [pytest.param(False, id="plain"), pytest.param(True, id="salted")]
every_way = pytest.mark.parametrize("way", WAYS)
both = pytest.mark.parametrize("salted", SALTED)


def aids_of(files: Files) -> dict[str, bytes]:
    return {path: data for path, data in files.items() if path.startswith("find/")}


def without_aids(files: Files) -> dict[str, bytes]:
    return {path: data for path, data in files.items() if not path.startswith("find/")}


@every_way
@both
def test_missing_aids_accuse_nobody(way: str, *, salted: bool) -> None:
    """All of them, those of tables, or those of rounds; and every record shows the round."""
    files = honest_log(salted=salted).files()
    for hidden in ("find/", "find/tables/", "find/rounds/"):
        left = {path: data for path, data in files.items() if not path.startswith(hidden)}
        assert verdict_of(way, left, salted=salted) == "not-shown"
        assert verdict_of(way, left, salted=salted, whole=True) == "held"


@every_way
@both
def test_aids_that_are_older_than_the_checkpoint_accuse_nobody(way: str, *, salted: bool) -> None:
    """Of every earlier moment, down to those of an empty log."""
    files = honest_log(salted=salted).files()
    found = []
    for steps in range(MOST + 1):
        mixed = without_aids(files) | aids_of(honest_log(steps, salted=salted).files())
        found.append(verdict_of(way, mixed, salted=salted))
        assert verdict_of(way, mixed, salted=salted, whole=True) == "held"
    assert set(found) == {"not-shown", "held"}
    assert found == sorted(found, reverse=True)


@pytest.mark.nightly("tries every record in every place of the aids")
@every_way
@both
def test_no_false_aid_accuses_anybody(way: str, *, salted: bool) -> None:
    """Whatever record a hint leads to, the round holds, or is not shown."""
    operator = honest_log(salted=salted)
    files = operator.files()
    for path, data in aids_of(files).items():
        for at in range(0, len(data), 8):
            for index in (*range(len(operator.records) + 1), 1 << 63):
                false = files | {path: data[:at] + u64(index) + data[at + 8 :]}
                assert verdict_of(way, false, salted=salted) in {"held", "not-shown"}, (path, at, index)
        for other in (b"", data[:-1], data + b"\0", data * 300):
            assert verdict_of(way, files | {path: other}, salted=salted) in {"held", "not-shown"}


@every_way
def test_a_false_aid_of_the_table_or_the_round_accuses_nobody(way: str) -> None:
    """One entry that leads to another record, one that leads outside the log, a file that is none."""
    operator = honest_log()
    files, table = operator.files(), operator.tables[TABLE]
    for path in (tables_path(table.table_id), rounds_path(table.table_id, ROUND)):
        for data in (files[path][:-1], bytes(len(files[path])), u64(5) * (len(files[path]) // 8)):
            assert verdict_of(way, files | {path: data}) == "not-shown"


@both
def test_what_records_show_is_still_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, salted: bool
) -> None:
    """Another seed than the one that was revealed, and another bet than one of those that the lock fixed."""
    operator = honest_log(salted=salted)
    log = operator.write(tmp_path / "log")
    false = code_of(operator, TABLE, ROUND)
    wrong = type(false)(false.game, false.table_prefix, false.round_number, (bytes(32),))
    assert Ran(capsys, "code", str(wrong), "--log", log, "--key", str(VKEY)).status == FAILED
    (tmp_path / "bet").write_bytes(
        bytes(receipts(LINES[:2], table_id=operator.tables[TABLE].table_id, round_number=ROUND)[1])
    )
    assert Ran(capsys, "bet", tmp_path / "bet", "--log", log, "--key", str(VKEY)).status == FAILED


CHECKS = {
    "code": Check.CODE_TABLE,
    "bet": Check.BET_ROUND,
    "receipt": Check.RECEIPT_KEPT,
    "prove": Check.CODE_TABLE,
    "prove-number": Check.ROUND_RECORDS,
}


def asked(way: str, operator: Operator, folder: Path) -> list[str | Path]:
    """The command's arguments."""
    code, table_id = str(code_of(operator, TABLE, ROUND)), operator.tables[TABLE].table_id
    (folder / "receipt").write_bytes(receipt_of_round(salted=False))
    (folder / "bet").write_bytes(bytes(receipts(LINES, table_id=table_id, round_number=ROUND)[2]))
    ways: dict[str, list[str | Path]] = {
        "code": ["code", code],
        "bet": ["bet", folder / "bet"],
        "receipt": ["receipt", folder / "receipt"],
        "prove": ["prove", code, "-o", folder / "out"],
        "prove-number": ["prove", "--table-id", table_id.hex(), "--round", str(ROUND), "-o", folder / "out"],
    }
    return ways[way]


@every_way
def test_the_commands_say_so_and_name_the_ways_on(
    way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 7 in yellow, and what to do; with --whole the same round holds, and the verdict says that nothing was
    replayed.
    """
    operator = honest_log()
    log = write_files(tmp_path / "log", without_aids(operator.files()))
    call: list[str | Path] = [*asked(way, operator, tmp_path), "--log", log, "--key", str(VKEY)]
    ran = Ran(capsys, *call)
    assert (ran.status, ran.errors) == (NOT_SHOWN, "")
    lines = ran.output.splitlines()
    assert lines[0] == f"NOT SHOWN: {CHECKS[way]}"
    assert {line.split("  ")[0] for line in lines} >= {"Must hold", "Expected", "Found"}
    words = " ".join(lines)
    for sentence in (WayOn.NOBODY, WayOn.ASK_AGAIN, WayOn.READ_ALL, WayOn.ASK_THE_GIVER):
        assert sentence in words
    assert "another log" not in words
    told = Ran(capsys, *call, "--json").json
    assert (told["verdict"], told["check"]) == ("not-shown", CHECKS[way])
    always = {"v", "command", "verdict", "check", "expected", "found", "meaning", "ways_on"}
    assert always <= set(told) <= always | {"record", "where"}
    assert told["ways_on"] == [WayOn.NOBODY, WayOn.ASK_AGAIN, WayOn.READ_ALL, WayOn.ASK_THE_GIVER]
    assert not (tmp_path / "out").exists()
    whole = Ran(capsys, *call, "--whole", "--json")
    assert (whole.status, whole.errors) == (HELD, "")
    assert any("none was replayed" in sentence for sentence in whole.json["not_checked"])
    assert not any("only this round's records were read" in sentence for sentence in whole.json["not_checked"])


# Two tables that begin alike.


def test_of_two_tables_that_begin_alike_one_that_is_not_shown_accuses_nobody() -> None:
    """The code may be of the one whose rounds are not shown; with every record read, it is the code's own."""
    for before in (True, False):
        operator, name, files = table_beside("another table of its game", before=before)
        code = str(code_of(operator, name, 3))
        assert check_round(InMemory(files), VKEY, code).round == 3
        hidden = {path: data for path, data in files.items() if not path.startswith("find/rounds/")}
        with pytest.raises(NotShown) as absent:
            check_round(InMemory(hidden), VKEY, code)
        assert absent.value.check is Check.CODE_ROUND
        assert check_round(InMemory(hidden), VKEY, code, whole=lambda _done, _all: None).table == name


@pytest.mark.parametrize("beside", BESIDE)
def test_a_failure_of_the_codes_own_table_is_not_hidden_by_one_that_is_not_shown(
    beside: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other has no round 3 at all; the code's own has its seeds, and a false outcome."""
    operator, name, files = table_beside(beside, before=True, outcome={"number": 101})
    log = write_files(tmp_path / "log", files)
    call: list[str | Path] = ["code", str(code_of(operator, name, 3)), "--log", log, "--key", str(VKEY), "--json"]
    for more in ([], ["--whole"]):
        ran = Ran(capsys, *call, *more)
        assert (ran.status, ran.json["check"]) == (FAILED, Check.OUTCOME)


# Succession.


def aside(kind: str, key: object, **more: object) -> bytes:
    told = {"at": "2026-11-21T00:00:00.000Z", "key": str(key), "table": "-", "type": f"aside-{kind}", "v": 1} | more
    return json.dumps(told, sort_keys=True, separators=(",", ":")).encode()


OTHER = SigningKey("after.example/log", bytes(32)).verifier_key
BEFORE = SigningKey("before.example/log", bytes(32)).verifier_key


def ways_on_of(records: list[bytes]) -> list[str]:
    operator = Operator()
    for data in records:
        operator.append(data)
    with pytest.raises(NotShown) as absent:
        ask("code", operator.files())
    return list(absent.value.ways_on)


def test_a_log_that_names_the_log_after_it_and_the_one_before_says_so() -> None:
    """By its last record and by its first, spelled as SPEC 4.10 says; that is no reason to trust either."""
    middle = aside("made", "x").replace(b'"key":"x",', b"")
    first = aside("predecessor", BEFORE, root="00" * 32, size=7)
    ways = ways_on_of([first, middle, aside("successor", OTHER)])
    assert ways[-2:] == [WayOn.SUCCESSOR.fill(key=str(OTHER)), WayOn.PREDECESSOR.fill(key=str(BEFORE))]
    assert all("no reason to trust it" in sentence for sentence in ways[-2:])
    assert ways_on_of([middle, first]) == ways_on_of([]) == ways[:-2]
    assert ways_on_of([aside("successor", OTHER), middle]) == ways[:-2]


@pytest.mark.parametrize(
    "data",
    [
        aside("successor", "after.example/log+00000000+AQ=="),
        aside("successor", OTHER, more=1),
        aside("successor", OTHER, at="yesterday"),
        aside("successor", OTHER, table="keno"),
        aside("successor", OTHER).replace(b",", b", ", 1),
        aside("predecessor", OTHER, root="00" * 32, size=7),
        b"\x1b[2J",
    ],
)
def test_what_is_spelled_otherwise_names_no_log(data: bytes) -> None:
    """Another key, time or table, a key of JSON too many, another spelling, no record at all."""
    middle = aside("made", "x").replace(b'"key":"x",', b"")
    assert ways_on_of([middle, data]) == ways_on_of([])


def test_the_status_stays_if_the_named_record_cannot_be_read() -> None:
    """Then no log is named."""
    operator = Operator()
    operator.append(aside("successor", OTHER))
    files = {path: data for path, data in operator.files().items() if not path.startswith("tile/entries")}
    with pytest.raises(NotShown) as absent:
        ask("code", files)
    assert len(absent.value.ways_on) == len(ways_on_of([]))


def test_a_file_of_tables_leads_to_tables_with_its_name_alone() -> None:
    """A table whose id begins otherwise is a false hint, which says where it stood."""
    operator = honest_log()
    path = tables_path(operator.tables[TABLE].table_id)
    with pytest.raises(NotShown) as absent:
        ask("code", operator.files() | {path: bytes(TablePositions(0))})
    assert (absent.value.check, absent.value.index, absent.value.where) == (Check.ROUND_RECORDS, 0, path)
    assert absent.value.found == leaf_hash(operator.records[0]).hex()
    assert KEY.verifier_key == VKEY
