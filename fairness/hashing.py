"""SHA-256, and the bytes that go into it (SPEC 2).

Every hash of the protocol begins with a tag, and every variable part has a fixed width, so that no
two different things are ever the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from struct import Struct

from fairness.errors import Malformed

HASH_SIZE = 32
U48_LIMIT = 1 << 48

# Four and eight bytes, big-endian. These are called millions of times in an audit, and `struct` takes
# half the time of a function of ours.
u32: Callable[[int], bytes] = Struct(">I").pack
u64: Callable[[int], bytes] = Struct(">Q").pack


def sha256(data: bytes) -> bytes:
    """Compute ``H`` of the specification: 32 bytes."""
    return hashlib.sha256(data).digest()


def tag(name: str) -> bytes:
    """Return the bytes that keep hashes of one purpose apart from all others."""
    return b"foredraw/v1/" + name.encode("ascii") + b"\0"


def u48(number: int) -> bytes:
    """Return six bytes, big-endian."""
    return number.to_bytes(6, "big")


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of one entry of a Merkle tree (RFC 6962, section 2.1)."""
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of two subtrees (RFC 6962, section 2.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def parse_hex(text: str, size: int = HASH_SIZE) -> bytes:
    """Read ``size`` bytes from exactly 2 x ``size`` lower-case hexadecimal digits.

    Raises `Malformed` for anything else; `bytes.fromhex` alone would take spaces and upper case.
    """
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != size or value.hex() != text:
        raise Malformed("hexadecimal", expected=f"{2 * size} lower-case digits", found=text)
    return value
