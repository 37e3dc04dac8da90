"""What an operator changes at a table in play: its next rules and its time-out, pauses, and the halt of all tables.

A pause keeps rounds from being opened, and nothing else: a round that is open or locked is played to its end, batches
are committed ahead, and abandoned rounds are revealed. The log does not show it; no rule of it asks when the next
round is opened. `foredraw halt` does the same to all tables, and leaves the pauses of single tables as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from api.journal.chain import append
from api.journal.entry import SERVICE, Act, Deed
from api.paytables.chosen import PaytableRefusedError, check_rules_for_bets
from api.rounds.change import TableChange, TableWriter
from api.rounds.tables import TableRefusedError, are_stopped, check_rules, check_timeout
from api.sql.connection import Connection
from api.store import statements as sql
from api.store.contents import decode_rules
from games import GAMES

ALL = "all tables"


def set_table(
    writer: TableWriter,
    name: str,
    *,
    rules: Mapping[str, int] | None = None,
    timeout: int | None = None,
    by: str = SERVICE,
    reason: str | None = None,
) -> None:
    """Set the rules of the next batch, or the time-out, which holds at once.

    What is committed keeps its rules. The time-out is not made shorter while a round is locked: its flight may not be
    over. Raises `TableRefusedError`, `Problem`, or `DamagedStateError` if the present rules cannot be read.
    """
    if rules is not None:
        # Before the transaction, for it may take seconds. A table's paytable stays as it is.
        _check_returns(writer, name, rules)

    def change_row(change: TableChange) -> None:
        row, locked, game = change.row, change.state.locked, GAMES.of(change.state)
        known = decode_rules(game, row.rules)
        chosen = known if rules is None else check_rules(game, rules)
        seconds = row.timeout if timeout is None else check_timeout(timeout)
        if change.state.ended or row.closing:
            raise TableRefusedError(f"{name} takes no more rounds", "closed")
        if locked is not None and seconds < row.timeout:
            raise TableRefusedError(
                f"round {locked.number} of {name} is locked, and a shorter time-out could reveal it during its flight:"
                f" wait for its end, or run `foredraw table pause {name}` first",
                "timeout",
            )
        spelled = json.dumps(chosen, sort_keys=True)
        sql.SET_CHOSEN.run(change.connection, where_name=name, new_rules=spelled, new_timeout=seconds)
        before = {"rules": known, "timeout": row.timeout}
        after = {"rules": chosen, "timeout": seconds}
        _note(change.connection, writer, Deed(by, Act.TABLE_SET, name, before=before, after=after, reason=reason))

    writer.change(name, 0, change_row)


def _check_returns(writer: TableWriter, name: str, rules: Mapping[str, int]) -> None:
    state, _ = writer.read(name, 0)
    try:
        check_rules_for_bets(writer.database, state, check_rules(GAMES.of(state), rules))
    except PaytableRefusedError as error:
        raise TableRefusedError(str(error), "paytable") from error


def pause_table(
    writer: TableWriter, name: str, *, paused: bool, by: str = SERVICE, reason: str | None = None
) -> bool:
    """Pause a table, or let it go on. Returns whether that changed anything. Raises `TableRefusedError` or
    `Problem`.
    """

    def change_row(change: TableChange) -> bool:
        if change.state.ended or change.row.closing:
            raise TableRefusedError(f"{name} takes no more rounds", "closed")
        if bool(change.row.paused) == paused:
            return False
        sql.SET_PAUSED.run(change.connection, where_name=name, new_paused=paused)
        act = Act.TABLE_PAUSE if paused else Act.TABLE_RESUME
        deed = Deed(by, act, name, before={"paused": not paused}, after={"paused": paused}, reason=reason)
        _note(change.connection, writer, deed)
        return True

    return writer.change(name, 0, change_row)


def stop_tables(writer: TableWriter, *, stopped: bool, by: str = SERVICE, reason: str | None = None) -> bool:
    """Stop all tables, those that are added meanwhile included, or let them go on. Returns whether that changed
    anything.
    """

    def change_rows(connection: Connection) -> bool:
        # Whoever adds a table does it before this transaction, or sees what it did.
        sql.TAKE_NAMES.run(connection)
        changed = [row.name for row in sql.ALL_TABLES.all(connection) if bool(row.stopped) != stopped]
        if not changed and are_stopped(connection) == stopped:
            return False
        sql.SET_STOPPED.run(connection, new_stopped=stopped)
        act = Act.HALT if stopped else Act.RESUME
        _note(connection, writer, Deed(by, act, ALL, after={"stopped": stopped, "tables": changed}, reason=reason))
        return True

    return writer.database.write(change_rows)


def _note(connection: Connection, writer: TableWriter, deed: Deed) -> None:
    append(connection, writer.timekeeper.shown(), deed)
