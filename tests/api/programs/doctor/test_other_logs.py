"""Settings that lead to parts of another log: each is named, with what was found there and what to do."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from api.log.keys import short
from api.programs.doctor.examine import examine
from api.programs.setup import initialise
from api.settings import Elsewhere, Settings
from api.sql.server_lock import ServerLock
from tests.api.programs.doctor.asked import DRAW, notes, problems
from tests.support.in_process_service import InProcessService
from tests.support.log_server import serving
from tests.support.postgres import PostgresServer


def service(folder: Path, server: PostgresServer) -> InProcessService:
    """A stopped service that has played."""
    made = InProcessService.create(folder, tables=[(DRAW, "keno-express")], server=server)
    made.play(DRAW, 2)
    made.settle()
    made.stop()
    return made


@pytest.fixture
def both(tmp_path: Path, postgres: PostgresServer) -> tuple[InProcessService, InProcessService]:
    """A service, and another one with a log of the same name."""
    return service(tmp_path / "mine", postgres), service(tmp_path / "other", postgres)


def test_the_database_of_another_log_is_named(both: tuple[InProcessService, InProcessService]) -> None:
    """Also while that one's sequencer leads there. Its tables are not taken for ours, and our log is looked at."""
    mine, other = both
    settings = replace(mine.settings, server=other.settings.server)
    (mine.settings.log / "checkpoint").unlink()
    expected = (
        f"The database {other.server.place} (FOREDRAW_DATABASE) is of the log {short(other.key)}, and keys/log.vkey is"
        f" {short(mine.key)}: nothing was compared with it, and a start is refused. Put the database of this log back, or"
        " its keys, if the database is the right one."
    )
    (database, log) = problems(settings)
    assert database.says == expected
    assert log.says.startswith("log/checkpoint is missing")
    with closing(ServerLock(other.server)) as lock:
        lock.hold()
        assert problems(settings)[0].says == expected


def test_the_custodian_of_another_log_is_named(
    both: tuple[InProcessService, InProcessService], tmp_path: Path, postgres: PostgresServer
) -> None:
    """Its seeds are not ours, and what it has released is not in our log."""
    mine, _ = both
    store = postgres.new_database()
    initialise(Settings(tmp_path / "third", server=postgres.new_database(), seeds_server=store), "third.example/log")
    found = "\n".join(each.says for each in problems(replace(mine.settings, seeds_server=store)))
    assert f"{store.place} (FOREDRAW_CUSTODIAN) lacks the seeds of rounds" in found
    assert "or another log's" in found


def test_the_policy_of_another_log_is_named(both: tuple[InProcessService, InProcessService], tmp_path: Path) -> None:
    """With the line that was expected, and the one that was found."""
    mine, other = both
    policy = tmp_path / "policy"
    policy.write_text(f"log {other.key}\nquorum none\n")
    (found,) = problems(replace(mine.settings, policy=policy))
    assert found.about == "policy"
    assert f"expected the line `log {mine.key}`, found {other.key}" in found.says
    assert "Set FOREDRAW_POLICY to this log's policy" in found.says


def test_the_address_of_another_log_is_named(both: tuple[InProcessService, InProcessService], tmp_path: Path) -> None:
    """Of a machine that only reads, whose folder may be empty: FOREDRAW_LOG or FOREDRAW_LOG_KEY is wrong, or the
    database.
    """
    mine, other = both
    with serving(mine.settings.log) as ours, serving(other.settings.log) as theirs:
        reader = Settings(tmp_path / "reader", server=mine.settings.server, elsewhere=Elsewhere(ours, mine.key))
        sound = examine(reader)
        assert (sound.findings, sound.running) == ([], None)
        (found,) = problems(replace(reader, elsewhere=Elsewhere(theirs, mine.key)))
        assert found.about == "log"
        assert f"{theirs} (FOREDRAW_LOG) does not answer with the files of" in found.says
        assert f"expected a signature by {short(mine.key)}, found only {short(other.key)}" in found.says
        assert "FOREDRAW_LOG_KEY" in found.says
        (found,) = problems(replace(reader, elsewhere=Elsewhere(theirs, other.key)))
        assert found.about == "database"
        assert f"is of the log {short(mine.key)}, and FOREDRAW_LOG_KEY is {short(other.key)}" in found.says
    assert not (tmp_path / "reader").exists()


def test_a_machine_that_only_answers_engines_needs_no_signing_key(
    both: tuple[InProcessService, InProcessService],
) -> None:
    """As long as another one publishes; if none does, it is lost."""
    mine, _ = both
    mine.settings.signing_key.unlink()
    with closing(ServerLock(mine.server)) as lock:
        lock.hold()
        assert problems(mine.settings) == []
        assert any("can answer engines, and cannot publish" in each.says for each in notes(mine.settings))
    (lost,) = problems(mine.settings)
    assert "log-signing.key is missing: put it back" in lost.says
