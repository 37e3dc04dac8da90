"""Beacons with pulses for tests: quicknet's own, as far as the vectors have them, and a chain whose secret is
known.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from typing import Any

from py_arkworks_bls12381 import G1Point, Scalar

from fairness.beacon.chain import Beacon, known_beacons
from fairness.times import milliseconds
from tests.house import HOUSE

TRUST: dict[str, Any] = json.loads((HOUSE / "tests" / "vectors" / "trust.json").read_text())
OURS = Beacon.parse([str(TRUST["test_beacon"][name]) for name in ("hash", "period", "genesis", "key", "group", "id")])
"""A chain of which the vectors tell the secret."""
KNOWN = known_beacons([OURS])
REAL: dict[int, bytes] = {
    each["round"]: bytes.fromhex(each["signature"])
    for each in TRUST["pulses"]
    if each["beacon"] == "quicknet" and each["valid"]
}
"""Pulses of quicknet by round."""
_SECRET = Scalar(int(TRUST["test_beacon"]["secret_scalar"], 16))
_TAG = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
_WAIT = 30


@cache
def pulse(name: str, number: int) -> bytes:
    """The signature of a round of the beacon that a table names so."""
    if KNOWN[name] != OURS:
        return REAL[number]
    return (G1Point.hash_to_curve(sha256(number.to_bytes(8, "big")).digest(), _TAG) * _SECRET).to_compressed_bytes()


def next_pulse(name: str, committed: str) -> int:
    """The round of a beacon that a batch of this time names: soon after it, and one whose pulse is known."""
    beacon, after = KNOWN[name], milliseconds(committed)
    if beacon == OURS:
        return (after // 1000 + _WAIT - beacon.genesis) // beacon.period + 1
    return min(number for number in REAL if 1000 * beacon.time_of(number) > after)
