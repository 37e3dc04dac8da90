"""The text of a bearer token: ``fde_``, 43 letters and digits at random, and a checksum of six.

What begins so is a token to whoever finds it, in a repository or a message. The checksum is no secret: it tells a
token from noise, before anybody asks the database.
"""

from __future__ import annotations

import re
from zlib import crc32

from api.world.clock import entropy

OF_A_SANDBOX = "fdse_"
"""Begins a token of a sandbox's engine, which nothing else takes."""
_PREFIXES = {"engine": "fde_", "operator": "fdo_", "auditor": "fda_"}
"""By role."""
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SECRET_BYTES = 32
_SECRET_DIGITS, _CHECKSUM_DIGITS = 43, 6
_BEGINNING = re.compile("fd(?:[eoa]|se)_")
_FORM = re.compile(rf"{_BEGINNING.pattern}[0-9A-Za-z]{{{_SECRET_DIGITS + _CHECKSUM_DIGITS}}}", re.ASCII)


def new_text(role: str) -> str:
    """Return the text of a new token. All of it is hashed, so no token is found by the prefix of another role."""
    text = _PREFIXES[role] + _base62(int.from_bytes(entropy(_SECRET_BYTES)), _SECRET_DIGITS)
    return text + _checksum(text)


def is_spelled(text: str) -> bool:
    """Return whether this could be a token: begins like one, is as long, and has its checksum.

    Everybody can reckon that, so an answer that comes sooner because of it reveals nothing.
    """
    return _FORM.fullmatch(text) is not None and text.endswith(_checksum(text[:-_CHECKSUM_DIGITS]))


def has_one(text: str) -> bool:
    """Return whether something in a text begins like a token, whole or not."""
    return _BEGINNING.search(text) is not None


def _checksum(text: str) -> str:
    return _base62(crc32(text.encode()), _CHECKSUM_DIGITS)


def _base62(number: int, size: int) -> str:
    digits = ""
    for _ in range(size):
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits
