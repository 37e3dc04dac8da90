"""Returns, void rounds and times of a log: against brute force, and with planted faults."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import comb

import msgspec
import numpy as np
import pytest

from games import GAMES
from games.bets import BETS
from games.bets.worth import worth
from tests.oracles.made_columns import ROUND_MILLISECONDS, drawn, numbers, six_tables, table, with_numbers, with_voids
from verifier.stats.conduct.returns import judge_returns, running_return, standard_bet, table_return, winning
from verifier.stats.conduct.timing import timing_of
from verifier.stats.conduct.voids import _chi_square_permuted, judge_voids, voids_of
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.whole_sums import WholeSum

ALARM = 1e-5
"""The level for one test in a family of a thousand tests at a level of 99 %."""


def smallest(findings: list[Finding]) -> float:
    return min(finding.p for finding in findings if finding.p is not None)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_standard_bet_wins_and_pays_what_the_bets_of_the_game_say(game: str) -> None:
    """Round by round against `games.bets`; each pays twice the stake, so that bets of all tables can be added."""
    made = table(game, 600)
    bet = BETS[game].bet(standard_bet(made).text, made.rules)
    won = [bet.odds(outcome) is not None for outcome in drawn(made)]
    assert winning(made).tolist() == won
    found = table_return(made)
    assert found is not None
    assert found.pays == 2
    assert found.wins == sum(won)
    assert found.expected == pytest.approx(float(worth(bet).returned), rel=1e-12)
    assert found.deviation == pytest.approx(float(worth(bet).variance / 600) ** 0.5, rel=1e-12)


def test_a_sum_of_rounds_has_its_exact_law() -> None:
    """Rounds under two sets of rules: the chance of each number of wins as an exact fraction, from all
    possibilities.
    """
    chances = [Fraction(97, 200)] * 5 + [Fraction(9, 20)] * 4
    exact = [Fraction(0)] * 10
    for wins in itertools.product((0, 1), repeat=9):
        chance = Fraction(1)
        for win, p in zip(wins, chances, strict=True):
            chance *= p if win else 1 - p
        exact[sum(wins)] += chance
    law = WholeSum.total([WholeSum.binomial(5, 97 / 200), WholeSum.binomial(4, 9 / 20)])
    assert law.first == 0
    assert law.chances == pytest.approx([float(each) for each in exact], rel=1e-9)
    assert law.at_most(3) == pytest.approx(float(sum(exact[:4])))
    assert law.at_least(7) == pytest.approx(float(sum(exact[7:])))
    assert law.either_side(8) == pytest.approx(float(2 * sum(exact[8:])))
    drawn = WholeSum.hypergeometric(20, 9, 6)
    assert drawn.chances == pytest.approx([comb(9, won) * comb(11, 6 - won) / comb(20, 6) for won in range(7)])


def test_rounds_are_judged_by_the_rules_of_their_own_batch() -> None:
    """A change of the return to players does not change what earlier rounds are expected to win."""
    made = table("crash", 2_000)
    later = {"cap": 150, "rtp": 9_000, "version": 1}
    made = replace(
        made, batches=(made.batches[0], *(msgspec.structs.replace(batch, rules=later) for batch in made.batches[1:]))
    )
    assert standard_bet(made).text == "cashout 1.50"
    found = table_return(made)
    assert found is not None
    assert found.law.mean == pytest.approx(1_000 * 0.97 / 1.5 + 1_000 * 0.9 / 1.5)
    assert found.pays == Fraction(3, 2)


def test_the_running_return_ends_where_the_return_stands_and_void_rounds_pay_nothing() -> None:
    """Its last point and tolerance are those of the table's return; its bound is wider, and an honest line stays
    within.
    """
    for made in six_tables(3_000, voids=0.1):
        running, found = running_return(made), table_return(made)
        assert found is not None
        assert running.rounds[-1] == made.played.sum() == found.rounds
        assert running.returned[-1] == pytest.approx(found.returned)
        assert running.expected[-1] == pytest.approx(found.expected)
        assert running.tolerance[-1] == pytest.approx(found.tolerance)
        assert (running.bound > running.tolerance).all()
        assert (np.abs(running.returned - running.expected) < running.bound).all()
        first = running.rounds[3]
        wins = winning(made)[made.played][:first].sum()
        assert running.returned[3] == pytest.approx(2 * wins / first)


def test_a_return_that_is_off_is_found_and_an_honest_one_is_not() -> None:
    """One of 50 red cards turned into a black one is 1 % of the return; the table's test and the sum both detect
    it.
    """
    honest = six_tables(100_000, seed=2)
    assert smallest(judge_returns(honest)) > 0.001
    cards = honest[1]
    assert cards.game == "hi-lo"
    turned = winning(cards) & (np.arange(100_000) % 40 == 0)
    biased = with_numbers(cards, numbers(cards) + turned[:, None])
    (finding,) = (found for found in judge_returns([biased, *honest[2:]]) if found.tables == ("hi-lo-1",))
    assert finding.p is not None
    assert finding.p < ALARM


def test_a_table_without_rounds_is_passed_over() -> None:
    """Its first round is still to come."""
    empty = table("crash", 0)
    assert table_return(empty) is None
    assert judge_returns([empty]) == judge_voids([empty]) == []
    assert len(running_return(empty).rounds) == 0
    assert voids_of(empty).rate == 0
    assert timing_of(empty).reveals is None


def test_void_rounds_are_counted_by_what_preceded_them() -> None:
    """Never opened, opened and given up, locked; with their reasons, the most frequent first."""
    made = table("penalty", 2_000, voids=0.05)
    found = voids_of(made)
    assert found.void == (~made.played).sum() == sum(found.by_class.values())
    assert found.by_class["never opened"] == (~made.played & (made.opened < 0)).sum()
    assert found.by_class["locked"] == (~made.played & ~made.given_up).sum()
    counted = {each.reason: each.rounds for each in found.reasons}
    assert counted == {reason: int((made.reason == at).sum()) for at, reason in enumerate(made.reasons)}
    assert list(counted.values()) == sorted(counted.values(), reverse=True)


def chosen(made: TableColumns, where: object, share: float) -> TableColumns:
    """The table, with this share of some rounds void."""
    random = np.random.default_rng(5)
    return with_voids(made, np.asarray(where) & (random.random(len(made)) < share), random)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_void_rounds_that_were_chosen_are_found(game: str) -> None:
    """An operator drops one of 200 rounds in which the standard bet won. Both tests detect it."""
    made = table(game, 10_000, seed=4)
    judged = judge_voids([chosen(made, winning(made), 0.02)])
    assert [finding.test for finding in judged] == ["void-outcomes", "void-pays-more"]
    assert all(finding.p is not None and finding.p < ALARM for finding in judged)


def test_void_rounds_that_were_chosen_for_another_bet_are_found() -> None:
    """All Jokers, or all large multipliers: the test of the standard bet does not detect it, the one of outcomes
    does.
    """
    for game, where in (("hi-lo", 24), ("crash", 5_000)):
        made = table(game, 20_000, seed=6)
        outcomes, _ = judge_voids([chosen(made, numbers(made)[:, 0] >= where, 0.05)])
        assert outcomes.p is not None
        assert outcomes.p < ALARM, game


def test_a_thin_choice_over_all_tables_is_found_in_their_sum() -> None:
    """Seven rounds at each table, too few to be noticed there."""
    tables = [chosen(made, winning(made), 0.005) for made in six_tables(3_000, seed=8)]
    *each, together = judge_voids(tables)
    assert together.p is not None
    assert together.p < ALARM
    assert min(finding.p or 0 for finding in each) > ALARM


def test_void_rounds_that_nobody_chose_are_no_finding() -> None:
    """Over 60 tables, the p-values are no smaller than chance makes them."""
    found = [
        finding.p or 0 for seed in range(10) for finding in judge_voids(six_tables(2_000, seed=seed, voids=0.02))
    ]
    assert len(found) == 130
    assert min(found) > 0.01 / 130
    assert 0.01 < np.mean(np.array(found) <= 0.1) < 0.16


def test_p_values_of_void_rounds_are_those_of_all_choices() -> None:
    """Three of twelve rounds are void: the statistic and its p agree with a count over all 220 choices."""
    cells = np.array([2, 1, 1, 0, 1, 2, 1, 1, 0, 1, 0, 1])
    whole, void = np.bincount(cells), (0, 1, 5)

    def strange(choice: tuple[int, ...]) -> Fraction:
        counts = Counter(cells[list(choice)].tolist())
        terms = ((counts[at] - Fraction(n, 4)) ** 2 / Fraction(n, 4) for at, n in enumerate(whole.tolist()))
        return sum(terms, Fraction(0))

    exact = np.mean([strange(choice) >= strange(void) for choice in itertools.combinations(range(12), 3)])
    counts = np.bincount(cells[list(void)], minlength=3)
    statistic, p = _chi_square_permuted(counts, [(whole, 3)])
    assert statistic == pytest.approx(float(strange(void)))
    assert p == pytest.approx(exact, rel=0.5)
    assert p == _chi_square_permuted(counts, [(whole, 3)])[1]


def test_times_are_reported_as_they_were() -> None:
    """Lead, reveals and gaps against hand-made ones; a flight is only compared with flights of a similar
    multiplier.
    """
    made = table("penalty", 1_000)
    took = np.full(1_000, 1_000)
    took[700], took[701] = 19_000, 10_000
    found = timing_of(replace(made, revealed=made.locked + took))
    assert found.reveals is not None
    assert (found.reveals.median_ms, found.reveals.most_ms, found.reveals.longest_ms) == (1_000, 1_000, 19_000)
    assert found.gaps is not None
    assert (found.gaps.median_ms, found.gaps.longest_ms) == (ROUND_MILLISECONDS - 1_000, ROUND_MILLISECONDS - 1_000)
    assert [(slow.round, slow.took_ms, slow.usual_ms) for slow in found.slow] == [(701, 19_000, 1_000)]
    assert found.slow_in_all == 1
    assert (found.lead, found.lead_least) == (10, 10)
    flights = table("crash", 5_000)
    assert timing_of(flights).slow == ()
    low = int(np.flatnonzero(numbers(flights)[:, 0] < 102)[3])
    late = flights.revealed.copy()
    late[low] += 15_000
    assert [slow.round for slow in timing_of(replace(flights, revealed=late)).slow] == [low + 1]
