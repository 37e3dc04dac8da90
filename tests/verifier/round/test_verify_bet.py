"""One bet, checked by its receipt against the log: what holds, and every way in which it can be false."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from fairness.checks import Check
from fairness.errors import CheckFailed, NotShown
from fairness.hashing import u64
from fairness.player.bets import BetReceipt, digest, receipts
from fairness.policy.policy import Policy
from fairness.round.finding_aids import RoundPositions, place_in_file, rounds_path
from fairness.round.proof import RoundProof
from games import GAMES
from tests.oracles.second_verifier import SecondVerifier
from tests.support.dishonest_operator import ABSENT, KEY, Operator
from tests.support.ran import apart
from tests.support.running_service import running_service
from tests.support.verdicts import InMemory
from verifier.caveats import bet_caveats
from verifier.cli import main
from verifier.commands.command import FAILED, HELD, UNREADABLE, USAGE
from verifier.round.bet_check import BetReport, check_bet, check_bet_by_proof
from verifier.round.proving import prove_number
from verifier.sentences import Checked, NotChecked, WayOn
from verifier.sources.source import FolderSource

LINES = [f"{number:032x} {number} on red".encode() for number in range(5)]
BETS = to_builtins(digest(LINES))


def two_tables() -> Operator:
    """Rounds 1 to 3 of two tables have ended; round 2 of `keno` was locked with the bets."""
    operator = Operator()
    for name in ("keno", "other"):
        operator.table(name, "keno-express")
        operator.batch(name, 9)
        operator.play(name)
    operator.lock("keno", bets=BETS)
    operator.reveal("keno")
    for name in ("other", "other", "keno"):
        operator.play(name)
    return operator


def receipts_of(operator: Operator, table: str = "keno", number: int = 2) -> list[BetReceipt]:
    """The receipts that the engine gave to the players of a round."""
    return receipts(LINES, table_id=operator.tables[table].table_id, round_number=number)


def told(_done: int, _all: int) -> None:
    """How far the reading of every record is."""


def checked(folder: Path, receipt: BetReceipt | bytes, *, whole: bool = False) -> BetReport:
    """The verdict on one receipt."""
    return check_bet(FolderSource(folder), KEY.verifier_key, bytes(receipt), whole=told if whole else None)


def refused(folder: Path, receipt: BetReceipt | bytes) -> CheckFailed:
    """Why a receipt is refused."""
    with pytest.raises(CheckFailed) as failed:
        checked(folder, receipt)
    return failed.value


def test_every_bet_of_the_round_holds(tmp_path: Path) -> None:
    """Each with the records that it rests on, one per step."""
    operator = two_tables()
    operator.write(tmp_path)
    keno = operator.tables["keno"]
    for receipt in receipts_of(operator):
        report = checked(tmp_path, receipt)
        assert (report.receipt, report.table.table) == (receipt, "keno")
        assert report.reveal is not None
        assert report.reveal.record.outcome == keno.outcome_of(2)
        lock, reveal = keno.locks[2], keno.reveals[2]
        assert [passed.records for passed in report.passed] == [(), (), (0,), (lock,), (lock,), (lock, reveal)]
        assert report.checkpoint.size == len(operator.records)
        assert report.not_checked == tuple(bet_caveats(report.table, GAMES, Policy(KEY.verifier_key)))


def test_a_bet_is_proven_before_the_outcome_is_public(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the lock on; that there is no outcome yet is said by who read every record, and not by the index, which
    nobody signs.
    """
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 9)
    operator.lock("keno", bets=BETS)
    operator.write(tmp_path)
    receipt = tmp_path / "3.bet"
    receipt.write_bytes(bytes(receipts_of(operator, number=1)[3]))
    call = ["bet", str(receipt), "--log", str(tmp_path), "--key", str(KEY.verifier_key)]
    assert main(call) == HELD
    output = capsys.readouterr().out
    assert "Revealed   not shown" in output
    assert "Outcome" not in output
    assert output.splitlines()[-1].endswith("keno fixed (bets: 5).")
    assert main([*call, "--json"]) == HELD
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["status"], "outcome" in verdict, verdict["bets"]) == ("locked", False, BETS)
    assert verdict["not_checked"][0] == NotChecked.REVEAL_NOT_SHOWN
    assert main([*call, "--whole"]) == HELD
    output = capsys.readouterr().out
    assert "Revealed   not yet" in output
    assert output.splitlines()[-1].endswith("keno fixed, and the outcome is not published yet (bets: 5).")


def test_a_hidden_reveal_is_no_thing_that_was_checked(tmp_path: Path) -> None:
    """An index without it, or a proof file that leaves it out, says nothing about the outcome; and every record shows
    it.
    """
    operator = two_tables()
    files, table = operator.files(), operator.tables["keno"]
    receipt = receipts_of(operator)[2]
    path, at = rounds_path(table.table_id, 2), RoundPositions.SIZE * place_in_file(2) + 24
    hidden = InMemory(files | {path: files[path][:at] + bytes(8) + files[path][at + 8 :]})
    by_index = check_bet(hidden, KEY.verifier_key, bytes(receipt))
    assert (by_index.reveal, by_index.not_checked[0]) == (None, NotChecked.REVEAL_NOT_SHOWN)
    assert Checked.NOT_PUBLISHED not in [passed.text for passed in by_index.passed]
    whole = check_bet(hidden, KEY.verifier_key, bytes(receipt), whole=told)
    assert whole.passed[-1].text == Checked.PUBLISHED_AFTER
    proof = RoundProof.parse(proof_of(operator, tmp_path, 2))
    by_file = check_bet_by_proof(bytes(replace(proof, reveal=None)), KEY.verifier_key, bytes(receipt))
    assert (by_file.reveal, by_file.not_checked[0]) == (None, NotChecked.WHAT_FOLLOWED)
    assert Checked.NOT_PUBLISHED not in [passed.text for passed in by_file.passed]


def test_a_reveal_without_a_lock_is_found_by_who_reads_every_record() -> None:
    """The index says no more than that the bet is not shown."""
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 9)
    operator.tables["keno"].round = 1
    operator.reveal("keno")
    receipt = bytes(receipts_of(operator, number=1)[3])
    files = InMemory(operator.files())
    with pytest.raises(NotShown):
        check_bet(files, KEY.verifier_key, receipt)
    with pytest.raises(CheckFailed) as failed:
        check_bet(files, KEY.verifier_key, receipt, whole=told)
    assert failed.value.check is Check.REVEAL_LOCKED


def test_a_proof_file_of_before_the_lock_accuses_nobody(tmp_path: Path) -> None:
    """It is right, and does not show the bet; nobody left the bet out."""
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 9)
    proof, receipt = proof_of(operator, tmp_path / "log", 1), bytes(receipts_of(operator, number=1)[3])
    with pytest.raises(NotShown) as absent:
        check_bet_by_proof(proof, KEY.verifier_key, receipt)
    assert (absent.value.check, absent.value.ways_on) == (Check.BET_ROUND, (WayOn.FILE_BEFORE_LOCK,))


def test_each_step_is_described_in_words(tmp_path: Path) -> None:
    """What was checked, before the reveal and after it."""
    operator, steps = Operator(), []
    operator.table("keno", "keno-express")
    operator.batch("keno", 9)
    operator.lock("keno", bets=BETS)
    for tell in (operator.write, lambda folder: (operator.reveal("keno"), operator.write(folder))):
        tell(tmp_path)
        receipt = receipts_of(operator, number=1)[3]
        steps += [
            [str(passed.text) for passed in checked(tmp_path, receipt, whole=each).passed] for each in (False, True)
        ]
    known = [
        "the receipt is well-formed, and leads from the bet to a digest",
        "the checkpoint is signed with the log's key",
        "the table is in the log: keno",
        "the lock of round 1 is in the log",
        "that lock carries the digest, and this bet is one of its 5",
    ]
    assert steps == [
        known,
        [*known, "the outcome has not been published yet"],
        [*known, "the outcome was published after that lock"],
        [*known, "the outcome was published after that lock"],
    ]


def test_what_a_bet_does_not_show(tmp_path: Path) -> None:
    """For a flight, that its engine knows the outcome; the digest and the choice of seeds do not concern a bet."""
    operator = Operator()
    operator.table("crash", "crash")
    operator.batch("crash", 30)
    operator.lock("crash", bets=BETS)
    operator.write(tmp_path)
    limits = checked(tmp_path, receipts_of(operator, "crash", 1)[0]).not_checked
    assert limits == (
        *(
            NotChecked.REVEAL_NOT_SHOWN,
            NotChecked.BET_MEANING,
            NotChecked.BET_ALONE,
            NotChecked.ONE_ROUND_ONLY,
            NotChecked.NO_WITNESS,
            NotChecked.ONE_CUSTODIAN,
        ),
        NotChecked.FLIGHT.fill(games="crash"),
    )


@pytest.mark.slow
def test_no_change_of_one_byte_holds(tmp_path: Path) -> None:
    """Whatever is changed in a receipt, one of the named checks fails."""
    operator = two_tables()
    operator.write(tmp_path)
    whole = bytes(receipts_of(operator)[2])
    found = set()
    for at in range(len(whole)):
        for other in {whole[at] ^ 1, ord("1"), ord("0"), ord("A"), ord("\n"), 0xFF} - {whole[at]}:
            found.add(refused(tmp_path, whole[:at] + bytes([other]) + whole[at + 1 :]).check)
        found.add(refused(tmp_path, whole[:at]).check)
    assert found == {Check.BET_FORM, Check.BET_ROUND, Check.BET_DIGEST}


def test_a_receipt_of_something_else_is_refused_with_what_it_is_of(tmp_path: Path) -> None:
    """Another line, round or table, one too few, a round that was given up or is not locked."""
    operator = two_tables()
    operator.give_up("keno")
    operator.write(tmp_path)
    whole = receipts_of(operator)[2]
    for other, check, words in (
        (replace(whole, line=b"a million on red"), Check.BET_DIGEST, "from the receipt"),
        (receipts_of(operator, "keno", 3)[2], Check.BET_DIGEST, "from the receipt"),
        (receipts_of(operator, "other", 2)[2], Check.BET_DIGEST, "from the receipt"),
        (receipts(LINES[:4], table_id=whole.table_id, round_number=2)[2], Check.BET_DIGEST, "count 4"),
        (replace(whole, round_number=4), Check.BET_DIGEST, "given up"),
        (replace(whole, round_number=5), Check.BET_ROUND, "none, as of the checkpoint"),
        (replace(whole, round_number=10), Check.BET_ROUND, "none, as of the checkpoint"),
        (replace(whole, table_id=whole.table_id[:31] + b"?"), Check.BET_ROUND, "none, as of the checkpoint"),
    ):
        failed = refused(tmp_path, other)
        assert (failed.check, words in failed.found) == (check, True)
        assert isinstance(failed, NotShown) is (check is Check.BET_ROUND)


def test_a_lock_that_drops_the_bets_is_found(tmp_path: Path) -> None:
    """No digest, one with a bet less, one with only its count changed, also to none: the receipt contradicts the
    lock.
    """
    for bets in (ABSENT, to_builtins(digest(LINES[:4])), {**BETS, "count": 6}, {**BETS, "count": 0}):
        operator = Operator()
        operator.table("keno", "keno-express")
        operator.batch("keno", 9)
        index = operator.lock("keno", bets=bets)
        operator.write(tmp_path)
        failed = refused(tmp_path, receipts_of(operator, number=1)[4])
        assert (failed.check, failed.index) == (Check.BET_DIGEST, index)


def test_an_outcome_that_stood_before_the_lock_is_found(tmp_path: Path) -> None:
    """A reveal that is earlier in the log or by its time; a lock or a reveal of another round."""
    for lie, check in (
        ({"revealed": "2026-11-20T22:49:00.000Z"}, Check.TIME_ORDER),
        ({"round": 9}, Check.ROUND_RECORDS),
    ):
        operator = Operator()
        operator.table("keno", "keno-express")
        operator.batch("keno", 9)
        operator.lock("keno", bets=BETS)
        operator.reveal("keno", **lie)
        operator.write(tmp_path)
        assert refused(tmp_path, receipts_of(operator, number=1)[0]).check is check
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 9)
    operator.lock("keno", bets=BETS)
    operator.reveal("keno")
    keno = operator.tables["keno"]
    operator.records[keno.locks[1]], operator.records[keno.reveals[1]] = (
        operator.records[keno.reveals[1]],
        operator.records[keno.locks[1]],
    )
    keno.locks[1], keno.reveals[1] = keno.reveals[1], keno.locks[1]
    operator.write(tmp_path)
    assert refused(tmp_path, receipts_of(operator, number=1)[0]).check is Check.REVEAL_LOCKED


def test_no_false_hint_makes_a_bet_hold_that_does_not(tmp_path: Path) -> None:
    """Whatever the finding aids point at, the verdict rests on the same lock, or is a refusal."""
    operator = two_tables()
    operator.write(tmp_path)
    keno, (receipt, *_) = operator.tables["keno"], receipts_of(operator)
    file = tmp_path / rounds_path(keno.table_id, 2)
    whole = file.read_bytes()
    for at in range(RoundPositions.SIZE, 2 * RoundPositions.SIZE, 8):
        for index in (*range(len(operator.records) + 1), 1 << 63, (1 << 64) - 1):
            file.write_bytes(whole[:at] + u64(index) + whole[at + 8 :])
            with suppress(CheckFailed):
                assert checked(tmp_path, receipt).lock.index == keno.locks[2]


def test_finding_aids_may_be_newer_than_the_checkpoint(tmp_path: Path) -> None:
    """They are separate files: a record after the checkpoint that they point at does not exist yet, and accuses
    nobody.
    """
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 9)
    receipt = receipts_of(operator, number=1)[0]

    def act_unseen(act: Callable[..., object], **fields: object) -> None:
        operator.write(tmp_path)
        head = (tmp_path / "checkpoint").read_bytes()
        act("keno", **fields)
        operator.write(tmp_path)
        (tmp_path / "checkpoint").write_bytes(head)

    act_unseen(operator.lock, bets=BETS)
    assert refused(tmp_path, receipt).check is Check.BET_ROUND
    act_unseen(operator.reveal)
    assert checked(tmp_path, receipt).reveal is None


def test_the_table_must_be_this_logs(tmp_path: Path) -> None:
    """The table's own record must satisfy what replay demands."""
    operator = Operator()
    index = operator.table("keno", "keno-express", log="other.example/log")
    operator.batch("keno", 9)
    operator.lock("keno", bets=BETS)
    operator.write(tmp_path)
    failed = refused(tmp_path, receipts_of(operator, number=1)[0])
    assert (failed.check, failed.index) == (Check.TABLE_ORIGIN, index)


def proof_of(operator: Operator, folder: Path, number: int, table: str = "keno") -> bytes:
    """The proof file of a round, at the current size of the log."""
    operator.write(folder)
    proof, _ = prove_number(FolderSource(folder), KEY.verifier_key, operator.tables[table].table_id, number)
    return proof


def test_a_proof_file_serves_instead_of_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Offline, with the same records and the same words, except for what a file alone cannot show."""
    operator = two_tables()
    proof, receipt = proof_of(operator, tmp_path / "log", 2), receipts_of(operator)[4]
    offline = check_bet_by_proof(proof, KEY.verifier_key, bytes(receipt))
    online = checked(tmp_path / "log", receipt)
    assert offline == replace(online, not_checked=(*online.not_checked, NotChecked.AS_OF_CHECKPOINT))
    (tmp_path / "4.bet").write_bytes(bytes(receipt))
    (tmp_path / "proof").write_bytes(proof)
    call = ["bet", str(tmp_path / "4.bet"), "--key", str(KEY.verifier_key)]
    assert main([*call, "--proof", str(tmp_path / "proof")]) == HELD
    told = capsys.readouterr().out
    assert main([*call, "--log", str(tmp_path / "log")]) == HELD
    assert told.splitlines()[-1] == capsys.readouterr().out.splitlines()[-1]
    for wrong in ([], ["--proof", "a", "--log", "b"]):
        assert main([*call, *wrong]) == USAGE
    assert main([*call, "--proof", str(tmp_path / "absent")]) == UNREADABLE


def test_a_proof_file_of_something_else_is_refused(tmp_path: Path) -> None:
    """It is of another round or table, from before the lock, or changed in one byte."""
    operator = two_tables()
    receipt = bytes(receipts_of(operator)[4])
    proof = proof_of(operator, tmp_path, 2)

    def check_of(other: bytes) -> Check:
        with pytest.raises(CheckFailed) as failed:
            check_bet_by_proof(other, KEY.verifier_key, receipt)
        return failed.value.check

    def holds(other: bytes) -> bool:
        try:
            return not check_bet_by_proof(other, KEY.verifier_key, receipt).unknown
        except CheckFailed:
            return False

    assert check_of(proof_of(operator, tmp_path, 3)) is Check.BET_ROUND
    assert check_of(proof_of(operator, tmp_path, 2, "other")) is Check.BET_ROUND
    for at in range(len(proof)):
        assert not holds(proof[:at] + bytes([proof[at] ^ 1]) + proof[at + 1 :])
    before = Operator()
    before.table("keno", "keno-express")
    before.batch("keno", 9)
    before.play("keno")
    early = proof_of(before, tmp_path / "early", 2)
    receipt = bytes(receipts_of(before)[4])
    assert check_of(early) is Check.BET_ROUND


def test_a_line_cannot_command_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences, bidirectional marks and bytes that are no text are spelled out; letters are shown as they
    are.
    """
    lines = ["\x1b[2J\u202eԱնի 5".encode() + b"\xff\r"]
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 9)
    operator.lock("keno", bets=to_builtins(digest(lines)))
    operator.write(tmp_path)
    file = tmp_path / "0.bet"
    file.write_bytes(bytes(receipts(lines, table_id=operator.tables["keno"].table_id, round_number=1)[0]))
    assert main(["bet", str(file), "--log", str(tmp_path), "--key", str(KEY.verifier_key)]) == HELD
    assert "Bet        \\x1b[2J\\u202eԱնի 5\\xff\\r\n" in capsys.readouterr().out


def test_a_file_that_is_no_receipt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file is unreadable; a file of any size that is something else fails its check."""
    two_tables().write(tmp_path)
    call = ["--log", str(tmp_path), "--key", str(KEY.verifier_key)]
    assert main(["bet", str(tmp_path / "absent"), *call]) == UNREADABLE
    (tmp_path / "large").write_bytes(bytes(1 << 20))
    capsys.readouterr()
    assert main(["bet", str(tmp_path / "large"), *call]) == FAILED
    assert apart(capsys.readouterr().out)[1].startswith("FAILED: bet-form\n")


def verify(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the program as its users do."""
    command = [sys.executable, "-m", "verifier", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.nightly("a service of its own")
@pytest.mark.slow
def test_a_players_receipt_is_proven_from_the_log_of_a_real_service(tmp_path: Path) -> None:
    """The engine makes the digest and receipts with the program and locks over HTTP; a player checks from public
    data.
    """
    lines = tmp_path / "lines"
    lines.write_bytes(b"".join(line + b"\n" for line in LINES))
    with running_service(tmp_path / "data", {"keno-1": "keno-express"}) as service:
        table_id = service.get("/v1/tables/keno-1").document["table_id"]
        made = verify("bets", lines, "--json", "--receipts", tmp_path / "r", "--table-id", table_id, "--round", 1)
        assert (made.returncode, made.stderr) == (HELD, "")
        public = ("--log", f"{service.url}/log", "--key", service.key)
        assert service.act("keno-1", 1, "open").status == 200
        assert "NOT SHOWN: bet-round" in verify("bet", tmp_path / "r" / "2.bet", *public).stdout
        assert service.act("keno-1", 1, "lock", json.loads(made.stdout)).status == 200
        locked = verify("bet", tmp_path / "r" / "2.bet", *public)
        assert (locked.returncode, "Revealed   not shown" in locked.stdout) == (HELD, True)
        outcome = service.act("keno-1", 1, "reveal").document["outcome"]
        ended = verify("bet", tmp_path / "r" / "2.bet", *public, "--json")
        assert (ended.returncode, json.loads(ended.stdout)["outcome"]) == (HELD, outcome)


@pytest.mark.parametrize(
    ("check", "table", "lock"),
    [
        (Check.TABLE_SALT, {"salt": "dice"}, {}),
        (Check.TIME_ORDER, {"created": "2030-01-01T00:00:00.000Z"}, {}),
        (Check.TIME_ORDER, {}, {"opened": "2020-01-01T00:00:00.000Z", "locked": "2020-01-01T00:00:00.000Z"}),
    ],
)
def test_the_table_and_the_lock_are_checked_before_there_is_a_reveal(
    check: Check, table: dict[str, Any], lock: dict[str, Any], tmp_path: Path
) -> None:
    """Steps 3 and 4 of SPEC 8.4; the verifier in JavaScript agrees."""
    operator = Operator()
    operator.table("keno", "keno-express", **table)
    operator.batch("keno", 9)
    operator.lock("keno", bets=to_builtins(digest(LINES)), **lock)
    operator.write(tmp_path)
    receipt = receipts_of(operator, number=1)[0]
    assert refused(tmp_path, receipt).check is check
    with SecondVerifier() as second:
        told = second.ask("bet", hex=bytes(receipt).hex(), key=str(KEY.verifier_key), folder=str(tmp_path))
    assert told["failure"]["check"] == check.value


RANDOM = b"7f3a19c2e0b6d4518a92f7c3305de61b"
LISTS: dict[str, tuple[bytes, list[str]]] = {
    "as it should be": (RANDOM + b" a\n" + RANDOM + b" b\n", []),
    "no last line feed": (RANDOM + b" a", []),
    "CRLF": (RANDOM + b" a\r\n" + RANDOM + b" b\r\n", ["2 of its 2 lines end with a carriage return"]),
    "CR alone": (RANDOM + b" a\r" + RANDOM + b" b\r", ["its lines end with a carriage return alone"]),
    "UTF-16": ((RANDOM + b" a\n").decode().encode("utf-16"), ["it is UTF-16", "no random part"]),
    "UTF-16 without a mark": ((RANDOM + b" a\n").decode().encode("utf-16-le"), ["it is UTF-16", "no random part"]),
    "a mark": (b"\xef\xbb\xbf" + RANDOM + b" a\n", ["it begins with a byte order mark"]),
    "an empty line": (
        RANDOM + b" a\n\n" + RANDOM + b" b\n",
        ["line 2 is empty", "1 of the 3 lines have no random part"],
    ),
    "equal lines": ((RANDOM + b" a\n") * 2, ["2 of the 2 lines are equal to another, the first is line 1"]),
    "no random part": (b"ani lower 500\n", ["1 of the 1 lines have no random part, the first is line 1"]),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_from_another_system_has_the_same_digest_and_a_warning(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line for each thing; the digest is of the bytes as they are, and standard output has nothing else."""
    data, warnings = LISTS[name]
    (tmp_path / "bets.txt").write_bytes(data)
    assert main(["bets", str(tmp_path / "bets.txt"), "--json"]) == HELD
    shown = capsys.readouterr()
    lines = data.removesuffix(b"\n").split(b"\n")
    assert json.loads(shown.out)["bets"] == to_builtins(digest(lines))
    said = shown.err.splitlines()
    assert len(said) == len(warnings)
    assert all(warning in line for warning, line in zip(warnings, said, strict=True))
