"""What a standard bet on every played round would have returned, compared with its exact expectation.

A standard bet pays twice the stake or nothing, as red and black do. Everybody knows such a bet, and its return has
the smallest spread of the bets that win often. All standard bets pay the same, so the number of wins is a sum of
binomials, whose law is exact for one table and for all tables together. HI LO's HI and LO are not standard bets: what
they pay depends on the card of the last played round.

Of a game without such a bet, if its bets are known, the standard bet is the first listed one that wins most nearly
half of all rounds, among those that pay one price and are offered in every round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from fairness.draws.game import Rules
from games.bets import bets_on
from games.bets.bet import Bet, BetRefused
from games.bets.game_bets import GameBets
from games.bets.worth import has_worth, worth
from games.multipliers import decimal_text
from verifier.stats.numbers.chance import noticed_deviations, points
from verifier.stats.numbers.columns import Bools, Floats, Ints, TableColumns
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.whole_sums import WholeSum
from verifier.stats.numbers.words import per_cent

TEST = "return"
LEVEL = 0.99
"""The chance that an honest return is within its tolerance."""
WIDTH = NormalDist().inv_cdf((1 + LEVEL) / 2)
"""The tolerance in standard deviations."""

_NULL = "sum of binomials, exact"
_DOUBLE, _ANY = 200, "X"
"""The multiplier that pays twice the stake, and what stands for it."""
_POINTS = 300
"""How many points of a running return are kept: more than a picture can show."""


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """The return after some of the played rounds, with the range of an honest one."""

    rounds: Ints
    """How many rounds had been played."""
    returned: Floats
    expected: Floats
    tolerance: Floats
    """At any one point an honest return is within this of what is expected, with the chance `LEVEL`."""
    bound: Floats
    """An honest return is within this at all points at once, with that chance."""


@dataclass(frozen=True, slots=True, eq=False)
class TableReturn:
    """The standard bet on every played round of one table, with a stake of 1 each time."""

    table: str
    bet: Bet
    rounds: int
    wins: int
    law: WholeSum
    """The law of ``wins`` for honest rounds."""

    @property
    def pays(self) -> Fraction:
        """What a win pays, including the stake."""
        return self.bet.prizes[0].odds.pays

    @property
    def returned(self) -> float:
        """What was paid for each unit staked."""
        return float(self.pays) * self.wins / self.rounds

    @property
    def expected(self) -> float:
        """The exact expectation of `returned`."""
        return float(self.pays) * self.law.mean / self.rounds

    @property
    def tolerance(self) -> float:
        """An honest return is within this of what is expected, with the chance `LEVEL`."""
        return WIDTH * self.deviation

    @property
    def deviation(self) -> float:
        """The standard deviation of an honest return, from the exact variance."""
        return float(self.pays) * self.law.deviation / self.rounds

    @property
    def p(self) -> float:
        """The chance that an honest return is at least as far off, on either side."""
        return self.law.either_side(self.wins)


def has_standard_bet(columns: TableColumns) -> bool:
    """Return whether all rounds of the table offered a bet with a law."""
    return bool(columns.batches) and bool(_standard_text(columns))


def standard_bet(columns: TableColumns) -> Bet:
    """Return the standard bet of this table. Raises `ValueError` if it has none."""
    return _bets(columns).bet(_standard_text(columns), columns.rules)


def _bets(columns: TableColumns) -> GameBets:
    found = bets_on(columns.game, columns.declaration)
    if found is None:
        raise ValueError(f"{columns.name} has no standard bet")
    return found


def _standard_text(columns: TableColumns) -> str:
    """Return it as it is written: that of the game's facts, or else the nearest to half; empty if there is none."""
    rules, usual = columns.all_rules, columns.facts.standard_bet
    if usual.endswith(_ANY):
        return usual.removesuffix(_ANY) + decimal_text(min(_DOUBLE, *(each["cap"] for each in rules)))
    return usual or _nearest_to_half(
        columns.game, columns.declaration, tuple(tuple(sorted(each.items())) for each in rules)
    )


@lru_cache(256)
def _nearest_to_half(game: str, declaration: str, spellings: tuple[tuple[tuple[str, int], ...], ...]) -> str:
    bets = bets_on(game, declaration)
    if bets is None:
        return ""
    everywhere = {offer.option for offer in bets.offers if offer.is_always_offered}
    listed = [bet for bet in bets.listed(dict(spellings[-1])) if bet.option in everywhere and len(bet.prizes) == 1]
    simple = [bet for bet in listed if not bet.prizes[0].is_multiplied and has_worth(bet)]
    for bet in sorted(simple, key=lambda bet: abs(worth(bet).hit_rate - Fraction(1, 2))):
        if 0 < worth(bet).hit_rate < 1 and all(_is_offered(bets, bet.text, dict(rules)) for rules in spellings):
            return bet.text
    return ""


def _is_offered(bets: GameBets, text: str, rules: Rules) -> bool:
    try:
        return has_worth(bets.bet(text, rules))
    except BetRefused:
        return False


def winning(columns: TableColumns) -> Bools:
    """Return whether the standard bet wins in each round, or would have won in a void one."""
    return wins_with(columns, columns.outcome)


def wins_with(columns: TableColumns, outcome: Ints) -> Bools:
    """Return whether the standard bet of a table wins with each of some of its outcomes."""
    return _winning_outcomes(columns)[outcome]


@lru_cache(8)
def _winning_outcomes(columns: TableColumns) -> Bools:
    # Asked for by each test that counts wins; a cache that held many tables would hold all their rounds.
    bet = standard_bet(columns)
    return np.array([bet.odds(each) is not None for each in columns.outcomes], dtype=np.bool_)


def table_return(columns: TableColumns) -> TableReturn | None:
    """Return what the standard bet returned; `None` if no round was played."""
    if not columns.played.any() or not has_standard_bet(columns):
        return None
    wins, law = winning(columns)[columns.played], WholeSum.of_rounds(_chances(columns))
    return TableReturn(columns.name, standard_bet(columns), len(wins), int(wins.sum()), law)


def _chances(columns: TableColumns) -> Floats:
    """Return the exact hit rate of the standard bet in each played round, under that round's rules."""
    return chance_by_batch(columns)[columns.batch[columns.played]]


def chance_by_batch(columns: TableColumns) -> Floats:
    """Return the exact hit rate of the standard bet under the rules of each batch."""
    text = standard_bet(columns).text
    rules = {tuple(batch.rules.items()): batch.rules for batch in columns.batches}
    hits = {key: float(worth(_bets(columns).bet(text, each)).hit_rate) for key, each in rules.items()}
    return np.array([hits[tuple(batch.rules.items())] for batch in columns.batches])


def running_return(columns: TableColumns) -> Running:
    """Return how the return developed from the first played round on."""
    wins, chances = winning(columns)[columns.played], _chances(columns)
    pays = float(standard_bet(columns).prizes[0].odds.pays)
    at = np.unique(np.linspace(0, len(wins) - 1, _POINTS).astype(np.int64)) if len(wins) else np.zeros(0, np.int64)
    rounds = at + 1
    spread = np.sqrt(np.cumsum(chances * (1 - chances))[at])
    return Running(
        rounds=rounds,
        returned=pays * np.cumsum(wins)[at] / rounds,
        expected=pays * np.cumsum(chances)[at] / rounds,
        tolerance=pays * WIDTH * spread / rounds,
        bound=pays * _everywhere(rounds) / rounds,
    )


def _everywhere(rounds: Ints) -> Floats:
    """Return a bound on the distance of the count of wins from its expectation, at every number of rounds at once.

    It is exceeded anywhere with a chance of at most 1 - `LEVEL`. Robbins' normal mixture (1970), with Hoeffding's 1/4
    for the variance of each round.
    """
    grown = rounds / 4
    mixture = float(grown[-1]) / 12 if len(grown) else 1.0  # where the bound is narrowest: near the end
    total = grown + mixture
    bound: Floats = np.sqrt(total * np.log(total / (mixture * (1 - LEVEL) ** 2)))
    return bound


def judge_returns(tables: Sequence[TableColumns]) -> list[Finding]:
    """Return one test for each table, and one for all tables together."""
    returns = [found for found in map(table_return, tables) if found is not None]
    findings = [_of_table(found) for found in returns]
    return [*findings, _over_all(returns)] if len(returns) > 1 else findings


def _of_table(found: TableReturn) -> Finding:
    bet, law, wins = found.bet.text, found.law, found.wins
    unfinished = Finding(TEST, (found.table,), bet, f"Does {bet} win as often as it should?", found.rounds)
    return unfinished.with_p(
        found.p,
        statistic=law.z(wins),
        null_law=_NULL,
        observed=f"return {per_cent(found.returned)}, {wins:,} wins",
        expected=f"return {per_cent(found.expected)} ± {per_cent(found.tolerance)}, {law.mean:,.1f} wins",
        power_at=lambda level: (
            f"would have noticed a return {points(noticed_deviations(level) * found.deviation)} off with 90 % chance"
        ),
    )


def _over_all(returns: Sequence[TableReturn]) -> Finding:
    law, names = WholeSum.total(found.law for found in returns), tuple(found.table for found in returns)
    wins, rounds = sum(found.wins for found in returns), sum(found.rounds for found in returns)
    question = "Do the standard bets of all tables win as often as they should?"
    return Finding(TEST, names, "standard bets", question, rounds).with_p(
        law.either_side(wins),
        statistic=law.z(wins),
        null_law=_NULL,
        observed=f"{per_cent(wins / rounds)} of them won, {wins:,}",
        expected=f"{per_cent(law.mean / rounds)} ± {per_cent(WIDTH * law.deviation / rounds)}, {law.mean:,.1f}",
        power_at=lambda level: (
            f"would have noticed {points(noticed_deviations(level) * law.deviation / rounds)} more or fewer of them"
            " winning with 90 % chance"
        ),
    )
