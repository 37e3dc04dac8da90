"""The report: one HTML file with every test and every picture, for a collection of documents.

It has no script and fetches nothing, so it shows the same in ten years. The same log gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fairness.manifest import VERIFIER, manifest_of_running
from fairness.policy.policy import Policy
from fairness.version import VERSION
from verifier.output.kind import Kind
from verifier.sentences import Verdict
from verifier.stats.conduct.returns import LEVEL, TableReturn
from verifier.stats.conduct.timing import TableTiming
from verifier.stats.conduct.voids import CLASSES, TableVoided
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.family import FALSE_ALARMS, Judged
from verifier.stats.numbers.words import duration, number_text, p_text, per_cent
from verifier.stats.output.drawing import Picture, style
from verifier.stats.output.plots import p_values, returns_at_a_glance, reveal_times, void_chances, void_time_line
from verifier.stats.output.table_plots import table_pictures
from verifier.stats.statistics import Statistics

_SECOND = 1000


@dataclass(frozen=True, slots=True)
class TableSection:
    """What the report says about one table."""

    columns: TableColumns
    rules: str
    returned: TableReturn | None
    voids: TableVoided
    timing: TableTiming
    pictures: Sequence[Picture]
    tests: int
    alarms: int


@style()
def report_html(
    found: Statistics,
    policy: Policy,
    *,
    unfinished: Sequence[str] = (),
    silent: Sequence[str] = (),
    kind: Kind = Kind.HELD,
    unknown: Sequence[str] = (),
    not_checked: Sequence[str],
) -> bytes:
    """Return the report of the log that ``policy`` names, and whose audit failed no check. Same log, same bytes.

    ``kind`` is the audit's verdict; ``unknown`` says what it did not know: then the log has not held either.
    ``unfinished`` says what has not ended yet, ``silent`` which tables fell silent, and ``not_checked`` what neither
    audit nor statistics show; each item is a sentence.
    """
    sections = _sections(found)
    page = _PAGES.get_template("report.html").render(
        found=found,
        checkpoint=found.checkpoint,
        key=policy.log,
        trust=f"--key {policy.log}" if policy == Policy(policy.log) else "--policy FILE",
        key_hash=sha256(policy.log.public_key).hexdigest(),
        sections=sections,
        rounds=sum(map(len, found.tables)),
        played=sum(int(columns.played.sum()) for columns in found.tables),
        dates=_dates(found.tables),
        families=_families(found.judged),
        false_alarms=FALSE_ALARMS,
        level=LEVEL,
        classes=CLASSES,
        returns=returns_at_a_glance(found.returns),
        p_values=p_values(found.judged),
        void_line=void_time_line(found.tables),
        void_chances=void_chances(found.tables),
        reveals=reveal_times(found.timings),
        slow=[slow for timing in found.timings for slow in timing.slow],
        slow_in_all=sum(timing.slow_in_all for timing in found.timings),
        unfinished=unfinished,
        silent=silent,
        kind=str(kind),
        proves_nothing=Verdict.PROVES_NOTHING,
        unknown=unknown,
        not_checked=not_checked,
        made_by=[f"foredraw {VERSION}", *(f"{name} {version(name)}" for name in ("numpy", "scipy", "matplotlib"))],
        manifest=manifest_of_running(VERIFIER),
    )
    return page.encode()


def _sections(found: Statistics) -> list[TableSection]:
    returns = {each.table: each for each in found.returns}
    return [
        TableSection(
            columns=columns,
            rules=_rules(columns),
            returned=returns.get(columns.name),
            voids=voids,
            timing=timing,
            pictures=table_pictures(columns),
            tests=sum(each.finding.tables == (columns.name,) for each in found.tested),
            alarms=sum(each.finding.tables == (columns.name,) for each in found.alarms),
        )
        for columns, voids, timing in zip(found.tables, found.voids, found.timings, strict=True)
    ]


def _rules(columns: TableColumns) -> str:
    """Return all rules that the table has had, in their order: ``cap 10,000.00, return 97 %, version 1``."""
    spelled = (
        (_RULES.get(name, f"{name} {{}}".format)(rules[name]) for name in rules) for rules in columns.all_rules
    )
    return "; then ".join(map(", ".join, spelled))


_RULES: Mapping[str, Callable[[int], str]] = {
    "cap": lambda hundredths: f"cap {hundredths // 100:,}.{hundredths % 100:02}",
    "rtp": lambda basis_points: f"return {basis_points / 100:g} %",
}


def _dates(tables: Sequence[TableColumns]) -> tuple[str, str] | None:
    """Return the first lock and the last reveal, to the second."""
    some = [columns for columns in tables if len(columns)]
    if not some:
        return None
    first, last = min(int(columns.locked[0]) for columns in some), max(int(columns.revealed[-1]) for columns in some)
    return _moment(first), _moment(last)


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds // _SECOND, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _families(judged: Sequence[Judged]) -> dict[str, list[Judged]]:
    """Return each family of tests with its findings, in the order in which they first appear."""
    families: dict[str, list[Judged]] = {}
    for each in judged:
        families.setdefault(each.finding.test, []).append(each)
    return families


_PAGES = Environment(
    loader=PackageLoader("verifier.stats.output", "."),
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
    # Pictures are the only markup that is not escaped: matplotlib has escaped all of their texts.
    "drawn": lambda picture: Markup(picture.svg),  # noqa: S704 -- our own markup
}
