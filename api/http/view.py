"""What is public about tables and rounds: the answers of the public calls."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import astuple, replace

from api.answers.rounds import Round, Salt, Thing
from api.answers.tables import Table, TableWithRules
from api.rounds.admission import Openings
from api.rounds.reading import (
    batches_between,
    find_round,
    find_rounds,
    rounds_between,
    salt_of,
    salts_between,
    status_of_table,
    status_of_tables_after,
    table_row,
)
from api.rounds.status import TableStatus
from api.rounds.tables import order_at
from api.sharing.bounded import BoundedCache
from api.sharing.together import Together
from api.sql.database import Database
from api.store.contents import decode_rules, decode_state
from api.store.models import BatchRow, RoundRow, RoundStatus, SaltRow, TableRow
from api.world.published.published_log import PublishedLog
from fairness.draws.commitments import commitments_path
from fairness.draws.game import Game
from fairness.errors import Unreadable
from fairness.hashing import HASH_SIZE
from fairness.records.rules import UNSALTED
from games import GAMES
from games.order import order_to_show
from games.outcome_schema import ANY_OUTCOME, Schema, outcome_schema
from games.registry import DeclaredGame

Reasons: TypeAlias = Callable[[TableStatus], list[str]]
"""Says of a table by which codes its next round cannot be opened now."""

_REMEMBERED = 4096
_AHEAD = 50
"""How many of the rounds that follow are read as well."""
_STEPS, _WALKED = 8, 2
"""Callers walk if so many of the rounds so closely before were asked for: a walker may have several calls and
processes.
"""
_PATIENCE_SECONDS = 5.0
"""How long a call waits for the reading of another one before it reads by itself."""


def list_tables(database: Database, openings: Openings, after: str, limit: int) -> tuple[list[Table], bool]:
    """Return so many tables after a name, and whether there are more."""
    found = status_of_tables_after(database, after, limit + 1)
    why = reasons(database, openings)
    return [_table(status, why) for status in found[:limit]], len(found) > limit


def show_table(database: Database, openings: Openings, table: str) -> TableWithRules:
    """Return one table, with its rules and what a verifier needs to know it by."""
    row = table_row(database, table)
    state = decode_state(row.queued_state)
    return TableWithRules(
        *astuple(_table(TableStatus.of(row, state), reasons(database, openings))),
        rules=decode_rules(GAMES.of(state), row.rules),
        declaration=msgspec.json.decode(state.declaration_text) if state.declaration_text else UNSET,
        paytable=state.paytable or UNSET,
        created_at=state.created,
        custodians=state.custodians,
        beacon=UNSET if state.salt == UNSALTED else state.salt,
        bets_required=state.bets_required,
        order=order_at(row, GAMES.of(state)) or UNSET,
    )


def show_outcome_schema(database: Database, table: str) -> Schema:
    """Return the JSON Schema of a table's outcomes; of a game with newer words than this program knows, all that is
    certain.
    """
    game = GAMES.of(decode_state(table_row(database, table).queued_state))
    return outcome_schema(game.declaration) if isinstance(game, DeclaredGame) else ANY_OUTCOME


def reasons(database: Database, openings: Openings) -> Reasons:
    """Return what says of any number of tables why their next rounds cannot be opened now."""
    troubles, salt = openings.troubles(), partial(salt_of, database)
    return lambda seen: [refusal.code.text for refusal in openings.why_not(seen, troubles, salt)]


def _table(seen: TableStatus, why: Reasons) -> Table:
    state, why_not = seen.state, why(seen)
    return Table(
        table=state.name,
        table_id=state.table_id.hex(),
        game=state.game,
        lead=state.lead,
        next_round=state.next_round,
        committed_through=state.committed_through,
        ended=state.ended,
        closed=state.closed,
        halted=seen.halted is not None,
        open=not why_not,
        why_not=why_not,
    )


class _Known(NamedTuple):
    """What a table's own record says of it, which never changes; of a damaged table, its id alone."""

    table_id: str
    game: Game | None = None
    salt: str | None = None


class PublicRounds:
    """The rounds of one log. Answers about rounds that have ended are kept: they never change, but for the hands that
    an engine may still name.
    """

    def __init__(self, database: Database, log: PublishedLog) -> None:
        self._database, self._log = database, log
        self._ended: BoundedCache[tuple[str, int], Round] = BoundedCache(_REMEMBERED)
        self._together = Together(self._read, _PATIENCE_SECONDS)
        self._tables: BoundedCache[str, _Known] = BoundedCache(_REMEMBERED)

    def show(self, table: str, number: int) -> Round:
        """Return one round: its commitments always, its outcome once it has ended. Raises `Problem`."""
        return self._ended.get((table, number)) or self._together.find(table, number) or self._read_one(table, number)

    def _read(self, table: str, wanted: AbstractSet[int]) -> dict[int, Round]:
        """Return the rounds that some calls want, but for those that no other is close to. Raises `Problem`.

        Where callers walk from round to round, the rounds that follow are read as well, which together cost little
        more.
        """
        if len(wanted) == 1:
            (number,) = wanted
            answer = self._read_one(table, number)
            if self._is_walked(table, number):
                # What is wrong with a round that follows, those learn who ask for it.
                with suppress(Exception):
                    self._read_between(table, number + 1, number + 1 + _AHEAD)
            return {number: answer}
        found: dict[int, Round] = {}
        for close in _close_ones(wanted):
            if len(close) > 1:
                found |= self._read_between(table, close[0], close[-1] + 1 + _AHEAD)
        return found

    def _is_walked(self, table: str, number: int) -> bool:
        """Return whether a round that has ended was asked for after some that are close before it, and the next is
        not known.
        """
        if (table, number) not in self._ended or (table, number + 1) in self._ended:
            return False
        return sum((table, number - step) in self._ended for step in range(1, _STEPS + 1)) >= _WALKED

    def _read_one(self, table: str, number: int) -> Round:
        batch, salt, row = find_round(self._database, table, number)
        status = row.status if row is not None else _status_without_row(table_row(self._database, table))
        (commitments,) = _commitments(self._log, batch, number, number)
        answer = _answer(table, self._known(table), number, status, batch, salt, row, commitments)
        return self._kept(row, answer)

    def _read_between(self, table: str, first: int, before: int) -> dict[int, Round]:
        """Return the rounds that anything has happened to, with one question."""
        found: dict[int, Round] = {}
        rows = find_rounds(self._database, table, first, before)
        if not rows:
            return found
        known = self._known(table)
        for batch, of_batch in groupby(rows, key=lambda each: each.batch):
            rounds = [(salt, row) for _, salt, row in of_batch if row is not None]
            start = rounds[0][1].round
            commitments = _commitments(self._log, batch, start, rounds[-1][1].round)
            for salt, row in rounds:
                number = row.round
                answer = _answer(table, known, number, row.status, batch, salt, row, commitments[number - start])
                found[number] = self._kept(row, answer)
        return found

    def _kept(self, row: RoundRow | None, answer: Round) -> Round:
        """Add the order that players moved along, and remember the whole, if the round has ended."""
        if row is None or answer.outcome is UNSET:
            return answer
        game = self._known(row.table).game
        # What a damaged table declares is unknown; the outcome is shown all the same.
        order = [] if game is None else order_to_show(game, answer.outcome)
        if order:
            given = UNSET if row.given is None else row.given
            answer = replace(answer, dealt=row.hands or UNSET, given=given, order=[Thing(*each) for each in order])
        if not order or row.is_final:
            self._ended.put((row.table, row.round), answer)
        return answer

    def _known(self, table: str) -> _Known:
        known = self._tables.get(table)
        if known is None:
            status = status_of_table(self._database, table)
            state = status.state
            if status.damaged:
                return _Known(state.table_id.hex())
            known = _Known(state.table_id.hex(), GAMES.of(state), state.salt)
            self._tables.put(table, known)
        return known

    def page(self, table: str, start: int, limit: int) -> list[Round]:
        """Return the rounds from ``start`` on, those to come included, as far as they are committed. Raises
        `Problem`.
        """
        unplayed = _status_without_row(table_row(self._database, table))
        # The rounds first: what has ended by now, is of a batch that is read after that.
        rounds = {row.round: row for row in rounds_between(self._database, table, start, start + limit)}
        batches = batches_between(self._database, table, start, start + limit)
        numbers = [batch.number for batch in batches]
        salts = salts_between(self._database, table, numbers[0], numbers[-1] + 1) if numbers else {}
        known, page = self._known(table), []
        for batch in batches:
            first, last = max(start, batch.first), min(start + limit - 1, batch.last)
            for number, commitments in enumerate(_commitments(self._log, batch, first, last), first):
                row = rounds.get(number)
                status = unplayed if row is None else row.status
                salt = salts.get(batch.number)
                page.append(_answer(table, known, number, status, batch, salt, row, commitments))
        return page


def _close_ones(numbers: AbstractSet[int]) -> list[list[int]]:
    """Return the numbers in their order, cut where one is far from the one before it or from the first."""
    cut: list[list[int]] = []
    for number in sorted(numbers):
        if cut and number <= min(cut[-1][-1] + _STEPS, cut[-1][0] + _AHEAD):
            cut[-1].append(number)
        else:
            cut.append([number])
    return cut


def _commitments(log: PublishedLog, batch: BatchRow, first: int, last: int) -> list[list[str]]:
    """Return, for each of some rounds of a batch, the commitments of its custodians, from their file (SPEC 5.3)."""
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
    known: _Known,
    number: int,
    status: RoundStatus,
    batch: BatchRow,
    salt: SaltRow | None,
    row: RoundRow | None,
    commitments: list[str],
) -> Round:
    salted: Salt | UnsetType = UNSET
    # Of a damaged table nobody knows the beacon.
    if salt is not None and known.salt is not None:
        salted = Salt(known.salt, salt.beacon, salt.signature or UNSET)
    answer = Round(table, known.table_id, number, status, commitments, batch.number, batch.batch_id, salted)
    if row is None or not row.status.has_ended:
        return answer
    return replace(answer, **row.ending._asdict(), reason=row.reason or UNSET)
