"""Tables: adding one, and closing it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from enum import StrEnum

import msgspec
from msgspec import UNSET

from api.journal.chain import append
from api.journal.entry import SERVICE, Act, Deed
from api.log.successor import successor_of
from api.paytables.chosen import PaytableRefusedError, chosen_paytable
from api.refusal import RefusalError
from api.rounds.change import TableChange, TableWriter
from api.rounds.seeds import CUSTODIANS, Seeds
from api.settings import DEFAULT_TIMEOUT, LONGEST_TIMEOUT
from api.sql.connection import Connection
from api.store import statements as sql
from api.store.contents import LOG_ENDED, encode_state
from api.store.models import PaytableRow, QueuedRow, TableRow
from fairness.beacon.chain import Beacons
from fairness.draws.game import Game, RulesRefused
from fairness.errors import CheckFailed, Malformed
from fairness.hashing import leaf_hash, sha256
from fairness.log.proof import Proven
from fairness.records.record import (
    NAME_PATTERN,
    BatchSeeds,
    CloseRecord,
    EndRecord,
    TableRecord,
    encode_record,
)
from fairness.records.replay import Replay
from fairness.records.rules import UNSALTED
from fairness.records.table_state import TableState
from games import GAMES
from games.declared.catalogue import catalogue
from games.facts import facts_of
from games.order import can_be_kept


class Order(StrEnum):
    """What a lock may ask for, where a round's outcome is an order of things."""

    KEPT = "kept"
    """Nothing: the engine asks for the things one call at a time."""
    WHOLE = "whole"
    """The whole order, or nothing."""


class TableRefusedError(RefusalError):
    """The table cannot be made so; the message says what was expected, ``field`` of which part.

    That is ``name``, ``taken`` (the name is another table's), ``game``, ``timeout``, ``salt``, ``rules``,
    ``paytable``, ``lead`` or ``order``; or ``closed`` for one that cannot be changed any more, or ``log`` for any
    table of a log that has ended.
    """

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


def add_table(
    writer: TableWriter,
    name: str,
    game: str,
    *,
    lead: int | None = None,
    declaration: bytes | None = None,
    paytable: bytes | None = None,
    rules: Mapping[str, int] | None = None,
    timeout: int = DEFAULT_TIMEOUT,
    bets_required: bool = False,
    order: Order | None = None,
    salt: str = UNSALTED,
    by: str = SERVICE,
) -> None:
    """Queue a new table's record; with ``bets_required`` its locks must carry digests. Raises `TableRefusedError`.

    A game that is not known by its name has the ``declaration`` of this spelling, by default the catalogue's; and
    what its bets pay is the ``paytable`` of this spelling, by default the catalogue's, too, if it has the game.
    The ``order`` is kept by default, if there is one. ``salt`` is ``none``, or the name of a beacon that the service
    knows; ``by`` says who adds it.
    """
    _check_names(name, game)
    played = _game(game, declaration)
    check_timeout(timeout)
    _check_salt(salt, writer.beacons)
    chosen = check_rules(played, facts_of(game, played.declaration_text).default_rules if rules is None else rules)
    pays = _paytable(played, paytable, chosen)
    ordered = check_order(played, order, default=Order.KEPT)
    record = TableRecord(
        bets="required" if bets_required else UNSET,
        created=writer.timekeeper.stamp(),
        custodians=list(CUSTODIANS),
        declaration=msgspec.json.decode(played.declaration_text) if played.declaration_text else UNSET,
        game=game,
        lead=played.lead if lead is None else lead,
        log=writer.origin,
        paytable=UNSET if pays is None else pays.hash,
        salt=salt,
        table=name,
    )
    data = encode_record(record)
    row = TableRow(
        name=name,
        table_id=leaf_hash(data).hex(),
        game=game,
        lead=record.lead,
        queued_state=encode_state(_first_state(writer, name, data)),
        timeout=timeout,
        rules=json.dumps(chosen, sort_keys=True),
        keeps_order=ordered is Order.KEPT,
    )
    made = {
        "bets": "required" if bets_required else "optional",
        **({"declaration": played.declaration_text} if played.declaration_text else {}),
        "game": game,
        "lead": record.lead,
        **({} if ordered is None else {"order": ordered}),
        **({} if pays is None else {"paytable": pays.hash}),
        "rules": chosen,
        "salt": salt,
        "timeout": timeout,
    }

    def insert(connection: Connection) -> None:
        sql.TAKE_NAMES.run(connection)
        if successor_of(connection):
            raise TableRefusedError(f"{LOG_ENDED}. Add the table to that log", "log")
        if sql.ONE_TABLE.find(connection, name=name) is not None:
            raise TableRefusedError(f"there is a table {name!r} already; names are never used again", "taken")
        sql.INSERT_TABLE.run(connection, row._replace(stopped=are_stopped(connection)))
        if pays is not None and sql.ONE_PAYTABLE.find(connection, hash=pays.hash) is None:
            sql.INSERT_PAYTABLE.run(connection, pays)
        sql.ENQUEUE.run(connection, QueuedRow(name, data))
        append(connection, record.created, Deed(by, Act.TABLE_ADD, name, after=made))

    writer.database.write(insert)


def _check_names(name: str, game: str) -> None:
    if not re.fullmatch(NAME_PATTERN, name):
        raise TableRefusedError(f"a table's name is 1 to 32 of a-z, 0-9 and -, not {name!r}", "name")
    if not re.fullmatch(NAME_PATTERN, game):
        raise TableRefusedError(f"a game's name is 1 to 32 of a-z, 0-9 and -, not {game[:40]!r}", "game")


def _check_salt(salt: str, beacons: Beacons) -> None:
    if salt != UNSALTED and salt not in beacons:
        known = ", ".join((UNSALTED, *sorted(beacons, reverse=True)))
        raise TableRefusedError(
            f"a salt is one of {known}, not {salt[:80]!r}: FOREDRAW_BEACON makes another beacon known", "salt"
        )


def _first_state(writer: TableWriter, name: str, data: bytes) -> TableState:
    """Return the state of a table after its own record, ``data``."""
    replay = Replay(writer.origin, GAMES, beacons=writer.beacons)
    try:
        replay.advance(data)
    except CheckFailed as error:
        # `add_table` has made everything else that replay asks of a table's record.
        raise TableRefusedError(str(error), "lead") from error
    return replay.tables[name]


def _game(game: str, declaration: bytes | None) -> Game:
    """Return the game of a new table."""
    if game in GAMES:
        if declaration is not None:
            raise TableRefusedError(f"{game} is known by its name, and has no declaration", "game")
        return GAMES[game]
    listed = next((each.declaration.text for each in catalogue() if each.game == game), None)
    if declaration is not None and listed is not None and declaration != listed:
        raise TableRefusedError(
            f"{game} is a game of the catalogue, and declared otherwise: choose another name", "game"
        )
    declaration = declaration or listed
    if declaration is None:
        names = sorted(each.game for each in catalogue())
        close = sorted(get_close_matches(game[:40], names))
        known = f"Did you mean {' or '.join(close)}?" if close else f"The catalogue has {', '.join(names)}"
        raise TableRefusedError(
            f"there is no game {game[:40]!r} in the catalogue, and no declaration of it. {known}",
            "game",
        )
    try:
        declared = GAMES.declared(game, declaration.decode())
    except (Malformed, UnicodeDecodeError) as error:
        raise TableRefusedError(f"no declaration of a game: {error}", "game") from error
    if declared.unknown:
        raise TableRefusedError(f"this program does not know {', '.join(declared.unknown)}", "game")
    _check_flight(game, declared)
    return declared


def _paytable(game: Game, given: bytes | None, rules: Mapping[str, int]) -> PaytableRow | None:
    """Return what the bets of a new table pay."""
    try:
        file = chosen_paytable(game, given, rules)
    except PaytableRefusedError as error:
        raise TableRefusedError(str(error), "paytable") from error
    return None if file is None else PaytableRow(sha256(file).hex(), file)


def _check_flight(game: str, declared: Game) -> None:
    """Raise `TableRefusedError` for a declaration with a flight and without the key that says what players do
    meanwhile.
    """
    steps = msgspec.json.decode(declared.declaration_text)["draw"]
    if not declared.has_flight and any(kind == "flight" for _, kind, *_ in steps):
        raise TableRefusedError(
            f'{game} draws a flight, and its declaration lacks "moves":1. Players act while a multiplier grows; without "moves",'
            " neither pages nor verdicts would say that the party that runs the engine knows meanwhile where it stops. Add it",
            "game",
        )


def are_stopped(connection: Connection) -> bool:
    """Return whether all tables are stopped, and those that are added: a halt holds before there is any table,
    too.
    """
    if sql.STOPPED_TABLE.find(connection) is not None:
        return True
    # A halt is noted in its own transaction.
    halt, resume = (sql.LAST_OF_ACT.find(connection, act=act.value) for act in (Act.HALT, Act.RESUME))
    return halt is not None and (resume is None or resume.number < halt.number)


def check_timeout(timeout: int) -> int:
    """Return a time-out in seconds. Raises `TableRefusedError`."""
    if not 1 <= timeout <= LONGEST_TIMEOUT:
        raise TableRefusedError(f"a time-out is 1 to {LONGEST_TIMEOUT} seconds, not {timeout}", "timeout")
    return timeout


def check_order(game: Game, order: Order | None, *, default: Order) -> Order | None:
    """Return what a lock at a table may ask for; `None` where an outcome is no order. Raises `TableRefusedError`."""
    if can_be_kept(game):
        return order or default
    if order is not None:
        raise TableRefusedError(
            f"{game.name} has no order that could be kept: nothing is dealt after the lock", "order"
        )
    return None


def order_at(row: TableRow, game: Game) -> Order | None:
    """Return what a lock at a table may ask for; `None` where an outcome is no order."""
    if not can_be_kept(game):
        return None
    return Order.KEPT if row.keeps_order else Order.WHOLE


def check_rules(game: Game, rules: Mapping[str, int]) -> dict[str, int]:
    """Return the rules of a batch. Raises `TableRefusedError`."""
    chosen = dict(rules)
    try:
        game.check_rules(chosen)
    except RulesRefused as error:
        raise TableRefusedError(f"the rules of {game.name} are {error}, not {json.dumps(chosen)}", "rules") from error
    return chosen


def request_close(writer: TableWriter, name: str, *, by: str = SERVICE, reason: str | None = None) -> None:
    """Ask for a table to be closed: no more opens from now on; the keeper does the rest."""

    def close(change: TableChange) -> None:
        sql.SET_CLOSING.run(change.connection, where_name=name)
        before = {"closing": change.row.closing, "next_round": change.state.next_round}
        deed = Deed(by, Act.TABLE_CLOSE, name, before=before, after={"closing": True}, reason=reason)
        append(change.connection, writer.timekeeper.shown(), deed)

    writer.change(name, 0, close)


def end_table(change: TableChange) -> None:
    """Queue the end of a table whose last round has ended."""
    change.queue(EndRecord(ended=change.now(), table=change.state.name))


def close_table(writer: TableWriter, seeds: Seeds, state: TableState, end: Proven) -> None:
    """Queue the close of a table whose ``end`` is published."""
    last_seeds = [(batch.number, seeds.release(state, batch, batch.last, end)) for batch in state.batches]

    def queue(change: TableChange) -> None:
        if not change.state.closed:
            change.queue(
                CloseRecord(
                    closed=change.now(),
                    seeds=[
                        BatchSeeds(batch=number, seeds=[seed.hex() for seed in of_batch])
                        for number, of_batch in last_seeds
                    ],
                    table=state.name,
                )
            )

    writer.change(state.name, 0, queue)
