"""The results of bets on a checked round. If an earlier card counts, the round of that card is also checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from fairness.draws.game import Outcome
from games.bets import bets_on
from games.bets.bet import BetRefused
from games.bets.settlement import Settled, settle
from verifier.round.report import Passed, RoundReport

BETS_UNKNOWN = (
    "Whether these bets were made, with what stakes, and what was paid. A receipt shows that a bet was made, in the engine's"
    " words."
)

CheckRound = Callable[[int], RoundReport]
"""Checks another round of the same table, by its number."""


def with_bets(report: RoundReport, texts: Sequence[str], check: CheckRound) -> RoundReport:
    """The report with the results of these bets. Raises `BetRefused`, or what ``check`` raises."""
    bets = bets_on(report.game, report.declaration)
    if bets is None:
        raise BetRefused(f"cannot be settled: this verifier knows no bets for the game of this table, {report.game}")
    _refuse_unknown(report)
    before = _RoundsBefore(report.round, check)
    settled: list[Settled] = []
    for text in texts:
        bet = bets.bet(text, report.rules, before)
        settled.append(settle(bet, report.outcome, report.status))
    passed = (*report.passed, *before.passed())
    return replace(report, bets=tuple(settled), passed=passed, not_checked=(*report.not_checked, BETS_UNKNOWN))


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


def _refuse_unknown(report: RoundReport) -> None:
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
