"""BLS12-381 as the verifier uses it: to check signatures in G1 under keys in G2 (SPEC 4.8).

It accepts what arkworks accepts, and is stricter in one thing, which the verifier requires anyway: the neutral point
has one spelling in G1, and none in G2. All values are public, so the time may depend on them. That is why nothing
here can sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from . import g1, g2, hashing, pairing

__all__ = ["GT", "G1Point", "G2Point"]


class G1Point:
    """A point of G1."""

    def __init__(self, point: g1.Point) -> None:
        self._point = point

    @classmethod
    def from_compressed_bytes(cls, data: bytes) -> Self:
        """The point that 48 bytes spell. Raises `ValueError` if they do not spell one."""
        return cls(g1.decoded(data))

    @classmethod
    def hash_to_curve(cls, message: bytes, tag: bytes) -> Self:
        """The point to which a message hashes under a domain separation tag (RFC 9380)."""
        return cls(hashing.hash_to_curve(message, tag))

    def to_compressed_bytes(self) -> bytes:
        """The one spelling of this point."""
        return g1.encoded(self._point)

    def __neg__(self) -> G1Point:
        return G1Point(g1.negative(self._point))

    @property
    def coordinates(self) -> g1.Point:
        """What `GT` computes with."""
        return self._point


class G2Point:
    """A point of G2; without an argument, the generator."""

    def __init__(self, point: g2.Point | None = None) -> None:
        self._point = g2.decoded(g2.GENERATOR) if point is None else point

    @classmethod
    def from_compressed_bytes(cls, data: bytes) -> Self:
        """The point that 96 bytes spell. Raises `ValueError` if they do not spell one."""
        return cls(g2.decoded(data))

    def to_compressed_bytes(self) -> bytes:
        """The one spelling of this point."""
        return g2.encoded(self._point)

    @property
    def coordinates(self) -> g2.Point:
        """What `GT` computes with."""
        return self._point


class GT:
    """The group of the pairing's values."""

    @staticmethod
    def pairing_check(g1s: Sequence[G1Point], g2s: Sequence[G2Point]) -> bool:
        """Whether the pairings of these points, one with the other, multiply to 1."""
        points = zip(g1s, g2s, strict=True)
        return pairing.is_one([(p.coordinates, q.coordinates) for p, q in points])
