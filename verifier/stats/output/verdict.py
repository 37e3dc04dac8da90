"""The statistics of an audited log, and the forms in which they are reported."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from games import GAMES
from verifier.audit.report import AuditReport
from verifier.caveats import report_caveats, report_unknown
from verifier.output.kind import Kind, kind_of
from verifier.output.printing import Console
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.output.as_json import statistics_json
from verifier.stats.output.caveats import LIMITS, NEWER, NO_BET, NOT_A_PROOF
from verifier.stats.output.show import show_statistics
from verifier.stats.statistics import Statistics, statistics

if TYPE_CHECKING:
    from verifier.stats.output.answers import LogCounted


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found, and what was not checked."""

    report: AuditReport
    found: Statistics

    @property
    def not_checked(self) -> list[str]:
        """What the tests do not show, then what the audit did not check."""
        states = [table.state for table in self.report.tables if table.name not in self.report.rounds]
        newer = [state.name for state in states if state.newer or state.unknown]
        betted = {each.table for each in self.found.returns}
        without = [each.name for each in self.found.tables if each.played.any() and each.name not in betted]
        return [
            *([NOT_A_PROOF] if self.found.alarms else []),
            *([NO_BET.format(tables=", ".join(without))] if without else []),
            *([NEWER.format(tables=", ".join(newer))] if newer else []),
            *(*LIMITS, *report_caveats(self.report, GAMES)),
        ]

    @property
    def unknown(self) -> list[str]:
        """What the audit did not know, so that what depends on it was not checked."""
        return report_unknown(self.report)

    @property
    def silent(self) -> list[str]:
        """What the audit says of tables that fell silent."""
        return [*map(str, self.report.silent)]

    @property
    def kind(self) -> Kind:
        """What the audit's verdict is called."""
        return kind_of(self.report.head, self.unknown)

    @classmethod
    def on(cls, report: AuditReport) -> Self:
        """Judge a log whose audit held and gathered the rounds."""
        columns = [
            TableColumns.of(table.name, rounds, table.history.unused or (), table.state.counts.unused)
            for table in report.tables
            if (rounds := report.rounds.get(table.name)) is not None
        ]
        return cls(report, statistics(columns, report.checkpoint))

    def as_json(self, written: str | None) -> LogCounted:
        """Return it for programs; ``written`` is the file of the report, if there is one."""
        return statistics_json(self, written)

    def as_html(self) -> bytes:
        """Return the report, with pictures."""
        with _without_a_backend():
            from verifier.stats.output.report import report_html  # noqa: PLC0415  (pictures are slow to import)

        return report_html(
            self.found,
            self.report.head.policy,
            unfinished=[*map(str, self.report.unfinished)],
            silent=self.silent,
            kind=self.kind,
            unknown=self.unknown,
            not_checked=[*self.unknown, *self.not_checked],
        )

    def show(self, console: Console, written: str | None, *, in_full: bool) -> None:
        """Show it for people at a terminal; ``in_full``: every test."""
        show_statistics(console, self, written, in_full=in_full)


@contextmanager
def _without_a_backend() -> Iterator[None]:
    """Hide a notebook's backend, with which matplotlib cannot be imported elsewhere; a report's figures need none."""
    backend = os.environ.pop("MPLBACKEND", None)
    try:
        yield
    finally:
        if backend is not None:
            os.environ["MPLBACKEND"] = backend
