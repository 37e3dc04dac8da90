"""The databases that tests of the service run on, and the services that they change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from api.settings import Server
from tests.support import databases
from tests.support.in_process_service import InProcessService
from tests.support.postgres import ENGINES, PostgresServer, postgres_server
from tests.support.shared_services import SharedServices


@pytest.fixture(scope="session", autouse=True)
def _database_of_services(request: pytest.FixtureRequest) -> Iterator[None]:
    """A server of their own, started by the first service, if the option asks for one."""
    with ExitStack() as stack:
        if request.config.getoption("database") == "postgresql":
            databases.use(lambda: stack.enter_context(postgres_server()))
        yield


@pytest.fixture(scope="session")
def shared_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServices]:
    """The services that files share, started by the first of them."""
    services = SharedServices(lambda: tmp_path_factory.mktemp("shared") / "data")
    yield services
    services.stop()


@pytest.fixture(scope="module", autouse=True)
def _databases_end(request: pytest.FixtureRequest, shared_service: SharedServices) -> Iterator[None]:
    """Those of a file's services are dropped with its last test."""
    yield
    if request.config.getoption("database") == "postgresql":
        # The shared service has one of them.
        shared_service.stop()
    databases.drop_all()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The PostgreSQL of this process's tests."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="module")
def database(server: PostgresServer | None) -> Server | None:
    """A new database of that server, for the one service of a file."""
    return None if server is None else server.new_database()


@pytest.fixture(scope="module", params=ENGINES)
def server(request: pytest.FixtureRequest) -> PostgresServer | None:
    """Where a service has its database, once for each engine: a PostgreSQL, or none, for the SQLite file of its
    folder.
    """
    if request.param == "sqlite":
        return None
    found: PostgresServer = request.getfixturevalue("postgres")
    return found


@pytest.fixture
def running(base: InProcessService, tmp_path: Path) -> Iterator[InProcessService]:
    """A copy of the service that a file makes once, as its fixture `base`; stopped, for a test to change."""
    made = base.copy(tmp_path / "data")
    yield made
    made.stop()
