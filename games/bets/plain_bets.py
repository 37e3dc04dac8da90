"""Games whose bets are a short list, the same under all rules."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from fairness.draws.game import Outcome, Rules
from games.bets.bet import Bet, Chances, Law, Option, Reading, refusal


class PlainBets:
    """A list of bets over equally likely outcomes, found by their spelling."""

    def __init__(
        self, section: str, drawn: str, law: Law, bets: Iterable[Bet], readings: tuple[Reading, ...]
    ) -> None:
        """Options are listed in the order in which the bets first name them."""
        self.section, self.drawn, self.readings = section, drawn, readings
        self._law = law
        self._bets = {bet.text: bet for bet in bets}
        self.options: tuple[Option, ...] = tuple(dict.fromkeys(bet.option for bet in self._bets.values()))

    def chances(self, rules: Rules) -> Chances:  # noqa: ARG002
        """All are equally likely."""
        return tuple((outcome, Fraction(weight, len(self._law))) for outcome, weight in self._law)

    def count(self, rules: Rules) -> int:  # noqa: ARG002
        """How many there are."""
        return len(self._law)

    def bet(self, text: str, rules: Rules, before: Iterable[Outcome] = ()) -> Bet:  # noqa: ARG002
        """The bet of this spelling. Raises `BetRefused`."""
        found = self._bets.get(text)
        if found is None:
            raise refusal(text, self.options)
        return found

    def listed(self, rules: Rules) -> tuple[Bet, ...]:  # noqa: ARG002
        """Every bet."""
        return tuple(self._bets.values())
