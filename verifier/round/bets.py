"""The results of bets on a checked round. If an earlier card counts, the round of that card is also checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from fairness.draws.game import Outcome, Rules
from games.bets import bets_on
from games.bets.bet import BetRefused
from games.bets.settlement import Settled, settle
from verifier.round.proof_report import ProofReport
from verifier.round.report import Passed, RoundReport

BETS_UNKNOWN = (
    "Whether these bets were made, with what stakes, and what was paid. A receipt shows that a bet was made, in the engine's"
    " words."
)

CheckRound = Callable[[int], RoundReport]
"""Checks another round of the same table, by its number."""


def with_bets(report: RoundReport, texts: Sequence[str], check: CheckRound) -> RoundReport:
    """The report with the results of these bets. Raises `BetRefused`, or what ``check`` raises."""
    before = _RoundsBefore(report.round, check)
    ended = _Ended(report.game, report.declaration, report.rules, report.outcome, report.status)
    settled = _settled(ended, texts, before, known_of=report)
    passed = (*report.passed, *before.passed())
    return replace(report, bets=settled, passed=passed, not_checked=(*report.not_checked, BETS_UNKNOWN))


def with_bets_of_one_round(report: ProofReport, texts: Sequence[str]) -> ProofReport:
    """The same for an ended round by its proof file. Raises `BetRefused` for a bet that needs an earlier round, too."""
    table, reveal = report.table.record, report.reveal
    if reveal is None:
        raise ValueError("a receipt has no outcome")
    outcome, status = reveal.record.outcome, reveal.record.status
    ended = _Ended(table.game, table.declaration_text, report.batch.record.rules, outcome, status)
    settled = (_settled(ended, [text], _NoneBefore(report.round, text), known_of=report) for text in texts)
    return replace(report, bets=tuple(chain.from_iterable(settled)), not_checked=(*report.not_checked, BETS_UNKNOWN))


@dataclass(frozen=True, slots=True)
class _Ended:
    """What the bets on a round depend on."""

    game: str
    declaration: str
    rules: Rules
    outcome: Outcome
    status: str


def _settled(
    ended: _Ended, texts: Sequence[str], before: Iterable[Outcome], *, known_of: RoundReport | ProofReport
) -> tuple[Settled, ...]:
    bets = bets_on(ended.game, ended.declaration)
    if bets is None:
        raise BetRefused(f"cannot be settled: this verifier knows no bets for the game of this table, {ended.game}")
    _refuse_unknown(known_of)
    return tuple(settle(bets.bet(text, ended.rules, before), ended.outcome, ended.status) for text in texts)


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
                _refuse_unknown(self.checked[i])
                yield self.checked[i].outcome

    def passed(self) -> tuple[Passed, ...]:
        """The checks of the earlier rounds."""
        return tuple(
            Passed(f"round {each.round} was checked in the same way: {_card_of(each)}", each.records)
            for each in self.checked
        )


def _refuse_unknown(report: RoundReport | ProofReport) -> None:
    """No bet is settled on an outcome that was not checked, because it is newer than this verifier."""
    if not report.is_outcome_known:
        raise BetRefused(
            f"cannot be settled: what this verifier does not know decides the outcome of round {report.round}, so it did"
            " not check that outcome; a newer one may know it"
        )


def _card_of(report: RoundReport) -> str:
    return (
        f"its card is {report.outcome['card']}"
        if report.status == "played"
        else "it is void, and its card does not count"
    )
