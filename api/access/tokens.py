"""Bearer tokens: who may do what to which tables. Only their hashes are stored."""

from __future__ import annotations

import base64
import json
import time
from dataclasses import dataclass
from enum import StrEnum

from api.journal.chain import append
from api.journal.entry import SERVICE, Act, Deed
from api.problems import Code, Problem
from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.store.rows import TokenRow
from api.world.clock import Clock, entropy
from fairness.errors import quote
from fairness.hashing import sha256

ALL_TABLES = "*"
PREFIX = "fdt_"
LONGEST_NAME = 64
_SECRET_SIZE = 32
_RECENT_SECONDS = 1.0


class Role(StrEnum):
    """What a token is for."""

    ENGINE = "engine"
    """Plays rounds."""
    OPERATOR = "operator"
    """Signs in to the operator's page, adds tables and closes them; reads metrics."""


class TokenRefusedError(Exception):
    """A token cannot be made or revoked like this."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token that was presented and is known."""

    name: str
    role: str
    tables: tuple[str, ...]

    @classmethod
    def of(cls, row: TokenRow) -> Token:
        """The token of a row."""
        return cls(row.name, row.role, tuple(json.loads(row.tables)))

    def check_role(self, role: Role) -> None:
        """Raise `Problem` unless the token has the role."""
        if self.role != role:
            raise Problem(Code.WRONG_ROLE, f"this call takes a token of the role {role}, not {self.role}")

    def check(self, role: Role, table: str) -> None:
        """Raise `Problem` unless the token has the role, for the table."""
        self.check_role(role)
        if table not in self.tables and ALL_TABLES not in self.tables:
            raise Problem(Code.WRONG_TABLE, f"the token {self.name} is not for {table[:40]!r}")


# Tokens that were good a moment ago, by their digest; there are never more than were created.
_recent: dict[str, tuple[float, Token]] = {}


def create_token(
    database: Database, clock: Clock, name: str, role: Role, tables: list[str], *, by: str = SERVICE
) -> str:
    """Make a token. Its text is returned once, and can never be shown again. ``by`` says who makes it."""
    if not name.isprintable() or not 1 <= len(name) <= LONGEST_NAME:
        raise TokenRefusedError(f"a token's name is 1 to {LONGEST_NAME} printable characters, not {quote(name)}")
    text = PREFIX + base64.urlsafe_b64encode(entropy(_SECRET_SIZE)).decode().rstrip("=")

    def insert(connection: Connection) -> None:
        names = {known.name for known in sql.ALL_TOKENS.all(connection)}
        if name in names:
            raise TokenRefusedError(f"there is a token {name!r} already: choose another name")
        now = clock.now()
        row = TokenRow(digest(text), name=name, role=role.value, tables=json.dumps(tables), created=now)
        sql.INSERT_TOKEN.run(connection, row)
        append(connection, now, Deed(by, Act.TOKEN_CREATE, name, after={"role": row.role, "tables": tables}))

    database.write(insert)
    return text


def revoke_token(
    database: Database, clock: Clock, name: str, *, by: str = SERVICE, reason: str | None = None
) -> None:
    """Revoke a token; a second later, every call that presents it is refused. ``by`` says who does it."""
    now = clock.now()

    def revoke(connection: Connection) -> None:
        if not sql.REVOKE_TOKEN.run(connection, where_name=name, new_revoked=now):
            raise TokenRefusedError(f"there is no token {name!r} that is not revoked: see `foredraw token list`")
        append(connection, now, Deed(by, Act.TOKEN_REVOKE, name, reason=reason))

    database.write(revoke)


def list_tokens(database: Database) -> list[TokenRow]:
    """All tokens, without their secrets."""
    with database.read() as connection:
        return sql.ALL_TOKENS.all(connection)


def find_token(database: Database, header: str | None) -> Token:
    """The token of an ``Authorization`` header. Raises `Problem`."""
    scheme, _, text = (header or "").partition(" ")
    if scheme.lower() != "bearer" or not text:
        raise Problem(Code.NO_TOKEN, "send the header Authorization: Bearer TOKEN")
    hashed = digest(text)
    known = _recent.get(hashed)
    if known is not None and time.monotonic() - known[0] < _RECENT_SECONDS:
        return known[1]
    token = known_token(database, hashed)
    _recent[hashed] = (time.monotonic(), token)
    return token


def known_token(database: Database, hashed: str) -> Token:
    """The token with this digest. Raises `Problem` if there is none, or if it is revoked."""
    with database.read() as connection:
        row = sql.ONE_TOKEN.find(connection, digest=hashed)
    if row is None or row.revoked is not None:
        raise Problem(Code.UNKNOWN_TOKEN, "make a token with `foredraw token create`")
    return Token.of(row)


def digest(text: str) -> str:
    """What is stored of a token."""
    # A token is 256 bits of entropy: nothing to guess, so no slow hash is needed.
    return sha256(text.encode("utf-8", "surrogateescape")).hex()
