"""Engines of tables at which players decide, and of others, over HTTP at a service in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from api.access.tokens import Role, create_token
from api.journal.chain import entries
from api.journal.entry import Act, values_of
from api.rounds.tables import Order, add_table
from api.server.app import create_app, create_engine_app
from tests.support.calls import as_sent
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer

TABLE, PLAIN, FLIGHT, SEATS, WHOLE = "cards", "dice", "rocket", "seats", "open"
KEPT_BACK = {"keep_back": True}
_TABLES = {TABLE: "blackjack", PLAIN: "sic-bo", FLIGHT: "rocketon", SEATS: "toto-21"}
"""Where it can be, the order is kept; of the table `WHOLE`, which is of Blackjack, too, a lock may ask for it."""


class Engines:
    """Two engines and one of another table, at a service in this process."""

    def __init__(self, folder: Path, server: PostgresServer | None) -> None:
        """At a new service, in a folder."""
        inside = InProcessService.create(folder, batch_size=24, tables=_TABLES.items(), server=server)
        add_table(inside.service.writer, WHOLE, "blackjack", order=Order.WHOLE)
        inside.settle()
        self.inside = inside
        service = inside.service
        tables = {"mine": ["*"], "other": ["*"], "narrow": [PLAIN]}
        self._tokens = {
            name: create_token(service.database, service.clock, name, Role.ENGINE, each)
            for name, each in tables.items()
        }
        self.connect()

    def connect(self) -> None:
        """To the service as it is now, for instance after a restart."""
        self._engines = create_engine_app(self.inside.service).test_client()
        self.public = create_app(self.inside.service).test_client()

    def call(
        self, action: str, body: object = None, *, table: str = TABLE, number: int = 1, by: str = "mine"
    ) -> tuple[int, dict[str, Any]]:
        """The status and the document of a call."""
        path = f"/v1/engine/tables/{table}/rounds/{number}/{action}"
        return self._post(path, json.dumps(as_sent(path, body or {})).encode(), by)

    def post(self, action: str, data: bytes) -> tuple[int, dict[str, Any]]:
        """The same with whatever bytes are its body."""
        return self._post(f"/v1/engine/tables/{TABLE}/rounds/1/{action}", data, "mine")

    def _post(self, path: str, data: bytes, by: str) -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": f"Bearer {self._tokens[by]}"}
        answer = self._engines.post(path, data=data, headers=headers)
        return answer.status_code, answer.get_json()

    def next(self, start: int, count: int, **of: Any) -> tuple[int, dict[str, Any]]:  # noqa: ANN401 -- whatever the call takes
        """The same, of the next things."""
        return self.call("next", {"position": start, "count": count}, **of)

    def locked(self, table: str = TABLE, number: int = 1, body: object = KEPT_BACK) -> dict[str, Any]:
        """Open and lock a round; the answer of the lock."""
        assert self.call("open", table=table, number=number)[0] == 200
        status, answer = self.call("lock", body, table=table, number=number)
        assert status == 200
        return answer

    def read(self) -> list[tuple[str, object]]:
        """What the journal has of outcomes that were read before their reveal."""
        rows = [row for row in entries(self.inside.service.database) if row.act == Act.OUTCOME_READ]
        return [(row.who, values_of(row.after)) for row in rows]
