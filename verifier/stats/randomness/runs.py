"""Runs: does a round repeat the previous one? An outcome is as likely after itself as after any other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verifier.stats.numbers.chance import binomial_p, percent, shift_noticed
from verifier.stats.numbers.columns import Ints
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.samples import Sample

LEAST_ROUNDS = 50


def runs(sample: Sample) -> Iterator[Finding]:
    """Count runs of equal outcomes, of equal groups of them, and of one half of the outcomes.

    If classes are equally likely, each pair of neighbours is equal with the same chance, whatever the
    earlier pairs are. So the number of runs minus one is exactly binomial.
    """
    for grouping in sample.law.groupings:
        if grouping.is_uniform and len(grouping.labels) > 1:
            yield _runs(sample, grouping.name, grouping.groups[sample.classes], len(grouping.labels))
    if sample.law.half is not None:
        name, half = sample.law.half
        halves = half[sample.classes]
        yield _runs(sample, name, halves[halves >= 0], 2)


def _runs(sample: Sample, name: str, sequence: Ints, kinds: int) -> Finding:
    question = "Does a round repeat the previous one as often as chance does?"
    unfinished = Finding("runs", sample.tables, f"runs of {name}", question, len(sequence))
    if len(sequence) < LEAST_ROUNDS:
        return unfinished.without(f"needs {LEAST_ROUNDS} rounds")
    pairs = len(sequence) - 1
    repeats = int(np.count_nonzero(sequence[1:] == sequence[:-1]))
    return unfinished.with_p(
        float(binomial_p(repeats, pairs, 1 / kinds)),
        statistic=float(pairs - repeats + 1),
        null_law=f"exact: runs minus one are binomial, {pairs:,} pairs of chance {percent(1 - 1 / kinds)}",
        observed=f"{pairs - repeats + 1:,} runs",
        expected=f"{pairs * (1 - 1 / kinds) + 1:,.1f} runs",
        power_at=lambda level: shift_noticed(pairs, 1 / kinds, level, "repeats"),
    )
