"""Every role at every address of both applications, taken from their own maps: an address without a stated rule
fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.access import presented
from api.access.tokens import ALL_TABLES, Role, create_token, digest, revoke_token
from api.pages.ops.operators import COOKIES, LOGIN
from api.server.app import create_app, create_engine_app
from tests.support.in_process_service import InProcessService

TABLE, OTHER = "keno-1", "keno-2"
HOME = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
CALLERS = (
    "nobody",
    "engine",
    "engine of another table",
    "operator",
    "auditor",
    "a revoked token",
    "an expired token",
)

EVERYBODY = frozenset(CALLERS)
PLAYS = frozenset({"engine"})
READS_ENGINES = frozenset({"engine", "engine of another table"})
LOOKS = frozenset({"operator", "auditor"})
CHANGES = frozenset({"operator"})

PUBLIC = {
    "GET /": EVERYBODY,
    "GET /badge": EVERYBODY,
    "GET /health/live": EVERYBODY,
    "GET /health/ready": EVERYBODY,
    "GET /log/<path:path>": EVERYBODY,
    "GET /metrics": LOOKS,
    "GET /openapi.json": EVERYBODY,
    "GET /ops": LOOKS,
    "GET /ops/live": LOOKS,
    "GET /ops/login": EVERYBODY,
    "POST /ops/login": EVERYBODY,
    "POST /ops/logout": LOOKS,
    "GET /ops/tables/<table>/close": CHANGES,
    "POST /ops/tables/<table>/close": CHANGES,
    "GET /ops/tables/add": CHANGES,
    "POST /ops/tables/add": CHANGES,
    "GET /ops/halt": CHANGES,
    "POST /ops/halt": CHANGES,
    "GET /ops/resume": CHANGES,
    "POST /ops/resume": CHANGES,
    "GET /ops/tables/<table>/pause": CHANGES,
    "POST /ops/tables/<table>/pause": CHANGES,
    "GET /ops/tables/<table>/resume": CHANGES,
    "POST /ops/tables/<table>/resume": CHANGES,
    "GET /scripts/<name>.js": EVERYBODY,
    "GET /scripts/badge/<version>.js": EVERYBODY,
    "GET /static/<path:name>": EVERYBODY,
    "GET /tables/<table>": EVERYBODY,
    "GET /tables/<table>/rounds/<number>": EVERYBODY,
    "GET /v1": EVERYBODY,
    "GET /v1/games": EVERYBODY,
    "GET /v1/games/<game>": EVERYBODY,
    "GET /v1/live": EVERYBODY,
    "GET /v1/log/key": EVERYBODY,
    "GET /v1/proofs/<digits>/<number>": EVERYBODY,
    "GET /v1/tables": EVERYBODY,
    "GET /v1/tables/<table>": EVERYBODY,
    "GET /v1/tables/<table>/bets": EVERYBODY,
    "GET /v1/tables/<table>/live": EVERYBODY,
    "GET /v1/tables/<table>/outcome-schema": EVERYBODY,
    "GET /v1/tables/<table>/rounds": EVERYBODY,
    "GET /v1/tables/<table>/rounds/<number>": EVERYBODY,
    "GET /v1/tables/<table>/rounds/<number>/proof": EVERYBODY,
    # Of a round that has ended.
    "POST /v1/tables/<table>/rounds/<number>/settle": EVERYBODY,
    "GET /verifier/<path:name>": EVERYBODY,
    "GET /verify": EVERYBODY,
    "GET /verify/": EVERYBODY,
    "GET /verify/bets/<game>/<language>": EVERYBODY,
    "GET /verify.html": EVERYBODY,
}
ENGINES = {
    "GET /v1": READS_ENGINES,
    "GET /v1/engine": READS_ENGINES,
    "GET /v1/engine/openapi.json": READS_ENGINES,
    "GET /v1/engine/tables": READS_ENGINES,
    "GET /v1/engine/tables/<table>": READS_ENGINES,
    "GET /v1/engine/tables/<table>/rounds/<number>": READS_ENGINES,
    "POST /v1/engine/tables/<table>/rounds/<number>/lock": PLAYS,
    "POST /v1/engine/tables/<table>/rounds/<number>/next": PLAYS,
    "POST /v1/engine/tables/<table>/rounds/<number>/open": PLAYS,
    "POST /v1/engine/tables/<table>/rounds/<number>/reveal": PLAYS,
    "POST /v1/engine/tables/<table>/rounds/<number>/settle": PLAYS,
    "POST /v1/engine/tables/<table>/rounds/<number>/void": PLAYS,
}


@dataclass(frozen=True, slots=True)
class Place:
    """A service, its two applications, and a token of each caller."""

    inside: InProcessService
    public: Flask
    engines: Flask
    tokens: dict[str, str]

    def answer(self, app: Flask, caller: str, method: str, path: str) -> tuple[int, str]:
        """The status of a request by a caller, with its token and its cookie, and where it leads."""
        browser = app.test_client()
        headers = dict(HOME)
        if caller in self.tokens:
            headers["Authorization"] = f"Bearer {self.tokens[caller]}"
            self._sign_in(browser, caller)
        # A body that no call takes: whoever is let in changes nothing.
        with browser.open(path, method=method, headers=headers, data="[]" if method == "POST" else None) as answer:
            return answer.status_code, answer.headers.get("Location", "")

    def _sign_in(self, browser: FlaskClient, caller: str) -> None:
        """A cookie of a session, whether or not this token could have got one by signing in."""
        secret = self.inside.service.sessions.begin(digest(self.tokens[caller]))
        browser.set_cookie(COOKIES["http"], secret)


def addresses(app: Flask) -> list[str]:
    """Every method and rule of an application."""
    rules = app.url_map.iter_rules()
    return sorted(
        f"{method} {rule.rule}" for rule in rules for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    )


def filled(rule: str) -> str:
    """A path that the rule matches."""
    values = {
        "table": TABLE,
        "number": "1",
        "game": "crash",
        "name": "home",
    }
    return re.sub(r"<([^>]*)>", lambda found: values.get(found[1], "checkpoint"), rule)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A service with two tables."""
    folder = tmp_path_factory.mktemp("roles") / "data"
    inside = InProcessService.create(folder, tables=[(TABLE, "keno-express"), (OTHER, "keno-express")])
    service = inside.service
    chosen: dict[str, tuple[Role, list[str], timedelta | None]] = {
        "engine": (Role.ENGINE, [TABLE], None),
        "engine of another table": (Role.ENGINE, [OTHER], None),
        "operator": (Role.OPERATOR, [ALL_TABLES], None),
        "auditor": (Role.AUDITOR, [ALL_TABLES], None),
        "a revoked token": (Role.OPERATOR, [ALL_TABLES], None),
        "an expired token": (Role.OPERATOR, [ALL_TABLES], timedelta(minutes=1)),
    }
    tokens = {
        caller: create_token(service.database, service.clock, caller, role, tables, lifetime=lifetime)
        for caller, (role, tables, lifetime) in chosen.items()
    }
    revoke_token(service.database, service.clock, "a revoked token")
    inside.clock.step(61)
    presented._recent.clear()
    yield Place(inside, create_app(service), create_engine_app(service), tokens)
    inside.stop()


def test_every_address_has_a_stated_rule(place: Place) -> None:
    """Whoever adds one states here who may use it."""
    assert addresses(place.public) == sorted(PUBLIC)
    assert addresses(place.engines) == sorted(ENGINES)


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("address", PUBLIC)
def test_the_publics_addresses_let_in_whom_they_should(address: str, caller: str, place: Place) -> None:
    """Everybody else gets 401 or 403, or is sent to the login page."""
    method, _, rule = address.partition(" ")
    status, where = place.answer(place.public, caller, method, filled(rule))
    is_in = status not in (401, 403) and where != LOGIN
    assert is_in == (caller in PUBLIC[address]), (status, where)
    assert status != 500


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("address", ENGINES)
def test_the_engines_addresses_let_in_whom_they_should(address: str, caller: str, place: Place) -> None:
    """Everybody else gets 401 or 403, operators included."""
    method, _, rule = address.partition(" ")
    status, _ = place.answer(place.engines, caller, method, filled(rule))
    assert (status not in (401, 403)) == (caller in ENGINES[address]), status
    assert status != 500


@pytest.mark.parametrize("caller", CALLERS)
def test_unknown_addresses_of_engines_say_nothing_to_those_without_a_token(caller: str, place: Place) -> None:
    """The token is checked before the address is looked at."""
    for path, told in (("/v1/engine/nothing", 404), ("/v1/nothing", 421), ("/nothing", 404)):
        status, _ = place.answer(place.engines, caller, "GET", path)
        assert status == (told if caller in READS_ENGINES else 403 if caller in LOOKS else 401)
    for path in ("/v1/engine", "/v1/engine/nothing", "/v1/engine/tables"):
        assert place.answer(place.public, caller, "GET", path)[0] == 421
