"""The records of the log and their one spelling (SPEC 4.1 and 4.2).

Each class lists its keys in the order in which they are spelled, so that ``parse_record(bytes)``
accepts exactly what ``encode_record(record)`` writes: parse, print, compare. That one comparison
excludes white space, another order of keys, duplicate keys, ``null``, floats, other escapes and
other spellings of numbers at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from fairness.errors import Malformed, Unknown
from fairness.hashing import U48_LIMIT, parse_hex
from fairness.limits import (
    DEEPEST_RECORD,
    LARGEST_BATCH,
    LARGEST_INTEGER,
    LARGEST_RECORD,
    LARGEST_SIGNATURE,
    LONGEST_REASON,
    MOST_CUSTODIANS,
)
from fairness.times import check_time

NAME_PATTERN = r"^[a-z0-9-]{1,32}\Z"

# A record's own table name has no pattern here: `table_and_type` has matched it before.
Name = Annotated[str, Meta(pattern=NAME_PATTERN)]
Integer = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]
Count = Annotated[int, Meta(ge=1, le=LARGEST_BATCH)]
Number = Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]
RoundNumber = Annotated[int, Meta(ge=1, lt=U48_LIMIT)]
Reason = Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON)]
PerCustodian = Annotated[list[str], Meta(min_length=1, max_length=MOST_CUSTODIANS)]
Custodians = Annotated[list[Name], Meta(min_length=1, max_length=MOST_CUSTODIANS)]
Rules = dict[str, Any]
"""Any values that a record can have: a known game closes them (`BATCH_RULES`)."""
Outcome = dict[str, Any]
"""Likewise (`OUTCOME`)."""


class _Spelled(Struct, frozen=True, forbid_unknown_fields=True):
    """A record or a part of one: exactly these keys; a key whose default is `UNSET` may be absent."""


class Bets(_Spelled, frozen=True, kw_only=True):
    """The digest of the accepted bets (SPEC 7): their count, and the root over one line of bytes each."""

    count: Integer
    root: str

    def __post_init__(self) -> None:
        parse_hex(self.root)


class TableRecord(_Spelled, frozen=True, kw_only=True):
    """A table comes to be."""

    bets: Literal["required"] | UnsetType = UNSET
    created: str
    custodians: Custodians
    declaration: dict[str, Any] | UnsetType = UNSET
    game: Name
    lead: Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]
    log: str
    paytable: str | UnsetType = UNSET
    salt: str
    table: str
    type: Literal["table"] = "table"
    v: Literal[1] = 1

    def __post_init__(self) -> None:
        check_time(self.created)
        if len(set(self.custodians)) != len(self.custodians):
            raise Malformed("custodians", expected="different names", found=self.custodians)
        if self.declaration is not UNSET:
            _check_plain(self.declaration, DEEPEST_RECORD - 1)
        if self.paytable is not UNSET:
            parse_hex(self.paytable)

    @property
    def declaration_text(self) -> str:
        """The one spelling of the game's declaration; empty if the game is known by its name."""
        return "" if self.declaration is UNSET else _ENCODER.encode(self.declaration).decode()


def _check_plain(value: object, depth: int) -> None:
    """Check that objects, arrays, strings and whole numbers are all that a record has (SPEC 4.1); what they mean is
    for replay to judge.
    """
    if isinstance(value, dict | list):
        if not depth:
            raise Malformed(
                "record", expected=f"arrays and objects at most {DEEPEST_RECORD} deep", found="deeper ones"
            )
        for each in value.values() if isinstance(value, dict) else value:
            _check_plain(each, depth - 1)
    elif not isinstance(value, str) and not (type(value) is int and 0 <= value <= LARGEST_INTEGER):
        raise Malformed("record", expected="strings, and whole numbers below 2^53", found=value)


class BatchRecord(_Spelled, frozen=True, kw_only=True):
    """A batch of rounds is committed."""

    anchors: PerCustodian
    batch: Number
    beacon: Number | UnsetType = UNSET
    commitments: PerCustodian
    committed: str
    count: Count
    first: Number
    previous: str
    rules: Rules
    table: str
    type: Literal["batch"] = "batch"
    v: Literal[1] = 1

    def __post_init__(self) -> None:
        check_time(self.committed)
        for text in (self.previous, *self.anchors, *self.commitments):
            parse_hex(text)
        _check_plain(self.rules, DEEPEST_RECORD - 1)
        if type(self.rules.get("version", 0)) is not int:
            raise Malformed("rules", expected="a version that is a whole number", found=self.rules["version"])


class SaltRecord(_Spelled, frozen=True, kw_only=True):
    """The beacon's signature for a batch is published."""

    batch: Number
    salted: str
    signature: str
    table: str
    type: Literal["salt"] = "salt"
    v: Literal[1] = 1

    def __post_init__(self) -> None:
        check_time(self.salted)
        if not _SIGNATURE.fullmatch(self.signature):
            expected = f"2 to {2 * LARGEST_SIGNATURE} hexadecimal digits, an even number"
            raise Malformed("signature", expected=expected, found=self.signature)


class LockRecord(_Spelled, frozen=True, kw_only=True):
    """A round takes no more bets; or, with a reason, it is given up."""

    bets: Bets | UnsetType = UNSET
    locked: str
    opened: str | UnsetType = UNSET
    reason: Reason | UnsetType = UNSET
    round: RoundNumber
    table: str
    type: Literal["lock"] = "lock"
    v: Literal[1] = 1

    def __post_init__(self) -> None:
        check_time(self.locked)
        if self.opened is not UNSET:
            check_time(self.opened)
        elif self.reason is UNSET:
            raise Malformed("lock", expected="opened, or a reason for giving the round up", found="neither")
        if self.reason is not UNSET and self.bets is not UNSET:
            raise Malformed("lock", expected="bets or a reason", found="both")

    @property
    def given_up(self) -> bool:
        """Whether this record drops the round instead of playing it."""
        return self.reason is not UNSET


class RevealRecord(_Spelled, frozen=True, kw_only=True):
    """A locked round ends: its seeds and its outcome are public."""

    outcome: Outcome
    reason: Reason | UnsetType = UNSET
    revealed: str
    round: RoundNumber
    seeds: PerCustodian
    status: Literal["played", "void"]
    table: str
    type: Literal["reveal"] = "reveal"
    v: Literal[1] = 1

    def __post_init__(self) -> None:
        check_time(self.revealed)
        for text in self.seeds:
            parse_hex(text)
        _check_plain(self.outcome, DEEPEST_RECORD - 1)


class EndRecord(_Spelled, frozen=True, kw_only=True):
    """A table takes no more rounds."""

    ended: str
    table: str
    type: Literal["end"] = "end"
    v: Literal[1] = 1

    def __post_init__(self) -> None:
        check_time(self.ended)


class BatchSeeds(_Spelled, frozen=True, kw_only=True):
    """The last seeds of one batch, one per custodian."""

    batch: Number
    seeds: PerCustodian

    def __post_init__(self) -> None:
        for text in self.seeds:
            parse_hex(text)


class CloseRecord(_Spelled, frozen=True, kw_only=True):
    """A table accounts for the rounds that it will never play."""

    closed: str
    seeds: list[BatchSeeds]
    table: str
    type: Literal["close"] = "close"
    v: Literal[1] = 1

    def __post_init__(self) -> None:
        check_time(self.closed)


@dataclass(frozen=True, slots=True)
class NewerRecord:
    """A record of a table of a later version. Only its table and its spelling are judged (SPEC 4.9)."""

    table: str
    type: str
    v: int

    def __str__(self) -> str:
        return f"tables of version {self.v}"


@dataclass(frozen=True, slots=True)
class Aside:
    """A record at which no rule looks (SPEC 4.10): it has no time, and its table need not exist."""

    table: str
    type: str

    def __str__(self) -> str:
        return f"the aside {self.type}"


Record = TableRecord | BatchRecord | SaltRecord | LockRecord | RevealRecord | EndRecord | CloseRecord


_DECODERS: dict[bytes, msgspec.json.Decoder[Record]] = {
    name: msgspec.json.Decoder(kind)
    for name, kind in (
        (b"table", TableRecord),
        (b"batch", BatchRecord),
        (b"salt", SaltRecord),
        (b"lock", LockRecord),
        (b"reveal", RevealRecord),
        (b"end", EndRecord),
        (b"close", CloseRecord),
    )
}
# "deterministic" sorts the keys of rules and outcomes; the classes list their own in order.
_ENCODER = msgspec.json.Encoder(order="deterministic")
_NAME = re.compile(NAME_PATTERN)
_TAIL = re.compile(rb'"table":"([a-z0-9-]{1,32})","type":"([a-z0-9-]{1,32})","v":([1-9][0-9]{0,15})\}')
_TAIL_START = b'"table":"'
_LAST_KEYS = ["table", "type", "v"]
_LONGEST_TAIL = len(b'"table":"","type":"","v":}') + 32 + 32 + 16
_FIRST_KEY = slice(2, 4)
_VERSION_1 = b',"v":1}'
_ASIDE = b"aside-"
KNOWN_ASIDES = frozenset({"aside-made", "aside-successor", "aside-predecessor"})
"""Those of which this version says what they mean (SPEC 4.10)."""
OWN_NAME = "-"
"""The log's own name: nothing but asides stands under it."""
_SIGNATURE = re.compile(rf"(?:[0-9a-f]{{2}}){{1,{LARGEST_SIGNATURE}}}")
_BACKSLASH, _DEL = 0x5C, 0x7F
_PRINTABLE = re.compile(rb'(?:[\x20-\x5b\x5d-\x7e]|\\["\\])*')


def encode_record(record: Record) -> bytes:
    """Return the exact bytes of ``record`` in the log."""
    return _ENCODER.encode(record)


def tail_of(data: bytes) -> bytes:
    """Return the last bytes of a record, from its table on; if it names no table, some bytes that say nothing.

    A log has only as many different tails as its tables have types of records, so what follows from
    one can be looked up.
    """
    # If there is no table, `rfind` gives -1, and the record's last byte is no tail either.
    return data[data.rfind(_TAIL_START, -_LONGEST_TAIL) :]


def table_and_type(data: bytes) -> tuple[str, bytes] | None:
    """Return the table and the type that a record claims, from its last bytes; `None` if it is no record.

    Sorted keys put both at a well-formed record's very end, so an audit can see whose record it
    is without parsing it. It takes a record or its `tail_of`.
    """
    return _read_tail(tail_of(data))


@lru_cache(maxsize=4096)
def _read_tail(tail: bytes) -> tuple[str, bytes] | None:
    match = _TAIL.fullmatch(tail)
    return (match[1].decode(), match[2]) if match and int(match[3]) <= LARGEST_INTEGER else None


def newer_record(data: bytes) -> NewerRecord | None:
    """Return what is known of a record of a later version than SPEC 4.2's; `None` for any other bytes."""
    match = _TAIL.fullmatch(tail_of(data))
    if match is None or not 1 < int(match[3]) <= LARGEST_INTEGER:
        return None
    table, kind = match[1].decode(), match[2].decode()
    return None if table == OWN_NAME or match[2].startswith(_ASIDE) else NewerRecord(table, kind, int(match[3]))


def aside_of(data: bytes) -> Aside | None:
    """Return the aside that a record claims to be, from its last bytes; `None` if it claims to be none. It takes a
    tail, too.
    """
    return _read_aside(tail_of(data))


@lru_cache(maxsize=4096)
def _read_aside(tail: bytes) -> Aside | None:
    found = _read_tail(tail)
    if found is None or not tail.endswith(_VERSION_1) or not found[1].startswith(_ASIDE):
        return None
    return Aside(found[0], found[1].decode())


@lru_cache(maxsize=4096)
def _decoder_for(tail: bytes) -> msgspec.json.Decoder[Record] | None:
    found = _read_tail(tail)
    return _DECODERS.get(found[1]) if found and found[0] != OWN_NAME and tail.endswith(_VERSION_1) else None


def parse_record(data: bytes) -> Record:
    """Read one record. Raises `Malformed` for anything but the one spelling of a record.

    What this version does not judge raises `Unknown`: a record of a later one (`newer_record`), and an aside
    (`aside_of`).
    """
    if len(data) > LARGEST_RECORD:
        raise Malformed("record", expected=f"at most {LARGEST_RECORD} bytes", found=len(data))
    decoder = _decoder_for(tail_of(data))
    if decoder is None:
        raise _other(data)
    # Only a backslash or a DEL makes the slow look at every byte necessary: the comparison
    # at the end refuses all other bytes that are not printable.
    if not data.isascii() or ((_BACKSLASH in data or _DEL in data) and not _PRINTABLE.fullmatch(data)):
        raise Malformed("record", expected='printable ASCII with no escapes but \\" and \\\\', found=data)
    try:
        record = decoder.decode(data)
        spelled = _ENCODER.encode(record)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Malformed("record", expected="the keys and values of its type", found=str(error)) from error
    if spelled != data:
        raise Malformed("record", expected=spelled, found=data)
    return record


def _other(data: bytes) -> Unknown:
    """Return what is no record of version 1, but spelled like one. Raises `Malformed`."""
    aside, newer = aside_of(data), newer_record(data)
    if aside is None and newer is None:
        expected = 'an end like …,"table":NAME,"type":TYPE,"v":1}, with a type of version 1 or an aside'
        raise Malformed("record", expected=expected, found=data[-_LONGEST_TAIL:])
    _check_spelling(data)
    return Unknown([str(newer or aside)])


def _check_spelling(data: bytes) -> None:
    """Check that a newer record, and an aside, are spelled like all others (SPEC 4.1)."""
    if not _PRINTABLE.fullmatch(data):
        raise Malformed("record", expected='printable ASCII with no escapes but \\" and \\\\', found=data)
    try:
        value = msgspec.json.decode(data)
        spelled = _ENCODER.encode(value)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Malformed("record", expected="JSON", found=str(error)) from error
    if spelled != data:
        raise Malformed("record", expected=spelled, found=data)
    # The tail that led here may begin within a key, which has an escaped quotation mark.
    if list(value)[-3:] != _LAST_KEYS:
        raise Malformed("record", expected="the last keys table, type and v", found=data)
    _check_plain(value, DEEPEST_RECORD)


def parse_records(entries: Sequence[bytes]) -> list[Record]:
    """Parse many records at once, which is faster. Raises `Malformed` if any of them is no record."""
    # Records that begin with the same key are mostly of one type; if they are not, they are parsed one by one.
    groups: dict[bytes, list[bytes]] = {}
    for data in entries:
        key = data[_FIRST_KEY]
        if key in groups:
            groups[key].append(data)
        else:
            groups[key] = [data]
    parsed = {key: iter(_parse_group(group)) for key, group in groups.items()}
    return [next(parsed[data[_FIRST_KEY]]) for data in entries]


def _parse_group(entries: list[bytes]) -> list[Record]:
    lines, decoder = b"\n".join(entries), _decoder_for(tail_of(entries[0]))
    plain = lines.isascii() and _BACKSLASH not in lines and _DEL not in lines
    if decoder is not None and plain and max(map(len, entries)) <= LARGEST_RECORD:
        try:
            records = decoder.decode_lines(lines)
            spelled = _ENCODER.encode_lines(records)
        except (msgspec.MsgspecError, RecursionError):
            pass
        else:
            # No spelling has a line's end in it. So, if they are as many, line by line they are the same.
            same = len(records) == len(entries) and spelled == lines + b"\n"
            # Of the tables' names, only the first record's was matched before.
            names = {record.table for record in records}
            if same and all(map(_NAME.search, names)) and OWN_NAME not in names:
                return records
    return [parse_record(data) for data in entries]
