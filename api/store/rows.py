"""Rows of the database as typed tuples, and what their columns hold as bytes and text."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from api.refusal import RefusalError
from fairness.draws.game import Game, RulesRefused
from fairness.records.record import BatchRecord, Bets
from fairness.records.table_state import TableState

_STATE_DECODER = msgspec.json.Decoder(TableState)
_RULES_DECODER = msgspec.json.Decoder(dict[str, int])
_OUTCOME_DECODER = msgspec.json.Decoder(dict[str, Any])
_SEEDS_DECODER = msgspec.json.Decoder(list[str])


class DamagedStateError(RefusalError):
    """A row does not hold a table's state: the file was damaged, or changed by hand."""


LOG_ENDED = "the log has ended: its last record names the log that follows it"
"""Why every table of such a log is halted (`TableRow.halted`)."""


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


class TableRow(NamedTuple):
    """A row of `models.Tables`."""

    name: str
    table_id: str
    game: str
    lead: int
    queued_state: bytes
    timeout: int
    rules: str
    closing: bool = False
    halted: str | None = None
    paused: bool = False
    stopped: bool = False


class GameOfTable(NamedTuple):
    """What a table plays, by the name of the game."""

    name: str
    game: str


class AppendedRow(NamedTuple):
    """A row of `models.Appended`."""

    table: str
    state: bytes
    position: int


class PaytableRow(NamedTuple):
    """A row of `models.Paytables`."""

    hash: str
    data: bytes


class BatchRow(NamedTuple):
    """A row of `models.Batches`."""

    table: str
    number: int
    batch_id: str
    first: int
    last: int
    custodians: int

    @classmethod
    def of(cls, record: BatchRecord, batch_id: bytes) -> BatchRow:
        """The row of a batch's record."""
        return cls(
            table=record.table,
            number=record.batch,
            batch_id=batch_id.hex(),
            first=record.first,
            last=record.first + record.count - 1,
            custodians=len(record.anchors),
        )


class SaltRow(NamedTuple):
    """A row of `models.Salts`."""

    table: str
    batch: int
    beacon: int
    signature: str | None = None


class EndedRow(NamedTuple):
    """The outcome of a round that has ended, as JSON."""

    round: int
    status: RoundStatus
    outcome: str


class Ending(NamedTuple):
    """The public result of a round."""

    outcome: dict[str, Any]
    seeds: list[str]
    code: str


class RoundRow(NamedTuple):
    """A row of `models.Rounds`."""

    table: str
    round: int
    status: RoundStatus
    opened: str | None = None
    locked: str | None = None
    tick: str | None = None
    bets: str | None = None
    given_up: bool = False
    reason: str | None = None
    outcome: str | None = None
    seeds: str | None = None
    code: str | None = None
    locked_by: str | None = None
    given: int | None = None
    opened_call: str | None = None
    locked_call: str | None = None

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
        return EndedRow(self.round, self.status, self._known(self.outcome))

    @property
    def ending(self) -> Ending:
        """The result of a round that has ended."""
        outcome, seeds, code = self._known(self.outcome), self._known(self.seeds), self._known(self.code)
        try:
            return Ending(_OUTCOME_DECODER.decode(outcome), _SEEDS_DECODER.decode(seeds), code)
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise DamagedStateError(
                f"the row of round {self.round} of {self.table} is damaged ({error}): run `foredraw rebuild`"
            ) from error

    def _known(self, value: str | None) -> str:
        if value is None:
            raise DamagedStateError(
                f"the row of round {self.round} of {self.table} is damaged: it lacks what a round has that is"
                f" {self.status}: run `foredraw rebuild`"
            )
        return value


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
    """A row of `models.Queue`, which numbers its rows by itself."""

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


class HeadRow(NamedTuple):
    """The row of `models.Head`."""

    id: int
    origin: str
    size: int
    root: str
    noted: int
    leader: str = ""
    made: str = ""
    successor: str = ""


class TokenRow(NamedTuple):
    """A row of `models.Tokens`."""

    digest: str
    name: str
    role: str
    tables: str
    created: str
    revoked: str | None = None
    account: str | None = None
    expires: str | None = None
    used: str | None = None

    @property
    def owner(self) -> str:
        """The account that it is a token of."""
        return self.account or self.name

    def is_valid(self, now: str) -> bool:
        """Whether it is accepted at this time."""
        return self.revoked is None and (self.expires is None or now < self.expires)


class SessionRow(NamedTuple):
    """A row of `models.Sessions`."""

    digest: str
    token: str
    begun: str
    seen: str


class SessionAndToken(NamedTuple):
    """A session, and the token that it belongs to."""

    session: SessionRow
    token: TokenRow


class SignRow(NamedTuple):
    """A row of `models.Signs`."""

    name: str
    data: bytes
    written: int


class JournalRow(NamedTuple):
    """A row of `models.Journal`."""

    number: int
    previous: str
    time: str
    who: str
    act: str
    subject: str
    before: str | None = None
    after: str | None = None
    reason: str | None = None


class JournalHeadRow(NamedTuple):
    """The row of `models.JournalHead`."""

    id: int
    number: int
    hash: str


def decode_state(data: bytes) -> TableState:
    """Read a table's state from its row. Raises `DamagedStateError`."""
    try:
        return _STATE_DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DamagedStateError(f"its row in the database is damaged ({error}): run `foredraw rebuild`") from error


def decode_rules(game: Game, data: str) -> dict[str, int]:
    """Read the rules of a table's next batch from its row. Raises `DamagedStateError`."""
    try:
        rules = _RULES_DECODER.decode(data)
        game.check_rules(rules)
    except (msgspec.MsgspecError, UnicodeDecodeError, RulesRefused) as error:
        raise DamagedStateError(f"its rules in the database are damaged ({error}): run `foredraw rebuild`") from error
    return rules


def digest_of(bets: Bets | UnsetType | None) -> str | None:
    """The digest of a lock's bets as `RoundRow.bets` has it."""
    return None if bets is None or bets is UNSET else msgspec.json.encode(bets).decode()


def encode_state(state: TableState) -> bytes:
    """Spell a table's state for its row."""
    return msgspec.json.encode(state)
