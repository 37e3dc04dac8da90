"""The results of bets on a checked round. If an earlier card counts, the round of that card is also checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from msgspec import UNSET

from fairness.checks import Check
from fairness.draws.game import Outcome, Rules
from fairness.errors import Unknown
from fairness.log.tiles import ReadFile
from games.bets.bet import BetRefused
from games.bets.settlement import Settled, settle
from verifier.paytables import NamedPaytable
from verifier.round.proof_report import ProofReport
from verifier.round.report import Passed, RoundReport
from verifier.sentences import Checked
from verifier.sentences import Unknown as UnknownSentence

BETS_UNKNOWN = (
    "Whether these bets were made, with what stakes, and what was paid. A receipt shows that a bet was made, in the engine's"
    " words."
)

CheckRound = Callable[[int], RoundReport]
"""Checks another round of the same table, by its number."""


def with_bets(report: RoundReport, texts: Sequence[str], check: CheckRound, read: ReadFile) -> RoundReport:
    """Return the report with the results of these bets, by what ``read`` gives as the table's paytable.

    If that is newer than this verifier, or what decides an outcome is, the bets are unknown, and the report says so.
    Raises `BetRefused`, what ``check`` raises, and `CheckFailed` (`PAYTABLE_FILE`, `PAYTABLE_FORM`).
    """
    before = _RoundsBefore(report.round, check)
    ended = _Ended(report.rules, report.outcome, report.status)
    named = NamedPaytable(report.table, report.game, report.declaration, report.paytable)
    found = _settled(named, ended, [(text, before) for text in texts], read, known_of=report)
    passed = (*report.passed, *before.passed(), *found.passed)
    not_checked = (*report.not_checked, BETS_UNKNOWN)
    unknown = (*report.unknown, *found.unknown)
    return replace(
        report, bets=found.bets, is_own=found.is_own, passed=passed, not_checked=not_checked, unknown=unknown
    )


def with_bets_of_one_round(report: ProofReport, texts: Sequence[str], paytable: bytes | None) -> ProofReport:
    """Settle bets on an ended round by its proof file, and by the file of what bets pay, which is given.

    Raises `BetRefused` for a bet that needs an earlier round, too.
    """
    table, reveal = report.table.record, report.reveal
    if reveal is None:
        raise ValueError("a receipt has no outcome")
    ended = _Ended(report.batch.record.rules, reveal.record.outcome, reveal.record.status)
    hashed = "" if table.paytable is UNSET else table.paytable
    named = NamedPaytable(table.table, table.game, table.declaration_text, hashed)
    asked = [(text, _NoneBefore(report.round, text)) for text in texts]
    found = _settled(named, ended, asked, _given(paytable), known_of=report)
    return replace(
        report,
        bets=found.bets,
        is_own=found.is_own,
        passed=(*report.passed, *found.passed),
        not_checked=(*report.not_checked, BETS_UNKNOWN),
        unknown=(*report.unknown, *found.unknown),
    )


def _given(paytable: bytes | None) -> ReadFile:
    def read(path: str) -> bytes:
        if paytable is None:
            raise BetRefused(
                f"needs what bets at this table pay, which no proof file has: give the log's file {path}"
            )
        return paytable

    return read


@dataclass(frozen=True, slots=True)
class _Ended:
    """What the bets on a round depend on."""

    rules: Rules
    outcome: Outcome
    status: str


@dataclass(frozen=True, slots=True)
class _Found:
    """The results of bets, whose paytable it was, or what of it is unknown."""

    bets: tuple[Settled, ...]
    is_own: bool | None
    passed: tuple[Passed, ...]
    unknown: tuple[str, ...]


def _settled(
    named: NamedPaytable,
    ended: _Ended,
    asked: Sequence[tuple[str, Iterable[Outcome]]],
    read: ReadFile,
    *,
    known_of: RoundReport | ProofReport,
) -> _Found:
    if not named.paytable:
        raise BetRefused(
            f"cannot be settled: the record of {named.table} names no paytable, so this table has no bets"
        )
    try:
        bets = named.read(read)
    except Unknown as error:
        return _Found((), None, (), (named.unknown(error),))
    try:
        _demand_known(known_of)
        settled = [settle(bets.bet(text, ended.rules, before), ended.outcome, ended.status) for text, before in asked]
    except _OutcomeUnknownError as error:
        return _Found((), None, (), (UnknownSentence.UNSETTLED.fill(round=error.round),))
    is_own = not named.is_catalogues
    whose = Checked.PAYTABLE_OWN if is_own else Checked.PAYTABLE_CATALOGUES
    return _Found(tuple(settled), is_own, (Passed(Check.PAYTABLE_FILE, whose),), ())


class _NoneBefore:
    """What is before a round in its proof file: nothing, and whoever looks is refused, unless it is the first one."""

    def __init__(self, number: int, bet: str) -> None:
        self._number, self._bet = number, bet

    def __iter__(self) -> Iterator[Outcome]:
        if self._number > 1:
            raise BetRefused(
                f"{self._bet} needs an earlier round, which no proof file has: use --log instead of --proof"
            )
        return iter(())


@dataclass(slots=True)
class _RoundsBefore:
    """The outcomes of the rounds that were played before one, latest first; each round is checked once, on demand."""

    number: int
    check: CheckRound
    checked: list[RoundReport] = field(default_factory=list)

    def __iter__(self) -> Iterator[Outcome]:
        for i in range(self.number - 1):
            if i == len(self.checked):
                self.checked.append(self.check(self.number - 1 - i))
            if self.checked[i].status == "played":
                _demand_known(self.checked[i])
                yield self.checked[i].outcome

    def passed(self) -> tuple[Passed, ...]:
        """Return the checks of the earlier rounds."""
        return tuple(
            Passed(
                Check.ROUND_RECORDS, f"round {each.round} was checked in the same way: {_card_of(each)}", each.records
            )
            for each in self.checked
        )


class _OutcomeUnknownError(Exception):
    """Refuse to settle a bet on an outcome that was not checked, because it is newer than this verifier."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.round = number


def _demand_known(report: RoundReport | ProofReport) -> None:
    if not report.is_outcome_known:
        raise _OutcomeUnknownError(report.round)


def _card_of(report: RoundReport) -> str:
    return (
        f"its card is {report.outcome['card']}"
        if report.status == "played"
        else "it is void, and its card does not count"
    )
