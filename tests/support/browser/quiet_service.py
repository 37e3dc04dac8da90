"""A service in this process, where nothing happens except what a test does; a thread serves its pages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wsgi import ClosingIterator

from api.programs.demo import GAMES_OF
from api.rounds.tables import add_table
from api.server.app import create_app
from games import GAMES
from games.declared.catalogue import catalogue
from tests.oracles.made_columns import some_rules
from tests.support.in_process_service import InProcessService
from tests.support.running_service import SIX_TABLES

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class _Silent(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_: object) -> None:
        """Say nothing."""


def _without_files(app: WSGIApplication) -> WSGIApplication:
    """Werkzeug's server leaves a file open if the browser goes away in the middle of it, so it gets the bytes."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        chunks = app(environ, start_response)
        if not environ["PATH_INFO"].startswith("/log/"):
            return chunks
        with closing(ClosingIterator(chunks)) as file:
            return list(file)

    return answer


@dataclass(frozen=True)
class QuietService:
    """``url`` is the address of its pages; ``inside`` plays."""

    inside: InProcessService
    url: str

    def code(self, table: str, number: int) -> str:
        """The round code of a round that has ended."""
        return str(self.round(table, number)["round_code"])

    def round(self, table: str, number: int) -> Mapping[str, Any]:
        """The public answer about a round."""
        return dict(json.loads(self._get(f"/v1/tables/{table}/rounds/{number}")))

    def proof(self, table: str, number: int) -> bytes:
        """The proof file of a round, or its receipt."""
        return self._get(f"/v1/tables/{table}/rounds/{number}/proof")

    def settle(self, table: str, number: int, bet: str, stake: int) -> Mapping[str, Any]:
        """The service's result of a bet."""
        body = {"bets": [{"bet": bet, "stake": stake}]}
        client = create_app(self.inside.service).test_client()
        answer = client.post(f"/v1/tables/{table}/rounds/{number}/settle", json=body)
        return dict(answer.get_json()["bets"][0])

    def _get(self, path: str) -> bytes:
        answer = create_app(self.inside.service).test_client().get(path)
        return bytes(answer.data)


@contextmanager
def quiet_service(folder: Path, *, rounds: int = 3) -> Iterator[QuietService]:
    """Six tables, each with some played rounds and a void one."""
    inside = InProcessService.create(folder, batch_size=40, tables=SIX_TABLES.items())
    for table in SIX_TABLES:
        inside.play(table, rounds)
        inside.open(table, rounds + 1)
        inside.lock(table, rounds + 1)
        inside.void(table, rounds + 1)
    inside.settle()
    with _served(inside) as served:
        yield served


@contextmanager
def whole_catalogue(folder: Path) -> Iterator[QuietService]:
    """A table of each game, with a played round; every third takes bets, and every third is locked."""
    inside = InProcessService.create(folder)
    rules = {each.game: some_rules(each.declaration.parameters) for each in catalogue() if each.game not in GAMES}
    for game in GAMES_OF["all"]:
        add_table(inside.service.writer, f"{game}-1", game, rules=rules.get(game))
    inside.settle()
    for at, game in enumerate(GAMES_OF["all"]):
        inside.play(f"{game}-1")
        if at % 3:
            inside.open(f"{game}-1", 2)
        if at % 3 == 1:
            inside.locking(f"{game}-1", 2)
    inside.settle()
    with _served(inside) as served:
        yield served


@contextmanager
def _served(inside: InProcessService) -> Iterator[QuietService]:
    server = make_server(
        "127.0.0.1", 0, _without_files(create_app(inside.service)), threaded=True, request_handler=_Silent
    )
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield QuietService(inside, f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        thread.join()
        inside.stop()
