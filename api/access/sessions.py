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
from api.journal.chain import append
from api.journal.entry import Act, Deed
from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.store.models import SessionRow
from api.world.clock import entropy
from api.world.timekeeper import Timekeeper

LONGEST = timedelta(hours=12)
LONGEST_IDLE = timedelta(minutes=30)
_NOTED_EVERY = timedelta(minutes=1)
_SECRET_SIZE = 32
PEOPLE = (Role.OPERATOR, Role.AUDITOR)
"""The roles that can sign in."""


@dataclass(frozen=True, slots=True)
class Session:
    """An operator who is signed in, or an auditor, who changes nothing."""

    operator: Token
    secret: str = field(repr=False)
    """What the cookie holds."""

    def form_token(self, action: str) -> str:
        """Return the token of a form of this session that is sent to the address ``action``, and to no other."""
        return hmac.new(self.secret.encode(), f"foredraw form {action}".encode(), "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of one service."""

    database: Database
    timekeeper: Timekeeper

    def begin(self, token: str) -> str:
        """Begin a session of the token with this digest. Returns what the cookie holds."""
        secret, now = entropy(_SECRET_SIZE).hex(), self.timekeeper.tick()
        row = SessionRow(digest=digest(secret), token=token, begun=now, seen=now)

        def begin(connection: Connection) -> None:
            sql.FORGET_SESSIONS.run(connection, **self._bounds())
            sql.INSERT_SESSION.run(connection, row)
            self._note(connection, Token.of(sql.ONE_TOKEN.one(connection, digest=token)), Act.SIGN_IN)

        self.database.write(begin)
        return secret

    def find(self, secret: str, *, active: bool) -> Session | None:
        """Return the session of a cookie, if it is still valid. Without ``active``, its idle time continues."""
        hashed, bounds = digest(secret), self._bounds()
        with self.database.read() as connection:
            found = sql.SESSION_AND_TOKEN.find(connection, digest=hashed)
        if found is None or found.token.role not in PEOPLE or not found.token.is_valid(self.timekeeper.shown()):
            return None
        session = found.session
        if not bounds["earliest_begun"] < session.begun <= bounds["now"]:
            return None
        if not bounds["earliest_seen"] < session.seen <= bounds["now"]:
            return None
        if active and session.seen < self.timekeeper.tick(_NOTED_EVERY):
            seen = {"where_digest": hashed, "new_seen": bounds["now"]}
            self.database.write(lambda connection: sql.SET_SEEN.run(connection, **seen))
        return Session(Token.of(found.token), secret)

    def end(self, session: Session) -> None:
        """Sign out: from now on the cookie is worth nothing."""
        hashed = digest(session.secret)

        def end(connection: Connection) -> None:
            sql.DELETE_SESSION.run(connection, digest=hashed)
            self._note(connection, session.operator, Act.SIGN_OUT)

        self.database.write(end)

    def _note(self, connection: Connection, token: Token, act: Act) -> None:
        append(connection, self.timekeeper.shown(), Deed(token.holder, act, token.name))

    def _bounds(self) -> dict[str, str]:
        """Return the bounds of a valid session's first and last tick. After a reboot no session is valid."""
        ticks = {"earliest_begun": self.timekeeper.tick(LONGEST), "earliest_seen": self.timekeeper.tick(LONGEST_IDLE)}
        return {**ticks, "now": self.timekeeper.tick()}
