"""Bech32m (BIP 350), without a witness version and without its limit of 90 characters (SPEC 6)."""

from __future__ import annotations

from collections.abc import Iterable

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.limits import LONGEST_CODE

ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
CHECKSUM_SIZE = 6
_GROUP = 5
"""Bits of a character."""
_VALUE = {character: value for value, character in enumerate(ALPHABET)}
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_BECH32M = 0x2BC830A3


def _combined(top: int) -> int:
    combined = 0
    for i, generator in enumerate(_GENERATOR):
        if top >> i & 1:
            combined ^= generator
    return combined


# What the five generators come to for each value of the top bits, so that a code is made in one pass.
_COMBINED = tuple(_combined(top) for top in range(32))


def _polymod(values: Iterable[int]) -> int:
    checksum = 1
    for value in values:
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value ^ _COMBINED[checksum >> 25]
    return checksum


def residue(prefix: str, values: Iterable[int]) -> int:
    """Return what a code's checksum leaves over, of 30 bits: 0 if it holds. ``values`` are those of its characters
    after the 1.
    """
    return _polymod([*_expanded(prefix), *values]) ^ _BECH32M


def shifted(rest: int) -> int:
    """Return what a remainder becomes by one more character whose value is 0."""
    return (rest & 0x1FFFFFF) << _GROUP ^ _COMBINED[rest >> 25]


def _expanded(prefix: str) -> list[int]:
    return [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]


def encode(prefix: str, payload: bytes) -> str:
    """Spell ``payload`` under a human-readable part, in lower case."""
    bits, size = int.from_bytes(payload, "big"), 8 * len(payload)
    padding = -size % _GROUP
    bits, size = bits << padding, size + padding
    values = [bits >> at & 31 for at in range(size - _GROUP, -1, -_GROUP)]
    polymod = residue(prefix, [*values, *[0] * CHECKSUM_SIZE])
    values += [polymod >> 5 * (5 - i) & 31 for i in range(CHECKSUM_SIZE)]
    return prefix + "1" + "".join(ALPHABET[value] for value in values)


def decode(text: str) -> tuple[str, bytes]:
    """Return the human-readable part and the payload of a code.

    Raises `Malformed` if the text does not have the form of a code, and `CheckFailed` (`CODE_CHECKSUM`)
    if a character was mistyped, dropped or added.
    """
    if len(text) > LONGEST_CODE or not text.isascii():
        raise Malformed("round code", expected=f"at most {LONGEST_CODE} ASCII characters", found=text)
    if text != text.lower() and text != text.upper():
        raise Malformed("round code", expected="one case", found="upper and lower case mixed")
    prefix, one, data = text.lower().rpartition("1")
    if not one or not prefix or len(data) < CHECKSUM_SIZE:
        raise Malformed("round code", expected="a game's name, 1, and characters", found=text)
    if any(not "!" <= character <= "~" for character in prefix):
        raise Malformed("round code", expected="no spaces", found=text)
    if unknown := sorted(set(data) - _VALUE.keys()):
        raise Malformed("round code", expected=f"only the characters {ALPHABET} after the 1", found="".join(unknown))
    values = [_VALUE[character] for character in data]
    if residue(prefix, values):
        raise CheckFailed(
            Check.CODE_CHECKSUM,
            expected="a code without a typing error",
            found=f"{text}, whose checksum fails: a character is wrong, missing or too many",
        )
    return prefix, _bytes_of(values[:-CHECKSUM_SIZE])


def _bytes_of(values: list[int]) -> bytes:
    bits = 0
    for value in values:
        bits = bits << _GROUP | value
    padding = _GROUP * len(values) % 8
    if padding >= _GROUP or bits & ((1 << padding) - 1):
        raise Malformed("round code", expected="fewer than 5 padding bits, all zero", found="others")
    return (bits >> padding).to_bytes(_GROUP * len(values) // 8, "big")
