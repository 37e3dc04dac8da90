"""A chain of drand with a single node, for tests and demos (SPEC 4.8).

Whoever has its secret knows every pulse ahead, so it replaces no public beacon: its salts prove nothing to anybody
but its owner.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from api.settings import SettingsError
from api.world.clock import Clock, entropy
from api.world.key_files import read_key, write_key
from fairness.beacon.bls import TAG
from fairness.beacon.chain import Beacon
from fairness.hashing import sha256, u64

SCHEME = "bls-unchained-g1-rfc9380"
_SECRET_SIZE = 32
_KEY = re.compile(r"foredraw-beacon-1 ([1-9][0-9]{0,9}) ([0-9]{1,12}) ([\x21-\x7e]{1,64}) ([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Node:
    """The one node of a chain."""

    beacon: Beacon
    _secret: Scalar = field(repr=False)

    @classmethod
    def of(cls, secret: bytes, *, period: int, genesis: int, name: str) -> Self:
        """Return the node with this secret, 32 bytes below the group's order. Raises `ValueError` or `Malformed`."""
        scalar = Scalar.from_be_bytes(secret)
        if scalar.is_zero():
            raise ValueError("a beacon's secret is not zero")
        key = bytes((G2Point() * scalar).to_compressed_bytes())
        # A real chain's group hash is over its nodes' addresses and keys. This one has a key.
        return cls(Beacon(period=period, genesis=genesis, public_key=key, group_hash=sha256(key), id=name), scalar)

    @classmethod
    def create(cls, path: Path, *, period: int, name: str) -> Self:
        """Return a new chain whose round 1 is now; its secret is in the file ``path``, which must not exist yet."""
        if path.exists():
            raise SettingsError(f"{path} exists already: a beacon's key is made once")
        secret = Scalar.from_be_bytes_mod_order(entropy(2 * _SECRET_SIZE)).to_be_bytes()
        genesis = int(Clock().moment().timestamp())
        made = cls.of(bytes(secret), period=period, genesis=genesis, name=name)
        write_key(path, f"foredraw-beacon-1 {period} {genesis} {name} {bytes(secret).hex()}")
        return made

    @classmethod
    def load(cls, path: Path) -> Self:
        """Return the chain of a file that `create` wrote. Raises `SettingsError`."""
        matched = _KEY.fullmatch(read_key(path))
        if matched is None:
            raise SettingsError(f"{path} holds no beacon's key: `foredraw beacon` makes one if the file is missing")
        period, genesis, name, secret = matched.groups()
        try:
            return cls.of(bytes.fromhex(secret), period=int(period), genesis=int(genesis), name=name)
        except ValueError:
            raise SettingsError(f"{path} holds a number that is no secret of BLS12-381") from None

    def pulse(self, number: int) -> bytes:
        """Return the pulse of round ``number``: 48 bytes. Whether its time has come is the caller's business."""
        return bytes((G1Point.hash_to_curve(sha256(u64(number)), TAG) * self._secret).to_compressed_bytes())
