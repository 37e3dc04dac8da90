"""What `make bets` makes of the data is up to date; every line of the data is read."""

from __future__ import annotations

import pytest

from games.bets import CATALOGUE_BETS as BETS
from games.bets.bet import LONGEST_BET, BetRefused
from games.bets.catalogue import data
from tests import bets as made


@pytest.mark.nightly("computes all odds")
def test_the_stored_odds_are_those_of_the_law() -> None:
    """Every open odd is computed again, by the rule of 96 %; and the file is as the program writes it."""
    assert made.FILE.read_text("utf-8") == made.written(made.priced())


@pytest.mark.nightly("computes all returns")
def test_the_returns_the_page_and_the_names_are_those_of_the_data() -> None:
    """`make bets` has nothing to do."""
    assert made.RETURNS.read_text("utf-8") == made.returns()
    assert made.NAMES.read_text("utf-8") == made.names()
    assert made.PAGE.read_text("utf-8") == made.page()


@pytest.mark.parametrize("game", list(data()["games"]))
def test_listed_bets_are_found_by_their_text(game: str) -> None:
    """All bets that the returns show can be placed, and each belongs to its option."""
    bets, rules = BETS[game], made.rules_of(game)
    listed = [bet for bet in bets.listed(rules) if not bet.after]
    for bet in listed:
        found = bets.bet(bet.text, rules)
        assert (found.text, found.option) == (bet.text, bet.option)
        assert len(bet.text) <= LONGEST_BET
    assert {bet.option for bet in listed} <= set(bets.options)
    for wrong in ("", "x", " ", f"{listed[0].text} ", listed[0].text.upper() + "X"):
        with pytest.raises(BetRefused):
            bets.bet(wrong, rules)
