"""The source of seeds and of the keys that seal them, with the two continuous health tests of NIST SP 800-90B, 4.4.

They watch what the operating system gives, and find a source that is stuck or badly biased; no test of its output can
show that a source is good. A sample is a byte, taken to have 8 bits of min-entropy, as the output of a cryptographic
generator has; the cutoffs are those of the standard for an alpha of 2⁻⁴⁰. So a byte raises a false alarm of the first
test with a chance of 2⁻⁴⁰, and a window of 512 one of the second with 2⁻³⁷·⁶ (its first byte counts itself): a
service that commits a batch a second has a false alarm in 780 years. Whole draws are samples of the first test, too,
so that a source that gives the same block again and again is found.

Once a test has failed, the source gives nothing more until its process is started again.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, comb
from threading import Lock

from api.custody.seed_store import SeedsUnavailableError
from api.world.clock import entropy
from fairness.hashing import sha256

ALPHA_BITS = 40
"""Alpha is 2⁻⁴⁰, the least that SP 800-90B recommends."""
MIN_ENTROPY = 8
"""Assumed of a byte, in bits."""
WINDOW = 512
"""Samples, for sources with more than two values (4.4.2)."""
START_UP = 1024
"""Samples that are tested, and thrown away, before the first are used (4.3)."""


DRAW = 12
"""Bytes of a draw that are compared with the last one: the shortest draw is a nonce."""


class EntropyFailsError(SeedsUnavailableError):
    """The source failed a health test: no seed may be made of what it gives."""


class RepetitionCount:
    """SP 800-90B 4.4.1: the same sample too many times in a row."""

    def __init__(self, min_entropy: int) -> None:
        self.cutoff = 1 + ceil(ALPHA_BITS / min_entropy)
        self._last: object = None
        self._times = 0

    def fails(self, sample: object) -> bool:
        """Take the next sample."""
        self._times = self._times + 1 if sample == self._last else 1
        self._last = sample
        return self._times >= self.cutoff


class AdaptiveProportion:
    """SP 800-90B 4.4.2: the first sample of a window too often within it."""

    def __init__(self, min_entropy: int) -> None:
        self.cutoff = 1 + _critical(WINDOW, min_entropy)
        self._first, self._seen, self._times = -1, WINDOW, 0

    def fails(self, sample: int) -> bool:
        """Take the next sample."""
        if self._seen == WINDOW:
            self._first, self._seen, self._times = sample, 0, 0
        self._seen += 1
        self._times += sample == self._first
        return self._times >= self.cutoff


class Source:
    """Entropy, as far as it passes."""

    def __init__(self, read: Callable[[int], bytes] = entropy) -> None:
        self._read = read
        self._lock = Lock()
        self._repeated, self._proportion = RepetitionCount(MIN_ENTROPY), AdaptiveProportion(MIN_ENTROPY)
        self._draws = RepetitionCount(MIN_ENTROPY * DRAW)
        self._failure: str | None = None
        self._started = False

    def take(self, size: int) -> bytes:
        """Return ``size`` bytes, `DRAW` at least. Raises `EntropyFailsError`, from the first failure on."""
        with self._lock:
            if not self._started and self._failure is None:
                self._draw(START_UP)
                self._started = True
            return self._draw(size)

    def _draw(self, size: int) -> bytes:
        if self._failure is None:
            drawn = self._read(size)
            self._failure = self._fault(drawn)
        if self._failure is not None:
            raise EntropyFailsError(
                f"the operating system's source of randomness failed a health test: {self._failure}. No batch is committed."
                " Find out what is wrong with the machine, or with a copy of it, before the service is started again"
            )
        return drawn

    def _fault(self, drawn: bytes) -> str | None:
        """Return which test fails; nothing of what was drawn, which may be a seed."""
        # As a hash, because it may be of a seed.
        if self._draws.fails(sha256(drawn[:DRAW])):
            return "the same draw came twice in a row (repetition count)"
        for sample in drawn:
            if self._repeated.fails(sample):
                return f"a byte came {self._repeated.cutoff} times in a row (repetition count)"
            if self._proportion.fails(sample):
                return f"a byte came {self._proportion.cutoff} times among {WINDOW} (adaptive proportion)"
        return None


def _critical(trials: int, bits: int) -> int:
    """Return the least k so that more than k successes have a chance of alpha at most, in trials with a chance of
    2^-bits each.
    """
    most, more = 2**bits, 2 ** (bits * trials)
    for k in range(trials):
        more -= comb(trials, k) * (most - 1) ** (trials - k)
        if more << ALPHA_BITS <= most**trials:
            return k
    return trials
