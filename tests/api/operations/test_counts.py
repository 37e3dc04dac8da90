"""What an operator is alarmed by, at `/metrics`: counts of all processes, and parts that fail; labels are bounded."""

from __future__ import annotations

from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from api.access.tokens import Role, create_token
from api.operations.counts import BOUNDS, Counts, counts
from api.problems import Code
from api.server.app import create_app
from api.world.shared_count import PLACES
from tests.support.http import spoken
from tests.support.in_process_service import InProcessService
from tests.support.running_service import RunningService, running_service
from tests.support.tokens import UNKNOWN

DRAW = "keno-1"


def figures(service: RunningService, token: str) -> dict[tuple[str, ...], float]:
    """The content of ``/metrics`` by name and labels, as Prometheus reads it."""
    answer = service.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert answer.status == 200
    families = text_string_to_metric_families(answer.data.decode())
    return {(sample.name, *sample.labels.values()): sample.value for each in families for sample in each.samples}


@pytest.mark.nightly("a service of its own")
def test_calls_of_all_processes_are_counted(tmp_path: Path) -> None:
    """Locks of the engines' processes and refusals of both listeners, read from a process of the public."""
    with running_service(tmp_path / "data", {DRAW: "keno-express"}) as service:
        done = service.foredraw("token", "create", "ani", "--role", "operator", "--all-tables")
        token = next(word for word in done.stdout.split() if word.startswith("fdo_"))
        for number in range(1, 6):
            service.play(DRAW, number)
        # A repetition is told the same outcome, and locks nothing.
        service.act(DRAW, 6, "open")
        for _ in range(3):
            service.act(DRAW, 6, "lock")
        assert service.act(DRAW, 6, "void", {"reason": "engine failure"}).status == 200
        for _ in range(2):
            assert service.act(DRAW, 9, "lock").document["code"] == "out-of-order"
            assert service.get("/v1/tables/nowhere").document["code"] == "unknown-table"
        assert service.post(f"/v1/engine/tables/{DRAW}/rounds/7/open", token=UNKNOWN).status == 401
        spoken(service.port, b"GET / HTTP/1.1\r\nno header\r\n\r\n")
        service.settle()
        seen = figures(service, token)
    assert seen["foredraw_lock_seconds_count",] == seen["foredraw_lock_seconds_bucket", "+Inf"] == 6
    assert 0 < seen["foredraw_lock_seconds_sum",] < 60
    buckets = [seen["foredraw_lock_seconds_bucket", str(bound)] for bound in BOUNDS]
    assert buckets == sorted(buckets)
    refused = {labels[0]: value for (name, *labels), value in seen.items() if name == "foredraw_refusals_total"}
    assert refused.keys() == {code.text for code in Code}
    # `serve` asks the engines' listener without a token until it answers.
    assert {code: value for code, value in refused.items() if value and code != "no-token"} == {
        "out-of-order": 2,
        "unknown-table": 2,
        "unknown-token": 1,
    }
    assert seen["foredraw_malformed_requests_total",] == 1
    ended = {
        labels[1]: value for (name, *labels), value in seen.items() if name == "foredraw_table_ended_rounds_total"
    }
    assert ended == {"played": 5, "void-never-opened": 0, "void-opened": 0, "void-locked": 1}
    assert seen["foredraw_table_lead", DRAW] == 2
    assert seen["foredraw_table_playable_seconds", DRAW] > 0
    assert seen["foredraw_log_disk_free_bytes",] > 0
    assert [key for key, value in seen.items() if key[0] == "foredraw_failing" and value] == []


def test_a_part_that_fails_is_a_figure(tmp_path: Path) -> None:
    """Without its background program, in one process: that one, and no other."""
    running = InProcessService.create(tmp_path / "data", tables=[(DRAW, "keno-express")])
    token = create_token(running.service.database, running.clock, "ani", Role.OPERATOR, ["*"])
    answer = create_app(running.service).test_client().get("/metrics", headers={"Authorization": f"Bearer {token}"})
    lines = [line for line in answer.text.splitlines() if line.startswith("foredraw_failing{")]
    assert [line for line in lines if line.endswith(" 1")] == ['foredraw_failing{part="background"} 1']
    assert len(lines) == 10
    running.stop()


def test_a_lock_without_an_outcome_is_above_all_bounds() -> None:
    """However short the call was; one at a bound is within it."""
    locks = Counts().locks
    locks.observe(0.001, in_time=False)
    locks.observe(BOUNDS[2])
    locks.observe(BOUNDS[-1] + 0.001)
    assert locks.cumulated() == [0, 0, *[1] * (len(BOUNDS) - 2), 3]
    assert locks.seconds == pytest.approx(BOUNDS[2] + BOUNDS[-1] + 0.002)


def test_all_counts_have_a_place() -> None:
    """Fewer than the shared memory has room for."""
    made = counts()
    assert 1 + len(made.refusals) + len(BOUNDS) + 2 <= PLACES
