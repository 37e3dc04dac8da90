"""The schema's revisions: all ways end in one schema, what is old is upgraded on purpose, and what is newer is
refused.
"""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields
from sqlalchemy.schema import CreateTable

from api.findings.finding import Finding
from api.programs.doctor.examine import examine
from api.restore.rebuild import rebuild
from api.server.app import create_app
from api.settings import SettingsError
from api.sql.connection import Connection, Engine
from api.sql.database import Database
from api.sql.dialects import dialect_of
from api.sql.postgres import PostgresDatabase
from api.sql.sqlite import SqliteDatabase
from api.store import revisions
from api.store.guards import GUARDS
from api.store.revisions import REVISIONS, VERSION_TABLE
from api.store.schema import database_on, disposed, open_database
from api.store.sole import hold_service
from api.store.tables import SCHEMA
from api.store.upgrade import check_schema, schema_of, upgrade
from fairness.records.table_state import LockedRound, PendingBatch, RoundCounts, TableState
from tests.support import released_folder
from tests.support.commands import foredraw
from tests.support.in_process_service import InProcessService
from tests.support.next_version import next_version
from tests.support.postgres import PostgresServer, program
from tests.support.running_service import initialised, what_fails

OLDER, NEWER = "run `foredraw upgrade --check`", "install the version that it is of"
READING = (
    ["token", "list"],
    ["table", "list"],
    ["par", "keno-1"],
    ["journal"],
    ["token", "create", "a", "--all-tables"],
)
TABLES = sorted(SCHEMA.tables.values(), key=lambda table: table.name)
STATES = (TableState, PendingBatch, LockedRound, RoundCounts)
"""What stands in rows as JSON."""


@pytest.fixture
def empty(tmp_path: Path, server: PostgresServer | None) -> Iterator[Callable[[], Database]]:
    """Makes empty databases."""
    made: list[Database] = []

    def make() -> Database:
        place = tmp_path / f"{len(made)}.db"
        made.append(
            SqliteDatabase(place, place.with_suffix(".lock"))
            if server is None
            else database_on(server.new_database())
        )
        return made[-1]

    yield make
    for each in made:
        each.dispose()


def described(database: Database) -> list[str]:
    """Everything that the engine says of its schema: tables, columns, constraints, indexes, functions and
    triggers.
    """
    if isinstance(database, SqliteDatabase):
        return _of_file(database.path)
    assert isinstance(database, PostgresDatabase)
    server = database._server
    command = [program("pg_dump"), "--schema-only", "--no-owner", f"--exclude-table={VERSION_TABLE}"]
    done = subprocess.run([*command, server.secret_address], check=True, capture_output=True, text=True)
    # The tool puts a random word around what it prints.
    return [line for line in done.stdout.splitlines() if not re.match(r"\\(un)?restrict |--", line)]


def _of_file(path: Path) -> list[str]:
    """Of a file: a column that was added stands behind the constraints in its table's text, so texts are taken
    apart.
    """
    found = []
    with closing(sqlite3.connect(path)) as driver:
        query = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name <> ? ORDER BY type, name"
        for kind, name, table, text in driver.execute(query, (VERSION_TABLE,)).fetchall():
            found.append(f"{kind} {name} of {table}")
            if kind != "table":
                found.append(" ".join((text or "").split()))
                continue
            found += [str(column) for column in driver.execute(f"PRAGMA table_xinfo({name})")]
            found += sorted(
                part for part in _parts(text) if re.match("CONSTRAINT|CHECK|UNIQUE|FOREIGN|PRIMARY", part)
            )
            found.append(text.rpartition(")")[2].strip())
    return found


def _parts(text: str) -> Iterator[str]:
    """The columns and constraints in the text of a table."""
    part, depth = "", 0
    for character in " ".join(text.partition("(")[2].rpartition(")")[0].split()):
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            yield part.strip()
            part = ""
        else:
            part += character
    yield part.strip()


def add(guard: str, connection: Connection) -> None:
    connection.run(guard)


def test_the_revisions_make_the_schema_of_the_models(
    empty: Callable[[], Database], server: PostgresServer | None
) -> None:
    """Columns, constraints and indexes are the same; and triggers, where there are any."""
    expected, new = empty(), empty()
    expected.alter(SCHEMA.create_all)
    for guard in [] if server is None else GUARDS.values():
        expected.write(partial(add, guard))
    upgrade(new)
    assert described(new) == described(expected)
    assert schema_of(new).is_current


def test_the_last_revision_is_named_by_what_it_makes() -> None:
    """By the models, and by the states in their rows: a change of either needs another revision."""
    made = [str(CreateTable(table).compile(dialect=dialect_of(engine))) for engine in Engine for table in TABLES]
    states = [[(field.name, str(field.type)) for field in fields(kind)] for kind in STATES]
    digest = sha256(repr((made, states)).encode()).hexdigest()[:8]
    if REVISIONS[-1] in released_folder.REVISIONS:
        wanted = (
            f"write a revision {len(REVISIONS) + 1}_{digest}, which leads there (api/store/revisions/versions), and put its name"
            " into REVISIONS. The folders in tests/api/store/released stay as they are, and test_released upgrades them"
        )
    else:
        wanted = "write this name into api/store/revisions, and into the last file of its versions"
    assert REVISIONS[-1] == f"{len(REVISIONS)}_{digest}", f"the models are of another schema now: {wanted}"


def test_the_list_of_revisions_is_complete() -> None:
    """The list, by which a start knows old from new, has every file in its order; each says what it does."""
    script = pytest.importorskip("alembic.script").ScriptDirectory(str(Path(str(revisions.__file__)).parent))
    found = list(script.walk_revisions())
    assert tuple(reversed([each.revision for each in found])) == REVISIONS
    assert all(each.doc for each in found)


def test_an_upgrade_that_fails_changes_nothing(
    empty: Callable[[], Database], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All revisions are one transaction, changes of tables included."""
    old = empty()
    upgrade(old)
    before = described(old)
    alter = type(old).alter

    def failing(self: Database, work: Callable[[Any], None]) -> None:
        def run(connection: Any) -> None:  # noqa: ANN401 -- either connection
            work(connection)
            raise LookupError("the power was cut")

        alter(self, run)

    with next_version(tmp_path / "revisions"):
        monkeypatch.setattr(type(old), "alter", failing)
        with pytest.raises(LookupError):
            upgrade(old)
        assert described(old) == before
        monkeypatch.undo()
        upgrade(old)
        assert schema_of(old).is_current
    assert described(old) != before


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, server: PostgresServer | None) -> InProcessService:
    """A service that has played, stopped."""
    made = InProcessService.create(
        tmp_path_factory.mktemp("base") / "data", tables=[("keno-1", "keno-express")], server=server
    )
    made.play("keno-1", 3)
    made.settle()
    made.stop()
    return made


@pytest.fixture
def stopped(base: InProcessService, tmp_path: Path) -> InProcessService:
    """A copy of it."""
    return base.copy(tmp_path / "data")


def of_database(service: InProcessService) -> list[Finding]:
    """The problems of the database that the doctor finds."""
    found = examine(service.settings).findings
    return [each for each in found if (each.level, each.about) == ("problem", "database")]


def test_an_older_database_is_upgraded_on_purpose(stopped: InProcessService, tmp_path: Path) -> None:
    """Until then nothing starts or writes, and the doctor names the command; afterwards rounds go on."""
    with next_version(tmp_path / "revisions"):
        with disposed(open_database(stopped.settings)) as old:
            with pytest.raises(SettingsError, match=r"needs 2\. .* `foredraw upgrade`"):
                check_schema(old, stopped.settings)
            (found,) = of_database(stopped)
            assert found.next == "foredraw upgrade"
            upgrade(old)
            check_schema(old, stopped.settings)
        assert of_database(stopped) == []
        stopped.start()
        stopped.play("keno-1", 1)
        stopped.check()
        stopped.stop()


@pytest.mark.lattice
@pytest.mark.parametrize("name", [*(f"000{number}" for number in range(1, 8)), "1_00000000", None])
def test_a_database_from_before_the_first_release_is_refused(name: str | None, stopped: InProcessService) -> None:
    """In one sentence, which names another folder. Nothing upgrades it, and nothing deletes it."""
    if name is None:
        stopped.tamper("DROP TABLE alembic_version")
    else:
        stopped.tamper("UPDATE alembic_version SET version_num = ?", name)
    which = "no revision" if name is None else f"revision {name}"
    says = rf"has {which} of the schema, which .* does not know: .* begin a log in another folder .*DATA=other"
    with disposed(open_database(stopped.settings)) as old:
        with pytest.raises(SettingsError, match=says):
            check_schema(old, stopped.settings)
        before = described(old)
        upgrade(old)
        assert described(old) == before
    refused = foredraw(stopped.settings.folder, "upgrade")
    assert refused.returncode == 1
    assert re.search(says, refused.stderr)


def test_a_newer_database_is_left_alone(stopped: InProcessService) -> None:
    """A start, an upgrade and the doctor say that it is newer, and what to do."""
    stopped.tamper("UPDATE alembic_version SET version_num = '9999'")
    with disposed(open_database(stopped.settings)) as newer:
        with pytest.raises(SettingsError, match=NEWER):
            check_schema(newer, stopped.settings)
        before = described(newer)
        upgrade(newer)
        assert described(newer) == before
    (found,) = of_database(stopped)
    assert NEWER in found.says


def ask_of_the_schema(folder: Path, says: str) -> None:
    """Each command says this of the schema, if it reads or changes rows."""
    for arguments in READING:
        refused = foredraw(folder, *arguments)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert says in refused.stderr
        assert "rebuild" not in refused.stderr
    for arguments in (["key", "show"], ["policy"], ["clock", "show"]):
        assert foredraw(folder, *arguments).returncode == 0


@pytest.mark.nightly("a database of its own on a server", on="postgresql")
def test_no_command_takes_another_schema_for_its_own(stopped: InProcessService, tmp_path: Path) -> None:
    """Whether it would read or change rows, and whether it would notice: it says what to do. What needs no row
    works.
    """
    with next_version(tmp_path / "revisions"):
        ask_of_the_schema(stopped.settings.folder, OLDER)
    stopped.tamper("UPDATE alembic_version SET version_num = '9999'")
    ask_of_the_schema(stopped.settings.folder, NEWER)


def test_a_service_whose_database_is_upgraded_meanwhile_says_so(
    stopped: InProcessService, server: PostgresServer | None, caplog: pytest.LogCaptureFixture
) -> None:
    """In `/health/ready`, and where a statement fails for it: neither the file's damage nor another address is
    suspected.
    """
    stopped.start()
    client = create_app(stopped.service).test_client()
    assert client.get("/v1/tables").status_code == 200
    stopped.tamper("UPDATE alembic_version SET version_num = '9999'")
    stopped.tamper("ALTER TABLE tables DROP COLUMN rules" + (" CASCADE" if server else ""))
    ready = client.get("/health/ready")
    assert ready.status_code == 503
    assert any(NEWER in sentence for sentence in what_fails(ready.get_json()))
    assert client.get("/v1/tables").get_json()["code"] == "storage-fails"
    assert "has not the schema of this version of the service" in caplog.text
    assert OLDER in caplog.text.replace("Run", "run")
    assert "rebuild" not in caplog.text
    stopped.stop()


@pytest.mark.nightly("a database of its own on a server", on="postgresql")
def test_a_rebuild_leaves_a_newer_database_alone(stopped: InProcessService) -> None:
    """Only a newer version knows what its rows mean; without the database, it is made from the log alone, as ever."""
    stopped.tamper("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SettingsError, match=NEWER):
        rebuild(stopped.settings)
    assert not list(stopped.settings.folder.glob("*before-rebuild*"))
    with disposed(open_database(stopped.settings)) as newer:
        assert schema_of(newer).revision == "9999"


@pytest.mark.nightly("a database of its own on a server", on="postgresql")
def test_a_rebuilt_database_has_its_revision(stopped: InProcessService, tmp_path: Path) -> None:
    """Fresh tables change places with the old ones, and their revision with them; old ones are upgraded before."""
    with next_version(tmp_path / "revisions"):
        with pytest.raises(SettingsError, match="`foredraw upgrade`"):
            rebuild(stopped.settings)
        with disposed(open_database(stopped.settings)) as old:
            upgrade(old)
        rebuild(stopped.settings)
        with disposed(open_database(stopped.settings)) as rebuilt:
            assert schema_of(rebuilt).is_current
        rebuild(stopped.settings)
        stopped.start()
        stopped.play("keno-1", 1)
        stopped.stop()


@pytest.mark.nightly("a database of its own on a server", on="postgresql")
def test_the_command_says_what_it_does(stopped: InProcessService, tmp_path: Path) -> None:
    """Old: `serve` refuses, `--check` changes nothing, an upgrade keeps the file and is in the journal. Then there is
    nothing to do.
    """
    folder = stopped.settings.folder
    with next_version(tmp_path / "revisions"):
        for arguments in (["serve", "--port", "1"], ["table", "add", "keno-2", "keno-express"]):
            refused = foredraw(folder, *arguments)
            assert refused.returncode == 1
            assert "`foredraw upgrade`" in refused.stderr
        for _ in range(2):
            checked = foredraw(folder, "upgrade", "--check")
            assert (checked.returncode, checked.stderr) == (1, "")
            assert "2: The head has another column." in checked.stdout
            assert "Nothing was changed" in checked.stdout
        done = foredraw(folder, "upgrade")
        assert done.returncode == 0, done.stderr
        assert "Upgraded to revision 2." in done.stdout
        assert (folder / "foredraw.db.before-upgrade-1").exists() == (stopped.settings.server is None)
        assert "upgrade" in foredraw(folder, "journal").stdout
        assert "there is nothing to do" in foredraw(folder, "upgrade").stdout


@pytest.mark.nightly("a database of its own on a server", on="postgresql")
def test_nothing_is_upgraded_beside_a_running_service(stopped: InProcessService, tmp_path: Path) -> None:
    """Whatever it may be doing with the tables."""
    with next_version(tmp_path / "revisions"), hold_service(stopped.settings):
        refused = foredraw(stopped.settings.folder, "upgrade")
    assert refused.returncode == 1
    assert "another service runs on" in refused.stderr


def test_a_start_does_not_wait_for_alembic(tmp_path: Path) -> None:
    """It takes as long as much of a start, and is imported only when a schema is made or upgraded."""
    service = initialised(tmp_path / "data", {})
    program = (
        "import sys; from api.programs.cli import main; main(['table', 'list'], standalone_mode=False);"
        " import api.programs.background.run; print('alembic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=service.environment() | {"FOREDRAW_DATA": str(service.folder)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1] == "False"
