"""Whether what a table deals drifts from its exact law: a test of every count of `things` that may be looked at after
any round.

It is a test by betting. For each count and a few tilts t, to both sides, it multiplies after each round exp(t·paid)
by 1 / E[exp(t·paid)], with the expectation of the exact law; the mean over the tilts is the **evidence**. Under the
law evidence is 1 on average after every round, whatever was seen before, so by Ville's inequality the chance that it
*ever* reaches x is at most 1/x: over the table's whole life, however often somebody looks. An alarm is raised when
the evidence of one of a table's n counts reaches n / `FALSE_ALARMS`, so the chance of a false one is at most
`FALSE_ALARMS` a table. Floating point is good enough for an alarm; no money and no outcome depends on it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from msgspec import Struct, field

from api.operations.things import Counted, counted
from api.world.cooperation import yielding
from fairness.draws.game import Outcome
from games.bets.bet import Payments
from games.bets.catalogue import declaration_of
from games.bets.worth import of_payments
from games.facts import facts_of

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
    paid: list[int] = field(default_factory=list)
    """By each count, how many in all."""
    largest: list[float] = field(default_factory=list)
    """The largest logarithm of each count's evidence so far."""
    alarms: list[int] = field(default_factory=list)
    """The round at which each count's alarm was raised; 0 if there was none. An alarm stays."""


@dataclass(frozen=True, slots=True)
class CountTest:
    """One count against its law."""

    name: str
    """``balls: 7``; ``colours: red``."""
    law: Payments
    expected: float
    """How many a round has on average."""
    tilts: tuple[tuple[float, float], ...]
    """Each tilt, and the logarithm of its expectation."""

    @classmethod
    def of(cls, name: str, law: Payments) -> CountTest:
        """Return the test of a count with this law."""
        return cls(name, law, *_test_of(law))

    def evidence(self, rounds: int, paid: int) -> float:
        """Return its logarithm, after so many rounds that had so many in all."""
        return _log_sum([tilt * paid - rounds * log for tilt, log in self.tilts]) - math.log(len(self.tilts))


@lru_cache(maxsize=16)
def _test_of(law: Payments) -> tuple[float, tuple[tuple[float, float], ...]]:
    """Return what a test is made of, by its law alone: those of all balls of a drum are equal."""
    figures = of_payments(law)
    chances = [(float(paid), math.log(chance)) for paid, exact in law if (chance := float(exact))]
    # What cannot come (a multiplier of 1.00 at a return of 100 %) has no variance, and is a drift if it comes.
    each = [tilt / math.sqrt(figures.variance or 1) for tilt in _TILTS]
    tilts = tuple((tilt, _log_sum([chance + tilt * paid for paid, chance in chances])) for tilt in each)
    return float(figures.returned), tilts


def _log_sum(logarithms: list[float]) -> float:
    most = max(logarithms)
    return most + math.log(sum(math.exp(each - most) for each in logarithms))


class Law:
    """The tests of a table under its rules, by what it draws."""

    def __init__(self, things: Sequence[Counted]) -> None:
        self._things = things
        laws = (each for own in things for each in own.laws())
        self.tests = [CountTest.of(name, law) for name, law in yielding(laws)]
        self.alarm_at = math.log(max(1, len(self.tests)) / FALSE_ALARMS)
        """The logarithm of the evidence that raises an alarm."""
        self._found = lru_cache(_OUTCOMES_REMEMBERED)(self._found_in)

    def begin(self, table_id: str, rules: str) -> TableDrift:
        """Return the state in which nothing was looked at yet."""
        count = len(self.tests)
        return TableDrift(table_id, rules, paid=[0] * count, largest=[0.0] * count, alarms=[0] * count)

    def fits(self, drift: TableDrift) -> bool:
        """Return whether what is remembered is about these tests."""
        return len(drift.paid) == len(drift.largest) == len(drift.alarms) == len(self.tests)

    def look(self, drift: TableDrift, number: int, outcome: str | None) -> None:
        """Take the next round: its outcome as JSON, or `None` if it was void."""
        drift.through = number
        if outcome is None:
            return
        for place, many in self._found(outcome):
            drift.paid[place] += many
        drift.played += 1
        if drift.played % EVERY == 0:
            self._weigh(drift)

    def _weigh(self, drift: TableDrift) -> None:
        for place, test in enumerate(self.tests):
            evidence = test.evidence(drift.played, drift.paid[place])
            drift.largest[place] = max(drift.largest[place], evidence)
            if evidence >= self.alarm_at and not drift.alarms[place]:
                drift.alarms[place] = drift.through

    def _found_in(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return the place of each test whose things an outcome has, and how many of them."""
        return tuple(self._places(json.loads(text)))

    def _places(self, outcome: Outcome) -> Iterator[tuple[int, int]]:
        before = 0
        for each in self._things:
            yield from ((before + at, many) for at, many in each.found(outcome).items())
            before += len(each.labels)


@dataclass(frozen=True, slots=True)
class CountNow:
    """How one count stands."""

    name: str
    rounds: int
    expected: float
    """How many a round has on average."""
    observed: float | None
    """How many a round had on average; `None` before the first one."""
    evidence: float
    """The largest so far."""
    alarm: int
    """The round of the alarm, or 0."""


def stand(law: Law, drift: TableDrift) -> list[CountNow]:
    """Return how every count of a table stands."""
    found = []
    for place, test in enumerate(law.tests):
        observed = drift.paid[place] / drift.played if drift.played else None
        # Larger than any float is large enough.
        evidence = math.exp(min(drift.largest[place], 700.0))
        found.append(CountNow(test.name, drift.played, test.expected, observed, evidence, drift.alarms[place]))
    return found


@lru_cache(maxsize=256)
def law_of(game: str, rules: str, declaration: str = "") -> Law:
    """Return the law of a table of this game under these rules, which are JSON; without tests if its declaration is
    newer than this program.
    """
    declared = declaration_of(game, declaration)
    whole = facts_of(game, declaration).whole
    return Law(() if declared is None else counted(declared, json.loads(rules), whole))
