"""Streams whose bytes a test chooses."""

from __future__ import annotations

from fairness.draws.stream import Stream


class GivenStream(Stream):
    """A stream of these blocks, of any size; reading past them raises `StopIteration`."""

    def __init__(self, *blocks: bytes) -> None:
        self._given = iter(blocks)
        self._bytes = b""
        self._at = 0

    def _next_block(self) -> bytes:
        return next(self._given)

    @classmethod
    def of_words(cls, *words: int) -> GivenStream:
        """A stream of words of four bytes."""
        return cls(*(word.to_bytes(4, "big") for word in words))
