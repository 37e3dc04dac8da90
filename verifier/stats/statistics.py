"""All statistics of a log, and their verdict as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fairness.log.checkpoints import Checkpoint
from verifier.stats.conduct.ends import TableEnd, ends_of, judge_ends
from verifier.stats.conduct.returns import TableReturn, has_standard_bet, judge_returns, table_return
from verifier.stats.conduct.schedule import judge_schedule
from verifier.stats.conduct.timing import TableTiming, timing_of
from verifier.stats.conduct.voids import TableVoided, judge_voids, voids_of
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.family import Judged, judge
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.samples import Part, parts_of, together
from verifier.stats.randomness.between_tables import between_tables
from verifier.stats.randomness.chi_square import counts
from verifier.stats.randomness.coupons import coupons
from verifier.stats.randomness.devices import of_devices
from verifier.stats.randomness.gaps import gaps
from verifier.stats.randomness.multipliers import of_flights
from verifier.stats.randomness.overlaps import overlaps
from verifier.stats.randomness.runs import runs
from verifier.stats.randomness.serial import serial


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """What the numbers of a log say. Everything follows from its records: the same log gives the same figures."""

    checkpoint: Checkpoint
    tables: tuple[TableColumns, ...]
    """By name."""
    judged: tuple[Judged, ...]
    """Every test, including those that had too few rounds, in the order of games, tables and tests."""
    returns: tuple[TableReturn, ...]
    """One for each table that has played a round."""
    voids: tuple[TableVoided, ...]
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
    def by_p(self) -> list[Judged]:
        """The tests that were run, smallest p first."""
        return sorted(self.tested, key=lambda each: each.finding.p or 0.0)

    @property
    def alarms(self) -> list[Judged]:
        """What chance does not explain, smallest p first."""
        return [each for each in self.by_p if each.alarm]


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
    """Yield every test of these tables, not yet judged. Randomness of a test is derived from the log's ``root``."""
    known = [table for table in tables if len(table)]
    betted = [table for table in known if has_standard_bet(table)]
    games: dict[str, list[TableColumns]] = {}
    for table in known:
        if table.played.any():
            games.setdefault(table.kind, []).append(table)
    for alike in sorted(games.values(), key=lambda alike: alike[0].game):
        yield from _of_game(alike, root)
    yield from between_tables(known, root)
    yield from judge_returns(betted)
    yield from judge_voids(known)
    yield from judge_schedule(betted, root)
    yield from judge_ends(tables)


def _of_game(tables: Sequence[TableColumns], root: bytes) -> Iterator[Finding]:
    """Yield each table, apart by its rules; tables of one game under the same rules together; and all of them."""
    parts = [part for table in tables for part in parts_of(table, table.played, root)]
    for part in parts:
        yield from _of_part(part)
    for alike in _alike(parts):
        if len(alike) > 1:
            yield from _of_part(together(alike))
    yield from overlaps(tables)


def _alike(parts: Sequence[Part]) -> list[list[Part]]:
    found: dict[object, list[Part]] = {}
    for part in parts:
        found.setdefault(tuple(sorted(part.rules.items())), []).append(part)
    return list(found.values())


def _of_part(part: Part) -> Iterator[Finding]:
    for drawn in part.drawn:
        # `of_devices` has places beyond these, and what they have to do with one another.
        for sample in drawn.samples():
            for test in (counts, runs, serial, gaps, coupons):
                yield from test(sample)
        yield from of_flights(drawn)
    yield from of_devices(part)
