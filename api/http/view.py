"""What is public about tables and rounds: the answers of the public calls."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import msgspec

from api.answer import Answer
from api.rounds.reading import (
    batches_between,
    find_round,
    rounds_between,
    salts_between,
    status_of_table,
    status_of_tables,
    table_row,
)
from api.rounds.status import TableStatus
from api.sql.database import Database
from api.store.rows import BatchRow, RoundRow, RoundStatus, SaltRow, TableRow, decode_rules, decode_state
from api.world.bounded import BoundedCache
from api.world.log_folder import LogFolder
from fairness.draws.commitments import commitments_path
from fairness.draws.game import Game
from fairness.errors import Unreadable
from fairness.hashing import HASH_SIZE
from games import GAMES
from games.order import order_to_show

MOST_ROUNDS = 500
_REMEMBERED = 4096
_AHEAD = 50
"""How many rounds are read at once."""
_AHEAD_SECONDS = 0.2
"""How long another call waits for that."""
_STEPS, _WALKED = 8, 2
"""Callers walk if so many of the rounds so closely before were asked for: a walker may have several calls and processes."""


def list_tables(database: Database) -> list[Answer]:
    """All tables."""
    return [_table(status) for status in status_of_tables(database)]


def show_table(database: Database, table: str) -> Answer:
    """One table, with its rules and what a verifier needs to know it by."""
    row = table_row(database, table)
    state = decode_state(row.queued_state)
    return {
        **_table(TableStatus(state, row.halted)),
        "rules": decode_rules(GAMES.of(state), row.rules),
        **({"declaration": msgspec.json.decode(state.declaration_text)} if state.declaration_text else {}),
        "table_id": state.table_id.hex(),
        "created": state.created,
        "custodians": state.custodians,
        "salt": state.salt,
        **({"bets": "required"} if state.bets_required else {}),
    }


def _table(seen: TableStatus) -> Answer:
    state = seen.state
    return {
        "table": state.name,
        "game": state.game,
        "lead": state.lead,
        "next_round": state.next_round,
        "committed_through": state.committed_through,
        "ended": state.ended,
        "closed": state.closed,
        "halted": seen.halted is not None,
    }


class PublicRounds:
    """The rounds of one log. Answers about rounds that have ended are kept: they never change."""

    def __init__(self, database: Database, log: LogFolder) -> None:
        self._database, self._log = database, log
        self._ended: BoundedCache[tuple[str, int], Answer] = BoundedCache(_REMEMBERED)
        self._ahead = threading.Lock()
        self._coming: tuple[str, range] | None = None
        """The rounds of a table that its holder reads."""
        # A table is never made again with another game.
        self._games: BoundedCache[str, Game] = BoundedCache(_REMEMBERED)

    def show(self, table: str, number: int) -> Answer:
        """One round: its commitments always, its outcome once it has ended. Raises `Problem`."""
        known = self._ended.get((table, number)) or self._being_read(table, number)
        if known is not None:
            return known
        batch, salt, row = find_round(self._database, table, number)
        status = row.status if row is not None else _status_without_row(table_row(self._database, table))
        (commitments,) = _commitments(self._log, batch, number, number)
        answer = _answer(table, number, status, batch, salt, row, commitments)
        if row is not None and row.status.has_ended:
            answer = self._keep(table, row, answer)
            self._read_ahead(table, number)
        return answer

    def _keep(self, table: str, row: RoundRow, answer: Answer) -> Answer:
        kept = {**answer, **self._order(table, row)}
        self._ended.put((table, row.round), kept)
        return kept

    def _read_ahead(self, table: str, number: int) -> None:
        """After an ended round: if callers walk from round to round, read those that follow, which together cost little more."""
        before = sum((table, number - step) in self._ended for step in range(1, _STEPS + 1))
        if before < _WALKED or (table, number + 1) in self._ended or not self._ahead.acquire(blocking=False):
            return
        try:
            self._coming = table, range(number + 1, number + 1 + _AHEAD)
            for row, answer in self._answers(table, number + 1, _AHEAD, RoundStatus.COMMITTED):
                if row is not None and row.status.has_ended:
                    self._keep(table, row, answer)
        finally:
            self._coming = None
            self._ahead.release()

    def _being_read(self, table: str, number: int) -> Answer | None:
        """A round that has ended, if another call is reading it ahead: wait a moment for that."""
        coming = self._coming
        if coming is None or table != coming[0] or number not in coming[1]:
            return None
        if self._ahead.acquire(timeout=_AHEAD_SECONDS):
            self._ahead.release()
        return self._ended.get((table, number))

    def _order(self, table: str, row: RoundRow) -> Answer:
        """The order that the players of an ended round moved along, and how much of it was given before the reveal."""
        game = self._game(table)
        # What a damaged table declares is unknown; the outcome is shown all the same.
        order = [] if game is None else order_to_show(game, row.ending.outcome)
        given = {} if row.given is None or not order else {"given": row.given}
        return given | ({"order": [thing._asdict() for thing in order]} if order else {})

    def _game(self, table: str) -> Game | None:
        """What a table plays; `None` if its row is damaged."""
        game = self._games.get(table)
        if game is None:
            status = status_of_table(self._database, table)
            if status.damaged:
                return None
            game = GAMES.of(status.state)
            self._games.put(table, game)
        return game

    def page(self, table: str, start: int, limit: int) -> list[Answer]:
        """The rounds from ``start`` on, those to come included, as far as they are committed. Raises `Problem`."""
        unplayed = _status_without_row(table_row(self._database, table))
        return [answer for _, answer in self._answers(table, start, limit, unplayed)]

    def _answers(
        self, table: str, start: int, limit: int, unplayed: RoundStatus
    ) -> Iterator[tuple[RoundRow | None, Answer]]:
        """The committed ones of some rounds, each with its row; ``unplayed`` is the status of those without."""
        # The rounds first: what has ended by now, is of a batch that is read after that.
        rounds = {row.round: row for row in rounds_between(self._database, table, start, start + limit)}
        batches = batches_between(self._database, table, start, start + limit)
        numbers = [batch.number for batch in batches]
        salts = salts_between(self._database, table, numbers[0], numbers[-1] + 1) if numbers else {}
        for batch in batches:
            first, last = max(start, batch.first), min(start + limit - 1, batch.last)
            for number, commitments in enumerate(_commitments(self._log, batch, first, last), first):
                row = rounds.get(number)
                status = unplayed if row is None else row.status
                yield row, _answer(table, number, status, batch, salts.get(batch.number), row, commitments)


def _commitments(log: LogFolder, batch: BatchRow, first: int, last: int) -> list[list[str]]:
    """For each of some rounds of a batch the commitments of its custodians, from their file (SPEC 5.3)."""
    path, count = commitments_path(bytes.fromhex(batch.batch_id)), batch.last - batch.first + 1
    size = (last - first + 1) * HASH_SIZE
    of_custodians = []
    for custodian in range(batch.custodians):
        part = log.read_part(path, (custodian * count + first - batch.first) * HASH_SIZE, size)
        if len(part) != size:
            raise Unreadable(path, f"it has no commitments of rounds {first} to {last}")
        of_custodians.append([part[at : at + HASH_SIZE].hex() for at in range(0, size, HASH_SIZE)])
    return [list(of_round) for of_round in zip(*of_custodians, strict=True)]


def _status_without_row(table: TableRow) -> RoundStatus:
    return RoundStatus.UNUSED if decode_state(table.queued_state).ended else RoundStatus.COMMITTED


def _answer(
    table: str,
    number: int,
    status: RoundStatus,
    batch: BatchRow,
    salt: SaltRow | None,
    row: RoundRow | None,
    commitments: list[str],
) -> Answer:
    answer: dict[str, object] = {
        "table": table,
        "round": number,
        "status": status,
        "commitments": commitments,
        "batch": batch.number,
        "batch_id": batch.batch_id,
    }
    if salt is not None:
        answer["salt"] = {"beacon": salt.beacon}
        if salt.signature is not None:
            answer["salt"] = {"beacon": salt.beacon, "signature": salt.signature}
    if row is not None and row.status.has_ended:
        answer |= row.ending._asdict()
        if row.reason is not None:
            answer["reason"] = row.reason
    return answer
