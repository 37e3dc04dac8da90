"""A table with a damaged row is halted and affects no other: in the public calls, the pages, and for the operator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator

from api.http.openapi import PUBLIC
from api.operations.health import PARTS
from api.server.app import create_app
from api.world.statuses import write_status
from tests.support.in_process_service import InProcessService

pytestmark = pytest.mark.both_databases("what is damaged is a row")

WHOLE, DAMAGED = "crash-1", "keno-1"
BROWSER = {"Accept": "text/html"}
PLAYED = 7


@pytest.fixture(params=[b"\0", b"{}"], ids=["no JSON", "no state"])
def running(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[InProcessService]:
    """Two tables; one was played, has an open round, and was then damaged."""
    made = InProcessService.create(tmp_path / "data", tables=[(WHOLE, "crash"), (DAMAGED, "keno-express")])
    made.play(WHOLE)
    made.play(DAMAGED, PLAYED)
    made.open(DAMAGED, PLAYED + 1)
    made.settle()
    for part in PARTS:
        write_status(made.settings.heartbeat_of(part), made.service.timekeeper)
    assert made.tamper("UPDATE tables SET queued_state = ? WHERE name = ?", request.param, DAMAGED) == 1
    yield made
    made.stop()


@pytest.fixture
def client(running: InProcessService) -> FlaskClient:
    """A browser."""
    return create_app(running.service).test_client()


def document(client: FlaskClient, path: str, schema: str) -> dict[str, Any]:
    """The service's answer, checked against its description."""
    answer = client.get(path)
    assert answer.status_code == 200
    found: dict[str, Any] = json.loads(answer.data)
    for table in found["tables"]:
        Draft202012Validator({**PUBLIC, "$ref": f"#/components/schemas/{schema}"}).validate(table)
    return found


@pytest.mark.parametrize(("path", "schema"), [("/v1/tables", "Table"), ("/v1/live", "LiveTable")])
def test_both_tables_are_listed(client: FlaskClient, path: str, schema: str) -> None:
    """The damaged one as halted, with what the rows of its rounds and batches say."""
    tables = {table["table"]: table for table in document(client, path, schema)["tables"]}
    assert list(tables) == [WHOLE, DAMAGED]
    assert not tables[WHOLE]["halted"]
    assert tables[DAMAGED]["halted"]
    assert tables[DAMAGED]["game"] == "keno-express"
    assert tables[DAMAGED]["next_round"] == PLAYED + 1
    assert tables[DAMAGED]["committed_through"] >= tables[DAMAGED]["next_round"]


def test_the_home_page_has_both(client: FlaskClient) -> None:
    """For the damaged one, its last outcomes and that it is halted."""
    answer = client.get("/", headers=BROWSER)
    assert answer.status_code == 200
    card = answer.text.partition(f'data-table="{DAMAGED}"')[2].partition("</section>")[0]
    assert "halted" in card
    assert f'href="/tables/{DAMAGED}/rounds/{PLAYED}"' in card
    assert f'data-table="{WHOLE}"' in answer.text


def test_the_operator_learns_what_to_do(running: InProcessService, client: FlaskClient) -> None:
    """The table is halted and named as damaged; the others are unaffected."""
    seen = running.service.observer.overview()
    conditions = {table.state.name: table.condition for table in seen.tables}
    assert conditions == {WHOLE: "playing", DAMAGED: "halted"}
    assert list(seen.troubles()) == [("damaged", {"table": DAMAGED})]
    (damaged,) = [table for table in seen.tables if table.damaged]
    assert [(now.number, now.status) for now in damaged.rounds] == [(PLAYED + 1, "open")]
    assert DAMAGED not in client.get("/badge", headers=BROWSER).text


@pytest.mark.parametrize("path", ["", f"/rounds/{PLAYED + 5}", "/rounds"])
def test_calls_on_it_are_refused(client: FlaskClient, path: str) -> None:
    """Like an engine's calls; no text of the database is shown."""
    answer = client.get(f"/v1/tables/{DAMAGED}{path}")
    assert answer.status_code == 409
    problem = json.loads(answer.data)
    assert (problem["code"], problem["table"]) == ("table-halted", DAMAGED)
    assert problem["detail"] == f"{DAMAGED} is halted: its row in the database is damaged"
    assert client.get(f"/v1/tables/{WHOLE}{path}").status_code == 200


def test_its_page_says_so(client: FlaskClient) -> None:
    """In the reader's language; a round that has ended keeps its page."""
    answer = client.get(f"/tables/{DAMAGED}", headers=BROWSER)
    assert answer.status_code == 409
    assert "The table is halted" in answer.text
    ended = client.get(f"/tables/{DAMAGED}/rounds/{PLAYED}", headers=BROWSER)
    assert ended.status_code == 200
    assert "Round code" in ended.text
    assert client.get(f"/v1/tables/{DAMAGED}/rounds/{PLAYED}").status_code == 200


@pytest.mark.one_database("a server has a constraint against it")
def test_a_status_that_no_round_has_is_damage_of_the_database(tmp_path: Path) -> None:
    """No permanent 500: the calls that read it say so, and `/health/ready` names the remedy."""
    made = InProcessService.create(tmp_path / "data", tables=[(WHOLE, "crash")])
    made.play(WHOLE, PLAYED)
    made.settle()
    assert made.tamper("UPDATE rounds SET status = 'lost' WHERE round = ?", PLAYED) == 1
    client = create_app(made.service).test_client()
    answer = client.get(f"/v1/tables/{WHOLE}/rounds/{PLAYED}")
    assert (answer.status_code, json.loads(answer.data)["code"]) == (503, "storage-fails")
    assert "foredraw rebuild" in client.get("/health/ready").get_data(as_text=True)
    made.stop()
