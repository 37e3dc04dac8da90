"""Rounds whose rules are newer than the page: the outcome is what the operator says, and no more than words."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from fairness.draws.game import Outcome
from fairness.player.round_code import RoundCode
from tests.support.browser.checking import VKEY, headline, with_key
from tests.support.browser.game_site import badge_of_a_log
from tests.support.browser.visitor import Visitor
from tests.support.dishonest_operator import Operator
from tests.support.log_server import serving

NEWER: dict[str, Outcome] = {
    "sic-bo": {"dice": [6, 6, 6]},
    "crash": {"multiplier": [7, 8]},
    "hi-lo": {"ranks": "A K"},
}
SHOWN = {"sic-bo": "6 · 6 · 6", "crash": "7 · 8", "hi-lo": "ranks A K"}
games = pytest.mark.parametrize("game", NEWER)


def round_of(game: str, rules: dict[str, int], outcome: Outcome) -> tuple[Operator, str]:
    """A log of one round with this outcome, and the round's code."""
    operator = Operator()
    operator.table("new", game)
    operator.batch("new", 24, rules=rules)
    operator.lock("new")
    operator.reveal("new", outcome=outcome)
    table = operator.tables["new"]
    return operator, str(RoundCode.of(game, table.table_id, 1, table.seeds_of(1)))


@pytest.mark.lattice
@games
def test_no_bet_on_an_outcome_that_was_not_checked(reader: Visitor, tmp_path: Path, game: str) -> None:
    """The page says what it does not know, draws no picture, and asks for no bet."""
    operator, code = round_of(game, {"version": 2}, NEWER[game])
    with serving(operator.write(tmp_path)) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        page = reader.visit(f"/verify?log={log}#{code}")
        with_key(page)
        assert headline(page) == "Not everything can be checked here."
        expect(page.locator(".verdict figcaption")).to_have_text(SHOWN[game])
        expect(page.locator("#not-proven")).to_contain_text(f"does not know version 2 of the rules of {game}")
        assert page.locator(".verdict svg.picture, #bets *").count() == 0


@pytest.mark.lattice
@games
def test_a_badge_of_an_outcome_that_was_not_checked(reader: Visitor, game: str) -> None:
    """The words of the log without a picture, and that not everything could be checked."""
    operator, code = round_of(game, {"version": 2}, NEWER[game])
    badge = badge_of_a_log(reader.visit(), operator.files(), "new", 1, code, VKEY)
    expect(badge.locator("section.unknown .headline")).to_have_text(SHOWN[game])
    expect(badge.locator("section")).to_contain_text("Not everything can be checked here.")
    assert badge.locator(".picture svg").count() == 0
