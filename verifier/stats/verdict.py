"""The statistics of an audited log, and the forms in which they are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from games import GAMES
from verifier.as_json import Json, report_caveats
from verifier.printing import Console
from verifier.report import AuditReport
from verifier.stats.as_json import statistics_json
from verifier.stats.caveats import statistics_caveats
from verifier.stats.columns import TableColumns
from verifier.stats.show import show_statistics
from verifier.stats.statistics import Statistics, statistics


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found, and what was not checked."""

    found: Statistics
    not_checked: list[str]

    @classmethod
    def on(cls, report: AuditReport) -> Self:
        """Judge a log whose audit held, and gathered its rounds."""
        tables = [TableColumns.of(name, rows) for name, rows in report.rounds.items()]
        found = statistics(tables, report.checkpoint)
        return cls(found, statistics_caveats(found, report_caveats(report, GAMES)))

    def as_json(self) -> Json:
        """For programs."""
        return statistics_json(self.found, self.not_checked)

    def show(self, console: Console, *, in_full: bool) -> None:
        """For people at a terminal; ``in_full``: every test."""
        show_statistics(console, self.found, self.not_checked, in_full=in_full)
