"""A back-up by hand of a service on PostgreSQL: the commands of docs/operating.md, run as they stand there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from api.restore.rebuild import rebuild
from api.settings import Server
from tests.support.damage import refuses_to_start
from tests.support.documents import PAGES, fenced
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer, program

TABLE = "keno-1"
SHOWN = "/srv/backup/2026-11-20"
DUMP, DUMP_OF_SEEDS, LOAD = (
    next(block for block in fenced(PAGES[Path("docs/operating.md")], "sh") if command in block)
    for command in ("pg_dump", "custodian.dump", "pg_restore")
)


@pytest.fixture
def running(tmp_path: Path, postgres: PostgresServer) -> Iterator[InProcessService]:
    """A service that has played."""
    made = InProcessService.create(tmp_path / "data", tables=[(TABLE, "keno-express")], server=postgres)
    made.play(TABLE, 3)
    made.settle()
    yield made
    made.stop()


def run_as_shown(block: str, folder: Path, server: Server) -> None:
    """The commands, in a folder with ``data``; the copy is in ``copy``."""
    script = block.replace(SHOWN, str(folder / "copy")).replace(".venv/bin/python", sys.executable)
    path = f"{Path(program('pg_dump')).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {
        "PATH": path,
        "FOREDRAW_DATABASE": server.secret_address,
        "FOREDRAW_CUSTODIAN": server.secret_address,
    }
    ran = subprocess.run(
        ["sh", "-e", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def server_of(running: InProcessService) -> Server:
    assert running.settings.server is not None
    return running.settings.server


def moved(running: InProcessService, folder: Path, server: Server) -> InProcessService:
    """The service with another folder and database."""
    made = InProcessService(folder)
    made.settings = replace(made.settings, server=server)
    made.told, made.clock = dict(running.told), running.clock
    return made


def test_a_copy_made_while_it_plays_can_be_started(
    running: InProcessService, postgres: PostgresServer, tmp_path: Path
) -> None:
    """With its keys, and nothing published since, it is a whole service."""
    run_as_shown(DUMP, tmp_path, server_of(running))
    size = running.size
    running.stop()
    empty = postgres.new_database()
    run_as_shown(LOAD, tmp_path, empty)
    shutil.copytree(running.settings.signing_key.parent, tmp_path / "copy" / "keys")
    made = moved(running, tmp_path / "copy", empty)
    made.start()
    assert made.size == size
    made.play(TABLE, 2)
    made.check()
    made.stop()


def test_an_older_dump_is_rolled_forward_from_the_log(
    running: InProcessService, postgres: PostgresServer, tmp_path: Path
) -> None:
    """The start says that the database is older; a rebuild mends it."""
    run_as_shown(DUMP, tmp_path, server_of(running))
    running.play(TABLE, 4)
    running.settle()
    running.stop()
    empty = postgres.new_database()
    run_as_shown(LOAD, tmp_path, empty)
    made = moved(running, running.settings.folder, empty)
    refuses_to_start(made, "the database is older than the published log.*foredraw rebuild")
    made.stop()
    rebuild(made.settings)
    made.start()
    made.play(TABLE)
    made.check()
    made.stop()


def test_the_custodians_store_is_dumped_as_the_page_shows(postgres: PostgresServer, tmp_path: Path) -> None:
    """The database of FOREDRAW_CUSTODIAN, into a file of its own, which can be loaded like the other."""
    seeds = postgres.new_database()
    with psycopg.connect(seeds.secret_address) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS seed")
    (tmp_path / "copy").mkdir()
    run_as_shown(DUMP_OF_SEEDS, tmp_path, seeds)
    restored = postgres.new_database()
    run_as_shown(LOAD.replace("foredraw.dump", "custodian.dump"), tmp_path, restored)
    with psycopg.connect(restored.secret_address) as connection:
        assert connection.execute("SELECT seed FROM kept").fetchone() == (7,)
