"""The deterministic bytes of one round, and the draws that games make from them (SPEC 3.3 and 3.4).

Integers and rejection only: no float, no modulo bias, nothing lost at a block's end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from struct import Struct

from fairness.hashing import HASH_SIZE, sha256, tag, u32, u64

NO_SALT = bytes(32)
LARGEST_RANGE = 1 << 32
SMALLEST_MULTIPLIER = 100
WHOLE_RTP = 10_000

_TAG = tag("context")
_read_u32: Callable[[bytes, int], tuple[int]] = Struct(">I").unpack_from
# A key of 32 bytes is padded to SHA-256's block of 64 with zeros.
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))
_INNER_REST = b"\x36" * 32
_OUTER_REST = b"\x5c" * 32


def context(batch_id: bytes, salt: bytes = NO_SALT) -> bytes:
    """Separate the streams of different batches: 32 bytes from the batch's id and its salt."""
    return sha256(_TAG + batch_id + salt)


def _hmac(seed: bytes, message: bytes) -> bytes:
    """Compute ``HMAC-SHA256(seed, message)``, spelled out as its two hashes over padded keys (RFC 2104).

    That halves the time of an audit against `hmac.digest`.
    """
    inner, outer = seed.translate(_INNER) + _INNER_REST, seed.translate(_OUTER) + _OUTER_REST
    return hashlib.sha256(outer + hashlib.sha256(inner + message).digest()).digest()


def _block(seeds: Sequence[bytes], prefix: bytes, number: int) -> bytes:
    message = prefix + u32(number)
    if len(seeds) == 1:
        return _hmac(seeds[0], message)
    total = 0
    for seed in seeds:
        total ^= int.from_bytes(_hmac(seed, message), "big")
    return total.to_bytes(HASH_SIZE, "big")


class Stream:
    """The bytes of one round, read once from left to right: secret until its lock is published, public from the
    reveal on.
    """

    __slots__ = ("_at", "_blocks", "_bytes", "_prefix", "_seeds")

    def __init__(self, seeds: Sequence[bytes], batch_context: bytes, round_number: int) -> None:
        """The stream of a round whose seeds are known; of several custodians' seeds, the XOR of their streams."""
        self._seeds = seeds
        self._prefix = prefix = batch_context + u64(round_number)
        # Nearly every outcome is drawn from the first block.
        self._bytes = _block(seeds, prefix, 0)
        self._blocks = 1
        self._at = 0

    def _next_block(self) -> bytes:
        self._blocks += 1
        return _block(self._seeds, self._prefix, self._blocks - 1)

    def take(self, size: int) -> bytes:
        """Return the next ``size`` bytes."""
        start = self._advance(size)
        return self._bytes[start : self._at]

    def _advance(self, size: int) -> int:
        """Go on by ``size`` bytes; return where they start in ``_bytes``, which holds them all."""
        start, end = self._at, self._at + size
        if end > len(self._bytes):
            self._bytes = self._bytes[start:]
            while size > len(self._bytes):
                self._bytes += self._next_block()
            start, end = 0, size
        self._at = end
        return start

    def below(self, limit: int) -> int:
        """Draw a uniform integer in 0 … ``limit`` - 1, for 1 <= ``limit`` <= 2**32."""
        if not 1 <= limit <= LARGEST_RANGE:
            raise ValueError(f"below() takes 1 to 2**32, not {limit}")
        # Words at or above the last whole multiple of ``limit`` would make small results likelier: they
        # are those whose run of ``limit`` words, from one multiple to the next, is cut off by 2**32.
        while True:
            start = self._advance(4)
            (word,) = _read_u32(self._bytes, start)
            result = word % limit
            if word - result + limit <= LARGEST_RANGE:
                return result

    def multiplier(self, *, rtp: int, cap: int) -> int:
        """Return a multiplier in hundredths, 100 to ``cap``, so that P(multiplier >= x) = rtp / x.

        ``rtp`` is in basis points: 9700 returns 97 % to the players, whatever they cash out at.
        """
        word = int.from_bytes(self.take(8), "big") + 1
        hundredths = (rtp << 64) // (100 * word)
        if hundredths < SMALLEST_MULTIPLIER:
            return SMALLEST_MULTIPLIER
        return min(cap, hundredths)

    def sample(self, size: int, count: int) -> list[int]:
        """Draw ``count`` different numbers of 0 … ``size`` - 1, in the order in which they were drawn."""
        if not 0 <= count <= size <= LARGEST_RANGE:
            raise ValueError(f"sample() takes at most {size} of {size}, and {size} is at most 2**32, not {count}")
        # Only the places that a swap has touched are kept, because ``size`` may be 2**32.
        moved: dict[int, int] = {}
        numbers = []
        for i in range(count):
            j = i + self.below(size - i)
            numbers.append(moved.get(j, j))
            moved[j] = moved.get(i, i)
        return numbers
