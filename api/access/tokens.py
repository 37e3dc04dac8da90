"""Bearer tokens: who may do what to which tables. Only their hashes are stored.

An **account** is a person or an engine: a name with a role and tables. Its first token has its name; when it is
rotated the account gets another one, and the one before stays valid for a while.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from api.access.token_text import new_text
from api.journal.chain import append
from api.journal.entry import SERVICE, Act, Deed, holder
from api.problems import Code, Problem
from api.refusal import RefusalError
from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.store.models import TokenRow
from api.world.clock import Clock
from fairness.errors import quote
from fairness.hashing import sha256
from fairness.times import format_time

ALL_TABLES = "*"
LONGEST_NAME = 64
MOST_VALID = 2
"""Tokens of an account that are valid at once."""


class Role(StrEnum):
    """What a token is for."""

    ENGINE = "engine"
    """Plays rounds."""
    OPERATOR = "operator"
    """Signs in to the operator's page, adds tables and closes them; reads metrics."""
    AUDITOR = "auditor"
    """Signs in to the operator's page and reads metrics, and changes nothing."""


class TokenRefusedError(RefusalError):
    """A token cannot be made or revoked like this."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token that was presented and is known."""

    name: str
    """The account's."""
    role: str
    tables: tuple[str, ...]
    expires: str | None
    """From when on it is refused; `None` if it stays valid until it is revoked."""

    @classmethod
    def of(cls, row: TokenRow) -> Token:
        """Return the token of a row."""
        return cls(row.owner, row.role, tuple(json.loads(row.tables)), row.expires)

    @property
    def holder(self) -> str:
        """Who acts with it, for the journal."""
        return holder(self.role, self.name)

    def check_role(self, *roles: Role) -> None:
        """Raise `Problem` unless the token has one of the roles."""
        if self.role not in roles:
            raise Problem(
                Code.WRONG_ROLE, f"this call takes a token of the role {' or '.join(roles)}, not {self.role}"
            )

    def check(self, role: Role, table: str) -> None:
        """Raise `Problem` unless the token has the role, for the table."""
        self.check_role(role)
        if table not in self.tables and ALL_TABLES not in self.tables:
            raise Problem(Code.WRONG_TABLE, f"the token {self.name} is not for {table[:40]!r}")


def create_token(
    database: Database,
    clock: Clock,
    name: str,
    role: Role,
    tables: list[str],
    *,
    lifetime: timedelta | None = None,
    by: str = SERVICE,
) -> str:
    """Make an account, and its first token. Its text is returned once, and can never be shown again.

    ``lifetime`` is how long it is valid; `None` until it is revoked. ``by`` says who makes it. Raises
    `TokenRefusedError`.
    """
    if not name.isprintable() or not 1 <= len(name) <= LONGEST_NAME:
        raise TokenRefusedError(f"a token's name is 1 to {LONGEST_NAME} printable characters, not {quote(name)}")
    text, now = new_text(role), clock.moment()

    def insert(connection: Connection) -> None:
        sql.TAKE_NAMES.run(connection)
        known = sql.ALL_TOKENS.all(connection)
        if name in {taken for row in known for taken in (row.name, row.owner)}:
            raise TokenRefusedError(f"there is a token {name!r} already: choose another name")
        row = TokenRow(
            digest(text),
            name=name,
            role=role.value,
            tables=json.dumps(tables),
            created=format_time(now),
            expires=_end(now, lifetime),
        )
        sql.INSERT_TOKEN.run(connection, row)
        after = {"expires": row.expires, "role": row.role, "tables": tables}
        append(connection, row.created, Deed(by, Act.TOKEN_CREATE, name, after=after))

    database.write(insert)
    return text


def rotate_token(
    database: Database,
    clock: Clock,
    account: str,
    *,
    overlap: timedelta,
    lifetime: timedelta | None = None,
    by: str = SERVICE,
    reason: str | None = None,
) -> str:
    """Make another token of an account; the present one stays valid for ``overlap``. Raises `TokenRefusedError`.

    So whoever uses it has that long to change to the new one, and no call is refused meanwhile.
    """
    now = clock.moment()

    def rotate(connection: Connection) -> str:
        # Whoever revokes the account meanwhile has to see its new token.
        sql.TAKE_NAMES.run(connection)
        of_account = [row for row in sql.ALL_TOKENS.all(connection) if row.owner == account]
        old = _only_valid(account, of_account, now)
        text = new_text(old.role)
        until = min(filter(None, (old.expires, format_time(now + overlap))))
        sql.SET_EXPIRES.run(connection, where_digest=old.digest, new_expires=until)
        name = _free_name(account, of_account)
        row = old._replace(
            digest=digest(text),
            name=name,
            created=format_time(now),
            account=account,
            expires=_end(now, lifetime),
            used=None,
        )
        sql.INSERT_TOKEN.run(connection, row)
        before, after = {"expires": until, "token": old.name}, {"expires": row.expires, "token": name}
        deed = Deed(by, Act.TOKEN_ROTATE, account, before=before, after=after, reason=reason)
        append(connection, row.created, deed)
        return text

    return database.write(rotate)


def revoke_token(
    database: Database, clock: Clock, name: str, *, by: str = SERVICE, reason: str | None = None
) -> None:
    """Revoke all tokens of an account, or one by its name; a second later, every call that presents one is
    refused.
    """
    now = clock.now()

    def revoke(connection: Connection) -> None:
        sql.TAKE_NAMES.run(connection)
        known = [row for row in sql.ALL_TOKENS.all(connection) if row.revoked is None]
        chosen = [row for row in known if row.owner == name] or [row for row in known if row.name == name]
        if not chosen:
            raise TokenRefusedError(f"there is no token {name!r} that is not revoked: see `foredraw token list`")
        for row in chosen:
            sql.REVOKE_TOKEN.run(connection, where_name=row.name, new_revoked=now)
        before = {"tokens": [row.name for row in chosen]}
        append(connection, now, Deed(by, Act.TOKEN_REVOKE, name, before=before, reason=reason))

    database.write(revoke)


def list_tokens(database: Database) -> list[TokenRow]:
    """Return all tokens, without their secrets."""
    with database.read() as connection:
        return sql.ALL_TOKENS.all(connection)


def digest(text: str) -> str:
    """Return what is stored of a token."""
    # A token is 256 bits of entropy: nothing to guess, so no slow hash is needed.
    return sha256(text.encode("utf-8", "surrogateescape")).hex()


def _end(now: datetime, lifetime: timedelta | None) -> str | None:
    return None if lifetime is None else format_time(now + lifetime)


def _only_valid(account: str, of_account: Iterable[TokenRow], now: datetime) -> TokenRow:
    """Return the one valid token of an account. Raises `TokenRefusedError` if it has none, or as many as it may
    have.
    """
    valid = [row for row in of_account if row.is_valid(format_time(now))]
    if not valid:
        raise TokenRefusedError(f"{account!r} has no token that is valid: see `foredraw token list`")
    if len(valid) >= MOST_VALID:
        raise TokenRefusedError(
            f"{account!r} has {len(valid)} tokens that are valid: revoke one, or wait until the older one expires"
        )
    return valid[0]


def _free_name(account: str, known: Iterable[TokenRow]) -> str:
    """Return ``ani#2``, or the next number that no token of the account has."""
    taken, number = {row.name for row in known}, 2
    while f"{account}#{number}" in taken:
        number += 1
    return f"{account}#{number}"
