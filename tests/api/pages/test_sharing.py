"""What messengers and search engines read of a round's page: its name, and its outcome once it has ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from PIL import Image

from api.server.app import create_app
from tests.pictures.share import FILE, HEIGHT, WIDTH
from tests.support.calls import call_of
from tests.support.http import BROWSER
from tests.support.in_process_service import InProcessService

DICE, CARDS, KENO = "dice", "cards", "keno"
TABLES = {DICE: "sic-bo", CARDS: "blackjack", KENO: "keno-express"}
HOST = "https://fair.example"
_HEAD = re.compile(r'<meta (?:name|property)="([a-z:]+)" content="([^"]*)">')


@pytest.fixture(name="inside", scope="module")
def _inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessService]:
    made = InProcessService.create(tmp_path_factory.mktemp("sharing") / "data", tables=TABLES.items())
    yield made
    made.stop()


@pytest.fixture
def client(inside: InProcessService) -> FlaskClient:
    """Who asks."""
    return create_app(inside.service).test_client()


def head(client: FlaskClient, address: str, **headers: str) -> dict[str, str]:
    """What the head of a page says, its title among it."""
    text = client.get(address, base_url=HOST, headers=headers).text.partition("</head>")[0]
    said = {name: unescape(value) for name, value in _HEAD.findall(text)}
    (said["title"],) = map(unescape, re.findall("<title>(.*)</title>", text))
    return said


def test_a_round_is_named_with_its_outcome_only_after_its_end(inside: InProcessService, client: FlaskClient) -> None:
    """Before that with its state; its own address, and one picture for all rounds."""
    address = f"/tables/{DICE}/rounds/1"
    inside.open(DICE, 1)
    said = head(client, address)
    assert said["title"] == "Round 1 of dice: open for bets · Foredraw"
    inside.lock(DICE, 1)
    assert head(client, address)["title"] == "Round 1 of dice: bets are closed · Foredraw"
    dice = " · ".join(map(str, inside.reveal(DICE, 1).outcome["dice"]))
    assert dice not in said["description"]
    said = head(client, f"{address}?bet=small&stake=100&lang=en")
    assert said["title"] == f"Round 1 of dice: {dice} · Foredraw"
    assert said["og:title"] == f"Round 1 of dice: {dice}"
    assert said["description"] == said["og:description"]
    assert said["description"].startswith(f"{dice}. The result was fixed before")
    assert said["og:url"] == f"{HOST}{address}"
    assert said["og:image"] == f"{HOST}/static/share.png"
    assert said["twitter:card"] == "summary_large_image"


def test_a_void_round_has_no_outcome_in_its_name(inside: InProcessService, client: FlaskClient) -> None:
    """Nobody should take for its outcome what does not count; nor is the operator's reason a title."""
    inside.void(DICE, 2, '"><script>alert(1)</script>')
    said = head(client, f"/tables/{DICE}/rounds/2")
    assert said["title"] == "Round 2 of dice: void · Foredraw"
    assert said["description"] == "This round does not count. A bet on it alone is paid back."


def test_of_cards_those_that_were_given_are_named(inside: InProcessService, client: FlaskClient) -> None:
    """Not the whole order, which nobody saw; in the description alone if they are too many for a title."""
    rounds = inside.service.rounds
    for number, count in ((1, 4), (2, 40)):
        inside.open(CARDS, number)
        rounds.lock(CARDS, number, None, call=call_of(CARDS, number), keep_back=True)
        rounds.next(CARDS, number, 1, count)
        inside.reveal(CARDS, number)
    four, forty = (head(client, f"/tables/{CARDS}/rounds/{number}") for number in (1, 2))
    assert re.fullmatch("Round 1 of cards: [^ ]+( [^ ]+){3} · Foredraw", four["title"])
    assert forty["title"] == "Round 2 of cards: played · Foredraw"
    assert re.match("[^ ]+( [^ ]+){19} and 20 more[.] The result", forty["description"])


def test_a_program_without_a_language_reads_english(client: FlaskClient) -> None:
    """Messengers ask so; a reader gets the page in the language of the browser."""
    address = f"/tables/{KENO}/rounds/1"
    assert head(client, address)["description"].startswith("This round is still to come.")
    assert head(client, address, **{"Accept-Language": "*"})["title"].startswith("Round 1 of keno")
    assert head(client, address, **{"Accept-Language": "ru"})["title"].startswith("Раунд 1")


def test_the_picture_is_small_and_public(client: FlaskClient) -> None:
    """In the size that messengers show, for every site."""
    with client.get("/static/share.png", headers=BROWSER) as answer:
        assert answer.mimetype == "image/png"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert len(answer.data) < 60_000
    with Image.open(Path(FILE)) as image:
        assert image.size == (WIDTH, HEIGHT)
