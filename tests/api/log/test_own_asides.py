"""What a log says of itself: which program wrote it, once, and which log comes after it, as the last thing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.log import sequencer
from api.log.keys import load_signing_key
from api.log.sequencer import MAKER
from api.problems import Code, Problem
from api.programs.background.terms import start_sequencer
from api.programs.doctor.tables import look_at_tables
from api.restore.rebuild import rebuild
from api.rounds.tables import TableRefusedError, add_table
from api.store import statements as sql
from api.store.contents import LOG_ENDED
from api.store.models import QueuedRow
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import SigningKey
from fairness.log.tiles import WIDTH, AuthenticTiles
from fairness.records.succession import maker_named, successor_named
from tests.support.damage import lose_database
from tests.support.in_process_service import InProcessService
from verifier.audit.audit import audit_log
from verifier.sources.source import FolderSource

pytestmark = pytest.mark.both_databases("the head's row remembers it")

TABLE = "keno-1"
NEXT = SigningKey("fore.example/next", bytes(32)).verifier_key


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service that has played a few rounds."""
    made = InProcessService.create(tmp_path / "data", batch_size=300, tables=[(TABLE, "keno-express")])
    made.play(TABLE, 2)
    made.settle()
    yield made
    made.stop()


def makers(running: InProcessService) -> list[str]:
    """The programs that the published log names, record by record."""
    running.settle()
    source = FolderSource(running.settings.log)
    tiles = AuthenticTiles(Checkpoint.open(source.read("checkpoint"), running.key), source.read)
    return [name for at in range(running.size) if (name := maker_named(tiles.record(at))) is not None]


def test_a_log_names_its_maker_once(running: InProcessService) -> None:
    """Before anything else, and not again after a restart. Its record is spelled as SPEC 4.10 says, and the log
    holds.
    """
    assert makers(running) == [MAKER]
    running.restart()
    running.play(TABLE, 2)
    assert makers(running) == [MAKER]
    assert audit_log(FolderSource(running.settings.log), running.key).checkpoint.size == running.size
    running.check()


def test_each_version_names_itself_once(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its first start on a log of before; not if an earlier version comes back."""
    for name in ("foredraw 99.0.0", MAKER, "foredraw 99.0.0"):
        monkeypatch.setattr(sequencer, "MAKER", name)
        running.restart()
        assert makers(running) == [MAKER, "foredraw 99.0.0"]
    running.check()


def test_two_starts_at_once_name_it_once(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two sequencers that find none, the second finds the first one's in the row of the head."""
    assert makers(running) == [MAKER]
    monkeypatch.setattr(sequencer, "MAKER", "foredraw 99.0.0")
    with running.background_paused():
        for _ in range(2):
            start_sequencer(
                running.service, load_signing_key(running.settings), running.service.publisher(running.askers)
            )
    with running.service.database.read() as connection:
        waiting = sql.WAITING.all(connection, after_id=0, limit=10)
    assert [maker_named(row.data) for row in waiting] == ["foredraw 99.0.0"]


@pytest.mark.one_database("a lost file; tests/api/store/postgres has a lost server")
@pytest.mark.parametrize("more", [0, pytest.param(130, marks=pytest.mark.nightly("fills a bundle"))])
def test_a_database_that_is_made_again_knows_it(running: InProcessService, more: int) -> None:
    """From the log alone, whether the queue keeps the record or it is in a full bundle."""
    assert makers(running) == [MAKER]
    running.play(TABLE, more)
    running.settle()
    assert (running.size > WIDTH) == bool(more)
    running.stop()
    lose_database(running)
    rebuild(running.settings)
    running.start()
    running.play(TABLE, 2)
    assert makers(running) == [MAKER]
    running.check()


def name_next(running: InProcessService) -> None:
    """Queue the record that names the log after this one."""
    told = {"at": running.clock.now(), "key": str(NEXT), "table": "-", "type": "aside-successor", "v": 1}
    data = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
    assert successor_named(data) == str(NEXT)
    running.service.database.write(lambda connection: sql.ENQUEUE.run(connection, QueuedRow("-", data)))


def check_ended(running: InProcessService) -> None:
    """Nothing is taken any more, and whoever asks is told why."""
    size = running.size
    number = running.state(TABLE).next_round
    for call in (running.open, running.void):
        with pytest.raises(Problem, match=LOG_ENDED) as refused:
            call(TABLE, number)
        assert refused.value.code is Code.LOG_ENDED
    with pytest.raises(TableRefusedError, match=LOG_ENDED) as no_table:
        add_table(running.service.writer, "keno-2", "keno-express")
    assert no_table.value.field == "log"
    assert (running.service.health.failure("log") or "").startswith(LOG_ENDED)
    (finding,) = look_at_tables(running.service)
    assert (finding.level, LOG_ENDED[1:] in finding.says) == ("note", True)
    running.settle()
    assert running.size == size


def test_after_a_successor_nothing_is_appended(running: InProcessService) -> None:
    """What is queued behind it stays there; nothing crashes, also after a restart, and the log holds."""
    number = running.state(TABLE).next_round
    running.open(TABLE, number)
    with running.background_paused():
        name_next(running)
        running.locking(TABLE, number)
    running.settle()
    check_ended(running)
    running.restart()
    check_ended(running)
    running.stop()
    log = FolderSource(running.settings.log)
    assert audit_log(log, running.key).checkpoint.size % WIDTH


@pytest.mark.one_database("a lost file")
def test_a_database_that_is_made_again_knows_that_the_log_has_ended(running: InProcessService) -> None:
    """By its last record."""
    name_next(running)
    running.settle()
    running.stop()
    lose_database(running)
    rebuild(running.settings)
    running.start()
    check_ended(running)


def test_an_aside_of_another_name_halts_that_table(running: InProcessService) -> None:
    """The service writes none of tables, so one in the queue is none of its own."""
    data = f'{{"table":"{TABLE}","type":"aside-note","v":1}}'.encode()
    size = running.size
    running.service.database.write(lambda connection: sql.ENQUEUE.run(connection, QueuedRow(TABLE, data)))
    running.settle()
    assert running.size == size
    with pytest.raises(Problem) as refused:
        running.open(TABLE, running.state(TABLE).next_round)
    assert refused.value.code is Code.TABLE_HALTED
