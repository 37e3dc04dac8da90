"""Declared games on /verify: their bets, settled on the device and said in the page's language; whose game it is; the
order.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from api.pages.bet_words import sentence_words
from api.pages.shell.languages import LANGUAGES, gettext_in
from api.rounds.tables import add_table
from games.bets import CATALOGUE_BETS
from tests.support.browser.checking import headline, unfold
from tests.support.browser.quiet_service import QuietService, quiet_service
from tests.support.browser.visitor import PHONE, Visitor

OWN = b'{"draw":[["pocket","number",0,36]]}'
GAMES = ("roulette", "lucky-5", "craps", "keno")
DEALT = ("blackjack", "toto-21")
"""Games in which players decide: an order of one place, and one of two."""


@pytest.fixture(scope="module")
def declared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuietService]:
    """A service with tables of the catalogue, and of an operator's own game."""
    with quiet_service(tmp_path_factory.mktemp("declared") / "data", rounds=1) as running:
        for game in (*GAMES, *DEALT):
            add_table(running.inside.service.writer, game, game)
        add_table(running.inside.service.writer, "own-wheel", "own-wheel", declaration=OWN)
        running.inside.settle()
        for table in (*GAMES, *DEALT, "own-wheel"):
            running.inside.play(table, 1)
        running.inside.settle()
        yield running


@pytest.fixture
def visitor(browser: Browser, declared: QuietService) -> Iterator[Visitor]:
    """A visitor of this service."""
    visitor = Visitor(browser, declared.url)
    yield visitor
    visitor.close()


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_a_bet_has_its_result_and_its_sentence(
    visitor: Visitor, declared: QuietService, game: str, language: str
) -> None:
    """The service's result; the sentence in the page's language; and the examples are bets of the game."""
    page = visitor.visit(f"/verify?lang={language}#{declared.code(game, 1)}", width=PHONE)
    headline(page)
    unfold(page)
    expect(page.locator("#bets form")).to_be_visible()
    examples = page.locator("#bets p.small code").all_inner_texts()
    assert tuple(examples) == CATALOGUE_BETS[game].examples({"version": 1})
    for text in examples:
        page.locator("#bet-text").fill(text)
        page.locator("#bets form button").click()
        option = CATALOGUE_BETS[game].bet(text, {"version": 1}).option
        expect(page.locator("#bets .notice")).to_contain_text(sentence_words(option.wins, gettext_in(language)))
        expect(page.locator("#bets .notice code").first).to_have_text(text)
        settled = declared.settle(game, 1, text, 100)
        expect(page.locator("#bets .notice.good")).to_have_count(int(settled["result"] == "wins"))
        codes = [
            text,
            *([option.form] if option.form != text else []),
            *([settled["goes_on_as"]] if "goes_on_as" in settled else []),
        ]
        expect(page.locator("#bets .notice code")).to_have_text(codes)


def test_an_own_game_has_no_bets_of_another(visitor: Visitor, declared: QuietService) -> None:
    """The page offers none."""
    page = visitor.visit(f"/verify#{declared.code('own-wheel', 1)}")
    headline(page)
    expect(page.locator("#bets form")).to_have_count(0)
    expect(page.locator("#story")).to_contain_text("does not declare so: the operator’s own, or newer")


def test_the_verdict_says_that_a_game_is_the_catalogues(visitor: Visitor, declared: QuietService) -> None:
    """Or that it is one of the six that are known by their names."""
    page = visitor.visit(f"/verify#{declared.code('roulette', 1)}")
    headline(page)
    expect(page.locator("#story")).to_contain_text("roulette, as the catalogue of this verifier declares it")
    page = visitor.visit(f"/verify#{declared.code('crash-1', 1)}")
    headline(page)
    expect(page.locator("#story")).to_contain_text("crash, one of the games that every verifier knows by name")


@pytest.mark.parametrize("game", DEALT)
def test_the_order_has_its_positions(visitor: Visitor, declared: QuietService, game: str) -> None:
    """Those of the round's document, counted from 1 through all places; behind a summary, for there are many."""
    page = visitor.visit(f"/verify#{declared.code(game, 1)}", width=PHONE)
    headline(page)
    unfold(page)
    page.get_by_text("Show the order").click()
    shown = [text.split(None, 1) for text in page.locator("#story .order li").all_inner_texts()]
    order = declared.round(game, 1)["order"]
    assert [int(position) for position, _ in shown] == [each["position"] for each in order]
    signs = str.maketrans("cdhs", "♣♦♥♠")
    things = [str(each["thing"]).translate(signs).replace("T", "10") for each in order]
    assert [thing for _, thing in shown] == things
    places = list(dict.fromkeys(each["place"] for each in order))
    assert page.locator("#story details h4").all_inner_texts() == (places if len(places) > 1 else [])


def test_a_game_without_decisions_has_no_order(visitor: Visitor, declared: QuietService) -> None:
    """Its outcome was not dealt."""
    page = visitor.visit(f"/verify#{declared.code('roulette', 1)}")
    headline(page)
    expect(page.locator("#story .order")).to_have_count(0)
