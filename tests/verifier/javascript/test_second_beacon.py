"""The beacon of the verifier in JavaScript: hash_to_curve, points, keys and pulses, against published values (SPEC
4.8).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import pytest

from tests.house import HOUSE
from tests.oracles.bls_points import (
    COFACTOR_1,
    COMPRESSED,
    INFINITY,
    LARGER,
    ORDER,
    SMALL_ORDERS_1,
    SMALL_ORDERS_2,
    Element,
    P,
    decoded,
    encoded,
    multiple,
    point_at,
    small_point,
    total,
)
from tests.oracles.known_values import KNOWN
from tests.oracles.second_verifier import SecondVerifier, node

TRUST: dict[str, Any] = json.loads((HOUSE / "tests" / "vectors" / "trust.json").read_text())
QUICKNET, OURS = TRUST["quicknet"], TRUST["test_beacon"]
FLAGS = "flags of a compressed point, not infinity"
NOT_IN_FIELD = "a coordinate below the field's prime"
NOT_ON_CURVE = "x of a point of the curve"
NOT_IN_GROUP = "a point of the subgroup of prime order"


def words(beacon: dict[str, Any], **changed: object) -> str:
    """The text of a beacon of the vectors, with some words replaced."""
    written = beacon | changed
    return " ".join(str(written[name]) for name in ("hash", "period", "genesis", "key", "group", "id"))


WORDS = {"quicknet": words(QUICKNET), OURS["hash"]: words(OURS)}
GOOD = next(pulse for pulse in TRUST["pulses"] if pulse["valid"])


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as second:
        yield second


def refused(second: SecondVerifier, operation: str, cases: Sequence[object]) -> list[str | None]:
    """For each case `None`, or what was expected instead."""
    found: list[str | None] = second.ask(operation, cases=cases)["refused"]
    return found


def test_messages_are_expanded_as_in_the_rfc(second: SecondVerifier) -> None:
    """RFC 9380, appendix K.1."""
    known = KNOWN["expand_message_xmd"]
    for each in known["messages"]:
        size = len(each["bytes"]) // 2
        answer = second.ask("expand", tag=known["tag"], message=each["message"], size=size)
        assert answer["bytes"] == each["bytes"]


def test_points_are_hashed_to_as_in_the_rfc(second: SecondVerifier) -> None:
    """RFC 9380, appendix J.9.1: the result, and the two points whose sum it is."""
    known = KNOWN["hash_to_curve"]
    for each in known["messages"]:
        assert second.ask("hash_to_curve", tag=known["tag"], message=each["message"]) == each["point"]
        for u, point in zip(each["u"], each["q"], strict=True):
            assert second.ask("map_to_curve", u=u) == point


def test_every_pulse_of_the_vectors(second: SecondVerifier) -> None:
    """Those of drand's quicknet and of another program are valid; each invalid one names the bug that lets it
    through.
    """
    cases = [
        {"words": WORDS[each["beacon"]], "round": each["round"], "hex": each["signature"]} for each in TRUST["pulses"]
    ]
    found = refused(second, "pulses", cases)
    assert [each is None for each in found] == [each["valid"] for each in TRUST["pulses"]]
    why = {each["bug"]: said for each, said in zip(TRUST["pulses"], found, strict=True) if not each["valid"]}
    signature = f"the signature of round 27798178 by the beacon {QUICKNET['hash']}"
    assert why["the other sign"] == signature
    assert why["infinity"] == why["infinity with rubbish"] == why["not marked as compressed"] == FLAGS
    assert why["on the curve, not in the subgroup"] == NOT_IN_GROUP


def test_every_flag(second: SecondVerifier) -> None:
    """Of the eight combinations, two are points, and one of them is the pulse."""
    whole = bytes.fromhex(GOOD["signature"])
    flags = [value << 5 for value in range(8)]
    cases = [bytes([flag | whole[0] & 0x1F]).hex() + whole[1:].hex() for flag in flags]
    expected = [None if flag & (COMPRESSED | INFINITY) == COMPRESSED else FLAGS for flag in flags]
    assert refused(second, "points", cases) == expected
    pulses = [{"words": WORDS[GOOD["beacon"]], "round": GOOD["round"], "hex": case} for case in cases]
    assert [cases[at] for at, said in enumerate(refused(second, "pulses", pulses)) if said is None] == [
        GOOD["signature"]
    ]


def test_a_coordinate_is_below_the_prime(second: SecondVerifier) -> None:
    """The same point with x + p, the prime itself and what is next to it, and the largest number of 381 bits."""
    in_group = next(
        point
        for x in range(1 << 377, (1 << 377) + 1000)
        if (point := multiple(COFACTOR_1, point_at(Element(x), twist=False))) and point[0].a + P < 1 << 381
    )
    good = encoded(in_group, twist=False)
    spelled = int(good, 16)
    top = COMPRESSED << 376
    cases = [spelled, spelled + P, top | P, top | P + 4, top | (1 << 381) - 1, top | P - 1]
    found = refused(second, "points", [f"{case:096x}" for case in cases])
    assert found == [None, NOT_IN_FIELD, NOT_IN_FIELD, NOT_IN_FIELD, NOT_IN_FIELD, NOT_ON_CURVE]
    key = QUICKNET["key"]
    halves = [(P | top, int(key[96:], 16)), (int(key[:96], 16), P), (int(key[:96], 16), (1 << 384) - 1)]
    assert refused(second, "keys", [f"{a:096x}{b:096x}" for a, b in halves]) == [NOT_IN_FIELD] * 3


@pytest.mark.parametrize("size", [0, 1, 47, 49, 96])
def test_a_point_has_48_bytes(second: SecondVerifier, size: int) -> None:
    """Not one less or more."""
    case = (bytes.fromhex(GOOD["signature"]) * 2)[:size].hex()
    assert refused(second, "points", [case]) == ["48 bytes"]


@pytest.mark.parametrize("order", SMALL_ORDERS_1)
def test_a_part_of_small_order_is_refused(second: SecondVerifier, order: int) -> None:
    """A point of small order alone, and one added to a pulse, which the pairing alone would not detect."""
    small = small_point(order, twist=False)
    assert small is not None
    assert multiple(order, small) is None
    pulse = decoded(GOOD["signature"])
    assert multiple(ORDER, pulse) is None
    cases = [
        encoded(point, twist=False) for point in (small, total(pulse, small), multiple(ORDER, total(pulse, small)))
    ]
    assert refused(second, "points", [*cases, GOOD["signature"]]) == [NOT_IN_GROUP] * 3 + [None]


@pytest.mark.parametrize("order", SMALL_ORDERS_2)
def test_a_key_of_another_group_is_refused(second: SecondVerifier, order: int) -> None:
    """A point of small order of the twist, and any point of it whose cofactor was not cleared."""
    small = small_point(order, twist=True)
    cases = [encoded(small, twist=True)]
    cases += [encoded(point, twist=True) for x in range(20) if (point := point_at(Element(x, order), twist=True))]
    assert len(cases) > 1
    assert refused(second, "keys", cases) == [NOT_IN_GROUP] * len(cases)


def test_keys_are_points_of_the_twist(second: SecondVerifier) -> None:
    """Known ones are; the other sign is another key; no other flag, no infinity, no x without a point, no other
    size.
    """
    key = bytes.fromhex(QUICKNET["key"])
    negative = bytes([key[0] ^ LARGER]) + key[1:]
    assert refused(second, "keys", [QUICKNET["key"], OURS["key"], negative.hex()]) == [None] * 3
    other_flags = [bytes([key[0] & 0x1F | flag << 5]) + key[1:] for flag in (0, 1, 2, 3, 6, 7)]
    infinity = bytes([COMPRESSED | INFINITY]) + bytes(95)
    assert refused(second, "keys", [each.hex() for each in (*other_flags, infinity)]) == [FLAGS] * 7
    empty = next(x for x in range(100) if point_at(Element(x, 1), twist=True) is None)
    case = bytes([COMPRESSED]) + (1).to_bytes(47, "big") + empty.to_bytes(48, "big")
    assert refused(second, "keys", [case.hex()]) == ["x of a point of the twist"]
    assert refused(second, "keys", [key[:48].hex(), key.hex() + "00"]) == ["96 bytes"] * 2


def test_beacons_are_read_as_they_are_written(second: SecondVerifier) -> None:
    """Each word in its one spelling, and the hash is computed over the other words."""
    hash_64 = "64 lower-case hexadecimal digits"
    other_key = f"{OURS['key'][:-1]}0"
    cases: dict[str, str | None] = {
        words(OURS): None,
        words(QUICKNET): None,
        words(OURS, hash="0" * 64): f"the chain hash {OURS['hash']}",
        words(OURS, hash=OURS["hash"].upper()): hash_64,
        words(OURS, period=0): "1 to 4294967295",
        words(OURS, period=1 << 32): "1 to 4294967295",
        words(OURS, period="03"): "a number below 2^63 in decimal",
        words(OURS, period="+3"): "a number below 2^63 in decimal",
        words(OURS, genesis=1 << 53): "0 to 9007199254740991",
        words(OURS, genesis=-1): "a number below 2^63 in decimal",
        words(OURS, key=OURS["key"].upper()): "192 lower-case hexadecimal digits",
        words(OURS, key=OURS["key"][:-2]): "192 lower-case hexadecimal digits",
        words(OURS, group=OURS["group"] + "00"): hash_64,
        words(OURS, id=""): "1 to 64 characters from 0x21 to 0x7e",
        words(OURS, id="x" * 65): "1 to 64 characters from 0x21 to 0x7e",
        words(OURS, id="house-tést"): "1 to 64 characters from 0x21 to 0x7e",
        words(OURS) + " ": "HASH PERIOD GENESIS KEY GROUP-HASH ID",
        words(OURS).replace(" ", "  ", 1): "HASH PERIOD GENESIS KEY GROUP-HASH ID",
        "": "HASH PERIOD GENESIS KEY GROUP-HASH ID",
    }
    assert refused(second, "beacons", list(cases)) == list(cases.values())
    of_other_hash = [words(OURS, period=4), words(OURS, genesis=1), words(OURS, key=other_key), words(OURS, id="x")]
    found = refused(second, "beacons", of_other_hash)
    assert all(said is not None and said.startswith("the chain hash ") for said in found)


def test_a_beacon_has_a_good_key(second: SecondVerifier) -> None:
    """Even if the hash is that of the key: no flags of infinity, nothing outside of G2."""
    small = encoded(small_point(13, twist=True), twist=True)
    infinity = f"{(COMPRESSED | INFINITY) << 760:0192x}"
    cases = [with_key(key) for key in (OURS["key"], small, infinity)]
    assert refused(second, "beacons", cases) == [None, NOT_IN_GROUP, FLAGS]


def with_key(key: str) -> str:
    """A beacon of this key, and with its hash."""
    numbers = OURS["period"].to_bytes(4, "big") + OURS["genesis"].to_bytes(8, "big")
    hashed = numbers + bytes.fromhex(key + OURS["group"]) + OURS["id"].encode()
    return words(OURS, key=key, hash=sha256(hashed).hexdigest())


def test_times_of_rounds(second: SecondVerifier) -> None:
    """Round 1 is at genesis; the time of the last round that a record can name is also exact."""
    last = (1 << 53) - 1
    answer = second.ask("times", words=WORDS["quicknet"], rounds=["1", "2", "1001", str(last)])
    assert answer["times"] == ["1692803367", "1692803370", "1692806367", str(1692803367 + 3 * (last - 1))]


COMPARED = 216


@pytest.mark.nightly("many pairings")
def test_another_implementation_agrees() -> None:
    """@noble/curves, on valid pulses and keys, on invalid ones of every kind, and on hashed messages."""
    assert (HOUSE / "tests" / "npm" / "node_modules").is_dir(), "`make tools` installs what this test needs"
    command = [node(), "tests/npm/compare_beacon.mjs", str(COMPARED)]
    done = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    counts = json.loads(done.stdout)
    assert sum(each["accepted"] + each["refused"] for each in counts.values()) == COMPARED
    # With a flipped bit or other flags it may be the same bytes, or another valid key.
    always = {kind for kind, each in counts.items() if each["refused"] == 0}
    never = {kind for kind, each in counts.items() if each["accepted"] == 0}
    assert always == {"good", "a good key", "a hashed message", "a mapped number"}
    assert {"of another round", "of the other sign", "with a larger x", "infinity", "another point of G1"} <= never
    assert {"with a part outside of G1", "outside of G1", "a key with a larger x", "a key outside of G2"} <= never
