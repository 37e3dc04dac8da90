"""The deterministic bytes of one round, and the draws that games make from them (SPEC 3.3 and 3.4).

Integers and rejection only: no float, no modulo bias, nothing lost at a block's end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from fairness.hashing import HASH_SIZE, sha256, tag, u32, u64

NO_SALT = bytes(32)
LARGEST_RANGE = 1 << 32
SMALLEST_MULTIPLIER = 100
WHOLE_RTP = 10_000

_TAG = tag("context")
_SHA256_BLOCK = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


def context(batch_id: bytes, salt: bytes = NO_SALT) -> bytes:
    """What sets the streams of one batch apart: 32 bytes from the batch's id and its salt."""
    return sha256(_TAG + batch_id + salt)


def stream_blocks(seeds: Sequence[bytes], batch_context: bytes, round_number: int) -> Iterator[bytes]:
    """The 32-byte blocks of a round's stream; with several custodians the XOR of their blocks.

    A block is ``HMAC-SHA256(seed, context || u64(round) || u32(block))``. It is spelled out as its
    two hashes over padded keys (RFC 2104), which halves the time of an audit against `hmac.digest`.
    """
    keys = [seed.ljust(_SHA256_BLOCK, b"\0") for seed in seeds]
    pads = [(key.translate(_INNER), key.translate(_OUTER)) for key in keys]
    prefix = batch_context + u64(round_number)
    block = 0
    while True:
        message = prefix + u32(block)
        digests = [hashlib.sha256(outer + hashlib.sha256(inner + message).digest()).digest() for inner, outer in pads]
        yield digests[0] if len(digests) == 1 else _xor(digests)
        block += 1


def _xor(blocks: list[bytes]) -> bytes:
    total = 0
    for block in blocks:
        total ^= int.from_bytes(block, "big")
    return total.to_bytes(HASH_SIZE, "big")


class Stream:
    """The bytes of one round, read once from left to right. Its bytes are secret until the reveal."""

    __slots__ = ("_at", "_blocks", "_bytes")

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._bytes = b""
        self._at = 0

    @classmethod
    def of_round(cls, seeds: Sequence[bytes], batch_context: bytes, round_number: int) -> Stream:
        """The stream of a round whose seeds (one per custodian) are known."""
        return cls(stream_blocks(seeds, batch_context, round_number))

    def take(self, size: int) -> bytes:
        """The next ``size`` bytes."""
        end = self._at + size
        while end > len(self._bytes):
            self._bytes = self._bytes[self._at :] + next(self._blocks)
            self._at, end = 0, size
        taken = self._bytes[self._at : end]
        self._at = end
        return taken

    def below(self, limit: int) -> int:
        """A uniform integer in 0 … ``limit`` - 1, for 1 <= ``limit`` <= 2**32."""
        if not 1 <= limit <= LARGEST_RANGE:
            msg = f"below() takes 1 to 2**32, not {limit}"
            raise ValueError(msg)
        # Words at or above the last whole multiple of ``limit`` would make small results likelier.
        refused_from = LARGEST_RANGE - LARGEST_RANGE % limit
        while (word := int.from_bytes(self.take(4), "big")) >= refused_from:
            pass
        return word % limit

    def multiplier(self, *, rtp: int, cap: int) -> int:
        """A multiplier in hundredths, 100 to ``cap``, so that P(multiplier >= x) = rtp / x.

        ``rtp`` is in basis points: 9700 returns 97 % to the players, whatever they cash out at.
        """
        word = int.from_bytes(self.take(8), "big") + 1
        return max(SMALLEST_MULTIPLIER, min(cap, (rtp << 64) // (100 * word)))

    def sample(self, size: int, count: int) -> list[int]:
        """``count`` different numbers of 0 … ``size`` - 1, in the order in which they were drawn."""
        if not 0 <= count <= size:
            msg = f"sample() takes at most {size} of {size}, not {count}"
            raise ValueError(msg)
        numbers = list(range(size))
        for i in range(count):
            j = i + self.below(size - i)
            numbers[i], numbers[j] = numbers[j], numbers[i]
        return numbers[:count]
