"""SIGKILL before and after each step of `POINTS`, with PostgreSQL: a file of its own, so that it runs beside the
other.
"""

from __future__ import annotations

import pytest

from tests.support.durable_steps import POINTS, kill_and_check, played
from tests.support.faulty_world import When
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer

pytestmark = [pytest.mark.one_database("names its own")]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer) -> InProcessService:
    """A service, stopped, whose copies are killed."""
    return played(tmp_path_factory.mktemp("killed") / "data", server=postgres)


@pytest.mark.lattice
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", POINTS)
def test_a_kill_loses_nothing_and_leaks_nothing(name: str, when: When, running: InProcessService) -> None:
    """At once the published log passes its audit; after a start all rounds go on, none lost or doubled."""
    kill_and_check(running, POINTS[name], when)
    # Dozens of databases would fill the memory that they are in.
    running.remove()
