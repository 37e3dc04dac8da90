"""The report: one HTML file with every test and every picture, to be attached to somebody's file.

It holds no script and asks no host for anything, so it shows the same in ten years; and the same log gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fairness.notes import VerifierKey
from games import GAMES
from verifier.as_json import report_caveats
from verifier.report import AuditReport
from verifier.stats.caveats import LIMITS
from verifier.stats.columns import TableColumns
from verifier.stats.drawing import Picture
from verifier.stats.family import FALSE_ALARMS, Judged
from verifier.stats.plots import p_values, returns_at_a_glance, reveal_times, void_chances, void_time_line
from verifier.stats.returns import LEVEL, TableReturn, standard_bet, table_return
from verifier.stats.table_plots import table_pictures
from verifier.stats.timing import TableTiming, timing_of
from verifier.stats.voids import CLASSES, TableVoids, voids_of
from verifier.stats.words import duration, number_text, p_text, per_cent

_SECOND = 1000


@dataclass(frozen=True, slots=True)
class TableSection:
    """What the report says of one table."""

    columns: TableColumns
    rules: str
    bet: str
    returned: TableReturn | None
    voids: TableVoids
    timing: TableTiming
    pictures: Sequence[Picture]
    tests: int
    alarms: int


def report_html(
    report: AuditReport, key: VerifierKey, tables: Sequence[TableColumns], judged: Sequence[Judged]
) -> bytes:
    """The file, of a log whose audit held. The same arguments give the same bytes."""
    shown = sorted(tables, key=lambda columns: columns.name)
    sections = [_section(columns, judged) for columns in shown]
    returns = [section.returned for section in sections if section.returned is not None]
    alarms = [each for each in judged if each.alarm]
    tested = [each for each in judged if each.finding.p is not None]
    return (
        _PAGES.get_template("report.html")
        .render(
            checkpoint=report.checkpoint,
            key=key,
            key_hash=sha256(key.public_key).hexdigest(),
            sections=sections,
            rounds=sum(len(columns) for columns in shown),
            played=sum(int(columns.played.sum()) for columns in shown),
            dates=_dates(shown),
            alarms=sorted(alarms, key=lambda each: each.adjusted or 0),
            tested=len(tested),
            skipped=len(judged) - len(tested),
            families=_families(judged),
            false_alarms=FALSE_ALARMS,
            level=LEVEL,
            classes=CLASSES,
            overview=[returns_at_a_glance(returns)] if returns else [],
            p_values=p_values(judged) if tested else None,
            void_line=void_time_line(shown),
            void_chances=void_chances(shown),
            reveals=reveal_times([section.timing for section in sections]),
            reasons=_reasons(sections),
            slow=[slow for section in sections for slow in section.timing.slow],
            slow_in_all=sum(section.timing.slow_in_all for section in sections),
            hanging=[str(entry) for entry in report.hanging],
            limits=[*LIMITS, *report_caveats(report, GAMES)],
            made_by=[f"{name} {version(name)}" for name in ("foredraw", "numpy", "scipy", "matplotlib")],
        )
        .encode()
    )


def _section(columns: TableColumns, judged: Sequence[Judged]) -> TableSection:
    own = [each for each in judged if each.finding.tables == (columns.name,) and each.finding.p is not None]
    return TableSection(
        columns=columns,
        rules=_rules(columns),
        bet=standard_bet(columns).text if columns.batches else "",
        returned=table_return(columns),
        voids=voids_of(columns),
        timing=timing_of(columns),
        pictures=table_pictures(columns),
        tests=len(own),
        alarms=sum(each.alarm for each in own),
    )


def _rules(columns: TableColumns) -> str:
    """Every rules that the table had, in their order, each once."""
    spelled = (
        ", ".join(f"{name} {batch.rules[name]:,}" for name in sorted(batch.rules)) for batch in columns.batches
    )
    return "; then ".join(dict.fromkeys(spelled))


def _dates(tables: Sequence[TableColumns]) -> tuple[str, str] | None:
    """The first lock and the last reveal, to the second."""
    some = [columns for columns in tables if len(columns)]
    if not some:
        return None
    first, last = min(int(columns.locked[0]) for columns in some), max(int(columns.revealed[-1]) for columns in some)
    return _moment(first), _moment(last)


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds // _SECOND, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _families(judged: Sequence[Judged]) -> dict[str, list[Judged]]:
    """Each family of tests with its findings, in the order in which they first appear."""
    families: dict[str, list[Judged]] = {}
    for each in judged:
        families.setdefault(each.finding.test, []).append(each)
    return families


def _reasons(sections: Sequence[TableSection]) -> list[tuple[str, str, int]]:
    """Table, reason, rounds."""
    return [(each.voids.table, reason, count) for each in sections for reason, count in each.voids.reasons]


_PAGES = Environment(
    loader=PackageLoader("verifier.stats", "."),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_PAGES.filters |= {
    "p": p_text,
    "number": number_text,
    "seconds": duration,
    "percent": per_cent,
    "count": lambda value: f"{value:,}",
    # The only markup that is not escaped: pictures, whose every text matplotlib has escaped.
    "drawn": lambda picture: Markup(picture.svg),  # noqa: S704
}
