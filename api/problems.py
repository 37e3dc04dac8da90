"""Errors of the HTTP interface: RFC 9457 problem documents with stable codes (``docs/http.md``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple, TypedDict, Unpack

from api.refusal import RefusalError


class Code(Enum):
    """Every code, with its HTTP status and its title. A code never changes its meaning."""

    MALFORMED_REQUEST = (400, "This is not a request as we read it")
    MALFORMED_BODY = (400, "The body is not what this call takes")
    MALFORMED_NUMBER = (400, "A number in the address is not one")
    BETS_REQUIRED = (400, "This table takes no lock without a digest of the bets")
    BET_REFUSED = (400, "The round does not offer this bet")
    NO_TOKEN = (401, "A bearer token is needed")
    UNKNOWN_TOKEN = (401, "The bearer token is unknown, revoked or expired")
    WRONG_ROLE = (403, "The token has another role")
    WRONG_TABLE = (403, "The token is not for this table")
    UNKNOWN_TABLE = (404, "There is no such table")
    UNKNOWN_GAME = (404, "There is no such game")
    UNKNOWN_ROUND = (404, "The round is not committed yet")
    NOT_FOUND = (404, "There is nothing at this address")
    METHOD_NOT_ALLOWED = (405, "This address does not take that method")
    BODY_TOO_SLOW = (408, "The body did not come in time")
    OUT_OF_ORDER = (409, "The round is not in the state that this call needs")
    OTHER_BODY = (409, "The call was made before, with another body")
    NO_MOVES = (409, "The players of this game decide nothing after the lock")
    ORDER_KEPT = (409, "This table takes no lock that asks for the whole order")
    NOT_NEXT = (409, "The order does not go on like this")
    NOT_GIVEN = (409, "The order has not given this position")
    LEAD_NOT_PUBLISHED = (409, "The rounds of the lead are not published yet")
    NOT_WITNESSED = (409, "The round was not witnessed before its pulse")
    TABLE_PAUSED = (409, "The table is paused")
    TABLE_HALTED = (409, "The table is halted")
    TABLE_CLOSED = (409, "The table takes no more rounds")
    LOG_ENDED = (409, "The log has ended")
    BODY_TOO_LARGE = (413, "The body is too large")
    RANGE_BEYOND_END = (416, "The file has no such range")
    WRONG_LISTENER = (421, "The other listener answers this address")
    BUSY = (429, "More is asked than there is time for")
    INTERNAL = (500, "Something is wrong on our side")
    CLOCK_JUMPED = (503, "The service's clock has jumped ahead")
    STORAGE_FAILS = (503, "What the service stores cannot be used")
    WITNESSES_AWAY = (503, "The witnesses have not cosigned the log")
    SOFTWARE_CHANGED = (503, "The installed software is not what was signed")
    SEEDS_UNAVAILABLE = (503, "The custodian does not give the seeds")

    def __init__(self, status: int, title: str) -> None:
        self.status, self.title = status, title

    @property
    def text(self) -> str:
        """The code as it is written: ``lead-not-published``."""
        return self.name.lower().replace("_", "-")


OF_THE_WEB_SERVER = {"too-many-requests": 429, "repeat-same-body": 504}
"""Codes, with their statuses, that the service never sends: the web server in front answers so by itself, with
``retry_after`` (``deploy/``).
"""

KEEP_FROM_OPENING = (
    *(Code.LOG_ENDED, Code.TABLE_HALTED, Code.TABLE_CLOSED, Code.TABLE_PAUSED, Code.SOFTWARE_CHANGED),
    *(Code.WITNESSES_AWAY, Code.LEAD_NOT_PUBLISHED, Code.NOT_WITNESSED, Code.CLOCK_JUMPED),
)
"""What keeps rounds of a table from being opened, as far as others than the call know."""

RETRY_SECONDS = {
    Code.CLOCK_JUMPED: 10,
    Code.STORAGE_FAILS: 10,
    Code.SEEDS_UNAVAILABLE: 10,
    Code.BUSY: 1,
    Code.WITNESSES_AWAY: 2,
    Code.SOFTWARE_CHANGED: 10,
    Code.TABLE_PAUSED: 5,
}
"""When to repeat a call that the operator, witnesses, or a disk with room again, can help."""


class Members(TypedDict, total=False):
    """What a problem says to programs beside its code, and beside the table and round that the address names."""

    pointer: str
    """A place in the body (RFC 6901): that of a value, or of a key that is missing."""
    parameter: str
    """A parameter of the address, in its path or behind its ``?``."""
    minimum: int
    maximum: int
    """What that value or parameter may be."""
    expected: tuple[int, Sequence[str]]
    """A round of the table, and the statuses in one of which it had to be."""
    found: tuple[int, str]
    """A round of the table, and its status."""
    keep_back: bool
    """What the body of the lock needs."""
    of: int
    """How many things the order has."""
    given: int
    """How many of them were given."""
    url: str
    """What the caller should call in the place of this listener."""
    committed_through: int
    published_through: int
    """The last round of the table that is."""
    retry_after: int
    """Seconds, as in the header ``Retry-After``."""


class Named(NamedTuple):
    """Which of the `Members` the problems of a code have."""

    always: Sequence[str]
    if_known: Sequence[str]

    @property
    def text(self) -> str:
        """The names as documents have them: those that may be absent in parentheses."""
        always, if_known = (", ".join(f"`{name}`" for name in names) for names in self)
        return f"{always} ({if_known})".strip() if if_known else always


_ALWAYS: Mapping[Code, Sequence[str]] = {
    Code.MALFORMED_BODY: ["pointer"],
    Code.MALFORMED_NUMBER: ["parameter"],
    Code.BET_REFUSED: ["pointer"],
    Code.OUT_OF_ORDER: ["expected", "found"],
    Code.ORDER_KEPT: ["keep_back"],
    Code.NOT_NEXT: ["of"],
    Code.NOT_GIVEN: ["of", "pointer"],
    Code.LEAD_NOT_PUBLISHED: ["published_through"],
    **{code: ["retry_after"] for code in RETRY_SECONDS},
}
_IF_KNOWN: Mapping[Code, Sequence[str]] = {
    Code.MALFORMED_REQUEST: ["parameter"],
    Code.MALFORMED_NUMBER: ["minimum", "maximum"],
    Code.BET_REFUSED: ["maximum"],
    Code.UNKNOWN_ROUND: ["committed_through"],
    Code.NOT_NEXT: ["given"],
    Code.NOT_GIVEN: ["given"],
    Code.WRONG_LISTENER: ["url"],
}


def members_of(code: Code) -> Named:
    """Return which members the problems of a code have."""
    return Named(_ALWAYS.get(code, ()), _IF_KNOWN.get(code, ()))


class Problem(RefusalError):
    """A call that is refused.

    It changed nothing, with one exception: a lock or a void that gets `SEEDS_UNAVAILABLE` has locked
    its round; repeat it when the custodian works again.
    """

    def __init__(self, code: Code, detail: str, **members: Unpack[Members]) -> None:
        """Refuse a call, with the ``members`` that problems of this code have (`members_of`)."""
        self.code, self.detail, self.members = code, detail, members
        if code in RETRY_SECONDS:
            members["retry_after"] = RETRY_SECONDS[code]
        super().__init__(f"{code.text}: {detail}")


def out_of_order(
    table: str, *, expected: tuple[int, Sequence[str]], found: tuple[int, str], extra: str = ""
) -> Problem:
    """Refuse a call that came too early or too late: say which round it needed, in one of which statuses."""
    wanted = f"round {expected[0]} {' or '.join(expected[1])}"
    detail = f"{table}: expected {wanted}, found round {found[0]} {found[1]}{extra}"
    return Problem(Code.OUT_OF_ORDER, detail, expected=expected, found=found)
