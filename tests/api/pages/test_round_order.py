"""The page of a round in which players decided: the order with its positions, once the round has ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from api.server.app import create_app
from tests.support.calls import call_of
from tests.support.in_process_service import InProcessService

CARDS, PLACES, PLAIN = "cards", "places", "dice"
TABLES = {CARDS: "blackjack", PLACES: "toto-21", PLAIN: "sic-bo"}
TITLE = {"en": "The order, by position", "hy": "Հերթականությունն ըստ դիրքերի", "ru": "Порядок по позициям"}


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with a table of each kind."""
    made = InProcessService.create(tmp_path / "data", tables=TABLES.items())
    yield made
    made.stop()


def page(client: FlaskClient, table: str, language: str = "en") -> str:
    """The page of the first round, in one line."""
    text = client.get(f"/tables/{table}/rounds/1", headers={"Accept-Language": language}).get_data(as_text=True)
    return " ".join(text.split())


def positions(text: str) -> list[tuple[str, str]]:
    """Each position that the page shows, with its thing."""
    return re.findall(r'<li(?: class="soft")?><span class="soft small">(\d+)</span> ([^<]+)</li>', text)


def test_the_order_is_shown_when_the_round_has_ended(inside: InProcessService) -> None:
    """Not before; then with the position of each card, how many the engine was given, and what nobody checked."""
    client, rounds = create_app(inside.service).test_client(), inside.service.rounds
    inside.open(CARDS, 1)
    rounds.lock(CARDS, 1, None, call=call_of(CARDS, 1), keep_back=True)
    rounds.next(CARDS, 1, 1, 5)
    assert TITLE["en"] not in page(client, CARDS)
    answer = inside.reveal(CARDS, 1)
    text = page(client, CARDS)
    shown = positions(text)
    assert [number for number, _ in shown] == [str(number) for number in range(1, 209)]
    signs = str.maketrans("cdhs", "♣♦♥♠")
    cards = [card.translate(signs).replace("T", "10") for card in answer.outcome["cards"].split()]
    assert [card for _, card in shown] == cards
    assert "up to position 5." in text
    assert text.count('<li class="soft"><span') == 203
    assert "is the word of the operator and of its journal" in text
    for language, title in TITLE.items():
        assert title in page(client, CARDS, language)


def test_each_place_has_its_part_of_the_order(inside: InProcessService) -> None:
    """The positions go on from place to place. If the lock told the whole order, the page says nothing of calls."""
    client = create_app(inside.service).test_client()
    inside.play(PLACES)
    text = page(client, PLACES)
    assert re.search(r"<h3>first</h3> .*<h3>cards</h3>", text)
    assert [number for number, _ in positions(text)] == [str(number) for number in range(1, 38)]
    assert "up to position" not in text
    assert '<li class="soft"><span' not in text


def test_a_round_without_decisions_has_no_order(inside: InProcessService) -> None:
    """Its outcome was not dealt."""
    inside.play(PLAIN)
    assert TITLE["en"] not in page(create_app(inside.service).test_client(), PLAIN)
