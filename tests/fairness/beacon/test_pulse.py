"""A pulse is one signature, in one spelling (SPEC 4.8): with arkworks, and with the one-file verifier's
replacement.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from random import Random
from types import ModuleType
from typing import Any

import py_arkworks_bls12381 as arkworks
import pytest

from fairness.beacon import bls
from fairness.beacon.chain import QUICKNET, Beacon
from fairness.beacon.pulse import salt_of, verify_pulse
from fairness.errors import Malformed
from standalone.stand_ins import py_arkworks_bls12381 as stand_in
from standalone.stand_ins.py_arkworks_bls12381 import fields, g1
from tests.house import HOUSE
from tests.oracles.pulse_oracle import SMALL_ORDERS, point_of_order

TRUST: dict[str, Any] = json.loads((HOUSE / "tests" / "vectors" / "trust.json").read_text())
OURS = Beacon.parse([str(TRUST["test_beacon"][name]) for name in ("hash", "period", "genesis", "key", "group", "id")])
BEACONS = {"quicknet": QUICKNET, OURS.chain_hash.hex(): OURS}
PULSES = [
    pytest.param(
        BEACONS[each["beacon"]], each["round"], each["signature"], each["valid"], id=f"{at} {each.get('bug')}"
    )
    for at, each in enumerate(TRUST["pulses"])
]
NUMBER, RIGHT = TRUST["pulses"][0]["round"], bytes.fromhex(TRUST["pulses"][0]["signature"])
FLAGS = 1 << 381


@pytest.fixture(params=[arkworks, stand_in], ids=["arkworks", "stand-in"], autouse=True)
def arithmetic(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Let `bls` compute with this arithmetic."""
    for name in ("G1Point", "G2Point", "GT"):
        monkeypatch.setattr(bls, name, getattr(request.param, name))
    forget()
    yield request.param
    forget()


def forget() -> None:
    """Clear caches, so that one arithmetic does not use the other's results."""
    for cached in (bls._holds, bls._public_key, bls._generator):
        cached.cache_clear()


def valid(signature: bytes, beacon: Beacon = QUICKNET, number: int = NUMBER) -> bool:
    """Whether the pulse is valid."""
    try:
        verify_pulse(beacon, number, signature)
    except bls.InvalidSignature:
        return False
    return True


@pytest.mark.parametrize(("beacon", "number", "signature", "expected"), PULSES)
def test_pulses_of_the_vectors(beacon: Beacon, number: int, signature: str, expected: bool) -> None:
    """Thirteen of quicknet's own, four of another chain, and ten invalid ones."""
    assert valid(bytes.fromhex(signature), beacon, number) is expected
    assert valid(bytes.fromhex(signature), beacon, number) is expected, "what is remembered is the same"


def test_the_salt_is_the_randomness_that_drand_publishes() -> None:
    """SHA-256 of the signature."""
    assert salt_of(RIGHT).hex() == "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd"


def test_every_change_of_one_bit_is_refused() -> None:
    """None of the 384 is the signature."""
    number = int.from_bytes(RIGHT, "big")
    assert not any(valid((number ^ 1 << bit).to_bytes(48, "big")) for bit in range(384))


@pytest.mark.parametrize("flags", range(8))
def test_every_combination_of_flags(flags: int) -> None:
    """Compressed, not infinity, the right sign: one of eight for this x, and none for an x of 0."""
    x = int.from_bytes(RIGHT, "big") % FLAGS
    assert valid((x | flags * FLAGS).to_bytes(48, "big")) is (flags == RIGHT[0] >> 5)
    assert not valid((flags * FLAGS).to_bytes(48, "big"))


@pytest.mark.parametrize("sign", [4, 5])
def test_an_x_from_the_prime_on_is_refused(sign: int) -> None:
    """Even if, modulo the prime, it is the x of a point."""
    for more in (0, 1, 4, 100, FLAGS - 1 - fields.PRIME):
        assert not valid((fields.PRIME + more | sign * FLAGS).to_bytes(48, "big"))


@pytest.mark.parametrize("order", SMALL_ORDERS)
def test_points_of_small_order_are_refused(order: int, arithmetic: ModuleType) -> None:
    """Alone, and added to the signature: the pairing itself would not detect it."""
    small = point_of_order(order, Random(order))
    mixed = g1.add(g1.decoded(RIGHT), small)
    for point in (small, mixed, g1.add(mixed, small)):
        with pytest.raises(ValueError, match=r"invalid|subgroup"):
            arithmetic.G1Point.from_compressed_bytes(g1.encoded(point))
        assert not valid(g1.encoded(point))


def test_the_neutral_point_is_no_signature_under_any_key() -> None:
    """Neither in its own spelling nor with anything after its flag."""
    for tail in (bytes(47), b"\x01".rjust(47, b"\0"), RIGHT[1:]):
        for first in (0xC0, 0xE0, 0x40):
            assert not valid(bytes([first]) + tail)


# RFC 9380, appendix J.9.1: message, x and y.
RFC_9380 = [
    (
        b"",
        "052926add2207b76ca4fa57a8734416c8dc95e24501772c814278700eed6d1e4e8cf62d9c09db0fac349612b759e79a1",
        "08ba738453bfed09cb546dbb0783dbb3a5f1f566ed67bb6be0e8c67e2e81a4cc68ee29813bb7994998f3eae0c9c6a265",
    ),
    (
        b"abc",
        "03567bc5ef9c690c2ab2ecdf6a96ef1c139cc0b2f284dca0a9a7943388a49a3aee664ba5379a7655d3c68900be2f6903",
        "0b9c15f3fe6e5cf4211f346271d7b01c8f3b28be689c8429c85b67af215533311f0b8dfaaa154fa6b88176c229f2885d",
    ),
    (
        b"abcdef0123456789",
        "11e0b079dea29a68f0383ee94fed1b940995272407e3bb916bbf268c263ddd57a6a27200a784cbc248e84f357ce82d98",
        "03a87ae2caf14e8ee52e51fa2ed8eefe80f02457004ba4d486d6aa1f517c0889501dc7413753f9599b099ebcbbd2d709",
    ),
    (
        b"q128_" + b"q" * 128,
        "15f68eaa693b95ccb85215dc65fa81038d69629f70aeee0d0f677cf22285e7bf58d7cb86eefe8f2e9bc3f8cb84fac488",
        "1807a1d50c29f430b8cafc4f8638dfeeadf51211e1602a5f184443076715f91bb90a48ba1e370edce6ae1062f5e6dd38",
    ),
    (
        b"a512_" + b"a" * 512,
        "082aabae8b7dedb0e78aeb619ad3bfd9277a2f77ba7fad20ef6aabdc6c31d19ba5a6d12283553294c1825c4b3ca2dcfe",
        "05b84ae5a942248eea39e1d91030458c40153f3b654ab7872d779ad1e942856a20c438e8d99bc8abfbf74729ce1f7ac8",
    ),
]


@pytest.mark.parametrize(("message", "x", "y"), RFC_9380, ids=lambda value: str(value)[:20])
def test_messages_are_hashed_to_the_curve_as_the_rfc_says(
    message: bytes, x: str, y: str, arithmetic: ModuleType
) -> None:
    """RFC 9380, appendix J.9.1."""
    tag = b"QUUX-V01-CS02-with-BLS12381G1_XMD:SHA-256_SSWU_RO_"
    assert arithmetic.G1Point.hash_to_curve(message, tag).to_compressed_bytes() == g1.encoded(
        (int(x, 16), int(y, 16), 1)
    )


def test_a_key_is_a_point_of_g2_in_one_spelling() -> None:
    """Flags, x below the prime, on the curve, in the subgroup, not infinity."""
    key = QUICKNET.public_key
    bls.check_public_key(key)
    number, size = int.from_bytes(key, "big"), 8 * len(key)
    other_sign = (number ^ 1 << size - 3).to_bytes(len(key), "big")
    bls.check_public_key(other_sign)
    wrong = [(number ^ 1 << size - 1 - bit).to_bytes(len(key), "big") for bit in (0, 1, 3, 4, 383, 384, 385, 767)]
    wrong += [
        bytes([0xC0]) + bytes(95),
        bytes([0xE0]) + bytes(95),
        bytes([0xC0]) + key[1:],
        bytes([0x80]) + bytes(95),
        key[:48] + (fields.PRIME + 1).to_bytes(48, "big"),
        (fields.PRIME | 4 * FLAGS).to_bytes(48, "big") + key[48:],
    ]
    # Points of the curve with small x; of these, hardly any is in the subgroup.
    wrong += [bytes([0x80]) + bytes(94) + bytes([x]) for x in range(40)]
    for each in wrong:
        with pytest.raises(Malformed, match="point of G2"):
            bls.check_public_key(each)


def test_a_beacon_with_a_key_that_is_no_point_is_malformed() -> None:
    """Although its hash is right."""
    wrong = Beacon(period=3, genesis=0, public_key=bytes(96), group_hash=bytes(32), id="x")
    with pytest.raises(Malformed, match="point of G2"):
        Beacon.parse(str(wrong).split(" "))


def test_the_message_is_the_hash_of_the_round() -> None:
    """Signed with the secret of the vectors' beacon, also for the largest round of a record."""
    secret = arkworks.Scalar(int(TRUST["test_beacon"]["secret_scalar"], 16))
    for number in (1, 255, 256, 2**53 - 1):
        hashed = arkworks.G1Point.hash_to_curve(
            sha256(number.to_bytes(8, "big")).digest(), b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
        )
        signature = (hashed * secret).to_compressed_bytes()
        assert valid(signature, OURS, number)
        assert not valid(signature, OURS, number + 1)
