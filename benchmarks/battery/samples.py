"""What the battery tests: raw bytes of streams, and bits from outcomes, each from a test chain that anybody can
reproduce.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

import numpy as np

from benchmarks.battery.sp800_22 import LENGTH, Bits
from fairness.draws.game import Outcome
from games import GAMES
from games.facts.facts import every_outcome
from verifier.lab.kernel import Kernel
from verifier.lab.raw import fast, reference
from verifier.lab.rounds import Round, repeatable, rounds

SHARE = 1 << 20
_PLAIN_RULES = {"version": 1}


def seed(run: int) -> bytes:
    """The seed of the test chain of this run, which nobody chose."""
    return sha256(f"foredraw battery, run {run}".encode("ascii")).digest()


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample for SP 800-22."""

    name: str
    what: str
    sequences: int
    """How many sequences of a million bits the first run has."""
    bits: Callable[[int], Iterator[Bits]]
    """The bits of a run, in pieces of any size, more than enough of them."""

    def of_run(self, run: int, sequences: int) -> Iterator[Bits]:
        """This many sequences of `LENGTH` bits each."""
        rest = np.zeros(0, np.uint8)
        pieces = self.bits(run)
        for _ in range(sequences):
            parts, size = [rest], rest.size
            while size < LENGTH:
                parts.append(next(pieces))
                size += parts[-1].size
            whole = np.concatenate(parts)
            rest = whole[LENGTH:]
            yield whole[:LENGTH]


def _rounds(run: int, game: str = "sic-bo") -> Iterator[Round]:
    return rounds(GAMES[game], _PLAIN_RULES, repeatable(seed(run)))


def _raw(run: int) -> Iterator[Bits]:
    for each in fast(Kernel().blocks, _rounds(run), 1 << 40, SHARE):
        yield np.unpackbits(np.frombuffer(each, np.uint8))


def _first_blocks(run: int) -> Iterator[Bits]:
    made = reference(_rounds(run), 1 << 40, 32)
    while True:
        yield np.unpackbits(np.frombuffer(b"".join(islice(made, 4096)), np.uint8))


def bits_of_number(number: int, limit: int) -> tuple[int, ...]:
    """All fair bits of a uniform number below ``limit``, without scaling it.

    The binary digits of ``limit`` divide the numbers into parts of 2^k: within its part, a number is k fair bits
    (Elias, 1972).
    """
    for k in range(limit.bit_length() - 1, -1, -1):
        if limit >> k & 1:
            if number < 1 << k:
                return tuple(number >> place & 1 for place in range(k - 1, -1, -1))
            number -= 1 << k
    raise ValueError("a number below its limit is in one of the parts")


def _of_game(game: str, outcomes: tuple[Outcome, ...]) -> Callable[[int], Iterator[Bits]]:
    """The bits of a game's outcomes, which are equally likely."""
    bits = {repr(outcome): bits_of_number(number, len(outcomes)) for number, outcome in enumerate(outcomes)}

    def made(run: int) -> Iterator[Bits]:
        dealt = (repr(GAMES[game].outcome(each.stream(), _PLAIN_RULES)) for each in _rounds(run, game))
        while True:
            yield np.array([bit for each in islice(dealt, 1 << 13) for bit in bits[each]], np.uint8)

    return made


def _game(game: str, outcomes: tuple[Outcome, ...]) -> Sample:
    return Sample(game, f"outcomes of {game} as bits, {len(outcomes)} equally likely", 60, _of_game(game, outcomes))


SAMPLES = (
    Sample("raw", f"streams, {SHARE:,} bytes of each round", 200, _raw),
    Sample("blocks", "streams, the first block of each round: a new seed for every 32 bytes", 100, _first_blocks),
    *(_game(game, every_outcome(game)) for game in ("hi-lo", "sic-bo", "penalty", "keno-express")),
)
"""Crash and Rocketon have no sample: their multipliers are not uniform, and making bits of them would mean to scale
them back.
"""
