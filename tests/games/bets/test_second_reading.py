"""Every option of every game on outcomes that were drawn: both interpreters of the data against a second reading of
the documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from fairness.draws.game import Outcome
from games.bets import CATALOGUE_BETS
from games.bets.bet import Bet, BetRefused
from tests.bets import BY_HAND, rules_of
from tests.oracles.bets import balls, cards, deals, poker, roulette, throws
from tests.oracles.bets.drawn import some_outcomes
from tests.oracles.bets.options import OPTIONS
from tests.oracles.second_verifier import SecondVerifier

Answer = Fraction | bool | None
"""What is paid in all for 1; only whether it wins, where the odds are priced; or `None`: the round did not offer
it.
"""
Reading = Callable[[str, Mapping[str, Any]], Answer]

OUTCOMES, OF_BOTH = 200, 20
ROULETTES = ("roulette", "french-roulette", "electronic-roulette", "american-roulette", "lightning-roulette")


def on_a_table(game: str, text: str, drawn: Mapping[str, Any]) -> Answer:
    """Roulette with one ball."""
    return roulette.paid(game, text.split(), drawn)


READINGS: Mapping[str, Reading] = {
    **{game: partial(on_a_table, game) for game in ROULETTES},
    "double-ball-roulette": lambda text, drawn: roulette.paid_by_two(text.split(), drawn["pockets"]),
    "lightning-dice": throws.lightning_dice,
    "one-bet": throws.one_bet,
    "wheel": throws.wheel,
    "dice-duel": throws.dice_duel,
    "rock-paper-scissors": throws.rock_paper_scissors,
    "dream-catcher": throws.spins,
    "monopoly-live": throws.spins,
    "crazy-time": throws.crazy_time,
    "keno": balls.keno,
    "lucky-5": balls.lucky_5,
    "lucky-7": balls.lucky_7,
    "lucky-6-of-48": balls.lucky_6_of_48,
    "lucky-6": balls.lucky_6,
    "fruitrace": balls.fruitrace,
    "football-studio": cards.higher_card,
    "dragon-tiger": cards.higher_card,
    "kricket-war": cards.higher_card,
    "war-of-bets": cards.war_of_bets,
    "speedy-7": cards.speedy_7,
    "jokerbet": cards.jokerbet,
    "red-dog": cards.red_dog,
    "in-between": cards.in_between,
    "top-card-trump": cards.top_card_trump,
    "draw-hi-lo": cards.draw_hi_lo,
    "bet-win": cards.bet_win,
    "slot-gamble": cards.slot_gamble,
    **poker.PAID,
    "baccarat": deals.baccarat,
    "punto-banco": deals.baccarat,
    "twenty-one-bet": deals.twenty_one_bet,
    "andar-bahar": deals.andar_bahar,
    "thirty-two-cards": deals.thirty_two_cards,
    "racing": lambda text, drawn: deals.racing(text, drawn, rules_of("racing")["runners"]),
    "table-tennis": deals.table_tennis,
}
ELSEWHERE = {*BY_HAND, "craps"}
"""Their second readings have tests of their own."""


@pytest.fixture(scope="module")
def second() -> Iterator[SecondVerifier]:
    """The interpreter in JavaScript."""
    with SecondVerifier() as asked:
        yield asked


def test_every_game_has_a_second_reading() -> None:
    """Of each family."""
    assert READINGS.keys() | ELSEWHERE == set(CATALOGUE_BETS)


@pytest.mark.lattice
@pytest.mark.parametrize("game", READINGS)
def test_bets_pay_what_the_second_reading_pays(game: str, second: SecondVerifier) -> None:
    """In Python on all outcomes, and in JavaScript on some."""
    rules, reading = rules_of(game), READINGS[game]
    drawn = some_outcomes(game, rules, OUTCOMES)
    by_text = dict(_some_listed(game)) | dict(_named(game))
    asked: dict[str, Any] = {"game": game, "rules": rules, "before": None, "texts": list(by_text)}
    found = second.ask("bets", **asked, outcomes=drawn[:OF_BOTH])["settled"]
    for (text, bet), of_second in zip(by_text.items(), found, strict=True):
        for at, outcome in enumerate(drawn):
            paid, expected = _paid(bet, outcome), reading(text, outcome)
            assert _agrees(paid, expected), (text, outcome, paid, expected)
            if at < OF_BOTH:
                other = None if of_second[at] is None else Fraction(*map(int, of_second[at][1]))
                assert other == paid, (text, outcome)


def _some_listed(game: str) -> Iterator[tuple[str, Bet]]:
    """Of each option the first bets of the returns, and the last one."""
    by_form: dict[str, list[Bet]] = {}
    for bet in CATALOGUE_BETS[game].listed(rules_of(game)):
        by_form.setdefault(bet.option.form, []).append(bet)
    for alike in by_form.values():
        yield from ((bet.text, bet) for bet in (*alike[:3], alike[-1]))


def _named(game: str) -> Iterator[tuple[str, Bet]]:
    """The options as the documents list them, those that are offered."""
    for text in OPTIONS[game]:
        try:
            yield text, CATALOGUE_BETS[game].bet(text, rules_of(game))
        except BetRefused:
            continue


def _paid(bet: Bet, outcome: Outcome) -> Fraction | None:
    try:
        return bet.winnings(outcome, 1)
    except BetRefused:
        return None


def _agrees(paid: Fraction | None, expected: Answer) -> bool:
    if isinstance(expected, bool) and paid is not None:
        return (paid > 1) == expected and (expected or paid == 0)
    return paid == expected
