"""``foredraw sequence`` and ``foredraw serve --api-only``: a service in two programs, which end apart, on one machine
or on two.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copy2

import pytest
import urllib3

from api.world.supervision import ENGINES_API, PUBLIC_API
from tests.support.postgres import PostgresServer
from tests.support.running_service import (
    PATIENCE_SECONDS,
    RunningService,
    family_of,
    initialised,
    kill,
    wait_until,
    what_fails,
)

pytestmark = pytest.mark.nightly(
    "services whose programs are apart", but="test_listeners_and_sequencer_are_one_service[sqlite]"
)


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
            assert service.children().keys() == {ENGINES_API, PUBLIC_API}
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


def test_listeners_need_nothing_of_the_sequencers_folder(tmp_path: Path, postgres: PostgresServer) -> None:
    """A folder of their own with two keys and the log: they are ready while a sequencer works, and only then, and
    play rounds.
    """
    made = initialised(
        tmp_path / "sequencer",
        {"keno-1": "keno-express"},
        database=postgres.new_database(),
        seeds=postgres.new_database(),
    )
    folder = tmp_path / "listeners"
    (folder / "keys").mkdir(parents=True)
    for key in (made.settings.verifier_key, made.settings.seeds_key):
        copy2(key, folder / "keys")
    (folder / "log").symlink_to(made.settings.log)
    service = RunningService(
        folder, made.token, made.batch_size, ("--api-only",), database=made.database, variables=made.variables
    )
    assert not service.settings.signing_key.exists()
    try:
        with sequencer(made) as first:
            service.start()
            service.settle()
            service.play("keno-1", 1)
            first.terminate()
            assert first.wait(PATIENCE_SECONDS) == 0
            wait_until(lambda: trouble(service) is not None, "the listeners to miss the sequencer")
            assert "gives no sign of life" in str(trouble(service))
        assert service.stop() == 0
        # What the one that ended has left in the database is no life.
        service.launch()
        wait_until(lambda: answers(service), "the listeners to answer")
        assert "gives no sign of life" in str(trouble(service))
        with sequencer(made):
            wait_until(lambda: trouble(service) is None, "the listeners to find the next sequencer")
            service.play("keno-1", 2)
            assert service.stop() == 0
        assert not (folder / "background.lock").exists()
        assert not (made.folder / "follower.alive").exists()
    finally:
        service.clean_up()


def answers(service: RunningService) -> bool:
    """Whether the public's listener is there."""
    try:
        return service.get("/health/live", note=False).status == 200
    except urllib3.exceptions.HTTPError:
        return False


def trouble(service: RunningService) -> str | None:
    """What the listeners say is wrong with the background program."""
    document = service.get("/health/ready", note=False).document
    wrong = [why for why in what_fails(document) if "background program" in why]
    assert bool(wrong) is (document["checks"]["background"]["status"] == "failing")
    return wrong[0] if wrong else None
