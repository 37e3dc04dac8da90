"""A home page with many tables: they are grouped by what is drawn, and a list of the groups leads to each."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from api.answers.tables import MOST_LIVE
from api.rounds.tables import add_table
from api.server.app import create_app
from tests.support.http import BROWSER
from tests.support.in_process_service import InProcessService

GAMES = {"crash": "Flights", "rocketon": "Flights", "sic-bo": "Dice", "keno-express": "Balls", "hi-lo": "Cards"}


def test_many_tables_are_grouped_by_what_is_drawn(tmp_path: Path) -> None:
    """Fifteen tables of five games are in four groups; the six of a demo are in one, without a heading."""
    tables = [(f"{game}-{number}", game) for number in range(1, 4) for game in GAMES]
    inside = InProcessService.create(tmp_path / "data", tables=tables)
    try:
        text = create_app(inside.service).test_client().get("/", headers=BROWSER).text
    finally:
        inside.stop()
    groups = re.findall(r'<h2 class="group" id="(\w+)">([\w ]+)</h2>', text)
    assert groups == [("flights", "Flights"), ("dice", "Dice"), ("balls", "Balls"), ("cards", "Cards")]
    assert re.findall(r'<a href="#(\w+)">', text) == [kind for kind, _title in groups]
    parts = re.split(r'<h2 class="group"', text)[1:]
    for (_kind, title), part in zip(groups, parts, strict=True):
        found = re.findall(r'data-table="([\w-]+)-\d"', part)
        assert set(found) == {game for game, group in GAMES.items() if group == title}
        assert '<h3 class="name"' in part


@pytest.mark.nightly("makes six hundred tables")
def test_more_tables_than_the_feed_has_are_named(tmp_path: Path) -> None:
    """Six hundred: a hundred are shown, all others lead to their pages, and the figures count all of them."""
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
    finally:
        inside.stop()
    assert len(listed) == 600
    linked = re.findall(r'<a href="/tables/([\w-]+)">', text)
    assert linked == [each["table"] for each in listed]
    assert len(re.findall(r'data-table="', text)) == MOST_LIVE
    figures = [int(each.replace(",", "")) for each in re.findall(r"<dd[^>]*>([\d,]+)</dd>", text)]
    # The round that is open is no longer ahead.
    assert figures[:2] == [600, sum(each["committed_through"] for each in listed) - 1]


def test_a_few_tables_need_no_groups(tmp_path: Path) -> None:
    """Two tables have no headings above them."""
    inside = InProcessService.create(tmp_path / "data", tables=[("crash-1", "crash"), ("sic-bo-1", "sic-bo")])
    try:
        text = create_app(inside.service).test_client().get("/", headers=BROWSER).text
    finally:
        inside.stop()
    assert 'class="group"' not in text
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
