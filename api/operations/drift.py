"""Whether what a table deals drifts from its exact law: a test of every bet that may be looked at after any round.

It is a test by betting. For each bet and a few tilts t, to both sides, it multiplies after each round exp(t·paid) by
1 / E[exp(t·paid)], with the expectation of the exact law; the mean over the tilts is the **evidence**. Under the law
evidence is 1 on average after every round, whatever was seen before, so by Ville's inequality the chance that it *ever*
reaches x is at most 1/x: over the table's whole life, however often somebody looks. An alarm is raised when the evidence of
one of a table's n bets reaches n / `FALSE_ALARMS`, so the chance of a false one is at most `FALSE_ALARMS` a table.
Floating point is good enough for an alarm; no money and no outcome depends on it.

Of a declared game, one bet of each winning option is tested that every round offers, if the game's outcomes can be listed: dice,
pockets and wheels. Of all others the counts of `things` are, because the laws of some bets on balls, cards and races take half a
minute; `foredraw-verify stats` has them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from msgspec import Struct, field

from api.operations.things import Part, counted
from api.world.cooperation import yielding
from fairness.draws.game import Outcome, Rules
from games.bets import BETS
from games.bets.bet import Bet, Payments
from games.bets.game_bets import GameBets
from games.bets.worth import has_worth, of_payments, worth

FALSE_ALARMS = 1 / 1000
"""The chance that a table that follows its law ever raises an alarm, at the most."""
EVERY = 64
"""Evidence is looked at after so many played rounds: fewer looks raise fewer alarms, and cost less."""

# In standard deviations of what is paid for one bet: a drift of d of them is seen best with a tilt of d.
_TILTS = tuple(sign * size for size in (0.6, 0.2, 0.06, 0.02, 0.006, 0.002) for sign in (1, -1))
_OUTCOMES_REMEMBERED = 4096


class TableDrift(Struct, forbid_unknown_fields=True):
    """What is remembered of a table: the sums that evidence is made of, and no outcome."""

    table_id: str
    rules: str
    """The law depends on the rules; when they change, the test starts again."""
    through: int = 0
    """The last round that was looked at. Void rounds are passed over."""
    played: int = 0
    after: str = ""
    """The card that HI and LO are compared with in the next round."""
    rounds_after: dict[str, int] = field(default_factory=dict)
    """How many rounds had which card before them."""
    paid: list[int] = field(default_factory=list)
    """By each bet, in its unit."""
    largest: list[float] = field(default_factory=list)
    """The largest logarithm of each bet's evidence so far."""
    alarms: list[int] = field(default_factory=list)
    """The round at which each bet's alarm was raised; 0 if there was none. An alarm stays."""


@dataclass(frozen=True, slots=True)
class BetTest:
    """One bet, or one count, against its law."""

    name: str
    """``red``; ``hi after 7``; ``balls: 7``."""
    law: Payments
    expected: float
    """What is paid on average for a stake of 1."""
    unit: int
    """Everything that is ever paid for a stake of 1 is a whole number of 1/unit."""
    tilts: tuple[tuple[float, float], ...]
    """Each tilt for one unit, and the logarithm of its expectation."""
    after: str = ""
    """The card that the bet is compared with, if there is one."""

    @classmethod
    def of(cls, bet: Bet) -> BetTest:
        """The test of a bet whose result is not certain."""
        name = f"{bet.text} after {bet.after}" if bet.after else bet.text
        return cls(name, *_test_of(bet.law()), bet.after)

    @classmethod
    def of_count(cls, part: Part) -> BetTest:
        """The test of a count."""
        return cls(part.name, *_test_of(part.law))

    def evidence(self, rounds: int, paid: int) -> float:
        """Its logarithm, after so many rounds in which so many units were paid."""
        return _log_sum([tilt * paid - rounds * log for tilt, log in self.tilts]) - math.log(len(self.tilts))


@lru_cache(maxsize=16)
def _test_of(law: Payments) -> tuple[Payments, float, int, tuple[tuple[float, float], ...]]:
    """What a test is made of, by its law alone: those of all balls of a drum are equal."""
    figures = of_payments(law)
    unit = math.lcm(*(paid.denominator for paid, _ in law))
    chances = [(float(paid * unit), math.log(chance)) for paid, exact in law if (chance := float(exact))]
    # What cannot come (a multiplier of 1.00 at a return of 100 %) has no variance, and is a drift if it comes.
    each = [tilt / math.sqrt(figures.variance or 1) / unit for tilt in _TILTS]
    tilts = tuple((tilt, _log_sum([chance + tilt * paid for paid, chance in chances])) for tilt in each)
    return law, float(figures.returned), unit, tilts


def _log_sum(logarithms: list[float]) -> float:
    most = max(logarithms)
    return most + math.log(sum(math.exp(each - most) for each in logarithms))


class Law:
    """The tests of a table under its rules: of its bets, if it has any, or of what a ``declaration`` of its own draws."""

    def __init__(self, known: GameBets | None, rules: Rules, declaration: str = "") -> None:
        is_named = known in BETS.values()
        listed = () if known is None else known.listed(rules) if is_named else _of_each_option(known, rules)
        self._bets = [bet for bet in yielding(listed) if has_worth(bet) and worth(bet).variance]
        self._counted = counted(declaration, rules) if declaration and not self._bets else ()
        parts = (part for each in self._counted for part in each.parts())
        self.tests = [*map(BetTest.of, yielding(self._bets)), *map(BetTest.of_count, yielding(parts))]
        self.alarm_at = math.log(max(1, len(self.tests)) / FALSE_ALARMS)
        """The logarithm of the evidence that raises an alarm."""
        self._card_of = (lambda _: "") if known is None else known.card
        self._wins = lru_cache(_OUTCOMES_REMEMBERED)(self._wins_of)

    def begin(self, table_id: str, rules: str) -> TableDrift:
        """Nothing was looked at yet."""
        count = len(self.tests)
        return TableDrift(table_id, rules, paid=[0] * count, largest=[0.0] * count, alarms=[0] * count)

    def fits(self, drift: TableDrift) -> bool:
        """Whether what is remembered is about these tests."""
        return len(drift.paid) == len(drift.largest) == len(drift.alarms) == len(self.tests)

    def look(self, drift: TableDrift, number: int, outcome: str | None) -> None:
        """The next round: its outcome as JSON, or `None` if it was void."""
        drift.through = number
        if outcome is None:
            return
        wins, card = self._wins(outcome)
        for place, units in wins:
            if self.tests[place].after in {"", drift.after}:
                drift.paid[place] += units
        drift.played += 1
        if drift.after:
            drift.rounds_after[drift.after] = drift.rounds_after.get(drift.after, 0) + 1
        drift.after = card or drift.after
        if drift.played % EVERY == 0:
            self._weigh(drift)

    def rounds(self, drift: TableDrift, test: BetTest) -> int:
        """How many rounds offered this bet."""
        return drift.rounds_after.get(test.after, 0) if test.after else drift.played

    def _weigh(self, drift: TableDrift) -> None:
        for place, test in enumerate(self.tests):
            evidence = test.evidence(self.rounds(drift, test), drift.paid[place])
            drift.largest[place] = max(drift.largest[place], evidence)
            if evidence >= self.alarm_at and not drift.alarms[place]:
                drift.alarms[place] = drift.through

    def _wins_of(self, text: str) -> tuple[tuple[tuple[int, int], ...], str]:
        """Which tests' bets an outcome wins, and what that pays in their units; and the card that it is."""
        outcome: Outcome = json.loads(text)
        if self._counted:
            return tuple(self._found(outcome)), ""
        pairs = enumerate(zip(self._bets, self.tests, strict=True))
        paid = ((place, int(bet.winnings(outcome, 1) * test.unit)) for place, (bet, test) in pairs)
        return tuple((place, units) for place, units in paid if units), self._card_of(outcome)

    def _found(self, outcome: Outcome) -> Iterator[tuple[int, int]]:
        """The place of each part that an outcome has, and how many of it."""
        before = 0
        for each in self._counted:
            yield from ((before + at, many) for at, many in each.found(outcome).items())
            before += each.size


def _of_each_option(bets: GameBets, rules: Rules) -> tuple[Bet, ...]:
    """The first listed bet of each option of a declared game."""
    if bets.declaration.pile is not None or not bets.count(rules):
        return ()
    followed = {offer.option for offer in bets.offers if offer.is_always_offered}
    # Written from the last to the first, so that the first stays.
    first = {bet.option: bet for bet in reversed(bets.listed(rules)) if bet.option in followed}
    return tuple(first[option] for option in bets.options if option in first)


@dataclass(frozen=True, slots=True)
class BetNow:
    """How one bet stands."""

    name: str
    rounds: int
    expected: float
    returned: float | None
    """What was paid on average; `None` before the first round."""
    evidence: float
    """The largest so far."""
    alarm: int
    """The round of the alarm, or 0."""


def stand(law: Law, drift: TableDrift) -> list[BetNow]:
    """How every bet of a table stands."""
    found = []
    for place, test in enumerate(law.tests):
        rounds = law.rounds(drift, test)
        returned = drift.paid[place] / test.unit / rounds if rounds else None
        # Larger than any float is large enough.
        evidence = math.exp(min(drift.largest[place], 700.0))
        found.append(BetNow(test.name, rounds, test.expected, returned, evidence, drift.alarms[place]))
    return found


@lru_cache(maxsize=256)
def law_of(bets: GameBets | None, rules: str, declaration: str = "") -> Law:
    """The law of a table with these bets under these rules, which are JSON."""
    parsed: Mapping[str, int] = json.loads(rules)
    return Law(bets, parsed, declaration)
