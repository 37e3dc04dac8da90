"""What became of a bet, in words."""

from __future__ import annotations

from io import StringIO

import pytest

from games.bets import CATALOGUE_BETS
from games.bets.settlement import settle
from tests.bets import rules_of
from verifier.output.printing import Console
from verifier.output.round_parts import show_settled


@pytest.mark.parametrize(
    ("game", "bet", "outcome", "said"),
    [
        ("roulette", "number 7", {"pocket": 7}, "number 7: wins 35:1, and pays 36 for each 1 of the stake"),
        ("roulette", "voisins", {"pocket": 2}, "voisins: wins x 8/3, and pays 8/3 for each 1 of the stake"),
        ("roulette", "number 7", {"pocket": 8}, "number 7: loses"),
    ],
)
def test_what_a_bet_pays_is_said_exactly(game: str, bet: str, outcome: dict[str, int], said: str) -> None:
    """Also where that has no short decimals."""
    text, rules = StringIO(), rules_of(game)
    settled = settle(CATALOGUE_BETS[game].bet(bet, rules), outcome, "played")
    show_settled(Console(file=text, width=200), settled)
    assert said in text.getvalue()
