"""What ``foredraw serve --demo`` prepares: a table of each game, and a token for the dealer."""

from __future__ import annotations

from api.access.tokens import ALL_TABLES, Role, create_token, list_tokens, revoke_token
from api.journal.clock import confirm_clock
from api.rounds.reading import status_of_tables
from api.rounds.tables import add_table
from api.service import Service
from games import GAMES

_TOKEN = "demo-dealer"  # noqa: S105
_DEMO = "demo"


def make_demo(service: Service, salt: str) -> str:
    """Make the tables if there are none, with this salt, and a fresh token; it lives in no file.

    The machine's date is accepted as it is: no bets depend on a demo, and it continues by itself after weeks of rest.
    """
    confirm_clock(service.database, service.timekeeper, service.clock.moment(), by=_DEMO)
    if not status_of_tables(service.database):
        for game in GAMES:
            add_table(service.writer, f"{game}-1", game, salt=salt, by=_DEMO)
    tokens = list_tokens(service.database)
    for row in tokens:
        if row.name.startswith(f"{_TOKEN}-") and row.revoked is None:
            revoke_token(service.database, service.clock, row.name, by=_DEMO)
    name = f"{_TOKEN}-{len(tokens) + 1}"
    return create_token(service.database, service.clock, name, Role.ENGINE, [ALL_TABLES], by=_DEMO)
