"""An entry of the journal: its one spelling, and its hash.

The spelling is a line of JSON: the keys in the order of the alphabet, no spaces. It has the hash of the line before
as ``previous``, so nobody can change a line and leave the rest as it was. A line's hash is SHA-256 of the tag and the
line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from api.store.models import JournalRow
from fairness.hashing import HASH_SIZE, sha256, tag

NO_HASH = bytes(HASH_SIZE).hex()
"""``previous`` of the first entry."""
_TAG = tag("journal")

Values = Mapping[str, object]


class Act(StrEnum):
    """What can be done."""

    INIT = "init"
    TABLE_ADD = "table-add"
    TABLE_SET = "table-set"
    TABLE_PAUSE = "table-pause"
    TABLE_RESUME = "table-resume"
    TABLE_CLOSE = "table-close"
    HALT = "halt"
    """All tables were stopped."""
    RESUME = "resume"
    ROUND_VOID = "round-void"
    """By an operator; an engine's own voids are in the log, and here only if the log cannot hold the reason as it was
    sent.
    """
    ROUND_VOID_ASK = "round-void-ask"
    """Somebody else has to confirm it."""
    OUTCOME_READ = "outcome-read"
    """Another token than the one that locked a round read its outcome before the reveal; or the next things of its
    order.
    """
    TOKEN_CREATE = "token-create"  # noqa: S105 -- the name of an act
    TOKEN_ROTATE = "token-rotate"  # noqa: S105 -- the name of an act
    TOKEN_REVOKE = "token-revoke"  # noqa: S105 -- the name of an act
    SIGN_IN = "sign-in"
    SIGN_OUT = "sign-out"
    CLOCK_CONFIRM = "clock-confirm"
    POLICY = "policy"
    """Another policy came into force."""
    ENTROPY = "entropy"
    """The source of seeds failed a health test."""
    SOFTWARE = "software"
    """The installed files were compared with a manifest, with another result than the last time."""
    KEY_ROTATE = "key-rotate"
    """A change of the key that encrypts seeds began; noted before it does."""
    REBUILD = "rebuild"
    UPGRADE = "upgrade"
    """The database's schema was brought to another revision."""
    RESTORE = "restore"
    """Parts of the data folder came from a back-up."""
    SUCCEED = "succeed"
    """The log's last record, which names the log that follows, was queued."""
    FOLLOW = "follow"
    """A new log's first record, which names the log before it, was queued."""


@dataclass(frozen=True, slots=True)
class Deed:
    """What somebody does. None of it may be secret."""

    who: str
    """Like ``operator ani`` (a token's role and account), ``account foredraw`` (of the machine) or ``service``."""
    act: Act
    subject: str
    before: Values | None = None
    after: Values | None = None
    reason: str | None = None


SERVICE = "service"
"""Who acts if nobody asked for it."""
LONGEST_REASON = 200
"""Characters of a reason, and of a person's name."""


def is_line(text: str) -> bool:
    """Return whether a text can be a reason or a name in the journal: it is printable, and neither empty nor too
    long.
    """
    return text.isprintable() and 1 <= len(text) <= LONGEST_REASON


def holder(role: str, account: str) -> str:
    """Return who acts with a token of this role and account."""
    return f"{role} {account}"


def row_of(number: int, previous: str, time: str, deed: Deed) -> JournalRow:
    """Return the row of a deed."""
    return JournalRow(
        number=number,
        previous=previous,
        time=time,
        who=deed.who,
        act=deed.act.value,
        subject=deed.subject,
        before=_text(deed.before),
        after=_text(deed.after),
        reason=deed.reason,
    )


def line_of(row: JournalRow) -> bytes:
    """Return the line of an entry, without a line feed. A row that was changed has a line, too: another one."""
    values = {**row._asdict(), "before": _value(row.before), "after": _value(row.after)}
    return msgspec.json.encode(values, order="sorted")


def hash_of(row: JournalRow) -> str:
    """Return the hash of an entry, in hexadecimal."""
    return sha256(_TAG + line_of(row)).hex()


def values_of(text: str | None) -> Values | None:
    """Return what a column has; `None` as well if it is no JSON."""
    value = _value(text)
    return value if isinstance(value, Mapping) else None


def _text(values: Values | None) -> str | None:
    return None if values is None else msgspec.json.encode(values, order="sorted").decode()


def _value(text: str | None) -> object:
    """Return the values of a column; what `_text` does not write is a text, which those never are."""
    if text is None:
        return None
    try:
        values = msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.MsgspecError, UnicodeError):
        return text
    return values if _text(values) == text else text
