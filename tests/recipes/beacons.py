"""Beacons and their pulses: those of another implementation, and every way in which a signature can be another
spelling or point.
"""

from __future__ import annotations

from hashlib import sha256
from random import Random

from fairness.beacon.chain import QUICKNET, Beacon
from fairness.beacon.pulse import salt_of
from fairness.limits import LARGEST_INTEGER, LONGEST_BEACON_ID
from standalone.stand_ins.py_arkworks_bls12381 import g1
from standalone.stand_ins.py_arkworks_bls12381.fields import PRIME
from tests.oracles.pulse_oracle import SMALL_ORDERS, curve_point, point_of_order
from tests.recipes import Case, Format, Json, invalid, valid
from tests.support.beacons import OURS, REAL, TRUST, pulse

ROUND = 27798178
_X = 1 << 381


def _parsed(name: str, beacon: Beacon) -> Case:
    result = {"chain_hash": beacon.chain_hash.hex(), "times": [beacon.time_of(number) for number in (1, 2, 1 << 32)]}
    return valid(name, {"text": str(beacon)}, result)


def _beacons() -> list[Case]:
    plain = str(OURS)
    words = plain.split(" ")

    def made(**parts: object) -> Beacon:
        whole: Json = {
            "period": 3,
            "genesis": 1767323000,
            "public_key": OURS.public_key,
            "group_hash": OURS.group_hash,
            "id": "house-test",
        }
        return Beacon(**whole | parts)

    def other(name: str, place: int, word: str, catches: str) -> Case:
        return invalid(name, {"text": " ".join([*words[:place], word, *words[place + 1 :]])}, catches)

    def keyed(name: str, key: bytes, catches: str) -> Case:
        return invalid(name, {"text": str(made(public_key=key))}, catches)

    key = OURS.public_key
    lenient = "a reader of numbers that is lenient"
    return [
        _parsed("quicknet", QUICKNET),
        _parsed("a beacon of another implementation", OURS),
        _parsed("an id of default, which is not hashed", made(id="default")),
        _parsed(
            "the longest of everything",
            made(period=(1 << 32) - 1, genesis=LARGEST_INTEGER, id="~" * LONGEST_BEACON_ID),
        ),
        _parsed("the key with the other sign", made(public_key=bytes([key[0] ^ 0x20]) + key[1:])),
        other("another hash", 0, "0" * 64, "a hash that is not compared"),
        other("a hash in upper case", 0, words[0].upper(), "bytes.fromhex() of Python"),
        other("another period", 1, "4", "a hash without the period"),
        other("another genesis", 2, "1767323001", "a hash without the genesis"),
        other("another group", 4, words[3][:64], "a hash without the group"),
        other("another id", 5, "house-tesT", "a hash without the id"),
        other("a period with a leading zero", 1, "03", lenient),
        other("a genesis with a sign", 2, "+1767323000", lenient),
        invalid("a period of 0", {"text": _forced(0, 1767323000)}, "all rounds at one time"),
        invalid("a period of 2 to the 32nd", {"text": _forced(1 << 32, 0)}, "a period that its hash cuts off"),
        invalid("a genesis of 2 to the 53rd", {"text": _forced(3, 1 << 53)}, "a time that floating point rounds"),
        other("a key in upper case", 3, words[3].upper(), "bytes.fromhex() of Python"),
        other("a key too short", 3, words[3][:-2], "bytes of any number"),
        other("a group hash too long", 4, words[4] + "00", "bytes of any number"),
        other("no id", 5, "", "an empty word"),
        invalid("five words", {"text": " ".join(words[:5])}, "a reader that takes what is there"),
        invalid("seven words", {"text": plain + " x"}, "a reader that takes what is there"),
        invalid("two spaces", {"text": plain.replace(" ", "  ", 1)}, "a reader that splits at any white space"),
        invalid(
            "an id that is too long", {"text": _forced(3, 0, "x" * (LONGEST_BEACON_ID + 1))}, "an id of any length"
        ),
        invalid("an id with a control character", {"text": _forced(3, 0, "house\x7f")}, "an id of any characters"),
        other("a key that is no hexadecimal", 3, "g" + words[3][1:], "digits that are not looked at"),
        invalid("an id that is not ASCII", {"text": _forced(3, 0, "maison-é")}, "an id of any letters"),
        keyed("infinity as a key", bytes([0xC0]) + bytes(95), "a key under which infinity signs everything"),
        keyed("a key not marked as compressed", bytes([key[0] & 0x7F]) + key[1:], "flags that are not looked at"),
        keyed("a key with the bit of infinity", bytes([key[0] | 0x40]) + key[1:], "rubbish behind infinity's bit"),
        keyed("a key that is no point", bytes([0x80]) + bytes(95), "a key that is not decoded"),
        keyed("a key outside the subgroup", _outside(), "a key that is only looked at on the curve"),
        keyed(
            "a key with an x above the prime",
            key[:48] + (int.from_bytes(key[48:], "big") + PRIME).to_bytes(48, "big"),
            "numbers that are reduced",
        ),
    ]


def _outside() -> bytes:
    """A point of the curve over Fp2 with a small x, which is not in the subgroup."""
    return bytes([0x80]) + bytes(94) + bytes([_SMALLEST_X])


_SMALLEST_X = 2
"""The smallest x = x0 that has a point; a test of `fairness.beacon.bls` shows that it is not in the subgroup."""


def _forced(period: int, genesis: int, name: str = "x") -> str:
    """A line with parts that `Beacon` would refuse, and the hash that they would have."""
    parts = (period % (1 << 32)).to_bytes(4, "big") + genesis.to_bytes(8, "big") + OURS.public_key + OURS.group_hash
    digest = sha256(parts + name.encode()).hexdigest()
    return f"{digest} {period} {genesis} {OURS.public_key.hex()} {OURS.group_hash.hex()} {name}"


def _given(beacon: Beacon, number: int, signature: bytes) -> Json:
    return {"beacon": str(beacon), "round": number, "signature": signature.hex()}


def _pulses() -> list[Case]:
    beacons = {"quicknet": QUICKNET, OURS.chain_hash.hex(): OURS}
    cases = []
    for each in TRUST["pulses"]:
        beacon, signature = beacons[each["beacon"]], bytes.fromhex(each["signature"])
        given, name = _given(beacon, each["round"], signature), f"{beacon.id}, round {each['round']}"
        if each["valid"]:
            cases.append(valid(name, given, {"salt": salt_of(signature).hex()}))
        else:
            cases.append(invalid(f"{name}: {each['bug']}", given, each["bug"]))
    last = pulse(OURS.chain_hash.hex(), LARGEST_INTEGER)
    cases.append(valid("the largest round", _given(OURS, LARGEST_INTEGER, last), {"salt": salt_of(last).hex()}))
    return cases + [
        invalid(name, _given(QUICKNET, ROUND, data), catches) for name, data, catches in spoilt(REAL[ROUND])
    ]


def spoilt(right: bytes) -> list[tuple[str, bytes, str]]:
    """Signatures that are not the ``right`` one, though some programs take them for it."""
    source, x = Random(48), int.from_bytes(right, "big") % _X
    point, sign = g1.decoded(right), right[0] >> 5

    def number(value: int, flags: int) -> bytes:
        return (value | flags * _X).to_bytes(48, "big")

    found = [
        (f"flags {flags:03b}", number(x, flags), "flags that are not looked at")
        for flags in range(8)
        if flags != sign
    ]
    found += [
        (f"flags {flags:03b} and zeros", number(0, flags), "infinity, or the point with x = 0, taken for a signature")
        for flags in range(8)
    ]
    found += [
        ("x is the prime", number(PRIME, 4), "numbers that are reduced"),
        ("x is the prime and 4", number(PRIME + 4, 4), "numbers that are reduced"),
        ("x is the largest number", number(_X - 1, 5), "numbers that are reduced"),
        ("no point has this x", number(1, 4), "a square root that is not checked"),
        ("infinity with a one", number(1, 6), "rubbish behind infinity's bit"),
        ("a point of the curve", g1.encoded(curve_point(source)), "a point that is only looked at on the curve"),
        ("twice the signature", g1.encoded(g1.double(point)), "a pairing that is not computed"),
    ]
    for order in SMALL_ORDERS:
        small = point_of_order(order, source)
        found += [
            (f"a point of order {order}", g1.encoded(small), "a subgroup that is not checked"),
            (f"a point of order {order} added", g1.encoded(g1.add(point, small)), "a pairing that does not see it"),
        ]
    return found


FORMATS = [Format("beacon", "parse", "4.8", _beacons), Format("pulse", "verify", "4.8", _pulses)]
