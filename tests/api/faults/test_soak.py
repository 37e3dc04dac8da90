"""A short soak, and that a long one would notice what it looks for; ``make soak`` is the long one."""

from __future__ import annotations

import random
import socket
import struct
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import BaseRequestHandler, TCPServer, ThreadingTCPServer
from typing import cast

import pytest
import urllib3

from fairness.log.checkpoints import Checkpoint
from tests.soak.faults import Faults, Moments
from tests.soak.memory import Memory
from tests.soak.run import Size, soak
from tests.soak.watchers import Watchers
from tests.support import kept_connections
from tests.support.dishonest_operator import KEY
from tests.support.engine import Engine, UnexpectedError
from tests.support.kept_connections import EndedInSilence
from tests.support.postgres import ENGINES
from tests.support.running_service import Answer, RunningService, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.one_database("runs on both")]


@pytest.mark.nightly("a soak, if a short one")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_short_soak_finds_nothing_wrong(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Engines, watchers and an auditor go on through faults; in the end everything is checked."""
    size = Size(seconds=8, engines=4, watchers=20, pace=0.2, between_faults=1, timeout=2, workers=1)
    assert soak(size, 1, engine) == []
    assert "faults: nothing" not in capsys.readouterr().out


class _Notes(BaseHTTPRequestHandler):
    notes: Iterator[bytes]

    def do_GET(self) -> None:
        """Answer with the next note."""
        note = next(self.notes)
        self.send_response(200)
        self.send_header("Content-Length", str(len(note)))
        self.end_headers()
        self.wfile.write(note)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def watched_until_wrong(server: TCPServer, readers: int) -> Watchers:
    """What so many readers of a server have found when something of it was wrong."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    watchers = Watchers(f"http://127.0.0.1:{server.server_address[1]}/log", KEY.verifier_key, readers, 0.0)
    watchers.start()
    try:
        wait_until(lambda: bool(watchers.wrong), "the watchers to notice")
    finally:
        watchers.stopping.set()
        watchers.join()
        server.shutdown()
        thread.join()
    return watchers


@pytest.mark.parametrize(
    ("heads", "words"),
    [
        ([(8, b"a"), (7, b"b")], "a checkpoint of 7 records, after 8"),
        ([(8, b"a"), (8, b"b")], "a checkpoint of 8 records, after 8"),
        ([(8, b"a"), None], "a checkpoint that is none"),
    ],
)
def test_a_watcher_notices_a_log_that_is_another(heads: list[tuple[int, bytes] | None], words: str) -> None:
    """It shrinks, has two roots for one size, or is not signed."""
    notes = [b"no note" if head is None else Checkpoint(KEY.name, head[0], head[1] * 32).sign(KEY) for head in heads]
    handler = type("Handler", (_Notes,), {"notes": iter(notes + [notes[-1]] * 1000), "protocol_version": "HTTP/1.1"})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        watchers = watched_until_wrong(server, 1)
    assert words in watchers.wrong[0]


ANSWERS = {
    "nothing": b"",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-",
    "a line without a colon": b"HTTP/1.1 200 OK\r\nTraceback\r\n\r\n",
    "no status": b"x\r\n\r\n",
    "an error": b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 5\r\n\r\nhello",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_watchers_that_cannot_read_are_wrong(answer: bytes) -> None:
    """Whatever comes instead of a checkpoint; without a fault a connection must not fail, either."""

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(4096)
            self.request.sendall(answer)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        watchers = watched_until_wrong(server, 3)
    assert watchers.readings == 0


class _Fails:
    """A service whose calls end like this, as an engine calls it."""

    def __init__(self, ending: Exception | Answer) -> None:
        self._ending = ending

    def get(self, *_: object, **__: object) -> Answer:
        """Fail."""
        if isinstance(self._ending, Exception):
            raise self._ending
        return self._ending


FAILURES = {
    "an error": Answer("GET", "/", 500, {}, b'{"code": "internal"}'),
    "no document": Answer("GET", "/", 200, {}, b"<html>"),
    "another document": Answer("GET", "/", 200, {}, b"{}"),
    "no connection": urllib3.exceptions.ProtocolError("reset"),
}


@pytest.mark.parametrize("ending", FAILURES.values(), ids=FAILURES)
def test_an_engine_that_cannot_play_is_wrong(ending: Exception | Answer) -> None:
    """It ends, and says so; during a fault it would repeat a call that fails."""
    engine = Engine(cast("RunningService", _Fails(ending)), "crash-1", outages=True, excuse=lambda _: False)
    engine.start()
    engine.join()
    assert len(engine.wrong) == 1


class _EndsFirst:
    """A service whose first call meets the end of a connection that was silent for long; there is no second call."""

    def __init__(self) -> None:
        self._endings = iter([EndedInSilence(30.0, ConnectionResetError())])

    def get(self, *_: object, **__: object) -> Answer:
        """Fail."""
        raise next(self._endings, UnexpectedError("a second call"))


def test_an_engine_repeats_a_call_that_met_the_end_of_a_silent_connection() -> None:
    """Nobody has read it, and docs/http.md demands it of every engine; it needs no fault."""
    engine = Engine(cast("RunningService", _EndsFirst()), "crash-1", outages=True, excuse=lambda _: False)
    engine.start()
    engine.join()
    assert [str(each) for each in engine.wrong] == ["a second call"]
    assert engine.repeated == 1


class _Once(BaseRequestHandler):
    """Answers one request of each connection, and resets it when the next arrives."""

    def handle(self) -> None:
        """Answer, and close with what has arrived unread."""
        self.request.recv(4096)
        self.request.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
        self.request.recv(1)
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class _LeavesConnections(ThreadingTCPServer):
    daemon_threads = True


@pytest.mark.parametrize(("silence", "kind"), [(0.0, EndedInSilence), (60.0, urllib3.exceptions.ProtocolError)])
def test_only_a_connection_that_was_silent_for_long_may_end(
    silence: float, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that ends soon after an answer is what a service may not do, and neither is one that never answered."""
    monkeypatch.setattr(kept_connections, "_SILENT_FOR_LONG", silence)
    with _LeavesConnections(("127.0.0.1", 0), _Once) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        pool = kept_connections.kept_connections(size=1, timeout=60.0)
        try:
            url = f"http://127.0.0.1:{server.server_address[1]}/"
            assert pool.request("GET", url).status == 204
            with pytest.raises(urllib3.exceptions.ProtocolError) as ended:
                pool.request("GET", url)
            assert type(ended.value) is kind
            # The next one is a new connection, by the same pool.
            assert pool.request("GET", url).status == 204
        finally:
            server.shutdown()
            thread.join()


def test_a_fault_excuses_what_fails_during_it_and_shortly_after() -> None:
    """And what was sound before it and is found broken later; but nothing that began long after it."""
    faults = Faults((), (), Moments(random.Random(1)))
    assert not faults.excuse(time.monotonic())
    faults._under_way = True
    assert faults.excuse(time.monotonic())
    faults._over, faults._under_way = 1000.0, False
    assert [faults.excuse(since) for since in (900.0, 1000.0, 1009.0, 1011.0)] == [True, True, True, False]


def test_growing_memory_is_seen() -> None:
    """By how much in the measured half, and how fast; what ran before does not count."""
    memory = Memory({1: [(float(second), 100.0 + second) for second in range(0, 3600, 10)], 2: [(0.0, 50.0)]})
    assert memory.lasting(1800) == [1]
    assert memory.slope(1, 1800) == pytest.approx(3600)
    assert 1200 < memory.growth(1, 1800) < 1500
