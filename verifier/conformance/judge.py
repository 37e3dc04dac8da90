"""``verdict``: what this implementation says about a log, a round, a bet or a receipt, as ``foredraw-verify`` would
end.

Every input has a verdict: the status of SPEC 8.3, with the check that failed, or with what is known of the round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fairness.errors import CheckFailed, Missing, NotShown, NotThisLogs, Unknown, Unreadable
from fairness.log.notes import VerifierKey
from fairness.policy.head import Head
from fairness.policy.policy import Policy, Trust
from games.bets.settlement import Settled
from games.multipliers import fraction_text
from verifier.audit.audit import audit_log
from verifier.audit.bundles import Progress
from verifier.caveats import report_unknown
from verifier.output.kind import kind_of
from verifier.round.bet_check import BetReport, check_bet, check_bet_by_proof
from verifier.round.check import check_round
from verifier.round.code_proof_check import check_code_by_proof
from verifier.round.proof_check import check_proof
from verifier.round.proof_report import ProofReport
from verifier.round.proving import complete_receipt
from verifier.round.report import RoundReport
from verifier.typing_error import CHECKS_OF_CODES

Json = dict[str, Any]

HELD, FAILED, UNREADABLE, UNKNOWN, NOT_SHOWN, MISTYPED = 0, 3, 4, 6, 7, 8


def judge(given: Json) -> Json:
    """Return the verdict on an input of ``verdict``; `docs/conformance.md` describes both."""
    try:
        return _COMMANDS[given["command"]](given, _trust_in(given))
    except (NotThisLogs, Unreadable):
        return {"status": UNREADABLE}
    except CheckFailed as failure:
        return {"status": _status_of(failure), "check": failure.check.value}
    except Unknown:
        return {"status": UNKNOWN}


def _status_of(failure: CheckFailed) -> int:
    if isinstance(failure, NotShown):
        return NOT_SHOWN
    return MISTYPED if failure.check in CHECKS_OF_CODES else FAILED


def _trust_in(given: Json) -> Trust:
    options = given["options"]
    return Policy.parse(_file(given, options["policy"])) if "policy" in options else VerifierKey.parse(options["key"])


class _Log:
    """The files of a log, in memory."""

    address = "the input"

    def __init__(self, given: Json) -> None:
        self._given, self._folder = given, given["options"].get("log", given["argument"])

    def read(self, path: str) -> bytes:
        """Return the file at ``path``. Raises `Missing`."""
        if (data := self._given["files"].get(f"{self._folder}/{path}")) is None:
            raise Missing(path, "it is not there")
        return bytes.fromhex(data)


def _file(given: Json, path: str) -> bytes:
    return bytes.fromhex(given["files"][path])


def _whole(given: Json) -> Progress | None:
    """Return whether every record is to be read; nobody looks at the progress."""
    return (lambda _done, _all: None) if "whole" in given["options"] else None


def _audit(given: Json, trust: Trust) -> Json:
    report = audit_log(_Log(given), trust)
    return {"status": _held(report.head, report_unknown(report))}


def _code(given: Json, trust: Trust) -> Json:
    code, options = given["argument"], given["options"]
    table, bets = options.get("table"), [options["bet"]] if "bet" in options else []
    paytable = _file(given, options["paytable"]) if "paytable" in options else None
    if "proof" in options:
        proof = _file(given, options["proof"])
        return _proven(check_code_by_proof(proof, trust, code, table=table, bets=bets, paytable=paytable))
    log, whole = _Log(given), _whole(given)
    return _round(check_round(log, trust, code, table=table, bets=bets, paytable=paytable, whole=whole))


def _paid(bets: Sequence[Settled]) -> Json:
    """Return what the bet that was asked about pays in all for a stake of 1; `None` while it is open."""
    if not bets:
        return {}
    pays = bets[0].pays
    return {"pays": None if pays is None else fraction_text(pays)}


def _proof(given: Json, trust: Trust) -> Json:
    return _proven(check_proof(_file(given, given["argument"]), trust))


def _bet(given: Json, trust: Trust) -> Json:
    receipt, options = _file(given, given["argument"]), given["options"]
    if "proof" in options:
        return _laid(check_bet_by_proof(_file(given, options["proof"]), trust, receipt))
    return _laid(check_bet(_Log(given), trust, receipt, whole=_whole(given)))


def _receipt(given: Json, trust: Trust) -> Json:
    _, report = complete_receipt(_Log(given), trust, _file(given, given["argument"]), whole=_whole(given))
    return _proven(report)


def _held(head: Head, unknown: tuple[str, ...] | list[str]) -> int:
    return HELD if kind_of(head, unknown).is_good else UNKNOWN


def _round(report: RoundReport) -> Json:
    found = {"status": _held(report.head, report.unknown), "table": report.table, "round": report.round}
    outcome = {"outcome": report.outcome} if report.is_outcome_known else {}
    return found | {"ended": report.status} | outcome | _paid(report.bets)


def _proven(report: ProofReport) -> Json:
    status = _held(report.head, report.unknown)
    found: Json = {"status": status, "table": report.table.record.table, "round": report.round}
    if report.reveal is None:
        return found
    outcome = {"outcome": report.reveal.record.outcome} if report.is_outcome_known else {}
    return found | {"ended": report.reveal.record.status} | outcome | _paid(report.bets)


def _laid(report: BetReport) -> Json:
    # The outcome stays out: nothing here shows that it follows from what was fixed.
    status, number = _held(report.head, report.unknown), report.receipt.round_number
    found: Json = {"status": status, "table": report.table.table, "round": number}
    return found | ({"ended": report.reveal.record.status} if report.reveal else {})


_COMMANDS: dict[str, Callable[[Json, Trust], Json]] = {
    "audit": _audit,
    "bet": _bet,
    "code": _code,
    "proof": _proof,
    "receipt": _receipt,
}
