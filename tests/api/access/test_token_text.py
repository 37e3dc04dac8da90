"""How tokens are spelled, for the service and for scanners that look for secrets; and how their end is announced."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import cast
from zlib import crc32

import pytest
from flask.testing import FlaskClient

from api.access import presented
from api.access.presented import known_token
from api.access.token_text import has_one, is_spelled, new_text
from api.access.tokens import ALL_TABLES, Role, create_token, list_tokens, rotate_token
from api.callers import EXPIRES
from api.problems import Code, Problem
from api.server.app import create_app, create_engine_app
from api.sql.database import Database
from tests.support.documents import PAGES, fenced
from tests.support.in_process_service import InProcessService
from tests.support.tokens import OF_A_SANDBOX, UNKNOWN

PREFIXES = {Role.ENGINE: "fde_", Role.OPERATOR: "fdo_", Role.AUDITOR: "fda_"}
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
LONGEST = 255
"""What docs/http.md promises."""


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with a table."""
    made = InProcessService.create(tmp_path / "data", tables=[("crash-1", "crash")])
    presented._recent.clear()
    yield made
    made.stop()


@pytest.mark.parametrize("role", Role)
def test_a_new_token_says_its_role_and_is_as_scanners_expect(role: Role) -> None:
    """Also in a line of other text; one line of SECURITY.md finds it, and no shorter or longer word."""
    pattern, example = fenced(PAGES[Path("SECURITY.md")], "text")[-1].splitlines()
    for _ in range(100):
        text = new_text(role)
        assert text.startswith(PREFIXES[role])
        assert is_spelled(text)
        assert len(text) <= LONGEST
        assert re.findall(pattern, f"TOKEN={text}; # {text[:-1]} x{text} {text}x") == [text]
    assert re.fullmatch(pattern, OF_A_SANDBOX)
    assert example == UNKNOWN


def test_the_checksum_is_that_of_all_before_it() -> None:
    """CRC-32, in base 62, as SECURITY.md says, which this does by itself."""
    for text in (UNKNOWN, OF_A_SANDBOX, new_text(Role.AUDITOR)):
        number = 0
        for digit in text[-6:]:
            number = 62 * number + ALPHABET.index(digit)
        assert number == crc32(text[:-6].encode())
        assert is_spelled(text)


def test_no_two_tokens_are_alike() -> None:
    """And every character of the secret can have every value."""
    made = {new_text(Role.ENGINE) for _ in range(1000)}
    assert len(made) == 1000
    assert {text[20] for text in made} == set(ALPHABET)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fde_",
        "x",
        UNKNOWN[:-1],
        UNKNOWN + "0",
        UNKNOWN.upper(),
        UNKNOWN[:-1] + "K",
        UNKNOWN.replace("fde_", "fdo_"),
        UNKNOWN.replace("fde_", "fdt_"),
        UNKNOWN.replace("_0", "_1"),
        UNKNOWN + "\n",
        UNKNOWN.replace("_0", "_\u0660"),
        "\udcff" + UNKNOWN,
    ],
)
def test_what_is_no_token_is_refused_before_the_database(text: str, running: InProcessService) -> None:
    """With the very answer of a token that is unknown, for which the database is asked."""
    database, clock = running.service.database, running.clock
    with pytest.raises(Problem) as unknown:
        known_token(database, clock, UNKNOWN)
    assert not is_spelled(text)
    with pytest.raises(Problem) as refused:
        known_token(cast("Database", None), clock, text)
    assert unknown.value.code is refused.value.code is Code.UNKNOWN_TOKEN
    assert refused.value.detail == unknown.value.detail


def test_a_token_of_a_sandbox_opens_nothing_and_says_so(running: InProcessService) -> None:
    """Its prefix is reserved."""
    with pytest.raises(Problem, match="token of a sandbox") as refused:
        known_token(running.service.database, running.clock, OF_A_SANDBOX)
    assert refused.value.code is Code.UNKNOWN_TOKEN


def test_what_begins_like_a_token_is_seen_anywhere() -> None:
    """In an address, whole or cut off."""
    assert all(has_one(f"a{prefix}") for prefix in (*PREFIXES.values(), "fdse_"))
    assert not has_one("fdx_ fd_ FDE_ fdsa_")


def test_an_account_keeps_its_prefix_when_it_is_rotated(running: InProcessService) -> None:
    """So no token says another role than its account has."""
    for role in Role:
        name = f"an-{role.value}"
        create_token(running.service.database, running.clock, name, role, [ALL_TABLES])
        text = rotate_token(running.service.database, running.clock, name, overlap=timedelta(0))
        assert text.startswith(PREFIXES[role])
        assert known_token(running.service.database, running.clock, text).role == role.value


def test_an_answer_says_when_its_token_ends(running: InProcessService) -> None:
    """On both listeners, also if the call is refused for something else; and of no other token."""
    database, clock = running.service.database, running.clock
    public, engine = create_app(running.service).test_client(), create_engine_app(running.service).test_client()
    month = timedelta(days=30)
    ending = {role: create_token(database, clock, role.value, role, [ALL_TABLES], lifetime=month) for role in Role}
    lasting = create_token(database, clock, "lasting", Role.ENGINE, [ALL_TABLES])
    ends = {row.name: row.expires for row in list_tokens(database)}
    assert all(ends[role.value] for role in Role)

    def announced(client: FlaskClient, path: str, token: str | None) -> tuple[int, str | None]:
        answer = client.get(path, headers={} if token is None else {"Authorization": f"Bearer {token}"})
        return answer.status_code, answer.headers.get(EXPIRES)

    assert announced(engine, "/v1/engine/tables", ending[Role.ENGINE]) == (200, ends["engine"])
    assert announced(engine, "/nowhere", ending[Role.ENGINE]) == (404, ends["engine"])
    assert announced(engine, "/v1/engine/tables", ending[Role.AUDITOR]) == (403, ends["auditor"])
    assert announced(public, "/metrics", ending[Role.OPERATOR]) == (200, ends["operator"])
    assert announced(public, "/metrics", ending[Role.ENGINE]) == (403, ends["engine"])
    assert announced(engine, "/v1/engine/tables", lasting) == (200, None)
    assert announced(engine, "/v1/engine/tables", None) == (401, None)
    assert announced(engine, "/v1/engine/tables", UNKNOWN) == (401, None)
    # The public's answers to everybody are the same with a token.
    assert announced(public, "/v1/tables", ending[Role.ENGINE]) == (200, None)
    running.clock.step(month.total_seconds())
    presented._recent.clear()
    assert announced(engine, "/v1/engine/tables", ending[Role.ENGINE]) == (401, None)
