"""The winning options on the page of a table whose game is declared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.pages.bet_words import sentence_words
from api.pages.option_lines import option_groups
from api.pages.shell import languages
from api.rounds.tables import add_table
from api.server.app import create_app
from games.bets import CATALOGUE_BETS
from games.bets.returns import Line, computed, returns_of
from tests.bets import BY_HAND, rules_of
from tests.house import HOUSE
from tests.support.in_process_service import InProcessService

BROWSER = {"Accept": "text/html"}
OWN = b'{"draw":[["pocket","number",0,99]]}'
OWN_BETS = {"own-roulette": "roulette", "own-hi-lo": "hi-lo"}
"""Tables of games that the catalogue has, with bets that it has not."""
PAYTABLES = {
    "roulette": b'{"options":[{"choices":{"N":[0,36]},"figure":["value","pocket"],"form":"number N","pays":[[["$N"],["to",3400]]]},'
    b'{"figure":["value","pocket"],"form":"none","pays":[[[0],["times",101]]]}]}',
    "hi-lo": b'{"options":[{"figure":["value","card"],"form":"hi","pays":[[["A"],["times",900]]]}]}',
}
RULES = json.loads((HOUSE / "tests" / "vectors" / "catalogue.json").read_text("utf-8"))["rules"]
GAMES = [game for game in CATALOGUE_BETS if game not in BY_HAND]
ROUNDS = ("roulette", "lucky-5", "baccarat", "racing", "craps")
OTHER_RULES = ("racing", "in-between")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """A service with every declared game that has bets, one that has none, and an operator's own."""
    made = InProcessService.create(tmp_path_factory.mktemp("options") / "data", tables=[])
    for game in (*GAMES, "poker"):
        add_table(made.service.writer, game, game, rules={"version": 1} | RULES[game] if game in RULES else None)
    add_table(made.service.writer, "own-wheel", "own-wheel", declaration=OWN)
    for name, game in OWN_BETS.items():
        add_table(made.service.writer, name, game, paytable=PAYTABLES[game])
    made.settle()
    for game in (*ROUNDS, *OWN_BETS):
        made.play(game, 1)
    made.settle()
    yield create_app(made.service)
    made.stop()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser."""
    return app.test_client()


def bets_of_page(client: FlaskClient, table: str) -> str:
    """What a table's page says about bets."""
    answer = client.get(f"/tables/{table}", headers=BROWSER)
    assert answer.status_code == 200
    return unescape(answer.text.partition('id="bets"')[2].partition("</section>")[0])


@pytest.mark.parametrize("game", GAMES)
def test_every_option_that_is_offered_stands_on_the_page(client: FlaskClient, game: str) -> None:
    """With its form and its sentence."""
    found = bets_of_page(client, game)
    rules = {"version": 1} | RULES.get(game, {})
    lines = returns_of(game, rules)
    assert lines
    for line in lines:
        assert f">{line.option.form}</code>" in found
        assert line.option.wins in found


@pytest.mark.parametrize("table", ["poker", "own-wheel"])
def test_a_game_without_bets_says_so(client: FlaskClient, table: str) -> None:
    """Neither the catalogue's nor an operator's has an empty table of bets."""
    assert "No bets of this game are known here" in bets_of_page(client, table)
    assert "<table" not in bets_of_page(client, table)


@pytest.mark.parametrize(
    ("table", "form", "odds"), [("own-roulette", "number N", "34:1"), ("own-hi-lo", "hi", "x 9")]
)
def test_bets_of_an_operators_own_stand_there_without_sentences(
    client: FlaskClient, table: str, form: str, odds: str
) -> None:
    """Forms and odds alone, and that they are the operator's; a round's page says what became of one, in no words of
    the catalogue.
    """
    found = bets_of_page(client, table)
    assert "These bets are the operator’s own" in found
    assert f'<td><code class="soft" translate="no">{form}</code></td>' in found
    assert odds.replace(" ", "\N{NO-BREAK SPACE}") in found
    assert "%" not in found
    page = client.get(f"/tables/{table}/rounds/1?bet=wrong", headers=BROWSER)
    (example,) = re.findall(r'placeholder="(number 0|hi)"', page.text)
    asked = client.get(f"/tables/{table}/rounds/1", query_string={"bet": example}, headers=BROWSER)
    assert asked.status_code == 200
    assert "The bet loses." in asked.text or "The bet wins." in asked.text
    assert "Higher than" not in asked.text


@pytest.mark.parametrize("game", GAMES)
def test_groups_have_every_line_once(app: Flask, game: str) -> None:
    """In their order; and no group is too long to read."""
    with app.test_request_context("/"):
        groups = option_groups(game, CATALOGUE_BETS[game], rules_of(game))
        forms = [line.form for group in groups for line in group.lines]
    assert forms == [line.option.form for line in returns_of(game, rules_of(game))]
    assert max(len(group.lines) for group in groups) <= 40


@pytest.mark.parametrize("game", OTHER_RULES)
def test_other_rules_than_the_stored_ones_are_computed(game: str) -> None:
    """A race of other weights has other odds, and a stored line is never taken for them."""
    usual = rules_of(game)
    other = {**usual, "w1": 10, "w6": 25} if game == "racing" else {**usual, "seats": 2}
    assert returns_of(game, other) == computed(game, other)
    assert returns_of(game, usual) == computed(game, usual)
    assert (returns_of(game, other) == returns_of(game, usual)) == (game == "in-between")


def test_a_line_has_both_ends_of_its_bets(app: Flask) -> None:
    """Of many odds the smallest and the largest; likewise chances and returns."""
    line: Line = next(each for each in returns_of("racing", rules_of("racing")) if each.option.form == "win N")
    assert (line.odds, line.is_range) == (("x 3.2", "x 19.2"), True)
    with app.test_request_context("/?lang=en"):
        (group,) = option_groups("racing", CATALOGUE_BETS["racing"], rules_of("racing"))
        shown = next(each for each in group.lines if each.form == "win N")
    assert shown.odds == "x\N{NO-BREAK SPACE}3.2 … x\N{NO-BREAK SPACE}19.2"
    assert shown.chance == "5\N{NO-BREAK SPACE}% … 30\N{NO-BREAK SPACE}%"
    assert shown.fraction == "24/25"


@pytest.mark.parametrize("game", ROUNDS)
def test_a_round_says_what_became_of_a_bet(client: FlaskClient, game: str) -> None:
    """As the public call says, with the sentence of its option; and the examples are bets of the game."""
    page = client.get(f"/tables/{game}/rounds/1", headers=BROWSER).text
    rules = {"version": 1} | RULES.get(game, {})
    bets = CATALOGUE_BETS[game]
    examples = bets.examples(rules)
    assert examples
    for text in examples:
        assert f">{text}</a>" in unescape(page)
        asked = client.get(f"/tables/{game}/rounds/1", query_string={"bet": text, "stake": 100}, headers=BROWSER)
        (called,) = client.post(
            f"/v1/tables/{game}/rounds/1/settle", json={"bets": [{"bet": text, "stake": 100}]}
        ).get_json()["bets"]
        words = {"wins": "The bet wins.", "loses": "The bet loses.", "open": "The bet is still open."}
        assert words[called["result"]] in asked.text
        assert ("Paid in all" in asked.text) == ("winnings" in called) == ("goes_on_as" not in called)
        assert called.get("goes_on_as", "") in unescape(asked.text)
        assert bets.bet(text, rules).option.wins in unescape(asked.text)
        assert f'--bet "{text}"' in unescape(asked.text)
    refused = client.get(f"/tables/{game}/rounds/1", query_string={"bet": "no such bet"}, headers=BROWSER)
    assert "There was no such bet in this round." in refused.text


@pytest.mark.parametrize("language", ["hy", "ru"])
@pytest.mark.parametrize("game", GAMES)
def test_every_sentence_has_a_translation(app: Flask, game: str, language: str) -> None:
    """In which no English word is left, and no hole; letters of forms stay."""
    with app.test_request_context(f"/?lang={language}"):
        for option in CATALOGUE_BETS[game].options:
            words = sentence_words(option.wins, languages.gettext)
            assert not re.search(r"[A-Za-z]{2}|%\(", words), words


def test_a_sentence_keeps_its_numbers_and_colours(app: Flask) -> None:
    """Each in its place; in English it stands as in the data."""
    sentence = "Exactly 3 of the balls are blue."
    with app.test_request_context("/?lang=ru"):
        assert sentence_words(sentence, languages.gettext) == "Из шаров ровно 3 имеют цвет «синий»."
    with app.test_request_context("/?lang=en"):
        assert sentence_words(sentence, languages.gettext) == sentence
