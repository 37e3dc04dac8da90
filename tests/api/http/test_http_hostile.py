"""Hostile callers: addresses, methods, tokens and bytes that no honest caller sends."""

from __future__ import annotations

import pytest

from api.access.tokens import ALL_TABLES, Role, create_token
from api.problems import Code
from tests.support.addresses import SECOND_SPELLINGS
from tests.support.http import is_problem, spoken
from tests.support.postgres import PostgresServer
from tests.support.running_service import RunningService, opened
from tests.support.shared_services import SharedServices
from tests.support.tokens import OF_A_SANDBOX, UNKNOWN

pytestmark = pytest.mark.nightly("what is refused has not reached the database", on="postgresql")
TABLES = {"good-1": "keno-express", "other-1": "keno-express"}


@pytest.fixture(scope="module")
def service(shared_service: SharedServices, server: PostgresServer | None) -> RunningService:
    """The shared service of each database."""
    return shared_service.with_tables(TABLES, server)


ADDRESSES = [
    *(
        "/v1/",
        "/v1/",
        "/v1/tables/",
        "/v1//tables",
        "/v1/tables//rounds/1",
        "/v1/tables/good-1/rounds/",
    ),
    *("/V1/tables", "/v1/tables/good-1/rounds/1/", "/v1/tables/good-1/rounds//proof", "/openapi.json/", "/health"),
    *("/v1/tables/a/b", "/static/x", "/favicon.ico", "/log", "/log/", "/../etc/passwd", "/%2e%2e/", "/%00", "/%ff"),
]


@pytest.mark.parametrize("path", ADDRESSES)
def test_there_is_nothing_at_other_addresses(service: RunningService, path: str) -> None:
    """No redirect, no HTML page: the same problem document for every address that does not exist."""
    answer = spoken(service.port, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    is_problem(answer, Code.NOT_FOUND)


@pytest.mark.parametrize("target", SECOND_SPELLINGS)
def test_an_address_has_no_second_spelling(service: RunningService, target: str) -> None:
    """No escape and no additional slash gets past a rule by path, here or in a web server in front."""
    is_problem(
        spoken(service.port, f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()),
        Code.NOT_FOUND,
    )
    # A person is shown a page, which has nothing of the address.
    request = f"GET {target} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
    page = spoken(service.port, request.encode())
    assert page.status == 404
    assert b"There is nothing here" in page.data


@pytest.mark.parametrize("name", ["SCRIPT_NAME", "Script-Name", "PATH_INFO", "X-Script-Name", "X-Original-URL"])
@pytest.mark.parametrize(("target", "value"), [("/x/ops", "/x"), ("/ops/v1/tables", "/ops"), ("/nothing", "/ops")])
def test_no_header_changes_the_address(service: RunningService, name: str, target: str, value: str) -> None:
    """By default gunicorn accepts a script name from any local sender, so from every stranger behind a careless web
    server.
    """
    request = f"GET {target} HTTP/1.1\r\nHost: x\r\n{name}: {value}\r\nConnection: close\r\n\r\n"
    is_problem(spoken(service.port, request.encode()), Code.NOT_FOUND)


@pytest.mark.parametrize(
    ("target", "plain"),
    [
        ("http://x/v1/tables", "/v1/tables"),
        ("/v1/t%61bles", "/v1/tables"),
        ("HTTPS://x:1/health/live?x", "/health/live"),
        ("/health/live?//%6f", "/health/live"),
    ],
)
def test_one_address_may_be_asked_for_in_other_words(service: RunningService, target: str, plain: str) -> None:
    """With its host (which RFC 9112 requires every server to accept), with a query, with escapes further on."""
    answer = spoken(service.port, f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    assert answer.data == service.get(plain).data


@pytest.mark.parametrize(
    "table", ["nowhere", "GOOD-1", "good-1%00", "a%00b", "%00", "good%2D1%0A", "%F0%9F%8E%B2", "x" * 2000, "%ff", "'"]
)
def test_there_are_no_other_tables(service: RunningService, table: str) -> None:
    """Any other text in place of a table's name is a table that does not exist."""
    for path in (f"/v1/tables/{table}", f"/v1/tables/{table}/rounds", f"/v1/tables/{table}/rounds/1"):
        is_problem(service.get(path), Code.UNKNOWN_TABLE)
    is_problem(service.act(table, 1, "open"), Code.UNKNOWN_TABLE)
    for path in (f"/tables/{table}", f"/tables/{table}/rounds/1"):
        assert service.get(path).status == 404
    assert "database" not in service.output


def test_a_search_for_a_zero_byte_is_refused(service: RunningService) -> None:
    """No outcome has one, and it is no failure of the database."""
    assert service.get("/tables/good-1?outcome=a%00b").status == 400
    assert "database" not in service.output


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "BREW"])
def test_no_address_takes_other_methods(service: RunningService, method: str) -> None:
    """The header Allow has the methods that an address takes."""
    opening, settling = (
        f"/v1/{path}" for path in ("engine/tables/good-1/rounds/1/open", "tables/good-1/rounds/1/settle")
    )
    for path, allowed in (("/v1/tables", "GET"), (settling, "POST"), ("/", "GET")):
        answer = service.call(method, path)
        is_problem(answer, Code.METHOD_NOT_ALLOWED)
        assert allowed in answer.headers["Allow"].split(", ")
    is_problem(service.get(settling), Code.METHOD_NOT_ALLOWED)
    answer = service.call(method, opening, url=service.engine_url, headers=service.bearer)
    is_problem(answer, Code.METHOD_NOT_ALLOWED)
    is_problem(service.call("POST", "/v1/tables"), Code.METHOD_NOT_ALLOWED)


NO_TOKENS = ["", "Bearer", "Bearer ", "Basic YTpi", "bearer", "Token {token}", "{token}", "Bearer\t{token}"]
UNKNOWN_TOKENS = [
    "Bearer x",
    f"Bearer {UNKNOWN}",
    f"Bearer {OF_A_SANDBOX}",
    "Bearer {token}x",
    "Bearer {token} {token}",
    "Bearer  {token}",
    "Bearer \xff\xfe",
    "Bearer '",
]


@pytest.mark.lattice
@pytest.mark.parametrize("action", ["open", "lock", "reveal", "void"])
def test_every_call_of_an_engine_needs_a_token(service: RunningService, action: str) -> None:
    """Without one, or with an unknown one, the answer reveals nothing about tables, rounds and bodies."""
    for table, number in (("good-1", "1"), ("nowhere", "1"), ("good-1", "x")):
        path = f"/v1/engine/tables/{table}/rounds/{number}/{action}"
        is_problem(service.call("POST", path, b"no JSON", url=service.engine_url), Code.NO_TOKEN)
        for header, code in (
            *((header, Code.NO_TOKEN) for header in NO_TOKENS),
            *((header, Code.UNKNOWN_TOKEN) for header in UNKNOWN_TOKENS),
        ):
            sent = {"Authorization": header.format(token=service.token)}
            is_problem(service.call("POST", path, b"no JSON", url=service.engine_url, headers=sent), code)


def test_the_scheme_of_a_token_may_be_in_any_case(service: RunningService) -> None:
    """RFC 9110: schemes are case-insensitive, tokens are not."""
    path = "/v1/engine/tables/other-1/rounds/1/reveal"
    for scheme in ("Bearer", "bearer", "BEARER"):
        sent = {"Authorization": f"{scheme} {service.token}"}
        answer = service.call("POST", path, url=service.engine_url, headers=sent)
        is_problem(answer, Code.OUT_OF_ORDER)
    sent = {"Authorization": f"Bearer {service.token.upper()}"}
    answer = service.call("POST", path, url=service.engine_url, headers=sent)
    is_problem(answer, Code.UNKNOWN_TOKEN)


def test_a_token_is_for_its_tables_and_its_role(service: RunningService) -> None:
    """A token for one table is valid for that one only; an operator's is valid for none."""
    with opened(service.settings) as inside:
        narrow = create_token(inside.database, inside.clock, "narrow", Role.ENGINE, ["good-1"])
        operator = create_token(inside.database, inside.clock, "operator", Role.OPERATOR, [ALL_TABLES])
    for action in ("open", "lock", "reveal", "void"):
        is_problem(service.post(f"/v1/engine/tables/other-1/rounds/1/{action}", token=narrow), Code.WRONG_TABLE)
        is_problem(service.post(f"/v1/engine/tables/nowhere/rounds/1/{action}", token=narrow), Code.WRONG_TABLE)
        is_problem(service.post(f"/v1/engine/tables/good-1/rounds/1/{action}", token=operator), Code.WRONG_ROLE)
    assert service.post("/v1/engine/tables/good-1/rounds/1/open", token=narrow).status == 200


HOSTILE = [
    b"\r\n\r\n\r\n\r\n\x00",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n" * 20,
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nA\x00B: c\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nA: <script>\x00\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n<script>: 1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 20_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 200 + b"\r\n",
    b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /v1/tables HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST /v1/tables HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"POST /v1/tables HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /v1/tables HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
    b"POST /v1/tables HTTP/1.1\r\nHost: x\r\nExpect: the impossible\r\n\r\n",
]


@pytest.mark.parametrize("request_bytes", HOSTILE, ids=lambda data: repr(data[:60]))
def test_what_is_not_http_gets_a_problem_document_too(service: RunningService, request_bytes: bytes) -> None:
    """Bytes that never reach the application are answered like its errors: no HTML page, no traceback."""
    for port in (service.port, service.engine_port):
        is_problem(spoken(port, request_bytes), Code.MALFORMED_REQUEST)
    assert service.get("/health/live").status == 200


def test_a_chunk_that_is_none_is_a_malformed_request(service: RunningService) -> None:
    """Also if the head was valid, and only the framing of the body is not."""
    head = f"POST /v1/engine/tables/good-1/rounds/1/open HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {service.token}\r\n"
    answer = spoken(service.engine_port, head.encode() + b"Transfer-Encoding: chunked\r\n\r\nnone\r\n\r\n")
    is_problem(answer, Code.MALFORMED_REQUEST)


def test_headers_that_claim_something_change_nothing(service: RunningService) -> None:
    """A request's claims about its sender, host, address or method are ignored."""
    claims = {
        "X-Forwarded-For": "127.0.0.1",
        "X-HTTP-Method-Override": "POST",
        "X-Original-URL": "/v1/engine/tables/good-1/rounds/1/open",
        "Content-Type": "text/html; charset=\xff",
        "Accept": "text/html",
        "Cookie": "a=" + "b" * 4000,
        "Host": "evil.example",
    }
    answer = service.get("/v1/tables/nowhere", headers=claims)
    is_problem(answer, Code.UNKNOWN_TABLE)
    assert service.get("/v1/tables", headers=claims).data == service.get("/v1/tables").data


def test_no_call_here_left_a_traceback(service: RunningService) -> None:
    """The messages show no error of ours after all tests."""
    assert "Traceback" not in service.output
    assert service.process.poll() is None
