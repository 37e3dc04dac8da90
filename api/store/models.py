"""The tables of the database. Every row but tokens, sessions and the journal is a projection of the log, or waits to
enter it.

Each class is the rows of one table, and each field a column: its type says what the column is. `tables` is the schema
that SQLModel makes of them, and `statements` has what runs. The rows that follow are of several tables, or parts of
one. Nothing of SQLAlchemy is needed here, so that a command that reads no row starts without it. Nothing here is
secret: a seed or an outcome enters a row only when its round has ended.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, NamedTuple

import msgspec

from api.sql.columns import INDEXED, KEY, ONE, UNIQUE
from api.store.contents import DamagedStateError, Hands
from fairness.records.record import BatchRecord

_OUTCOME_DECODER = msgspec.json.Decoder(dict[str, Any])
_HANDS_DECODER = msgspec.json.Decoder(Hands)
_SEEDS_DECODER = msgspec.json.Decoder(list[str])


class TableRow(NamedTuple):
    """The tables, each with its replay state as far as records are queued."""

    name: Annotated[str, KEY]
    table_id: Annotated[str, INDEXED]
    game: str
    lead: int
    queued_state: bytes
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
    keeps_order: bool = False
    """Whether no lock is answered with a whole order of things."""


class AppendedRow(NamedTuple):
    """The tables as far as their records have positions: what the sequencer starts from."""

    table: Annotated[str, KEY]
    state: bytes
    """`TableState` after the last record that has a position."""
    position: int
    """The position of the table's own record in the log."""


class PaytableRow(NamedTuple):
    """The files that tables' records name by their hashes: what their bets pay. The log's folder has them from
    here.
    """

    hash: Annotated[str, KEY]
    """SHA-256 of the file, in HEX."""
    data: bytes


class BatchRow(NamedTuple):
    """The committed batches."""

    table: Annotated[str, KEY]
    number: Annotated[int, KEY]
    batch_id: str
    first: int
    last: int
    custodians: int

    @classmethod
    def of(cls, record: BatchRecord, batch_id: bytes) -> BatchRow:
        """Make the row of a batch's record."""
        return cls(
            table=record.table,
            number=record.batch,
            batch_id=batch_id.hex(),
            first=record.first,
            last=record.first + record.count - 1,
            custodians=len(record.anchors),
        )


class SaltRow(NamedTuple):
    """What salts the batches of tables with a salt."""

    table: Annotated[str, KEY]
    batch: Annotated[int, KEY]
    beacon: int
    """The round of the table's beacon that the batch named."""
    signature: str | None = None
    """Its pulse, in hexadecimal; `None` as long as the batch awaits it."""


class RoundStatus(StrEnum):
    """What has happened to a round. A round that is only committed, or unused, has no row."""

    COMMITTED = "committed"
    OPEN = "open"
    LOCKED = "locked"
    PLAYED = "played"
    VOID = "void"
    UNUSED = "unused"
    """The table ended before this round's turn."""

    @property
    def has_ended(self) -> bool:
        """Whether the outcome is public."""
        return self in {RoundStatus.PLAYED, RoundStatus.VOID}


class EndedRow(NamedTuple):
    """The outcome of a round that has ended, as JSON, and what was dealt of its order."""

    round: int
    status: RoundStatus
    outcome: str
    given: int | None
    dealt: str | None


class Ending(NamedTuple):
    """The public result of a round."""

    outcome: dict[str, Any]
    seeds: list[str]
    round_code: str


class RoundRow(NamedTuple):
    """The rounds that something has happened to. A committed round has no row."""

    table: Annotated[str, KEY]
    round: Annotated[int, KEY]
    status: RoundStatus
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
    dealt: str | None = None
    """What its engine said of an order at the reveal: hands by their names, as JSON; `{}` for none. `None` until it
    has revealed the round: a time-out says nothing, nor does the log.
    """
    opened_call: str | None = None
    """The SHA-256 in hexadecimal digits of the `call` that opened a round, if it named one, until the round has
    ended.
    """
    locked_call: str | None = None
    """The same of the `call` that locked it. A round that was made again from the log has none until its lock is
    repeated.
    """

    @property
    def is_final(self) -> bool:
        """Whether nothing can be said of the round any more."""
        return self.status is RoundStatus.VOID or self.dealt is not None

    @property
    def hands(self) -> Hands:
        """The hands that its engine named, each with its positions as dealt."""
        try:
            return {} if self.dealt is None else _HANDS_DECODER.decode(self.dealt)
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise self._damaged(str(error)) from error

    @property
    def opened_at(self) -> str:
        """When an open round was opened. Raises `DamagedStateError` if the row does not say, as all of these do."""
        return self._known(self.opened)

    @property
    def locked_at(self) -> str:
        """When a round that is locked or has ended was locked."""
        return self._known(self.locked)

    @property
    def ended(self) -> EndedRow:
        """The outcome of a round that has ended."""
        return EndedRow(self.round, self.status, self._known(self.outcome), self.given, self.dealt)

    @property
    def ending(self) -> Ending:
        """The result of a round that has ended."""
        outcome, seeds, code = self._known(self.outcome), self._known(self.seeds), self._known(self.code)
        try:
            return Ending(_OUTCOME_DECODER.decode(outcome), _SEEDS_DECODER.decode(seeds), code)
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise self._damaged(str(error)) from error

    def _known(self, value: str | None) -> str:
        if value is None:
            raise self._damaged(f"it lacks what a round has that is {self.status}")
        return value

    def _damaged(self, why: str) -> DamagedStateError:
        return DamagedStateError(
            f"the row of round {self.round} of {self.table} is damaged ({why}): run `foredraw rebuild`"
        )


class QueueRow(NamedTuple):
    """The records on their way into the log.

    Without a position a record waits for the sequencer. With one it is part of the log, and stays until
    the full bundle that holds it is on disk: the edge of the log can be written again from here.
    """

    id: Annotated[int, KEY]
    table: str
    data: bytes
    position: int | None = None


class HeadRow(NamedTuple):
    """The head of the log. Its row changes in the transaction that gives records their positions."""

    id: Annotated[int, ONE]
    origin: str
    size: int
    root: str
    noted: int
    """The finding aids of all records below this position are durable."""
    leader: str = ""
    """The sequencer that may move the head, by a name that it chose when it began to lead."""
    made: str = ""
    """The programs of which an `aside-made` stands in the log or waits to enter it, a line each."""
    successor: str = ""
    """The key that the log's last record names: such a log has ended, and nothing is appended to it."""


class TokenRow(NamedTuple):
    """The bearer tokens, stored as their hashes."""

    digest: Annotated[str, KEY]
    name: Annotated[str, UNIQUE]
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

    @property
    def owner(self) -> str:
        """The account that it is a token of."""
        return self.account or self.name

    def is_valid(self, now: str) -> bool:
        """Say whether it is accepted at this time."""
        return self.revoked is None and (self.expires is None or now < self.expires)


class SessionRow(NamedTuple):
    """The operators who signed in with a token, and have a cookie, stored as its hash."""

    digest: Annotated[str, KEY]
    token: str
    """The digest of the token: a session lives no longer than its token."""
    begun: str
    """A tick (`Timekeeper.tick`), like the next one."""
    seen: str
    """When the operator last asked for something, to within a minute."""


class JournalRow(NamedTuple):
    """Who did what that only some may do. Rows are inserted, and neither changed nor deleted; `api.journal` finds it
    if they are.
    """

    number: Annotated[int, KEY]
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


class JournalHeadRow(NamedTuple):
    """The head of the journal: one row, which whoever appends an entry changes with it."""

    id: Annotated[int, ONE]
    number: int
    hash: str


class StatusRow(NamedTuple):
    """What the sequencer that leads says of itself, for machines that do not share its folder
    (`api.operations.shared_statuses`).
    """

    name: Annotated[str, KEY]
    """The name of the status's file."""
    data: bytes
    """What the file has."""
    written: int
    """When it was, by the leader's clock, in nanoseconds: another number is another status, and nothing else."""


class TableAndRound(NamedTuple):
    """A table, and one of its rounds if anything has happened to that."""

    table: TableRow
    round: RoundRow | None


class BatchAndRound(NamedTuple):
    """The batch of a round, what salts it if its table has a salt, and the round if anything has happened to it."""

    batch: BatchRow
    salt: SaltRow | None
    round: RoundRow | None


class ReachedRow(NamedTuple):
    """How far a table has come by the rows of its batches and rounds."""

    committed: int | None
    locked: int | None


class QueuedRow(NamedTuple):
    """A record that enters the queue, which numbers its rows by itself."""

    table: str
    data: bytes
    position: int | None = None


class WaitingRow(NamedTuple):
    """A record that waits for its position."""

    id: int
    table: str
    data: bytes


class KeptRow(NamedTuple):
    """A record of the log that the queue keeps."""

    position: int
    data: bytes


class SessionAndToken(NamedTuple):
    """A session, and the token that it belongs to."""

    session: SessionRow
    token: TokenRow
