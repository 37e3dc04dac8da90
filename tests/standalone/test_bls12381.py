"""The one-file verifier's BLS12-381 agrees with arkworks and blst, and its arithmetic obeys the laws of its
fields.
"""

from __future__ import annotations

from random import Random

import py_arkworks_bls12381 as arkworks
import pytest

from standalone.stand_ins import py_arkworks_bls12381 as stand_in
from standalone.stand_ins.py_arkworks_bls12381 import fields, g1, g2
from tests.oracles.pulse_oracle import compare, curve_point, point_of_order, times

SOURCE = Random(12381)


def element() -> fields.Fp12:
    """A random element of Fp12."""
    a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, b4, b5 = (SOURCE.randrange(fields.PRIME) for _ in range(12))
    return (a0, a1, a2, a3, a4, a5), (b0, b1, b2, b3, b4, b5)


@pytest.mark.nightly("many pairings by plain Python")
def test_arkworks_blst_and_the_stand_in_give_the_same_verdicts() -> None:
    """On valid and unusual signatures; ``python -m tests.oracles.pulse_oracle 100000`` compares many more."""
    found = compare(200, seed=int.from_bytes(b"pulse", "big"))
    assert found["right"] == (40, 40)
    assert found["a point of small order added"] == (40, 0)
    assert found["right, for another message"] == (40, 0)


def test_the_laws_of_the_field_of_twelve() -> None:
    """Products, squares, inverses and Frobenius' map are consistent."""
    one, frobenius = fields.ONE, fields.frobenius12
    for _ in range(5):
        f, g, h = element(), element(), element()
        assert fields.product12(f, g) == fields.product12(g, f)
        assert fields.product12(fields.product12(f, g), h) == fields.product12(f, fields.product12(g, h))
        assert fields.square12(f) == fields.product12(f, f)
        assert fields.product12(f, fields.inverse12(f)) == one
        assert frobenius(fields.product12(f, g)) == fields.product12(frobenius(f), frobenius(g))
        mapped = f
        for _ in range(6):
            mapped = frobenius(mapped)
        assert mapped == fields.conjugate12(f) != f
        unitary = fields.product12(mapped, fields.inverse12(f))
        unitary = fields.product12(frobenius(frobenius(unitary)), unitary)
        assert fields.unitary_square12(unitary) == fields.square12(unitary)
    with pytest.raises(ValueError, match="invertible"):
        fields.inverse12((one[1], one[1]))


def test_frobenius_is_the_power_of_the_prime() -> None:
    """Bit by bit, once."""
    f, result = element(), fields.ONE
    for bit in f"{fields.PRIME:b}":
        result = fields.square12(result)
        if bit == "1":
            result = fields.product12(result, f)
    assert fields.frobenius12(f) == result


def test_the_subgroup_is_the_points_whose_order_is_the_groups() -> None:
    """The short test of `g1.in_subgroup`, against the definition."""
    for order in (3, 11, 10177):
        small = point_of_order(order, SOURCE)
        assert not times(order, small)[2]
        assert not g1.in_subgroup(small)
    for _ in range(20):
        point = curve_point(SOURCE)
        assert g1.in_subgroup(point) is (not times(fields.ORDER, point)[2])
        inside = times(0x396C8C005555E1568C00AAAB0000AAAB, point)
        assert g1.in_subgroup(inside)
        assert not times(fields.ORDER, inside)[2]


def test_sums_of_any_two_points() -> None:
    """Equal ones, opposite ones, the neutral one; and of a point of order 3, whose double is its opposite."""
    small = point_of_order(3, SOURCE)
    assert g1.equal(g1.double(small), g1.negative(small))
    for point in (curve_point(SOURCE), small):
        assert g1.equal(g1.add(point, point), g1.double(point))
        assert g1.equal(g1.add(g1.double(point), point), times(3, point))
        assert not g1.add(point, g1.negative(point))[2]
        assert g1.add(point, g1.NEUTRAL) == g1.add(g1.NEUTRAL, point) == point
        assert not g1.equal(point, g1.NEUTRAL)


def test_messages_are_hashed_alike() -> None:
    """Messages of many lengths, with tags of many lengths."""
    for size in range(60):
        message, tag = SOURCE.randbytes(size * size), SOURCE.randbytes(1 + size * 4)
        ours = stand_in.G1Point.hash_to_curve(message, tag).to_compressed_bytes()
        assert ours == arkworks.G1Point.hash_to_curve(message, tag).to_compressed_bytes()
    for wrong in (b"", bytes(256)):
        with pytest.raises(ValueError, match="1 to 255"):
            stand_in.G1Point.hash_to_curve(b"", wrong)


def test_points_of_g2_are_read_alike() -> None:
    """Multiples of the generator, with a bit changed, and points of the curve outside the subgroup."""
    accepted = set()
    assert stand_in.G2Point().to_compressed_bytes() == arkworks.G2Point().to_compressed_bytes() == g2.GENERATOR
    for _ in range(30):
        scalar = arkworks.Scalar(SOURCE.randrange(fields.ORDER))
        right = (arkworks.G2Point() * scalar).to_compressed_bytes()
        changed = (int.from_bytes(right, "big") ^ 1 << SOURCE.randrange(766)).to_bytes(96, "big")
        for data in (right, changed, right[1:], b""):
            verdicts = []
            for each in (arkworks.G2Point, stand_in.G2Point):
                try:
                    verdicts.append(each.from_compressed_bytes(data).to_compressed_bytes() == data)
                except ValueError:
                    verdicts.append(False)
            assert verdicts[0] is verdicts[1], data.hex()
            accepted.add(verdicts[0])
    assert accepted == {True, False}


def test_pairings_multiply() -> None:
    """e(aP, Q) = e(P, aQ), and a pairing with the neutral point is 1."""
    message, tag, number = b"pairing", b"test", SOURCE.randrange(fields.ORDER)
    theirs = arkworks.G1Point.hash_to_curve(message, tag) * arkworks.Scalar(number)
    many = stand_in.G1Point.from_compressed_bytes(theirs.to_compressed_bytes())
    once = stand_in.G1Point.hash_to_curve(message, tag)
    key = stand_in.G2Point.from_compressed_bytes((arkworks.G2Point() * arkworks.Scalar(number)).to_compressed_bytes())
    neutral = stand_in.G1Point(g1.NEUTRAL)
    assert stand_in.GT.pairing_check([many, -once], [stand_in.G2Point(), key])
    assert stand_in.GT.pairing_check([many, -once, neutral], [stand_in.G2Point(), key, key])
    assert stand_in.GT.pairing_check([neutral], [key])
    assert not stand_in.GT.pairing_check([many, once], [stand_in.G2Point(), key])
    assert not stand_in.GT.pairing_check([once], [key])
    assert neutral.to_compressed_bytes() == arkworks.G1Point().identity().to_compressed_bytes()
