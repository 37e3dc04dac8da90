"""What the tests claim of honest rounds is true: each null distribution against a brute-force count of all
possibilities.
"""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy

from games import GAMES
from games.bets.laws.flight import WORDS, words_at_least
from games.facts import FACTS
from tests.oracles.given_stream import GivenStream
from tests.oracles.made_columns import RULES, numbers, table, with_drawn, with_voids
from verifier.output.outcome_words import outcome_in_words
from verifier.stats.numbers import flights
from verifier.stats.numbers.chance import POWER, at_least_p, binomial_p, noticed_chance, noticed_share
from verifier.stats.numbers.family import FALSE_ALARMS, judge
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.flights import at_least
from verifier.stats.numbers.laws import law_of_place, law_of_whole
from verifier.stats.numbers.samples import parts_of, together
from verifier.stats.randomness.coupons import _chance_within, _collections
from verifier.stats.randomness.gaps import LEAST_GAPS, _edges, _rounds_for
from verifier.stats.randomness.overlaps import _chances, longest_repeat

ROOT = bytes(32)


LAWS = {game: law_of_whole(facts.whole) for game, facts in FACTS.items() if facts.whole is not None}
LAWS["a flight"] = law_of_place(flights.DEVICE, 0)


@pytest.mark.parametrize("game", sorted(game for game, facts in FACTS.items() if facts.whole is not None))
def test_the_classes_of_a_game_are_its_outcomes_each_equally_likely(game: str) -> None:
    """All words that a draw can take, drawn by the game itself, give each class once, and its name is that
    outcome's.
    """
    draws = {"sic-bo": itertools.product(range(6), repeat=3)}.get(game)
    words = draws or ((word,) for word in range(LAWS[game].classes))
    dealt = [GAMES[game].outcome(GivenStream.of_words(*each), {"version": 1}) for each in words]
    made = with_drawn(table(game, len(dealt)), dealt)
    (part,) = parts_of(made, made.played, ROOT)
    sample = part.drawn[0].place(0)
    assert sorted(sample.classes.tolist()) == list(range(LAWS[game].classes))
    for outcome, place in zip(dealt, sample.classes.tolist(), strict=True):
        named = sample.law.groupings[0].labels[place]
        assert named == outcome_in_words(outcome)


@pytest.mark.parametrize("game", sorted(LAWS))
def test_groups_halves_events_and_scores_are_what_they_are_called(game: str) -> None:
    """Chances add up to one, halves are halves, scores have mean 0, variance 1 and a symmetric law."""
    law = LAWS[game]
    for grouping in law.groupings:
        assert len(grouping.groups) == law.classes
        assert grouping.chances.sum() == pytest.approx(1)
        assert set(grouping.groups.tolist()) == set(range(len(grouping.labels)))
    assert law.half is not None
    assert law.event is not None
    _, half = law.half
    assert (half == 0).sum() == (half == 1).sum() > 0
    assert 0 < law.event[1].mean() < 0.2
    assert law.scores.mean() == pytest.approx(0, abs=1e-12)
    assert law.scores.var() == pytest.approx(1)
    assert np.sort(law.scores) == pytest.approx(np.sort(-law.scores))


def test_groups_have_the_chances_that_everybody_knows() -> None:
    """Of 25 cards 12 are red; 27 of 216 throws sum to ten; six are triples."""
    chances = {
        (game, grouping.name, label): Fraction(float(chance)).limit_denominator(1000)
        for game, law in LAWS.items()
        for grouping in law.groupings
        for label, chance in zip(grouping.labels, grouping.chances, strict=True)
    }
    assert chances["hi-lo", "colours", "red"] == Fraction(12, 25)
    assert chances["hi-lo", "ranks", "Joker"] == Fraction(1, 25)
    assert chances["sic-bo", "sums", "sum 10"] == Fraction(27, 216)
    assert chances["sic-bo", "triples", "a triple"] == Fraction(6, 216)
    assert chances["penalty", "colours", "yellow"] == Fraction(12, 26)
    assert chances["keno-express", "tens", "91 to 100"] == Fraction(1, 10)


@pytest.mark.parametrize(("rtp", "cap"), [(9700, 1_000_000), (9600, 101), (5000, 3000), (10000, 150)])
def test_the_law_of_a_multiplier_is_that_of_its_words(rtp: int, cap: int) -> None:
    """To the rounding of doubles; it is 1 at 1.00 and 0 above the cap."""
    asked = np.array([100, 101, 102, min(cap, 150), cap, cap + 1])
    chances = at_least(asked, rtp, cap)
    for hundredths, chance in zip(asked.tolist()[1:-1], chances.tolist()[1:-1], strict=True):
        expected = words_at_least(hundredths, rtp) / WORDS if hundredths <= cap else 0.0
        assert chance == pytest.approx(expected, rel=1e-15)
    assert (chances[0], chances[-1]) == (1, 0)
    assert _chances(rtp, cap).sum() == pytest.approx(1)


def test_a_multiplier_becomes_a_number_of_its_own_interval() -> None:
    """The interval is from P(X < h) to P(X <= h), so the law is uniform and the order is that of the multipliers."""
    made = table("crash", 3000, seed=1)
    flown = flights.flown(made, made.played, flights.random_words(made, ROOT))
    rules, hundredths = RULES["crash"], numbers(made)[:, 0]
    below = 1 - at_least(hundredths, rules["rtp"], rules["cap"])
    up_to = 1 - at_least(hundredths + 1, rules["rtp"], rules["cap"])
    assert ((below <= flown.uniform) & (flown.uniform <= up_to)).all()
    ones = flown.uniform[hundredths == 100]
    assert scipy.stats.kstest(ones / (1 - 9700 / 10100), "uniform").pvalue > 0.001


def test_runs_of_equally_likely_outcomes_are_binomial() -> None:
    """All 3⁷ sequences of three outcomes, counted by the equal pairs of neighbours."""
    found = Counter(
        sum(one == next_one for one, next_one in itertools.pairwise(sequence))
        for sequence in itertools.product(range(3), repeat=7)
    )
    for repeats in range(7):
        assert found[repeats] / 3**7 == pytest.approx(scipy.stats.binom.pmf(repeats, 6, 1 / 3))


@pytest.mark.parametrize(("kinds", "rounds"), [(2, 10), (3, 8), (4, 6)])
def test_the_number_of_collections_has_its_exact_law(kinds: int, rounds: int) -> None:
    """Counted over every sequence, and compared with the Fourier transform."""
    found = Counter(
        _collections(np.array(sequence), kinds) for sequence in itertools.product(range(kinds), repeat=rounds)
    )
    for collections in range(1, 4):
        within = sum(number for count, number in found.items() if count >= collections) / kinds**rounds
        assert _chance_within(collections, rounds, kinds) == pytest.approx(within, abs=1e-12)


def test_many_collections_take_their_mean_and_spread() -> None:
    """Too many to count: a thousand collections of 25 cards are nearly normal, half of them within the mean."""
    chances = np.arange(1, 26) / 25
    mean, deviation = 1000 * (1 / chances).sum(), np.sqrt(1000 * ((1 - chances) / chances**2).sum())
    for shift in (-2.0, 0.0, 2.0):
        within = _chance_within(1000, int(mean + shift * deviation), 25)
        assert within == pytest.approx(scipy.stats.norm.cdf(shift), abs=0.01)


def test_waits_are_cut_where_the_number_of_rounds_says() -> None:
    """The stated number of rounds is the smallest that gives enough waits, and the parts cover all lengths from 1."""
    for chance in (0.02, 0.1):
        rounds = _rounds_for(chance)
        waits = [n * chance - 6 * np.sqrt(n * chance * (1 - chance)) for n in (rounds - 2, rounds)]
        assert waits[0] < LEAST_GAPS <= waits[1]
        edges = _edges(chance, 1000)
        assert edges[0] == 1
        assert len(edges) > 5
        assert (np.diff(edges) > 0).all()


def test_the_longest_repeat_is_the_longest() -> None:
    """Compared with every pair of places, including overlapping ones."""
    chance = np.random.default_rng(5)
    for size, kinds in [(2, 2), (3, 1), (12, 2), (40, 2), (40, 3), (60, 1), (60, 10), (61, 50)] * 3:
        sequence = chance.integers(0, kinds, size)
        longest = max(
            next((n for n in range(size - second) if sequence[first + n] != sequence[second + n]), size - second)
            for first, second in itertools.combinations(range(size), 2)
        )
        length, first, second = longest_repeat(sequence)
        assert length == longest
        if length:
            assert first != second
            assert (sequence[first : first + length] == sequence[second : second + length]).all()


def test_the_chance_of_a_repeat_is_bounded_as_stated() -> None:
    """Over all sequences of seven outcomes with an atom, repeats of each length are at most as frequent as the bound
    says.
    """
    chances = {0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 4)}
    reached = dict.fromkeys(range(1, 7), 0.0)
    for sequence in itertools.product(chances, repeat=6):
        weight = float(np.prod([float(chances[each]) for each in sequence]))
        length, _, _ = longest_repeat(np.array(sequence))
        for at_most in range(1, length + 1):
            reached[at_most] += weight
    for length in range(1, 6):
        assert reached[length] <= min(1, 15 * 0.5**length) + 1e-12


def test_binomial_tails_are_those_of_all_sequences() -> None:
    """Two-sided is twice the smaller tail; one-sided is the upper one."""
    law = [Fraction(1, 3) ** k * Fraction(2, 3) ** (9 - k) * _choose(9, k) for k in range(10)]
    for count in range(10):
        lower, upper = float(sum(law[: count + 1])), float(sum(law[count:]))
        assert float(binomial_p(count, 9, 1 / 3)) == pytest.approx(min(1, 2 * min(lower, upper)))
        assert at_least_p(count, 9, 1 / 3) == pytest.approx(upper)


def _choose(n: int, k: int) -> int:
    return len(list(itertools.combinations(range(n), k)))


def test_what_a_count_would_have_noticed_is_exact() -> None:
    """At the stated chance the test raises an alarm in nine of ten cases, and not much below it."""
    for rounds, chance, level in [(1000, 0.48, 1e-4), (50_000, 0.01, 1e-5), (200, 0.5, 0.01)]:
        noticed = noticed_chance(rounds, chance, level)
        counts = np.arange(rounds + 1)
        alarm = binomial_p(counts, rounds, chance) <= level
        assert scipy.stats.binom.pmf(counts[alarm], rounds, noticed).sum() == pytest.approx(POWER, abs=1e-6)
        share = noticed_share(rounds, chance, 1, level)
        assert share == pytest.approx(noticed, abs=0.2 * (noticed - chance))


def test_holm_goes_from_the_smallest_up() -> None:
    """Three tests by hand; a test without a p does not count."""
    blank = Finding("t", ("a",), "s", "?", 10)
    p_values = [0.02, 0.003, None, 0.02]
    findings = [
        blank.without("too few") if p is None else blank.with_p(p, statistic=0, null_law="", observed="", expected="")
        for p in p_values
    ]
    judged = judge(findings)
    assert [each.adjusted for each in judged] == [
        pytest.approx(0.04),
        pytest.approx(0.009),
        None,
        pytest.approx(0.04),
    ]
    assert [each.alarm for each in judged] == [False, True, False, False]
    assert FALSE_ALARMS == 0.01
    assert judge([]) == []


def test_void_rounds_are_in_no_test_of_final_outcomes() -> None:
    """Only played ones; several tables follow one another."""
    chance = np.random.default_rng(2)
    made = with_voids(table("hi-lo", 500), chance.random(500) < 0.2, chance)
    other = table("hi-lo", 300, seed=9, name="hi-lo-2")
    (one,), (two,) = (parts_of(each, each.played, ROOT) for each in (made, other))
    assert one.drawn[0].place(0).classes.tolist() == numbers(made)[made.played, 0].tolist()
    both = together([one, two]).drawn[0].place(0)
    assert both.tables == ("hi-lo-1", "hi-lo-2")
    assert both.classes.tolist() == [*numbers(made)[made.played, 0].tolist(), *numbers(other)[:, 0].tolist()]
