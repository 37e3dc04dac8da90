"""A damaged database: readable data survives a rebuild, and lost data is named."""

from __future__ import annotations

import re
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from api.access.tokens import Role, create_token, list_tokens
from api.journal.chain import entries
from api.journal.entry import Act
from api.restore.rebuild import rebuild
from api.rounds.tables import add_table
from api.settings import DEFAULT_TIMEOUT
from tests.support.commands import foredraw
from tests.support.in_process_service import InProcessService

pytestmark = pytest.mark.one_database("pages of a file")

TABLES = [f"table-{number}" for number in range(12)]
TOKENS = [f"engine-{number}" for number in range(40)]
RULES = {"cap": 5000, "rtp": 9500, "version": 1}
TIMEOUT = 900


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A stopped service whose tables and tokens each fill several pages, with settings other than the default."""
    made = InProcessService.create(tmp_path_factory.mktemp("salvage") / "data")
    for name in TABLES:
        add_table(made.service.writer, name, "crash", rules=RULES, timeout=TIMEOUT)
    made.settle()
    for name in TOKENS:
        create_token(made.service.database, made.clock, name, Role.ENGINE, TABLES)
    made.play(TABLES[0], 2)
    made.settle()
    made.stop()
    with closing(sqlite3.connect(made.settings.database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return made


def root_page(database: Path, name: str) -> tuple[int, int]:
    """The root page of a table or an index, and the size of a page."""
    with closing(sqlite3.connect(database)) as connection:
        ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,))
        ((size,),) = connection.execute("PRAGMA page_size")
    return root, size


def pages(database: Path, name: str) -> list[int]:
    """The leaf pages, in order, of a table or an index with one page above them (SQLite file format, 1.6)."""
    root, size = root_page(database, name)
    page = database.read_bytes()[(root - 1) * size : root * size]
    assert page[0] in (2, 5), "an interior page"
    cells = [int.from_bytes(page[12 + 2 * i : 14 + 2 * i], "big") for i in range(int.from_bytes(page[3:5], "big"))]
    return [*(int.from_bytes(page[at : at + 4], "big") for at in cells), int.from_bytes(page[8:12], "big")]


def spoil(database: Path, page: int) -> None:
    """Overwrite a page."""
    _, size = root_page(database, "tables")
    with database.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)


def settings(running: InProcessService) -> dict[str, tuple[int, str]]:
    """The timeout and the rules of each table."""
    with closing(sqlite3.connect(running.settings.database)) as connection:
        rows = connection.execute("SELECT name, timeout, rules FROM tables")
        return {name: (timeout, rules) for name, timeout, rules in rows}


def take_out(running: InProcessService) -> None:
    """Do what a rebuild says that is to be done with a damaged file."""
    folder = running.settings.folder
    refused = foredraw(folder, "rebuild")
    assert (refused.returncode, refused.stdout) == (1, "")
    said = re.search(
        r"foredraw\.db is damaged \(.*\), so nothing was changed.*: `(sqlite3 .*)`\. Move", refused.stderr
    )
    assert said, refused.stderr
    # What cannot be read is an error of the first of the three programs, and what it printed twice one of the last.
    subprocess.run(["/bin/sh", "-c", said[1]], cwd=folder, capture_output=True, check=False)
    for file in folder.glob("foredraw.db*"):
        file.unlink()
    (folder / "readable.db").rename(folder / "foredraw.db")


def test_damaged_pages_of_what_the_log_has_cost_nothing(running: InProcessService) -> None:
    """A rebuild reads neither rounds nor batches of the old database."""
    before = settings(running)
    for name in ("rounds", "batches", "appended"):
        spoil(running.settings.database, root_page(running.settings.database, name)[0])
    assert rebuild(running.settings).lost == []
    assert settings(running) == before


def test_one_damaged_page_costs_the_rows_that_are_on_it(running: InProcessService) -> None:
    """The other tables keep a timeout of 900 seconds; those that lost theirs are named, with what they have now."""
    before, leaves = settings(running), pages(running.settings.database, "tables")
    assert len(leaves) > 2
    spoil(running.settings.database, leaves[1])
    take_out(running)
    done = foredraw(running.settings.folder, "rebuild")
    assert done.returncode == 0, done.stderr
    after = settings(running)
    lost = {name for name in TABLES if after[name][0] != TIMEOUT}
    assert 0 < len(lost) < len(TABLES)
    # The log has the rules of their last batch.
    rules = before[TABLES[0]][1]
    assert after == {name: (DEFAULT_TIMEOUT if name in lost else TIMEOUT, rules) for name in TABLES}
    for name in TABLES:
        line = f"the settings of {name}: its time-out is {DEFAULT_TIMEOUT} seconds now, the rules of its next batch {rules}"
        assert (line in done.stdout) == (name in lost)
    assert "put it in place and run this again" in done.stdout
    running.start()
    assert [row.name for row in list_tokens(running.service.database)] == TOKENS
    running.play(TABLES[0], 2)
    running.stop()


def test_a_damaged_index_costs_nothing(running: InProcessService) -> None:
    """The rows are on other pages."""
    before = settings(running)
    for index in ("sqlite_autoindex_tables_1", "sqlite_autoindex_tokens_1", "sqlite_autoindex_tokens_2"):
        spoil(running.settings.database, root_page(running.settings.database, index)[0])
    take_out(running)
    assert rebuild(running.settings).lost == []
    assert settings(running) == before


@pytest.mark.parametrize("place", [0, 1, -1])
def test_tokens_on_other_pages_are_kept(place: int, running: InProcessService) -> None:
    """The journal, which is on other pages, too, names all that were made."""
    spoil(running.settings.database, pages(running.settings.database, "tokens")[place])
    take_out(running)
    assert rebuild(running.settings).lost == []
    running.start()
    kept = {row.name for row in list_tokens(running.service.database)}
    made = {row.subject for row in entries(running.service.database) if row.act == Act.TOKEN_CREATE}
    running.stop()
    assert 0 < len(kept) < len(TOKENS)
    assert kept < set(TOKENS) == made


@pytest.mark.parametrize("name", ["head", "journal", "journal_head", "queue", "paytables", "alembic_version"])
def test_whatever_is_damaged_a_rebuild_goes_on_with_the_rest(name: str, running: InProcessService) -> None:
    """From what was taken out: the log has all else, and what is missing is named."""
    spoil(running.settings.database, root_page(running.settings.database, name)[0])
    take_out(running)
    made = rebuild(running.settings)
    assert bool(made.lost) == (name == "journal")
    assert bool(made.unknown) == (name == "head")
    running.start()
    running.play(TABLES[0], 1)
    running.check()
    running.stop()


WRONG: dict[str, tuple[str, str]] = {
    "a time-out of nothing": ("UPDATE tables SET timeout = 0", "settings of table-3"),
    "a time-out of years": ("UPDATE tables SET timeout = 99999999", "settings of table-3"),
    "a time-out in words": ("UPDATE tables SET timeout = 'soon'", "settings of table-3"),
    "a wish that is none": ("UPDATE tables SET closing = 7", "settings of table-3"),
    "rules of no game": ("UPDATE tables SET rules = '{}'", "rules of the next batch of table-3"),
    "rules that are no text": ("UPDATE tables SET rules = CAST(x'ff' AS TEXT)", "settings of table-3"),
}


@pytest.mark.parametrize("case", list(WRONG))
def test_a_value_that_nobody_chose_is_lost(case: str, running: InProcessService) -> None:
    """A readable row can still be damaged: values that no operator could have set are dropped."""
    statement, named = WRONG[case]
    assert running.tamper(f"{statement} WHERE name = 'table-3'") == 1
    (line,) = rebuild(running.settings).lost
    assert named in line


ROWS: dict[str, tuple[str, str]] = {
    "a token of no role": ("UPDATE tokens SET role = 'player' WHERE name = 'engine-3'", "tokens: engine-3"),
    "a token of no tables": ("UPDATE tokens SET tables = '[' WHERE name = 'engine-3'", "tokens: engine-3"),
    "a token that is no text": (
        "UPDATE tokens SET role = CAST(x'ff' AS TEXT) WHERE name = 'engine-3'",
        "tokens: engine-3",
    ),
    "an entry that is no text": (
        "UPDATE journal SET who = CAST(x'ff' AS TEXT) WHERE number = 2",
        "entries of the journal: 1, of ",
    ),
    "a head in words": ("UPDATE journal_head SET number = 'x'", ""),
}


@pytest.mark.parametrize("case", list(ROWS))
def test_a_row_that_cannot_be_used_is_lost_alone(case: str, running: InProcessService) -> None:
    """What was damaged is named, and a rebuild goes on with the rest."""
    statement, named = ROWS[case]
    assert running.tamper(statement) == 1
    lost = rebuild(running.settings).lost
    assert [line.startswith(named) for line in lost] == [True] * bool(named)


def test_a_damaged_head_is_named(running: InProcessService) -> None:
    """The log could not be compared with it."""
    assert running.tamper("UPDATE head SET size = 'x'") == 1
    assert rebuild(running.settings).unknown == ["the old database: the row of its head is missing or damaged"]


GONE: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "no database": lambda file: file.write_bytes(b"this is no database, whatever it is called" * 1000),
    "empty": lambda file: file.write_bytes(b""),
}


@pytest.mark.parametrize("case", list(GONE))
def test_without_a_database_everything_lost_is_named(case: str, running: InProcessService) -> None:
    """All tables by name, that all tokens and the journal are lost, and that the log could not be compared with
    it.
    """
    GONE[case](running.settings.database)
    made = rebuild(running.settings)
    assert [line.partition(":")[0] for line in made.lost[:-2]] == [f"the settings of {name}" for name in TABLES]
    assert made.lost[-2:] == ["tokens: all of them", "the journal: all of it, if there was one"]
    assert [line.partition(":")[0] for line in made.unknown] == ["the old database"]
    assert {timeout for timeout, _ in settings(running).values()} == {DEFAULT_TIMEOUT}


def test_what_was_not_published_yet_is_named(running: InProcessService) -> None:
    """A table that was queued is not in the log, and so not in the new database."""
    running.start_without_sequencer()
    add_table(running.service.writer, "late", "sic-bo")
    running.stop()
    lost = rebuild(running.settings).lost
    assert lost[0] == "the table late, which was not published: add it again"
    assert lost[1].startswith("records that waited for a position in the log: 1.")
    assert "late" not in settings(running)


def test_a_damaged_store_of_the_custodian_is_named(running: InProcessService) -> None:
    """Without it, it is unknown which seeds were released, so nothing is rebuilt."""
    running.settings.secrets.write_bytes(b"this is no database, whatever it is called" * 1000)
    done = foredraw(running.settings.folder, "rebuild")
    assert done.returncode == 1
    assert "nothing was rebuilt: custodian/seeds.db is damaged" in done.stderr
