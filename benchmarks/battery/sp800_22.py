"""The 15 tests of NIST SP 800-22 rev. 1a, each a function from a sequence of bits to p-values.

tests/verifier/lab/test_battery.py compares them with all the results that Appendix B of the publication gives for √2
and √3. The parameters are those of the appendix, which fit sequences of a million bits; where a test cannot be
applied there is no p-value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

LENGTH = 1_000_000
"""Bits of a sequence."""

Bits = NDArray[np.uint8]
"""Zeros and ones, one per element."""
Values = NDArray[np.int64]
Named = Iterator[tuple[str, float]]

OVERLAPPING = (0.364091, 0.185659, 0.139381, 0.100571, 0.0704323, 0.139865)
"""Chances of 0, 1, … 4, and of more patterns of nine ones in a block (3.8)."""
REGISTERS = (0.010417, 0.03125, 0.125, 0.5, 0.25, 0.0625, 0.020833)
"""Chances of the classes of linear complexity (3.10)."""

_BLOCK = 128
_TEMPLATE = 9
_ENTROPY = 10
_SERIAL = 16
_COMPLEXITY = 500


def p_values(bits: Bits) -> Named:
    """Every p-value of every test that can be applied, by its name."""
    for test in TESTS:
        yield from test(bits)


def frequency(bits: Bits) -> Named:
    """2.1: there are as many ones as zeros."""
    yield "frequency", float(scipy.special.erfc(abs(2 * int(bits.sum()) - bits.size) / np.sqrt(2 * bits.size)))


def block_frequency(bits: Bits) -> Named:
    """2.2: there are as many ones as zeros in each block."""
    shares = _rows(bits, _BLOCK).mean(axis=1)
    yield "block frequency", _chi_square(4 * _BLOCK * float(((shares - 0.5) ** 2).sum()), shares.size)


def cumulative_sums(bits: Bits) -> Named:
    """2.13: a walk with a step up for a one and down for a zero stays near its start; forwards and backwards."""
    n = bits.size
    for name, walk in (("forward", _walk(bits)), ("backward", _walk(bits[::-1]))):
        z = int(np.abs(walk).max())
        early = np.arange((-n // z + 1) // 4, (n // z - 1) // 4 + 1)
        late = np.arange((-n // z - 3) // 4, (n // z - 1) // 4 + 1)
        unit = z / np.sqrt(n)
        inside = (scipy.special.ndtr((4 * early + 1) * unit) - scipy.special.ndtr((4 * early - 1) * unit)).sum()
        beyond = (scipy.special.ndtr((4 * late + 3) * unit) - scipy.special.ndtr((4 * late + 1) * unit)).sum()
        yield f"cumulative sums {name}", float(1 - inside + beyond)


def runs(bits: Bits) -> Named:
    """2.3: bits change as often as they should."""
    n, share = bits.size, float(bits.mean())
    if abs(share - 0.5) >= 2 / np.sqrt(n):
        yield "runs", 0.0
        return
    changes = 1 + int((bits[1:] != bits[:-1]).sum())
    both = share * (1 - share)
    yield "runs", float(scipy.special.erfc(abs(changes - 2 * n * both) / (2 * np.sqrt(2 * n) * both)))


def longest_run(bits: Bits) -> Named:
    """2.4: the longest run of ones in blocks of 10,000."""
    blocks = _rows(bits, 10_000)
    running, longest = blocks.copy(), np.zeros(len(blocks), np.int64)
    for length in range(1, 17):
        longest[running.any(axis=1)] = length
        running = running[:, :-1] & blocks[:, length:]
    found = np.bincount(np.clip(longest, 10, 16) - 10, minlength=7)
    yield "longest run", _fit(found, [0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727])


def rank(bits: Bits) -> Named:
    """2.5: the rank of 32 x 32 matrices."""
    rows = np.packbits(_rows(bits, 1024).reshape(-1, 32, 4, 8), axis=3).reshape(-1, 32, 4).view(">u4")[:, :, 0]
    ranks = _ranks(rows.astype(np.uint32))
    full, one_less = _chance_of_rank(32), _chance_of_rank(31)
    found = np.array([(ranks == 32).sum(), (ranks == 31).sum(), (ranks < 31).sum()])
    yield "rank", _fit(found, [full, one_less, 1 - full - one_less])


def spectral(bits: Bits) -> Named:
    """2.6: no periodic parts."""
    n = bits.size
    heights = np.abs(np.fft.rfft(2.0 * bits - 1))[: n // 2]
    expected = 0.95 * n / 2
    below = int((heights < np.sqrt(np.log(1 / 0.05) * n)).sum())
    yield "spectral", float(scipy.special.erfc(abs(below - expected) / np.sqrt(n * 0.95 * 0.05 / 4) / np.sqrt(2)))


def non_overlapping_templates(bits: Bits) -> Named:
    """2.7: each of the 148 patterns of nine bits that cannot overlap itself, counted in eight blocks."""
    size = bits.size // 8
    mean = (size - _TEMPLATE + 1) / 2**_TEMPLATE
    variance = size * (1 / 2**_TEMPLATE - (2 * _TEMPLATE - 1) / 2 ** (2 * _TEMPLATE))
    found = np.array([np.bincount(_windows(block, _TEMPLATE), minlength=2**_TEMPLATE) for block in _rows(bits, size)])
    for template in range(2**_TEMPLATE):
        if not _overlaps_itself(template):
            distance = float(((found[:, template] - mean) ** 2).sum()) / variance
            yield f"template {template:0{_TEMPLATE}b}", _chi_square(distance, 8)


def overlapping_templates(bits: Bits, chances: Sequence[float] = OVERLAPPING) -> Named:
    """2.8: nine ones, counted in blocks of 1032."""
    found = np.array([(_windows(block, _TEMPLATE) == 2**_TEMPLATE - 1).sum() for block in _rows(bits, 1032)])
    yield "overlapping templates", _fit(np.bincount(np.minimum(found, 5), minlength=6), chances)


def universal(bits: Bits) -> Named:
    """2.9: how far apart equal patterns of seven bits are."""
    length, first = 7, 1280
    words = _rows(bits, length) @ (1 << np.arange(length)[::-1])
    order = np.argsort(words, kind="stable")
    places = order + 1
    before = np.where(np.concatenate(([False], words[order][1:] == words[order][:-1])), np.roll(places, 1), 0)
    tested = order >= first
    count = words.size - first
    mean = float(np.log2((places - before)[tested]).sum()) / count
    spread = 0.7 - 0.8 / length + (4 + 32 / length) * count ** (-3 / length) / 15
    deviation = spread * np.sqrt(3.125 / count)
    yield "universal", float(scipy.special.erfc(abs(mean - 6.1962507) / (np.sqrt(2) * deviation)))


def approximate_entropy(bits: Bits) -> Named:
    """2.12: overlapping patterns of ten and of eleven bits."""

    def phi(length: int) -> float:
        found = _cyclic(bits, length)
        shares = found[found > 0] / bits.size
        return float((shares * np.log(shares)).sum())

    distance = 2 * bits.size * (np.log(2) - (phi(_ENTROPY) - phi(_ENTROPY + 1)))
    yield "approximate entropy", _chi_square(distance, 2**_ENTROPY)


def random_excursions(bits: Bits) -> Named:
    """2.14 and 2.15: how often the walk of `cumulative_sums` visits a height between two zeros, and in total."""
    walk = _walk(bits)
    zeros = np.cumsum(walk == 0)
    cycles = int(zeros[-1]) + int(walk[-1] != 0)
    if cycles < max(0.005 * np.sqrt(bits.size), 500):
        return
    for height in (*range(-4, 0), *range(1, 5)):
        visits = np.bincount(zeros[walk == height], minlength=cycles)
        yield f"excursions {height:+}", _fit(np.bincount(np.minimum(visits, 5), minlength=6), _visits(abs(height)))
    for height in (*range(-9, 0), *range(1, 10)):
        visited = int((walk == height).sum())
        yield (
            f"excursions in all {height:+}",
            float(scipy.special.erfc(abs(visited - cycles) / np.sqrt(2 * cycles * (4 * abs(height) - 2)))),
        )


def serial(bits: Bits) -> Named:
    """2.11: overlapping patterns of 16 bits, of 15 and of 14."""
    psi = [
        float((_cyclic(bits, length).astype(np.float64) ** 2).sum()) * 2**length / bits.size - bits.size
        for length in (_SERIAL, _SERIAL - 1, _SERIAL - 2)
    ]
    yield "serial 1", _chi_square(psi[0] - psi[1], 2 ** (_SERIAL - 1))
    yield "serial 2", _chi_square(psi[0] - 2 * psi[1] + psi[2], 2 ** (_SERIAL - 2))


def linear_complexity(bits: Bits, chances: Sequence[float] = REGISTERS) -> Named:
    """2.10: the shortest shift register that generates each block of 500 bits."""
    size = _COMPLEXITY
    mean = size / 2 + (9 + (-1) ** (size + 1)) / 36 - (size / 3 + 2 / 9) / 2.0**size
    deviations = (-1) ** size * (_shortest_registers(_rows(bits, size)) - mean) + 2 / 9
    edges = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    found = np.bincount(np.searchsorted(edges, deviations, side="left"), minlength=7)
    yield "linear complexity", _fit(found, chances)


TESTS: tuple[Callable[[Bits], Named], ...] = (
    *(frequency, block_frequency, cumulative_sums, runs, longest_run, rank, spectral, non_overlapping_templates),
    *(overlapping_templates, universal, approximate_entropy, random_excursions, serial, linear_complexity),
)


def _rows(bits: Bits, size: int) -> Bits:
    """Blocks of ``size``, one per row; an incomplete last block is left out."""
    return bits[: bits.size // size * size].reshape(-1, size)


def _walk(bits: Bits) -> Values:
    return np.cumsum(2 * bits.astype(np.int64) - 1)


def _windows(bits: Bits, length: int) -> Values:
    """The number formed by each ``length`` consecutive bits."""
    numbers = np.zeros(bits.size - length + 1, np.int64)
    for at in range(length):
        numbers = 2 * numbers + bits[at : at + numbers.size]
    return numbers


def _cyclic(bits: Bits, length: int) -> Values:
    """How often each pattern occurs, if the end of the sequence is joined to its start."""
    return np.bincount(_windows(np.concatenate((bits, bits[: length - 1])), length), minlength=2**length)


def _chi_square(distance: float, freedom: int) -> float:
    return float(scipy.special.gammaincc(freedom / 2, distance / 2))


def _fit(found: Values, chances: Sequence[float]) -> float:
    expected = found.sum() * np.array(chances)
    return _chi_square(float(((found - expected) ** 2 / expected).sum()), len(chances) - 1)


def _overlaps_itself(template: int) -> bool:
    """Whether its first bits are its last ones, for any number of bits."""
    return any(template >> (_TEMPLATE - size) == template & ((1 << size) - 1) for size in range(1, _TEMPLATE))


def _visits(height: int) -> list[float]:
    """The chances of 0, 1, … 4, and of 5 or more visits."""
    away = 1 - 1 / (2 * height)
    return [away, *(away ** (k - 1) / (4 * height**2) for k in range(1, 5)), away**4 / (2 * height)]


def _chance_of_rank(rank: int) -> float:
    chance = 2.0 ** (rank * (64 - rank) - 1024)
    for i in range(rank):
        chance *= (1 - 2.0 ** (i - 32)) ** 2 / (1 - 2.0 ** (i - rank))
    return chance


def _ranks(matrices: NDArray[np.uint32]) -> Values:
    """The ranks over GF(2) of many matrices, whose rows are 32-bit words."""
    every = np.arange(len(matrices))
    ranks = np.zeros(len(matrices), np.int64)
    for column in range(32):
        has = (matrices >> np.uint32(31 - column)) & 1
        # Rows above ``ranks`` already have their pivots.
        has[np.arange(32) < ranks[:, None]] = 0
        pivot = has.argmax(axis=1)
        found = has[every, pivot] == 1
        at, top, row = every[found], ranks[found], pivot[found]
        matrices[at, top], matrices[at, row] = matrices[at, row], matrices[at, top]
        has = (matrices[at] >> np.uint32(31 - column)) & 1
        has[np.arange(32) <= top[:, None]] = 0
        matrices[at] ^= has * matrices[at, top][:, None]
        ranks[found] += 1
    return ranks


def _shortest_registers(blocks: Bits) -> Values:
    """Berlekamp and Massey's algorithm on all rows at once; polynomials and past bits are words of 64 bits."""
    count, size = blocks.shape
    words = size // 64 + 1
    connection, last, past = (np.zeros((count, words), np.uint64) for _ in range(3))
    connection[:, 0] = last[:, 0] = 1
    lengths = np.zeros(count, np.int64)
    for at in range(size):
        past = _shifted(past)
        past[:, 0] |= blocks[:, at]
        last = _shifted(last)
        wrong = np.bitwise_count(connection & past).sum(axis=1) % 2 == 1
        longer = wrong & (2 * lengths <= at)
        before = connection[longer]
        connection[wrong] ^= last[wrong]
        last[longer] = before
        lengths[longer] = at + 1 - lengths[longer]
    return lengths


def _shifted(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    moved = numbers << np.uint64(1)
    for to, of in pairwise(range(numbers.shape[1] - 1, -1, -1)):
        moved[:, to] |= numbers[:, of] >> np.uint64(63)
    return moved
