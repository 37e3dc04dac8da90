"""SIGKILL before and after each step that makes something durable, each by its name, with SQLite.

The table is complete: a new place in the service that makes something durable fails a test until it has a name there,
or until `ELSEWHERE` names what tests it. Each point was really reached, because only SIGKILL ends the process well.
"""

from __future__ import annotations

import pytest

from tests.support.crash_points import places
from tests.support.durable_steps import BUCKET, ELSEWHERE, POINTS, kill_and_check, played
from tests.support.faulty_world import When
from tests.support.in_process_service import InProcessService

pytestmark = [pytest.mark.one_database("test_crash_points_postgres is the same on a server")]


def test_every_place_that_makes_something_durable_has_a_name() -> None:
    """The source is read: nothing is missing, nothing is named that is not there, and nothing twice."""
    named = [point.place for point in (*POINTS.values(), *BUCKET.values())]
    assert len(set(named)) == len(named)
    assert not set(named) & set(ELSEWHERE)
    assert {*named, *ELSEWHERE} == places()


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A service, stopped, whose copies are killed."""
    return played(tmp_path_factory.mktemp("killed") / "data")


@pytest.mark.lattice
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", POINTS)
def test_a_kill_loses_nothing_and_leaks_nothing(name: str, when: When, running: InProcessService) -> None:
    """At once the published log passes its audit; after a start all rounds go on, none lost or doubled."""
    kill_and_check(running, POINTS[name], when)
