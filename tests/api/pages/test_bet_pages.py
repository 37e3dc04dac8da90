"""Bets on the pages: the result of one on a round's page, and all of them on a table's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.pages.bet_words import bet_words
from api.pages.returns import returns
from api.pages.shell import languages
from api.server.app import create_app
from games.bets import BETS
from games.bets.bet import Bet, Odds
from games.bets.worth import worth
from games.facts import FACTS
from tests.support.in_process_service import InProcessService

BROWSER = {"Accept": "text/html"}
ROUNDS, STAKE, MOST_ASKED = 4, 150, 24
VOID = ROUNDS
GAMES = list(FACTS)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """A service with a table of each game, some rounds played and the last one void."""
    inside = InProcessService.create(
        tmp_path_factory.mktemp("bets") / "data", batch_size=100, tables=[(game, game) for game in GAMES]
    )
    for game in GAMES:
        inside.play(game, ROUNDS - 1)
        inside.open(game, VOID)
        inside.lock(game, VOID)
        inside.void(game, VOID)
    inside.settle()
    yield create_app(inside.service)
    inside.stop()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser."""
    return app.test_client()


def listed(game: str) -> tuple[Bet, ...]:
    """The bets of a game's returns, or some if there are very many; and the examples of how bets are written."""
    bets = BETS[game].listed(FACTS[game].default_rules)
    return bets[:: max(1, len(bets) // MOST_ASKED)]


def section(client: FlaskClient, game: str, number: int, language: str = "en", **asked: object) -> str:
    """What a round's page says about a bet."""
    answer = client.get(f"/tables/{game}/rounds/{number}", query_string={**asked, "lang": language}, headers=BROWSER)
    assert answer.status_code == 200
    found = answer.text.partition('<section class="card stack" id="bet"')[2].partition("</section>")[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", found)).split())


def settled(client: FlaskClient, game: str, number: int, bet: str) -> dict[str, Any] | None:
    """The answer of the public call; `None` if it refuses the bet."""
    body = {"bets": [{"bet": bet, "stake": STAKE}]}
    answer = client.post(f"/v1/tables/{game}/rounds/{number}/settle", json=body)
    if answer.status_code == 200:
        return dict(answer.get_json()["bets"][0])
    assert answer.get_json()["code"] == "bet-refused"
    return None


@pytest.mark.parametrize("number", [1, 3, VOID])
@pytest.mark.parametrize("game", GAMES)
def test_the_page_says_what_the_call_says(client: FlaskClient, game: str, number: int) -> None:
    """For every kind of bet: whether it wins, its odds, and its payment; or that there was no such bet."""
    for text in {*(bet.text for bet in listed(game)), *FACTS[game].bet_examples}:
        told, called = section(client, game, number, bet=text, stake=STAKE), settled(client, game, number, text)
        if called is None:
            assert "There was no such bet in this round." in told, (text, told)
            continue
        verdict = {"wins": "The bet wins.", "loses": "The bet loses.", "void": "The round is void"}[called["result"]]
        assert verdict in told, (text, told)
        paid = re.findall(r"Paid in all ([0-9,.]+)", told)
        assert [Fraction(Decimal(each.replace(",", ""))) for each in paid] == [Fraction(called["winnings_exact"])]
        assert (f"Odds {called.get('odds')} Stake" in told) == ("odds" in called)
        assert f'--bet "{text}"' in told


@pytest.mark.parametrize("bet", ["sum 3", "Sum 10", "sum", "x", "card 7", "<script>", "sum 10 ", "w" * 300, "\0"])
def test_what_is_no_bet_is_said_so(client: FlaskClient, bet: str) -> None:
    """Except for spaces around it, there is one spelling; and the input stays in the form, as mere text."""
    answer = client.get("/tables/sic-bo/rounds/1", query_string={"bet": bet, "stake": STAKE}, headers=BROWSER)
    assert ("There was no such bet in this round." in answer.text) == (bet.strip() != "sum 10")
    assert "<script>" not in answer.text.partition("<main")[2]


@pytest.mark.parametrize("stake", ["0", "-1", "1.5", "1" * 13, "1e3", "", "١"])
def test_a_stake_is_a_whole_number(client: FlaskClient, stake: str) -> None:
    """Other stakes are refused."""
    told = section(client, "sic-bo", 1, bet="sum 10", stake=stake)
    assert "A stake is a whole number" in told
    assert "Paid in all" not in told


def test_the_largest_stake_is_paid_exactly(client: FlaskClient) -> None:
    """Exact to the last unit."""
    told = section(client, "sic-bo", VOID, bet="sum 10", stake=10**12 - 1)
    assert "Paid in all 999,999,999,999" in told


def test_nobody_is_asked_before_the_round_is_over(client: FlaskClient) -> None:
    """The page of an unfinished round has no such form."""
    assert section(client, "sic-bo", ROUNDS + 1, bet="sum 10") == ""


@pytest.mark.parametrize("language", languages.LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_bet_has_its_words(app: Flask, game: str, language: str) -> None:
    """In each language; different bets have different names."""
    with app.test_request_context(f"/?lang={language}"):
        bets = BETS[game].listed(FACTS[game].default_rules)
        words = {bet_words(bet, languages.gettext) for bet in bets}
        assert len(words) == len(bets)
        assert all(words)
        assert not [each for each in words if "%(" in each]


@pytest.mark.parametrize("game", GAMES)
def test_a_line_of_the_table_has_the_figures_of_its_bets(app: Flask, game: str) -> None:
    """Odds, chance and exact return of each bet in the line; and no kind of bet is missing."""
    with app.test_request_context("/"):
        rules = FACTS[game].default_rules
        table = returns(game, rules)
        assert table is not None
        bets = {(bet.text, odds_of(bet)): bet for bet in BETS[game].listed(rules)}
        named = [bets[text, line.odds] for line in table.lines for text in line.texts]
        for line in table.lines:
            for text in line.texts:
                figures = worth(bets[text, line.odds])
                assert (figures.returned, figures.hit_rate) == (line.returned, line.chance)
        assert {bet.option.form.split()[0] for bet in named} == {bet.option.form.split()[0] for bet in bets.values()}


def odds_of(bet: Bet) -> str:
    """All odds of a bet, as in a line of the table."""
    odds: list[Odds] = [prize.odds for prize in bet.prizes]
    return ", ".join(map(str, odds))


@pytest.mark.parametrize("game", GAMES)
def test_a_tables_page_lists_its_bets(client: FlaskClient, game: str) -> None:
    """With odds, exact returns, and the file that has all of them."""
    text = client.get(f"/tables/{game}", headers=BROWSER).text
    bets = text.partition('id="bets"')[2]
    assert f'href="/v1/tables/{game}/bets"' in bets
    for example in {"hi-lo": ["96\N{NO-BREAK SPACE}%", "24/25", "x 24"], "sic-bo": ["180:1", "35/36"]}.get(game, []):
        assert example in bets
    cash_out = game in ("crash", "rocketon")
    assert ("less than a millionth of a millionth" in bets) == cash_out


def test_a_game_without_known_bets_has_none(app: Flask) -> None:
    """Its pages do not mention bets."""
    with app.test_request_context("/"):
        assert returns("dominoes", {}) is None
