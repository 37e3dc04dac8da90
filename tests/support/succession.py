"""A log that ends, and the one that follows it, made by the operator's commands."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from api.log.keys import load_verifier_key
from api.rounds.tables import request_close
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import AuthenticTiles
from fairness.player.round_code import RoundCode
from tests.support.commands import foredraw
from tests.support.in_process_service import ORIGIN, InProcessService
from tests.support.postgres import PostgresServer
from verifier.sources.source import FolderSource

NEXT_ORIGIN = "fore.example/next"
TABLE, GAME = "keno-1", "keno-express"


def played_and_closed(folder: Path, *, server: PostgresServer | None = None) -> InProcessService:
    """A service whose one table was played and closed; it runs."""
    made = InProcessService.create(folder, batch_size=300, tables=[(TABLE, GAME)], server=server)
    made.play(TABLE, 2)
    made.settle()
    request_close(made.service.writer, TABLE)
    made.settle()
    return made


def confirm_clock(service: InProcessService) -> None:
    """Have commands, which run by the machine's own clock, accept it: the log is days old by that."""
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%MZ}"
    done = foredraw(service.settings.folder, "clock", "confirm", now)
    assert done.returncode == 0, done.stderr


def made_next(folder: Path) -> InProcessService:
    """The service of a log that shall follow: `init` has made it, and it has not been started."""
    made = InProcessService(folder, batch_size=300)
    done = foredraw(folder, "init", "--origin", NEXT_ORIGIN)
    assert done.returncode == 0, done.stderr
    assert str(load_verifier_key(made.settings)) in done.stdout
    return made


def succeed(old: InProcessService, to: object, *more: str, origin: str = ORIGIN) -> tuple[int, str]:
    """The status of `succeed`, and what it said."""
    done = foredraw(old.settings.folder, "succeed", "--to", str(to), "--origin", origin, "--wait", "0", *more)
    return done.returncode, done.stdout + done.stderr


def begin(new: InProcessService, old: InProcessService, *more: str) -> tuple[int, str]:
    """The status of `init --after`, and what it said."""
    last = str(old.settings.log / "checkpoint")
    done = foredraw(new.settings.folder, "init", "--after", last, "--key", str(old.key), *more)
    return done.returncode, done.stdout + done.stderr


def records_of(service: InProcessService) -> list[bytes]:
    """Every record of its published log."""
    source = FolderSource(service.settings.log)
    checkpoint = Checkpoint.open(source.read("checkpoint"), service.key)
    tiles = AuthenticTiles(checkpoint, source.read)
    return [tiles.record(at) for at in range(checkpoint.size)]


def code_of_nobody() -> str:
    """A round code of a table that is in neither log."""
    return str(RoundCode.of(GAME, leaf_hash(b"another casino's"), 1, [bytes(32)]))
