"""The bets of a table, by the paytable that its record names."""

from __future__ import annotations

from api.sharing.bounded import BoundedCache
from api.sql.database import Database
from api.store import statements as sql
from fairness.errors import CheckFailed, Unknown
from fairness.hashing import sha256
from fairness.records.table_state import TableState
from games.bets.catalogue import CATALOGUE_BETS, bets_by, is_catalogues
from games.bets.exactness import has_method
from games.bets.game_bets import GameBets

_own: BoundedCache[tuple[str, str, str], GameBets] = BoundedCache(64)
"""Of paytables that are not the catalogue's, by the game, its declaration and the paytable."""


def bets_of(database: Database, state: TableState) -> GameBets | None:
    """Return the bets of a table; `None` if it has none, or if this program cannot read what they pay."""
    if not state.paytable:
        return None
    if is_catalogues(state.game, state.declaration_text, state.paytable):
        return CATALOGUE_BETS[state.game]
    key = state.game, state.declaration_text, state.paytable
    if (known := _own.get(key)) is not None:
        return known
    if (file := file_of(database, state.paytable)) is None:
        return None
    try:
        bets = bets_by(*key, file)
    except (CheckFailed, Unknown):
        # Of a later version, in a log that a newer program has written; or the row is damaged, as a start says.
        return None
    bets.ask_laws_only_where(lambda offer: has_method(bets, offer))
    _own.put(key, bets)
    return bets


def file_of(database: Database, paytable: str) -> bytes | None:
    """Return the file of this hash, in HEX; `None` if the database has lost it, or has another one in its place."""
    with database.read() as connection:
        data = sql.ONE_PAYTABLE.find(connection, hash=paytable)
    return data if data is not None and sha256(data).hex() == paytable else None


def are_catalogues(state: TableState) -> bool:
    """Return whether a table's bets are the catalogue's, which people can read about."""
    return is_catalogues(state.game, state.declaration_text, state.paytable)
