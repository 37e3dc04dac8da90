"""Errors of the HTTP interface: RFC 9457 problem documents with stable codes (``docs/http.md``)."""

from __future__ import annotations

from enum import Enum

from msgspec import UNSET, UnsetType

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
    NOT_NEXT = (409, "The order does not go on like this")
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
"""Codes, with their statuses, that the service never sends: the web server in front answers so by itself
(``deploy/``).
"""


class Problem(RefusalError):
    """A call that is refused.

    It changed nothing, with one exception: a lock or a void that gets `SEEDS_UNAVAILABLE` has locked
    its round; repeat it when the custodian works again.
    """

    def __init__(
        self,
        code: Code,
        detail: str,
        *,
        table: str | UnsetType = UNSET,
        number: int | UnsetType = UNSET,
        place: int | UnsetType = UNSET,
        expected: tuple[int, str] | None = None,
        found: tuple[int, str] | None = None,
    ) -> None:
        """Refuse a call about a ``table``, its round ``number``, or a bet's ``place``, counted from 0.

        ``expected`` and ``found`` are numbers of the table's rounds, each with its status.
        """
        self.code, self.detail, self.table, self.number, self.place = code, detail, table, number, place
        self.expected, self.found = expected, found
        super().__init__(f"{code.text}: {detail}")


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


def out_of_order(table: str, *, expected: tuple[int, str], found: tuple[int, str], extra: str = "") -> Problem:
    """Refuse a call that came too early or too late: say which round and status it needed."""
    detail = f"{table}: expected round {expected[0]} {expected[1]}, found round {found[0]} {found[1]}{extra}"
    return Problem(Code.OUT_OF_ORDER, detail, table=table, expected=expected, found=found)
