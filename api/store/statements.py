"""The statements of the service, each built once and compiled once.

A parameter has the name of the column that it is compared with. In an update that column is ``where_`` and its name,
and the value that a column gets is ``new_`` and its name. A bound of a range is ``from_``, ``after_`` or ``before_``
and the column's name.
"""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Column,
    ColumnElement,
    String,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal,
    literal_column,
    null,
    or_,
    select,
    update,
)

from api.sql.dialects import JsonNumber, LooksLike
from api.sql.statement import Change, Insertion, Lock, Query
from api.store.models import (
    AppendedRow,
    BatchAndRound,
    BatchRow,
    EndedRow,
    HeadRow,
    JournalHeadRow,
    JournalRow,
    KeptRow,
    PaytableRow,
    QueuedRow,
    ReachedRow,
    RoundRow,
    RoundStatus,
    SaltRow,
    SessionAndToken,
    SessionRow,
    StatusRow,
    TableAndRound,
    TableRow,
    TokenRow,
    WaitingRow,
)
from api.store.tables import (
    APPENDED,
    BATCHES,
    HEAD,
    JOURNAL,
    JOURNAL_HEAD,
    PAYTABLES,
    QUEUE,
    ROUNDS,
    SALTS,
    SESSIONS,
    STATUSES,
    TABLES,
    TOKENS,
)


def _is(column: Column[Any]) -> ColumnElement[bool]:
    return column == bindparam(column.name)


def _where(*columns: Column[Any]) -> ColumnElement[bool]:
    return and_(*(column == bindparam(f"where_{column.name}") for column in columns))


def _new(*columns: Column[Any]) -> dict[str, BindParameter[Any]]:
    return {column.name: bindparam(f"new_{column.name}") for column in columns}


def _stands(status: RoundStatus) -> ColumnElement[bool]:
    """Spell that a round has a status, in the statement's own text: for a parameter, no plan could use the index of
    such rounds alone.
    """
    return ROUNDS.c.status == literal_column(f"'{status.value}'", String)


_NAMES_LOCK = 0x666F7265
"""A number that nobody else locks in this database."""
_LIMIT: BindParameter[int] = bindparam("limit", type_=BigInteger)

ALL_TABLES = Query(select(TABLES).order_by(TABLES.c.name), TableRow)
TABLES_AFTER = Query(
    select(TABLES).where(TABLES.c.name > bindparam("after_name")).order_by(TABLES.c.name).limit(_LIMIT), TableRow
)
ONE_TABLE = Query(select(TABLES).where(_is(TABLES.c.name)), TableRow)
INSERT_TABLE = Insertion(insert(TABLES), TableRow)
TAKE_TABLE = Lock(select(TABLES.c.name).where(_is(TABLES.c.name)).with_for_update())
"""What a change of a table begins with: whatever it reads after that, only this transaction changes."""
TAKE_NAMES = Lock(select(func.pg_advisory_xact_lock(_NAMES_LOCK)))
"""What begins the making of something with a new name, so that no other one takes the name meanwhile, and any change
of all.
"""
QUEUED_STATES = Query(select(TABLES.c.queued_state), bytes)
SET_QUEUED_STATE = Change(update(TABLES).where(_where(TABLES.c.name)).values(_new(TABLES.c.queued_state)))
SET_CLOSING = Change(update(TABLES).where(_where(TABLES.c.name)).values(closing=True))
SET_PAUSED = Change(update(TABLES).where(_where(TABLES.c.name)).values(_new(TABLES.c.paused)))
SET_STOPPED = Change(update(TABLES).values(_new(TABLES.c.stopped)))
STOPPED_TABLE = Query(select(TABLES.c.name).where(TABLES.c.stopped.is_(True)).limit(1), str)
SET_CHOSEN = Change(
    update(TABLES).where(_where(TABLES.c.name)).values(_new(TABLES.c.rules, TABLES.c.timeout, TABLES.c.keeps_order))
)
SET_HALTED = Change(update(TABLES).where(_where(TABLES.c.name)).values(_new(TABLES.c.halted)))
CLEAR_HALTED = Change(update(TABLES).values(halted=null()))
HALT_ALL = Change(update(TABLES).values(_new(TABLES.c.halted)))

ALL_APPENDED = Query(select(APPENDED), AppendedRow)
INSERT_APPENDED = Insertion(insert(APPENDED), AppendedRow)
SET_APPENDED = Change(update(APPENDED).where(_where(APPENDED.c.table)).values(_new(APPENDED.c.state)))

ALL_PAYTABLES = Query(select(PAYTABLES).order_by(PAYTABLES.c.hash), PaytableRow)
ONE_PAYTABLE = Query(select(PAYTABLES.c.data).where(_is(PAYTABLES.c.hash)), bytes)
INSERT_PAYTABLE = Insertion(insert(PAYTABLES), PaytableRow)

ALL_BATCHES = Query(select(BATCHES), BatchRow)
BATCHES_BETWEEN = Query(
    select(BATCHES)
    .where(
        _is(BATCHES.c.table),
        BATCHES.c.last >= bindparam("from_round"),
        BATCHES.c.first < bindparam("before_round"),
    )
    .order_by(BATCHES.c.first),
    BatchRow,
)
ONE_BATCH = Query(select(BATCHES).where(_is(BATCHES.c.table), _is(BATCHES.c.number)), BatchRow)
BATCH_OF_ID = Query(select(BATCHES).where(_is(BATCHES.c.batch_id)), BatchRow)
INSERT_BATCH = Insertion(insert(BATCHES), BatchRow)

SALTS_BETWEEN = Query(
    select(SALTS).where(
        _is(SALTS.c.table), SALTS.c.batch >= bindparam("from_batch"), SALTS.c.batch < bindparam("before_batch")
    ),
    SaltRow,
)
INSERT_SALT = Insertion(insert(SALTS), SaltRow)
SET_SALTED = Change(update(SALTS).where(_where(SALTS.c.table, SALTS.c.batch)).values(_new(SALTS.c.signature)))

TABLE_AND_ROUND = Query(
    select(TABLES, ROUNDS)
    .select_from(TABLES.outerjoin(ROUNDS, and_(ROUNDS.c.table == TABLES.c.name, _is(ROUNDS.c.round))))
    .where(_is(TABLES.c.name)),
    TableAndRound,
)
BATCH_AND_ROUND = Query(
    select(BATCHES, SALTS, ROUNDS)
    .select_from(
        BATCHES.outerjoin(SALTS, and_(SALTS.c.table == BATCHES.c.table, SALTS.c.batch == BATCHES.c.number)).outerjoin(
            ROUNDS, and_(ROUNDS.c.table == BATCHES.c.table, _is(ROUNDS.c.round))
        )
    )
    .where(_is(BATCHES.c.table), BATCHES.c.first <= bindparam("round"))
    .order_by(BATCHES.c.first.desc())
    .limit(1),
    BatchAndRound,
)
"""The last batch that begins at the round or before it: the round's own, if it is committed."""
_others = ROUNDS.alias("others")
_newest = select(func.max(_others.c.round)).where(_others.c.table == TABLES.c.name).scalar_subquery()
_tables_and_newest = (
    select(TABLES, ROUNDS)
    .select_from(TABLES.outerjoin(ROUNDS, and_(ROUNDS.c.table == TABLES.c.name, ROUNDS.c.round > _newest - _LIMIT)))
    .order_by(TABLES.c.name, ROUNDS.c.round.desc())
)
_chosen = TABLES.alias("chosen")
_first = (
    select(_chosen.c.name).order_by(_chosen.c.closing, _chosen.c.name).limit(bindparam("tables", type_=BigInteger))
)
NEWEST_ROUNDS = Query(_tables_and_newest.where(TABLES.c.name.in_(_first)), TableAndRound)
"""The first so many tables, those that are being closed after all others, with their newest rounds, newest first;
a table without rounds has one row with no round.
"""
NEWEST_ROUNDS_OF_TABLE = Query(_tables_and_newest.where(_is(TABLES.c.name)), TableAndRound)
"""The same of one table; no row if there is none."""
_span = (_is(ROUNDS.c.table), ROUNDS.c.round >= bindparam("from_round"), ROUNDS.c.round < bindparam("before_round"))
ONE_ROUND = Query(select(ROUNDS).where(_is(ROUNDS.c.table), _is(ROUNDS.c.round)), RoundRow)
ROUNDS_BETWEEN = Query(select(ROUNDS).where(*_span).order_by(ROUNDS.c.round), RoundRow)
_earlier = BATCHES.alias("earlier")
_begun = (
    select(func.max(_earlier.c.first))
    .where(_earlier.c.table == ROUNDS.c.table, _earlier.c.first <= ROUNDS.c.round)
    .scalar_subquery()
)
BATCHES_AND_ROUNDS = Query(
    select(BATCHES, SALTS, ROUNDS)
    .select_from(
        ROUNDS.join(BATCHES, and_(BATCHES.c.table == ROUNDS.c.table, BATCHES.c.first == _begun)).outerjoin(
            SALTS, and_(SALTS.c.table == BATCHES.c.table, SALTS.c.batch == BATCHES.c.number)
        )
    )
    .where(*_span)
    .order_by(ROUNDS.c.round),
    BatchAndRound,
)
"""Rounds that anything has happened to, each with its batch: the last one that begins at the round or before it."""
OUTCOME_PATTERNS = ("first_pattern", "second_pattern", "third_pattern")
_patterns = [bindparam(name, type_=String) for name in OUTCOME_PATTERNS]
_hundredths = func.round(JsonNumber(ROUNDS.c.outcome, "multiplier") * literal(100))
_least = bindparam("least_hundredths", type_=BigInteger)
_most = bindparam("most_hundredths", type_=BigInteger)
_ended = (ROUNDS.c.round, ROUNDS.c.status, ROUNDS.c.outcome, ROUNDS.c.given, ROUNDS.c.dealt)
_wanted = (
    select(*_ended)
    .where(
        *_span,
        ROUNDS.c.outcome.is_not(None),
        or_(bindparam("status", type_=String) == "", _is(ROUNDS.c.status)),
        *(or_(pattern == "", LooksLike(func.lower(ROUNDS.c.outcome), pattern)) for pattern in _patterns),
        or_(_least.is_(None), _hundredths >= _least),
        or_(_most.is_(None), _hundredths <= _most),
    )
    .limit(_LIMIT)
)
ENDED_UPWARDS = Query(_wanted.order_by(ROUNDS.c.round), EndedRow)
ENDED_DOWNWARDS = Query(_wanted.order_by(ROUNDS.c.round.desc()), EndedRow)
"""Rounds that have ended and are wanted: of a status, with outcomes of some `outcome_pattern`; what is empty takes
all.
"""
PLAYED_BEFORE = Query(
    select(*_ended)
    .where(_is(ROUNDS.c.table), ROUNDS.c.round < bindparam("before_round"), ROUNDS.c.status == RoundStatus.PLAYED)
    .order_by(ROUNDS.c.round.desc())
    .limit(1),
    EndedRow,
)
LOCKED_AT = Query(select(ROUNDS.c.locked).where(_is(ROUNDS.c.table), _is(ROUNDS.c.round)), str)
REACHED = Query(
    select(
        select(func.max(BATCHES.c.last)).where(_is(BATCHES.c.table)).scalar_subquery().label("committed"),
        select(func.max(ROUNDS.c.round))
        .where(_is(ROUNDS.c.table), ROUNDS.c.status != RoundStatus.OPEN)
        .scalar_subquery()
        .label("locked"),
    ),
    ReachedRow,
)
"""A table's last committed round and its last locked one, by their own rows."""
LAST_VOIDS = Query(
    select(ROUNDS).where(_stands(RoundStatus.VOID)).order_by(ROUNDS.c.locked.desc()).limit(_LIMIT), RoundRow
)
LOCKED_ROUNDS = Query(select(ROUNDS).where(_stands(RoundStatus.LOCKED)), RoundRow)
INSERT_ROUND = Insertion(insert(ROUNDS), RoundRow)
SET_LOCKED = Change(
    update(ROUNDS)
    .where(_where(ROUNDS.c.table, ROUNDS.c.round))
    .values(
        status=RoundStatus.LOCKED,
        **_new(ROUNDS.c.locked, ROUNDS.c.tick, ROUNDS.c.bets, ROUNDS.c.given_up, ROUNDS.c.reason),
        **_new(ROUNDS.c.locked_by, ROUNDS.c.locked_call, ROUNDS.c.given),
    )
)
SET_LOCKED_CALL = Change(
    update(ROUNDS).where(_where(ROUNDS.c.table, ROUNDS.c.round)).values(_new(ROUNDS.c.locked_call))
)
SET_GIVEN = Change(update(ROUNDS).where(_where(ROUNDS.c.table, ROUNDS.c.round)).values(_new(ROUNDS.c.given)))
SET_DEALT = Change(update(ROUNDS).where(_where(ROUNDS.c.table, ROUNDS.c.round)).values(_new(ROUNDS.c.dealt)))
SET_ENDED = Change(
    update(ROUNDS)
    .where(_where(ROUNDS.c.table, ROUNDS.c.round))
    .values(
        tick=null(),
        locked_by=null(),
        opened_call=null(),
        locked_call=null(),
        **_new(ROUNDS.c.status, ROUNDS.c.reason, ROUNDS.c.outcome, ROUNDS.c.seeds, ROUNDS.c.code),
        **_new(ROUNDS.c.dealt),
    )
)

ENQUEUE = Insertion(insert(QUEUE), QueuedRow)
WAITING = Query(
    select(QUEUE.c.id, QUEUE.c.table, QUEUE.c.data)
    .where(QUEUE.c.position.is_(None), QUEUE.c.id > bindparam("after_id"))
    .order_by(QUEUE.c.id)
    .limit(_LIMIT),
    WaitingRow,
)
QUEUE_LENGTH = Query(select(func.count()).select_from(QUEUE).where(QUEUE.c.position.is_(None)), int)
KEPT = Query(
    select(QUEUE.c.position, QUEUE.c.data).where(QUEUE.c.position.is_not(None)).order_by(QUEUE.c.position), KeptRow
)
SET_POSITIONS = Change(
    update(QUEUE)
    .where(QUEUE.c.id >= bindparam("from_id"), QUEUE.c.id <= bindparam("through_id"))
    .values(position=QUEUE.c.id + bindparam("shift", type_=BigInteger))
)
"""Gives records with consecutive ids consecutive positions; ``shift`` is the difference between the two."""
FORGET_KEPT = Change(delete(QUEUE).where(QUEUE.c.position < bindparam("before_position")))

ONE_HEAD = Query(select(HEAD), HeadRow)
ORIGIN = Query(select(HEAD.c.origin), str)
"""The log's origin, which every revision of the schema has."""
HEAD_SIZE = Query(select(HEAD.c.size), int)
"""How many records the log has, whichever revision the schema has."""
INSERT_HEAD = Insertion(insert(HEAD), HeadRow)
SET_NOTED = Change(update(HEAD).where(_where(HEAD.c.leader)).values(_new(HEAD.c.noted)))
_set_head = update(HEAD).values(_new(HEAD.c.size, HEAD.c.root))
SET_HEAD = Change(_set_head)
MOVE_HEAD = Change(_set_head.where(_where(HEAD.c.size, HEAD.c.root, HEAD.c.leader)))
"""A compare-and-swap: it changes no row unless the head is still the one that the caller last saw, and the caller its
leader.
"""
ADD_MAKER = Change(update(HEAD).where(_where(HEAD.c.made, HEAD.c.leader)).values(_new(HEAD.c.made)))
"""A compare-and-swap, too: of two that name a maker at a time, one changes no row."""
SET_SUCCESSOR = Change(update(HEAD).values(_new(HEAD.c.successor)))
SET_OWN = Change(update(HEAD).values(_new(HEAD.c.made, HEAD.c.successor)))
SET_LEADER = Change(update(HEAD).values(_new(HEAD.c.leader)))

ALL_TOKENS = Query(select(TOKENS).order_by(TOKENS.c.created), TokenRow)
ONE_TOKEN = Query(select(TOKENS).where(_is(TOKENS.c.digest)), TokenRow)
INSERT_TOKEN = Insertion(insert(TOKENS), TokenRow)
REVOKE_TOKEN = Change(
    update(TOKENS).where(_where(TOKENS.c.name), TOKENS.c.revoked.is_(None)).values(_new(TOKENS.c.revoked))
)
SET_EXPIRES = Change(update(TOKENS).where(_where(TOKENS.c.digest)).values(_new(TOKENS.c.expires)))
SET_USED = Change(update(TOKENS).where(_where(TOKENS.c.digest)).values(_new(TOKENS.c.used)))

INSERT_SESSION = Insertion(insert(SESSIONS), SessionRow)
SESSION_AND_TOKEN = Query(
    select(SESSIONS, TOKENS)
    .join_from(SESSIONS, TOKENS, SESSIONS.c.token == TOKENS.c.digest)
    .where(_is(SESSIONS.c.digest), TOKENS.c.revoked.is_(None)),
    SessionAndToken,
)
SET_SEEN = Change(update(SESSIONS).where(_where(SESSIONS.c.digest)).values(_new(SESSIONS.c.seen)))
DELETE_SESSION = Change(delete(SESSIONS).where(_is(SESSIONS.c.digest)))
FORGET_SESSIONS = Change(
    delete(SESSIONS).where(
        # Not `between`: PostgreSQL takes no collation there.
        or_(
            SESSIONS.c.begun < bindparam("earliest_begun"),
            SESSIONS.c.begun > bindparam("now"),
            SESSIONS.c.seen < bindparam("earliest_seen"),
            SESSIONS.c.seen > bindparam("now"),
        )
    )
)

ALL_STATUSES = Query(select(STATUSES), StatusRow)
INSERT_STATUS = Insertion(insert(STATUSES), StatusRow)
FORGET_STATUS = Change(delete(STATUSES).where(_is(STATUSES.c.name)))
FORGET_STATUSES = Change(delete(STATUSES))

INSERT_JOURNAL = Insertion(insert(JOURNAL), JournalRow)
JOURNAL_AFTER = Query(
    select(JOURNAL).where(JOURNAL.c.number > bindparam("after_number")).order_by(JOURNAL.c.number).limit(_LIMIT),
    JournalRow,
)
LAST_OF_ACT = Query(select(JOURNAL).where(_is(JOURNAL.c.act)).order_by(JOURNAL.c.number.desc()).limit(1), JournalRow)
LAST_OF_ACT_ON = Query(
    select(JOURNAL).where(_is(JOURNAL.c.act), _is(JOURNAL.c.subject)).order_by(JOURNAL.c.number.desc()).limit(1),
    JournalRow,
)
VOIDS_NOTED = Query(
    select(JOURNAL).where(
        _is(JOURNAL.c.act), _is(JOURNAL.c.subject), JOURNAL.c.before.like(bindparam("round", type_=String))
    ),
    JournalRow,
)
ONE_JOURNAL_HEAD = Query(select(JOURNAL_HEAD), JournalHeadRow)
JOURNAL_HEAD_TO_CHANGE = Query(select(JOURNAL_HEAD).with_for_update(), JournalHeadRow)
"""Where several transactions write at a time, the others wait for the one that has read it so."""
INSERT_JOURNAL_HEAD = Insertion(insert(JOURNAL_HEAD), JournalHeadRow)
SET_JOURNAL_HEAD = Change(update(JOURNAL_HEAD).values(_new(JOURNAL_HEAD.c.number, JOURNAL_HEAD.c.hash)))


def outcome_pattern(word: str) -> str:
    """Return what `ENDED_UPWARDS` compares with an outcome's JSON in lower case: the word, in lower case, is a value
    in it.

    It is empty if JSON would spell the word differently.
    """
    if not word.isprintable() or '"' in word or "\\" in word:
        return ""
    literal = re.sub(r"([*?[])", r"[\1]", word)
    return f"""*[[,:"]{literal}[]",}}]*"""
