"""The last line of a verdict that held."""

from __future__ import annotations

from verifier.output.kind import Kind, kind_of
from verifier.round.bet_check import BetReport
from verifier.round.proof_report import ProofReport
from verifier.round.report import RoundReport
from verifier.sentences import Line, Verdict


def round_verdict(report: RoundReport) -> str:
    """What the check of a code has shown."""
    number, ahead = report.round, report.ahead
    fixed = Verdict.FIXED_AHEAD.fill(round=number, table=report.table, first=number - ahead, ahead=ahead)
    if number - ahead == 1:
        fixed = _before_first(number, report.table, ahead, report.lead)
    return last_line(
        kind_of(report.head, report.unknown),
        fixed,
        *([Verdict.FROM_WHAT_WAS_FIXED] if report.is_outcome_known else []),
    )


def proof_verdict(report: ProofReport) -> str:
    """What the check of a proof file has shown."""
    number, table, first = report.round, report.table.record.table, report.lead_round
    if report.fixed_at is None:
        fixed = Verdict.AWAITS_SALT.fill(round=number, table=table)
    elif report.ahead is None:
        fixed = Verdict.FIXED_IN_LOG.fill(round=number, table=table)
    elif first == 1:
        fixed = _before_first(number, table, report.ahead, report.table.record.lead)
    else:
        fixed = Verdict.FIXED_AT_LEAST_AHEAD.fill(round=number, table=table, first=first, ahead=report.ahead)
    kind = kind_of(report.head, report.unknown)
    if report.stage != "ended":
        return last_line(kind, fixed, Verdict.NOT_TO_ITS_END)
    return last_line(kind, fixed, *([Verdict.FROM_WHAT_WAS_FIXED] if report.is_outcome_known else []))


def bet_verdict(report: BetReport) -> str:
    """What the check of a receipt has shown."""
    bet = report.receipt
    absent = Verdict.BET_WITHOUT_OUTCOME if report.is_whole else Verdict.BET_FIXED
    fixed = Verdict.BET_BEFORE_OUTCOME if report.reveal else absent
    return last_line(
        kind_of(report.head, report.unknown),
        fixed.fill(round=bet.round_number, table=report.table.table, count=bet.count),
    )


def _before_first(number: int, table: str, ahead: int, lead: int) -> str:
    """A table's first rounds get no number: no round before them could show the lead, and theirs is smaller."""
    if ahead < lead:
        return Verdict.FIXED_BEFORE_FIRST.fill(round=number, table=table)
    return Verdict.FIXED_AHEAD_OF_FIRST.fill(round=number, table=table, ahead=ahead)


def last_line(kind: Kind, *verdicts: str) -> str:
    """What was found, under the name of its verdict. Of a sandbox nothing is said that somebody could take for more than a test."""
    if kind is Kind.SANDBOX:
        return Line.SANDBOX.fill(verdict=Verdict.PROVES_NOTHING)
    if kind is Kind.UNKNOWN:
        return Line.UNKNOWN.fill(verdict=" ".join((Verdict.EXCEPT_UNKNOWN, *verdicts)))
    if kind is Kind.EMPTY:
        return Line.EMPTY.fill(verdict=Verdict.NOTHING_IN_IT)
    return Line.HELD.fill(verdict=" ".join(verdicts))
