"""A second reader of records, slow and literal after SPEC 4.1 and 4.2; it shares nothing with the first."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime

Test = Callable[[object], bool]
Keys = tuple[dict[str, Test], dict[str, Test]]


def _hex(digits: int) -> Test:
    return lambda value: isinstance(value, str) and re.fullmatch(rf"[0-9a-f]{{{digits}}}", value) is not None


def _between(low: int, high: int) -> Test:
    return lambda value: type(value) is int and low <= value <= high


def _text(low: int, high: int) -> Test:
    return lambda value: isinstance(value, str) and low <= len(value) <= high


def _one_of(*values: object) -> Test:
    return lambda value: type(value) in (int, str) and value in values


def _name(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[a-z0-9-]{1,32}", value, re.ASCII) is not None


def _table_name(value: object) -> bool:
    """The log's own name is no table's."""
    return _name(value) and value != "-"


def _time(value: object) -> bool:
    shape = r"2[0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9]\.[0-9]{3}Z"
    if not isinstance(value, str) or not re.fullmatch(shape, value):
        return False
    try:
        datetime.strptime(value, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    except ValueError:
        return False
    return True


def _list_of(test: Test, low: int, high: int) -> Test:
    return lambda value: isinstance(value, list) and low <= len(value) <= high and all(map(test, value))


def _names(value: object) -> bool:
    return _list_of(_name, 1, 8)(value) and isinstance(value, list) and len(set(value)) == len(value)


def _object(required: dict[str, Test], optional: dict[str, Test] | None = None) -> Test:
    known = {**required, **(optional or {})}
    return lambda value: (
        isinstance(value, dict)
        and required.keys() <= value.keys() <= known.keys()
        and all(known[key](part) for key, part in value.items())
    )


_INTEGER = _between(0, 2**53 - 1)
_NUMBER = _between(1, 2**53 - 1)
_ROUND = _between(1, 2**48 - 1)
_REASON = _text(1, 200)
_HASHES = _list_of(_hex(64), 1, 8)


def _signature(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"([0-9a-f]{2}){1,8192}", value) is not None


def _rules(value: object) -> bool:
    """An open object; its version is a whole number, if there is one."""
    return _open(value) and isinstance(value, dict) and type(value.get("version", 0)) is int


def _open(value: object) -> bool:
    """An object; with what is in it, at most 15 deep, because the record itself is the first of 16."""
    return isinstance(value, dict) and _plain(value, 15)


def _plain(value: object, depth: int) -> bool:
    if isinstance(value, dict | list):
        return depth > 0 and all(
            _plain(each, depth - 1) for each in (value.values() if isinstance(value, dict) else value)
        )
    return isinstance(value, str) or _INTEGER(value)


_BETS = _object({"count": _INTEGER, "root": _hex(64)})

_TYPES: dict[str, Keys] = {
    "table": (
        {
            "created": _time,
            "custodians": _names,
            "game": _name,
            "lead": _INTEGER,
            "log": _text(0, 65_535),
            "salt": _text(0, 65_535),
        },
        {"bets": _one_of("required"), "declaration": _open, "paytable": _hex(64)},
    ),
    "batch": (
        {
            "anchors": _HASHES,
            "batch": _NUMBER,
            "commitments": _HASHES,
            "committed": _time,
            "count": _between(1, 65_536),
            "first": _NUMBER,
            "previous": _hex(64),
            "rules": _rules,
        },
        {"beacon": _NUMBER},
    ),
    "salt": ({"batch": _NUMBER, "salted": _time, "signature": _signature}, {}),
    "lock": ({"locked": _time, "round": _ROUND}, {"bets": _BETS, "opened": _time, "reason": _REASON}),
    "reveal": (
        {
            "outcome": _open,
            "revealed": _time,
            "round": _ROUND,
            "seeds": _HASHES,
            "status": _one_of("played", "void"),
        },
        {"reason": _REASON},
    ),
    "end": ({"ended": _time}, {}),
    "close": (
        {"closed": _time, "seeds": _list_of(_object({"batch": _NUMBER, "seeds": _HASHES}), 0, 65_535)},
        {},
    ),
}
_COMMON: dict[str, Test] = {"table": _table_name, "v": _one_of(1)}


def is_record(data: bytes) -> bool:
    """Whether ``data`` is a record: one spelling, known keys, values in their ranges."""
    if len(data) > 65_535 or any(not 0x20 <= byte <= 0x7E for byte in data):
        return False
    try:
        value = json.loads(data)
    except ValueError:
        return False
    # For printable text, `json.dumps` writes only the two escapes that are allowed.
    spelled = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return spelled.encode() == data and isinstance(value, dict) and _is_of_its_type(value)


def _is_of_its_type(value: dict[str, object]) -> bool:
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _TYPES or not _printable(value):
        return False
    required, optional = _TYPES[kind]
    if not _object({**_COMMON, **required, "type": _one_of(kind)}, optional)(value):
        return False
    return kind != "lock" or ("opened" in value if "reason" not in value else "bets" not in value)


def _printable(value: object) -> bool:
    if isinstance(value, str):
        return all(" " <= character <= "~" for character in value)
    if isinstance(value, dict):
        return all(map(_printable, value)) and all(map(_printable, value.values()))
    return all(map(_printable, value)) if isinstance(value, list) else True
