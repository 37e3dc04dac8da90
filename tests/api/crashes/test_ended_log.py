"""A service that dies while its log ends: nothing stands behind the last record, and the same command finishes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.restore.succession import end_log
from fairness.log.notes import SigningKey
from fairness.records.succession import successor_named
from tests.support.crash_points import dies_at
from tests.support.faulty_world import When
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer
from tests.support.scenarios import fail_each, kinds
from tests.support.succession import played_and_closed, records_of
from tests.tiers.selection import Lattice
from verifier.audit.audit import audit_log
from verifier.sources.source import FolderSource

NEXT = SigningKey("fore.example/next", bytes(32)).verifier_key
PLACES = ("restore/succession.py end_log write", "log/sequencer.py Sequencer._commit write")
whenever = pytest.mark.parametrize("when", ["before", "after"])


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, server: PostgresServer | None) -> InProcessService:
    """A service whose one table is closed, stopped."""
    made = played_and_closed(tmp_path_factory.mktemp("closed") / "data", server=server)
    made.stop()
    return made


def end(running: InProcessService) -> None:
    """The operator ends the log."""
    end_log(running.service.writer, NEXT, by="ani")
    running.settle()


def check_ends_once(running: InProcessService) -> None:
    """Again, after a start: one record names the log that follows, and it is the last."""
    running.restart()
    end(running)
    named = [successor_named(data) for data in records_of(running)]
    assert named == [None] * (len(named) - 1) + [str(NEXT)]
    running.check()


@pytest.mark.lattice
@whenever
@pytest.mark.parametrize("place", PLACES)
def test_a_kill_while_a_log_ends(place: str, when: When, running: InProcessService) -> None:
    """With SIGKILL, where the record is queued and where it is appended: at once what is published passes its
    audit.
    """
    dies_at(running, place, when, end)
    audit_log(FolderSource(running.settings.log), running.key)
    running.start()
    check_ends_once(running)


@whenever
def test_any_effect_may_fail_while_a_log_ends(
    when: When, base: InProcessService, tmp_path: Path, lattice: Lattice
) -> None:
    """Each file that it writes, too."""
    effects = fail_each(base, tmp_path, when, end, check_ends_once, lattice)
    assert kinds(effects) >= {"commit", "write", "write_soon"}
