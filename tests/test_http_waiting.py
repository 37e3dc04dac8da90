"""Calls that wait for publication, on the real service: they end in time, and leave threads for everybody else."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.running_service import RunningService, running_service

MANY = 90
"""More calls than the service has threads."""
LOCK = "/v1/tables/keno-1/rounds/1/lock"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with one table."""
    with running_service(tmp_path_factory.mktemp("waiting"), {"keno-1": "keno-express"}) as running:
        yield running


def test_calls_that_wait_leave_threads_for_the_others(service: RunningService) -> None:
    """While nothing is published every lock gets 202, anybody else an answer at once; then all learn one outcome."""
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
            # Behind waiting locks there would be time for as many as there are waves of them: two.
            assert answered >= 10
        answers = list(pool.map(lambda _: service.post(LOCK), range(MANY)))
    told = [answer.document["outcome"] for answer in answers if answer.status == 200]
    assert told
    revealed = service.act("keno-1", 1, "reveal").document["outcome"]
    assert all(outcome == revealed for outcome in told)
