"""Every winning option that the documents name is a bet, or docs/bets.md says why it is none; and no other is."""

from __future__ import annotations

import pytest

from games.bets import CATALOGUE_BETS
from games.bets.bet import BetRefused
from games.declared.catalogue import catalogue
from tests.bets import rules_of
from tests.house import HOUSE
from tests.oracles.bets.options import COUNTS, NOT_OFFERED, OPTIONS, WITHOUT_BETS

PAGE = (HOUSE / "docs" / "bets.md").read_text("utf-8")


def test_every_game_has_bets_or_a_reason() -> None:
    """Each game of the catalogue once; the reasons stand on the page."""
    games = [each.game for each in catalogue()]
    assert sorted([*OPTIONS, *WITHOUT_BETS]) == sorted(games)
    assert sorted(CATALOGUE_BETS) == sorted(OPTIONS)
    table = PAGE.partition("# What has no bets here")[2].partition("\n# ")[0]
    for game in WITHOUT_BETS:
        assert f"`{game}`" in table, game


@pytest.mark.parametrize("game", OPTIONS)
def test_options_are_those_of_the_documents(game: str) -> None:
    """Each is a bet of its own or a choice of one; each option of the data is named by a document."""
    bets, rules = CATALOGUE_BETS[game], rules_of(game)
    before = [{"card": "7", "color": "red"}] if game == "hi-lo" else []
    texts = OPTIONS[game]
    assert len(texts) == len(set(texts)) == COUNTS.get(game, len(texts))
    found = {bets.bet(text, rules, before).option.form for text in texts if text not in NOT_OFFERED}
    later = {offer.option.form for offer in bets.offers if offer.since}
    after_a_card = {offer.option.form for offer in bets.offers if offer.given is not None}
    refused = {offer.option.form for offer in bets.offers if offer.option.form in NOT_OFFERED}
    assert {option.form for option in bets.options} == found | later | after_a_card | refused
    for text in NOT_OFFERED & set(texts):
        with pytest.raises(BetRefused, match="not offered"):
            bets.bet(text, rules)
