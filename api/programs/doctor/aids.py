"""The finding aids of a stopped service: they prove nothing, but whoever looks for a round begins with them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from api.findings.finding import Finding, note, problem, some
from api.findings.states import damaged_row
from api.log.finding_aids import AidsWriter
from api.log.recovery import records_between
from api.rounds.reading import appended_tables
from api.service import Service
from fairness.round.aids_check import AidFault, AidsCheck


def look_at_aids(service: Service) -> Iterator[Finding]:
    """Yield files that the next start makes again, and those that lead elsewhere than to their records, which it does
    not notice.

    All records of the log are read for that, unless a file is missing.
    """
    head, appended, damaged = appended_tables(service.database)
    if damaged:
        yield from (problem("table", damaged_row(name)) for name in damaged)
        return
    aids = AidsWriter(service.own_log)
    missing = [aids.first_missing(state, 1, state.committed_through) for state, _ in appended]
    broken = dict.fromkeys([*aids.wrong(appended), *(path for path in missing if path is not None)])
    if broken:
        paths = [Path("log", path) for path in broken]
        yield note(
            "log",
            f"{some(paths)} missing or cut, or of other tables than the log's: finding aids prove nothing, and rounds are found"
            " by them. The next start makes all of them again from the log",
            "foredraw serve",
        )
        return
    wrong = _misleading(service)
    yield from _not_noted([each for each in wrong if each.position >= head.noted])
    yield from _lasting(service, [each for each in wrong if each.position < head.noted])


def _misleading(service: Service) -> list[AidFault]:
    """Return the files that do not lead to every record and to nothing else, each with the first place where it does
    not.
    """
    size = service.publication.size
    check = AidsCheck(service.own_log.read, size)
    for position, record in records_between(service.own_log.read, 0, size):
        check.take_record(position, record)
    first: dict[str, AidFault] = {}
    for each in sorted(check.faults(), key=lambda fault: fault.position):
        first.setdefault(each.path, each)
    return list(first.values())


def _not_noted(wrong: list[AidFault]) -> Iterator[Finding]:
    """Yield what a power cut has kept from the disk: how far the aids are durable is known."""
    if wrong:
        yield note(
            "log",
            f"{_some(wrong)} behind the log, as a power cut can leave a finding aid. The next start writes the rest",
            "foredraw serve",
        )


def _lasting(service: Service, wrong: list[AidFault]) -> Iterator[Finding]:
    if not wrong:
        return
    tables = sorted({each.table for each in wrong})
    others = f" and {len(tables) - 1:,} more tables" if tables[1:] else ""
    path = wrong[0].path if len(wrong) == 1 else "find"
    yield problem(
        "log",
        f"{_some(wrong)} misleading: what should lead to records of {tables[0]}{others} leads elsewhere. Rounds cannot be"
        " opened there, or are not found by their codes; the log itself is not affected. Delete"
        f" log/{path}: the next start makes it again from the log",
        f"rm -r {shlex.quote(str(service.settings.log / path))}",
    )


def _some(wrong: list[AidFault]) -> str:
    return some([Path("log", each.path) for each in wrong])
