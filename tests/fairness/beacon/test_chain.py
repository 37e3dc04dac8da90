"""A beacon is named by a hash of everything that a verifier must know about it (SPEC 4.8)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairness.beacon.chain import QUICKNET, Beacon
from fairness.errors import Malformed
from fairness.hashing import sha256
from fairness.limits import LARGEST_INTEGER, LONGEST_BEACON_ID
from tests.house import HOUSE

TRUST: dict[str, Any] = json.loads((HOUSE / "tests" / "vectors" / "trust.json").read_text())
OURS = TRUST["test_beacon"]
LINE = (HOUSE / "tests" / "vectors" / "log-salted" / "policy").read_text().partition("\nbeacon ")[2].rstrip("\n")


def words(beacon: dict[str, Any]) -> list[str]:
    """The words of a policy's line for a beacon of the vectors."""
    return [str(beacon[name]) for name in ("hash", "period", "genesis", "key", "group", "id")]


@pytest.mark.parametrize("name", ["test_beacon", "quicknet"])
def test_a_beacon_has_the_hash_that_another_program_computed(name: str) -> None:
    """The text that was read is also written again, word for word."""
    beacon = Beacon.parse(words(TRUST[name]))
    assert beacon.chain_hash.hex() == TRUST[name]["hash"]
    assert str(beacon).split(" ") == words(TRUST[name])


def test_the_known_beacon_is_quicknet() -> None:
    """Its hash is the one in drand's documents."""
    assert Beacon.parse(words(TRUST["quicknet"])) == QUICKNET
    assert QUICKNET.chain_hash.hex() == "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"


def test_the_line_of_a_policy() -> None:
    """The line for the salted log of the vectors."""
    assert str(Beacon.parse(LINE.split(" "))) == LINE


def test_an_id_of_default_is_left_out_of_the_hash() -> None:
    """So drand's first chain keeps the hash that it had before chains had ids."""
    default = Beacon(
        period=30,
        genesis=1595431050,
        public_key=QUICKNET.public_key,
        group_hash=QUICKNET.group_hash,
        id="default",
    )
    hashed = (30).to_bytes(4, "big") + (1595431050).to_bytes(8, "big") + QUICKNET.public_key + QUICKNET.group_hash
    assert default.chain_hash == sha256(hashed)
    assert str(default).endswith(" default")


def test_the_time_of_a_round() -> None:
    """Round 1 is at genesis; there is no round 0."""
    assert [QUICKNET.time_of(number) for number in (1, 2, 1001)] == [1692803367, 1692803370, 1692806367]
    with pytest.raises(ValueError, match="begin with 1"):
        QUICKNET.time_of(0)


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (0, "0" * 64),
        (0, OURS["hash"].upper()),
        (0, ""),
        (1, "0"),
        (1, "4294967296"),
        (1, "03"),
        (1, "+3"),
        (1, "4"),
        (2, str(LARGEST_INTEGER + 1)),
        (2, "-1"),
        (2, "x"),
        (2, "\ud800"),
        (3, OURS["key"][:-2]),
        (3, OURS["key"].upper()),
        (3, OURS["key"][:-1] + "0"),
        (4, OURS["group"] + "00"),
        (4, "0" * 64),
        (5, ""),
        (5, "house test"),
        (5, "house-tést"),
        (5, "x" * (LONGEST_BEACON_ID + 1)),
        (5, "house-tesT"),
    ],
)
def test_another_line_is_malformed(place: int, wrong: str) -> None:
    """A malformed part, or a part that does not match the hash."""
    changed = words(OURS)
    changed[place] = wrong
    with pytest.raises(Malformed):
        Beacon.parse(changed)


def test_a_line_has_six_words() -> None:
    """Neither more nor fewer."""
    for line in (words(OURS)[:-1], [*words(OURS), "x"], []):
        with pytest.raises(Malformed, match="GROUP-HASH"):
            Beacon.parse(line)


def test_the_limits_of_a_beacon() -> None:
    """The largest period, id and genesis are read."""
    largest = Beacon(
        period=(1 << 32) - 1,
        genesis=LARGEST_INTEGER,
        public_key=QUICKNET.public_key,
        group_hash=QUICKNET.group_hash,
        id="~" * LONGEST_BEACON_ID,
    )
    assert Beacon.parse(str(largest).split(" ")) == largest


@pytest.mark.parametrize("changed", [{"public_key": b"x" * 95}, {"group_hash": b"x" * 33}])
def test_a_beacon_that_exists_is_well_formed(changed: dict[str, bytes]) -> None:
    """Bytes of the wrong size are refused, however the beacon is constructed."""
    parts = {"public_key": QUICKNET.public_key, "group_hash": QUICKNET.group_hash, **changed}
    with pytest.raises(Malformed):
        Beacon(period=3, genesis=0, id="x", **parts)


@pytest.mark.parametrize("number", [1, 2, 1000, LARGEST_INTEGER])
def test_the_rounds_of_a_moment(number: int) -> None:
    """A round is the newest from its time on, for a period; and the first one that is not before its time."""
    time = QUICKNET.time_of(number)
    assert [QUICKNET.newest_at(time + after) for after in (-1, 0, 2, 3)] == [number - 1, number, number, number + 1]
    ahead = [QUICKNET.first_at(1000 * time + after) for after in (-2999, -1, 0, 1, 3000)]
    assert ahead == [number, number, number, number + 1, number + 1]


def test_before_genesis() -> None:
    """No round is the newest, and round 1 is the first."""
    assert QUICKNET.newest_at(0) == QUICKNET.newest_at(QUICKNET.genesis - 1) == 0
    assert QUICKNET.first_at(0) == QUICKNET.first_at(1000 * QUICKNET.genesis - 5000) == 1
