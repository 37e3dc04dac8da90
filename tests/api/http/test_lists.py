"""The list of tables, on both listeners: page by page, by name, until it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from api.access.tokens import Role, create_token
from api.answers.tables import MOST_TABLES
from api.rounds.tables import add_table
from api.server.app import create_app, create_engine_app
from tests.support.in_process_service import InProcessService

pytestmark = pytest.mark.both_databases("the order of names is the database's")

NAMES = sorted([*(f"keno-{number}" for number in range(1, 108)), "a-b", "ab", "z"])
"""By their characters, as a database must sort them, too: no page may leave out what another one has."""


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessService]:
    """A service with more tables than a page has by default."""
    tables = [(name, "keno-express") for name in NAMES]
    made = InProcessService.create(tmp_path_factory.mktemp("lists") / "data", batch_size=2, tables=tables)
    yield made
    made.stop()


@pytest.fixture(scope="module", params=["/v1/tables", "/v1/engine/tables"])
def address(request: pytest.FixtureRequest) -> str:
    """The list's address, at one of the listeners."""
    return str(request.param)


@pytest.fixture(scope="module")
def client(inside: InProcessService, address: str) -> FlaskClient:
    """A caller of that listener."""
    if address == "/v1/tables":
        return create_app(inside.service).test_client()
    token = create_token(inside.service.database, inside.clock, "engine", Role.ENGINE, ["*"])
    found = create_engine_app(inside.service).test_client()
    found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return found


def read(client: FlaskClient, address: str) -> dict[str, Any]:
    """A page."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.get_json()
    return document


def names(document: dict[str, Any]) -> list[str]:
    """The tables of a page."""
    return [each["table"] for each in document["tables"]]


@pytest.mark.parametrize("limit", [None, 1, 7, len(NAMES) - 1, len(NAMES), len(NAMES) + 1, MOST_TABLES + 1, 10**20])
def test_pages_lead_on_until_the_list_ends(client: FlaskClient, address: str, limit: int | None) -> None:
    """Each table is in one of them, by name; a full last page leads nowhere."""
    pages = []
    following: str | None = address if limit is None else f"{address}?limit={limit}"
    while following is not None:
        document = read(client, following)
        pages.append(names(document))
        following = document.get("next")
    size = 100 if limit is None else limit
    assert pages == [NAMES[at : at + size] for at in range(0, len(NAMES), size)]


def test_a_list_begins_after_any_name(client: FlaskClient, address: str) -> None:
    """Whether a table has it or not; after the last one there is nothing, and no next page."""
    assert names(read(client, f"{address}?after=a-b&limit=1")) == ["ab"]
    assert names(read(client, f"{address}?after=aa&limit=1")) == ["ab"]
    for name in ("z", "zz"):
        assert read(client, f"{address}?after={name}") == {"tables": []}


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("after=", "malformed-request"),
        ("after=Keno-1", "malformed-request"),
        (f"after={'a' * 33}", "malformed-request"),
        ("after=%00", "malformed-request"),
        ("limit=0", "malformed-number"),
        ("limit=ten", "malformed-number"),
        ("limit=-1", "malformed-number"),
    ],
)
def test_what_is_no_name_or_number_is_refused(client: FlaskClient, address: str, query: str, code: str) -> None:
    """In words that say what was expected."""
    answer = client.get(f"{address}?{query}")
    assert (answer.status_code, answer.get_json()["code"]) == (400, code)
    assert "expected" in answer.get_json()["detail"]
    assert answer.get_json()["parameter"] == query.partition("=")[0]


def test_a_table_that_is_added_meanwhile_is_in_a_later_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    """And moves no other one from a page to the next."""
    inside = InProcessService.create(
        tmp_path_factory.mktemp("added") / "data", tables=[("b", "sic-bo"), ("d", "sic-bo")]
    )
    client = create_app(inside.service).test_client()
    first = read(client, "/v1/tables?limit=1")
    for name in ("a", "c"):
        add_table(inside.service.writer, name, "sic-bo")
    assert [names(first), names(read(client, f"{first['next']}0"))] == [["b"], ["c", "d"]]
    inside.stop()
