"""PostgreSQL fails in other ways than going away: it fails over, is read-only, has no connection left, or is slow.

Each time calls get 503 with Retry-After or wait, a lock is answered as before, and play goes on by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import psycopg
import pytest

from api.settings import Server
from tests.oracles.whole_log import check_whole_log
from tests.support.postgres import PASSWORD, PostgresServer, postgres_server
from tests.support.proxy import Line, line_to
from tests.support.running_service import Answer, RunningService, running_service, wait_until

pytestmark = [
    pytest.mark.nightly("a server of its own, which fails", but="test_a_server_without_connections_left_is_named"),
    pytest.mark.slow,
    pytest.mark.one_database("names its own"),
]
DRAW, FLIGHT = "keno-1", "crash-1"
TABLES = {DRAW: "keno-express", FLIGHT: "crash"}
MOST_CONNECTIONS = 40


@pytest.fixture(scope="module")
def primary() -> Iterator[PostgresServer]:
    """A server that a test may fail, with few connections."""
    with postgres_server(max_connections=str(MOST_CONNECTIONS)) as made:
        yield made


@pytest.fixture(scope="module")
def line(primary: PostgresServer) -> Iterator[Line]:
    """What the service reaches the primary server by."""
    with line_to(primary.port) as made:
        yield made


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory, primary: PostgresServer, line: Line
) -> Iterator[RunningService]:
    """The real service."""
    address = primary.new_database().secret_address.replace(f":{primary.port}/", f":{line.port}/")
    folder = tmp_path_factory.mktemp("fails") / "data"
    with running_service(folder, TABLES, database=Server.parse(address)) as made:
        yield made


def refused(answer: Answer) -> None:
    """The answer that a call gets while the database cannot do its work."""
    assert (answer.status, answer.document["code"]) == (503, "storage-fails"), answer
    assert int(answer.headers["Retry-After"]) >= 1


@contextmanager
def a_round_during(service: RunningService) -> Iterator[int]:
    """A round is locked before the fault, locked again after it with the same answer, and revealed; then others are
    played.
    """
    number = service.next_round(FLIGHT)
    assert service.act(FLIGHT, number, "open").status == 200
    locked = service.act(FLIGHT, number, "lock")
    assert locked.status == 200
    yield number
    wait_until(service.is_ready, "the service to go on")
    again = service.act(FLIGHT, number, "lock")
    assert again.document == locked.document
    assert service.act(FLIGHT, number, "reveal").status == 200
    service.play(DRAW, service.next_round(DRAW))
    service.settle()
    told = {(FLIGHT, number): locked.document["outcome"]}
    check_whole_log(service.settings.log, service.key, told=told)
    assert "Traceback" not in service.output
    assert PASSWORD not in service.output


def notices(service: RunningService, *words: str) -> None:
    """Wait until the health check has a sentence with these words."""
    wait_until(lambda: not service.is_ready(), "the service to notice")
    service.says(*words)


def test_a_slow_server_makes_calls_slow(service: RunningService, line: Line) -> None:
    """Each packet takes a while, in both directions: every call is answered, with what it would say otherwise."""
    with a_round_during(service):
        line.delay = 0.05
        try:
            service.play(DRAW, service.next_round(DRAW))
        finally:
            line.delay = 0.0


def test_a_server_that_is_read_only_is_named(service: RunningService, primary: PostgresServer) -> None:
    """As an administrator or a provider sets it on a full disk: what is stored is read, and nothing is changed."""
    with a_round_during(service) as number:
        primary.set_for_all("default_transaction_read_only = on")
        try:
            notices(service, "is read-only")
            refused(service.post(f"/v1/engine/tables/{DRAW}/rounds/{service.next_round(DRAW)}/open"))
            refused(service.post(f"/v1/engine/tables/{FLIGHT}/rounds/{number}/reveal"))
            assert service.get(f"/v1/tables/{FLIGHT}/rounds/{number}").document["status"] == "locked"
        finally:
            primary.set_for_all("default_transaction_read_only = off")


def test_a_server_without_connections_left_is_named(service: RunningService, primary: PostgresServer) -> None:
    """Other programs have all of them: calls are refused, and the first connection that is free is used."""
    others = primary.new_database().secret_address
    own = b"FROM pg_stat_activity WHERE application_name = 'foredraw'"
    with a_round_during(service) as number, ExitStack() as taken, primary.administrator() as administrator:
        while take(taken, others) or administrator.execute(b"SELECT count(*) " + own).fetchone() != (0,):
            administrator.execute(b"SELECT pg_terminate_backend(pid) " + own)
        notices(service, "no connection left", "max_connections")
        refused(service.post(f"/v1/engine/tables/{FLIGHT}/rounds/{number}/reveal"))


def take(taken: ExitStack, address: str) -> bool:
    """Take a connection; false if there is none."""
    with suppress(psycopg.OperationalError):
        taken.callback(psycopg.connect(address).close)
        return True
    return False


def test_rounds_go_on_when_a_standby_takes_over(service: RunningService, primary: PostgresServer) -> None:
    """The primary server dies: until the standby takes over, nothing is changed, and nothing that was answered is
    lost.
    """
    assert service.database is not None
    assert service.stop() == 0
    with primary.standby() as standby:
        both = service.database.secret_address.replace("/service_", f",127.0.0.1:{standby.port}/service_")
        service.database = Server.parse(both)
        service.start()
        with a_round_during(service) as number:
            primary.stop(at_once=True)
            notices(service, "is read-only", "standby")
            refused(service.post(f"/v1/engine/tables/{FLIGHT}/rounds/{number}/reveal"))
            standby.promote()
        assert service.stop() == 0
    check_whole_log(service.settings.log, service.key)
