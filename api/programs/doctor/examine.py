"""What `foredraw doctor` looks at, in which order: what others depend on comes first, and what one look meets ends no
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial

from msgspec import Struct

from api.findings.finding import LOOK_AGAIN, Finding, note, problem
from api.findings.states import no_data_folder
from api.programs.doctor.aids import look_at_aids
from api.programs.doctor.closed import Part, closed_parts
from api.programs.doctor.folder import (
    foreign_account,
    look_at_disks,
    look_at_foreign_files,
    look_at_links,
    look_at_permissions,
    look_at_restored,
)
from api.programs.doctor.guarded import guarded
from api.programs.doctor.keys import look_at_keys
from api.programs.doctor.opened import opened
from api.programs.doctor.published import look_at_bucket
from api.programs.doctor.running import look_at_service
from api.programs.doctor.stored import look_at_store, unusable_database
from api.programs.doctor.tables import look_at_tables
from api.settings import Settings
from api.store.sole import is_led
from api.world.file_lock import is_held


class Examined(Struct, frozen=True):
    """The state of a data folder."""

    folder: str
    running: bool | None
    """Whether a service, or a rebuild, holds the folder; `None` if this account cannot see that."""
    findings: list[Finding]

    @property
    def healthy(self) -> bool:
        """Whether there is nothing to do."""
        return all(finding.level == "note" for finding in self.findings)


def examine(settings: Settings) -> Examined:
    """Look at everything. Nothing of the folder is changed."""
    folder = str(settings.folder)
    if settings.elsewhere is not None:
        # Such a machine has nothing of a service's folder, and holds no lock by which it could be seen to run.
        found = guarded("folder", settings, lambda: _parts(settings, running=False, led=True))
        return Examined(folder, running=None, findings=_once(found))
    if settings.has_nothing:
        absent = problem("folder", no_data_folder(settings.folder), "foredraw init")
        return Examined(folder, running=False, findings=[absent])
    running, foreign = _runs(settings), foreign_account(settings)
    findings = [foreign] if foreign is not None else _once(_findings(settings, running=bool(running)))
    return Examined(folder, running, findings)


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """Group by cause: one may be met in several places."""
    found: dict[str, Finding] = {}
    for finding in findings:
        found.setdefault(finding.says, finding)
    return list(found.values())


def _runs(settings: Settings) -> bool | None:
    try:
        return is_held(settings.background_lock)
    except PermissionError:
        return None


def _findings(settings: Settings, *, running: bool) -> Iterator[Finding]:
    led = running or is_led(settings)
    if not running:
        yield _not_running(led=led)
    for look in (look_at_permissions, look_at_restored, look_at_foreign_files, look_at_links, look_at_disks):
        yield from guarded("folder", settings, partial(look, settings))
    yield from guarded("keys", settings, lambda: look_at_keys(settings, led_elsewhere=led and not running))
    yield from guarded("folder", settings, lambda: _parts(settings, running=running, led=led))


def _not_running(*, led: bool) -> Finding:
    if not led:
        return note("service", "no service runs on this folder", "foredraw serve")
    return note(
        "service",
        "no sequencer works on this folder, and one leads elsewhere on the same database: database and log are looked at as"
        " those of a running service. What that says of itself is reported where it runs",
        LOOK_AGAIN,
    )


def _parts(settings: Settings, *, running: bool, led: bool) -> Iterator[Finding]:
    """Look at each part. ``running`` is of this folder; ``led`` says whether its database and its log may change
    meanwhile.
    """
    closed = {} if settings.elsewhere is not None else closed_parts(settings)
    yield from closed.values()
    service = yield from opened(settings, closed)
    if service is None:
        return
    with closing(service):
        if settings.policy is None and not led:
            yield from guarded("policy", settings, lambda: service.policy.check_not_forgotten(service.own_log))
        unusable = list(unusable_database(service, closed))
        yield from unusable
        database = None if Part.DATABASE in closed or unusable else service.database
        stored = list(look_at_store(service, closed, database, running=led))
        yield from stored
        # The aids are compared with the records, which must be there for that.
        whole = Part.LOG not in closed and not any(each.about == "log" and each.level == "problem" for each in stored)
        if database is not None:
            yield from guarded("table", settings, lambda: look_at_tables(service))
            if whole and not led:
                yield from guarded("log", settings, lambda: look_at_aids(service))
        yield from guarded("bucket", settings, lambda: look_at_bucket(service, compare=whole and not led))
        yield from look_at_service(service, closed, running=running)
