"""The one spelling of a declaration (SPEC 3.6), the bytes that it has in a record; and of other files of data."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from fairness.errors import Malformed
from fairness.limits import DEEPEST_DECLARATION, LARGEST_DECLARATION, LARGEST_INTEGER

_PRINTABLE = re.compile(rb'(?:[\x20-\x5b\x5d-\x7e]|\\["\\])*')
_SPACES = bytes.maketrans(b"\t\n\r", b"   ")
_ENCODER = msgspec.json.Encoder(order="deterministic")


@dataclass(frozen=True, slots=True)
class Spelling:
    """The spelling of one kind of file: what it is called, and its limits."""

    what: str
    largest: int
    deepest: int

    def spelled(self, value: object) -> bytes:
        """Return the bytes of objects, arrays, strings and whole numbers. Raises `Malformed` for all else, and for
        too many bytes.
        """
        self._check(value, self.deepest)
        data = _ENCODER.encode(value)
        self._check_bytes(data)
        return data

    def parse(self, data: bytes) -> object:
        """Return what has these bytes as its one spelling. Raises `Malformed` if nothing has."""
        # Line breaks between the parts are not allowed either; but whoever wrote them is given the one spelling.
        self._check_bytes(data.translate(_SPACES))
        try:
            value: object = msgspec.json.decode(data)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise Malformed(self.what, expected="JSON", found=data.decode()) from error
        if (canonical := self.spelled(value)) != data:
            raise Malformed(self.what, expected=canonical.decode(), found=data.decode())
        return value

    def _check_bytes(self, data: bytes) -> None:
        if len(data) > self.largest:
            raise Malformed(self.what, expected=f"at most {self.largest} bytes", found=len(data))
        if not _PRINTABLE.fullmatch(data):
            raise Malformed(self.what, expected='printable ASCII with no escapes but \\" and \\\\', found=data)

    def _check(self, value: object, depth: int) -> None:
        if isinstance(value, dict | list):
            if not depth:
                raise Malformed(
                    self.what, expected=f"arrays and objects at most {self.deepest} deep", found="deeper ones"
                )
            for each in value.values() if isinstance(value, dict) else value:
                self._check(each, depth - 1)
        elif not isinstance(value, str) and not (type(value) is int and 0 <= value <= LARGEST_INTEGER):
            raise Malformed(self.what, expected="strings, and whole numbers below 2^53", found=value)


DECLARATION = Spelling("declaration", LARGEST_DECLARATION, DEEPEST_DECLARATION)
spelled = DECLARATION.spelled
parse = DECLARATION.parse
