"""Two sequencers on one database never sign two heads of one size."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.log.keys import load_signing_key
from api.log.sequencer import HeadMovedError
from api.programs.background.terms import start_sequencer
from api.store import statements as sql
from fairness.log.checkpoints import Checkpoint
from tests.support.calls import call_of
from tests.support.in_process_service import InProcessService, bets_of
from tests.support.postgres import PostgresServer


def test_the_second_of_two_sequencers_changes_nothing_and_ends(
    tmp_path: Path, server: PostgresServer | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both read the same waiting records, the second in another order: its head would be a fork of equal size."""
    running = InProcessService.create(
        tmp_path / "data", tables=(("keno-1", "keno-express"), ("penalty-1", "penalty")), server=server
    )
    first, second = running.sequencer, start_sequencer(running.service, load_signing_key(running.settings))
    assert first is not None
    running.open("keno-1", 1)
    running.open("penalty-1", 1)
    with running.background_paused():
        for table in ("keno-1", "penalty-1"):
            assert not running.locking(table, 1).is_published
    in_another_order = second._waiting()[::-1]
    monkeypatch.setattr(second, "_waiting", lambda: in_another_order)
    assert first.turn() == len(in_another_order) == 2

    before = _rows(running)
    with pytest.raises(HeadMovedError, match="a second sequencer writes this log"):
        second.turn()
    assert _rows(running) == before

    running.settle()
    running.play("keno-1", 2)
    running.check()
    signed = [Checkpoint.open(note, running.key) for note in running.disk.checkpoints]
    assert len({(head.size, head.root) for head in signed}) == len({head.size for head in signed})
    running.stop()


def test_a_sequencer_that_was_cut_off_halts_no_table(tmp_path: Path, server: PostgresServer | None) -> None:
    """Another one has published by then: what waits now follows records that this one has not seen."""
    running = InProcessService.create(tmp_path / "data", tables=(("keno-1", "keno-express"),), server=server)
    first, second = running.sequencer, start_sequencer(running.service, load_signing_key(running.settings))
    assert first is not None
    running.play("keno-1", 2)
    running.open("keno-1", 3)
    with running.background_paused():
        assert not running.service.rounds.lock(
            "keno-1", 3, bets_of("keno-1", 3), call=call_of("keno-1", 3)
        ).is_published
    with pytest.raises(HeadMovedError, match="a second sequencer writes this log"):
        second.turn()
    running.settle()
    running.lock("keno-1", 3)
    running.reveal("keno-1", 3)
    running.check()
    running.stop()


def _rows(running: InProcessService) -> object:
    """The head, and every record with its position."""
    with running.service.database.read() as connection:
        return sql.ONE_HEAD.one(connection), sql.KEPT.all(connection)
