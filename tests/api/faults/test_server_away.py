"""PostgreSQL goes away under the running service: calls say so, nothing is lost, and play goes on by itself."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.oracles.whole_log import check_whole_log
from tests.support.postgres import PASSWORD, PostgresServer, postgres_server
from tests.support.running_service import RunningService, initialised, running_service, wait_until

pytestmark = [
    pytest.mark.nightly(
        "a server of its own, which goes away", but="test_listeners_that_cannot_open_the_custodians_store_say_why"
    ),
    pytest.mark.slow,
    pytest.mark.one_database("names its own"),
]
DRAW, FLIGHT = "keno-1", "crash-1"


@pytest.fixture
def own() -> Iterator[PostgresServer]:
    """A server that a test may stop."""
    with postgres_server() as made:
        yield made


@pytest.fixture
def service(tmp_path: Path, own: PostgresServer) -> Iterator[RunningService]:
    """The real service with its database there."""
    tables = {DRAW: "keno-express", FLIGHT: "crash"}
    with running_service(tmp_path / "data", tables, database=own.new_database()) as made:
        yield made


def test_play_goes_on_when_the_server_is_back(service: RunningService, own: PostgresServer) -> None:
    """It is stopped, and it crashes: calls get 503 with Retry-After, the log is read, and a lock is answered as
    before.
    """
    service.play(DRAW, 1)
    told = {}
    for number, at_once in ((1, False), (2, True)):
        assert service.act(FLIGHT, number, "open").status == 200
        locked = service.act(FLIGHT, number, "lock")
        assert locked.status == 200
        own.stop(at_once=at_once)
        wait_until(lambda: not service.is_ready(), "the service to notice")
        for answer in (
            service.post(f"/v1/engine/tables/{DRAW}/rounds/2/open"),
            service.post(f"/v1/engine/tables/{FLIGHT}/rounds/{number}/lock"),
            service.get(f"/v1/tables/{DRAW}/rounds"),
            service.get("/v1/live"),
        ):
            assert (answer.status, answer.document["code"]) == (503, "storage-fails"), answer
            assert int(answer.headers["Retry-After"]) >= 1
        assert any("cannot be reached" in why and "Start PostgreSQL" in why for why in service.wrong)
        assert service.get("/log/checkpoint").status == 200
        own.start()
        wait_until(service.is_ready, "the service to go on")
        again = service.act(FLIGHT, number, "lock")
        assert again.document == locked.document
        told[FLIGHT, number] = again.document["outcome"]
        assert service.act(FLIGHT, number, "reveal").status == 200
    service.play(DRAW, 2)
    service.settle()
    assert service.stop() == 0
    check_whole_log(service.settings.log, service.key, checkpoints=[], told=told)
    assert "Traceback" not in service.output
    assert "CRITICAL the sequencer waits: the database 127.0.0.1" in service.output
    assert "the sequencer is at work again" in service.output
    assert PASSWORD not in service.output


@pytest.mark.parametrize("lock", ["LOCK TABLE tables IN EXCLUSIVE MODE", "SELECT name FROM tables FOR UPDATE"])
def test_health_says_that_another_program_holds_the_database(
    service: RunningService, own: PostgresServer, lock: str
) -> None:
    """A call that waited for it is refused, health says why, and play goes on when that transaction ends."""
    assert service.database is not None
    with own.administrator(service.database.name) as other, other.transaction():
        other.execute(lock.encode())
        with ThreadPoolExecutor(1) as pool:
            opened = pool.submit(service.post, f"/v1/engine/tables/{DRAW}/rounds/1/open")
            service.says("is held by another program", "End that program")
            assert opened.result().status == 503
        assert service.get("/health/ready", note=False).status == 503
    wait_until(service.is_ready, "the service to go on")
    service.play(DRAW, 1)
    assert "Traceback" not in service.output


def test_a_start_without_the_server_ends_with_a_sentence(service: RunningService, own: PostgresServer) -> None:
    """As with a disk that fails, the supervisor starts it again, and the reason is in the messages, without the
    password.
    """
    service.stop()
    own.stop()
    service.launch()
    assert service.ended() == 1
    for program in (service.foredraw("table", "list"), service.foredraw("token", "list")):
        assert program.returncode == 1
        assert "cannot be reached" in program.stderr
        assert PASSWORD not in program.stderr
        assert "Traceback" not in program.stderr
    assert "cannot be reached" in service.output
    assert "Traceback" not in service.output
    assert PASSWORD not in service.output
    own.start()
    service.start()
    service.play(DRAW, 1)
    assert service.stop() == 0


def test_listeners_that_cannot_open_the_custodians_store_say_why(tmp_path: Path, own: PostgresServer) -> None:
    """In one line, which gunicorn would turn into its traceback of a worker."""
    service = initialised(
        tmp_path / "data", {DRAW: "keno-express"}, options=("--api-only",), seeds=own.new_database()
    )
    try:
        own.stop()
        service.launch()
        assert service.ended() == 1
    finally:
        service.clean_up()
        own.start()
    assert "the custodian's store: the database 127.0.0.1" in service.output
    assert "Traceback" not in service.output
    assert PASSWORD not in service.output
