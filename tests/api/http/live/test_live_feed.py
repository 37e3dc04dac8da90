"""The live feed: correct, small, never ahead of a reveal, made rarely for any number of readers, and the same in
every form.
"""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from jsonschema import Draft202012Validator

from api.answers.tables import COMING, MOST_LIVE, OUTCOMES, Coming, Live, TableLive
from api.http.live.feed import FRESH_SECONDS, Feed, Reading
from api.http.view import PublicRounds
from api.rounds.tables import request_close
from api.server.app import create_app
from fairness.times import format_time
from tests.house import HOUSE
from tests.support.descriptions import DOCUMENT
from tests.support.in_process_service import InProcessService
from tests.support.running_service import SIX_TABLES

CRASH, SIC_BO = "crash-1", "sic-bo-1"
BLACKJACK = "blackjack-1"
FEEDS = ("/v1/live", f"/v1/tables/{SIC_BO}/live")


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with the six games, without played rounds."""
    made = InProcessService.create(tmp_path / "data", batch_size=40, tables=SIX_TABLES.items())
    yield made
    made.stop()


@pytest.fixture
def app(inside: InProcessService) -> Flask:
    """Its application."""
    return create_app(inside.service)


def feed_of(inside: InProcessService) -> Feed:
    """Its feed, of which nothing was read yet."""
    service = inside.service
    rounds = PublicRounds(service.database, service.log)
    return Feed(service.database, service.publication, rounds, service.openings, service.clock)


def told(inside: InProcessService, table: str) -> dict[str, Any]:
    """What the feed says about one table, freshly made."""
    document = json.loads(feed_of(inside).now().body)
    (found,) = [each for each in document["tables"] if each["table"] == table]
    own = json.loads(feed_of(inside).now_at(table).body)
    assert own.pop("as_of") >= document["as_of"]
    assert own == found, "its own feed says the same"
    del found["coming"]
    return dict(found)


def test_a_table_is_reported_as_it_is(inside: InProcessService) -> None:
    """From before its first round on, every state of a round with its time."""
    whole = {
        "table": CRASH,
        "table_id": inside.state(CRASH).table_id.hex(),
        "game": "crash",
        "ended": False,
        "closed": False,
        "halted": False,
        "open": True,
        "why_not": [],
        "committed_through": 80,
    }
    assert told(inside, CRASH) == {**whole, "next_round": 1, "now": [], "last": []}

    inside.open(CRASH, 1)
    opened = format_time(inside.clock.date)
    first = {"round": 1, "status": "open", "opened_at": opened}
    assert told(inside, CRASH) == {**whole, "next_round": 1, "now": [first], "last": []}

    inside.clock.step(2.5)
    inside.lock(CRASH, 1)
    flying: dict[str, Any] = {
        "round": 1,
        "status": "locked",
        "opened_at": opened,
        "locked_at": format_time(inside.clock.date),
        "published": True,
    }
    inside.open(CRASH, 2)
    second = {"round": 2, "status": "open", "opened_at": format_time(inside.clock.date)}
    assert told(inside, CRASH) == {**whole, "next_round": 2, "now": [flying, second], "last": []}

    answer = inside.reveal(CRASH, 1)
    ended = {"round": 1, "status": "played", "outcome": answer.outcome}
    took = datetime.fromisoformat(flying["locked_at"]) - datetime.fromisoformat(opened)
    betting = round(1000 * took.total_seconds())
    assert betting >= 2500
    assert told(inside, CRASH) == {**whole, "next_round": 2, "now": [second], "last": [ended], "betting_ms": betting}

    answer = inside.void(CRASH, 2)
    void = {"round": 2, "status": "void", "outcome": answer.outcome}
    assert told(inside, CRASH)["last"] == [void, ended]


def test_only_the_last_outcomes_are_shown_and_the_newest_first(inside: InProcessService) -> None:
    """As many as promised, also while two more rounds are in progress."""
    inside.play(CRASH, OUTCOMES + 3)
    inside.open(CRASH, OUTCOMES + 4)
    inside.lock(CRASH, OUTCOMES + 4)
    inside.open(CRASH, OUTCOMES + 5)
    table = told(inside, CRASH)
    assert [each["round"] for each in table["now"]] == [OUTCOMES + 4, OUTCOMES + 5]
    assert [each["round"] for each in table["last"]] == list(range(OUTCOMES + 3, 3, -1))


@pytest.mark.parametrize("table", SIX_TABLES)
def test_the_outcome_of_a_locked_round_is_not_in_it(inside: InProcessService, table: str) -> None:
    """Its engine knows it, watchers do not, in any game."""
    inside.open(table, 1)
    outcome = inside.lock(table, 1)
    assert json.dumps(outcome, separators=(",", ":")) not in feed_of(inside).now().body.decode()
    assert told(inside, table)["last"] == []


def test_the_next_commitments_are_those_that_are_published(inside: InProcessService) -> None:
    """For the rounds after those in progress; fewer at the end of what is committed, none at a table that has
    ended.
    """
    feed, rounds = feed_of(inside), PublicRounds(inside.service.database, inside.service.log)

    def coming() -> list[Coming]:
        (table,) = [each for each in feed.read().tables if each.table == CRASH]
        return table.coming

    def commitments(first: int) -> list[Coming]:
        numbers = range(first, first + COMING)
        return [Coming(number, rounds.show(CRASH, number).commitments[0][:16]) for number in numbers]

    assert coming() == commitments(1)
    inside.open(CRASH, 1)
    assert coming() == commitments(2)
    inside.lock(CRASH, 1)
    inside.open(CRASH, 2)
    assert coming() == commitments(3)
    inside.reveal(CRASH, 1)
    inside.void(CRASH, 2)
    assert coming() == commitments(3)
    request_close(inside.service.writer, CRASH)
    inside.settle()
    assert coming() == []


def test_a_halted_and_a_closed_table_say_so(inside: InProcessService) -> None:
    """So a page does not wait for their next round."""
    inside.tamper("UPDATE tables SET halted = 'for a test' WHERE name = ?", CRASH)
    request_close(inside.service.writer, SIC_BO)
    inside.settle()
    states = {table: (told(inside, table)["halted"], told(inside, table)["closed"]) for table in SIX_TABLES}
    assert states == {table: (table == CRASH, table == SIC_BO) for table in SIX_TABLES}


@pytest.mark.parametrize("table", [None, SIC_BO])
def test_however_many_ask_the_database_is_read_once_in_a_while(inside: InProcessService, table: str | None) -> None:
    """The same bytes for all within a quarter of a second; then new ones."""
    feed = feed_of(inside)

    def now() -> Reading[Live] | Reading[TableLive]:
        return feed.now() if table is None else feed.now_at(table)

    begun = time.monotonic()
    inside.open(SIC_BO, 1)
    readings = {id(now()) for _ in range(1000)}
    assert len(readings) <= 1 + (time.monotonic() - begun) / FRESH_SECONDS
    before = now()
    inside.lock(SIC_BO, 1)
    time.sleep(FRESH_SECONDS)
    assert now().etag != before.etag
    assert b'"locked"' in now().body


@pytest.mark.parametrize("path", FEEDS)
def test_what_is_unchanged_is_not_sent_again(inside: InProcessService, app: Flask, path: str) -> None:
    """304 for the same tag, weak or strong; the whole feed for another."""
    client = app.test_client()
    first = client.get(path)
    assert first.status_code == 200
    weak = first.headers["ETag"]
    assert re.fullmatch(r'W/"[0-9a-f]{32}"', weak)
    for tag in (weak, weak.removeprefix("W/"), f'"another", {weak}'):
        again = client.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", weak)
    assert client.get(path, headers={"If-None-Match": 'W/"0"'}).status_code == 200
    inside.open(SIC_BO, 1)
    time.sleep(FRESH_SECONDS)
    assert client.get(path, headers={"If-None-Match": weak}).status_code == 200


def test_a_tables_feed_changes_with_the_table_alone(inside: InProcessService, app: Flask) -> None:
    """Its watchers are sent nothing while others play."""
    client = app.test_client()
    tag = client.get(FEEDS[1]).headers["ETag"]
    inside.open(CRASH, 1)
    time.sleep(FRESH_SECONDS)
    assert client.get(FEEDS[1], headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize("path", FEEDS)
def test_the_moment_is_that_of_the_reading_and_no_news(inside: InProcessService, app: Flask, path: str) -> None:
    """In milliseconds by the service's clock; the tag is the same at another moment."""
    client = app.test_client()
    before = 1000 * inside.clock.date.timestamp()
    first = client.get(path)
    assert before <= first.get_json()["as_of"] < before + 1000
    inside.clock.step(2.5)
    time.sleep(FRESH_SECONDS)
    second = client.get(path)
    assert second.get_json()["as_of"] >= first.get_json()["as_of"] + 2500
    assert second.get_json() == {**first.get_json(), "as_of": second.get_json()["as_of"]}
    assert second.headers["ETag"] == first.headers["ETag"]


def test_an_unknown_table_has_none(app: Flask) -> None:
    """It is refused like any other call about it."""
    for path in ("/v1/tables/nothing/live", "/v1/tables/NOTHING/live", f"/v1/tables/{'a' * 33}/live"):
        answer = app.test_client().get(path)
        assert (answer.status_code, answer.get_json()["code"]) == (404, "unknown-table")


@pytest.mark.parametrize("path", FEEDS)
def test_it_is_packed_for_who_can_unpack(app: Flask, path: str) -> None:
    """The same bytes after decompression; and caches distinguish the two forms."""
    client = app.test_client()
    plain, packed = client.get(path), client.get(path, headers={"Accept-Encoding": "br, gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert gzip.decompress(packed.data) == plain.data
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    refused = client.get(path, headers={"Accept-Encoding": "gzip;q=0, identity"})
    assert ("Content-Encoding" in refused.headers, refused.data) == (False, plain.data)


@pytest.mark.parametrize("path", FEEDS)
def test_caches_may_keep_it_for_a_second_and_all_pages_may_read_it(app: Flask, path: str) -> None:
    """The headers are the same whether it is answered before the routing (GET) or by it (HEAD)."""
    client = app.test_client()
    get, head = client.get(path), client.head(path)
    assert get.headers["Cache-Control"] == "public, max-age=0, s-maxage=1"
    assert get.headers["Access-Control-Allow-Origin"] == "*"
    assert get.headers["X-Content-Type-Options"] == "nosniff"
    own = [answer.headers.pop("X-Request-Id") for answer in (get, head)]
    assert own[0] != own[1]
    assert dict(head.headers) == dict(get.headers)
    assert head.data == b""
    assert client.post(path).status_code == 405


def test_a_round_with_decisions_is_without_its_order(tmp_path: Path) -> None:
    """208 cards would be most of the feed; whether it counts is there, and its own document has the outcome."""
    inside = InProcessService.create(tmp_path / "data", tables=[(BLACKJACK, "blackjack")])
    inside.play(BLACKJACK, 1)
    assert told(inside, BLACKJACK)["last"] == [{"round": 1, "status": "played"}]
    outcome = create_app(inside.service).test_client().get(f"/v1/tables/{BLACKJACK}/rounds/1").get_json()["outcome"]
    assert len(outcome["cards"].split(" ")) == 208
    inside.stop()


def test_of_more_than_a_hundred_tables_the_closed_ones_and_the_last_are_left_out(tmp_path: Path) -> None:
    """The others are in the order of their names; each table has its own feed."""
    names = [f"keno-{number:03}" for number in range(MOST_LIVE + 2)]
    inside = InProcessService.create(
        tmp_path / "data", batch_size=2, tables=[(name, "keno-express") for name in names]
    )
    assert [each.table for each in feed_of(inside).read().tables] == names[:MOST_LIVE]
    request_close(inside.service.writer, names[3])
    assert [each.table for each in feed_of(inside).read().tables] == [*names[:3], *names[4 : MOST_LIVE + 1]]
    assert feed_of(inside).now_at(names[3]).live.table == names[3]
    inside.stop()


def test_it_stays_small(inside: InProcessService) -> None:
    """350 bytes per table, plus outcomes and next commitments; and only a fraction of it is sent."""
    for table in SIX_TABLES:
        inside.play(table, OUTCOMES)
        inside.open(table, OUTCOMES + 1)
    for table in json.loads(feed_of(inside).now().body)["tables"]:
        assert len(json.dumps({**table, "last": [], "coming": []}, separators=(",", ":"))) <= 350
    assert len(feed_of(inside).now().packed) < 220 * len(SIX_TABLES)


def test_the_documents_example_is_one() -> None:
    """The feed in docs/http.md is valid by the description."""
    text = (HOUSE / "docs" / "http.md").read_text("utf-8")
    (example,) = re.findall(r'^\{"as_of".*$', text, re.MULTILINE)
    schema = DOCUMENT["paths"]["/v1/live"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(json.loads(example))
