"""What `foredraw doctor` looks at, in which order: what others depend on comes first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from api.programs.doctor.aids import look_at_aids
from api.programs.doctor.finding import LOOK_AGAIN, Finding, guarded, note, problem
from api.programs.doctor.folder import (
    foreign_account,
    look_at_disks,
    look_at_foreign_files,
    look_at_links,
    look_at_locks,
    look_at_permissions,
    look_at_restored,
)
from api.programs.doctor.keys import look_at_keys
from api.programs.doctor.published import look_at_bucket
from api.programs.doctor.running import look_at_service
from api.programs.doctor.stored import look_at_store
from api.programs.doctor.tables import look_at_tables
from api.rounds.reading import newest_time
from api.service import open_service
from api.settings import Settings
from api.store.sole import is_led
from api.world.file_lock import is_held
from api.world.timekeeper import Timekeeper


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
    """Look at everything. Nothing of the folder is changed, and no key is opened."""
    if (absent := _absent(settings)) is not None:
        return Examined(str(settings.folder), running=False, findings=[absent])
    if (foreign := foreign_account(settings)) is not None:
        return Examined(str(settings.folder), running=_runs(settings), findings=[foreign])
    running = is_held(settings.background_lock)
    # One cause may be met in several places.
    findings: dict[str, Finding] = {}
    for finding in _findings(settings, running=running):
        findings.setdefault(finding.says, finding)
    return Examined(str(settings.folder), running=running, findings=list(findings.values()))


def _runs(settings: Settings) -> bool | None:
    try:
        return is_held(settings.background_lock)
    except PermissionError:
        return None


def _absent(settings: Settings) -> Finding | None:
    if not settings.has_nothing:
        return None
    return problem(
        "folder",
        f"{settings.folder} is no data folder: it has neither keys nor a database nor a log. If a service ran here, name"
        " its folder (`--data`, FOREDRAW_DATA) or restore it from a back-up: `foredraw init` makes a new log, which keeps"
        " nothing of what another one has promised",
        "foredraw init",
    )


def _findings(settings: Settings, *, running: bool) -> Iterator[Finding]:
    led = running or is_led(settings)
    if not running:
        yield _not_running(led=led)
    yield from look_at_permissions(settings)
    yield from look_at_restored(settings)
    yield from look_at_foreign_files(settings)
    yield from look_at_links(settings)
    yield from look_at_disks(settings)
    yield from look_at_keys(settings)
    if settings.seeds_server is None:
        yield from _look_at_custodians_file(settings.secrets)
    yield from (lacking := list(_lacking(settings)))
    yield from (held := list(look_at_locks(settings)))
    # Without the public key there is nothing to compare; and who opens the database waits for its lock in the end.
    if settings.verifier_key.exists() and not held and not lacking:
        yield from guarded("folder", settings, lambda: _inside(settings, running=running, led=led))


def _not_running(*, led: bool) -> Finding:
    if not led:
        return note("service", "no service runs on this folder", "foredraw serve")
    return note(
        "service",
        "no sequencer works on this folder, and one leads elsewhere on the same database: database and log are looked at as"
        " those of a running service. What that says of itself is reported where it runs",
        LOOK_AGAIN,
    )


def _lacking(settings: Settings) -> Iterator[Finding]:
    """What the parts are compared with, if it is not there. Whoever opens an empty file makes a database of it."""
    has_database = settings.server is not None or settings.database.exists()
    if has_database and settings.elsewhere is None and not settings.log.exists():
        yield problem(
            "log",
            "log/ is missing, so nothing was compared with it. Put the newest copy of the log back: your own, a mirror's or an"
            " auditor's; or, if a back-up is the newest one, run `foredraw restore BACKUP`, which completes it from the database"
            " if that has the newest records",
            LOOK_AGAIN,
        )
    if settings.server is None and _is_empty(settings.database):
        yield problem(
            "database",
            "foredraw.db is empty, as a crash can leave it, so nothing was compared with it. Stop the service, move the file"
            " away with its companions (-wal, -shm), and run `foredraw rebuild`; or put the newest copy back first, which has"
            " the tokens and the journal, too",
        )
    if settings.seeds_server is None and _is_empty(settings.secrets):
        yield problem(
            "custodian",
            "custodian/seeds.db is empty, as a crash can leave it, so nothing was compared with it: it has no seeds, and has"
            " forgotten what was released. Put the newest copy of custodian/ back before anything is started, never an older"
            " state",
        )


def _is_empty(path: Path) -> bool:
    """Whether an SQLite file has nothing, and nothing is on its way into it."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return path.exists() and not any(file.stat().st_size for file in files if file.exists())


def _inside(settings: Settings, *, running: bool, led: bool) -> Iterator[Finding]:
    """``running`` is of this folder; ``led`` says whether its database and its log may change meanwhile."""
    with closing(open_service(settings)) as opened:
        database = opened.database
        timekeeper = Timekeeper(opened.clock, settings.clock, lambda: newest_time(database), only_looks=True)
        service = replace(opened, timekeeper=timekeeper)
        stored = list(look_at_store(service, running=led))
        yield from stored
        if not any(finding.about == "database" and finding.level == "problem" for finding in stored):
            yield from look_at_tables(service)
            if not led and not any(finding.level == "problem" for finding in stored):
                yield from guarded("log", settings, lambda: look_at_aids(service))
        yield from guarded("bucket", settings, lambda: look_at_bucket(service, running=led))
        yield from look_at_service(service, running=running)


def _look_at_custodians_file(path: Path) -> Iterator[Finding]:
    if not path.exists():
        yield problem(
            "custodian",
            "custodian/seeds.db is missing: no pending round can be revealed, and what was released is forgotten. Put the"
            " newest copy of custodian/ back before anything is started, never an older state. A start would go on with"
            " an empty store, and the committed rounds would hang",
        )
