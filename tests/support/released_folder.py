"""Data folders as releases left them: packed, with a dump of the database if that was on a server.

`python -m tests.released_folder` made them by the program of that release, and they stay as they are. Their keys are
of a test, and keep nothing secret.
"""

from __future__ import annotations

import subprocess
import tarfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from api.journal.clock import confirm_clock
from api.settings import Server
from api.world.clock import RELEASED
from tests.house import HOUSE
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer, program
from tests.support.salted_service import BEACON

FOLDER = HOUSE / "tests" / "api" / "store" / "released"
REVISIONS = {"1_64e6c66d": "1886bd8fb9f25b0a0b0cb66550cc47814a2fae05d697cf9374efe984416c6a4a"}
"""Those that were released, the oldest first, each with the SHA-256 of its file."""
DUMP, TOKEN = "dump.sql", "token"
"""Beside the data folder: the server's database, and what the service's engine presents."""
BATCH_SIZE = 12
STARTED_AGAIN = max(datetime(2028, 1, 1, tzinfo=UTC), RELEASED + timedelta(days=1))


def packed(release: str, engine: str) -> Path:
    """The file of a release, with the database on this engine."""
    return FOLDER / f"{release}-{engine}.tar.xz"


def releases() -> list[str]:
    """Those of which a folder is kept, the oldest first."""
    return sorted({path.name.rpartition("-")[0] for path in FOLDER.glob("*.tar.xz")})


def released(release: str, folder: Path, server: PostgresServer | None) -> InProcessService:
    """The service of a release's folder, stopped, more than a year later."""
    with tarfile.open(packed(release, "sqlite" if server is None else "postgresql")) as archive:
        archive.extractall(folder, filter="data")
    if server is None:
        made = InProcessService(folder / "data", batch_size=BATCH_SIZE)
    else:
        made = InProcessService(folder / "data", batch_size=BATCH_SIZE, server=server, template="template0")
        load(made.server, folder / DUMP)
    made.settings = replace(made.settings, beacon=BEACON)
    made.clock.date = STARTED_AGAIN
    return made


def dump(server: Server) -> str:
    """A server's database as statements, without what only some versions of its programs read."""
    command = [program("pg_dump"), "--no-owner", "--no-privileges", server.secret_address]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    unread = ("\\restrict", "\\unrestrict", "SET transaction_timeout")
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(unread))


def load(server: Server, file: Path) -> None:
    """Fill an empty database."""
    command = [program("psql"), "--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-f", str(file)]
    subprocess.run([*command, server.secret_address], check=True, capture_output=True)


def confirm(service: InProcessService) -> None:
    """Confirm the clock, as an operator does after a long stop."""
    inside = service.service
    confirm_clock(inside.database, inside.timekeeper, service.clock.date, by="ani")
