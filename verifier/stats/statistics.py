"""All tests of a log, and their verdict as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from verifier.stats.between_tables import between_tables
from verifier.stats.chi_square import counts
from verifier.stats.columns import TableColumns
from verifier.stats.coupons import coupons
from verifier.stats.family import Judged, judge
from verifier.stats.finding import Finding
from verifier.stats.gaps import gaps
from verifier.stats.laws import Sample, is_multiplier, pooled, sample_of
from verifier.stats.multipliers import cash_outs, kolmogorov_smirnov
from verifier.stats.overlaps import overlaps
from verifier.stats.returns import judge_returns
from verifier.stats.runs import runs
from verifier.stats.serial import serial
from verifier.stats.voids import judge_voids


def statistics(tables: Sequence[TableColumns], root: bytes) -> list[Judged]:
    """Every test of these tables, judged as one family. ``root`` is the log's, from which what is random follows."""
    return judge(list(_tested(sorted(tables, key=lambda table: table.name), root)))


def _tested(tables: Sequence[TableColumns], root: bytes) -> Iterator[Finding]:
    games = {table.name: table.game for table in tables}
    for _, group in groupby(sorted(tables, key=lambda table: table.game), key=lambda table: games[table.name]):
        of_game = list(group)
        samples = [sample_of(table, root) for table in of_game]
        for table, sample in zip(of_game, samples, strict=True):
            yield from _sequence(sample, [table])
        if len(of_game) > 1:
            yield from _sequence(pooled(samples), of_game)
        yield from overlaps(of_game)
    yield from between_tables(tables, root)
    yield from judge_returns(tables)
    yield from judge_voids(tables)


def _sequence(sample: Sample, tables: Sequence[TableColumns]) -> Iterator[Finding]:
    for test in (counts, runs, serial, gaps, coupons, kolmogorov_smirnov):
        yield from test(sample)
    if is_multiplier(sample.game):
        yield from cash_outs(tables)
