"""What an engine does to a round: open, lock, next, reveal, void (``docs/http.md``).

Every action may be repeated: while the round is in the state that the action leads to, it gives the same answer
again. A lock has a name of its own, its ``call``, which only its engine knows: so its repetition, by a proxy or by
the engine, is told from another lock. Each change is one transaction. Between a lock and its outcome stands its
publication; if that takes longer than a second there is no outcome yet, and the engine calls again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from api.answers.rounds import (
    PENDING_SECONDS,
    Ended,
    Locked,
    LockedOrder,
    LockedOutcome,
    LockPending,
    Next,
    Opened,
    Pending,
    Thing,
)
from api.findings.states import OLDER_DATABASE
from api.journal.chain import append
from api.journal.entry import Act, Deed, holder
from api.problems import Code, Members, Problem, out_of_order
from api.rounds.admission import ENDED, Admission, Prepared, next_opening, status_of
from api.rounds.change import TableChange, TableWriter
from api.rounds.reading import table_row
from api.rounds.readings import Readings
from api.rounds.seeds import Seeds, refusal_as_problem
from api.sharing.bounded import BoundedCache
from api.store import statements as sql
from api.store.contents import Hands, digest_of
from api.store.models import RoundRow, RoundStatus
from fairness.checks import Check
from fairness.draws.game import Outcome
from fairness.draws.stream import Stream
from fairness.errors import CheckFailed
from fairness.hashing import sha256
from fairness.limits import LONGEST_REASON
from fairness.log.proof import Proven
from fairness.player.round_code import RoundCode
from fairness.records.record import Bets, LockRecord, RevealRecord
from fairness.records.replay import check_lead
from fairness.records.table_state import TableState
from games import GAMES
from games.order import has_order, order_of

LONGEST_WAIT = 1.0
_REMEMBERED = 4096
_NOT_IN_THE_LOG = re.compile("[^ -~]")
_VOIDABLE = (RoundStatus.COMMITTED, RoundStatus.OPEN, RoundStatus.LOCKED)
_LOCK_DECODER = msgspec.json.Decoder(LockRecord)


class Locking(NamedTuple):
    """The answer to a lock."""

    answer: Locked | LockPending
    is_first: bool
    """Whether this call locked the round, and no earlier one of the same name."""

    @property
    def is_published(self) -> bool:
        """Whether the answer has what is only given for a published lock."""
        return not isinstance(self.answer, LockPending)


class Rounds:
    """The rounds of all tables, as engines play them."""

    def __init__(self, writer: TableWriter, seeds: Seeds, admission: Admission) -> None:
        self._writer, self._seeds, self._admission = writer, seeds, admission
        self._readings = Readings(writer.database, writer.timekeeper)
        self._locked: BoundedCache[str, tuple[int, TableState]] = BoundedCache(_REMEMBERED)
        """The round of a table that this process locked last, and the table's state after it."""
        self._voided: BoundedCache[tuple[str, int, str, str], None] = BoundedCache(_REMEMBERED)
        """Voids of locked rounds that this process has noted."""
        self._opening: BoundedCache[str, TableState] = BoundedCache(_REMEMBERED)
        """The table as the last opening by this process found it."""

    def open(self, table: str, number: int, *, call: str | None = None) -> Opened:
        """Open the next round for bets. Raises `Problem`, also if another ``call`` has opened it."""
        prepared = self._admission.prepare(self._known(table, number), number)

        def act(change: TableChange) -> TableState:
            row = change.round
            self._opening.put(table, change.state)
            if row is None:
                self._admission.check_opening(change, number, prepared)
                opened, tick = _opening_time(change, number), change.tick()
                sql.INSERT_ROUND.run(
                    change.connection,
                    RoundRow(table, number, RoundStatus.OPEN, opened=opened, tick=tick, opened_call=_hash_of(call)),
                )
            elif row.status is not RoundStatus.OPEN:
                raise out_of_order(table, expected=next_opening(change), found=(number, row.status))
            else:
                # An older database may have the round open still.
                self._admission.check_prepared(prepared, change.state, number)
                if call is not None and row.opened_call not in {None, _hash_of(call)}:
                    raise Problem(Code.OTHER_BODY, f"{table} round {number} was opened by another call")
            return change.state

        state = self._writer.change(table, number, act)
        return Opened(*_names(state), number, RoundStatus.OPEN)

    def _known(self, table: str, number: int) -> TableState:
        """Return a table with a round committed, as it was a moment ago; or as it is, if the round is not."""
        known = self._opening.get(table)
        return self._writer.read(table, number)[0] if known is None or known.committed_through < number else known

    def lock(
        self, table: str, number: int, bets: Bets | None, *, call: str, keep_back: bool = False, by: str | None = None
    ) -> Locking:
        """End the betting: when, and, once the lock is published, the outcome. Raises `Problem` if another ``call``
        has done so.

        If the engine asks to ``keep_back`` the order of things, it is given only how many they are, and asks for them
        with `next`. ``by`` is the name of the token that calls.
        """
        digest = digest_of(bets)
        prepared = self._admission.prepare_locking(self._known(table, number), number)

        def act(change: TableChange) -> tuple[TableState, str, str | None, bool]:
            row, state = change.round, change.state
            self._opening.put(table, state)
            if keep_back:
                _check_moves(state)
            elif change.row.keeps_order:
                detail = f'{table}: its order is kept until the reveal: lock with "keep_back":true, and call `next`'
                raise Problem(Code.ORDER_KEPT, detail, keep_back=True)
            if row is None or row.status.has_ended or row.given_up:
                raise out_of_order(table, expected=(number, [RoundStatus.OPEN]), found=status_of(state, number, row))
            if row.status is RoundStatus.OPEN:
                self._admission.check_locking(change, number, prepared)
                locked = _lock_open(change, row, bets, call=call, by=by, given=0 if keep_back else None)
                return state, locked, by, True
            _check_same_lock(row, digest, call=call, keep_back=keep_back)
            if row.locked_call is None:
                sql.SET_LOCKED_CALL.run(
                    change.connection, where_table=table, where_round=number, new_locked_call=_hash_of(call)
                )
            return state, row.locked_at, row.locked_by, False

        state, locked, locked_by, is_first = self._writer.change(table, number, act)
        self._locked.put(table, (number, state))
        outcome = self._drawn(state, number, locked=locked, bets=digest)
        if outcome is None:
            return Locking(LockPending(*_names(state), number, RoundStatus.LOCKED, PENDING_SECONDS, locked), is_first)
        if keep_back:
            of = len(order_of(GAMES.of(state), outcome))
            return Locking(LockedOrder(*_names(state), number, RoundStatus.LOCKED, locked, of), is_first)
        self._readings.note(table, number, by=by, locked_by=locked_by)
        return Locking(LockedOutcome(*_names(state), number, RoundStatus.LOCKED, locked, outcome), is_first)

    def locked_outcome(self, table: str, number: int, *, by: str | None = None) -> Outcome | None:
        """Return the outcome of a round that was locked for play, for its engine; `None` while its lock is not
        published. Raises `Problem`, also if the table keeps its order until the reveal.
        """
        state, row = self._writer.read(table, number)
        row = _locked_for_play(state, number, row, or_else=ENDED)
        if table_row(self._writer.database, table).keeps_order:
            extra = ": its order is kept until the reveal"
            raise out_of_order(table, expected=(number, ENDED), found=(number, row.status), extra=extra)
        outcome = self._drawn(state, number, locked=row.locked_at, bets=row.bets)
        if outcome is not None:
            # A lock that kept the order back did not give its token the outcome.
            self._readings.note(table, number, by=by, locked_by=row.locked_by, was_given=row.given is None)
        return outcome

    def next(self, table: str, number: int, start: int, count: int, *, by: str | None = None) -> Next | Pending:
        """Return the things of a locked round's order from position ``start`` on, for its engine.

        How far the order was given is durable before the answer, and so is the entry of the journal. After a crash
        the engine asks from the same position again, and is given the same things.
        """
        state, row = self._writer.read(table, number)
        _check_moves(state)
        row = _locked_for_play(state, number, row)
        outcome = self._drawn(state, number, locked=row.locked_at, bets=row.bets)
        if outcome is None:
            return Pending(*_names(state), number, RoundStatus.LOCKED, PENDING_SECONDS)
        order = order_of(GAMES.of(state), outcome)

        def act(change: TableChange) -> None:
            row = _locked_for_play(change.state, number, change.round)
            end = start + count - 1
            _check_next(row, start, end, of=len(order))
            if row.given is not None and end > row.given:
                sql.SET_GIVEN.run(change.connection, where_table=table, where_round=number, new_given=end)
            self._readings.note_next(change.connection, row, start, count, by=by)

        self._writer.change(table, number, act)
        things = [Thing(*each) for each in order[start - 1 : start - 1 + count]]
        return Next(*_names(state), number, RoundStatus.LOCKED, len(order), things)

    def reveal(self, table: str, number: int, *, dealt: Hands | None = None) -> Ended | Pending:
        """Make a locked round public: its outcome, seeds and code, and perhaps who was ``dealt`` which positions.

        A round that ended by its time-out takes the first hands that its engine names. Raises `Problem`.
        """
        said = dealt or {}
        locked = self._locked.get(table)
        if locked is not None and locked[0] == number:
            # How the round stands by now is read in the transaction that ends it.
            answer = self.end(locked[1], number, reason=None, dealt=said)
            if isinstance(answer, Pending):
                # A table that is halted says so.
                self._writer.read(table, number)
            return answer
        state, row = self._writer.read(table, number)
        if row is None or row.status in {RoundStatus.OPEN, RoundStatus.VOID} or row.given_up:
            raise out_of_order(table, expected=(number, [RoundStatus.LOCKED]), found=status_of(state, number, row))
        if row.status is RoundStatus.PLAYED:
            if row.dealt is None and said:
                return self._writer.change(table, number, partial(_name_hands, number, said))
            _check_same_reveal(row, said)
            return _ended_answer(state, row)
        return self.end(state, number, reason=None, dealt=said)

    def void(
        self,
        table: str,
        number: int,
        reason: str,
        *,
        by: str | None = None,
        operator: str | None = None,
        asked_by: str | None = None,
    ) -> Ended | Pending:
        """Void a round, which reveals it too; one that is not locked is given up first. Raises `Problem`.

        ``by`` is the name of the token that calls; ``operator`` says who does it, if it is not the round's engine,
        and ``asked_by`` who asked for it, if two people had to. What the log cannot hold of the ``reason`` is `?`
        there, because whoever is in a hurry must not be refused for a dash; the journal has it as it was sent.
        """
        sent, reason = reason, reason_for_the_log(reason)
        who = (
            operator if operator is not None else holder("engine", by) if by is not None and sent != reason else None
        )
        prepared = self.prepare_locking(self._known(table, number), number)

        def act(change: TableChange) -> tuple[RoundRow | None, TableState]:
            row = change.round
            if row is None or row.status is RoundStatus.OPEN:
                self.give_up(change, number, reason, prepared)
            elif row.status is RoundStatus.PLAYED:
                raise out_of_order(table, expected=(number, _VOIDABLE), found=(number, row.status))
            elif row.reason is not None and row.reason != reason:
                raise Problem(Code.OTHER_BODY, f"{table} round {number} was given the reason {row.reason!r}")
            if who is not None and self._is_news(row, who, sent):
                said = {} if sent == reason else {"sent": sent.encode("utf-8", "backslashreplace").decode()}
                asked = {} if asked_by is None else {"asked_by": asked_by}
                _note_void(change, number, Deed(who, Act.ROUND_VOID, table, after=said | asked, reason=reason))
            return row, change.state

        row, state = self._writer.change(table, number, act)
        if who is not None:
            # Now, because a transaction may be done again without another caller's part.
            self._voided.put((table, number, who, sent), None)
        if row is not None and row.status is RoundStatus.VOID:
            return _ended_answer(state, row)
        try:
            return self.end(state, number, reason=reason)
        except Problem as refusal:
            is_ours = row is None or row.status is RoundStatus.OPEN
            if not is_ours or refusal.code.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
            # The table was halted, or the log ended, after this call had locked the round. The repetition is told so:
            # a refusal of this call would say that nothing was changed.
            return Pending(*_names(state), number, RoundStatus.LOCKED, PENDING_SECONDS)

    def _is_news(self, row: RoundRow | None, who: str, sent: str) -> bool:
        """Return whether a void is to be noted: its repetitions, while the lock is not published, are the same
        one.
        """
        if row is None or row.status is RoundStatus.OPEN:
            return True
        is_noted = row.given_up or (row.table, row.round, who, sent) in self._voided
        return row.status is RoundStatus.LOCKED and not is_noted

    def prepare_locking(self, state: TableState, number: int) -> Prepared:
        """Return what `give_up` needs to know, before the transaction."""
        return self._admission.prepare_locking(state, number)

    def give_up(self, change: TableChange, number: int, reason: str, prepared: Prepared) -> None:
        """Lock the next round as given up, inside the caller's transaction on it."""
        state, row = change.state, change.round
        self._admission.check_locking(change, number, prepared)
        opened = None if row is None else row.opened
        record = LockRecord(
            locked=change.now(opened or ""),
            opened=UNSET if opened is None else opened,
            reason=reason,
            round=number,
            table=state.name,
        )
        try:
            change.queue(record)
        except CheckFailed as error:
            if error.check is not Check.LEAD_COMMITTED:
                raise
            raise self._admission.openings.lead_not_published(state, number) from error
        if row is None:
            sql.INSERT_ROUND.run(change.connection, RoundRow(state.name, number, RoundStatus.LOCKED, given_up=True))
        _set_locked(change, record)

    def end(
        self, state: TableState, number: int, *, reason: str | None, dealt: Hands | None = None
    ) -> Ended | Pending:
        """Reveal a locked round: as played, or as void if there is a reason or if it was given up. Who was ``dealt``
        what only its engine says, also that it says nothing.

        The seeds are computed before the transaction, so that no other table waits for the custodian.
        """
        lock = self._published_lock(state, number)
        if lock is None:
            return Pending(*_names(state), number, RoundStatus.LOCKED, PENDING_SECONDS)
        seeds, outcome = self._released(state, number, lock)

        def act(change: TableChange) -> Ended:
            row, locked = change.round, change.state.locked
            if row is not None and row.locked is not None:
                why = row.reason if row.given_up else None
                _check_is_stored(lock, locked=row.locked, bets=row.bets, reason=why)
            if row is not None and row.outcome is not None:
                # Somebody else, the keeper for one, ended it meanwhile. Its seeds are the same; its end may not be.
                if (row.status is RoundStatus.VOID) != (reason is not None or row.given_up):
                    wanted = [RoundStatus.LOCKED] if reason is None else _VOIDABLE
                    raise out_of_order(state.name, expected=(number, wanted), found=(number, row.status))
                return _ended_answer(state, row) if dealt is None else _name_hands(number, dealt, change)
            if row is None or locked is None or locked.number != number:
                raise out_of_order(
                    state.name, expected=(number, [RoundStatus.LOCKED]), found=status_of(change.state, number, row)
                )
            if dealt:
                _check_dealt(state, row, outcome, dealt)
            record = RevealRecord(
                outcome=dict(outcome),
                reason=UNSET if reason is None or locked.given_up else reason,
                revealed=change.now(),
                round=number,
                seeds=[seed.hex() for seed in seeds],
                status="played" if reason is None and not locked.given_up else "void",
                table=state.name,
            )
            change.queue(record)
            code = str(RoundCode.of(state.game, state.table_id, number, seeds))
            said = dealt if has_order(GAMES.of(state)) else None
            return _set_ended(change, record, code, reason=row.reason if locked.given_up else reason, dealt=said)

        return self._writer.change(state.name, number, act)

    def _published_lock(self, state: TableState, number: int) -> Proven | None:
        """Return a round's lock, once it is published; `None` if that takes too long."""
        return self._seeds.publication.lock(state.table_id, number, LONGEST_WAIT)

    def _drawn(self, state: TableState, number: int, *, locked: str, bets: str | None) -> Outcome | None:
        """Return the outcome of a round that was locked for play, then and with these bets; `None` while its lock is
        not published.
        """
        lock = self._published_lock(state, number)
        if lock is None:
            return None
        _check_is_stored(lock, locked=locked, bets=bets, reason=None)
        _, outcome = self._released(state, number, lock)
        return outcome

    def _released(self, state: TableState, number: int, lock: Proven) -> tuple[list[bytes], Outcome]:
        """Return the seeds and the outcome of a locked round, which the custodian gives for its published
        ``lock``.
        """
        batch = state.batches[0]
        with refusal_as_problem():
            seeds = self._seeds.release(state, batch, number, lock)
        stream = Stream(seeds, batch.context, number)
        return seeds, GAMES.of(state).outcome(stream, batch.rules)


def _locked_for_play(
    state: TableState, number: int, row: RoundRow | None, *, or_else: Sequence[RoundStatus] = ()
) -> RoundRow:
    """Return the row of a locked round that has not been given up. Raises `Problem`; ``or_else`` are statuses in
    which the call is answered, too.
    """
    if row is not None and row.given_up:
        raise out_of_order(state.name, expected=(number, [RoundStatus.VOID]), found=(number, row.status))
    if row is None or row.status is not RoundStatus.LOCKED:
        wanted = [RoundStatus.LOCKED, *or_else]
        raise out_of_order(state.name, expected=(number, wanted), found=status_of(state, number, row))
    return row


def reason_for_the_log(text: str) -> str:
    """Return a reason as a record can hold it: printable ASCII of at most 200 characters. Raises `Problem` for a
    blank one.
    """
    if not any(character.isprintable() and not character.isspace() for character in text):
        detail = "reason: expected some words, which stand in the log for ever"
        raise Problem(Code.MALFORMED_BODY, detail, pointer="/reason")
    return _NOT_IN_THE_LOG.sub("?", text)[:LONGEST_REASON]


def _hash_of(call: str | None) -> str | None:
    """Return what is kept of a call's name: whoever reads the database cannot repeat the call."""
    return None if call is None else sha256(call.encode()).hex()


def _check_same_lock(row: RoundRow, digest: str | None, *, call: str, keep_back: bool) -> None:
    """Raise `Problem` unless a round was locked by a call with the same body.

    A round that was made again from the log has lost the name of its call: the first with the record's digest takes
    its place.
    """
    where = f"{row.table} round {row.round}"
    if row.bets != digest:
        raise Problem(Code.OTHER_BODY, f"{where} was locked with another digest of its bets, or without one")
    if row.locked_call not in {None, _hash_of(call)}:
        raise Problem(Code.OTHER_BODY, f"{where} was locked by another call")
    if row.given is not None and not keep_back:
        raise Problem(Code.OTHER_BODY, f'{where} was locked with "keep_back":true: repeat it so, and call `next`')


def _check_moves(state: TableState) -> None:
    if not GAMES.of(state).has_flight:
        detail = (
            f"{state.name}: the players of {state.game} decide nothing after the lock, which answers with the outcome"
        )
        raise Problem(Code.NO_MOVES, detail)


def _check_next(row: RoundRow, start: int, end: int, *, of: int) -> None:
    """Raise `Problem` unless positions ``start`` to ``end`` are things of an order of so many, and none before them
    is left out.
    """
    where = f"{row.table} round {row.round}"
    members: Members = {"of": of} if row.given is None else {"of": of, "given": row.given}
    if row.given is not None and start > row.given + 1:
        detail = (
            f"{where}: {row.given} things were given: expected a position of at most {row.given + 1}, found {start}"
        )
        raise Problem(Code.NOT_NEXT, detail, **members)
    if end > of:
        detail = f"{where}: its order has {of} things: expected position and count up to position {of}, found {end}"
        raise Problem(Code.NOT_NEXT, detail, **members)


def _check_is_stored(lock: Proven, *, locked: str, bets: str | None, reason: str | None) -> None:
    """Raise `Problem` unless the published lock of a round is the stored one: no outcome for other bets.

    They differ if the database went back to an older state under the running service, and the round was locked again.
    """
    record = _LOCK_DECODER.decode(lock.data)
    published = (
        record.locked,
        digest_of(record.bets),
        None if record.reason is UNSET else record.reason,
    )
    if published != (locked, bets, reason):
        detail = (
            f"{record.table} round {record.round}: the published log has another lock of it, of {record.locked}, than the"
            f" database, of {locked}: {OLDER_DATABASE}"
        )
        raise Problem(Code.SEEDS_UNAVAILABLE, detail)


def _name_hands(number: int, dealt: Hands, change: TableChange) -> Ended:
    """Answer the reveal of a round that was played; the first one after a time-out says who was ``dealt`` what.
    Raises `Problem`.
    """
    row, state = change.round, change.state
    if row is None or row.status is not RoundStatus.PLAYED:
        raise out_of_order(state.name, expected=(number, [RoundStatus.LOCKED]), found=status_of(state, number, row))
    if row.dealt is None and dealt:
        _check_dealt(state, row, row.ending.outcome, dealt)
        sql.SET_DEALT.run(change.connection, where_table=row.table, where_round=number, new_dealt=_spelled(dealt))
    else:
        _check_same_reveal(row, dealt)
    return _ended_answer(state, row)


def _check_same_reveal(row: RoundRow, dealt: Hands) -> None:
    """Raise `Problem` if a round was revealed with another body. One that ended by its time-out had none."""
    if row.dealt is not None and row.hands != dealt:
        raise Problem(Code.OTHER_BODY, f"{row.table} round {row.round} was revealed with other hands, or without any")


def _check_dealt(state: TableState, row: RoundRow, outcome: Outcome, dealt: Hands) -> None:
    """Raise `Problem` unless each position was handed out: by `next`, or with the whole order."""
    game, where = GAMES.of(state), f"{row.table} round {row.round}"
    if not has_order(game):
        raise Problem(Code.NO_MOVES, f"{where}: {state.game} deals nothing after the lock, so nobody has a hand")
    of = len(order_of(game, outcome))
    most = of if row.given is None else row.given
    for name, positions in dealt.items():
        for index, position in enumerate(positions):
            if position > most:
                detail = (
                    f"{where}: dealt: expected positions up to {most}, which were given, found {position} in {name!r}"
                )
                members: Members = {"of": of, "pointer": f"/dealt/{name}/{index}"}
                if row.given is not None:
                    members["given"] = row.given
                raise Problem(Code.NOT_GIVEN, detail, **members)


def _spelled(dealt: Hands) -> str:
    return msgspec.json.encode(dealt).decode()


def _set_ended(
    change: TableChange, record: RevealRecord, code: str, *, reason: str | None, dealt: Hands | None
) -> Ended:
    sql.SET_ENDED.run(
        change.connection,
        where_table=record.table,
        where_round=record.round,
        new_status=record.status,
        new_reason=reason,
        new_outcome=msgspec.json.encode(record.outcome).decode(),
        new_seeds=msgspec.json.encode(record.seeds).decode(),
        new_code=code,
        new_dealt=None if dealt is None else _spelled(dealt),
    )
    name, table_id = _names(change.state)
    ended = (record.status, record.outcome, record.seeds, code, reason or UNSET)
    return Ended(name, table_id, record.round, *ended)


def _ended_answer(state: TableState, row: RoundRow) -> Ended:
    name, table_id = _names(state)
    return Ended(name, table_id, row.round, row.status, *row.ending, row.reason or UNSET)


def _names(state: TableState) -> tuple[str, str]:
    """Return what answers name a table by: its name, and its id."""
    return state.name, state.table_id.hex()


def _lock_open(
    change: TableChange, row: RoundRow, bets: Bets | None, *, call: str, by: str | None, given: int | None
) -> str:
    """Queue the lock of an open round. Returns its time."""
    _check_digest(change.state, row.round, bets)
    opened = row.opened_at
    record = LockRecord(
        bets=UNSET if bets is None else bets,
        locked=change.now(opened),
        opened=opened,
        round=row.round,
        table=row.table,
    )
    change.queue(record)
    _set_locked(change, record, call=call, by=by, given=given)
    return record.locked


def _set_locked(
    change: TableChange,
    record: LockRecord,
    *,
    call: str | None = None,
    by: str | None = None,
    given: int | None = None,
) -> None:
    sql.SET_LOCKED.run(
        change.connection,
        where_table=record.table,
        where_round=record.round,
        new_locked=record.locked,
        new_tick=change.tick(),
        new_bets=digest_of(record.bets),
        new_given_up=record.given_up,
        new_reason=None if record.reason is UNSET else record.reason,
        new_locked_by=by,
        new_locked_call=_hash_of(call),
        new_given=given,
    )


def _note_void(change: TableChange, number: int, deed: Deed) -> None:
    status = RoundStatus.COMMITTED if change.round is None else change.round.status
    noted = replace(
        deed,
        before={"round": number, "status": status},
        after={"round": number, "status": RoundStatus.VOID, **(deed.after or {})},
    )
    append(change.connection, change.writer.timekeeper.shown(), noted)


def _check_digest(state: TableState, number: int, bets: Bets | None) -> None:
    if state.bets_required and bets is None:
        detail = f"{state.name} was made with bets required: lock round {number} with the digest of its bets"
        raise Problem(Code.BETS_REQUIRED, detail)


def _opening_time(change: TableChange, number: int) -> str:
    return max(change.writer.timekeeper.stamp(), change.state.created, check_lead(change.state, number))
