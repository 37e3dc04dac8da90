"""Parameters behind the ``?``: each call of programs takes those that `/openapi.json` names, and refuses all
others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from api.access.tokens import Role, create_token
from api.http.described.queries import TAKEN, described
from api.http.elsewhere import OF_ENGINES
from api.problems import Code
from api.server.app import create_app, create_engine_app
from tests.support.descriptions import DOCUMENT
from tests.support.in_process_service import InProcessService

TABLE = "keno-1"
PATHS = {path: item for path, item in DOCUMENT["paths"].items() if path.startswith("/v1")}
ROUNDS = f"/v1/tables/{TABLE}/rounds"

Apps = tuple[Flask, Flask]
"""The public's and the engines'."""


@pytest.fixture(scope="module", name="inside")
def _inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessService]:
    """A service with a table that has played a round."""
    made = InProcessService.create(tmp_path_factory.mktemp("queries") / "data", tables=[(TABLE, "keno-express")])
    made.play(TABLE, 1)
    made.settle()
    yield made
    made.stop()


@pytest.fixture(scope="module", name="apps")
def _apps(inside: InProcessService) -> Apps:
    return create_app(inside.service), create_engine_app(inside.service)


@pytest.fixture(scope="module", name="bearer")
def _bearer(inside: InProcessService) -> dict[str, str]:
    """The header of an engine."""
    token = create_token(inside.service.database, inside.service.clock, "engine", Role.ENGINE, ["*"])
    return {"Authorization": f"Bearer {token}"}


def address(path: str, query: str) -> str:
    """A described path with this service's names in it."""
    return path.format(table=TABLE, round=1, game="crash", digits="0" * 8) + query


def check_refused(answer: Any, *words: str) -> None:  # noqa: ANN401 -- the framework's own answer of a test
    """Check that it is the refusal of a query, which no cache keeps, and says these words."""
    document = answer.get_json()
    assert (answer.status_code, document["code"]) == (400, Code.MALFORMED_REQUEST.text), document
    assert answer.headers["Cache-Control"] == "no-store"
    assert all(word in document["detail"] for word in words), document["detail"]


def without_time(answer: Any) -> dict[str, Any]:  # noqa: ANN401 -- the framework's own answer of a test
    """The document, without what differs each time: when it was asked, in `/v1`, and the id, in problems."""
    return {key: value for key, value in (answer.get_json() or {}).items() if key not in {"time", "request"}}


@pytest.mark.parametrize(("path", "method"), [(path, method) for path, item in PATHS.items() for method in item])
def test_a_parameter_that_the_call_does_not_take_is_refused(
    apps: Apps, bearer: dict[str, str], path: str, method: str
) -> None:
    """By its name, with those that there are; on both listeners, the engines' one included."""
    known = [each["name"] for each in PATHS[path][method]["parameters"] if each["in"] == "query"]
    app, headers = (apps[1], bearer) if f"{path}/".startswith(OF_ENGINES) else (apps[0], {})

    def asked(query: str) -> Any:  # noqa: ANN401 -- the framework's own answer of a test
        return app.test_client().open(address(path, query), method=method, headers=headers)

    check_refused(asked("?form=41"), "'form'", " and ".join(known) or "no parameters")
    for query in ("?x", "?=1", "?%66orm=1", "?" + "x" * 5000):
        check_refused(asked(query))
    for name in known:
        check_refused(asked(f"?{name}=1&{name}=1"), name, "2")
        assert asked(f"?{name}=1").status_code == 200
    assert without_time(asked("?")) == without_time(asked(""))


def test_the_description_has_what_calls_take(apps: Apps) -> None:
    """One declaration is read by both; a call whose name no view has would take nothing."""
    views = {view for app in apps for view in app.view_functions}
    assert set(TAKEN) <= views
    found = [each for path in PATHS.values() for call in path.values() for each in call["parameters"]]
    taken = [described(parameter) for parameters in TAKEN.values() for parameter in parameters]
    queries = [each for each in found if each["in"] == "query"]
    assert all(each in taken for each in queries)
    assert all(each in queries for each in taken)


def test_nothing_is_read_before_an_engines_token_is(apps: Apps) -> None:
    """A stranger does not learn what the engines' listener takes."""
    assert apps[1].test_client().get("/v1/engine/tables?x=1").status_code == 401


def test_a_browsers_question_before_the_call_is_answered(apps: Apps) -> None:
    """The call itself is refused, in words that the page can read."""
    answer = apps[0].test_client().options(address("/v1/tables/{table}/rounds/{round}/settle", "?x=1"))
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (200, "*")


def test_other_addresses_take_what_they_are_sent(apps: Apps) -> None:
    """The log's files, health and pages: readers append what keeps a cache from answering."""
    client = apps[0].test_client()
    for path in ("/log/checkpoint", "/health/live", "/openapi.json", "/verify"):
        assert client.get(f"{path}?x=1&x=2").status_code == 200
    assert client.get("/v1/nothing?x=1").status_code == 404
