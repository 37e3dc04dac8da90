"""Both verifiers remark on records from the future, and no check fails: the wrong clock may be the verifier's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from fairness.times import format_time
from games import GAMES
from tests.oracles.second_verifier import SecondVerifier
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_from
from tests.support.ran import Ran
from tests.support.verdicts import VKEY, digest_of, receipts_of
from verifier.audit.audit import audit_log
from verifier.commands.command import HELD
from verifier.output.audit import audit_json
from verifier.output.bet import bet_json
from verifier.output.proof import proof_json
from verifier.output.round import round_json
from verifier.remarks import TOLERANCE, log_remarks
from verifier.round.bet_check import check_bet
from verifier.round.check import check_round
from verifier.round.proof_check import check_proof
from verifier.sources.source import FolderSource

A_MILLISECOND = timedelta(milliseconds=1)
BETS = [b"ani 5 number 3 r1", b"aram 1 odd r2"]
DRAW, AHEAD = "dice", "keno"


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as second:
        yield second


@pytest.fixture(name="operator", scope="module")
def _operator() -> Operator:
    """A table of today, and one that was played after its operator's clock had jumped 20 years ahead."""
    operator = Operator()
    for name, game in ((DRAW, "sic-bo"), (AHEAD, "keno-express")):
        operator.table(name, game)
        operator.batch(name, 20)
    operator.play(DRAW, 2)
    operator.rest(20 * 365 * 24)
    for number in (1, 2, 3):
        operator.lock(AHEAD, bets=digest_of(BETS))
        if number < 3:
            operator.reveal(AHEAD)
    return operator


def shifted(time: str, by: timedelta) -> str:
    """The time, that much later."""
    return format_time(datetime.fromisoformat(time) + by)


def both(
    second: SecondVerifier, operator: Operator, folder: Path, kind: str, number: int, now: str
) -> Mapping[str, Any]:
    """The remarks of both verifiers, which must agree, on a round of the table whose clock was ahead."""
    table, source, key = operator.tables[AHEAD], FolderSource(folder), KEY.verifier_key
    python: Mapping[str, Any]
    if kind == "code":
        code = str(code_of(operator, AHEAD, number))
        python = round_json(check_round(source, key, code), now)
        report = second.ask("code", text=code, key=VKEY, folder=str(folder), now=now)
    elif kind == "proof":
        data = bytes(proof_from(operator.files(), table.table_id, number))
        python = proof_json("proof", check_proof(data, key), None, now)
        report = second.ask("proof", hex=data.hex(), key=VKEY, now=now)
    else:
        receipt = receipts_of(operator, AHEAD, number, BETS)[0]
        python = bet_json(check_bet(source, key, receipt), now)
        report = second.ask("bet", hex=receipt.hex(), key=VKEY, folder=str(folder), now=now)
    assert (report["verdict"], report["remarks"]) == (python["verdict"], python["remarks"])
    return python


@pytest.mark.parametrize(("kind", "number"), [("code", 2), *((k, n) for k in ("proof", "bet") for n in (2, 3))])
def test_both_verifiers_remark_the_newest_record_of_a_round(
    kind: str, number: int, second: SecondVerifier, operator: Operator, tmp_path: Path
) -> None:
    """Later than ten minutes, not at ten minutes; in the same words, with both times; the verdict does not change."""
    operator.write(tmp_path)
    latest = operator.tables[AHEAD].latest
    newest = both(second, operator, tmp_path, kind, number, latest)["revealed_at"] or latest
    at_the_limit = shifted(newest, -TOLERANCE)
    assert both(second, operator, tmp_path, kind, number, at_the_limit)["remarks"] == []
    beyond = shifted(at_the_limit, -A_MILLISECOND)
    told = both(second, operator, tmp_path, kind, number, beyond)
    assert told["verdict"] == "held"
    assert told["remarks"] == [
        (
            f"The newest record of this round has the time {newest}, but the clock of this device shows {beyond}. One of"
            " the two clocks is wrong; no check depends on either."
        )
    ]


def test_a_round_that_is_only_committed_has_its_batchs_time(second: SecondVerifier, operator: Operator) -> None:
    """The table's batch is of today, whatever followed it."""
    data = bytes(proof_from(operator.files(), operator.tables[AHEAD].table_id, 10))
    report = second.ask("proof", hex=data.hex(), key=VKEY, now="2026-11-20T23:00:00.000Z")
    assert (report["stage"], report["remarks"]) == ("committed", [])
    early = second.ask("proof", hex=data.hex(), key=VKEY, now="2026-11-20T22:00:00.000Z")
    assert len(early["remarks"]) == 1


def test_an_audit_remarks_each_table(operator: Operator, tmp_path: Path) -> None:
    """By name, and only tables that are ahead; without a clock there is no remark."""
    operator.write(tmp_path)
    report = audit_log(FolderSource(tmp_path), KEY.verifier_key)
    newest = operator.tables[AHEAD].latest
    assert log_remarks(report, None) == []
    assert log_remarks(report, shifted(newest, -TOLERANCE)) == []
    now = "2026-11-20T23:00:00.000Z"
    assert audit_json(report, GAMES, now)["remarks"] == [
        (
            f"The newest record of {AHEAD} has the time {newest}, but the clock of this device shows {now}. One of the two"
            " clocks is wrong; no check depends on either."
        )
    ]
    assert len(log_remarks(report, "2026-11-20T22:00:00.000Z")) == 2


def test_the_program_prints_them_before_what_was_not_checked(
    operator: Operator, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """For an audit and for a round; the status stays 0. Without remarks the output does not mention them."""
    operator.write(tmp_path)
    code = str(code_of(operator, AHEAD, 1))
    for arguments in (("audit", tmp_path), ("code", code, "--log", tmp_path)):
        ran = Ran(capsys, *arguments, "--key", VKEY)
        assert ran.status == HELD
        lines = ran.output.splitlines()
        assert lines.index("Remarks") < lines.index("Not checked")
        assert lines[lines.index("Remarks") + 1].startswith("  - The newest record of ")
    ran = Ran(capsys, "code", str(code_of(operator, DRAW, 1)), "--log", tmp_path, "--key", VKEY)
    assert "Remarks" not in ran.output
