"""The one spelling of a declaration (SPEC 3.6): the bytes that it has in a record."""

from __future__ import annotations

import re

import msgspec

from fairness.errors import Malformed
from fairness.limits import DEEPEST_DECLARATION, LARGEST_DECLARATION, LARGEST_INTEGER
from games.declared.values import refuse

_PRINTABLE = re.compile(rb'(?:[\x20-\x5b\x5d-\x7e]|\\["\\])*')
_SPACES = bytes.maketrans(b"\t\n\r", b"   ")
_ENCODER = msgspec.json.Encoder(order="deterministic")


def spelled(value: object) -> bytes:
    """The bytes of objects, arrays, strings and whole numbers. Raises `Malformed` for all else, and for too many bytes."""
    _check(value, DEEPEST_DECLARATION)
    data = _ENCODER.encode(value)
    _check_bytes(data)
    return data


def parse(data: bytes) -> object:
    """What has these bytes as its one spelling. Raises `Malformed` if nothing has."""
    # Line breaks between the parts are not allowed either; but whoever wrote them is given the one spelling.
    _check_bytes(data.translate(_SPACES))
    try:
        value: object = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Malformed("declaration", expected="JSON", found=data.decode()) from error
    if (canonical := spelled(value)) != data:
        refuse(canonical.decode(), data.decode())
    return value


def _check_bytes(data: bytes) -> None:
    if len(data) > LARGEST_DECLARATION:
        refuse(f"at most {LARGEST_DECLARATION} bytes", len(data))
    if not _PRINTABLE.fullmatch(data):
        refuse('printable ASCII with no escapes but \\" and \\\\', data)


def _check(value: object, depth: int) -> None:
    if isinstance(value, dict | list):
        if not depth:
            refuse(f"arrays and objects at most {DEEPEST_DECLARATION} deep", "deeper ones")
        for each in value.values() if isinstance(value, dict) else value:
            _check(each, depth - 1)
    elif not isinstance(value, str) and not (type(value) is int and 0 <= value <= LARGEST_INTEGER):
        refuse("strings, and whole numbers below 2^53", value)
