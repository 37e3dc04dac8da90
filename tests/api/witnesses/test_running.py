"""The real service and its witnesses, one of them ours, which replays every record before it cosigns."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import urllib3

from api.problems import Code
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from tests.support.http import is_problem
from tests.support.our_witness import LAB_KEY, serving_witness
from tests.support.running_service import Answer, RunningService, family_of, initialised, kill, wait_until
from tests.support.witness_server import LocalWitness, away, listening
from tests.support.witnesses import PRESS
from verifier.cli import main

TABLES = {"keno-1": "keno-express", "crash-1": "crash"}


@dataclass
class Running:
    """The service, its policy, and the witness that can be told to misbehave."""

    service: RunningService
    policy: Path
    press: LocalWitness

    @property
    def head(self) -> Head:
        """The published checkpoint, which must have the quorum."""
        return Head.open(
            (self.service.settings.log / "checkpoint").read_bytes(), Policy.parse(self.policy.read_bytes())
        )


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[Running]:
    service, policy = initialised(tmp_path / "data", TABLES), tmp_path / "policy"
    service.variables = {"FOREDRAW_POLICY": str(policy)}
    press = LocalWitness(PRESS, lambda: int(time.time()))
    press.log = service.key
    with (
        listening(press),
        serving_witness(tmp_path / "witness", service.key, str(service.settings.log)) as lab,
    ):
        lines = [f"log {service.key}", f"witness lab {LAB_KEY.key} {lab.url}"]
        lines += [f"witness press {PRESS.key} {press.url}", "group both all lab press", "quorum both", ""]
        policy.write_text("\n".join(lines), encoding="utf-8")
        try:
            service.start()
            service.settle()
            yield Running(service, policy, press)
        finally:
            service.clean_up()


def test_rounds_are_played_wait_and_go_on(running: Running) -> None:
    """With both witnesses; while one is away; when it is back; after every process was killed; and an audit holds."""
    service = running.service
    service.play("keno-1", 1)
    service.play("crash-1", 1)
    assert [each.witness.name for each in running.head.cosigned] == ["lab", "press"]

    running.press.behaves = away
    assert service.post("/v1/engine/tables/keno-1/rounds/2/open").status == 200
    pending = service.post("/v1/engine/tables/keno-1/rounds/2/lock")
    assert pending.status == 202
    assert "outcome" not in pending.document
    wait_until(lambda: service.get("/health/ready").status == 503, "the witnesses to be missed")
    refused = service.post("/v1/engine/tables/crash-1/rounds/2/open")
    is_problem(refused, Code.WITNESSES_AWAY)
    assert (refused.status, refused.document["retry_after"]) == (503, 2)
    assert "press: it hung up" in refused.document["detail"]

    for pid in family_of(service.process.pid):
        kill(pid, signal.SIGKILL)
    service.ended()
    service.hang_up()
    service.launch()
    # Each listens when it has loaded.
    wait_until(
        lambda: _status(lambda: service.post("/v1/engine/tables/crash-1/rounds/2/open")) == 503,
        "the engines' listener",
    )
    wait_until(lambda: _status(lambda: service.get("/health/ready")) == 503, "the public's listener")

    running.press.behaves = LocalWitness.answer
    wait_until(service.is_ready, "the witness")
    assert service.act("keno-1", 2, "lock").status == 200
    assert service.act("keno-1", 2, "reveal").status == 200
    for number in (2, 3, 4):
        service.play("crash-1", number)
    service.settle()
    assert running.head.checkpoint.size == service.checkpoint().size
    assert service.stop() == 0
    assert main(["audit", str(service.settings.log), "--policy", str(running.policy)]) == 0


def _status(call: Callable[[], Answer]) -> int:
    try:
        return call().status
    except urllib3.exceptions.HTTPError:
        return 0


@pytest.mark.nightly("starts the service several times")
@pytest.mark.one_database("everything is a file")
def test_an_old_backup_is_noticed_at_the_start(running: Running, tmp_path: Path) -> None:
    """Everything in the folder is as old, so that only the witnesses know better: the service stops, and says why."""
    service = running.service
    assert service.stop() == 0
    shutil.copytree(service.folder, tmp_path / "backup")
    service.start()
    service.play("keno-1", 1)
    assert service.stop() == 0
    shutil.rmtree(service.folder)
    shutil.copytree(tmp_path / "backup", service.folder)
    service.launch()
    assert service.ended() == 1
    assert "old backup" in service.output
    assert "Traceback" not in service.output
