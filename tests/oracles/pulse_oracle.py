"""Whether a pulse is valid by other people's BLS12-381: blst, by pyblst, against arkworks and the one-file
verifier's.

``python -m tests.oracles.pulse_oracle 100000`` compares the three on that many random cases, most of them strange,
and says how many each accepts. It exits with 1 at the first case about which they differ, and prints it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

import py_arkworks_bls12381 as arkworks
import pyblst

from fairness.beacon import bls
from standalone.stand_ins import py_arkworks_bls12381 as stand_in
from standalone.stand_ins.py_arkworks_bls12381 import fields, g1, g2

TAG = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
SMALL_ORDERS = (3, 11, 10177, 859267, 52437899)
"""The primes of the cofactor of G1. All but 3 divide it twice, and no point has an order that one of them divides
twice.
"""
_FLAGS = 1 << 381


@dataclass(frozen=True)
class Question:
    """A key, a signature and a message, and what is unusual about them."""

    kind: str
    key: bytes
    signature: bytes
    message: bytes


def blst_accepts(asked: Question) -> bool:
    """What blst says. Its `uncompress` refuses a point outside the subgroup."""
    try:
        signature = pyblst.BlstP1Element().uncompress(asked.signature)
        key = pyblst.BlstP2Element().uncompress(asked.key)
    except ValueError:
        return False
    if asked.signature[0] & 0x40 or asked.key[0] & 0x40:
        return False
    hashed = pyblst.BlstP1Element().hash_to_group(asked.message, TAG)
    generator = pyblst.BlstP2Element().uncompress(arkworks.G2Point().to_compressed_bytes())
    return bool(pyblst.final_verify(pyblst.miller_loop(signature, generator), pyblst.miller_loop(hashed, key)))


def ours_accepts(asked: Question) -> bool:
    """What `fairness.beacon.bls` says, with the arithmetic that it imported."""
    try:
        bls.verify(asked.key, asked.signature, asked.message)
    except bls.InvalidSignature:
        return False
    return True


def times(number: int, point: g1.Point) -> g1.Point:
    """A multiple of a point, bit by bit."""
    result = g1.NEUTRAL
    for bit in f"{number:b}":
        result = g1.double(result)
        if bit == "1":
            result = g1.add(result, point)
    return result


def curve_point(source: Random) -> g1.Point:
    """A random point of the curve, hardly ever in the subgroup."""
    while True:
        x = source.randrange(fields.PRIME)
        y = fields.root(x**3 + 4)
        if y is not None:
            return x, source.choice((y, fields.PRIME - y)), 1


def point_of_order(order: int, source: Random) -> g1.Point:
    """A point of this small order."""
    exponent = fields.ORDER
    for each in SMALL_ORDERS:
        exponent *= each
    while True:
        found = times(exponent // order, curve_point(source))
        if found[2]:
            return found


def questions(source: Random) -> Iterator[Question]:
    """Random questions, endlessly: one of five has a valid signature, the others are damaged in one of many ways."""
    small = [point_of_order(order, source) for order in SMALL_ORDERS]
    keys = []
    for _ in range(4):
        secret = source.randrange(1, fields.ORDER)
        key = arkworks.G2Point() * arkworks.Scalar(secret)
        keys.append((arkworks.Scalar(secret), key.to_compressed_bytes()))
    while True:
        secret_scalar, key_bytes = source.choice(keys)
        message = source.randbytes(32)
        right = (arkworks.G1Point.hash_to_curve(message, TAG) * secret_scalar).to_compressed_bytes()
        yield Question("right", key_bytes, right, message)
        kind, spoil = source.choice(_SPOILS)
        yield Question(kind, key_bytes, spoil(right, source), message)
        point = g1.decoded(right)
        other = source.choice(small)
        yield Question("a point of small order", key_bytes, g1.encoded(other), message)
        yield Question("a point of small order added", key_bytes, g1.encoded(g1.add(point, other)), message)
        yield Question("right, for another message", key_bytes, right, source.randbytes(32))


def _with_flags(flags: int, signature: bytes) -> bytes:
    return (int.from_bytes(signature, "big") % _FLAGS | flags * _FLAGS).to_bytes(48, "big")


def _one_bit(signature: bytes, source: Random) -> bytes:
    return (int.from_bytes(signature, "big") ^ 1 << source.randrange(384)).to_bytes(48, "big")


def _beyond(_: bytes, source: Random) -> bytes:
    number = fields.PRIME + source.choice((0, source.randrange(1 << 16), source.randrange(_FLAGS - fields.PRIME)))
    return (number | source.choice((4, 5)) * _FLAGS).to_bytes(48, "big")


_SPOILS: list[tuple[str, Callable[[bytes, Random], bytes]]] = [
    ("one bit changed", _one_bit),
    ("other flags", lambda signature, source: _with_flags(source.randrange(8), signature)),
    ("flags and nothing else", lambda _, source: _with_flags(source.randrange(8), bytes(48))),
    ("x beyond the prime", _beyond),
    ("random bytes", lambda _, source: _with_flags(source.choice((4, 5)), source.randbytes(48))),
    ("a point of the curve", lambda _, source: g1.encoded(curve_point(source))),
    ("the other sign", lambda signature, _: bytes([signature[0] ^ 0x20]) + signature[1:]),
]


def compare(count: int, seed: int) -> dict[str, tuple[int, int]]:
    """Ask arkworks, the stand-in and blst ``count`` questions; returns, by kind, how many were asked and how many
    accepted.

    Raises `AssertionError` for a question about which they differ.
    """
    found: dict[str, tuple[int, int]] = {}
    asked = questions(Random(seed))
    for _ in range(count):
        question = next(asked)
        expected = blst_accepts(question)
        verdicts = {"arkworks": ours_accepts(question), "stand-in": _stand_in_accepts(question)}
        assert verdicts == dict.fromkeys(verdicts, expected), (question, expected, verdicts)
        before, accepted = found.get(question.kind, (0, 0))
        found[question.kind] = before + 1, accepted + expected
    return found


def _stand_in_accepts(asked: Question) -> bool:
    try:
        signature = stand_in.G1Point.from_compressed_bytes(asked.signature)
    except ValueError:
        return False
    if signature.to_compressed_bytes() != asked.signature or asked.signature[0] & 0x40:
        return False
    hashed = stand_in.G1Point.hash_to_curve(asked.message, TAG)
    return stand_in.GT.pairing_check([signature, -hashed], [_stand_in_key(g2.GENERATOR), _stand_in_key(asked.key)])


@cache
def _stand_in_key(key: bytes) -> stand_in.G2Point:
    return stand_in.G2Point.from_compressed_bytes(key)


def main() -> None:
    """Compare as many as the command line says, from the seed that follows, or 1."""
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for kind, (asked, accepted) in sorted(compare(count, seed).items()):
        sys.stdout.write(f"{asked:7} {kind}: {accepted} accepted\n")


if __name__ == "__main__":
    main()
