"""What a beacon is: its key, its clock and the hash that names it (SPEC 4.8).

A chain of drand is named by a hash over everything that a verifier must know of it, so a table's record names its
beacon with 32 bytes, and whoever has the chain's parameters can check that they are the right ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from fairness.beacon.bls import PUBLIC_KEY_SIZE, check_public_key
from fairness.errors import Malformed
from fairness.hashing import parse_hex, sha256, u32, u64
from fairness.limits import LARGEST_INTEGER, LONGEST_BEACON_ID
from fairness.spelling import parse_decimal

GROUP_HASH_SIZE = 32

_ID = re.compile(rf"[\x21-\x7e]{{1,{LONGEST_BEACON_ID}}}")
_DEFAULT_ID = "default"
_LONGEST_PERIOD = (1 << 32) - 1
_WORDS = 6


@dataclass(frozen=True, slots=True)
class Beacon:
    """A chain of drand of the scheme ``bls-unchained-g1-rfc9380``.

    Raises `Malformed` if a part has another size or range; `parse` also checks that the key is a point.
    """

    period: int
    """Seconds from one round to the next."""
    genesis: int
    """The time of round 1, in seconds since 1970."""
    public_key: bytes
    """A point of G2, compressed."""
    group_hash: bytes
    id: str

    def __post_init__(self) -> None:
        if not 1 <= self.period <= _LONGEST_PERIOD:
            raise Malformed("beacon's period", expected=f"1 to {_LONGEST_PERIOD} seconds", found=self.period)
        if not 0 <= self.genesis <= LARGEST_INTEGER:
            raise Malformed("beacon's genesis", expected=f"0 to {LARGEST_INTEGER} seconds", found=self.genesis)
        if len(self.public_key) != PUBLIC_KEY_SIZE:
            raise Malformed("beacon's key", expected=f"{PUBLIC_KEY_SIZE} bytes", found=len(self.public_key))
        if len(self.group_hash) != GROUP_HASH_SIZE:
            raise Malformed("beacon's group hash", expected=f"{GROUP_HASH_SIZE} bytes", found=len(self.group_hash))
        if not _ID.fullmatch(self.id):
            expected = f"1 to {LONGEST_BEACON_ID} printable characters without a space"
            raise Malformed("beacon's id", expected=expected, found=self.id)

    @property
    def chain_hash(self) -> bytes:
        """The chain's name in records and policies, which drand calls its hash too: 32 bytes."""
        named = b"" if self.id == _DEFAULT_ID else self.id.encode()
        return sha256(u32(self.period) + u64(self.genesis) + self.public_key + self.group_hash + named)

    def time_of(self, number: int) -> int:
        """Return when round ``number`` can be signed, and not before: seconds since 1970."""
        if number < 1:
            raise ValueError(f"a beacon's rounds begin with 1, not {number}")
        return self.genesis + (number - 1) * self.period

    def newest_at(self, seconds: int) -> int:
        """Return the newest round whose time has come at ``seconds`` since 1970; 0 before the first."""
        return max(0, (seconds - self.genesis) // self.period + 1)

    def first_at(self, milliseconds: int) -> int:
        """Return the first round whose time is not before so many milliseconds since 1970."""
        return max(1, -((1000 * self.genesis - milliseconds) // (1000 * self.period)) + 1)

    def __str__(self) -> str:
        parts = (self.chain_hash.hex(), self.period, self.genesis, self.public_key.hex(), self.group_hash.hex())
        return " ".join(map(str, (*parts, self.id)))

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read HASH PERIOD GENESIS KEY GROUP-HASH ID, the words of a policy's ``beacon`` line.

        Raises `Malformed`, also if the hash is not that of the other five, or if the key is no point of G2.
        """
        if len(words) != _WORDS:
            raise Malformed("beacon", expected="HASH PERIOD GENESIS KEY GROUP-HASH ID", found=" ".join(words))
        chain_hash, period, genesis, key, group_hash, name = words
        beacon = cls(
            period=_decimal(period, "beacon's period"),
            genesis=_decimal(genesis, "beacon's genesis"),
            public_key=parse_hex(key, PUBLIC_KEY_SIZE),
            group_hash=parse_hex(group_hash, GROUP_HASH_SIZE),
            id=name,
        )
        if beacon.chain_hash != parse_hex(chain_hash):
            raise Malformed("beacon's hash", expected=beacon.chain_hash.hex(), found=chain_hash)
        check_public_key(beacon.public_key)
        return beacon


def _decimal(text: str, what: str) -> int:
    return parse_decimal(text.encode("utf-8", "replace"), what=what)


QUICKNET = Beacon(
    period=3,
    genesis=1692803367,
    public_key=bytes.fromhex(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
        "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    group_hash=bytes.fromhex("f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e"),
    id="quicknet",
)
"""The chain that every verifier knows: the League of Entropy's, with a pulse every three seconds."""

Beacons = Mapping[str, Beacon]
"""The beacons that a verifier knows, by the names that tables have for them."""


def known_beacons(others: Iterable[Beacon] = ()) -> Beacons:
    """Return quicknet, and the ``others`` that somebody named."""
    return {"quicknet": QUICKNET} | {beacon.chain_hash.hex(): beacon for beacon in (QUICKNET, *others)}


def time_of_pulse(beacons: Beacons, name: str, number: int) -> int | None:
    """Return when round ``number`` of the beacon that a table names so can be signed: seconds since 1970; `None` if
    it is unknown.
    """
    beacon = beacons.get(name)
    return None if beacon is None else beacon.time_of(number)


ONLY_QUICKNET: Beacons = known_beacons()
"""What a verifier knows to whom nobody named another beacon."""
