"""A short run of the fuzzer over every parser; ``make fuzz`` is the long one."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.run import Run, run_target, run_targets
from fuzz.targets import TARGETS

RUNS = 500
"""How many inputs each target takes here: half a second for most."""


OPTIONS = (f"-runs={RUNS}", "-seed=1")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """A short run of every target."""
    return run_targets(list(TARGETS), tmp_path_factory.mktemp("fuzz"), *OPTIONS)


@pytest.mark.parametrize("name", TARGETS)
def test_the_promise_holds_for_good_values(name: str) -> None:
    """Each seed input, whole and cut at its end."""
    seeds = TARGETS[name].seeds()
    assert seeds
    for seed in seeds:
        TARGETS[name].check(seed)
        TARGETS[name].check(seed[:-1])


@pytest.mark.nightly("gives every parser hundreds of inputs")
@pytest.mark.parametrize("name", TARGETS)
def test_a_short_run_finds_nothing(name: str, runs: dict[str, Run]) -> None:
    """Some inputs for every target; its coverage grows beyond that of the first seed input."""
    ran = runs[name]
    assert ran.findings == [], ran.output
    assert ran.inputs >= RUNS
    assert ran.reached > 1


@pytest.mark.nightly("starts fuzzers")
def test_what_breaks_a_promise_is_found_and_kept(tmp_path: Path) -> None:
    """With a target that accepts every text as a time, the fuzzer reports it and keeps the input."""
    ran = run_target("testing-only-broken", tmp_path, *OPTIONS)
    (kept,) = ran.findings
    assert kept.name.startswith("testing-only-broken-crash-")
    assert "AssertionError" in ran.output


@pytest.mark.nightly("starts the fuzzer once more")
def test_a_fuzzer_that_does_not_run_is_no_success(tmp_path: Path) -> None:
    """An unknown option ends it, which is reported."""
    with pytest.raises(RuntimeError, match="did not run"):
        run_target("time", tmp_path, "-runs=1", "/nonexistent/corpus")
