"""A service of whatever can be opened: what is wrong with one part of it is said, and hides nothing of the others."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from api.findings.finding import Finding, note, problem
from api.log.keys import load_verifier_key
from api.log.policy_file import PolicyFile
from api.programs.doctor.closed import Closed, Part
from api.programs.doctor.keys import noted_key
from api.rounds.reading import newest_time
from api.service import Service, published_log, put_together
from api.settings import Settings, SettingsError
from api.sql.database import Database
from api.store.absent import AbsentDatabase
from api.store.schema import open_database
from api.world.self_test import check_known_answers
from api.world.timekeeper import Timekeeper


def opened(settings: Settings, closed: Closed) -> Generator[Finding, None, Service | None]:
    """Yield what is found on the way to a service; return that, or `None` if there is no key of the log to compare
    with.

    Raises `SettingsError` if this machine computes wrongly.
    """
    check_known_answers()
    database = _open_database(settings, closed)
    try:
        key = load_verifier_key(settings)
    except (SettingsError, OSError):
        # Why there is none was found where the keys were looked at.
        found = noted_key(database)
        if found is None:
            database.dispose()
            says = (
                "without the log's public key, database, log and seeds could not be compared, and were not looked at"
            )
            yield problem("keys", says)
            return None
        key = found
        yield note(
            "keys", f"this log's key is {key}, by the first entry of the journal: the rest was compared with it"
        )
    try:
        policy = PolicyFile(settings, key)
    except SettingsError as error:
        yield problem("policy", str(error))
        settings = replace(settings, policy=None)
        policy = PolicyFile(settings, key)
    service = put_together(settings, published_log(settings, key), policy, database)
    timekeeper = Timekeeper(service.clock, settings.clock, lambda: newest_time(database), only_looks=True)
    return replace(service, timekeeper=timekeeper)


def _open_database(settings: Settings, closed: Closed) -> Database:
    if (why := closed.get(Part.DATABASE)) is not None:
        return AbsentDatabase(why.says)
    try:
        return open_database(settings)
    except SettingsError as error:
        # Each look that needs it finds the same once more, and it is shown once.
        return AbsentDatabase(str(error))
