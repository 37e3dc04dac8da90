"""`/health/ready`: which failures keep callers from the service, and which are only reported."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import pytest

from api.operations.health import SALTER_SECONDS, Health
from api.server.app import create_app
from api.world.clock import RELEASED
from api.world.statuses import write_status
from fairness.manifest import SERVICE, manifest_of_running
from fairness.version import VERSION
from tests.support.in_process_service import InProcessService


@pytest.mark.parametrize(
    ("part", "status"),
    [
        ("database", 503),
        ("custodian", 503),
        ("log", 503),
        ("background", 503),
        ("clock", 503),
        ("beacon", 200),
        ("witnesses", 503),
        ("policy", 200),
        ("entropy", 200),
        ("software", 503),
    ],
)
def test_only_what_stops_play_makes_a_service_unready(tmp_path: Path, part: str, status: int) -> None:
    """Without pulses, tables without a salt and rounds that are salted already play on."""
    running = InProcessService.create(tmp_path / "data")
    failures = dict.fromkeys(running.service.health.failures()) | {part: "what is wrong"}
    with patch.object(Health, "failures", lambda _: failures):
        answer = create_app(running.service).test_client().get("/health/ready")
    running.stop()
    well = {"status": "ok"}
    assert answer.status_code == status
    assert answer.get_json() == {
        "status": "ready" if status == 200 else "not-ready",
        "version": VERSION,
        "manifest": manifest_of_running(SERVICE),
        "checks": dict.fromkeys(failures, well) | {part: {"status": "failing", "message": "what is wrong"}},
    }


def test_a_salter_that_hangs_or_fails_is_reported(tmp_path: Path) -> None:
    """Its own alarm is raised in its turns, so one that hangs in a turn raises none."""
    running = InProcessService.create(tmp_path / "data")
    service = running.service
    status = service.settings.heartbeat_of("salter")
    write_status(status, service.timekeeper, None)
    assert service.health.failures()["beacon"] is None
    running.clock.step(SALTER_SECONDS)
    assert "the salter gives no sign of life" in (service.health.failures()["beacon"] or "")
    write_status(status, service.timekeeper, "the disk is full")
    assert service.health.failures()["beacon"] == "the salter: the disk is full"
    running.stop()


def test_a_clock_that_was_never_set_is_reported(tmp_path: Path) -> None:
    """The service may run already when the machine's date falls back to 1970."""
    running = InProcessService.create(tmp_path / "data")
    health = running.service.health
    assert health.failure("clock") is None
    running.clock.date = datetime(1970, 1, 1, tzinfo=UTC)
    assert "the clock of this machine shows 1970-01-01" in str(health.failure("clock"))
    running.clock.date = RELEASED
    assert health.failure("clock") is None
    running.stop()
