"""A service of whatever can be opened: what is wrong with one part of it is said, and hides nothing of the others."""

from __future__ import annotations

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
from fairness.log.notes import VerifierKey


class Opened:
    """The service, if there is a key of the log to compare with, and what was found on the way to it."""

    def __init__(self, settings: Settings, closed: Closed) -> None:
        """Raises `SettingsError` if this machine computes wrongly."""
        check_known_answers()
        self.findings: list[Finding] = []
        self._database = self._open_database(settings, closed)
        self.service: Service | None = None
        key = self._key(settings)
        if key is None:
            self._database.dispose()
        else:
            self.service = self._put_together(settings, key)

    def _open_database(self, settings: Settings, closed: Closed) -> Database:
        if (why := closed.get(Part.DATABASE)) is not None:
            return AbsentDatabase(why.says)
        try:
            return open_database(settings)
        except SettingsError as error:
            # Each look that needs it finds the same once more, and it is shown once.
            return AbsentDatabase(str(error))

    def _key(self, settings: Settings) -> VerifierKey | None:
        try:
            return load_verifier_key(settings)
        except (SettingsError, OSError):
            # Why there is none was found where the keys were looked at.
            found = noted_key(self._database)
        if found is None:
            says = (
                "without the log's public key, database, log and seeds could not be compared, and were not looked at"
            )
            self.findings.append(problem("keys", says))
        else:
            says = f"this log's key is {found}, by the first entry of the journal: the rest was compared with it"
            self.findings.append(note("keys", says))
        return found

    def _put_together(self, settings: Settings, key: VerifierKey) -> Service:
        try:
            policy = PolicyFile(settings, key)
        except SettingsError as error:
            self.findings.append(problem("policy", str(error)))
            settings = replace(settings, policy=None)
            policy = PolicyFile(settings, key)
        database = self._database
        service = put_together(settings, published_log(settings, key), policy, database)
        timekeeper = Timekeeper(service.clock, settings.clock, lambda: newest_time(database), only_looks=True)
        return replace(service, timekeeper=timekeeper)
