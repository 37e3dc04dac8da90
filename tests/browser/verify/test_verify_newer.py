"""Rounds whose rules are newer than the page: the outcome is what the operator says, and no more than words. And logs
that others follow.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from api.restore.succession import end_log
from fairness.draws.game import Outcome
from fairness.log.notes import SigningKey
from fairness.player.round_code import RoundCode
from tests.support.browser.checking import VKEY, headline, unfold, with_key
from tests.support.browser.game_site import badge_of_a_log
from tests.support.browser.visitor import Visitor
from tests.support.dishonest_operator import Operator
from tests.support.log_server import serving
from tests.support.succession import code_of_nobody, played_and_closed

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


@pytest.mark.nightly("a service of its own")
def test_a_log_that_has_ended_names_the_one_that_follows(reader: Visitor, tmp_path: Path) -> None:
    """A round that it does not show may be of that one; the page trusts neither for it."""
    old = played_and_closed(tmp_path / "data")
    following = SigningKey("fore.example/next", bytes(32)).verifier_key
    end_log(old.service.writer, following, by="ani")
    old.settle()
    old.stop()
    with serving(old.settings.log) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        reader.expect_complaint("404")
        page = reader.visit(f"/verify?log={log}#{code_of_nobody()}")
        with_key(page, str(old.key))
        assert headline(page) == "This round is not shown here."
        unfold(page)
        expect(page.locator("main")).to_contain_text(f"names the key of a log that follows it, {following}")
        expect(page.locator("main")).to_contain_text("that is no reason to trust it")
