"""Statistics for programs: one JSON object (docs/statistics.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import to_builtins

from verifier.output.as_json import head_json
from verifier.output.audit import silent_json
from verifier.stats.conduct.returns import TableReturn
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.family import FALSE_ALARMS, Judged

if TYPE_CHECKING:
    from verifier.stats.output.answers import LogCounted, TableCounted, TableReturned, TestRun
    from verifier.stats.output.verdict import Verdict


def statistics_json(verdict: Verdict, written: str | None) -> LogCounted:
    """Return every test, what was counted at each table, the alarms, and what was not checked."""
    found, kind = verdict.found, verdict.kind
    return {
        "v": 1,
        "command": "stats",
        "verdict": "improbable" if kind.is_good and found.alarms else str(kind),
        "log": head_json(found.checkpoint),
        "false_alarms": FALSE_ALARMS,
        "alarms": [_test(each) for each in found.alarms],
        "tests": [_test(each) for each in found.judged],
        "tables": [_table(table) for table in found.tables],
        "returns": [_return(each) for each in found.returns],
        "voids": to_builtins(found.voids),
        "timing": to_builtins(found.timings),
        "ends": to_builtins(found.ends),
        "silent": silent_json(verdict.report),
        "unknown": verdict.unknown,
        "written": written,
        "not_checked": verdict.not_checked,
    }


def _test(judged: Judged) -> TestRun:
    finding = judged.finding
    return {
        "test": finding.test,
        "tables": list(finding.tables),
        "subject": finding.subject,
        "question": finding.question,
        "rounds": finding.rounds,
        "null_law": finding.null_law,
        "statistic": finding.statistic,
        "p": finding.p,
        "observed": finding.observed,
        "expected": finding.expected,
        "skipped": finding.skipped,
        "power": judged.power,
        "adjusted_p": judged.adjusted,
        "alarm": judged.alarm,
    }


def _table(table: TableColumns) -> TableCounted:
    return {
        "table": table.name,
        "game": table.game,
        "rules": table.rules if table.batches else {},
        "rounds": len(table),
        "played": int(table.played.sum()),
    }


def _return(found: TableReturn) -> TableReturned:
    return {
        "table": found.table,
        "bet": found.bet.text,
        "rounds": found.rounds,
        "wins": found.wins,
        "returned": found.returned,
        "expected": found.expected,
        "tolerance": found.tolerance,
        "p": found.p,
    }
