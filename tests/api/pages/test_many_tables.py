"""A home page with many tables: rows, grouped by what is drawn, which can be searched; a list of the groups leads to
each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from api.answers.tables import MOST_LIVE
from api.rounds.tables import add_table
from api.server.app import create_app
from tests.support.http import BROWSER
from tests.support.in_process_service import InProcessService

GAMES = {"crash": "Flights", "rocketon": "Flights", "sic-bo": "Dice", "keno-express": "Balls", "hi-lo": "Cards"}


@pytest.fixture(scope="module")
def fifteen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """Fifteen tables of five games."""
    tables = [(f"{game}-{number}", game) for number in range(1, 4) for game in GAMES]
    inside = InProcessService.create(tmp_path_factory.mktemp("many") / "data", tables=tables)
    yield create_app(inside.service).test_client()
    inside.stop()


def test_many_tables_are_grouped_by_what_is_drawn(fifteen: FlaskClient) -> None:
    """Fifteen are rows in four groups; the six of a demo are cards."""
    text = fifteen.get("/", headers=BROWSER).text
    groups = re.findall(r'<section class="kind" id="(\w+)".*?>\s*<h2.*?>([\w ]+)</h2>', text)
    assert groups == [("flights", "Flights"), ("dice", "Dice"), ("balls", "Balls"), ("cards", "Cards")]
    assert re.findall(r'<a href="#(\w+)">', text) == [kind for kind, _title in groups]
    parts = re.split(r'<section class="kind"', text)[1:]
    for (_kind, title), part in zip(groups, parts, strict=True):
        found = re.findall(r'<li data-table="([\w-]+)-\d"', part)
        assert set(found) == {game for game, group in GAMES.items() if group == title}
    assert 'class="card" data-table' not in text


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", {f"{game}-{number}" for game in GAMES for number in (1, 2, 3)}),
        ("keno", {"keno-express-1", "keno-express-2", "keno-express-3"}),
        ("SIC BO 2", {"sic-bo-2"}),
        ("sicbo  2", {"sic-bo-2"}),
        (" - ", {f"{game}-{number}" for game in GAMES for number in (1, 2, 3)}),
        ("Express 3", {"keno-express-3"}),
        ("roulette", set()),
        ("<b>", set()),
    ],
)
def test_a_table_is_found_by_its_name_and_game(fifteen: FlaskClient, asked: str, found: set[str]) -> None:
    """Without JavaScript: all others are hidden, and so are groups without a table, and the ways to them."""
    text = fifteen.get("/", query_string={"q": asked}, headers=BROWSER).text
    assert set(re.findall(r'<li data-table="([\w-]+)"(?![^>]* hidden)', text)) == found
    assert f'value="{escape(asked.strip())}"' in text
    kinds = {GAMES[name[:-2]].lower() for name in found}
    assert set(re.findall(r'<section class="kind" id="(\w+)"(?![^>]* hidden)', text)) == kinds
    assert set(re.findall(r'<a href="#(\w+)">', text)) == kinds
    assert (f"Found: {len(found)}" in text) is bool(asked.strip())


@pytest.mark.nightly("makes six hundred tables")
def test_more_tables_than_the_feed_has_are_named(tmp_path: Path) -> None:
    """Six hundred: a hundred are shown, all others lead to their pages, the figures count all of them, and a search
    finds each.
    """
    tables = [(f"keno-{number:03}", "keno-express") for number in range(1, 601)]
    inside = InProcessService.create(tmp_path / "data", batch_size=2, tables=tables)
    try:
        inside.open("keno-600", 1)
        client = create_app(inside.service).test_client()
        text = client.get("/", headers=BROWSER).text
        listed, following = [], "/v1/tables"
        while following:
            document = client.get(following).get_json()
            listed += document["tables"]
            following = document.get("next", "")
        far = client.get("/?q=keno-599", headers=BROWSER).text
    finally:
        inside.stop()
    assert len(listed) == 600
    linked = re.findall(r'<a href="/tables/([\w-]+)">', text)
    assert linked == [each["table"] for each in listed]
    assert len(re.findall(r'data-table="', text)) == MOST_LIVE
    figures = [int(each.replace(",", "")) for each in re.findall(r"<dd[^>]*>([\d,]+)</dd>", text)]
    # The round that is open is no longer ahead.
    assert figures == [600, sum(each["committed_through"] for each in listed) - 1]
    assert re.findall(r'<li><p class="name">\s*<a href="/tables/([\w-]+)">', far) == ["keno-599"]
    assert "Found: 1<" in far


def test_a_few_tables_are_cards(tmp_path: Path) -> None:
    """Two tables have no groups, and nothing to find them by."""
    inside = InProcessService.create(tmp_path / "data", tables=[("crash-1", "crash"), ("sic-bo-1", "sic-bo")])
    try:
        text = create_app(inside.service).test_client().get("/", headers=BROWSER).text
    finally:
        inside.stop()
    assert 'class="kind"' not in text
    assert 'role="search"' not in text
    assert '<h2 class="name" id="table-crash-1">' in text


def test_the_order_of_places_reaches_the_scripts(tmp_path: Path) -> None:
    """The player's cards come before the banker's, as they are dealt, although b comes before p."""
    inside = InProcessService.create(tmp_path / "data", tables=[])
    try:
        add_table(inside.service.writer, "baccarat-1", "baccarat")
        inside.settle()
        text = create_app(inside.service).test_client().get("/", headers=BROWSER).text
    finally:
        inside.stop()
    (found,) = re.findall(r'data-looks="([^"]*)"', text)
    assert json.loads(unescape(found)) == [["player", "card"], ["banker", "card"]]
