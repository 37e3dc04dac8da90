"""What the running service says of itself: signs of life, the clock, beacon and witnesses, tables that stand
still.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from api.findings.finding import Finding, note, problem
from api.operations.overview import Overview
from api.programs.doctor.closed import Closed
from api.programs.doctor.guarded import failure_of, guarded
from api.rounds.reading import newest_time
from api.service import Service
from api.world.timekeeper import TOLERANCE, in_words

_ALWAYS = ("clock", "policy", "software")
_WHILE_RUNNING = ("background", "beacon", "witnesses", "custodian", "entropy")
_REST = frozenset({"witness", "queue", "monitor", "drift", "hangs", "dry"})
"""The kinds of trouble of the overview that nothing else here reports."""


def look_at_service(service: Service, closed: Closed, *, running: bool) -> Iterator[Finding]:
    """Yield what `/health/ready` and `/ops` report; of a stopped service only what does not depend on its
    programs.
    """
    for part in (*_ALWAYS, *(_WHILE_RUNNING if running else ())):
        # To ask for a store that is missing would make an empty one.
        if part not in closed and (part != "custodian" or service.settings.has_seeds):
            yield from guarded(part, service.settings, partial(failure_of, service, part))
    yield from guarded("clock", service.settings, lambda: _behind(service))
    if running:
        yield from guarded("service", service.settings, lambda: _overview(service))


def _overview(service: Service) -> Iterator[Finding]:
    if not any(service.health.failure(part) for part in ("database", "log")):
        yield from troubles(service.observer.overview())


def troubles(seen: Overview) -> Iterator[Finding]:
    """Yield what needs somebody, in English, of what no other check here reports."""
    for kind, about in seen.troubles():
        if kind in _REST:
            yield problem(kind, words(kind, about), _COMMANDS.get(kind))


_COMMANDS = {"drift": "foredraw-verify audit LOG --key VKEY", "queue": "foredraw table list"}


def words(kind: str, about: dict[str, Any]) -> str:
    """Return what a kind of trouble means, and what to do."""
    match kind:
        case "witness":
            return f"the witness {about['name']} is away for {in_words(about['age'])}: {about['why']}"
        case "queue":
            return (
                f"{about['waiting']:,} records wait to be published: the sequencer is behind, or their table is halted."
                " Look at the messages of the service"
            )
        case "monitor":
            return (
                "the monitor stands still, so drifts of results are not noticed; rounds go on. Look at the messages of"
                " the service, and start it again"
            )
        case "drift":
            return (
                f"{about['table']} drifts from its law: the alarm of the count {about['count'].name} was raised at round"
                f" {about['count'].alarm:,}. By chance this happens to one table of a thousand. Stop the table, and audit"
                " the log"
            )
        case "hangs":
            return (
                f"round {about['round']:,} of {about['table']} is locked for {in_words(about['age'])}, and the keeper"
                " cannot reveal it: look at its messages"
            )
    return (
        f"the table {about['table']} has no round to open: the rounds of its lead are not committed, or await their salt."
        " Look at the keeper's messages, and at the beacon"
    )


def _behind(service: Service) -> Iterator[Finding]:
    newest = newest_time(service.database)
    if newest is None:
        return
    behind = datetime.fromisoformat(newest) - datetime.fromisoformat(service.clock.now())
    if behind > TOLERANCE:
        yield note(
            "clock",
            f"the clock shows {service.clock.now()}, and the newest record has {newest}: it is behind by"
            f" {in_words(behind - behind % timedelta(minutes=1))}. Nothing stops, but records get the last time again until"
            " the clock has caught up. Set it right",
            "timedatectl",
        )
