"""The files that tables' records name: in the log before the records, and written again from the database if they are
lost.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.paytables.offered import bets_of, file_of
from api.programs.doctor.examine import examine
from api.restore.backup import back_up
from api.restore.rebuild import rebuild
from api.rounds.tables import add_table
from fairness.hashing import sha256
from games.bets.paytable.read import paytable_path
from tests.support.in_process_service import InProcessService

DICE = "dice"
OWN = "dice-own"
FILE = (
    b'{"options":[{"figure":["sum","dice"],"form":"eleven","pays":[[[11],["times",700]]]},'
    b'{"figure":["value","dice"],"form":"first N","choices":{"N":[1,6]},"pays":[[["$N"],["times",550]]]}]}'
)
FILE = FILE.replace(
    b'"figure":["value","dice"],"form":"first N","choices":{"N":[1,6]}',
    b'"choices":{"N":[1,6]},"figure":["value","dice"],"form":"first N"',
)
HASH = sha256(FILE).hex()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with a table of the catalogue's bets, and one of an operator's own."""
    made = InProcessService.create(tmp_path / "data", tables=((DICE, "sic-bo"),))
    add_table(made.service.writer, OWN, "sic-bo", paytable=FILE)
    made.settle()
    made.play(OWN)
    made.settle()
    yield made
    made.stop()


def file(running: InProcessService, table: str = OWN) -> Path:
    """Where the log's folder has what a table's bets pay."""
    return running.settings.log / paytable_path(running.state(table).paytable)


def test_each_record_names_a_file_of_the_log(running: InProcessService) -> None:
    """The catalogue's file, and the operator's own."""
    for table in (DICE, OWN):
        state = running.state(table)
        assert sha256(file(running, table).read_bytes()).hex() == state.paytable
    assert running.state(OWN).paytable == HASH != running.state(DICE).paytable
    assert file(running).read_bytes() == FILE


def test_tables_of_one_paytable_share_its_file(running: InProcessService) -> None:
    """The database has it once, and so has the folder."""
    add_table(running.service.writer, "dice-2", "sic-bo", paytable=FILE)
    running.settle()
    assert running.state("dice-2").paytable == HASH
    assert len(list(file(running).parent.iterdir())) == 2


@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_a_lost_file_is_written_again_at_the_start(
    running: InProcessService, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """From the database; the doctor says so before."""
    lost = file(running)
    running.stop()
    if damage == "missing":
        lost.unlink()
    else:
        lost.write_bytes(FILE[:-1])
    said = [finding.says for finding in examine(running.settings).findings if HASH in finding.says]
    assert len(said) == 1
    assert "bets of dice-own pay, is missing or damaged. The next start writes it" in said[0]
    with caplog.at_level(logging.WARNING, "foredraw.sequencer"):
        running.start()
    assert f"paytables/{HASH} was missing or damaged: it was written again" in caplog.text
    assert lost.read_bytes() == FILE


def test_a_rebuilt_database_has_the_files_again(running: InProcessService) -> None:
    """From the folder, or from the old database if the folder has lost one."""
    lost = file(running)
    running.stop()
    assert rebuild(running.settings).lost == []
    lost.unlink()
    assert rebuild(running.settings).lost == []
    running.start()
    assert file_of(running.service.database, HASH) == FILE == lost.read_bytes()


def test_a_file_that_nobody_has_is_named_and_the_rest_goes_on(running: InProcessService) -> None:
    """Rounds are played; nothing settles bets by a guess; and a file that is put back from a copy is used from the
    next start on.
    """
    lost = file(running)
    running.tamper("DELETE FROM paytables")
    running.stop()
    lost.unlink()
    (line,) = rebuild(running.settings).lost
    assert f"log/paytables/{HASH}, which says what the bets of dice-own pay" in line
    problems = [each.says for each in examine(running.settings).findings if each.level == "problem"]
    assert any(HASH in says and "so is the database's copy" in says for says in problems)
    running.start()
    assert bets_of(running.service.database, running.state(DICE)) is not None
    assert bets_of(running.service.database, running.state(OWN)) is None
    running.play(OWN)
    running.settle()
    running.stop()
    lost.write_bytes(FILE)
    running.start()
    assert file_of(running.service.database, HASH) == FILE
    assert bets_of(running.service.database, running.state(OWN)) is not None


def test_a_damaged_row_is_never_published(running: InProcessService, caplog: pytest.LogCaptureFixture) -> None:
    """It is as good as none: the folder's file stays, and a lost one is named instead of written again."""
    lost = file(running)
    running.tamper("UPDATE paytables SET data = ? WHERE hash = ?", FILE[:-1], HASH)
    running.stop()
    running.start()
    assert lost.read_bytes() == FILE
    running.stop()
    lost.unlink()
    problems = [each.says for each in examine(running.settings).findings if each.level == "problem"]
    assert any(HASH in says and "so is the database's copy" in says for says in problems)
    running.start()
    assert not lost.exists()
    assert (
        f"paytables/{HASH}, which says what the bets of a table pay, is missing or damaged, and so is" in caplog.text
    )


def test_a_back_up_has_the_files(running: InProcessService, tmp_path: Path) -> None:
    """As it has all that audits need."""
    back_up(running.settings, tmp_path / "copy", with_keys=False)
    assert (tmp_path / "copy" / "log" / paytable_path(HASH)).read_bytes() == FILE
