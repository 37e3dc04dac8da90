"""What ``foredraw serve --demo`` prepares: tables of some games, and a token for the dealer."""

from __future__ import annotations

from collections.abc import Iterable

from api.access.tokens import ALL_TABLES, Role, create_token, list_tokens, revoke_token
from api.journal.clock import confirm_clock
from api.rounds.reading import status_of_tables
from api.rounds.tables import add_table
from api.service import Service
from games import GAMES
from games.declared.catalogue import catalogue
from games.declared.values import Bounds

GAMES_OF = {
    "named": tuple(GAMES),
    "kinds": ("crash", "rocketon", "hi-lo", "roulette", "baccarat", "keno", "racing", "sic-bo", "blackjack"),
    "all": tuple(listed.game for listed in catalogue()),
}
"""What a demo can play: the games known by their names, one of each kind of draw, or the whole catalogue."""
_FEW, _MANY = 6, 5000

_TOKEN = "demo-dealer"  # noqa: S105 -- a name
_DEMO = "demo"


def make_demo(service: Service, salt: str, games: Iterable[str] = GAMES_OF["named"]) -> str:
    """Make tables of these games if there are none, with this salt, and a fresh token; it lives in no file.

    The machine's date is accepted as it is: no bets depend on a demo, and it continues by itself after weeks of rest.
    """
    confirm_clock(service.database, service.timekeeper, service.clock.moment(), by=_DEMO)
    if not status_of_tables(service.database):
        for game in games:
            rules = None if game in GAMES else _some_rules(game)
            add_table(service.writer, f"{game}-1", game, rules=rules, salt=salt, by=_DEMO)
    tokens = list_tokens(service.database)
    for row in tokens:
        if row.name.startswith(f"{_TOKEN}-") and row.revoked is None:
            revoke_token(service.database, service.clock, row.name, by=_DEMO)
    name = f"{_TOKEN}-{len(tokens) + 1}"
    return create_token(service.database, service.clock, name, Role.ENGINE, [ALL_TABLES], by=_DEMO)


def _some_rules(game: str) -> dict[str, int]:
    """Return any rules that a declared game admits: a few of each thing, and equal weights."""
    parameters = next(listed.declaration.parameters for listed in catalogue() if listed.game == game)
    rules = {name: _some(bounds) for name, bounds in parameters.plain.items()}
    for prefix, (size, bounds) in parameters.families.items():
        rules |= {f"{prefix}{number}": _some(bounds) for number in range(1, rules[size] + 1)}
    return {**rules, "version": 1}


def _some(bounds: Bounds) -> int:
    return sum(bounds) // 2 if bounds.most >= _MANY else min(bounds.most, max(bounds.least, _FEW))
