"""The battery measures what it states: SP 800-22 to the last digit, fair bits from outcomes, and a page made from its
logs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import comb, exp, factorial, isqrt
from pathlib import Path

import numpy as np
import pytest

from benchmarks.battery import assess, dieharder, logs, sp800_22, table
from benchmarks.battery.logs import Log
from benchmarks.battery.samples import SAMPLES, Sample, bits_of_number, seed
from benchmarks.battery.sp800_22 import LENGTH, Bits, Named, p_values

# SP 800-22 rev. 1a, Appendix B: the results for the first million binary digits.
PUBLISHED = {
    "frequency": (0.811881, 0.610051),
    "block frequency": (0.833222, 0.473961),
    "cumulative sums forward": (0.879009, 0.917121),
    "cumulative sums backward": (0.957206, 0.689519),
    "runs": (0.313427, 0.261123),
    "longest run": (0.012117, 0.446726),
    "rank": (0.823810, 0.314498),
    "spectral": (0.581909, 0.776046),
    "template 000000001": (0.569461, 0.532235),
    "overlapping templates": (0.791982, 0.082716),
    "universal": (0.130805, 0.165981),
    "approximate entropy": (0.884740, 0.180481),
    "excursions +1": (0.216235, 0.783283),
    "excursions in all -1": (0.566118, 0.155066),
    "linear complexity": (0.317127, 0.346469),
    "serial 1": (0.861925, 0.157500),
}
# The appendix was computed with these chances; sections 3.8 and 3.10 have had others since revision 1a.
_FIRST_FIVE = (
    exp(-1),
    *(exp(-1) / 2**u * sum(comb(u - 1, m - 1) / factorial(m) for m in range(1, u + 1)) for u in range(1, 5)),
)
OLDER_OVERLAPPING = (*_FIRST_FIVE, 1 - sum(_FIRST_FIVE))
OLDER_REGISTERS = (0.01047, 0.03125, 0.125, 0.5, 0.25, 0.0625, 0.020833)


@pytest.mark.parametrize(("column", "number"), [(0, 2), (1, 3)])
def test_the_results_are_those_of_the_publication(column: int, number: int) -> None:
    """Each test, on the digits of the square root, to six places."""
    digits = f"{isqrt(number << 2 * (LENGTH - 1)):b}"
    bits = np.frombuffer(digits.encode("ascii"), np.uint8) - ord("0")
    found = dict(p_values(bits))
    assert len(found) == 188
    found |= dict(sp800_22.overlapping_templates(bits, OLDER_OVERLAPPING))
    found |= dict(sp800_22.linear_complexity(bits, OLDER_REGISTERS))
    for test, published in PUBLISHED.items():
        assert found[test] == pytest.approx(published[column], abs=1e-6), test


@pytest.mark.parametrize("limit", [1, 2, 25, 26, 100, 216])
def test_bits_of_a_uniform_number_are_fair(limit: int) -> None:
    """Equally many numbers give each pattern of each length."""
    by_length: dict[int, Counter[tuple[int, ...]]] = {}
    for number in range(limit):
        bits = bits_of_number(number, limit)
        by_length.setdefault(len(bits), Counter())[bits] += 1
    for length, patterns in by_length.items():
        assert len(patterns) == 2**length
        assert set(patterns.values()) == {1}
    with pytest.raises(ValueError, match="below its limit"):
        bits_of_number(limit, limit)


@pytest.mark.nightly("collects samples")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample.name))
def test_a_sample_is_the_same_for_everybody(sample: Sample) -> None:
    """It is of zeros and ones; another run has other ones."""
    one, other = (next(sample.bits(run))[:50_000] for run in (1, 2))
    assert set(np.unique(one)) == {0, 1}
    assert abs(float(one.mean()) - 0.5) < 0.02
    assert not np.array_equal(one, other)
    assert np.array_equal(one, next(sample.bits(1))[:50_000])
    assert seed(1).hex().startswith("921ba09522b141de")


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the logs."""
    monkeypatch.setattr(logs, "FOLDER", tmp_path)
    return tmp_path


def made(*, every: int) -> Sample:
    """A random sample in which every n-th bit is set to one."""

    def bits(run: int) -> Iterator[Bits]:
        chance = np.random.default_rng(run)
        while True:
            drawn = np.unpackbits(np.frombuffer(chance.bytes(LENGTH // 8), np.uint8))
            drawn[::every] = 1
            yield drawn

    return Sample("made", "of a test", 60, bits)


def two_tests(bits: Bits) -> Named:
    """Two quick tests of the battery."""
    yield from sp800_22.frequency(bits)
    yield from sp800_22.runs(bits)


def test_a_biased_sample_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is flagged, and fails after the second run; before that there is no verdict."""
    del folder
    monkeypatch.setattr(assess, "p_values", two_tests)
    first = assess.assess(made(every=300), 1, 60, "a test")
    assert "frequency" in table.flagged(first)
    assert "**No verdict yet.**" in table.table()
    assess.assess(made(every=300), 2, 180, "a test")
    assert "**Verdict: FAILED.**" in table.table()


def test_a_good_sample_passes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict names the tests that did not run."""
    del folder
    monkeypatch.setattr(assess, "p_values", two_tests)
    log = assess.assess(made(every=LENGTH), 1, 60, "a test")
    assert [result.test for result in assess.results(log)] == ["frequency", "runs"]
    assert table.flagged(log) == []
    assert "**Verdict: passed.** Nothing had to be run again." in table.table()
    assert "Not run: dieharder, raw; sp800-22, raw; sp800-22, blocks" in table.table()


def test_dieharder_says_what_is_run_again(folder: Path) -> None:
    """WEAK and FAILED are flagged, on both sides of the second p-value; tests that it advises against are not."""
    del folder
    rows = [
        "#=====#",
        "        test_name   |ntup| tsamples |psamples|  p-value |Assessment",
        "        diehard_sums|   0|       100|     100|0.00000001|  FAILED  ",
        "          sts_serial|   3|    100000|     100|0.40000000|  PASSED  ",
        "          sts_serial|   3|    100000|     100|0.99930500|   WEAK   ",
    ]
    Log("dieharder", "raw", 1).write({"data": "made"}, "\n".join(rows) + "\n")
    assert table.flagged(Log("dieharder", "raw", 1)) == ["sts_serial 3 #2"]
    for p, verdict in (("0.99000000", "passed"), ("0.99600000", "FAILED")):
        rows[-1] = f"          sts_serial|   3|    100000|     300|{p}|  PASSED  "
        Log("dieharder", "raw", 2).write({"data": "made"}, "\n".join(rows[3:]) + "\n")
        assert f"**Verdict: {verdict}.** Of the 1 p-values" in table.table()


def test_the_page_tells_what_the_logs_say(tmp_path: Path) -> None:
    """The table is not written by hand."""
    page = tmp_path / "battery.md"
    page.write_bytes(table.PAGE.read_bytes())
    table.write_table(page)
    assert page.read_text("utf-8") == table.PAGE.read_text("utf-8")


def test_dieharders_tests_have_their_numbers() -> None:
    """Every name in the log of a complete run."""
    found = list(dieharder.results(Log("dieharder", "raw", 1)))
    assert found
    assert {each.test.split()[0] for each in found} <= set(dieharder._NUMBERS.values())
