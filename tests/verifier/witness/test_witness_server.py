"""The witness over HTTP: kept-alive connections, several clients at once, and clients that mean no good."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from http import HTTPStatus
from pathlib import Path
from threading import Event

import pytest
import urllib3

from tests.lies import started
from tests.support.dishonest_operator import KEY
from tests.support.our_witness import (
    LAB_KEY,
    ServedWitness,
    asking,
    proof_from,
    request,
    served_by,
    serving_witness,
    time_of,
)
from verifier.witness import server
from verifier.witness.request import LARGEST_REQUEST, Answer
from verifier.witness.server import LARGEST_HEAD, MOST_CONNECTIONS

SIZE = len(started().records)


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    return started().write(tmp_path / "log")


@pytest.fixture(name="witness")
def _witness(tmp_path: Path, log: Path) -> Iterator[ServedWitness]:
    with serving_witness(tmp_path / "witness", KEY.verifier_key, str(log)) as served:
        yield served


def connect(witness: ServedWitness) -> socket.socket:
    """A connection on which the test writes what it likes; a wait that never ends fails."""
    host, _, port = witness.url.removeprefix("http://").rpartition(":")
    return socket.create_connection((host, int(port)), timeout=60)


def until_end(connection: socket.socket) -> bytes:
    """Everything until the server closes."""
    data = b""
    while more := connection.recv(1 << 16):
        data += more
    return data


def posted(body: bytes, *headers: str, path: str = "/add-checkpoint") -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: witness", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def ask(witness: ServedWitness, body: bytes) -> tuple[int, bytes]:
    answer = urllib3.request("POST", f"{witness.url}/add-checkpoint", body=body, retries=False, timeout=60)
    return answer.status, answer.data


def test_one_connection_serves_many_requests(log: Path, witness: ServedWitness) -> None:
    """Also if they are sent before the answers are read; the answer tells its type."""
    body, note = asking(log, 0), (log / "checkpoint").read_bytes()
    with connect(witness) as connection:
        connection.sendall(posted(body) + posted(body) + posted(b"", "Connection: close"))
        answers = until_end(connection)
    first, second, third = answers.split(b"HTTP/1.1 ")[1:]
    assert first.startswith(b"200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n")
    line = first.partition(b"\r\n\r\n")[2]
    assert time_of(Answer(HTTPStatus.OK, "", line), note)
    assert second.startswith(b"409 Conflict\r\nContent-Type: text/x.tlog.size\r\nContent-Length: 3\r\n")
    assert second.endswith(b"\r\n\r\n%d\n" % SIZE)
    assert third.startswith(b"400 Bad Request")
    assert b"Connection: close" in third


def test_two_clients_at_once_get_one_history(tmp_path: Path, log: Path, witness: ServedWitness) -> None:
    """Of two trees that both extend what was seen, one is cosigned; whoever comes second learns the size."""
    assert ask(witness, asking(log, 0))[0] == HTTPStatus.OK
    bodies = []
    for rounds in (1, 2):
        started().play("keno-1", rounds).write(log)
        note = (log / "checkpoint").read_bytes()
        bodies.append(request(note, SIZE, *proof_from(log, note, SIZE)))
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda at: ask(witness, bodies[at % 2]), range(40)))
    granted = [(status, data) for status, data in answers if status == HTTPStatus.OK]
    assert len(granted) == 1
    sizes = {data for status, data in answers if status == HTTPStatus.CONFLICT}
    assert sizes in ({b"%d\n" % (SIZE + 2)}, {b"%d\n" % (SIZE + 4)})
    assert len(answers) - 1 == sum(status == HTTPStatus.CONFLICT for status, _ in answers)
    assert tmp_path.exists()


REFUSED: dict[str, tuple[int, bytes]] = {
    "rubbish": (400, b"\x16\x03\x01\x02\x00\x01\r\n\r\n"),
    "no version": (400, b"POST /add-checkpoint\r\n\r\n"),
    "HTTP/2": (400, b"PRI * HTTP/2.0\r\n\r\n"),
    "a folded header": (400, b"POST /add-checkpoint HTTP/1.1\r\nA: b\r\n c\r\n\r\n"),
    "a header without a colon": (400, b"POST / HTTP/1.1\r\nHost\r\n\r\n"),
    "a space before the colon": (400, b"POST / HTTP/1.1\r\nHost : a\r\n\r\n"),
    "a bare LF": (400, b"POST / HTTP/1.1\r\nHost: a\nB: c\r\n\r\n"),
    "a bare LF after many spaces": (400, b"POST / HTTP/1.1\r\na:" + b" " * 16_000 + b"\n\r\n\r\n"),
    "a bare CR": (400, b"POST / HTTP/1.1\r\nHost: a\rb\r\n\r\n"),
    "a NUL": (400, b"POST / HTTP/1.1\r\nHost: \0\r\n\r\n"),
    "two lengths": (400, posted(b"", "Content-Length: 5")),
    "a length with a sign": (400, b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: +5\r\n\r\nolds "),
    "chunks": (411, b"POST /add-checkpoint HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    "a body that is too large": (413, b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (LARGEST_REQUEST + 1)),
    "a body of a terabyte": (413, b"POST / HTTP/1.1\r\nContent-Length: 1000000000000\r\n\r\n"),
    "headers that are too long": (431, b"POST / HTTP/1.1\r\nA: " + b"b" * LARGEST_HEAD + b"\r\n\r\n"),
    "headers that never end": (431, b"POST / HTTP/1.1\r\nA: " + b"b" * (LARGEST_HEAD + LARGEST_REQUEST)),
    "another path": (404, posted(b"", "Connection: close", path="/log/add-checkpoint")),
    "another method": (405, b"GET /add-checkpoint HTTP/1.0\r\n\r\n"),
}


@pytest.mark.parametrize(("status", "sent"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_request_is_refused(status: int, sent: bytes, log: Path, witness: ServedWitness) -> None:
    """With its status, and the connection ends, since nobody knows where the next request would begin."""
    with connect(witness) as connection:
        connection.sendall(sent)
        answer = until_end(connection)
    assert answer.startswith(b"HTTP/1.1 %d " % status), answer
    assert b"\r\nConnection: close\r\n" in answer
    assert ask(witness, asking(log, 0))[0] == HTTPStatus.OK


def test_the_largest_request_is_read(witness: ServedWitness) -> None:
    """One byte less than too many is answered like every other body that is no request."""
    assert ask(witness, b"x" * LARGEST_REQUEST)[0] == HTTPStatus.BAD_REQUEST


def test_a_client_may_ask_before_it_sends(log: Path, witness: ServedWitness) -> None:
    """``Expect: 100-continue``, as curl does with long bodies."""
    body = asking(log, 0)
    head, _, _ = posted(body, "Expect: 100-continue", "Connection: close").partition(body)
    with connect(witness) as connection:
        connection.sendall(head)
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert until_end(connection).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize(
    "beginning", [b"", b"POST /add-check", posted(b"old 0\n")[:-1]], ids=["silent", "in the line", "in the body"]
)
def test_slow_clients_hold_up_nobody(beginning: bytes, log: Path, witness: ServedWitness) -> None:
    """More of them than there is room for: each newcomer takes the place of the one that waits the longest."""
    with ExitStack() as stack:
        slow = [stack.enter_context(connect(witness)) for _ in range(MOST_CONNECTIONS + 20)]
        for connection in slow:
            try:
                connection.sendall(beginning)
            except ConnectionError:
                # Its place was taken already.
                assert connection in slow[:21]
        assert ask(witness, asking(log, 0))[0] == HTTPStatus.OK
        assert ask(witness, asking(log, 0))[0] == HTTPStatus.CONFLICT


def test_a_burst_of_connections_gets_no_more_places_than_there_are(
    log: Path, witness: ServedWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each newcomer takes the place of another one, also of one that came at the same moment; then others are
    served.
    """
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 20)
    host, _, port = witness.url.removeprefix("http://").rpartition(":")
    with ExitStack() as stack, selectors.DefaultSelector() as ends:
        for _ in range(20 + 130):
            connection = stack.enter_context(socket.socket())
            connection.settimeout(0)
            connection.connect_ex((host, int(port)))
            ends.register(connection, selectors.EVENT_READ)
        closed = 0
        while closed < 130:
            ended = ends.select(timeout=60)
            assert ended, f"only {closed} were closed"
            for key, _ in ended:
                ends.unregister(key.fileobj)
            closed += len(ended)
        assert ask(witness, asking(log, 0))[0] == HTTPStatus.OK


def test_a_request_that_does_not_end_has_less_time_than_an_idle_client(
    witness: ServedWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that stays silent between two requests is still served when the other is gone."""
    asked = b"GET / HTTP/1.1\r\n\r\n"
    monkeypatch.setattr(server, "LONGEST_REQUEST", 1.0)
    with connect(witness) as idle, connect(witness) as slow:
        for connection in (idle, slow):
            connection.sendall(asked)
            assert connection.recv(1 << 16).endswith(b"a witness of the tests\n")
        slow.sendall(asked[:-1])
        assert until_end(slow) == b""
        idle.sendall(asked)
        assert idle.recv(1 << 16).startswith(b"HTTP/1.1 200 OK\r\n")


def test_nobody_whose_answer_is_being_made_loses_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """If there is no other place, the newcomer is sent away."""
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 1)
    asked, may_answer = Event(), Event()

    def add_checkpoint(_: bytes) -> Answer:
        asked.set()
        assert may_answer.wait(60)
        return Answer.words(HTTPStatus.OK, "late")

    with served_by(add_checkpoint) as url:
        witness = ServedWitness(url, LAB_KEY, [])
        with connect(witness) as busy:
            busy.sendall(posted(b"", "Connection: close"))
            assert asked.wait(60)
            with connect(witness) as newcomer, suppress(ConnectionResetError):
                assert newcomer.recv(1) == b""
            may_answer.set()
            assert until_end(busy).endswith(b"late\n")


def test_people_read_what_it_is(witness: ServedWitness) -> None:
    """At its address stands a text."""
    answer = urllib3.request("GET", f"{witness.url}/", retries=False)
    assert (answer.status, answer.data) == (200, b"a witness of the tests\n")
    assert urllib3.request("HEAD", f"{witness.url}/", retries=False).status == 200


def test_the_end_waits_for_nobody(log: Path, tmp_path: Path) -> None:
    """Connections that are open are closed, and nothing is complained about."""
    with serving_witness(tmp_path / "witness", KEY.verifier_key, str(log)) as witness:
        silent = connect(witness)
        assert ask(witness, asking(log, 0))[0] == HTTPStatus.OK
    with silent:
        try:
            assert silent.recv(1) == b""
        except ConnectionResetError:
            return
