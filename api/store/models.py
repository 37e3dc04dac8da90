"""The tables of the database. Every row but tokens, sessions and the journal is a projection of the log, or waits to enter it.

The classes are the schema; `rows` has the rows as they are read and written, and `statements` what runs.
Nothing here is secret: a seed or an outcome enters a row only when its round has ended.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, LargeBinary, text
from sqlmodel import Field, SQLModel

from api.sql.dialects import portable

_LOCKED, _VOID = text("status = 'locked'"), text("status = 'void'")
_PLACED = text("position IS NOT NULL")


class Tables(SQLModel, table=True):
    """The tables, each with its replay state as far as records are queued."""

    __tablename__: ClassVar[str] = "tables"

    name: str = Field(primary_key=True)
    table_id: str = Field(index=True)
    game: str
    lead: int
    queued_state: bytes = Field(sa_type=LargeBinary)
    """`TableState` after every queued record; what an API call's record is checked against."""
    timeout: int
    """Seconds after which a locked round that its engine abandoned is revealed."""
    rules: str
    """The rules of the next batch, as JSON."""
    closing: bool = False
    halted: str | None = None
    """Why the sequencer refused a record of this table, if it did."""
    paused: bool = False
    """Whether an operator paused it: no round is opened."""
    stopped: bool = False
    """The same, for all tables together."""


class Appended(SQLModel, table=True):
    """The tables as far as their records have positions: what the sequencer starts from."""

    __tablename__: ClassVar[str] = "appended"

    table: str = Field(primary_key=True)
    state: bytes = Field(sa_type=LargeBinary)
    """`TableState` after the last record that has a position."""
    position: int
    """The position of the table's own record in the log."""


class Paytables(SQLModel, table=True):
    """The files that tables' records name by their hashes: what their bets pay. The log's folder has them from here."""

    __tablename__: ClassVar[str] = "paytables"

    hash: str = Field(primary_key=True)
    """SHA-256 of the file, in HEX."""
    data: bytes = Field(sa_type=LargeBinary)


class Batches(SQLModel, table=True):
    """The committed batches."""

    __tablename__: ClassVar[str] = "batches"
    __table_args__ = (Index("batches_by_round", "table", "first"),)

    table: str = Field(primary_key=True)
    number: int = Field(primary_key=True)
    batch_id: str
    first: int
    last: int
    custodians: int


class Salts(SQLModel, table=True):
    """What salts the batches of tables with a salt."""

    __tablename__: ClassVar[str] = "salts"

    table: str = Field(primary_key=True)
    batch: int = Field(primary_key=True)
    beacon: int
    """The round of the table's beacon that the batch named."""
    signature: str | None = None
    """Its pulse, in hexadecimal; `None` as long as the batch awaits it."""


class Rounds(SQLModel, table=True):
    """The rounds that something has happened to. A committed round has no row."""

    __tablename__: ClassVar[str] = "rounds"
    # Without a rowid the primary key is the table, and a round is found and written in one place.
    __table_args__ = (
        CheckConstraint("status IN ('open', 'locked', 'played', 'void')", name="round_status"),
        CheckConstraint("(status IN ('played', 'void')) = (outcome IS NOT NULL)", name="no_outcome_before_the_end"),
        Index("rounds_locked", "table", "round", sqlite_where=_LOCKED, postgresql_where=_LOCKED),
        Index("rounds_void", "locked", sqlite_where=_VOID, postgresql_where=_VOID),
        {"sqlite_with_rowid": False},
    )

    table: str = Field(primary_key=True)
    round: int = Field(primary_key=True)
    status: str
    opened: str | None = None
    locked: str | None = None
    tick: str | None = None
    """When it was opened, or locked if it is, by the machine's monotonic clock: its age is counted from here."""
    bets: str | None = None
    given_up: bool = False
    reason: str | None = None
    outcome: str | None = None
    seeds: str | None = None
    code: str | None = None
    locked_by: str | None = None
    """The token whose call locked a round for play, and so was given the outcome."""
    given: int | None = None
    """How many things of its order the engine has been given, if the lock kept the order back."""
    opened_call: str | None = None
    """The SHA-256 in hexadecimal digits of the `call` that opened a round, if it named one, until the round has ended."""
    locked_call: str | None = None
    """The same of the `call` that locked it. A round that was made again from the log has none until its lock is repeated."""


class Queue(SQLModel, table=True):
    """The records on their way into the log.

    Without a position a record waits for the sequencer. With one it is part of the log, and stays until
    the full bundle that holds it is on disk: the edge of the log can be written again from here.
    """

    __tablename__: ClassVar[str] = "queue"
    __table_args__ = (
        Index("queue_position", "position", unique=True, sqlite_where=_PLACED, postgresql_where=_PLACED),
    )

    id: int | None = Field(default=None, primary_key=True)
    table: str
    data: bytes = Field(sa_type=LargeBinary)
    position: int | None = None


class Head(SQLModel, table=True):
    """The head of the log. Its row changes in the transaction that gives records their positions."""

    __tablename__: ClassVar[str] = "head"
    __table_args__ = (CheckConstraint("id = 1", name="one_head"),)

    id: int = Field(default=1, primary_key=True)
    origin: str
    size: int = 0
    root: str
    noted: int = 0
    """The finding aids of all records below this position are durable."""
    leader: str = ""
    """The sequencer that may move the head, by a name that it chose when it began to lead."""
    made: str = ""
    """The programs of which an `aside-made` stands in the log or waits to enter it, a line each."""
    successor: str = ""
    """The key that the log's last record names: such a log has ended, and nothing is appended to it."""


class Tokens(SQLModel, table=True):
    """The bearer tokens, stored as their hashes."""

    __tablename__: ClassVar[str] = "tokens"

    digest: str = Field(primary_key=True)
    name: str = Field(unique=True)
    role: str
    tables: str
    """The tables it is for, as a JSON array; `["*"]` for all."""
    created: str
    revoked: str | None = None
    account: str | None = None
    """Whose token it is; `None` if the account has the token's name, as the first one does."""
    expires: str | None = None
    """From when on it is refused; `None` if it stays valid until it is revoked."""
    used: str | None = None
    """When it was last presented, to within a minute or so."""


class Sessions(SQLModel, table=True):
    """The operators who signed in with a token, and have a cookie, stored as its hash."""

    __tablename__: ClassVar[str] = "sessions"

    digest: str = Field(primary_key=True)
    token: str
    """The digest of the token: a session lives no longer than its token."""
    begun: str
    """A tick (`Timekeeper.tick`), like the next one."""
    seen: str
    """When the operator last asked for something, to within a minute."""


class Journal(SQLModel, table=True):
    """Who did what that only some may do. Rows are inserted, and neither changed nor deleted; `api.journal` finds it if they are."""

    __tablename__: ClassVar[str] = "journal"
    __table_args__ = (Index("journal_by_act", "act", "number"),)

    number: int = Field(primary_key=True)
    """Consecutive, from 1 on."""
    previous: str
    """The hash of the entry before; 64 zeros in the first."""
    time: str
    """The machine's date, confirmed or not."""
    who: str
    act: str
    subject: str
    """The table, the token or the file that it was done to."""
    before: str | None = None
    """What it was, as JSON; `None` if there was nothing."""
    after: str | None = None
    reason: str | None = None


class JournalHead(SQLModel, table=True):
    """The head of the journal: one row, which whoever appends an entry changes with it."""

    __tablename__: ClassVar[str] = "journal_head"

    id: int = Field(default=1, primary_key=True)
    number: int
    hash: str


class Signs(SQLModel, table=True):
    """What the sequencer that leads says of itself, for machines that do not share its folder (`api.operations.shared_signs`)."""

    __tablename__: ClassVar[str] = "signs"

    name: str = Field(primary_key=True)
    """The name of the sign's file."""
    data: bytes = Field(sa_type=LargeBinary)
    """What the file has."""
    written: int
    """When it was, by the leader's clock, in nanoseconds: another number is another sign, and nothing else."""


SCHEMA = SQLModel.metadata
for _table in SCHEMA.tables.values():
    for _column in _table.columns:
        _column.type = portable(_column.type)
