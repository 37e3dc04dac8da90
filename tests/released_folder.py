"""``python -m tests.released_folder RELEASE``: packs data folders of this version for ``tests/api/store/released``.

It is run once for each release whose schema is new, by that release's own program: `test_released` then upgrades
what it packed, for ever. A schema that nobody has released yet needs none.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from api.access.tokens import ALL_TABLES, Role, create_token, revoke_token
from api.programs.setup import initialise
from api.rounds.control import pause_table, set_table
from api.rounds.tables import add_table, request_close
from tests.support.calls import call_of
from tests.support.in_process_service import ORIGIN, InProcessService
from tests.support.postgres import PostgresServer, postgres_server
from tests.support.relays import running_relay
from tests.support.released_folder import BATCH_SIZE, DUMP, FOLDER, TOKEN, dump, packed
from tests.support.salted_service import BEACON, HASH, NODE, can_play, wait_until
from tests.support.salted_service import TABLE as SALTED

OTHERS = {"crash-1": "crash", "cards-1": "blackjack", "dice-1": "sic-bo", "wheel-1": "penalty"}


@contextmanager
def begun(folder: Path, server: PostgresServer | None) -> Iterator[InProcessService]:
    """A new service that knows a beacon, with tables that can be played."""
    made = InProcessService(folder, batch_size=BATCH_SIZE, server=server)
    with running_relay(NODE, made.clock) as relay:
        made.settings = replace(made.settings, relays=(relay.url,), beacon=BEACON)
        initialise(made.settings, ORIGIN)
        made.start()
        add_table(made.service.writer, SALTED, "keno-express", salt=HASH)
        for name, game in OTHERS.items():
            add_table(made.service.writer, name, game, bets_required=game == "crash")
        wait_until(made, lambda: can_play(made))
        yield made
        made.stop()


def play(running: InProcessService) -> str:
    """Leave every state of rounds and tables behind; returns an engine's token."""
    service = running.service
    token = create_token(service.database, running.clock, "engine", Role.ENGINE, [ALL_TABLES])
    create_token(service.database, running.clock, "ani", Role.OPERATOR, [ALL_TABLES])
    create_token(service.database, running.clock, "gone", Role.AUDITOR, [ALL_TABLES])
    revoke_token(service.database, running.clock, "gone")
    for table in (SALTED, *OTHERS):
        if table != "cards-1":
            running.play(table, 3)
    running.open("cards-1", 1)
    service.rounds.lock("cards-1", 1, None, call=call_of("cards-1", 1), keep_back=True)
    service.rounds.next("cards-1", 1, 1, 4)
    service.rounds.reveal("cards-1", 1, dealt={"dealer": [2, 4], "player": [1, 3]})
    running.open("crash-1", 4)
    running.void("crash-1", 4)
    running.void(SALTED, 4)
    set_table(service.writer, "crash-1", rules={"cap": 500_000, "rtp": 9600, "version": 1}, by="ani")
    pause_table(service.writer, "wheel-1", paused=True, by="ani", reason="maintenance")
    request_close(service.writer, "dice-1", by="ani")
    running.settle()
    # A flight that has begun, and bets for the next one.
    running.open("crash-1", 5)
    running.lock("crash-1", 5)
    running.open("crash-1", 6)
    running.open(SALTED, 5)
    service.timekeeper.remember()
    service.monitor().turn()
    return token


def pack(release: str, engine: str, server: PostgresServer | None) -> None:
    """Make a folder and write the file of this release."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "data"
        with begun(folder, server) as running:
            (Path(place) / TOKEN).write_text(play(running), "ascii")
        if running.settings.server is not None:
            (Path(place) / DUMP).write_text(dump(running.settings.server), "utf-8")
        with tarfile.open(packed(release, engine), "w:xz") as archive:
            for part in sorted(Path(place).iterdir()):
                archive.add(part, part.name)


def main(release: str) -> None:
    """Pack both."""
    FOLDER.mkdir(exist_ok=True)
    pack(release, "sqlite", None)
    with postgres_server() as server:
        pack(release, "postgresql", server)


if __name__ == "__main__":
    main(sys.argv[1])
