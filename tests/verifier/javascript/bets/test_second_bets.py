"""Bets, settled by both implementations: they agree about every bet of the six games and every outcome."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from fairness.draws.game import Outcome, Rules
from games.bets import CATALOGUE_BETS as BETS
from games.bets.bet import Bet, BetRefused
from games.bets.catalogue import data
from games.bets.paytable.source import paytable_of
from games.bets.settlement import settle
from games.facts.hi_lo import DECK
from games.multipliers import fraction_text
from tests.bets import BY_HAND, rules_of
from tests.oracles.bets.drawn import some_outcomes
from tests.oracles.bets.options import OPTIONS
from tests.oracles.second_verifier import SecondVerifier
from tests.support.asked_in_javascript import Settled, declared, settled_there

FLIGHT: Rules = {"cap": 100_000, "rtp": 9700, "version": 1}
PLAIN: Rules = {"version": 1}
WRONG = (
    "",
    "x",
    "hi ",
    "HI",
    "sum 3",
    "sum 18",
    "sum 010",
    "card 10",
    "card Joker",
    "triple 7",
    "combination 2 1",
    "combination 3 3",
    "sector 0",
    "sector 25",
    "lower 0",
    "lower 96",
    "higher 5",
    "lower 101",
    "range 5-5",
    "range 9-5",
    "range 1-96",
    "outside 1-2",
    "outside 50-51",
    "cashout 1.00",
    "cashout 1000.01",
    "cashout 2",
    "half 3.00 cashout 2.00",
    "half 1.00",
    "cashout 02.00",
    "cashout 2.00 ",
    "__proto__",
    "small\n",
    "half 2.00",
)
"""No bets of any of the games."""


@pytest.fixture(scope="module")
def second() -> Iterator[SecondVerifier]:
    """The verifier in JavaScript."""
    with SecondVerifier() as asked:
        yield asked


def agree(
    second: SecondVerifier, game: str, rules: Rules, texts: list[str], drawn: list[Outcome], before: str = ""
) -> None:
    """Check that both agree whether a bet exists, and about its odds and payment for each outcome."""
    played: list[Outcome] = [{"card": before, "color": "red"}] if before else []
    for text, found in zip(texts, settled_there(second, game, rules, texts, drawn, played), strict=True):
        try:
            bet = BETS[game].bet(text, rules, played)
        except BetRefused:
            assert found == [None] * len(drawn), text
        else:
            assert found == [settled(bet, outcome) for outcome in drawn], text


def settled(bet: Bet, outcome: Outcome) -> Settled | None:
    """The same in Python."""
    try:
        found = settle(bet, outcome, "played")
    except BetRefused:
        return None
    paid = found.next if found.pays is None else fraction_text(found.pays)
    return found.result, None if found.odds is None else str(found.odds), paid


@pytest.mark.parametrize("game", ["sic-bo", "penalty"])
def test_a_short_list_of_bets(second: SecondVerifier, game: str) -> None:
    """Each with every outcome."""
    texts = [bet.text for bet in BETS[game].listed(PLAIN)]
    drawn = [outcome for outcome, _ in BETS[game].chances(PLAIN)]
    agree(second, game, PLAIN, [*texts, *WRONG], drawn)


@pytest.mark.parametrize("before", [*dict.fromkeys(str(card["card"]) for card in DECK if "color" in card), ""])
def test_cards_by_the_card_before(second: SecondVerifier, before: str) -> None:
    """Each bet with each card of the deck, after each card and after none."""
    texts = ["hi", "lo", *(bet.text for bet in BETS["hi-lo"].listed(PLAIN) if not bet.after)]
    agree(second, "hi-lo", PLAIN, [*texts, *WRONG], list(DECK), before)


@pytest.mark.nightly("settles each bet in both languages")
def test_every_bet_on_a_number(second: SecondVerifier) -> None:
    """All numbers and ranges that can be written, with all numbers that can be drawn."""
    one = [f"{kind} {end}" for kind in ("lower", "higher") for end in range(1, 101)]
    ends = itertools.combinations([*range(1, 8), *range(8, 94, 7), *range(94, 101)], 2)
    two = [f"{kind} {low}-{high}" for low, high in ends for kind in ("range", "outside")]
    drawn: list[Outcome] = [{"number": number} for number in range(1, 101)]
    agree(second, "keno-express", PLAIN, [*one, *two, *WRONG], drawn)


@pytest.mark.parametrize("game", ["crash", "rocketon"])
def test_cash_outs_around_every_multiplier(second: SecondVerifier, game: str) -> None:
    """At the multiplier, a hundredth below and a hundredth above; up to the cap and beyond it."""
    steps = [1.01, 1.02, 1.5, 1.51, 2, 9.99, 10, 99.99, 999.99, 1000, 1000.01]
    cash = [f"cashout {step:.2f}" for step in steps]
    half = [f"half {step:.2f}" for step in steps]
    both = [f"half {one:.2f} cashout {other:.2f}" for one, other in itertools.product(steps, steps)]
    near = sorted({round(step * 100) + by for step in steps for by in (-1, 0, 1)})
    drawn: list[Outcome] = [
        {"multiplier": f"{each // 100}.{each % 100:02}"} for each in near if 100 <= each <= 100_000
    ]
    agree(second, game, FLIGHT, [*cash, *half, *both, *WRONG], drawn)


@pytest.mark.nightly("some games have millions of outcomes, each of which is asked of Node")
@pytest.mark.lattice
@pytest.mark.parametrize("game", [game for game in BETS if game not in BY_HAND])
def test_every_option_of_the_catalogue(second: SecondVerifier, game: str) -> None:
    """Bets of every option, also with numbers that the returns do not list, on some outcomes, among them those that
    they were offered for.
    """
    rules = rules_of(game)
    by_option: dict[str, list[str]] = {}
    for bet in BETS[game].listed(rules):
        by_option.setdefault(bet.option.form, []).append(bet.text)
    texts = [text for each in by_option.values() for text in {each[0], each[len(each) // 2], each[-1]}]
    texts += [text for text in OPTIONS[game] if text not in texts]
    agree(second, game, rules, [*texts, *WRONG], some_outcomes(game, rules, 20))


@pytest.mark.parametrize("game", BETS)
def test_the_examples_are_bets_of_the_game(second: SecondVerifier, game: str) -> None:
    """Offered under its rules, and each another one."""
    rules = rules_of(game)
    asked = {"game": game, "declaration": declared(game), "file": paytable_of(data(), game).decode(), "rules": rules}
    texts = second.ask("examples", **asked)["examples"]
    assert len({BETS[game].bet(text, rules).text for text in texts}) == len(texts) > 0
