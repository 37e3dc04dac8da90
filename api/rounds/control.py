"""What an operator changes at a table in play: its next rules, its time-out and its order, pauses, and the halt of
all tables.

A pause keeps rounds from being opened, and nothing else: a round that is open or locked is played to its end, batches
are committed ahead, and abandoned rounds are revealed. The log does not show it; no rule of it asks when the next
round is opened. `foredraw halt` does the same to all tables, and leaves the pauses of single tables as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from api.journal.chain import append
from api.journal.entry import SERVICE, Act, Deed, Values
from api.paytables.chosen import PaytableRefusedError, check_rules_for_bets
from api.rounds.change import TableChange, TableWriter
from api.rounds.tables import (
    Order,
    TableRefusedError,
    are_stopped,
    check_order,
    check_rules,
    check_timeout,
    order_at,
)
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
    order: Order | None = None,
    by: str = SERVICE,
    reason: str | None = None,
) -> None:
    """Set the rules of the next batch, or the time-out or the order, which hold at once.

    What is committed keeps its rules. The time-out is not made shorter while a round is locked: its flight may not be
    over; the order stays while a round is open or locked, as its players were promised. Raises `TableRefusedError`,
    `Problem`, or `DamagedStateError` if the present rules cannot be read.
    """
    if rules is not None:
        # Before the transaction, for it may take seconds. A table's paytable stays as it is.
        _check_returns(writer, name, rules)

    def change_row(change: TableChange) -> None:
        row, locked, game = change.row, change.state.locked, GAMES.of(change.state)
        known = decode_rules(game, row.rules)
        chosen = known if rules is None else check_rules(game, rules)
        seconds = row.timeout if timeout is None else check_timeout(timeout)
        present = order_at(row, game)
        ordered = check_order(game, order, default=present or Order.KEPT)
        if change.state.ended or row.closing:
            raise TableRefusedError(f"{name} takes no more rounds", "closed")
        if ordered is not present:
            _check_at_rest(change)
        if locked is not None and seconds < row.timeout:
            raise TableRefusedError(
                f"round {locked.number} of {name} is locked, and a shorter time-out could reveal it during its flight:"
                f" wait for its end, or run `foredraw table pause {name}` first",
                "timeout",
            )
        spelled = json.dumps(chosen, sort_keys=True)
        sql.SET_CHOSEN.run(
            change.connection,
            where_name=name,
            new_rules=spelled,
            new_timeout=seconds,
            new_keeps_order=ordered is Order.KEPT,
        )
        before = _settings(known, row.timeout, present)
        after = _settings(chosen, seconds, ordered)
        _note(change.connection, writer, Deed(by, Act.TABLE_SET, name, before=before, after=after, reason=reason))

    writer.change(name, 0, change_row)


def _settings(rules: Mapping[str, int], timeout: int, order: Order | None) -> Values:
    return {**({} if order is None else {"order": order}), "rules": rules, "timeout": timeout}


def _check_at_rest(change: TableChange) -> None:
    """Raise `TableRefusedError` while a round is open or locked."""
    state = change.state
    following = sql.ONE_ROUND.find(change.connection, table=state.name, round=state.next_round)
    number = state.next_round if state.locked is None else state.locked.number
    if state.locked is not None or following is not None:
        raise TableRefusedError(
            f"round {number} of {state.name} is not over, and its players were promised the present order: run"
            f" `foredraw table pause {state.name}` first, and set the order when the round has ended",
            "order",
        )


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
