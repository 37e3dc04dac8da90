"""A token that a caller presents: whether it is valid, and whose it is.

A process remembers for a second what it found, and notes at most once a minute that a token was used.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import timedelta

from api.access.token_text import OF_A_SANDBOX, is_spelled
from api.access.tokens import Token, digest
from api.problems import Code, Problem
from api.sql.database import Database
from api.store import statements as sql
from api.store.models import TokenRow
from api.world.clock import Clock
from api.world.storage_failures import STORAGE_FAILURES
from fairness.times import format_time

USED_EVERY = timedelta(minutes=1)
_RECENT_SECONDS = 1.0

# Tokens that were good a moment ago, by their digest; there are never more than were created.
_recent: dict[str, tuple[float, Token]] = {}


def find_token(database: Database, clock: Clock, header: str | None) -> Token:
    """Return the token of an ``Authorization`` header. Raises `Problem`."""
    scheme, _, text = (header or "").partition(" ")
    if scheme.lower() != "bearer" or not text:
        raise Problem(Code.NO_TOKEN, "send the header Authorization: Bearer TOKEN")
    hashed = digest(text)
    known = _recent.get(hashed)
    if known is not None and time.monotonic() - known[0] < _RECENT_SECONDS:
        return known[1]
    token = known_token(database, clock, text)
    _recent[hashed] = (time.monotonic(), token)
    return token


def known_token(database: Database, clock: Clock, text: str) -> Token:
    """Return the token with this text. Raises `Problem` if there is none, or if it is revoked or has expired."""
    if text.startswith(OF_A_SANDBOX):
        raise Problem(Code.UNKNOWN_TOKEN, "this is a token of a sandbox, and this service is none: call the sandbox")
    row = _row(database, text) if is_spelled(text) else None
    if row is None or not row.is_valid(clock.now()):
        raise Problem(Code.UNKNOWN_TOKEN, "make a token with `foredraw token create`")
    _note_use(database, clock, row)
    return Token.of(row)


def _row(database: Database, text: str) -> TokenRow | None:
    with database.read() as connection:
        return sql.ONE_TOKEN.find(connection, digest=digest(text))


def _note_use(database: Database, clock: Clock, row: TokenRow) -> None:
    now = clock.moment()
    if row.used is not None and format_time(now - USED_EVERY) < row.used <= format_time(now):
        return
    used = {"where_digest": row.digest, "new_used": format_time(now)}
    # No call is refused because its time cannot be noted, and none waits for it: the next one notes it.
    with suppress(*STORAGE_FAILURES):
        database.write_if_free(lambda connection: sql.SET_USED.run(connection, **used))
