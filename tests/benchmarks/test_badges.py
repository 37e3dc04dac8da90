"""What badges cost the service: real ones, and the programs that ask as they do, behind the kit's nginx."""

from __future__ import annotations

import pytest

from benchmarks.badge_crowd import pauses
from benchmarks.badges import MOST_A_SECOND, watched


def test_the_crowd_has_the_badges_own_pauses() -> None:
    """They stand in its source, and are no less than a second."""
    assert pauses().keys() == {"FRESH", "TO_COME", "NOT_YET"}
    assert min(pauses().values()) >= 1


@pytest.mark.nightly("plays a round in its time, with nginx and Chromium")
def test_badges_cost_the_service_at_most_two_requests_a_second() -> None:
    """A hundred programs, each at its own address, and twenty badges of one page; they ask for the same."""
    round_ = watched(100, 20)
    assert round_.asked > 1000
    assert round_.rate <= MOST_A_SECOND
    assert max(by_path(round_.reached).values()) <= round_.seconds


def by_path(reached: list[tuple[float, str]]) -> dict[str, int]:
    """How often each path was asked for."""
    paths = [path for _, path in reached]
    return {path: paths.count(path) for path in paths}
