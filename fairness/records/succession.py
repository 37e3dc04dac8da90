"""What the log's own asides say of the log before it, and of the one after it (SPEC 4.10). No check depends on them."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from fairness.errors import Malformed, Unknown
from fairness.hashing import parse_hex
from fairness.log.notes import VerifierKey
from fairness.records.record import Integer, parse_record
from fairness.times import check_time


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


def successor_named(data: bytes) -> str | None:
    """The key of the log that follows, if a log's last record names one."""
    return _key_named(data, _Successor)


def predecessor_named(data: bytes) -> str | None:
    """The key of the log before, if a log's first record names one."""
    return _key_named(data, _Predecessor)


def _key_named(data: bytes, kind: type[_Named]) -> str | None:
    try:
        parse_record(data)
    except Unknown:
        # Its spelling is that of a record.
        pass
    except Malformed:
        return None
    try:
        return msgspec.json.decode(data, type=kind).key
    except (msgspec.MsgspecError, Malformed, RecursionError):
        return None
