"""``foredraw sequence`` and ``foredraw serve --api-only``: a service in two programs, which end apart."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from api.programs.serve import ENGINE_APP, PUBLIC_APP
from tests.support.postgres import PostgresServer
from tests.support.running_service import PATIENCE_SECONDS, RunningService, family_of, initialised, kill


@contextmanager
def sequencer(service: RunningService, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """``foredraw sequence`` on the folder of a service."""
    with service.output_path.open("ab") as output:
        started = subprocess.Popen(
            [sys.executable, "-m", "api.programs.cli", "--data", str(service.folder), "sequence", *options],
            env=service.environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        yield started
    finally:
        if started.poll() is None:
            for pid in family_of(started.pid):
                kill(pid, 9)
        started.wait(PATIENCE_SECONDS)


def test_listeners_and_sequencer_are_one_service(tmp_path: Path, server: PostgresServer | None) -> None:
    """Rounds are played over the listeners, which go on while the sequencer is exchanged; each ends by itself."""
    database = None if server is None else server.new_database()
    service = initialised(tmp_path / "data", {"keno-1": "keno-express"}, options=("--api-only",), database=database)
    try:
        with sequencer(service) as first:
            service.start()
            assert service.children().keys() == {ENGINE_APP, PUBLIC_APP}
            service.settle()
            service.play("keno-1", 1)
            first.terminate()
            assert first.wait(PATIENCE_SECONDS) == 0
        assert service.get("/v1/tables/keno-1").status == 200
        with sequencer(service) as second:
            service.play("keno-1", 2)
            assert service.stop() == 0
            assert second.poll() is None
        assert service.replay()["keno-1"].next_round == 3
    finally:
        service.clean_up()
