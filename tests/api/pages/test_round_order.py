"""The page of a round in which players decided: the order with its positions, once the round has ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from api.answers.rounds import Ended
from api.rounds.tables import Order, add_table
from api.server.app import create_app
from tests.support.calls import call_of
from tests.support.in_process_service import InProcessService

CARDS, PLACES, PLAIN = "cards", "places", "dice"
TABLES = {CARDS: "blackjack", PLAIN: "sic-bo"}
FIXED = {
    "en": "The order was fixed before the bets.",
    "hy": "Հերթականությունը որոշված էր մինչև խաղադրույքները։",
    "ru": "Порядок был определён до ставок.",
}


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with a table of each kind."""
    made = InProcessService.create(tmp_path / "data", tables=TABLES.items())
    add_table(made.service.writer, PLACES, "toto-21", order=Order.WHOLE)
    made.settle()
    yield made
    made.stop()


def page(client: FlaskClient, table: str, language: str = "en") -> str:
    """The page of the first round, in one line."""
    return page_at(client, f"/tables/{table}/rounds/1", language)


def page_at(client: FlaskClient, address: str, language: str = "en") -> str:
    return " ".join(client.get(address, headers={"Accept-Language": language}).get_data(as_text=True).split())


def positions(text: str) -> list[tuple[str, str]]:
    """Each position that the page shows, with its thing."""
    return re.findall(r'<li><span class="soft small">(\d+)</span> ([^<]+)</li>', text)


def in_words(cards: object) -> list[str]:
    """Cards of an outcome as the pages write them."""
    return str(cards).translate(str.maketrans("cdhs", "♣♦♥♠")).replace("T", "10").split()


def test_the_hand_is_shown_when_the_round_has_ended(inside: InProcessService) -> None:
    """Not before; then the cards that were given, and behind a summary the others, each with its position."""
    client, rounds = create_app(inside.service).test_client(), inside.service.rounds
    inside.open(CARDS, 1)
    rounds.lock(CARDS, 1, None, call=call_of(CARDS, 1), keep_back=True)
    rounds.next(CARDS, 1, 1, 5)
    assert FIXED["en"] not in page(client, CARDS)
    answer = inside.reveal(CARDS, 1)
    text = page(client, CARDS)
    cards = in_words(answer.outcome["cards"])
    assert f'role="img" aria-label="{" ".join(cards[:5])}"' in text
    assert "these cards were given, in this order: 5." in text
    assert "<details> <summary>Cards that nobody needed: 203</summary>" in text
    assert positions(text) == [(str(number), card) for number, card in enumerate(cards[5:], 6)]
    assert "is the word of the operator and of its journal" in text
    for language, sentence in FIXED.items():
        assert sentence in page(client, CARDS, language)


def test_the_table_shows_hands(inside: InProcessService) -> None:
    """As its last round, and in its history."""
    client, rounds = create_app(inside.service).test_client(), inside.service.rounds
    cards: dict[int, list[str]] = {}
    for number, count in ((1, 3), (2, 0)):
        inside.open(CARDS, number)
        rounds.lock(CARDS, number, None, call=call_of(CARDS, number), keep_back=True)
        if count:
            rounds.next(CARDS, number, 1, count)
        cards[number] = in_words(inside.reveal(CARDS, number).outcome["cards"])[:count]
    text = page_at(client, f"/tables/{CARDS}")
    assert "The service says that nothing was given." in text
    assert "Cards that nobody needed: 208" in text
    history = text[text.index("data-history") :]
    assert re.findall("<strong>([^<]+)</strong>", history)[:2] == ["nothing was given", " ".join(cards[1])]


def test_hands_that_the_engine_names_have_their_names(inside: InProcessService) -> None:
    """On the round's page and on its table's, as the game's own word; what lies in no hand is named, too."""
    client, rounds = create_app(inside.service).test_client(), inside.service.rounds
    inside.open(CARDS, 1)
    rounds.lock(CARDS, 1, None, call=call_of(CARDS, 1), keep_back=True)
    rounds.next(CARDS, 1, 1, 6)
    ended = rounds.reveal(CARDS, 1, dealt={"seat 2": [2, 4], "seat 1": [1, 3, 5]})
    assert isinstance(ended, Ended)
    cards = in_words(ended.outcome["cards"])
    hands = f"seat 1 {cards[0]} {cards[2]} {cards[4]}, seat 2 {cards[1]} {cards[3]}"
    for text in (page(client, CARDS), page_at(client, f"/tables/{CARDS}")):
        assert f'role="img" aria-label="{hands}"' in text
        assert "The game says that it dealt like this." in text
        assert f"Given as well, to no hand: {cards[5]}</p>" in text
        assert "Cards that nobody needed: 202" in text
    assert f"<strong>{hands}</strong>" in page_at(client, f"/tables/{CARDS}")


def test_an_order_that_was_told_at_the_lock_begins(inside: InProcessService) -> None:
    """Nothing is known of what was dealt, so the page says nothing of it. The positions go on from place to place."""
    client = create_app(inside.service).test_client()
    inside.play(PLACES)
    text = page(client, PLACES)
    assert "The order begins like this." in text
    assert "<summary>The rest of the order: 29</summary>" in text
    assert [number for number, _ in positions(text)] == [str(number) for number in range(9, 38)]
    assert "given" not in text[text.index("outcome-title") : text.index("is the word of the operator")]


def test_a_round_without_decisions_has_no_order(inside: InProcessService) -> None:
    """Its outcome was not dealt."""
    inside.play(PLAIN)
    assert FIXED["en"] not in page(create_app(inside.service).test_client(), PLAIN)
