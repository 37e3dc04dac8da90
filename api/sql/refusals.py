"""What PostgreSQL says when it fails, in a sentence with the remedy (``docs/machines.md``, "On PostgreSQL").

No sentence has anything of the database's address but its place: the rest may hold a password. PostgreSQL and libpq
may quote what they were given, so both spellings of the password are masked in their words.
"""

from __future__ import annotations

from collections.abc import Callable

import psycopg
from psycopg import errors

from api.settings import Server
from api.world.storage_failures import ServerFailure, of_another_schema
from fairness.errors import quote

_AGAIN = (errors.SerializationFailure, errors.DeadlockDetected)
_DAMAGED = (errors.DataCorrupted, errors.IndexCorrupted)
_FULL = ("too many clients", "too many connections", "connection slots are reserved")
_REFUSED = ("authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry")
"""PostgreSQL's own words: libpq reports no state of a connection that was refused."""
_LONGEST = 300
_GO_ON = "and the service can go on"


def is_worth_repeating(error: psycopg.Error) -> bool:
    """Return whether a transaction was rolled back only because of another one."""
    return isinstance(error, _AGAIN)


def in_words(error: psycopg.Error, server: Server) -> ServerFailure:
    """Return what is wrong, and what to do."""
    if (sentence := _SENTENCES.get(type(error))) is not None:
        return ServerFailure(sentence(server))
    name, said = f"the database {server.place}", _said(error, server)
    match error:
        case psycopg.OperationalError() if any(words in said for words in _FULL):
            what = f"{name} has no connection left. Let PostgreSQL have more (max_connections), {_GO_ON}"
        case errors.DiskFull() | errors.OutOfMemory():
            what = f"{name} has no room left ({said}). Make room, {_GO_ON}"
        case errors.UndefinedTable() | errors.UndefinedColumn() | errors.InvalidSchemaName():
            what = of_another_schema(name, said)
        case _ if _is_refused(error, said):
            what = f"{name} cannot be used ({said}). Put the address in FOREDRAW_DATABASE and the rights of its user right"
        case errors.LockNotAvailable():
            what = held(server, said)
        case errors.DataCorrupted() | errors.IndexCorrupted():
            what = f"{name} is damaged ({said}). Stop the service, bring PostgreSQL's newest copy back, and run `foredraw rebuild`"
        case errors.IntegrityError() | errors.RaiseException():
            what = f"{name} refuses what must not be stored ({said}). Look at its rows, and at who else writes to it"
        case psycopg.OperationalError() if not isinstance(error, errors.QueryCanceled):
            what = f"{name} cannot be reached ({said}). Start PostgreSQL or mend the way to it, {_GO_ON}"
        case _:
            what = f"{name} cannot be used ({said}). Look at PostgreSQL's log"
    return ServerFailure(what, damaged=isinstance(error, _DAMAGED))


def held(server: Server, how: str) -> str:
    """Return what is wrong while another program keeps changes from being made, and what to do."""
    return f"the database {server.place} is held by another program ({how}). End that program, {_GO_ON}"


def not_in_utf8(server: Server, encoding: str) -> str:
    """Return what is wrong with a database that does not have every character, and what to do."""
    return (
        f"the database {server.place} has the encoding {encoding}, which does not have every character: make it again with"
        " CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
    )


def through_a_pooler(server: Server) -> str:
    """Return what is wrong if transactions of one connection run in several processes of the server, and what to
    do.
    """
    return (
        f"the database {server.place} is behind a pooler in transaction mode, which keeps neither prepared statements nor settings"
        " of a connection: lead FOREDRAW_DATABASE to PostgreSQL itself, or to a pool in session mode"
    )


def _is_refused(error: psycopg.Error, said: str) -> bool:
    if isinstance(error, errors.InvalidCatalogName | errors.InvalidPassword | errors.InsufficientPrivilege):
        return True
    return isinstance(error, psycopg.OperationalError) and any(words in said for words in _REFUSED)


def read_only(server: Server) -> str:
    """Return the sentence of a server that takes no changes."""
    return (
        f"the database {server.place} is read-only: it may be a standby, or out of room. Lead FOREDRAW_DATABASE to the"
        f" primary server, or end `default_transaction_read_only` there, {_GO_ON}"
    )


def while_connecting(error: psycopg.Error, server: Server) -> ServerFailure:
    """Return the same for a new connection. What libpq says of an address that it cannot read is not shown: it quotes
    the part.
    """
    # An error without a state is libpq's own, which has asked nobody yet.
    if not isinstance(error, psycopg.ProgrammingError) or error.sqlstate:
        return in_words(error, server)
    return ServerFailure(
        f"the database {server.place} cannot be asked for: libpq does not take the address in FOREDRAW_DATABASE, and its"
        " words are not shown, because they may quote a password. Look at the options after the question mark"
    )


def _said(error: psycopg.Error, server: Server) -> str:
    """Return the driver's own words, on one line."""
    text = error.diag.message_primary or " ".join(str(error).split())
    for password in server.passwords:
        text = text.replace(password, "***")
    return quote(text[:_LONGEST])


_SENTENCES: dict[type[psycopg.Error], Callable[[Server], str]] = {
    errors.ReadOnlySqlTransaction: read_only,
    # What a connection prepared, another one has, or nobody.
    errors.DuplicatePreparedStatement: through_a_pooler,
    errors.InvalidSqlStatementName: through_a_pooler,
}
