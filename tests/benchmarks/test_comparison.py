"""The arithmetic of a comparison: medians, spreads, ratios, and what they say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.comparison import ComparedQuantity, Spread, compare
from benchmarks.figure import Figure, Quantity, higher, lower, neutral

Make = Callable[[str, float, str], Quantity]


def compared(base: list[float], new: list[float], make: Make = lower) -> ComparedQuantity:
    def figures(values: list[float]) -> list[list[Figure]]:
        return [[Figure("wait", [make("", value, "ms")], "-", None)] for value in values]

    (figure,) = compare(figures(base), figures(new))
    (quantity,) = figure.quantities
    return quantity


def test_the_ratio_is_that_of_the_medians() -> None:
    """A single slow run does not move it; the spread shows it."""
    found = compared([10, 100, 11], [22, 20, 24])
    assert found.base == Spread([10, 100, 11], 11, 10, 100)
    assert found.new == Spread([22, 20, 24], 22, 20, 24)
    assert found.ratio == 2
    assert compared([10, 20], [30, 30]).ratio == 2
    assert compared([0, 0], [1, 1]).ratio is None


@pytest.mark.parametrize(
    ("base", "new", "make", "verdict"),
    [
        ([1, 2, 3], [4, 5, 6], lower, "worse"),
        ([1, 2, 3], [4, 5, 6], higher, "better"),
        ([1, 2, 3], [4, 5, 6], neutral, "other"),
        ([4, 5, 6], [1, 2, 3], lower, "better"),
        ([4, 5, 6], [1, 2, 3], higher, "worse"),
        ([1, 2, 3], [3, 4, 5], lower, "same"),
        ([3, 4, 5], [1, 2, 3], lower, "same"),
        ([1, 9], [4, 5], lower, "same"),
        ([4, 5], [1, 9], lower, "same"),
        ([5, 5], [5, 5], lower, "same"),
        ([1], [2], lower, ""),
        ([1, 1], [2], lower, ""),
    ],
)
def test_what_the_spreads_say(base: list[float], new: list[float], make: Make, verdict: str) -> None:
    """Only spreads that do not overlap are a difference, and a single run has no spread."""
    assert compared(base, new, make).verdict == verdict


def test_what_one_side_lacks_stands_alone() -> None:
    """A figure, or one quantity of it, is listed without a ratio."""
    before = Figure("gone", [lower("", 1, "ms")], "-", None, "a remark")
    after = Figure("wait", [lower("", 2, "ms")], "under 3 ms", met=True)
    both = Figure("wait", [lower("", 4, "ms"), lower("", 5, "files")], "under 3 ms", met=False)
    wait, gone = compare([[before, both]], [[after]])
    assert [(each.base and each.base.values, each.new and each.new.values) for each in wait.quantities] == [
        ([4], [2]),
        ([5], None),
    ]
    assert (wait.base_met, wait.new_met) == ([False], [True])
    assert (gone.name, gone.base_remarks, gone.new_remarks) == ("gone", ["a remark"], [])
    assert [(each.new, each.ratio, each.verdict) for each in gone.quantities] == [(None, None, "")]
