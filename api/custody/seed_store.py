"""The custodian's store: an SQLite file of its own, with the sealed seeds and the high-water marks.

A standby on another machine needs the same store, so it may be in a database in PostgreSQL instead. The seeds are
sealed there, too: the key stays in a file of each machine that releases them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

from sqlalchemy import (
    MetaData,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as insert_or_update

from api.custody.mark import Mark
from api.refusal import RefusalError
from api.settings import Server
from api.sql.columns import KEY
from api.sql.connection import Connection
from api.sql.copying import copy_rows
from api.sql.database import Database
from api.sql.dialects import for_both_engines
from api.sql.files import check_whole
from api.sql.schema import names, table
from api.sql.sqlite import SqliteDatabase
from api.sql.statement import Change, Insertion, Query
from api.world.cooperation import Offload, inline
from api.world.storage_failures import DatabaseFailure, ServerFailure, of_database

Result = TypeVar("Result")

_IF_DAMAGED = "Stop the service, and put the newest copy of the custodian's folder back, never an older state"


class SeedsUnavailableError(RefusalError):
    """The custodian cannot or must not give this seed. The message names the batch, never a secret."""


class _Chain(NamedTuple):
    """A chain's last seed, sealed."""

    anchor: Annotated[bytes, KEY]
    nonce: bytes
    sealed: bytes


_SCHEMA = MetaData()
_CHAINS = table(_SCHEMA, "chains", _Chain, by_key=True)
_MARKS = table(_SCHEMA, "marks", Mark, by_key=True)

_INSERT_CHAIN = Insertion(insert(_CHAINS), _Chain)
_ONE_CHAIN = Query(select(_CHAINS).where(_CHAINS.c.anchor == bindparam("anchor")), _Chain)
_ALL_CHAINS = Query(select(_CHAINS).order_by(_CHAINS.c.anchor), _Chain)
_SET_SEALED = Change(
    update(_CHAINS)
    .where(_CHAINS.c.anchor == bindparam("where_anchor"))
    .values(nonce=bindparam("new_nonce"), sealed=bindparam("new_sealed"))
)
_COUNTS = [Query(select(func.count()).select_from(each), int) for each in (_CHAINS, _MARKS)]
_ALL_MARKS = Query(select(_MARKS).order_by(_MARKS.c.table), Mark)
_ONE_MARK = Query(select(_MARKS).where(_MARKS.c.table_id == bindparam("table_id")), Mark)
_new_mark = insert_or_update(_MARKS)
_RAISE_MARK = Insertion(
    for_both_engines(
        _new_mark.on_conflict_do_update(
            index_elements=["table_id"],
            set_={name: _new_mark.excluded[name] for name in ("round", "position", "leaf", "abandoned")},
            where=_new_mark.excluded.round > _MARKS.c.round,
        )
    ),
    Mark,
)
_ABANDON_MARK = Change(update(_MARKS).where(_MARKS.c.table_id == bindparam("where_table_id")).values(abandoned=True))

_FORGET = [Change(delete(each)) for each in (_CHAINS, _MARKS)]


class SeedStore:
    """The rows of the store. What is written is durable when the call returns."""

    def __init__(self, place: Path | Server, offload: Offload = inline) -> None:
        """Open the store, or make an empty one."""
        self._place = place
        self._database = _on_server(place) if isinstance(place, Server) else _in_file(place, offload)
        try:
            with self._in_words():
                self._database.prepare()
                with self._database.read() as connection:
                    is_made = names(connection) >= _SCHEMA.tables.keys()
                if not is_made:
                    self._database.alter(_SCHEMA.create_all)
        except BaseException:
            self.close()
            raise

    def put_chain(self, anchor: bytes, nonce: bytes, sealed: bytes) -> None:
        """Keep a chain's last seed, sealed."""
        self._write(lambda connection: _INSERT_CHAIN.run(connection, _Chain(anchor, nonce, sealed)))

    def chains(self) -> list[_Chain]:
        """Return the last seed of every chain, sealed."""
        return self._read(_ALL_CHAINS.all)

    def reseal(self, again: Callable[[bytes, bytes, bytes], tuple[bytes, bytes] | None]) -> None:
        """Put, in one transaction, what ``again`` makes of anchor, nonce and sealed seed in the place of each; `None`
        leaves it.
        """

        def work(connection: Connection) -> None:
            made = ((row.anchor, again(*row)) for row in _ALL_CHAINS.all(connection))
            changes = [
                {"where_anchor": anchor, "new_nonce": new[0], "new_sealed": new[1]}
                for anchor, new in made
                if new is not None
            ]
            _SET_SEALED.run_many(connection, changes)

        self._write(work)

    def check_readable(self) -> None:
        """Raise `SeedsUnavailableError` if the file cannot be read, as far as reading its rows can show, was
        replaced, or is held.
        """
        self._read(lambda connection: [count.one(connection) for count in _COUNTS])
        with self._in_words():
            if isinstance(self._place, Path):
                self._database.check_writable()
            else:
                self._database.look_whether_held()

    def look_whether_held(self) -> None:
        """Raise `SeedsUnavailableError` if another program holds the store; `check_readable` knows it then, in all
        processes.
        """
        with self._in_words():
            self._database.look_whether_held()

    def check_whole(self) -> None:
        """Raise `SeedsUnavailableError` if a page of the file is damaged. It reads the whole file."""
        # A server looks after its own pages.
        if isinstance(self._place, Path):
            with self._in_words():
                check_whole(self._place)

    def chain(self, anchor: bytes) -> tuple[bytes, bytes] | None:
        """Return the nonce and the sealed last seed of a chain; `None` if it is not here."""
        found = self._read(lambda connection: _ONE_CHAIN.find(connection, anchor=anchor))
        return None if found is None else (found.nonce, found.sealed)

    def marks(self) -> list[Mark]:
        """Return the mark of every table that has one."""
        return self._read(_ALL_MARKS.all)

    def mark(self, table_id: bytes) -> Mark | None:
        """Return the mark of one table; `None` if no seed of it has been released."""
        return self._read(lambda connection: _ONE_MARK.find(connection, table_id=table_id))

    def raise_mark(self, mark: Mark) -> None:
        """Put a table's mark here, unless it is higher already."""
        self._write(lambda connection: _RAISE_MARK.run(connection, mark))

    def abandon(self, marks: Iterable[Mark]) -> None:
        """Remember that the tables of these marks were given up."""
        tables = [{"where_table_id": mark.table_id} for mark in marks]
        self._write(lambda connection: _ABANDON_MARK.run_many(connection, tables))

    @property
    def is_empty(self) -> bool:
        """Whether it has neither a seed nor a mark."""
        return not any(self._read(lambda connection: [count.one(connection) for count in _COUNTS]))

    def copy_to(self, other: SeedStore) -> None:
        """Copy all chains and marks, as they are at one moment, to a store that has none."""
        with self._in_words():
            copy_rows(self._database, other._database, _SCHEMA)

    def clear(self) -> None:
        """Forget everything: for a store that has just been filled by mistake."""

        def work(connection: Connection) -> None:
            for forget in _FORGET:
                forget.run(connection)

        self._write(work)

    def close(self) -> None:
        """Close the file."""
        self._database.dispose()

    def _read(self, work: Callable[[Connection], Result]) -> Result:
        with self._in_words(), self._database.read() as connection:
            return work(connection)

    def _write(self, work: Callable[[Connection], object]) -> None:
        with self._in_words():
            self._database.write(work)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Raise a failure of the file as `SeedsUnavailableError`, with the remedy."""
        try:
            yield
        except DatabaseFailure as error:
            if not isinstance(self._place, Path):
                raise
            words = of_database(error, self._place, self._place.parent.parent, _IF_DAMAGED)
            raise SeedsUnavailableError(words) from error
        except ServerFailure as error:
            raise SeedsUnavailableError(f"the custodian's store: {error}") from error


def _in_file(path: Path, offload: Offload) -> Database:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)
    path.chmod(0o600)
    # Calls that release seeds at the same time share one commit.
    return SqliteDatabase(path, path.with_name("write.lock"), offload)


def _on_server(server: Server) -> Database:
    # Only who uses PostgreSQL needs its driver.
    try:
        from api.sql.postgres import PostgresDatabase  # noqa: PLC0415 -- an extra, and slow to import
    except ImportError as error:
        raise SeedsUnavailableError(
            "FOREDRAW_CUSTODIAN names a PostgreSQL database, and its driver is not installed: install foredraw[postgres]"
        ) from error
    return PostgresDatabase(server)
