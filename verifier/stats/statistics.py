"""All statistics of a log, and their verdict as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from fairness.log.checkpoints import Checkpoint
from verifier.stats.conduct.ends import TableEnd, ends_of, judge_ends
from verifier.stats.conduct.returns import TableReturn, has_standard_bet, judge_returns, table_return
from verifier.stats.conduct.schedule import judge_schedule
from verifier.stats.conduct.timing import TableTiming, timing_of
from verifier.stats.conduct.voids import TableVoids, judge_voids, voids_of
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.family import Judged, judge
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.laws import Sample, pooled, sample_of
from verifier.stats.numbers.parts import Part, parts_of, together
from verifier.stats.randomness.between_tables import between_tables
from verifier.stats.randomness.chi_square import counts
from verifier.stats.randomness.coupons import coupons
from verifier.stats.randomness.devices import of_devices
from verifier.stats.randomness.gaps import gaps
from verifier.stats.randomness.multipliers import cash_outs, kolmogorov_smirnov
from verifier.stats.randomness.overlaps import overlaps
from verifier.stats.randomness.runs import runs
from verifier.stats.randomness.serial import serial


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """What the numbers of a log say. Everything follows from its records, so the same log always gives the same figures."""

    checkpoint: Checkpoint
    tables: tuple[TableColumns, ...]
    """By name."""
    judged: tuple[Judged, ...]
    """Every test, including those that had too few rounds, in the order of games, tables and tests."""
    returns: tuple[TableReturn, ...]
    """One for each table that has played a round."""
    voids: tuple[TableVoids, ...]
    timings: tuple[TableTiming, ...]
    ends: tuple[TableEnd, ...]
    """One for each closed table that had rounds left."""

    @property
    def tested(self) -> list[Judged]:
        """The tests that were run."""
        return [each for each in self.judged if each.adjusted is not None]

    @property
    def skipped(self) -> list[Finding]:
        """The tests that were not run."""
        return [each.finding for each in self.judged if each.adjusted is None]

    @property
    def alarms(self) -> list[Judged]:
        """What chance does not explain, smallest p first."""
        alarms = [each for each in self.judged if each.alarm]
        return sorted(alarms, key=lambda each: each.finding.p or 0.0)


def statistics(tables: Sequence[TableColumns], checkpoint: Checkpoint) -> Statistics:
    """Compute every figure and every test of these tables, judged as one family."""
    by_name = tuple(sorted(tables, key=lambda table: table.name))
    return Statistics(
        checkpoint,
        by_name,
        tuple(judge(list(findings_of(by_name, checkpoint.root)))),
        tuple(found for found in map(table_return, by_name) if found is not None),
        tuple(map(voids_of, by_name)),
        tuple(map(timing_of, by_name)),
        ends_of(by_name),
    )


def findings_of(tables: Sequence[TableColumns], root: bytes) -> Iterator[Finding]:
    """Every test of these tables, not yet judged. Randomness that a test needs is derived from the log's ``root``."""
    yield from _of_declared([table for table in tables if table.declaration and table.played.any()])
    betted = [table for table in tables if len(table) and has_standard_bet(table)]
    every, tables = tables, [table for table in tables if len(table) and not table.declaration]
    for _, group in groupby(sorted(tables, key=lambda table: table.game), key=lambda table: table.game):
        of_game = list(group)
        samples = [sample_of(table, root) for table in of_game]
        for table, sample in zip(of_game, samples, strict=True):
            yield from _of_sequence(sample, [table])
        if len(of_game) > 1:
            yield from _of_sequence(pooled(samples), of_game)
        yield from overlaps(of_game)
    yield from between_tables([table for table in every if len(table)], root)
    yield from judge_returns(betted)
    yield from judge_voids([table for table in every if len(table)])
    yield from judge_schedule(betted, root)
    yield from judge_ends(every)


def _of_declared(tables: Sequence[TableColumns]) -> Iterator[Finding]:
    """Each table, apart by its rules; and tables of one game under the same rules together."""
    alike: dict[object, list[Part]] = {}
    for table in tables:
        for rules, part in parts_of(table).items():
            yield from _of_part(part)
            alike.setdefault((table.declaration, rules), []).append(part)
    for parts in alike.values():
        if len(parts) > 1:
            yield from _of_part(together(parts))
    same = sorted(tables, key=lambda table: table.declaration)
    for _, group in groupby(same, key=lambda table: table.declaration):
        yield from overlaps(list(group))


def _of_part(part: Part) -> Iterator[Finding]:
    for drawn in part:
        # `of_devices` has those beyond them, and what they have to do with one another.
        for at in drawn.places:
            sample = drawn.place(at)
            for test in (counts, runs, serial, gaps, coupons):
                yield from test(sample)
    yield from of_devices(part)


def _of_sequence(sample: Sample, tables: Sequence[TableColumns]) -> Iterator[Finding]:
    for test in (counts, runs, serial, gaps, coupons, kolmogorov_smirnov):
        yield from test(sample)
    if sample.uniform is not None:
        yield from cash_outs(tables)
