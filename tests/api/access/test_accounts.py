"""Accounts: tokens that expire, that are rotated without a refused call, and whose use is noted rarely; auditors only
read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest

from api.access import presented
from api.access.presented import find_token, known_token
from api.access.tokens import (
    ALL_TABLES,
    Role,
    Token,
    TokenRefusedError,
    create_token,
    digest,
    list_tokens,
    revoke_token,
    rotate_token,
)
from api.journal.chain import entries
from api.problems import Code, Problem
from api.restore.rebuild import rebuild
from api.server.app import create_app, create_engine_app
from api.sql.connection import Connection
from api.store import statements as sql
from api.store.models import TokenRow
from api.store.schema import disposed, open_database
from tests.support.calls import body_of
from tests.support.commands import foredraw
from tests.support.in_process_service import InProcessService
from tests.support.postgres import ENGINES, PostgresServer
from tests.support.tampering import refusing

pytestmark = pytest.mark.both_databases("tokens are rows, whose names are compared by the database")

PATIENCE = 30.0
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with a table."""
    presented._recent.clear()
    made = InProcessService.create(tmp_path / "data", tables=[("crash-1", "crash")])
    yield made
    made.stop()


def create(running: InProcessService, name: str, role: Role = Role.ENGINE, lifetime: timedelta | None = None) -> str:
    """A new account's token."""
    return create_token(running.service.database, running.clock, name, role, [ALL_TABLES], lifetime=lifetime)


def rotate(running: InProcessService, name: str, overlap: timedelta = DAY, lifetime: timedelta | None = None) -> str:
    """Another token of an account."""
    return rotate_token(running.service.database, running.clock, name, overlap=overlap, lifetime=lifetime)


def presents(running: InProcessService, text: str) -> Token | None:
    """Whose token it is; `None` if it is refused."""
    try:
        return known_token(running.service.database, running.clock, text)
    except Problem as problem:
        return None if problem.code is Code.UNKNOWN_TOKEN else pytest.fail(str(problem))


def row(running: InProcessService, name: str) -> TokenRow:
    """The row of a token."""
    return next(row for row in list_tokens(running.service.database) if row.name == name)


def step(running: InProcessService, span: timedelta) -> None:
    """Let time pass."""
    running.clock.step(span.total_seconds())


# Expiry


def test_a_token_expires_and_its_session_with_it(running: InProcessService) -> None:
    """To the second, and for good; a token without a lifetime stays valid."""
    lasting, short = create(running, "lasting", Role.OPERATOR), create(running, "short", Role.OPERATOR, 10 * HOUR)
    step(running, 10 * HOUR - timedelta(minutes=1))
    secrets = [running.service.sessions.begin(digest(text)) for text in (lasting, short)]
    assert all(running.service.sessions.find(secret, active=True) for secret in secrets)
    step(running, timedelta(seconds=59))
    assert presents(running, short) is not None
    step(running, timedelta(seconds=1))
    assert presents(running, short) is None
    assert [running.service.sessions.find(secret, active=True) is not None for secret in secrets] == [True, False]
    assert presents(running, lasting) is not None


# Rotation


def test_two_tokens_are_valid_while_one_is_rotated(running: InProcessService) -> None:
    """Both are the account's, with its role and tables; after the overlap only the new one is accepted."""
    old = create(running, "engine")
    new = rotate(running, "engine", HOUR)
    assert presents(running, new) == Token("engine", "engine", (ALL_TABLES,), None)
    assert presents(running, old) == Token("engine", "engine", (ALL_TABLES,), row(running, "engine").expires)
    with pytest.raises(TokenRefusedError, match="has 2 tokens that are valid"):
        rotate(running, "engine")
    step(running, HOUR)
    assert presents(running, old) is None
    assert presents(running, new) is not None
    third = rotate(running, "engine", timedelta(0))
    assert presents(running, new) is None
    assert presents(running, third) is not None
    assert [row.name for row in list_tokens(running.service.database)] == ["engine", "engine#2", "engine#3"]


def test_a_rotation_makes_no_token_live_longer(running: InProcessService) -> None:
    """The overlap ends no later than the old token would have; the new one has a lifetime of its own."""
    create(running, "engine", lifetime=HOUR)
    before = row(running, "engine").expires
    rotate(running, "engine", DAY, lifetime=2 * DAY)
    assert row(running, "engine").expires == before
    step(running, DAY)
    assert row(running, "engine#2").is_valid(running.clock.now())
    step(running, DAY)
    with pytest.raises(TokenRefusedError, match="no token that is valid"):
        rotate(running, "engine")


def test_an_engine_plays_on_while_its_token_is_rotated(running: InProcessService) -> None:
    """A round that the old token locked is revealed by the new one, and that is no reading of somebody else's
    outcome.
    """
    app = create_engine_app(running.service)

    def call(text: str, action: str) -> int:
        path = f"/v1/engine/tables/crash-1/rounds/1/{action}"
        headers = {"Authorization": f"Bearer {text}"}
        return app.test_client().post(path, data=body_of(path), headers=headers).status_code

    old = create(running, "engine")
    assert (call(old, "open"), call(old, "lock")) == (200, 200)
    new = rotate(running, "engine")
    assert (call(new, "lock"), call(old, "lock"), call(new, "reveal")) == (200, 200, 200)
    assert "outcome-read" not in {entry.act for entry in entries(running.service.database)}


def test_an_account_is_revoked_with_all_its_tokens_or_one_by_its_name(running: InProcessService) -> None:
    """Whoever leaves has no token any more, also if one was being rotated."""
    database, clock = running.service.database, running.clock
    both = [create(running, "ani", Role.OPERATOR), rotate(running, "ani")]
    another = [create(running, "aram", Role.OPERATOR), rotate(running, "aram")]
    revoke_token(database, clock, "ani")
    assert [presents(running, text) for text in both] == [None, None]
    revoke_token(database, clock, "aram#2")
    assert [presents(running, text) is not None for text in another] == [True, False]
    for name in ("ani", "aram#2", "nobody"):
        with pytest.raises(TokenRefusedError, match="not revoked"):
            revoke_token(database, clock, name)
    for taken in ("ani", "aram#2"):
        with pytest.raises(TokenRefusedError, match="already"):
            create(running, taken)
    told = [
        (entry.subject, json.loads(entry.before or "")) for entry in entries(database) if entry.act == "token-revoke"
    ]
    assert told == [("ani", {"tokens": ["ani", "ani#2"]}), ("aram#2", {"tokens": ["aram#2"]})]


# Last use


def test_the_last_use_is_noted_at_most_once_a_minute(running: InProcessService) -> None:
    """A call a second writes once a minute, and a token that nobody uses shows it."""
    text = create(running, "engine")
    assert row(running, "engine").used is None
    seen = []
    for _ in range(130):
        presented._recent.clear()
        find_token(running.service.database, running.clock, f"Bearer {text}")
        seen.append(row(running, "engine").used)
        step(running, timedelta(seconds=1))
    assert len(set(seen)) == 3
    # A date that was set back does not hide what comes.
    step(running, -DAY)
    presents(running, text)
    assert (row(running, "engine").used or "") < (seen[-1] or "")


def test_no_call_is_refused_because_its_time_cannot_be_noted(running: InProcessService) -> None:
    """A full disk stops no engine here."""
    text = create(running, "engine")
    with refusing(running, "UPDATE", "tokens"):
        assert presents(running, text) is not None
    assert row(running, "engine").used is None


@pytest.mark.parametrize("server", ENGINES, indirect=True)
def test_no_reader_waits_because_its_time_is_to_be_noted(tmp_path: Path, server: PostgresServer | None) -> None:
    """Another program that was stopped while it wrote holds up engines' writes, and neither metrics nor other
    reads.
    """
    running = InProcessService.create(tmp_path / "data", tables=[("crash-1", "crash")], server=server)
    text = create(running, "lab", Role.AUDITOR)
    header = {"Authorization": f"Bearer {text}"}
    scrape = create_app(running.service).test_client()
    with disposed(open_database(running.settings)) as other, ThreadPoolExecutor(2) as pool:
        holding, free = Event(), Event()

        def hold(connection: Connection) -> None:
            sql.SET_USED.run(connection, where_digest=digest(text), new_used=None)
            holding.set()
            assert free.wait(PATIENCE)

        held = pool.submit(other.write, hold)
        try:
            assert holding.wait(PATIENCE)
            presented._recent.clear()
            asked = pool.submit(scrape.get, "/metrics", headers=header)
            assert asked.result(PATIENCE / 4).status_code == 200
            assert not held.done()
        finally:
            free.set()
        held.result(PATIENCE)
    assert row(running, "lab").used is None
    presented._recent.clear()
    assert scrape.get("/metrics", headers=header).status_code == 200
    assert row(running, "lab").used is not None
    running.stop()


# Auditors


def test_an_auditor_sees_the_operators_page_and_finds_nothing_to_change(running: InProcessService) -> None:
    """No button, no form but the one that signs out; the journal names the role."""
    text = create(running, "lab", Role.AUDITOR)
    browser = create_app(running.service).test_client()
    home = {"Origin": "http://localhost"}
    assert browser.post("/ops/login", data={"token": text}, headers=home).status_code == 303
    page = browser.get("/ops").text
    assert "reads only" in page
    assert "crash-1" in page
    assert "/ops/tables/" not in page
    assert page.count("<form") == 1
    assert browser.get("/ops/tables/add").status_code == 403
    assert browser.get("/metrics", headers={"Authorization": f"Bearer {text}"}).status_code == 200
    assert [entry.who for entry in entries(running.service.database)][-1] == "auditor lab"


# The program, and rebuilding


def test_the_commands_rotate_and_show_what_a_token_is(running: InProcessService) -> None:
    """`token list` has role, expiry and last use; a rotated token is printed once."""
    folder = running.settings.folder

    def said(*arguments: str) -> str:
        ran = foredraw(folder, *arguments)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    first = said("token", "create", "lab", "--role", "auditor", "--all-tables", "--expires", "30").strip()
    second = said("token", "rotate", "lab", "--overlap", "1", "--reason", "a new laptop").strip()
    assert first.startswith("fda_")
    assert second.startswith("fda_")
    assert first != second
    old, new = said("token", "list").splitlines()
    assert old.startswith("lab ")
    assert ", expires " in old
    assert new.startswith("lab#2 ")
    assert "auditor" in new
    assert "expire" not in new
    assert first not in old + new
    assert foredraw(folder, "token", "rotate", "nobody").returncode == 1
    assert [entry.reason for entry in entries(running.service.database)][-1] == "a new laptop"


@pytest.mark.one_database("tests/api/store/postgres has a rebuild on a server")
def test_a_rebuild_keeps_accounts(running: InProcessService) -> None:
    """No expiry is lost."""
    texts = [create(running, "ani", Role.OPERATOR, DAY), rotate(running, "ani", HOUR)]
    presents(running, texts[0])
    before = list_tokens(running.service.database)
    running.stop()
    rebuild(running.settings)
    running.start_without_sequencer()
    assert list_tokens(running.service.database) == before
    assert presents(running, texts[1]) == Token("ani", "operator", (ALL_TABLES,), None)


@pytest.mark.one_database("a text that is none: a server refuses it")
def test_a_token_whose_expiry_cannot_be_read_is_lost_in_a_rebuild(running: InProcessService) -> None:
    """It does not come back as one that is valid for ever."""
    create(running, "ani", Role.OPERATOR, DAY)
    running.tamper("UPDATE tokens SET expires = X'ff'")
    running.stop()
    assert rebuild(running.settings).lost == ["tokens: ani"]
