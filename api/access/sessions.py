"""Sessions of operators: who signed in with a token, and has a cookie for it.

The cookie is 256 random bits; the database has its hash, bound to the token's. A session ends
with its token, when it is signed out of, after half an hour without a click, and after twelve
hours in any case. No key is needed: there is nothing to sign.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from datetime import timedelta

from api.access.tokens import Role, Token, digest
from api.service import Service
from api.sql.connection import Connection
from api.store import statements as sql
from api.store.rows import SessionRow
from api.world.clock import entropy

LONGEST = timedelta(hours=12)
LONGEST_IDLE = timedelta(minutes=30)
_NOTED_EVERY = timedelta(minutes=1)
_SECRET_SIZE = 32


@dataclass(frozen=True, slots=True)
class Session:
    """An operator who is signed in."""

    operator: Token
    secret: str = field(repr=False)
    """What the cookie holds."""

    def form_token(self, action: str) -> str:
        """The token of a form of this session that is sent to the address ``action``, and to no other."""
        return hmac.new(self.secret.encode(), f"foredraw form {action}".encode(), "sha256").hexdigest()


def begin_session(service: Service, token: str) -> str:
    """Begin a session of the token with this digest. Returns what the cookie holds."""
    secret, now = entropy(_SECRET_SIZE).hex(), service.timekeeper.tick()
    row = SessionRow(digest=digest(secret), token=token, begun=now, seen=now)

    def begin(connection: Connection) -> None:
        sql.FORGET_SESSIONS.run(connection, **_living(service))
        sql.INSERT_SESSION.run(connection, row)

    service.database.write(begin)
    return secret


def find_session(service: Service, secret: str, *, active: bool) -> Session | None:
    """The session of a cookie, if it is still valid. Without ``active``, its idle time continues."""
    hashed, living = digest(secret), _living(service)
    with service.database.read() as connection:
        found = sql.SESSION_AND_TOKEN.find(connection, digest=hashed)
    if found is None or found.token.role != Role.OPERATOR:
        return None
    session = found.session
    if not living["earliest_begun"] < session.begun <= living["now"]:
        return None
    if not living["earliest_seen"] < session.seen <= living["now"]:
        return None
    if active and session.seen < service.timekeeper.tick(_NOTED_EVERY):
        seen = {"where_digest": hashed, "new_seen": living["now"]}
        service.database.write(lambda connection: sql.SET_SEEN.run(connection, **seen))
    return Session(Token.of(found.token), secret)


def end_session(service: Service, session: Session) -> None:
    """Sign out: from now on the cookie is worth nothing."""
    hashed = digest(session.secret)
    service.database.write(lambda connection: sql.DELETE_SESSION.run(connection, digest=hashed))


def _living(service: Service) -> dict[str, str]:
    """The bounds of a valid session's first and last tick. After a reboot no session is valid."""
    timekeeper = service.timekeeper
    ticks = {"earliest_begun": timekeeper.tick(LONGEST), "earliest_seen": timekeeper.tick(LONGEST_IDLE)}
    return {**ticks, "now": timekeeper.tick()}
