"""Calls that wait for publication, on the real service: they end in time, and delay nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from socket import create_connection

import pytest

from api.world.file_lock import FileLock
from tests.support.running_service import PATIENCE_SECONDS, RunningService, running_service, wait_until

MANY = 90
"""Simultaneous calls, to two processes with one thread each."""
LOCK = "/v1/engine/tables/keno-1/rounds/1/lock"
SLOW_BODY = b"POST /v1/engine/tables/keno-1/rounds/1/open HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with one table."""
    with running_service(tmp_path_factory.mktemp("waiting"), {"keno-1": "keno-express"}) as running:
        yield running


def test_calls_that_wait_hold_nobody_else_up(service: RunningService) -> None:
    """While nothing is published, every lock gets 202 and all others an answer at once; then all locks get one
    outcome.
    """
    assert service.act("keno-1", 1, "open").status == 200
    with ThreadPoolExecutor(MANY) as pool:
        with service.paused():
            calls = [pool.submit(service.post, LOCK) for _ in range(MANY)]
            answered = 0
            while not all(call.done() for call in calls):
                assert service.get("/v1/tables/keno-1/rounds/1").document["status"] in ("open", "locked")
                answered += 1
            assert {call.result().status for call in calls} == {202}
            assert all("outcome" not in call.result().document for call in calls)
            # If waiting locks delayed them, there would be time for only a few, before the first lock and after.
            assert answered >= 10
        answers = list(pool.map(lambda _: service.post(LOCK), range(MANY)))
    told = [answer.document["outcome"] for answer in answers if answer.status == 200]
    assert told
    revealed = service.act("keno-1", 1, "reveal").document["outcome"]
    assert all(outcome == revealed for outcome in told)


@pytest.mark.one_database("the lock of a file")
def test_a_write_that_waits_for_another_process_holds_nobody_up(service: RunningService) -> None:
    """While another program writes to the database, engines wait, and readers are answered."""
    path = f"tables/keno-1/rounds/{service.get('/v1/tables/keno-1').document['next_round']}"
    with ThreadPoolExecutor(MANY) as pool:
        with closing(FileLock(service.settings.write_lock)) as lock, lock.held():
            calls = [pool.submit(service.post, f"/v1/engine/{path}/open") for _ in range(MANY)]
            for _ in range(MANY):
                assert service.get(f"/v1/{path}").document["status"] == "committed"
            assert not any(call.done() for call in calls)
        assert {call.result().status for call in calls} == {200}


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HTTP/1.1\r\n", SLOW_BODY], ids=["nothing", "half a head", "half a body"]
)
def test_callers_who_never_end_hold_nobody_up(service: RunningService, sent: bytes) -> None:
    """Slow connections, many times more than there are processes."""
    with ExitStack() as connections:
        for _ in range(MANY):
            for port in (service.port, service.engine_port):
                slow = connections.enter_context(create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS))
                slow.sendall(sent)
        for _ in range(MANY):
            assert service.get("/v1/tables/keno-1").status == 200


@pytest.mark.nightly("a service of its own")
def test_a_service_that_stops_waits_for_nobody_who_is_silent(tmp_path: Path) -> None:
    """Idle connections are closed, without a message to the operator."""
    with running_service(tmp_path / "data", {"keno-1": "keno-express"}) as running, ExitStack() as connections:
        # The service answers a moment before it prints its address.
        wait_until(lambda: f"audit {running.url}" in running.output, "the service to print how its log is audited")
        said = running.output
        kept = [HTTPConnection("127.0.0.1", running.port, timeout=PATIENCE_SECONDS) for _ in range(8)]
        for connection in kept:
            connections.callback(connection.close)
            connection.request("GET", "/v1/tables")
            assert connection.getresponse().read()
        assert running.stop() == 0
        assert all(connection.sock.recv(1) == b"" for connection in kept)
        assert running.output.removeprefix(said).splitlines() == [
            "Foredraw has stopped; the next start goes on where it was."
        ]
