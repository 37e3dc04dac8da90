"""Sessions of operators end with their token, after a shift, and after half an hour without a click."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from api.access.sessions import LONGEST, LONGEST_IDLE
from api.access.tokens import ALL_TABLES, Role, create_token, digest, revoke_token
from api.store.tables import SCHEMA
from tests.support.in_process_service import InProcessService

pytestmark = pytest.mark.both_databases("sessions are rows that end and change at once")

A_MOMENT = timedelta(seconds=1)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service without tables."""
    made = InProcessService.create(tmp_path / "data")
    yield made
    made.stop()


def begun(running: InProcessService, name: str = "ani", role: Role = Role.OPERATOR) -> str:
    """The value of a new session's cookie."""
    service = running.service
    token = create_token(service.database, service.clock, name, role, [ALL_TABLES])
    return service.sessions.begin(digest(token))


def lives(running: InProcessService, secret: str, *, active: bool = True) -> bool:
    """Whether a cookie is still valid."""
    return running.service.sessions.find(secret, active=active) is not None


def wait(running: InProcessService, span: timedelta) -> None:
    """Let time pass."""
    running.clock.step(span.total_seconds())


def test_a_session_knows_its_operator_and_nothing_secret_is_shown(running: InProcessService) -> None:
    """It has the token's name; its secret is in no representation, and only its hash is in the database."""
    secret = begun(running)
    session = running.service.sessions.find(secret, active=True)
    assert session is not None
    assert (session.operator.name, session.operator.tables) == ("ani", (ALL_TABLES,))
    assert secret not in repr(session)
    assert running.query("SELECT digest FROM sessions") == [(digest(secret),)]
    found = {name: str(running.query(str(table.select()))) for name, table in SCHEMA.tables.items()}
    assert digest(secret) in found["sessions"]
    assert not [name for name, rows in found.items() if secret in rows]


@pytest.mark.parametrize("secret", ["", "0" * 64, "\udcff", "fdo_x"])
def test_another_secret_finds_nothing(running: InProcessService, secret: str) -> None:
    """Whatever its form."""
    begun(running)
    assert not lives(running, secret)


def test_a_session_ends_when_its_operator_signs_out(running: InProcessService) -> None:
    """Only that session, and no other of the same operator."""
    first = begun(running)
    token = digest(create_token(running.service.database, running.clock, "aram", Role.OPERATOR, [ALL_TABLES]))
    second, third = running.service.sessions.begin(token), running.service.sessions.begin(token)
    session = running.service.sessions.find(second, active=True)
    assert session is not None
    running.service.sessions.end(session)
    assert [lives(running, secret) for secret in (first, second, third)] == [True, False, True]


def test_a_session_ends_with_its_token(running: InProcessService) -> None:
    """At once, and with no other token."""
    mine, other = begun(running), begun(running, "aram")
    revoke_token(running.service.database, running.clock, "ani")
    assert not lives(running, mine)
    assert lives(running, other)


def test_an_engine_has_no_session(running: InProcessService) -> None:
    """Even if somebody writes one into the database."""
    assert not lives(running, begun(running, role=Role.ENGINE))


def test_a_session_that_is_used_lasts_a_shift(running: InProcessService) -> None:
    """Up to its maximum, and not longer."""
    secret, clicks = begun(running), LONGEST // (LONGEST_IDLE - A_MOMENT)
    for _ in range(clicks):
        wait(running, LONGEST_IDLE - A_MOMENT)
        assert lives(running, secret)
    wait(running, LONGEST - clicks * (LONGEST_IDLE - A_MOMENT) - A_MOMENT)
    assert lives(running, secret)
    wait(running, A_MOMENT)
    assert not lives(running, secret)


def test_an_idle_session_ends(running: InProcessService) -> None:
    """It ends half an hour after the last click: up to a minute later, never earlier."""
    secret = begun(running)
    wait(running, LONGEST_IDLE - A_MOMENT)
    assert lives(running, secret)
    wait(running, LONGEST_IDLE - A_MOMENT)
    assert lives(running, secret)
    wait(running, LONGEST_IDLE)
    assert not lives(running, secret)


def test_a_page_that_looks_by_itself_is_no_click(running: InProcessService) -> None:
    """An unattended screen is signed out."""
    secret = begun(running)
    for _ in range(10):
        wait(running, LONGEST_IDLE / 10 - A_MOMENT)
        assert lives(running, secret, active=False)
    wait(running, 10 * A_MOMENT)
    assert not lives(running, secret, active=False)
    assert not lives(running, secret)


def test_sessions_that_are_over_are_forgotten(running: InProcessService) -> None:
    """When the next session begins."""
    begun(running)
    wait(running, LONGEST_IDLE + A_MOMENT)
    begun(running, "aram")
    assert running.query("SELECT count(*) FROM sessions") == [(1,)]


def test_a_form_token_is_of_one_session_and_one_address(running: InProcessService) -> None:
    """It reveals nothing about the cookie, and is valid nowhere else."""
    first, second = (running.service.sessions.find(begun(running, name), active=True) for name in ("ani", "aram"))
    assert first is not None
    assert second is not None
    tokens = {session.form_token(path) for session in (first, second) for path in ("/ops/logout", "/ops/tables")}
    assert len(tokens) == 4
    assert first.form_token("/ops/logout") in tokens
    assert all(first.secret not in token for token in tokens)
