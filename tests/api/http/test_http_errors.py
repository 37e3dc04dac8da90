"""Errors over HTTP: every stable code is provoked, and no refused call changes anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from sqlite3 import connect

import pytest

from api.access.tokens import ALL_TABLES, Role, create_token, revoke_token
from api.http.request_body import LARGEST_BODY
from api.problems import Code
from api.rounds.control import pause_table
from api.rounds.tables import add_table
from api.server.app import create_engine_app
from api.store import statements as sql
from api.store import tables
from api.store.contents import LOG_ENDED
from api.world.clock import Clock
from api.world.statuses import write_status
from api.world.timekeeper import Timekeeper
from fairness.log.merkle import EMPTY_ROOT
from tests.support.http import BROWSER, is_problem, named_by, spoken
from tests.support.running_service import (
    Answer,
    RunningService,
    asked_slowly,
    asked_too_much,
    opened,
    running_service,
    wait_until,
)
from tests.support.tampering import change_records

TABLES = {f"{name}-1": "keno-express" for name in ("good", "other", "played", "voided", "lost", "shut", "broken")}
TABLES |= {"halted-1": "keno-express", "bodies-1": "keno-express", "cards-1": "blackjack"}
Way = Callable[[RunningService], Answer]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One service for all tests of this file, with rounds in the states that errors need."""
    with running_service(tmp_path_factory.mktemp("errors") / "data", TABLES) as running:
        running.play("played-1", 1)
        running.act("voided-1", 1, "void", {"reason": "engine failure"})
        assert running.foredraw("table", "close", "shut-1").returncode == 0
        with opened(running.settings) as inside:
            add_table(inside.writer, "digest-1", "keno-express", bets_required=True)
        running.settle()
        assert running.act("digest-1", 1, "open").status == 200
        assert running.act("cards-1", 1, "open").status == 200
        assert running.act("cards-1", 1, "lock", {"keep_back": True}).status == 200
        yield running


def token(service: RunningService, name: str, role: Role, tables: list[str]) -> str:
    """A new token."""
    with opened(service.settings) as inside:
        return create_token(inside.database, inside.clock, name, role, tables)


def act(table: str, action: str, body: object = None, number: int = 1) -> Way:
    """A call that fails because of the round's status."""
    return lambda service: service.act(table, number, action, body)


def revoked(service: RunningService) -> Answer:
    text = token(service, "short-lived", Role.ENGINE, [ALL_TABLES])
    with opened(service.settings) as inside:
        revoke_token(inside.database, inside.clock, "short-lived")
    return service.post("/v1/engine/tables/good-1/rounds/1/open", token=text)


def of_an_operator(service: RunningService) -> Answer:
    text = token(service, "operator", Role.OPERATOR, [ALL_TABLES])
    return service.post("/v1/engine/tables/good-1/rounds/1/open", token=text)


def of_another_table(service: RunningService) -> Answer:
    text = token(service, "narrow", Role.ENGINE, ["other-1"])
    return service.post("/v1/engine/tables/good-1/rounds/1/open", token=text)


def beyond_the_next_card(service: RunningService) -> Answer:
    return service.act("cards-1", 1, "next", {"position": 2, "count": 1})


def uncommitted(service: RunningService, table: str = "late-1") -> Answer:
    with service.paused():
        with opened(service.settings) as inside:
            add_table(inside.writer, table, "keno-express")
        return service.act(table, 1, "open")


def paused(service: RunningService) -> Answer:
    with opened(service.settings) as inside:
        pause_table(inside.writer, "good-1", paused=True)
        try:
            return service.act("good-1", service.next_round("good-1"), "open")
        finally:
            pause_table(inside.writer, "good-1", paused=False)


def is_halted(service: RunningService) -> bool:
    return bool(service.get("/v1/tables/halted-1").document["halted"])


def halted(service: RunningService) -> Answer:
    if not is_halted(service):
        with service.paused():
            service.post("/v1/engine/tables/halted-1/rounds/1/open")
            assert service.post("/v1/engine/tables/halted-1/rounds/1/lock").status == 202
            assert change_records(service, '"round":1', '"round":2', "position IS NULL")
        wait_until(lambda: is_halted(service), "the table to be halted")
    return service.act("halted-1", 1, "lock")


def with_an_ended_log(service: RunningService) -> Answer:
    """As the sequencer leaves the tables of a log whose last record names the next one."""
    with opened(service.settings) as inside:

        def halt(why: str | None) -> None:
            inside.database.write(
                lambda connection: sql.SET_HALTED.run(connection, where_name="good-1", new_halted=why)
            )

        halt(LOG_ENDED)
        try:
            return service.act("good-1", service.next_round("good-1"), "open")
        finally:
            halt(None)


def without_seeds(service: RunningService) -> Answer:
    anchor = service.queued_state("lost-1").batches[0].anchors[0]
    with closing(connect(service.settings.secrets)) as store, store:
        store.execute("DELETE FROM chains WHERE anchor = ?", (anchor,))
    return service.act("lost-1", 1, "open")


def broken(service: RunningService) -> Answer:
    """A call to a process of the API on the same folder with a clock that fails in a way that nobody expects."""
    with opened(service.settings) as inside:
        clock = _Failing()
        timekeeper = Timekeeper(clock, service.settings.clock, lambda: None)
        clock.fails = True
        answer = (
            create_engine_app(replace(inside, timekeeper=timekeeper)).test_client().post(OPEN, headers=service.bearer)
        )
        return Answer("POST", OPEN, answer.status_code, dict(answer.headers), answer.data)


class _Failing(Clock):
    fails = False

    def moment(self) -> datetime:
        if self.fails:
            raise ZeroDivisionError("a mistake of ours")
        return super().moment()


def with_changed_software(service: RunningService) -> Answer:
    """As the background program finds files that nobody signed."""
    with opened(service.settings) as inside:
        write_status(service.settings.software_trouble, inside.timekeeper, "a file was changed")
    try:
        return service.act("good-1", service.next_round("good-1"), "open")
    finally:
        service.settings.software_trouble.unlink()


def with_a_clock_ahead(service: RunningService) -> Answer:
    """A call to a process of the API on the same folder with a clock that is ahead."""
    with opened(service.settings) as inside:
        ahead = Timekeeper(_Ahead(), service.settings.clock, lambda: None)
        client = create_engine_app(replace(inside, timekeeper=ahead)).test_client()
        answer = client.post(OPEN, headers=service.bearer)
        return Answer("POST", OPEN, answer.status_code, dict(answer.headers), answer.data)


class _Ahead(Clock):
    def moment(self) -> datetime:
        return super().moment() + timedelta(days=400)


def with_a_damaged_checkpoint(service: RunningService) -> Answer:
    checkpoint = service.settings.log / "checkpoint"
    with service.paused():
        hidden = checkpoint.rename(checkpoint.with_name("hidden"))
        checkpoint.write_bytes(b"no checkpoint")
        try:
            return service.get("/v1/tables/played-1/rounds/1/proof")
        finally:
            hidden.rename(checkpoint)


OPEN = "/v1/engine/tables/good-1/rounds/1/open"
WAYS: dict[Code, Way] = {
    Code.MALFORMED_REQUEST: lambda service: spoken(service.port, b"GET / HTTP/1.1\r\nno header\r\n\r\n"),
    Code.MALFORMED_BODY: act("good-1", "open", b"[]"),
    Code.MALFORMED_NUMBER: lambda service: service.get("/v1/tables/good-1/rounds/01"),
    Code.BETS_REQUIRED: act("digest-1", "lock"),
    Code.BET_REFUSED: act("played-1", "settle", {"bets": [{"bet": "no bet", "stake": 1}]}),
    Code.NO_TOKEN: lambda service: service.call("POST", OPEN, url=service.engine_url),
    Code.UNKNOWN_TOKEN: revoked,
    Code.WRONG_ROLE: of_an_operator,
    Code.WRONG_TABLE: of_another_table,
    Code.UNKNOWN_TABLE: act("nowhere-1", "open"),
    Code.UNKNOWN_GAME: lambda service: service.get("/v1/games/roulette"),
    Code.UNKNOWN_ROUND: act("good-1", "void", {"reason": "x"}, 1_000_000),
    Code.NOT_FOUND: lambda service: service.get("/v1/nothing"),
    Code.METHOD_NOT_ALLOWED: lambda service: service.call("DELETE", "/v1/tables"),
    Code.BODY_TOO_SLOW: lambda service: asked_slowly(service, OPEN),
    Code.OUT_OF_ORDER: act("played-1", "lock"),
    Code.OTHER_BODY: act("voided-1", "void", {"reason": "another"}),
    Code.NO_MOVES: act("good-1", "next", {"position": 1, "count": 1}),
    Code.ORDER_KEPT: act("cards-1", "lock"),
    Code.NOT_NEXT: beyond_the_next_card,
    Code.NOT_GIVEN: act("cards-1", "reveal", {"dealt": {"player": [1]}}),
    Code.LEAD_NOT_PUBLISHED: uncommitted,
    Code.LOG_ENDED: with_an_ended_log,
    Code.TABLE_CLOSED: lambda service: service.act("shut-1", service.next_round("shut-1"), "open"),
    Code.BODY_TOO_LARGE: act("good-1", "open", b" " * (LARGEST_BODY + 1)),
    Code.RANGE_BEYOND_END: lambda service: service.get("/log/checkpoint", headers={"Range": "bytes=9999-"}),
    Code.WRONG_LISTENER: lambda service: service.call("POST", OPEN, headers=service.bearer),
    Code.INTERNAL: broken,
    Code.CLOCK_JUMPED: with_a_clock_ahead,
    Code.STORAGE_FAILS: with_a_damaged_checkpoint,
    Code.TABLE_PAUSED: paused,
    Code.SOFTWARE_CHANGED: with_changed_software,
    Code.TABLE_HALTED: halted,
    Code.BUSY: lambda service: asked_too_much(service, "/v1/tables/good-1/rounds"),
    Code.SEEDS_UNAVAILABLE: without_seeds,
}
OF_WITNESSES = {Code.WITNESSES_AWAY, Code.NOT_WITNESSED}
"""Codes that only a service with witnesses has: ``tests/api/witnesses`` provokes them."""
UNREAD = (Code.NOT_FOUND, Code.METHOD_NOT_ALLOWED, Code.MALFORMED_REQUEST, Code.WRONG_LISTENER)
"""Codes with which nobody has read what the address names."""
MOVES_FIRST = (Code.LEAD_NOT_PUBLISHED, Code.TABLE_PAUSED, Code.TABLE_HALTED)
"""Codes that can only be provoked after something else has changed."""


def everything(service: RunningService) -> list[object]:
    """Everything that a call can change: the rows of the database, and the head of the log."""
    service.settle()
    rows = [
        service.query(str(table.select().order_by(*table.primary_key)))
        for table in (tables.TABLES, tables.BATCHES, tables.ROUNDS, tables.QUEUE, tables.HEAD)
    ]
    return [*rows, service.checkpoint()]


@pytest.mark.parametrize("code", [code for code in Code if code not in OF_WITNESSES], ids=lambda code: code.text)
def test_every_code_is_provoked_and_changes_nothing(service: RunningService, code: Code) -> None:
    """Each stable code has its status, title and document, with what the address names; the database and the log are
    unchanged.
    """
    before = everything(service) if code not in MOVES_FIRST else None
    answer = WAYS[code](service)
    is_problem(answer, code)
    named = {} if code in UNREAD else named_by(answer.path)
    assert {name: answer.document[name] for name in ("table", "round") if name in answer.document} == named
    if before is not None:
        assert everything(service) == before


WORDS = [
    (Code.NOT_FOUND, "GET /openapi.json describes the public's addresses; GET /v1/engine/openapi.json those"),
    (Code.METHOD_NOT_ALLOWED, "the header Allow names the methods of this address"),
    (Code.BODY_TOO_LARGE, f"expected at most {LARGEST_BODY} bytes"),
    (Code.UNKNOWN_GAME, "The bets of a declared game are at its tables: GET /v1/tables/{table}/bets"),
]


@pytest.mark.parametrize(("code", "words"), WORDS, ids=lambda part: part.text if isinstance(part, Code) else "")
def test_what_the_framework_refuses_is_in_our_words(service: RunningService, code: Code, words: str) -> None:
    """The detail says what to do: no sentence about URLs that were typed."""
    assert words in WAYS[code](service).document["detail"]


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "application/x-www-form-urlencoded", "a/b/c", ""])
def test_the_type_of_a_body_is_not_looked_at(service: RunningService, kind: str) -> None:
    """A body is JSON, whatever its header says, on both listeners."""
    typed, bets = {"Content-Type": kind}, {"bets": [{"bet": "lower 50", "stake": 1}]}
    assert service.call("POST", "/v1/tables/played-1/rounds/1/settle", bets, headers=typed).status == 200
    path = "/v1/engine/tables/voided-1/rounds/1/void"
    headers = {**service.bearer, **typed}
    voided = service.call("POST", path, {"reason": "another"}, headers=headers, url=service.engine_url)
    is_problem(voided, Code.OTHER_BODY)


OF_PROGRAMS = [
    *("/v1", "/v1/tables", "/v1/tables/nowhere", "/v1/tables/played-1/rounds/1", "/v1/tables/played-1/rounds/0"),
    *(
        "/v1/nothing",
        "/v1/live",
        "/log",
        "/log/checkpoint",
        "/log/nothing",
        "/health",
        "/health/ready",
        "/health/nothing",
    ),
    *("/metrics", "/openapi.json"),
]
OF_PEOPLE = ["/", "/tables/played-1", "/tables/played-1/rounds/1", "/verify", "/badge", "/ops/login"]


@pytest.mark.parametrize("path", [*OF_PROGRAMS, *OF_PEOPLE])
def test_no_address_has_both_a_page_and_json(service: RunningService, path: str) -> None:
    """Nor is there a page for those who read an error: what is at an address does not depend on who asks."""
    kinds = {
        service.get(path, headers={"Accept": accept}).media_type
        for accept in ("text/html", "application/json", "application/problem+json", "*/*", BROWSER["Accept"])
    }
    assert len(kinds) == 1
    assert ("text/html" in kinds) == (path in OF_PEOPLE)


PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}


def test_pages_of_other_origins_may_read_and_settle(service: RunningService) -> None:
    """A browser asks before it sends a body of JSON, or a tag: everything public is allowed, and never a token."""
    for path in ("/v1/tables/played-1/rounds/1/settle", "/v1/live", "/v1/tables", "/log/checkpoint"):
        asked = service.call("OPTIONS", path, headers={"Origin": "https://casino.example", **PREFLIGHT})
        assert asked.status == 200
        assert asked.headers["Access-Control-Allow-Origin"] == "*"
        assert asked.headers["Access-Control-Allow-Methods"] == "GET, HEAD, POST"
        assert asked.headers["Access-Control-Allow-Headers"] == "Content-Type, If-None-Match"
    settled = service.call("POST", "/v1/tables/played-1/rounds/1/settle", {})
    assert settled.headers["Access-Control-Allow-Origin"] == "*"
    assert settled.headers["Access-Control-Expose-Headers"] == "Age, Date, ETag, Retry-After, X-Request-Id"
    for path in ("/ops", "/metrics", "/health/ready"):
        assert "Access-Control-Allow-Origin" not in service.call("OPTIONS", path).headers


def test_engines_calls_are_for_no_page(service: RunningService) -> None:
    """On the engines' listener no other origin is allowed anything, with a token or without."""
    for headers in ({}, service.bearer):
        asked = service.call("OPTIONS", OPEN, url=service.engine_url, headers={**headers, **PREFLIGHT})
        assert not [name for name in asked.headers if name.startswith("Access-Control-")]


def test_a_table_that_cannot_go_on_stops_no_other(service: RunningService) -> None:
    """With one table halted and the seeds of another missing, a third continues; every call to the two says so."""
    halted(service)
    without_seeds(service)
    for _ in range(2):
        is_problem(service.act("halted-1", 1, "lock"), Code.TABLE_HALTED)
        is_problem(service.act("halted-1", 1, "reveal"), Code.TABLE_HALTED)
        is_problem(service.act("lost-1", 1, "void", {"reason": "no seeds"}), Code.SEEDS_UNAVAILABLE)
        assert service.play("other-1", service.next_round("other-1")).status == 200
    wait_until(service.is_ready, "the service to be ready")


@pytest.mark.nightly("starts the service again")
def test_a_halted_table_goes_on_after_its_cause_is_gone(service: RunningService) -> None:
    """A restart retries the refused record; with the record repaired, the locked round ends normally."""
    halted(service)
    assert service.stop() == 0
    change_records(service, '"round":2', '"round":1', """position IS NULL AND "table" = 'halted-1'""")
    service.start()
    assert service.get("/v1/tables/halted-1").document["halted"] is False
    assert service.act("halted-1", 1, "lock").status == 200
    assert service.act("halted-1", 1, "reveal").status == 200
    service.settle()
    assert service.replay()["halted-1"].counts.played == 1


NO_NUMBERS = [
    *("0", "01", "00", "+1", "-1", "1.0", "1e3", "0x1", "1_000", "%201", "1%20", "1%0A", "1%00", "%2B1", "one"),
    *(str(2**48), str(2**63), "9" * 15, "9" * 16, "9" * 3000, "%EF%BC%91", "%D9%A1", "%E0%A5%A7", "%C2%B2", "%FF"),
]


@pytest.mark.parametrize("number", NO_NUMBERS, ids=lambda number: number[:20])
def test_a_round_number_has_one_spelling(service: RunningService, number: str) -> None:
    """Signs, leading zeros, fractions, other scripts' digits and numbers beyond every round are malformed."""
    is_problem(service.get(f"/v1/tables/good-1/rounds/{number}"), Code.MALFORMED_NUMBER)
    for action in ("open", "lock", "next", "reveal", "void"):
        is_problem(service.act("good-1", number, action, {"reason": "x"}), Code.MALFORMED_NUMBER)
    is_problem(service.get(f"/v1/tables/good-1/rounds?from={number}"), Code.MALFORMED_NUMBER)


def test_the_largest_round_number_is_a_number(service: RunningService) -> None:
    """A number below 2^48 is merely not committed yet."""
    is_problem(service.get(f"/v1/tables/good-1/rounds/{2**48 - 1}"), Code.UNKNOWN_ROUND)
    is_problem(service.act("good-1", 2**48 - 1, "open"), Code.UNKNOWN_ROUND)


ROOT = "00" * 32
CALL = b'{"call":"an-engine-made-this-one",'
"""The beginning of a lock's body."""
NO_BODIES: list[tuple[str, bytes]] = [
    *(
        ("open", body)
        for body in (b"[]", b"null", b"1", b'"x"', b"{", b"{} {}", b"\x00", b"\xff", b'{"a":1}', b"a=b")
    ),
    *(("open", body) for body in (b"[" * 16_000, b'{"a":' * 3000, b"\xef\xbb\xbf{}", "{}".encode("utf-16"))),
    *(
        ("next", body)
        for body in (
            b"",
            b"{}",
            b'{"position":1}',
            b'{"position":0,"count":1}',
            b'{"position":1,"count":0}',
            b'{"position":"1","count":1}',
            b'{"position":1.0,"count":1}',
            b'{"position":1,"count":9007199254740992}',
            b'{"position":1,"count":1,"start":1}',
        )
    ),
    *(
        ("lock", CALL + body[1:])
        for body in (b'{"keep_back":null}', b'{"keep_back":0}', b'{"keep_back":"no"}', b'{"outcome":false}')
    ),
    *(("reveal", body) for body in (b'{"reason":"x"}', b"[]", b"true")),
    *(
        ("lock", CALL + body[1:])
        for body in (
            b'{"bets":null}',
            b'{"bets":[]}',
            b'{"bets":{}}',
            b'{"bets":{"count":1}}',
            b'{"bets":{"count":1,"root":"%s","more":1}}' % ROOT.encode(),
            b'{"bets":{"count":-1,"root":"%s"}}' % ROOT.encode(),
            b'{"bets":{"count":1.0,"root":"%s"}}' % ROOT.encode(),
            b'{"bets":{"count":"1","root":"%s"}}' % ROOT.encode(),
            b'{"bets":{"count":true,"root":"%s"}}' % ROOT.encode(),
            b'{"bets":{"count":9007199254740992,"root":"%s"}}' % ROOT.encode(),
            b'{"bets":{"count":0,"root":"%s"}}' % ROOT.encode(),
            b'{"bets":{"count":1,"root":"%s"}}' % EMPTY_ROOT.hex().encode(),
            b'{"bets":{"count":1,"root":"%s"}}' % (b"0A" * 32),
            b'{"bets":{"count":1,"root":"%s"}}' % (b"00" * 31),
            b'{"bets":{"count":1,"root":"%s\\n"}}' % ROOT.encode(),
            b'{"bets":{"count":1,"count":2,"root":"%s"}}' % ROOT.encode(),
            b'{"bets":{"count":1,"root":"%s"},"bets":{"count":1,"root":"%s"}}' % (ROOT.encode(), ROOT.encode()),
        )
    ),
    *(
        ("void", body)
        for body in (
            b"",
            b"{}",
            b'{"reason":""}',
            b'{"reason":null}',
            b'{"reason":["x"]}',
            b'{"reason":" \\t\\n"}',
            b'{"reason":"\\u200b"}',
            b'{"reason":"x}',
            b'{"reason":"x","reason":"x"}',
            b'{"reason":"x","status":"played"}',
        )
    ),
]


@pytest.mark.parametrize(("action", "body"), NO_BODIES, ids=lambda part: repr(part)[:40])
def test_a_body_that_is_not_what_the_call_takes(service: RunningService, action: str, body: bytes) -> None:
    """Not JSON, another shape, unknown or repeated keys, values out of range: 400, whatever the round's status."""
    is_problem(service.act("good-1", 1, action, body), Code.MALFORMED_BODY)
    assert service.query("SELECT count(*) FROM rounds WHERE \"table\" = 'good-1'") == [(0,)]


POINTERS = [
    ("lock", b"", "/call"),
    ("lock", b"[]", ""),
    ("lock", b'{"call":', ""),
    ("lock", b'{"call":"\xff"}', ""),
    ("lock", b'{"call":1}', "/call"),
    ("lock", b'{"call":"0123456789abcdef","call":"0123456789abcdef"}', ""),
    ("lock", b'{"call":"0123456789abcdef","a/b~c":1}', "/a~1b~0c"),
    ("lock", b'{"call":"0123456789abcdef","bets":{"count":-1,"root":""}}', "/bets/count"),
    ("lock", b'{"call":"0123456789abcdef","bets":{"count":0,"root":"00"}}', "/bets"),
    ("lock", b'{"call":"0123456789abcdef","bets":{"count":1}}', "/bets/root"),
    ("next", b'{"position":0,"count":1}', "/position"),
    ("void", b'{"reason":1}', "/reason"),
    ("void", b'{"reason":" "}', "/reason"),
    ("void", b'{"reason":"x","more":1}', "/more"),
    ("settle", b'{"bets":[{"bet":"x","stake":1},{"bet":"x","stake":0}]}', "/bets/1/stake"),
    ("settle", b'{"bets":[{"bet":"x"}]}', "/bets/0/stake"),
    ("settle", b'{"bets":[{"bet":"x","stake":1,"for":"ani"}]}', "/bets/0/for"),
]


@pytest.mark.parametrize(("action", "body", "pointer"), POINTERS, ids=lambda part: repr(part)[:40])
def test_what_is_wrong_in_a_body_is_pointed_to(
    service: RunningService, action: str, body: bytes, pointer: str
) -> None:
    """By a pointer that a program follows (RFC 6901), whatever the words beside it."""
    assert service.act("good-1", 1, action, body).document["pointer"] == pointer


@pytest.mark.parametrize(
    ("path", "parameter", "limits"),
    [
        ("/v1/tables/good-1/rounds/01", "round", (1, 2**48 - 1)),
        ("/v1/tables/good-1/rounds?from=0", "from", (1, 2**48 - 1)),
        ("/v1/tables/good-1/rounds?limit=x", "limit", (1, None)),
        ("/v1/tables/good-1?form=1", "form", (None, None)),
        ("/v1/tables/good-1/rounds?from=1&from=1", "from", (None, None)),
    ],
)
def test_what_is_wrong_in_an_address_is_named(
    service: RunningService, path: str, parameter: str, limits: tuple[int | None, int | None]
) -> None:
    """The part of its path or of what is behind the `?`, with its range if it has one."""
    document = service.get(path).document
    assert document["parameter"] == parameter
    assert (document.get("minimum"), document.get("maximum")) == limits


def test_what_a_table_lacks_is_a_number(service: RunningService) -> None:
    """How far it is committed, and published; so a program knows how long to wait."""
    through = service.get("/v1/tables/good-1").document["committed_through"]
    for answer in (
        service.get(f"/v1/tables/good-1/rounds/{through + 1}"),
        service.act("good-1", through + 1, "void", {"reason": "x"}),
    ):
        is_problem(answer, Code.UNKNOWN_ROUND)
        assert answer.document["committed_through"] == through
    assert uncommitted(service, "late-2").document["published_through"] == 0


def test_another_body_is_refused_without_the_first_ones_digest(service: RunningService) -> None:
    """Whoever sends it learns nothing of the bets."""
    digests = [{"count": 1, "root": digit * 64} for digit in "ab"]
    assert service.act("played-1", 2, "open").status == 200
    assert service.act("played-1", 2, "lock", {"bets": digests[0]}).status == 200
    refused = service.act("played-1", 2, "lock", {"bets": digests[1]})
    is_problem(refused, Code.OTHER_BODY)
    assert b"a" * 8 not in refused.data
    assert service.act("played-1", 2, "reveal").status == 200


def test_bodies_have_a_largest_size(service: RunningService) -> None:
    """16 KiB are accepted, one byte more is not, with a length or chunked; the connection's next call is answered."""
    largest = b"{}" + b" " * (LARGEST_BODY - 2)
    assert service.act("bodies-1", 1, "open", largest).status == 200
    is_problem(service.act("bodies-1", 1, "open", largest + b" "), Code.BODY_TOO_LARGE)
    assert service.act("bodies-1", 1, "open", iter([largest[:1000], largest[1000:]])).status == 200
    is_problem(service.act("bodies-1", 1, "open", iter([largest] * 4)), Code.BODY_TOO_LARGE)
    # A far too large body is not read to its end, so the connection cannot continue.
    path, headers = "/v1/engine/tables/bodies-1/rounds/1/open", {**service.bearer, "Connection": "close"}
    answer = service.call("POST", path, b"x" * 500_000, url=service.engine_url, headers=headers)
    is_problem(answer, Code.BODY_TOO_LARGE)
    assert service.act("bodies-1", 1, "open", iter([b"{", b"}"])).status == 200
