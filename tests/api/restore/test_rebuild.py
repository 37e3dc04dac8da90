"""``foredraw rebuild``: the log is the truth, and every row of the database except tokens follows from it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from api.access.tokens import Role, create_token, list_tokens
from api.problems import Code, Problem
from api.restore.rebuild import rebuild
from api.rounds.tables import add_table, request_close
from api.settings import SettingsError
from api.store import tables
from api.world.file_lock import hold_folder
from fairness.log.tiles import WIDTH, bundle_path
from tests.support.damage import contents, crash_at_lock, flip_bit, lose_database
from tests.support.in_process_service import InProcessService, bets_of

pytestmark = pytest.mark.one_database(
    "the old database is a file beside the new one; tests/api/store/postgres has a rebuild on a server"
)

TABLES = (("crash-1", "crash"), ("keno-1", "keno-express"), ("dice", "sic-bo"), ("over", "hi-lo"))
Rows = list[dict[str, Any]]

THIEFS = "a-thief-made-this-one"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A service with every kind of record and a log longer than a bundle, with nothing open or queued; stopped."""
    made = InProcessService.create(tmp_path_factory.mktemp("base") / "data", batch_size=40, tables=TABLES)
    for name in ("crash-1", "keno-1"):
        made.play(name, 3)
        number = made.state(name).next_round
        made.void(name, number)
        made.open(name, number + 1)
        made.void(name, number + 1)
        made.open(name, number + 2)
        made.lock(name, number + 2)
        made.void(name, number + 2)
    request_close(made.service.writer, "over")
    while made.size < WIDTH + 20:
        made.play("dice", 5)
        made.settle()
    number = made.state("crash-1").next_round
    made.open("crash-1", number)
    made.lock("crash-1", number)
    made.stop()
    return made


@pytest.fixture
def running(running: InProcessService) -> InProcessService:
    """A copy of it that runs."""
    running.start()
    return running


def rows(running: InProcessService) -> dict[str, Rows]:
    """All rows that follow from the log."""
    found: dict[str, Rows] = {}
    projected = (tables.TABLES, tables.APPENDED, tables.BATCHES, tables.ROUNDS, tables.QUEUE, tables.HEAD)
    with running.service.database.read() as connection:
        for table in projected:
            chosen = str(table.select().order_by(*table.primary_key))
            names = [column.name for column in table.columns]
            found[table.name] = [dict(zip(names, row, strict=True)) for row in connection.rows(chosen, ())]
    # The queue may keep records of a bundle that is already full, and its entries have other numbers.
    edge = found["head"][0]["size"] // WIDTH * WIDTH
    found["queue"] = [row | {"id": None} for row in found["queue"] if row["position"] >= edge]
    for row in found["head"]:
        del row["noted"]
    # The log has neither the monotonic time of a lock nor the name of its call.
    for row in found["rounds"]:
        del row["tick"], row["locked_call"]
    return found


def test_the_log_alone_gives_all_rows(running: InProcessService) -> None:
    """After the loss of the database, every row of tables, batches, rounds, queue and head is restored."""
    before = rows(running)
    running.stop()
    lose_database(running)
    assert rebuild(running.settings).size == before["head"][0]["size"]
    running.start_without_sequencer()
    assert rows(running) == before
    assert [row["status"] for row in before["rounds"]].count("locked") == 1
    assert {row["status"] for row in before["rounds"]} == {"locked", "played", "void"}
    running.stop()


def test_play_goes_on_after_a_rebuild(running: InProcessService) -> None:
    """A round that the log has locked stays locked with the same outcome and is revealed; then the next is played."""
    number = running.state("crash-1").next_round - 1
    running.stop()
    lose_database(running)
    rebuild(running.settings)
    running.start()
    outcome = running.told["crash-1", number]
    assert running.lock("crash-1", number) == outcome
    assert running.reveal("crash-1", number).outcome == outcome
    for name in ("crash-1", "keno-1", "dice"):
        running.play(name, 3)
    running.check()


def test_a_lock_is_known_again_after_a_rebuild(running: InProcessService) -> None:
    """The log has no call: the first one that comes with the record's digest is the lock's, and from then on no
    other.
    """
    number = running.state("crash-1").next_round - 1
    others = bets_of("crash-1", number + 1)
    running.stop()
    lose_database(running)
    rebuild(running.settings)
    running.start()
    rounds = running.service.rounds
    for bets, call in ((others, THIEFS), (bets_of("crash-1", number), None), (bets_of("crash-1", number), THIEFS)):
        if call is None:
            assert running.lock("crash-1", number) == running.told["crash-1", number]
            continue
        with pytest.raises(Problem) as refused:
            rounds.lock("crash-1", number, bets, call=call)
        assert refused.value.code is Code.OTHER_BODY
    assert running.lock("crash-1", number) == running.told["crash-1", number]
    running.stop()


def test_the_old_database_gives_what_the_log_does_not_say(running: InProcessService) -> None:
    """Tokens, timeouts, the next batch's rules and an operator's request to close survive a rebuild."""
    rules = {"cap": 5000, "rtp": 9500, "version": 1}
    add_table(running.service.writer, "mine", "rocketon", rules=rules, timeout=77, lead=12)
    running.settle()
    create_token(running.service.database, running.clock, "one", Role.ENGINE, ["mine"])
    tokens = [tuple(row) for row in list_tokens(running.service.database)]
    request_close(running.service.writer, "dice")
    before = rows(running)
    running.stop()
    rebuild(running.settings)
    running.start_without_sequencer()
    assert rows(running) == before
    assert [tuple(row) for row in list_tokens(running.service.database)] == tokens
    assert len(list(running.settings.folder.glob("foredraw.db.before-rebuild-1"))) == 1
    running.stop()


def test_without_a_database_the_rules_are_those_of_the_last_batch(running: InProcessService) -> None:
    """The log has the rules of a table's last batch; nothing has those of a table without batches."""
    rules = {"cap": 5000, "rtp": 9500, "version": 1}
    add_table(running.service.writer, "mine", "rocketon", rules=rules, lead=12)
    running.settle()
    running.stop()
    running.settings.database.unlink()
    rebuild(running.settings)
    running.start()
    assert json.loads(running._row("mine").rules) == rules
    assert json.loads(running._row("keno-1").rules) == {"version": 1}


def test_an_open_round_is_lost_and_opens_again(running: InProcessService) -> None:
    """The log has no record of an open round, so after a rebuild it is opened again."""
    number = running.state("keno-1").next_round
    running.open("keno-1", number)
    running.stop()
    rebuild(running.settings)
    running.start()
    running.play("keno-1")
    assert ("keno-1", number) in running.told
    running.check()


@pytest.mark.lattice
@pytest.mark.parametrize("database", ["kept", "lost"])
@pytest.mark.parametrize("file", ["tile/entries/000", "tile/0/000", "checkpoint", "tile/1/000.p/1"])
def test_a_log_with_a_flipped_bit_replaces_nothing(file: str, database: str, running: InProcessService) -> None:
    """An inconsistent log is refused, and database and finding aids are unchanged."""
    running.stop()
    if database == "lost":
        lose_database(running)
    flip_bit(running.settings.log / file)
    kept = contents(running.settings.folder)
    with pytest.raises(SettingsError, match="nothing was rebuilt"):
        rebuild(running.settings)
    assert contents(running.settings.folder) == kept


def test_records_that_were_never_published_leave_no_hint(running: InProcessService) -> None:
    """Positions noted for records that no longer exist release nothing early after a rebuild."""
    number = crash_at_lock(running, "dice", "write checkpoint")
    unpublished = running.size
    running.stop()
    lose_database(running)
    (running.settings.log / bundle_path(unpublished // WIDTH, unpublished % WIDTH + 1)).unlink()
    rebuild(running.settings)
    running.start()
    table_id = running.state("dice").table_id
    assert running.service.publication.lock(table_id, number) is None
    running.play("keno-1")
    running.check()


def test_a_rebuild_waits_for_no_running_service(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """It refuses while a background program runs on the folder."""
    running.stop()
    kept = contents(running.settings.folder)
    monkeypatch.setattr("api.world.file_lock._PATIENCE_SECONDS", 0.1)
    with hold_folder(running.settings), pytest.raises(SettingsError, match="another service runs"):
        rebuild(running.settings)
    assert contents(running.settings.folder) == kept


def test_a_rebuild_can_be_repeated(running: InProcessService, tmp_path: Path) -> None:
    """A second rebuild, of a copy of the first one's result, gives the same result."""
    running.stop()
    rebuild(running.settings)
    shutil.copytree(running.settings.folder, tmp_path / "copy")
    copy = InProcessService(tmp_path / "copy", batch_size=40)
    rebuild(copy.settings)
    running.start_without_sequencer()
    copy.start_without_sequencer()
    assert rows(copy) == rows(running)
    running.stop()
    copy.stop()
