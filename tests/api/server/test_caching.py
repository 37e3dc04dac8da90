"""How long caches may keep an answer: a second what changes, a minute what does not, and nothing of the engines'."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from api.access.tokens import Role, create_token
from api.http.answers import A_MINUTE, A_SECOND
from api.server.app import create_app, create_engine_app
from tests.support.in_process_service import InProcessService

TABLE = "keno-1"
ROUNDS = f"/v1/tables/{TABLE}/rounds"
ENDED, NOT_ENDED, UNKNOWN = 1, 2, 9999
KEPT = {
    "/v1/tables": A_SECOND,
    f"/v1/tables/{TABLE}": A_SECOND,
    f"/v1/tables/{TABLE}/bets": A_SECOND,
    f"/v1/tables/{TABLE}/live": A_SECOND,
    f"/v1/tables/{TABLE}/outcome-schema": A_MINUTE,
    "/v1/live": A_SECOND,
    ROUNDS: A_SECOND,
    f"{ROUNDS}?to=1": A_SECOND,
    f"{ROUNDS}/{ENDED}": A_MINUTE,
    f"{ROUNDS}/{NOT_ENDED}": A_SECOND,
    "/v1/games": A_MINUTE,
    "/v1/games/crash": A_MINUTE,
    "/v1/log/key": A_MINUTE,
    "/openapi.json": A_MINUTE,
}


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessService]:
    """A service with a round that has ended, and one that is open."""
    made = InProcessService.create(tmp_path_factory.mktemp("caching") / "data", tables=[(TABLE, "keno-express")])
    made.play(TABLE, ENDED)
    made.open(TABLE, NOT_ENDED)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def public(inside: InProcessService) -> FlaskClient:
    """A caller of the public listener."""
    return create_app(inside.service).test_client()


@pytest.fixture(scope="module")
def engine(inside: InProcessService) -> FlaskClient:
    """An engine."""
    token = create_token(inside.service.database, inside.clock, "engine", Role.ENGINE, ["*"])
    found = create_engine_app(inside.service).test_client()
    found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return found


@pytest.mark.parametrize(("path", "keep"), KEPT.items())
def test_an_answer_says_how_long_it_may_be_kept(public: FlaskClient, path: str, keep: str) -> None:
    """And has a tag, with which nothing is sent twice; the answer to another tag is whole, to HEAD as to GET."""
    first = public.get(path)
    assert (first.status_code, first.headers["Cache-Control"]) == (200, keep)
    tag = first.headers["ETag"]
    assert tag.startswith('W/"')
    again = public.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert again.headers["Cache-Control"] == keep
    assert public.get(path, headers={"If-None-Match": 'W/"0"'}).status_code == 200
    assert public.head(path).headers["ETag"] == tag


def test_every_described_answer_is_in_this_table(public: FlaskClient) -> None:
    """So a new call says how long it may be kept; proofs are files of the log, and pages of operators are not
    described.
    """
    described: Any = public.get("/openapi.json").get_json()
    paths = {path for path, item in described["paths"].items() if "get" in item and path.startswith("/v1")}
    asked = {path.partition("?")[0].replace(TABLE, "{table}").replace("games/crash", "games/{game}") for path in KEPT}
    asked = {f"{path[:-1]}{{round}}" if path[-1].isdigit() else path for path in asked}
    assert paths - asked == {
        "/v1",
        "/v1/tables/{table}/rounds/{round}/proof",
        "/v1/proofs/{digits}/{round}",
    }
    assert public.get("/v1").headers["Cache-Control"] == "no-store"
    for proof in (f"{ROUNDS}/{ENDED}/proof", f"/v1/proofs/{'0' * 8}/1"):
        assert public.get(proof).headers["Cache-Control"] in {A_SECOND, "no-store"}


def test_of_refusals_only_the_unknown_round_is_kept(public: FlaskClient) -> None:
    """Many wait for the next rounds to be committed; whatever else is refused, is refused anew."""
    answer = public.get(f"{ROUNDS}/{UNKNOWN}")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (404, A_SECOND)
    for path in ("/v1/tables/nothing", f"{ROUNDS}/0", f"{ROUNDS}?x=1", "/v1/games/nothing", "/v1/nothing"):
        answer = public.get(path)
        assert (answer.status_code // 100, answer.headers["Cache-Control"]) == (4, "no-store")
    settled = public.post(f"{ROUNDS}/{ENDED}/settle", data='{"bets":[{"bet":"lower 50","stake":1}]}')
    assert (settled.status_code, settled.headers["Cache-Control"]) == (200, "no-store")
    # At an address of pages a browser would be given the document of another's program.
    page = public.get(f"/tables/{TABLE}/rounds/{UNKNOWN}", headers={"Accept": "application/json"})
    assert (page.status_code, page.headers["Cache-Control"]) == (404, "no-store")


@pytest.mark.parametrize("path", ["/v1/tables", f"/v1/tables/{TABLE}", f"{ROUNDS}/{ENDED}", f"{ROUNDS}/{UNKNOWN}"])
def test_an_engine_is_answered_anew_each_time(engine: FlaskClient, path: str) -> None:
    """Whatever tag it has."""
    path = path.replace("/v1", "/v1/engine")
    first = engine.get(path)
    assert first.headers["Cache-Control"] == "no-store"
    assert "ETag" not in first.headers
    assert engine.get(path, headers={"If-None-Match": "*"}).status_code == first.status_code


def test_pages_of_other_sites_see_how_old_an_answer_is(public: FlaskClient) -> None:
    """By the service's own clock, so that a countdown is right."""
    exposed = public.get(ROUNDS).headers["Access-Control-Expose-Headers"]
    assert {"Age", "Date", "ETag", "X-Request-Id"} <= set(exposed.split(", "))
