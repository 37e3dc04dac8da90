"""Tables: adding one, committing its batches, and closing it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from msgspec import UNSET

from api.custody.custodian import NAME as CUSTODIAN
from api.rounds.change import TableChange, change_table
from api.rounds.seeds import chain_of, release
from api.service import Service
from api.settings import DEFAULT_TIMEOUT, LONGEST_TIMEOUT
from api.sql.connection import Connection
from api.store import statements as sql
from api.store.rows import BatchRow, QueuedRow, TableRow, encode_state
from fairness.draws.commitments import commitments_path
from fairness.draws.game import RulesRefused
from fairness.errors import CheckFailed
from fairness.hashing import leaf_hash
from fairness.limits import LARGEST_BATCH, MOST_PENDING_BATCHES
from fairness.log.proof import Proven
from fairness.records.record import (
    NAME_PATTERN,
    BatchRecord,
    BatchSeeds,
    CloseRecord,
    EndRecord,
    TableRecord,
    encode_record,
)
from fairness.records.replay import Replay
from fairness.records.table_state import TableState
from games.facts import FACTS


class TableRefusedError(Exception):
    """The table cannot be made so; the message says what was expected, ``field`` of which part.

    That is ``name``, ``taken`` (the name is another table's), ``game``, ``timeout``, ``rules`` or ``lead``.
    """

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


def add_table(
    service: Service,
    name: str,
    game: str,
    *,
    lead: int | None = None,
    rules: Mapping[str, int] | None = None,
    timeout: int = DEFAULT_TIMEOUT,
    bets_required: bool = False,
) -> None:
    """Queue a new table's record; with ``bets_required`` its locks must carry digests. Raises `TableRefusedError`."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise TableRefusedError(f"a table's name is 1 to 32 of a-z, 0-9 and -, not {name!r}", "name")
    if game not in service.games:
        raise TableRefusedError(f"the games are {', '.join(sorted(service.games))}; there is no {game!r}", "game")
    if not 1 <= timeout <= LONGEST_TIMEOUT:
        raise TableRefusedError(f"a time-out is 1 to {LONGEST_TIMEOUT} seconds, not {timeout}", "timeout")
    chosen = dict(FACTS[game].default_rules if rules is None else rules)
    try:
        service.games[game].check_rules(chosen)
    except RulesRefused as error:
        raise TableRefusedError(f"the rules of {game} are {error}, not {chosen}", "rules") from error
    record = TableRecord(
        bets="required" if bets_required else UNSET,
        created=service.timekeeper.stamp(),
        custodians=[CUSTODIAN],
        game=game,
        lead=service.games[game].lead if lead is None else lead,
        log=service.origin,
        salt="none",
        table=name,
    )
    data = encode_record(record)
    replay = Replay(service.origin, service.games)
    try:
        replay.advance(data)
    except CheckFailed as error:
        # All else that replay asks of a table's record is made right above.
        raise TableRefusedError(str(error), "lead") from error
    row = TableRow(
        name=name,
        table_id=leaf_hash(data).hex(),
        game=game,
        lead=record.lead,
        queued_state=encode_state(replay.tables[name]),
        timeout=timeout,
        rules=json.dumps(chosen, sort_keys=True),
    )

    def insert(connection: Connection) -> None:
        if sql.ONE_TABLE.find(connection, name=name) is not None:
            raise TableRefusedError(f"there is a table {name!r} already; names are never used again", "taken")
        sql.INSERT_TABLE.run(connection, row)
        sql.ENQUEUE.run(connection, QueuedRow(name, data))

    service.database.write(insert)


def needs_batch(state: TableState, batch_size: int) -> bool:
    """Whether a table's next batch is due: long before the lead needs it, a whole batch ahead."""
    ahead = state.committed_through - state.next_round
    return (
        not state.ended
        and ahead < state.lead + size_of_batch(state, batch_size)
        and len(state.batches) < MOST_PENDING_BATCHES
    )


def size_of_batch(state: TableState, batch_size: int) -> int:
    """The setting; but never fewer rounds than the lead, so that a few batches always cover it."""
    return min(LARGEST_BATCH, max(batch_size, state.lead))


def commit_batch(service: Service, state: TableState, rules: Mapping[str, int]) -> None:
    """Make and commit a table's next batch.

    The order is what makes it safe: the seed is durable at the custodian, then the commitments are
    durable on disk, then the record is queued. A crash in between leaves a chain and a file that
    nothing points at.
    """
    first, count = state.committed_through + 1, size_of_batch(state, service.settings.batch_size)
    chain = service.custodian.commit(state.name, state.table_id, first=first, count=count)

    def queue(change: TableChange) -> None:
        now = change.state
        if now.ended or now.committed_through + 1 != first:
            return
        record = BatchRecord(
            anchors=[chain.anchor.hex()],
            batch=now.last_batch + 1,
            commitments=[chain.root.hex()],
            committed=change.now(),
            count=count,
            first=first,
            previous=now.last_batch_id.hex(),
            rules=dict(rules),
            table=now.name,
        )
        batch_id = leaf_hash(encode_record(record))
        service.log.write(commitments_path(batch_id), chain.commitments)
        change.queue(record)
        row = BatchRow(
            table=now.name,
            number=record.batch,
            batch_id=batch_id.hex(),
            first=first,
            last=first + count - 1,
            custodians=1,
        )
        sql.INSERT_BATCH.run(change.connection, row)

    change_table(service, state.name, 0, queue)


def request_close(service: Service, name: str) -> None:
    """Ask for a table to be closed: no more opens from now on; the keeper does the rest."""
    change_table(service, name, 0, lambda change: sql.SET_CLOSING.run(change.connection, where_name=name))


def end_table(change: TableChange) -> None:
    """Queue the end of a table whose last round has ended."""
    change.queue(EndRecord(ended=change.now(), table=change.state.name))


def close_table(service: Service, state: TableState, end: Proven) -> None:
    """Queue the close of a table whose ``end`` is published."""
    seeds = [(batch.number, release(service, chain_of(state, batch), batch.last, end)) for batch in state.batches]

    def queue(change: TableChange) -> None:
        if not change.state.closed:
            change.queue(
                CloseRecord(
                    closed=change.now(),
                    seeds=[BatchSeeds(batch=number, seeds=[seed.hex()]) for number, seed in seeds],
                    table=state.name,
                )
            )

    change_table(service, state.name, 0, queue)
