"""What the log's own asides say: who wrote it, and which log comes before it and after it (SPEC 4.10). No check
depends on them.
"""

from __future__ import annotations

from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from fairness.errors import Malformed, Unknown
from fairness.hashing import parse_hex
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import VerifierKey
from fairness.records.record import Integer, parse_record
from fairness.times import check_time

Own = TypeVar("Own", bound=Struct)


class _Named(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An aside that names another log by its key."""

    at: str
    key: str
    table: Literal["-"]
    v: Literal[1]

    def __post_init__(self) -> None:
        check_time(self.at)
        VerifierKey.parse(self.key)


class _Successor(_Named, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The last record of a log that goes on as another one."""

    type: Literal["aside-successor"]


class _Predecessor(_Named, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The first record of a log that goes on from another one, with the last checkpoint of that one."""

    root: str
    size: Integer
    type: Literal["aside-predecessor"]

    def __post_init__(self) -> None:
        super().__post_init__()
        parse_hex(self.root)


class _Made(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An aside that names a program that wrote records of the log."""

    by: str
    table: Literal["-"] = "-"
    type: Literal["aside-made"] = "aside-made"
    v: Literal[1] = 1


def made_record(by: str) -> bytes:
    """Return the aside by which the program ``by`` says that it writes the log."""
    return msgspec.json.encode(_Made(by=by))


def successor_record(at: str, key: VerifierKey) -> bytes:
    """Return the last record of a log, which names the log that follows it."""
    named = _Successor(at=at, key=str(key), table="-", type="aside-successor", v=1)
    return msgspec.json.encode(named, order="sorted")


def predecessor_record(at: str, key: VerifierKey, last: Checkpoint) -> bytes:
    """Return the first record of a log, which names the log before it, and that one's last checkpoint."""
    named = _Predecessor(
        at=at, key=str(key), root=last.root.hex(), size=last.size, table="-", type="aside-predecessor", v=1
    )
    return msgspec.json.encode(named, order="sorted")


def maker_named(data: bytes) -> str | None:
    """Return the program that an aside names as one that wrote the log."""
    made = _decoded(data, _Made)
    return None if made is None else made.by


def successor_named(data: bytes) -> str | None:
    """Return the key of the log that follows, if a log's last record names one."""
    return _key_named(data, _Successor)


def predecessor_named(data: bytes) -> str | None:
    """Return the key of the log before, if a log's first record names one."""
    return _key_named(data, _Predecessor)


def _key_named(data: bytes, kind: type[_Named]) -> str | None:
    named = _decoded(data, kind)
    return None if named is None else named.key


def _decoded(data: bytes, kind: type[Own]) -> Own | None:
    """Return an aside of the log's own that is spelled as a record; `None` for any other bytes."""
    try:
        parse_record(data)
    except Unknown:
        # Its spelling is that of a record.
        pass
    except Malformed:
        return None
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, Malformed, RecursionError):
        return None
