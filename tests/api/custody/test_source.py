"""The health of the source of seeds: what is found, how rarely it is a false alarm, and what stops then."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import cycle
from math import comb, log2
from pathlib import Path
from random import Random

import pytest

from api.access.tokens import Role, create_token
from api.custody.source import (
    ALPHA_BITS,
    MIN_ENTROPY,
    START_UP,
    WINDOW,
    AdaptiveProportion,
    EntropyFailsError,
    RepetitionCount,
    Source,
)
from api.journal.chain import entries
from api.server.app import create_app
from tests.support.in_process_service import InProcessService

SEED = 20261122


def seeded(seed: int) -> Random:
    """Numbers that are the same in every run."""
    return Random(seed)


def good(numbers: Random) -> Callable[[int], bytes]:
    """A source of a test that gives the same bytes in every run."""
    return numbers.randbytes


def stuck(size: int) -> bytes:
    return bytes(size)


def repeated(size: int) -> bytes:
    """The same block at every draw, as of a machine that was copied: its bytes by themselves are good."""
    return seeded(SEED).randbytes(size)


def biased(numbers: Random) -> Callable[[int], bytes]:
    """One byte in eight is 7."""
    return lambda size: bytes(7 if numbers.random() < 1 / 8 else numbers.randrange(256) for _ in range(size))


def fails_within(source: Source, draws: int) -> str | None:
    """The words of the first failure."""
    try:
        for _ in range(draws):
            source.take(32)
    except EntropyFailsError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (stuck, "a byte came 6 times in a row (repetition count)"),
        (repeated, "the same draw came twice in a row (repetition count)"),
        (biased(seeded(SEED)), "a byte came 19 times among 512 (adaptive proportion)"),
    ],
    ids=["stuck", "repeated", "biased"],
)
def test_a_stuck_or_biased_source_is_found(read: Callable[[int], bytes], said: str) -> None:
    """Within some windows; and a source that has failed gives nothing more, even if it is good again."""
    source = Source(read)
    words = fails_within(source, 1000)
    assert words is not None
    assert said in words
    source._read = good(seeded(SEED))
    assert fails_within(source, 1) == words


def test_a_source_that_sticks_later_is_found() -> None:
    """What follows a good start is tested, too; the draw in which it is found is not given out."""
    numbers, source = seeded(SEED), Source()
    source._read = good(numbers)
    assert fails_within(source, 1000) is None
    source._read = stuck
    assert fails_within(source, 1) is not None


def test_a_start_is_tested_before_anything_is_given() -> None:
    """1,024 bytes, which nobody gets."""
    asked: list[int] = []

    def read(size: int) -> bytes:
        asked.append(size)
        return seeded(len(asked)).randbytes(size)

    given = Source(read).take(32)
    assert asked == [START_UP, 32]
    assert given == seeded(2).randbytes(32)


def test_each_cutoff_is_the_first_that_fails() -> None:
    """One sample fewer passes: in a row, within a window, and over the border of two windows."""
    count = RepetitionCount(MIN_ENTROPY)
    assert [count.fails(7) for _ in range(count.cutoff)] == [*[False] * (count.cutoff - 1), True]
    other, proportion = cycle(range(1, 256)), AdaptiveProportion(MIN_ENTROPY)
    window = [0] * (proportion.cutoff - 1) + [next(other) for _ in range(WINDOW - proportion.cutoff + 1)]
    assert not any(proportion.fails(sample) for sample in window * 3)
    assert [proportion.fails(0) for _ in range(proportion.cutoff)] == [*[False] * (proportion.cutoff - 1), True]


def test_false_alarms_are_as_rare_as_stated() -> None:
    """The exact chances of both tests on a good source; the cutoffs are the standard's for alpha."""
    count, proportion = RepetitionCount(MIN_ENTROPY), AdaptiveProportion(MIN_ENTROPY)
    byte = Fraction(1, 2**MIN_ENTROPY)
    in_a_row = byte ** (count.cutoff - 1)
    assert log2(in_a_row) == -ALPHA_BITS

    def at_least(successes: int, trials: int) -> Fraction:
        return sum(
            (comb(trials, k) * byte**k * (1 - byte) ** (trials - k) for k in range(successes, trials + 1)), Fraction()
        )

    alpha = Fraction(1, 2**ALPHA_BITS)
    # SP 800-90B, 4.4.2: C = 1 + critbinom(W, 2^-H, 1 - alpha).
    assert at_least(proportion.cutoff, WINDOW) <= alpha < at_least(proportion.cutoff - 1, WINDOW)
    window = at_least(proportion.cutoff - 1, WINDOW - 1)
    assert round(log2(window), 1) == -37.6
    of_a_batch = (32 + 12) * (in_a_row + window / WINDOW)
    years = 1 / (of_a_batch * 365 * 86_400)
    assert 770 < years < 790


def test_a_failing_source_commits_nothing_and_raises_every_alarm(tmp_path: Path) -> None:
    """Rounds that are committed are played to their lead; the journal has one entry; a restart tests again."""
    running = InProcessService.create(tmp_path / "data", tables=[("keno-1", "keno-express")])
    service = running.service
    before = running.state("keno-1").committed_through
    service.custodian._source = Source(stuck)
    while running.state("keno-1").next_round + 2 < before:
        running.play("keno-1")
        running.settle()
    assert running.state("keno-1").committed_through == before
    found = service.health.failure("entropy")
    assert found is not None
    assert "a byte came 6 times in a row" in found
    assert dict(service.observer.overview().troubles())["entropy"] == {"why": found}
    token = create_token(service.database, running.clock, "prometheus", Role.AUDITOR, ["*"])
    browser = create_app(service).test_client()
    figures = browser.get("/metrics", headers={"Authorization": f"Bearer {token}"}).text
    assert 'foredraw_failing{part="entropy"} 1' in figures
    assert browser.get("/health/ready").get_json()["checks"]["entropy"]["status"] == "failing"
    assert [row.reason for row in entries(service.database) if row.act == "entropy"] == [found]
    running.settings.entropy_trouble.unlink()
    running.restart()
    running.settle()
    assert running.state("keno-1").committed_through > before
    running.check()
    running.stop()
