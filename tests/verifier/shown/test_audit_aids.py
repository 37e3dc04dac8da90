"""``audit --aids``: the log's index compared with every record. What is wrong with it is a remark, and the status
stays.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fairness.errors import Unreadable
from fairness.hashing import u64
from fairness.log.checkpoints import Checkpoint
from fairness.round.aids_check import AidFault
from fairness.round.finding_aids import RoundPositions, TablePositions, rounds_path, tables_path
from tests.lies import history, salted_keno
from tests.support.codes import BESIDE, table_beside, three_tables
from tests.support.dishonest_operator import KEY, Operator
from tests.support.logs import write_files
from tests.support.ran import Ran
from tests.support.shown import VKEY, Files
from tests.support.verdicts import InMemory
from verifier.audit.aids import compare_aids
from verifier.commands.command import HELD

Said = list[tuple[str, tuple[int, int] | None, str]]


def said(faults: list[AidFault]) -> Said:
    return [
        (each.table, None if each.rounds is None else (each.rounds.start, each.rounds.stop - 1), each.what)
        for each in faults
    ]


def compared(files: Files) -> Said:
    return said(compare_aids(InMemory(files), Checkpoint.open(files["checkpoint"], VKEY)))


def test_aids_that_lead_to_every_record_are_right() -> None:
    """Of every kind of table and round: ended, closed, salted, in several files, beside others that begin alike."""
    longer = three_tables()
    longer.batch("keno", 600)
    longer.play("keno", 500)
    for operator in (history(), salted_keno(), longer, Operator()):
        assert compared(operator.files()) == []
    for beside in BESIDE:
        for before in (True, False):
            _, _, files = table_beside(beside, before=before)
            assert compared(files) == [], beside


def test_aids_that_are_newer_than_the_checkpoint_are_right() -> None:
    """What they say of records to come is passed over."""
    operator = salted_keno()
    before = operator.files()
    operator.batch("keno", 300)
    operator.salt("keno")
    operator.play("keno", 6)
    operator.end("keno")
    operator.table("new", "keno-express")
    aids = {path: data for path, data in operator.files().items() if path.startswith("find/")}
    assert compared(before | aids) == []


def test_aids_that_are_missing_or_old_are_named() -> None:
    """By table and rounds; rounds in a row together, also of several files."""
    operator = three_tables()
    old = {path: data for path, data in operator.files().items() if path.startswith("find/")}
    operator.batch("keno", 600)
    operator.play("keno", 500)
    operator.end("dice")
    files = operator.files()
    # The file of the rounds behind them is as it is now.
    assert compared(files | old) == [("dice", None, "old"), ("keno", (5, 256), "old")]
    bare = {path: data for path, data in files.items() if not path.startswith("find/")}
    assert compared(bare) == [
        *(("dice", None, "missing"), ("dice", (1, 12), "missing"), ("keno", None, "missing")),
        *(("keno", (1, 612), "missing"), ("other", None, "missing"), ("other", (1, 12), "missing")),
    ]


def test_an_entry_that_leads_elsewhere_is_named() -> None:
    """To another record, to one beyond the log, to one where there is none yet; a file of another size."""
    operator = three_tables()
    files, table = operator.files(), operator.tables["keno"]
    path, data = rounds_path(table.table_id, 1), operator.files()[rounds_path(table.table_id, 1)]
    size = RoundPositions.SIZE
    for round_number, column, position, what in (
        (2, 0, 3, "false"),
        (2, 1, 3, "false"),
        (2, 2, 0, "old"),
        (2, 3, 1 << 40, "false"),
        (9, 2, 3, "false"),
    ):
        at = (round_number - 1) * size + 8 * column
        false = files | {path: data[:at] + u64(position) + data[at + 8 :]}
        assert compared(false) == [("keno", (round_number, round_number), what)]
    for other in (b"", data[:-1], data * 22):
        assert compared(files | {path: other}) == [("keno", (1, 12), "false")]
    assert compared(files | {path: data + bytes(RoundPositions(3))}) == [("keno", (13, 13), "false")]
    assert compared(files | {path: data[: 5 * size]}) == [("keno", (6, 12), "old")]


def test_a_file_that_leads_to_tables_is_compared() -> None:
    """Its table, end and close; nothing else may stand in it that the log has."""
    operator = three_tables()
    operator.end("keno")
    operator.close("keno")
    files, table = operator.files(), operator.tables["keno"]
    path = tables_path(table.table_id)
    for entries, what in (
        ([TablePositions(table.index, table.end)], "old"),
        ([TablePositions(table.index, table.end, 3)], "false"),
        ([TablePositions(table.index, 3, table.close)], "false"),
        ([TablePositions(1 << 40)], "old"),
        ([TablePositions(table.index, table.end, table.close), TablePositions(5)], "false"),
        ([TablePositions(5), TablePositions(3)], "false"),
    ):
        assert compared(files | {path: b"".join(map(bytes, entries))}) == [("keno", None, what)]
    right = bytes(TablePositions(table.index, table.end, table.close))
    assert compared(files | {path: right + bytes(TablePositions(1 << 40))}) == []


class _Refusing(InMemory):
    """Does not answer for finding aids."""

    def read(self, path: str) -> bytes:
        if path.startswith("find/"):
            raise Unreadable(path, "status 503")
        return super().read(path)


def test_aids_that_cannot_be_read_are_named_as_such() -> None:
    """Nothing is known of them."""
    files = three_tables().files()
    faults = compare_aids(_Refusing(files), Checkpoint.open(files["checkpoint"], VKEY))
    assert {each.what for each in faults} == {"unreadable"}
    assert len(faults) == 6


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A remark that names table and rounds; with a state file, the records that were seen before are compared,
    too.
    """
    operator = three_tables()
    log = operator.write(tmp_path / "log")
    call: list[str | Path] = ["audit", log, "--key", str(VKEY)]
    assert "aids" not in Ran(capsys, *call, "--json").json
    assert Ran(capsys, *call, "--aids", "--json").json["aids"] == []
    assert "every entry leads to its record" in Ran(capsys, *call, "--aids").output
    assert Ran(capsys, *call, "--state", tmp_path / "state").status == HELD
    path = log / rounds_path(operator.tables["keno"].table_id, 1)
    path.write_bytes(path.read_bytes()[: 2 * RoundPositions.SIZE])
    state: list[str | Path] = ["--state", tmp_path / "state"]
    for more in (state[:0], state):
        ran = Ran(capsys, *call, "--aids", *more)
        assert (ran.status, ran.errors) == (HELD, "")
        shown = " ".join(ran.output.split())
        assert "The log's index is older than its records: rounds 3 to 12 of keno. Nobody signs it" in shown
        told = Ran(capsys, *call, "--aids", *more, "--json").json
        assert told["aids"] == [{"table": "keno", "rounds": [3, 12], "what": "old"}]
        assert (told["verdict"], len(told["remarks"])) == ("held", 1)
        assert "rounds 3 to 12 of keno" in told["remarks"][0]


def test_many_remarks_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first hundred are named."""
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 220)
    operator.play("keno", 210)
    files = operator.files()
    path = rounds_path(operator.tables["keno"].table_id, 1)
    every = RoundPositions.parse_file(files[path])
    halved = [each if at % 2 else RoundPositions(each.batch) for at, each in enumerate(every)]
    log = write_files(tmp_path, files | {path: b"".join(map(bytes, halved))})
    told = Ran(capsys, "audit", log, "--key", str(KEY.verifier_key), "--aids", "--json").json
    assert (len(told["aids"]), len(told["remarks"])) == (105, 101)
    assert told["remarks"][-1] == "The log's index does not lead to its records at 5 more places."
