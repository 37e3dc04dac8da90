"""Strict readers for the text formats of the log: parse, print, compare (SPEC 5.1)."""

from __future__ import annotations

import base64
import binascii
import re

from fairness.errors import Malformed
from fairness.limits import LARGEST_DECIMAL

_DECIMAL = re.compile(rb"0|[1-9][0-9]{0,18}")


def parse_decimal(text: bytes, *, what: str) -> int:
    """Return a whole number below 2^63 in ASCII digits, without sign, space or leading zero."""
    if not _DECIMAL.fullmatch(text) or int(text) > LARGEST_DECIMAL:
        raise Malformed(what, expected="a decimal number without leading zeros, below 2^63", found=text)
    return int(text)


def parse_base64(text: bytes, *, what: str, size: int | None = None) -> bytes:
    """Read standard Base64 with padding (RFC 4648, section 4), and no second spelling of the same bytes."""
    try:
        value = base64.b64decode(text, validate=True)
    except binascii.Error:
        value = b""
    if not value or base64.b64encode(value) != text or (size is not None and len(value) != size):
        raise Malformed(what, expected=f"{size or 'some'} bytes in padded Base64", found=text)
    return value


def base64_text(data: bytes) -> str:
    """Spell bytes in padded Base64."""
    return base64.b64encode(data).decode()
