"""Games whose outcomes can be listed: every bet on every outcome, against a second reading of the regulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest

from games.bets import CATALOGUE_BETS as BETS
from games.bets.worth import worth
from tests.bets import rules_of
from tests.oracles.bets import roulette

Paid = Callable[[list[str], Mapping[str, Any]], Fraction]


def one_ball(game: str) -> Paid:
    return lambda words, outcome: roulette.paid(game, words, outcome)


ORACLES: dict[str, Paid] = {
    "roulette": one_ball("roulette"),
    "french-roulette": one_ball("french-roulette"),
    "electronic-roulette": one_ball("electronic-roulette"),
}


@pytest.mark.parametrize("game", ORACLES)
def test_every_bet_pays_what_the_second_reading_pays(game: str) -> None:
    """For every outcome; and it is worth what the list of payments is worth."""
    bets = BETS[game]
    chances = bets.chances(rules_of(game))
    assert sum(chance for _, chance in chances) == 1
    for bet in bets.listed(rules_of(game)):
        paid = [ORACLES[game](bet.text.split(), outcome) for outcome, _ in chances]
        assert [bet.winnings(outcome, 1) for outcome, _ in chances] == paid, bet.text
        law = [chance for _, chance in chances]
        mean = sum((each * chance for each, chance in zip(paid, law, strict=True)), Fraction(0))
        figures = worth(bet)
        assert figures.returned == mean, bet.text
        assert figures.hit_rate == sum(chance for each, chance in zip(paid, law, strict=True) if each > 0)
        assert figures.variance == sum((each - mean) ** 2 * chance for each, chance in zip(paid, law, strict=True))


def test_known_returns_of_roulette() -> None:
    """As the catalogue of games works them out: 36/37 of every bet, but for half of a lost even chance."""
    for game in ("roulette", "electronic-roulette"):
        assert {worth(bet).returned for bet in BETS[game].listed(rules_of(game))} == {Fraction(36, 37)}
    french = {worth(bet).returned for bet in BETS["french-roulette"].listed(rules_of("french-roulette"))}
    assert french == {Fraction(36, 37), Fraction(73, 74)}
    counts = dict.fromkeys(("number N", "split S", "street S", "corner S", "line S"), 0)
    for bet in BETS["roulette"].listed(rules_of("roulette")):
        if bet.option.form in counts:
            counts[bet.option.form] += 1
    assert list(counts.values()) == [37, 60, 14, 23, 11]
