"""The statements of the service, each built once and compiled once."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BindParameter, Select, Table, and_, bindparam, delete, func, insert, null, or_, select, update
from sqlmodel import SQLModel

import api.store.models  # noqa: F401  (fills the metadata)
from api.sql.prepared import Prepared


def _table(name: str) -> Table:
    return SQLModel.metadata.tables[name]


TABLES = _table("tables")
APPENDED_STATES = _table("appended")
BATCHES = _table("batches")
ROUNDS = _table("rounds")
QUEUE = _table("queue")
HEAD = _table("head")
TOKENS = _table("tokens")
SESSIONS = _table("sessions")

_TABLE: BindParameter[str] = bindparam("of_table")
_ROUND: BindParameter[int] = bindparam("of_round")

ALL_TABLES = select(TABLES).order_by(TABLES.c.name)
ONE_TABLE = select(TABLES).where(TABLES.c.name == _TABLE)
INSERT_TABLE = insert(TABLES)
SET_QUEUED_STATE = Prepared(update(TABLES).where(TABLES.c.name == _TABLE).values(queued_state=bindparam("state")))
QUEUED_STATES = select(TABLES.c.queued_state)
ALL_APPENDED = select(APPENDED_STATES)
POSITION_OF_TABLE = select(APPENDED_STATES.c.position).where(APPENDED_STATES.c.table == _TABLE)
INSERT_APPENDED = insert(APPENDED_STATES)
SET_APPENDED = update(APPENDED_STATES).where(APPENDED_STATES.c.table == _TABLE).values(state=bindparam("new_state"))
SET_CLOSING = update(TABLES).where(TABLES.c.name == _TABLE).values(closing=True)
SET_HALTED = update(TABLES).where(TABLES.c.name == _TABLE).values(halted=bindparam("why"))
CLEAR_HALTED = update(TABLES).values(halted=None)

ALL_BATCHES = select(BATCHES)
INSERT_BATCH = insert(BATCHES)

TABLE_AND_ROUND = Prepared(
    select(
        TABLES.c.name,
        TABLES.c.queued_state,
        TABLES.c.closing,
        TABLES.c.halted,
        *(column for column in ROUNDS.c if column.name != "table"),
    )
    .select_from(TABLES.outerjoin(ROUNDS, and_(ROUNDS.c.table == TABLES.c.name, ROUNDS.c.round == _ROUND)))
    .where(TABLES.c.name == _TABLE)
)
ROUND_AND_BATCH = Prepared(
    select(
        BATCHES.c.number,
        BATCHES.c.batch_id,
        BATCHES.c.first,
        BATCHES.c.last,
        BATCHES.c.custodians,
        ROUNDS.c.status,
        ROUNDS.c.reason,
        ROUNDS.c.outcome,
        ROUNDS.c.seeds,
        ROUNDS.c.code,
    )
    .select_from(BATCHES.outerjoin(ROUNDS, and_(ROUNDS.c.table == BATCHES.c.table, ROUNDS.c.round == _ROUND)))
    .where(BATCHES.c.table == _TABLE, BATCHES.c.first <= _ROUND)
    .order_by(BATCHES.c.first.desc())
    .limit(1)
)
ROUNDS_BETWEEN = (
    select(ROUNDS)
    .where(ROUNDS.c.table == _TABLE, ROUNDS.c.round >= _ROUND, ROUNDS.c.round < bindparam("before"))
    .order_by(ROUNDS.c.round)
)
BATCHES_BETWEEN = (
    select(BATCHES)
    .where(BATCHES.c.table == _TABLE, BATCHES.c.last >= _ROUND, BATCHES.c.first < bindparam("before"))
    .order_by(BATCHES.c.first)
)
_others = ROUNDS.alias("others")
_newest = select(func.max(_others.c.round)).where(_others.c.table == TABLES.c.name).scalar_subquery()
NEWEST_ROUNDS = (
    select(
        TABLES.c.name,
        TABLES.c.game,
        TABLES.c.queued_state,
        TABLES.c.halted,
        ROUNDS.c.round,
        ROUNDS.c.status,
        ROUNDS.c.opened,
        ROUNDS.c.locked,
        ROUNDS.c.outcome,
    )
    .select_from(
        TABLES.outerjoin(ROUNDS, and_(ROUNDS.c.table == TABLES.c.name, ROUNDS.c.round > _newest - bindparam("most")))
    )
    .order_by(TABLES.c.name, ROUNDS.c.round.desc())
)
"""Every table with its newest rounds, newest first; a table without rounds has one row with no round."""
_ended = select(ROUNDS.c.round, ROUNDS.c.status, ROUNDS.c.outcome).where(
    ROUNDS.c.table == _TABLE,
    ROUNDS.c.round >= _ROUND,
    ROUNDS.c.round < bindparam("before"),
    ROUNDS.c.outcome.is_not(None),
)
_hundredths = func.round(func.json_extract(ROUNDS.c.outcome, "$.multiplier") * 100)
_wanted = _ended.where(
    or_(bindparam("of_status") == "", ROUNDS.c.status == bindparam("of_status")),
    *(
        or_(bindparam(words) == "", func.lower(ROUNDS.c.outcome).op("GLOB")(bindparam(words)))
        for words in ("words", "more_words", "other_words")
    ),
    or_(bindparam("least").is_(None), _hundredths >= bindparam("least")),
    or_(bindparam("greatest").is_(None), _hundredths <= bindparam("greatest")),
).limit(bindparam("most"))
ENDED_UPWARDS = _wanted.order_by(ROUNDS.c.round)
ENDED_DOWNWARDS = _wanted.order_by(ROUNDS.c.round.desc())
"""Rounds that have ended, of those that are wanted; words stand for what an outcome has to contain, as GLOB patterns."""
PLAYED_BEFORE = Prepared(
    select(ROUNDS.c.round, ROUNDS.c.outcome)
    .where(ROUNDS.c.table == _TABLE, ROUNDS.c.round < _ROUND, ROUNDS.c.status == "played")
    .order_by(ROUNDS.c.round.desc())
    .limit(1)
)
LOCKED_AT = Prepared(select(ROUNDS.c.locked).where(ROUNDS.c.table == _TABLE, ROUNDS.c.round == _ROUND))
REACHED = select(
    select(func.max(BATCHES.c.last)).where(BATCHES.c.table == _TABLE).scalar_subquery().label("committed"),
    select(func.max(ROUNDS.c.round))
    .where(ROUNDS.c.table == _TABLE, ROUNDS.c.status != "open")
    .scalar_subquery()
    .label("locked"),
)
"""A table's last committed round and its last locked one, by their own rows."""
LAST_VOIDS = select(ROUNDS).where(ROUNDS.c.status == "void").order_by(ROUNDS.c.locked.desc()).limit(bindparam("most"))
LOCKED_ROUNDS = select(ROUNDS).where(ROUNDS.c.status == "locked")
INSERT_ROUND = insert(ROUNDS)
OPEN_ROUND = Prepared(insert(ROUNDS), ["table", "round", "status", "opened", "given_up", "tick"])
SET_LOCKED = Prepared(
    update(ROUNDS)
    .where(ROUNDS.c.table == _TABLE, ROUNDS.c.round == _ROUND)
    .values(
        status="locked",
        locked=bindparam("at"),
        tick=bindparam("new_tick"),
        bets=bindparam("digest"),
        given_up=bindparam("dropped"),
        reason=bindparam("why"),
    )
)
SET_ENDED = Prepared(
    update(ROUNDS)
    .where(ROUNDS.c.table == _TABLE, ROUNDS.c.round == _ROUND)
    .values(
        status=bindparam("end"),
        reason=bindparam("why"),
        outcome=bindparam("result"),
        seeds=bindparam("opened_seeds"),
        code=bindparam("round_code"),
        tick=null(),
    )
)

INSERT_QUEUED = insert(QUEUE)
ENQUEUE = Prepared(insert(QUEUE), ["table", "data"])
WAITING: Select[Any] = (
    select(QUEUE.c.id, QUEUE.c.table, QUEUE.c.data)
    .where(QUEUE.c.position.is_(None), QUEUE.c.id > bindparam("after"))
    .order_by(QUEUE.c.id)
    .limit(bindparam("most"))
)
QUEUE_LENGTH = select(func.count()).select_from(QUEUE).where(QUEUE.c.position.is_(None))
APPENDED = select(QUEUE.c.position, QUEUE.c.data).where(QUEUE.c.position.is_not(None)).order_by(QUEUE.c.position)
GIVE_POSITION = update(QUEUE).where(QUEUE.c.id == bindparam("entry")).values(position=bindparam("at"))
FORGET_BELOW = delete(QUEUE).where(QUEUE.c.position < bindparam("limit"))

ONE_HEAD = select(HEAD)
INSERT_HEAD = insert(HEAD)
SET_NOTED = update(HEAD).values(noted=bindparam("position"))
SET_HEAD = update(HEAD).values(size=bindparam("new_size"), root=bindparam("new_root"))
MOVE_HEAD = SET_HEAD.where(HEAD.c.size == bindparam("where_size"), HEAD.c.root == bindparam("where_root"))
"""A compare-and-swap: it changes no row unless the head is still the one that the caller last saw."""

ONE_TOKEN = select(TOKENS).where(TOKENS.c.digest == bindparam("hashed"))
ALL_TOKENS = select(TOKENS).order_by(TOKENS.c.created)
INSERT_TOKEN = insert(TOKENS)
REVOKE_TOKEN = (
    update(TOKENS)
    .where(TOKENS.c.name == bindparam("called"), TOKENS.c.revoked.is_(None))
    .values(revoked=bindparam("at"))
)

INSERT_SESSION = insert(SESSIONS)
SESSION_AND_TOKEN: Select[Any] = (
    select(SESSIONS.c.begun, SESSIONS.c.seen, TOKENS.c.name, TOKENS.c.role, TOKENS.c.tables)
    .join_from(SESSIONS, TOKENS, SESSIONS.c.token == TOKENS.c.digest)
    .where(SESSIONS.c.digest == bindparam("hashed"), TOKENS.c.revoked.is_(None))
)
SET_SEEN = update(SESSIONS).where(SESSIONS.c.digest == bindparam("hashed")).values(seen=bindparam("at"))
DELETE_SESSION = delete(SESSIONS).where(SESSIONS.c.digest == bindparam("hashed"))
FORGET_SESSIONS = delete(SESSIONS).where(
    or_(
        ~SESSIONS.c.begun.between(bindparam("earliest_begun"), bindparam("now")),
        ~SESSIONS.c.seen.between(bindparam("earliest_seen"), bindparam("now")),
    )
)
