"""Hostile callers on real sockets: slow, silent, many, without a token. The next caller is still answered."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from api.server.refusals import AT_ONCE, PER_SECOND
from tests.support.running_service import ORIGIN, PATIENCE_SECONDS, RunningService, running_service
from tests.support.tokens import UNKNOWN

PLACES = 8
"""Connections per process; each listener has one process."""
OPEN = "POST /v1/engine/tables/keno-1/rounds/1/open HTTP/1.1\r\nHost: x\r\n"
HALF_BODY = "Content-Length: 100\r\n\r\n{"
ONE_PROCESS = ("--workers", "1", "--engine-workers", "1")
Sent = Callable[[RunningService], bytes]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with few connections, and timeouts so long that none expires here."""
    options = (*ONE_PROCESS, "--connections", str(PLACES), "--patience", "3600")
    with running_service(
        tmp_path_factory.mktemp("small") / "data", {"keno-1": "keno-express"}, options=options
    ) as it:
        yield it


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with timeouts of one second, and enough connections for everybody."""
    options = (*ONE_PROCESS, "--patience", "1")
    with running_service(
        tmp_path_factory.mktemp("short") / "data", {"keno-1": "keno-express"}, options=options
    ) as it:
        yield it


@contextmanager
def connected(port: int, sent: bytes = b"") -> Iterator[socket.socket]:
    """A connection on which only these bytes are sent."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(sent)
        yield connection


def received(connection: socket.socket) -> bytes:
    """The whole answer, up to the end of the connection."""
    data = b""
    while part := connection.recv(65536):
        data += part
    return data


def has_answer(connection: socket.socket, *, seconds: float = 0) -> bool:
    """Whether an answer or the end of the connection arrives in time."""
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def with_token(service: RunningService) -> str:
    """The header of the engine's token."""
    return f"Authorization: Bearer {service.token}\r\n"


SLOW: dict[str, Sent] = {
    "nothing": lambda _: b"",
    "half a head": lambda _: b"GET / HTTP/1.1\r\n",
    "half a body": lambda _: f"{OPEN.replace('/engine', '').replace('open', 'settle')}{HALF_BODY}".encode(),
    "half a body with a token": lambda service: f"{OPEN}{with_token(service)}{HALF_BODY}".encode(),
}


@pytest.mark.parametrize("sent", SLOW.values(), ids=SLOW)
def test_there_is_always_a_place_for_the_next_caller(small: RunningService, sent: Sent) -> None:
    """Many more stalled connections than the limit, on both listeners: everybody else is answered."""
    number = small.next_round("keno-1")
    small.hang_up()
    with ExitStack() as connections:
        for _ in range(3 * PLACES):
            for port in (small.port, small.engine_port):
                connections.enter_context(connected(port, sent(small)))
        for action in ("open", "lock", "reveal"):
            small.hang_up()
            assert small.get("/v1/tables").status == 200
            assert small.act("keno-1", number, action).status == 200


def test_the_connection_that_has_been_silent_longest_is_closed(small: RunningService) -> None:
    """Of stalled connections the oldest is closed first; one that continues to send requests stays."""
    with ExitStack() as connections:
        asking = HTTPConnection("127.0.0.1", small.port, timeout=PATIENCE_SECONDS)
        connections.callback(asking.close)
        asking.connect()
        kept = asking.sock
        silent = []
        for _ in range(2 * PLACES):
            silent.append(connections.enter_context(connected(small.port)))
            asking.request("GET", "/health/live")
            assert asking.getresponse().read()
        for first in silent[: PLACES + 1]:
            assert received(first) == b""
        assert not any(has_answer(last) for last in silent[-3:])
        assert asking.sock is kept


def test_strangers_never_close_an_engines_connection(small: RunningService) -> None:
    """However many come after an engine, and however long it is silent, those without a token are closed first."""
    with ExitStack() as connections:
        engine = HTTPConnection("127.0.0.1", small.engine_port, timeout=PATIENCE_SECONDS)
        connections.callback(engine.close)
        engine.request("GET", "/v1/engine/tables", headers=small.bearer)
        assert engine.getresponse().read()
        kept = engine.sock
        strangers = [
            connections.enter_context(connected(small.engine_port, b"GET / HTTP/1.1\r\n")) for _ in range(50)
        ]
        assert [received(stranger) for stranger in strangers[:20]] == [b""] * 20
        engine.request("GET", "/v1/engine/tables", headers=small.bearer)
        assert engine.getresponse().status == 200
        assert engine.sock is kept


def test_those_who_wait_for_a_refusal_make_room_for_an_engine(small: RunningService) -> None:
    """Callers without a token use all connections over and over: a new engine still gets one."""
    number = small.next_round("keno-1")
    small.hang_up()
    asked = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * (AT_ONCE + 1)
    with ExitStack() as connections:
        strangers = [connections.enter_context(connected(small.engine_port, asked)) for _ in range(PLACES)]
        refused = [stranger.recv(65536) for stranger in strangers]
        for action in ("open", "lock", "reveal"):
            small.hang_up()
            assert small.act("keno-1", number, action).status == 200
        # Callers that are closed while they wait for their first refusal get nothing.
        assert {refusal[:13] for refusal in refused} - {b""} == {b"HTTP/1.1 401 "}
        # The first of them was closed while it waited, so not all of its calls were refused.
        assert (refused[0] + received(strangers[0])).count(b"HTTP/1.1 401 ") <= AT_ONCE


@pytest.mark.nightly("waits for the pace of refusals")
@pytest.mark.parametrize(
    ("request_sent", "status"),
    [
        (f"{OPEN}Connection: close\r\nContent-Length: 0\r\n\r\n", b"421"),
        ("GET / HTTP/1.1\r\nno header\r\n\r\n", b"400"),
    ],
    ids=["engines' calls", "no HTTP"],
)
def test_refusals_to_the_public_are_spread_out(impatient: RunningService, request_sent: str, status: bytes) -> None:
    """Callers that are refused repeatedly must wait: beyond a burst, refusals have a limited rate."""
    beyond = 10
    begun = time.monotonic()
    with ExitStack() as connections:
        strangers = [
            connections.enter_context(connected(impatient.port, request_sent.encode()))
            for _ in range(AT_ONCE + beyond)
        ]
        assert {received(stranger)[9:12] for stranger in strangers} == {status}
    assert time.monotonic() - begun >= beyond / PER_SECOND


@pytest.mark.parametrize("body", [HALF_BODY, "Transfer-Encoding: chunked\r\n\r\n5\r\n{"], ids=["length", "chunks"])
@pytest.mark.parametrize("token", ["", f"Authorization: Bearer {UNKNOWN}\r\n"], ids=["no token", "a wrong token"])
def test_a_token_is_looked_at_before_the_body(small: RunningService, token: str, body: str) -> None:
    """Without a valid token the answer is immediate, although the body never arrives; then the connection ends."""
    with connected(small.engine_port, f"{OPEN}{token}{body}".encode()) as connection:
        answer = received(connection)
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"\r\nConnection: close\r\n" in answer


def test_an_engine_on_the_public_listener_is_answered_before_its_body(small: RunningService) -> None:
    """Nothing of its body is read, and the answer names the port that takes its calls."""
    with connected(small.port, f"{OPEN}{with_token(small)}{HALF_BODY}".encode()) as connection:
        answer = received(connection)
    assert answer.startswith(b"HTTP/1.1 421 ")
    assert f':{small.engine_port}"'.encode() in answer


@pytest.mark.parametrize("name", ["nothing", "half a head"])
def test_a_head_has_its_time(impatient: RunningService, name: str) -> None:
    """A caller that does not send a complete head in time is cut off, on both listeners."""
    for port in (impatient.port, impatient.engine_port):
        with connected(port, SLOW[name](impatient)) as connection:
            assert received(connection) == b""


def test_a_body_has_its_time(impatient: RunningService) -> None:
    """The limit is for the whole body: slow dripping does not extend it."""
    for port, name in ((impatient.port, "half a body"), (impatient.engine_port, "half a body with a token")):
        with connected(port, SLOW[name](impatient)) as connection:
            while not has_answer(connection, seconds=0.05):
                connection.sendall(b" ")
            answer = received(connection)
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b'"code":"body-too-slow"' in answer


def test_a_reader_who_takes_nothing_is_cut_off(impatient: RunningService) -> None:
    """Also one that sends more and more requests meanwhile."""
    asked = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 2000
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", impatient.port))
        connection.settimeout(0)
        with suppress(BlockingIOError):
            while asked:
                asked = asked[connection.send(asked) :] + asked
        poll = select.poll()
        poll.register(connection, select.POLLHUP)
        assert poll.poll(PATIENCE_SECONDS * 1000)


def test_a_reader_who_takes_little_gets_all(impatient: RunningService) -> None:
    """The timeout is for each step, not for the whole answer."""
    whole = impatient.get("/openapi.json").data
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", impatient.port))
        connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = b""
        while part := connection.recv(100):
            answer += part
    assert answer.endswith(whole)


@pytest.mark.parametrize(
    ("request_line", "body_begins"),
    [("GET /v1/tables/keno-1", b"{"), ("HEAD /v1/tables/keno-1", b""), ("GET /nowhere", b"{")],
)
def test_an_answer_is_sent_at_once(impatient: RunningService, request_line: str, body_begins: bytes) -> None:
    """A short answer arrives as a whole, and one without a body arrives, too; the connection goes on after it."""
    with connected(impatient.port) as connection:
        for _ in range(2):
            connection.sendall(f"{request_line} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            head, ended, body = connection.recv(65536).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 ")
            assert ended
            assert body.startswith(body_begins)
            assert bool(body) == bool(body_begins)


def test_a_file_comes_behind_its_head(impatient: RunningService) -> None:
    """The system itself sends files of the log."""
    with connected(
        impatient.port, b"GET /log/checkpoint HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    ) as connection:
        head, _, body = received(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert body.startswith(ORIGIN.encode() + b"\n")


def limit_of(pid: int) -> list[str]:
    """The soft and the hard limit of a process's open files."""
    lines = Path(f"/proc/{pid}/limits").read_text("ascii").splitlines()
    return next(line for line in lines if line.startswith("Max open files")).split()[3:5]


@pytest.mark.nightly("a service of its own")
def test_as_many_files_as_connections_need_may_be_open(tmp_path: Path) -> None:
    """The soft limit is raised for all programs of the service, not further than needed."""
    options = (*ONE_PROCESS, "--connections", "700")
    few = ("prlimit", "--nofile=400:4096")
    with running_service(tmp_path / "data", {}, options=options, under=few) as service:
        assert [limit_of(pid) for pid in service.children().values()] == [["1200", "4096"]] * 3
        refused = service.foredraw("serve", "--connections", "4000")
    assert refused.returncode == 1
    assert "--connections 4000 needs 4500 open files" in refused.stderr
