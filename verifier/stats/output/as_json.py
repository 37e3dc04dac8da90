"""Statistics for programs: one JSON object (docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from verifier.output.as_json import Json
from verifier.output.kind import Kind
from verifier.stats.conduct.returns import TableReturn
from verifier.stats.conduct.voids import CLASSES, TableVoids
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.family import FALSE_ALARMS, Judged
from verifier.stats.statistics import Statistics


def statistics_json(found: Statistics, kind: Kind, unknown: Sequence[str], not_checked: Sequence[str]) -> Json:
    """Return ``tests`` in full, ``returns``, ``voids``, ``timing`` and ``ends`` by table, the ``alarms``, and what
    was ``not_checked``.
    """
    checkpoint = found.checkpoint
    return {
        "v": 1,
        "command": "stats",
        "verdict": "improbable" if kind.is_good and found.alarms else str(kind),
        "log": {"origin": checkpoint.origin, "size": checkpoint.size, "root": checkpoint.root.hex()},
        "false_alarms": FALSE_ALARMS,
        "alarms": [_test(each) for each in found.alarms],
        "tests": [_test(each) for each in found.judged],
        "tables": [_table(table) for table in found.tables],
        "returns": [_return(each) for each in found.returns],
        "voids": [_voids(each) for each in found.voids],
        "timing": [asdict(each) for each in found.timings],
        "ends": [asdict(each) for each in found.ends],
        "unknown": list(unknown),
        "not_checked": list(not_checked),
    }


def _test(judged: Judged) -> Json:
    finding = judged.finding
    keys = (
        "test",
        "subject",
        "question",
        "rounds",
        "null_law",
        "statistic",
        "p",
        "observed",
        "expected",
        "skipped",
    )
    return {key: getattr(finding, key) for key in keys} | {
        "tables": list(finding.tables),
        "power": judged.power,
        "adjusted_p": judged.adjusted,
        "alarm": judged.alarm,
    }


def _table(table: TableColumns) -> Json:
    return {
        "table": table.name,
        "game": table.game,
        "rules": table.rules if table.batches else {},
        "rounds": len(table),
        "played": int(table.played.sum()),
    }


def _return(found: TableReturn) -> Json:
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


def _voids(found: TableVoids) -> Json:
    return {
        "table": found.table,
        "rounds": found.rounds,
        "void": found.voids,
        "by_class": dict(zip(CLASSES, found.by_class, strict=True)),
        "reasons": [{"reason": reason, "rounds": rounds} for reason, rounds in found.reasons],
    }
