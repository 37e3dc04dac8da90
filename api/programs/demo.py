"""What ``foredraw serve --demo`` prepares: a table of each game, and a token for the dealer."""

from __future__ import annotations

from api.access.tokens import ALL_TABLES, Role, create_token, list_tokens, revoke_token
from api.rounds.reading import status_of_tables
from api.rounds.tables import add_table
from api.service import Service
from games import GAMES

_TOKEN = "demo-dealer"  # noqa: S105


def make_demo(service: Service, salt: str) -> str:
    """Make the tables if there are none, with this salt, and a fresh token; it lives in no file.

    The machine's date is accepted as it is: no bets depend on a demo, and it continues by itself after weeks of rest.
    """
    service.timekeeper.confirm(service.clock.moment())
    if not status_of_tables(service.database):
        for game in GAMES:
            add_table(service.writer, f"{game}-1", game, salt=salt)
    tokens = list_tokens(service.database)
    for row in tokens:
        if row.name.startswith(f"{_TOKEN}-") and row.revoked is None:
            revoke_token(service.database, service.clock, row.name)
    return create_token(service.database, service.clock, f"{_TOKEN}-{len(tokens) + 1}", Role.ENGINE, [ALL_TABLES])
